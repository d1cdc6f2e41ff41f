"""The classifiers that the MAPTree paper compares, each with the same limit, and what their trees are worth."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import Array
from benchmarks.worker import stopwatch
from hornbeam import GOSDTClassifier, MAPTreeClassifier, NotProvenWarning

RHO = 2.5
COLORS = {
    "MAPTree": "#0072B2",
    "CART, depth 4": "#D55E00",
    "CART, depth tuned": "#E69F00",
    "DL8.5, depth 4": "#009E73",
    "DL8.5, depth 5": "#56B4E9",
    "GOSDT, λ 1/32": "#CC79A7",
    "GOSDT, λ 10/32": "#999999",
    "GOSDT, λ tuned": "#000000",
}


# Figure 12 of the paper: alpha and beta.
PRIORS = {
    f"alpha {alpha:g}, beta {beta:g}": (alpha, beta)
    for alpha, beta in ((0.999, 0.1), (0.99, 0.2), (0.95, 0.5), (0.9, 1.0), (0.8, 2.0), (0.5, 4.0), (0.2, 8.0))
}


def _optimal(regularization: float, max_depth: int | None) -> Callable[[float], Any]:
    return lambda limit: GOSDTClassifier(
        regularization=regularization,
        max_depth=max_depth,
        binarizer=None,
        time_limit=None,  # of user CPU, by the callback
        callback=_stop_after(limit),
    )


def _most_probable(alpha: float, beta: float) -> Callable[[float], Any]:
    return lambda limit: MAPTreeClassifier(
        alpha, beta, rho=RHO, binarizer=None, time_limit=None, callback=_stop_after(limit)
    )


def _cart(max_depth: int) -> Callable[[float], Any]:
    return lambda limit: DecisionTreeClassifier(max_depth=max_depth, random_state=0)


# What each method may be; of several candidates 5-fold cross-validation on the training rows takes the most accurate.
CANDIDATES: dict[str, Sequence[Callable[[float], Any]]] = {
    "MAPTree": [_most_probable(0.95, 0.5)],
    **{f"CART, depth {depth}": [_cart(depth)] for depth in range(2, 9)},
    "CART, depth tuned": [_cart(max_depth) for max_depth in range(1, 9)],
    **{f"DL8.5, depth {depth}": [_optimal(0, depth)] for depth in range(2, 7)},
    "GOSDT, λ 1/32": [_optimal(1 / 32, None)],
    "GOSDT, λ 10/32": [_optimal(10 / 32, None)],
    "GOSDT, λ tuned": [_optimal(penalty, 4) for penalty in (1 / 32, 0.01, 0.003)],
    **{method: [_most_probable(*prior)] for method, prior in PRIORS.items()},
}
# Of the figures of the appendix, the depths that are not in those of the paper itself.
OTHER_DEPTHS = [method for method in CANDIDATES if "depth" in method and method not in COLORS]


def _stop_after(limit: float) -> Callable[[Any], bool]:
    user_seconds = stopwatch()
    return lambda _: user_seconds() >= limit


def fit(method: str, X: Array, y: Array, limit: float) -> tuple[Any, dict[str, Any]]:
    """Fit a method, tuned if it is to be, with a limit of user CPU seconds for each search; "proven" is of the last."""
    candidates = CANDIDATES[method]
    user_seconds = stopwatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        if len(candidates) > 1:
            folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
            scores = [
                mean(make(limit).fit(X[rows], y[rows]).score(X[others], y[others]) for rows, others in folds)
                for make in candidates
            ]
            candidates = [candidates[int(np.argmax(scores))]]
        model = candidates[0](limit).fit(X, y)
    return model, {"user_seconds": user_seconds(), "proven": getattr(model, "status_", None) == "optimal"}


def judge(model: Any, X: Array, y: Array, X_test: Array, y_test: Array) -> dict[str, float]:
    """Count what a tree is worth on rows that it was not fitted to.

    "log_likelihood" is the mean over test rows of the logarithm of the probability of their class, ``(c_k + 2.5) / (n +
    2.5 K)`` for c_k of n training rows of the leaf; "marginal" is the logarithm of the probability of all test labels
    under the prior of the leaves alone, divided by the number of test rows.
    """
    apply = (model if isinstance(model, DecisionTreeClassifier) else model.tree_).apply
    n_classes = int(y.max()) + 1
    leaves, numbers = np.unique(apply(X), return_inverse=True)
    test_numbers = np.searchsorted(leaves, apply(X_test))
    counts, test_counts = (
        np.bincount(leaf * n_classes + codes, minlength=len(leaves) * n_classes).reshape(-1, n_classes)
        for leaf, codes in ((numbers, y), (test_numbers, y_test))
    )
    probabilities = (counts + RHO) / (counts + RHO).sum(axis=1, keepdims=True)
    return {
        "accuracy": float(np.mean(model.predict(X_test) == y_test)),
        "nodes": 2 * len(leaves) - 1,
        "log_likelihood": float(np.mean(np.log(probabilities[test_numbers, y_test]))),
        "marginal": float(_log_marginal(test_counts).sum() / len(y_test)),
    }


def fit_and_judge(
    method: str, problems: Iterable[tuple[Array, Array, Array, Array]], limit: float
) -> dict[str, list[Any]]:
    """Fit a method to each problem (X, X_test, y, y_test) and judge it; return of each field a list over problems."""
    found = []
    for X, X_test, y, y_test in problems:
        model, fields = fit(method, X, y, limit)
        found.append({**fields, **judge(model, X, y, X_test, y_test)})
    return {field: [one[field] for one in found] for field in found[0]}


def _log_marginal(counts: Array) -> npt.NDArray[np.float64]:
    """Return the log probability of the labels of each leaf, whose class probabilities have a Dirichlet prior."""
    total, n_classes = counts.sum(axis=1), counts.shape[1]
    of_counts = gammaln(counts + RHO).sum(axis=1) - gammaln(total + n_classes * RHO)
    return np.asarray(of_counts - n_classes * gammaln(RHO) + gammaln(n_classes * RHO))
