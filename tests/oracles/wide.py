"""Problems with 9 to 20 columns and nearly equal rows. Hypothesis makes them and shrinks those that fail."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from oracles.problems import Problem, Table


@st.composite
def wide_rows(draw: st.DrawFn, least: int, most: int) -> Table:
    """Return 9 to 20 columns of copies of a few rows with up to two cells changed.

    Some columns equal an earlier column or its complement, in all rows or in all but one.
    """
    n_columns = draw(st.integers(9, 20))
    prototypes = draw(
        st.lists(st.lists(st.integers(0, 1), min_size=n_columns, max_size=n_columns), min_size=1, max_size=4)
    )
    changes = st.sets(st.integers(0, n_columns - 1), max_size=2)
    copies = draw(st.lists(st.tuples(st.sampled_from(prototypes), changes), min_size=least, max_size=most))
    rows = [[cell ^ (c in changed) for c, cell in enumerate(row)] for row, changed in copies]
    column, exception = st.integers(0, n_columns - 1), st.none() | st.integers(0, len(rows) - 1)
    for one, other, flips, except_for in draw(
        st.lists(st.tuples(column, column, st.integers(0, 1), exception), max_size=6)
    ):
        for r, row in enumerate(rows):
            row[max(one, other)] = row[min(one, other)] ^ (flips != (r == except_for))
    return rows


@st.composite
def wide_problems(draw: st.DrawFn, *, n_rows: tuple[int, int] = (4, 24), **limits: Any) -> Problem:
    """Return a problem on such rows, with unequal weights, two or three classes and errors of different cost."""
    rows = draw(wide_rows(*n_rows))
    n_classes = draw(st.integers(2, 3))
    classes = draw(st.lists(st.integers(0, n_classes - 1), min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.sampled_from([1, 1, 2, 5, 2**20]), min_size=len(rows), max_size=len(rows)))
    errors = draw(st.lists(st.integers(1, 4), min_size=n_classes, max_size=n_classes))
    costs = [[0 if k == c else errors[c] for k in range(n_classes)] for c in range(n_classes)]
    leaf_cost = Problem(rows, classes, weights, costs, 0).total() * draw(st.integers(0, 12)) // 100
    return Problem(rows, classes, weights, costs, leaf_cost, **limits)
