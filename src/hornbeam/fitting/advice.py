"""What would help a search that was stopped before its proof, as code to paste."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from hornbeam.fitting.search import has_many_thresholds

_MANY_COLUMNS = 100  # from this many binary columns on, fewer help much
_LARGEST_DEPTH = 5  # a tree of more levels is hard to read, and seldom proven
_PROVABLE_DEPTH_OF_OTHERS = 3  # for searches other than that of additive objectives
_SMALL_GAP = 0.05  # below this, the bounds of most searches have little left to prove

_MORE = {
    "time_limit": "raise time_limit (None: no limit)",
    "memory_limit": "raise memory_limit",
    "expansion_limit": "raise max_expansions",
    "interrupted": "let the search run on",
    "cluster_lost": "start the cluster again and set warm_start=True",
}
_SUMS = ("accuracy", "balanced", "weighted")
_OF_THE_PROBLEM = (
    "regularization",
    "max_depth",
    "max_leaves",
    "min_samples_leaf",
    "shape",
    "objective",
    "theta",
    "omega",
    "cost_matrix",
    "costs",
    "class_weight",
    "binarizer",
)
_NOT_OF_THE_SEARCH = ("verbose", "callback", "trace", "warm_start")
# Bounds need not hold for another problem, and its checkpoint is refused.
_OF_ONE_PROBLEM = ("known_lower_bound", "known_upper_bound", "checkpoint", "checkpoint_interval")


def helpful_parameters(classifier: Any) -> dict[str, Any]:
    """Return parameter values that each shorten the search of a fitted classifier, the most effective first."""
    given = classifier.get_params(deep=False)
    binarizer = classifier.binarizer_
    helpful: dict[str, Any] = {}
    depth = provable_depth(len(binarizer.conditions_), binarizer.conditions_.n_runs, classifier._n_rows)
    is_one_search = type(classifier).__name__ in ("GOSDTClassifier", "PolicyTree")
    if not is_one_search or _objective_of(classifier) not in (*_SUMS, "cost"):
        depth = min(depth, _PROVABLE_DEPTH_OF_OTHERS)
    if given["max_depth"] is None or given["max_depth"] > depth:
        helpful["max_depth"] = depth
    if getattr(binarizer, "strategy", None) == "exact" and len(binarizer.conditions_) > _MANY_COLUMNS:
        # A binarizer of the user's keeps its other parameters, such as the decimals of thresholds.
        own = given["binarizer"]
        helpful["binarizer"] = "quantile" if isinstance(own, str) else clone(own).set_params(strategy="quantile")
    if given.get("lookahead_depth", 1) > 1 and given.get("method", "resplit") == "resplit":
        helpful["lookahead_depth"] = 1
    if given.get("epsilon") and given.get("rashomon_bound") is None:
        helpful["epsilon"] = given["epsilon"] / 2
    # The leaf penalty is the last resort: unlike the others it changes what the best tree is. It may be 0.
    if "regularization" in given and not helpful:
        # With "auto", costs have a penalty in their own unit, which the fit has computed.
        is_share = classifier._is_auto() and _objective_of(classifier) == "cost"
        penalty = float(f"{classifier.regularization_:.3g}") if is_share else classifier._leaf_penalty()
        helpful["regularization"] = 2 * penalty or 0.001
    return helpful


def _objective_of(estimator: Any) -> str:
    """Return the objective of a classifier; policies lose costs that the user gives."""
    return getattr(estimator, "objective", "cost")


def provable_depth(n_conditions: int, n_columns: int, n_rows: int) -> int:
    """Return the largest depth that is probably proven in a minute; at least 1.

    `n_columns` is the number of columns that the conditions are on. The work of both searches grows by a factor from
    depth to depth; the constants are such that the hard instances of the suites `exact` and `depth` are proven.
    """
    if has_many_thresholds(n_conditions, n_columns):
        work, factor, in_a_minute = 50.0 * n_rows * n_columns, 10.0 * n_columns, 2e11
    else:
        work, factor, in_a_minute = n_rows * n_conditions**2 / 64, n_conditions / 4, 5e9
    depth = 1
    while depth < _LARGEST_DEPTH and work <= in_a_minute:
        depth += 1
        work *= max(2.0, factor)
    return depth


def advice(classifier: Any) -> str:
    """Return the end of a warning that a search was stopped: one line of code for each way out."""
    helpful = helpful_parameters(classifier)
    remarks = {}
    if "binarizer" in helpful:
        n_columns = len(classifier.binarizer_.conditions_)
        other = 'or "guess": ' if isinstance(helpful["binarizer"], str) else ""
        remarks["binarizer"] = f"{other}fewer than the current {n_columns:,} binary columns"
    if classifier.status_ == "time_limit" and 0 < classifier.gap_ <= _SMALL_GAP and classifier.time_limit:
        helpful = {"time_limit": 10 * classifier.time_limit} | helpful
        remarks["time_limit"] = "the gap is small"
    lines = {code_with(classifier, name, value): remarks.get(name, "") for name, value in helpful.items()}
    name = type(classifier).__name__
    if name == "OSDTClassifier":
        lines[_same_problem(classifier, "GOSDTClassifier")] = "proves the same, as a rule much sooner"
    elif (
        name == "GOSDTClassifier"
        and classifier.objective in (*_SUMS, "cost")
        and classifier.max_leaves is None
        and classifier.shape == "tree"
    ):
        lines[_same_problem(classifier, "SPLITClassifier")] = "near-optimal in seconds, without proof"
    elif name == "SPLITClassifier":
        lines[_same_problem(classifier, "LicketySPLITClassifier")] = "near-optimal in polynomial time"
    more = _MORE[classifier.status_]
    if "seconds_before" in classifier.statistics_:
        more = "make the same call again, which goes on from its checkpoint"
    return f"{more}, or try one of these:\n{_pasteable(lines)}" if lines else f"{more}."


def early_note(classifier: Any) -> str:
    """Return what to do about a long search without a time limit of the user's, as code to paste."""
    lines = {code_with(classifier, name, value): "" for name, value in helpful_parameters(classifier).items()}
    limit = classifier.time_limit
    if limit is None:
        lines[code_with(classifier, "time_limit", 60)] = "the best tree found in a minute"
        end = "Ctrl-C ends it"
    else:
        end = f"Ctrl-C, or the time_limit of {float(limit):g} s (None: no limit), ends it"
    return f"{end} with the best tree so far. For a sooner end, try one of these:\n{_pasteable(lines)}"


def code_with(classifier: Any, name: str, value: Any) -> str:
    """Return the code of the same estimator with one parameter changed."""
    default = type(classifier)().get_params(deep=False)
    given = classifier.get_params(deep=False) | {name: value}
    left_out = _NOT_OF_THE_SEARCH + (_OF_ONE_PROBLEM if name in _OF_THE_PROBLEM else ())
    written = [
        f"{key}={_written(key, given[key])}"
        for key in sorted(given, key="regularization".__ne__)  # first, as users write it
        if key not in left_out and (key == name or not _is_same(given[key], default[key]))
    ]
    return f"{type(classifier).__name__}({', '.join(written)})"


def _pasteable(lines: dict[str, str]) -> str:
    return "\n".join(f"    {code}" + (f"  # {remark}" if remark else "") for code, remark in lines.items())


def _same_problem(classifier: Any, name: str) -> str:
    """Return the code of another estimator for the same problem.

    The near-optimal methods are fast over every threshold, their default: only a `Binarizer` or None is kept for them.
    """
    default = type(classifier)().get_params(deep=False)
    given = classifier.get_params(deep=False)
    if name != "GOSDTClassifier":
        given = {key: value for key, value in given.items() if key != "binarizer" or not isinstance(value, str)}
    names = [key for key in _OF_THE_PROBLEM if key in given and not _is_same(given[key], default[key])]
    return f"{name}({', '.join(f'{key}={_written(key, given[key])}' for key in names)})"


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (np.isscalar(value) and bool(value == default))


def _written(name: str, value: Any) -> str:
    """Return the code of a value; for a model or a long list, the parameter stands for a variable of that name."""
    value = _plain(np.asarray(value) if name == "cost_matrix" and value is not None else value)
    is_plain = value is None or isinstance(value, (str, bool, int, float, dict)) or name in ("binarizer", "cost_matrix")
    if not is_plain or name == "start_tree":
        return name
    code = f'"{value}"' if isinstance(value, str) else repr(value)
    return name if "..." in code or "array(" in code else code  # as scikit-learn shortens a binarizer


def _plain(value: Any) -> Any:
    """Return numbers and arrays of NumPy and others as those of Python, which can be pasted without imports."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, Real) and not isinstance(value, int):
        return float(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return value
