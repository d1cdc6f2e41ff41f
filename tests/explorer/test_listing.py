"""The explorer in one file: it gives the same answers as the engine, from disk and without a network."""

import re
import zlib

import pytest

from hornbeam import RashomonSetClassifier, Tree
from hornbeam.explorer import Engine, page_of
from tests.explorer.test_browser import HOSTILE, choose, tab, wait_for_count


@pytest.fixture(scope="module")
def small(compas):
    training, _ = compas
    classifier = RashomonSetClassifier(0.03, regularization=0.01, max_depth=3)
    return Engine(classifier.fit(training.drop("target"), training["target"]), name=HOSTILE)


@pytest.fixture
def from_disk(open_page, small, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_of(small), encoding="utf-8")
    return open_page(path.as_uri(), offline=True)


def test_the_file_counts_as_the_engine_does(from_disk, small):
    page = from_disk
    assert page.inner_text("h1") == HOSTILE
    n_trees = small.session.trees.n_trees
    assert n_trees > 20
    wait_for_count(page, n_trees)
    look = small.answer({"method": "look"})
    assert page.inner_text('[data-figure="accuracy"] b') == f"{100 * look['train']:.1f} %"
    labels = page.locator(".hb-node").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert f"{look['tree']['rows']:,} rows" in labels[0]
    for place in ("", "T"):
        choose(page, place)
        opened = None if not place else {"split": look["tree"]["split"], "true": None, "false": None}
        options = small.answer({"method": "options", "tree": opened, "place": place})["options"]
        page.wait_for_selector(f"text={len(options)} ways to go on here")
        expected = {("split" in o, o.get("split", o.get("leaf"))): o["n_trees"] for o in options}
        shown = page.locator(".hb-choice").evaluate_all("all => all.map(one => [one.dataset.option, one.title])")
        for name, title in shown:
            kind, number = name.split("-")
            assert f": {int(expected[kind == 'split', int(number)]):,} trees" in title
    age = small.problem.schema.names.index("age")
    tab(page, "Filter")
    for use, filters in (("never", {"never": [age]}), ("always", {"always": [age]})):
        page.select_option('[aria-label="Use of age"]', use)
        expected = int(small.answer({"method": "count", "filters": filters})["n_trees"])
        if expected:
            wait_for_count(page, expected)
        else:
            page.wait_for_selector("text=No good tree is left")
    page.click("text=Remove all filters")
    wait_for_count(page, n_trees)
    for label, name, value in (
        ("At most leaves", "max_leaves", look["leaves"]),
        ("At most depth", "max_depth", 2),
        ("At least rows in a leaf", "min_rows", 400),
    ):
        page.get_by_label(label).fill(str(value))
        page.get_by_label(label).press("Enter")
        expected = int(small.answer({"method": "count", "filters": {name: value}})["n_trees"])
        assert expected > 0
        wait_for_count(page, expected)
        page.click("text=Remove all filters")
        wait_for_count(page, n_trees)


def test_the_file_follows_typed_values_and_has_the_overview(from_disk, small):
    page = from_disk
    tab(page, "Overview")
    page.wait_for_selector(".hb-reliance li")
    tab(page, "Rows")
    names = small.problem.schema.names
    for age, priors in ((19, 0), (60, 0), (60, 20)):
        page.get_by_label("age", exact=True).fill(str(age))
        page.get_by_label("priors_count", exact=True).fill(str(priors))
        values = [{"age": age, "priors_count": priors}.get(name) for name in names]
        place = small.answer({"method": "follow", "values": values})["place"]
        page.wait_for_selector(f'.hb-leaf.hb-on-way[data-place="{place}"]')


def test_files_are_saved_without_an_engine(from_disk, small, tmp_path):
    page = from_disk
    tab(page, "Take away")
    formats = page.locator("[data-format]").evaluate_all("all => all.map(one => one.dataset.format)")
    assert set(formats) == {"svg", "png", "pdf", "report", "python", "sql", "json", "rules", "text"}
    files = {}
    for format in formats:
        with page.expect_download() as download:
            page.click(f'[data-format="{format}"]')
        files[format] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[format])
    best = small.session.trees[0]
    assert Tree.from_json(files["json"].read_text()) == best
    assert files["python"].read_text() == best.to_python()
    assert files["sql"].read_text() == best.to_sql()
    assert "paint-order: stroke" in files["svg"].read_text()  # without it, outlines hide yes and no at the edges
    pdf = files["pdf"].read_bytes()
    assert pdf.startswith(b"%PDF-")
    width, height, data = re.search(rb"/Width (\d+) /Height (\d+).*?stream\n(.*)\nendstream", pdf, re.DOTALL).groups()
    assert len(zlib.decompress(data)) == 3 * int(width) * int(height)
    assert pdf[int(re.search(rb"startxref\n(\d+)", pdf)[1]) :].startswith(b"xref")
    page.wait_for_selector("text=A scikit-learn tree and LaTeX need Python, which this page does not have.")
    report = page.context.new_page()
    report.goto(files["report"].as_uri())
    assert report.inner_text("h1") == HOSTILE
    assert report.locator("svg text").count() > 3
    assert report.locator("li").count() == best.n_leaves
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", report.pdf(prefer_css_page_size=True))) <= 2


def test_a_set_that_is_too_large_for_a_file_is_refused(engine, monkeypatch):
    monkeypatch.setattr("hornbeam.explorer.listing.MOST_TREES", 100)
    with pytest.raises(ValueError, match=r"can hold 100 trees, but the set has .*: lower epsilon or max_depth"):
        page_of(engine)
    monkeypatch.setattr("hornbeam.explorer.listing.MOST_TREES", 10**9)
    monkeypatch.setattr("hornbeam.explorer.listing.MOST_ROWS", 100)
    with pytest.raises(ValueError, match="can hold 100 training rows, got 4,000"):
        page_of(engine)
