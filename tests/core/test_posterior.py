"""The posterior search against the best of all trees in plain Python, and its anytime contract."""

import itertools

import numpy as np
import pytest

from core.calls import call
from core.posteriors import BITS, random_posterior, resolution, search
from hornbeam import _core
from oracles.posterior import Posterior


def nats(ticks, bits=BITS):
    return ticks * 2.0**-bits


@pytest.mark.parametrize("bits", [20, 40])
@pytest.mark.parametrize("first", range(0, 600, 100))
def test_map_tree_is_the_best_of_all_trees_up_to_the_resolution(bits, first):
    for seed in range(first, first + 100):
        matrix, classes, posterior = random_posterior(seed)
        outcome = search(matrix, classes, posterior, bits)
        best, error = posterior.best(posterior.all_rows), resolution(posterior, bits)
        assert outcome["status"] == "optimal"
        assert outcome["upper"] == outcome["lower"]
        assert nats(outcome["upper"], bits) == pytest.approx(best, abs=error, rel=0)
        assert posterior.score(outcome["tree"]) == pytest.approx(nats(outcome["upper"], bits), abs=error, rel=0)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_every_number_of_expansions_leaves_an_interval_around_the_optimum_and_a_tree(first):
    for seed in range(first, first + 20):
        matrix, classes, posterior = random_posterior(seed, n_rows=60, n_columns=7)
        best, error = posterior.best(posterior.all_rows), resolution(posterior)
        intervals = []
        for expansions in itertools.count(1):
            outcome = search(matrix, classes, posterior, max_expansions=expansions)
            lower, upper = nats(outcome["lower"]), nats(outcome["upper"])
            assert lower - error <= best <= upper + error
            assert posterior.score(outcome["tree"]) == pytest.approx(upper, abs=error, rel=0)
            intervals.append((lower, upper))
            if outcome["status"] == "optimal":
                break
            assert outcome["status"] == "expansion_limit"
            assert outcome["statistics"]["subproblems"] >= expansions
        assert intervals[-1] == pytest.approx((best, best), abs=error)


def test_without_the_bound_by_pairs_the_optimum_is_the_same_and_takes_more_expansions():
    draw = np.random.default_rng(3)
    matrix = draw.integers(0, 2, (400, 12))
    classes = np.where(matrix[:, 0] & matrix[:, 1], matrix[:, 2], np.where(matrix[:, 0], matrix[:, 3], matrix[:, 4]))
    posterior = Posterior(matrix, classes, [2.5, 2.5])
    on, off = (search(matrix, classes, posterior, bounds={"separated_pairs": value}) for value in (True, False))
    assert on["status"] == off["status"] == "optimal"
    assert on["upper"] == off["upper"]
    assert on["statistics"]["subproblems"] < off["statistics"]["subproblems"]


def hard():
    draw = np.random.default_rng(0)
    matrix = draw.integers(0, 2, (300, 30))
    classes = (matrix[:, 0] ^ matrix[:, 1] ^ (draw.random(300) < 0.2)).astype(int)
    return matrix, classes, Posterior(matrix, classes, [2.5, 2.5])


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        ({"time_limit": 0.0}, "time_limit"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"max_expansions": 3}, "expansion_limit"),
        ({"callback": lambda _: True}, "interrupted"),
    ],
)
def test_a_stop_says_why_and_leaves_a_tree(limits, status):
    matrix, classes, posterior = hard()
    outcome = search(matrix, classes, posterior, **limits)
    assert outcome["status"] == status
    assert 0 < outcome["lower"] < outcome["upper"]
    assert posterior.score(outcome["tree"]) == pytest.approx(nats(outcome["upper"]))


def greedy(posterior, rows, depth=0):
    """Return the cost and the leaves of the tree that splits where two leaves cost least, as long as that pays."""
    cost, columns = posterior.leaf(rows, depth), posterior.splits(rows)
    if not columns:
        return cost, 1
    split_cost = np.log(len(columns)) - np.log(posterior.p_split(depth))

    def leaves(column):  # no two rows are equal
        return sum(
            posterior.likelihood(each) - (len(each) > 1) * np.log1p(-posterior.p_split(depth + 1))
            for each in posterior.sides(rows, column)
        )

    column = min(columns, key=leaves)
    if split_cost + leaves(column) >= cost:
        return cost, 1
    below = [greedy(posterior, side, depth + 1) for side in posterior.sides(rows, column)]
    return min((cost, 1), (split_cost + sum(each for each, _ in below), sum(n for _, n in below)))


@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_is_stopped_early_has_a_tree_no_worse_than_the_greedy_one(seed):
    draw = np.random.default_rng(seed)
    numbers = draw.random((300, 2))
    matrix = np.hstack([numbers[:, [i]] <= np.arange(0.02, 1, 0.02) for i in range(2)]).astype(int)
    matrix = np.hstack([matrix, np.eye(300, dtype=int)])  # no two rows are equal
    heights = np.array([0.1, 0.9, 0.3, 0.7])[(4 * numbers[:, 0]).astype(int)]
    classes = (numbers[:, 1] < heights).astype(int)
    posterior = Posterior(matrix, classes, [2.5, 2.5])
    cost, n_leaves = greedy(posterior, posterior.all_rows)
    assert n_leaves > 4  # more than one expansion finds by itself
    outcome = search(matrix, classes, posterior, max_expansions=1)
    assert outcome["status"] == "expansion_limit"
    assert nats(outcome["upper"]) <= cost + resolution(posterior)


def test_the_trace_holds_a_falling_incumbent_and_a_rising_bound():
    matrix, classes, posterior = random_posterior(6, n_rows=200, n_columns=12)
    trace = search(matrix, classes, posterior, trace=True)["trace"]
    seconds, uppers, lowers, _, n_bytes, _ = zip(*trace, strict=True)
    assert list(seconds) == sorted(seconds)
    assert list(uppers) == sorted(uppers, reverse=True)
    assert list(lowers) == sorted(lowers)
    assert uppers[-1] == lowers[-1]
    assert min(n_bytes) > 0


def test_small_problem_of_a_known_optimum():
    """Two splits that only pay together: the cost, 13.5 nats, is counted by hand from the rules."""
    matrix = np.array([[0, 0]] * 10 + [[1, 0]] * 10 + [[1, 1]] * 20)
    classes = np.array([0] * 20 + [1] * 20)
    posterior = Posterior(matrix, classes, [1.0, 1.0])
    # A leaf of 20 rows of one class has likelihood 1/21 under rho = 1; the root may test either column, and the side
    # of column 1 that is left holds equal rows only where the column holds.
    by_hand = np.log(2) - np.log(0.95) + 2 * np.log(21) - np.log(1 - 0.95 / np.sqrt(2))
    outcome = search(matrix, classes, posterior)
    assert nats(outcome["upper"]) == pytest.approx(by_hand, abs=1e-9)
    assert outcome["tree"]["column"].tolist() == [1, -1, -1]


GOOD = {
    "columns": np.zeros((3, 1), np.uint8),
    "n_rows": 8,
    "class_codes": np.array([0, 1] * 4, np.int32),
    "weights": np.ones(8, np.int64),
    "alpha": 0.95,
    "beta": 0.5,
    "rho": np.array([2.5, 2.5]),
    "bits": 40,
}


def solve_given(**given):
    """Call the core."""
    return call(_core.solve_posterior, _core.PosteriorProblem, **given)


BAD = {
    "n_rows": [0, -1, 9],
    "class_codes": [np.zeros(7, np.int32), np.full(8, 2, np.int32), np.full(8, -1, np.int32)],
    "weights": [np.ones(7, np.int64), np.zeros(8, np.int64), np.full(8, 2**24)],
    "alpha": [0.0, 1.0, -0.5, float("nan")],
    "beta": [-0.1, float("inf"), float("nan")],
    "rho": [np.array([2.5]), np.array([0.0, 1.0]), np.array([1.0, float("nan")]), np.array([1.0, float("inf")])],
    "bits": [-1, 49],
    "max_depth": [-1],
    "time_limit": [-1.0, float("nan")],
    "memory_limit": [-1],
    "max_expansions": [0],
    "bounds": [{"packing": True}],
    "callback_interval": [-1.0],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_the_core_refuses_what_is_out_of_range(name, value):
    assert solve_given(**GOOD)["status"] == "optimal"
    with pytest.raises(ValueError, match=r"must|needed|needs|no bound"):
        solve_given(**{**GOOD, name: value})


def test_bits_that_leave_the_range_are_refused():
    many = {**GOOD, "weights": np.full(8, 10**6)}
    assert solve_given(**{**many, "bits": 30})["status"] == "optimal"
    with pytest.raises(ValueError, match="bits"):
        solve_given(**{**many, "bits": 48})


def test_a_pure_leaf_is_split_where_a_leaf_that_could_be_split_is_improbable():
    matrix, classes, posterior = random_posterior(300, n_rows=60, n_columns=7)
    outcome = search(matrix, classes, posterior)
    assert outcome["status"] == "optimal"
    assert outcome["upper"] == outcome["lower"]
