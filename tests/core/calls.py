"""Calls of the core with everything in keywords: what makes columns, problem and options is put together here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hornbeam import _core

COLUMNS = {
    _core.PackedColumns: ("columns", "n_rows"),
    _core.OrderedColumns: ("bins", "n_thresholds"),
}
PROBLEMS = {
    _core.Problem: ("class_codes", "weights", "costs", "leaf_cost", "reference", "row_counts"),
    _core.RankingProblem: ("class_codes", "weights", "half_pair_cost", "max_false_positives", "leaf_cost"),
    _core.PosteriorProblem: ("class_codes", "weights", "alpha", "beta", "rho", "bits"),
}


def call(function: Callable[..., Any], problem: type = _core.Problem, /, **given: Any) -> Any:
    """Call a search of the core: each keyword goes where it belongs, and what is left over to the search itself."""
    made = []
    kinds = [kind for kind, names in COLUMNS.items() if names[1] in given]
    for kind, names in [(kind, COLUMNS[kind]) for kind in kinds] + [(problem, PROBLEMS[problem])]:
        made.append(kind(**{name: given.pop(name) for name in names if name in given}))
    names = [name for name in given if hasattr(_core.SearchOptions, name)]
    return function(*made, _core.SearchOptions(**{name: given.pop(name) for name in names}), **given)
