"""The exact policy tree: the action for each row by which all rows together earn most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT, Budget
from hornbeam._checks import check_weights
from hornbeam._user_frame import warn_user
from hornbeam.binarizers import Binarizer, SupervisedBinarizer, ThresholdGuessBinarizer
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._display import TreeDisplay
from hornbeam.estimators._exact import ExactTree
from hornbeam.estimators._frontier import FrontierMethods
from hornbeam.fitting.progress import Progress, relative_gap
from hornbeam.fitting.reward_scale import RewardScale, make_reward_scale
from hornbeam.fitting.rewards import RewardData, net_rewards, read_reward_data, read_rewards
from hornbeam.tree import ActionTree
from hornbeam.tree.importances import reward_importances
from hornbeam.tree.words import count

if TYPE_CHECKING:
    from typing_extensions import Self


class PolicyTreeMethods(TreeDisplay, TreeEstimator):
    """Base of the estimators that keep one fitted tree of actions: what they do with new rows."""

    costs: Sequence[float] | Mapping[Any, float] | None
    tree_: ActionTree
    actions_: npt.NDArray[Any]
    value_: float

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Choose an action for each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`. Missing values and unseen categories fail every condition except
            "is missing".

        Returns
        -------
        ndarray of shape (n_rows,)
            Entries of `actions_`.

        Raises
        ------
        ValueError
            If the columns differ from those seen in `fit`, or a number is infinite.
        """
        table = self._table(X)
        return self.tree_.predict(table)

    def predict_rewards(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean reward of each action in the training rows of each row's leaf, less costs.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_actions)
            In the order of `actions_`; NaN for an action that is not available for any row of the leaf.
        """
        table = self._table(X)
        return self.tree_.predict_rewards(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean reward of rows under the policy, less costs.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        y : array-like or data frame of shape (n_rows, n_actions), or (n_rows,)
            Rewards, with the columns seen in `fit`.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If the actions differ from those seen in `fit`, or the policy chooses an action whose reward is missing.
        """
        return self._score_on(X, y, sample_weight)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each column in the rewards that the splits of `tree_` earn, one number a column.

        A split earns what the best actions of its two sides earn more than the best action for all rows of its node.
        The shares are at least 0 and sum to 1; all are 0 if `tree_` is a single leaf.
        """
        return reward_importances(self._of_fit("tree_"))

    def _score_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        _, weights, chosen = self._earned(X, y, sample_weight)
        return float(np.average(chosen, weights=weights))

    def _earned(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Return rewards less costs, weights, and the reward of the chosen action of each row of weight above 0."""
        table, rewards = self._table(X), read_rewards(y)
        if rewards.actions.tolist() != self.actions_.tolist():
            raise ValueError(
                f"y has the actions {rewards.actions.tolist()}, but those seen in fit are {self.actions_.tolist()}."
            )
        if len(rewards.values) != table.n_rows:
            raise ValueError(f"X has {table.n_rows} rows, but y has {len(rewards.values)}.")
        weights = check_weights(sample_weight, table.n_rows)
        net = net_rewards(rewards, self.costs)
        rows, codes = np.arange(table.n_rows), self.tree_.prediction[self.tree_.apply(table)]
        chosen = net[rows, codes]
        unknown = np.flatnonzero(np.isnan(chosen) & (weights > 0))
        if len(unknown) > 0:
            action = self.actions_.tolist()[codes[unknown[0]]]
            raise ValueError(
                f"Input y contains NaN: the policy chooses {action!r} in {count(len(unknown))} where its reward is "
                f"missing, first row {unknown[0]}. Leave such rows out, or fit larger trees."
            )
        present = weights > 0
        return net[present], weights[present], chosen[present]

    def _loss_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the mean reward that rows lose against the best action of each."""
        net, weights, chosen = self._earned(X, y, sample_weight)
        return float(np.average(np.nanmax(net, axis=1) - chosen, weights=weights))

    def _proof(self) -> tuple[str, str]:
        most = self.value_ + self.objective_ - self.lower_bound_
        return f"mean reward {self.value_:.4g}", f"at most {most:.4g}"

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that rewards are required, and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


class PolicyTree(FrontierMethods, PolicyTreeMethods, ExactTree):
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
        nothing. Costs that differ between rows belong into the rewards.
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
    verbose : int, default=0
        1: show the progress.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best policy and prove it, or go as far as the limits allow.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            What is known of each row when an action is chosen; as in `GOSDTClassifier.fit`, in memory.
        y : array-like or data frame of shape (n_rows, n_actions), or (n_rows,)
            Rewards, one column for each action; larger is better. A missing reward means that the action is not
            available for the row. One column: what an action earns compared with doing nothing, which earns 0.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, finite and not negative. Rows of weight 0 are left out. None: every row weighs 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, lengths differ, a number is infinite, a row has no reward, an action has
            none in any row, or no row has two.
        TypeError
            If a parameter has the wrong type, `X` is sparse or lazy, or a reward is not a number.
        KeyboardInterrupt
            If Ctrl-C is pressed before the search begins, or while a clone is fitted. Otherwise Ctrl-C ends the search,
            and `fit` returns the best tree so far.

        Warns
        -----
        NotProvenWarning
            If the search was stopped before the proof, unless by `gap_limit`.
        ColumnWarning
            If a column holds numbers or dates as text, or looks like an identifier.
        UserWarning
            If the tree chooses an action that is not available for some rows.
        """
        super().fit(X, y, sample_weight)
        if self.n_unavailable_ > 0:
            rows = count(self.n_unavailable_)
            warn_user(
                f"The tree chooses an action that is not available (whose reward is missing) for {rows}. Allow larger "
                "trees, by max_depth, max_leaves or min_samples_leaf, or add the columns that tell which actions are "
                "available."
            )
        return self

    def _read_training(self, X: Any, y: Any, sample_weight: Any, budget: Budget) -> RewardData:
        training = read_reward_data(X, y, sample_weight, self.costs, type(self).__name__, budget)
        self.actions_ = training.actions
        return training

    def _binarize(self, training: RewardData) -> None:
        self.binarizer_ = self._make_binarizer()
        best, weights = training.best, training.weights
        if isinstance(self.binarizer_, (SupervisedBinarizer, ThresholdGuessBinarizer)):
            weights = training.weights * training.worth_of_best()
        self.binarizer_._fit_rows(training.table, best, weights, training.budget)

    def _make_scale(self, training: RewardData) -> RewardScale:
        scale = make_reward_scale(training.rewards, training.weights, self._leaf_penalty(), is_share=self._is_auto())
        self.regularization_ = scale.regularization  # for the note on a long search
        return scale

    def _make_tree(self, arrays: _core.TreeArrays, training: RewardData) -> ActionTree:
        self._set_values(arrays["prediction"][arrays["leaf_of_row"]], training)
        return ActionTree.from_search(
            arrays,
            self.binarizer_.conditions_,
            training.rewards,
            training.weights.astype(np.float64),
            training.actions,
            self.schema_,
            training.table.has_missing(),
        )

    def _set_values(self, actions: npt.NDArray[np.int32], training: RewardData) -> None:
        """Set what the training rows earn by these actions, and by the best single one."""
        rewards, weights = training.rewards, training.weights
        chosen = rewards[np.arange(len(actions)), actions]
        is_available = ~np.isnan(chosen)
        self.n_unavailable_ = int(np.count_nonzero(~is_available))
        lost = np.nanmax(rewards, axis=1) - chosen
        self.value_ = _mean(chosen, weights)
        self._loss = _mean(lost, weights)
        means = [_mean(rewards[:, action], weights) for action in range(rewards.shape[1])]
        # Where none is available for all rows, there is no single action.
        best = int(np.nanargmax(means)) if not np.isnan(means).all() else None
        self.single_action_ = None if best is None else training.actions.tolist()[best]
        self.single_action_value_ = np.nan if best is None else means[best]

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        super()._set_result(outcome, scale)
        if scale.is_exact or self.n_unavailable_ > 0:
            return
        # The search has rounded losses down: its bound holds, and the tree loses a little more.
        self.loss_ = max(self._loss, self.loss_)
        self.objective_ = max(self.loss_ + self.regularization_ * self.n_leaves_, self.objective_)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)


def _mean(values: npt.NDArray[np.float64], weights: npt.NDArray[Any]) -> float:
    """Return the mean of numbers, of sums rounded once; NaN if one is."""
    if np.isnan(values).any():
        return np.nan
    # In units of powers of two, no sum overflows.
    values_bits, weights_bits = (int(np.frexp(np.abs(each).max())[1]) for each in (values, weights.astype(np.float64)))
    shares = np.ldexp(weights.astype(np.float64), -weights_bits)
    mean = fsum((np.ldexp(values, -values_bits) * shares).tolist()) / fsum(shares.tolist())
    return float(np.ldexp(mean, values_bits))
