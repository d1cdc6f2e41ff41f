"""The environment in which what readers are shown is run."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def run_as_reader() -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Run a script where what README tells to install is installed, and nothing else: `make .venv-reader/installed`.

    READER_PYTHON names the Python of another environment, for a try.
    """
    python = os.environ.get("READER_PYTHON", str(ROOT / ".venv-reader/bin/python"))
    assert Path(python).exists(), "there is no .venv-reader: run `make .venv-reader/installed`"
    command, settings = [python, Path(__file__).with_name("fork_server.py")], {**os.environ, "MPLBACKEND": "agg"}

    def run(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        with NamedTemporaryFile("r") as output, NamedTemporaryFile("r") as errors:
            request = json.dumps([str(word) for word in (cwd, output.name, errors.name, *words)])
            print(request, file=server.stdin, flush=True)
            code = int(server.stdout.readline())
            return subprocess.CompletedProcess(words, code, output.read(), errors.read())

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings) as server:
        yield run
