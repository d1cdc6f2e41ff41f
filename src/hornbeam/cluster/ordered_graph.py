"""The same as `graph` for a table whose columns are thresholds.

The splits of a node are runs of thresholds of one variable, with the bounds of the thresholds on both sides of a run. A
job that runs out of time returns the runs that are left at every level of its recursion. So the threshold that it has
left half-way becomes a split with two nodes, and what it has proven below stays. What is then proven of their sides
raises the bounds of the runs next to that threshold.

A job closes thresholds that cost at least its budget. Budgets of a node fall, unless several paths lead to it: then it
may have to start again.

Depths are solved one after the other, as on one core.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hornbeam.cluster.graph import NO_TREE, Arrays, Node, SearchGraph, Split, Work
from hornbeam.cluster.worker import Job, Name, Report

if TYPE_CHECKING:
    from hornbeam._core import KnownSide, OpenLevel, OrderedOutcome, OrderedSubproblems

_FIRST_DEPTH = 2  # jobs search trees of so many levels as a whole
# What workers search at the same time: more, if there is not enough for all. Once the first side of a threshold is
# proven, the second one needs less; once both are, the runs next to it may be closed.
_ONE_SIDE, _BOTH_SIDES, _ALL_RUNS = range(3)


class Run(NamedTuple):
    """A run of thresholds of one variable, and what is proven of the thresholds on both sides of it: `_core.Run`.

    Attributes
    ----------
    variable, first, last : int
        The thresholds of the run.
    low, high : int
        The thresholds before and after it.
    low_true, low_false, high_true, high_false : int
        Lower bounds of the costs of their sides, where the threshold holds and where it does not.
    """

    variable: int
    first: int
    last: int
    low: int
    low_true: int
    low_false: int
    high: int
    high_true: int
    high_false: int

    @property
    def bound(self) -> int:
        """The least cost of a tree with a threshold of the run as its root."""
        return self.low_true + self.high_false

    @property
    def begin(self) -> Name:
        """Names its first threshold."""
        return self.variable, self.first

    def ends(self) -> tuple[Name, Name]:
        """Return the names of the thresholds before and after it."""
        return (self.variable, self.low), (self.variable, self.high)


def _run_of(split: Split) -> Run:
    return cast("Run", split.name)


class OrderedGraph(SearchGraph):
    """The nodes of one search.

    Parameters
    ----------
    search : OrderedSubproblems
        It knows the costs of the problem.
    depth, leaves : int or None
        The limits on the tree.
    least_rows : int
        Of a leaf.
    lower, cost : int
        What is known of the whole problem.
    tree : Arrays
        Costs `cost`.
    cutoff : int or None
        Only trees that cost at most this are wanted.
    """

    def __init__(
        self,
        search: OrderedSubproblems,
        depth: int | None,
        leaves: int | None,
        least_rows: int,
        lower: int,
        cost: int,
        tree: Arrays,
        cutoff: int | None = None,
    ) -> None:
        super().__init__(depth, leaves, 0, lower, cost, tree, cutoff)
        self._search, self._floor = search, search.floor
        # Bounds of larger sides do not hold for smaller ones that may have too few rows for a leaf.
        self._grows = least_rows <= 1
        self._breadth, self._is_cut = _ONE_SIDE, False
        first, _ = search.next_depth(_FIRST_DEPTH, self._goal())
        most = _FIRST_DEPTH if depth is None else min(depth, _FIRST_DEPTH)
        self._depth = most if first is None else first
        self._top = Node((), self._depth, leaves, 0, cost - self._floor, tree)  # with trees of this depth
        self._advance()

    def _goal(self) -> int:
        """Return what to prove of all trees, without what every tree loses."""
        return self.root.target(self._budget) - self._floor

    def next_jobs(self, n_idle: int, seconds: float) -> list[Job]:
        """Return jobs for workers that have nothing to do; see `SearchGraph`."""
        self._breadth = _ONE_SIDE
        return super().next_jobs(n_idle, seconds)

    def _work(self) -> list[Work]:
        found: list[Work] = []
        self._collect(self._top, self._goal(), set(), found)
        return found

    def _collect(self, node: Node, budget: int, seen: set[int], found: list[Work]) -> None:
        target = node.target(budget)
        if node.lower >= target or node.is_running or id(node) in seen:
            return
        seen.add(id(node))
        if node.splits is not None and node.closed < target:
            if any(split.is_running for split in node.splits):
                return
            node.splits, node.closed = None, NO_TREE
            node.opened.clear()
        if node.splits is None:
            found.append(Work(node, [], budget))
            return
        runs = [split for split in node.splits if split.nodes is None and split.lower < target]
        ends = {end for split in runs for end in _run_of(split).ends()}
        opened = [split for split in node.splits if split.nodes is not None]
        # What was begun first: it may bring a better tree, and bounds of its neighbors.
        for split in sorted(opened, key=lambda split: split.lower):
            if split.lower < target or _run_of(split).begin in ends:
                for side, goal in self._goals(split, target):
                    self._collect(side, goal, seen, found)
        begun = {_run_of(split).begin for split in opened if split.lower < target}

        def rank(split: Split) -> tuple[int, int, Name]:
            n_begun = sum(end in begun for end in _run_of(split).ends())
            return n_begun, split.lower, split.name

        waiting = sorted((split for split in runs if not split.is_running), key=rank)
        if self._breadth < _ALL_RUNS:
            waiting = [split for split in waiting if begun.isdisjoint(_run_of(split).ends())]
        found += [Work(node, [split], budget) for split in waiting if split.n_tries > 0]
        if fresh := [split for split in waiting if split.n_tries == 0]:
            found.append(Work(node, fresh, budget))

    def _goals(self, split: Split, target: int) -> Iterator[tuple[Node, int]]:
        """Return what to raise the sides to, the one that was begun first.

        It is more than the split needs: what is proven beyond it closes neighboring thresholds, as on one core.
        """
        if split.nodes is None:
            return
        for side, other in (split.nodes, split.nodes[::-1])[:: -1 if split.begins_where_true else 1]:
            goal = 2 * target - other.lower
            is_begun = side.splits is not None
            if side.lower < side.target(goal) and (is_begun or split.lower < target):
                yield side, goal
                if self._breadth == _ONE_SIDE:
                    return

    def _most(self, work: Work, found: list[Work], n_idle: int) -> int:
        """Return how many runs a job gets: all of a node, whose best tree is then known to all, if others have work.

        Of the whole problem, it leaves most for other workers, which would else begin what a job in progress may close.
        """
        if work.node is self._top:
            return max(1, work.size() // (2 * (n_idle + len(self._of_job))))
        return super()._most(work, found, n_idle) if len(found) < n_idle else work.size()

    def _open_one(self, found: list[Work]) -> bool:
        """Find more work: what may prove to be in vain, then halves of the longest run."""
        if self._breadth < _ALL_RUNS:
            self._breadth += 1
            return True
        runs = [(_run_of(split), split, work.node) for work in found for split in work.splits]
        long = [each for each in runs if each[0].first < each[0].last]
        if not long:
            return False
        run, split, node = max(long, key=lambda each: each[0].last - each[0].first)
        middle = (run.first + run.last) // 2
        assert node.splits is not None
        node.splits.remove(split)
        node.splits += map(_split_of, (run._replace(last=middle), run._replace(first=middle + 1)))
        return True

    def _has_too_little(self, found: list[Work], n_idle: int) -> bool:
        return self._breadth > _ONE_SIDE

    def report(self, job: Job, report: Report) -> bool:
        """Adopt what a job has found out; return False if its worker had too little memory."""
        node, splits, is_whole = self._end(job)
        outcome: OrderedOutcome = report.outcome
        if outcome["status"] == "memory_limit":
            return False
        self._is_cut |= outcome["is_cut"]
        self._adopt_tree(node, outcome["upper"], outcome["tree"])
        if is_whole:
            node.lower = max(node.lower, min(outcome["lower"], node.cost))
        levels = outcome["levels"]
        if levels:
            node.splits = [split for split in node.splits or [] if split not in splits]
            self._read(node, levels, splits[0].n_tries if len(splits) == 1 else 0)
        else:  # no time for the first step
            node.n_tries += is_whole
            for split in splits:
                split.n_tries += 1
            self._update(node)
        self._advance()
        return True

    def _read(self, node: Node, levels: list[OpenLevel], n_tries: int = 0) -> None:
        """Adopt the thresholds that a job has left of a node, and those of the side that it has left half-way."""
        bound, runs, stopped = levels[0]
        node.closed = min(node.closed, bound)
        node.splits = [*(node.splits or []), *map(_split_of, runs)]
        if stopped is not None:
            run, column, sides, holds = stopped
            split = _split_of(run, column, begins_where_true=holds, n_tries=n_tries + (sides is None))
            node.splits.append(split)  # before what is below tells what it knows
            if sides is not None:
                no, yes = (self._side(node, column, bool(x), side) for x, side in enumerate(sides))
                split.nodes = node.opened[_run_of(split).begin] = no, yes
                begun = split.nodes[holds]
                if len(levels) > 1 and begun.splits is None and not begun.is_running:
                    self._read(begun, levels[1:])
                for side in split.nodes:
                    self._update(side)
        self._update(node)

    def _side(self, parent: Node, column: int, holds: bool, known: KnownSide) -> Node:
        depth, leaves, lower, cost, tree = known
        path = (*parent.path, (column, holds))
        key = frozenset(path), depth, leaves
        if key not in self._nodes:
            self._nodes[key] = Node(path, depth, leaves)
            self.n_opened += 1
        node = self._nodes[key]
        node.lower = max(node.lower, lower)
        node.parents.append(parent)
        self._adopt_tree(node, cost, tree)
        return node

    def _update(self, node: Node) -> None:
        for split in node.splits or []:
            if split.nodes is None and not split.is_running:
                split.name = run = self._tightened(_run_of(split), node.opened)
                split.lower = run.bound
        super()._update(node)

    def _tightened(self, run: Run, opened: Mapping[Name, tuple[Node, Node]]) -> Run:
        """Return a run with what is now known of the thresholds on both sides of it."""
        _, _, _, _, low_true, low_false, _, high_true, high_false = run
        low, high = run.ends()
        if sides := opened.get(low):
            low_false = max(low_false, sides[0].lower)
            low_true = max(low_true, sides[1].lower) if self._grows else low_true
        if sides := opened.get(high):
            high_true = max(high_true, sides[1].lower)
            high_false = max(high_false, sides[0].lower) if self._grows else high_false
        return run._replace(low_true=low_true, low_false=low_false, high_true=high_true, high_false=high_false)

    def _advance(self) -> None:
        """Bring what is known of all trees up to date with those of the present depth, and go on with the next one."""
        top, root = self._top, self.root
        if top.cost + self._floor < root.cost:
            root.cost, root.tree = top.cost + self._floor, top.tree
        goal = self._goal()
        next_depth, bound_of_deeper = self._search.next_depth(self._depth, goal)
        is_done = top.lower >= goal
        if next_depth is None or (is_done and not self._is_cut):
            root.lower = max(root.lower, min(top.lower, goal) + self._floor)
        elif is_done:
            root.lower = max(root.lower, bound_of_deeper + self._floor)
            self._depth, self._is_cut = next_depth, False
            self._top = Node((), next_depth, top.leaves, 0, top.cost, top.tree)


def _split_of(numbers: Name, column: int = -1, **known: Any) -> Split:
    run = Run(*numbers)
    return Split(run, run.bound, column, **known)
