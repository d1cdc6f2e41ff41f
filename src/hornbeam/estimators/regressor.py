"""The exact regressor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from os import PathLike
from typing import Any, Literal

import numpy as np

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam._checks import check_choice, shown
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._regressor import SquaredErrorTree
from hornbeam.estimators._rounded import RoundedTree
from hornbeam.fitting.cart import cart_regression_trees
from hornbeam.fitting.numbers import NumericTraining
from hornbeam.fitting.parameters import check_number
from hornbeam.fitting.progress import Progress
from hornbeam.fitting.quantiles import QuantileScale, make_quantile_scale
from hornbeam.fitting.squares import SquaredErrorScale
from hornbeam.fitting.start_tree import Splits
from hornbeam.tree import QuantileTree, RegressionTree


class GOSDTRegressor(SquaredErrorTree, RoundedTree):
    """Optimal sparse regression tree for squared error, absolute error or a quantile, with a proof.

    Minimizes ``loss(T) + regularization * n_leaves(T)`` over all trees T within the limits whose conditions are among
    those made by `binarizer`. The loss is the mean squared error on the training data divided by that of a single leaf,
    so 1 minus R^2; with another `loss`, that one divided by that of a single leaf. The proof is about these conditions:
    with ``binarizer="exact"`` they cover every threshold of `X`, otherwise only the chosen ones. The search may be
    stopped at any time - by a limit, by the callback or by Ctrl-C - and then returns its best tree and a proven lower
    bound.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty, from 0 to 1: a fraction of the loss of a single leaf, so that with 0.01 one more leaf must explain
        1 % more of the variance of `y`. "auto": 2 / n_rows, but at least 0.002 and at most 0.01. The same numbers are
        `regularization` of osrt and `cost_complexity` of STreeD (see Notes).
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf; 0 gives a single leaf. None: no limit.
    max_leaves : int or None, default=None
        Largest number of leaves, at least 1. None: no limit.
    loss : {"squared_error", "absolute_error", "quantile"}, default="squared_error"
        "squared_error": leaves predict means. "absolute_error": leaves predict medians, which a few extreme targets do
        not move. "quantile": leaves predict the quantile of the next parameter, and the loss is the pinball loss. The
        last two search much longer, and are proven up to `rounding_` if `y` has more than 64 different values.
    quantile : float, default=0.5
        The quantile for ``loss="quantile"``, above 0 and below 1: with 0.9, nine tenths of the rows of a leaf lie at or
        below its prediction.
    min_samples_leaf : int, default=1
        Smallest number of training rows (of weight greater than 0, whatever their weight) in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        "tree": any tree. "rule_list": of the two sides of every split, at least one is a leaf, so that the tree reads
        as ``if ... elif ... else ...`` with one condition a line.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        How columns become binary. "quantile": at most 8 thresholds for each column of numbers. "exact": every threshold
        between two values; a proof then takes longer, and with `max_depth` of 4 or more, or None, often too long. None:
        the columns contain only 0 and 1. A `Binarizer` is cloned and fitted; those that choose thresholds by classes
        are refused.
    start_tree : tree, fitted estimator, JSON or None, default=None
        A tree of any origin from which the search starts, such as the `tree_` of another fit, scikit-learn's
        `DecisionTreeRegressor`, or JSON, as in `GOSDTClassifier`. It is pruned for the problem, and conditions that the
        binarizer lacks are added. `tree_` is never worse than it.
    warm_start : bool, default=False
        Whether to start from the tree of the last fit.
    time_limit : float or None, default=60
        Seconds of wall clock from the call of `fit` to its return. A fit that runs out of time returns its best tree,
        at least a single leaf, and a true lower bound. None: no limit.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process. None: no limit.
    gap_limit : float or None, default=None
        Stop as soon as `gap_` is at most about this, in [0, 1). None: stop only when the tree is proven optimal.
    checkpoint : str, path or None, default=None
        A file in which the search saves what it has proven, and from which the same call goes on after a kill or a
        limit, as in `GOSDTClassifier`. None: nothing is saved.
    checkpoint_interval : float, default=60
        Seconds between two saves, at least 0. The search also saves at its end.
    n_jobs : int or None, default=1
        Threads of the search. None: 1; -1: every core. A finished search proves the same bound with any number of
        threads. If several trees are optimal, only 1 thread always returns the same one.
    verbose : int or bool, default=0
        1 or True: show progress on stderr, in one line that is updated in place in terminals and notebooks.
    callback : callable or None, default=None
        Called with a `Progress` about ten times a second; returning True stops the search.
    trace : bool, default=False
        Whether to record the progress of the search over time in `trace_`.
    bounds : dict or None, default=None
        For measurements: maps the name of a bound to False to search without it. The optimum stays the same.

    Attributes
    ----------
    tree_ : RegressionTree or QuantileTree
        The best tree found, on the columns of `X`; set even when the search was stopped. A `QuantileTree` unless the
        loss is the squared error.
    objective_ : float
        ``loss_ + regularization_ * n_leaves_``.
    loss_ : float
        Mean loss of `tree_` on the training data, divided by that of a single leaf; 0 if `y` is constant.
    lower_bound_ : float
        No tree within the limits has a smaller objective. If `status_` is "optimal", `objective_` is larger by no more
        than twice `rounding_`.
    rounding_ : float
        By how much `lower_bound_` is smaller because the search computes with integers (see Notes).
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``; 0 if the objective is 0.
    status_ : {"optimal", "gap_limit", "time_limit", "memory_limit", "interrupted"}
        Why the search ended. "optimal": no tree is better than `tree_` by more than twice `rounding_`.
    n_leaves_ : int
        Number of leaves of `tree_`.
    depth_ : int
        Largest number of edges from the root to a leaf of `tree_`.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the loss by all splits of `tree_`, as in scikit-learn's trees: at least
        0, with the sum 1; 0 for columns that `tree_` does not use.
    regularization_ : float
        The leaf penalty used: `regularization`, or the number that "auto" stands for.
    binarizer_ : Binarizer
        The fitted binarizer; its `conditions_` are the conditions behind the binary columns.
    schema_ : TableSchema
        Names and kinds of the columns of `X`.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `X` was a data frame whose column names are strings.
    statistics_ : dict
        Counters of the search, as in `GOSDTClassifier`.
    trace_ : list of Progress
        The progress of the search over time; only with ``trace=True``.

    See Also
    --------
    GOSDTRegressorCV : Chooses the leaf penalty by cross-validation.
    LicketySPLITRegressor : Near-optimal trees in little more time than greedy ones.
    GOSDTClassifier : The same for classes.
    hornbeam.RegressionTree, hornbeam.QuantileTree : What `tree_` can do: rules, drawings, exports.

    Notes
    -----
    **What is exact.** The search computes with integers, so ties are exact and the proof does not depend on rounding
    on the way. Targets and weights become integers first: targets multiples of a step, and predictions of the search,
    too. Targets that are decimals of up to nine places, such as counts, prices and percentages, are exact if their
    range is not too large for the step: 2^24 steps for 1,000 rows, 2^19 for a million. Other targets are rounded to the
    nearest of these steps. Weights are exact if they are proportional to integers that leave 2^16 steps or more (a
    total of 2^26), and otherwise rounded to 2^-13 of their mean. The leaves predict exact means: only the search
    rounds. How much all this can matter for any tree is bounded and taken off `lower_bound_`, see `rounding_`: about
    1e-14 for exact targets, 1e-6 for 1,000 targets with many digits, 1e-4 with such weights.

    **Absolute error and quantiles.** The search predicts numbers of a grid. If `y` has at most 64 different values,
    these are the grid, and nothing is rounded if they are decimals of up to six places. Otherwise the grid has 64 of
    them (16 to 63 for more than half a million rows), chosen so that it can matter least; how much it can matter at
    most is proven and taken off `lower_bound_`, see `rounding_`. The leaves predict exact quantiles all the same. The
    search starts from the tree of scikit-learn for the squared error, pruned for the loss.

    **From osrt and STreeD.** osrt divides targets by their standard deviation, and STreeD multiplies `cost_complexity`
    by the squared error of a single leaf; the latter's penalty is for each split instead of each leaf, of which there
    is one more. So the same number gives the same trees, and the objective of osrt is `objective_`.

    The searches are those of `GOSDTClassifier`, and so is the choice between them: that of sorted values for many
    thresholds per column, and otherwise that of binary columns, with the bounds for additive losses. There, the best
    clusters of the targets in place of packings bound it from below [1]_. The search starts from the greedy tree of
    squared errors on the same conditions, pruned for the same leaf penalty, or grows it when it is stopped; that of
    binary columns also starts from a greedy tree that looks two levels ahead. So no fit that is stopped returns a
    worse tree, unless the greedy tree takes more than a tenth of a second and more than a small part of
    `time_limit`, or `memory_limit` has no room for it. Next to the proof, primal heuristics look for better trees
    (trees grown with lookahead, splits improved one by one, local search), so a tree is good long before it is
    proven.

    A row of weight k counts as k equal rows, except in `min_samples_leaf`; rows of weight 0 are left out.

    References
    ----------
    .. [1] R. Zhang, R. Xin, M. Seltzer, C. Rudin, "Optimal Sparse Regression Trees", AAAI 2023.
    .. [2] M. van den Bos, J. G. M. van der Linden, E. Demirović, "Piecewise Constant and Linear Regression Trees: An
           Optimal Dynamic Programming Approach", ICML 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import GOSDTRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> regressor = GOSDTRegressor(regularization=0.02, max_depth=3).fit(X, y)
    >>> regressor.status_, regressor.n_leaves_, round(regressor.score(X, y), 3)
    ('optimal', 5, 0.439)
    """

    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        max_leaves: int | None = None,
        loss: Literal["squared_error", "absolute_error", "quantile"] = "squared_error",
        quantile: float = 0.5,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["quantile", "exact"] | Binarizer | None = "quantile",
        start_tree: Any = None,
        warm_start: bool = False,
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        gap_limit: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_interval: float = 60,
        n_jobs: int | None = 1,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        bounds: Mapping[str, bool] | None = None,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.loss = loss
        self.quantile = quantile
        self.min_samples_leaf = min_samples_leaf
        self.shape = shape
        self.binarizer = binarizer
        self.start_tree = start_tree
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap_limit = gap_limit
        self.checkpoint = checkpoint
        self.checkpoint_interval = checkpoint_interval
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.bounds = bounds

    def _check_parameters(self) -> _core.SearchOptions:
        check_choice("loss", self.loss, ("squared_error", "absolute_error", "quantile"))
        if self.loss == "quantile" and not 0 < check_number("quantile", self.quantile) < 1:
            raise ValueError(f"quantile must be above 0 and below 1, got {shown(self.quantile)}.")
        if self.loss != "quantile" and self.quantile != 0.5:
            raise ValueError(f"quantile is used by loss='quantile' only, but loss={self.loss!r}.")
        options = super()._check_parameters()
        if self.loss == "squared_error":
            return options
        # It counts what equal rows lose for each prediction of the grid, which takes longer than it saves.
        return options.replace(bounds={"equivalent_points": False, **(self.bounds or {})})

    @property
    def _quantile(self) -> float:
        """The quantile that leaves predict, unless they predict means."""
        return float(self.quantile) if self.loss == "quantile" else 0.5

    def _make_scale(self, training: NumericTraining) -> SquaredErrorScale | QuantileScale:
        if self.loss == "squared_error":
            scale: SquaredErrorScale = super()._make_scale(training)
            return scale
        self.regularization_ = self._leaf_penalty()
        most_leaves = min(inf if self.max_depth is None else 2.0 ** min(self.max_depth, 99), self.max_leaves or inf)
        return make_quantile_scale(
            training.targets, training.weights, self._quantile, self.regularization_, most_leaves
        )

    def _greedy_trees(
        self, training: NumericTraining, scale: SquaredErrorScale | QuantileScale, options: _core.SearchOptions
    ) -> list[Splits]:
        # The core grows the greedy tree of squared errors itself.
        if isinstance(scale, SquaredErrorScale) or not options.bounds.get("primal", True):
            return []
        conditions = self.binarizer_.conditions_
        # Trees of scikit-learn for the absolute error take time that is quadratic in the rows: this one is for the
        # squared error. Whatever the loss, a start tree is pruned for it.
        spread = float(scale.row_weights.sum()) * float(np.var(scale.targets))
        penalty = self.regularization_ * spread
        return cart_regression_trees(conditions, training, scale.targets, scale.row_weights, penalty, options)

    def _from_search(self) -> Callable[..., RegressionTree]:
        if self.loss == "squared_error":
            return super()._from_search()
        return partial(QuantileTree.from_search, quantile=self._quantile)
