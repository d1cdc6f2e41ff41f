"""What trees of a set predict: of single trees, and how many of all trees predict each class for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.binarizers import Conditions, evaluate_conditions
from hornbeam.rashomon.found import GraphOfTrees, stopped_by
from hornbeam.table import Table
from hornbeam.tree.routing import Rows, reached_leaves

if TYPE_CHECKING:
    from hornbeam._core import Progress


Answers: TypeAlias = Sequence[npt.NDArray[np.bool_]]  # for each condition of a set, for which rows it holds


def filtered(
    found: GraphOfTrees,
    is_allowed: Sequence[bool],
    max_depth: int | None = None,
    min_rows: int = 0,
    callback: Callable[[Progress], bool] | None = None,
    seconds_between_calls: float = 0.1,
    n_threads: int = 1,
) -> _core.FilteredSet:
    """Return the trees of a set that test only allowed conditions and obey limits.

    Any number of threads returns the same.

    Raises
    ------
    InterruptedError
        If `callback`, which is called while they are counted, returned True.
    MemoryError
        If they do not fit into the memory limit of the set.
    """
    trees = _core.filter_set(
        found.graph,
        is_allowed,
        max_depth,
        min_rows,
        found.memory_limit,
        n_threads,
        callback=callback,
        callback_interval=seconds_between_calls,
    )
    if trees is None:
        raise stopped_by(callback, "counting the filtered trees")
    return trees


def predictions_of(
    trees: Iterable[_core.TreeArrays], conditions: Conditions, table: Table
) -> Iterator[npt.NDArray[np.int32]]:
    """Return the predictions of trees for each row of a table, as indices into the classes.

    Parameters
    ----------
    trees : iterable of TreeArrays
    conditions : Conditions
        Of the set.
    table : Table
    """
    answers = list(evaluate_conditions(conditions, table))  # once: each tree only looks up which rows go where
    for arrays in trees:
        leaves = reached_leaves(arrays["left"], arrays["right"], _answers_of(arrays, answers), table.n_rows)
        yield arrays["prediction"][leaves]


def votes_of_all(found: GraphOfTrees, conditions: Conditions, table: Table) -> npt.NDArray[Any]:
    """Return how many trees of a whole set, which is not empty, predict each class for each row.

    Parameters
    ----------
    found : GraphOfTrees
    conditions, table
        See `predictions_of`.

    Returns
    -------
    ndarray of int of any size, shape (n_rows, n_classes)
    """
    trees = filtered(found, [True] * len(conditions))
    assert found.most is not None
    return count_votes(trees, list(evaluate_conditions(conditions, table)), table.n_rows, found.most)


def spread_of_all(
    found: GraphOfTrees, conditions: Conditions, table: Table
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[Any]]:
    """Return the least, the largest and the sum of the numbers that all trees of a set, which is not empty, predict.

    Parameters
    ----------
    found, conditions, table
        See `votes_of_all`.

    Returns
    -------
    low, high : ndarrays of uint32 of shape (n_rows,)
    sums : ndarray of int of any size, shape (n_rows,)
    """
    trees = filtered(found, [True] * len(conditions))
    assert found.most is not None
    rows, row_of = _distinct_rows(list(evaluate_conditions(conditions, table)), table.n_rows)
    spread = _core.spread_of_predictions(trees, rows, found.most)
    if spread is None:
        raise stopped_by(None, "looking for the range of predictions")
    low, high, sums = spread
    return low[row_of], high[row_of], _integers(sums)[row_of, 0]


def count_votes(
    trees: _core.FilteredSet,
    answers: Answers,
    n_rows: int,
    most: int,
    most_leaves: int | None = None,
    leaf_mask: int = 0,
    callback: Callable[[Progress], bool] | None = None,
) -> npt.NDArray[Any]:
    """Return how many filtered trees of at most `most` ticks predict each class for each row.

    Parameters
    ----------
    trees : hornbeam._core.FilteredSet
    answers : Answers
    n_rows : int
    most : int
        Largest ticks of a tree.
    most_leaves : int or None, default=None
        Largest number of its leaves.
    leaf_mask : int, default=0
        The bits of ticks that count leaves; needed for `most_leaves`.
    callback : callable or None, default=None
        Called while trees are counted; that stops if it returns True.

    Returns
    -------
    ndarray of int of any size, shape (n_rows, n_classes)

    Raises
    ------
    InterruptedError
        If `callback` returned True.
    """
    rows, row_of = _distinct_rows(answers, n_rows)
    words = _core.count_votes(trees, rows, most, most_leaves, leaf_mask, callback=callback)
    if words is None:
        raise stopped_by(callback, "counting votes")
    return _integers(words)[row_of]


def _distinct_rows(answers: Answers, n_rows: int) -> tuple[_core.PackedColumns, npt.NDArray[np.intp]]:
    """Return the rows that differ in some condition, and which of them each row is: they get the same predictions."""
    table = np.array(answers, dtype=np.bool_).reshape(len(answers), n_rows)
    distinct, row_of = np.unique(np.packbits(table, axis=0).T, axis=0, return_index=True, return_inverse=True)[1:]
    packed = np.ascontiguousarray(np.packbits(table[:, distinct], axis=1, bitorder="little"))
    return _core.PackedColumns(packed, len(distinct)), row_of.ravel()


def _answers_of(arrays: _core.TreeArrays, answers: Answers) -> Callable[[int, Rows], npt.NDArray[np.bool_]]:
    """Return the function that looks up for which rows the condition of a node holds."""
    return lambda node, rows: answers[arrays["column"][node]][rows]


def _integers(words: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
    """Return numbers of any size from their words, the lowest first."""
    numbers: Any = words.astype(object)
    return np.asarray(sum(numbers[:, :, place] << 64 * place for place in range(words.shape[2])))
