"""The suites as plain tables: which problems, which peers, how long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from hornbeam.estimators._search import BOUNDS

# A regularization that is a whole number of rows: some peers round to one, and then solve the same problem.
ROUNDED = "0.005 rounded"

CP4IM = (
    "anneal",
    "audiology",
    "australian-credit",
    "diabetes",
    "hepatitis",
    "kr-vs-kp",
    "lymph",
    "mushroom",
    "primary-tumor",
    "soybean",
    "splice-1",
    "tic-tac-toe",
    "vote",
    "zoo-1",
)
BINARY = (
    ("hornbeam_monk_2", "midpoints"),
    ("hornbeam_tic_tac_toe", "midpoints"),
    ("hornbeam_balance_scale", "midpoints"),
    ("sklearn_breast_cancer", "quantiles8"),
    ("sklearn_wine", "quantiles8"),
    ("compas", "midpoints"),
    ("compas.bin", "binary"),
    ("compas_fairml.bin", "binary"),
    ("coupon_carryout.bin", "binary"),
    ("monk2_onehot.bin", "binary"),
    ("tic-tac-toe.bin", "binary"),
    ("spiral", "midpoints"),
    ("car.bin", "binary"),
    ("bar7.bin", "binary"),
    ("compas2016", "midpoints"),
    ("nl_HTRU_2.bin", "binary"),
    ("nl_bank_conv.bin", "binary"),
    ("netherlands_part11000", "quantiles8"),
    *((f"cp4im_{name}.bin", "binary") for name in CP4IM),
)
# Binary columns of each: 42, 40, 74.
GUESSED = (("adult", "guess200"), ("bike_hour_cls", "guess200"), ("covertype20k", "guess20"))
CONTINUOUS = tuple(
    (name, "raw")
    for name in (
        "sklearn_breast_cancer",
        "sklearn_wine",
        *(f"contree_{name}" for name in ("bank", "rice", "segment", "wilt", "eeg", "htru", "avila")),
    )
)


class Row(NamedTuple):
    """A line of a suite's table: a data set and what tree is wanted."""

    dataset: str  # see `benchmarks.data.prepare`
    binarization: str
    regularization: float | str  # price of a leaf as a share of the rows, or `ROUNDED`
    max_depth: int | None  # largest depth in edges; None for no limit


@dataclass(frozen=True)
class Instance:
    """A problem as it is put to every peer."""

    suite: str  # name of the suite
    dataset: str  # see `benchmarks.data.prepare`
    binarization: str
    regularization: float  # price of a leaf as a share of the rows
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
        return [
            Instance(
                self.name,
                row.dataset,
                row.binarization,
                float(regularization),
                row.max_depth,
                seconds,
                threads,
                options,
            )
            for seconds, threads, options in product(
                self.limits if limit is None else (limit,), self.threads, self.options
            )
        ]


def _rows(
    datasets: Iterable[tuple[str, str]], regularizations: Iterable[float | str], max_depths: Iterable[int | None]
) -> Iterator[Row]:
    """Cross data sets, regularizations and depths; all data sets come with one setting before the next setting."""
    for max_depth, regularization, (dataset, binarization) in product(max_depths, regularizations, datasets):
        yield Row(dataset, binarization, regularization, max_depth)


def _binary(dataset: str, regularization: float, max_depth: int | None = None) -> Row:
    """Return a line of a table with the binarization that the data set has in the other suites."""
    return Row(dataset, dict(BINARY)[dataset], regularization, max_depth)


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "exact",
            tuple(_rows(BINARY, (0.02, 0.01, 0.005, 0.0025), (None,))),
            ("hornbeam", "gosdt", "imodels", "streed", "treefarms", "cart"),
            limits=(20,),
        ),
        Suite(
            "depth",
            tuple(_rows(BINARY, (0.0, 0.005, ROUNDED), (2, 3, 4, 5))),
            (
                "hornbeam",
                "streed",
                "praxis",
                "arborenum",
                "dl85",
                "gosdt",
                "imodels",
                "treefarms",
                "licketysplit",
                "cart",
            ),
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
            ("hornbeam", "streed", "praxis", "arborenum", "dl85", "gosdt", "cart"),
            limits=(120,),
        ),
        Suite(
            "columns",
            (
                *(
                    Row(f"columns_{n}", "binary", regularization, 2)
                    for regularization in (0.005, 0.0)
                    for n in (1000, 5000)
                ),
                *(Row(f"columns_{n}", "binary", 0.005, 3) for n in (1000, 5000)),
            ),
            ("hornbeam", "streed", "praxis", "arborenum", "dl85", "gosdt", "cart"),
            limits=(120,),
        ),
        Suite(
            "fast",
            (
                *_rows(GUESSED, (0.001, 0.006, 0.011), (5,)),
                Row("rows_1000000_columns_100", "binary", 0.001, 5),
            ),
            ("hornbeam", "hornbeam_lickety", "hornbeam_split", "licketysplit", "cart"),
            limits=(30,),
        ),
        Suite(
            "courses",
            (
                _binary("compas", 0.005),
                _binary("netherlands_part11000", 0.005),
                _binary("cp4im_diabetes.bin", 0.01),
                _binary("cp4im_splice-1.bin", 0.005),
                _binary("cp4im_anneal.bin", 0.005),
                _binary("sklearn_breast_cancer", 0.01),
            ),
            ("hornbeam", "gosdt", "imodels"),
            limits=(1, 4, 16),
            options=({"trace": True},),
            repeats=1,
        ),
        Suite(
            "threads",
            (
                _binary("cp4im_soybean.bin", 0.0025),
                _binary("cp4im_mushroom.bin", 0.0025),
                _binary("cp4im_lymph.bin", 0.0025),
                _binary("cp4im_diabetes.bin", 0.0, 5),
                _binary("netherlands_part11000", 0.0, 5),
                _binary("nl_HTRU_2.bin", 0.0, 5),
                _binary("compas", 0.0, 5),
                _binary("coupon_carryout.bin", 0.0, 5),
                _binary("cp4im_splice-1.bin", 0.0, 4),
            ),
            ("hornbeam",),
            limits=(300,),
            threads=(1, 2),
            repeats=3,
            repeat_below=60,
        ),
        Suite(
            "ablation",
            (
                _binary("spiral", 0.0025),
                _binary("compas2016", 0.0025),
                _binary("nl_bank_conv.bin", 0.0025),
                _binary("hornbeam_tic_tac_toe", 0.0025),
                _binary("nl_HTRU_2.bin", 0.0025),
                _binary("compas_fairml.bin", 0.0025),
                _binary("cp4im_vote.bin", 0.0025),
                _binary("cp4im_mushroom.bin", 0.0025),
                _binary("cp4im_diabetes.bin", 0.0, 4),
                _binary("coupon_carryout.bin", 0.0, 4),
                _binary("compas", 0.005, 4),
                _binary("cp4im_kr-vs-kp.bin", 0.0, 5),
            ),
            ("hornbeam",),
            limits=(60,),
            options=({}, *({"switches": {bound: False}} for bound in BOUNDS)),
            repeats=3,
        ),
    )
}
