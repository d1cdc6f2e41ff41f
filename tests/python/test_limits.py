"""Limits of a whole fit: reading, making columns and searching share one budget, and memory is that of the process."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import hornbeam
from fork_server import fork_server
from hornbeam import NotProvenWarning
from hornbeam._budget import Budget
from hornbeam.binarizers import (
    Binarizer,
    ThresholdBinarizer,
    ThresholdGuessBinarizer,
    bin_within,
    evaluate_conditions,
    pack_conditions,
    pack_within,
)
from hornbeam.binarizers._packing import _room_for_bits
from hornbeam.conditions import AtMost, IsIn
from hornbeam.table import read_table

ESTIMATORS = {
    "gosdt": lambda **limits: hornbeam.GOSDTClassifier(**limits),
    "gosdt by order": lambda **limits: hornbeam.GOSDTClassifier(max_depth=3, **limits),
    "gosdt f1": lambda **limits: hornbeam.GOSDTClassifier(objective="f1", **limits),
    "gosdt auc": lambda **limits: hornbeam.GOSDTClassifier(objective="auc", **limits),
    "osdt": lambda **limits: hornbeam.OSDTClassifier(**limits),
    "osdt auc": lambda **limits: hornbeam.OSDTClassifier(objective="auc", **limits),
    "split": lambda **limits: hornbeam.SPLITClassifier(binarizer="exact", **limits),
    "licketysplit": lambda **limits: hornbeam.LicketySPLITClassifier(binarizer="exact", **limits),
    "maptree": lambda **limits: hornbeam.MAPTreeClassifier(**limits),
    "rashomon": lambda **limits: hornbeam.RashomonSetClassifier(binarizer="exact", max_depth=3, **limits),
    "resplit": lambda **limits: hornbeam.RashomonSetClassifier(binarizer="exact", method="resplit", **limits),
}


def numbers(n_rows, n_columns, n_values=None):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n_rows, n_columns)) if n_values is None else draw.integers(n_values, size=(n_rows, n_columns))
    return X, (X[:, 0] * X[:, 1] + 0.3 * draw.normal(size=n_rows) > 0).astype(int)


def interval(model):
    """Return the objective, or minus the log posterior, of the tree, and the bound below that of every tree."""
    if isinstance(model, hornbeam.MAPTreeClassifier):
        return -model.log_posterior_, -model.upper_bound_
    return model.objective_, model.lower_bound_


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"memory_limit": 0}])
def test_a_limit_of_0_gives_a_leaf_and_a_bound_below_the_optimum(name, limit):
    X, y = numbers(40, 3, n_values=3)
    with pytest.warns(NotProvenWarning):
        model = ESTIMATORS[name](**limit).fit(X, y)
    assert model.status_ == next(iter(limit))
    assert model.n_leaves_ == 1
    assert len(model.predict(X)) == 40
    whole = ESTIMATORS[name]().fit(X, y)
    objective, bound = interval(model)
    optimum, proven = interval(whole)
    assert bound <= proven + 1e-12
    assert optimum <= objective


class Endless(Binarizer):
    """Finds thresholds for ever, or until it is stopped."""

    def _find_conditions(self, table, y, weights):
        self.n_found_ = 0
        while True:
            self.n_found_ += 1
            yield AtMost(0, self.n_found_ / 7)


@pytest.mark.parametrize("estimator", [hornbeam.GOSDTClassifier, hornbeam.MAPTreeClassifier, hornbeam.SPLITClassifier])
def test_the_time_limit_ends_the_search_for_conditions(estimator):
    X, y = numbers(40, 3)
    with pytest.warns(NotProvenWarning):
        model = estimator(binarizer=Endless(), time_limit=0).fit(X, y)
    assert model.status_ == "time_limit"
    assert model.binarizer_.n_found_ == len(model.binarizer_.conditions_) == 1


class CountedTree(DecisionTreeClassifier):
    n_fits = 0

    def fit(self, *arguments, **options):
        CountedTree.n_fits += 1
        return super().fit(*arguments, **options)


def test_no_reference_is_fitted_after_the_time_limit():
    X, y = numbers(40, 3)
    CountedTree.n_fits = 0
    binarizer = ThresholdGuessBinarizer(CountedTree(max_depth=2))
    with pytest.warns(NotProvenWarning):
        model = hornbeam.GOSDTClassifier(binarizer=binarizer, reference="binarizer", time_limit=0).fit(X, y)
    assert CountedTree.n_fits == 0
    assert model.n_leaves_ == 1


class Clock(Budget):
    """A budget whose time is over after so many calls."""

    def __init__(self, n_calls):
        super().__init__(time_limit=1e9)
        self.n_calls = n_calls

    def seconds(self):
        self.n_calls -= 1
        return 0.0 if self.n_calls < 0 else 1e9

    def part(self, share):
        return self


def test_boosting_ends_between_two_rounds():
    X, y = numbers(200, 3)
    whole = ThresholdGuessBinarizer()._fit_rows(read_table(X), y, np.ones(200), Budget(time_limit=1e9))
    assert whole.conditions_ == ThresholdGuessBinarizer().fit(X, y).conditions_
    partly = ThresholdGuessBinarizer()._fit_rows(read_table(X), y, np.ones(200), Clock(5))
    assert 0 < len(partly.conditions_) <= 5
    assert not hasattr(partly, "reference_")


def test_packed_answers_are_those_of_every_condition():
    draw = np.random.default_rng(1)
    names = np.array(["a", "b", "c", None, "d"], dtype=object)
    for n_rows in (1, 7, 8, 61, 300):
        values = np.where(draw.random(n_rows) < 0.2, np.nan, draw.normal(size=n_rows).round(2))
        rows = [[value, names[draw.integers(5)], draw.integers(3)] for value in values]
        table = read_table(np.array(rows, dtype=object))
        conditions = ThresholdBinarizer().fit(table).conditions_
        expected = np.array([condition.holds(table.column(condition.column)) for condition in conditions], dtype=bool)
        packed = pack_conditions(conditions, table)
        if len(conditions) > 0:
            np.testing.assert_array_equal(packed, np.packbits(expected, axis=1, bitorder="little"))
            np.testing.assert_array_equal(np.array(list(evaluate_conditions(conditions, table))), expected)


def test_categories_that_repeat_are_evaluated_each_time():
    table = read_table(np.array([["a"], ["b"], [None]], dtype=object))
    conditions = hornbeam.binarizers.Conditions(
        [IsIn(0, ("a",)), IsIn(0, ("a",)), IsIn(0, ("b",)), IsIn(0, ("a", "b"))]
    )
    assert [answers.tolist() for answers in evaluate_conditions(conditions, table)] == [
        [True, False, False],
        [True, False, False],
        [False, True, False],
        [True, True, False],
    ]


def test_columns_that_do_not_fit_are_not_packed():
    X, _ = numbers(1000, 4)
    table = read_table(X)
    conditions = ThresholdBinarizer().fit(table).conditions_
    budget = Budget(memory_limit=125 * len(conditions) - 1)
    assert len(pack_within(conditions, table, budget)) == 1
    assert budget.is_spent()
    assert len(pack_within(conditions, table, Budget(memory_limit=125 * len(conditions)))) == len(conditions)
    assert len(pack_within(conditions, table, Clock(2))) == 1


def test_columns_are_still_binned_for_a_tree_when_only_the_time_is_over():
    X, _ = numbers(1000, 4)
    table = read_table(X)
    conditions = ThresholdBinarizer().fit(table).conditions_
    for budget, n_late, n_runs in (
        (Budget(), 1, 4),
        (Budget(0), 2999, 2),
        (Budget(0), 1, 1),
        (Budget(0, memory_limit=0), 4000, 1),
        (Budget(0, memory_limit=4 * 4000 - 1), 4000, 1),
    ):
        assert bin_within(conditions, table, budget, n_late)[0].shape == (n_runs, 1000)


MEASURE = """
import json, sys, warnings
import numpy as np
sys.path[:0] = sys.argv[1:3]
from test_limits import ESTIMATORS, numbers

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

warnings.simplefilter("ignore")
make, limit = ESTIMATORS[sys.argv[3]], int(sys.argv[4])
X, y = numbers(60, 3)
make(time_limit=0.1).fit(X, y)  # imports, and what a first fit leaves
X, y = numbers(2000, 6)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = peak()
model = make(memory_limit=limit, time_limit=0.8).fit(X, y)
print(json.dumps([peak() - before, model.status_]))
"""

# What is not counted: memory that the allocator keeps from the search before, the table, classes and weights of the
# rows, scratch space of one kernel, blocks of the allocator.
UNCOUNTED = 16_000_000


@pytest.fixture(scope="module")
def run_in_fork():
    with fork_server(sys.executable, "hornbeam") as run:
        yield run


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of the process from /proc")
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("limit", [20_000_000])
def test_the_process_grows_by_no_more_than_the_memory_limit(name, limit, run_in_fork, tmp_path):
    script = tmp_path / "measure.py"
    script.write_text(MEASURE)
    done = run_in_fork(script, *Path(__file__).parents[:2], name, limit, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    growth, status = json.loads(done.stdout)
    assert growth <= limit + UNCOUNTED, status


def test_a_budget_ends_when_it_is_told_to():
    answers = iter([False, True])
    budget = Budget(time_limit=1e9)
    budget.end_when(lambda: next(answers, False))
    assert not budget.is_spent()
    assert budget.is_spent()
    assert budget.is_spent()  # for good


def test_a_stop_between_the_optimum_and_the_set_leaves_the_set_empty():
    X, y = numbers(200, 3)
    gaps = []

    def stop_once_proven(progress):
        gaps.append(progress.gap)
        return progress.gap == 0

    model = hornbeam.RashomonSetClassifier(binarizer="exact", max_depth=2, callback=stop_once_proven)
    with pytest.warns(NotProvenWarning):
        model.fit(X, y)
    assert model.status_ == "interrupted"
    assert model.rashomon_set_.n_trees == 0
    assert gaps.count(0) == 1
    assert model.statistics_["set_bytes"] < len(model.binarizer_.conditions_) * 25  # no columns were packed for it


def test_bits_that_the_machine_has_no_room_for_are_refused_with_what_helps():
    class ManyRows:
        n_rows = 10**9

    with pytest.raises(MemoryError, match=r'X has 1,000,000,000 conditions on .* binarizer="quantile"'):
        _room_for_bits(range(10**9), ManyRows)


def test_a_warning_tells_reading_from_searching_where_reading_took_longer():
    with pytest.warns(NotProvenWarning):
        classifier = hornbeam.GOSDTClassifier(time_limit=0).fit(*numbers(200, 2))
    classifier.time_limit = 2
    classifier.statistics_.update(seconds=0.25, binarize_seconds=1.75, bytes=2_000_000)
    assert classifier._describe_end() == (
        "status 'time_limit', time_limit=2, 0.2 s of search after 1.8 s for reading X, 2.0 MB"
    )
    classifier.statistics_.update(seconds=1.9, binarize_seconds=0.1)
    assert classifier._describe_end() == "status 'time_limit', time_limit=2, 1.9 s, 2.0 MB"
