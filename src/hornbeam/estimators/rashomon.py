"""All near-optimal trees instead of one: the Rashomon set, exactly or as RESPLIT finds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._checks import check_choice
from hornbeam._keywords import accept_positional
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._rashomon import RashomonSetTree
from hornbeam.estimators._regularized import RegularizedTreeClassifier
from hornbeam.estimators.gosdt import GOSDTClassifier
from hornbeam.fitting.parameters import check_integer
from hornbeam.fitting.progress import Progress
from hornbeam.fitting.scales import RegularizedScale
from hornbeam.fitting.search import Search
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import is_one
from hornbeam.rashomon.auc_set import AucSetSearch
from hornbeam.rashomon.fscore_set import FScoreSetSearch
from hornbeam.rashomon.rashomon_set import RashomonSet
from hornbeam.rashomon.search import RashomonSearch, RESPLITSearch
from hornbeam.reductions.auc import AucObjectives
from hornbeam.reductions.auc_scale import check_theta
from hornbeam.reductions.fscore import FScoreObjective

_LEAF_BITS = 10  # the costs of the search distinguish trees of up to 1023 leaves


class RashomonSetClassifier(RashomonSetTree, RegularizedTreeClassifier):
    """The set of all decision trees whose objective is within `epsilon` of the optimum, exactly or by RESPLIT.

    The optimum of ``loss(T) + regularization * n_leaves(T)`` is found first, as by `GOSDTClassifier`; then all trees
    within the bound, as a graph of the subproblems that they share, in which the number of trees of each cost is known
    exactly. Memory grows with the number of distinct subproblems and costs, not with the number of trees, which may
    exceed 10^12.

    With ``method="resplit"`` it is the part of such a set that lookahead search finds, in less time if there are many
    columns. The first `lookahead_depth` levels of splits are searched exhaustively, where each leaf costs as much as
    the greedy tree of the remaining depth. Prefixes that cost at most the bound are kept, and each leaf of a prefix is
    replaced by every tree that is no worse than the greedy one. Every tree is within the bound, and none is twice in
    the set, but some trees within the bound are missing.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much worse than the best tree a tree may be, at least 0. 0: the set has all optimal trees.
    epsilon_is : {"multiplier", "absolute"}, default="multiplier"
        "multiplier": the objective is at most ``(1 + epsilon)`` times the optimum; "absolute": at most the optimum plus
        `epsilon`. Both are compared without rounding wherever weights and costs are exact (see `GOSDTClassifier`).
        RESPLIT uses the score of the best prefix, which is never lower, instead of the optimum.
    objective : {"accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"}, default="accuracy"
        See `GOSDTClassifier`, and Notes on the last three, which RESPLIT does not have.
    theta
        See `GOSDTClassifier`.
    regularization : float or "auto", default=0.01
        Leaf penalty; see `GOSDTClassifier`. The larger it is, the smaller is the set.
    max_depth : int or None, default=4
        Largest number of edges from the root to a leaf. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    rashomon_bound : float or None, default=None
        The largest objective of a tree in the set, instead of `epsilon` and `epsilon_is`. The optimum is then not
        searched for: it is the first tree of the set. Only if the set is empty is the best tree searched for, and `fit`
        warns and names the least bound with a tree. RESPLIT still finds its best prefix first, and the objectives
        "auc" and "partial_auc" their best tree. None: the bound follows from `epsilon`.
    distinct : {"splits", "columns", "labels"}, default="splits"
        Which trees count as different; see Notes. "splits": trees with different nested splits, where columns that are
        equal or complementary on all training rows count as one. "columns": also trees that differ only in such
        columns; this is how TreeFARMS counts. "labels": moreover, a leaf may predict any class, and splits whose leaves
        predict the same class count, too; this is how PRAXIS and ArborEnum count.
    method : {"exact", "resplit"}, default="exact"
        "exact": all trees. "resplit": those that RESPLIT finds; `max_depth` must then be a number.
    lookahead_depth : int, default=2
        For RESPLIT, the levels of splits that are searched exhaustively, at least 1. From `max_depth` on, the set is
        the exact one. The authors' ``cart_lookahead_depth`` is one more, as is their ``depth_budget`` than `max_depth`.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="quantile"
        How columns become binary; see `GOSDTClassifier`. The set grows with the number of binary columns.
    class_weight, omega, cost_matrix
        See `GOSDTClassifier`.
    time_limit : float or None, default=None
        Seconds of wall clock from the call of `fit` to its return: reading the table, making binary columns and the
        search. A fit that runs out of time returns its best tree, at least a single leaf, and a true lower bound.
        None: no limit.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process: the binary columns and everything the search
        stores. If not even the columns fit, the tree is a single leaf. Counts over all trees that come later, such as
        `RashomonSet.votes` and the filters of the explorer, need an index of the set; they raise MemoryError if it does
        not fit. None: no limit.
    n_jobs, verbose, callback, trace
        See `GOSDTClassifier`. `n_jobs` and `trace` apply to the search for the optimum, or for the best prefix.

    Attributes
    ----------
    rashomon_set_ : RashomonSet
        The trees, in the order of their objectives.
    n_trees_ : int
        Their exact number, of any size.
    tree_ : Tree
        A best tree; `predict` uses it. If `rashomon_bound` excludes all trees, the best tree nevertheless.
    bound_ : float
        The largest objective that a tree of the set may have.
    searched_up_to_ : float
        The bound that the search reached: the set is the one of this bound. Equals `bound_` unless a limit ended the
        search. -inf: the search ended before any tree was known to belong to the set, which is empty.
    complete_up_to_ : float
        The set holds exactly the trees with at most this objective. Equals `searched_up_to_`, but is -inf for RESPLIT,
        which does not find all trees.
    status_ : {"complete", "heuristic", "time_limit", "memory_limit", "interrupted"}
        Why the searches ended. "complete": the set has all trees up to `bound_`, possibly none. "heuristic": RESPLIT
        finished; trees may be missing.
    objective_, loss_, n_leaves_, depth_, feature_importances_
        Of `tree_`; see `GOSDTClassifier`.
    lower_bound_, gap_
        See `GOSDTClassifier`; `gap_` is 0 if the optimum was proven. RESPLIT proves no optimum: see `SPLITClassifier`.
    regularization_, binarizer_, schema_, classes_, n_features_in_, feature_names_in_, trace_
        See `GOSDTClassifier`.
    statistics_ : dict
        The statistics of the search for the optimum, and those of the set: "set_subproblems" (distinct ones),
        "set_expansions", "set_splits", "set_costs" (distinct costs of all subproblems), "set_bytes" and "set_seconds";
        for RESPLIT also "set_prefixes", the number of prefixes within the bound. "bounds" adds up both searches.

    Notes
    -----
    A tree is defined by its nested splits: two trees that test independent conditions in a different order are
    different, even if they predict the same. Every split has training rows on both sides. A leaf predicts the class of
    least loss, the first one in case of ties (but see `distinct`). No split has two leaves that predict the same, since
    a smaller tree predicts as much at a lower cost. Columns that are equal on the rows of a node, but not on all rows,
    make different trees.

    TreeFARMS, PRAXIS and ArborEnum count the same trees up to rounding and ties. A leaf with equal weight of both
    classes predicts the second one in TreeFARMS, so its counts are those of swapped class numbers. PRAXIS and ArborEnum
    round the leaf penalty and the bound to whole rows.

    RESPLIT follows algorithm 5 of [2]_, and its trees are distinct in the same senses: `distinct` determines which
    columns are used and which trees complete a prefix. An end of a prefix above the last level of the lookahead costs
    as much as a leaf; it is replaced by every tree that is no worse than the greedy tree there, which may exclude the
    leaf itself. Prefixes are not trees, so one whose leaves predict the same is kept. A tree that completes several
    prefixes is counted once; the authors' program lists it several times. That program also costs the ends of prefixes
    as leaves instead of greedy trees, so its sets differ from those of the paper.

    RESPLIT's greedy trees split on the column with the largest information gain. Each row counts by what a wrong
    prediction of its class can cost at most. The paper does not define ties: of columns with equal gain (within 1e-12
    bits) the first is used here, so the order of the columns can change the set.

    **Objectives that are not sums.** For "f1", trees with the same splits and different labels are different, since the
    best label of a leaf depends on all leaves; no split has two leaves of one label, unless ``distinct="labels"``. They
    are counted without being listed, by one search for each number of leaves. Weights times class weights must be
    proportional to integers of a total of at most about 2^18. For "auc" and "partial_auc" leaves have no labels, and
    all trees with different splits are different. `GOSDTClassifier`'s search runs first, since it also finds an
    additive bound of the area; the trees within this bound are listed, in about a millisecond each, and their areas
    computed.
    ``statistics_["set_superset"]`` is their number. RESPLIT, ``distinct="labels"`` and `class_weight` are refused.
    `RashomonSet.reliance` and `model_class_reliance` need an additive loss.

    After unpickling, the set is found again when a tree is first needed; its trees have the same numbers.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the Whole Rashomon Set of Sparse
           Decision Trees", NeurIPS 2022.
    .. [2] V. Babbar, H. McTavish, C. Rudin, M. Seltzer, "Near-Optimal Decision Trees in a SPLIT Second", ICML 2025:
           algorithms 4 and 5.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 2
    >>> classifier = RashomonSetClassifier(epsilon=0.5, binarizer=None).fit(X, [0, 0, 1, 1, 0, 0, 1, 0])
    >>> classifier.n_trees_, classifier.rashomon_set_.n_leaves()
    (3, {2: 1, 3: 2})
    >>> [tree.depth for tree in classifier.rashomon_set_], classifier.rashomon_set_.objective(-1)
    ([1, 2, 2], 0.155)
    """

    _non_additive_objectives = ("f1", "auc", "partial_auc")
    rashomon_set_: RashomonSet
    _senses = ("splits", "columns", "labels")

    @accept_positional(
        "regularization max_depth distinct method lookahead_depth min_samples_leaf objective omega cost_matrix "
        "class_weight binarizer time_limit memory_limit n_jobs verbose callback trace"
    )
    def __init__(
        self,
        epsilon: float = 0.05,
        epsilon_is: Literal["multiplier", "absolute"] = "multiplier",
        *,
        objective: Literal["accuracy", "balanced", "weighted", "cost", "f1", "auc", "partial_auc"] = "accuracy",
        theta: float | None = None,
        regularization: float | Literal["auto"] = 0.01,
        max_depth: int | None = 4,
        min_samples_leaf: int = 1,
        rashomon_bound: float | None = None,
        distinct: Literal["splits", "columns", "labels"] = "splits",
        method: Literal["exact", "resplit"] = "exact",
        lookahead_depth: int = 2,
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "quantile",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.epsilon_is = epsilon_is
        self.objective = objective
        self.theta = theta
        self.regularization = regularization
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.rashomon_bound = rashomon_bound
        self.distinct = distinct
        self.method = method
        self.lookahead_depth = lookahead_depth
        self.binarizer = binarizer
        self.class_weight = class_weight
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace

    def predict_by_vote(self, X: Any, indices: Iterable[int] | None = None) -> npt.NDArray[Any]:
        """Predict the class that most trees of the set predict.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        indices : iterable of int or None, default=None
            Numbers of the trees that vote, such as those of ``rashomon_set_.sample``. None: all.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels out of `classes_`; the first of those with most votes.
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.rashomon_set_.votes(X, indices).argmax(axis=1)])

    def classifier(self, index: int) -> GOSDTClassifier:
        """Return one tree of the set as a fitted classifier of its own.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        GOSDTClassifier
            With the parameters that both have; its `status_` is "optimal" if the tree is as good as the best one, and
            "heuristic" otherwise.

        Raises
        ------
        IndexError
            If there is no such tree.
        """
        one: GOSDTClassifier = self._single(index, GOSDTClassifier(), ("classes_",))
        return one

    def _check_parameters(self) -> _core.SearchOptions:
        check_choice("method", self.method, ("exact", "resplit"))
        check_integer("lookahead_depth", self.lookahead_depth, least=1)
        if self.method == "resplit" and self.max_depth is None:
            raise TypeError("max_depth must be an integer, got None: RESPLIT needs a depth limit.")
        options = super()._check_parameters()
        self._check_objective()
        return options

    def _check_objective(self) -> None:
        """Refuse parameters that have no meaning for the objective."""
        check_theta(self.objective, self.theta)
        if self.objective not in self._non_additive_objectives:
            return
        if self.method != "exact":
            raise ValueError(
                f"method={self.method!r} needs an objective that is a sum over the rows, such as 'accuracy', but "
                f"objective={self.objective!r}. Use method='exact'."
            )
        if self.objective == "f1":
            if not is_one(self.omega):
                raise ValueError("omega is used by objective='weighted' only, but objective='f1'; set omega=1.")
        elif self.class_weight is not None:
            raise ValueError(f"class_weight cannot be used with objective={self.objective!r}; set class_weight=None.")
        elif self.distinct == "labels":
            raise ValueError(
                f"distinct='labels' cannot be used with objective={self.objective!r}, which labels no leaf; set "
                "distinct='splits' or 'columns'."
            )

    def _leaf_bits(self) -> int:
        return _LEAF_BITS

    def _make_scale(self, training: TrainingData) -> RegularizedScale:
        if self.objective in self._non_additive_objectives:
            objective = FScoreObjective() if self.objective == "f1" else AucObjectives()
            return objective.make_scale(self, training)
        return super()._make_scale(training)

    def _choose_search(self, training: TrainingData, scale: Any, options: _core.SearchOptions) -> Search:
        problem = self._set_problem(training, scale, options)
        if self.objective in self._non_additive_objectives:
            return FScoreSetSearch(*problem) if self.objective == "f1" else AucSetSearch(*problem)
        # The core knows an empty side of a split by its loss, so every row must be able to lose something.
        for label, costs in zip(training.classes.tolist(), scale.costs, strict=True):
            if not costs.any():
                raise ValueError(
                    f"cost_matrix has the same cost for every prediction of class {label!r}; leave its rows out."
                )
        if self.method == "exact" or self.max_depth is None or self.lookahead_depth >= self.max_depth:
            return RashomonSearch(*problem)  # no level would be left for the greedy trees of RESPLIT
        return RESPLITSearch(self.lookahead_depth, *problem)
