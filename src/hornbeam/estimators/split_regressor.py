"""SPLIT and LicketySPLIT for numbers: near-optimal regression trees in little more time than greedy ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hornbeam.binarizers import Binarizer
from hornbeam.estimators._lookahead import LicketySplitTree, SplitTree
from hornbeam.estimators._regressor import SquaredErrorTree
from hornbeam.fitting.progress import Progress


class SPLITRegressor(SplitTree, SquaredErrorTree):
    """Near-optimal sparse regression tree by lookahead search with greedy completion, then optimal completion.

    `SPLITClassifier` for squared error. The first `lookahead_depth` levels of splits are searched exhaustively, where
    each leaf costs as much as the greedy tree of the remaining depth: every split of that tree decreases the squared
    error most, as in CART, and it is pruned for the leaf penalty. Then an optimal tree replaces every greedy one,
    unless `completion` is "greedy". The result is never worse than the greedy tree of the same depth and leaf penalty,
    nor than any tree of depth `lookahead_depth`. It is optimal if some optimal tree is greedy below that depth.

    With many thresholds (as a rule numbers with ``binarizer="exact"``) the search works on sorted values instead, see
    `LicketySPLITRegressor`. Then an exact search gets about a tenth of a second, which proves the tree of a small
    table optimal. Otherwise, the tree is improved in rounds over all its nodes, until ``4 * (lookahead_depth - 1)``
    rounds have found no better one. The comparisons above are not guaranteed then.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty; see `GOSDTRegressor`.
    lookahead_depth : int, default=2
        Levels of splits that are searched exhaustively, at least 1. Each level multiplies the time, by up to the number
        of binary columns. From ``max_depth - 1`` on, the exact search takes its place and proves the tree: `status_` is
        "optimal". With ``completion="greedy"``, or numbers with many thresholds, it does so from `max_depth` on.
    max_depth : int, default=5
        Largest number of edges from the root to a leaf.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    completion : {"optimal", "greedy"}, default="optimal"
        What the leaves of the best prefix become. "optimal": optimal trees of the depth that is left. "greedy": the
        greedy trees that the prefix was chosen by; this always searches binary columns.
    binarizer : {"exact", "quantile"}, Binarizer or None, default="exact"
        How columns become binary; see `GOSDTRegressor`. Over binary columns the time grows with the power
        ``lookahead_depth + 1`` of their number.
    time_limit : float or None, default=None
        Seconds, as in `GOSDTRegressor`. No limit by default, since the search ends by itself, in seconds as a rule.
    memory_limit, n_jobs, verbose, callback, trace
        See `GOSDTRegressor`. A search that is stopped returns its best tree. `n_jobs` is used by the optimal completion
        and by the certifying search.
    certify : bool, default=False
        Whether to run the exact search afterwards, in the rest of `time_limit`, for a better `lower_bound_`. The tree
        stays the same; if it is proven optimal, `status_` is "optimal".

    Attributes
    ----------
    status_ : {"heuristic", "optimal", "time_limit", "memory_limit", "interrupted"}
        "heuristic": the search finished, but its tree is not proven best.
    lower_bound_ : float
        No tree within the limits has a smaller objective. Without `certify` it is often only the penalty of two leaves
        plus the squared error of equal rows with different targets.
    tree_, objective_, loss_, rounding_, gap_, n_leaves_, depth_, feature_importances_, regularization_, binarizer_, \
schema_, n_features_in_, feature_names_in_, statistics_, trace_
        See `GOSDTRegressor`.

    See Also
    --------
    LicketySPLITRegressor : Faster.
    GOSDTRegressor : With a proof.

    References
    ----------
    .. [1] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           algorithms 1, 2 and 4, for the squared error in place of the misclassified rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import SPLITRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> regressor = SPLITRegressor(regularization=0.01, binarizer="quantile").fit(X, y)
    >>> regressor.n_leaves_, round(regressor.score(X, y), 3)
    (14, 0.581)
    """

    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        lookahead_depth: int = 2,
        *,
        max_depth: int = 5,
        min_samples_leaf: int = 1,
        completion: Literal["optimal", "greedy"] = "optimal",
        binarizer: Literal["exact", "quantile"] | Binarizer | None = "exact",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        certify: bool = False,
    ) -> None:
        self.regularization = regularization
        self.lookahead_depth = lookahead_depth
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.completion = completion
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.certify = certify


class LicketySPLITRegressor(LicketySplitTree, SquaredErrorTree):
    """Near-optimal sparse regression tree in polynomial time: one split searched at a time, above greedy trees.

    `LicketySPLITClassifier` for squared error. Every node gets the split whose sides are cheapest if both are completed
    by the greedy tree of the remaining depth (as in CART, pruned for the leaf penalty); if no split pays, the node is a
    leaf. The time is O(n k^2 d^2) for n rows, k binary columns and depth d. The result is never worse than the greedy
    tree of the same depth and leaf penalty.

    With many thresholds (64 a column on average, or more than 512 in all and 8 a column; as a rule numbers with
    ``binarizer="exact"``) the search works on sorted values, and its time hardly depends on the number of thresholds.
    The best is kept of CART's tree, pruned for the leaf penalty, and of trees for which each node completes its 4 or 8
    best splits greedily. The splits of every tree are then improved one by one, over all thresholds of all columns. Of
    more than 131,072 distinct rows, a sample of 65,536 takes the first steps. The tree is never worse than a single
    leaf, but the comparison with the greedy tree is not guaranteed then.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty; see `GOSDTRegressor`.
    max_depth : int, default=5
        Largest number of edges from the root to a leaf.
    min_samples_leaf, binarizer, time_limit, memory_limit, n_jobs, verbose, callback, trace, certify
        See `SPLITRegressor`.

    Attributes
    ----------
    status_, lower_bound_
        See `SPLITRegressor`.
    tree_, objective_, loss_, rounding_, gap_, n_leaves_, depth_, feature_importances_, regularization_, binarizer_, \
schema_, n_features_in_, feature_names_in_, statistics_, trace_
        See `GOSDTRegressor`.

    See Also
    --------
    SPLITRegressor : Searches further ahead.
    GOSDTRegressor : With a proof.

    References
    ----------
    .. [1] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           algorithms 3 and 4, for the squared error in place of the misclassified rows.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import LicketySPLITRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> regressor = LicketySPLITRegressor(regularization=0.01, binarizer="quantile").fit(X, y)
    >>> regressor.n_leaves_, round(regressor.score(X, y), 3)
    (14, 0.577)
    """

    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int = 5,
        *,
        min_samples_leaf: int = 1,
        binarizer: Literal["exact", "quantile"] | Binarizer | None = "exact",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        certify: bool = False,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.certify = certify
