"""OSDT: the search over sets of leaves, with the scheduling policies and bounds of its paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam._checks import check_choice, random_numbers, shown
from hornbeam._keywords import accept_positional
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._regularized import RegularizedTreeClassifier
from hornbeam.fitting.cart import cart_tree
from hornbeam.fitting.parameters import check_bounds, check_limit, check_number
from hornbeam.fitting.progress import Progress
from hornbeam.fitting.scales import RegularizedScale
from hornbeam.fitting.search import Search, make_problem, packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.reductions.auc_scale import AucScale, check_theta, make_auc_scale

BOUNDS = tuple(_core.BOUNDS["leaf_sets"])
POLICIES = tuple(_core.POLICIES)


class OSDTClassifier(RegularizedTreeClassifier):
    """Optimal sparse decision tree by best-first search over sets of leaves, with a proof.

    Minimizes the objective of `GOSDTClassifier` by the search of the OSDT paper [1]_: a state is a set of leaves, some
    of which are final while all others are split next. `GOSDTClassifier` proves the same optimum, usually in far less
    time, since it solves each set of rows once. Use this classifier to compare search orders and to measure the effect
    of each bound.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty; see `GOSDTClassifier`.
    policy : {"curiosity", "objective", "lower_bound", "entropy", "gini", "fifo", "random"}, default="curiosity"
        Which set of leaves the search expands next: the one with the least lower bound divided by the share of the
        weight in kept leaves ("curiosity"), the least objective, the least lower bound, the least mean entropy or Gini
        impurity of the kept leaves, the one found first ("fifo"), or any ("random"). The optimum is the same.
    objective : {"accuracy", "balanced", "weighted", "cost", "auc", "partial_auc"}, default="accuracy"
        See `GOSDTClassifier`. For the last two, the bounds are those of [2]_ for the AUC.
    theta, max_depth, max_leaves, min_samples_leaf, binarizer, class_weight, omega, cost_matrix, time_limit, \
memory_limit, gap_limit
        See `GOSDTClassifier`.
    max_expansions : int or None, default=None
        Number of sets of leaves to take from the queue and split, at least 1. None: no limit.
    verbose, callback
        See `GOSDTClassifier`.
    random_state : int, RandomState or None, default=None
        For policy "random", as in scikit-learn: an int gives the same order in every fit.
    trace
        See `GOSDTClassifier`.
    start : {"cart"} or None, default="cart"
        The first tree to improve on. "cart": the one of scikit-learn's `DecisionTreeClassifier` on the binary columns,
        pruned with the leaf penalty. None: a single leaf.
    bounds : dict or None, default=None
        For measurements: maps the name of a bound to False to search without it, or to True. The optimum stays the
        same. The names, with theorems of [1]_: "hierarchical_objective" (1), "lookahead" (lemma 2), "split_lookahead"
        (the same test for each split of a leaf), "equivalent_points" (9), "leaf_count" (corrected, see Notes),
        "leaf_support" (3, as in the authors' program), "leaf_accuracy" (5), "incremental_progress" (4), "permutation"
        (6) and "similar_support" (7). Only "similar_support" is off by default, because it costs more than it saves.

    Attributes
    ----------
    tree_, classes_, objective_, loss_, lower_bound_, gap_, n_leaves_, depth_, feature_importances_, regularization_, \
binarizer_, schema_, n_features_in_, feature_names_in_, trace_
        See `GOSDTClassifier`; `hornbeam.plot_trace` draws `trace_`.
    status_ : {"optimal", "gap_limit", "time_limit", "memory_limit", "expansion_limit", "interrupted"}
        Why the search ended; see `GOSDTClassifier`.
    statistics_ : dict
        See `GOSDTClassifier`; here "subproblems" counts the states that were queued (a set of leaves with a choice of
        those to split), and "table_entries" the different sets of leaves.

    See Also
    --------
    hornbeam.GOSDTClassifier : The same trees, sooner.

    Notes
    -----
    The upper bound on the number of leaves in the paper's supplement (theorem C.3) is wrong: it rounds down instead of
    up, and misses the optimum of some problems by up to one leaf penalty. It is corrected here, and then equivalent to
    "lookahead".

    The search runs on one thread. Its memory grows with the number of open sets of leaves.

    References
    ----------
    .. [1] X. Hu, C. Rudin, M. Seltzer, "Optimal Sparse Decision Trees", NeurIPS 2019, and X. Hu's thesis of the same
           name, Duke University 2019.
    .. [2] J. Lin, C. Zhong, D. Hu, C. Rudin, M. Seltzer, "Generalized and Scalable Optimal Sparse Decision Trees",
           ICML 2020: theorem 2.1, appendix C.

    Examples
    --------
    >>> from hornbeam import OSDTClassifier
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
    >>> classifier = OSDTClassifier(regularization=0.01, binarizer=None).fit(X, [0, 1, 1, 0])
    >>> classifier.status_, classifier.loss_, classifier.n_leaves_
    ('optimal', 0.0, 4)
    """

    n_jobs = 1
    _non_additive_objectives = ("auc", "partial_auc")

    @accept_positional(
        "max_depth max_leaves min_samples_leaf objective omega cost_matrix class_weight binarizer start time_limit "
        "memory_limit gap_limit verbose callback bounds trace theta"
    )
    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        policy: Literal["curiosity", "objective", "lower_bound", "entropy", "gini", "fifo", "random"] = "curiosity",
        *,
        objective: Literal["accuracy", "balanced", "weighted", "cost", "auc", "partial_auc"] = "accuracy",
        theta: float | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        gap_limit: float | None = None,
        max_expansions: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        random_state: Any = None,
        trace: bool = False,
        start: Literal["cart"] | None = "cart",
        bounds: Mapping[str, bool] | None = None,
    ) -> None:
        self.regularization = regularization
        self.policy = policy
        self.objective = objective
        self.theta = theta
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.binarizer = binarizer
        self.class_weight = class_weight
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.gap_limit = gap_limit
        self.max_expansions = max_expansions
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state
        self.trace = trace
        self.start = start
        self.bounds = bounds

    def _check_parameters(self) -> _core.SearchOptions:
        options = super()._check_parameters()
        options = options.replace(
            gap_limit=0.0 if self.gap_limit is None else check_number("gap_limit", self.gap_limit, below=1),
            bounds=check_bounds(self.bounds, BOUNDS),
            max_leaves=check_limit("max_leaves", self.max_leaves, least=1),
            max_expansions=check_limit("max_expansions", self.max_expansions, least=1),
        )
        check_choice("policy", self.policy, POLICIES)
        check_theta(self.objective, self.theta)
        random_numbers(self.random_state)  # refuses what it is not
        if self.objective in self._non_additive_objectives and self.class_weight is not None:
            raise ValueError(f"class_weight cannot be used with objective={self.objective!r}; set class_weight=None.")
        if self.start is not None and not (isinstance(self.start, str) and self.start == "cart"):
            raise ValueError(f"start must be 'cart' or None, got {shown(self.start)}.")
        return options

    def _make_scale(self, training: TrainingData) -> RegularizedScale:
        if self.objective in self._non_additive_objectives:
            return make_auc_scale(training, self.objective, self._leaf_penalty(), self.theta)
        return super()._make_scale(training)

    def _choose_search(self, training: TrainingData, scale: Any, options: _core.SearchOptions) -> Search:
        columns = packed_columns(self.binarizer_.conditions_, training)
        is_auc = isinstance(scale, AucScale)
        # An additive loss has a cost for each row, by which CART is grown and the search prunes its tree. The area
        # under the curve has none: CART is grown by the weights, and must not grow too far.
        losses = scale.weights if is_auc else scale.weights * scale.costs.max(axis=1)[training.codes]
        share = scale.regularization if is_auc else scale.leaf_cost / float(losses.sum())
        start = None
        if self.start and not training.budget.is_spent():
            start = cart_tree(self.binarizer_.conditions_, training, losses, share, not is_auc, options)
        options = within(options, training.budget)
        seed = int(random_numbers(self.random_state).randint(2**32, dtype=np.uint64)) if self.policy == "random" else 0
        how: dict[str, Any] = {"policy": self.policy, "start": start, "seed": seed}
        if not is_auc:
            return partial(_core.solve_leaf_sets, columns, make_problem(training, scale), options, **how)
        problem = _core.RankingProblem(
            training.codes, scale.weights, scale.half_pair_cost, scale.max_false_positives, scale.leaf_cost
        )
        return partial(_core.solve_ranking, columns, problem, options, **how)
