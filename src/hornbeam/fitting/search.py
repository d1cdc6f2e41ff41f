"""Which of the two searches of the core a problem goes to, with its columns in the form that this search takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import Conditions, pack_within, rank_within
from hornbeam.fitting.scales import Units
from hornbeam.table import Table

# The bounds of both searches that can be switched off.
BOUNDS = ("support_condition", "pair_stage", "equivalent_points", "similarity", "packing", "subset")

# What the search by ranks can do: see check_ranked in cpp/api/solve.cpp.
_MOST_DEPTH = 16
_MOST_ROWS = 2**24
_MOST_CLASSES = 128
_MOST_WEIGHT = 2**28

# Columns to a variable from which ranks are the faster way: docs/notes/2026-11-21-ordered-search.md.
_LEAST_THRESHOLDS = 64

Search: TypeAlias = "Callable[..., _core.Outcome]"


def search_by_bits(conditions: Conditions, table: Table, options: Mapping[str, Any], budget: Budget) -> Search:
    """Return the search that takes any columns and limits; classes, weights, costs and leaf cost are still to give."""
    packed = pack_within(conditions, table, budget)
    return partial(_core.solve, packed, table.n_rows, **options, **budget.left())


def search_by_ranks(conditions: Conditions, table: Table, options: Mapping[str, Any], budget: Budget) -> Search:
    """Return the search that takes thresholds of ranked variables and no other limit on the tree than `max_depth`."""
    known = {name: value for name, value in options.items() if name not in ("max_leaves", "min_samples_leaf")}
    ranks, n_thresholds = rank_within(conditions, table, budget)
    return partial(_core.solve_ranked, ranks, n_thresholds, **known, **budget.left())


def suits_ranks(conditions: Conditions, units: Units, options: Mapping[str, Any]) -> bool:
    """Say whether the search by ranks can solve a problem and is expected to be the faster one."""
    n_classes = len(units.costs)
    return (
        len(conditions) >= _LEAST_THRESHOLDS * conditions.n_runs > 0
        and options.get("max_depth", _MOST_DEPTH + 1) <= _MOST_DEPTH
        and "reference" not in options
        and options.get("max_leaves") is None
        and options["min_samples_leaf"] == 1
        and len(units.weights) <= _MOST_ROWS
        and n_classes <= _MOST_CLASSES
        and units.costs[0, 1] > 0
        and np.array_equal(units.costs, units.costs[0, 1] * (1 - np.eye(n_classes, dtype=np.int64)))
        and int(units.weights.sum()) < _MOST_WEIGHT
    )
