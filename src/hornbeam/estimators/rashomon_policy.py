"""All near-optimal policy trees instead of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from hornbeam.binarizers import Binarizer
from hornbeam.estimators._policy import FittedPolicyTree
from hornbeam.estimators._rashomon import RoundedSetTree
from hornbeam.estimators.policy import PolicyTree
from hornbeam.fitting.progress import Progress
from hornbeam.rashomon.rounded import ActionProblem
from hornbeam.rashomon.rounded_set import PolicyRashomonSet


class RashomonSetPolicyTree(RoundedSetTree, FittedPolicyTree):
    """The set of all policy trees whose objective is within a bound of the optimum.

    `RashomonSetRegressor` for actions. The optimum of ``loss(T) + regularization * n_leaves(T)`` is found first, as by
    `PolicyTree`; the loss is the mean reward that rows lose against the best action of each. Then all trees within the
    bound are found, and counted without being listed.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much worse than the best tree a tree may be, at least 0. 0: the set has all optimal trees.
    epsilon_is : {"multiplier", "absolute"}, default="multiplier"
        "multiplier": the objective is at most ``(1 + epsilon)`` times the optimum; "absolute": at most the optimum plus
        `epsilon`, in the unit of the rewards: the trees whose mean reward, less the leaf penalties, is at most so much
        less than the best.
    regularization : float or "auto", default="auto"
        Leaf penalty; see `PolicyTree`. The larger it is, the smaller is the set.
    max_depth : int or None, default=3
        Largest number of edges from the root to a leaf. None: no limit.
    costs : sequence of float of length n_actions, dict or None, default=None
        What each action costs; see `PolicyTree`.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    rashomon_bound, distinct, resolution
        See `RashomonSetRegressor`.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="quantile"
        How columns become binary; see `PolicyTree`. The set grows with the number of binary columns.
    time_limit : float or None, default=None
        Seconds of wall clock from the call of `fit` to its return. None: no limit.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process. None: no limit.
    n_jobs, verbose, callback, trace
        See `PolicyTree`. `n_jobs` and `trace` apply to the search for the optimum.

    Attributes
    ----------
    rashomon_set_ : PolicyRashomonSet
        The trees, in the order of their rounded objectives.
    n_trees_, bound_, searched_up_to_, complete_up_to_, status_, statistics_
        See `RashomonSetRegressor`.
    tree_ : ActionTree
        A best tree; `predict` uses it.
    actions_, value_, single_action_, single_action_value_, loss_, objective_, lower_bound_, gap_, regularization_, \
n_unavailable_, n_leaves_, depth_, feature_importances_, binarizer_, schema_, n_features_in_, feature_names_in_, trace_
        Of `tree_` and the search for the optimum; see `PolicyTree`.

    See Also
    --------
    hornbeam.PolicyRashomonSet : What the set can tell.
    PolicyTree : One optimal tree.
    hornbeam.policy_value : The value of each tree on held-out rows.

    Notes
    -----
    A tree is defined by its nested splits, as in `RashomonSetClassifier`: a leaf chooses the best action, the first one
    in case of ties, and no split has two leaves that choose the same. Losses of leaves are rounded down while trees are
    counted, as in `RashomonSetRegressor`: no tree within the bound is left out.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the Whole Rashomon Set of Sparse
           Decision Trees", NeurIPS 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> from hornbeam import RashomonSetPolicyTree
    >>> X = pd.DataFrame({"age": [20, 30, 50, 60], "new": [0, 1, 0, 1]})
    >>> rewards = pd.DataFrame({"call": [3, 2, 0, 1], "letter": [1, 1, 2, 2]})
    >>> policy = RashomonSetPolicyTree(0.15, "absolute", regularization=0.1).fit(X, rewards)
    >>> trees = policy.rashomon_set_
    >>> trees.n_certain, trees.n_trees, trees.n_leaves()
    (3, 3, {2: 1, 3: 2})
    >>> trees.votes(X)[0].tolist()
    [1.0, 0.0]
    """

    rashomon_set_: PolicyRashomonSet
    _kind = ActionProblem

    def __init__(
        self,
        epsilon: float = 0.05,
        epsilon_is: Literal["multiplier", "absolute"] = "multiplier",
        *,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = 3,
        costs: Sequence[float] | Mapping[Any, float] | None = None,
        min_samples_leaf: int = 1,
        rashomon_bound: float | None = None,
        distinct: Literal["splits", "columns"] = "splits",
        resolution: float = 0.001,
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "quantile",
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
        self.costs = costs
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

    def policy(self, index: int) -> PolicyTree:
        """Return one tree of the set as a fitted policy of its own.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        PolicyTree
            With the parameters that both have; its `status_` is "optimal" if the tree is as good as the best one, and
            "heuristic" otherwise.

        Raises
        ------
        IndexError
            If there is no such tree.
        """
        one: PolicyTree = self._single(index, PolicyTree(), ("actions_",))
        one._set_values(*self.rashomon_set_._chosen(index))
        return one
