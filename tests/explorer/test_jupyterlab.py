"""The widget in JupyterLab itself: a server on the loopback address, a kernel, and the browser."""

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import hornbeam
from hornbeam import RashomonSetClassifier, Tree
from hornbeam.datasets import load_monk
from hornbeam.explorer import Engine
from tests.explorer.conftest import skip_or_fail
from tests.explorer.test_browser import choose, tab, wait_for_count

CELL = """from hornbeam import RashomonSetClassifier
from hornbeam.datasets import load_monk
from hornbeam.explorer import RashomonExplorer

X, y = load_monk(3, return_X_y=True)
classifier = RashomonSetClassifier(epsilon=0.3, regularization=0.01, max_depth=4).fit(X, y)
RashomonExplorer(classifier, X, y, name="Monks")"""
OPTIONS = (
    "--no-browser",
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port=0",
    "--LabApp.extension_manager=readonly",  # this, and the next two: nothing is asked of the network
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The address of a notebook in JupyterLab, which runs with settings and files of its own."""
    if not find_spec("jupyterlab"):
        skip_or_fail("JupyterLab")
    pytest.importorskip("anywidget")
    home = tmp_path_factory.mktemp("home")
    notebook = {
        "cells": [
            {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "outputs": [], "source": CELL}
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (home / "monks.ipynb").write_text(json.dumps(notebook))
    settings = {
        "HOME": str(home),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "PYTHONPATH": str(Path(hornbeam.__file__).parents[1]),
    }
    command = [sys.executable, "-m", "jupyterlab", *OPTIONS, f"--ServerApp.root_dir={home}"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env={**os.environ, **settings}, cwd=home, stdout=log, stderr=log)
    while not (found := "".join(path.read_text() for path in home.glob("runtime/jpserver-*.json"))).endswith("}"):
        assert server.poll() is None, (home / "log").read_text()
        time.sleep(0.1)
    about = json.loads(found)
    yield f"{about['url']}lab/tree/monks.ipynb?token={about['token']}"
    server.terminate()
    server.wait(60)


@pytest.fixture
def page(url, chromium):
    """The notebook after its cell was run."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1100}, accept_downloads=True)
    context.set_default_timeout(60_000)
    opened = context.new_page()
    faults = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.goto(url)
    opened.wait_for_selector("text=/ipykernel.*Idle/")
    opened.click(".jp-CodeCell .cm-content")
    opened.keyboard.press("Control+Enter")
    opened.wait_for_selector(".hb-node")
    yield opened
    context.close()
    assert faults == []


def test_a_set_is_explored_in_a_notebook(page, tmp_path):
    X, y = load_monk(3, return_X_y=True)
    classifier = RashomonSetClassifier(epsilon=0.3, regularization=0.01, max_depth=4).fit(X, y)
    engine = Engine(classifier, X, y)
    assert page.inner_text(".hb-explorer h1") == "Monks"
    wait_for_count(page, classifier.n_trees_)
    choose(page, "")
    options = engine.answer({"method": "options", "tree": None, "place": ""})["options"]
    number_of = {f"split-{option['split']}": int(option["n_trees"]) for option in options if "split" in option}
    name = page.locator(".hb-choice").nth(1).get_attribute("data-option")
    assert 0 < number_of[name] < classifier.n_trees_
    page.click(f'[data-option="{name}"]')
    wait_for_count(page, number_of[name])

    # Keys belong to the explorer, although x cuts a cell in JupyterLab, b adds one, and Ctrl-Z takes back typing.
    page.focus('[data-place=""]')
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.place") == "T"
    for key in ("x", "b", "Enter", "Control+z"):
        page.keyboard.press(key)
    wait_for_count(page, classifier.n_trees_)
    assert page.locator(".jp-Notebook .jp-Cell").count() == 1

    tab(page, "Take away")
    with page.expect_download() as download:
        page.click('[data-format="json"]')
    download.value.save_as(tmp_path / "tree.json")
    assert Tree.from_json((tmp_path / "tree.json").read_text()) == classifier.rashomon_set_[0]
    with page.expect_download() as download:
        page.click('[data-format="report"]')
    download.value.save_as(tmp_path / "report.html")
    assert "<h1>Monks</h1>" in (tmp_path / "report.html").read_text()

    ground = "getComputedStyle(document.querySelector('.hb-explorer')).backgroundColor"
    light = page.evaluate(ground)
    page.click("text=Settings")
    page.click("text=Theme")
    page.click("text=JupyterLab Dark")
    page.wait_for_function(f"light => {ground} !== light", arg=light)
