"""The search for a set of trees: the optimum or RESPLIT's best prefix first, then all trees within a bound of it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import shown
from hornbeam.binarizers import Conditions, pack_within
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.search import Listener, Search, exact_search, make_problem, packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import exact_fraction
from hornbeam.rashomon.problem import Lookahead, RashomonProblem
from hornbeam.rashomon.rashomon_set import RashomonSet

if TYPE_CHECKING:
    from hornbeam._core import Progress as Record

    class SetOutcome(_core.Outcome):
        """The outcome of a search, with the set and the objective up to which it was searched."""

        rashomon_set: RashomonSet
        bound: Fraction


_LARGEST_BOUND = 2**_core.COST_BITS


class TreesWanted(NamedTuple):
    """Which trees belong to a set; see `RashomonSetClassifier`."""

    distinct: str
    epsilon: float
    epsilon_is: str

    def bound_above(self, optimum: Fraction) -> Fraction:
        """Return the largest objective of a tree in the set."""
        epsilon = exact_fraction(self.epsilon, "epsilon")
        return optimum * (1 + epsilon) if self.epsilon_is == "multiplier" else optimum + epsilon


class RashomonSearch:
    """The search for all trees within a bound of the optimum.

    Parameters
    ----------
    conditions : Conditions
        The condition behind each binary column.
    training : TrainingData
        The rows, and the budget of both searches.
    scale : AdditiveScale
        With bits for the number of leaves.
    options : SearchOptions
        The limits on the trees.
    wanted : TreesWanted
        Which trees belong to the set, given the objective of the first search.
    """

    _status_at_end = "complete"
    _lookahead: Lookahead | None = None

    def __init__(
        self,
        conditions: Conditions,
        training: TrainingData,
        scale: AdditiveScale,
        options: _core.SearchOptions,
        wanted: TreesWanted,
    ) -> None:
        self._conditions, self._training, self._scale = conditions, training, scale
        self._options, self._wanted = options, wanted
        self._first_search = self._choose_first_search()

    def _choose_first_search(self) -> Search:
        """Return the search whose objective determines the bound."""
        return exact_search(self._conditions, self._training, self._scale, self._options)

    def _choose_tree(self, outcome: _core.Outcome, trees: _core.RashomonSet, kept: list[int]) -> _core.Outcome:
        """Return the outcome of the first search, with the best tree of the set if that is better."""
        return outcome

    def __call__(self, callback: Listener | None, trace: bool) -> SetOutcome:
        """Run the first search, then find the set in the time that is left."""
        outcome = self._first_search(callback=callback, trace=trace)
        upper, lower, status = outcome["upper"], outcome["lower"], outcome["status"]
        seconds, n_leaves = outcome["statistics"]["seconds"], int((outcome["tree"]["column"] < 0).sum())

        is_stopped = False

        # Users see one search: its objective and bound are known, only effort and memory still grow. Once the callback
        # has said stop, it is not called again.
        def listen(record: Record) -> bool:
            nonlocal is_stopped
            if callback is not None and not is_stopped:
                is_stopped = callback((seconds + record[0], upper, lower, *record[3:5], n_leaves))
            return is_stopped

        budget, is_found = self._training.budget, status in ("optimal", "heuristic")
        if not is_found:
            budget.end()  # without the optimum there is no bound: the set stays empty
        so_far = (0.0, upper, lower, outcome["statistics"]["subproblems"], outcome["statistics"]["bytes"], n_leaves)
        budget.end_when(lambda: listen(so_far))  # Ctrl-C may come between the searches, while columns are packed
        problem, kept = self._make_problem(upper)
        if is_found and is_stopped:
            is_found, status = False, "interrupted"
        bound = self._wanted.bound_above(self._scale.exact_objective(upper))
        ticks = self._most_ticks(bound)
        trees = problem.find(ticks if is_found else -1, budget.left(), callback and listen)
        found = _core.describe_set(trees)
        statistics: dict[str, Any] = {f"set_{name}": value for name, value in found["statistics"].items()}
        bounds = Counter(outcome["statistics"]["bounds"])
        bounds.update(found["bounds"])
        statistics["bounds"] = dict(bounds)
        rashomon_set = RashomonSet(problem, trees)
        if self._lookahead is not None:
            statistics["set_prefixes"] = rashomon_set.n_prefixes
        if is_found:
            status = self._status_at_end if found["status"] == "optimal" else found["status"]
        outcome = self._choose_tree(outcome, trees, kept) if rashomon_set.n_trees else outcome
        return {
            **outcome,
            "status": status,
            "statistics": {**outcome["statistics"], **statistics},
            "rashomon_set": rashomon_set,
            "bound": bound,
        }

    def _make_problem(self, optimum: int) -> tuple[RashomonProblem, list[int]]:
        """Return the problem of the set, and the numbers of the conditions that its trees may test."""
        training, options, conditions = self._training, self._options, self._conditions
        # One copy for the set that users hold, and one for the core, which keeps its own.
        columns = pack_within(conditions, training.table, training.budget, copies=2)
        conditions = conditions.take(range(len(columns)))
        kept = list(range(len(columns)))
        if self._wanted.distinct == "splits":
            kept = _first_of_each_split(columns, training.table.n_rows, training.budget)
            if len(kept) < len(columns):
                conditions, columns = conditions.take(kept), columns[kept]
        problem = RashomonProblem(
            columns,
            conditions,
            training.codes,
            training.weights,
            self._scale,
            optimum,
            options.max_depth,
            options.min_samples_leaf,
            "any" if self._wanted.distinct == "labels" else "differ",
            self._lookahead,
            training.classes,
            training.table.schema,
            training.table.has_missing(),
            training.target_name,
        )
        return problem, kept

    def _most_ticks(self, bound: Fraction) -> int:
        """Return the ticks of the bound; check that the number of leaves fits its bits for all trees within it."""
        scale, depth, n_rows = self._scale, self._options.max_depth, self._training.table.n_rows
        ticks = scale.most_ticks(bound)
        if ticks >= _LARGEST_BOUND:
            raise ValueError(
                f"epsilon={shown(self._wanted.epsilon)} is too large: even the worst tree would be in the set."
            )
        most_leaves = min(n_rows, ticks // scale.leaf_cost, 2 ** min(n_rows if depth is None else depth, 64))
        if most_leaves >= 1 << scale.leaf_bits:
            raise ValueError(
                f"a tree of the set might have {most_leaves} leaves, but at most {(1 << scale.leaf_bits) - 1} are "
                "supported; lower max_depth or epsilon, or raise regularization."
            )
        return ticks


class RESPLITSearch(RashomonSearch):
    """RESPLIT: the trees that complete a prefix of a few levels of splits, within a bound of the best prefix.

    Parameters
    ----------
    lookahead_depth : int
        The levels of splits of a prefix, fewer than the depth of a tree.
    problem
        The parameters of `RashomonSearch`.
    """

    _status_at_end = "heuristic"

    def __init__(self, lookahead_depth: int, *problem: Any) -> None:
        self._lookahead = Lookahead(lookahead_depth, problem[3].max_depth or 0)
        super().__init__(*problem)

    def _choose_first_search(self) -> Search:
        assert self._lookahead is not None
        columns = packed_columns(self._conditions, self._training)
        return partial(
            _core.solve_lookahead,
            columns,
            make_problem(self._training, self._scale),
            within(self._options, self._training.budget),
            lookahead_depth=self._lookahead.depth,
            recursive=False,
            keep_greedy=True,
        )

    def _choose_tree(self, outcome: _core.Outcome, trees: _core.RashomonSet, kept: list[int]) -> _core.Outcome:
        """Return the best tree of the set, which is no worse than that of the best prefix."""
        cost = _core.describe_set(trees)["costs"][0]
        tree = _core.read_tree(trees, cost, [])
        # The set counts only the columns that were kept; -1, a leaf, finds the last entry.
        tree["column"] = np.append(kept, -1).astype(np.int32)[tree["column"]]
        return {**outcome, "tree": tree, "upper": cost}


def _first_of_each_split(columns: npt.NDArray[np.uint8], n_rows: int, budget: Budget) -> list[int]:
    """Return the columns that split the rows, except those equal or complementary to an earlier one.

    If the budget is spent the set will be empty, and one column is enough.
    """
    last = np.full(columns.shape[1], 0xFF, dtype=np.uint8)
    if n_rows % 8:
        last[-1] = (1 << n_rows % 8) - 1
    # Keyed by hash, not by the column itself, which would double the memory. -1 is the constant column.
    known: dict[int, list[int]] = {hash(bytes(len(last))): [-1]}
    kept: list[int] = []

    def split_of(number: int) -> npt.NDArray[np.uint8]:
        column = columns[number] if number >= 0 else np.zeros_like(last)
        return column ^ last if column[0] & 1 else column

    for number in range(len(columns)):
        if number % 256 == 255 and budget.is_spent():
            budget.end()
            return kept[:1]
        split = split_of(number)
        same = known.setdefault(hash(split.tobytes()), [])
        if not any(np.array_equal(split, split_of(other)) for other in same):
            same.append(number)
            kept.append(number)
    return kept
