"""Tables with every kind of column, and the comparison of a fit that reads batches with the one in memory."""

from __future__ import annotations

import datetime as dt
import warnings
from typing import Any

import numpy as np
import pytest

pl = pytest.importorskip("polars")


def mixed_table(n_rows: int, seed: int = 0, weights: str = "whole") -> pl.DataFrame:
    random = np.random.default_rng(seed)

    def some_missing(values: list[object]) -> list[object]:
        return [None if random.random() < 0.1 else value for value in values]

    numbers = random.normal(size=n_rows).round(1)
    colors = random.choice(["red", "green", "blue"], n_rows).tolist()
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 9, n_rows)]
    flags = random.random(n_rows) < 0.5
    noise = random.random(n_rows) < 0.15
    label = np.where(((numbers > 0.3) & flags | (np.array(colors) == "red")) ^ noise, "yes", "no")
    return pl.DataFrame(
        {
            "number": numbers,
            "small": pl.Series(random.integers(0, 4, n_rows), dtype=pl.Int8),
            "with_missing": pl.Series(some_missing(random.integers(0, 5, n_rows).tolist()), dtype=pl.Int64),
            "single": pl.Series(random.integers(0, 9, n_rows) / 7, dtype=pl.Float32),
            "color": some_missing(colors),
            "category": pl.Series(random.choice(["a", "b"], n_rows), dtype=pl.Categorical),
            "flag": flags,
            "maybe": pl.Series(some_missing(flags.tolist()), dtype=pl.Boolean),
            "day": some_missing(days),
            "moment": [dt.datetime(day.year, day.month, day.day, day.day) for day in days],
            "constant": [1] * n_rows,
            "nothing": pl.Series([None] * n_rows, dtype=pl.Float64),
            "label": label,
            "weight": random.integers(0, 4, n_rows) * {"whole": 2, "decimal": 0.1, "any": np.pi}[weights],
        }
    )


def fit_in_memory(classifier: Any, frame: pl.DataFrame, weight: str | None) -> Any:
    X = frame.drop("label", *([] if weight is None else ["weight"]))
    with warnings.catch_warnings():  # about columns: a lazy table has no such report
        warnings.simplefilter("ignore")
        return classifier.fit(X, frame["label"], None if weight is None else frame["weight"])


def assert_same_fit(streamed: Any, in_memory: Any) -> None:
    assert streamed.objective_ == in_memory.objective_
    assert streamed.lower_bound_ == in_memory.lower_bound_
    assert streamed.loss_ == in_memory.loss_
    assert streamed.regularization_ == in_memory.regularization_
    assert streamed.status_ == in_memory.status_
    assert list(streamed.binarizer_.conditions_) == list(in_memory.binarizer_.conditions_)
    assert streamed.schema_ == in_memory.schema_
    assert streamed.classes_.tolist() == in_memory.classes_.tolist()
    assert streamed.tree_ == in_memory.tree_
