"""The command line, run in this process, and small files for it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from hornbeam.cli import main


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys) -> Callable[..., Result]:
    """Run ``hornbeam`` with some arguments."""

    def run_with(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run_with


def without_columns(out: str) -> str:
    """What `fit` prints after the report on the columns."""
    report, _, rest = out.partition("\n\n")
    assert report.startswith("column ")
    return rest


FRUIT = pl.DataFrame(
    {
        "weight": [80.0, 90.0, 100.0, 110.0, 150.0, 160.0, 170.0, None] * 4,
        "color": ["red", "green", "red", "green", "red", "green", "blue", "blue"] * 4,
        "stem": [True, False, True, False, True, False, True, False] * 4,
        "kind": ["plum", "lime", "plum", "lime", "apple", "apple", "other", "other"] * 4,
    }
)


@pytest.fixture
def fruit(tmp_path) -> Path:
    """A CSV file of 32 rows that a tree of four leaves tells apart without mistake."""
    path = tmp_path / "fruit.csv"
    FRUIT.write_csv(path)
    return path


@pytest.fixture
def model(run, fruit, tmp_path) -> Path:
    """The model of `fruit`."""
    path = tmp_path / "fruit.json"
    assert run("fit", fruit, "--target", "kind", "--model", path).code == 0
    return path
