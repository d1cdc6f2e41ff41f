"""Calls of the posterior search on plain matrices, and random problems for it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from core.calls import call
from hornbeam import _core
from oracles.posterior import Posterior

BITS = 40


def search(
    matrix: np.ndarray, classes: np.ndarray, posterior: Posterior, bits: int = BITS, **limits: Any
) -> _core.Outcome:
    """Find the tree of largest posterior; the rows of the matrix that are equal with their class are merged."""
    pairs, weights = np.unique(np.c_[matrix, classes], axis=0, return_counts=True)
    outcome: _core.Outcome = call(
        _core.solve_posterior,
        _core.PosteriorProblem,
        columns=np.packbits(np.ascontiguousarray(pairs[:, :-1].astype(np.uint8).T), axis=1, bitorder="little"),
        n_rows=len(pairs),
        class_codes=pairs[:, -1].astype(np.int32),
        weights=weights.astype(np.int64),
        alpha=posterior.alpha,
        beta=posterior.beta,
        rho=np.array(posterior.rho, dtype=np.float64),
        bits=bits,
        max_depth=None if posterior.max_depth == np.inf else int(posterior.max_depth),
        **limits,
    )
    return outcome


@cache
def hard_posterior() -> tuple[np.ndarray, np.ndarray, Posterior]:
    """Return rows of which each determines its class half of the time: the search has to work."""
    draw = np.random.default_rng(3)
    matrix = draw.integers(0, 2, (120, 9)).astype(np.uint8)
    classes = np.where(draw.random(120) < 0.35, draw.integers(0, 2, 120), matrix[:, 0] ^ (matrix[:, 1] & matrix[:, 2]))
    return matrix, classes, Posterior(matrix, classes, [2.5, 2.5], 0.95, 0.5, np.inf)


@cache
def hard_optimum() -> int:
    """Return the cost of its best tree in ticks, as the core proves it when it is left alone."""
    outcome = search(*hard_posterior())
    assert outcome["status"] == "optimal"
    return int(outcome["upper"])


def resolution(posterior: Posterior, bits: int = BITS) -> float:
    """Return how far a tree of the search may be from its exact cost: one tick a row, two a node."""
    n_rows = len(posterior.rows)
    return (n_rows + 2 * (2 * n_rows - 1)) * 2.0**-bits + 1e-9


def random_posterior(seed: int, *, n_rows: int = 30, n_columns: int = 6) -> tuple[np.ndarray, np.ndarray, Posterior]:
    """Return a matrix, classes and their oracle: repeated, equal, complementary columns; any number of classes."""
    draw = np.random.default_rng(seed)
    n, k = int(draw.integers(1, n_rows + 1)), int(draw.integers(1, n_columns + 1))
    matrix = (draw.random((n, k)) < draw.random(k)).astype(np.uint8)
    if k > 1 and draw.random() < 0.4:
        matrix[:, -1] = matrix[:, 0] ^ int(draw.integers(2))
    n_classes = int(draw.integers(2, 5)) if draw.random() < 0.4 else 2
    classes = draw.integers(0, n_classes, n)
    if draw.random() < 0.6:
        classes = ((matrix[:, 0] ^ matrix[:, k // 2]) + (draw.random(n) < 0.1)) % n_classes
    rho = draw.choice([0.1, 0.5, 1.0, 2.5, 7.0], n_classes)
    alpha, beta = draw.choice([0.2, 0.5, 0.95, 0.999]), draw.choice([0.0, 0.1, 0.5, 2.0])
    max_depth = np.inf if draw.random() < 0.6 else int(draw.integers(0, 4))
    return matrix, classes, Posterior(matrix, classes, rho.tolist(), float(alpha), float(beta), max_depth)
