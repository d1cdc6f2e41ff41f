"""Conditions that need more of a lazy table than the distinct values of its columns are those in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pytest
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer
from hornbeam.binarizers import Binarizer, SupervisedBinarizer
from hornbeam.conditions import AtMost
from streamed_tables import assert_same_fit, fit_in_memory, mixed_table

pl = pytest.importorskip("polars")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 37)


@pytest.mark.parametrize("least", [1, 8])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_the_reference_of_the_binarizer_predicts_as_in_memory(weight: str | None, least: int) -> None:
    frame = mixed_table(400).drop([] if weight else "weight")
    settings: dict[str, Any] = {"binarizer": "guess", "reference": "binarizer", "min_samples_leaf": least}
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=3, **settings), frame, weight)
    streamed = GOSDTClassifier(0.02, max_depth=3, **settings).fit(frame.lazy(), "label", weight)
    assert_same_fit(streamed, in_memory)
    assert weight is None or in_memory.status_ == "guessed"  # by the reference


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize(
    "binarizer",
    [
        "auto",
        SupervisedBinarizer(2, 20, decimals={"number": 0}, random_state=3),
        "guess",
        ThresholdGuessBinarizer(DecisionTreeClassifier(max_depth=4, random_state=0), keep_accuracy=True),
        ThresholdGuessBinarizer(thresholds={"number": [0.25]}, eliminate=False),
    ],
)
@pytest.mark.parametrize("source", ["polars", "arrow"])
def test_conditions_that_are_chosen_with_the_labels_are_those_in_memory(
    source: str, binarizer: Any, weight: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hornbeam.binarizers.supervised._MOST_ROWS", 150)  # so that there is a sample
    frame = mixed_table(400).drop([] if weight else "weight")
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=2, binarizer=binarizer), frame, weight)
    X = frame.lazy() if source == "polars" else ds.dataset(frame.to_arrow())
    streamed = GOSDTClassifier(0.02, max_depth=2, binarizer=binarizer).fit(X, "label", weight)
    assert_same_fit(streamed, in_memory)
    if isinstance(in_memory.binarizer_, SupervisedBinarizer):
        assert streamed.binarizer_.n_supervised_ == in_memory.binarizer_.n_supervised_ > 0
    else:
        assert streamed.binarizer_.scores_ == in_memory.binarizer_.scores_


@pytest.mark.parametrize("binarizer", ["auto", "guess"])
def test_flags_are_chosen_with_the_labels_as_in_memory(binarizer: str) -> None:
    random = np.random.default_rng(2)
    X = random.random((300, 6)) < 0.4
    frame = pl.DataFrame({f"flag{number}": column for number, column in enumerate(X.T)})
    frame = frame.with_columns(label=(X[:, 0] & X[:, 1]) ^ (random.random(300) < 0.1))
    in_memory = fit_in_memory(GOSDTClassifier(0.01, binarizer=binarizer), frame, None)
    assert_same_fit(GOSDTClassifier(0.01, binarizer=binarizer).fit(frame.lazy(), "label"), in_memory)


class OneThreshold(Binarizer):
    def _find_conditions(self, table: Any, y: Any, weights: Any) -> Any:
        return [AtMost(0, float(np.median(table.column(0).values[np.asarray(y) == "yes"])))]


def test_a_binarizer_of_the_users_own_gets_all_rows() -> None:
    frame = mixed_table(100).drop("weight")
    in_memory = fit_in_memory(GOSDTClassifier(0.02, binarizer=OneThreshold()), frame, None)
    assert_same_fit(GOSDTClassifier(0.02, binarizer=OneThreshold()).fit(frame.lazy(), "label"), in_memory)


def test_rows_for_the_conditions_above_the_memory_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.binarizers.supervised._MOST_ROWS", 50)
    frame = mixed_table(500).select("number", "color", "label")
    with pytest.raises(MemoryError, match="no room for all rows, which the binarizer needs, of X"):
        GOSDTClassifier(0.02, binarizer="guess", memory_limit=40_000).fit(frame.lazy(), "label")
    sampled = GOSDTClassifier(0.02, max_depth=2, binarizer="auto", memory_limit=10**6).fit(frame.lazy(), "label")
    assert sampled.status_ == "optimal"
