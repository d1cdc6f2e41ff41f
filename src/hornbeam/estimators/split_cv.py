"""SPLIT with a leaf penalty that cross-validation chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy.typing as npt

from hornbeam.binarizers import Binarizer
from hornbeam.estimators._classifier import TreeClassifier
from hornbeam.estimators._cross_validation import CrossValidated, FinePenalty
from hornbeam.estimators.split import SPLITClassifier
from hornbeam.fitting.progress import Progress
from hornbeam.tree.shares import Smoothing


class _FineSPLITClassifier(FinePenalty, SPLITClassifier):
    pass


class SPLITClassifierCV(CrossValidated, TreeClassifier):
    """Near-optimal sparse decision tree of the size that cross-validation chooses.

    Compares ten leaf penalties, evenly spaced as factors, between `min_regularization` and a tenth of the largest
    possible loss, with a search of `SPLITClassifier` for each of them on all rows and on the training rows of each
    fold. Much faster than `GOSDTClassifierCV` where proofs are out of reach.

    Parameters
    ----------
    min_regularization : float or "auto", default="auto"
        Smallest leaf penalty. "auto": 1 / n_rows, but at least 0.0001 and at most 0.01, as a share of the largest
        possible loss.
    lookahead_depth : int, default=2
        Number of levels of splits that are searched over greedy trees, see `SPLITClassifier`.
    cv, scoring, rule
        See `GOSDTClassifierCV`.
    objective, max_depth, min_samples_leaf, completion, last_split, binarizer, class_weight, omega, cost_matrix, \
smoothing
        See `SPLITClassifier`.
    time_limit : float or None, default=None
        Seconds for everything: a third for the searches over all rows, the rest for the folds.
    memory_limit : int or None, default=None
        Bytes by which each search may increase the memory of the process.
    n_jobs : int or None, default=None
        Folds that run at the same time, by joblib; -1: one for each core.
    verbose : int or bool, default=0
        1 or True: show the progress of each search in this process.
    callback : callable or None, default=None
        Called with a `Progress` during each search; returning True stops it.

    Attributes
    ----------
    regularizations_, cv_results_, best_index_, best_score_, n_splits_
        See `GOSDTClassifierCV`.
    tree_, classes_, objective_, loss_, lower_bound_, gap_, status_, n_leaves_, depth_, feature_importances_, \
regularization_, binarizer_, schema_, n_features_in_, feature_names_in_, statistics_
        Of the chosen tree over all rows, see `SPLITClassifier`.

    See Also
    --------
    SPLITClassifier : With a leaf penalty that you set.
    GOSDTClassifierCV : The same for optimal trees, over the whole regularization path.

    Examples
    --------
    >>> from hornbeam import SPLITClassifierCV
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> classifier = SPLITClassifierCV(max_depth=3).fit(X, y)
    >>> classifier.n_leaves_, len(classifier.regularizations_)
    (4, 10)
    """

    _classifier = _FineSPLITClassifier

    def __init__(
        self,
        min_regularization: float | Literal["auto"] = "auto",
        lookahead_depth: int = 2,
        *,
        cv: Any = None,
        scoring: Any = None,
        rule: Literal["best", "one_standard_error"] = "best",
        objective: Literal["accuracy", "balanced", "weighted", "cost"] = "accuracy",
        max_depth: int = 5,
        min_samples_leaf: int = 1,
        completion: Literal["optimal", "greedy"] = "optimal",
        last_split: Literal["gain", "loss"] = "gain",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        smoothing: Smoothing = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
    ) -> None:
        self.min_regularization = min_regularization
        self.lookahead_depth = lookahead_depth
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.objective = objective
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.completion = completion
        self.last_split = last_split
        self.binarizer = binarizer
        self.class_weight = class_weight
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.smoothing = smoothing
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
