"""SPLIT and LicketySPLIT: near-optimal trees in little more time than greedy ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy.typing as npt

from hornbeam._keywords import accept_positional
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._lookahead import LicketySplitTree, SplitTree
from hornbeam.estimators._regularized import RegularizedTreeClassifier
from hornbeam.fitting.progress import Progress
from hornbeam.tree.shares import Smoothing


class SPLITClassifier(SplitTree, RegularizedTreeClassifier):
    """Near-optimal sparse decision tree by lookahead search with greedy completion, then optimal completion.

    The first `lookahead_depth` levels of splits are searched exhaustively, where each leaf costs as much as the greedy
    tree (by information gain, pruned) of the remaining depth. Then an optimal tree replaces every greedy one, unless
    `completion` is "greedy". The result is never worse than the greedy tree of the same depth and leaf penalty, nor
    than any tree of depth `lookahead_depth`. It is optimal if some optimal tree is greedy below that depth.

    With many thresholds (as a rule numbers with ``binarizer="exact"``) the search works on sorted values instead, see
    `LicketySPLITClassifier`. Then an exact search gets about a tenth of a second, which proves the tree of a small
    table optimal. Otherwise, the tree is improved in rounds over all its nodes, until ``4 * (lookahead_depth - 1)``
    rounds have found no better one. The comparisons above are not guaranteed then.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty; see `GOSDTClassifier`.
    lookahead_depth : int, default=2
        Levels of splits that are searched exhaustively, at least 1. The authors' code counts nodes instead: its
        ``lookahead_depth_budget`` is one more. Each level multiplies the time, by up to the number of binary columns,
        so a long lookahead is slower than `GOSDTClassifier`, and its tree is no better. Therefore the exact search
        replaces it from ``max_depth - 1`` on, and proves its tree: `status_` is "optimal". With
        ``completion="greedy"``, or numbers with many thresholds, it does so from `max_depth` on.
    objective
        See `GOSDTClassifier`.
    max_depth : int, default=5
        Largest number of edges from the root to a leaf. The authors' ``full_depth_budget`` is one more.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    completion : {"optimal", "greedy"}, default="optimal"
        What the leaves of the best prefix become. "optimal": optimal trees of the depth that is left, as in algorithm
        2 with its flag p. "greedy": the greedy trees that the prefix was chosen by, as without the flag. No exact
        search is needed then, and over the same columns the tree is never better and often the same. "greedy" always
        searches binary columns, also where "optimal" works on sorted values.
    last_split : {"gain", "loss"}, default="gain"
        Which column greedy trees split on at the last level that the depth allows. "gain": the column of largest
        information gain, as in the paper. "loss": the one that leaves the least loss, as in the package licketysplit.
        With "loss", no greedy tree is worse or slower, and the returned tree is better in most cases, but not in all.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        How columns become binary; see `GOSDTClassifier`. Over binary columns the time grows with the power
        ``lookahead_depth + 1`` of their number.
    class_weight, omega, cost_matrix
        See `GOSDTClassifier`. Information gain counts each row by what a wrong prediction of its class can cost at
        most. Of columns with equal gain (within 1e-12 bits) the first is used.
    smoothing : float, "laplace" or None, default=None
        How `predict_proba` turns the shares of a leaf into probabilities. None: the shares themselves, which are 0 or 1
        in pure leaves. "laplace": each class weighs 1 more in every leaf. A number m: the m-estimate, as if every leaf
        had m more rows of weight 1, divided as in the training data. The tree and `predict` stay the same.
    time_limit : float or None, default=None
        Seconds, as in `GOSDTClassifier`. No limit by default, since the search ends by itself, in seconds as a rule.
    memory_limit, temporary_folder, n_jobs, verbose, callback, trace
        See `GOSDTClassifier`. A search that is stopped returns its best tree, which is never worse than the greedy one.
        `n_jobs` is used by the optimal completion and by the certifying search.
    certify : bool, default=False
        Whether to run the exact search afterwards, in the rest of `time_limit`, for a better `lower_bound_`. The tree
        stays the same; if it is proven optimal, `status_` is "optimal".

    Attributes
    ----------
    status_ : {"heuristic", "optimal", "time_limit", "memory_limit", "interrupted"}
        "heuristic": the search finished, but its tree is not proven best.
    lower_bound_ : float
        No tree within the limits has a smaller objective. Without `certify` it is often only the penalty of two leaves
        plus the loss of equal rows with different labels.
    tree_, classes_, objective_, loss_, gap_, n_leaves_, depth_, feature_importances_, regularization_, binarizer_, \
schema_, n_features_in_, feature_names_in_, statistics_, trace_
        See `GOSDTClassifier`.

    References
    ----------
    .. [1] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           algorithms 1, 2 and 4, theorems A.1 to A.3.

    Examples
    --------
    >>> from hornbeam import SPLITClassifier
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
    >>> classifier = SPLITClassifier(regularization=0.01, binarizer=None).fit(X, [0, 1, 1, 0])
    >>> classifier.loss_, classifier.n_leaves_
    (0.0, 4)

    With ``completion="greedy"`` the tree is the best prefix with greedy trees below it:

    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(2, return_X_y=True)
    >>> for completion in ("greedy", "optimal"):
    ...     tree = SPLITClassifier(0.001, completion=completion).fit(X, y)
    ...     print(completion, round(tree.objective_, 4))
    greedy 0.2056
    optimal 0.1778
    """

    _reads_streams = True

    @accept_positional(
        "max_depth last_split min_samples_leaf objective omega cost_matrix class_weight binarizer time_limit "
        "memory_limit n_jobs verbose callback certify trace"
    )
    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        lookahead_depth: int = 2,
        *,
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
        temporary_folder: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        certify: bool = False,
    ) -> None:
        self.regularization = regularization
        self.lookahead_depth = lookahead_depth
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
        self.temporary_folder = temporary_folder
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.certify = certify


class LicketySPLITClassifier(LicketySplitTree, RegularizedTreeClassifier):
    """Near-optimal sparse decision tree in polynomial time: one split searched at a time, with greedy trees below it.

    Every node gets the split whose sides are cheapest if both are completed by the greedy tree (by information gain,
    pruned) of the remaining depth; if no split pays, the node is a leaf. The time is O(n k^2 d^2) for n rows, k binary
    columns and depth d. The result is never worse than the greedy tree of the same depth and leaf penalty.

    With many thresholds (64 a column on average, or more than 512 in all and 8 a column; as a rule numbers with
    ``binarizer="exact"``) the search works on sorted values, and its time hardly depends on the number of thresholds.
    The best is kept of CART's trees, pruned for the leaf penalty; of LicketySPLIT's tree over 512 conditions or more,
    the best and some quantiles of each column, on 16,384 rows (more rows if there are fewer conditions, fewer if there
    are more); and of a tree for which each node completes the best splits by impurity and by loss. The splits of every
    tree are then improved one by one, over all thresholds of all columns. Of more than 131,072 distinct rows, a sample
    of 65,536 takes the first steps. The tree is never worse than a single leaf, but the comparison with the greedy tree
    is not guaranteed then. `last_split` is not used.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty; see `GOSDTClassifier`.
    max_depth : int, default=5
        Largest number of edges from the root to a leaf. The authors' code with ``full_depth_budget=F`` searches F - 1
        levels and adds one more split, so its trees have up to F edges on a path.
    objective, min_samples_leaf, last_split, binarizer, class_weight, omega, cost_matrix, smoothing, time_limit, \
memory_limit, temporary_folder, n_jobs, verbose, callback, trace, certify
        See `SPLITClassifier`.

    Attributes
    ----------
    status_, lower_bound_
        See `SPLITClassifier`.
    tree_, classes_, objective_, loss_, gap_, n_leaves_, depth_, feature_importances_, regularization_, binarizer_, \
schema_, n_features_in_, feature_names_in_, statistics_, trace_
        See `GOSDTClassifier`.

    References
    ----------
    .. [1] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           algorithms 3 and 4, theorems 6.4 and A.1.

    Examples
    --------
    >>> from hornbeam import LicketySPLITClassifier
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
    >>> classifier = LicketySPLITClassifier(regularization=0.01, binarizer=None).fit(X, [0, 1, 1, 0])
    >>> classifier.loss_, classifier.n_leaves_
    (0.0, 4)
    """

    _reads_streams = True

    @accept_positional(
        "last_split min_samples_leaf objective omega cost_matrix class_weight binarizer time_limit memory_limit "
        "n_jobs verbose callback certify trace"
    )
    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int = 5,
        *,
        objective: Literal["accuracy", "balanced", "weighted", "cost"] = "accuracy",
        min_samples_leaf: int = 1,
        last_split: Literal["gain", "loss"] = "gain",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        smoothing: Smoothing = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        temporary_folder: str | PathLike[str] | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        certify: bool = False,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.objective = objective
        self.min_samples_leaf = min_samples_leaf
        self.last_split = last_split
        self.binarizer = binarizer
        self.class_weight = class_weight
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.smoothing = smoothing
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.temporary_folder = temporary_folder
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.certify = certify
