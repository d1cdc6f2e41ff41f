"""The engine's answers, also for unusual sets, and what it refuses."""

import itertools
import json
import math
import pickle
from copy import copy

import numpy as np
import polars as pl
import pytest

from hornbeam import (
    GOSDTClassifier,
    RashomonSetClassifier,
    RashomonSetPolicyTree,
    RashomonSetRegressor,
    RashomonSetSurvivalTree,
)
from hornbeam.explorer import Engine
from hornbeam.explorer.filters import Filters
from hornbeam.explorer.partial_trees import Open
from hornbeam.explorer.restricted_sets import RestrictedSet
from hornbeam.explorer.session import Session


def fixed(node):
    """All nodes of an answered tree as a partial tree."""
    if "split" not in node:
        return {"leaf": node["prediction"]}
    return {"split": node["split"], "true": fixed(node["true"]), "false": fixed(node["false"])}


def test_answers_are_plain_json(engine):
    for method in ("about", "look", "overview", "importance", "disputed", "count"):
        answer = engine.answer({"method": method})
        assert json.loads(json.dumps(answer, allow_nan=False)) == answer


def test_the_shown_tree_is_a_tree_of_the_set_with_its_metrics(engine, classifier, compas):
    _, test = compas
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    for option in options[:: len(options) // 5]:
        look = engine.answer({"method": "look", "tree": {"split": option["split"], "true": None, "false": None}})
        assert look["objective"] == option["objective"]
        file = engine.answer({"method": "take_away", "tree": fixed(look["tree"]), "format": "json"})
        tree = classifier.tree_.from_json(file["text"])
        correct = tree.predict(test.drop("target")) == test["target"].to_numpy()
        assert look["test"] == correct.mean()
        assert look["leaves"] == tree.n_leaves
        loss = 1 - look["train"]
        assert math.isclose(loss + classifier.regularization_ * tree.n_leaves, look["objective"], abs_tol=1e-12)
        assert engine.answer({"method": "look", "tree": fixed(look["tree"])})["n_trees"] == "1"


def test_rows_at_a_node_and_their_predictions(engine, compas):
    _, test = compas
    look = engine.answer({"method": "look"})
    rows = engine.answer({"method": "rows", "place": ""})
    assert rows["total"] == len(test)
    assert rows["wrong"] == round((1 - look["test"]) * len(test))
    assert [row["row"] for row in rows["rows"][:3]] == [0, 1, 2]
    assert rows["rows"][0]["values"] == list(test.drop("target").row(0))
    below = [engine.answer({"method": "rows", "place": place}) for place in "TF"]
    assert sum(one["total"] for one in below) == len(test)
    assert sum(one["wrong"] for one in below) == rows["wrong"]


def test_counting_for_a_filter_is_stopped(engine):
    never_seen = {"never": [1], "min_rows": 37}
    with pytest.raises(InterruptedError, match="was stopped"):
        engine.answer({"method": "count", "filters": never_seen}, lambda _: True)
    assert int(engine.answer({"method": "count", "filters": never_seen})["n_trees"]) >= 0


def test_the_overview_has_all_trees_and_the_frontier(engine, classifier):
    overview = engine.answer({"method": "overview"})
    assert sum(int(cell["n_trees"]) for cell in overview["cells"]) == classifier.n_trees_
    by_leaves = {one["leaves"]: one["objective"] for one in overview["frontier"]}
    assert by_leaves.keys() == classifier.rashomon_set_.n_leaves().keys()
    assert min(by_leaves.values()) == classifier.rashomon_set_.objective(0)


def test_measuring_all_trees_is_stopped_and_begun_again(classifier):
    engine = Engine(classifier)
    with pytest.raises(InterruptedError, match="reliance on columns was stopped"):
        engine.answer({"method": "importance", "exact": True}, lambda _: True)
    assert not engine.session.has_reliance


def test_the_numbers_for_the_importance_of_columns_keep_no_filter_out(monkeypatch, classifier):
    monkeypatch.setattr("hornbeam.explorer.session._MOST_SETS", 1)
    session = Session(classifier)
    filters = Filters(max_depth=2)
    before = session._restricted(filters.terms()[0][1], None, session._sets)
    n_avoiding = session.numbers_avoiding()
    assert session._restricted(filters.terms()[0][1], None, None) is before
    assert len(n_avoiding) > 1
    for column, number in n_avoiding.items():
        assert session.query(Filters(never=frozenset({column}))).number_of_trees(Open()) == number


def small_tables():
    """Tables with several thresholds per column and columns of noise."""
    for seed in range(3):
        random = np.random.RandomState(seed)
        X = random.randint(0, 3, size=(70, 4))
        yield X, (X[:, 0] > 0) ^ (X[:, 1] > 1) ^ (random.rand(70) < 0.1)


def small_sets():
    """Sets that are small enough to go through all trees."""
    for X, y in small_tables():
        parameters = {"regularization": 0.02, "max_depth": 3, "binarizer": "exact", "min_samples_leaf": 3}
        yield RashomonSetClassifier(0.2, **parameters).fit(X, y)


@pytest.mark.parametrize("most_work", [0, 10**9])
@pytest.mark.parametrize("is_asked_for", [False, True])
def test_the_importance_of_columns_is_that_of_all_trees(monkeypatch, most_work, is_asked_for):
    monkeypatch.setattr("hornbeam.explorer.overview.MOST_WORK", most_work)
    monkeypatch.setattr("hornbeam.explorer.overview.SAMPLE", 4)
    n_sampled = 0
    for classifier in small_sets():
        trees = classifier.rashomon_set_
        reliances = trees.reliance()
        assert trees.mean_reliance() == pytest.approx(reliances.mean(axis=0), abs=1e-12)
        tests = [{step.column for step in tree.conditions if step is not None} for tree in trees]
        found = Engine(classifier).answer({"method": "importance", "exact": is_asked_for})
        is_range = is_asked_for or most_work > 0
        n_sampled += not found["is_exact"]
        assert found["is_exact"] == (found["n_trees"] == str(trees.n_trees))
        for one in found["columns"]:
            values = reliances[:, one["column"]]
            assert math.isclose(one["best"], values[0], abs_tol=1e-12)
            assert one["share"] == sum(one["column"] in columns for columns in tests) / trees.n_trees
            if is_range:
                assert math.isclose(one["mean"], values.mean(), abs_tol=1e-12)
                assert math.isclose(one["least"], values.min(), abs_tol=1e-12)
                assert math.isclose(one["most"], values.max(), abs_tol=1e-12)
    assert (n_sampled > 0) == (not is_range)


@pytest.mark.parametrize(
    "filters", [Filters(never=frozenset({2})), Filters(always=frozenset({0, 2}), max_leaves=6), Filters(max_depth=2)]
)
def test_the_mean_reliance_is_that_of_the_trees_that_filters_leave(filters):
    n_compared = 0
    for classifier in small_sets():
        session, trees = Session(classifier), classifier.rashomon_set_
        depths = range((filters.max_depth or 9) + 1)
        leaves = range((filters.max_leaves or 99) + 1)
        wanted = trees.filter(uses=filters.always, avoids=filters.never, n_leaves=leaves, depth=depths)
        reliances = trees.reliance([number for number, _ in wanted])
        if not len(reliances):
            continue
        n_compared += len(reliances) < trees.n_trees
        found = session.query(filters).mean_reliance(trees._reliances())
        assert found == pytest.approx(reliances.mean(axis=0), abs=1e-12)
    assert n_compared > 0


def test_a_range_that_was_measured_is_kept(monkeypatch, classifier):
    monkeypatch.setattr("hornbeam.explorer.overview.MOST_WORK", 0)
    engine = Engine(classifier)
    assert engine.answer({"method": "importance"})["n_trees"] == "200"
    exact = engine.answer({"method": "importance", "exact": True})
    assert exact["n_trees"] == str(classifier.n_trees_)
    assert engine.answer({"method": "importance"}) == exact


@pytest.mark.parametrize("filters", [{}, {"never": [3], "max_leaves": 6}])
@pytest.mark.parametrize("has_test_rows", [False, True])
def test_disputed_rows_are_those_about_which_not_all_trees_agree(filters, has_test_rows):
    for classifier, X, y in zip(small_sets(), *zip(*small_tables(), strict=True), strict=True):
        trees = classifier.rashomon_set_
        rows = X[:, ::-1] if has_test_rows else X
        never, most = filters.get("never", []), filters.get("max_leaves", 99)
        wanted = [number for number, _ in trees.filter(avoids=never, n_leaves=range(most + 1))]
        votes = trees.votes(rows, wanted)
        engine = Engine(classifier, rows, y) if has_test_rows else Engine(classifier)
        found = engine.answer({"method": "disputed", "filters": filters})
        assert (found["n_trees"], found["is_exact"]) == (str(len(wanted)), True)
        assert (found["is_training"], found["n_rows"]) == (not has_test_rows, len(rows))
        assert found["n_disputed"] == (votes.max(axis=1) < 1).sum() > 0
        for one in found["rows"]:
            assert one["votes"] == pytest.approx(votes[one["row"]])
        assert [max(one["votes"]) for one in found["rows"]] == sorted(votes.max(axis=1))[: len(found["rows"])]


@pytest.mark.parametrize("has_test_rows", [False, True])
def test_trees_of_a_large_set_vote_by_a_sample_unless_asked_for(monkeypatch, classifier, compas, has_test_rows):
    monkeypatch.setattr("hornbeam.explorer.voters.MOST_COSTS", 0)
    _, test = compas
    rows = (test.drop("target"), test["target"].to_list()) if has_test_rows else ()
    engine = Engine(classifier, *rows)
    sample = engine.answer({"method": "disputed"})
    assert (sample["n_trees"], sample["is_exact"]) == ("200", False)
    exact = engine.answer({"method": "disputed", "exact": True})
    assert (exact["n_trees"], exact["is_exact"]) == (str(classifier.n_trees_), True)
    assert exact["n_disputed"] >= sample["n_disputed"] > 0
    with pytest.raises(InterruptedError, match="stopped"):
        engine.answer({"method": "disputed", "exact": True}, lambda _: True)


def table_of(n_columns, n_rows=80, n_classes=2, seed=0):
    random = np.random.RandomState(seed)
    X = random.randint(0, 2, size=(n_rows, n_columns))
    y = (X[:, 0] + 2 * X[:, 1 % n_columns]) % n_classes if n_classes < 5 else np.arange(n_rows) % n_classes
    return X, y


def walked(engine):
    """Ask what a page asks first."""
    look = engine.answer({"method": "look"})
    engine.answer({"method": "about"})
    engine.answer({"method": "overview"})
    engine.answer({"method": "importance"})
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    assert sum(int(option["n_trees"]) for option in options) == int(look["n_trees"])
    return look


def test_a_set_of_one_tree():
    X, _ = table_of(2)
    classifier = RashomonSetClassifier(0, regularization=0.01, binarizer=None).fit(X[:, :1], X[:, 0])
    assert walked(Engine(classifier))["n_trees"] == "1"


def test_500_columns_40_classes_and_names_of_200_letters():
    X, y = table_of(500)
    names = [f"{'n' * 190}{number}" for number in range(500)]
    frame = pl.DataFrame(X, schema=names)
    classifier = RashomonSetClassifier(0.05, regularization=0.05, max_depth=3).fit(frame, y)
    assert walked(Engine(classifier, frame, y))["test"] == 1.0
    X, y = table_of(6, 400, 40)
    labels = np.char.mod("class %d", y)
    classifier = RashomonSetClassifier(0.01, regularization=0.001, max_depth=2, binarizer=None).fit(X, labels)
    assert len(Engine(classifier).answer({"method": "about"})["classes"]) == 40
    walked(Engine(classifier))


def test_missing_values_categories_and_dates():
    random = np.random.RandomState(0)
    frame = pl.DataFrame(
        {
            "color": [None if i % 9 == 0 else ["red", "blue", "<b>"][i % 3] for i in range(90)],
            "size": [None if i % 7 == 0 else float(i % 10) for i in range(90)],
            "day": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 3, 30), eager=True),
        }
    )
    y = np.where(random.rand(90) < 0.1, 1, np.array([value == "red" for value in frame["color"]]))
    engine = Engine(RashomonSetClassifier(0.3, regularization=0.02, max_depth=3).fit(frame, y), frame, y)
    look = walked(engine)
    rows = engine.answer({"method": "rows", "place": ""})["rows"]
    assert rows[0]["values"] == [None, None, "2020-01-01"]
    with pytest.raises(ValueError, match="expected a date such as 2023-05-01 for column 'day', got 'soon'"):
        engine.answer({"method": "follow", "values": [None, None, "soon"]})
    for row in rows[:20]:
        followed = engine.answer({"method": "follow", "tree": fixed(look["tree"]), "row": row["row"]})
        typed = engine.answer({"method": "follow", "tree": fixed(look["tree"]), "values": row["values"]})
        assert typed["place"] == followed["place"]


def test_a_set_that_was_stopped_says_what_is_missing(classifier):
    stopped = copy(classifier)
    stopped.status_, stopped.searched_up_to_ = "time_limit", classifier.rashomon_set_.objective(5)
    about = Engine(stopped).answer({"method": "about"})
    assert about["status"] == "time_limit"
    assert about["searched_up_to"] < about["bound"] == classifier.bound_


@pytest.mark.parametrize("kind", [RashomonSetRegressor, RashomonSetPolicyTree, RashomonSetSurvivalTree])
def test_sets_of_trees_that_predict_no_classes_are_refused(kind):
    X = np.arange(8).reshape(4, 2) % 3
    y = {
        RashomonSetRegressor: np.array([0.0, 1.0, 5.0, 4.0]),
        RashomonSetPolicyTree: [[3, 1], [2, 1], [0, 2], [1, 2]],
        RashomonSetSurvivalTree: np.array([(True, 1.0), (True, 3.0), (False, 2.0), (True, 4.0)], dtype="?,f8"),
    }[kind]
    fitted = kind(0.2, "absolute", regularization=0.05, max_depth=2).fit(X, y)
    with pytest.raises(TypeError, match=f"got {kind.__name__}.* look at the trees of rashomon_set_ instead"):
        Engine(fitted)
    assert fitted.rashomon_set_[0].n_leaves >= 1
    assert fitted.rashomon_set_.n_leaves()


def test_what_cannot_be_explored_is_refused():
    X, y = table_of(4)
    with pytest.raises(TypeError, match="must be a RashomonSetClassifier"):
        Engine(GOSDTClassifier(regularization=0.1).fit(X, y))
    with pytest.raises(TypeError, match="must be a RashomonSetClassifier, got RashomonSet"):
        Engine(RashomonSetClassifier(regularization=0.1).fit(X, y).rashomon_set_)
    with pytest.warns(UserWarning, match="empty"):
        empty = RashomonSetClassifier(rashomon_bound=0.0001, regularization=0.1).fit(X, y)
    with pytest.raises(ValueError, match="holds no tree to explore; raise epsilon or rashomon_bound"):
        Engine(empty)
    classifier = RashomonSetClassifier(regularization=0.1).fit(X, y)
    with pytest.raises(ValueError, match="give both or none"):
        Engine(classifier, X)
    with pytest.raises(ValueError, match="y_test: expected 80 classes"):
        Engine(classifier, X, y[:3])
    with pytest.raises(ValueError, match="y_test: 7 is not a class"):
        Engine(classifier, X, np.full(80, 7))
    with pytest.raises(ValueError, match="features"):
        Engine(classifier, X[:, :2], y)


def test_what_leaving_the_set_costs_is_the_best_tree_of_a_larger_set():
    random = np.random.RandomState(3)
    X = random.randint(0, 3, size=(70, 4))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 1) ^ (random.rand(70) < 0.1)
    parameters = {"regularization": 0.02, "max_depth": 3, "binarizer": "exact", "min_samples_leaf": 3}
    engine = Engine(RashomonSetClassifier(0.01, **parameters).fit(X, y))
    large = Engine(RashomonSetClassifier(2.0, **parameters).fit(X, y))
    n_outside = 0
    for split in range(len(engine.problem.conditions)):
        tree = {"split": split, "true": None, "false": None}
        found = engine.answer({"method": "leaving", "tree": tree})
        best = large.answer({"method": "look", "tree": tree})
        assert found["least"] == found["most"] == best["objective"]
        n_outside += engine.answer({"method": "look", "tree": tree})["n_trees"] == "0"
    assert n_outside > 0
    few = {"split": 0, "true": None, "false": None}
    found = engine.answer({"method": "leaving", "tree": few, "filters": {"min_rows": 40}})
    assert found == {"least": None, "most": None}


def test_scores_of_options_are_those_of_the_trees_that_they_lead_to(engine):
    scores = engine.answer({"method": "scores", "tree": None, "place": ""})["scores"]
    for one in scores[::7]:
        look = engine.answer({"method": "look", "tree": {"split": one["split"], "true": None, "false": None}})
        assert one["test"] == look["test"]


def test_rows_that_two_trees_judge_differently(engine, compas, classifier):
    _, test = compas
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    other = {"split": options[4]["split"], "true": None, "false": None}
    looks = [engine.answer({"method": "look", "tree": tree}) for tree in (None, other)]
    files = [engine.answer({"method": "take_away", "tree": fixed(one["tree"]), "format": "json"}) for one in looks]
    first, second = (classifier.tree_.from_json(file["text"]).predict(test.drop("target")) for file in files)
    found = engine.answer({"method": "compare", "tree": fixed(looks[0]["tree"]), "other": fixed(looks[1]["tree"])})
    differ = np.flatnonzero(first != second)
    actual = test["target"].to_numpy()
    assert found["total"] == len(differ) > 0
    assert found["first_right"] == (first == actual)[differ].sum()
    assert found["second_right"] == (second == actual)[differ].sum()
    assert [row["row"] for row in found["rows"]] == differ[:200].tolist()


def test_filters_obey_the_memory_limit_and_everything_else_is_answered(compas, classifier):
    training, _ = compas
    limited = RashomonSetClassifier(**{**classifier.get_params(), "memory_limit": 2_000_000})
    limited.fit(training.drop("target"), training["target"])
    for fitted in (limited, pickle.loads(pickle.dumps(limited))):
        trees, engine = fitted.rashomon_set_, Engine(fitted)
        assert trees.n_trees == classifier.n_trees_
        assert engine.answer({"method": "look"})["n_trees"] == str(trees.n_trees)
        assert engine.answer({"method": "count", "filters": {"max_leaves": 4}})["n_trees"] != "0"
        for question in [{"method": "count", "filters": {"never": [0]}}, {"method": "importance", "exact": True}]:
            with pytest.raises(ValueError, match="which does not fit into memory_limit: raise it"):
                engine.answer(question)
        with pytest.raises(MemoryError, match="memory_limit: raise it"):
            trees.mean_reliance()


@pytest.mark.parametrize("filters", [{}, {"never": [3], "max_depth": 3}])
def test_the_next_filters_are_counted_before_they_are_asked_for(classifier, monkeypatch, filters):
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    columns = [column for column in range(7) if column not in filters.get("never", [])]
    wanted = [{**filters, "never": [*filters.get("never", []), column]} for column in columns]
    wanted += [{**filters, "always": [column]} for column in columns]
    wanted.append({**filters, "max_depth": 2})
    questions = [{"method": "count", "filters": one} for one in wanted]
    expected = [Engine(classifier).answer(question) for question in questions]
    engine = Engine(classifier)
    engine.answer({"method": "look", "filters": filters})
    engine.wait()

    def count_again(*_):
        raise AssertionError

    monkeypatch.setattr(engine.session, "_count", count_again)
    assert [engine.answer(question) for question in questions] == expected


def test_sets_of_earlier_filters_make_room_for_the_next(classifier, monkeypatch):
    filters = [Filters(never=frozenset({column})) for column in range(4)]
    expected = [Session(classifier).query(one).number_of_trees(Open()) for one in filters]
    session, n_refused = Session(classifier), itertools.count()

    def with_room_for_two(*arguments):
        if len(session._sets) >= 2:
            next(n_refused)
            raise MemoryError
        return RestrictedSet(*arguments)

    monkeypatch.setattr("hornbeam.explorer.session.RestrictedSet", with_room_for_two)
    assert [session.query(one).number_of_trees(Open()) for one in filters] == expected
    assert next(n_refused) == 2
