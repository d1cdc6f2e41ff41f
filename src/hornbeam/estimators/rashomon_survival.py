"""All near-optimal survival trees instead of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hornbeam.binarizers import Binarizer
from hornbeam.estimators._rashomon import RoundedSetTree
from hornbeam.estimators._survival import FittedSurvivalTree
from hornbeam.estimators.survival import SurvivalTree
from hornbeam.fitting.progress import Progress
from hornbeam.rashomon.rounded import HazardProblem
from hornbeam.rashomon.rounded_set import SurvivalRashomonSet


class RashomonSetSurvivalTree(RoundedSetTree, FittedSurvivalTree):
    """The set of all survival trees whose objective is within a bound of the optimum.

    `RashomonSetRegressor` for right-censored times. The optimum of ``loss(T) + regularization * n_leaves(T)`` is found
    first, as by `SurvivalTree`; the loss is the deviance divided by that of a single leaf. Then all trees within the
    bound are found, and counted without being listed.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much worse than the best tree a tree may be, at least 0.
    epsilon_is : {"multiplier", "absolute"}, default="multiplier"
        "multiplier": the objective is at most ``(1 + epsilon)`` times the optimum; "absolute": at most the optimum plus
        `epsilon`.
    regularization : float or "auto", default=0.01
        Leaf penalty; see `SurvivalTree`. The larger it is, the smaller is the set.
    max_depth : int or None, default=3
        Largest number of edges from the root to a leaf. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    rashomon_bound, distinct, resolution
        See `RashomonSetRegressor`.
    binarizer : {"quantile", "exact"}, Binarizer or None, default="quantile"
        How columns become binary; see `SurvivalTree`. The set grows with the number of binary columns.
    time_limit : float or None, default=None
        Seconds of wall clock from the call of `fit` to its return. None: no limit.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process. None: no limit.
    n_jobs, verbose, callback, trace
        See `SurvivalTree`. `n_jobs` and `trace` apply to the search for the optimum.

    Attributes
    ----------
    rashomon_set_ : SurvivalRashomonSet
        The trees, in the order of their rounded objectives.
    n_trees_, bound_, searched_up_to_, complete_up_to_, status_, statistics_
        See `RashomonSetRegressor`.
    tree_ : HazardTree
        A best tree; `predict` uses it.
    event_times_, objective_, loss_, lower_bound_, gap_, rounding_, n_leaves_, depth_, feature_importances_, \
regularization_, binarizer_, schema_, n_features_in_, feature_names_in_, trace_
        Of `tree_` and the search for the optimum; see `SurvivalTree`.

    See Also
    --------
    hornbeam.SurvivalRashomonSet : What the set can tell.
    SurvivalTree : One optimal tree.
    hornbeam.concordance_index : How well the risks of each tree order the times of held-out rows.

    Notes
    -----
    A tree is defined by its nested splits; trees with different splits are different, also where two leaves of one
    split have the same hazard ratio. Losses of leaves are rounded down while trees are counted, as in
    `RashomonSetRegressor`, and the search chooses hazard ratios from a grid, as in `SurvivalTree`. No tree within the
    bound is left out for either reason: the bound is raised by what the grid can matter, `rounding_`. So the number of
    trees within the bound is at least ``rashomon_set_.n_certain`` and at most `n_trees_`.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the Whole Rashomon Set of Sparse
           Decision Trees", NeurIPS 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import RashomonSetSurvivalTree
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 4))
    >>> death, end = rng.exponential(np.where(X[:, 0] == 1, 1.0, 3.0)), rng.uniform(0, 8, 200)
    >>> y = np.array(list(zip(death <= end, np.minimum(death, end))), dtype=[("event", bool), ("time", float)])
    >>> trees = RashomonSetSurvivalTree(0.02, max_depth=2).fit(X, y).rashomon_set_
    >>> trees.n_certain, trees.n_trees, float(trees.column_use()[0])
    (7, 7, 1.0)
    """

    rashomon_set_: SurvivalRashomonSet
    _kind = HazardProblem

    def __init__(
        self,
        epsilon: float = 0.05,
        epsilon_is: Literal["multiplier", "absolute"] = "multiplier",
        *,
        regularization: float | Literal["auto"] = 0.01,
        max_depth: int | None = 3,
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

    def survival_tree(self, index: int) -> SurvivalTree:
        """Return one tree of the set as a fitted estimator of its own.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        SurvivalTree
            With the parameters that both have; its `status_` is "optimal" if the tree is proven to be no worse than any
            other by more than twice `rounding_`, and "heuristic" otherwise.

        Raises
        ------
        IndexError
            If there is no such tree.
        """
        one: SurvivalTree = self._single(index, SurvivalTree(), ("rounding_", "_deviance_of_row"))
        return one
