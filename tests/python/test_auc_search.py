"""The search for the AUC by sums proves what brute force finds, within all limits, and ends where it is told to."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, OSDTClassifier, _core
from hornbeam.datasets import load_tic_tac_toe
from hornbeam.fitting.search import BOUNDS
from hornbeam.reductions import auc_search
from hornbeam.reductions.auc_scale import AucScale, _half_pair_cost
from hornbeam.reductions.auc_search import AucSearch
from hornbeam.reductions.curve_mixture import CurveMixture
from interrupts import ctrl_c_when_called
from oracles.problems import random_table
from oracles.ranking import all_partitions, optimal_partial_cost

LIMITS: list[dict[str, int]] = [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}]


def random_search(seed: int, **options: Any) -> tuple[AucSearch, dict[str, Any]]:
    """Return a search, and the problem as brute force takes it."""
    draw = random.Random(seed)
    rows = random_table(draw, draw.randint(2, 9), draw.randint(1, 3))
    classes = [0, 1, *(draw.randint(0, 1) for _ in rows[2:])]
    weights = [draw.choice([1, 1, 1, 2, 5]) for _ in rows]
    positive = sum(w for w, c in zip(weights, classes, strict=True) if c)
    negative = sum(weights) - positive
    pairs = 2 * positive * negative
    half_pair_cost = 1 << draw.choice([0, 1, 7, 20, 51 - pairs.bit_length()])
    leaf_cost = draw.choice(
        [0, 1, half_pair_cost * pairs // 40, half_pair_cost * pairs // 20, half_pair_cost * pairs // 8]
    )
    whole = negative << _core.FALSE_POSITIVE_BITS
    max_false_positives = draw.choice([whole, whole, 1, 1 << _core.FALSE_POSITIVE_BITS, draw.randint(1, whole)])
    scale = AucScale(np.array(weights), half_pair_cost, leaf_cost, max_false_positives, half_pair_cost * pairs)
    packed = np.packbits(np.array(rows, dtype=np.uint8).T, axis=1, bitorder="little")
    columns = _core.PackedColumns(np.ascontiguousarray(packed), len(rows))
    codes = np.array(classes, dtype=np.int32)
    problem = {"rows": rows, "classes": classes, "weights": weights, "leaf_cost": leaf_cost}
    problem |= {"half_pair_cost": half_pair_cost, "max_false_positives": max_false_positives}
    return AucSearch(columns, codes, scale, _core.SearchOptions(**options)), problem


def run(search: AucSearch, **options: Any) -> Any:
    return search(**{"callback": None, "trace": False, **options})


def leaves_of(problem: dict[str, Any], tree: Any) -> list[list[int]]:
    """Return the rows in each leaf, by the columns of the tree."""
    leaves: dict[int, list[int]] = {}
    for number, row in enumerate(problem["rows"]):
        node = 0
        while tree["column"][node] >= 0:
            node = int((tree["left"] if row[tree["column"][node]] else tree["right"])[node])
        leaves.setdefault(node, []).append(number)
    return list(leaves.values())


@pytest.mark.parametrize("first", range(0, 200, 50))
@pytest.mark.parametrize("limits", LIMITS)
def test_the_optimum_is_that_of_brute_force(limits, first):
    for seed in range(first, first + 50):
        search, problem = random_search(seed, **limits)
        outcome = run(search)
        optimum = optimal_partial_cost(**problem, **limits)
        assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum), (seed, problem)
        leaves = frozenset(map(frozenset, leaves_of(problem, outcome["tree"])))
        assert leaves in all_partitions(problem["rows"], **limits)


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_switched_off_does_not_change_the_optimum(bound):
    for seed in range(1000, 1025):
        search, problem = random_search(seed, bounds={bound: False})
        assert run(search)["upper"] == optimal_partial_cost(**problem), seed


def test_any_tangent_bounds_every_tree():
    """Whatever concave curve it is taken at, however coarse."""
    draw = np.random.default_rng(0)
    for seed in range(150):
        search, problem = random_search(seed)
        run(search)  # knows the rows now
        corners = np.sort(draw.random((draw.integers(0, 4), 2)), axis=0)
        corners = np.concatenate([[[0, 0]], corners, [[1, 1]]])
        costs, base = search._tangent(corners)
        scale, classes, weights = search._scale, np.array(problem["classes"]), np.array(problem["weights"])
        for partition in all_partitions(problem["rows"]):
            members = [sorted(leaf) for leaf in partition]
            leaves = np.array([[weights[m][classes[m] == c].sum() for c in (0, 1)] for m in members])
            bound = int((leaves @ costs).min(axis=1).sum()) + scale.leaf_cost * len(leaves) + base
            assert bound <= scale.cost(leaves), (seed, corners)


def test_the_tangent_at_the_curve_of_a_tree_is_its_cost():
    for seed in range(150):
        search, problem = random_search(seed)
        whole = (
            sum(w for w, c in zip(problem["weights"], problem["classes"], strict=True) if not c)
            << _core.FALSE_POSITIVE_BITS
        )
        if problem["max_false_positives"] != whole:
            continue
        tree = run(search)["tree"]
        leaves = search._leaf_class_weights(tree)[tree["column"] < 0]
        mixture = CurveMixture(1.0, 0.0)
        mixture.add(leaves / leaves.sum(axis=0))
        costs, base = search._tangent(mixture.points(0.0))
        scale = search._scale
        if scale.cost(leaves) == scale.leaf_cost * len(leaves):
            continue  # a perfect tree has no slope but 0
        assert int((leaves @ costs).min(axis=1).sum()) + scale.leaf_cost * len(leaves) + base == scale.cost(leaves)


def test_moving_shares_lowers_the_loss_of_a_mixture_towards_its_best():
    draw = np.random.default_rng(1)
    for _ in range(20):
        mixture = CurveMixture(float(draw.choice([0.3, 1.0])), 0.02)
        for n_leaves in draw.integers(1, 6, 5):
            leaves = draw.random((n_leaves, 2))
            mixture.add(leaves / leaves.sum(axis=0))
        before = mixture.loss()
        mixture.improve(1e-6)
        assert mixture.loss() <= before
        best = mixture.loss()
        for _ in range(50):
            mixture._shares = draw.dirichlet(np.ones(len(mixture._shares)))
            assert mixture.loss() >= best - 1e-6


def test_both_searches_prove_the_same_optimum():
    draw = np.random.default_rng(2)
    for theta in (None, 0.3, 0.7):
        X = draw.integers(0, 2, (80, 6))
        y = (X[:, 0] & X[:, 1] | X[:, 2]) ^ (draw.random(80) < 0.2)
        parameters = {"objective": "auc" if theta is None else "partial_auc", "theta": theta, "binarizer": None}
        sums, sets = (Model(0.02, **parameters).fit(X, y) for Model in (GOSDTClassifier, OSDTClassifier))
        assert sums.status_ == sets.status_ == "optimal"
        assert sums.objective_ == sets.objective_


HARD, LABELS = load_tic_tac_toe(return_X_y=True)


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ({"time_limit": 0.0}, "time_limit"),
        ({"time_limit": 0.3}, "time_limit"),
        ({"memory_limit": 100_000}, "memory_limit"),
        ({"gap_limit": 0.5}, "gap_limit"),
        ({"callback": lambda progress: progress.lower_bound > 0}, "interrupted"),
    ],
)
@pytest.mark.filterwarnings("ignore::hornbeam.exceptions.NotProvenWarning")
def test_a_limit_ends_with_a_tree_and_a_true_gap(limit, status):
    model = GOSDTClassifier(0.001, objective="auc", binarizer="exact", trace=True, **limit).fit(HARD, LABELS)
    assert model.status_ == status
    assert 0 <= model.lower_bound_ < model.objective_ <= 0.51
    assert model.trace_[-1].objective == model.objective_
    for earlier, later in itertools.pairwise(model.trace_):
        assert later.objective <= earlier.objective
        assert later.lower_bound >= earlier.lower_bound


@pytest.mark.filterwarnings("ignore::hornbeam.exceptions.NotProvenWarning")
def test_ctrl_c_ends_with_the_best_tree():
    with ctrl_c_when_called() as called:
        model = GOSDTClassifier(0.001, objective="auc", callback=called, time_limit=20)
        model.fit(HARD, LABELS)
    assert model.status_ == "interrupted"
    assert model.lower_bound_ <= model.objective_


def test_the_cost_of_leaves_is_that_of_brute_force_for_any_part_of_the_curve():
    for seed in range(100):
        search, problem = random_search(seed)
        single = replace(search._scale, leaf_cost=0)
        problem["leaf_cost"] = 0
        weights, classes = np.array(problem["weights"]), np.array(problem["classes"])
        leaf = np.array([[weights[classes == c].sum() for c in (0, 1)]])
        assert single.cost(leaf) == optimal_partial_cost(**problem, max_depth=0)


@pytest.mark.parametrize("theta", [None, 0.2])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.filterwarnings("ignore::hornbeam.exceptions.NotProvenWarning")
def test_the_heuristics_find_no_worse_tree_than_a_sweep_of_weights(theta, seed, monkeypatch):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(400, 4)).round(2)
    y = (X[:, 0] * X[:, 1] + X[:, 2] + draw.normal(size=400) > 1).astype(int)
    sample_weight = draw.integers(1, 4, 400) if seed % 2 else np.ones(400)
    searches = []

    def only_heuristics(search):
        searches.append(search)
        search._find_good_trees(search._ordered())
        return "time_limit"

    monkeypatch.setattr(auc_search, "_HEURISTIC_WORK", 1 << 22)
    monkeypatch.setattr(AucSearch, "_run", only_heuristics)
    objective = "auc" if theta is None else "partial_auc"
    model = GOSDTClassifier(0.005, objective=objective, theta=theta, time_limit=None, max_depth=6)
    model.fit(X, y, sample_weight=sample_weight)
    (search,) = searches
    scale = search._scale
    assert model.lower_bound_ < model.objective_ == scale.objective(search._upper)
    for omega, penalty in itertools.product([1, 2, 4], [0.005, 0.0125]):
        tree = LicketySPLITClassifier(penalty, 6, objective="weighted", omega=omega)
        tree.fit(X, y, sample_weight=sample_weight)
        _, groups = np.unique(tree.predict_proba(X)[:, 1], return_inverse=True)
        leaves = np.zeros((groups.max() + 1, 2), dtype=np.int64)
        np.add.at(leaves, (groups, y), scale.weights)
        more = tree.n_leaves_ - len(leaves)  # leaves of one probability
        assert search._upper <= scale.cost(leaves) + more * scale.leaf_cost, (omega, penalty)


def test_more_pairs_than_the_search_has_numbers_for_are_refused():
    assert _half_pair_cost("auc", (1 << 25) - 1, 1 << 25) == 1
    with pytest.raises(ValueError, match=r"objective='auc' counts pairs .* at most 2\^50 .* a polars LazyFrame"):
        _half_pair_cost("auc", 1 << 25, 1 << 25)
