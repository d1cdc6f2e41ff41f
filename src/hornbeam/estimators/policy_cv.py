"""The exact policy tree that chooses its leaf penalty by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._cross_validation import CrossValidatedPath, FinePenalty, as_rows
from hornbeam.estimators._policy import PolicyTreeMethods
from hornbeam.estimators.policy import PolicyTree
from hornbeam.fitting.progress import Progress
from hornbeam.fitting.rewards import read_rewards


class _FinePolicyTree(FinePenalty, PolicyTree):
    def _score_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the mean reward; -inf if an action is chosen that is not available, since this cannot be done."""
        _, weights, chosen = self._earned(X, y, sample_weight, may_miss=True)
        return -np.inf if np.isnan(chosen).any() else float(np.average(chosen, weights=weights))


class PolicyTreeCV(CrossValidatedPath, PolicyTreeMethods):
    """Optimal sparse policy tree of the size that cross-validation chooses.

    As `GOSDTClassifierCV`: the leaf penalties compared are one for each tree of the regularization path over all rows,
    and the path of the training rows of each fold is scored on the others.

    A missing reward means that the action is not available, so a tree that chooses such an action for a held-out row
    has the score -inf, and its leaf penalty is not chosen. `fit` raises ValueError if this leaves none.

    Parameters
    ----------
    min_regularization : float or "auto", default="auto"
        Smallest leaf penalty, see `PolicyTree`; larger trees than the best one for it are not considered. "auto": a
        share of what the best single action loses: 1 / n_rows, but at least 0.0001 and at most 0.01.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf. None: no limit.
    costs : sequence of float of length n_actions, dict or None, default=None
        See `PolicyTree`.
    cv : int, cross-validation generator, iterable or None, default=None
        The folds, as in scikit-learn: None or an integer for consecutive rows (None: 5), a splitter, or an iterable of
        pairs of arrays of row numbers.
    scoring : callable or None, default=None
        The score to maximize, called with the estimator, `X` and the rewards. None: the mean reward.
    rule : {"best", "one_standard_error"}, default="best"
        See `GOSDTClassifierCV`.
    max_leaves : int or None, default=None
        Largest number of leaves of all trees. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        See `PolicyTree`.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        See `PolicyTree`; it is fitted anew on the training rows of each fold.
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
    tree_ : ActionTree
        The chosen tree, over all rows.
    regularization_ : float
        The chosen leaf penalty.
    regularizations_, cv_results_, best_index_, best_score_, path_, n_splits_
        See `GOSDTClassifierCV`.
    actions_, value_, single_action_, single_action_value_, n_unavailable_, objective_, loss_, lower_bound_, gap_, \
status_, n_leaves_, depth_, feature_importances_, binarizer_, schema_, n_features_in_, feature_names_in_, statistics_
        Of the chosen tree, see `PolicyTree`.

    See Also
    --------
    PolicyTree : With a leaf penalty that you set.
    hornbeam.plot_cv : Draws the mean score against the leaf penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import PolicyTreeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 10, size=(300, 2))
    >>> rewards = np.column_stack([np.zeros(300), np.where(X[:, 0] > 4, 1, -1) + rng.normal(size=300)])
    >>> policy = PolicyTreeCV(rule="one_standard_error", max_depth=2).fit(X, rewards)
    >>> policy.n_leaves_, policy.cv_results_["n_leaves"].tolist()
    (2, [2, 1])
    """

    _classifier = _FinePolicyTree

    def __init__(
        self,
        min_regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        costs: Sequence[float] | Mapping[Any, float] | None = None,
        cv: Any = None,
        scoring: Any = None,
        rule: Literal["best", "one_standard_error"] = "best",
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
    ) -> None:
        self.min_regularization = min_regularization
        self.max_depth = max_depth
        self.costs = costs
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
        read_rewards(y)  # whatever is wrong with it
        return as_rows(y)
