"""The explorer in a real browser: every feature by clicks and keys, with the numbers of the set."""

import json
import pickle
import re

import numpy as np
import polars as pl
import pytest

from hornbeam import RashomonSetClassifier, Tree
from hornbeam.explorer import Engine
from tests.explorer.conftest import ROOT, Served, skip_or_fail
from tests.explorer.test_engine import fixed


def count(page):
    """The exact number of trees that the page shows."""
    page.wait_for_selector('.hb-summary[aria-busy="false"]')
    return int(re.sub(r"\D", "", page.get_attribute('[data-figure="count"]', "title")))


def wait_for_count(page, expected):
    """Fail unless the page soon shows this number of trees."""
    shows = "n => document.querySelector('[data-figure=count]')?.title.split(' ')[0].replace(/,/g, '') === n"
    page.wait_for_function(shows, arg=str(expected))


def choose(page, place):
    page.click(f'[data-place="{place}"]')
    page.wait_for_selector('section[aria-busy="false"] .hb-choice')


def tab(page, name):
    page.click(f"role=tab[name=/^{name}/]")


def test_the_page_shows_the_best_tree_and_the_number_of_all(open_page, server, classifier):
    page = open_page(server.url)
    wait_for_count(page, classifier.n_trees_)
    assert page.locator(".hb-leaf").count() == classifier.rashomon_set_[0].n_leaves
    assert page.inner_text('[data-figure="objective"] b') == f"{classifier.rashomon_set_.objective(0):.4f}"


def test_building_a_tree_counts_the_trees_that_are_left(open_page, server, classifier, engine):
    page = open_page(server.url)
    choose(page, "")
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    assert sum(int(option["n_trees"]) for option in options) == classifier.n_trees_
    shown = page.locator(".hb-choice").evaluate_all("all => all.map(one => [one.dataset.option, one.title])")
    number_of = {f"split-{option['split']}": int(option["n_trees"]) for option in options if "split" in option}
    assert len(shown) >= 3
    for name, title in shown:
        assert number_of[name] == int(re.sub(r"\D", "", title.split(": ")[1].split(" trees")[0]))
    name = shown[2][0]
    page.click(f'[data-option="{name}"]')
    page.wait_for_selector(".hb-fixed")
    wait_for_count(page, number_of[name])
    page.click("text=Undo")
    wait_for_count(page, classifier.n_trees_)
    page.click("text=Redo")
    wait_for_count(page, number_of[name])
    page.focus('[data-place=""]')
    page.keyboard.press("Control+z")
    wait_for_count(page, classifier.n_trees_)
    page.click("text=Fix all")
    page.wait_for_selector(".hb-leaf.hb-fixed")
    wait_for_count(page, 1)
    choose(page, "T")
    page.click("text=Leave this node open")
    page.wait_for_selector(".hb-leaf:not(.hb-fixed)")
    page.wait_for_function("() => document.querySelector('[data-figure=count]').title.split(' ')[0] !== '1'")
    page.click("text=Best tree")
    wait_for_count(page, classifier.n_trees_)


def test_the_options_have_test_scores(open_page, server, engine):
    page = open_page(server.url)
    choose(page, "")
    page.wait_for_selector(".hb-score")
    found = {
        f"split-{one['split']}": f"{100 * one['test']:.1f} %"
        for one in engine.answer({"method": "scores", "tree": None, "place": ""})["scores"]
    }
    shown = page.locator(".hb-choice").evaluate_all(
        "all => all.map(one => [one.dataset.option, one.querySelector('.hb-score').textContent])"
    )
    assert len(shown) > 3
    assert shown == [[name, found[name]] for name, _ in shown]


def test_a_split_outside_the_set_has_a_price(open_page, compas):
    training, _ = compas
    classifier = RashomonSetClassifier(0.01, regularization=0.02, max_depth=2)
    engine = Engine(classifier.fit(training.drop("target"), training["target"]))
    served = Served(engine)
    page = open_page(served.url)
    choose(page, "")
    outside = page.locator(".hb-leaving option").evaluate_all("all => all.slice(1).map(one => one.value)")
    assert len(outside) > 3
    for split in outside[:3]:
        tree = {"split": int(split), "true": None, "false": None}
        price = engine.answer({"method": "leaving", "tree": tree})["most"]
        page.select_option(".hb-leaving select", split)
        page.wait_for_selector(f"text=(objective {price:.4f})")
        assert price > classifier.bound_
    served.stop()


def test_a_slider_offers_the_thresholds_of_the_set(open_page, server, engine):
    page = open_page(server.url)
    choose(page, "")
    slider = page.locator(".hb-slider input").first
    column = re.sub("^Threshold of ", "", slider.get_attribute("aria-label"))
    conditions = engine.problem.conditions
    number = engine.problem.schema.names.index(column)
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    thresholds = sorted(
        conditions[option["split"]].threshold
        for option in options
        if "split" in option and conditions[option["split"]].column == number
    )
    assert int(slider.get_attribute("max")) == len(thresholds) - 1 > 0
    for at, key in ((0, "Home"), (len(thresholds) - 1, "End")):
        slider.press(key)
        assert slider.get_attribute("aria-valuetext") == f"{column} ≤ {thresholds[at]:.10g}"


def test_the_tree_is_walked_through_by_keys(open_page, server):
    page = open_page(server.url)
    page.focus('[data-place=""]')
    at = lambda: page.evaluate("document.activeElement.dataset.place")  # noqa: E731
    for key, place in (("ArrowDown", "T"), ("ArrowRight", "F"), ("ArrowLeft", "T"), ("ArrowUp", "")):
        page.keyboard.press(key)
        assert at() == place
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-place="T"][aria-pressed="true"]')
    page.wait_for_selector(".hb-choice")
    before = page.get_attribute(".hb-picture > g", "transform")
    page.keyboard.press("+")
    page.wait_for_function("t => document.querySelector('.hb-picture > g').getAttribute('transform') !== t", arg=before)
    page.keyboard.press("0")
    page.wait_for_function("t => document.querySelector('.hb-picture > g').getAttribute('transform') === t", arg=before)


def test_a_node_under_the_pointer_shows_its_rows_and_their_way(open_page, server, classifier):
    page = open_page(server.url)
    tree = classifier.rashomon_set_[0]
    leaf = page.locator(".hb-leaf").first
    assert page.locator(".hb-edge.hb-on-way").count() == 0
    leaf.hover()
    place = leaf.get_attribute("data-place")
    node = 0
    for step in place:
        node = (tree.left if step == "T" else tree.right)[node]
    assert page.locator(".hb-edge.hb-on-way").count() == len(place)
    assert f"; {int(tree.n_samples[node]):,} rows, " in leaf.locator("title").text_content()


def test_filters_show_what_is_left_and_what_it_costs(open_page, server, engine):
    page = open_page(server.url)
    tab(page, "Filter")
    age = engine.problem.schema.names.index("age")
    without = engine.answer({"method": "count", "tree": None, "filters": {"never": [age]}})
    page.click('role=button[name="What does it cost to leave out age?"]')
    page.wait_for_selector(".hb-cost [title]")
    assert int(re.sub(r"\D", "", page.get_attribute(".hb-cost [title]", "title"))) == int(without["n_trees"])
    for use, filters in (("never", {"never": [age]}), ("always", {"always": [age]})):
        page.select_option('[aria-label="Use of age"]', use)
        wait_for_count(page, int(engine.answer({"method": "count", "tree": None, "filters": filters})["n_trees"]))
    page.select_option('[aria-label="Use of age"]', "any")
    for label, name, value in (
        ("At most leaves", "max_leaves", 4),
        ("At most depth", "max_depth", 2),
        ("At least rows in a leaf", "min_rows", 300),
    ):
        page.get_by_label(label).fill(str(value))
        page.get_by_label(label).press("Enter")
        expected = engine.answer({"method": "count", "tree": None, "filters": {name: value}})["n_trees"]
        wait_for_count(page, int(expected))
        page.click("text=Remove all filters")
        wait_for_count(page, engine.session.trees.n_trees)
    page.get_by_label("At most leaves").fill("1")
    page.get_by_label("At most leaves").press("Enter")
    page.wait_for_selector("text=No good tree is left")
    page.click("text=Undo")
    page.wait_for_selector(".hb-node")


def test_the_heat_map_has_all_trees_and_filters(open_page, server, engine, classifier):
    page = open_page(server.url)
    tab(page, "Overview")
    page.wait_for_selector(".hb-cell")
    titles = page.locator(".hb-cell").evaluate_all("all => all.map(one => one.title)")
    assert sum(int(re.sub(r"\D", "", title.split(" trees")[0])) for title in titles) == classifier.n_trees_
    title = page.get_attribute(".hb-cell >> nth=0", "title")
    leaves = int(re.search(r"with (\d+) leaves", title)[1])
    overview = engine.answer({"method": "overview"})
    end = overview["edges"][min(cell["bin"] for cell in overview["cells"]) + 1]
    filters = {"max_leaves": leaves, "max_objective": end}
    page.locator(".hb-cell").first.click()
    wait_for_count(page, int(engine.answer({"method": "count", "filters": filters})["n_trees"]))
    page.wait_for_selector(".hb-reliance li")
    page.wait_for_selector("text=Test rows about which good trees disagree")


def test_the_range_of_reliance_is_exact_or_asked_for(open_page, classifier, monkeypatch):
    served = Served(Engine(classifier))
    monkeypatch.setattr("hornbeam.explorer.overview.MOST_WORK", 0)
    page = open_page(served.url)
    tab(page, "Overview")
    page.wait_for_selector("text=least, mean (mark and number) and largest over 200 trees drawn at random.")
    page.click("text=Measure all trees")
    exact = "text=least, mean (mark and number) and largest over all trees."
    page.wait_for_selector(exact)
    assert page.locator("text=Measure all trees").count() == 0
    columns = served.engine.answer({"method": "importance"})["columns"]
    shown = page.locator(".hb-reliance li").evaluate_all("all => all.map(one => one.lastChild.textContent)")
    tested = [one["mean"] for one in columns if one["share"] > 0]
    assert shown == [f"{mean:.3f}" for mean in sorted(tested, reverse=True)]
    tab(page, "Build")
    tab(page, "Overview")
    page.wait_for_selector(exact)
    served.stop()


def test_rows_are_followed_and_typed_in(open_page, server, engine):
    page = open_page(server.url)
    tab(page, "Rows")
    page.wait_for_selector(".hb-rows-table tbody tr")
    page.locator(".hb-rows-table tbody button").nth(1).click()
    page.wait_for_selector(".hb-leaf.hb-on-way")
    found = engine.answer({"method": "rows", "tree": None, "place": ""})["rows"][1]
    place = engine.answer({"method": "follow", "tree": None, "row": found["row"]})["place"]
    assert page.get_attribute(".hb-leaf.hb-on-way", "data-place") == place
    for age, priors in (("19", "0"), ("60", "0"), ("60", "20")):
        page.get_by_label("age", exact=True).fill(age)
        page.get_by_label("priors_count", exact=True).fill(priors)
        values = [*found["values"]]
        names = engine.problem.schema.names
        values[names.index("age")], values[names.index("priors_count")] = int(age), int(priors)
        place = engine.answer({"method": "follow", "tree": None, "values": values})["place"]
        page.wait_for_selector(f'.hb-leaf.hb-on-way[data-place="{place}"]')
    page.get_by_label("age", exact=True).fill("old")
    page.wait_for_selector("text=expected a number for column 'age'")
    assert ["400" in report for report in open_page.reports] == [True]
    open_page.reports.clear()


def test_the_tree_is_saved_as_files(open_page, server, classifier, tmp_path):
    page = open_page(server.url)
    tab(page, "Take away")
    files = {}
    for format in ("svg", "png", "pdf", "report", "python", "sql", "json", "sklearn", "rules", "text", "latex"):
        with page.expect_download() as download:
            page.click(f'[data-format="{format}"]')
        files[format] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[format])
    best = classifier.rashomon_set_[0]
    assert Tree.from_json(files["json"].read_text()) == best
    assert files["sql"].read_text() == best.to_sql()
    assert files["python"].read_text() == best.to_python()
    picture = files["svg"].read_text()
    assert picture.startswith("<svg")
    assert "priors_count" in picture
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert files["png"].stat().st_size > 10_000
    assert files["pdf"].read_bytes().startswith(b"%PDF-")
    model = pickle.loads(files["sklearn"].read_bytes())
    rows = server.engine.problem.schema.names
    X = pl.read_csv(ROOT / "examples" / "compas.csv")
    assert model.predict(X[rows].to_numpy()).tolist() == best.predict(X[rows]).tolist()
    report = page.context.new_page()
    report.goto(files["report"].as_uri())
    assert report.inner_text("h1") == "Crimes"
    assert report.locator("svg text").count() > 3
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", report.pdf(prefer_css_page_size=True))) <= 2


def test_trees_are_kept_with_names_and_notes_and_compared(open_page, server, classifier, engine):
    page = open_page(server.url)
    choose(page, "")
    choice = page.locator(".hb-choice").nth(2)
    kept = {"split": int(choice.get_attribute("data-option").split("-")[1]), "true": None, "false": None}
    choice.click()
    page.wait_for_selector(".hb-fixed")
    tab(page, "Shortlist")
    page.click("text=Keep the shown tree")
    page.get_by_label("Name of tree 1").fill("Simple")
    page.get_by_label("Notes on Simple").fill("For the committee")
    shown = page.get_attribute('[data-place=""]', "aria-label")
    page.click("text=Best tree")
    page.wait_for_function("t => document.querySelector('[data-place=\"\"]').ariaLabel !== t", arg=shown)
    tab(page, "Build")
    tab(page, "Shortlist")
    assert page.get_by_label("Notes on Simple").input_value() == "For the committee"
    page.click("role=button[name='Compare']")
    page.wait_for_selector(".hb-second")
    page.wait_for_selector("[aria-label='Rows judged differently']")
    assert page.locator(".hb-picture").count() == 2
    total = int(re.sub(r"\D", "", page.inner_text(".hb-kept ~ p").split(" of ")[0]))
    trees = page.locator(".hb-picture").evaluate_all(
        "all => all.map(one => one.querySelector('[data-place=\"\"]').ariaLabel)"
    )
    assert trees[0] != trees[1] == shown
    first, second = (engine.answer({"method": "look", "tree": tree})["tree"] for tree in (None, kept))
    expected = engine.answer({"method": "compare", "tree": fixed(first), "other": fixed(second)})
    assert total == expected["total"] > 0
    page.click("role=button[name='Show']")
    page.wait_for_selector(".hb-leaf.hb-fixed")
    wait_for_count(page, 1)
    page.click("role=button[name='Remove Simple']")
    page.wait_for_selector("text=Trees that you keep are listed here")


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility_is_found(open_page, server, width, scheme):
    axe = ROOT / "explorer" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.exists():
        skip_or_fail("axe-core: run npm ci in the folder explorer")
    page = open_page(server.url, width=width, height=844, scheme=scheme)
    page.evaluate(axe.read_text(encoding="utf-8"))
    choose(page, "T")
    for name, ready in (
        ("Build", ".hb-choice"),
        ("Filter", ".hb-columns"),
        ("Overview", ".hb-reliance"),
        ("Rows", ".hb-rows-table"),
        ("Shortlist", ".hb-hint"),
        ("Take away", ".hb-formats"),
    ):
        tab(page, name)
        page.wait_for_selector(ready)
        found = page.evaluate("axe.run(document.querySelector('#explorer'))")
        serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert serious == [], json.dumps([(one["id"], one["nodes"][0]["html"]) for one in serious])
        assert page.evaluate("document.documentElement.scrollWidth") <= width


HOSTILE = "<img src=x onerror=alert(1)>\"'&</script><script>alert(2)</script>"


def test_names_and_labels_are_shown_as_text_only(open_page):
    names = [HOSTILE + "x" * 150, "<b>bold</b>", "plain"]
    X = pl.DataFrame([[i % 2, i // 2 % 2, i % 3] for i in range(120)], schema=names, orient="row")
    y = np.array([HOSTILE, "<i>no</i>"])[np.arange(120) % 2 ^ (np.arange(120) % 17 == 0)]
    classifier = RashomonSetClassifier(0.5, regularization=0.02, max_depth=3).fit(X, y)
    served = Served(Engine(classifier, X, y, name=HOSTILE))
    page = open_page(served.url)
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    choose(page, "")
    for name in ("Filter", "Overview", "Rows", "Shortlist", "Take away", "Build"):
        tab(page, name)
    page.wait_for_selector(".hb-choice")
    assert page.inner_text("h1") == HOSTILE
    assert page.locator("#explorer img, #explorer script, #explorer b b, #explorer i").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    served.stop()


def test_many_columns_and_classes_and_a_stopped_set(open_page):
    X = np.random.RandomState(0).randint(0, 2, size=(400, 500))
    classifier = RashomonSetClassifier(0.02, regularization=0.02, max_depth=2).fit(
        X, np.char.mod("class %d", X[:, :6] @ 2 ** np.arange(6) % 40)
    )
    classifier.status_, classifier.searched_up_to_ = "time_limit", classifier.bound_ - 0.001
    served = Served(Engine(classifier))
    page = open_page(served.url)
    page.wait_for_selector("text=The search was stopped early: only trees up to objective")
    page.wait_for_selector("text=and 28 more classes")
    tab(page, "Filter")
    page.wait_for_selector("text=440 more columns")
    page.get_by_label("Find a column").fill("x499")
    page.wait_for_selector('[aria-label="Use of x499"]')
    served.stop()


def test_two_pages_work_side_by_side(open_page, server, classifier):
    first, second = open_page(server.url), open_page(server.url)
    choose(first, "")
    first.locator(".hb-choice").nth(2).click()
    first.wait_for_selector(".hb-fixed")
    wait_for_count(second, classifier.n_trees_)
    assert count(first) < classifier.n_trees_


def test_a_server_that_goes_away_is_told_and_found_again(chromium, engine):
    served = Served(engine)
    context = chromium.new_context()
    page = context.new_page()
    page.goto(served.url)
    page.wait_for_selector(".hb-node")
    served.stop()
    page.click('[data-place=""]')
    page.wait_for_selector("text=The server does not answer")
    served.start()
    page.wait_for_selector(".hb-choice")
    page.wait_for_selector("text=The server does not answer", state="detached")
    context.close()
    served.stop()
