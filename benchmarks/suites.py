"""The suites, read from ``suites.ini``: which problems, which peers, how long."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from configparser import ConfigParser, ExtendedInterpolation
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ROUNDED = "0.005-rounded"  # to a whole number of rows, which is what some peers solve anyway


class Row(NamedTuple):
    """A line of a suite's table: a data set and what tree is wanted."""

    dataset: str  # see `benchmarks.data.prepare`
    binarization: str  # of two with a plus between them the second is for peers that take binary columns only
    regularization: float | str  # leaf penalty as a share of the rows, or `ROUNDED`
    max_depth: int | None  # largest depth in edges; None for no limit


@dataclass(frozen=True)
class Task:
    """A problem as it is put to every peer."""

    suite: str  # name of the suite
    dataset: str  # see `benchmarks.data.prepare`
    binarization: str
    regularization: float  # leaf penalty as a share of the rows
    max_depth: int | None  # largest depth in edges; None for no limit
    limit: float  # seconds after which a peer is to stop
    threads: int = 1  # threads that a peer may use
    options: Mapping[str, Any] = field(default_factory=dict)  # of the peer


@dataclass(frozen=True)
class Suite:
    """A table of problems and who solves them."""

    name: str
    rows: tuple[Row, ...]  # the problems, in the order in which they are run
    peers: tuple[str, ...]  # who solves them
    # Each problem is run with each of these numbers of seconds, after which it is to stop.
    limits: tuple[float, ...]
    threads: tuple[int, ...] = (1,)  # each problem is run with each of these numbers of threads
    options: tuple[Mapping[str, Any], ...] = ({},)  # each problem is run with each of these
    repeats: int = 5  # how often a short run is made
    repeat_below: float = 2.0  # seconds of wall clock below which a run is short
    ended_is_final: bool = False  # whether a run that ended before its limit is not made again with another limit

    def tasks(self, row: Row, n_rows: int) -> list[Task]:
        """Return the tasks of a line of the table."""
        regularization = max(round(0.005 * n_rows), 1) / n_rows if row.regularization == ROUNDED else row.regularization
        start = (self.name, row.dataset, row.binarization, float(regularization), row.max_depth)
        return [Task(*start, *setting) for setting in product(self.limits, self.threads, self.options)]


def _rows(problems: str, others: str, parts: str) -> Iterator[Row]:
    """Read the lines of a table, which end with semicolons; `others` is the binarization of tables not binary."""
    for line in problems.split(";"):
        datasets, penalties, depths = (names.split() for names in line.split("|"))
        for part, depth, penalty, name in product(parts.split() or [""], depths, penalties, datasets):
            dataset, _, binarization = name.partition("/")
            binarization = binarization or ("binary" if dataset.endswith(".bin") else others)
            binarization = f"{binarization}-{part}".rstrip("-")
            regularization = penalty if penalty == ROUNDED else float(penalty)
            yield Row(dataset, binarization, regularization, None if depth == "none" else int(depth))


def _read() -> Iterator[Suite]:
    table = ConfigParser(interpolation=ExtendedInterpolation())
    table.read(Path(__file__).with_name("suites.ini"), encoding="utf-8")
    for name in table.sections():
        if name != "data":
            suite = table[name]
            yield Suite(
                name,
                tuple(_rows(suite["problems"], suite["binarization"], suite["part"])),
                tuple(suite["peers"].split()),
                tuple(map(float, suite["limits"].split())),
                tuple(map(int, suite["threads"].split())),
                tuple(json.loads(suite["options"])),
                int(suite["repeats"]),
                float(suite["repeat_below"]),
                suite["ended_is_final"] == "yes",
            )


SUITES = {suite.name: suite for suite in _read()}
