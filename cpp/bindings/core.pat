# What nanobind.stubgen cannot know of hornbeam._core: `make stub` writes src/hornbeam/_core.pyi with it.

hornbeam._core.__prefix__:
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

hornbeam._core.SearchOptions.replace:
    def replace(self, **changes: object) -> SearchOptions:
        """A copy with some options changed."""

hornbeam._core.BOUNDS:
    BOUNDS: Final[dict[str, dict[str, bool]]]
    """From a search to its bounds that can be switched off, and whether they are on by default."""

hornbeam._core.COUNTERS:
    COUNTERS: Final[dict[str, list[str]]]
    """From a search to its bounds and techniques, which it counts."""

hornbeam._core.POLICIES:
    POLICIES: Final[list[str]]
