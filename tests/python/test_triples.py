"""Trees of three levels from counts of triples: the optimum, without the rows."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hornbeam import GOSDTClassifier, ThresholdBinarizer, _core
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.triples import Triples
from hornbeam.streaming.triples import CountedTriples
from oracles.problems import Problem

pl = pytest.importorskip("polars")


def _triples(X: Any, y: Any, n_classes: int) -> Triples:
    """Count by NumPy."""
    rows = [X[y == code].astype(np.int64) for code in range(n_classes)]
    counts = np.array([np.einsum("ri,rj,rk->ijk", part, part, part) for part in rows])
    return Triples(counts, np.array([len(part) for part in rows]))


@pytest.mark.parametrize("seed", range(60))
def test_the_tree_of_triples_is_optimal(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_rows, n_columns, n_classes = (int(random.integers(*ends)) for ends in ((5, 25), (1, 5), (2, 4)))
    X = random.random((n_rows, n_columns)) < random.random(n_columns)
    y = np.append(np.arange(n_classes), random.integers(0, n_classes, n_rows - n_classes))
    costs = random.integers(0, 5, (n_classes, n_classes)) * (1 - np.eye(n_classes, dtype=np.int64))
    unit, leaf_cost = random.integers(1, 4, n_classes), int(random.integers(0, 4))
    limits = {"max_depth": int(random.integers(0, 4)), "min_samples_leaf": int(random.integers(1, 5))}
    triples = _triples(X, y, n_classes)
    scale = AdditiveScale(triples.totals * unit, costs, leaf_cost, Fraction(1), 0)
    outcome = triples.search(scale, _core.SearchOptions(**limits))
    rows, weights = X.astype(int).tolist(), unit[y].tolist()
    problem = Problem(rows, y.tolist(), weights, costs.tolist(), leaf_cost, **limits)
    assert outcome["status"] == "optimal"
    assert outcome["lower"] == outcome["upper"] == problem.optimum()
    assert problem.cost(outcome["tree"]) == outcome["upper"]
    # No larger than the tree of the search over rows, which takes the smaller one of equally good trees.
    packed = np.ascontiguousarray(np.packbits(np.ascontiguousarray(X.T), axis=1, bitorder="little"))
    of_rows = _core.Problem(y.astype(np.int32), np.array(weights), costs, leaf_cost)
    exact = _core.solve(_core.PackedColumns(packed, n_rows), of_rows, _core.SearchOptions(**limits))
    assert len(outcome["tree"]["column"]) <= len(exact["tree"]["column"])


def test_rows_of_a_path_are_those_of_the_table() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((60, 4)) < 0.5, random.integers(0, 2, 60)
    triples = _triples(X, y, 2)
    for path in [(), ((0, True),), ((2, False),), ((1, False), (3, True)), ((0, False), (1, False), (2, False))]:
        chosen = np.all([X[:, column] == holds for column, holds in path], axis=0) if path else np.full(60, True)
        assert triples.rows_of(path).tolist() == np.bincount(y[chosen], minlength=2).tolist()


@pytest.fixture
def rows_hardly_repeat(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let small tables be counted by triples; the list has the passes."""
    passes: list[str] = []
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 37)
    monkeypatch.setattr("hornbeam.streaming.merging._LEAST_DISTINCT", 10)
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    monkeypatch.setattr("hornbeam.fitting.monitor.Monitor.report_rows", lambda self, what, n_rows: passes.append(what))
    return passes


def _table(n_rows: int = 700, n_classes: int = 2) -> pl.DataFrame:
    random = np.random.default_rng(1)
    X, number = random.random((n_rows, 12)) < 0.4, random.integers(0, 5, n_rows)
    label = (((X[:, 0] | X[:, 1]) & (number > 1)) ^ (random.random(n_rows) < 0.1)).astype(int)
    label[-3:] = n_classes - 1  # a class that appears late
    colors = random.choice(["red", "green", "blue"], n_rows).tolist()
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(12)])
    return frame.with_columns(
        number=pl.when(pl.Series(random.random(n_rows) < 0.1)).then(None).otherwise(pl.Series(number)),
        color=pl.Series(colors),
        label=pl.Series(label),
    )


def _fitted_in_memory(frame: pl.DataFrame, *args: Any, **settings: Any) -> GOSDTClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GOSDTClassifier(*args, **settings).fit(frame.drop("label"), frame["label"])


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_depth": 2},
        {"max_depth": 1},
        {"objective": "balanced"},
        {"min_samples_leaf": 60},
        {"objective": "cost", "cost_matrix": [[0, 1], [3, 0]]},
        {"regularization": 0.4},
        {"regularization": "auto"},
    ],
)
@pytest.mark.parametrize("only_flags", [True, False])
def test_rows_that_hardly_repeat_give_the_fit_in_memory(
    rows_hardly_repeat: list[str], settings: dict[str, Any], only_flags: bool
) -> None:
    frame = _table().drop("number", "color") if only_flags else _table()
    settings = {"regularization": 0.01, "max_depth": 3, **settings}
    in_memory = _fitted_in_memory(frame, **settings)
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label")
    assert rows_hardly_repeat[-1] == "triples of conditions"
    assert streamed.tree_ == in_memory.tree_
    for name in ("objective_", "lower_bound_", "loss_", "regularization_", "status_", "schema_"):
        assert getattr(streamed, name) == getattr(in_memory, name), name


@pytest.mark.parametrize(
    "settings", [{}, {"max_depth": 2}, {"max_depth": 1}, {"objective": "balanced"}, {"min_samples_leaf": 60}]
)
@pytest.mark.parametrize("kind", ["flags", "flags and missing values", "numbers", "classes"])
def test_many_rows_of_few_kinds_give_the_fit_in_memory(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], kind: str
) -> None:
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    n_counted: list[int] = []
    count = CountedTriples.add_merged
    monkeypatch.setattr(
        CountedTriples,
        "add_merged",
        lambda self, rows, coders: (n_counted.append(rows.n_rows), count(self, rows, coders))[1],
    )
    frame = _table(3000, n_classes=3 if kind == "classes" else 2)
    columns = ["c0", "c1", "number", "label"] if kind == "numbers" else ["c0", "c1", "c2", "c3", "label"]
    frame = frame.select(columns)
    if kind == "numbers":
        frame = frame.with_columns(number=(pl.col("number") > 1).cast(pl.Int64))
    if kind.startswith("flags"):
        frame = frame.with_columns(label=pl.col("label") == 1)
    if kind == "flags and missing values":
        frame = frame.with_columns(c1=pl.when(pl.col("c0") & pl.col("c2")).then(None).otherwise(pl.col("c1")))
    settings = {"regularization": 0.003, "max_depth": 3, **settings}
    in_memory = _fitted_in_memory(frame, **settings)
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label")
    assert n_counted[0] < 100
    assert streamed.classes_.tolist() == in_memory.classes_.tolist()
    assert streamed.tree_ == in_memory.tree_
    for name in ("objective_", "lower_bound_", "loss_", "regularization_", "status_", "schema_"):
        assert getattr(streamed, name) == getattr(in_memory, name), name


def _table_with_ties(seed: int, n_rows: int = 1500) -> pl.DataFrame:
    """Columns that repeat others in part, a label that many of them tell equally well, and missing values."""
    random = np.random.default_rng(seed)
    z = random.random((n_rows, 3)) < 0.5
    # Nine copies, of which three are negated; each differs from its column in the same number of rows.
    flags = {f"c{i}": z[:, i % 3] ^ (i // 3 == 1) ^ (np.arange(n_rows) % 40 == 7 * (i // 3)) for i in range(9)}
    number = 2 * z[:, 0] + z[:, 1] + 4 * (random.random(n_rows) < 0.3)
    frame = pl.DataFrame(flags).with_columns(
        number=pl.when(pl.Series(random.random(n_rows) < 0.1)).then(None).otherwise(pl.Series(number)),
        color=pl.Series(np.array(["red", "green", "blue", "red"])[number % 4].tolist()),
        weight=pl.Series(random.choice([1.5, 3.0], n_rows)),
    )
    return frame.with_columns(label=pl.Series((z.sum(axis=1) % 2 + (random.random(n_rows) < 0.1) + (seed % 2)) % 3))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("columns", ["flags", "all"])
@pytest.mark.parametrize("way", ["hardly repeat", "fill cells", "merged"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"regularization": 0},
        {"max_depth": 2},
        {"max_depth": 1},
        {"max_depth": 0},
        {"objective": "balanced"},
        {"min_samples_leaf": 200},
        {"n_jobs": 3},
    ],
)
def test_of_equally_good_trees_the_same_one_is_returned(
    monkeypatch: pytest.MonkeyPatch, seed: int, columns: str, way: str, settings: dict[str, Any]
) -> None:
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    monkeypatch.setattr("hornbeam.streaming.source._ROWS_OF_BATCH", 100)
    if way == "hardly repeat":
        monkeypatch.setattr("hornbeam.streaming.merging._LEAST_DISTINCT", 20)
    monkeypatch.setattr("hornbeam.streaming.triples._MOST_CELLS_OF_ROW", 10**6 if way == "fill cells" else 0)
    frame = _table_with_ties(seed).drop("weight")
    if columns == "flags":
        frame = frame.drop("number", "color")
    settings = {"regularization": 0.01, "max_depth": 3, **settings}
    in_memory = _fitted_in_memory(frame, **settings)
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label")
    assert streamed.tree_ == in_memory.tree_
    for name in ("objective_", "lower_bound_", "loss_", "regularization_", "status_", "schema_"):
        assert getattr(streamed, name) == getattr(in_memory, name), name
    assert in_memory.statistics_["bounds"]["three_levels"] == 1
    assert in_memory.status_ == "optimal"


@pytest.mark.parametrize(
    ("n_flags", "n_rows", "is_counted"),
    [(20, 10_200, False), (20, 11_000, True), (13, 10_000, False), (13, 20_000, True)],
)
def test_triples_are_counted_of_more_than_256_rows_for_each_condition_and_class(
    n_flags: int, n_rows: int, is_counted: bool
) -> None:
    random = np.random.default_rng(0)
    X = random.random((n_rows, n_flags)) < 0.5
    n_distinct = len(np.unique(X, axis=0))
    assert (n_distinct > 256 * n_flags * 2) == is_counted
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(n_flags)]).with_columns(
        label=pl.Series((X[:, 0] & X[:, 1]) ^ (random.random(n_rows) < 0.2))
    )
    in_memory = _fitted_in_memory(frame, 0.001, max_depth=3)
    streamed = GOSDTClassifier(0.001, max_depth=3).fit(frame.lazy(), "label")
    assert (in_memory.statistics_["table_entries"] == 0) == is_counted
    assert (streamed.statistics_["table_entries"] <= 1) == is_counted
    assert streamed.tree_ == in_memory.tree_
    assert streamed.objective_ == in_memory.objective_ == in_memory.lower_bound_


@pytest.mark.parametrize("weights", [None, "equal", "by class", "other"])
def test_rows_of_a_class_that_weigh_the_same_are_counted(monkeypatch: pytest.MonkeyPatch, weights: str | None) -> None:
    frame = _table_with_ties(0)
    by_class = frame.select(pl.when(pl.col("label") == 1).then(2.5).otherwise(1.0).alias("weight"))["weight"]
    of = {None: None, "equal": pl.Series([2.0] * len(frame)), "by class": by_class, "other": frame["weight"]}
    frame = frame.drop("weight") if of[weights] is None else frame.with_columns(weight=of[weights])
    given = () if weights is None else ("weight",)

    def fitted() -> tuple[GOSDTClassifier, GOSDTClassifier]:
        X = frame.drop("label", *given)
        in_memory = GOSDTClassifier(0.003, max_depth=3).fit(X, frame["label"], *[frame[name] for name in given])
        return in_memory, GOSDTClassifier(0.003, max_depth=3).fit(frame.lazy(), "label", *given)

    searched, _ = fitted()
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    in_memory, streamed = fitted()
    is_counted = weights != "other"
    assert (in_memory.statistics_["table_entries"] == 0) == is_counted
    assert in_memory.objective_ == in_memory.lower_bound_ == searched.objective_
    assert in_memory.tree_ == streamed.tree_


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 4},
        {"max_leaves": 3},
        {"shape": "rule_list"},
        {"known_lower_bound": 0.01},
        {"known_upper_bound": 0.9},
        {"start_tree": True},
        {"checkpoint": True},
    ],
)
def test_other_fits_in_memory_search(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, settings: dict[str, Any]) -> None:
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    frame = _table_with_ties(0).drop("weight")
    plain = _fitted_in_memory(frame, 0.003, max_depth=3)
    assert plain.statistics_["table_entries"] == 0
    if "start_tree" in settings:
        settings = {"start_tree": plain.tree_}
    if "checkpoint" in settings:
        settings = {"checkpoint": tmp_path / "fit"}
    model = _fitted_in_memory(frame, **{"regularization": 0.003, "max_depth": 3, **settings})
    assert model.status_ == "optimal"
    assert model.statistics_["table_entries"] > 0
    if "start_tree" in settings or "checkpoint" in settings or "known_lower_bound" in settings:
        assert model.objective_ == plain.objective_


def test_counting_that_is_stopped_gives_the_best_tree_of_the_rows_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    X = random.random((30_000, 60)) < 0.5
    y = (X[:, 3] ^ (X[:, 7] & X[:, 9])) ^ (random.random(len(X)) < 0.1)
    settings: dict[str, Any] = {"regularization": 0.001, "max_depth": 3, "binarizer": None}
    searched = GOSDTClassifier(**settings).fit(X, y)
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    with pytest.warns(match="stopped before its tree was proven"):
        stopped = GOSDTClassifier(**settings, callback=lambda progress: True).fit(X, y)
    assert stopped.status_ == "interrupted"
    assert stopped.lower_bound_ < searched.objective_ <= stopped.objective_ < 0.2
    assert stopped.loss_ == pytest.approx((stopped.predict(X) != y).mean())
    ended = GOSDTClassifier(**settings, trace=True).fit(X, y)
    assert (ended.status_, ended.objective_) == ("optimal", searched.objective_)
    assert ended.trace_[-1].objective == ended.objective_


def test_without_room_for_the_counts_rows_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.fitting.triples.LEAST_DISTINCT", 0)
    random = np.random.default_rng(0)
    X = random.random((3000, 60)) < 0.5
    settings: dict[str, Any] = {"regularization": 0.01, "max_depth": 3, "binarizer": None}
    model = GOSDTClassifier(**settings, memory_limit=5_000_000).fit(X, X[:, 3] ^ (random.random(3000) < 0.1))
    assert model.status_ == "optimal"
    assert model.statistics_["table_entries"] > 0


@pytest.mark.parametrize(("max_depth", "only_pairs"), [(1, True), (2, True), (3, False)])
def test_trees_of_two_levels_need_only_pairs(
    monkeypatch: pytest.MonkeyPatch, rows_hardly_repeat: list[str], max_depth: int, only_pairs: bool
) -> None:
    made: list[bool] = []
    make = _core.TripleCounter
    monkeypatch.setattr(_core, "TripleCounter", lambda *given: made.append(given[-1]) or make(*given))
    GOSDTClassifier(regularization=0.01, max_depth=max_depth).fit(_table().lazy(), "label")
    assert set(made) == {only_pairs}


def test_three_classes_of_which_one_appears_late(rows_hardly_repeat: list[str]) -> None:
    frame = _table(n_classes=3)
    in_memory = _fitted_in_memory(frame, 0.002, max_depth=3)
    streamed = GOSDTClassifier(0.002, max_depth=3).fit(frame.lazy(), "label")
    assert rows_hardly_repeat[-1] == "triples of conditions"
    assert (streamed.objective_, streamed.classes_.tolist()) == (in_memory.objective_, [0, 1, 2])
    assert streamed.tree_ == in_memory.tree_


@pytest.mark.parametrize(
    "settings", [{"max_depth": 4}, {"max_depth": None}, {"max_leaves": 3}, {"shape": "rule_list"}, {"trace": True}]
)
def test_other_fits_keep_the_rows(rows_hardly_repeat: list[str], settings: dict[str, Any]) -> None:
    GOSDTClassifier(**{"regularization": 0.02, "max_depth": 3, **settings}).fit(_table(200).lazy(), "label")
    assert rows_hardly_repeat[-1] == "distinct rows"


def test_weights_and_frontiers_keep_the_rows(rows_hardly_repeat: list[str]) -> None:
    frame = _table(200).with_columns(weight=2)
    GOSDTClassifier(0.02, max_depth=3).fit(frame.lazy(), "label", "weight")
    GOSDTClassifier(0.02, max_depth=3).frontier(frame.drop("weight").lazy(), "label")
    assert "triples of conditions" not in rows_hardly_repeat


def test_triples_are_counted_where_the_memory_limit_has_no_room_for_rows() -> None:
    frame = _table(6000)
    with pytest.raises(MemoryError, match="no room for labels, weights and counts of the distinct rows"):
        GOSDTClassifier(0.02, max_depth=4, memory_limit=150_000).fit(frame.lazy(), "label")
    streamed = GOSDTClassifier(0.02, max_depth=3, memory_limit=250_000).fit(frame.lazy(), "label")
    assert streamed.status_ == "optimal"
    with pytest.raises(MemoryError, match="no room for the counts of triples"):
        GOSDTClassifier(0.02, max_depth=3, memory_limit=50_000).fit(frame.lazy(), "label")


def test_flags_are_counted_without_a_pass_for_their_values(rows_hardly_repeat: list[str]) -> None:
    GOSDTClassifier(0.01, max_depth=3).fit(_table().drop("number", "color").lazy(), "label")
    assert "distinct values" not in rows_hardly_repeat
    assert rows_hardly_repeat[-1] == "triples of conditions"


@pytest.mark.parametrize(
    ("binarizer", "missing"), [("exact", True), (ThresholdBinarizer(thresholds={"c0": [0.5], "c1": [0.5]}), False)]
)
def test_flags_that_are_no_conditions_give_the_fit_in_memory(
    rows_hardly_repeat: list[str], binarizer: Any, missing: bool
) -> None:
    frame = _table().drop("number", "color")
    if missing:
        frame = frame.with_columns(c1=pl.when(pl.int_range(pl.len()) == 650).then(None).otherwise(pl.col("c1")))
    settings = {"regularization": 0.01, "max_depth": 3, "binarizer": binarizer}
    in_memory = _fitted_in_memory(frame, **settings)
    streamed = GOSDTClassifier(**settings).fit(frame.lazy(), "label")
    assert rows_hardly_repeat[-1] == "triples of conditions"
    assert streamed.tree_ == in_memory.tree_
    assert streamed.objective_ == in_memory.objective_ == streamed.lower_bound_
    assert [str(each) for each in streamed.binarizer_.conditions_] == [
        str(each) for each in in_memory.binarizer_.conditions_
    ]


@pytest.mark.parametrize("only_flags", [True, False])
@pytest.mark.parametrize("last_rows", [20, 600])
def test_rows_of_many_classes_are_kept(rows_hardly_repeat: list[str], only_flags: bool, last_rows: int) -> None:
    frame = _table()
    # The 17th class appears in the last batch, or in one of the first.
    number = np.arange(len(frame))
    late = np.where(number >= len(frame) - last_rows, number % 20, number % 15)
    frame = frame.with_columns(label=pl.Series(late))
    if only_flags:
        frame = frame.drop("number", "color")
    in_memory = _fitted_in_memory(frame, 0.001, max_depth=2)
    streamed = GOSDTClassifier(0.001, max_depth=2).fit(frame.lazy(), "label")
    assert rows_hardly_repeat[-1] == ("rows" if only_flags else "distinct rows")
    assert streamed.classes_.tolist() == list(range(20))
    assert streamed.tree_ == in_memory.tree_
    assert streamed.objective_ == in_memory.objective_ == in_memory.lower_bound_
