"""Optima found by an independent exact search, read from ``../shared/expected`` beside the repository if present."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from published.shared import SHARED, all_midpoints, as_is, proven_objective

OPTIMA_FILE = SHARED / "expected" / "optima.json"
OPTIMA: list[dict[str, Any]] = json.loads(OPTIMA_FILE.read_text())["optima"] if OPTIMA_FILE.exists() else []
DATA = {entry["data"]: entry for entry in OPTIMA}.values()

pytestmark = pytest.mark.skipif(not OPTIMA, reason=f"{OPTIMA_FILE} is not there")


def binarized(entry: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the 0/1 matrix and the class codes that an entry speaks of."""
    return (as_is if entry["binarization"].startswith("as is") else all_midpoints)(entry["data"])


def identifier(entry: dict[str, Any]) -> str:
    """Return the words that name an entry: data, lambda, depth."""
    return f"{entry['data']}-{entry['regularization']:g}-{entry['max_depth']}"


@pytest.mark.parametrize("entry", OPTIMA, ids=identifier)
def test_optimum_of_the_file_is_reproduced(entry: dict[str, Any]) -> None:
    found = proven_objective(*binarized(entry), entry["regularization"], max_depth=entry["max_depth"])
    assert found == entry["objective"]


@pytest.mark.parametrize("entry", DATA, ids=lambda entry: entry["data"])
def test_data_has_the_shape_that_the_file_says(entry: dict[str, Any]) -> None:
    matrix, _ = binarized(entry)
    assert matrix.shape == (entry["n"], entry["p"])
    assert len(np.unique(matrix, axis=0)) == entry["distinct_rows"]
