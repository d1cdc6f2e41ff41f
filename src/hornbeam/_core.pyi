from collections.abc import Callable, Mapping
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt

Progress = tuple[float, int, int, int, int, int]

class TreeArrays(TypedDict):
    column: npt.NDArray[np.int32]
    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    prediction: npt.NDArray[np.int32]
    leaf_of_row: npt.NDArray[np.int32]

class Outcome(TypedDict):
    tree: TreeArrays
    upper: int
    lower: int
    status: str
    statistics: dict[str, float]
    trace: list[Progress]

def pack_table(table: npt.NDArray[np.uint8], packed: npt.NDArray[np.uint8]) -> bool: ...
def changing_columns(columns: npt.NDArray[np.uint8], n_rows: int) -> list[int]: ...
def number_labels(labels: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None: ...
def thresholds_between(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def divisor_and_total(weights: npt.NDArray[np.int64]) -> tuple[int, float]: ...
def class_totals(classes: npt.NDArray[np.int32], weights: npt.NDArray[np.int64], n_classes: int) -> list[int]: ...
def node_statistics(
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    leaf_of_row: npt.NDArray[np.int32],
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64] | npt.NDArray[np.float64],
    n_classes: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
def solve(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    gap_limit: float = 0.0,
    n_threads: int = 1,
    switches: Mapping[str, bool] = {},
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
    reference: npt.NDArray[np.int32] | None = None,
) -> Outcome: ...
def solve_ranked(
    ranks: npt.NDArray[np.uint32],
    n_thresholds: npt.NDArray[np.uint32],
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
    leaf_cost: int,
    max_depth: int,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    gap_limit: float = 0.0,
    n_threads: int = 1,
    switches: Mapping[str, bool] = {},
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
) -> Outcome: ...
def look_ahead(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
    leaf_cost: int,
    max_depth: int,
    lookahead_depth: int,
    recursive: bool,
    last_by_loss: bool = False,
    keep_greedy: bool = False,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_threads: int = 1,
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
) -> Outcome: ...
def solve_leaf_sets(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    gap_limit: float = 0.0,
    policy: str = "curiosity",
    bounds: Mapping[str, bool] = {},
    as_published: bool = False,
    start: npt.NDArray[np.int32] | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
) -> Outcome: ...
def solve_ranking(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    price: int,
    cut: int,
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    gap_limit: float = 0.0,
    policy: str = "curiosity",
    bounds: Mapping[str, bool] = {},
    start: npt.NDArray[np.int32] | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
) -> Outcome: ...
def solve_posterior(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    alpha: float,
    beta: float,
    rho: npt.NDArray[np.float64],
    bits: int,
    max_depth: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    max_expansions: int | None = None,
    switches: Mapping[str, bool] = {},
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
    trace: bool = False,
) -> Outcome: ...

class RashomonSet: ...

class SetDescription(TypedDict):
    costs: list[int]
    counts: list[list[int]]
    complete_up_to: int
    status: str
    statistics: dict[str, float]
    prefixes: list[int]

def rashomon_set(
    columns: npt.NDArray[np.uint8],
    n_rows: int,
    classes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    costs: npt.NDArray[np.int64],
    leaf_cost: int,
    optimum: int,
    bound: int,
    leaf_rule: Literal["differ", "best", "any"] = "differ",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    lookahead_depth: int | None = None,
    greedy_depth: int = 0,
    leaf_bits: int = 0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
) -> RashomonSet: ...
def describe_set(trees: RashomonSet) -> SetDescription: ...
def reliance(
    trees: RashomonSet, groups: npt.NDArray[np.int32], shares: npt.NDArray[np.int64]
) -> list[tuple[tuple[int, int], tuple[int, int], list[int]]]: ...

class BestRanking(TypedDict):
    tree: TreeArrays | None
    leaf_sets: int
    status: str

def best_ranking(
    trees: RashomonSet,
    price: int,
    cut: int,
    leaf_cost: int,
    below: int,
    max_leaves: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    callback: Callable[[Progress], bool | None] | None = None,
    callback_interval: float = 0.1,
) -> BestRanking: ...
def read_tree(trees: RashomonSet, cost: int, rank: list[int]) -> TreeArrays: ...
