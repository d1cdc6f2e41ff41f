"""Histograms of the split columns, by class, for the inner nodes of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import AtMost, Condition, IsIn
from hornbeam.plotting.leaves import leaves_of
from hornbeam.table import Column, read_table
from hornbeam.tree import BaseTree

_N_BINS = 20
_MAX_BARS = 6  # on each side of a split of categories
_MISSING = "\0"
_GAP = 0.6  # between groups of bars, in widths of a bar

Data: TypeAlias = "tuple[Any, Any]"
_Codes: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Caption:
    """Words below the bars: the range that they may fill, in widths of a bar, and their alignment in it."""

    text: str
    start: float
    end: float
    align: Literal["left", "center", "right"] = "center"


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """Rows of one inner node by the value of the split column and by class.

    Attributes
    ----------
    counts : int ndarray of shape (n_bars, n_classes)
        Rows of each bar.
    answers : tuple of bool, length n_bars
        Whether the condition holds for the rows of each bar.
    places : tuple of float, length n_bars
        Left end of each bar, in widths of a bar.
    width : float
        Width of the whole histogram, in widths of a bar.
    mark : float
        Where the two sides of the split meet.
    captions : tuple of Caption
        Words below the bars.
    """

    counts: npt.NDArray[np.intp]
    answers: tuple[bool, ...]
    places: tuple[float, ...]
    width: float
    mark: float
    captions: tuple[Caption, ...]


def distributions_of(tree: BaseTree, data: Data) -> dict[int, Distribution]:
    """Return the distribution of the rows of `data` at each inner node that some of them reach.

    Raises
    ------
    ValueError
        If `data` is not a pair, `X` or `y` does not fit the tree, or the lengths differ.
    """
    if not isinstance(data, (tuple, list)) or len(data) != 2:
        raise ValueError(f"data must be a pair (X, y), got {type(data).__name__}.")
    table = read_table(data[0], expect=tree.columns)
    n_labels = len(np.atleast_1d(data[1]))
    if n_labels != table.n_rows:
        raise ValueError(f"data must hold a label for each row: X has {table.n_rows} rows, y has {n_labels}.")
    codes = leaves_of(tree).codes_of(data[1], tree.apply(table))
    rows: dict[int, _Codes] = {0: np.arange(table.n_rows)}
    found = {}
    for node, condition in enumerate(tree.conditions):
        here = rows.pop(node)  # set by its parent, which comes before it in pre-order
        if condition is None:
            continue
        column = table.column(condition.column, here)
        holds = condition.holds(column)
        rows[int(tree.left[node])], rows[int(tree.right[node])] = here[holds], here[~holds]
        if len(here) > 0:
            found[node] = distribution(condition, column, holds, codes[here], len(tree.outputs))
    return found


def distribution(
    condition: Condition, column: Column, holds: npt.NDArray[np.bool_], codes: _Codes, n_classes: int
) -> Distribution:
    """Count rows by the values of a column: bins of numbers, bars of categories, or bars of "yes" and "no"."""
    if isinstance(condition, AtMost):
        values = np.asarray(column.values, dtype=np.float64)
        if not np.isnan(values).all():
            return _of_numbers(values, condition.threshold, codes, n_classes)
    if isinstance(condition, IsIn):
        return _of_categories(condition, column.values, codes, n_classes)
    return _of_groups([holds], [~holds], "no", codes, n_classes)


def _of_numbers(values: npt.NDArray[np.float64], threshold: float, codes: _Codes, n_classes: int) -> Distribution:
    """Bins of equal width with an edge at the threshold, so that no bar lies on both sides; missing values apart."""
    known = values[~np.isnan(values)]
    low, high = min(known.min(), threshold), max(known.max(), threshold)
    # Halved before they are subtracted: the difference of two numbers near the end of float64 overflows.
    width = (high / 2 - low / 2) / (_N_BINS / 2) or 1.0
    if width < 1.2 and np.array_equal(known, np.floor(known)):
        width = 1.0
    # Bin k holds the values that exceed threshold + k * width by at most one width. Rounding must not move a row to the
    # other side of the split.
    steps = np.ceil((known / 2 - threshold / 2) / (width / 2)) - 1
    steps = np.where(known > threshold, np.maximum(steps, 0), steps)
    first, last = min(int(steps.min()), -1), max(int(steps.max()), 0)
    counts = np.zeros((last - first + 1, n_classes), dtype=np.intp)
    np.add.at(counts, ((steps - first).astype(np.intp), codes[~np.isnan(values)]), 1)
    answers = [step < 0 for step in range(first, last + 1)]
    places = [float(place) for place in range(len(counts))]
    n_bars = float(len(counts))
    captions = [Caption(_number(known.min()), 0.0, n_bars / 2, "left")]
    if known.max() > known.min():
        captions.append(Caption(_number(known.max()), n_bars / 2, n_bars, "right"))
    end = n_bars
    if len(known) < len(values):
        bar = n_bars / 5  # as wide as the word below it needs, at least
        counts = np.vstack([counts, np.bincount(codes[np.isnan(values)], minlength=n_classes)])
        answers.append(False)
        places.append(end + bar)
        captions.append(Caption("missing", end, end + 2 * bar, "right"))
        end += 2 * bar
    return Distribution(counts, tuple(answers), tuple(places), end, float(-first), tuple(captions))


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.7g}"


def _of_categories(condition: IsIn, values: npt.NDArray[Any], codes: _Codes, n_classes: int) -> Distribution:
    """Count rows by category, those of the condition first, the largest first; the rare ones of a side share a bar."""
    names = np.array([_MISSING if value is None else str(value) for value in values], dtype=object)
    strings, place = np.unique(names, return_inverse=True)
    place = place.reshape(-1)
    wanted = set(condition.values)
    is_wanted = np.fromiter((value in wanted for value in values), dtype=bool, count=len(values))
    sides = []
    for chosen in (is_wanted, ~is_wanted):
        sizes = np.bincount(place[chosen], minlength=len(strings))
        order = [index for index in np.argsort(-sizes, kind="stable").tolist() if sizes[index] > 0]
        shown = order if len(order) <= _MAX_BARS else order[: _MAX_BARS - 1]
        bars = [chosen & (place == index) for index in shown]
        if len(order) > len(shown):
            bars.append(chosen & ~np.isin(place, shown))
        sides.append((bars, order))
    (yes, _), (no, others) = sides
    if len(others) == 1:
        only = str(strings[others[0]])
        return _of_groups(yes, no, "no: missing" if only == _MISSING else f"no: {only}", codes, n_classes)
    return _of_groups(yes, no, f"no: {len(others)} values", codes, n_classes)


def _of_groups(
    yes: Sequence[npt.NDArray[np.bool_]],
    no: Sequence[npt.NDArray[np.bool_]],
    caption: str,
    codes: _Codes,
    n_classes: int,
) -> Distribution:
    bars = [*yes, *no]
    counts = np.array([np.bincount(codes[rows], minlength=n_classes) for rows in bars], dtype=np.intp)
    answers = tuple([True] * len(yes) + [False] * len(no))
    places = tuple(index + (_GAP if index >= len(yes) else 0.0) for index in range(len(bars)))
    mark, width = len(yes) + _GAP / 2, len(bars) + _GAP
    captions = (Caption("yes", 0.0, mark), Caption(caption, mark, width))
    return Distribution(counts, answers, places, width, mark, captions)
