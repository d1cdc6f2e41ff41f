"""Start trees of GOSDTRegressor, and its first answers: no fit that is stopped is worse than pruned CART."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_array

from hornbeam import GOSDTClassifier, GOSDTRegressor, ThresholdBinarizer
from hornbeam.fitting.squares import make_squared_error_scale
from oracles.regression import squared_error

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def stopped(regularization: float, max_depth: int | None = None, **parameters) -> GOSDTRegressor:
    """Return a regressor whose search ends at its first report."""
    return GOSDTRegressor(regularization, max_depth, callback=lambda _: True, **parameters)


def cart_objective(columns, y, penalty: float, weights=None, **limits) -> float:
    """Return the objective of scikit-learn's tree, pruned for a leaf penalty."""
    variance = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)
    cart = DecisionTreeRegressor(ccp_alpha=penalty * variance, random_state=0, **limits).fit(columns, y, weights)
    return 1 - cart.score(columns, y, weights) + penalty * cart.get_n_leaves()


@pytest.mark.parametrize("penalty", [0.0005, 0.002, 0.01, 0.05])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"min_samples_leaf": 10}], ids=str)
def test_a_stopped_fit_is_never_worse_than_pruned_cart(diabetes, penalty, limits):
    X, y = diabetes
    regressor = stopped(penalty, **limits).fit(X, y)
    columns = regressor.binarizer_.transform(X)
    assert regressor.objective_ <= cart_objective(columns, y, penalty, **limits) + 1e-12
    assert 0 < regressor.lower_bound_ <= regressor.objective_


def test_with_every_threshold_it_is_scikit_learns_tree_of_the_table_itself(diabetes):
    X, y = diabetes
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    regressor = stopped(0.004, binarizer="exact").fit(X, y, weights)
    assert regressor.objective_ <= cart_objective(X, y, 0.004, weights) + 1e-12


def test_with_a_limit_on_leaves_it_is_no_worse_than_the_tree_grown_best_first(diabetes):
    X, y = diabetes
    regressor = stopped(0, max_leaves=12).fit(X, y)
    columns = regressor.binarizer_.transform(X)
    assert regressor.n_leaves_ <= 12
    assert regressor.objective_ <= cart_objective(columns, y, 0, max_leaf_nodes=12) + 1e-12


def test_without_heuristics_the_search_starts_from_a_worse_tree_and_finds_the_same_optimum(diabetes):
    X, y = diabetes
    assert stopped(0.002, bounds={"primal": False}).fit(X, y).objective_ > stopped(0.002).fit(X, y).objective_
    one, other = (GOSDTRegressor(0.02, 3, bounds={"primal": on}).fit(X, y) for on in (True, False))
    assert (one.status_, other.status_) == ("optimal", "optimal")
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-12)


@pytest.mark.parametrize("max_depth", [3, 5, 6])
@pytest.mark.parametrize("binarizer", [None, ThresholdBinarizer()], ids=["flags", "numbers"])
def test_a_limit_that_is_over_at_once_leaves_time_for_the_greedy_tree(max_depth, binarizer):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(500, 8))
    y = X[:, 0] + np.where((X[:, 1] > 0) & (X[:, 2] > 0.5), 2.0, 0.0) + draw.normal(size=500)
    table = X > 0 if binarizer is None else X
    fitted = GOSDTRegressor(0.002, max_depth, binarizer=binarizer, time_limit=1e-6).fit(table, y)
    greedy = cart_objective(fitted.binarizer_.transform(table), y, 0.002, max_depth=max_depth)
    assert fitted.n_leaves_ > 2
    assert fitted.objective_ <= greedy + 1e-12


def test_scikit_learn_copies_no_table(diabetes, monkeypatch):
    given = []
    grow = DecisionTreeRegressor.fit
    monkeypatch.setattr(DecisionTreeRegressor, "fit", lambda model, X, *y: given.append(X) or grow(model, X, *y))
    X, y = diabetes
    stopped(0.03, 3, loss="absolute_error").fit(X, y)
    assert np.shares_memory(check_array(given[0], dtype=np.float32), given[0])


def test_a_tree_grown_after_the_search_proves_what_it_attains():
    X = np.array([[0], [0], [1], [1]])
    stopped_fit = stopped(0.01, 1, trace=True).fit(X, [1.0, 1.0, 5.0, 5.0])
    assert stopped_fit.n_leaves_ == 2
    assert stopped_fit.objective_ == pytest.approx(0.02)
    assert stopped_fit.trace_[-1].objective == pytest.approx(stopped_fit.objective_)
    assert stopped_fit.status_ == "optimal"


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_bounds_never_fall_where_a_stopped_search_leaves_off(diabetes, depth):
    X, y = diabetes
    fitted = stopped(0.01, depth, trace=True).fit(X, y)
    bounds = [entry.lower_bound for entry in fitted.trace_]
    assert (np.diff(bounds) >= -1e-12).all()  # each is rounded down by itself
    assert 0 < bounds[-1] <= fitted.objective_


def test_rule_lists_start_from_rule_lists(diabetes):
    X, y = diabetes
    tree = stopped(0.002, shape="rule_list").fit(X, y).tree_
    inner = np.flatnonzero(tree.left >= 0)
    assert len(inner) > 1
    assert all(min(tree.left[tree.left[n]], tree.left[tree.right[n]]) < 0 for n in inner)


START_TREES = {
    "scikit-learn": lambda X, y: DecisionTreeRegressor(max_leaf_nodes=20, random_state=1).fit(X, y),
    "regressor": lambda X, y: GOSDTRegressor(0.005, 3, binarizer="exact", time_limit=2).fit(X, y),
    "tree": lambda X, y: GOSDTRegressor(0.01, 3).fit(X, y).tree_,
    "JSON": lambda X, y: GOSDTRegressor(0.01, 3).fit(X, y).tree_.to_json(),
    "parsed JSON": lambda X, y: json.loads(GOSDTRegressor(0.01, 3).fit(X, y).tree_.to_json()),
    "tree of classes": lambda X, y: GOSDTClassifier(0.01, 3, binarizer="quantile").fit(X, y > 140),
}


@pytest.mark.parametrize("kind", START_TREES)
def test_no_fit_is_worse_than_its_start_tree(diabetes, kind):
    X, y = diabetes
    start = START_TREES[kind](X, y)
    regressor = stopped(0.003, start_tree=start, binarizer=ThresholdBinarizer("quantile", 2)).fit(X, y)
    if hasattr(start, "score") and kind != "tree of classes":
        loss, n_leaves = 1 - start.score(X, y), start.get_n_leaves()
        assert regressor.objective_ <= loss + 0.003 * n_leaves + 1e-12
    # The search ends with a proof, which is about the columns of the binarizer and the conditions of the tree.
    proven = GOSDTRegressor(0.03, 3, start_tree=start).fit(X, y)
    plain = GOSDTRegressor(0.03, 3).fit(X, y)
    assert proven.status_ == "optimal"
    assert proven.objective_ <= plain.objective_ + 1e-12


def test_warm_start_goes_on_from_the_last_tree(diabetes):
    X, y = diabetes
    regressor = GOSDTRegressor(0.005, 4, binarizer="exact", time_limit=1).fit(X, y)
    before = regressor.objective_
    again = regressor.set_params(
        warm_start=True, binarizer="quantile", callback=lambda _: True, bounds={"primal": False}
    ).fit(X, y)
    assert again.objective_ <= before + 1e-12


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        (LinearRegression().fit([[0], [1]], [0, 1]), ValueError, "which has no tree"),
        (DecisionTreeRegressor(), ValueError, "must be fitted"),
        (RandomForestRegressor(2).fit([[0], [1]], [0, 1]), ValueError, "which has no tree"),
        ("{}", ValueError, "start_tree is not JSON"),
        (7, TypeError, "start_tree must be a Tree"),
        (DecisionTreeRegressor().fit([[0, 0], [1, 1]], [0, 1]), ValueError, "tree on 2 columns, but X has 1"),
    ],
    ids=["linear", "unfitted", "forest", "text", "number", "columns"],
)
def test_what_is_no_start_tree_is_refused(start, error, message):
    with pytest.raises(error, match=message):
        GOSDTRegressor(start_tree=start).fit([[0], [1], [2]], [1.0, 2.0, 4.0])


def test_warm_start_is_true_or_false():
    with pytest.raises(TypeError, match="warm_start must be True or False"):
        GOSDTRegressor(warm_start="yes").fit([[0], [1]], [0, 1])


def test_losses_of_nodes_are_exact_where_float64_is_not():
    draw = random.Random(4)
    targets = np.array([draw.randrange(10**6) for _ in range(4000)], dtype=float)
    scale = make_squared_error_scale(targets, np.ones(4000, dtype=np.int64), 0.01)
    side = np.arange(4000) % 3 == 0
    whole = {
        "column": np.array([0, -1, -1], dtype=np.int32),
        "left": np.array([1, -1, -1], dtype=np.int32),
        "right": np.array([2, -1, -1], dtype=np.int32),
        "prediction": np.zeros(3, dtype=np.int32),
        "leaf_of_row": np.where(side, 1, 2).astype(np.int32),
    }
    units = [Fraction(int(one)) for one in scale.sums[:, 1]]
    assert scale.sums[:, 2].sum() > 2**54
    for node, rows in enumerate((np.full(4000, True), side, ~side)):
        mine = [unit for unit, is_in in zip(units, rows, strict=True) if is_in]
        prediction = int(scale.best_predictions(whole)[node])
        loss = int(scale.losses_of_nodes(whole)[node])
        assert loss == sum((unit - prediction) ** 2 for unit in mine) == scale.loss_of_leaf(np.flatnonzero(rows))
        assert 0 <= loss - squared_error(mine, [Fraction(1)] * len(mine)) <= Fraction(len(mine), 4)
