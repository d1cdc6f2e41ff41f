"""Conditions evaluated on all rows, in the two forms that the searches need: bits and sorted values."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers._conditions import Conditions, Ones, Thresholds, by_categories, evaluate_conditions, numbers_of
from hornbeam.table import Column, Table

_FEW_THRESHOLDS = 16  # up to this many, comparing all values with each threshold is faster than sorting the values
_FEW_ANSWERS = 1 << 16  # up to this many, they are compared in one call
# Up to so many results of conditions, or bins, are made even if the time of a fit is over: they take some milliseconds.
_QUICK_RESULTS = 1 << 21
_QUICK_BINS = 1 << 17
BINS_FOR_A_TREE = 1 << 22
"""These take a tenth of a second, which is worth it where a greedy tree is grown on them."""

_BYTES_BETWEEN_CHECKS = 1 << 22  # written between two checks of the budget
# Measured: what it takes after the limit to finish the current subproblem and to read off the tree.
_SECONDS_OF_BYTE = 6e-9


def pack_conditions(conditions: Conditions, table: Table) -> npt.NDArray[np.uint8]:
    """Evaluate conditions on all rows of a table, one bit for each result.

    Parameters
    ----------
    conditions : Conditions
    table : Table

    Returns
    -------
    ndarray of uint8 of shape (n_conditions, ceil(n_rows / 8))
        Bit ``r % 8`` (the lowest is 0) of byte ``r // 8`` tells whether the condition holds for row ``r``; bits after
        the last row are 0. The unpacked matrix, eight times as large, never exists.
    """
    if table.flags is not None and isinstance(conditions, Ones):
        return table.flags.bits if len(conditions) == len(table.flags) else table.flags.bits[list(conditions.columns)]
    bits = _room_for_bits(conditions, table)
    _pack_into(bits, conditions, table, Budget())
    return bits


def pack_within(conditions: Conditions, table: Table, budget: Budget, copies: int = 1) -> npt.NDArray[np.uint8]:
    """Evaluate conditions as `pack_conditions` does, if so many copies of the result fit into a budget.

    If it has not, or is spent before all are evaluated, only the first ones are returned: enough to separate some rows.
    What takes some milliseconds is evaluated in any case, so that a greedy tree can be grown.
    """
    n_bytes = copies * len(conditions) * ((table.n_rows + 7) // 8)
    budget.keep_back(_SECONDS_OF_BYTE * n_bytes / copies)
    if table.flags is not None and isinstance(conditions, Ones):  # packed already: no time is spent
        if table.flags.is_mapped and len(conditions) == len(table.flags):  # nor memory
            n_bytes = 0
        return pack_conditions(conditions, table) if budget.hold(n_bytes) else _pack_first(conditions, table)
    is_quick = len(conditions) * table.n_rows <= _QUICK_RESULTS
    if _has_time(budget, is_quick=is_quick) and budget.hold(n_bytes):
        bits = _room_for_bits(conditions, table)
        if _pack_into(bits, conditions, table, Budget() if is_quick else budget):
            return bits
    return _pack_first(conditions, table)


def _has_time(budget: Budget, *, is_quick: bool) -> bool:
    """Return whether to go on with what is quick or not; nothing is once the memory is spent."""
    return not budget.is_spent() or (is_quick and budget.fits(0) and budget.seconds() == 0)


def _room_for_bits(conditions: Conditions, table: Table) -> npt.NDArray[np.uint8]:
    """Allocate one bit for each condition and row; MemoryError if the machine has no room for them."""
    shape = len(conditions), (table.n_rows + 7) // 8
    try:
        return np.empty(shape, dtype=np.uint8)
    except MemoryError:
        raise MemoryError(
            f"X has {len(conditions):,} conditions on {table.n_rows:,} rows, which take {prod(shape) / 1e9:,.0f} GB as "
            'bits, more than there is. Use fewer thresholds, for example binarizer="quantile", or fewer rows.'
        ) from None


def _pack_first(conditions: Conditions, table: Table) -> npt.NDArray[np.uint8]:
    """Pack the conditions up to the first that is not constant, so that not all rows look equal to the core."""
    packed: list[npt.NDArray[np.uint8]] = []
    for answers in evaluate_conditions(conditions, table):
        packed.append(np.packbits(answers, bitorder="little"))
        if answers.any() and not answers.all():
            break
    return np.array(packed, dtype=np.uint8).reshape(len(packed), (table.n_rows + 7) // 8)


def _pack_into(bits: npt.NDArray[np.uint8], conditions: Conditions, table: Table, budget: Budget) -> bool:
    """Write the results of all conditions; False if the budget was spent before."""
    done = 0
    for categories, runs in by_categories(conditions):
        if budget.is_spent():
            return False
        column, run = table.column(runs[0].column), runs[0]
        if categories:
            part = bits[done : done + len(runs)]
            if not _scatter(part, numbers_of(categories, column), budget, rises=False):
                return False
        elif isinstance(run, Thresholds) and len(run) * table.n_rows <= _FEW_ANSWERS:
            part = bits[done : done + len(run)]
            answers = column.values <= run.thresholds[:, np.newaxis]  # in float64, as the conditions compare
            part[...] = np.packbits(answers, axis=1, bitorder="little")
        elif isinstance(run, Thresholds) and len(run) > _FEW_THRESHOLDS:
            part = bits[done : done + len(run)]
            if not _scatter(part, bins_of(run, column), budget, rises=True):
                return False
        else:
            part = bits[done : done + (len(run) if isinstance(run, Thresholds) else 1)]
            for line, holds in zip(part, evaluate_conditions(Conditions([run]), table), strict=True):
                line[:] = np.packbits(holds, bitorder="little")
        done += len(part)
    return True


def _scatter(bits: npt.NDArray[np.uint8], numbers: npt.NDArray[Any], budget: Budget, *, rises: bool) -> bool:
    """Set the bit of each row in line ``numbers[row]`` or, if it rises, from there on; False if the budget was spent.

    Numbers from ``len(bits)`` on set nothing. The budget is checked every few megabytes.
    """
    n_lines, n_bytes = bits.shape
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], np.arange(n_lines + 1))
    step = max(1, _BYTES_BETWEEN_CHECKS // n_bytes)
    for first in range(0, n_lines, step):
        if budget.is_spent():
            return False
        part = bits[first : first + step]
        part[...] = 0
        rows = order[ends[first] : ends[first + len(part)]]
        # Bit by bit: NumPy loses an update where two rows of a line share a byte, but such rows differ in their bit.
        for bit in range(8):
            of_bit = rows[rows % 8 == bit]
            part[numbers[of_bit] - first, of_bit // 8] |= np.uint8(1 << bit)
        for line in range(max(first, 1), first + len(part) if rises else 0):
            np.bitwise_or(bits[line], bits[line - 1], out=bits[line])
    return True


def bin_conditions(conditions: Conditions, table: Table) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Evaluate conditions on all rows of a table, one number for all results of a run.

    Parameters
    ----------
    conditions : Conditions
    table : Table

    Returns
    -------
    bins : ndarray of uint32 of shape (n_runs, n_rows)
        Index of the first condition of the run that holds for the row; all later ones hold, too. The number of
        conditions if none holds, as for a missing value.
    n_thresholds : ndarray of uint32 of shape (n_runs,)
        Number of conditions in each run.
    """
    bins = np.empty((len(conditions.runs), table.n_rows), dtype=np.uint32)
    for index, run in enumerate(conditions.runs):
        column = table.column(run.column)
        bins[index] = bins_of(run, column) if isinstance(run, Thresholds) else ~run.holds(column)
    lengths = [len(run) if isinstance(run, Thresholds) else 1 for run in conditions.runs]
    return bins, np.array(lengths, dtype=np.uint32)


def bin_within(
    conditions: Conditions, table: Table, budget: Budget, n_late: int = _QUICK_BINS
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Evaluate conditions as `bin_conditions` does if the result fits into the budget, else only the first run.

    If only its time is over, the first runs of up to `n_late` bins are evaluated.
    """
    runs = conditions.runs
    if budget.is_spent():
        runs = runs[: max(1, n_late // table.n_rows)]
    is_held = _has_time(budget, is_quick=True) and budget.hold(4 * len(runs) * table.n_rows)
    return bin_conditions(Conditions(runs if is_held else runs[:1]), table)


def bins_of(run: Thresholds, column: Column) -> npt.NDArray[np.uint32]:
    """Return for each row the number of the first threshold that its value does not exceed."""
    # In float64, as the conditions compare; NaN comes after every number.
    values = np.ascontiguousarray(column.values, dtype=np.float64)
    bins: npt.NDArray[np.uint32] = _core.bins_of(values, np.argsort(values), np.ascontiguousarray(run.thresholds))
    return bins
