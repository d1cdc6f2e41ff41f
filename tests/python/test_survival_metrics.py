"""Concordance and Brier scores against their definitions, pair by pair and row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hornbeam.survival.metrics as metrics_module
from hornbeam import StepFunction, brier_score, concordance_index, integrated_brier_score

ROWS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 4)),
    min_size=2,
    max_size=30,
)


def by_pairs(events, times, risks):
    """Return Harrell's index by its definition; None if no two rows can be compared."""
    concordant = comparable = 0.0
    for i in range(len(times)):
        for j in range(len(times)):
            if events[i] and (times[j] > times[i] or (times[j] == times[i] and not events[j])):
                comparable += 1
                concordant += 1.0 if risks[i] > risks[j] else 0.5 if risks[i] == risks[j] else 0.0
    return concordant / comparable if comparable else None


@pytest.mark.parametrize("few_rows", [1, 2, 5, 256])
@given(ROWS)
@settings(max_examples=100, deadline=None)
def test_concordance_is_that_of_all_pairs(few_rows, rows):
    events, times, risks = (np.array(part) for part in zip(*rows, strict=True))
    expected = by_pairs(events, times, risks)
    y = np.column_stack([events, times])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(metrics_module, "_FEW_ROWS", few_rows)
        if expected is None:
            with pytest.raises(ValueError, match="No two rows of y can be compared"):
                concordance_index(y, risks)
        else:
            assert concordance_index(y, risks) == pytest.approx(expected)


def test_concordance_of_many_rows():
    rng = np.random.default_rng(0)
    y, risks = np.column_stack([rng.integers(0, 2, 3000), rng.integers(0, 500, 3000)]), rng.integers(0, 9, 3000)
    events, times = y[:, 0].astype(bool), y[:, 1]
    is_pair = events[:, None] & ((times > times[:, None]) | ((times == times[:, None]) & ~events))
    right = (is_pair * ((risks[:, None] > risks) + 0.5 * (risks[:, None] == risks))).sum()
    assert concordance_index(y, risks) == pytest.approx(right / is_pair.sum())


def uncensored(events, times, time, *, before):
    """Return the share that is not censored up to a time, or before it; events come before censoring."""
    share = 1.0
    for at in np.unique(times[~events]):
        if at < time or (at == time and not before):
            at_risk = (times > at).sum() + ((times == at) & ~events).sum()
            share *= 1 - ((times == at) & ~events).sum() / at_risk
    return share


def test_brier_score_is_that_of_its_definition():
    rng = np.random.default_rng(1)
    for _ in range(20):
        n_rows, at = 25, np.array([1.0, 2.5, 4.0])
        events, times = rng.random(n_rows) < 0.6, rng.integers(0, 7, n_rows).astype(float)
        events[0], times[0] = False, 9.0
        y, survival = np.column_stack([events, times]), rng.random((n_rows, 3))
        expected = []
        for column, time in enumerate(at):
            total = 0.0
            for row in range(n_rows):
                if events[row] and times[row] <= time:
                    total += survival[row, column] ** 2 / uncensored(events, times, times[row], before=True)
                elif times[row] > time:
                    total += (1 - survival[row, column]) ** 2 / uncensored(events, times, time, before=False)
            expected.append(total / n_rows)
        np.testing.assert_allclose(brier_score(y, y, survival, at), expected)
        steps = np.diff(at) * (np.array(expected[1:]) + expected[:-1]) / 2
        assert integrated_brier_score(y, y, survival, at) == pytest.approx(steps.sum() / 3)


def test_true_curves_score_better_than_none():
    rng = np.random.default_rng(2)
    rate = rng.choice([0.2, 2.0], 2000)
    event, end = rng.exponential(1 / rate), rng.exponential(4, 2000)
    y, at = np.column_stack([event <= end, np.minimum(event, end)]), np.linspace(0.1, 3, 20)
    truth = integrated_brier_score(y, y, np.exp(-np.outer(rate, at)), at)
    everywhere = np.tile(np.exp(-np.outer(rate, at)).mean(axis=0), (2000, 1))
    assert truth < 0.9 * integrated_brier_score(y, y, everywhere, at)


Y = [[1, 2.0], [1, 4.0], [0, 6.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: concordance_index(Y, [1.0, 2.0]), r"risk has the shape \(2,\), but y has 3 rows"),
        (lambda: concordance_index(Y, [1.0, np.nan, 2.0]), "risk is nan in row 1"),
        (lambda: concordance_index([[0, 1.0], [0, 2.0]], [1, 2]), "No two rows of y can be compared"),
        (lambda: brier_score(Y, Y, [[0.5]] * 3, [3, 2]), "finite number, in increasing order"),
        (lambda: brier_score(Y, Y, [[0.5]] * 2, [3]), r"survival has the shape \(2, 1\); expected \(3, 1\)"),
        (lambda: brier_score(Y, Y, [[1.5]] * 3, [3]), "probabilities from 0 to 1"),
        (lambda: brier_score(Y, [[1, 9.0]] * 3, [[0.5]] * 3, [7]), "times must be below 6"),
        (lambda: integrated_brier_score(Y, Y, [[0.5]] * 3, [3]), "at least two times"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_curves_of_rows_are_read_at_the_times():
    y, times = [[1, 2.0], [1, 4.0], [0, 6.0]], [3, 5]
    curves = [StepFunction(np.array([1.0, 4.0]), np.array(ends), 1.0) for ends in ([0.2, 0.1], [0.9, 0.3], [0.9, 0.8])]
    at = [curve(times) for curve in curves]
    as_objects = np.empty(3, dtype=object)
    as_objects[:] = curves
    for given_curves in (curves, as_objects):
        assert brier_score(y, y, given_curves, times).tolist() == brier_score(y, y, at, times).tolist()
        assert integrated_brier_score(y, y, given_curves, times) == integrated_brier_score(y, y, at, times)
    with pytest.raises(ValueError, match=r"survival has the shape \(2, 2\); expected \(3, 2\)"):
        brier_score(y, y, curves[:2], times)
