"""Properties of the optimum that need no answer: what may change in a problem without changing its solution."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.solving import check_tree, solve
from oracles.problems import Problem

Bits = st.integers(0, 1)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw a problem that is larger than what brute force can take."""
    n_rows, n_columns = draw(st.integers(1, 40)), draw(st.integers(0, 8))
    n_classes, n_predictions = draw(st.integers(1, 4)), draw(st.integers(1, 4))

    def lists(elements: st.SearchStrategy, length: int) -> st.SearchStrategy:
        return st.lists(elements, min_size=length, max_size=length)

    return Problem(
        rows=draw(lists(lists(Bits, n_columns), n_rows)),
        classes=draw(lists(st.integers(0, n_classes - 1), n_rows)),
        weights=draw(lists(st.integers(1, draw(st.sampled_from([1, 4, 2**30]))), n_rows)),
        costs=draw(lists(lists(st.integers(0, 8), n_predictions), n_classes)),
        leaf_cost=draw(st.integers(0, 8)),
        max_depth=draw(st.sampled_from([None, None, 0, 1, 2, 3, 4])),
        max_leaves=draw(st.sampled_from([None, None, 1, 2, 3, 5])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 3])),
    )


def optimum(problem: Problem) -> int:
    """Return the optimum that the core proves; its tree is scored again from the rows."""
    outcome = solve(problem)
    assert (outcome["status"], outcome["lower"]) == ("optimal", outcome["upper"])
    check_tree(problem, outcome)
    return outcome["upper"]


@given(problems(), st.randoms(use_true_random=False))
def test_permuting_rows_keeps_the_optimum(problem, random):
    order = random.sample(range(len(problem.rows)), len(problem.rows))
    permuted = {name: [getattr(problem, name)[r] for r in order] for name in ("rows", "classes", "weights")}
    assert optimum(replace(problem, **permuted)) == optimum(problem)


@given(problems(), st.randoms(use_true_random=False))
def test_permuting_columns_keeps_the_optimum(problem, random):
    order = random.sample(range(len(problem.rows[0])), len(problem.rows[0]))
    assert optimum(replace(problem, rows=[[row[c] for c in order] for row in problem.rows])) == optimum(problem)


@given(problems(), st.integers(0, 255))
def test_flipping_columns_keeps_the_optimum(problem, flips):
    flipped = [[bit ^ (flips >> c & 1) for c, bit in enumerate(row)] for row in problem.rows]
    assert optimum(replace(problem, rows=flipped)) == optimum(problem)


@given(problems(), Bits, Bits)
def test_a_repeated_a_complementary_and_a_constant_column_keep_the_optimum(problem, which, constant):
    wider = [[*row, *(bit ^ 1 for bit in row[which : which + 1]), *row[:1], constant] for row in problem.rows]
    assert optimum(replace(problem, rows=wider)) == optimum(problem)


@given(problems(), st.permutations(range(4)), st.permutations(range(4)))
def test_renaming_classes_and_predictions_keeps_the_optimum(problem, class_order, prediction_order):
    n_classes, n_predictions = len(problem.costs), len(problem.costs[0])
    new_names = [c for c in class_order if c < n_classes]
    predictions = [k for k in prediction_order if k < n_predictions]
    costs = [[problem.costs[new_names.index(c)][k] for k in predictions] for c in range(n_classes)]
    renamed = replace(problem, classes=[new_names[c] for c in problem.classes], costs=costs)
    assert optimum(renamed) == optimum(problem)


@given(problems(), st.integers(2, 5))
def test_repeating_all_rows_and_scaling_the_leaf_cost_scales_the_optimum(problem, k):
    repeated = {name: getattr(problem, name) * k for name in ("rows", "classes", "weights")}
    scaled = {"leaf_cost": k * problem.leaf_cost, "min_samples_leaf": k * problem.min_samples_leaf}
    assert optimum(replace(problem, **repeated, **scaled)) == k * optimum(problem)


@given(problems(), st.sampled_from([2, 3, 2**10]))
def test_scaling_weights_and_leaf_cost_scales_the_optimum(problem, k):
    weights = [k * weight for weight in problem.weights]
    assert optimum(replace(problem, weights=weights, leaf_cost=k * problem.leaf_cost)) == k * optimum(problem)


@given(problems(), st.sampled_from([2, 3, 2**10]))
def test_scaling_costs_and_leaf_cost_scales_the_optimum(problem, k):
    costs = [[k * cost for cost in row] for row in problem.costs]
    assert optimum(replace(problem, costs=costs, leaf_cost=k * problem.leaf_cost)) == k * optimum(problem)


@given(problems(), st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_adding_a_constant_to_the_costs_of_a_class_adds_it_for_each_unit_of_its_weight(problem, added):
    costs = [[cost + extra for cost in row] for row, extra in zip(problem.costs, added, strict=False)]
    offset = sum(weight * added[c] for weight, c in zip(problem.weights, problem.classes, strict=True))
    assert optimum(replace(problem, costs=costs)) == optimum(problem) + offset


@given(problems())
def test_merging_equal_rows_into_weights_keeps_the_optimum(problem):
    problem = replace(problem, min_samples_leaf=1)
    merged: Counter[tuple[tuple[int, ...], int]] = Counter()
    for row, c, weight in zip(problem.rows, problem.classes, problem.weights, strict=True):
        merged[tuple(row), c] += weight
    rows, classes = [list(row) for row, _ in merged], [c for _, c in merged]
    assert optimum(replace(problem, rows=rows, classes=classes, weights=list(merged.values()))) == optimum(problem)


@given(problems())
def test_splitting_rows_into_rows_of_smaller_weight_keeps_the_optimum(problem):
    problem = replace(problem, min_samples_leaf=1, weights=[weight + 1 for weight in problem.weights])
    parts = [part for weight in problem.weights for part in (1, weight - 1)]
    rows, classes = ([value for value in values for _ in range(2)] for values in (problem.rows, problem.classes))
    assert optimum(replace(problem, rows=rows, classes=classes, weights=parts)) == optimum(problem)


@given(problems())
@settings(max_examples=60)
@pytest.mark.parametrize("limit", ["max_depth", "max_leaves", "min_samples_leaf"])
def test_loosening_a_limit_never_raises_the_optimum_and_none_is_the_loosest(limit, problem):
    n_rows = len(problem.rows)
    order = {
        "max_depth": [0, 1, 2, 3, n_rows, None],
        "max_leaves": [1, 2, 3, 4, n_rows, None],
        "min_samples_leaf": [n_rows + 1, n_rows, 3, 2, 1],
    }[limit]
    found = [optimum(replace(problem, **{limit: value})) for value in order]
    assert found == sorted(found, reverse=True)
    assert found[-1] == found[-2] or limit == "min_samples_leaf"


@given(problems(), st.integers(0, 8))
def test_leaving_out_columns_never_lowers_the_optimum(problem, kept):
    assert optimum(replace(problem, rows=[row[:kept] for row in problem.rows])) >= optimum(problem)


@given(problems(), st.integers(1, 5))
def test_the_optimum_is_concave_in_the_leaf_cost(problem, step):
    low, middle, high = (optimum(replace(problem, leaf_cost=problem.leaf_cost + k * step)) for k in range(3))
    assert 0 <= high - middle <= middle - low
