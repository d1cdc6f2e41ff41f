"""A lazy table gives the fit of the same table in memory: every number, for every kind of column."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from sklearn.tree import DecisionTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    SPLITClassifier,
    ThresholdBinarizer,
    _core,
)
from hornbeam._budget import Budget
from hornbeam.conditions import AtMost
from hornbeam.streaming import read_streamed
from hornbeam.streaming.coding import streams_of_flags
from streamed_tables import assert_same_fit, fit_in_memory, mixed_table

pl = pytest.importorskip("polars")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 37)
    monkeypatch.setattr("hornbeam.streaming.sketches._LEAST_PENDING", 50)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("binarizer", ["exact", "quantile", ThresholdBinarizer(thresholds={"number": [0.3]})])
@pytest.mark.parametrize("source", ["polars", "arrow"])
def test_every_kind_of_column_gives_the_fit_in_memory(source: str, binarizer: Any, weight: str | None) -> None:
    frame = mixed_table(400)
    lazy = frame if weight else frame.drop("weight")
    classifier = GOSDTClassifier(0.02, max_depth=3, binarizer=binarizer)
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=3, binarizer=binarizer), lazy, weight)
    X = lazy.lazy() if source == "polars" else ds.dataset(lazy.to_arrow())
    assert_same_fit(classifier.fit(X, "label", weight), in_memory)


@pytest.mark.parametrize("weights", ["decimal", "any"])
def test_weights_that_are_not_whole_give_the_objective_in_memory(weights: str) -> None:
    frame = mixed_table(300, weights=weights)
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=2, binarizer="quantile"), frame, "weight")
    streamed = GOSDTClassifier(0.02, max_depth=2, binarizer="quantile").fit(frame.lazy(), "label", "weight")
    assert_same_fit(streamed, in_memory)


@pytest.mark.parametrize("objective", ["accuracy", "balanced"])
@pytest.mark.parametrize("make", [GOSDTClassifier, SPLITClassifier, LicketySPLITClassifier])
def test_flags_of_two_words_give_the_fit_in_memory(make: Any, objective: str) -> None:
    random = np.random.default_rng(1)
    X = random.random((600, 80)) < 0.3
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(80)]).with_columns(
        label=pl.Series((X[:, 0] & X[:, 1]) | X[:, 2] ^ (random.random(600) < 0.1))
    )
    frame = pl.concat([frame, frame, frame])  # the divisor of the counts is no divisor of the weights
    settings = {"regularization": 0.011, "max_depth": 3, "objective": objective, "binarizer": None}
    assert_same_fit(make(**settings).fit(frame.lazy(), "label"), fit_in_memory(make(**settings), frame, None))


@pytest.mark.parametrize("weights", [None, "whole", "decimal", "any"])
@pytest.mark.parametrize("least", [1, 20])
@pytest.mark.parametrize(
    "settings",
    [
        {"objective": "f1", "class_weight": {"no": 2.5, "yes": 1}, "regularization": 0.005},
        {"objective": "f1", "labelling": "omega", "omega": 2.0},
        {"objective": "auc"},
        {"objective": "partial_auc", "theta": 0.3, "max_leaves": 5},
    ],
)
def test_objectives_that_are_no_sums_give_the_fit_in_memory(
    settings: dict[str, Any], least: int, weights: str | None
) -> None:
    frame = mixed_table(300, weights=weights or "whole").select("number", "flag", "small", "color", "label", "weight")
    frame = pl.concat([frame, frame.head(170)])
    frame = frame if weights else frame.drop("weight")
    binarizer = ThresholdBinarizer("quantile", n_thresholds=2)
    settings = {"regularization": 0.02, "max_depth": 2, "min_samples_leaf": least, "binarizer": binarizer, **settings}
    weight = "weight" if weights else None
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label", weight)
    in_memory = fit_in_memory(GOSDTClassifier(**settings), frame, weight)
    assert_same_fit(streamed, in_memory)
    assert streamed.n_leaves_ > 1


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_booleans_are_read_once(monkeypatch: pytest.MonkeyPatch, weight: str | None, missing: bool) -> None:
    random = np.random.default_rng(5)
    X = random.random((300, 5)) < 0.4
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(5)]).with_columns(
        constant=True,
        label=pl.Series(np.where((X[:, 0] | X[:, 1]) ^ (random.random(300) < 0.1), "yes", "no")),
        weight=pl.Series(random.integers(0, 3, 300)),
    )
    if missing:  # some batches have none
        frame = frame.with_columns(c0=pl.when(pl.Series(random.random(300) < 0.02)).then(None).otherwise(pl.col("c0")))
    frame = frame if weight else frame.drop("weight")
    in_memory = fit_in_memory(GOSDTClassifier(0.01, max_depth=3), frame, weight)
    seen: list[str] = []
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda self, what, n: seen.append(what))
    for X_lazy in (frame.lazy(), ds.dataset(frame.to_arrow())):
        assert_same_fit(GOSDTClassifier(0.01, max_depth=3).fit(X_lazy, "label", weight), in_memory)
    assert set(seen) == {"distinct rows"}


@pytest.mark.parametrize("make", [GOSDTClassifier, SPLITClassifier, LicketySPLITClassifier])
@pytest.mark.parametrize("binarizer", ["exact", "quantile"])
def test_min_samples_leaf_counts_all_rows(make: Any, binarizer: str) -> None:
    frame = mixed_table(200).select("number", "small", "flag", "color", "label")
    frame = pl.concat([frame, frame.head(120)])
    settings = {"regularization": 0.001, "max_depth": 3, "min_samples_leaf": 25, "binarizer": binarizer}
    streamed = make(**settings).fit(frame.lazy(), "label")
    assert_same_fit(streamed, fit_in_memory(make(**settings), frame, None))
    leaves = streamed.tree_.n_samples[[condition is None for condition in streamed.tree_.conditions]]
    assert leaves.min() >= 25


def test_min_samples_leaf_counts_all_rows_of_many_thresholds() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, 300)).round(2)
    frame = pl.DataFrame({"a": a, "b": b, "label": ((a > 0.2) & (b < 0.5)) ^ (random.random(300) < 0.1)})
    settings = {"regularization": 0.001, "max_depth": 2, "min_samples_leaf": 20}
    assert_same_fit(
        GOSDTClassifier(**settings).fit(frame.lazy(), "label"), fit_in_memory(GOSDTClassifier(**settings), frame, None)
    )


def test_types_that_differ_between_batches_are_named() -> None:
    frame = pl.DataFrame({"a": ["1"] * 40 + [None] * 40, "label": [0, 1] * 40})
    other = pl.DataFrame({"a": [1.0] * 40, "label": [0, 1] * 20})

    lazy = frame.lazy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hornbeam.streaming.source._native_batches", lambda *_: iter([frame, other]))
        with pytest.raises(ValueError, match=r"Column 'a' of X holds numbers in some.*categories in others"):
            GOSDTClassifier(0.1).fit(lazy, "label")


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        ("nolabel", None, "y='nolabel' is not a column"),
        ([0, 1], None, "y must be the name"),
        ("label", 3, "sample_weight"),
    ],
)
def test_wrong_names_are_refused(y: Any, weight: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        GOSDTClassifier(0.1).fit(mixed_table(20).lazy(), y, weight)


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (GOSDTClassifier(0.1, reference=[0, 1]), "reference must be a fitted estimator or 'binarizer' if X"),
        (GOSDTClassifier(0.1, reference="other"), "reference must be a fitted estimator .*; got 'other'"),
        (GOSDTClassifier(0.1, reference="binarizer"), "reference='binarizer' needs binarizer='guess'"),
        (MAPTreeClassifier(), "MAPTreeClassifier does not read in batches"),
    ],
)
def test_what_needs_all_rows_is_refused(classifier: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        classifier.fit(mixed_table(20).lazy(), "label")


def test_an_empty_table_and_a_single_class_are_refused() -> None:
    frame = mixed_table(20)
    with pytest.raises(ValueError, match="X holds no row"):
        GOSDTClassifier(0.1).fit(frame.lazy().filter(pl.col("number") > 99), "label")
    with pytest.raises(ValueError, match="only one class"):
        GOSDTClassifier(0.1).fit(frame.lazy().filter(pl.col("label") == "no"), "label")


def test_distinct_rows_above_the_memory_limit_are_refused() -> None:
    with pytest.raises(MemoryError, match="memory_limit has no room"):
        GOSDTClassifier(0.1, memory_limit=2000).fit(mixed_table(400).lazy(), "label")


def test_both_passes_report_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda self, what, n: seen.append((what, n)))
    GOSDTClassifier(0.1).fit(mixed_table(100).lazy(), "label")
    assert seen[-1] == ("distinct rows", 100)
    assert ("distinct values", 100) in seen


@pytest.mark.parametrize(("what", "call"), [("distinct values", 2), ("distinct rows", 5)])
def test_a_time_limit_ends_the_passes(monkeypatch: pytest.MonkeyPatch, what: str, call: int) -> None:
    seen: list[int] = []
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda self, what, n: seen.append(n))
    monkeypatch.setattr("hornbeam._budget.Budget.seconds", lambda self: 0.0 if len(seen) >= call else 1.0)
    with pytest.raises(TimeoutError, match=rf"{(seen and seen[-1]) or ''}.* rows of X had been read for {what}"):
        GOSDTClassifier(0.1, time_limit=1).fit(mixed_table(100).lazy(), "label")
    assert len(seen) == call


def test_the_default_time_limit_is_for_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def read_slowly(self: Any, what: str, n_rows: int) -> None:
        clock[0] += 1000.0

    monkeypatch.setattr("hornbeam._budget.perf_counter", lambda: clock[0])
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", read_slowly)
    classifier = GOSDTClassifier(0.02, max_depth=3).fit(mixed_table(100).lazy(), "label")
    assert clock[0] >= 2000.0
    assert classifier.status_ == "optimal"
    with pytest.raises(TimeoutError, match="time_limit was reached after 37 rows"):
        GOSDTClassifier(0.02, max_depth=3, time_limit=61).fit(mixed_table(100).lazy(), "label")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("weight", -1, "sample_weight must be not negative, got -1.0 in row 85"),
        ("label", None, "target is missing in 1 row, first in row 85"),
        ("number", float("inf"), "Column 'number' of X holds an infinite number .* in row 85"),
    ],
)
def test_errors_name_the_row_of_the_table(column: str, value: Any, message: str) -> None:
    frame = mixed_table(120).with_columns(weight=pl.Series([1.0, 0.0] * 60))
    wrong = frame.with_row_index("row").with_columns(
        pl.when(pl.col("row").is_in([84, 85]) & (pl.col("weight") == (0 if column == "weight" else 1)))
        .then(pl.lit(value))
        .otherwise(pl.col(column))
        .alias(column)
    )
    if column != "weight":
        message = message.replace("85", "84")
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier(0.1).fit(wrong.drop("row").lazy(), "label", "weight")


@pytest.mark.parametrize(("least", "n_rows"), [(3, [4, 2]), (4, [6])])
def test_large_chunks_are_streams_of_their_own(monkeypatch: pytest.MonkeyPatch, least: int, n_rows: list[int]) -> None:
    monkeypatch.setattr("hornbeam.streaming.coding._LEAST_CHUNK", least)
    whole = pl.DataFrame({"a": [True, False, True, True, False, False], "b": [False, True] * 3, "c": range(6)})
    frame = pl.concat([whole[:4], whole[4:]], rechunk=False)
    streams = streams_of_flags(nw.from_native(frame, eager_only=True), ["b", "a"])
    assert streams is not None
    assert [len(pa.RecordBatchReader._import_from_c_capsule(stream).read_all()) for stream in streams] == n_rows
    counter = _core.RowCounter([1, 1])
    again = streams_of_flags(nw.from_native(frame, eager_only=True), ["b", "a"])
    assert counter.add_flags(again, ["a", "b"])
    assert [counter.codes(column).tolist() for column in range(2)] == [[1, 0, 1, 0], [0, 1, 1, 0]]
    assert counter.counts().tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize("only_flags", [True, False])
def test_merged_rows_keep_the_order_of_the_table(only_flags: bool) -> None:
    # Ties between trees, and samples of the heuristics, depend on it where sums of other rows are equal.
    random = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": random.random(500) < 0.5 for i in range(5)})
    frame = frame.with_columns(label=pl.Series(random.random(500) < 0.5))
    if not only_flags:
        frame = frame.with_columns(number=random.integers(0, 3, 500))
    read = read_streamed(frame.lazy(), "label", None, ThresholdBinarizer(), Budget(), lambda what, n_rows: None)
    names = [name for name in frame.columns if name != "label"]
    found = [read.training.table.column(index).values.tolist() for index in range(len(names))]
    expected = frame.unique(maintain_order=True)
    assert found == [expected[name].to_list() for name in names]
    assert read.training.labels.tolist() == expected["label"].to_list()
    counts = frame.group_by([*names, "label"], maintain_order=True).len()["len"]
    assert read.training.counts is not None
    assert read.training.counts.tolist() == counts.to_list()


def test_a_dataset_of_arrow_tables_keeps_the_order_of_its_files(tmp_path: Path) -> None:
    frame = mixed_table(200).drop("weight")
    for number, part in enumerate(frame.iter_slices(90)):
        part.write_parquet(tmp_path / f"{number}.parquet")
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=2), frame, None)
    assert_same_fit(GOSDTClassifier(0.02, max_depth=2).fit(pl.scan_parquet(tmp_path / "*.parquet"), "label"), in_memory)
    assert_same_fit(GOSDTClassifier(0.02, max_depth=2).fit(ds.dataset(tmp_path), "label"), in_memory)


def test_a_duckdb_relation_gives_the_fit_in_memory() -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = mixed_table(300).drop("weight", "category")  # a category of polars has another type in DuckDB
    in_memory = fit_in_memory(GOSDTClassifier(0.02, max_depth=2), frame, None)
    assert_same_fit(GOSDTClassifier(0.02, max_depth=2).fit(duckdb.from_arrow(frame.to_arrow()), "label"), in_memory)


def test_a_dask_data_frame_gives_the_fit_in_memory() -> None:
    frames = pytest.importorskip("dask.dataframe")
    dask_frame = frames.from_pandas(mixed_table(300).drop("weight").to_pandas(), npartitions=4)
    frame = dask_frame.compute()  # Dask has its own types for some columns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        in_memory = GOSDTClassifier(0.02, max_depth=2).fit(frame.drop(columns="label"), frame["label"])
    assert_same_fit(GOSDTClassifier(0.02, max_depth=2).fit(dask_frame, "label"), in_memory)


def test_the_frontier_of_a_lazy_table_is_that_in_memory() -> None:
    frame = mixed_table(300).drop("weight")
    classifier = GOSDTClassifier(0.02, max_depth=2, max_leaves=4, binarizer="quantile")
    streamed = classifier.frontier(frame.lazy(), "label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        in_memory = classifier.frontier(frame.drop("label"), frame["label"])
    assert streamed.n_leaves.tolist() == in_memory.n_leaves.tolist()
    assert streamed.losses.tolist() == in_memory.losses.tolist()
    assert [each.tree_ for each in streamed.classifiers] == [each.tree_ for each in in_memory.classifiers]


@pytest.mark.parametrize("make", [GOSDTClassifier, LicketySPLITClassifier])
def test_many_thresholds_give_the_objective_in_memory(make: Any) -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, 500))
    frame = pl.DataFrame({"a": a, "b": b, "label": ((a > 0.2) & (b < 0.5)) ^ (random.random(500) < 0.1)})
    in_memory = fit_in_memory(make(0.02, max_depth=2), frame, None)
    assert_same_fit(make(0.02, max_depth=2).fit(frame.lazy(), "label"), in_memory)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_thresholds_from_sketches_are_conditions_like_any_others(
    monkeypatch: pytest.MonkeyPatch, weight: str | None
) -> None:
    monkeypatch.setattr("hornbeam.streaming.sketches.MOST_VALUES", 64)
    random = np.random.default_rng(5)
    frame = mixed_table(2000).with_columns(
        many=pl.Series([None if random.random() < 0.1 else value for value in random.normal(size=2000)]),
        moment=pl.Series(
            [dt.datetime(2024, 1, 1) + dt.timedelta(seconds=int(second)) for second in random.integers(0, 10**7, 2000)]
        ),
    )
    frame = frame if weight else frame.drop("weight")
    streamed = GOSDTClassifier(0.005, max_depth=3, binarizer="quantile").fit(frame.lazy(), "label", weight)
    thresholds: dict[str, list[float]] = {"many": [], "moment": []}
    for condition in streamed.binarizer_.conditions_:
        name = streamed.binarizer_.schema_.names[condition.column]
        if name in thresholds and isinstance(condition, AtMost):
            thresholds[name].append(condition.threshold)
    assert [len(each) for each in thresholds.values()] == [8, 8]
    shares = [float((frame["many"] <= threshold).mean()) for threshold in thresholds["many"]]  # type: ignore[arg-type]
    assert np.abs(np.array(shares) - np.arange(1, 9) / 9).max() < 0.12
    moments = [np.datetime64(int(second), "s") for second in thresholds["moment"]]
    binarizer = ThresholdBinarizer("quantile", thresholds={"many": thresholds["many"], "moment": moments})
    in_memory = fit_in_memory(GOSDTClassifier(0.005, max_depth=3, binarizer=binarizer), frame, weight)
    assert_same_fit(streamed, in_memory)


def _as(source: str, frame: pl.DataFrame) -> Any:
    if source == "arrow":
        return ds.dataset(frame.to_arrow())
    if source == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())
    if source == "dask":
        return pytest.importorskip("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=3)
    return frame.lazy()


@pytest.mark.parametrize("source", ["polars", "arrow", "duckdb", "dask"])
@pytest.mark.parametrize("regularization", [0.01, 0.4])  # the second tree is a leaf
def test_predictions_are_written_batch_by_batch(tmp_path: Path, source: str, regularization: float) -> None:
    frame = mixed_table(200).drop("weight", "category", "nothing", "moment")
    X = frame.drop("label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = GOSDTClassifier(regularization, max_depth=3, smoothing="laplace").fit(X, frame["label"])
    path = tmp_path / "predictions.parquet"
    assert classifier.predict_to_parquet(_as(source, frame), path, proba=True) == 200
    written = pl.read_parquet(path)
    assert written["predicted_label"].to_list() == classifier.predict(X).tolist()
    assert written.columns == ["predicted_label", "share_no", "share_yes"]
    assert written.drop("predicted_label").to_numpy().tolist() == classifier.predict_proba(X).tolist()
    classifier.predict_to_parquet(_as(source, frame), path)
    assert pl.read_parquet(path).columns == ["predicted_label"]
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_failed_prediction_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = mixed_table(200).select("number", "flag", "label")
    classifier = GOSDTClassifier(0.01, max_depth=2).fit(frame.lazy(), "label")
    path = tmp_path / "predictions.parquet"
    path.write_text("of an earlier run")
    with pytest.raises(ValueError, match="X has no column 'number'"):
        classifier.predict_to_parquet(frame.drop("number").lazy(), path)
    with pytest.raises(ValueError, match="X holds no row"):
        classifier.predict_to_parquet(frame.head(0).lazy(), path)
    with pytest.raises(TypeError, match="X must be a lazy table, got DataFrame"):
        classifier.predict_to_parquet(frame, path)

    def interrupt(self: Any, what: str, n_rows: int) -> None:
        assert n_rows == 37
        raise KeyboardInterrupt

    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        classifier.predict_to_parquet(frame.lazy(), path)
    assert path.read_text() == "of an earlier run"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def _start_of(origin: str, frame: pl.DataFrame) -> Any:
    """Return a tree with conditions that one threshold for each column does not have."""
    if origin == "hornbeam":
        return GOSDTClassifier(0.005, max_depth=3).fit(frame.lazy(), "label").tree_
    # Only where missing values go tells rows apart that are equal in the thresholds.
    columns = frame.select("number", "single", pl.col("with_missing").cast(pl.Float64).fill_null(float("nan")))
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(columns.to_numpy(), frame["label"].to_numpy())


@pytest.mark.parametrize("least", [1, 25])
@pytest.mark.parametrize("origin", ["hornbeam", "scikit-learn"])
def test_a_start_tree_is_used_as_in_memory(origin: str, least: int) -> None:
    frame = mixed_table(200).drop("weight")
    if origin == "scikit-learn":
        frame = frame.select("number", "single", "with_missing", "label")
    frame = pl.concat([frame, frame.head(120)])
    settings = {
        "regularization": 0.005,
        "max_depth": 3,
        "min_samples_leaf": least,
        "binarizer": ThresholdBinarizer("quantile", n_thresholds=1),
        "start_tree": _start_of(origin, frame),
    }
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label")
    without = GOSDTClassifier(**{**settings, "start_tree": None}).fit(frame.lazy(), "label")
    assert len(streamed.binarizer_.conditions_) > len(without.binarizer_.conditions_)
    assert streamed.objective_ < without.objective_
    assert_same_fit(streamed, fit_in_memory(GOSDTClassifier(**settings), frame, None))


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize(("only_flags", "least"), [(True, 1), (False, 1), (False, 15)])
def test_a_reference_predicts_batch_by_batch(only_flags: bool, least: int, weight: str | None) -> None:
    frame = mixed_table(400).select("number", "flag", "small", "label", "weight")
    if only_flags:
        frame = frame.with_columns(pl.col("number", "small") > 1)
    frame = frame if weight else frame.drop("weight")
    model = fit_in_memory(LicketySPLITClassifier(0.01, max_depth=3), frame.head(150), weight)
    settings = {"regularization": 0.005, "max_depth": 3, "min_samples_leaf": least, "reference": model}
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label", weight)
    in_memory = fit_in_memory(GOSDTClassifier(**settings), frame, weight)
    assert_same_fit(streamed, in_memory)
    assert streamed.status_ == "guessed"
    assert streamed.statistics_["bounds"] == in_memory.statistics_["bounds"]


class _Wrong:
    def __init__(self, predictions: Any) -> None:
        self.predictions = predictions

    def predict(self, X: Any) -> Any:
        return self.predictions[: len(X)]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (np.array(["no", "maybe"] * 50), "reference predicts 'maybe', which is not a label of y"),
        (np.array(["no"] * 20), r"one label for each row, got an array of shape \(20,\) for 37 rows"),
    ],
)
def test_wrong_predictions_of_a_reference_are_refused(predictions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier(0.1, reference=_Wrong(predictions)).fit(mixed_table(100).lazy(), "label")


def test_the_last_fit_is_used_as_in_memory() -> None:
    frame = mixed_table(300).drop("weight")
    warm = [GOSDTClassifier(0.05, max_depth=3, warm_start=True) for _ in range(2)]
    for regularization in (0.05, 0.01):
        fits = [classifier.set_params(regularization=regularization) for classifier in warm]
        assert_same_fit(fits[0].fit(frame.lazy(), "label"), fit_in_memory(fits[1], frame, None))


def test_thresholds_of_a_start_tree_are_exact_in_a_sketched_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.streaming.sketches.MOST_VALUES", 64)
    random = np.random.default_rng(5)
    number = random.normal(size=2000)
    frame = pl.DataFrame({"number": number, "label": (number > 0.123) ^ (random.random(2000) < 0.1)})
    start = DecisionTreeClassifier(max_depth=1).fit(frame[["number"]].to_numpy(), frame["label"].to_numpy())
    classifier = GOSDTClassifier(0.01, max_depth=1, binarizer="quantile", start_tree=start).fit(frame.lazy(), "label")
    threshold = start.tree_.threshold[0]
    assert classifier.tree_.conditions[0] == AtMost(0, threshold)
    assert classifier.tree_.n_samples[1] == np.count_nonzero(number <= threshold)


def test_a_start_tree_on_other_columns_is_refused() -> None:
    frame = mixed_table(200).drop("weight")
    start = GOSDTClassifier(0.01, max_depth=2).fit(frame.lazy(), "label").tree_
    with pytest.raises(ValueError, match="start_tree tests columns that X does not have"):
        GOSDTClassifier(0.01, start_tree=start).fit(frame.select("small", "label").lazy(), "label")
