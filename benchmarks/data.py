"""The data sets by name, made binary once for all peers.

A data set is a file ``../shared/data/<name>.csv`` next to the repository with the classes in its column ``target``; or
it ships with hornbeam or scikit-learn; or it is simulated here. What was prepared is kept in ``benchmarks/.cache``;
delete that folder when a data set changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_gaussian_quantiles,
    make_hastie_10_2,
    make_moons,
)
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split

from hornbeam import ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.binarizers.thresholds import nearest_shares
from hornbeam.datasets import load_balance_scale, load_monk, load_tic_tac_toe

Array: TypeAlias = npt.NDArray[Any]

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CACHE = Path(__file__).resolve().parent / ".cache"

SHIPPED: dict[str, Callable[[], Any]] = {
    "hornbeam_balance_scale": lambda: load_balance_scale(return_X_y=True),
    "hornbeam_monk_2": lambda: load_monk(2, return_X_y=True),
    "hornbeam_tic_tac_toe": lambda: load_tic_tac_toe(return_X_y=True),
    "sklearn_breast_cancer": lambda: load_breast_cancer(return_X_y=True),
    "sklearn_digits": lambda: load_digits(return_X_y=True),
    "sklearn_wine": lambda: load_wine(return_X_y=True),
    "sklearn_iris": lambda: load_iris(return_X_y=True),
    "moons_2000": lambda: make_moons(2_000, noise=0.3, random_state=0),
    "hastie_4000": lambda: make_hastie_10_2(4_000, random_state=0),
    "shells_3000": lambda: make_gaussian_quantiles(n_samples=3_000, n_features=5, n_classes=3, random_state=0),
    "classification_20000": lambda: make_classification(20_000, 20, n_informative=8, random_state=0),
    "classification_200000": lambda: make_classification(
        200_000, 30, n_informative=10, n_classes=5, class_sep=1.5, random_state=0
    ),
    "classification_1000000": lambda: make_classification(1_000_000, 10, n_informative=5, flip_y=0.05, random_state=0),
    "rows_500000_columns_60": lambda: simulate(500_000, 60),
    "rows_100000": lambda: simulate(100_000, 50),
    "rows_1000000": lambda: simulate(1_000_000, 50),
    "rows_10000000": lambda: simulate(10_000_000, 50),
    "rows_1000000_columns_100": lambda: simulate(1_000_000, 100),
    "columns_1000": lambda: simulate(2_000, 1_000),
    "columns_5000": lambda: simulate(2_000, 5_000),
}


class RowQuantiles(ThresholdBinarizer):
    """Quantiles over all rows, the rule of the committed results: a value of many rows hides the tail behind it."""

    def _choose_thresholds(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        return nearest_shares(np.cumsum(weights), self.n_thresholds)


def guess(n_stumps: int) -> ThresholdGuessBinarizer:
    """Return the binarizer with the thresholds of so many boosted stumps, less those that they do not need."""
    return ThresholdGuessBinarizer(GradientBoostingClassifier(n_estimators=n_stumps, max_depth=1, random_state=0))


BINARIZERS = {
    "midpoints": ThresholdBinarizer(),  # every threshold between two neighboring values, every category
    "quantiles8": RowQuantiles(strategy="quantile", n_thresholds=8),
    "guess20": guess(20),
    "guess200": guess(200),
}


@dataclass(frozen=True)
class Prepared:
    """A data set that is ready to be read by a worker."""

    # A NumPy archive with the columns `X` (uint8 if binary, else float64) and the codes of the classes `y` (int64), and
    # with `X_test` and `y_test` if rows are held out.
    path: Path
    rows: int
    columns: int
    classes: int
    binary: bool  # whether all columns hold only 0 and 1


def prepare(dataset: str, binarization: str) -> Prepared:
    """Return a data set in the form that all peers get, made now or before.

    `binarization` is "binary" (the columns hold 0 and 1), "raw" (numbers as they are, a column for each string) or a
    key of `BINARIZERS`. Of binary columns, constant ones and all but the first of equal ones are left out. "-train"
    after it: a stratified quarter of the rows is held out to test the trees. "-fold0" to "-fold9": a stratified half
    is held out, the first or the second half of one of five draws.
    """
    path = CACHE / f"{dataset}.{binarization}.npz"
    if not path.exists():
        X, y = read(dataset)
        form, _, part = binarization.partition("-")
        X, y = binarize(X, form, y), codes(y).astype(np.int64)
        held_out: dict[str, Any] = {}
        if part:
            X, held_out["X_test"], y, held_out["y_test"] = split(X, y, part)
        CACHE.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".unfinished.npz")
        np.savez(unfinished, X=X, y=y, sizes=np.array([*X.shape, y.max() + 1]), **held_out)
        unfinished.rename(path)
    with np.load(path) as archive:
        rows, columns, classes = archive["sizes"].tolist()
    return Prepared(path, rows, columns, classes, binary=not binarization.startswith("raw"))


def binarize(X: Any, binarization: str, y: Any = None) -> Array:
    """Return the columns that a binarization makes of a table; see `prepare`."""
    if binarization == "raw":
        if isinstance(X, polars.DataFrame):
            X = X.to_dummies(polars.selectors.by_dtype(polars.String, polars.Boolean))
        return np.asarray(X, dtype=np.float64)
    if binarization == "binary":
        values = np.asarray(X)
        if not np.array_equal(values, values.astype(bool)):
            raise ValueError("binarization 'binary' needs columns of 0 and 1; use 'midpoints' or 'quantiles8'.")
    elif binarization in BINARIZERS:
        values = BINARIZERS[binarization].fit_transform(X, y)
    else:
        raise ValueError(f"binarization must be binary, raw, {' or '.join(BINARIZERS)}, got {binarization!r}.")
    return distinct_columns(values.astype(np.uint8))


def split(X: Array, y: Array, part: str) -> list[Array]:
    """Return training and test rows, and training and test classes; see `prepare`."""
    if part == "train":
        return list(train_test_split(X, y, stratify=y, random_state=0))
    number = int(part.removeprefix("fold"))
    halves = list(StratifiedKFold(2, shuffle=True, random_state=number // 2).split(X, y))
    train, test = halves[number % 2]
    # A peer may take the folds of its own cross-validation in the order of the rows.
    train = np.random.default_rng(number).permutation(train)
    return [X[train], X[test], y[train], y[test]]


def codes(labels: Any) -> Array:
    """Return the classes as codes 0, 1, ..."""
    return np.unique(np.asarray(labels), return_inverse=True)[1]


def distinct_columns(X: Array) -> Array:
    """Return the columns that are not constant, and of equal ones the first, in their order."""
    packed = np.packbits(X, axis=0)
    first = {packed[:, column].tobytes(): column for column in reversed(range(X.shape[1]))}.values()
    is_varied = np.any(X, axis=0) & ~np.all(X, axis=0)
    return np.ascontiguousarray(X[:, sorted(column for column in first if is_varied[column])])


def simulate(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Simulate uniform bits that a tree of depth 3 labels with 10 % noise; the same ones every time.

    The first two columns choose which of the next four is the label, so none of them alone predicts much.
    """
    rng = np.random.default_rng(20_200)
    X = rng.integers(2, size=(n_rows, n_columns), dtype=np.uint8)
    y = X[np.arange(n_rows), 2 + 2 * X[:, 0] + X[:, 1]]
    return X, y ^ (rng.random(n_rows) < 0.1)


def read_binary(dataset: str) -> tuple[Array, Array]:
    """Return the columns of 0 and 1 (uint8) and the codes of the classes of a data set."""
    X, labels = read(dataset)
    return np.asarray(X, dtype=np.uint8), codes(labels)


def read(dataset: str) -> Any:
    """Return the columns and the target of a data set."""
    if dataset in SHIPPED:
        return SHIPPED[dataset]()
    path = SHARED / f"{dataset}.csv"
    if not path.exists():
        raise FileNotFoundError(f"data set {dataset} is skipped: there is no ../shared/data/{path.name}")
    table = polars.read_csv(path, infer_schema_length=None)
    return table.drop("target"), table["target"].to_numpy()
