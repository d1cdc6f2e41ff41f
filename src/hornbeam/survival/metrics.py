"""Metrics of survival predictions on right-censored times."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array, check_weights
from hornbeam.survival.curves import StepFunction, kaplan_meier, risk_tables
from hornbeam.survival.times import read_times

_Floats = npt.NDArray[np.float64]

_FEW_ROWS = 256  # of which all pairs are compared


def concordance_index(y: Any, risk: Any) -> float:
    """Return Harrell's concordance index: how often, of two rows, the one of higher risk has its event first.

    Two rows can be compared if it is known which has the event first: the earlier time is that of an event, or both
    times are equal and one of them is censored.

    Parameters
    ----------
    y : structured array of shape (n_rows,), or array-like or data frame of shape (n_rows, 2)
        Events and times, see `SurvivalTree.fit`.
    risk : array-like of shape (n_rows,)
        Finite risk scores; a higher one predicts an earlier event.

    Returns
    -------
    float
        From 0 to 1; 0.5 for equal risks. Pairs of equal risk count as half.

    Raises
    ------
    ValueError
        If lengths differ, a risk is not finite, `y` is wrong, or no two rows can be compared.
    TypeError
        If `y` does not hold numbers.

    References
    ----------
    F. E. Harrell, R. M. Califf, D. B. Pryor, K. L. Lee, R. A. Rosati, "Evaluating the Yield of Medical Tests", JAMA
    247(18), 1982.

    Examples
    --------
    >>> from hornbeam import concordance_index
    >>> concordance_index([[1, 2.0], [1, 4.0], [0, 6.0]], [0.9, 0.2, 0.5])
    0.6666666666666666
    """
    events, times, _ = read_times(y)
    risks = as_array("risk", risk).astype(np.float64)
    if risks.shape != times.shape:
        raise ValueError(f"risk has the shape {risks.shape}, but y has {len(times)} rows.")
    if not np.isfinite(risks).all():
        row = int(np.flatnonzero(~np.isfinite(risks))[0])
        raise ValueError(f"risk is {risks[row]} in row {row}; expected finite numbers.")
    # Rows in the order of their times, events before what is censored at the same time; equal ranks are not a pair.
    order = np.lexsort((~events, times))
    steps = (np.diff(times[order]) > 0) | np.diff(events[order])
    ranks = np.append(0, np.cumsum(steps)) if len(times) else np.empty(0, dtype=np.int64)
    concordant, tied, comparable = _count_pairs(ranks, events[order], risks[order])
    if comparable == 0:
        raise ValueError("No two rows of y can be compared: no time is later than that of an event.")
    return (concordant + tied / 2) / comparable


def _count_pairs(ranks: npt.NDArray[np.int64], events: npt.NDArray[np.bool_], risks: _Floats) -> tuple[int, int, int]:
    """Return how many pairs are concordant, tied and comparable, of rows in the order of their ranks."""
    if len(ranks) <= _FEW_ROWS:
        is_pair = (ranks[:, np.newaxis] < ranks) & events[:, np.newaxis]
        is_more, is_equal = risks[:, np.newaxis] > risks, risks[:, np.newaxis] == risks
        return int((is_pair & is_more).sum()), int((is_pair & is_equal).sum()), int(is_pair.sum())
    middle = int(np.searchsorted(ranks, ranks[len(ranks) // 2]))
    if middle == 0:
        middle = int(np.searchsorted(ranks, ranks[0], side="right"))
        if middle == len(ranks):
            return 0, 0, 0
    earlier, later = risks[:middle][events[:middle]], np.sort(risks[middle:])
    below, up_to = (np.searchsorted(later, earlier, side=side) for side in ("left", "right"))
    counts = [int(below.sum()), int((up_to - below).sum()), len(earlier) * len(later)]
    # The rows of one rank at the start make no pairs with each other.
    parts = [slice(middle, None)] if ranks[0] == ranks[middle - 1] else [slice(None, middle), slice(middle, None)]
    for part in parts:
        found = _count_pairs(ranks[part], events[part], risks[part])
        counts = [count + more for count, more in zip(counts, found, strict=True)]
    return counts[0], counts[1], counts[2]


def brier_score(y_train: Any, y_test: Any, survival: Any, times: Any) -> _Floats:
    """Return the Brier score at each time: the mean squared error of predicted survival, corrected for censoring.

    A row whose event is at or before the time weighs 1 / G just before its event, a row that survives the time 1 / G at
    the time, and a row censored before 0; G is the Kaplan-Meier estimate of not being censored.

    Parameters
    ----------
    y_train : structured array of shape (n_train,), or array-like or data frame of shape (n_train, 2)
        Events and times from which the censoring is estimated, usually those of the training rows.
    y_test : structured array of shape (n_rows,), or array-like or data frame of shape (n_rows, 2)
        Events and times of the rows that were predicted.
    survival : array-like of shape (n_rows, n_times) or (n_rows,)
        Predicted probability that the row survives each time, from 0 to 1; or a function of times for each row, such as
        `SurvivalTree.predict_survival_function` returns.
    times : array-like of shape (n_times,)
        Rising times, at which all that are left could not yet be censored: below the last time of `y_train`, or that
        of an event.

    Returns
    -------
    float64 ndarray of shape (n_times,)
        At least 0; smaller is better. A survival of 0.5 everywhere gets about 0.25.

    Raises
    ------
    ValueError
        If shapes do not fit, times do not rise, a probability is outside [0, 1], or at a time that matters, no row of
        `y_train` would be uncensored.
    TypeError
        If `y_train` or `y_test` do not hold numbers.

    References
    ----------
    E. Graf, C. Schmoor, W. Sauerbrei, M. Schumacher, "Assessment and Comparison of Prognostic Classification Schemes
    for Survival Data", Statistics in Medicine 18, 1999.

    Examples
    --------
    >>> from hornbeam import brier_score
    >>> y = [[1, 2.0], [1, 4.0], [0, 6.0]]
    >>> survival = [[0.2, 0.1], [0.9, 0.3], [0.9, 0.8]]
    >>> brier_score(y, y, survival, [3, 5]).round(3).tolist()
    [0.02, 0.047]
    """
    train, test = read_times(y_train), read_times(y_test)
    at, shares = as_array("times", times).astype(np.float64), as_array("survival", survival)
    if shares.ndim == 1 and all(map(callable, shares.tolist())):
        shares = np.array([curve(at) for curve in shares.tolist()])
    shares = shares.astype(np.float64)
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all() or not (np.diff(at) > 0).all():
        raise ValueError("times must be at least one finite number, in increasing order.")
    if shares.shape != (len(test.times), len(at)):
        raise ValueError(
            f"survival has the shape {shares.shape}; expected ({len(test.times)}, {len(at)}), a row for each of y_test "
            "and a column for each of times."
        )
    if not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError("survival must hold probabilities from 0 to 1.")
    uncensored = _uncensored(train.events, train.times)
    has_had = test.events[:, np.newaxis] & (test.times[:, np.newaxis] <= at)
    survives = test.times[:, np.newaxis] > at
    before, now = uncensored(np.nextafter(test.times, -np.inf)), uncensored(at)
    is_lost = (has_had.any(axis=1) & (before == 0)).any() or (survives.any(axis=0) & (now == 0)).any()
    if is_lost:
        raise ValueError(
            f"times must be below {train.times.max():g}: from then on, all rows of y_train are censored, but some rows "
            "of y_test are not."
        )
    with np.errstate(divide="ignore"):
        by_row, by_time = (np.where(share > 0, 1 / share, 0.0) for share in (before, now))
    errors = has_had * shares**2 * by_row[:, np.newaxis] + survives * (1 - shares) ** 2 * by_time
    return np.asarray(errors.mean(axis=0))


def integrated_brier_score(y_train: Any, y_test: Any, survival: Any, times: Any) -> float:
    """Return the mean of the Brier score over time, by the trapezoidal rule.

    Parameters
    ----------
    y_train, y_test, survival, times
        See `brier_score`; at least two times.

    Returns
    -------
    float
        At least 0; smaller is better.

    Raises
    ------
    ValueError
        As `brier_score`, or if there is only one time.
    TypeError
        If `y_train` or `y_test` do not hold numbers.

    Examples
    --------
    >>> from hornbeam import integrated_brier_score
    >>> y = [[1, 2.0], [1, 4.0], [0, 6.0]]
    >>> integrated_brier_score(y, y, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], [1, 5])
    0.25
    """
    scores, at = brier_score(y_train, y_test, survival, times), as_array("times", times).astype(np.float64)
    if len(at) < 2:
        raise ValueError("times must hold at least two times, between which the score is integrated.")
    return float(((scores[1:] + scores[:-1]) / 2 * np.diff(at)).sum() / (at[-1] - at[0]))


def _uncensored(events: npt.NDArray[np.bool_], times: _Floats) -> StepFunction:
    """Return the Kaplan-Meier estimate of not being censored; events at the time of a censoring come before it."""
    # Moving events a little ahead takes them out of the rows at risk of a censoring at the same time.
    ahead = np.where(events, np.nextafter(times, -np.inf), times)
    at = np.unique(times[~events])
    weights = check_weights(None, len(times)).astype(np.float64)
    return StepFunction(at, kaplan_meier(*risk_tables(~events, ahead, weights, at))[0], 1.0)
