"""The exact regressor that chooses its leaf penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._cross_validation import CrossValidatedPath, FinePenalty
from hornbeam.estimators._regressor import RegressorMethods
from hornbeam.estimators.regressor import GOSDTRegressor
from hornbeam.fitting.numbers import read_targets
from hornbeam.fitting.progress import Progress


class _FineGOSDTRegressor(FinePenalty, GOSDTRegressor):
    pass


class GOSDTRegressorCV(CrossValidatedPath, RegressorMethods):
    """Optimal sparse regression tree of the size that cross-validation chooses.

    As `GOSDTClassifierCV`: the leaf penalties compared are one for each tree of the regularization path over all rows,
    and the path of the training rows of each fold is scored on the others. So there is one path for each fold, whatever
    the number of leaf penalties.

    Parameters
    ----------
    min_regularization : float or "auto", default="auto"
        Smallest leaf penalty, see `GOSDTRegressor`; larger trees than the best one for it are not considered. "auto":
        1 / n_rows, but at least 0.0001 and at most 0.01.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf. None: no limit.
    cv : int, cross-validation generator, iterable or None, default=None
        The folds, as in scikit-learn: None or an integer for consecutive rows (None: 5), a splitter, or an iterable of
        pairs of arrays of row numbers.
    scoring : str, callable or None, default=None
        The score to maximize, any of scikit-learn's for regressors, such as "neg_mean_absolute_error". None: R^2, which
        needs test rows with different targets; for folds of one row use "neg_mean_squared_error".
    rule : {"best", "one_standard_error"}, default="best"
        See `GOSDTClassifierCV`.
    max_leaves : int or None, default=None
        Largest number of leaves of all trees. None: no limit.
    loss : {"squared_error", "absolute_error", "quantile"}, default="squared_error"
        What the trees minimize, see `GOSDTRegressor`. It does not change `scoring`: "neg_mean_absolute_error" goes with
        "absolute_error".
    quantile : float, default=0.5
        The quantile for ``loss="quantile"``.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        See `GOSDTRegressor`.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        See `GOSDTRegressor`; it is fitted anew on the training rows of each fold.
    time_limit : float or None, default=60
        Seconds for everything: a third for the path over all rows, the rest for the folds.
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
    tree_ : RegressionTree or QuantileTree
        The chosen tree, over all rows.
    regularization_ : float
        The chosen leaf penalty.
    regularizations_, cv_results_, best_index_, best_score_, path_, n_splits_
        See `GOSDTClassifierCV`.
    objective_, loss_, lower_bound_, rounding_, gap_, status_, n_leaves_, depth_, feature_importances_, binarizer_, \
schema_, n_features_in_, feature_names_in_, statistics_
        Of the chosen tree, see `GOSDTRegressor`.

    See Also
    --------
    GOSDTRegressor : With a leaf penalty that you set.
    hornbeam.plot_cv : Draws the mean score against the leaf penalty.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import GOSDTRegressorCV
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> regressor = GOSDTRegressorCV(rule="one_standard_error", max_depth=2).fit(X, y)
    >>> regressor.n_leaves_, regressor.cv_results_["n_leaves"].tolist()
    (3, [4, 3, 2, 1])
    """

    _classifier = _FineGOSDTRegressor

    def __init__(
        self,
        min_regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        rule: Literal["best", "one_standard_error"] = "best",
        max_leaves: int | None = None,
        loss: Literal["squared_error", "absolute_error", "quantile"] = "squared_error",
        quantile: float = 0.5,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["quantile", "exact"] | Binarizer | None = "quantile",
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
        self.max_leaves = max_leaves
        self.loss = loss
        self.quantile = quantile
        self.min_samples_leaf = min_samples_leaf
        self.shape = shape
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _read_target(self, y: Any) -> Any:
        return read_targets(y)
