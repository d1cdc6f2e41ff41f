"""Choose between the search of bits and the ordered search, and pack the columns for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import Conditions, pack_within, rank_within
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.training import TrainingData

# The bounds of both searches that can be switched off.
BOUNDS = tuple(_core.BOUNDS["exact"])

# Columns to a variable from which ranks are the faster way: docs/notes/2026-11-21-ordered-search.md.
_LEAST_THRESHOLDS = 64

Listener: TypeAlias = "Callable[[_core.Progress], bool]"
Search: TypeAlias = "Callable[..., _core.Outcome]"
"""A search with its problem and its limits; `callback`, a `Listener` or None, and `trace` are still to give."""


def packed_columns(conditions: Conditions, training: TrainingData) -> _core.PackedColumns:
    """Return the answers of the conditions, as far as the budget of the fit has room for them."""
    packed = pack_within(conditions, training.table, training.budget)
    return _core.PackedColumns(packed, training.table.n_rows)


def make_problem(training: TrainingData, scale: AdditiveScale) -> _core.Problem:
    """Return the rows and their costs as the core takes them."""
    return _core.Problem(training.codes, scale.weights, scale.costs, scale.leaf_cost, training.reference)


def within(options: _core.SearchOptions, budget: Budget) -> _core.SearchOptions:
    """Return the options of a search that starts now, with what is left of the budget."""
    left = budget.left()
    return options.replace(time_limit=left.seconds, memory_limit=left.bytes)


def search_by_bits(
    conditions: Conditions, training: TrainingData, scale: AdditiveScale, options: _core.SearchOptions
) -> Search:
    """Return the search that takes any columns and limits."""
    columns = packed_columns(conditions, training)
    return partial(_core.solve, columns, make_problem(training, scale), within(options, training.budget))


def search_by_ranks(
    conditions: Conditions, training: TrainingData, scale: AdditiveScale, options: _core.SearchOptions
) -> Search:
    """Return the search that takes thresholds of ranked variables and no other limit on the tree than `max_depth`."""
    columns = _core.RankedColumns(*rank_within(conditions, training.table, training.budget))
    return partial(_core.solve, columns, make_problem(training, scale), within(options, training.budget))


def suits_ranks(
    conditions: Conditions, training: TrainingData, scale: AdditiveScale, options: _core.SearchOptions
) -> bool:
    """Say whether the search by ranks can solve a problem and is expected to be the faster one."""
    n_classes = len(scale.costs)
    return (
        len(conditions) >= _LEAST_THRESHOLDS * conditions.n_runs > 0
        and options.max_depth is not None
        and options.max_depth <= _core.MOST_ORDERED_DEPTH
        and training.reference is None
        and options.max_leaves is None
        and options.min_samples_leaf == 1
        and len(scale.weights) <= _core.MOST_ORDERED_ROWS
        and n_classes <= _core.MOST_ORDERED_CLASSES
        and scale.costs[0, 1] > 0
        and np.array_equal(scale.costs, scale.costs[0, 1] * (1 - np.eye(n_classes, dtype=np.int64)))
        and int(scale.weights.sum()) < _core.MOST_ORDERED_WEIGHT
    )


def exact_search(
    conditions: Conditions, training: TrainingData, scale: AdditiveScale, options: _core.SearchOptions
) -> Search:
    """Return the exact search that is expected to be the faster one."""
    search_by = search_by_ranks if suits_ranks(conditions, training, scale, options) else search_by_bits
    return search_by(conditions, training, scale, options)
