"""The scripts of the papers' tables, on small data of their own."""

from fractions import Fraction
from itertools import product

import numpy as np
import polars
import pytest
from sklearn.model_selection import KFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data
from benchmarks.papers import (
    gosdt,
    gosdt_buckets,
    gosdt_courses,
    gosdt_folds,
    gosdt_growth,
    gosdt_ranks,
    guesses,
    osdt,
    rashomon,
    split,
    split_lookahead,
    split_sparsity,
)
from benchmarks.papers.guesses_pictures import predict
from benchmarks.papers.measure import complete, measure
from benchmarks.results import load
from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer


def test_what_a_method_is_worth_is_counted_from_the_rows():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
    y = np.array([0, 1, 1, 0] * 5)
    for peer in ("hornbeam", "hornbeam_split", "hornbeam_lickety"):
        outcome, fields = measure(peer, X, y, 0.01, 2, 10.0)
        assert fields["objective"] == pytest.approx(0.04)
        assert (fields["leaves"], fields["depth"]) == (4, 2)
        assert outcome.claimed_objective == pytest.approx(0.04)
    assert measure("cart", X, y, 0.01, 2, 10.0)[1]["objective"] >= 0.04


def test_cart_is_pruned_to_its_best_subtree():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, dtype=np.uint8)
    y = X[:, 0] & X[:, 1]
    for regularization, leaves in ((0.01, 3), (0.12, 3), (0.13, 1)):  # two more leaves spare a share of 0.25
        outcome, fields = measure("cart", X, y, regularization, None, 10.0)
        assert fields["leaves"] == leaves
        assert not outcome.proven


def test_numbers_of_the_paper_are_those_of_its_tables():
    published = split.PUBLISHED
    assert len(published) == 3 * 3 + 10 * 3
    row = published[0.006, "netherlands", "GOSDT"]
    assert (row["objective"], row["deviation"], row["seconds"]) == (0.3156, 0.0006, 70.49)
    assert {method for _, _, method in published} <= set(split.METHODS)
    assert {name for _, name, _ in published} <= set(split.SOURCES)
    assert split.regularizations("bike") == [0.001, 0.006, 0.011]


def test_the_tables_of_split_are_measured_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(
        split, "SOURCES", {"compas": {"dataset": "hornbeam_tic_tac_toe", "stumps": 40, "note": "of this test"}}
    )
    monkeypatch.setattr(split, "SPLITS", 2)
    records = complete(tmp_path / "results.jsonl", {"compas": split.records_of("compas", 5.0)}, 5.0)
    assert load(tmp_path / "results.jsonl") == records
    assert len(records) == 2 * 2 * len(split.METHODS)
    for record in records:
        assert record["lower_bound"] is None or record["lower_bound"] <= record["objective"] + 1e-12
        assert record["proven"] or record["method"] != "GOSDT"
    assert min(record["columns"] for record in records) > 3
    text = split.report(records, tmp_path).read_text()
    assert "| 0.006 | compas | GOSDT |" in text
    assert "0.3473 ± 0.0029" in text
    assert (tmp_path / "paper-split.png").exists()


def test_bands_of_the_paper_are_those_of_its_tables():
    published = split_sparsity.BAND_PUBLISHED
    assert len(published) == 127 - 16  # without those of HELOC
    row = published["spambase", "11 to 14", "SPLIT"]
    assert (row["low"], row["high"]) == (0.081, 0.093)
    assert published["compas", "15 to 30", "CART"]["leaves"] == "28.6 to 30.8"
    assert split_sparsity.BEST_PUBLISHED["bike"]["blossom_seconds"] == 158.744
    assert {method for _, _, method in published} <= set(split_sparsity.METHODS)


def test_the_frontiers_of_split_are_measured_and_reported(tmp_path, monkeypatch):
    source = {"bank": {"dataset": "sklearn_wine", "stumps": 20, "note": "of this test"}}
    monkeypatch.setattr(split, "SOURCES", source)
    monkeypatch.setattr(split_sparsity, "SOURCES", source)
    monkeypatch.setattr(split_sparsity, "SPLITS", 2)
    few = {"CART": (0.01, 0.1), "GOSDT": (0.006, 0.02), "SPLIT": (1e-5, 0.006, 0.02)}
    few |= {"LicketySPLIT": few["SPLIT"], "CART, binary columns": few["CART"]}
    methods = {title: method._replace(values=few[title]) for title, method in split_sparsity.METHODS.items()}
    monkeypatch.setattr(split_sparsity, "METHODS", methods)
    monkeypatch.setattr(split_sparsity, "FEW_PENALTIES", few["GOSDT"])
    records = complete(tmp_path / "results.jsonl", {"bank": split_sparsity.records_of("bank", 5.0)}, 5.0)
    assert len(records) == 2 * sum(len(method.depths) for method in split_sparsity.METHODS.values())
    for record in records:
        assert len(record["loss"]) == len(record["value"])
        assert all(leaves <= 2 ** record["max_depth"] for leaves in record["leaves"])
    best, greedy = (
        next(record for record in records if (record["method"], record["max_depth"]) == (method, 5))
        for method in ("GOSDT", "LicketySPLIT")
    )
    for penalty, loss, leaves in zip(best["value"], best["loss"], best["leaves"], strict=True):
        at = greedy["value"].index(penalty)
        assert loss + penalty * leaves <= greedy["loss"][at] + penalty * greedy["leaves"][at] + 1e-12
    text = split_sparsity.report(records, tmp_path).read_text()
    assert "| bank | 3 to 6 | LicketySPLIT | 2 of 2 |" in text
    assert "| 0.103 to 0.119 |" in text
    assert (tmp_path / "paper-split-sparsity-time.png").exists()


def test_of_a_range_of_leaves_the_tree_of_least_training_loss_is_reported():
    run = {"leaves": [2, 3, 5, 6, 9], "loss": [0.5, 0.3, 0.2, 0.2, 0.1], "seconds": [1.0] * 5}
    run["test_loss"] = [0.1, 0.2, 0.3, 0.4, 0.5]
    rows = list(split_sparsity._band_rows("none", "SPLIT", [run]))
    assert [(row["band"], row["leaves"], row["test_loss"]) for row in rows] == [
        ("3 to 6", 5, "0.3000 ± 0.0000"),
        ("7 to 10", 9, "0.5000 ± 0.0000"),
    ]


def test_the_lookahead_of_split_is_measured_and_reported(tmp_path, monkeypatch):
    source = {"bike": {"dataset": "sklearn_wine", "stumps": 20, "note": "of this test"}}
    monkeypatch.setattr(split, "SOURCES", source)
    for name, value in {
        "SOURCES": source,
        "FULL": ("bike",),
        "FULL_ROWS": 100,
        "QUANTILES": (1, 2),
        "PENALTIES": (0.02,),
    }.items():
        monkeypatch.setattr(split_lookahead, name, value)
    records = complete(tmp_path / "results.jsonl", {"bike": split_lookahead.records_of("bike", 5.0)}, 5.0)
    by_depth = {(one["method"], one["lookahead"]): one for one in records if one["part"] == "depth"}
    exact = by_depth["exact", split_lookahead.DEPTH]
    for depth in split_lookahead.DEPTHS:
        greedy, optimal = by_depth["greedy", depth], by_depth["optimal", depth]
        assert exact["objective"] <= optimal["objective"] <= greedy["objective"]
    assert by_depth["optimal", 4]["status"] == "optimal"
    assert {one["columns"] for one in records if one["part"] == "columns"} == {13, 26}
    text = split_lookahead.report(records, tmp_path).read_text()
    assert "| bike | SPLIT |" in text
    assert (tmp_path / "paper-split-lookahead-gaps.png").exists()


def test_the_claims_of_guesses_are_measured_and_reported(tmp_path, monkeypatch):
    source = guesses.Source(0.02, ((5, 1),), (2, 5, None), (0.02, 0.05))
    monkeypatch.setattr(guesses, "SOURCES", {"sklearn_wine": source})
    monkeypatch.setattr(guesses, "REFERENCES", ((5, 1), (3, 2)))
    monkeypatch.setattr(guesses, "KFold", lambda *_, **options: KFold(2, **options))
    paper = {"train": 0.5, "deviation_train": 0.1, "test": 2.0, "deviation_test": 0.0, "seconds": "> 9", "table": 4}
    key = ("sklearn_wine", "GOSDT", guesses.THRESHOLDS, (3, 2))
    monkeypatch.setattr(guesses, "PUBLISHED", {key: {**paper, "dataset": key[0], "guess": key[2]}})
    records = complete(tmp_path / "results.jsonl", {"sklearn_wine": guesses.records_of("sklearn_wine", 5.0)}, 5.0)
    assert load(tmp_path / "results.jsonl") == records
    by = {
        (one["fold"], one["algorithm"], one["guess"], tuple(one.get("reference", ())), one["max_depth"]): one
        for one in records
        if one["regularization"] == 0.02
    }
    for (fold, algorithm, guess, reference, depth), both in by.items():
        if guess == guesses.BOTH:
            few = by[fold, algorithm, guesses.THRESHOLDS, reference, depth]
            every = by[fold, algorithm, guesses.ALL, (), depth]
            assert every["objective"] <= few["objective"] <= both["objective"] <= both["bound"] + 1e-12
            penalty = 0.02 if algorithm == "GOSDT" else 0  # what DL8.5 minimizes has no leaf penalty
            assert both["accuracy"] == pytest.approx(1 - both["objective"] + penalty * both["leaves"])
    assert {one["algorithm"] for one in records if one["max_depth"] is None} == {"GOSDT"}
    assert {one["regularization"] for one in records if one["algorithm"] == "CART"} == {0.02, 0.05}
    text = guesses.report(records, tmp_path).read_text()
    assert f"| sklearn_wine | GOSDT | {guesses.THRESHOLDS} | 3 of depth 2 |" in text
    assert "| 0.500 ± 0.100 |" in text
    assert "| sklearn_wine | 4 | 0 of 1 |" in text


def test_trees_of_the_guesses_paper_are_read_as_they_are_printed():
    assert [row["figure"] for row in guesses.PUBLISHED_TREES] == [
        f"{number}{part}" for number in (13, 14, 15, 16) for part in "ab"
    ]
    tree = ["age", 2.5, 1, ["sex", 0.5, 0, 1]]
    X = np.array([[2.5, 1], [3, 0], [3, 1]])
    assert predict(tree, X, ["age", "sex"]).tolist() == [1, 0, 1]

    def n_leaves(tree):
        return n_leaves(tree[2]) + n_leaves(tree[3]) if isinstance(tree, list) else 1

    assert [n_leaves(row["tree"]) for row in guesses.PUBLISHED_TREES] == [
        row["leaves"] for row in guesses.PUBLISHED_TREES
    ]


@pytest.mark.skipif(not data.SHARED.exists(), reason=f"{data.SHARED} is not there")
def test_coupons_for_takeaway_are_those_of_the_authors_file():
    made, labels = guesses.coupons("Carry out & Take away")
    X, y = data.read("coupon_carryout.bin")
    assert np.array_equal(made.to_numpy(), X.to_numpy())
    assert np.array_equal(labels, y)
    assert guesses.coupons("Restaurant(<20)")[0].shape == (2653, 87)  # as in table 1 of the paper


def test_a_tree_over_guessed_thresholds_is_written_with_the_columns_of_the_table():
    table = np.array([[0, 1.0], [1, 2], [0, 3], [1, 4]] * 5)
    y = (table[:, 0] == 1) & (table[:, 1] > 2)
    binarizer = ThresholdGuessBinarizer(DecisionTreeClassifier(random_state=0)).fit(table, y)
    classifier = GOSDTClassifier(0.01, binarizer=None).fit(binarizer.transform(table), y.astype(int))
    tree = guesses._nested(classifier.tree_, binarizer.conditions_, ["flag", "number"])
    assert predict(tree, table, ["flag", "number"]).tolist() == y.astype(int).tolist()


def test_the_objectives_of_gosdt_are_measured_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(gosdt, "TIMED", ("hornbeam_monk_2",))
    monkeypatch.setattr(gosdt, "REGULARIZATIONS", (0.1, 0.05))
    monkeypatch.setattr(data, "SHIPPED", {"hornbeam_monk_2": small_flags})
    path = tmp_path / "results.jsonl"
    records = complete(path, {"hornbeam_monk_2": gosdt.records_of("hornbeam_monk_2", 5.0)}, 5.0)
    assert load(path) == records
    assert len(records) == 2 * len(gosdt.OBJECTIVES)
    for record in records:
        assert record["proven"]
        # The core rounds theta to 2^-20 of a negative row.
        assert record["objective"] == pytest.approx(
            record["claimed_objective"], abs=1e-7 if record["objective_name"] == "partial_auc" else 1e-12
        )
    text = gosdt.report(records, tmp_path).read_text()
    assert "| hornbeam_monk_2 | f1 |" in text
    assert (tmp_path / "paper-gosdt.png").exists()


def test_the_trees_of_four_class_are_measured_and_drawn(tmp_path, monkeypatch):
    points = np.random.default_rng(0).integers(1, 190, (80, 2))
    shown = polars.DataFrame(points, schema=["feature1", "feature2"])
    y = (points[:, 0] > 100).astype(int)
    train, _ = train_test_split(np.arange(80), test_size=0.2, random_state=0)
    monkeypatch.setattr(data, "SHIPPED", {gosdt_ranks.FOUR_CLASS: lambda: (shown, y)})
    monkeypatch.setattr(gosdt_ranks, "TRAINING", (int(y[train].sum()), int((1 - y[train]).sum())))
    monkeypatch.setattr(gosdt_ranks, "N_SEEDS", 20)
    seeds = gosdt_ranks.seeds_of(y)
    assert 0 in seeds
    assert len(seeds) < 20
    np.testing.assert_array_equal(seeds[0][0], train)
    name = gosdt_ranks.FOUR_CLASS
    trees = complete(tmp_path / "results.jsonl", {name: gosdt.records_of(name, 5.0)}, 5.0)
    assert [record["objective_name"] for record in trees] == list(gosdt.OBJECTIVES)
    for record in trees:
        assert (record["proven"], record["leaves"], record["columns"], record["rows"]) == (True, 2, 6, 64)
        assert record["area"] == record["least_test_area"] == record["largest_test_area"] == 1
        assert (record["training_roc"][0], record["test_roc"][-1]) == ([0, 0], [1, 1])
        assert record["loss"] == pytest.approx(1 - gosdt.THETA if record["objective_name"] == "partial_auc" else 0)
    text = gosdt.report(trees, tmp_path).read_text()
    assert "| partial_auc |" in text
    for picture in ("fourclass", "roc"):
        assert (tmp_path / f"paper-gosdt-{picture}.png").exists()


def test_folds_of_gosdt_are_measured_with_the_range_of_tied_trees(tmp_path, monkeypatch):
    penalties = (0.1, 0.05, 0.02)
    X, y = small_flags()
    X[:, 1] = X[:, 0]
    X[:3, 1] = 1 - X[:3, 0]  # the first two columns differ in the first fold's test rows only
    monkeypatch.setattr(data, "SHIPPED", {"monk1.bin": lambda: (polars.DataFrame(X), y)})
    monkeypatch.setattr(gosdt_folds, "SOURCES", {"I.6 monk1": "monk1"})
    monkeypatch.setattr(gosdt_folds, "REGULARIZATIONS", penalties)
    monkeypatch.setattr(gosdt_folds, "PRINTED_TREES", {})
    path = tmp_path / "results.jsonl"
    records = complete(path, {"I.6 monk1": gosdt_folds.records_of("I.6 monk1", 5.0)}, 5.0)
    n_tied = 0
    for fold, (train, test) in enumerate(KFold(5).split(X), 1):
        for penalty in penalties:
            (record,) = (
                one for one in records if (one["method"], one["setting"], one["fold"]) == ("GOSDT", penalty, fold)
            )
            shares = accuracies_of_optimal_trees(X[train], y[train], X[test], y[test], Fraction(str(penalty)))
            assert (record["lowest"], record["highest"]) == pytest.approx((100 * min(shares), 100 * max(shares)))
            assert record["lowest"] <= record["test"] <= record["highest"]
            n_tied += len(shares) > 1
    assert n_tied  # otherwise the range is not tested
    monkeypatch.setattr(gosdt, "PARTS", (gosdt_folds,))
    text = gosdt.report(records, tmp_path).read_text()
    assert "Every tree is proven optimal." in text
    for picture in ("training", "test"):
        assert (tmp_path / f"paper-gosdt-{picture}.png").exists()


def accuracies_of_optimal_trees(X, y, X_test, y_test, penalty):
    """Return the test accuracies of all trees that are optimal on the training rows, whichever class a tie gets."""

    def trees(rows, test_rows, columns):  # of each tree what it costs in rows, and how many test rows it gets right
        for label in (0, 1):
            yield int((y[rows] != label).sum()) + penalty * len(y), int((y_test[test_rows] == label).sum())
        for column in columns:
            sides = [(rows[X[rows, column] == v], test_rows[X_test[test_rows, column] == v]) for v in (0, 1)]
            if all(len(of_side) for of_side, _ in sides):
                left, right = (set(best(*side, columns - {column})) for side in sides)
                yield from ((a + b, c + d) for a, c in left for b, d in right)

    def best(rows, test_rows, columns):
        found = list(trees(rows, test_rows, columns))
        least = min(cost for cost, _ in found)
        return {one for one in found if one[0] == least}

    whole = best(np.arange(len(y)), np.arange(len(y_test)), frozenset(range(X.shape[1])))
    return {correct / len(y_test) for _, correct in whole}


def test_a_printed_tree_predicts_what_its_leaves_say():
    tree = ["b", 1, ["a", 0, 1]]
    assert gosdt_folds.count_leaves(tree) == 3
    X = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(gosdt_folds.predict(tree, ["a", "b"], X), [1, 0, 1, 1])
    leaves = {name: gosdt_folds.count_leaves(one["tree"]) for name, one in gosdt_folds.PRINTED_TREES.items()}
    assert leaves == {"monk1": 8, "monk2": 7, "tic-tac-toe": 16}


def test_published_medians_are_those_of_the_files():
    published = gosdt_folds.PUBLISHED
    of_gosdt = [row for row in published if row["method"] == "GOSDT"]
    assert len(of_gosdt) == 6 * 29 == len({(row["dataset"], row["setting"]) for row in of_gosdt})
    assert len(gosdt_folds.REGULARIZATIONS) == 29
    row = next(one for one in of_gosdt if (one["dataset"], one["setting"]) == ("tic-tac-toe", 0.005))
    assert (row["leaves"], row["training"], row["test"], row["seconds"]) == (22, 97.0, 63.02, 31.8)


def test_the_first_columns_of_the_authors_encoding():
    X = np.array([[0, 3], [1, 5], [0, 9], [1, 5]])
    for size, expected in (
        (1, [[0], [1], [0], [1]]),  # the column of 0 and 1, which the encoding has twice
        (3, [[0], [1], [0], [1]]),  # and the constant column of the second one
        (4, [[0, 0], [1, 1], [0, 1], [1, 1]]),
        (5, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 0]]),
    ):
        np.testing.assert_array_equal(gosdt_growth.first_columns(X, size), expected)


def test_growth_is_compared_with_the_published_trees(tmp_path, monkeypatch):
    X, y = small_flags()
    rows = [
        {"dataset": "small", "along": along, "size": size, "seconds": 0.1, "leaves": 9, "training": 50.0}
        for along, size in (("rows", 20), ("rows", 60), ("columns", 4), ("columns", 10))
    ]
    monkeypatch.setattr(data, "SHIPPED", {"small": lambda: (X, y)})
    monkeypatch.setattr(gosdt_growth, "SOURCES", {"I.7 small": "small"})
    monkeypatch.setattr(gosdt_growth, "PUBLISHED", rows)
    monkeypatch.setattr(gosdt, "PARTS", (gosdt_growth,))
    monkeypatch.setattr(gosdt_growth, "NAMES", {"small": "bar-7"})
    records = complete(tmp_path / "results.jsonl", {"I.7 small": gosdt_growth.records_of("I.7 small", 5.0)}, 5.0)
    assert [(one["along"], one["rows"], one["columns"]) for one in records] == [
        ("rows", 20, 5),
        ("rows", 60, 5),
        ("columns", 54, 2),
        ("columns", 54, 5),
    ]
    rows[1]["training"], rows[1]["leaves"] = 100 * (1 - records[1]["loss"]), records[1]["leaves"]
    text = gosdt.report(records, tmp_path).read_text()
    assert "| small | rows | 2 | 1 | 2 |" in text
    assert "3 published trees of GOSDT are not optimal" in text
    assert (tmp_path / "paper-gosdt-growth.png").exists()


def test_courses_of_both_searches_are_measured_and_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "SHIPPED", {"monk1.bin": small_flags})
    monkeypatch.setattr(gosdt_courses, "SOURCES", {"I.8 monk1": "monk1"})
    monkeypatch.setattr(gosdt, "PARTS", (gosdt_courses,))
    records = complete(tmp_path / "results.jsonl", {"I.8 monk1": gosdt_courses.records_of("I.8 monk1", 5.0)}, 5.0)
    assert len({record["objective"] for record in records}) == 1
    for record in records:
        assert record["status"] == "optimal"
        assert record["course"][-1][1:] == [record["objective"], record["objective"]]
    assert "| monk1 | OSDTClassifier |" in gosdt.report(records, tmp_path).read_text()
    assert (tmp_path / "paper-gosdt-courses.png").exists()


def test_bucketization_keeps_the_thresholds_between_classes():
    X = np.array([[1], [2], [3], [3], [4]])
    np.testing.assert_array_equal(
        gosdt_buckets.bucketized(X, np.array([0, 0, 0, 1, 1])).T, [[1, 1, 0, 0, 0], [1, 1, 1, 1, 0]]
    )


def small_flags():
    """Return columns of 0 and 1 and a target that two of them decide but for some rows."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (60, 5))
    return X, (X[:, 0] & X[:, 3]) ^ (draw.random(60) < 0.1)


def test_the_table_and_figures_of_osdt_are_measured_and_reported(tmp_path, monkeypatch):
    X = np.random.default_rng(0).integers(0, 2, (60, 5))
    monkeypatch.setattr(data, "read", lambda _: (X, (X[:, 0] ^ X[:, 1]) & X[:, 2] | X[:, 3]))
    monkeypatch.setattr(osdt, "SOURCES", {"drawn": (0.1, 0.01)})
    monkeypatch.setattr(osdt, "MULTIPLES", (1, 2))
    monkeypatch.setattr(osdt, "TREES", {"drawn": {"figure": "6.4", "leaves": 4, "cart": 50.0}})
    records = complete(tmp_path / "results.jsonl", {"drawn": osdt.records_of("drawn", 5.0)}, 5.0)
    assert [one["part"] for one in load(tmp_path / "results.jsonl")] == [record["part"] for record in records]
    searches = [record for record in records if record["part"] == "table 6.2"]
    assert len(searches) == len(osdt.VARIANTS) * len(osdt.ORDERS)
    assert len({record["objective"] for record in searches if record["status"] == "optimal"}) == 1
    assert {record["status"] for record in searches if record["order"] == "as published"} == {"heuristic"}
    assert all(record["queued_to_best"] <= record["queued"] + 1 for record in searches)
    for record in (one for one in records if one.get("method") == "OSDT"):
        assert (record["optimum_proven"], record["optimum"]) == (True, record["objective"])
    policies = [(one["policy"], one["order"]) for one in records if one["part"] == "figure 6.2"]
    assert policies == list(product(osdt.POLICIES, osdt.ORDERS))
    text = osdt.report(records, tmp_path).read_text()
    assert "| all bounds | thesis | - | 14.75 | 1.09 | 241,306 | 18,195 | 80 |" in text
    assert "| fifo | authors' program | - | - | 27.4 | 270,273 | 258,291 | - |" in text
    assert "| 6.4 | drawn | max_leaves 4 |" in text
    for picture in ("accuracy", "convergence", "growth", "trees"):
        assert (tmp_path / f"paper-osdt-{picture}.png").exists()


def test_cells_of_figure_6_1_above_the_optimum_are_named(tmp_path):
    run = {"part": "figure 6.1", "method": "OSDT", "dataset": "drawn", "limit": 5.0, "status": "time_limit"}
    run |= {"leaves": 2, "accuracy": 0.8, "lower_bound": 0.1, "user_seconds": 5.0, "optimum_seconds": 1.0}
    run |= {"optimum_leaves": 3, "optimum_accuracy": 0.9, "optimum": 0.25, "optimum_bound": 0.2}
    cells = [
        {**run, "regularization": 0.05, "objective": 0.3, "optimum_proven": True},
        {**run, "regularization": 0.04, "objective": 0.28, "optimum_proven": False},
        {**run, "regularization": 0.03, "objective": 0.25, "optimum_proven": True},
    ]
    cart = {"part": "figure 6.1", "method": "CART", "dataset": "drawn", "limit": 5.0, "leaves": 2, "accuracy": 0.7}
    records = complete(tmp_path / "results.jsonl", {"drawn": iter([*cells, cart])}, 5.0)
    text = osdt.report(records, tmp_path).read_text()
    assert "In 2 of 3 cells" in text
    assert "drawn at λ 0.05 (0.300000 instead of 0.250000)" in text
    assert "drawn at λ 0.04 (0.280000 instead of 0.200000 to 0.250000)" in text


def test_columns_are_ordered_by_the_impurity_they_take_away():
    y = np.array([0, 0, 0, 1, 1, 1])
    X = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0]])
    assert osdt.by_impurity(X, y)[0] == 1
    assert sorted(osdt.by_impurity(X, y)) == [0, 1, 2]


def test_guessed_thresholds_are_those_of_the_stumps(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "CACHE", tmp_path)
    prepared = data.prepare("sklearn_wine", "guess20")
    X, y = data.read("sklearn_wine")
    with np.load(prepared.path) as archive:
        np.testing.assert_array_equal(archive["X"], data.distinct_columns(data.guess(20).fit_transform(X, y)))
    assert 5 < prepared.columns < 60


def test_the_tables_of_rashomon_sets_are_measured_and_reported(tmp_path, monkeypatch):
    source = {**rashomon.SOURCES["spambase"], "dataset": "sklearn_breast_cancer", "stumps": 20}
    monkeypatch.setattr(rashomon, "SOURCES", {"spambase": source})
    few = {"BOOTSTRAPS": 2, "SAMPLES": 20, "FEW_STUMPS": 10, "GREEDY_PENALTIES": (0.02,)}
    for name, value in few.items():
        monkeypatch.setattr(rashomon, name, value)
    records = complete(tmp_path / "results.jsonl", {"spambase": rashomon.records_of("spambase", 5.0)}, 5.0)
    importance, *precisions, quantiles = (record for record in records if record["part"] != "greedy")
    for record in precisions:
        assert record["is_complete"]
        assert 0 < record["n_within"] <= min(record["n_near"], record["n_whole"])
        assert record["n_near"] <= record["n_resplit"]
        assert 0 <= record["whole_across_trees"] <= 0.25
        assert 0 < record["whole_across_rows"] <= 0.25
    assert len(importance["exact_trees"]) == len(importance["resplit_trees"]) == 2
    assert -1 <= importance["correlation"] <= 1
    assert len(importance["names"]) == importance["columns"] < quantiles["columns"] == 3 * 30
    for record in (importance, quantiles):
        for trees, reliance in zip(record["exact_relying"], record["exact_reliance"], strict=True):
            assert (trees > 0) == (reliance != 0)
            assert trees <= sum(record["exact_trees"])
    greedy = [record for record in records if record["part"] == "greedy"]
    assert len(greedy) == len(rashomon.GREEDY_PENALTIES) * len(rashomon.GREEDY_EPSILONS)
    assert all(0 <= share <= 1 for record in greedy for share in record["shares"])
    text = rashomon.report(records, tmp_path).read_text()
    assert "| spambase | RESPLIT |" in text
    assert "0.598 (850/1422)" in text
    assert "17.3x | " in text
