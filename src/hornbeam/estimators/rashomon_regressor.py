"""All near-optimal regression trees instead of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hornbeam.binarizers import Binarizer
from hornbeam.estimators._rashomon import RoundedSetTree
from hornbeam.estimators._regressor import SquaredErrorTree
from hornbeam.estimators.regressor import GOSDTRegressor
from hornbeam.fitting.numbers import NumericTraining
from hornbeam.fitting.progress import Progress
from hornbeam.rashomon.rounded import NumberProblem
from hornbeam.rashomon.rounded_set import RegressionRashomonSet


class RashomonSetRegressor(RoundedSetTree, SquaredErrorTree):
    """The set of all regression trees whose objective is within `epsilon` of the optimum.

    `RashomonSetClassifier` for squared error. The optimum of ``loss(T) + regularization * n_leaves(T)`` is found first,
    as by `GOSDTRegressor`; the loss is the mean squared error divided by that of a single leaf. Then all trees within
    the bound are found, as a graph of the subproblems that they share. Trees are counted without being listed.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much worse than the best tree a tree may be, at least 0. 0: the set has all optimal trees.
    epsilon_is : {"multiplier", "absolute"}, default="multiplier"
        "multiplier": the objective is at most ``(1 + epsilon)`` times the optimum; "absolute": at most the optimum plus
        `epsilon`.
    regularization : float or "auto", default=0.01
        Leaf penalty; see `GOSDTRegressor`. The larger it is, the smaller is the set.
    max_depth : int or None, default=4
        Largest number of edges from the root to a leaf. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    rashomon_bound : float or None, default=None
        The largest objective of a tree in the set, instead of `epsilon` and `epsilon_is`. If it excludes all trees, the
        set is empty, and `fit` warns. None: the bound follows from `epsilon`.
    distinct : {"splits", "columns"}, default="splits"
        Which trees count as different. "splits": trees with different nested splits, where columns that are equal or
        complementary on all training rows count as one. "columns": also trees that differ only in such columns.
    resolution : float, default=0.001
        How finely objectives are told apart while trees are counted, as a share of the distance from the optimum to
        the bound; see Notes. 0: as finely as the search computes. Then almost every tree has an objective of its own,
        and memory grows with the number of trees.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        How columns become binary; see `GOSDTRegressor`. The set grows with the number of binary columns.
    time_limit : float or None, default=None
        Seconds of wall clock from the call of `fit` to its return. None: no limit.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process. None: no limit.
    n_jobs, verbose, callback, trace
        See `GOSDTRegressor`. `n_jobs` and `trace` apply to the search for the optimum.

    Attributes
    ----------
    rashomon_set_ : RegressionRashomonSet
        The trees, in the order of their rounded objectives.
    n_trees_ : int
        Their exact number, of any size.
    tree_ : RegressionTree
        A best tree; `predict` uses it.
    bound_ : float
        Every tree with at most this objective is in the set.
    searched_up_to_, complete_up_to_ : float
        The set has every tree with at most this objective. Equals `bound_` unless a limit ended the search. -inf: the
        search ended before any tree was known to belong to the set, which is empty.
    status_ : {"complete", "time_limit", "memory_limit", "interrupted"}
        Why the searches ended. "complete": the set has all trees up to `bound_`, possibly none.
    statistics_ : dict
        As in `RashomonSetClassifier`.
    objective_, loss_, lower_bound_, gap_, rounding_, n_leaves_, depth_, feature_importances_, regularization_, \
binarizer_, schema_, n_features_in_, feature_names_in_, trace_
        Of `tree_` and the search for the optimum; see `GOSDTRegressor`.

    See Also
    --------
    hornbeam.RegressionRashomonSet : What the set can tell.
    GOSDTRegressor : One optimal tree.
    RashomonSetClassifier : The same for classes.

    Notes
    -----
    A tree is defined by its nested splits, as in `RashomonSetClassifier`; trees with different splits are different,
    also where two leaves of one split predict the same. Every split has training rows on both sides.

    **Rounding.** To count trees without listing them, the search adds up numbers of trees by objective, and sums of
    squared errors hardly ever agree. So the loss of each leaf is rounded *down* to a multiple of `resolution` times the
    distance from the optimum to the bound, or of an eighth of the leaf penalty if that is less. No tree within the
    bound is left out; some trees beyond it come with them. ``rashomon_set_.rounding`` is how far beyond at most, and
    ``rashomon_set_.n_certain`` counts those that are within the bound for certain, so the number of trees within the
    bound is at least `n_certain` and at most `n_trees_`. ``rashomon_set_.objective(i)`` is the objective of a tree
    without rounding.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the Whole Rashomon Set of Sparse
           Decision Trees", NeurIPS 2022.
    .. [2] R. Zhang, R. Xin, M. Seltzer, C. Rudin, "Optimal Sparse Regression Trees", AAAI 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import RashomonSetRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> regressor = RashomonSetRegressor(epsilon=0.02, regularization=0.02, max_depth=3).fit(X, y)
    >>> trees = regressor.rashomon_set_
    >>> regressor.status_, trees.n_certain, trees.n_trees
    ('complete', 279, 282)
    """

    rashomon_set_: RegressionRashomonSet
    _kind = NumberProblem

    def __init__(
        self,
        epsilon: float = 0.05,
        epsilon_is: Literal["multiplier", "absolute"] = "multiplier",
        *,
        regularization: float | Literal["auto"] = 0.01,
        max_depth: int | None = 4,
        min_samples_leaf: int = 1,
        rashomon_bound: float | None = None,
        distinct: Literal["splits", "columns"] = "splits",
        resolution: float = 0.001,
        binarizer: Literal["exact", "quantile"] | Binarizer | None = "quantile",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.epsilon_is = epsilon_is
        self.regularization = regularization
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.rashomon_bound = rashomon_bound
        self.distinct = distinct
        self.resolution = resolution
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.trace = trace

    def regressor(self, index: int) -> GOSDTRegressor:
        """Return one tree of the set as a fitted regressor of its own.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        GOSDTRegressor
            With the parameters that both have; its `status_` is "optimal" if the tree is proven to be no worse than any
            other by more than twice `rounding_`, and "heuristic" otherwise.

        Raises
        ------
        IndexError
            If there is no such tree.
        """
        one: GOSDTRegressor = self._single(index, GOSDTRegressor(), ("rounding_",))
        return one

    def _make_scale(self, training: NumericTraining) -> Any:
        return super()._make_scale(training).for_sets()
