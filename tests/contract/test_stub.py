"""The stub of the compiled module is the one that nanobind makes of it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nanobind", reason="the stub is made with the build requirements")

ROOT = Path(__file__).resolve().parents[2]


def test_the_stub_is_the_one_that_make_stub_writes(tmp_path):
    made = tmp_path / "_core.pyi"
    given = ["-q", "-m", "hornbeam._core", "-p", str(ROOT / "cpp/bindings/core.pat"), "-o", str(made)]
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", *given], check=True)
    assert made.read_text() == (ROOT / "src/hornbeam/_core.pyi").read_text()
