"""The exact classifier that chooses its leaf penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy.typing as npt

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._classifier import TreeClassifier
from hornbeam.estimators._cross_validation import CrossValidated, FinePenalty, MakeCandidates, from_path
from hornbeam.estimators.gosdt import GOSDTClassifier
from hornbeam.fitting.progress import Progress
from hornbeam.tree.shares import Smoothing


class _FineGOSDTClassifier(FinePenalty, GOSDTClassifier):
    pass


class GOSDTClassifierCV(CrossValidated, TreeClassifier):
    """Optimal sparse decision tree of the size that cross-validation chooses.

    Finds the regularization path over all rows (`GOSDTClassifier.regularization_path`), and that of the training rows
    of each fold. The leaf penalties compared are one for each tree of the path over all rows, the geometric mean of
    the interval in which the tree is optimal. The chosen tree is the one over all rows.

    Parameters
    ----------
    min_regularization : float or "auto", default="auto"
        Smallest leaf penalty, as `regularization` of `GOSDTClassifier`: larger trees than the best one for it are not
        considered. "auto": 1 / n_rows, but at least 0.0001 and at most 0.01, so that one more leaf must classify one
        more row correctly (for "f1", "auc" and "partial_auc": 0.01).
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf. None: no limit.
    cv : int, cross-validation generator, iterable or None, default=None
        The folds, as in scikit-learn: None or an integer for stratified folds (None: 5), a splitter, or an iterable of
        pairs of arrays of row numbers.
    scoring : str, callable or None, default=None
        The score to maximize, as in scikit-learn. None: the one that belongs to the objective: 1 minus the loss on the
        rows of a fold (the accuracy for "accuracy", the balanced accuracy, F-score or area for others), and minus the
        mean cost for "cost".
    rule : {"best", "one_standard_error"}, default="best"
        "best": the leaf penalty of the best mean score, the largest of equally good ones. "one_standard_error": the
        largest leaf penalty whose mean score is at most one standard error below the best one, for a smaller tree.
    objective : {"accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"}, default="accuracy"
        See `GOSDTClassifier`. The last three have no path: ten leaf penalties between `min_regularization` and 0.1 are
        compared, with a search for each.
    theta : float or None, default=None
        See `GOSDTClassifier`.
    labelling : {"best", "omega"}, default="best"
        See `GOSDTClassifier`.
    max_leaves : int or None, default=None
        Largest number of leaves of all trees. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        See `GOSDTClassifier`; of all trees.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        See `GOSDTClassifier`; it is fitted anew on the training rows of each fold.
    class_weight : dict, "balanced" or None, default=None
        See `GOSDTClassifier`.
    omega : float, default=1.0
        See `GOSDTClassifier`.
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        See `GOSDTClassifier`.
    smoothing : float, "laplace" or None, default=None
        See `GOSDTClassifier`.
    time_limit : float or None, default=60
        Seconds for everything: a third for the path over all rows, the rest for the folds. What is not proven by then
        is the best tree known.
    memory_limit : int or None, default=None
        Bytes by which each search may increase the memory of the process.
    n_jobs : int or None, default=None
        Folds that run at the same time, by joblib; -1: one for each core.
    verbose : int or bool, default=0
        1 or True: show the progress of the path over all rows.
    callback : callable or None, default=None
        Called with a `Progress` about ten times a second during the path over all rows; returning True stops it.

    Attributes
    ----------
    tree_ : Tree
        The chosen tree.
    regularization_ : float
        The chosen leaf penalty.
    regularizations_ : ndarray of float of shape (n_penalties,)
        The leaf penalties compared, rising.
    cv_results_ : dict of str to ndarray of shape (n_penalties,)
        As in `GridSearchCV`: "param_regularization", "n_leaves" of the tree over all rows, "split0_test_score" and so
        on, "mean_test_score", "std_test_score", "standard_error" of the mean, "rank_test_score".
    best_index_ : int
        The chosen one among them.
    best_score_ : float
        Its mean score over the folds.
    path_ : Frontier
        The path over all rows; only for objectives that have one.
    n_splits_ : int
        Number of folds.
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted.
    objective_, loss_, lower_bound_, gap_, status_, n_leaves_, depth_, feature_importances_, binarizer_, schema_, \
n_features_in_, feature_names_in_, statistics_
        Of the chosen tree over all rows, see `GOSDTClassifier`.

    See Also
    --------
    GOSDTClassifier : With a leaf penalty that you set.
    SPLITClassifierCV : The same for near-optimal trees.
    hornbeam.plot_cv : Draws the mean score against the leaf penalty.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees", 1984, section 3.4: the
           geometric means and the rule of one standard error.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifierCV
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> classifier = GOSDTClassifierCV(binarizer="quantile", max_depth=3).fit(X, y)
    >>> classifier.n_leaves_, classifier.cv_results_["n_leaves"].tolist()
    (6, [6, 4, 3, 2, 1])
    """

    _classifier = _FineGOSDTClassifier

    def __init__(
        self,
        min_regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        rule: Literal["best", "one_standard_error"] = "best",
        objective: Literal["accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"] = "accuracy",
        theta: float | None = None,
        labelling: Literal["best", "omega"] = "best",
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        smoothing: Smoothing = None,
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
    ) -> None:
        self.min_regularization = min_regularization
        self.max_depth = max_depth
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.objective = objective
        self.theta = theta
        self.labelling = labelling
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.shape = shape
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

    def _candidates_of(self) -> MakeCandidates:
        base = self._base()
        has_path = self.objective not in base._non_additive_objectives
        return partial(from_path, base) if has_path else super()._candidates_of()
