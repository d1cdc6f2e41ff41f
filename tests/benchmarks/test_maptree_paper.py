"""The scripts of the MAPTree paper: what they count, on small data of their own."""

import json
from math import lgamma, log

import numpy as np
import pytest

from benchmarks import data
from benchmarks.papers import maptree, maptree_folds, maptree_priors, maptree_sampling, maptree_synthetic
from benchmarks.papers.measure import complete
from benchmarks.papers.rivals import CANDIDATES, COLORS, OTHER_DEPTHS, PRIORS, fit, judge
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
    assert list(maptree.PUBLISHED) == list(expected)
    assert list(maptree.SOURCES) == [*expected, *(f"{name}, sampled" for name in expected)]
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
    assert set(CANDIDATES) == {*COLORS, *OTHER_DEPTHS, *PRIORS}
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
    assert limits == [None] * (1 + 5 + 2 + 3 + len(PRIORS))  # MAPTree, DL8.5, GOSDT, tuned GOSDT
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
    assert [one["method"] for one in records] == 2 * list(COLORS)
    assert {len(one["accuracy"]) for one in records} == {2}
    text = maptree_synthetic.report(records, tmp_path).read_text()
    assert "\n| 200 | " in text
    assert "other depths" not in text
    assert (tmp_path / "paper-maptree-synthetic.png").exists()


def test_the_other_depths_of_the_synthetic_experiment_are_added_to_its_page(tmp_path, monkeypatch):
    monkeypatch.setattr(maptree_synthetic, "TREES", 1)
    cell = "noise 0.1, 100 rows"
    assert {cell, f"{cell}, other depths"} <= set(maptree_synthetic.SOURCES)
    sources = {name: maptree_synthetic.records_of(name, 0.05) for name in (cell, f"{cell}, other depths")}
    records = complete(tmp_path / "results.jsonl", sources, 0.05)
    assert [one["method"] for one in records] == [*COLORS, *OTHER_DEPTHS]
    text = maptree_synthetic.report(records, tmp_path).read_text()
    head = next(line for line in text.splitlines() if "CART, depth 8" in line)
    assert head.split(" | ")[1:] == ["MAPTree", *OTHER_DEPTHS[:-1], f"{OTHER_DEPTHS[-1]} |"]
    assert (tmp_path / "paper-maptree-synthetic-all.png").exists()


def test_an_interval_holds_the_mean_and_is_a_point_for_equal_values():
    assert maptree_synthetic.interval([0.5] * 20) == (0.5, 0.5)
    low, high = maptree_synthetic.interval(np.arange(20))
    assert 0 < low < 9.5 < high < 19


@pytest.fixture
def folds(monkeypatch):
    """Let there be one small data set with two folds."""
    monkeypatch.setattr(maptree_folds, "FILES", {"small": "hornbeam_tic_tac_toe"})
    monkeypatch.setattr(maptree_folds, "FOLDS", 2)
    X = np.random.default_rng(0).integers(2, size=(60, 4))
    monkeypatch.setattr(data, "read", lambda name: (X, X[:, 0] | X[:, 1]))


@pytest.mark.usefixtures("folds")
def test_the_folds_are_measured_and_reported(tmp_path):
    records = complete(tmp_path / "results.jsonl", {"small": maptree_folds.records_of("small", 1.0)}, 1.0)
    assert [one["method"] for one in records] == maptree_folds.METHODS
    text = maptree_folds.report(records, tmp_path).read_text()
    assert "| MAPTree | " in text
    assert "0 / 1 / 0; 0 / 1 / 0; 0 / 1 / 0" in text
    assert "| CART, depth 8 | " not in text
    assert (tmp_path / "paper-maptree-folds.png").exists()


@pytest.mark.usefixtures("folds")
def test_the_other_depths_are_rows_of_the_table_over_the_data_sets(tmp_path):
    names = ("small", "small, other depths")
    sources = {name: maptree_folds.records_of(name, 1.0) for name in names}
    records = complete(tmp_path / "results.jsonl", sources, 1.0)
    assert [one["method"] for one in records] == [*maptree_folds.METHODS, *OTHER_DEPTHS]
    text = maptree_folds.report(records, tmp_path).read_text()
    assert all(text.count(f"\n| {method} | ") == 1 for method in [*maptree_folds.METHODS, *OTHER_DEPTHS])
    assert (tmp_path / "paper-maptree-folds-all.png").exists()


@pytest.mark.usefixtures("folds")
def test_priors_are_measured_and_what_they_change_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(maptree_priors, "SOURCES", ("small", "large"))
    records = complete(tmp_path / "results.jsonl", {"small": maptree_priors.records_of("small", 1.0)}, 1.0)
    assert [one["method"] for one in records] == [*PRIORS, "CART, depth 4"]
    records[0]["accuracy"] = [0.5, 0.7]
    best = max(np.mean(one["accuracy"]) for one in records[1:7])
    text = maptree_priors.report(records, tmp_path).read_text()
    words = " ".join(text.split())
    assert "2 are available; large need more time" in words
    assert "1 s on small." in words
    assert f"by more than 0.03 on 1: small ({best - 0.6:.3f})" in words
    assert (tmp_path / "paper-maptree-priors.png").exists()


@pytest.fixture
def sampled(small, monkeypatch):
    """Return a search and samples of a small table, sampled for a moment."""
    monkeypatch.setattr(maptree_sampling, "STEPS", (10, 200))
    monkeypatch.setattr(maptree_sampling, "PARTICLES", (5, 200))
    published = {"lower_bound": 5.0, "cost": 100.0, "seconds": 30.0, "nodes": 7}
    monkeypatch.setattr(maptree, "PUBLISHED", {"small": published})
    monkeypatch.setattr(maptree_sampling, "SEEDS", range(3))
    search = {"dataset": "small", **maptree.search("small", 5.0)}
    return search, list(maptree.records_of("small, sampled", 5.0))


def test_samplers_find_the_tree_of_the_search_and_are_reported_next_to_it(sampled, tmp_path):
    search, samples = sampled
    assert [one["sampler"] for one in samples] == ["chain", "particles"]
    assert {len(one["log_posterior"]) for one in samples} == {3}
    sources = {"small": [search], "small, sampled": samples}
    text = maptree.report(complete(tmp_path / "results.jsonl", sources, 5.0), tmp_path).read_text()
    assert "the same posterior as the best of them on 1 (small), a worse one on 0" in " ".join(text.split())
    assert text.count("| 3 of 3 |") == 2
    assert (tmp_path / "paper-maptree-sampling.png").exists()


def test_where_a_sampler_is_ahead_is_reported_with_its_time():
    search = {"dataset": "small", "cost": 10.0, "trace": [[0.5, 12.0, 1.0], [2.0, 10.0, 10.0]]}
    chain = {"sampler": "chain", "sizes": [10, 30, 100], "user_seconds": [[0.1, 1.0, 4.0], [0.3, 1.0, 6.0]]}
    chain |= {"dataset": "small", "log_posterior": [[-20.0, -11.0, -9.0], [-20.0, -11.0, -11.0]]}
    row = maptree_sampling.rows_of([search], [chain])[0]
    assert (row["search"], row["best"], row["reached"], row["behind"]) == (-10.0, -9.0, None, 1.0)
    assert row["chain"]["found"] == "1 of 2"
    assert row["chain"]["mean"] == -10.0
    text = " ".join(maptree_sampling.verdict([row]).split())
    assert "a worse one on 1 (small)" in text
    assert "except on 1 (small until 1.00 s)" in text
