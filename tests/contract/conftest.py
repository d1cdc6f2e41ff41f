"""The environment in which what readers are shown is run."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fork_server import Run, fork_server

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def run_as_reader() -> Iterator[Run]:
    """Run a script where what README tells to install is installed, and nothing else: `make .venv-reader/installed`.

    READER_PYTHON names the Python of another environment, for a try.
    """
    python = os.environ.get("READER_PYTHON", str(ROOT / ".venv-reader/bin/python"))
    assert Path(python).exists(), "there is no .venv-reader: run `make .venv-reader/installed`"
    with fork_server(python, "hornbeam", "matplotlib.pyplot") as run:
        yield run
