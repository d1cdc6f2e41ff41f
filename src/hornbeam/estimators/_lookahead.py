"""SPLIT and LicketySPLIT for trees of any kind: lookahead over greedy trees, and its certificate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hornbeam import _core
from hornbeam._checks import check_choice, shown
from hornbeam.cluster import active_client
from hornbeam.estimators._regularized import RegularizedTree
from hornbeam.fitting.parameters import check_integer
from hornbeam.fitting.search import (
    Listener,
    Search,
    exact_search,
    make_problem,
    near_optimal_search,
    packed_columns,
    suits_near_optimal_search,
    within,
)
from hornbeam.fitting.start_tree import TreeScale
from hornbeam.fitting.training import TrainingRows

if TYPE_CHECKING:
    from hornbeam._core import Progress as Record

# After so many rounds without a better tree the heuristics have tried all the slightly worse ones to start from.
_ROUNDS_A_LEVEL = 4

# With so few levels of greedy trees, a search of all prefixes takes longer than the exact search, whose bounds close
# most of them: 3 to 9 times as long on four tables of 76 to 153 binary columns. With two levels it takes less time on
# some tables. See docs/notes/2026-11-24-long-lookahead.md.
_LEVELS_TOO_FEW = 1


class LookaheadTree(RegularizedTree):
    """Base of SPLIT and LicketySPLIT: it runs the lookahead search, and the exact search that certifies its tree."""

    certify: bool
    # A parameter of the classifiers: greedy trees for squared error always split by loss.
    last_split: str = "loss"
    _is_recursive: bool

    def _check_parameters(self) -> _core.SearchOptions:
        if self.max_depth is None:
            raise TypeError("max_depth must be an integer, got None: lookahead search needs a depth limit.")
        check_choice("last_split", self.last_split, ("gain", "loss"))
        if not isinstance(self.certify, bool):
            raise TypeError(f"certify must be True or False, got {shown(self.certify)}.")
        return super()._check_parameters()

    def _steps(self) -> int:
        """Return the number of levels of splits that are searched exhaustively."""
        return 1

    def _keeps_greedy(self) -> bool:
        """Return whether the greedy trees below these levels stay."""
        return False

    def _choose_search(self, training: TrainingRows, scale: TreeScale, options: _core.SearchOptions) -> Search:
        conditions = self.binarizer_.conditions_
        steps, depth = self._steps(), options.max_depth or 0
        keeps_greedy = self._keeps_greedy() and steps < depth
        search: Search
        if keeps_greedy or not suits_near_optimal_search(conditions):
            if not self._is_recursive and not keeps_greedy and steps >= depth - _LEVELS_TOO_FEW:
                # The optimal tree keeps all that is promised of SPLIT's.
                steps = depth
            search = partial(
                _core.solve_lookahead,
                packed_columns(conditions, training),
                make_problem(training, scale),
                within(options, training.budget),
                # `max_depth` levels and more mean the exact search; `max_depth` is limited to the number of rows.
                lookahead_depth=max(1, min(steps, depth)),
                recursive=self._is_recursive,
                last_by_loss=self.last_split == "loss",
                keep_greedy=keeps_greedy,
            )
        elif not self._is_recursive and steps >= depth:
            search = exact_search(conditions, training, scale, options, client=active_client(self.n_jobs))
        else:
            idle_rounds = _ROUNDS_A_LEVEL * (steps - 1)
            search = near_optimal_search(conditions, training, scale, options, idle_rounds=idle_rounds)
        return partial(self._certified, training, scale, options, search) if self.certify else search

    def _certified(
        self,
        training: TrainingRows,
        scale: TreeScale,
        options: _core.SearchOptions,
        search: Search,
        callback: Listener | None,
        trace: bool,
    ) -> _core.Outcome:
        """Run the search, then the exact one in the time that is left, only for its lower bound."""
        outcome = search(callback=callback, trace=trace)
        if outcome["status"] != "heuristic":
            return outcome
        upper, seconds = outcome["upper"], outcome["statistics"]["seconds"]
        n_leaves = int((outcome["tree"]["column"] < 0).sum())

        # The tree stays the one of the lookahead search, so its objective is reported throughout, and the exact search
        # may stop once it has proven as much, though its own tree may still be worse.
        def listen(record: Record) -> bool:
            elapsed, _, lower, subproblems, memory, _ = record
            now = (seconds + elapsed, upper, min(lower, upper), subproblems, memory, n_leaves)
            return lower >= upper or (callback is not None and callback(now))

        client = active_client(self.n_jobs)
        exact_one = exact_search(self.binarizer_.conditions_, training, scale, options, client=client)
        exact = exact_one(callback=listen, trace=trace)
        lower = max(outcome["lower"], min(exact["lower"], upper))
        statistics = {**outcome["statistics"], "certify_seconds": exact["statistics"]["seconds"]}
        later = [(seconds + at[0], upper, min(at[2], upper), *at[3:5], n_leaves) for at in exact["trace"]]
        return {
            **outcome,
            "lower": lower,
            "status": "optimal" if lower == upper else outcome["status"],
            "statistics": statistics,
            "trace": outcome["trace"] + later,
        }


class SplitTree(LookaheadTree):
    """Base of the estimators by SPLIT: the first levels are searched, and their leaves completed."""

    lookahead_depth: int
    completion: str
    _is_recursive = False

    def _check_parameters(self) -> _core.SearchOptions:
        check_integer("lookahead_depth", self.lookahead_depth, least=1)
        check_choice("completion", self.completion, ("optimal", "greedy"))
        return super()._check_parameters()

    def _steps(self) -> int:
        return int(self.lookahead_depth)

    def _keeps_greedy(self) -> bool:
        return self.completion == "greedy"


class LicketySplitTree(LookaheadTree):
    """Base of the estimators by LicketySPLIT: every node looks one split ahead."""

    _is_recursive = True
