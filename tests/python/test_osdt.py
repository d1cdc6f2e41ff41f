"""OSDT as a user meets it."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_iris

from hornbeam import GOSDTClassifier, NotProvenWarning, OSDTClassifier, Progress, plot_trace
from hornbeam.datasets import load_monk, load_tic_tac_toe

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"policy": "lower_bound", "start": None},
        {"objective": "balanced", "max_depth": 2},
        {"objective": "cost", "cost_matrix": [[0, 1, 2], [3, 0, 1], [1, 1, 0]], "max_leaves": 3},
        {"class_weight": {0: 2, 1: 1, 2: 0.5}, "min_samples_leaf": 30},
    ],
    ids=str,
)
def test_its_optimum_is_that_of_the_other_search(parameters):
    X, y = IRIS
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    shared = {name: value for name, value in parameters.items() if name not in ("policy", "start")}
    found = OSDTClassifier(0.05, binarizer="quantile", **parameters).fit(X, y, weights)
    exact = GOSDTClassifier(0.05, binarizer="quantile", **shared).fit(X, y, weights)
    assert found.status_ == exact.status_ == "optimal"
    assert found.objective_ == found.lower_bound_ == exact.objective_
    assert found.loss_ + found.regularization_ * found.n_leaves_ == pytest.approx(found.objective_)


def test_the_start_is_a_tree_of_cart_and_never_worse_than_a_leaf():
    X, y = IRIS
    by_cart, by_leaf = (
        OSDTClassifier(0.05, start=start, trace=True).fit(X, y).trace_[0].objective for start in ("cart", None)
    )
    assert by_cart < by_leaf == pytest.approx(2 / 3 + 0.05)
    assert OSDTClassifier(0.45, binarizer=None, trace=True).fit([[0], [1]], [0, 1]).trace_[0].objective <= 0.95


def test_no_start_is_grown_where_it_could_only_be_a_leaf():
    X, y = IRIS
    for limits in ({"max_depth": 0}, {"max_leaves": 1}):
        assert OSDTClassifier(0.05, **limits).fit(X, y).n_leaves_ == 1
    assert OSDTClassifier(0.6, binarizer=None).fit([[0], [1]], [0, 1]).n_leaves_ == 1


def test_a_search_that_is_stopped_warns_and_keeps_its_tree():
    X, y = load_tic_tac_toe(return_X_y=True)
    with pytest.warns(NotProvenWarning, match="memory_limit"):
        stopped = OSDTClassifier(0.001, memory_limit=10**6).fit(X, y)
    assert stopped.lower_bound_ < stopped.objective_
    assert stopped.predict(X).shape == (len(y),)


def test_a_random_order_is_repeated_with_the_same_state_and_has_the_same_optimum():
    X, y = load_monk(1, return_X_y=True)
    found = [OSDTClassifier(0.02, "random", random_state=state).fit(X, y) for state in (1, 1, 2, 3)]
    queued = [classifier.statistics_["subproblems"] for classifier in found]
    assert queued[0] == queued[1]
    assert len(set(queued)) > 1
    assert {classifier.objective_ for classifier in found} == {GOSDTClassifier(0.02).fit(X, y).objective_}


def test_a_limit_on_expansions_warns_and_keeps_the_tree_with_a_true_interval():
    X, y = load_monk(1, return_X_y=True)
    with pytest.warns(NotProvenWarning, match="raise max_expansions"):
        stopped = OSDTClassifier(0.02, max_expansions=2, start=None).fit(X, y)
    assert stopped.status_ == "expansion_limit"
    assert stopped.lower_bound_ <= GOSDTClassifier(0.02).fit(X, y).objective_ <= stopped.objective_


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"random_state": "x"}, ValueError, "random_state must be None, an integer"),
        ({"max_expansions": 0}, ValueError, "max_expansions must be at least 1"),
        ({"policy": "best"}, ValueError, "policy must be one of 'curiosity'"),
        ({"policy": 1}, ValueError, "policy must be one of"),
        ({"start": "gosdt"}, ValueError, "start must be 'cart' or None, got 'gosdt'"),
        ({"bounds": {"pair_stage": False}}, ValueError, "bounds has the unknown key 'pair_stage'"),
        ({"bounds": ["lookahead"]}, TypeError, "bounds must be None or a dict"),
        ({"max_leaves": 0}, ValueError, "max_leaves must be at least 1"),
        ({"gap_limit": 1.0}, ValueError, "gap_limit must be at least 0 and less than 1"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, error, said):
    with pytest.raises(error, match=said):
        OSDTClassifier(**parameters).fit([[0], [1]], [0, 1])


@pytest.fixture
def traces():
    X, y = load_monk(1, return_X_y=True)
    yield {
        policy: OSDTClassifier(0.02, policy=policy, start=None, trace=True).fit(X, y).trace_
        for policy in ("curiosity", "lower_bound")
    }
    plt.close("all")


def test_a_trace_is_drawn_with_objective_bound_and_a_star_at_the_best_tree(traces):
    axes = plot_trace(traces)
    assert len(axes.lines) == 3 * len(traces)
    objective, bound, star = axes.lines[:3]
    trace = traces["curiosity"]
    assert objective.get_ydata().tolist() == [point.objective for point in trace]
    assert bound.get_ydata().tolist() == [point.lower_bound for point in trace]
    assert star.get_ydata().tolist() == [trace[-1].objective]
    assert star.get_xdata()[0] == min(point.elapsed for point in trace if point.objective == trace[-1].objective)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["curiosity", "lower_bound", "objective", "lower bound", "best tree found"]
    _, own = plt.subplots()
    assert plot_trace(traces["curiosity"], own, against="subproblems") is own
    assert own.get_xlabel() == "subproblems"


@pytest.mark.parametrize("last", [5, 20, 90, 500, 10**6])
def test_a_logarithmic_axis_has_at_least_two_numbers(last):
    trace = [Progress(0.0, 1.0, 0.0, 1.0, at, 0, 2) for at in (4, last)]
    axes = plot_trace(trace, against="subproblems")
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert 2 <= len(shown) <= 7


def test_a_trace_that_cannot_be_drawn_is_refused(traces):
    with pytest.raises(ValueError, match="is empty"):
        plot_trace([])
    with pytest.raises(ValueError, match="against must be one of 'elapsed'"):
        plot_trace(traces, against="gap")
