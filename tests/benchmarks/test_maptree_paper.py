"""The scripts of the MAPTree paper: what they count, on small data of their own."""

import json
from math import lgamma, log

import numpy as np
import pytest

from benchmarks import data
from benchmarks.papers import maptree, maptree_folds, maptree_synthetic
from benchmarks.papers.measure import complete
from benchmarks.papers.rivals import CANDIDATES, COLORS, fit, judge
from benchmarks.results import load


def test_numbers_of_the_authors_program_are_those_of_the_shared_file():
    path = data.SHARED.parent / "expected" / "maptree.json"
    if not path.exists():
        pytest.skip(f"there is no {path.name} next to the repository")
    expected = {
        entry["data"].removeprefix("cp4im_").removesuffix(".bin"): entry
        for entry in json.loads(path.read_text())["results"]
        if (data.SHARED / f"{entry['data']}.csv").exists()
    }
    assert list(maptree.SOURCES) == list(expected)
    for name, published in maptree.PUBLISHED.items():
        figures = tuple(published[field] for field in ("lower_bound", "cost", "nodes"))
        assert figures == tuple(expected[name][key] for key in ("lower_bound", "best_known_cost", "n_nodes"))


def test_a_source_is_measured_once_for_each_limit_and_again_on_request(tmp_path):
    path, measured = tmp_path / "results.jsonl", []

    def records_of(name, limit):
        for part in (0, 1):
            measured.append((name, limit))
            yield {"dataset": name, "limit": limit, "part": part}

    def run(*names, limit=1.0, again=False):
        measured.clear()
        records = complete(path, {name: records_of(name, limit) for name in names}, limit, again=again)
        assert load(path) == records
        return [(one["dataset"], one["part"]) for one in records], len(measured)

    assert run("a") == ([("a", 0), ("a", 1)], 2)
    both = [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert run("a", "b") == (both, 2)
    assert run("b") == (both, 0)
    assert run("a", limit=2.0) == (both, 2)
    assert run("a", "b", limit=2.0, again=True) == (both, 4)


def test_an_interrupted_source_leaves_the_results_as_they_were(tmp_path):
    def records_of(name):
        yield {"dataset": name, "limit": 1.0}
        if name == "b":
            raise KeyboardInterrupt

    path = tmp_path / "results.jsonl"
    with pytest.raises(KeyboardInterrupt):
        complete(path, {name: records_of(name) for name in "ab"}, 1.0)
    assert [one["dataset"] for one in load(path)] == ["a"]


def test_a_tree_is_judged_by_the_rows_of_its_leaves():
    X, y = np.array([[0], [1]] * 4), np.array([0, 1, 0, 1, 0, 1, 0, 0])
    X_test, y_test = np.array([[0], [0], [1]]), np.array([0, 1, 1])
    worth = [judge(fit(method, X, y, 1.0)[0], X, y, X_test, y_test) for method in ("CART, depth 4", "DL8.5, depth 4")]
    right, wrong, last = log(6.5 / 9), log(2.5 / 9), log(5.5 / 9)
    prior = 2 * lgamma(2.5) - lgamma(5)
    marginal = 2 * lgamma(3.5) - lgamma(7) + lgamma(3.5) + lgamma(2.5) - lgamma(6) - 2 * prior
    for one in worth:
        assert (one["nodes"], one["accuracy"]) == (3, pytest.approx(2 / 3))
        assert one["log_likelihood"] == pytest.approx((right + wrong + last) / 3)
        assert one["marginal"] == pytest.approx(marginal / 3)


def test_every_method_fits_and_a_tuned_one_is_among_its_candidates():
    rng = np.random.default_rng(3)
    X = rng.integers(2, size=(80, 5), dtype=np.uint8)
    y = (X[:, 0] ^ (rng.random(80) < 0.3)).astype(np.int64)
    assert list(CANDIDATES) == list(COLORS)
    for method in CANDIDATES:
        model, fields = fit(method, X, y, 5.0)
        assert fields["proven"] == (not method.startswith("CART"))
        assert 1 <= judge(model, X, y, X, y)["nodes"] <= 63
    assert fit("CART, depth tuned", X, y, 1.0)[0].max_depth in range(1, 9)
    assert fit("GOSDT, λ tuned", X, y, 1.0)[0].regularization in (1 / 32, 0.01, 0.003)


@pytest.fixture
def small(monkeypatch):
    """Let all names of data sets mean a small table."""
    X = np.array([[a, b, a ^ b] for a in (0, 1) for b in (0, 1)] * 10)
    monkeypatch.setattr(data, "read", lambda name: (X, X[:, 0]))


@pytest.mark.usefixtures("small")
def test_methods_limited_by_user_cpu_have_no_limit_of_wall_clock(monkeypatch):
    made = [make(100.0) for candidates in CANDIDATES.values() for make in candidates]
    limits = [model.time_limit for model in made if hasattr(model, "time_limit")]
    assert limits == [None] * 8
    fitted, fit_seconds = [], maptree.fit_seconds
    monkeypatch.setattr(maptree, "fit_seconds", lambda model, X, y: fitted.append(model) or fit_seconds(model, X, y))
    maptree.search("small", 0.1)
    assert [model.time_limit for model in fitted] == [None]


@pytest.mark.usefixtures("small")
def test_the_search_is_recorded_and_reported_with_the_authors_program(tmp_path, monkeypatch):
    published = {"lower_bound": 5.0, "cost": 100.0, "seconds": 30.0, "nodes": 7}
    monkeypatch.setattr(maptree, "PUBLISHED", {"small": published})
    record = {"dataset": "small", "limit": 5.0, **maptree.search("small", 5.0)}
    assert record["proven"]
    assert record["lower_bound"] == pytest.approx(record["cost"])
    assert record["trace"][-1][1:] == pytest.approx([record["cost"], record["cost"]])
    assert record["trace"][-1][0] <= record["user_seconds"] + 1e-9
    assert record["search_bytes"] > 0
    assert record["process_bytes"] >= 0
    text = maptree.report(complete(tmp_path / "results.jsonl", {"small": [record]}, 5.0), tmp_path).read_text()
    assert "better on 1 (small), equally good on 0, worse on 0" in " ".join(text.split())
    assert "contradicts a tree of the other program on 0" in " ".join(text.split())
    assert (tmp_path / "paper-maptree.png").exists()


def test_a_bound_above_the_authors_cost_is_reported(tmp_path, monkeypatch):
    published = {"lower_bound": 5.0, "cost": 10.0, "seconds": 30.0, "nodes": 7}
    monkeypatch.setattr(maptree, "PUBLISHED", {"small": published})
    fields = {"rows": 9, "columns": 2, "expansions": 1, "search_bytes": 1, "process_bytes": 1, "leaves": 2}
    record = {"dataset": "small", "limit": 5.0, "cost": 11.0, "lower_bound": 10.5, "proven": False, **fields}
    record |= {"user_seconds": 1.0, "depth": 1, "accuracy": 1.0, "trace": [[0.1, 12.0, 1.0], [1.0, 11.0, 10.5]]}
    text = maptree.report(complete(tmp_path / "results.jsonl", {"small": [record]}, 5.0), tmp_path).read_text()
    assert "contradicts a tree of the other program on 1 (small)" in " ".join(text.split())


def test_the_synthetic_experiment_is_measured_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(maptree_synthetic, "TREES", 2)
    names = ["noise 0, 100 rows", "noise 0, 200 rows"]
    sources = {name: maptree_synthetic.records_of(name, 0.05) for name in names}
    records = complete(tmp_path / "results.jsonl", sources, 0.05)
    assert [one["method"] for one in records] == 2 * list(CANDIDATES)
    assert {len(one["accuracy"]) for one in records} == {2}
    text = maptree_synthetic.report(records, tmp_path).read_text()
    assert "\n| 200 | " in text
    assert (tmp_path / "paper-maptree-synthetic.png").exists()


def test_an_interval_holds_the_mean_and_is_a_point_for_equal_values():
    assert maptree_synthetic.interval([0.5] * 20) == (0.5, 0.5)
    low, high = maptree_synthetic.interval(np.arange(20))
    assert 0 < low < 9.5 < high < 19


def test_the_folds_are_measured_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(maptree_folds, "SOURCES", {"small": "hornbeam_tic_tac_toe"})
    monkeypatch.setattr(maptree_folds, "FOLDS", 2)
    X = np.random.default_rng(0).integers(2, size=(60, 4))
    monkeypatch.setattr(data, "read", lambda name: (X, X[:, 0] | X[:, 1]))
    records = complete(tmp_path / "results.jsonl", {"small": maptree_folds.records_of("small", 1.0)}, 1.0)
    assert [one["method"] for one in records] == maptree_folds.METHODS
    text = maptree_folds.report(records, tmp_path).read_text()
    assert "| MAPTree | " in text
    assert "0 / 1 / 0; 0 / 1 / 0; 0 / 1 / 0" in text
    assert (tmp_path / "paper-maptree-folds.png").exists()
