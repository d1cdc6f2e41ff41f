"""How many splits of near-optimal trees a greedy algorithm would have made, by level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam._checks import shown
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.rashomon.rashomon_set import RashomonSet

_Path: TypeAlias = frozenset[tuple[int, bool]]  # conditions, by number, and whether they hold

_EQUAL_GAIN = 1e-12  # bits; as in SPLIT, gains that differ by less are equal


class GreedySplits(NamedTuple):
    """Splits of trees by level; level 0 is the root.

    Attributes
    ----------
    shares : ndarray of shape (n_levels,)
        Share of the splits of each level that are greedy, 0 to 1.
    n_greedy, n_splits : list of int of length n_levels
        How many splits of each level are greedy, and how many there are, over all trees.

    Examples
    --------
    >>> import numpy as np
    >>> GreedySplits(np.array([0.25, 1.0]), n_greedy=[1, 6], n_splits=[4, 6]).shares.tolist()
    [0.25, 1.0]
    """

    shares: npt.NDArray[np.float64]
    n_greedy: list[int]
    n_splits: list[int]


def greedy_splits(trees: RashomonSet, indices: Iterable[int] | None = None) -> GreedySplits:
    """Return which share of the splits of near-optimal trees are greedy, by level.

    This is equation 3 of the SPLIT paper. A split is greedy if no other binary column has a larger information gain
    on the rows that reach it. Where the share rises with the level, near-optimal trees are greedy near their leaves,
    and `SPLITClassifier`, which is greedy only there, comes close to the optimum.

    Parameters
    ----------
    trees : RashomonSet
        The trees, such as `rashomon_set_` of `RashomonSetClassifier`.
    indices : iterable of int or None, default=None
        Numbers of the trees to use, such as those of ``trees.sample(1000)``. None: all, at about 0.2 milliseconds per
        tree, and 2 milliseconds for each different set of rows with 38 binary columns of 6,000 rows.

    Returns
    -------
    GreedySplits
        With one entry for each level on which some tree has a split; none if all trees are leaves.

    Raises
    ------
    TypeError
        If `trees` is not a `RashomonSet`, or `indices` does not hold integers.
    IndexError
        If there is no tree of some number.
    ValueError
        If the objective of the set is not a sum over the rows ("f1", "auc", "partial_auc").

    See Also
    --------
    RashomonSetClassifier : Finds the trees.
    SPLITClassifier : Uses what this measures.

    Notes
    -----
    Only columns that leave `min_samples_leaf` rows on both sides are compared. Gains within 1e-12 bits are equal, and
    all columns with the largest gain are greedy. As in `SPLITClassifier`, a row counts by its weight and by what a
    wrong prediction of its class can cost at most.

    References
    ----------
    .. [1] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           equation 3 and figure 2.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier, greedy_splits
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> trees = RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(X, y).rashomon_set_
    >>> greedy_splits(trees).shares.tolist()
    [1.0, 1.0, 0.5, 1.0]
    """
    if not isinstance(trees, RashomonSet):
        raise TypeError(f"trees must be a RashomonSet, such as rashomon_set_ of a classifier, got {shown(trees)}.")
    problem = trees._problem
    if not isinstance(problem, RashomonProblem):
        raise ValueError("greedy splits need a loss that is a sum over the rows, such as objective='accuracy'.")
    counts: list[list[int]] = []  # by level: greedy splits, splits
    best_of = _BestColumns(problem)
    for number in trees._numbers(indices):
        arrays = trees._arrays(number)
        column, left, right = (arrays[name].tolist() for name in ("column", "left", "right"))
        waiting: list[tuple[int, _Path]] = [(0, frozenset())]
        while waiting:
            node, path = waiting.pop()
            if column[node] < 0:
                continue
            level = len(path)
            if level == len(counts):
                counts.append([0, 0])
            counts[level][0] += column[node] in best_of[path]
            counts[level][1] += 1
            waiting += (
                (right[node], path | {(column[node], False)}),
                (left[node], path | {(column[node], True)}),
            )
    n_greedy, n_splits = [one for one, _ in counts], [every for _, every in counts]
    return GreedySplits(np.array(n_greedy, dtype=np.float64) / np.array(n_splits, dtype=np.float64), n_greedy, n_splits)


class _BestColumns(dict[_Path, set[int]]):
    """By path: the columns of the largest information gain on the rows that follow it, found when first needed."""

    def __init__(self, problem: RashomonProblem) -> None:
        self._problem = problem
        costs = problem.scale.costs
        self._masses = problem.scale.weights * costs.max(axis=1).astype(np.float64)[problem.codes]

    def __missing__(self, path: _Path) -> set[int]:
        problem = self._problem
        rows = np.full(problem.columns.shape[1], 0xFF, dtype=np.uint8)
        for column, holds in path:
            rows &= problem.columns[column] if holds else ~problem.columns[column]
        total, n_all = self._class_masses(rows)
        impurity = np.full(len(problem.columns), np.inf)
        for column, bits in enumerate(problem.columns):
            true_side, n_true = self._class_masses(rows & bits)
            if min(n_true, n_all - n_true) >= problem.min_samples_leaf:
                impurity[column] = _impurity(true_side) + _impurity(total - true_side)
        self[path] = set(np.flatnonzero(impurity <= impurity.min() + _EQUAL_GAIN * total.sum()).tolist())
        return self[path]

    def _class_masses(self, bits: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.float64], int]:
        """Return what the rows of each class weigh, and the number of rows."""
        rows = np.flatnonzero(np.unpackbits(bits, count=len(self._masses), bitorder="little"))
        codes = self._problem.codes[rows]
        masses = np.bincount(codes, self._masses[rows], minlength=len(self._problem.scale.costs))
        return masses.astype(np.float64), len(rows)


def _impurity(masses: npt.NDArray[np.float64]) -> float:
    """Return the entropy of classes in bits, times their mass."""
    masses = masses[masses > 0]
    return float(np.sum(masses * (np.log2(masses.sum()) - np.log2(masses))))
