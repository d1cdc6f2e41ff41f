"""A set of a real table, a server for it, and a browser."""

import os
import shutil
import socket
import threading
from pathlib import Path

import polars as pl
import pytest

from hornbeam import RashomonSetClassifier

ROOT = Path(__file__).parents[2]
TOKEN = "a-secret-of-the-test"


def skip_or_fail(what):
    """In the gate, which sets this variable, nothing may be missing."""
    if os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"needs {what}")


class Served:
    """A server in a thread of its own; it can go away and come back."""

    def __init__(self, engine):
        uvicorn = pytest.importorskip("uvicorn")
        from hornbeam.explorer import make_app

        self._uvicorn, self._app = uvicorn, make_app(engine, TOKEN)
        self.engine = engine
        self.port = 0
        self.start()

    def start(self):
        listener = socket.create_server(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        config = self._uvicorn.Config(self._app, log_level="error", timeout_graceful_shutdown=1)
        self._server = self._uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listener]}, daemon=True)
        self._thread.start()

    def stop(self):
        self._server.should_exit = True
        self._thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/{TOKEN}/"


@pytest.fixture(scope="session")
def compas():
    table = pl.read_csv(ROOT / "examples" / "compas.csv")
    table = table.with_columns(pl.col("target").replace_strict({0: "no crime", 1: "new crime"}))
    return table[:4000], table[4000:]


@pytest.fixture(scope="session")
def classifier(compas):
    training, _ = compas
    return RashomonSetClassifier(0.08, regularization=0.01, max_depth=4).fit(
        training.drop("target"), training["target"]
    )


@pytest.fixture(scope="session")
def engine(classifier, compas):
    from hornbeam.explorer import Engine

    _, test = compas
    return Engine(classifier, test.drop("target"), test["target"].to_list(), name="Crimes")


@pytest.fixture(scope="session")
def server(engine):
    served = Served(engine)
    yield served
    served.stop()


@pytest.fixture(scope="session")
def chromium():
    sync_api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        skip_or_fail("Chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a page; what it reports to the console fails the test."""
    contexts, reports = [], []

    def opened(url, width=1440, height=900, scheme="light", wait_for=".hb-node", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True, **options
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: reports.append(str(error)))
        page.on("console", lambda message: reports.append(message.text) if message.type == "error" else None)
        page.goto(url)
        page.wait_for_selector(wait_for)
        return page

    opened.reports = reports
    yield opened
    for context in contexts:
        context.close()
    assert reports == []
