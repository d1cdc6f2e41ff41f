"""Fit an ensemble of trees within a budget, and read its thresholds, whichever library it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from hornbeam._budget import Budget

Split = tuple[int, float]


def splits_of(ensemble: Any) -> set[Split]:
    """Return the splits ``column <= threshold`` of all trees of a fitted ensemble.

    Parameters
    ----------
    ensemble : estimator
        Fitted to an array: a tree, forest, extra trees, bagging, gradient boosting or histogram gradient boosting of
        scikit-learn, or an estimator of XGBoost or LightGBM.

    Returns
    -------
    set of (int, float)
        Index of the column, and threshold: the largest number that may go to the left.

    Raises
    ------
    TypeError
        If the estimator is none of these.
    """
    for shows_trees, read in _READERS:
        if shows_trees(ensemble):
            return set(read(ensemble))
    raise TypeError(
        f"reference must be an ensemble of trees from scikit-learn, XGBoost or LightGBM, got {type(ensemble).__name__}."
    )


def fit_within(
    ensemble: Any, values: npt.NDArray[Any], labels: npt.NDArray[Any], weights: npt.NDArray[Any], budget: Budget
) -> tuple[Any, bool]:
    """Fit an ensemble, with fewer trees if the budget does not allow all.

    Parameters
    ----------
    ensemble : estimator
        Unfitted. Gradient boosting of scikit-learn can be stopped after any round. An estimator with the parameter
        `warm_start` is fitted in rounds, each with twice as many trees. Any other estimator is fitted completely.
    values, labels, weights : ndarray
        The training data.
    budget : Budget

    Returns
    -------
    ensemble : estimator
        The same, fitted.
    is_whole : bool
        Whether it has all its trees.
    """
    if isinstance(ensemble, (GradientBoostingClassifier, GradientBoostingRegressor)):
        rounds = _Rounds(budget)
        ensemble.fit(values, labels, sample_weight=weights, monitor=rounds)
        return ensemble, not rounds.are_ended
    parameters = ensemble.get_params(deep=False)
    size = next((name for name in ("n_estimators", "max_iter") if name in parameters), None)
    if budget.seconds() is None or size is None or "warm_start" not in parameters:
        return ensemble.fit(values, labels, sample_weight=weights), True
    rounds, n_trees = _Rounds(budget), 1
    while n_trees < parameters[size]:
        ensemble.set_params(warm_start=True, **{size: n_trees}).fit(values, labels, sample_weight=weights)
        if rounds(0, ensemble, {}):
            return ensemble, False
        n_trees *= 2
    ensemble.set_params(**{size: parameters[size]}).fit(values, labels, sample_weight=weights)
    return ensemble.set_params(warm_start=parameters["warm_start"]), True


class _Rounds:
    """Decides after each round of an ensemble whether to stop, because the next one may take twice as long."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._last = budget, budget.elapsed()
        self.are_ended = False

    def __call__(self, number: int, ensemble: Any, variables: dict[str, Any]) -> bool:
        now = self._budget.elapsed()
        self.are_ended = not self._budget.allows(2 * (now - self._last))
        self._last = now
        return self.are_ended


def _of_trees(ensemble: Any) -> Iterator[Split]:
    for member in np.ravel(ensemble.estimators_):
        yield from _of_tree(member)


def _of_tree(estimator: Any) -> Iterator[Split]:
    tree = estimator.tree_
    inner = tree.children_left != tree.children_right
    return zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist(), strict=True)


def _of_histograms(ensemble: Any) -> Iterator[Split]:
    for predictor in (predictor for iteration in ensemble._predictors for predictor in iteration):
        nodes = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        yield from zip(nodes["feature_idx"].tolist(), nodes["num_threshold"].tolist(), strict=True)


def _of_xgboost(ensemble: Any) -> Iterator[Split]:
    nodes = ensemble.get_booster().trees_to_dataframe()
    for name, threshold in zip(nodes["Feature"], nodes["Split"], strict=True):
        if name != "Leaf":  # else f0, f1, ..., since it was fitted to an array
            yield int(name[1:]), float(np.nextafter(np.float32(threshold), np.float32(-np.inf)))  # it tests "less than"


def _of_lightgbm(ensemble: Any) -> Iterator[Split]:
    def walk(node: dict[str, Any]) -> Iterator[Split]:
        if "split_feature" in node:
            yield int(node["split_feature"]), float(node["threshold"])
            yield from walk(node["left_child"])
            yield from walk(node["right_child"])

    for tree in ensemble.booster_.dump_model()["tree_info"]:
        yield from walk(tree["tree_structure"])


def _has(name: str) -> Callable[[Any], bool]:
    return lambda ensemble: hasattr(ensemble, name)


_READERS: Iterable[tuple[Callable[[Any], bool], Callable[[Any], Iterator[Split]]]] = (
    (_has("estimators_"), _of_trees),
    (_has("tree_"), _of_tree),
    (_has("_predictors"), _of_histograms),
    (_has("get_booster"), _of_xgboost),
    (_has("booster_"), _of_lightgbm),
)
