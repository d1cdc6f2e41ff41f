"""The search for a set of trees: the optimum or RESPLIT's best prefix first, then all trees within a bound of it.

A bound that the user gives needs no optimum: the set is found at once, and its best tree is the optimum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import shown
from hornbeam.binarizers import Conditions, pack_within
from hornbeam.fitting.search import Listener, Search, exact_search, make_problem, packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import exact_fraction
from hornbeam.rashomon.base_set import BaseRashomonSet
from hornbeam.rashomon.found import FoundTrees, SetProblem
from hornbeam.rashomon.problem import Lookahead, RashomonProblem
from hornbeam.rashomon.rashomon_set import RashomonSet

if TYPE_CHECKING:
    from hornbeam._core import Progress as Record
    from hornbeam._core import TreeArrays

    class SetOutcome(_core.Outcome):
        """The outcome of a search, with the set and the objective up to which it was searched."""

        rashomon_set: BaseRashomonSet[Any]
        bound: Fraction


_LARGEST_BOUND = 2**_core.COST_BITS


class TreesWanted(NamedTuple):
    """Which trees belong to a set; see `RashomonSetClassifier`."""

    distinct: str
    epsilon: float
    epsilon_is: str
    rashomon_bound: float | None

    def bound_above(self, optimum: Fraction) -> Fraction:
        """Return the largest objective of a tree in the set."""
        if self.rashomon_bound is not None:
            return Fraction(exact_fraction(self.rashomon_bound, "rashomon_bound"))
        epsilon = exact_fraction(self.epsilon, "epsilon")
        return optimum * (1 + epsilon) if self.epsilon_is == "multiplier" else optimum + epsilon

    def name(self) -> str:
        """Return the parameter that sets the bound, and its value."""
        if self.rashomon_bound is not None:
            return f"rashomon_bound={shown(self.rashomon_bound)}"
        return f"epsilon={shown(self.epsilon)}"


class RashomonSearch:
    """The search for all trees within a bound.

    Parameters
    ----------
    conditions : Conditions
        The condition behind each binary column.
    training : TrainingData
        The rows, and the budget of all searches.
    scale : RegularizedScale
        An additive one has bits for the number of leaves.
    options : SearchOptions
        The limits on the trees.
    wanted : TreesWanted
        Which trees belong to the set, given the objective of the first search.
    client : distributed.Client or None, default=None
        An exact first search runs on the workers of its cluster.
    """

    _status_at_end = "complete"
    _lookahead: Lookahead | None = None
    _needs_first_search = False  # even if the bound is given

    def __init__(
        self,
        conditions: Conditions,
        training: TrainingData,
        scale: Any,
        options: _core.SearchOptions,
        wanted: TreesWanted,
        client: Any = None,
    ) -> None:
        self._conditions, self._training = conditions, training
        self._scale: Any = scale
        self._options, self._wanted, self._client = options, wanted, client
        self._is_bound_given = wanted.rashomon_bound is not None and not self._needs_first_search
        self._first_search = None if self._is_bound_given else self._choose_first_search()

    def _choose_first_search(self) -> Search:
        """Return the search whose objective determines the bound."""
        return exact_search(self._conditions, self._training, self._scale, self._options, client=self._client)

    def _choose_tree(self, outcome: _core.Outcome, found: FoundTrees, kept: list[int]) -> _core.Outcome:
        """Return the outcome of the first search, with the best tree of the set if that is better."""
        return outcome

    def __call__(self, callback: Listener | None, trace: bool) -> SetOutcome:
        """Find the set; before that, if need be, the best tree."""
        return self._find_up_to_bound(callback, trace) if self._is_bound_given else self._find_all(callback, trace)

    def _find_all(self, callback: Listener | None, trace: bool) -> SetOutcome:
        """Run the first search, then find the set in the time that is left."""
        assert self._first_search is not None
        outcome = self._first_search(callback=callback, trace=trace)
        upper, lower, status = outcome["upper"], outcome["lower"], outcome["status"]
        seconds, n_leaves = outcome["statistics"]["seconds"], int((outcome["tree"]["column"] < 0).sum())
        # Users see one search: its objective and bound are known, only effort and memory still grow.
        listener = _Listener(callback, lambda record: (seconds + record[0], upper, lower, *record[3:5], n_leaves))
        budget, is_found = self._training.budget, status in ("optimal", "heuristic")
        if not is_found:
            budget.end()  # without the optimum there is no bound: the set stays empty
        so_far = (0.0, upper, lower, outcome["statistics"]["subproblems"], outcome["statistics"]["bytes"], n_leaves)
        budget.end_when(lambda: listener(so_far))  # Ctrl-C may come between the searches, while columns are packed
        bound = self._wanted.bound_above(self._best_objective(outcome))
        problem, kept = self._make_problem(upper, bound)
        if is_found and listener.is_stopped:
            is_found, status = False, "interrupted"
        most = self._most(bound)
        found = problem.find(most if is_found else None, budget.left(), callback and listener)
        if is_found:
            status = self._status_at_end if found.status == "optimal" else found.status
        outcome = self._choose_tree(outcome, found, kept) if found.values else outcome
        return self._joined(outcome, problem, found, status, bound)

    def _find_up_to_bound(self, callback: Listener | None, trace: bool) -> SetOutcome:
        """Find the set; only if it is empty, search for the best tree in the time that is left."""
        upper = self._cost_of_leaf()
        listener = _Listener(callback, lambda record: (record[0], upper, 0, *record[3:5], 1))
        budget = self._training.budget
        budget.end_when(lambda: listener((0.0, upper, 0, 0, 0, 1)))
        bound = self._wanted.bound_above(Fraction(0))
        most = self._most(bound)
        problem, kept = self._make_problem(0, bound)
        is_stopped = listener.is_stopped  # while columns were packed, so that some may be missing
        found = problem.find(None if is_stopped else most, budget.left(), callback and listener)
        status = "complete" if found.status == "optimal" else found.status
        status = "interrupted" if is_stopped else status
        if found.values:
            outcome = self._outcome_of_best(found, kept)
        else:
            if status != "complete":
                budget.end()  # the search below returns a single leaf at once
            outcome = self._choose_first_search()(callback=callback and listener.forward, trace=trace)
            if found.complete_up_to is not None:  # the best tree is worse
                outcome = {**outcome, "lower": min(outcome["upper"], max(outcome["lower"], found.complete_up_to))}
        return self._joined(outcome, problem, found, status, bound)

    def _outcome_of_best(self, found: FoundTrees, kept: list[int]) -> _core.Outcome:
        """Return the best tree of a set as a search returns it."""
        cost, n_bytes, seconds = found.cost(0), found.statistics["bytes"], found.statistics["seconds"]
        nothing: dict[str, int] = {}
        outcome: Any = {
            "tree": _best_tree(found, kept),
            "upper": cost,
            "lower": cost,
            "status": "optimal",
            "statistics": {
                "subproblems": 0,
                "table_entries": 0,
                "bytes": n_bytes,
                "seconds": seconds,
                "bounds": nothing,
            },
            "trace": [(seconds, cost, cost, 0, n_bytes, found.leaves[0])],
        }
        return outcome  # type: ignore[no-any-return]

    def _joined(
        self, outcome: _core.Outcome, problem: SetProblem, found: FoundTrees, status: str, bound: Fraction
    ) -> SetOutcome:
        """Return the outcome for the best tree with what was found of the set."""
        statistics: dict[str, Any] = {f"set_{name}": value for name, value in found.statistics.items()}
        bounds = Counter(outcome["statistics"]["bounds"])
        bounds.update(found.bounds)
        statistics["bounds"] = dict(bounds)
        rashomon_set = self._make_set(problem, found)
        if self._lookahead is not None:
            statistics["set_prefixes"] = rashomon_set.n_prefixes
        return {
            **outcome,
            "status": status,
            "statistics": {**outcome["statistics"], **statistics},
            "rashomon_set": rashomon_set,
            "bound": bound,
        }

    def _make_set(self, problem: Any, found: FoundTrees) -> BaseRashomonSet[Any]:
        return RashomonSet(problem, found)

    def _best_objective(self, outcome: _core.Outcome) -> Fraction:
        """Return the objective of the best tree without rounding."""
        exact: Fraction = self._scale.exact_objective(outcome["upper"])
        return exact

    def _cost_of_leaf(self) -> Any:
        """Return the cost of the single leaf."""
        scale = self._scale
        losses = scale.weights @ scale.costs[self._training.codes]
        return int(losses.min()) + scale.leaf_cost

    def _columns(self) -> tuple[npt.NDArray[np.uint8], Conditions, list[int]]:
        """Return the packed columns that the trees may test, their conditions, and their numbers among all."""
        training, conditions = self._training, self._conditions
        # One copy for the set that users hold, and one for the core, which keeps its own.
        columns = pack_within(conditions, training.table, training.budget, copies=2)
        conditions = conditions.take(range(len(columns)))
        kept = list(range(len(columns)))
        if self._wanted.distinct == "splits":
            kept = _first_of_each_split(columns, training.table.n_rows, training.budget)
            if len(kept) < len(columns):
                conditions, columns = conditions.take(kept), columns[kept]
        return columns, conditions, kept

    def _make_problem(self, optimum: Any, bound: Fraction) -> tuple[SetProblem, list[int]]:
        """Return the problem of the set, and the numbers of the conditions that its trees may test."""
        training, options = self._training, self._options
        columns, conditions, kept = self._columns()
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

    def _check_bound(self, bound: Fraction, regularization: Fraction | float) -> None:
        """Raise ValueError where a bound on 1 minus a share excludes no loss, even of a single leaf."""
        if bound >= 1 + regularization:
            raise ValueError(
                f"{self._wanted.name()} is too large: the bound would be {float(bound):.6g}, and must be less than 1 "
                f"plus the leaf penalty, {float(1 + regularization):.6g}."
            )

    def _most(self, bound: Fraction) -> Any:
        """Return the ticks of the bound; check that the number of leaves fits its bits for all trees within it."""
        scale, depth, n_rows = self._scale, self._options.max_depth, self._training.table.n_rows
        ticks = max(-1, scale.most_ticks(bound))
        if ticks >= _LARGEST_BOUND:
            raise ValueError(f"{self._wanted.name()} is too large: even the worst tree would be in the set; lower it.")
        most_leaves = min(n_rows, ticks // scale.leaf_cost, 2 ** min(n_rows if depth is None else depth, 64))
        self._check_most_leaves(most_leaves, scale.leaf_bits)
        return ticks

    def _check_most_leaves(self, most_leaves: int, leaf_bits: int) -> None:
        """Raise ValueError if a number of leaves does not fit its bits."""
        if most_leaves >= 1 << leaf_bits:
            raise ValueError(
                f"a tree of the set might have {most_leaves} leaves, but at most {(1 << leaf_bits) - 1} are "
                f"supported; lower max_depth or {self._wanted.name().split('=')[0]}, or raise regularization."
            )


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
    _needs_first_search = True  # its greedy trees are part of the definition, and it takes little time

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

    def _choose_tree(self, outcome: _core.Outcome, found: FoundTrees, kept: list[int]) -> _core.Outcome:
        """Return the best tree of the set, which is no worse than that of the best prefix."""
        return {**outcome, "tree": _best_tree(found, kept), "upper": found.cost(0)}


class _Listener:
    """Passes on to the user's callback what it is to know; once it has said stop, it is not called again."""

    def __init__(self, callback: Listener | None, record_of: Callable[[Record], Any]) -> None:
        self._callback, self._record_of = callback, record_of
        self.is_stopped = False

    def __call__(self, record: Record) -> bool:
        return self.forward(self._record_of(record))

    def forward(self, record: Record) -> bool:
        """Pass on a record as it is."""
        if self._callback is not None and not self.is_stopped:
            self.is_stopped = self._callback(record)
        return self.is_stopped


def _best_tree(found: FoundTrees, kept: list[int]) -> TreeArrays:
    tree = found.read(0, 0)
    # The set counts only the columns that were kept; -1, a leaf, finds the last entry.
    tree["column"] = np.append(kept, -1).astype(np.int32)[tree["column"]]
    return tree


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
