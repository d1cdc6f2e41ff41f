"""
The search of hornbeam: exact costs in, a tree with a proven interval out.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray
from typing_extensions import CapsuleType


from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypedDict

import numpy

Progress: TypeAlias = tuple[float, int, int, int, int, int]
"""Seconds, upper and lower bound in ticks, subproblems, bytes, leaves of the best tree."""

class TreeArrays(TypedDict):
    column: NDArray[numpy.int32]
    left: NDArray[numpy.int32]
    right: NDArray[numpy.int32]
    prediction: NDArray[numpy.int32]
    leaf_of_row: NDArray[numpy.int32]

class Outcome(TypedDict):
    tree: TreeArrays
    upper: int
    lower: int
    status: str
    statistics: dict[str, Any]
    trace: list[Progress]

class SetDescription(TypedDict):
    costs: list[int]
    counts: list[list[int]]
    complete_up_to: int
    status: str
    statistics: dict[str, float]
    bounds: dict[str, int]
    prefixes: list[int]

Side: TypeAlias = tuple[bytes, int | None, int | None, int, int]
"""Key, depth and leaves left (None: no limit), lower and upper bound in ticks of one side of a split."""

Split: TypeAlias = tuple[tuple[int, int, int], int, tuple[Side, Side] | None]
"""Name of a split (column, least and most leaves of the true side), lower bound, sides; the false one first."""

Run: TypeAlias = tuple[int, int, int, int, int, int, int, int, int]
"""Thresholds of a variable: the variable, first and last, and of those on both sides number, and least cost of
the true and the false side."""

KnownSide: TypeAlias = tuple[int, int, int, int, TreeArrays | None]
"""Depth and leaves left, lower bound, and cost of the tree."""

OpenLevel: TypeAlias = tuple[int, list[Run], tuple[Run, int, tuple[KnownSide, KnownSide] | None, bool] | None]
"""Bound of all other thresholds; runs; the threshold left half-way, its column, its sides if they are subproblems
of their own, the last one solved."""

class OrderedOutcome(TypedDict):
    lower: int
    upper: int
    tree: TreeArrays | None
    levels: list[OpenLevel]
    is_cut: bool
    status: str
    subproblems: int
    counters: dict[str, int]
    bytes: int

class SubproblemOutcome(TypedDict):
    lower: int
    upper: int
    tree_cost: int
    tree: TreeArrays | None
    open: list[Split] | None
    status: str
    subproblems: int
    counters: dict[str, int]
    bytes: int
Histogram: TypeAlias = tuple[NDArray[numpy.int64], NDArray[numpy.uint64]]
"""Costs, and of each the words of the number of trees, the lowest first; shape (n_costs, n_words)."""

Leaves: TypeAlias = list[tuple[int, int]]
"""Cost and prediction of each leaf."""

class SplitView(TypedDict):
    copies: list[tuple[int, bool]]
    trees: tuple[Histogram, Histogram]
    leaves: tuple[Leaves, Leaves]

class NodeView(TypedDict):
    trees: Histogram
    leaves: Leaves
    splits: list[SplitView]

class BestRanking(TypedDict):
    tree: TreeArrays | None
    leaf_sets: int
    status: str

def pack_table(table: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], packed: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu')]) -> bool:
    """
    Pack a table of bytes into columns of bits; False if a byte is neither 0 nor 1.
    """

def changing_columns(columns: PackedColumns) -> list[int]:
    """Number the packed columns that are not constant."""

def number_labels(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]] | None:
    """
    The distinct labels and of each label its place among them; None if they are 2^16 or more apart.
    """

def thresholds_between(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    A threshold of few digits between each two neighbors of rising numbers: at least the lower, below the higher.
    """

def bins_of(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    The place of the first threshold that each number does not exceed, given the order that sorts them.
    """

def divisor_and_total(weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, float]:
    """
    The greatest common divisor of weights, and their total, rounded where it is above 2^53.
    """

def class_totals(classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> list[int]:
    """Add up the weight of each class; all together must stay below 2^63."""

def node_statistics(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf_of_row: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], n_targets: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Rows of each node of a tree, and their weight by target. A row stands for as many as `counts` says, which weigh the same.
    """

class RowCounter:
    """
    Merges rows, given by a code for each column, and counts them; distinct rows are in the order of their first appearance.
    """

    def __init__(self, widths: Sequence[int]) -> None: ...

    def add(self, codes: Sequence[None | Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Add rows once, or so many times; a code of column c is below 2^widths[c]. None: all are 0.
        """

    def add_flags(self, streams: Sequence[CapsuleType], codes: Sequence[None | str | Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> bool:
        """
        Add the rows of Arrow streams once; a column of booleans is given by its name. False, and nothing is added, if one of them has missing values, or is of another type.
        """

    def add_packed(self, words: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Add rows that a counter with the same widths has packed; return their numbers among the distinct rows.
        """

    def words(self, first: int, last: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None))]:
        """
        The distinct rows from `first` to before `last`, packed into words of 64 bits; shape (n_rows, n_words).
        """

    def codes(self, column: int) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """The codes of a column in the distinct rows."""

    def counts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """How many rows each distinct row stands for."""

    def totals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_columns: int) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        The total of weights, one for each distinct row, by the code of each of the first columns. None: of the counts.
        """

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""

    @property
    def n_words(self) -> int:
        """Number of words of a packed row."""

    @property
    def n_bytes(self) -> int:
        """Memory of the distinct rows."""

class TripleCounter:
    """Counts the rows of each target where three binary columns hold."""

    def __init__(self, n_columns: int, n_targets: int, only_pairs: bool = False) -> None:
        """With `only_pairs`, no triples of three different columns are counted."""

    def add(self, columns: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], targets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add rows, given by a byte of 0 or 1 for each column."""

    def add_flags(self, streams: Sequence[CapsuleType], names: Sequence[str], targets: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool:
        """
        Add the rows of Arrow streams with columns of these names. False, and nothing is added, if one of them does not have booleans, or misses a value.
        """

    def add_merged(self, rows: RowCounter, bits: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> int:
        """
        Add the rows of a `RowCounter`, given for each of its first columns by the bits of the columns here that hold for each code. The next one has the targets. Return how many rows differ in the columns here.
        """

    def counts(self, target: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None))]:
        """
        Rows of a target where columns i <= j <= k hold, at [i, j, k]; the others are 0.
        """

    def totals(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """All rows of each target."""

def tree_of_triples(counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf_cost: int, min_samples_leaf: int, max_depth: int) -> tuple[TreeArrays, int]:
    """
    The best tree of at most three levels, with its cost, from the counts of a `TripleCounter` for all targets and what a row of each loses by each prediction.
    """

MOST_TRIPLE_COLUMNS: int = 128

MOST_TRIPLE_TARGETS: int = 16

class SearchOptions:
    """Limits of a search and of its tree; never changed."""

    def __init__(self, *, max_depth: int | None = None, max_leaves: int | None = None, min_samples_leaf: int = 1, rule_list: bool = False, time_limit: float | None = None, memory_limit: int | None = None, gap_limit: float = 0.0, cutoff: int | None = None, known_lower: int | None = None, checkpoint: str | None = None, checkpoint_interval: float = 60.0, n_threads: int = 1, triples_above: int | None = None, max_expansions: int | None = None, bounds: Mapping[str, bool] = {}) -> None: ...

    def replace(self, **changes: object) -> SearchOptions:
        """A copy with some options changed."""

    @property
    def max_depth(self) -> int | None: ...

    @property
    def max_leaves(self) -> int | None: ...

    @property
    def min_samples_leaf(self) -> int: ...

    @property
    def rule_list(self) -> bool: ...

    @property
    def time_limit(self) -> float | None: ...

    @property
    def memory_limit(self) -> int | None: ...

    @property
    def gap_limit(self) -> float: ...

    @property
    def cutoff(self) -> int | None: ...

    @property
    def known_lower(self) -> int | None: ...

    @property
    def checkpoint(self) -> str | None: ...

    @property
    def checkpoint_interval(self) -> float: ...

    @property
    def n_threads(self) -> int: ...

    @property
    def triples_above(self) -> int | None: ...

    @property
    def max_expansions(self) -> int | None: ...

    @property
    def bounds(self) -> dict[str, bool]: ...

class PackedColumns:
    """Binary columns: bit r % 8 of byte r // 8 of a column is row r."""

    def __init__(self, columns: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int) -> None: ...

class OrderedColumns:
    """
    Thresholds of ordered variables: threshold t of variable v holds in the rows where bins[v] <= t.
    """

    def __init__(self, bins: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_thresholds: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Problem:
    """Rows and additive costs in ticks; see api/solve.hpp."""

    def __init__(self, class_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leaf_cost: int, reference: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, row_counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @staticmethod
    def squared_error(sums: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu', writable=False)], n_predictions: int, leaf_cost: int, row_counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Problem:
        """
        Rows by their sums of w, w y and w y^2, with predictions from 0 to n_predictions - 1.
        """

class RankingProblem:
    """Rows and costs of pairs in ticks; see api/ranking.hpp."""

    def __init__(self, class_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], half_pair_cost: int, max_false_positives: int, leaf_cost: int) -> None: ...

class PosteriorProblem:
    """
    Rows and the prior of MAPTree; costs are ticks of 2^-bits nats; see api/posterior.hpp.
    """

    def __init__(self, class_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, beta: float, rho: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int) -> None: ...

BOUNDS: Final[dict[str, dict[str, bool]]]
"""From a search to its bounds that can be switched off, and whether they are on by default."""

COUNTERS: Final[dict[str, list[str]]]
"""From a search to its bounds and techniques, which it counts."""

POLICIES: Final[list[str]]

COST_BITS: int = 52

SQUARED_ERROR_BITS: int = 58

FALSE_POSITIVE_BITS: int = 20

POSTERIOR_BITS: int = 58

POSTERIOR_HORIZON: int = 32

MOST_THREADS: int = 1024

MOST_ORDERED_ROWS: int = 16777216

class EarlierSearches:
    """What searches of one problem with other leaf costs have proven."""

    def __init__(self) -> None: ...

    @property
    def bytes(self) -> int: ...

@overload
def solve(columns: PackedColumns, problem: Problem, options: SearchOptions, earlier: EarlierSearches | None = None, start: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, on_checkpoint: Callable[[str, int, float], object] | None = None, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """Find a tree of least cost; see api/solve.hpp."""

@overload
def solve(columns: OrderedColumns, problem: Problem, options: SearchOptions, start: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, on_checkpoint: Callable[[str, int, float], object] | None = None, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """The same for thresholds of ordered variables."""

def near_optimal(columns: OrderedColumns, problem: Problem, options: SearchOptions, work: int = 18446744073709551615, idle_rounds: int = 18446744073709551615, exact_if_small: bool = False, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """Find a tree by primal heuristics; see primal/primal_search.hpp."""

def solve_lookahead(columns: PackedColumns, problem: Problem, options: SearchOptions, lookahead_depth: int, recursive: bool, last_by_loss: bool = False, keep_greedy: bool = False, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """Find a tree by lookahead search; see lookahead/lookahead_search.hpp."""

def solve_leaf_sets(columns: PackedColumns, problem: Problem, options: SearchOptions, policy: str = 'curiosity', start: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, seed: int = 0, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """
    Find a tree of least cost by a search over sets of leaves; see leafsets/leaf_set_search.hpp.
    """

def solve_ranking(columns: PackedColumns, problem: RankingProblem, options: SearchOptions, policy: str = 'curiosity', start: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, seed: int = 0, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """Find a tree whose leaves rank best; see api/ranking.hpp."""

def solve_posterior(columns: PackedColumns, problem: PosteriorProblem, options: SearchOptions, on_checkpoint: Callable[[str, int, float], object] | None = None, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1, trace: bool = False) -> Outcome:
    """Find the tree of largest posterior probability; see api/posterior.hpp."""

def most_nats(n_rows: int, n_columns: int, alpha: float, beta: float, rho: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """
    Nats that no tree on so many rows and columns costs under the BCART prior.
    """

class RashomonSet:
    """All trees within a bound; made by rashomon_set."""

class FilteredSet:
    """The trees of a set that pass a filter; made by filter_set."""

def reliance(trees: RashomonSet, groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> list[tuple[tuple[int, int], tuple[int, int], list[int]]] | None:
    """
    The least and the largest reliance on each group of columns, in ticks times the total of the shares, each as (high, low) of 128 bits, and how many trees test no column of the group (words of 64 bits, the lowest first); None if the callback returned True.
    """

def sum_reliance(trees: FilteredSet, groups: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], budget: int, max_leaves: int | None = None, leaf_mask: int = 0, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> list[tuple[list[int], list[int]]] | None:
    """
    The sum of the reliance on each group of columns over the trees of at most `budget` ticks and `max_leaves`, in ticks times the total of the shares, as two numbers (words of 64 bits, the lowest first) of which the second is subtracted; None if the callback returned True.
    """

def rashomon_set(columns: PackedColumns, problem: Problem, options: SearchOptions, optimum: int, bound: int, leaf_rule: str = 'differ', lookahead_depth: int | None = None, greedy_depth: int = 0, leaf_bits: int = 0, loss_bits: int = 0, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> RashomonSet:
    """
    Find all trees that cost at most `bound`, the loss of each leaf rounded up to a multiple of 2^loss_bits, or those of RESPLIT; see api/rashomon.hpp.
    """

def describe_set(trees: RashomonSet) -> SetDescription:
    """
    LeafModel, how many trees have each (words of 64 bits, the lowest first), and what is complete.
    """

def read_tree(trees: RashomonSet, cost: int, rank: Sequence[int]) -> TreeArrays:
    """
    Tree number `rank` (words of 64 bits, the lowest first) of those that cost `cost`.
    """

def filter_set(trees: RashomonSet, is_allowed: Sequence[bool], max_depth: int | None = None, min_samples_leaf: int = 0, memory_limit: int | None = None, n_threads: int = 1, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> FilteredSet | None:
    """
    The trees that test only allowed columns, and obey limits, counted by `n_threads` threads, which does not change the result; None if the callback returned True. MemoryError if the set and all that filters keep of it need more bytes than `memory_limit`.
    """

@overload
def view_node(trees: RashomonSet, path: Sequence[tuple[int, bool]], budget: int, with_splits: bool) -> NodeView | None:
    """
    What may stand at the end of a path of (column, whether it holds), None if no tree has it; see rashomon/tree_set.hpp.
    """

@overload
def view_node(trees: FilteredSet, path: Sequence[tuple[int, bool]], budget: int, with_splits: bool) -> NodeView | None:
    """The same of the trees that pass a filter."""

def count_votes(trees: FilteredSet, rows: PackedColumns, budget: int, max_leaves: int | None = None, leaf_mask: int = 0, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))] | None:
    """
    How many trees of at most `budget` ticks and `max_leaves`, which the bits of `leaf_mask` count, predict each class for each row: words of 64 bits, the lowest first; None if the callback returned True.
    """

def spread_of_predictions(trees: FilteredSet, rows: PackedColumns, budget: int, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None))]] | None:
    """
    Least, largest and sum (words of 64 bits, the lowest first) of what the trees of at most `budget` ticks predict for each row; None if the callback returned True.
    """

def best_ranking(trees: RashomonSet, half_pair_cost: int, max_false_positives: int, leaf_cost: int, below: int, options: SearchOptions, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> BestRanking:
    """
    The tree of a set whose leaves rank best, None if it costs `below` or more; see api/rashomon.hpp.
    """

class Subproblems:
    """
    Subproblems of one problem, which share what they prove; see api/subproblems.hpp.
    """

    def __init__(self, columns: PackedColumns, problem: Problem, options: SearchOptions, work_of_news: int = 1048576) -> None: ...

    def solve(self, path: Sequence[tuple[int, bool]], max_depth: int | None, max_leaves: int | None, budget: int, splits: Sequence[tuple[int, int, int]] | None = None, seconds: float | None = None, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> SubproblemOutcome:
        """
        Raise the lower bound of the rows at the end of a path of columns and their values to a budget, for some splits or all.
        """

    def take_news(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """
        Lower bounds that took long to prove since the last call, for `read_news`: six words each. The bit c % 64 of the first word tells that the column c is on the path to the subproblem.
        """

    def read_news(self, news: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Adopt what others have proven of the same problem."""

class OrderedSubproblems:
    """
    Subproblems of one problem whose columns are thresholds; see ordered/ordered_subproblems.hpp.
    """

    def __init__(self, columns: OrderedColumns, problem: Problem, options: SearchOptions, work_between_polls: int = 1048576) -> None: ...

    @property
    def floor(self) -> int:
        """
        What every tree loses, in ticks: the costs of subproblems are without it.
        """

    def next_depth(self, known: int, best: int) -> tuple[int | None, int]:
        """
        Return the depth to search after all trees of the known depth, none of which costs less than the best, and a lower bound of deeper trees; None if no deeper tree costs less.
        """

    def solve(self, path: Sequence[tuple[int, bool]], max_depth: int | None, max_leaves: int | None, budget: int, splits: Sequence[Sequence[int]] | None = None, seconds: float | None = None, callback: Callable[[Progress], bool | None] | None = None, callback_interval: float = 0.1) -> OrderedOutcome:
        """
        Find the best tree that costs less than a budget for the rows at the end of a path of columns and their values, with some runs of thresholds as roots or with all.
        """
