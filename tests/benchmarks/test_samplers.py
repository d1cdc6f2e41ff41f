"""The samplers of the MAPTree paper, compared with all trees of tiny problems."""

from collections import Counter
from functools import partial
from math import exp, inf, log

import numpy as np
import pytest

from benchmarks.papers.samplers import (
    MOVES,
    Draws,
    Particle,
    Posterior,
    advance,
    change,
    filter_particles,
    nodes,
    prune,
    step,
    swap,
)
from hornbeam import MAPTreeClassifier
from oracles.posterior import Posterior as Oracle

# All rows of three columns; columns that separate little, so that many proposals are impossible; three classes.
PROBLEMS = {
    "cube": ([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 2, [0, 0, 1, 1, 1, 0, 1, 1] * 2, 0.5, 0.5),
    "rare": ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 1]], [0, 1, 1, 1, 0, 1], 0.6, 1.5),
    "classes": ([[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 2, 1, 0], 0.4, 0.0),
}
RHO = 0.7


def shape(tree):
    """Return a tree as nested tuples, which can be compared."""
    return None if tree.column is None else (tree.column, *map(shape, tree.sides))


def n_leaves(key):
    return 1 if key is None else n_leaves(key[1]) + n_leaves(key[2])


def column_of_root(key):
    return None if key is None else key[0]


def all_trees(oracle, rows=None, depth=0):
    """Yield every tree with its log posterior, by the definition alone."""
    rows = oracle.all_rows if rows is None else rows
    yield None, -oracle.leaf(rows, depth)
    for column in oracle.splits(rows):
        first, second = (list(all_trees(oracle, side, depth + 1)) for side in oracle.sides(rows, column))
        for left, value in first:
            for right, other in second:
                yield (column, left, right), value + other - oracle.split(rows, depth)


class Way(Draws):
    """Draws that are prescribed up to some point and take the first of all options from there on."""

    def __init__(self, way):
        self._way, self.taken, self.probability, self.others = way, (), 1.0, []

    def _take(self, probabilities):
        possible = [number for number, probability in enumerate(probabilities) if probability > 0]
        if len(self.taken) < len(self._way):
            number = self._way[len(self.taken)]
        else:
            number, *others = possible
            self.others += [(*self.taken, other) for other in others]
        self.taken += (number,)
        self.probability *= probabilities[number]
        return number

    def choose(self, options):
        return options[self._take([1 / len(options)] * len(options))]

    def happens(self, probability):
        return self._take([probability, 1 - probability]) == 0

    def resample(self, options, weights):
        return [options[self._take([weight / sum(weights) for weight in weights])] for _ in options]


def outcomes(function):
    """Yield everything that a function of draws may return, with its probability."""
    waiting = [()]
    while waiting:
        draws = Way(waiting.pop())
        result = function(draws)
        waiting += draws.others
        yield draws.probability, result


@pytest.fixture(params=PROBLEMS)
def problem(request):
    """Return the posterior of the samplers, and the log posteriors of all trees by the oracle."""
    X, y, alpha, beta = PROBLEMS[request.param]
    X, y = np.array(X), np.array(y)
    oracle = Oracle(X, y, [RHO] * len(set(y)), alpha, beta)
    return Posterior(X, y, alpha, beta, RHO), dict(all_trees(oracle))


def test_the_chain_reaches_every_tree_and_each_step_is_in_detailed_balance(problem):
    posterior, exact = problem
    found, waiting, kernel = {None: posterior.root}, [posterior.root], Counter()
    while waiting:
        tree = waiting.pop()
        for probability, other in outcomes(partial(step, posterior, tree)):
            kernel[shape(tree), shape(other)] += probability
            if shape(other) not in found:
                found[shape(other)] = other
                waiting.append(other)
    assert found.keys() == exact.keys()
    for key, tree in found.items():
        assert tree.log_posterior == pytest.approx(exact[key], abs=1e-12)
    for (here, there), probability in kernel.items():
        assert exp(exact[here] - exact[there]) * probability == pytest.approx(kernel[there, here], abs=1e-15)
    leaving = Counter()
    for (here, _), probability in kernel.items():
        leaving[here] += probability
    assert list(leaving.values()) == pytest.approx([1.0] * len(exact))


def test_the_frequencies_of_a_chain_are_the_posterior_and_its_best_tree_is_the_most_probable(problem):
    posterior, exact = problem
    n_steps, draws, tree, visits = 20_000, Draws(1), posterior.root, Counter()
    for _ in range(n_steps):
        tree = step(posterior, tree, draws)
        visits[shape(tree)] += 1
    total, largest = sum(map(exp, exact.values())), max(exact.values())
    assert max(map(exact.get, visits)) == largest
    for group in (n_leaves, column_of_root, lambda key: exact[key] == largest):
        expected, share = Counter(), Counter()
        for key, value in exact.items():
            expected[group(key)] += exp(value) / total
            share[group(key)] += visits[key] / n_steps
        assert share == pytest.approx(expected, abs=0.03)


def test_the_best_tree_of_a_chain_is_that_of_the_proven_search():
    draw = np.random.default_rng(4)
    X = draw.integers(0, 2, (80, 5))
    y = (X[:, 0] & X[:, 1]) ^ (draw.random(80) < 0.1)
    posterior, draws, best = Posterior(X, y), Draws(0), -inf
    tree = posterior.root
    for _ in range(2_000):
        tree = step(posterior, tree, draws)
        best = max(best, tree.log_posterior)
    classifier = MAPTreeClassifier(binarizer=None).fit(X, y)
    assert classifier.status_ == "optimal"
    assert best == pytest.approx(classifier.log_posterior_)


def test_weighted_particles_are_an_unbiased_sample_of_the_posterior(problem):
    posterior, exact = problem
    expected = Counter()
    for probability, (trees, weights, log_evidence) in outcomes(partial(filter_particles, posterior, 1)):
        for tree, weight in zip(trees, weights, strict=True):
            expected[shape(tree)] += probability * exp(log_evidence) * weight
    assert expected == pytest.approx({key: exp(value) for key, value in exact.items()})


def test_particles_that_are_drawn_again_remain_an_unbiased_sample():
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2), np.array([0, 0, 0, 1] * 2)
    posterior, exact = Posterior(X, y, rho=RHO), dict(all_trees(Oracle(X, y, [RHO, RHO])))
    expected, drawn_again = Counter(), 0
    run = partial(filter_particles, posterior, 2, threshold=0.95)
    for probability, (trees, weights, log_evidence) in outcomes(run):
        drawn_again += shape(trees[0]) is not None and trees[0] is trees[1]
        for tree, weight in zip(trees, weights, strict=True):
            expected[shape(tree)] += probability * exp(log_evidence) * weight
    assert drawn_again > 0
    assert len(exact) == 9
    assert expected == pytest.approx({key: exp(value) for key, value in exact.items()})


def test_many_particles_estimate_the_evidence_and_find_the_most_probable_tree(problem):
    posterior, exact = problem
    trees, weights, log_evidence = filter_particles(posterior, 2_000, Draws(0))
    assert sum(weights) == pytest.approx(1.0)
    assert log_evidence == pytest.approx(log(sum(map(exp, exact.values()))), abs=0.1)
    assert max(tree.log_posterior for tree in trees) == pytest.approx(max(exact.values()))


def test_moves_that_cannot_be_made_leave_the_tree():
    alike = Posterior(np.ones((4, 2), dtype=int), np.array([0, 1, 1, 1]))
    assert [move(alike, alike.root, Draws(0)) for move in MOVES] == [None] * 4
    assert step(alike, alike.root, Draws(0)) is alike.root
    different = Posterior(np.array([[0, 0], [0, 1], [1, 0]]), np.array([0, 1, 1]))
    assert [move(different, different.root, Draws(0)) for move in (prune, change, swap)] == [None] * 3


def test_a_swap_exchanges_the_columns_of_both_nodes_below_if_they_are_the_same():
    X = np.array(PROBLEMS["cube"][0])
    posterior = Posterior(X, X[:, 0])
    tree = posterior.divide(posterior.root, 0)
    for path in ((0,), (1,)):
        tree = posterior.replace(tree, path, posterior.divide(tree.sides[path[0]], 1))
    both = swap(posterior, tree, Draws(0)).tree
    assert shape(both) == (1, (0, None, None), (0, None, None))
    mixed = posterior.replace(tree, (1,), posterior.divide(tree.sides[1], 2))
    ways = {shape(proposal.tree) for _, proposal in outcomes(partial(swap, posterior, mixed))}
    assert ways == {(1, (0, None, None), (2, None, None)), (2, (1, None, None), (0, None, None))}


def test_a_particle_grows_breadth_first():
    X = np.array(PROBLEMS["cube"][0])
    posterior = Posterior(X, X[:, 0], alpha=1 - 1e-12, beta=0.0)
    particle, draws, depths = Particle(posterior.root, ((),)), Draws(0), []
    while particle.open:
        depths.append(len(particle.open[0]))
        particle, _ = advance(posterior, particle, draws)
    assert depths == sorted(depths)
    assert len(list(nodes(particle.tree))) == 15
