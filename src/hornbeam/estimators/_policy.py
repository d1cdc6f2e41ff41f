"""What the estimators of policy trees share: how they read rewards, and what they do with rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import check_weights
from hornbeam._user_frame import warn_user
from hornbeam.binarizers import SupervisedBinarizer, ThresholdGuessBinarizer
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._display import TreeDisplay
from hornbeam.estimators._regularized import RegularizedTree
from hornbeam.fitting.progress import relative_gap
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
        self, X: Any, y: Any, sample_weight: Any, *, may_miss: bool = False
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Return rewards less costs, weights, and the reward of the chosen action of each row of weight above 0.

        Raises ValueError if one of these is missing, unless `may_miss`.
        """
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
        if len(unknown) > 0 and not may_miss:
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


class FittedPolicyTree(PolicyTreeMethods, RegularizedTree):
    """Base of the estimators that find a tree of actions for a leaf penalty."""

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
        self._set_values(arrays["prediction"][arrays["leaf_of_row"]], training.rewards, training.weights)
        return ActionTree.from_search(
            arrays,
            self.binarizer_.conditions_,
            training.rewards,
            training.weights.astype(np.float64),
            training.actions,
            self.schema_,
            training.table.has_missing(),
        )

    def _set_values(
        self, actions: npt.NDArray[np.int32], rewards: npt.NDArray[np.float64], weights: npt.NDArray[Any]
    ) -> None:
        """Set what the training rows earn by these actions, and by the best single one."""
        chosen = rewards[np.arange(len(actions)), actions]
        is_available = ~np.isnan(chosen)
        self.n_unavailable_ = int(np.count_nonzero(~is_available))
        lost = np.nanmax(rewards, axis=1) - chosen
        can_be_best = _largest_means(rewards, weights)
        columns = [chosen, lost, *rewards.T[can_be_best]]
        self.value_, self._loss, *means = _means(columns, weights.astype(np.float64))
        # Where none is available for all rows, there is no single action.
        best = int(np.argmax(means)) if means else None
        self.single_action_ = None if best is None else self.actions_.tolist()[can_be_best[best]]
        self.single_action_value_ = np.nan if best is None else means[best]

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        super()._set_result(outcome, scale)
        if scale.is_exact or self.n_unavailable_ > 0:
            return
        # The search has rounded losses down: its bound holds, and the tree loses a little more.
        self.loss_ = max(self._loss, self.loss_)
        self.objective_ = max(self.loss_ + self.regularization_ * self.n_leaves_, self.objective_)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)


def _means(columns: Sequence[npt.NDArray[np.float64]], weights: npt.NDArray[np.float64]) -> list[float]:
    """Return the weighted mean of each column, of sums rounded once; NaN if one of its numbers is."""
    # In units of powers of two, no sum overflows.
    shares = np.ldexp(weights, -_exponent(weights))
    total = fsum(shares.tolist())

    def mean(values: npt.NDArray[np.float64]) -> float:
        if np.isnan(values).any():
            return np.nan
        unit = _exponent(values)
        return float(np.ldexp(fsum((np.ldexp(values, -unit) * shares).tolist()) / total, unit))

    return [mean(values) for values in columns]


def _largest_means(rewards: npt.NDArray[np.float64], weights: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return which columns of rewards may have the largest weighted mean; none with a missing reward has."""
    shares = weights / weights.max()
    shares /= shares.sum()
    # Means of numbers up to 1, by shares of 1: they are wrong by at most a rounding error for each row and a few more.
    means = shares @ (rewards / (np.nanmax(np.abs(rewards)) or 1.0))
    error = (len(shares) + 10) * np.finfo(np.float64).eps
    return np.flatnonzero(means >= np.fmax.reduce(means) - 2 * error)


def _exponent(values: npt.NDArray[np.float64]) -> int:
    """Return the exponent of the least power of two that is larger than all absolute values."""
    return int(np.frexp(np.abs(values).max())[1])
