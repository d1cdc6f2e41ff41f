"""Read the training data of a survival tree: table, right-censored times, and sample weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._budget import Budget
from hornbeam.columns import warn_of_columns
from hornbeam.fitting.training import weighted_rows
from hornbeam.survival.times import read_times
from hornbeam.table import Table, read_table


class SurvivalTraining(NamedTuple):
    """Rows of weight greater than zero, with event and time of each; see `TrainingRows`."""

    table: Table
    events: npt.NDArray[np.bool_]
    times: npt.NDArray[np.float64]
    weights: npt.NDArray[Any]
    target_name: str
    budget: Budget
    codes: None = None
    counts: None = None
    triples: None = None
    reference: None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """The times, for the binarizer."""
        return self.times


def read_survival_training(X: Any, y: Any, sample_weight: Any, user: str, budget: Budget) -> SurvivalTraining:
    """Read and check what `fit` was given, on behalf of `user` (a class name); rows of weight 0 are dropped.

    Raises
    ------
    ValueError
        If lengths differ, y is None, is not an array of events and times, has no event, or weights are wrong.
    TypeError
        If `y` does not hold numbers, or a column of `X` holds values that are not numbers, strings or dates.

    Warns
    -----
    ColumnWarning
        If a column was probably not read as it is meant.
    """
    if y is None:
        raise ValueError(f"{user} requires y to be passed, but the target y is None")
    table = read_table(X)
    events, times, name = read_times(y)
    rows = np.arange(len(times))
    table, rows, weights, _ = weighted_rows(table, rows, sample_weight)
    events, times = events[rows], times[rows]
    if not events.any():
        raise ValueError(
            f"y has no event: all {len(events)} times are censored, so that nothing can be learned of when events "
            "happen. Check that True or 1 marks an event."
        )
    warn_of_columns(table, X, None, 0)
    return SurvivalTraining(table, events, times, weights, name, budget)
