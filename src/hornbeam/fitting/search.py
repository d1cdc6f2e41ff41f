"""Choose between the bitset search and the ordered search, and pack the columns for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import BINS_FOR_A_TREE, Conditions, bin_within, pack_conditions, pack_within
from hornbeam.cluster import OrderedProblem, PackedProblem, pool_on, solve_on_cluster
from hornbeam.fitting.hazards import SurvivalScale
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.start_tree import StartArrays, TreeScale
from hornbeam.fitting.training import TrainingRows
from hornbeam.fitting.triples import least_distinct

# The bounds of both searches that can be switched off.
BOUNDS = tuple(_core.BOUNDS["exact"])

# Mean number of thresholds of a column from which the ordered search is faster: see
# docs/notes/2026-11-21-ordered-search.md.
_LEAST_THRESHOLDS = 64

# The time of lookahead over binary columns grows with a power of their number. From so many on, unless they are few for
# each column, the heuristics over sorted values find better trees sooner: see docs/notes/2026-11-23-large-tables.md.
_MANY_CONDITIONS = 512
_FEW_THRESHOLDS = 8

# Bits of a row that has losses of its own are many. With so few levels, in which bounds between sets of rows close
# little, sums in the order of a column are faster from so many thresholds on: see docs/notes/2026-11-25-policies.md.
_LEAST_THRESHOLDS_OF_LOSSES = 4
_FEW_LEVELS = 3

# The same for squared error: see docs/notes/2026-11-26-ordered-regression.md.
_LEAST_THRESHOLDS_OF_SQUARES = 16

# In the order of a column, every prediction is weighed at each threshold, unless a few sums stand for all of them. The
# bitset search weighs them for all columns at once.
_MOST_PREDICTIONS_IN_ORDER = 64

# Without a small depth limit the bitset search is faster up to so many results of conditions: one column of 200 random
# numbers takes it 2 ms, and the ordered search minutes. See docs/notes/2026-11-23-ordered-table.md. For survival, where
# little bounds a run of thresholds, a small depth is one of few levels: see docs/notes/2026-11-26-ordered-survival.md.
_SMALL_DEPTH = 16
_LEAST_RESULTS = 1 << 19

# The options of a search on a cluster that hold for each of its parts.
_OF_WORKERS = ("max_depth", "max_leaves", "min_samples_leaf", "rule_list", "memory_limit", "bounds")

# Of the heuristics between two searches of a path; more of them gain little.
_IDLE_ROUNDS = 16

Listener: TypeAlias = "Callable[[_core.Progress], bool]"
Search: TypeAlias = "Callable[..., _core.Outcome]"
"""A search with its problem and its limits; it is called with `callback`, a `Listener` or None, with `trace`, and with
what `Monitor.checkpoint_listener` returns."""


def packed_columns(conditions: Conditions, training: TrainingRows) -> _core.PackedColumns:
    """Return the conditions evaluated on all rows, as many of them as fit into the budget of the fit."""
    packed = pack_within(conditions, training.table, training.budget)
    return _core.PackedColumns(packed, training.table.n_rows)


def ordered_columns(conditions: Conditions, training: TrainingRows) -> _core.OrderedColumns:
    """Return the bin of each row among the thresholds of each column, if the budget of the fit has room for all."""
    return _core.OrderedColumns(*bin_within(conditions, training.table, training.budget))


def make_problem(training: TrainingRows, scale: TreeScale) -> _core.Problem:
    """Return the rows and their costs for the core."""
    return scale.problem(training.codes, training.reference, training.counts)


def within(options: _core.SearchOptions, budget: Budget) -> _core.SearchOptions:
    """Return the options with the time and memory that are left for a search that starts now.

    Once the budget is spent, there may be fewer conditions than without limits. So the search, which ends at once,
    neither reads nor writes the checkpoint, which is of all of them.
    """
    left = budget.left()
    limited = options.replace(time_limit=left.seconds, memory_limit=left.bytes)
    return limited.replace(checkpoint=None) if budget.is_spent() else limited


def search_by_bits(
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
    start: StartArrays | None = None,
) -> Search:
    """Return the bitset search, which works for all columns and limits, or counts triples if there are few levels."""
    packed = pack_within(conditions, training.table, training.budget)
    if start is not None and len(packed) < len(conditions):
        return _start_alone(conditions, training, scale, options, start)
    columns = _core.PackedColumns(packed, training.table.n_rows)
    if training.codes is not None:
        n_classes = int(training.codes.max()) + 1
        options = options.replace(triples_above=least_distinct(len(conditions), n_classes))
    limited = within(options, training.budget)
    return partial(_core.solve, columns, make_problem(training, scale), limited, start=start)


def search_by_order(
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
    start: StartArrays | None = None,
) -> Search:
    """Return the ordered search, whose columns are thresholds."""
    late = {"n_late": BINS_FOR_A_TREE} if training.codes is None else {}  # a search of classes grows no greedy tree
    bins, n_thresholds = bin_within(conditions, training.table, training.budget, **late)
    if start is not None and n_thresholds.sum() < len(conditions):
        return _start_alone(conditions, training, scale, options, start)
    columns = _core.OrderedColumns(bins, n_thresholds)
    return partial(_core.solve, columns, make_problem(training, scale), within(options, training.budget), start=start)


def search_on_cluster(
    conditions: Conditions,
    training: TrainingRows,
    scale: AdditiveScale,
    options: _core.SearchOptions,
    client: Any,
    start: StartArrays | None = None,
    seconds: float | None = None,
) -> Search:
    """Return the exact search on the workers of a Dask cluster; `memory_limit` is that of each worker.

    It gets so many seconds, or what is left of the budget.
    """
    for name, value in (("checkpoint", options.checkpoint), ("reference", training.reference)):
        if value is not None:
            raise ValueError(
                f"{name} is not for a search on a Dask cluster. Set {name}=None, or n_jobs=1 to search in this process."
            )
    arguments = training.codes, scale.weights, scale.costs, scale.leaf_cost, None, training.counts
    problem: PackedProblem | OrderedProblem
    if _suits_order(conditions, training, scale, options):
        bins, n_thresholds = bin_within(conditions, training.table, training.budget)
        n_given, problem = n_thresholds.sum(), OrderedProblem(arguments, {}, bins, n_thresholds)
    else:
        packed = pack_within(conditions, training.table, training.budget)
        n_given, problem = len(packed), PackedProblem(arguments, {}, packed, training.table.n_rows)
    if start is not None and n_given < len(conditions):
        return _start_alone(conditions, training, scale, options, start)
    limited = within(options, training.budget)
    if seconds is not None:
        limited = limited.replace(time_limit=seconds)
    problem.options = {name: getattr(limited, name) for name in _OF_WORKERS}
    return partial(solve_on_cluster, pool_on(client), problem, limited, start)


def _start_alone(
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
    start: StartArrays,
) -> Search:
    """Return a search of which no more than its start tree is left: the budget has no room for the other conditions."""
    used = np.unique(start[0, start[0] >= 0])
    packed = pack_conditions(conditions.take(used.tolist()), training.table)
    columns = _core.PackedColumns(packed, training.table.n_rows)
    renumbered = np.array([np.where(start[0] < 0, -1, np.searchsorted(used, start[0])), *start[1:]], dtype=np.int32)
    # The budget is spent, so the search ends at once and proves nothing that holds for these conditions alone.
    its_options = within(options, training.budget)

    def search(callback: Listener | None = None, trace: bool = False, **_: Any) -> _core.Outcome:
        outcome: _core.Outcome = _core.solve(
            columns, make_problem(training, scale), its_options, start=renumbered, callback=callback, trace=trace
        )
        column = outcome["tree"]["column"]
        outcome["tree"]["column"] = np.where(column < 0, np.int32(-1), used[column])
        return outcome

    return search


def near_optimal_search(
    conditions: Conditions, training: TrainingRows, scale: TreeScale, options: _core.SearchOptions, idle_rounds: int
) -> Search:
    """Return the primal heuristics, which consider all thresholds of a column at once.

    They end after so many rounds over all nodes that find no better tree; 0: with the tree that lookahead grows. Before
    the first round, an exact search gets about a tenth of a second, and proves the tree of a small problem.
    """
    return partial(
        _core.near_optimal,
        ordered_columns(conditions, training),
        make_problem(training, scale),
        within(options, training.budget),
        idle_rounds=idle_rounds,
        exact_if_small=idle_rounds > 0,
    )


def has_many_thresholds(n_conditions: int, n_columns: int) -> bool:
    """Return whether sorted values are faster to search than binary columns, for conditions on so many columns."""
    return n_conditions >= _LEAST_THRESHOLDS * n_columns > 0


def suits_near_optimal_search(conditions: Conditions) -> bool:
    """Return whether the heuristics over sorted values are better than lookahead over binary columns."""
    has_several = len(conditions) > max(_MANY_CONDITIONS, _FEW_THRESHOLDS * conditions.n_runs)
    return has_several or has_many_thresholds(len(conditions), conditions.n_runs)


def suits_ordered_search(
    conditions: Conditions,
    n_rows: int,
    options: _core.SearchOptions,
    *,
    least_of_few_levels: int = _LEAST_THRESHOLDS,
    small_depth: int = _SMALL_DEPTH,
) -> bool:
    """Return whether the ordered search is expected to be faster; it finds no rule lists.

    For trees of at most three levels, a mean of `least_of_few_levels` thresholds for each column is enough; up to
    `small_depth` it does not matter how many rows there are.
    """
    has_few_levels = options.max_depth is not None and options.max_depth <= _FEW_LEVELS
    has_some = has_few_levels and len(conditions) >= least_of_few_levels * conditions.n_runs > 0
    is_shallow = options.max_depth is not None and options.max_depth <= small_depth
    has_many = has_many_thresholds(len(conditions), conditions.n_runs)
    has_enough = has_many and (is_shallow or len(conditions) * n_rows >= _LEAST_RESULTS)
    return (
        (has_enough or has_some)
        and not options.rule_list
        # The number of a row and its class share 32 bits, which keeps the entries of the search small.
        and n_rows <= _core.MOST_ORDERED_ROWS
    )


def exact_search(
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
    start: StartArrays | None = None,
    client: Any = None,
) -> Search:
    """Return the exact search that is expected to be faster; `start` is the tree that it starts from.

    With a Dask client it runs on the workers of its cluster, unless the counts of triples suffice.

    Raises
    ------
    ValueError
        If the cluster is asked for what only one machine can do.
    """
    if isinstance(scale, AdditiveScale):  # the only costs that these know
        if training.triples is not None:
            return training.triples.search_with(scale, options)
        if client is not None:
            return search_on_cluster(conditions, training, scale, options, client, start)
    search_by = search_by_order if _suits_order(conditions, training, scale, options) else search_by_bits
    return search_by(conditions, training, scale, options, start)


def _suits_order(
    conditions: Conditions, training: TrainingRows, scale: TreeScale, options: _core.SearchOptions
) -> bool:
    """Return whether the ordered search is expected to be faster for the costs of a scale."""
    if isinstance(scale, SurvivalScale):
        return _suits_order_of_times(conditions, training, options)
    if not isinstance(scale, AdditiveScale):
        least = _LEAST_THRESHOLDS_OF_SQUARES
    elif training.codes is not None:
        least = _LEAST_THRESHOLDS
    elif scale.costs.shape[1] > _MOST_PREDICTIONS_IN_ORDER:
        return False
    else:
        least = _LEAST_THRESHOLDS_OF_LOSSES
    # All given rows count, also where equal ones are merged: the search is the same as for the table in memory.
    return suits_ordered_search(conditions, training.n_rows, options, least_of_few_levels=least)


def _suits_order_of_times(conditions: Conditions, training: TrainingRows, options: _core.SearchOptions) -> bool:
    """Return whether the ordered search is expected to be faster for survival trees."""
    return suits_ordered_search(conditions, training.n_rows, options, small_depth=_FEW_LEVELS)


def searches_of_penalties(
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
    callback: Listener,
    with_file: Callable[[_core.SearchOptions, int], _core.SearchOptions],
    client: Any = None,
    **listeners: Any,
) -> Callable[[int, int | None, float | None], _core.Outcome]:
    """Return a function that searches with another leaf penalty in ticks, limit on leaves and limit in seconds.

    A limit on leaves of None stands for that of the options. `with_file` adds the checkpoint of a search with a leaf
    penalty to its options. The searches of binary columns share what they prove. The
    ordered search shares nothing, and its first tree takes long: if half of the seconds bring no proof, the primal
    heuristics get the other half. On the workers of a Dask cluster, the searches share nothing, either.
    """
    solve: Any
    columns = None
    if client is not None and isinstance(scale, AdditiveScale):
        return _searches_on_cluster(conditions, training, scale, options, callback, with_file, client)
    if isinstance(scale, SurvivalScale):
        is_ordered = _suits_order_of_times(conditions, training, options)
    else:
        is_ordered = isinstance(scale, AdditiveScale) and suits_ordered_search(conditions, training.n_rows, options)
    if is_ordered:
        columns = ordered_columns(conditions, training)
        solve = partial(_core.solve, columns)
    else:
        solve = partial(_core.solve, packed_columns(conditions, training), earlier=_core.EarlierSearches())

    def search(leaf_cost: int, max_leaves: int | None, seconds: float | None) -> _core.Outcome:
        if columns is not None and seconds is not None:
            seconds /= 2
        of_tree = options if max_leaves is None else options.replace(max_leaves=max_leaves)
        its_options = within(with_file(of_tree, leaf_cost), training.budget).replace(time_limit=seconds)
        problem = make_problem(training, replace(scale, leaf_cost=leaf_cost))
        outcome: _core.Outcome = solve(problem, its_options, callback=callback, **listeners)
        if columns is None or outcome["status"] != "time_limit":
            return outcome
        of_heuristics = its_options.replace(checkpoint=None)
        tree = _core.near_optimal(columns, problem, of_heuristics, idle_rounds=_IDLE_ROUNDS, callback=callback)
        return _with_better_tree(outcome, tree)

    return search


def _searches_on_cluster(
    conditions: Conditions,
    training: TrainingRows,
    scale: AdditiveScale,
    options: _core.SearchOptions,
    callback: Listener,
    with_file: Callable[[_core.SearchOptions, int], _core.SearchOptions],
    client: Any,
) -> Callable[[int, int | None, float | None], _core.Outcome]:
    def search(leaf_cost: int, max_leaves: int | None, seconds: float | None) -> _core.Outcome:
        of_tree = options if max_leaves is None else options.replace(max_leaves=max_leaves)
        its_options = with_file(of_tree, leaf_cost)
        its_scale = replace(scale, leaf_cost=leaf_cost)
        found = search_on_cluster(conditions, training, its_scale, its_options, client, seconds=seconds)
        outcome: _core.Outcome = found(callback=callback)
        return outcome

    return search


def _with_better_tree(exact: _core.Outcome, heuristic: _core.Outcome) -> _core.Outcome:
    """Return what a stopped search has proven, with the heuristics' tree if it is better, and the sums of both."""
    better = min(exact, heuristic, key=lambda one: one["upper"])
    mine, its = exact["statistics"], heuristic["statistics"]
    sums = {name: mine[name] + its[name] for name in ("subproblems", "table_entries", "seconds")}
    return {
        **exact,
        "tree": better["tree"],
        "upper": better["upper"],
        "status": heuristic["status"] if heuristic["status"] in ("interrupted", "memory_limit") else exact["status"],
        "statistics": {**mine, **sums, "bytes": max(mine["bytes"], its["bytes"])},
    }
