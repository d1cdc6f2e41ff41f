"""What would help a search that was stopped before its proof, as code to paste."""

from __future__ import annotations

from typing import Any

_PROVABLE_DEPTH = 3  # most tables are proven in seconds up to this depth
_MANY_COLUMNS = 100  # from this many binary columns on, fewer help much

_MORE = {
    "time_limit": "raise time_limit",
    "memory_limit": "raise memory_limit",
    "expansion_limit": "raise max_expansions",
    "interrupted": "let the search run on",
}
_SUMS = ("accuracy", "balanced", "weighted")
_OF_THE_PROBLEM = ("regularization", "min_samples_leaf", "objective", "omega", "class_weight")


def helpful_parameters(classifier: Any) -> dict[str, Any]:
    """Return parameter values that each shorten the search of a fitted classifier, the most effective first."""
    given = classifier.get_params(deep=False)
    binarizer = classifier.binarizer_
    helpful: dict[str, Any] = {}
    if given["max_depth"] is None or given["max_depth"] > _PROVABLE_DEPTH:
        helpful["max_depth"] = _PROVABLE_DEPTH
    if getattr(binarizer, "strategy", None) == "exact" and len(binarizer.conditions_) > _MANY_COLUMNS:
        helpful["binarizer"] = "quantile"
    if given.get("lookahead_depth", 1) > 1 and given.get("method", "resplit") == "resplit":
        helpful["lookahead_depth"] = 1
    if given.get("epsilon"):
        helpful["epsilon"] = given["epsilon"] / 2
    # The leaf penalty is the last resort: unlike the others it changes what the best tree is. It may be 0.
    if "regularization" in given and not helpful:
        helpful["regularization"] = 2 * given["regularization"] or 0.001
    return helpful


def advice(classifier: Any) -> str:
    """Return the end of a warning that a search was stopped: one line of code for each way out."""
    helpful = helpful_parameters(classifier)
    lines = {f"{name}={_written(value)}": "" for name, value in helpful.items()}
    if "binarizer" in helpful:
        n_columns = len(classifier.binarizer_.conditions_)
        lines['binarizer="quantile"'] = f'or "guess": fewer than the current {n_columns:,} binary columns'
    name = type(classifier).__name__
    if name == "OSDTClassifier":
        lines[f"GOSDTClassifier({_problem(classifier)})"] = "proves the same, as a rule much sooner"
    elif name == "GOSDTClassifier" and classifier.objective in _SUMS:
        lines[f"SPLITClassifier({_problem(classifier)})"] = "near-optimal, without proof, in far less time"
    elif name == "SPLITClassifier":
        lines[f"LicketySPLITClassifier({_problem(classifier)})"] = "near-optimal in polynomial time"
    more = _MORE[classifier.status_]
    return f"{more}, or try one of these:\n{_pasteable(lines)}" if lines else f"{more}."


def early_note(classifier: Any) -> str:
    """Return what to do about a long search without a time limit, as code to paste."""
    lines = {f"{name}={_written(value)}": "" for name, value in helpful_parameters(classifier).items()}
    lines["time_limit=60"] = "the best tree found in a minute"
    return f"Ctrl-C ends it with the best tree so far. For a sooner end, try one of these:\n{_pasteable(lines)}"


def _pasteable(lines: dict[str, str]) -> str:
    return "\n".join(f"    {code}" + (f"  # {remark}" if remark else "") for code, remark in lines.items())


def _problem(classifier: Any) -> str:
    """Return the arguments that give another estimator the same problem."""
    default = type(classifier)().get_params(deep=False)
    given = classifier.get_params(deep=False)
    names = [name for name in _OF_THE_PROBLEM if name in given and given[name] != default[name]]
    return ", ".join(f"{name}={_written(given[name])}" for name in names)


def _written(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
