"""What notebooks ask of the module: anywidget's contract, no code from text, a theme of their own, little room."""

import json

import pytest

from hornbeam import RashomonSetClassifier
from hornbeam.datasets import load_monk
from hornbeam.explorer import Engine
from tests.explorer.conftest import ROOT
from tests.explorer.test_browser import choose, tab

STATIC = ROOT / "src" / "hornbeam" / "explorer" / "static"
# As strict as Visual Studio Code, Colab and marimo are together: the module comes from a blob, in a shadow root, and
# neither a network nor code from text is allowed. The model has what anywidget gives in each of them.
POLICY = "default-src 'none'; script-src 'nonce-test' blob:; style-src 'unsafe-inline'; img-src data: blob:"
SHADOW = "document.getElementById('cell').shadowRoot"
HOST = """
const shadow = document.getElementById("cell").attachShadow({ mode: "open" });
const style = document.createElement("style");
style.textContent = CSS_TEXT;
const el = document.createElement("div");
shadow.append(style, el);
const listeners = new Set();
const model = {
  get() {}, set() {}, save_changes() {},
  on(name, listener) { if (name === "msg:custom") listeners.add(listener); },
  off(name, listener) { if (name === "msg:custom") listeners.delete(listener); },
  send(message) {
    if (message.stop) return;  // a slow machine is asked to stop: this host answers all the same
    ask(JSON.stringify(message)).then((text) => { for (const one of [...listeners]) one(JSON.parse(text), []); });
  },
};
const module = await import(URL.createObjectURL(new Blob([MODULE_TEXT], { type: "text/javascript" })));
window.close_explorer = await module.default.render({ model, el });
window.count_listeners = () => listeners.size;
"""


@pytest.fixture(scope="module")
def engine():
    X, y = load_monk(3, return_X_y=True)
    classifier = RashomonSetClassifier(epsilon=0.3, regularization=0.01, max_depth=4)
    return Engine(classifier.fit(X, y), X, y, name="Monks")


@pytest.fixture
def strict(chromium, engine):
    """The module in a page that stands for the notebooks that cannot be run here."""
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.set_default_timeout(15_000)
    reports = []
    page.on("pageerror", lambda error: reports.append(str(error)))
    page.on("console", lambda message: reports.append(message.text) if message.type == "error" else None)

    def ask(text):
        message = json.loads(text)
        return json.dumps({"id": message["id"], "answer": engine.answer(message)})

    page.expose_function("ask", ask)
    script = HOST.replace("CSS_TEXT", json.dumps((STATIC / "explorer.css").read_text(encoding="utf-8")))
    script = script.replace("MODULE_TEXT", json.dumps((STATIC / "explorer.js").read_text(encoding="utf-8")))
    script = script.replace("</", "<\\/")
    page.route(
        "http://notebook.test/",
        lambda route: route.fulfill(
            content_type="text/html",
            headers={"Content-Security-Policy": POLICY},
            body=f'<!doctype html><div id="cell"></div><script type="module" nonce="test">{script}</script>',
        ),
    )
    page.goto("http://notebook.test/")
    page.wait_for_selector(".hb-node")
    yield page
    page.close()
    assert reports == []


def test_the_module_needs_no_more_than_the_contract(strict, engine, tmp_path):
    page = strict
    wait = (
        "n => document.getElementById('cell').shadowRoot.querySelector('[data-figure=count]').title.startsWith(n + ' ')"
    )
    page.wait_for_function(wait, arg=str(engine.session.n_trees))
    choose(page, "")
    options = engine.answer({"method": "options", "place": ""})["options"]
    number_of = {f"split-{option['split']}": option["n_trees"] for option in options if "split" in option}
    name = page.locator(".hb-choice").nth(1).get_attribute("data-option")
    page.click(f'[data-option="{name}"]')
    page.wait_for_function(wait, arg=number_of[name])
    page.focus('[data-place=""]')
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{SHADOW}.activeElement.dataset.place") == "T"
    page.keyboard.press("Control+z")
    page.wait_for_function(wait, arg=str(engine.session.n_trees))
    tab(page, "Take away")
    for format in ("svg", "json"):
        with page.expect_download() as download:
            page.click(f'[data-format="{format}"]')
        download.value.save_as(tmp_path / format)
    assert (tmp_path / "svg").read_text().startswith("<svg")
    assert (tmp_path / "json").read_text() == engine.session.trees[0].to_json()
    page.evaluate("close_explorer()")
    assert page.evaluate("count_listeners()") == 0
    assert page.locator(".hb-explorer").count() == 0


@pytest.mark.parametrize(
    "dark",
    [
        "document.body.dataset.jpThemeLight = 'false'",
        "document.body.dataset.vscodeThemeKind = 'vscode-high-contrast'",
        "document.documentElement.setAttribute('theme', 'dark')",
        "document.body.classList.add('dark')",
    ],
    ids=["JupyterLab", "Visual Studio Code", "Colab", "marimo"],
)
def test_the_page_has_the_theme_of_its_notebook(strict, dark):
    ground = (
        "getComputedStyle(document.getElementById('cell').shadowRoot.querySelector('.hb-explorer')).backgroundColor"
    )
    assert strict.evaluate(ground) == "rgb(255, 255, 255)"
    strict.evaluate(dark)
    strict.wait_for_function(f"{ground} === 'rgb(18, 24, 30)'")
    strict.select_option('[aria-label="Colors of the page"]', "light")
    strict.wait_for_function(f"{ground} === 'rgb(255, 255, 255)'")


def test_a_narrow_cell_has_the_panel_below_the_tree(strict):
    boxes = lambda: [strict.locator(name).bounding_box() for name in (".hb-stage", ".hb-panel")]  # noqa: E731
    stage, panel = boxes()
    assert panel["x"] >= stage["x"] + stage["width"] - 1
    strict.evaluate("document.getElementById('cell').style.width = '700px'")
    strict.wait_for_selector(".hb-narrow")
    stage, panel = boxes()
    assert panel["y"] >= stage["y"] + stage["height"] - 1
    assert panel["width"] == 700
    strict.wait_for_selector(".hb-node >> nth=0")
    assert stage["height"] > 300
