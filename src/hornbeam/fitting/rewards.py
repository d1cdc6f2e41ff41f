"""Read the training data of a policy: a table, and the reward of each action for each row."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from hornbeam._budget import Budget
from hornbeam._checks import as_array, as_float, is_number, shown
from hornbeam.columns import warn_of_columns
from hornbeam.fitting.reward_scale import whole_numbers
from hornbeam.fitting.training import weighted_rows
from hornbeam.fitting.triples import Triples
from hornbeam.table import Table, read_table
from hornbeam.tree.words import count

NOTHING = "do nothing"
"""Name of the action that a single named column of rewards is compared with."""

_Numbers = npt.NDArray[np.float64]


class RewardData(NamedTuple):
    """Rows of weight greater than zero, with the reward of each action."""

    table: Table
    rewards: _Numbers
    """Shape (n_rows, n_actions), less the costs of the actions; NaN where an action is not available."""
    weights: npt.NDArray[Any]
    actions: npt.NDArray[Any]
    budget: Budget
    """What the fit may still spend."""

    # For the searches, see `TrainingRows`: each row has losses of its own.
    codes: npt.NDArray[np.int32] | None = None
    counts: npt.NDArray[np.int64] | None = None
    triples: Triples | None = None
    reference: npt.NDArray[np.int32] | None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows

    @property
    def best(self) -> npt.NDArray[np.intp]:
        """The first best action of each row."""
        return np.asarray(np.where(np.isnan(self.rewards), -np.inf, self.rewards).argmax(axis=1))

    def worth_of_best(self) -> _Numbers:
        """Return what the best action of each row earns more than the mean of all, as weights greater than zero."""
        scale = np.nanmax(np.abs(self.rewards)) or 1.0
        scaled = self.rewards / scale
        worth = np.nanmax(scaled, axis=1) - np.nanmean(scaled, axis=1)
        largest = worth.max()
        return np.maximum(worth, 1e-9 * largest) if largest > 0 else np.ones(len(worth))


class Rewards(NamedTuple):
    """What `fit` or `score` was given as rewards: NaN where an action is not available."""

    values: _Numbers
    actions: npt.NDArray[Any]


def read_reward_data(
    X: Any, y: Any, sample_weight: Any, costs: Any, user: str, budget: Budget | None = None
) -> RewardData:
    """Read and check what `fit` was given, on behalf of `user` (a class name); rows of weight 0 are dropped.

    Raises
    ------
    ValueError
        If lengths differ, `y` is None or holds infinite numbers, an action is never available, a row has no action, no
        row has two, weights are wrong, or `costs` does not suit the actions.
    TypeError
        If a column of `X` holds values that are not numbers, strings or dates, or a reward or a cost is not a number.

    Warns
    -----
    ColumnWarning
        If a column was probably not read as it is meant.
    """
    if y is None:
        raise ValueError(f"{user} requires y to be passed, but the target y is None")
    table, rewards = read_table(X), read_rewards(y)
    table, values, weights, _ = weighted_rows(table, rewards.values, sample_weight)
    _check_known(values, rewards.actions)
    warn_of_columns(table, X, None, 0)
    net = net_rewards(rewards._replace(values=values), costs)
    low, high = np.nanmin(net), np.nanmax(net)
    if not high / 2 - low / 2 < np.finfo(np.float64).max / 2:
        raise ValueError(
            f"y holds rewards from {low:g} to {high:g}, whose difference is too large for float64. Divide all rewards "
            "and costs by the same number."
        )
    return RewardData(table, net, weights, rewards.actions, budget or Budget())


def read_rewards(y: Any) -> Rewards:
    """Return rewards as numbers, one column for each action.

    Raises
    ------
    ValueError
        If there are more than two dimensions, no columns, or infinite rewards.
    TypeError
        If `y` is sparse, or a reward is not a number.
    """
    if issparse(y):
        raise TypeError("Sparse data was passed for y, but dense rewards are required. Use '.toarray()'.")
    native = nw.from_native(y, pass_through=True, eager_only=True, allow_series=True)
    names: list[Any] | None
    if isinstance(native, nw.DataFrame):
        columns = [as_array("y", native[:, place].to_numpy()) for place in range(native.shape[1])]
        names = list(native.columns)
    else:
        array = as_array("y", y)
        if array.ndim not in (1, 2):
            raise ValueError(
                f"y must be a table of rewards with a column for each action, got {array.ndim} dimensions."
            )
        columns, names = list(array.reshape(len(array), -1).T), None
    if not columns:
        raise ValueError("y must have a column of rewards for each action, got none.")
    called = [f"column {place}" if names is None else f"column {names[place]!r}" for place in range(len(columns))]
    values = np.column_stack([_numbers(column, name) for column, name in zip(columns, called, strict=True)])
    if len(columns) == 1:  # an action, compared with doing nothing
        values = np.column_stack([np.zeros(len(values)), values])
        names = None if names is None else [NOTHING, *names]
    return Rewards(values, np.arange(values.shape[1]) if names is None else _labels(names))


def _labels(names: list[Any]) -> npt.NDArray[Any]:
    """Return the names of columns as an array that keeps their types; only strings and integers are kept."""
    plain = [name if type(name) in (str, int) else str(name) for name in names]
    if len(set(map(type, plain))) == 1:
        return np.array(plain)
    labels = np.empty(len(plain), dtype=object)
    labels[:] = plain
    return labels


def _numbers(column: npt.NDArray[Any], name: str) -> _Numbers:
    """Return a column of rewards as float64, NaN for missing ones."""
    if column.dtype.kind == "O":
        column = np.array([_number(value, row, name) for row, value in enumerate(column.tolist())], dtype=np.float64)
    if column.dtype.kind not in "biuf":
        raise TypeError(f"y must hold numbers, but {name} is of type {column.dtype}.")
    values = column.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite) > 0:
        raise ValueError(f"Input y contains infinity: {name} has an infinite reward in row {infinite[0]}.")
    return values


def _number(value: Any, row: int, name: str) -> float:
    if value is None or value != value or str(value) == "<NA>":
        return np.nan
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    if not is_number(value):
        raise TypeError(f"y must hold numbers, but {name} has {shown(value)} in row {row}.")
    return as_float(value)


def _check_known(values: _Numbers, actions: npt.NDArray[Any]) -> None:
    """Raise ValueError unless there is something to choose, in some way, for each row and each action."""
    is_known = ~np.isnan(values)
    if is_known.all():
        return
    never = np.flatnonzero(~is_known.any(axis=0))
    if len(never) > 0:
        raise ValueError(
            f"Input y contains NaN: the reward of action {actions.tolist()[never[0]]!r} is missing in every row. Leave "
            "its column out."
        )
    n_known = is_known.sum(axis=1)
    without = np.flatnonzero(n_known == 0)
    if len(without) > 0:
        raise ValueError(
            f"Input y contains NaN: {count(len(without))} {'has' if len(without) == 1 else 'have'} no reward at all, "
            f"first row {without[0]}. Remove such rows."
        )
    if n_known.max() == 1:
        raise ValueError(
            "Input y contains NaN: in each row the reward of one action alone is known. A missing reward means that "
            "the action is not available for the row, so nothing is left to choose. If y holds the outcomes of actions "
            "that were taken, estimate the rewards of the others first: see hornbeam.policy_scores."
        )


def read_costs(costs: Any, actions: npt.NDArray[Any]) -> _Numbers | None:
    """Return the cost of each action; None if there are none.

    Raises
    ------
    ValueError
        If there is not one cost for each action, a name is unknown, or a cost is infinite or missing.
    TypeError
        If a cost is not a number, or `costs` is neither a sequence nor a mapping.
    """
    if costs is None:
        return None
    names = actions.tolist()
    if isinstance(costs, Mapping):
        unknown = [name for name in costs if name not in names]
        if unknown:
            raise ValueError(f"costs names the action {shown(unknown[0])}; the actions are {shown(names)}.")
        given = [costs.get(name, 0) for name in names]
    elif isinstance(costs, (str, bytes)) or not hasattr(costs, "__len__"):
        raise TypeError(
            f"costs must be a sequence with a number for each action, or a dict from actions to numbers, got "
            f"{shown(costs)}."
        )
    else:
        given = list(costs)
        if len(given) != len(names):
            raise ValueError(f"costs must have a number for each of the {len(names)} actions, got {len(given)}.")
    for name, cost in zip(names, given, strict=True):
        if not is_number(cost):
            raise TypeError(f"costs must hold numbers, got {shown(cost)} for action {name!r}.")
        if not isfinite(as_float(cost)):
            raise ValueError(f"costs must be finite, got {shown(cost)} for action {name!r}.")
    return np.array([as_float(cost) for cost in given])


def net_rewards(rewards: Rewards, costs: Any) -> _Numbers:
    """Return rewards less the costs of their actions, of decimals the decimal: 0.3 - 0.1 is 0.2.

    Raises
    ------
    ValueError, TypeError
        See `read_costs`.
    """
    values, read = rewards.values, read_costs(costs, rewards.actions)
    if read is None:
        return values
    exact = whole_numbers(np.vstack([values, read]))
    if exact is None:
        return values - read
    whole, scale = exact
    return np.where(np.isnan(values), np.nan, (whole[:-1] - whole[-1]) / scale)
