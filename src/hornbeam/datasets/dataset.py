"""The container of a data set, and the forms in which the ``load_`` functions return it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, its target and what they mean.

    Parameters
    ----------
    data : ndarray of shape (n_rows, n_features) or pandas.DataFrame
        The features; categories are strings.
    target : ndarray of shape (n_rows,) or pandas.Series
        The class of each row.
    feature_names : tuple of str
        Names of the columns of `data`.
    target_name : str
        Name of the target.
    description : str
        What a row and the target mean, and the source of the rule.

    Examples
    --------
    >>> from hornbeam.datasets import load_monk
    >>> robots = load_monk(1)
    >>> robots.data.shape, robots.target_name
    ((432, 6), 'is_monk')
    """

    data: Any
    target: Any
    feature_names: tuple[str, ...]
    target_name: str
    description: str

    def deliver(self, *, return_X_y: bool, as_frame: bool) -> Dataset | tuple[Any, Any]:
        """Return the data set, or only ``(data, target)``, as arrays or as pandas objects, as scikit-learn does."""
        dataset = self._framed() if as_frame else self
        return (dataset.data, dataset.target) if return_X_y else dataset

    def _framed(self) -> Dataset:
        """Return the data set with a pandas.DataFrame and a pandas.Series in it."""
        columns = {name: column.tolist() for name, column in zip(self.feature_names, self.data.T, strict=True)}
        data = nw.from_dict(columns, backend="pandas").to_native()
        return replace(
            self, data=data, target=nw.new_series(self.target_name, self.target, backend="pandas").to_native()
        )


def check_at_least(least: int, **values: int) -> None:
    """Raise ValueError for the first named value below `least`."""
    for name, value in values.items():
        if value < least:
            raise ValueError(f"{name} must be at least {least}, got {value}")


def check_probability(**values: float) -> None:
    """Raise ValueError for the first named value outside [0, 1]."""
    for name, value in values.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is a probability and must be between 0 and 1, got {value}")


def flip(labels: Array, rate: float, rng: np.random.Generator) -> Array:
    """Return the 0/1 labels, each flipped with probability `rate`."""
    return np.bitwise_xor(labels, rng.random(labels.shape) < rate)
