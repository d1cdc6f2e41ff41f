"""The exact survival tree that chooses its leaf penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._cross_validation import CrossValidatedPath, FinePenalty, as_rows
from hornbeam.estimators._survival import SurvivalMethods
from hornbeam.estimators.survival import SurvivalTree
from hornbeam.fitting.progress import Progress
from hornbeam.survival.times import read_times


class _FineSurvivalTree(FinePenalty, SurvivalTree):
    pass


class SurvivalTreeCV(CrossValidatedPath, SurvivalMethods):
    """Optimal sparse survival tree of the size that cross-validation chooses.

    As `GOSDTClassifierCV`: the leaf penalties compared are one for each tree of the regularization path over all rows,
    and the path of the training rows of each fold is scored on the others. So there is one path for each fold, whatever
    the number of leaf penalties.

    Parameters
    ----------
    min_regularization : float or "auto", default="auto"
        Smallest leaf penalty, see `SurvivalTree`; larger trees than the best one for it are not considered. "auto":
        1 / n_rows, but at least 0.0001 and at most 0.01.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf. None: no limit.
    cv : int, cross-validation generator, iterable or None, default=None
        The folds, as in scikit-learn: None or an integer for consecutive rows (None: 5), a splitter, or an iterable of
        pairs of arrays of row numbers.
    scoring : callable or None, default=None
        The score to maximize, called with the estimator, `X` and `y`. None: Harrell's concordance index, which needs
        test rows that can be compared, and in which weights do not count.
    rule : {"best", "one_standard_error"}, default="best"
        See `GOSDTClassifierCV`.
    max_leaves : int or None, default=None
        Largest number of leaves of all trees. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        See `SurvivalTree`.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        See `SurvivalTree`; it is fitted anew on the training rows of each fold.
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
    tree_ : HazardTree
        The chosen tree, over all rows.
    regularization_ : float
        The chosen leaf penalty.
    regularizations_, cv_results_, best_index_, best_score_, path_, n_splits_
        See `GOSDTClassifierCV`.
    objective_, loss_, lower_bound_, rounding_, gap_, status_, n_leaves_, depth_, feature_importances_, binarizer_, \
event_times_, schema_, n_features_in_, feature_names_in_, statistics_
        Of the chosen tree, see `SurvivalTree`.

    See Also
    --------
    SurvivalTree : With a leaf penalty that you set.
    hornbeam.plot_cv : Draws the mean score against the leaf penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import SurvivalTreeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(300, 3))
    >>> death, end = rng.exponential(np.where(X[:, 0] == 1, 1.0, 5.0)), rng.uniform(0, 8, 300)
    >>> y = np.column_stack([death <= end, np.minimum(death, end)])
    >>> tree = SurvivalTreeCV(rule="one_standard_error", max_depth=2).fit(X, y)
    >>> tree.n_leaves_, tree.cv_results_["n_leaves"].tolist()
    (2, [3, 2, 1])
    """

    _classifier = _FineSurvivalTree

    def __init__(
        self,
        min_regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        cv: Any = None,
        scoring: Any = None,
        rule: Literal["best", "one_standard_error"] = "best",
        max_leaves: int | None = None,
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
        self.min_samples_leaf = min_samples_leaf
        self.shape = shape
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _read_target(self, y: Any) -> Any:
        read_times(y)  # whatever is wrong with it
        return as_rows(y)

    def _check_folds(self, target: Any, splits: list[Any]) -> None:
        events = read_times(target).events
        for fold, (train, _) in enumerate(splits):
            if not events[train].any():
                raise ValueError(
                    f"The training rows of fold {fold} have no event; use fewer folds, or a cv that mixes the rows, "
                    "such as KFold(shuffle=True)."
                )
