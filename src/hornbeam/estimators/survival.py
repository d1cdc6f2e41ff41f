"""The exact survival tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._rounded import RoundedTree
from hornbeam.estimators._survival import FittedSurvivalTree
from hornbeam.fitting.progress import Progress

if TYPE_CHECKING:
    from typing_extensions import Self


class SurvivalTree(FittedSurvivalTree, RoundedTree):
    """Optimal sparse survival tree for right-censored times, with a proof.

    Minimizes ``loss(T) + regularization * n_leaves(T)`` over all trees T within the limits whose conditions are among
    the binary columns made by `binarizer`. Each leaf multiplies the hazard of all rows by a ratio of its own. The loss
    is the deviance of this model [1]_ on the training data, divided by that of a single leaf. The search may be stopped
    at any time - by a limit, by the callback or by Ctrl-C - and then returns its best tree and a proven lower bound.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty, from 0 to 1: a fraction of the deviance of a single leaf, so that with 0.01 one more leaf must
        lower the deviance by 1 % of that. "auto": 2 / n_rows, but at least 0.002 and at most 0.01.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf; 0 gives a single leaf. None: no limit.
    max_leaves : int or None, default=None
        Largest number of leaves, at least 1. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows (of weight greater than 0, whatever their weight) in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        "tree": any tree. "rule_list": of the two sides of every split, at least one is a leaf, so that the tree reads
        as ``if ... elif ... else ...`` with one condition a line.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        How columns become binary. "quantile": at most 8 thresholds for each column of numbers. "exact": every threshold
        between two values; a proof then takes much longer, except for columns of few values or with `max_depth` of 2
        or 3. None: the columns contain only 0 and 1. A `Binarizer` is cloned and fitted; those that choose thresholds
        by classes are refused.
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
    tree_ : HazardTree
        The best tree found, on the columns of `X`; set even when the search was stopped.
    objective_ : float
        ``loss_ + regularization_ * n_leaves_``.
    loss_ : float
        Deviance of `tree_` on the training data, divided by that of a single leaf.
    lower_bound_ : float
        No tree within the limits has a smaller objective.
    rounding_ : float
        By how much `lower_bound_` is smaller because hazard ratios of the search lie on a grid (see Notes).
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``; 0 if the objective is 0.
    status_ : {"optimal", "gap_limit", "time_limit", "memory_limit", "interrupted"}
        Why the search ended. "optimal": no tree is better for hazard ratios on the grid, and `gap_` says by how much
        one can be better for all hazard ratios.
    n_leaves_ : int
        Number of leaves of `tree_`.
    depth_ : int
        Largest number of edges from the root to a leaf of `tree_`.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the deviance by all splits of `tree_`: at least 0, with the sum 1.
    event_times_ : float64 ndarray of shape (n_times,)
        The different times of events of the training rows, rising.
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
    SurvivalTreeCV : Chooses the leaf penalty by cross-validation.
    GOSDTRegressor : The same for numbers without censoring.
    hornbeam.HazardTree : What `tree_` can do: rules, drawings, exports.
    hornbeam.concordance_index : How well risks order the times.
    hornbeam.integrated_brier_score : How well curves predict who survives how long.

    Notes
    -----
    **The loss.** The cumulative hazard H of each row is the Nelson-Aalen estimate of all training rows at its time. A
    leaf with D events, whose rows have the sum H of cumulative hazards, has the hazard ratio q = D / H: events against
    those expected. It loses ``H q - D log q``, which is additive in D and H; less what a ratio for each row of its own
    would lose, this is half the deviance of LeBlanc and Crowley [1]_, which STreeD [2]_ minimizes, too.

    **What is exact.** The search chooses hazard ratios from a grid: 0, and multiples of 2^-11 of which 16 are in an
    octave, up to 2^12 at most. H, q and log q become integers, rounded down, so that no tree costs the search more than
    its best ratios on the grid, and sums and ties are exact. The leaves of `tree_` have the exact ratio D / H. How much
    the grid can matter for any tree is bounded and taken off `lower_bound_`, see `rounding_`: about 0.0005 of the
    deviance of a single leaf for 1,000 rows, and 0.001 for 10,000 and more. Integers have fewer bits the more rows
    there are; for 1,000,000, `gap_` is about 0.005 where the search is complete.

    **First answer.** The search starts from the greedy tree of LeBlanc and Crowley [1]_ on the same conditions, pruned
    for the same leaf penalty, or grows it when it is stopped. So no fit that is stopped returns a tree that is worse by
    more than `rounding_`, unless the greedy tree takes more than a tenth of a second and more than a small part of
    `time_limit`, or `memory_limit` has no room for it.

    **Brier score.** OSST [3]_ minimizes the integrated Brier score, which is not an objective here. It is a sum over
    leaves of squared errors at each time, with weights that depend on censoring: one target for each time of an event.
    The bounds of the search would hold, but its sums, and the time for each of them, would grow with the number of
    times, and the cheap way out, a few quantiles of time, is no longer the score that is asked for. Use
    `integrated_brier_score` to choose between trees.

    A row of weight k counts as k equal rows, except in `min_samples_leaf`; rows of weight 0 are left out. Weights are
    exact if they are proportional to integers of a mean below 2^10, and otherwise rounded down to 2^-10 of their mean.

    References
    ----------
    .. [1] M. LeBlanc, J. Crowley, "Relative Risk Trees for Censored Survival Data", Biometrics 48(2), 1992.
    .. [2] T. Huisman, J. G. M. van der Linden, E. Demirović, "Optimal Survival Trees: A Dynamic Programming Approach",
           AAAI 2024.
    .. [3] R. Zhang, R. Xin, M. Seltzer, C. Rudin, "Optimal Sparse Survival Trees", AISTATS 2024.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import SurvivalTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 3))
    >>> death, end = rng.exponential(np.where(X[:, 0] == 1, 1.0, 5.0)), rng.uniform(0, 8, 200)
    >>> y = np.array(list(zip(death <= end, np.minimum(death, end))), dtype=[("event", bool), ("time", float)])
    >>> tree = SurvivalTree(regularization=0.02).fit(X, y)
    >>> tree.status_, tree.n_leaves_
    ('optimal', 2)
    >>> tree.predict_survival_function([[1, 0, 0]])[0]([0, 1, 2]).round(2).tolist()
    [1.0, 0.38, 0.13]
    """

    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        max_leaves: int | None = None,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree and prove it, or go as far as the limits allow.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            As in `GOSDTClassifier.fit`, in memory.
        y : structured array of shape (n_rows,), or array-like or data frame of shape (n_rows, 2)
            First whether the row had the event (booleans, or 0 and 1), then the time of the event or of censoring,
            finite and at least 0: scikit-survival's structured array, or two columns.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, finite and not negative. Rows of weight 0 are left out. None: every row weighs 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, lengths differ, a number is infinite, a time is missing or negative, an
            event is none of 0 and 1, or no row has the event.
        TypeError
            If a parameter has the wrong type, `X` is sparse or lazy, or `y` does not hold numbers.
        KeyboardInterrupt
            If Ctrl-C is pressed before the search begins, or while a clone is fitted. Otherwise Ctrl-C ends the search,
            and `fit` returns the best tree so far.

        Warns
        -----
        NotProvenWarning
            If the search was stopped before the proof, unless by `gap_limit`.
        ColumnWarning
            If a column holds numbers or dates as text, or looks like an identifier.
        """
        return super().fit(X, y, sample_weight)
