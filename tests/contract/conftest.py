"""The environment in which what readers are shown is run."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def reader() -> str:
    """The Python of an environment with what README tells to install, and nothing else: `make .venv-reader/installed`.

    READER_PYTHON names another one, for a try.
    """
    python = os.environ.get("READER_PYTHON", str(ROOT / ".venv-reader/bin/python"))
    assert Path(python).exists(), "there is no .venv-reader: run `make .venv-reader/installed`"
    return python
