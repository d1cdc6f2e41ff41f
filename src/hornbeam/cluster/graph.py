"""What is known of the top of the search, and what to search next.

The graph has a node for each subproblem that was opened: its interval, its best tree, and the splits that are neither
proven nor refuted. Every other split is no better than the best tree. A split that a worker could not finish by itself
is opened where workers would otherwise wait: its sides become nodes. Nodes are found by the keys of the core, so a
subproblem that several paths lead to is one node.

A job raises the lower bound of a node, or of some of its splits, to a budget: what the best tree known, less what other
parts of that tree are proven to cost, leaves to it. So everything that is found anywhere makes the later jobs shorter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hornbeam.cluster.worker import Job, Name, Path, Report

if TYPE_CHECKING:
    from hornbeam._core import Side, TreeArrays

Arrays: TypeAlias = "tuple[list[int], list[int], list[int]]"  # columns, children where they hold, and where they do not

NO_TREE = 2**62  # costs more than any tree
_SHORTER = 4  # the jobs, where workers have nothing to do


@dataclass(eq=False)
class Split:
    """A candidate for the root split of a node."""

    name: Name
    lower: int
    column: int
    sides: tuple[Side, Side] | None = None  # where the column fails, where it holds; None: they depend on each other
    nodes: tuple[Node, Node] | None = None
    begins_where_true: bool = False  # which side was begun first
    is_running: bool = False
    is_hard: bool = False  # a job of its own has ended without a proof
    n_tries: int = 0  # jobs that have run out of time and left nothing to go on with


@dataclass(eq=False)
class Node:
    """A subproblem."""

    path: Path
    depth: int | None
    leaves: int | None
    lower: int = 0
    cost: int = NO_TREE
    tree: Arrays | None = None
    splits: list[Split] | None = None  # None before the first job
    closed: int = NO_TREE  # no tree with another split costs less, unless it costs at least as much as the best one
    n_tries: int = 0
    opened: dict[Name, tuple[Node, Node]] = field(default_factory=dict)  # of runs of thresholds (`ordered_graph`)
    parents: list[Node] = field(default_factory=list)
    is_running: bool = False
    told: tuple[int, int] = (0, NO_TREE)  # what the parents know

    def target(self, budget: int) -> int:
        """Return the bound to prove for a budget: beyond the best tree there is nothing to prove."""
        return min(budget, self.cost)


class Work(NamedTuple):
    """Something that a job could do: a node that was not opened, or splits of one that was."""

    node: Node
    splits: list[Split]
    budget: int

    def size(self) -> int:
        """Return how many jobs this could be."""
        return max(1, len(self.splits))


class SearchGraph:
    """The nodes of one search.

    Parameters
    ----------
    depth, leaves : int or None
        The limits on the tree.
    leaf_cost : int
        Ticks.
    lower, cost : int
        What is known of the whole problem.
    tree : Arrays
        Costs `cost`.
    cutoff : int or None
        Only trees that cost at most this are wanted.
    """

    def __init__(
        self,
        depth: int | None,
        leaves: int | None,
        leaf_cost: int,
        lower: int,
        cost: int,
        tree: Arrays,
        cutoff: int | None = None,
    ) -> None:
        self.root = self._top = Node((), depth, leaves, lower, cost, tree)
        self._leaf_cost = leaf_cost
        self._budget = NO_TREE if cutoff is None else cutoff + 1
        self._nodes: dict[tuple[Any, int | None, int | None], Node] = {}
        self._of_job: dict[int, tuple[Node, list[Split], bool]] = {}
        self._n_jobs = 0
        self.n_opened = 1

    def is_finished(self) -> bool:
        """Return whether the bound of the whole problem has reached its best tree, or the cutoff."""
        return self.root.lower >= self.root.target(self._budget)

    def next_jobs(self, n_idle: int, seconds: float) -> list[Job]:
        """Return jobs for workers that have nothing to do.

        Parameters
        ----------
        n_idle : int
            How many jobs are wanted; there may be fewer, while others run.
        seconds : float
            The time of each.

        Returns
        -------
        list of Job
            Each is running from now on, until `report` or `put_back`.
        """
        if n_idle <= 0 or self.is_finished():
            return []
        found = self._work()
        while sum(work.size() for work in found) < n_idle and self._open_one(found):
            found = self._work()
        if self._has_too_little(found, n_idle):
            seconds /= _SHORTER  # soon they return something to share
        jobs: list[Job] = []
        for work in found:
            for part in _parts(work, self._most(work, found, n_idle)):
                if len(jobs) == n_idle:
                    return jobs
                jobs.append(self._start(part, seconds))
        return jobs

    def _has_too_little(self, found: list[Work], n_idle: int) -> bool:
        return sum(work.size() for work in found) < n_idle

    def _most(self, work: Work, found: list[Work], n_idle: int) -> int:
        """Return how many splits a job gets: half of what there is. Later jobs, which know more, get the rest."""
        return max(1, sum(each.size() for each in found) // (2 * n_idle))

    def _work(self) -> list[Work]:
        found: list[Work] = []
        self._collect(self._top, self._budget, set(), found)
        return found

    def _collect(self, node: Node, budget: int, seen: set[int], found: list[Work]) -> None:
        target = node.target(budget)
        if node.lower >= target or node.is_running or id(node) in seen:
            return
        seen.add(id(node))
        if node.splits is None:
            found.append(Work(node, [], budget))
            return
        unfinished = [split for split in node.splits if split.lower < target and not split.is_running]
        waiting = [split for split in unfinished if split.nodes is None]
        if waiting:
            # Thresholds of one column side by side: what is proven of one may close the next.
            found.append(Work(node, sorted(waiting, key=lambda split: split.name), budget))
        for split in sorted(unfinished, key=lambda split: split.lower):
            for side, goal in self._goals(split, target):
                self._collect(side, goal, seen, found)

    def _goals(self, split: Split, target: int) -> Iterator[tuple[Node, int]]:
        """Return what to raise the sides to, so that the split reaches a target: half of what is missing each.

        Nobody knows which side is cheaper to raise. The next round shares what is then left.
        """
        if split.nodes is None:
            return
        missing = target - split.lower
        for side, other in (split.nodes, split.nodes[::-1]):
            step = missing if other.lower >= other.cost else max(self._leaf_cost, (missing + 1) // 2)
            yield side, min(side.lower + step, target - other.lower)

    def _open_one(self, found: list[Work]) -> bool:
        """Open the hard split of the lowest bound; return whether there is one."""
        hard = [(split, work.node) for work in found for split in work.splits if split.is_hard and split.sides]
        if not hard:
            return False
        split, node = min(hard, key=lambda each: each[0].lower)
        assert split.sides is not None
        no, yes = (self._node(side, (*node.path, (split.column, bool(x)))) for x, side in enumerate(split.sides))
        split.nodes = no, yes
        for side in split.nodes:
            side.parents.append(node)
        self._update(node)
        return True

    def _node(self, side: Side, path: Path) -> Node:
        key, depth, leaves, lower, _ = side
        if (key, depth, leaves) not in self._nodes:
            self._nodes[key, depth, leaves] = Node(path, depth, leaves)
            self.n_opened += 1
        node = self._nodes[key, depth, leaves]
        node.lower = max(node.lower, lower)
        return node

    def _start(self, work: Work, seconds: float) -> Job:
        node, splits, budget = work
        self._n_jobs += 1
        is_whole = node.splits is None
        self._of_job[self._n_jobs] = node, splits, is_whole
        node.is_running = is_whole
        for split in splits:
            split.is_running = True
        names = None if is_whole else tuple(split.name for split in splits)
        seconds *= 2 ** max([node.n_tries] if is_whole else [split.n_tries for split in splits])
        return Job(self._n_jobs, node.path, node.depth, node.leaves, min(budget, node.cost), names, seconds)

    def put_back(self, job: Job) -> None:
        """Note that a job has ended without a report, so that its work is repeated."""
        self._end(job)

    def _end(self, job: Job) -> tuple[Node, list[Split], bool]:
        node, splits, is_whole = self._of_job.pop(job.number)
        if is_whole:
            node.is_running = False
        for split in splits:
            split.is_running = False
        return node, splits, is_whole

    def report(self, job: Job, report: Report) -> bool:
        """Adopt what a job has found out.

        Returns
        -------
        bool
            False if the worker had too little memory to keep its best tree, so that its bounds mean nothing.
        """
        node, splits, is_whole = self._end(job)
        outcome = report.outcome
        if outcome["open"] is None:  # no time for the first step
            node.n_tries += is_whole
            return bool(outcome["status"] != "memory_limit")
        if outcome["upper"] < min(outcome["tree_cost"], node.cost):
            return False
        self._adopt_tree(node, outcome["tree_cost"], outcome["tree"])
        is_hard = not is_whole and len(splits) == 1 and outcome["status"] == "time_limit"
        # What is proven of all its splits together may be more than of each alone.
        still_open = [
            Split(name, max(lower, outcome["lower"]), name[0], sides, is_hard=is_hard)
            for name, lower, sides in outcome["open"]
        ]
        if is_whole:
            node.splits = still_open
            node.lower = max(node.lower, min(outcome["lower"], node.cost))
        else:
            assert node.splits is not None
            node.splits = [split for split in node.splits if split not in splits] + still_open
        self._update(node)
        return True

    def _adopt_tree(self, node: Node, cost: int, tree: TreeArrays | None) -> None:
        if tree is not None and (cost < node.cost or node.tree is None):
            node.cost = cost
            node.tree = tree["column"].tolist(), tree["left"].tolist(), tree["right"].tolist()

    def _update(self, node: Node) -> None:
        """Bring the bounds of a node up to date with those of its splits, then those of the nodes above."""
        splits = node.splits or []
        for split in splits:
            if split.nodes is None:
                continue
            no, yes = split.nodes
            split.lower = max(split.lower, no.lower + yes.lower)
            if no.tree is not None and yes.tree is not None and no.cost + yes.cost < node.cost:
                node.cost, node.tree = no.cost + yes.cost, _joined(split.column, yes.tree, no.tree)
        if node.splits is not None:
            node.lower = max(node.lower, min([node.closed, *(split.lower for split in splits)]))
        node.lower = min(node.lower, node.cost)
        if node.splits is not None:
            node.splits = [split for split in splits if split.lower < node.cost or split.nodes is not None]
        if (node.lower, node.cost) != node.told:
            node.told = node.lower, node.cost
            for parent in node.parents:
                self._update(parent)


def _parts(work: Work, most: int) -> Iterator[Work]:
    for first in range(0, work.size(), most):
        yield work._replace(splits=work.splits[first : first + most])


def _joined(column: int, yes: Arrays, no: Arrays) -> Arrays:
    """Return the tree that sends the rows where a column holds to the one tree, and the others to the other."""

    def moved(children: list[int], by: int) -> list[int]:
        return [child if child < 0 else child + by for child in children]

    of_no = 1 + len(yes[0])
    return (
        [column, *yes[0], *no[0]],
        [1, *moved(yes[1], 1), *moved(no[1], of_no)],
        [of_no, *moved(yes[2], 1), *moved(no[2], of_no)],
    )
