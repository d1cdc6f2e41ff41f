"""The best trees for all leaf penalties and for all numbers of leaves, from searches that share what they prove.

**The path.** The cost of a tree is a line in the leaf penalty: its loss, plus the penalty times its number of leaves.
The least cost of any tree is the lower envelope of these lines, which is concave. Where the lines of two neighboring
trees of the envelope cross, one search either finds a tree below both or proves that there is none. The crossings of
all neighbors, proven, prove the envelope in between.

**The sizes.** For a number of leaves, the path gives a lower bound: the least cost at any penalty, less the penalties
of that many leaves. It is attained by the trees of the path. A tree of another size is found, and proven, by a search
without a leaf penalty and with a limit on leaves, which starts from all that the path has proven of its subproblems
(``cpp/bounds/leaf_penalty.hpp``).

Where a search is stopped, what its tree becomes by pruning are the trees known for larger penalties
(`hornbeam.tree.pruning`).

Penalties are whole ticks. A crossing is rounded down; within one tick the path is not examined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hornbeam._budget import Budget
from hornbeam.tree.pruning import pruned_subtrees

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from hornbeam._core import Outcome, TreeArrays

Solve: TypeAlias = "Callable[[int, int | None, float | None], Outcome]"
"""Solves the problem for a leaf penalty in ticks, a limit on leaves, and a limit in seconds."""

# Of the time that is left: for the first search, the hardest; for each other search of the path; for the whole path if
# sizes follow.
_FIRST_SHARE, _PATH_STEP, _PATH_SHARE = 1 / 4, 1 / 10, 1 / 2
# A search that is not worth starting: this share of the limit is left.
_LEAST_SHARE = 1 / 100
_SUMS = ("subproblems", "table_entries", "seconds")
_STOPS = ("interrupted", "memory_limit", "cluster_lost")


class Line(NamedTuple):
    """A tree, and its cost as a line in the leaf penalty."""

    leaves: int
    loss: int
    """Ticks without leaf penalties."""
    make_tree: Callable[[], TreeArrays]

    def cost(self, penalty: int) -> int:
        """Return the cost in ticks if a leaf costs `penalty`."""
        return self.loss + penalty * self.leaves


class Segment(NamedTuple):
    """A tree of the path, and the penalties for which it is the best one known."""

    line: Line
    low: Fraction
    high: Fraction | None
    """None: for all larger ones."""
    is_proven: bool


class Size(NamedTuple):
    """The best tree known with at most so many leaves."""

    n_leaves: int
    line: Line
    lower: int
    """Ticks that every tree with at most so many leaves loses."""


class FrontierSearch:
    """The searches of one frontier.

    Parameters
    ----------
    solve : callable
        See `Solve`. With the limit on leaves None, it uses that of the problem.
    least_penalty, largest_penalty : int
        The ends of the path in ticks; for the larger one a single leaf is optimal.
    budget : Budget
        What all searches together may spend.
    gap_limit : float
        A relative gap that need not be closed.
    losses_of : callable
        Returns what each node of a tree would lose as a leaf, in ticks.
    """

    def __init__(
        self,
        solve: Solve,
        least_penalty: int,
        largest_penalty: int,
        budget: Budget,
        gap_limit: float,
        losses_of: Callable[[TreeArrays], npt.NDArray[np.int64]],
    ) -> None:
        self._solve, self._least, self._largest, self._budget = solve, least_penalty, largest_penalty, budget
        self._gap_limit, self._losses_of = gap_limit, losses_of
        self._lines: dict[int, Line] = {}  # the best tree known of each number of leaves
        self._bounds: dict[int, int] = {}  # by penalty: no tree costs less
        self._tried: set[int] = set()  # penalties
        self._size_bounds: dict[int, int] = {}  # by the limit on leaves: no tree loses less
        self._seconds = budget.seconds()
        self.status = "optimal"
        """Why the searches ended: "optimal" unless a limit or the user stopped one of them."""
        self.statistics: dict[str, Any] = dict.fromkeys(("searches", *_SUMS, "bytes"), 0)
        """Sums over all searches; of "bytes" the largest."""

    def find_path(self, *, is_all: bool) -> None:
        """Find the trees of the path, or go on with it; `is_all`: nothing follows, so it may use all the time."""
        end = 0.0 if is_all or self._seconds is None else (1 - _PATH_SHARE) * self._seconds
        if not self._bounds:
            self._search(self._largest, _FIRST_SHARE)
            self._search(self._least, _FIRST_SHARE)
        while self._may_go_on(end):
            open_ends = [penalty for penalty in self._crossings() if self._gap(penalty) > self._gap_limit]
            new = [penalty for penalty in open_ends if penalty not in self._tried]
            if not open_ends or (not new and self._seconds is None):
                return
            # All crossings first. What time is left after that goes to those where earlier searches have stopped: a
            # search of the same penalty goes on where they did.
            penalty = max(new or open_ends, key=self._gap)
            self._search(penalty, _PATH_STEP if new else 1 / len(open_ends), end)

    def find_sizes(self, n_leaves: int) -> None:
        """Find the best tree of each size up to a number of leaves."""
        sizes = [k for k in range(2, n_leaves + 1) if self._is_open(k)]
        for done, k in enumerate(sizes):
            if not self._may_go_on(0.0):
                return
            if not self._is_open(k):  # any more
                continue
            outcome = self._run(0, k, 1 / (len(sizes) - done))
            self._add_tree(0, outcome)
            self._size_bounds[k] = max(self._size_bounds.get(k, 0), outcome["lower"])

    def segments(self) -> list[Segment]:
        """Return the path, the smallest penalty first."""
        hull = self._hull()
        ends = [Fraction(self._least), *(_crossing(one, two) for one, two in pairwise(hull)), None]
        proven = [end is None or self._gap(max(self._least, int(end))) <= 0 for end in ends]
        return [
            Segment(line, low, high, is_low and is_high)
            for line, (low, high), (is_low, is_high) in zip(hull, pairwise(ends), pairwise(proven), strict=True)
            if low is not None
        ]

    def sizes(self, n_leaves: int) -> list[Size]:
        """Return the best tree of each size, up to a number of leaves or to where nothing more is gained."""
        found = [Size(k, self._best(k), self._lower_of_size(k)) for k in range(1, n_leaves + 1)]
        while len(found) > 1 and found[-1].line is found[-2].line and found[-1].lower == found[-2].lower:
            found.pop()
        return found

    def most_leaves(self) -> int:
        """Return the number of leaves of the best tree for the least penalty."""
        return self._hull()[0].leaves

    def lower(self, penalty: int) -> int:
        """Return a lower bound of the cost of every tree, by the concavity of the least cost."""
        if penalty in self._bounds:
            return self._bounds[penalty]
        below = [known for known in self._bounds.items() if known[0] < penalty]
        above = [known for known in self._bounds.items() if known[0] > penalty]
        chords = (Fraction(low * (q - penalty) + high * (penalty - p), q - p) for p, low in below for q, high in above)
        return max(map(ceil, chords), default=0)

    def bounds(self) -> list[tuple[int, int]]:
        """Return the penalties that were searched, rising, and what every tree costs at least there."""
        return sorted(self._bounds.items())

    def _search(self, penalty: int, share: float, end: float = 0.0) -> None:
        self._tried.add(penalty)
        self._add(penalty, self._run(penalty, None, share, end))

    def _run(self, penalty: int, max_leaves: int | None, share: float, end: float = 0.0) -> Outcome:
        outcome = self._solve(penalty, max_leaves, self._share(share, end))
        if outcome["status"] in _STOPS or self.status == "optimal":
            self.status = outcome["status"]
        return outcome

    def _share(self, share: float, end: float = 0.0) -> float | None:
        """Return a share of the seconds until `end` are left."""
        left = self._budget.left().seconds
        return None if left is None else share * max(0.0, left - end)

    def _may_go_on(self, end: float) -> bool:
        """Return whether more than so many seconds are left, and nobody has stopped the searches."""
        if self.status in _STOPS:
            return False
        left = self._budget.left().seconds
        return left is None or self._seconds is None or left > max(end, _LEAST_SHARE * self._seconds)

    def _add(self, penalty: int, outcome: Outcome) -> None:
        self._add_tree(penalty, outcome)
        self._bounds[penalty] = max(self._bounds.get(penalty, 0), outcome["lower"])

    def _add_tree(self, penalty: int, outcome: Outcome) -> None:
        tree = outcome["tree"]
        leaves = int((tree["column"] < 0).sum())
        self._add_line(Line(leaves, outcome["upper"] - penalty * leaves, lambda: tree))
        if outcome["status"] != "optimal":
            for subtree in pruned_subtrees(tree, self._losses_of(tree)):
                self._add_line(Line(subtree.n_leaves, subtree.loss, subtree.arrays))
        mine, its = self.statistics, outcome["statistics"]
        mine["searches"] += 1
        mine["bytes"] = max(mine["bytes"], its["bytes"])
        for name in _SUMS:
            mine[name] += its[name]

    def _add_line(self, line: Line) -> None:
        known = self._lines.get(line.leaves)
        if known is None or line.loss < known.loss:
            self._lines[line.leaves] = line

    def _hull(self) -> list[Line]:
        """Return the trees of the envelope from the least penalty on, the one with most leaves first."""
        hull: list[Line] = []
        for leaves in sorted(self._lines, reverse=True):
            line = self._lines[leaves]
            while hull and line.loss <= hull[-1].loss:  # fewer leaves and no larger loss
                hull.pop()
            while len(hull) > 1 and _crossing(hull[-1], line) <= _crossing(hull[-2], hull[-1]):
                hull.pop()
            hull.append(line)
        while len(hull) > 1 and _crossing(hull[0], hull[1]) <= self._least:
            hull.pop(0)
        return hull

    def _crossings(self) -> Iterator[int]:
        """Yield the penalties at which the path has to be proven."""
        yield self._least
        for one, two in pairwise(self._hull()):
            yield max(self._least, int(_crossing(one, two)))

    def _envelope(self, penalty: int) -> int:
        return min(line.cost(penalty) for line in self._lines.values())

    def _gap(self, penalty: int) -> Fraction:
        """Return what is not proven at a penalty, as a share of the least cost known."""
        upper = self._envelope(penalty)
        return Fraction(upper - self.lower(penalty), upper) if upper else Fraction(0)

    def _is_open(self, n_leaves: int) -> bool:
        loss = self._best(n_leaves).loss
        return loss - self._lower_of_size(n_leaves) > self._gap_limit * loss

    def _best(self, n_leaves: int) -> Line:
        """Return the best tree with at most so many leaves, the smallest of equally good ones."""
        return min((line for line in self._lines.values() if line.leaves <= n_leaves), key=lambda one: one[:2][::-1])

    def _lower_of_size(self, n_leaves: int) -> int:
        """Return what every tree with at most so many leaves loses at least."""
        by_penalty = (bound - penalty * n_leaves for penalty, bound in self._bounds.items())
        by_size = (bound for k, bound in self._size_bounds.items() if k >= n_leaves)
        return min(max(0, *by_penalty, *by_size), self._best(n_leaves).loss)


def _crossing(one: Line, two: Line) -> Fraction:
    """Return the penalty at which two trees cost the same; the first has more leaves."""
    return Fraction(two.loss - one.loss, one.leaves - two.leaves)
