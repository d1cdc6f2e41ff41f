"""The exact classifier for objectives that are sums over the rows, or a ratio of such sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam._checks import check_choice
from hornbeam._keywords import accept_positional
from hornbeam.binarizers import Binarizer, ThresholdGuessBinarizer
from hornbeam.estimators._exact import OF_ONE_SEARCH, ExactTreeClassifier
from hornbeam.estimators._frontier import find_frontier
from hornbeam.fitting.progress import Progress
from hornbeam.fitting.reference import reference_codes
from hornbeam.fitting.scales import RegularizedScale
from hornbeam.fitting.search import Search
from hornbeam.fitting.training import TrainingData
from hornbeam.fitting.triples import MOST_LEVELS
from hornbeam.frontier import Frontier
from hornbeam.reductions.auc import AucObjectives
from hornbeam.reductions.auc_scale import check_theta
from hornbeam.reductions.fscore import FScoreObjective
from hornbeam.reductions.objective import NonAdditiveObjective
from hornbeam.tree.shares import Smoothing

_RANKING = AucObjectives()
_NON_ADDITIVE: dict[str, NonAdditiveObjective] = {"f1": FScoreObjective(), "auc": _RANKING, "partial_auc": _RANKING}


class GOSDTClassifier(ExactTreeClassifier):
    """Optimal sparse decision tree, with a proof.

    Minimizes ``loss(T) + regularization * n_leaves(T)`` over all trees T within the limits whose conditions are among
    the binary columns made by `binarizer`. The proof is about these columns: with ``binarizer="exact"`` they cover
    every threshold of `X`, otherwise only the chosen ones. The search may be stopped at any time - by a limit, by the
    callback or by Ctrl-C - and then returns its best tree and a proven lower bound.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty in the unit of the objective, at least 0: for all objectives but "cost" a fraction of the
        largest possible loss, so that 0.01 means that one more leaf must save 1 % of the total weight; for "cost" in
        the unit of the mean cost of a row. Rounded once to the resolution of the search, see `regularization_`.
        "auto": this share of the largest possible loss: 2 / n_rows, but at least 0.002 and at most 0.01 (for "f1",
        "auc" and "partial_auc" always 0.01). So one more leaf must classify two more rows correctly, and trees of
        large tables stay small enough to read. If you merge equal rows into weights, set a number.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf; 0 gives a single leaf. None: no limit.
    objective : {"accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"}, default="accuracy"
        "accuracy": the share of the weight that is predicted wrongly. "balanced": the mean over the classes of the
        share of the class that is predicted wrongly. "weighted", for two classes: ``(FP + omega * FN) / (omega * P +
        N)``, where the second of `classes_` is positive and P and N are the weights of the two classes. "cost": the
        mean of `cost_matrix` over the rows. "f1", for two classes: 1 minus the F-score of the second of `classes_`,
        ``(FP + FN) / (2 * P + FP - FN)``, with the labels of the leaves that are best for it (see Notes). "auc", for
        two classes: 1 minus the area under the ROC curve of the shares of the second of `classes_` in the leaves, which
        is its own convex hull (see Notes). "partial_auc": 1 minus the area under the part of this curve up to a false
        positive rate of `theta`, so at least ``1 - theta``.
    theta : float or None, default=None
        For objective "partial_auc": the largest false positive rate that counts, greater than 0 and at most 1; rounded
        to 2^-20 of a negative row.
    labelling : {"best", "omega"}, default="best"
        For objective "f1": how leaves get their labels. "best": the search finds the tree and the labels with the best
        F-score. "omega": as in [1]_, a leaf is positive if its positives times `omega` outweigh its negatives, and the
        tree is the best one with these labels. Its F-score is never higher than with "best", and its search is slow: in
        Python, on one thread and without `bounds`, for tables of a few thousand distinct rows and about ten columns.
    max_leaves : int or None, default=None
        Largest number of leaves, at least 1. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows (of weight greater than 0, whatever their weight) in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        "tree": any tree. "rule_list": of the two sides of every split, at least one is a leaf, so that the tree reads
        as ``if ... elif ... else ...`` with one condition a line. The search then is over all such lists, and
        `status_` and `lower_bound_` are about them; see Notes.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        How columns become binary. "exact": every threshold between two values, see `ThresholdBinarizer`; best for
        columns of few values, or with `max_depth` (see Notes). "quantile": at most 8 thresholds for each column.
        "auto": these, and at most 8 others for each column that trees grown on the labels split on, so that the optimum
        over them is never worse than over the quantiles, see `hornbeam.binarizers.SupervisedBinarizer`. "guess": those
        few that a reference ensemble splits on, see `ThresholdGuessBinarizer`. None: the columns contain only 0 and 1.
        A `Binarizer` is cloned and fitted.
    reference : fitted estimator, array-like of shape (n_rows,), "binarizer" or None, default=None
        A model that is hard to beat, or its predictions for the rows of `X`; "binarizer": the reference that
        ``binarizer="guess"`` ends with. The search then uses the loss of the reference on any set of rows as a lower
        bound. This is a guess, and the search finishes sooner. The objective of the tree found is at most that of any
        tree within the limits if each row counts with at least the loss of the reference there [5]_. So the tree is
        optimal if the reference errs only on rows where an optimal tree errs, too.
    start_tree : Tree, fitted tree classifier, str, bytes, dict or None, default=None
        A tree from which the search starts, so that `objective_` is never larger than its objective, whenever the
        search is stopped: a `Tree`, a fitted tree classifier of hornbeam or scikit-learn, or what `Tree.to_json` wrote.
        It need not fit, see Notes. `sklearn.base.clone` and all that uses it keep a `Tree`, but drop what a classifier
        has learned. Not for objectives "f1", "auc" and "partial_auc".
    warm_start : bool, default=False
        Whether `fit` also starts from the tree of the last fit, say with another `regularization` or a longer
        `time_limit` set since then.
    known_lower_bound : float or None, default=None
        What you know no tree within the limits to be below, in the unit of `objective_`. It is trusted, not proven:
        `lower_bound_` is at least this, and the search ends with `status_` "known_bound" as soon as a tree attains it.
        If a tree is below it, so that it was wrong, the search goes on without it, and `fit` warns.
    known_upper_bound : float or None, default=None
        Search only for trees with an objective of at most this: that of a tree that you know, or the largest of use.
        If there is none, `status_` is "cutoff", `lower_bound_` is larger than this, which is proven, and `tree_` is the
        best tree that was found on the way. Both bounds are rounded to the resolution of the search, and are refused
        for objectives "f1", "auc" and "partial_auc"; this one also with a `reference`, whose guesses prove nothing.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the loss of each class's rows, whatever the objective: a dict from label to a weight greater than 0
        (labels left out weigh 1), or "balanced" for weights inversely proportional to the weight of the class.
    omega : float, default=1.0
        For objective "weighted": how many times worse a missed positive is than a false alarm; greater than 0. For
        ``labelling="omega"``: the weight of the positives of a leaf relative to its negatives, with up to 11 decimals.
    cost_matrix : array-like of shape (n_classes, n_classes) or None, default=None
        For objective "cost": entry (i, j) is the cost of predicting ``classes_[j]`` for a row of ``classes_[i]``;
        finite and not negative. The diagonal need not be 0.
    smoothing : float, "laplace" or None, default=None
        How `predict_proba` turns the shares of a leaf into probabilities. None: the shares themselves, which are 0 or 1
        in pure leaves. "laplace": each class weighs 1 more in every leaf. A number m: the m-estimate, as if every leaf
        had m more rows of weight 1, divided as in the training data. The tree and `predict` stay the same.
    time_limit : float or None, default=60
        Seconds of wall clock from the call of `fit` to its return: reading the table, making binary columns and the
        search. A fit that runs out of time returns its best tree, at least a single leaf, and a true lower bound.
        None: no limit, for a proof whatever it takes. For a table that is read in batches, the default of 60 seconds
        begins with the search; another limit that ends before all rows were read raises `TimeoutError`.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process: the binary columns and everything the search
        stores. The search of binary columns forgets what is cheapest to prove again and goes on; the fit ends when not
        even that is enough. If not even the columns fit, the tree is a single leaf, or the start tree. None: no limit.
    temporary_folder : str, path or None, default=None
        For a table that is read in batches: where rows are kept that `memory_limit` has no room for, in files that
        vanish when `fit` returns, raises, or is killed. None: the system's folder for temporary files.
    gap_limit : float or None, default=None
        Stop as soon as `gap_` is at most this, in [0, 1). None: stop only when the tree is proven optimal.
    checkpoint : str, path or None, default=None
        A file in which the search saves what it has proven, and from which the same call goes on after a kill or a
        limit (see Notes); for `frontier` and `regularization_path`, a folder with a file for each search. None:
        nothing is saved. Refused for objectives "f1", "auc" and "partial_auc".
    checkpoint_interval : float, default=60
        Seconds between two saves, at least 0. The search also saves at its end.
    n_jobs : int or None, default=None
        Threads of the search. None: 1, or what `joblib.parallel_config` sets; -1: every core. A finished search has the
        same objective, bound and status with any number of threads. If several trees are optimal, only 1 thread always
        returns the same one. In ``joblib.parallel_config("dask")``, None and -1 stand for all workers of the cluster.
    verbose : int or bool, default=0
        1 or True: show progress on stderr, in one line that is updated in place in terminals and notebooks: seconds
        since the call of `fit`, objective, lower bound, gap and leaves of the best tree. While binary columns are made,
        the line shows that instead. The last line remains and shows the status. If stderr is a file or a pipe: lines
        after 10, 20, 40, ... seconds, and the last one. To write your own log, use `callback`.
    callback : callable or None, default=None
        Called with a `Progress` about ten times a second; returning True stops the search.
    trace : bool, default=False
        Whether to record the progress of the search over time in `trace_`.
    bounds : dict or None, default=None
        For measurements: maps the name of a bound to False to search without it. The optimum stays the same. The names
        are on the documentation page of the bounds, and in the error for an unknown name. None: all are used.

    Attributes
    ----------
    tree_ : Tree
        The best tree found, on the columns of `X`; set even when the search was stopped.
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted.
    objective_ : float
        ``loss_ + regularization_ * n_leaves_``.
    loss_ : float
        Loss of `tree_` on the training data, in the unit of the objective.
    lower_bound_ : float
        No tree within the limits has a smaller objective. Equals `objective_` if `status_` is "optimal"; if it is
        "guessed", at least `objective_` minus the loss of the reference. At least `known_lower_bound`: if they are
        equal, that is what it rests on.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``; 0 if the objective is 0.
    status_ : str
        Why the search ended: by "gap_limit", "time_limit" or "memory_limit", or "optimal": `tree_` is proven best.
        "guessed": it is as good as `reference` promises; a guess replaced a weaker proven bound, so optimality is not
        proven. "known_bound": it attains `known_lower_bound`, and is optimal if that is true. "cutoff": no tree attains
        `known_upper_bound`. "interrupted": by Ctrl-C or the callback. "cluster_lost": Dask does not answer.
    n_leaves_ : int
        Number of leaves of `tree_`.
    depth_ : int
        Largest number of edges from the root to a leaf of `tree_`.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the Gini impurity by all splits of `tree_`, as in scikit-learn's trees:
        at least 0, with the sum 1; 0 for columns that `tree_` does not use. Computed from the training weights, without
        `class_weight` and costs, whatever the objective.
    regularization_ : float
        The value of `regularization` after rounding to the resolution of the search.
    binarizer_ : Binarizer
        The fitted binarizer; its `conditions_` are the conditions behind the binary columns.
    schema_ : TableSchema
        Names and kinds of the columns of `X`.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `X` was a data frame whose column names are strings.
    statistics_ : dict
        Counters of the search, among them "subproblems", "table_entries", "bytes" (largest memory of the search) and
        "seconds" (of the search); "bounds", a dict from each bound and technique to how often it closed or tightened
        something (the page of the bounds describes each count); also "binarize_seconds" and "n_binary_columns", and
        "additive_searches" for objectives "f1", "auc" and "partial_auc"; for the last two "leaf_sets_listed", the
        number of different sets of leaves whose area was computed.
    trace_ : list of Progress
        The progress of the search over time; only with ``trace=True``.

    See Also
    --------
    hornbeam.ThresholdBinarizer : Makes the binary columns.
    hornbeam.Tree : What `tree_` can do: rules, drawings, exports.

    Notes
    -----
    The search computes with integers, so ties are exact: among equally good trees that it finds it prefers fewer
    leaves, then less depth, and with one thread it returns the same tree in every run. Integer weights, weights of up
    to six decimals and costs with moderate denominators are exact. Other weights are rounded to 2^-51 of the largest
    possible loss, or to 2^-31 of it if a class has several costs, which are then rounded to 2^-20 of the largest. A row
    of weight k counts as k equal rows, except in `min_samples_leaf`; rows of weight 0 are left out.

    There are two searches, and `fit` chooses the faster one. The bitset search [1]_, [2]_ works on binary columns. The
    ordered search [3]_, [4]_ sorts the rows by each column and makes no binary columns. It runs if the conditions are
    thresholds of few columns (64 or more per column on average), `max_depth` is at most 16 or rows times conditions are
    2^19 or more, and there are at most 2^24 rows. Both solve every problem. Status, objective and bounds at proof are
    the same, except with a `reference`, which each search uses in its own order; of equally good trees, the ordered
    search keeps the first that it finds.

    Both searches look for good trees while they prove: from some milliseconds on, primal heuristics get a share of the
    work. They prune CART's trees for the leaf penalty, grow trees with lookahead [6]_, improve the splits of a tree one
    by one over all conditions [7]_, and grow parts of it again. So a search that is stopped early returns a good tree,
    and usually a better one than greedy methods find in that time.

    The F-score is a ratio of two sums rather than a sum over the rows; its best tree is found and proven by solving a
    short sequence of cost-weighted problems, usually 2 to 20. With ``labelling="best"`` a leaf is positive where its
    share of positives is more than half of the F-score of the tree. Weights (times class weights) are exact if they
    are proportional to integers of a total below 2^25 and otherwise rounded to 2^-24 of their total; `regularization`
    is exact. All limits work as for the other objectives, except that `gap_limit` is only checked between searches;
    `reference` is refused. With few positives each of them moves the F-score more, so the same `regularization` prunes
    less than for "accuracy", and proofs take longer.

    For objectives "auc" and "partial_auc" the loss of a tree depends on all its leaves at once. A short sequence of
    cost-weighted problems, each a tangent to the area, usually bounds the loss of all trees to within less than the
    leaf penalty; the trees that remain are found as in `RashomonSetClassifier` and their areas computed. This takes
    seconds instead of fractions of a second, and the second half needs memory. If the first of these searches takes
    longer than a second or an eighth of the time limit, primal heuristics look for good trees before it starts again,
    in at most half of the limit. `gap_limit` is only checked between searches. `class_weight` and `reference` are
    refused: class weights would not change the area. The tree predicts the heavier class of each leaf; to rank rows use
    `predict_proba`, and `hornbeam.plot_roc` to draw the curve. Weights are exact if they are proportional to integers
    of a total below 2^25 and otherwise rounded to 2^-24 of their total. `OSDTClassifier` has the search of [1]_ for
    these objectives, over sets of leaves.

    With ``shape="rule_list"`` the bitset search runs, whatever the columns, without the primal heuristics, which find
    trees of any shape. All its bounds hold for rule lists. A list of k leaves has k - 1 levels: `max_leaves` and
    `max_depth` then limit the same. Objectives "auc" and "partial_auc" and ``labelling="omega"`` refuse it. The
    objective is that of CORELS [8]_, which counts one rule less than this list has leaves, over rules of one condition.

    A start tree is made to fit. Its splits are applied to the rows of `X`, whose columns are found by name, or by place
    if there are no names. A split that leaves fewer than `min_samples_leaf` rows on one side is left out. Every leaf
    gets the label that is best for its rows, and the tree is pruned for the leaf penalty and the limits. A condition
    that separates the rows like none of the binarizer's is added to `binarizer_.conditions_`: then the search, its
    optimum and its proof are over these, too. A split of scikit-learn that sends missing values to the left becomes two
    splits. With a `reference`, the start tree is returned if the search finds none as good, but does not shorten it.

    A checkpoint holds the lower bounds of the subproblems, the best tree and, for the ordered search, the thresholds
    that are open. Each file is written next to the last one and then renamed, so a kill leaves a whole one. It belongs
    to one problem: rows, conditions, labels, weights, costs, leaf penalty, limits on the tree, `bounds` and
    `reference`. A file that is torn, altered, or of another problem or format is refused with a ValueError that names
    what differs. Limits on time and memory, `n_jobs`, `gap_limit`, known bounds and start trees may change, unless the
    start tree adds conditions. `time_limit` counts one run; ``statistics_["seconds_before"]`` has the seconds of the
    earlier ones. The file of a finished search stays, and the same call then returns soon with its proof: remove it
    when you are done. Two searches cannot use one file at a time (on Windows, that is not checked). If the file cannot
    be written, as on a full disk, `fit` warns at once and the search goes on, with another try after each interval;
    ``statistics_["checkpoint_failures"]`` counts them. Without room for the binary columns, the file is not used.

    Ctrl-C during the search ends it: `fit` sets all attributes from the best tree so far, warns, and returns. For a
    clone made by `sklearn.base.clone`, `fit` also sets them but then raises KeyboardInterrupt, so that one Ctrl-C ends
    `cross_val_score`, `GridSearchCV` and everything else that fits clones. A loop of your own that fits other
    estimators continues; let it check `status_`, or fit clones. Before the search there is no tree yet, and Ctrl-C
    raises KeyboardInterrupt as usual.

    References
    ----------
    .. [1] J. Lin, C. Zhong, D. Hu, C. Rudin, M. Seltzer, "Generalized and Scalable Optimal Sparse Decision Trees",
           ICML 2020: the objective and the identity of subproblems.
    .. [2] X. Hu, C. Rudin, M. Seltzer, "Optimal Sparse Decision Trees", NeurIPS 2019: the first bounds.
    .. [3] R. Mazumder, X. Meng, H. Wang, "Quant-BnB: A Scalable Branch-and-Bound Method for Optimal Decision Trees
           with Continuous Features", ICML 2022: bounds for runs of thresholds.
    .. [4] C. E. Briţa, J. G. M. van der Linden, E. Demirović, "Optimal Classification Trees for Continuous Feature
           Data Using Dynamic Programming with Branch-and-Bound", AAAI 2025: sorted rows, two levels at once.
    .. [5] H. McTavish, C. Zhong, R. Achermann, I. Karimalis, J. Chen, C. Rudin, M. Seltzer, "Fast Sparse Decision Tree
           Optimization via Reference Ensembles", AAAI 2022: section 4.3, theorem 4.3.
    .. [6] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025.
    .. [7] M. A. Carreira-Perpiñán, P. Tavallali, "Alternating Optimization of Decision Trees, with Application to
           Learning Sparse Oblique Trees", NeurIPS 2018.
    .. [8] E. Angelino, N. Larus-Stone, D. Alabi, M. Seltzer, C. Rudin, "Learning Certifiably Optimal Rule Lists for
           Categorical Data", Journal of Machine Learning Research 18, 2018.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X = [[23, "red"], [31, "blue"], [45, "red"], [52, "blue"]]
    >>> y = ["no", "yes", "no", "yes"]
    >>> classifier = GOSDTClassifier(regularization=0.0625).fit(X, y)
    >>> classifier.status_, classifier.loss_, classifier.objective_
    ('optimal', 0.0, 0.125)
    >>> classifier.tree_.n_leaves, classifier.predict([[60, "red"]]).tolist()
    (2, ['no'])
    """

    _non_additive_objectives = tuple(_NON_ADDITIVE)
    _reads_streams = True
    _keeps_rows = False  # of a streamed table, for a sequence of searches

    @accept_positional(
        "max_leaves min_samples_leaf objective omega cost_matrix class_weight binarizer time_limit memory_limit "
        "gap_limit n_jobs verbose callback bounds trace reference labelling theta"
    )
    def __init__(  # long: two lines for each parameter
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        objective: Literal["accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"] = "accuracy",
        theta: float | None = None,
        labelling: Literal["best", "omega"] = "best",
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        reference: Any = None,
        start_tree: Any = None,
        warm_start: bool = False,
        known_lower_bound: float | None = None,
        known_upper_bound: float | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        smoothing: Smoothing = None,
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        temporary_folder: str | PathLike[str] | None = None,
        gap_limit: float | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_interval: float = 60,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
        bounds: Mapping[str, bool] | None = None,
    ) -> None:
        self.regularization = regularization
        self.max_depth = max_depth
        self.objective = objective
        self.theta = theta
        self.labelling = labelling
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.shape = shape
        self.binarizer = binarizer
        self.reference = reference
        self.start_tree = start_tree
        self.warm_start = warm_start
        self.known_lower_bound = known_lower_bound
        self.known_upper_bound = known_upper_bound
        self.class_weight = class_weight
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.smoothing = smoothing
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.temporary_folder = temporary_folder
        self.gap_limit = gap_limit
        self.checkpoint = checkpoint
        self.checkpoint_interval = checkpoint_interval
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace
        self.bounds = bounds

    def frontier(self, X: Any, y: Any, sample_weight: Any = None) -> Frontier:
        """Find the best tree of every size, and for every leaf penalty down to `regularization`.

        What one more leaf buys, with a proof for each size. The searches share what they prove, so all sizes together
        usually take a few times as long as one fit. The estimator itself is not fitted. Its start tree and its known
        bounds, which are about one leaf penalty, are not used.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            As in `fit`.
        y : array-like of shape (n_rows,)
            As in `fit`.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            As in `fit`.

        Returns
        -------
        Frontier
            The sizes from 1 to `max_leaves`, or if that is None, to the number of leaves of the best tree for
            `regularization`; it ends earlier where more leaves gain nothing. `max_depth`, `min_samples_leaf`,
            `objective` and the limits hold for all trees. With a time limit, sizes that are not proven have the best
            tree known and a lower bound.

        Raises
        ------
        ValueError
            As `fit`, and if the objective is not additive, there is a `reference`, or `checkpoint` is not a folder.
        TypeError
            As `fit`.

        Warns
        -----
        NotProvenWarning
            If some sizes are not proven.

        See Also
        --------
        hornbeam.plot_frontier : Draws it.
        hornbeam.GOSDTClassifierCV : Chooses the size by cross-validation.

        Notes
        -----
        The least objective is concave in the leaf penalty, so that the proofs at the corners of the path are a proof in
        between. A tree off the path is found by a search that limits the leaves, and which starts from everything that
        the path has proven of its subproblems. With a `checkpoint`, each search has a file in that folder: the same
        call goes on with the one that was stopped.

        Examples
        --------
        >>> from hornbeam import GOSDTClassifier
        >>> from hornbeam.datasets import load_balance_scale
        >>> X, y = load_balance_scale(return_X_y=True)
        >>> frontier = GOSDTClassifier(regularization=0.02).frontier(X, y)
        >>> dict(zip(frontier.n_leaves.tolist(), frontier.losses.round(3).tolist()))
        {1: 0.539, 2: 0.365, 3: 0.307, 4: 0.258, 5: 0.224}
        """
        return find_frontier(self, X, y, sample_weight, only_path=False)

    def regularization_path(self, X: Any, y: Any, sample_weight: Any = None) -> Frontier:
        """Find the optimal tree for every leaf penalty down to `regularization`.

        The counterpart of `DecisionTreeClassifier.cost_complexity_pruning_path` for optimal trees. It takes less time
        than `frontier`, which also has the sizes that are optimal for no leaf penalty.

        Parameters, errors and warnings: see `frontier`.

        Returns
        -------
        Frontier
            With the sizes of its `path` only.

        Examples
        --------
        >>> from hornbeam import GOSDTClassifier
        >>> from hornbeam.datasets import load_balance_scale
        >>> X, y = load_balance_scale(return_X_y=True)
        >>> path = GOSDTClassifier(regularization=0.02).regularization_path(X, y).path
        >>> [(segment.n_leaves, round(segment.regularization_min, 3)) for segment in path]
        [(5, 0.02), (4, 0.034), (3, 0.05), (2, 0.058), (1, 0.174)]
        """
        return find_frontier(self, X, y, sample_weight, only_path=True)

    def _check_parameters(self) -> _core.SearchOptions:
        options = super()._check_parameters()
        check_theta(self.objective, self.theta)
        check_choice("labelling", self.labelling, ("best", "omega"))
        if self.objective != "f1" and self.labelling != "best":
            raise ValueError(f"labelling is used by objective='f1' only, but objective={self.objective!r}.")
        if self.objective in _NON_ADDITIVE:
            _NON_ADDITIVE[self.objective].check(self)
        return options

    def _needs_only_triples(self, options: _core.SearchOptions) -> bool:
        is_shallow = options.max_depth is not None and options.max_depth <= MOST_LEVELS and options.max_leaves is None
        is_plain = all(getattr(self, name) == default for name, default in OF_ONE_SEARCH.items()) and not self.trace
        is_additive = self.objective not in _NON_ADDITIVE
        return is_shallow and is_plain and is_additive and not options.rule_list and not self._keeps_rows

    def _read_reference(self, X: Any, training: TrainingData) -> npt.NDArray[np.int32] | None:
        if self.reference is None:
            return None
        guesses = isinstance(self.reference, str) and isinstance(self.binarizer_, ThresholdGuessBinarizer)
        if guesses and self.reference == "binarizer" and not hasattr(self.binarizer_, "reference_"):
            return None  # there was no time to fit the reference: a search without it is still correct
        return reference_codes(self.reference, X, training, self.binarizer_)

    def _make_scale(self, training: TrainingData) -> RegularizedScale:
        if self.objective in _NON_ADDITIVE:
            return _NON_ADDITIVE[self.objective].make_scale(self, training)
        return super()._make_scale(training)

    def _choose_search(self, training: TrainingData, scale: Any, options: _core.SearchOptions) -> Search:
        if self.objective in _NON_ADDITIVE:
            conditions = self.binarizer_.conditions_
            return _NON_ADDITIVE[self.objective].choose_search(self, conditions, training, scale, options)
        return super()._choose_search(training, scale, options)
