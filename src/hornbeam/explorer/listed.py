"""Sets of trees that are not counted over a graph: they are listed, and every question goes through the list.

These are the sets of objectives that are not sums over the rows (F-score, areas under the ROC curve), and those that
RESPLIT finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from hornbeam.explorer.filters import Filters
from hornbeam.explorer.partial_trees import Leaf, Open, PartialTree, Split, node_at
from hornbeam.explorer.queries import Option
from hornbeam.explorer.trees import TreeMaker
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.tree import Tree

MOST_TREES = 10_000  # that are listed: some seconds, after the first answer
_MOST_MEASURED = 1000  # trees whose reliance is measured without being asked for: less than a second


class ListedTree(NamedTuple):
    """A tree of a set, and what filters ask of it.

    Attributes
    ----------
    number : int
        In the set.
    tree : PartialTree
        Without open nodes.
    value : number
        The objective in the numbers of the scale.
    objective : float
    leaves, depth, least_rows : int
        Number of leaves, of levels of splits, and of the training rows of the smallest leaf.
    columns : frozenset of int
        The columns of the table that it tests.
    """

    number: int
    tree: PartialTree
    value: Any
    objective: float
    leaves: int
    depth: int
    least_rows: int
    columns: frozenset[int]


class ListOfTrees:
    """The best trees of a set, the best first; each is read when it is first needed.

    Parameters
    ----------
    n_trees : int
    read : callable
        From the number of a tree to the tree.
    """

    def __init__(self, n_trees: int, read: Callable[[int], ListedTree]) -> None:
        self._n_trees, self._read = n_trees, read
        self._known: list[ListedTree] = []
        self._number_of: dict[PartialTree, int] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of trees, read or not."""
        return self._n_trees

    def __iter__(self) -> Iterator[ListedTree]:
        """Go through the trees; several threads may do so at once."""
        for number in range(self._n_trees):
            with self._lock:
                if number == len(self._known):
                    one = self._read(number)
                    self._known.append(one)
                    self._number_of[one.tree] = number
            yield self._known[number]

    def number_of(self, tree: PartialTree) -> int:
        """Return the number of a tree that was read."""
        return self._number_of[tree]


class ListedQuery:
    """Some trees of a list; the questions are those of `Query`.

    Parameters
    ----------
    trees : ListOfTrees or sequence of ListedTree
        The best first. As few of them are read as a question needs.
    """

    def __init__(self, trees: ListOfTrees | Sequence[ListedTree]) -> None:
        self._trees = trees

    def number_of_trees(self, tree: PartialTree) -> int:
        """Return how many trees have the splits and leaves of a partial tree."""
        return len(self._with(tree))

    def least(self, tree: PartialTree) -> Any:
        """Return the value of the best tree with a partial tree; None if there is none."""
        return next((one.value for one in self._trees if _has(one.tree, tree)), None)

    def by_size(self, tree: PartialTree) -> dict[tuple[Any, int], int]:
        """Return the numbers of trees with a partial tree by value and number of leaves."""
        return dict(sorted(Counter((one.value, one.leaves) for one in self._with(tree)).items()))

    def options(self, tree: PartialTree, place: str) -> list[Option]:
        """Return all leaves and splits at an open node that some tree has, the best first."""
        found: dict[Leaf | Split, list[Any]] = {}
        for one in self._with(tree):
            node = node_at(one.tree, place)
            assert not isinstance(node, Open)
            kind = Split(node.condition, Open(), Open()) if isinstance(node, Split) else node
            found.setdefault(kind, []).append(one.value)
        return [Option(node, len(values), values[0]) for node, values in found.items()]

    def completed(self, tree: PartialTree) -> PartialTree:
        """Return the best tree with a partial tree; ValueError if there is none."""
        for one in self._trees:
            if _has(one.tree, tree):
                return one.tree
        raise ValueError("no tree of the set has all of these splits.")

    def _with(self, tree: PartialTree) -> ListOfTrees | Sequence[ListedTree]:
        return self._trees if isinstance(tree, Open) else [one for one in self._trees if _has(one.tree, tree)]


class ListedSession:
    """A set of trees as a list; see `Session`.

    Parameters
    ----------
    classifier : RashomonSetClassifier
        Fitted; its set holds a tree.
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier, self.trees = classifier, classifier.rashomon_set_
        self.problem: Any = self.trees._problem
        self.maker = TreeMaker(self.problem)
        self.n_trees: int = min(self.trees.n_trees, MOST_TREES)
        self._listed = ListOfTrees(self.n_trees, self._read)

    def index(self, callback: Callable[[Any], bool]) -> None:
        """Read all trees, as the first question does that needs them; InterruptedError once `callback` returns True."""
        for _ in self._listed:
            if callback(None):
                raise InterruptedError("reading the trees was stopped.")

    def query(self, filters: Filters, callback: Callable[[Any], bool] | None = None) -> ListedQuery:
        """Return the trees that filters leave."""
        if filters == Filters():
            return ListedQuery(self._listed)
        return ListedQuery([one for one in self._listed if _is_within(one, filters)])

    def numbers(self, filters: Filters) -> list[int]:
        """Return the numbers of the trees that filters leave."""
        return [one.number for one in self._listed if _is_within(one, filters)]

    def next_steps(self, filters: Filters) -> list[Any]:
        """Return no tasks: filters take no time to be counted."""
        return []

    def made(self, tree: PartialTree) -> Tree:
        """Return a tree of the list as a `Tree`."""
        made: Tree = self.trees[self._listed.number_of(tree)]
        return made

    def importance(self, is_wanted_exact: bool = False) -> dict[str, Any]:
        """Return the reliance on each column, and the share of the trees that test it; see `importance_of`.

        Parameters
        ----------
        is_wanted_exact : bool, default=False
            Whether to measure all trees. Otherwise, large sets are sampled.

        Returns
        -------
        dict
            Reliances are None if the loss is not a sum over the rows.
        """
        columns = range(len(self.problem.schema.names))
        shares = [sum(column in one.columns for one in self._listed) / self.n_trees for column in columns]
        if not isinstance(self.problem, RashomonProblem):
            known = dict.fromkeys(("least", "mean", "best", "most"))
            found = [{"column": column, **known, "share": shares[column]} for column in columns]
            return {"n_trees": str(self.n_trees), "is_exact": True, "columns": found}
        is_exact = is_wanted_exact or self.n_trees <= _MOST_MEASURED
        chosen = np.random.RandomState(0).randint(self.n_trees, size=_MOST_MEASURED).tolist()
        reliances = self.trees.reliance(range(self.n_trees) if is_exact else [0, *chosen])
        found = [
            {
                "column": column,
                "least": float(of.min()),
                "mean": float(of.mean()),
                "best": float(of[0]),
                "most": float(of.max()),
                "share": shares[column],
            }
            for column, of in zip(columns, reliances.T, strict=True)
        ]
        return {"n_trees": str(len(reliances)), "is_exact": is_exact, "columns": found}

    def _read(self, number: int) -> ListedTree:
        arrays = self.trees._arrays(number)
        column, prediction = arrays["column"].tolist(), arrays["prediction"].tolist()
        left, right = arrays["left"].tolist(), arrays["right"].tolist()
        n_rows = np.bincount(arrays["leaf_of_row"], minlength=len(column))

        def read(node: int) -> tuple[PartialTree, int]:
            if column[node] < 0:
                return Leaf(prediction[node]), 0
            (yes, depth_yes), (no, depth_no) = read(left[node]), read(right[node])
            return Split(column[node], yes, no), 1 + max(depth_yes, depth_no)

        tree, depth = read(0)
        leaves = arrays["column"] < 0
        tested = frozenset(self.problem.conditions[split].column for split in column if split >= 0)
        value = self.trees._values[self.trees._position(number)[1]]
        objective = self.trees.objective(number)
        return ListedTree(number, tree, value, objective, int(leaves.sum()), depth, int(n_rows[leaves].min()), tested)


def _has(tree: PartialTree, part: PartialTree) -> bool:
    """Return whether a tree has the splits and leaves of a partial tree."""
    if isinstance(part, Open):
        return True
    if isinstance(part, Leaf) or not isinstance(tree, Split):
        return tree == part
    return tree.condition == part.condition and _has(tree.true, part.true) and _has(tree.false, part.false)


def _is_within(tree: ListedTree, filters: Filters) -> bool:
    return (
        not filters.never & tree.columns
        and filters.always <= tree.columns
        and (filters.max_leaves is None or tree.leaves <= filters.max_leaves)
        and (filters.max_depth is None or tree.depth <= filters.max_depth)
        and tree.least_rows >= filters.min_rows
        and (filters.max_objective is None or tree.objective <= filters.max_objective + 1e-12)
    )
