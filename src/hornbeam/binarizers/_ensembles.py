"""Fit a model within a budget, and read its thresholds, whichever library it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from hornbeam._budget import Budget

Split = tuple[int, float]


class Splits(NamedTuple):
    """Where a model splits its columns: ``column <= threshold``."""

    pairs: set[Split]  # index of the column, and threshold: the largest number that may go to the left
    precision: type[np.floating[Any]] = np.float64  # that of the numbers which the model compares with thresholds
    are_cuts: bool = False  # whether the model does not say more than between which two values a threshold lies


def splits_of(name: str, model: Any, min_jump: float) -> Splits:
    """Return the splits of a fitted model that lists its thresholds.

    Parameters
    ----------
    name : str
        Of the parameter that the model is, for messages.
    model : estimator
        Fitted to an array: a tree, forest, extra trees, bagging, gradient boosting or histogram gradient boosting of
        scikit-learn, an estimator of XGBoost or LightGBM, an explainable boosting machine of InterpretML, or any object
        with an attribute `bin_edges_`: an array for each column with its edges in ascending order, the first and the
        last of which are the ends.
    min_jump : float
        Of an explainable boosting machine, see `ThresholdGuessBinarizer`.

    Returns
    -------
    Splits

    Raises
    ------
    TypeError
        If the model is none of these.
    """
    if hasattr(model, "bins_") and hasattr(model, "term_scores_"):
        return Splits(set(_of_shapes(model, min_jump)), are_cuts=True)
    if hasattr(model, "bin_edges_"):
        return Splits(set(_below(enumerate(edges[1:-1] for edges in model.bin_edges_))), are_cuts=True)
    for shows_trees, read, precision in _READERS:
        if shows_trees(model):
            return Splits(set(read(model)), precision)
    raise TypeError(
        f"{name} must be an ensemble of trees from scikit-learn, XGBoost or LightGBM or an explainable boosting "
        f"machine, or have bin_edges_ after fit, got {type(model).__name__}."
    )


def importances_of(model: Any) -> npt.NDArray[np.float64]:
    """Return the importance of each column to a fitted model: of trees, the total gain of its splits."""
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_, dtype=np.float64)
    importances = np.zeros(model.n_features_in_)
    if hasattr(model, "term_importances"):
        for columns, importance in zip(model.term_features_, model.term_importances(), strict=True):
            importances[list(columns)] += importance
        return importances
    if not hasattr(model, "_predictors"):
        raise TypeError(
            f"reference must have feature_importances_ after fit, got {type(model).__name__}; set eliminate=False, or "
            "give it as thresholds."
        )
    for predictor in (predictor for iteration in model._predictors for predictor in iteration):
        nodes = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        np.add.at(importances, nodes["feature_idx"], nodes["gain"])
    return importances


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


def _of_shapes(machine: Any, min_jump: float) -> Iterator[Split]:
    """Read where the score of a column jumps, as in appendix E of the guesses paper."""
    importances = np.asarray(machine.term_importances(), dtype=np.float64)
    most = importances.max(initial=0.0)
    for columns, scores, importance in zip(machine.term_features_, machine.term_scores_, importances, strict=True):
        if len(columns) > 1 or not isinstance(machine.bins_[columns[0]][0], np.ndarray):
            continue  # a pair of columns has coarser bins, and those of categories have no order
        cuts = machine.bins_[columns[0]][0]
        # The first score is that of missing values, the last one that of unknown ones; with several classes, each score
        # is a row of numbers.
        jumps = (
            np.abs(np.diff(scores[1:-1], axis=0)).reshape(len(cuts), prod(scores.shape[1:])).max(axis=1, initial=0.0)
        )
        yield from _below([(columns[0], cuts[jumps * importance > min_jump * most])])


def _below(cuts: Iterable[tuple[int, npt.NDArray[Any]]]) -> Iterator[Split]:
    """Return splits for cuts, at which a number that is equal to the cut lies above it."""
    for column, values in cuts:
        yield from ((column, float(value)) for value in np.nextafter(np.asarray(values, dtype=np.float64), -np.inf))


_READERS: Iterable[tuple[Callable[[Any], bool], Callable[[Any], Iterator[Split]], type[np.floating[Any]]]] = (
    (_has("estimators_"), _of_trees, np.float32),
    (_has("tree_"), _of_tree, np.float32),
    (_has("_predictors"), _of_histograms, np.float64),
    (_has("get_booster"), _of_xgboost, np.float32),
    (_has("booster_"), _of_lightgbm, np.float64),
)
