"""GOSDTClassifier(objective="f1") against brute force over all trees and all labels of their leaves."""

import random
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import f1_score

from hornbeam import GOSDTClassifier, SPLITClassifier
from hornbeam.datasets import load_balance_scale, load_monk
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting import scales
from hornbeam.fitting.search import BOUNDS
from hornbeam.reductions import fscore
from oracles.exhaustive import all_trees, members_of_nodes
from oracles.fscore import all_mistakes, cost
from oracles.problems import random_classes, random_table, random_two_classes

PRICES = [0, Fraction(1, 100), Fraction(1, 50), Fraction(1, 20), Fraction(1, 13), Fraction(1, 10), Fraction(1, 2)]
LIMITS = [{}, {}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}]

# Two leaves that miss some positives, or five that find them all by two columns of which neither helps alone: what
# three and four leaves can reach is within the convex hull of these.
HULL = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]], dtype=np.uint8)
HULL_CLASSES, HULL_WEIGHTS = [1, 0, 1, 1, 0], [10, 20, 3, 3, 20]


def draw_problem(seed):
    draw = random.Random(seed)
    table, classes, weights = random_two_classes(draw, (2, 11), (1, 4))
    return table, classes, weights, draw.choice([*PRICES, Fraction(draw.randint(1, 999), 10**4)]), draw.choice(LIMITS)


def positive_weight(classes, weights):
    return sum(weight for label, weight in zip(classes, weights, strict=True) if label)


def optimum(table, classes, weights, penalty, **limits):
    found = all_mistakes(table, classes, weights, **limits)
    return min(cost(one, positive_weight(classes, weights), Fraction(penalty)) for one in found)


def fit(table, classes, weights, penalty, **parameters):
    parameters = {"objective": "f1", "binarizer": None, **parameters}
    return GOSDTClassifier(penalty, **parameters).fit(np.array(table, dtype=np.uint8), classes, sample_weight=weights)


def cost_of(classifier, table, classes, weights, penalty):
    """Score the fitted tree from the rows, exactly."""
    found = zip(classifier.predict(np.array(table, dtype=np.uint8)), classes, weights, strict=True)
    wrong = [(label, weight) for predicted, label, weight in found if predicted != label]
    false_negatives = sum(weight for label, weight in wrong if label)
    false_positives = sum(weight for label, weight in wrong if not label)
    mistakes = (false_positives, false_negatives, classifier.n_leaves_)
    return cost(mistakes, positive_weight(classes, weights), Fraction(penalty))


def assert_optimal(seed, tie=None, **parameters):
    """Compare with brute force, at a leaf penalty at which trees of several sizes tie if there is one."""
    table, classes, weights, penalty, limits = draw_problem(seed)
    penalty = penalty if tie is None else tie
    classifier = fit(table, classes, weights, penalty, **limits, **parameters)
    expected = optimum(table, classes, weights, penalty, **limits)
    assert classifier.status_ == "optimal", seed
    assert classifier.objective_ == classifier.lower_bound_ == float(expected), seed
    assert cost_of(classifier, table, classes, weights, penalty) == expected, seed


@pytest.mark.parametrize("seed", range(20))
def test_the_brute_force_is_that_over_listed_trees(seed):
    draw = random.Random(seed)
    rows, classes = random_table(draw, 4, 2), [0, 1, *random_classes(draw, [[0], [1]], 2)]
    listed = set()
    for tree in all_trees(rows, 2):
        labels = {r: tree["prediction"][node] for node, held in enumerate(members_of_nodes(tree, rows))
                  if tree["column"][node] == -1 for r in held}  # fmt: skip
        wrong = [classes[r] for r, label in labels.items() if label != classes[r]]
        listed.add((wrong.count(0), wrong.count(1), tree["column"].count(-1)))
    assert all_mistakes(rows, classes, [1] * 4) == listed


@pytest.mark.parametrize("block", range(10))
def test_the_objective_is_the_least_of_all_trees_and_labels(block):
    for seed in range(100 * block, 100 * block + 100):
        assert_optimal(seed)


@pytest.mark.parametrize("bound", [*BOUNDS, None])
def test_a_bound_switched_off_leaves_the_optimum(bound):
    for seed in range(2000, 2025):
        assert_optimal(seed, bounds=dict.fromkeys(BOUNDS if bound is None else [bound], False))


def test_costs_that_do_not_fit_the_core_are_rounded_and_the_optimum_stays(monkeypatch):
    was_rounded, was_unresolved = [], []
    fit_units, search_sum = scales.FScoreScale.fit, fscore.FScoreSearch._search_sum

    def note_rounding(units, slope, penalty):
        fitted = fit_units(units, slope, penalty)
        was_rounded.append(fitted[0] != slope)
        return fitted

    def note_unresolved(search, h, *others):
        was_unresolved.append(h in search._unresolved)
        return search_sum(search, h, *others)

    monkeypatch.setattr(scales, "_LIMIT_BITS", 18)  # the square of twice a total of these problems is below 2^18
    monkeypatch.setattr(scales.FScoreScale, "fit", note_rounding)
    monkeypatch.setattr(fscore.FScoreSearch, "_search_sum", note_unresolved)
    ties = {35: Fraction(119, 12714), 211: Fraction(7, 741), 477: Fraction(37, 2310), 534: Fraction(133, 1692)}
    for seed in [*range(3000, 3060), *ties]:
        assert_optimal(seed, ties.get(seed))
    assert any(was_rounded)
    assert any(was_unresolved)


@pytest.mark.parametrize("penalty", [Fraction(7, 100), Fraction(76, 1000), Fraction(1, 13), Fraction(77, 1000)])
def test_numbers_of_leaves_within_the_hull_of_others_are_searched_by_themselves(penalty, monkeypatch):
    limits = []
    search_sum = fscore.FScoreSearch._search_sum

    def note_limit(search, h, slope, cost_of_leaf, max_leaves):
        limits.append(max_leaves)
        status = search_sum(search, h, slope, cost_of_leaf, max_leaves)
        assert search._linear_bounds[-1].most_leaves == max_leaves  # what is proven of small trees is not taken for all
        return status

    monkeypatch.setattr(fscore.FScoreSearch, "_search_sum", note_limit)
    classifier = fit(HULL, HULL_CLASSES, HULL_WEIGHTS, penalty)
    assert classifier.objective_ == float(optimum(HULL.tolist(), HULL_CLASSES, HULL_WEIGHTS, penalty))
    assert {3, 4} & set(limits)


@pytest.mark.parametrize("seed", range(60))
def test_no_better_tree_is_outside_the_open_intervals_and_none_is_below_the_bound(seed):
    """Any bounds that hold for all trees: every tree better than the best one known stays open, and above the bound."""
    draw = random.Random(seed)
    table, classes, weights, _, limits = draw_problem(seed)
    penalty = Fraction(draw.randint(1, 60), 1000)
    positives, total = positive_weight(classes, weights), sum(weights)
    trees = all_mistakes(table, classes, weights, **limits)
    points = {(fp + fn, 2 * positives + fp - fn, leaves): cost((fp, fn, leaves), positives, penalty)
              for fp, fn, leaves in trees}  # fmt: skip
    search = fscore.FScoreSearch.__new__(fscore.FScoreSearch)
    search._scale = scales.FScoreScale(np.array(weights), positives, total, penalty)
    search._most_leaves, search._linear_bounds = len(table), []
    search._upper = draw.choice(sorted(points.values())[: 1 + len(points) // 2])
    search._open = dict.fromkeys(search._worthwhile(), (Fraction(0), Fraction(2 * total)))
    for _ in range(6):
        search._narrow(search._linear_bounds[-1:])
        for (_, denominator, leaves), worth in points.items():
            low, high = search._open.get(leaves, (total * 3, 0))
            assert worth >= search._upper or low < denominator < high
        assert search._proven() <= min(search._upper, *points.values())
        slope, leaf_cost = Fraction(draw.randint(0, 99), 100), penalty * draw.randint(0, positives + total)
        most = draw.choice([None, draw.randint(1, 4)])
        within = [n - slope * d + leaf_cost * k for n, d, k in points if most is None or k <= most]
        search._linear_bounds.append(fscore._LinearBound(slope, leaf_cost, min(within), most))


def test_the_equivalent_points_bound_of_the_paper_is_false_here():
    """Theorem B.9: of 2+ 5-, 5+ 0-, 3+ 3- the minorities are lost, 5 positives, which is a loss of 5/15 at least."""
    cells = {(0, 1, 0): (5, 2), (1, 0, 1): (0, 5), (0, 1, 1): (3, 3)}
    table = [cell for cell, counts in cells.items() for _ in range(sum(counts))]
    classes = [label for counts in cells.values() for label in (0, 1) for _ in range(counts[label])]
    weights = [1] * len(classes)
    classifier = fit(table, classes, weights, 0.02)
    assert classifier.loss_ == pytest.approx(5 / 21, abs=1e-15)
    assert classifier.loss_ < 1 / 3
    assert classifier.objective_ == float(optimum(table, classes, weights, Fraction(1, 50)))


def by_omega(omega):
    return lambda negative, positive: [Fraction(str(omega)) * positive > negative]


@pytest.mark.parametrize("omega", [0.5, 1, 2, 4, 0.3])
def test_labels_by_omega_give_the_best_tree_of_those_so_labeled(omega):
    for seed in range(5000, 5060):
        table, classes, weights, penalty, limits = draw_problem(seed)
        classifier = fit(table, classes, weights, penalty, labelling="omega", omega=omega, **limits)
        expected = optimum(table, classes, weights, penalty, labels=by_omega(omega), **limits)
        assert classifier.status_ == "optimal", seed
        assert classifier.objective_ == classifier.lower_bound_ == float(expected), seed
        assert cost_of(classifier, table, classes, weights, penalty) == expected, seed
        tree = classifier.tree_
        assert (tree.prediction == (omega * tree.class_weights[:, 1] > tree.class_weights[:, 0])).all(), seed


def test_labels_by_omega_find_the_optimum_that_the_false_bound_cut_off():
    cells = {(0, 1, 0): (5, 2), (1, 0, 1): (0, 5), (0, 1, 1): (3, 3)}
    table = [cell for cell, counts in cells.items() for _ in range(sum(counts))]
    classes = [label for counts in cells.values() for label in (0, 1) for _ in range(counts[label])]
    assert fit(table, classes, None, 0.02, labelling="omega").objective_ == pytest.approx(0.278095, abs=5e-7)


def test_a_stopped_search_with_labels_by_omega_keeps_a_true_interval():
    for limits, status in (({"time_limit": 0.2}, "time_limit"), ({"memory_limit": 10**5}, "memory_limit")):
        with pytest.warns(NotProvenWarning):
            classifier = hard(labelling="omega", **limits)
        assert classifier.status_ == status
        assert 0 <= classifier.lower_bound_ < classifier.objective_
    with pytest.warns(NotProvenWarning):
        assert hard(labelling="omega", callback=lambda step: step.subproblems > 200).status_ == "interrupted"


def test_labels_need_not_be_those_of_the_majority():
    """A leaf of 4+ 5- and one of 3+ 1-: labels of the majority lose 5/11, both positive 6/20."""
    classes = [1] * 4 + [0] * 5 + [1] * 3 + [0]
    classifier = fit([[0]] * 9 + [[1]] * 4, classes, None, 0)
    assert classifier.loss_ == 0.3
    assert classifier.predict(np.array([[0]], dtype=np.uint8)).tolist() == [1]


def test_two_levels_of_real_data_are_those_of_brute_force():
    X, y = load_monk(2, return_X_y=True)
    columns = np.column_stack([X[:, j] == value for j in range(X.shape[1]) for value in np.unique(X[:, j])][:9])
    columns, y = columns.astype(np.uint8)[::5], np.asarray(y)[::5]
    codes = np.unique(y, return_inverse=True)[1].tolist()
    for penalty in (Fraction(1, 50), Fraction(1, 200)):
        classifier = fit(columns, codes, None, penalty, max_depth=2)
        expected = optimum(columns.tolist(), codes, [1] * len(codes), penalty, max_depth=2)
        assert classifier.objective_ == float(expected)


def test_the_loss_is_one_minus_the_f_score_of_the_second_class():
    table, classes, weights, *_ = draw_problem(7)
    names = np.array(["good", "bad"])[classes]
    classifier = fit(table, names, weights, 0.01)
    predicted = classifier.predict(np.array(table, dtype=np.uint8))
    expected = 1 - f1_score(names, predicted, pos_label="good", sample_weight=weights)
    assert classifier.classes_.tolist() == ["bad", "good"]
    assert classifier.loss_ == pytest.approx(expected, abs=1e-14)


def test_a_weight_is_so_many_rows_and_a_class_weight_multiplies_it():
    table, classes, weights, *_ = draw_problem(11)
    repeated = np.repeat(np.arange(len(classes)), weights)
    by_weight = fit(table, classes, weights, 0.01)
    by_rows = fit(np.array(table)[repeated], np.array(classes)[repeated], None, 0.01)
    assert by_weight.objective_ == by_rows.objective_
    by_class = fit(table, classes, None, 0.01, class_weight={1: 2.5})
    assert by_class.objective_ == fit(table, classes, [2.5 if label else 1 for label in classes], 0.01).objective_


def test_weights_of_many_places_are_rounded():
    table, classes, weights, *_ = draw_problem(13)
    exact = fit(table, classes, weights, 0.01)
    scaled = fit(table, classes, np.array(weights) * np.pi, 0.01)
    assert scaled.status_ == "optimal"
    assert scaled.objective_ == pytest.approx(exact.objective_, abs=1e-6)
    assert fit(table, classes, weights, 0.01, class_weight={1: 1 / 3}).status_ == "optimal"


def test_probabilities_are_shares_of_the_leaf_and_rank_the_labels():
    X, y = load_balance_scale(return_X_y=True)
    classifier = GOSDTClassifier(0.02, objective="f1", max_depth=3).fit(X, np.asarray(y) == "L")
    share = classifier.predict_proba(X)[:, 1]
    leaf = classifier.apply(X)
    for node in np.unique(leaf):
        assert share[leaf == node] == pytest.approx(np.mean(np.asarray(y)[leaf == node] == "L"))
    threshold = (1 - classifier.loss_) / 2
    assert (classifier.predict(X) == (share > threshold)).all()


def test_threads_and_a_second_fit_prove_the_same():
    table, classes, weights, penalty, limits = draw_problem(17)
    classifier = GOSDTClassifier(penalty, objective="f1", binarizer=None, n_jobs=2, **limits)
    rows = np.array(table, dtype=np.uint8)
    first = classifier.fit(rows, classes, sample_weight=weights).objective_
    assert classifier.fit(rows, classes, sample_weight=weights).objective_ == first
    assert first == fit(table, classes, weights, penalty, **limits).objective_


def hard(**parameters):
    """Parity of six columns with some noise: seconds to a proof, had it no limit."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (400, 16), dtype=np.uint8)
    y = X[:, :6].sum(axis=1) % 2 ^ (draw.random(400) < 0.1)
    return GOSDTClassifier(0.001, objective="f1", binarizer=None, **parameters).fit(X, y)


def test_a_stopped_search_keeps_its_tree_and_a_true_interval():
    with pytest.warns(NotProvenWarning):
        classifier = hard(time_limit=0.3, trace=True)
    assert classifier.status_ == "time_limit"
    assert 0 <= classifier.lower_bound_ < classifier.objective_
    assert classifier.gap_ == pytest.approx(1 - classifier.lower_bound_ / classifier.objective_)
    bounds = [step.lower_bound for step in classifier.trace_]
    assert bounds == sorted(bounds)
    assert [step.objective for step in classifier.trace_] == sorted(
        (s.objective for s in classifier.trace_), reverse=True
    )


def test_bounds_on_the_way_never_pass_the_optimum():
    for seed in range(4000, 4060):
        table, classes, weights, penalty, limits = draw_problem(seed)
        steps = fit(table, classes, weights, penalty, trace=True, **limits).trace_
        expected = float(optimum(table, classes, weights, penalty, **limits))
        assert all(step.lower_bound <= expected <= step.objective for step in steps), seed
        assert steps[-1].lower_bound == steps[-1].objective


def test_a_gap_a_memory_limit_and_a_callback_stop_it():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, (60, 8), dtype=np.uint8), draw.integers(0, 2, 60)
    wide = GOSDTClassifier(0.01, objective="f1", binarizer=None, gap_limit=0.3).fit(X, y)
    assert wide.status_ == "gap_limit"
    assert 0 < wide.gap_ <= 0.3
    with pytest.warns(NotProvenWarning):
        assert hard(memory_limit=1000).status_ == "memory_limit"
    seen = []
    with pytest.warns(NotProvenWarning):
        assert hard(callback=lambda step: seen.append(step) or len(seen) > 3).status_ == "interrupted"
    assert all(step.lower_bound <= step.objective for step in seen)


def test_ctrl_c_stops_it():
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.warns(NotProvenWarning):
        assert hard(time_limit=30).status_ == "interrupted"
    timer.join()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"reference": [0, 1, 1]}, "reference cannot be used with objective='f1', which is not a sum over the rows"),
        ({"omega": 2.0}, "omega is used by objective='weighted' and by labelling='omega' only"),
        ({"labelling": "majority"}, "labelling must be 'best' or 'omega', got 'majority'"),
        ({"labelling": "omega", "objective": "accuracy"}, "labelling is used by objective='f1' only"),
        ({"labelling": "omega", "omega": 0}, "omega must be greater than 0"),
        ({"labelling": "omega", "omega": 1 / 3}, "omega must be a fraction of parts below 2\\^37"),
        ({"labelling": "omega", "bounds": {"subset": False}}, "bounds cannot be used with labelling='omega'"),
        ({"regularization": 1.5}, "regularization=1.5 is more than the largest possible loss"),
        ({}, "objective='f1' needs two classes, .*, but y holds 3"),
    ],
)
def test_what_does_not_suit_it_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier(**{"objective": "f1", **parameters}).fit([[0], [1], [2]], [0, 1, 2 if not parameters else 1])


def test_lookahead_searches_sums_only():
    with pytest.raises(
        ValueError, match="objective must be one of 'accuracy', 'balanced', 'weighted', 'cost', got 'f1'"
    ):
        SPLITClassifier(objective="f1").fit([[0], [1]], [0, 1])
