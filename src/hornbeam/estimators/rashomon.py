"""All near-optimal trees instead of one: the Rashomon set."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._units import Units
from hornbeam.binarizers import Binarizer, Conditions, pack_conditions
from hornbeam.estimators._additive import AdditiveClassifier
from hornbeam.estimators._parameters import check_number
from hornbeam.estimators._progress import Progress, relative_gap
from hornbeam.estimators._rashomon_set import Enumeration, RashomonSet
from hornbeam.estimators._search import Search
from hornbeam.estimators._training import Training
from hornbeam.estimators.gosdt import GOSDTClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.objectives import exact_fraction

# Trees of up to 1023 leaves are told apart in the ticks of the search.
_LEAF_BITS = 10
_LARGEST_BOUND = 2**52


class RashomonSetClassifier(AdditiveClassifier):
    """The set of all decision trees whose objective is within `epsilon` of the optimum, exactly.

    The optimum of ``loss(T) + regularization * n_leaves(T)`` is found first, as by `GOSDTClassifier`; then all trees
    within the bound, as a graph of the subproblems that they share, in which the number of trees of each cost is known
    exactly. Millions of millions of trees take no more memory than their distinct subproblems and costs.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much worse than the best tree a tree may be, at least 0.
    epsilon_is : {"multiplier", "absolute"}, default="multiplier"
        "multiplier": the objective is at most ``(1 + epsilon)`` times the optimum; "absolute": at most the optimum plus
        `epsilon`. Both are compared without rounding wherever weights and costs are exact (see `GOSDTClassifier`).
    regularization : float, default=0.01
        Price of one leaf; see `GOSDTClassifier`. The larger it is, the smaller is the set.
    max_depth : int or None, default=4
        Largest number of edges from the root to a leaf. None: no limit.
    distinct : {"splits", "columns", "labels"}, default="splits"
        Which trees are different; see Notes. "splits": by their nested splits, where columns that are equal or
        complementary on all training rows are the same. "columns": the same, but each such column has trees of its own;
        this is how TreeFARMS counts. "labels": moreover, a leaf may predict any class, and splits are counted
        whose leaves predict the same; this is how PRAXIS and ArborEnum count.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    objective, omega, cost_matrix, class_weight
        See `GOSDTClassifier`.
    binarizer : {"exact", "quantile", "guess"}, Binarizer or None, default="quantile"
        How columns become binary; see `GOSDTClassifier`. The set grows with the number of binary columns.
    time_limit : float or None, default=None
        Seconds of wall clock for both searches together. None: no limit.
    memory_limit : int or None, default=None
        Bytes of the data structures of each search. None: no limit.
    n_jobs, verbose, callback, trace
        See `GOSDTClassifier`. `n_jobs` and `trace` are about the search for the optimum.

    Attributes
    ----------
    rashomon_set_ : RashomonSet
        The trees, in the order of their objectives.
    n_trees_ : int
        Their exact number, of any size.
    tree_ : Tree
        A best tree; the one that `predict` asks.
    bound_ : float
        The objective up to which trees were asked for.
    complete_up_to_ : float
        Every tree of an objective up to this is in the set, and no other. Equals `bound_` if `status_` is "complete";
        -inf if the searches were stopped before any tree was known to belong to it, so that the set is empty.
    status_ : {"complete", "time_limit", "memory_limit", "interrupted"}
        Why the searches ended. "complete": the set has all trees up to `bound_`.
    objective_, loss_, n_leaves_, depth_
        Of `tree_`; see `GOSDTClassifier`.
    lower_bound_, gap_
        See `GOSDTClassifier`; `gap_` is 0 unless the optimum was not proven.
    regularization_, binarizer_, schema_, classes_, n_features_in_, feature_names_in_, trace_
        See `GOSDTClassifier`.
    statistics_ : dict
        Those of the search for the optimum, and those of the set: "set_subproblems" (distinct ones), "set_expansions",
        "set_splits", "set_costs" (distinct costs of all subproblems), "set_bytes" and "set_seconds".

    Notes
    -----
    A tree is its nested splits: two trees that ask independent questions in another order are different, even if they
    predict the same. Every split has training rows on both sides. A leaf predicts the class of the least loss, the
    first of several (but see `distinct`), and no split has two leaves that predict the same: such a tree does what a
    smaller one does at a lower price. Columns that are equal on the rows of a node, but not on all rows, make different
    trees.

    TreeFARMS, PRAXIS and ArborEnum count the same trees, but for their rounding: TreeFARMS gives a leaf of as much
    weight of both classes the second one, so that classes have to be numbered the other way round for its numbers;
    PRAXIS and ArborEnum round the price of a leaf and the bound to whole rows.

    After pickling, the set is found again when a tree is first asked for; its trees have the same numbers.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the Whole Rashomon Set of Sparse
           Decision Trees", NeurIPS 2022.

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

    def __init__(
        self,
        epsilon: float = 0.05,
        epsilon_is: Literal["multiplier", "absolute"] = "multiplier",
        regularization: float = 0.01,
        max_depth: int | None = 4,
        distinct: Literal["splits", "columns", "labels"] = "splits",
        min_samples_leaf: int = 1,
        objective: Literal["accuracy", "balanced", "weighted", "cost"] = "accuracy",
        omega: float = 1.0,
        cost_matrix: npt.ArrayLike | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        binarizer: Literal["exact", "quantile", "guess"] | Binarizer | None = "quantile",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = 1,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.epsilon_is = epsilon_is
        self.regularization = regularization
        self.max_depth = max_depth
        self.distinct = distinct
        self.min_samples_leaf = min_samples_leaf
        self.objective = objective
        self.omega = omega
        self.cost_matrix = cost_matrix
        self.class_weight = class_weight
        self.binarizer = binarizer
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
            Numbers of the trees to ask, such as those of ``rashomon_set_.sample``. None: all.

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
        check_is_fitted(self)
        tree = self.rashomon_set_[index]
        parameters = self.get_params(deep=False)
        shared = {name: parameters[name] for name in GOSDTClassifier().get_params(deep=False) if name in parameters}
        one: GOSDTClassifier = clone(GOSDTClassifier(**shared))
        for name in ("classes_", "schema_", "binarizer_", "regularization_", "lower_bound_", "statistics_"):
            setattr(one, name, getattr(self, name))
        one.tree_, one.n_leaves_, one.depth_ = tree, tree.n_leaves, tree.depth
        one.objective_ = self.rashomon_set_.objective(index)
        one.loss_ = one.objective_ - one.regularization_ * one.n_leaves_
        one.gap_ = relative_gap(one.objective_, one.lower_bound_)
        one.status_ = "optimal" if one.objective_ == one.lower_bound_ else "heuristic"
        return one

    def _check_parameters(self) -> dict[str, Any]:
        check_number("epsilon", self.epsilon)
        if self.epsilon_is not in ("multiplier", "absolute"):
            raise ValueError(f"epsilon_is must be 'multiplier' or 'absolute', got {self.epsilon_is!r}.")
        if self.distinct not in ("splits", "columns", "labels"):
            raise ValueError(f"distinct must be 'splits', 'columns' or 'labels', got {self.distinct!r}.")
        return super()._check_parameters()

    def _leaf_bits(self) -> int:
        return _LEAF_BITS

    def _choose_search(self, training: Training, units: Units, options: dict[str, Any]) -> Search:
        for label, costs in zip(training.classes.tolist(), units.costs, strict=True):
            if not costs.any():
                raise ValueError(
                    f"cost_matrix costs the same for class {label!r} whatever is predicted; leave its rows out."
                )
        search = self._choose_exact_search(training, units, options)
        return partial(self._search_set, training, units, options, search)

    def _search_set(
        self,
        training: Training,
        units: Units,
        options: dict[str, Any],
        search: Search,
        *problem: Any,
        callback: Callable[[Any], bool] | None,
        trace: bool,
    ) -> _core.Outcome:
        """Find the optimum, then the set in what is left of the time."""
        outcome = search(*problem, callback=callback, trace=trace)
        enumeration = self._enumeration(training, units, options, outcome["upper"])
        self._bound = self._most_ticks(enumeration, training.table.n_rows, options)
        limits = {name: options[name] for name in ("memory_limit",) if name in options}
        if "time_limit" in options:
            limits["time_limit"] = max(0.0, options["time_limit"] - outcome["statistics"]["seconds"])
        is_proven = outcome["status"] == "optimal"
        trees = enumeration.find(self._bound if is_proven else -1, callback=callback, **limits)
        self.rashomon_set_ = RashomonSet(enumeration, trees)
        found = _core.describe_set(trees)
        statistics = {f"set_{name}": value for name, value in found["statistics"].items()}
        status = found["status"] if is_proven else outcome["status"]
        return {
            **outcome,
            "status": "complete" if status == "optimal" else status,
            "statistics": {**outcome["statistics"], **statistics},
        }

    def _enumeration(self, training: Training, units: Units, options: dict[str, Any], optimum: int) -> Enumeration:
        conditions = self.binarizer_.conditions_
        columns = pack_conditions(conditions, training.table)
        if self.distinct == "splits":
            kept = _first_of_each_split(columns, training.table.n_rows)
            conditions, columns = Conditions([conditions[column] for column in kept]), columns[kept]
        about_trees: dict[str, Any] = {
            name: options[name] for name in ("max_depth", "min_samples_leaf") if name in options
        }
        return Enumeration(
            columns,
            conditions,
            training.codes,
            training.weights,
            units,
            optimum,
            {**about_trees, "any_prediction": self.distinct == "labels"},
            training.classes,
            self.schema_,
            training.table.has_missing(),
            training.target_name,
        )

    def _most_ticks(self, enumeration: Enumeration, n_rows: int, options: dict[str, Any]) -> int:
        """Return the ticks of the bound, and check that all trees within it can be told apart."""
        units, epsilon = enumeration.units, exact_fraction(self.epsilon, "epsilon")
        optimum = units.exact_objective(enumeration.optimum)
        bound = optimum * (1 + epsilon) if self.epsilon_is == "multiplier" else optimum + epsilon
        self.bound_ = float(bound)
        ticks = units.most_ticks(bound)
        if ticks >= _LARGEST_BOUND:
            raise ValueError(f"epsilon={self.epsilon!r} is too large: even the worst tree would be in the set.")
        most_leaves = min(n_rows, ticks // units.leaf_cost, 2 ** min(options.get("max_depth", n_rows), 64))
        if most_leaves >= 1 << units.leaf_bits:
            raise ValueError(
                f"a tree of the set might have {most_leaves} leaves, {(1 << units.leaf_bits) - 1} is the most; lower "
                "max_depth or epsilon, or raise regularization."
            )
        return ticks

    def _set_result(self, outcome: _core.Outcome, units: Units) -> None:
        super()._set_result(outcome, units)
        self.n_trees_ = self.rashomon_set_.n_trees
        self.complete_up_to_ = self.bound_ if self.status_ == "complete" else self.rashomon_set_.complete_up_to

    def _warn_unless_proven(self) -> None:
        if self.status_ == "complete":
            return
        known = f"all {self.n_trees_} trees up to objective {self.complete_up_to_:.6g}" if self.n_trees_ else "no tree"
        warnings.warn(
            f"The search stopped before all trees up to objective {self.bound_:.6g} were found (status "
            f"{self.status_!r}): the set holds {known}. For more, allow more, lower epsilon or max_depth, raise "
            "regularization or use fewer binary columns.",
            NotProvenWarning,
            stacklevel=3,
        )


def _first_of_each_split(columns: npt.NDArray[np.uint8], n_rows: int) -> list[int]:
    """Return the columns that part the rows, without those that are equal or complementary to one before."""
    last = np.full(columns.shape[1], 0xFF, dtype=np.uint8)
    if n_rows % 8:
        last[-1] = (1 << n_rows % 8) - 1
    known = {bytes(len(last))}
    kept = []
    for number, column in enumerate(columns):
        split = (column ^ last if column[0] & 1 else column).tobytes()
        if split not in known:
            known.add(split)
            kept.append(number)
    return kept
