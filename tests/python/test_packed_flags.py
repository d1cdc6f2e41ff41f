"""A lazy table of booleans whose rows hardly repeat: its bits are kept, and give the fit of the table in memory."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier

pl = pytest.importorskip("polars")


@pytest.fixture(autouse=True)
def passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let rows of small tables hardly repeat; the list has the passes."""
    seen: list[str] = []
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 37)
    monkeypatch.setattr("hornbeam.streaming.merging._LEAST_DISTINCT", 10)
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda self, what, n_rows: seen.append(what))
    return seen


def _table(n_rows: int, *, missing: bool = False, n_classes: int = 2) -> pl.DataFrame:
    random = np.random.default_rng(n_rows)
    X = random.random((n_rows, 20)) < 0.4
    label = ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (random.random(n_rows) < 0.1)
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(20)]).with_columns(
        constant=False,
        label=pl.Series(np.where(np.arange(n_rows) > n_rows - n_classes, "late", np.where(label, "yes", "no"))),
        weight=pl.Series(random.integers(0, 3, n_rows)),
    )
    if missing:  # the first batches have none
        frame = frame.with_columns(c0=pl.when(pl.Series(np.arange(n_rows) > n_rows - 9)).then(None).otherwise("c0"))
    return frame


def _in_memory(classifier: Any, frame: pl.DataFrame, weight: str | None) -> Any:
    with warnings.catch_warnings():  # about columns: a lazy table has no such report
        warnings.simplefilter("ignore")
        return classifier.fit(frame.drop("label", "weight"), frame["label"], None if weight is None else frame[weight])


@pytest.mark.parametrize("n_rows", [704, 709])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (LicketySPLITClassifier, {"max_depth": 4}),
        (SPLITClassifier, {"max_depth": 3, "min_samples_leaf": 30}),
        (GOSDTClassifier, {"max_depth": 4, "objective": "balanced"}),
        (GOSDTClassifier, {"max_depth": None, "min_samples_leaf": 25, "binarizer": None}),
    ],
)
def test_bits_give_the_fit_in_memory(
    passes: list[str], make: Any, settings: dict[str, Any], weight: str | None, n_rows: int
) -> None:
    frame = _table(n_rows, n_classes=3)
    in_memory = _in_memory(make(0.01, **settings), frame, weight)
    streamed = make(0.01, **settings).fit((frame if weight else frame.drop("weight")).lazy(), "label", weight)
    assert passes[-1] == "rows"
    assert streamed.tree_ == in_memory.tree_
    assert list(streamed.binarizer_.conditions_) == list(in_memory.binarizer_.conditions_)
    for name in ("objective_", "lower_bound_", "loss_", "regularization_", "status_", "schema_", "n_features_in_"):
        assert getattr(streamed, name) == getattr(in_memory, name), name


def test_missing_values_take_the_rows_to_be_merged(passes: list[str]) -> None:
    frame = _table(400, missing=True)
    in_memory = _in_memory(LicketySPLITClassifier(0.01), frame, None)
    streamed = LicketySPLITClassifier(0.01).fit(frame.drop("weight").lazy(), "label")
    assert list(dict.fromkeys(passes)) == ["rows", "distinct values", "distinct rows"]
    assert streamed.tree_ == in_memory.tree_
    assert streamed.objective_ == in_memory.objective_


def test_rows_above_the_memory_limit_are_refused(passes: list[str]) -> None:
    frame = _table(6000).drop("weight")
    with pytest.raises(MemoryError, match="no room for the rows of X"):
        LicketySPLITClassifier(0.02, memory_limit=150_000).fit(frame.lazy(), "label")
    assert passes[-1] == "rows"
