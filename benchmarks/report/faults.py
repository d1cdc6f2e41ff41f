"""What cannot be true: proofs that disagree, optima that are none, bounds above a known tree, trees too deep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from benchmarks.results import REFERENCE_PEER, TOLERANCE, Contender, Problem, Record

DISAGREE = "proofs disagree"
WRONG_OPTIMUM = "wrong optimum"
NO_TREE = "proof without a tree"
BOUND_TOO_HIGH = "lower bound above a known tree"
TOO_DEEP = "tree deeper than allowed"
WRONG_CLAIM = "claimed objective is not the tree's"
KINDS = (DISAGREE, WRONG_OPTIMUM, NO_TREE, BOUND_TOO_HIGH, TOO_DEEP, WRONG_CLAIM)


class Fault(NamedTuple):
    """Something that cannot be true, about the runs of some peers on one problem.

    `excess` is by how much: of objectives and bounds their distance, of depths the edges too many.
    """

    kind: str
    problem: Problem
    contenders: tuple[Contender, ...]
    text: str
    excess: float

    @property
    def of_hornbeam(self) -> bool:
        """Whether hornbeam is party to it."""
        return any(contender.peer.startswith(REFERENCE_PEER) for contender in self.contenders)


def best_trees(runs: Iterable[Record]) -> dict[Problem, Record]:
    """Return for each problem the run with the best valid tree; of equally good ones a proven one comes first."""
    best: dict[Problem, Record] = {}
    for run in runs:
        if is_valid(run) and (run.problem not in best or _rank(run) < _rank(best[run.problem])):
            best[run.problem] = run
    return best


def is_valid(run: Record) -> bool:
    """Return whether a run has a tree within the limit of depth."""
    return run.objective is not None and not run.is_too_deep


def is_refuted(run: Record, best: dict[Problem, Record]) -> bool:
    """Return whether a run claims a proof that a better tree disproves, or for which it shows no valid tree."""
    return run.proven and (not is_valid(run) or _objective(run) > _objective(best[run.problem]) + TOLERANCE)


def find_faults(
    runs: list[Record], label: Callable[[Contender], str] = lambda contender: contender.peer
) -> list[Fault]:
    """Find everything that cannot be true; `label` names the contenders."""
    best = best_trees(runs)
    found = [*_disagreements(runs, label), *(fault for run in runs for fault in _faults_of(run, best, label))]
    return sorted(
        set(found), key=lambda fault: (KINDS.index(fault.kind), not fault.of_hornbeam, fault.problem.order, fault.text)
    )


def _disagreements(runs: list[Record], label: Callable[[Contender], str]) -> Iterator[Fault]:
    proofs: dict[Problem, list[Record]] = defaultdict(list)
    for run in runs:
        if run.proven and run.objective is not None:
            proofs[run.problem].append(run)
    for problem, proven in proofs.items():
        proven.sort(key=lambda run: (_objective(run), run.contender.order))
        distance = _objective(proven[-1]) - _objective(proven[0])
        if distance > TOLERANCE:
            parts = [
                f"{written}: {', '.join(dict.fromkeys(label(run.contender) for run in group))}"
                for written, group in groupby(proven, key=lambda run: f"{_objective(run):.10g}")
            ]
            contenders = tuple(dict.fromkeys(run.contender for run in proven))
            yield Fault(DISAGREE, problem, contenders, "; ".join(parts), distance)


def _faults_of(run: Record, best: dict[Problem, Record], label: Callable[[Contender], str]) -> Iterator[Fault]:
    def fault(kind: str, text: str, excess: float) -> Fault:
        return Fault(kind, run.problem, (run.contender,), f"{label(run.contender)}: {text}", excess)

    if run.proven and run.objective is None:
        yield fault(NO_TREE, "claims a proof and shows no tree", 0.0)
    if known := best.get(run.problem):
        by, least = f"{known.objective:.10g} by {label(known.contender)}", _objective(known)
        if is_valid(run) and is_refuted(run, best):
            text = f"claims {run.objective:.10g} proven; known is a tree of {by}"
            yield fault(WRONG_OPTIMUM, text, _objective(run) - least)
        elif run.lower_bound is not None and run.lower_bound > least + TOLERANCE:
            text = f"bound {run.lower_bound:.10g}; known is a tree of {by}"
            yield fault(BOUND_TOO_HIGH, text, run.lower_bound - least)
    if run.is_too_deep:
        yield fault(TOO_DEEP, f"depth {run.depth}", float((run.depth or 0) - (run.max_depth or 0)))
    if run.objective is not None and run.claimed_objective is not None:
        excess = abs(run.claimed_objective - run.objective)
        if excess > TOLERANCE:
            text = f"claims {run.claimed_objective:.10g}; its tree has {run.objective:.10g}"
            yield fault(WRONG_CLAIM, text, excess)


def _objective(run: Record) -> float:
    """Return the objective of a run that has a tree."""
    assert run.objective is not None
    return run.objective


def _rank(run: Record) -> tuple[float, bool]:
    return _objective(run), not run.proven
