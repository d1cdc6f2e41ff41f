"""The exact policy tree: the action for each row by which all rows together earn most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._exact import ExactTree
from hornbeam.estimators._frontier import FrontierMethods
from hornbeam.estimators._policy import FittedPolicyTree
from hornbeam.fitting.progress import Progress


class PolicyTree(FrontierMethods, FittedPolicyTree, ExactTree):
    """Optimal sparse policy tree, with a proof: which action for which rows.

    `fit` gets the reward of each action for each row. Of all trees T within the limits, whose leaves choose an action,
    it finds the one with the largest ``mean reward(T) - regularization * n_leaves(T)``. In the terms of the other
    estimators it minimizes ``loss(T) + regularization * n_leaves(T)``, where the loss is the mean reward that rows lose
    against the best action of each. Everything else is as in `GOSDTClassifier`: columns, conditions, limits, the
    search, and what the proof is about.

    Rewards may be any numbers: outcomes that are known for all actions, costs with the opposite sign, or scores that
    `hornbeam.policy_scores` makes of an experiment or of observations, in which each row got one action.

    Parameters
    ----------
    regularization : float or "auto", default="auto"
        Leaf penalty in the unit of the mean reward, at least 0: one more leaf must raise the mean reward by so much.
        Rounded once to the resolution of the search, see `regularization_`. "auto": a share of what the best single
        action loses: 2 / n_rows, but at least 0.002 and at most 0.01.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf; 0 gives a single leaf. None: no limit.
    costs : sequence of float of length n_actions, dict or None, default=None
        What each action costs, subtracted from its rewards; as a dict from actions to costs, those left out cost
        nothing. Costs that differ between rows belong in the rewards.
    max_leaves : int or None, default=None
        Largest number of leaves. None: no limit.
    min_samples_leaf : int, default=1
        Smallest number of training rows in a leaf.
    shape : {"tree", "rule_list"}, default="tree"
        "rule_list": one side of every split is a leaf, so that the tree reads from top to bottom.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        See `GOSDTClassifier`. "auto" and "guess" choose thresholds that tell apart rows by their best action, weighted
        by what it earns more than the mean of all actions.
    start_tree : tree, fitted estimator, JSON or None, default=None
        A tree of any origin from which the search starts, see `GOSDTClassifier`.
    warm_start : bool, default=False
        Whether to start from the tree of the last fit.
    time_limit : float or None, default=60
        Seconds from the start of `fit`. None: no limit.
    memory_limit : int or None, default=None
        Bytes by which `fit` may increase the memory of the process. None: no limit.
    gap_limit : float or None, default=None
        The search stops as soon as `gap_` is at most this. None: 0.
    checkpoint : str, path or None, default=None
        File that keeps what the search has proven, see `GOSDTClassifier`.
    checkpoint_interval : float, default=60
        Seconds between two saves.
    n_jobs : int or None, default=1
        Threads of the search, as in scikit-learn. The proof does not depend on it.
    verbose : int or bool, default=0
        1 or True: show the progress.
    callback : callable or None, default=None
        Called with a `Progress` about ten times a second; returning True stops the search.
    trace : bool, default=False
        Whether to record the progress in `trace_`.
    bounds : dict of str to bool or None, default=None
        Switches bounds of the search, see `GOSDTClassifier`.

    Attributes
    ----------
    tree_ : ActionTree
        The best tree.
    actions_ : ndarray of shape (n_actions,)
        The names of the columns of rewards; 0, 1, ... if they have none.
    value_ : float
        Mean reward of the training rows under the tree, less costs. It is too optimistic for new rows, since the tree
        was chosen with these rewards: see `score` and `hornbeam.policy_value`.
    single_action_ : label
        The action that is best if all rows get the same.
    single_action_value_ : float
        Its mean reward, less its cost.
    loss_ : float
        Mean reward that the training rows lose against the best action of each.
    objective_ : float
        ``loss_ + regularization_ * n_leaves_``.
    lower_bound_ : float
        No tree within the limits has a smaller objective.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``.
    status_ : str
        "optimal", or what ended the search before: "time_limit", "memory_limit", "gap_limit" or "interrupted".
    regularization_ : float
        The leaf penalty that the search used.
    n_unavailable_ : int
        Number of training rows for which the tree chooses an action that is not available.
    n_leaves_, depth_, feature_importances_, binarizer_, schema_, n_features_in_, feature_names_in_, statistics_, trace_
        See `GOSDTClassifier`; importances are shares in the rewards that the splits earn.

    See Also
    --------
    PolicyTreeCV : Chooses the leaf penalty by cross-validation.
    hornbeam.policy_scores : Makes rewards of outcomes, actions and models.
    hornbeam.policy_value : The value of a policy on held-out rows, with its standard error.

    Notes
    -----
    *One column of rewards* (of any shape) is what an action earns compared with doing nothing, which earns 0. The
    actions are then 0 and 1, or "do nothing" and the name of the column of a data frame.

    *Missing rewards* mean that an action is not available for a row. Nothing is imputed. A row for which a tree chooses
    such an action counts as twice the largest loss of all rows together, so that the tree avoids it wherever the limits
    allow it. Where they do not, `fit` warns, and `n_unavailable_` counts these rows. If in each row only one reward is
    known, `fit` refuses: then they are outcomes, see `hornbeam.policy_scores`.

    *Exactness.* Rewards and weights are exact if they are integers, decimals of up to six places or multiples of 2^-20
    and the losses of all actions together take at most 52 bits. Otherwise losses are rounded down to 2^-51 of their
    sum. The bound of the search then holds for the rewards as given, and `objective_` and `loss_` are those of the
    tree, from the rewards; so `gap_` may be about 1e-10 with status "optimal".

    *Costs of rows.* A classifier whose costs differ between rows is a policy tree: its actions are the labels, and its
    rewards are minus the costs.

    References
    ----------
    .. [1] S. Athey, S. Wager, "Policy Learning with Observational Data", Econometrica 89(1), 2021: trees of limited
           depth that maximize doubly robust scores, and their regret.
    .. [2] Z. Zhou, S. Athey, S. Wager, "Offline Multi-Action Policy Learning: Generalization and Optimization",
           Operations Research 71(1), 2023: many actions, and exact search by sorted columns.
    .. [3] J. G. M. van der Linden, M. M. de Weerdt, E. Demirović, "Necessary and Sufficient Conditions for Optimal
           Decision Trees using Dynamic Programming", NeurIPS 2023: policies as one of many separable tasks.

    Examples
    --------
    >>> import pandas as pd
    >>> from hornbeam import PolicyTree
    >>> X = pd.DataFrame({"age": [20, 30, 50, 60]})
    >>> rewards = pd.DataFrame({"call": [3, 2, 0, 1], "letter": [1, 1, 2, 2]})
    >>> policy = PolicyTree(regularization=0.1).fit(X, rewards)
    >>> policy.status_, policy.value_, policy.single_action_value_
    ('optimal', 2.25, 1.5)
    >>> policy.predict(pd.DataFrame({"age": [25, 55]})).tolist()
    ['call', 'letter']
    """

    def __init__(
        self,
        regularization: float | Literal["auto"] = "auto",
        max_depth: int | None = None,
        *,
        costs: Sequence[float] | Mapping[Any, float] | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: int = 1,
        shape: Literal["tree", "rule_list"] = "tree",
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
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
        self.costs = costs
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
