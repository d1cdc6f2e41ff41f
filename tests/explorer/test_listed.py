"""Sets that are listed: F-score, area under the curve and RESPLIT. Counts are compared with the set's own trees."""

import re

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from hornbeam import RashomonSetClassifier
from hornbeam.explorer import Engine, page_of
from hornbeam.explorer.filters import Filters
from tests.explorer.conftest import Served
from tests.explorer.test_browser import choose, tab, wait_for_count
from tests.explorer.test_engine import fixed

KINDS = {
    "f1": {"objective": "f1", "epsilon": 0.25},
    "auc": {"objective": "auc", "epsilon": 0.05},
    "resplit": {"method": "resplit", "epsilon": 0.25, "lookahead_depth": 2},
}


def table():
    random = np.random.RandomState(2)
    X = random.randint(0, 2, size=(300, 5))
    y = ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ (random.rand(300) < 0.2)
    return X, y.astype(int)


@pytest.fixture(scope="module", params=list(KINDS))
def engine(request):
    X, y = table()
    classifier = RashomonSetClassifier(regularization=0.01, max_depth=3, **KINDS[request.param])
    return Engine(classifier.fit(X[:200], y[:200]), X[200:], y[200:], name=request.param)


def test_counts_and_options_are_those_of_the_trees(engine):
    trees = engine.session.trees
    assert 20 < trees.n_trees < 10_000
    n_rows = [min(tree.n_samples[tree.left < 0]) for tree in trees]
    number = {name: trees.columns.index(name) for name in trees.columns}
    for filters, wanted in (
        ({}, {}),
        ({"never": [number["x3"]]}, {"avoids": ["x3"]}),
        ({"always": [number["x3"]]}, {"uses": ["x3"]}),
        ({"max_leaves": 4}, {"n_leaves": range(5)}),
        ({"max_depth": 2}, {"depth": range(3)}),
        ({"max_objective": trees.objective(trees.n_trees // 2)}, None),
        ({"min_rows": 20}, None),
    ):
        if wanted is not None:
            numbers = [index for index, _ in trees.filter(**wanted)]
        elif "min_rows" in filters:
            numbers = [index for index, least in enumerate(n_rows) if least >= 20]
        else:
            numbers = [k for k in range(trees.n_trees) if trees.objective(k) <= filters["max_objective"]]
        found = engine.answer({"method": "count", "filters": filters})
        assert found == {"n_trees": str(len(numbers)), "objective": trees.objective(numbers[0]) if numbers else None}
        overview = engine.answer({"method": "overview", "filters": filters})
        assert sum(int(cell["n_trees"]) for cell in overview["cells"]) == len(numbers)
        options = engine.answer({"method": "options", "place": "", "filters": filters})["options"]
        roots = [trees[k].conditions[0] for k in numbers]
        for option in options:
            if "split" in option:
                assert int(option["n_trees"]) == roots.count(engine.problem.conditions[option["split"]])
        assert sum(int(option["n_trees"]) for option in options) == len(numbers)


def test_scores_are_those_of_scikit_learn(engine):
    X, y = table()
    look = engine.answer({"method": "look"})
    best = engine.session.trees[0]
    measure = {
        "f1": lambda rows, y: f1_score(y, best.predict(rows)),
        "auc": lambda rows, y: roc_auc_score(y, best.predict_proba(rows)[:, 1]),
        "resplit": lambda rows, y: np.mean(best.predict(rows) == y),
    }[engine.name]
    assert look["train"] == pytest.approx(measure(X[:200], y[:200]))
    assert look["test"] == pytest.approx(measure(X[200:], y[200:]))


def test_the_first_picture_reads_one_tree_and_the_others_are_read_afterwards(monkeypatch):
    X, y = table()
    classifier = RashomonSetClassifier(regularization=0.01, max_depth=3, **KINDS["f1"]).fit(X, y)
    engine = Engine(classifier)
    n_read = []
    monkeypatch.setattr(
        engine.session._listed, "_read", lambda number: n_read.append(number) or engine.session._read(number)
    )
    monkeypatch.setattr(engine._idle_work, "_tasks", [])
    engine.answer({"method": "about"})
    shown = engine.answer({"method": "look"})
    assert n_read == [0]
    assert shown["n_trees"] == str(classifier.n_trees_)
    assert shown["objective"] == classifier.rashomon_set_.objective(0)
    with pytest.raises(InterruptedError):
        engine.session.index(lambda _: len(n_read) == 5)
    assert n_read == list(range(5))
    assert len(engine.session.numbers(Filters(max_leaves=3))) < classifier.n_trees_
    assert n_read == list(range(classifier.n_trees_))


def test_larger_sets_are_shown_in_part(monkeypatch, open_page):
    monkeypatch.setattr("hornbeam.explorer.listed.MOST_TREES", 7)
    X, y = table()
    classifier = RashomonSetClassifier(regularization=0.01, max_depth=3, **KINDS["f1"]).fit(X, y)
    engine = Engine(classifier)
    served = Served(engine)
    page = open_page(served.url)
    wait_for_count(page, 7)
    page.wait_for_selector(f"text=The set has {classifier.n_trees_} trees. Here are the best 7 of them")
    report = engine.answer({"method": "take_away", "format": "report"})["text"]
    assert f"The best 7 of {classifier.n_trees_} good trees were counted." in report
    served.stop()


@pytest.mark.parametrize("host", ["server", "file"])
def test_the_page_has_every_feature_that_makes_sense(open_page, engine, host, tmp_path):
    served = Served(engine)
    (tmp_path / "page.html").write_text(page_of(engine), encoding="utf-8")
    page = open_page(served.url if host == "server" else (tmp_path / "page.html").as_uri())
    trees, look = engine.session.trees, engine.answer({"method": "look"})
    wait_for_count(page, trees.n_trees)
    about = engine.answer({"method": "about"})
    train = look["train"]
    expected = f"{100 * train:.1f} %" if engine.name == "resplit" else f"{train:.3f}"
    assert page.inner_text(f'[data-figure="{about["score"]}"] b') == expected
    assert page.locator("text=RESPLIT found these trees.").count() == (engine.name == "resplit")

    options = engine.answer({"method": "options", "place": ""})["options"]
    choose(page, "")
    name = f"split-{options[1]['split']}"
    if page.locator(f'[data-option="{name}"]').count():
        page.click(f'[data-option="{name}"]')
        wait_for_count(page, int(options[1]["n_trees"]))
        page.click("text=Undo")
    choose(page, "T")
    if host == "server" and engine.name == "resplit":
        page.wait_for_selector("text=What would another split cost?")
    else:
        page.wait_for_selector(".hb-lacking")

    tab(page, "Filter")
    page.select_option('[aria-label="Use of x3"]', "never")
    wait_for_count(page, sum(1 for _ in trees.filter(avoids=["x3"])))
    page.click("text=Remove all filters")
    tab(page, "Overview")
    page.wait_for_selector(".hb-reliance li")
    shown = page.locator(".hb-reliance li").evaluate_all("all => all.map(one => one.title)")
    for title in shown:
        column, share = re.match(r"(x\d): .*tested by ([\d.]+) %", title).groups()
        used = sum(1 for _ in trees.filter(uses=[column]))
        assert share == f"{100 * used / trees.n_trees:.1f}"
    tab(page, "Take away")
    with page.expect_download() as download:
        page.click('[data-format="json"]')
    download.value.save_as(tmp_path / "tree.json")
    assert type(trees[0]).from_json((tmp_path / "tree.json").read_text()) == trees[0]
    with page.expect_download() as download:
        page.click('[data-format="report"]')
    assert download.value.suggested_filename == "report.html"
    if host == "server":
        tab(page, "Rows")
        page.locator(".hb-rows-table tbody button").first.click()
        row = engine.answer({"method": "rows", "place": "T"})["rows"][0]["row"]
        place = engine.answer({"method": "follow", "tree": fixed(look["tree"]), "row": row})["place"]
        page.wait_for_selector(f'.hb-leaf.hb-on-way[data-place="{place}"]')
    served.stop()
