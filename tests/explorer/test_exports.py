"""The files of a page without a server are those of Python: the same letters, for trees of every kind."""

import datetime as dt
import json
import subprocess

import numpy as np
import polars as pl
import pytest

from hornbeam import RashomonSetClassifier, Tree
from hornbeam.explorer import Engine
from hornbeam.explorer.listing import listing_of
from tests.explorer.conftest import ROOT, skip_or_fail

ESBUILD = ROOT / "explorer" / "node_modules" / ".bin" / "esbuild"
FORMATS = ("python", "sql", "json", "text", "rules", "report")
N_ROWS = 240
NUMBERS = np.arange(N_ROWS)


@pytest.fixture(scope="module")
def answer(chromium, tmp_path_factory):
    """Ask the engine of the page, which a script makes of a listing, many questions at once."""
    if not ESBUILD.exists():
        skip_or_fail("esbuild: run npm ci in the folder explorer")
    script = tmp_path_factory.mktemp("script") / "listed.js"
    options = ("--bundle", "--format=iife", "--global-name=listed", "--log-level=warning", f"--outfile={script}")
    subprocess.run([ESBUILD, "src/listed.ts", *options], cwd=ROOT / "explorer", check=True)
    page = chromium.new_page()
    page.add_script_tag(path=script)
    yield lambda listing, messages: page.evaluate(
        """([listing, messages]) => {
            const engine = new listed.ListedEngine(JSON.parse(listing));
            return messages.map((message) => {
                try { return engine.answer(message); } catch (error) { return { error: error.message }; }
            });
        }""",
        [json.dumps(listing), messages],
    )
    page.close()


def odd_words():
    hostile = "<script>\"'&</script>\n'; DROP \\ü\u2028"
    X = {hostile: [["a'b", 'say "no"', "ä\nö", None][i % 4] for i in NUMBERS], "7": NUMBERS // 4 % 5, "$&": NUMBERS % 2}
    is_yes = (NUMBERS % 4 == 1) ^ (NUMBERS // 4 % 5 > 2) ^ (NUMBERS % 23 == 0)
    return pl.DataFrame(X), np.where(is_yes, 'O\'Neil "x"\\', "<i>no</i>\nline"), {}


def numbers_with_weights():
    values = np.where(NUMBERS % 7 == 0, np.nan, (NUMBERS * 37 % N_ROWS) / 7e6)
    X = pl.DataFrame({"small": values, "large": (NUMBERS * 11 % N_ROWS) * 1e17, "plain": NUMBERS % 12})
    y = (NUMBERS * 37 % N_ROWS > 100) ^ (NUMBERS % 12 > 8) ^ (NUMBERS % 19 == 0)
    return X, y, {"sample_weight": 0.1 + NUMBERS % 3 / 3}


def dates():
    start = dt.datetime(2023, 5, 1, 12, 30)
    X = {
        "day": [start.date() + dt.timedelta(days=int(i) * 13 % 40) for i in NUMBERS],
        "moment": [None if i % 9 == 0 else start + dt.timedelta(minutes=int(i) * 7 % 50) for i in NUMBERS],
        "span": [dt.timedelta(seconds=int(i) * 11 % 60, microseconds=500) for i in NUMBERS],
        "clock": [dt.time(int(i) * 5 % 24) for i in NUMBERS],
    }
    y = (NUMBERS * 13 % 40 > 20) ^ (NUMBERS * 7 % 50 > 30) ^ (NUMBERS * 5 % 24 > 15) ^ (NUMBERS % 31 == 0)
    return pl.DataFrame(X), y.astype(int), {}


def many_classes():
    X = pl.DataFrame({"flag": NUMBERS % 2 == 0, "part": NUMBERS // 2 % 6, "name": [f"n{i % 5}" for i in NUMBERS]})
    return X, NUMBERS // 2 % 6 * 10 * np.where(NUMBERS % 11, 1, -1), {}


@pytest.mark.parametrize(
    ("make", "epsilon"), [(odd_words, 0.5), (numbers_with_weights, 0.2), (dates, 0.1), (many_classes, 0.5)]
)
def test_every_file_has_the_same_letters_as_that_of_python(answer, monkeypatch, make, epsilon):
    monkeypatch.setattr("hornbeam.explorer.report.trees_html", lambda _: "<!--picture-->")
    X, y, weights = make()
    classifier = RashomonSetClassifier(epsilon, regularization=0.03, max_depth=3, binarizer="quantile")
    engine = Engine(classifier.fit(X, y, **weights), name="A <name> & more")
    n_trees = engine.session.trees.n_trees
    assert 20 < n_trees < 10_000
    filters = {"max_leaves": 8, "max_objective": classifier.bound_, "min_rows": 1}
    messages = [{"method": "take_away", "format": name} for name in FORMATS]
    for number in sorted({n_trees - 1, *range(1, n_trees, 1 + n_trees // 12)}):
        tree = as_partial(engine.session.trees._arrays(number))
        names = FORMATS if number == n_trees - 1 else FORMATS[:-1]  # a report takes some time
        messages += [{"method": "take_away", "tree": tree, "filters": filters, "format": name} for name in names]
    for message, found in zip(messages, answer(listing_of(engine), messages), strict=True):
        assert found == engine.answer(message)
    best = answer(listing_of(engine), [{"method": "take_away", "format": "json"}])[0]["text"]
    assert Tree.from_json(best) == classifier.rashomon_set_[0]


def as_partial(arrays, node=0):
    if arrays["column"][node] < 0:
        return {"leaf": int(arrays["prediction"][node])}
    sides = (as_partial(arrays, int(arrays[side][node])) for side in ("left", "right"))
    return {"split": int(arrays["column"][node]), **dict(zip(("true", "false"), sides, strict=True))}
