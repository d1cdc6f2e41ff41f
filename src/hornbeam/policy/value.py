"""The value of a policy: what rows earn under it, and what they would earn if all got the same action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array, check_weights, shown
from hornbeam.fitting.rewards import net_rewards, read_rewards
from hornbeam.tree.words import count

_Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """What `policy_value` returns.

    Attributes
    ----------
    value, standard_error : float
        Mean reward of the rows under the policy.
    advantage, advantage_standard_error : float
        What the policy earns more, on average, than the same action for all rows.
    single_action : label
        This action.
    actions : ndarray of shape (n_actions,)
        All actions.
    action_values, action_standard_errors : ndarray of float of shape (n_actions,)
        Mean reward if all rows get the same action.
    n_rows : int
        Number of rows of positive weight.

    Examples
    --------
    >>> from hornbeam import policy_value
    >>> value = policy_value([0, 1, 1, 0], None, [[1, 0], [0, 2], [1, 2], [3, 0]], single_action=0)
    >>> value.value, value.advantage, value.action_values.tolist()
    (2.0, 0.75, [1.25, 1.0])
    """

    value: float
    standard_error: float
    advantage: float
    advantage_standard_error: float
    single_action: Any
    actions: npt.NDArray[Any]
    action_values: _Numbers
    action_standard_errors: _Numbers
    n_rows: int

    def __str__(self) -> str:
        """Return a table."""
        rows = [("policy", self.value, self.standard_error)]
        rows += [
            (f"all get {action}", value, error)
            for action, value, error in zip(
                self.actions.tolist(), self.action_values, self.action_standard_errors, strict=True
            )
        ]
        rows.append((f"policy - all get {self.single_action}", self.advantage, self.advantage_standard_error))
        width = max(len(name) for name, *_ in rows)
        lines = [
            f"{name:<{width}}  "
            + ("not available for all rows" if np.isnan(value) else f"{value:>10.4g} +- {error:.2g}")
            for name, value, error in rows
        ]
        return "\n".join([f"Mean reward of {count(self.n_rows)}, with standard error", *lines])


def policy_value(
    policy: Any, X: Any, y: Any, sample_weight: Any = None, *, costs: Any = None, single_action: Any = None
) -> PolicyValue:
    """Return what rows earn under a policy, with standard errors, and its advantage over the best single action.

    Use rows that `fit` has not seen: for the rows that a tree was chosen with, its value is too good. Several
    splits make use of all rows: pass the actions that `sklearn.model_selection.cross_val_predict` returns.

    Parameters
    ----------
    policy : PolicyTree, other fitted estimator, or array-like of shape (n_rows,)
        Its `predict` returns actions; or the actions themselves.
    X : array-like or data frame of shape (n_rows, n_columns) or None
        The columns of these rows, for `predict`; None if `policy` is an array.
    y : array-like or data frame of shape (n_rows, n_actions), or (n_rows,)
        Rewards as for `PolicyTree.fit`, such as doubly robust scores of these rows.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows.
    costs : sequence of float, dict or None, default=None
        Costs of the actions; None: those of a `PolicyTree`, else none.
    single_action : label or None, default=None
        The action that the policy is compared with. None: the one that was best in the training rows of a `PolicyTree`;
        of other policies the one that is best in these rows, which makes the comparison somewhat too strict.

    Returns
    -------
    PolicyValue
        Standard errors are those of a mean of independent rows. Scores by cross-fitting depend on each other a little,
        which does not matter in large samples.

    Raises
    ------
    ValueError
        If lengths differ, an action is unknown, or the reward of an action that the policy chooses is missing.

    References
    ----------
    .. [1] S. Athey, S. Wager, "Policy Learning with Observational Data", Econometrica 89(1), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import PolicyTree, policy_value
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> rewards = np.column_stack([np.zeros(400), X[:, 0] + rng.normal(size=400)])
    >>> policy = PolicyTree(max_depth=1).fit(X[:200], rewards[:200])
    >>> print(policy_value(policy, X[200:], rewards[200:]))
    Mean reward of 200 rows, with standard error
    policy                  0.3674 +- 0.054
    all get 0                    0 +- 0
    all get 1             0.003389 +- 0.096
    policy - all get 0      0.3674 +- 0.054
    """
    rewards = read_rewards(y)
    names = rewards.actions.tolist()
    weights = check_weights(sample_weight, len(rewards.values))
    net = net_rewards(rewards, getattr(policy, "costs", None) if costs is None else costs)
    chosen = as_array("policy", policy.predict(X) if hasattr(policy, "predict") else policy)
    if chosen.shape != (len(net),):
        raise ValueError(f"policy must have one action for each of the {len(net)} rows, got shape {chosen.shape}.")
    place = {name: number for number, name in enumerate(names)}
    unknown = [action for action in chosen.tolist() if action not in place]
    if unknown:
        raise ValueError(f"policy chooses {shown(unknown[0])}, which is not an action of y; these are {shown(names)}.")
    codes = np.array([place[action] for action in chosen.tolist()])
    single_action = getattr(policy, "single_action_", None) if single_action is None else single_action
    if single_action is not None and single_action not in place:
        raise ValueError(f"single_action must be an action of y, {shown(names)}; got {shown(single_action)}.")
    present = weights > 0
    net, codes, weights = net[present], codes[present], weights[present].astype(np.float64)
    own = net[np.arange(len(codes)), codes]
    if np.isnan(own).any():
        raise ValueError(
            f"Input y contains NaN: the reward of the chosen action is missing in {count(int(np.isnan(own).sum()))}."
        )
    means, errors = np.array([_mean_and_error(column, weights) for column in net.T]).T
    if single_action is None and not np.isnan(means).all():
        single_action = names[int(np.nanargmax(means))]
    others = net[:, place[single_action]] if single_action is not None else np.full(len(net), np.nan)
    return PolicyValue(
        *_mean_and_error(own, weights),
        *_mean_and_error(own - others, weights),
        single_action,
        rewards.actions,
        means,
        errors,
        len(net),
    )


def _mean_and_error(values: _Numbers, weights: _Numbers) -> tuple[float, float]:
    """Return the weighted mean of independent rows and its standard error; NaN if a value is, or for one row."""
    n_rows, total = len(values), weights.sum()
    mean = float(weights @ values / total)
    if n_rows < 2:
        return mean, float("nan")
    spread = float(np.sqrt(((weights * (values - mean)) ** 2).sum() * n_rows / (n_rows - 1)))
    return mean, spread / float(total)
