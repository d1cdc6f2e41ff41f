"""Brute force over all survival trees in plain Python, written for reading; nothing of hornbeam."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class SurvivalProblem:
    """Rows of 0 and 1, with event, time and weight of each."""

    rows: list[list[int]]
    events: list[bool]
    times: list[float]
    weights: list[float]
    regularization: float
    max_depth: int | None = None
    max_leaves: int | None = None
    min_samples_leaf: int = 1

    def hazards(self) -> list[float]:
        """Return the Nelson-Aalen estimate of all rows at the time of each."""
        n_rows = range(len(self.times))

        def step(time: float) -> float:
            happened = sum(self.weights[r] for r in n_rows if self.events[r] and self.times[r] == time)
            return happened / sum(self.weights[r] for r in n_rows if self.times[r] >= time)

        event_times = sorted({t for t, event in zip(self.times, self.events, strict=True) if event})
        return [math.fsum(step(t) for t in event_times if t <= time) for time in self.times]

    def deviance(self, members: Sequence[int]) -> float:
        """Return what rows lose in one leaf: half the deviance from a hazard ratio for each row."""
        hazards = self.hazards()
        n_events = math.fsum(self.weights[r] for r in members if self.events[r])
        if n_events == 0:
            return 0.0
        ratio = n_events / math.fsum(self.weights[r] * hazards[r] for r in members)
        return math.fsum(
            self.weights[r]
            * (ratio * hazards[r] - self.events[r] * (1 + math.log(ratio * hazards[r] if self.events[r] else 1.0)))
            for r in members
        )

    def optimum(self) -> float:
        """Return the least objective of all trees within the limits."""
        everything = tuple(range(len(self.rows)))
        single = self.deviance(everything)
        whole = single if single > 1e-9 else 1.0

        @cache
        def leaf(members: tuple[int, ...]) -> float:
            return self.deviance(members) / whole + self.regularization

        @cache
        def best(members: tuple[int, ...], depth: int, leaves: int) -> float:
            least = leaf(members)
            if depth == 0 or leaves == 1:
                return least
            for column in range(len(self.rows[0])):
                yes = tuple(r for r in members if self.rows[r][column])
                no = tuple(r for r in members if not self.rows[r][column])
                if min(len(yes), len(no)) < max(1, self.min_samples_leaf):
                    continue
                for of_yes in range(1, leaves):
                    least = min(least, best(yes, depth - 1, of_yes) + best(no, depth - 1, leaves - of_yes))
            return least

        n_columns, n_rows = len(self.rows[0]), len(self.rows)
        depth = n_columns if self.max_depth is None else min(self.max_depth, n_columns)
        leaves = n_rows if self.max_leaves is None else min(self.max_leaves, n_rows)
        return best(everything, depth, leaves)

    def trees_within(self, bound: float) -> dict[tuple[object, ...], float]:
        """Return all trees whose objective is at most `bound`: nested splits, (column, yes, no), and () for a leaf."""
        everything = tuple(range(len(self.rows)))
        single = self.deviance(everything)
        whole = single if single > 1e-9 else 1.0

        @cache
        def trees(members: tuple[int, ...], depth: int) -> list[tuple[tuple[object, ...], float]]:
            found: list[tuple[tuple[object, ...], float]] = [((), self.deviance(members) / whole + self.regularization)]
            for column in range(len(self.rows[0])) if depth > 0 else ():
                yes = tuple(r for r in members if self.rows[r][column])
                no = tuple(r for r in members if not self.rows[r][column])
                if min(len(yes), len(no)) >= max(1, self.min_samples_leaf):
                    for of_yes, cost_of_yes in trees(yes, depth - 1):
                        for of_no, cost_of_no in trees(no, depth - 1):
                            found.append(((column, of_yes, of_no), cost_of_yes + cost_of_no))
            return found

        depth = len(self.rows[0]) if self.max_depth is None else self.max_depth
        return {tree: objective for tree, objective in trees(everything, depth) if objective <= bound}


def random_survival(seed: int, kind: str) -> SurvivalProblem:
    """Return a random problem: times are "real", have "ties", or are of "all sizes"; or rows have "weights"."""
    draw = random.Random(f"{seed} {kind}")
    n_rows, n_columns = draw.randint(1, 12), draw.randint(1, 4)
    rows = [[int(draw.random() < 0.5) for _ in range(n_columns)] for _ in range(n_rows)]
    make = {
        "ties": lambda: float(draw.randint(0, 5)),
        "all sizes": lambda: 10 ** draw.uniform(-200, 200),
    }.get(kind, lambda: draw.expovariate(1.0))
    events = [draw.random() < draw.choice([0.3, 0.7, 1.0]) for _ in rows]
    events[draw.randrange(n_rows)] = True
    weights = [1.0] * n_rows
    if kind == "weights":
        weights = [draw.choice([1.0, 2.0, draw.uniform(0.01, 3)]) for _ in rows]
    limits = draw.choice([{}, {"max_depth": 1}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}])
    penalty = draw.choice([0, 0.01, 0.05, 0.2])
    return SurvivalProblem(rows, events, [make() for _ in rows], weights, penalty, **limits)
