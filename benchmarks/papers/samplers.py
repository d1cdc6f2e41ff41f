"""Two samplers of the posterior that MAPTree maximizes, the rivals of its search: a Markov chain and a particle filter.

The chain is that of Chipman, George and McCulloch (1998), with grow, prune, change and swap. The filter is that of
Lakshminarayanan, Roy and Teh (2013) as the MAPTree paper uses it: nodes in breadth-first order, splits drawn from the
prior, multinomial resampling. They are written here because the packages that sample trees (bartpy, bartz, pymc-bart,
stochtree) sum the numbers in the leaves of many; none has class probabilities in the leaves of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log, log1p
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from benchmarks.data import Array

T = TypeVar("T")
Path: TypeAlias = tuple[int, ...]  # from the root, the side that is taken at each node

_CACHED_LEAVES = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node with all that is below it: a tree, or a part of one."""

    rows: int  # a bit for each
    depth: int
    splits: tuple[int, ...]  # the columns that separate its rows
    log_posterior: float  # of this node and all below
    column: int | None = None
    sides: tuple[Node, ...] = ()  # where the column is 1, and where it is 0


class Proposal(NamedTuple):
    """A tree, and the logarithm of the probability of the proposal back, less that of the proposal there."""

    tree: Node
    log_ratio: float


class Draws:
    """All that is random in the samplers, apart so that tests can enumerate it."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def choose(self, options: Sequence[T]) -> T:
        """Return one of some options, all equally likely."""
        return self._random.choice(options)

    def happens(self, probability: float) -> bool:
        """Return True with a probability."""
        return self._random.random() < probability

    def resample(self, options: Sequence[T], weights: Sequence[float]) -> list[T]:
        """Return as many options as there are, each drawn with a probability proportional to its weight."""
        return self._random.choices(options, weights, k=len(options))


class Posterior:
    """The BCART posterior of trees over columns of 0 and 1; a set of rows is the bits of an integer."""

    def __init__(self, X: Array, y: Array, alpha: float = 0.95, beta: float = 0.5, rho: float = 2.5) -> None:
        n_rows, n_columns = X.shape
        classes = np.unique(y)
        self._columns = [_bits(column) for column in X.T]
        self._classes = [_bits(y == each) for each in classes]
        self._log_rising, self._log_rising_all = (
            np.concatenate([[0.0], np.cumsum(np.log(start + np.arange(n_rows)))]).tolist()
            for start in (rho, rho * len(classes))
        )
        # A column separates the rows of a path once, so no path is longer than the number of columns.
        self._log_split = [log(alpha) - beta * log1p(depth) for depth in range(n_columns + 1)]
        self._log_stop = [log1p(-exp(each)) for each in self._log_split]
        # Samplers come back to the same rows again and again.
        self.leaf = lru_cache(maxsize=_CACHED_LEAVES)(self._leaf)
        self.root = self.leaf(_bits(np.ones(n_rows)), 0)

    def p_split(self, node: Node) -> float:
        """Return the prior probability that a node is split."""
        return exp(self._log_split[node.depth]) if node.splits else 0.0

    def log_likelihood(self, node: Node) -> float:
        """Return the logarithm of the probability of the labels of a node that is a leaf."""
        of_classes = sum(self._log_rising[(node.rows & each).bit_count()] for each in self._classes)
        return float(of_classes - self._log_rising_all[node.rows.bit_count()])

    def _leaf(self, rows: int, depth: int) -> Node:
        sides = (rows & column for column in self._columns)
        splits = tuple(number for number, side in enumerate(sides) if side and side != rows)
        bare = Node(rows, depth, splits, 0.0)
        return Node(rows, depth, splits, self.log_likelihood(bare) + (self._log_stop[depth] if splits else 0.0))

    def join(self, node: Node, column: int, sides: tuple[Node, ...]) -> Node:
        """Return a node that is split by a column into two sides."""
        log_posterior = self._log_split[node.depth] - log(len(node.splits)) + sum(side.log_posterior for side in sides)
        return Node(node.rows, node.depth, node.splits, log_posterior, column, sides)

    def divide(self, node: Node, column: int) -> Node:
        """Return a node that is split by a column into two leaves."""
        held = node.rows & self._columns[column]
        return self.join(node, column, tuple(self.leaf(rows, node.depth + 1) for rows in (held, node.rows ^ held)))

    def replace(self, tree: Node, path: Path, new: Node) -> Node:
        """Return a tree with another node, of the same rows, at the end of a path."""
        if tree.column is None or not path:
            return new
        sides = (self.replace(side, path[1:], new) if path[0] == at else side for at, side in enumerate(tree.sides))
        return self.join(tree, tree.column, tuple(sides))

    def split_anew(self, tree: Node, rows: int, columns: Mapping[Path, int], path: Path = ()) -> Node | None:
        """Return a tree of the same shape for some rows, with other columns at the paths that `columns` names.

        None if the column of a node does not separate its rows: the prior of such a tree is 0.
        """
        leaf = self.leaf(rows, tree.depth)
        if tree.column is None:
            return leaf
        column = columns.get(path, tree.column)
        held = rows & self._columns[column]
        if held in (0, rows):
            return None
        first, second = tree.sides
        held_side = self.split_anew(first, held, columns, (*path, 0))
        other_side = self.split_anew(second, rows ^ held, columns, (*path, 1)) if held_side else None
        return self.join(leaf, column, (held_side, other_side)) if held_side and other_side else None


def nodes(tree: Node) -> Iterator[tuple[Path, Node]]:
    """Yield all nodes of a tree, each with the path to it."""
    waiting: list[tuple[Path, Node]] = [((), tree)]
    while waiting:
        path, node = waiting.pop()
        yield path, node
        waiting += [((*path, number), side) for number, side in enumerate(node.sides)]


def _growable(tree: Node) -> list[tuple[Path, Node]]:
    return [(path, node) for path, node in nodes(tree) if node.column is None and node.splits]


def _prunable(tree: Node) -> list[tuple[Path, Node]]:
    found = ((path, node) for path, node in nodes(tree) if node.sides)
    return [(path, node) for path, node in found if all(side.column is None for side in node.sides)]


def grow(posterior: Posterior, tree: Node, draws: Draws) -> Proposal | None:
    """Split a leaf by a column."""
    growable = _growable(tree)
    if not growable:
        return None
    path, leaf = draws.choose(growable)
    grown = posterior.replace(tree, path, posterior.divide(leaf, draws.choose(leaf.splits)))
    return Proposal(grown, log(len(growable) * len(leaf.splits)) - log(len(_prunable(grown))))


def prune(posterior: Posterior, tree: Node, draws: Draws) -> Proposal | None:
    """Make a node whose sides are leaves a leaf: the reverse of `grow`."""
    prunable = _prunable(tree)
    if not prunable:
        return None
    path, node = draws.choose(prunable)
    pruned = posterior.replace(tree, path, posterior.leaf(node.rows, node.depth))
    return Proposal(pruned, log(len(prunable)) - log(len(_growable(pruned)) * len(node.splits)))


def change(posterior: Posterior, tree: Node, draws: Draws) -> Proposal | None:
    """Draw the column of a node anew from those that separate its rows; its own reverse, since these stay the same."""
    inner = [(path, node) for path, node in nodes(tree) if node.sides]
    if not inner:
        return None
    path, node = draws.choose(inner)
    changed = posterior.split_anew(node, node.rows, {(): draws.choose(node.splits)})
    return Proposal(posterior.replace(tree, path, changed), 0.0) if changed else None


def swap(posterior: Posterior, tree: Node, draws: Draws) -> Proposal | None:
    """Exchange the columns of a node and of one below it, or of both below if theirs is the same; its own reverse."""
    inner = [(path, node) for path, node in nodes(tree) if node.sides]
    pairs = [(path, node, number) for path, node in inner for number in (0, 1) if node.sides[number].sides]
    if not pairs:
        return None
    path, node, number = draws.choose(pairs)
    below = node.sides[number].column
    assert below is not None
    assert node.column is not None
    moved: dict[Path, int] = {(): below}
    moved |= {(at,): node.column for at, side in enumerate(node.sides) if at == number or side.column == below}
    swapped = posterior.split_anew(node, node.rows, moved)
    return Proposal(posterior.replace(tree, path, swapped), 0.0) if swapped else None


MOVES = (grow, prune, change, swap)


def step(posterior: Posterior, tree: Node, draws: Draws) -> Node:
    """Return the next tree of the chain: all moves are equally likely, and one that cannot be made leaves the tree."""
    proposal = draws.choose(MOVES)(posterior, tree, draws)
    if proposal is None:
        return tree
    log_odds = proposal.tree.log_posterior - tree.log_posterior + proposal.log_ratio
    return proposal.tree if draws.happens(exp(min(log_odds, 0.0))) else tree


class Particle(NamedTuple):
    """A tree that grows from the root; at the paths in `open`, it is still to be drawn whether a leaf is split."""

    tree: Node
    open: tuple[Path, ...]


def advance(posterior: Posterior, particle: Particle, draws: Draws) -> tuple[Particle, float]:
    """Draw from the prior whether and how the first open leaf is split; return by what that raises the likelihood."""
    if not particle.open:
        return particle, 0.0
    path, *others = particle.open
    leaf = particle.tree
    for number in path:
        leaf = leaf.sides[number]
    if not draws.happens(posterior.p_split(leaf)):
        return particle._replace(open=tuple(others)), 0.0
    divided = posterior.divide(leaf, draws.choose(leaf.splits))
    gain = sum(map(posterior.log_likelihood, divided.sides)) - posterior.log_likelihood(leaf)
    return Particle(posterior.replace(particle.tree, path, divided), (*others, (*path, 0), (*path, 1))), gain


def filter_particles(
    posterior: Posterior, n_particles: int, draws: Draws, *, threshold: float = 0.1
) -> tuple[list[Node], list[float], float]:
    """Return trees, the weights with which they are a sample of the posterior, and the logarithm of the evidence.

    The particles are drawn again when their effective number falls below `threshold` times their number. The evidence
    is an estimate of P(y | X), unbiased before the logarithm.
    """
    particles = [Particle(posterior.root, ((),))] * n_particles
    log_weights, log_evidence = [0.0] * n_particles, posterior.log_likelihood(posterior.root)
    while any(particle.open for particle in particles):
        advanced = [advance(posterior, particle, draws) for particle in particles]
        particles = [particle for particle, _ in advanced]
        log_weights = [weight + gain for weight, (_, gain) in zip(log_weights, advanced, strict=True)]
        weights, log_mean = _normalized(log_weights)
        if 1 / sum(weight**2 for weight in weights) < threshold * n_particles:
            particles = draws.resample(particles, weights)
            log_weights, log_evidence = [0.0] * n_particles, log_evidence + log_mean
    weights, log_mean = _normalized(log_weights)
    return [particle.tree for particle in particles], weights, log_evidence + log_mean


def _normalized(log_weights: Sequence[float]) -> tuple[list[float], float]:
    """Return weights that add up to 1, and the logarithm of the mean of those given."""
    largest = max(log_weights)
    weights = [exp(weight - largest) for weight in log_weights]
    total = sum(weights)
    return [weight / total for weight in weights], largest + log(total / len(weights))


def _bits(flags: Array) -> int:
    """Return flags as the bits of an integer."""
    return int.from_bytes(np.packbits(flags.astype(bool), bitorder="little").tobytes(), "little")
