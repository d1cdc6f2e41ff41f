"""The suites as plain tables: which problems, which peers, how long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

# A regularization that is a whole number of rows: some peers round to one, and then solve the same problem.
ROUNDED = "0.005 rounded"
# Of `GOSDTClassifier`.
BOUNDS = ("support_condition", "pair_stage", "equivalent_points", "similarity", "packing", "subset")

_CP4IM = """
anneal audiology australian-credit diabetes hepatitis kr-vs-kp lymph mushroom primary-tumor soybean splice-1 tic-tac-toe
vote zoo-1
"""
_OTHERS = """
hornbeam_monk_2 hornbeam_tic_tac_toe hornbeam_balance_scale sklearn_breast_cancer/quantiles8 sklearn_wine/quantiles8
compas compas.bin compas_fairml.bin coupon_carryout.bin monk2_onehot.bin tic-tac-toe.bin spiral car.bin bar7.bin
compas2016 nl_HTRU_2.bin nl_bank_conv.bin netherlands_part11000/quantiles8
"""
_CONTREE = "bank rice segment wilt eeg htru avila"


def _binarized(name: str) -> tuple[str, str]:
    """Return data set and binarization: what follows a slash; else ".bin" is binary already, others get midpoints."""
    dataset, _, binarization = name.partition("/")
    return dataset, binarization or ("binary" if dataset.endswith(".bin") else "midpoints")


BINARY = (*map(_binarized, _OTHERS.split()), *((f"cp4im_{name}.bin", "binary") for name in _CP4IM.split()))
# Binary columns of each: 42, 40, 74.
GUESSED = (("adult", "guess200"), ("bike_hour_cls", "guess200"), ("covertype20k", "guess20"))
_NUMBERS = ("sklearn_breast_cancer", "sklearn_wine", *(f"contree_{name}" for name in _CONTREE.split()))
CONTINUOUS = tuple((name, "raw") for name in _NUMBERS)


class Row(NamedTuple):
    """A line of a suite's table: a data set and what tree is wanted."""

    dataset: str  # see `benchmarks.data.prepare`
    binarization: str
    regularization: float | str  # leaf penalty as a share of the rows, or `ROUNDED`
    max_depth: int | None  # largest depth in edges; None for no limit


@dataclass(frozen=True)
class Instance:
    """A problem as it is put to every peer."""

    suite: str  # name of the suite
    dataset: str  # see `benchmarks.data.prepare`
    binarization: str
    regularization: float  # leaf penalty as a share of the rows
    max_depth: int | None  # largest depth in edges; None for no limit
    limit: float  # seconds that a peer is told to stop after
    threads: int = 1  # threads that a peer may use
    options: Mapping[str, Any] = field(default_factory=dict)  # what else the peer is told


@dataclass(frozen=True)
class Suite:
    """A table of problems and who solves them."""

    name: str  # name of the suite
    rows: tuple[Row, ...]  # the problems, in the order in which they are run
    peers: tuple[str, ...]  # who solves them
    # Each problem is run with each of these numbers of seconds, after which a peer is told to stop.
    limits: tuple[float, ...]
    threads: tuple[int, ...] = (1,)  # each problem is run with each of these numbers of threads
    options: tuple[Mapping[str, Any], ...] = ({},)  # each problem is run with each of these
    repeats: int = 5  # how often a short run is made
    repeat_below: float = 2.0  # seconds of wall clock below which a run is short

    def instances(self, row: Row, n_rows: int, limit: float | None = None) -> list[Instance]:
        """Return the instances of a line of the table."""
        regularization = max(round(0.005 * n_rows), 1) / n_rows if row.regularization == ROUNDED else row.regularization
        start = (self.name, row.dataset, row.binarization, float(regularization), row.max_depth)
        limits = self.limits if limit is None else (limit,)
        return [Instance(*start, *setting) for setting in product(limits, self.threads, self.options)]


def _rows(
    datasets: Iterable[tuple[str, str]], regularizations: Iterable[float | str], max_depths: Iterable[int | None]
) -> Iterator[Row]:
    """Cross data sets, regularizations and depths; all data sets come with one setting before the next setting."""
    for max_depth, regularization, (dataset, binarization) in product(max_depths, regularizations, datasets):
        yield Row(dataset, binarization, regularization, max_depth)


def _written(text: str) -> tuple[Row, ...]:
    """Read data set, regularization and, if it is limited, depth of problems; binarization as in the other suites."""
    problems = (problem.split() for problem in text.split(","))
    binarizations = dict(BINARY)
    return tuple(
        Row(name, binarizations[name], float(regularization), int(depth[0]) if depth else None)
        for name, regularization, *depth in problems
    )


_GROWN = ("hornbeam", "streed", "praxis", "arborenum", "dl85", "gosdt", "cart")
_ALL = (
    Suite(
        "exact",
        tuple(_rows(BINARY, (0.02, 0.01, 0.005, 0.0025), (None,))),
        ("hornbeam", "gosdt", "imodels", "streed", "treefarms", "cart"),
        limits=(20,),
    ),
    Suite(
        "depth",
        tuple(_rows(BINARY, (0.0, 0.005, ROUNDED), (2, 3, 4, 5))),
        ("hornbeam", "streed", "praxis", "arborenum", "dl85", "gosdt", "imodels", "treefarms", "licketysplit", "cart"),
        limits=(20,),
    ),
    Suite(
        "continuous",
        tuple(_rows(CONTINUOUS, (0.0, 0.001), (2, 3, 4))),
        ("hornbeam", "contree", "pytrees", "cart"),
        limits=(60,),
    ),
    Suite(
        "rows",
        tuple(_rows(((f"rows_{n}", "binary") for n in (10**5, 10**6, 10**7)), (0.001, 0.0), (3,))),
        _GROWN,
        limits=(120,),
    ),
    Suite(
        "columns",
        tuple(
            Row(f"columns_{n}", "binary", regularization, depth)
            for regularization, depth in ((0.005, 2), (0.0, 2), (0.005, 3))
            for n in (1000, 5000)
        ),
        _GROWN,
        limits=(120,),
    ),
    Suite(
        "fast",
        (*_rows(GUESSED, (0.001, 0.006, 0.011), (5,)), Row("rows_1000000_columns_100", "binary", 0.001, 5)),
        ("hornbeam", "hornbeam_lickety", "hornbeam_split", "licketysplit", "cart"),
        limits=(30,),
    ),
    Suite(
        "courses",
        _written(
            "compas 0.005, netherlands_part11000 0.005, cp4im_diabetes.bin 0.01, cp4im_splice-1.bin 0.005, "
            "cp4im_anneal.bin 0.005, sklearn_breast_cancer 0.01"
        ),
        ("hornbeam", "gosdt", "imodels"),
        limits=(1, 4, 16),
        options=({"trace": True},),
        repeats=1,
    ),
    Suite(
        "threads",
        _written(
            "cp4im_soybean.bin 0.0025, cp4im_mushroom.bin 0.0025, cp4im_lymph.bin 0.0025, cp4im_diabetes.bin 0 5, "
            "netherlands_part11000 0 5, nl_HTRU_2.bin 0 5, compas 0 5, coupon_carryout.bin 0 5, cp4im_splice-1.bin 0 4"
        ),
        ("hornbeam",),
        limits=(300,),
        threads=(1, 2),
        repeats=3,
        repeat_below=60,
    ),
    Suite(
        "ablation",
        _written(
            "spiral 0.0025, compas2016 0.0025, nl_bank_conv.bin 0.0025, hornbeam_tic_tac_toe 0.0025, "
            "nl_HTRU_2.bin 0.0025, compas_fairml.bin 0.0025, cp4im_vote.bin 0.0025, cp4im_mushroom.bin 0.0025, "
            "cp4im_diabetes.bin 0 4, coupon_carryout.bin 0 4, compas 0.005 4, cp4im_kr-vs-kp.bin 0 5"
        ),
        ("hornbeam",),
        limits=(60,),
        options=({}, *({"switches": {bound: False}} for bound in BOUNDS)),
        repeats=3,
    ),
)
SUITES = {suite.name: suite for suite in _ALL}
