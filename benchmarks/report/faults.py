"""What cannot be true: proofs that disagree, optima that are none, bounds above a known tree, trees too deep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from benchmarks.report.runs import REFERENCE_PEER, Contender, Problem, Run
from benchmarks.results import TOLERANCE

DISAGREE = "proofs disagree"
WRONG_OPTIMUM = "wrong optimum"
NO_TREE = "proof without a tree"
BOUND_TOO_HIGH = "lower bound above a known tree"
TOO_DEEP = "tree deeper than allowed"
WRONG_CLAIM = "claimed objective is not the tree's"
KINDS = (DISAGREE, WRONG_OPTIMUM, NO_TREE, BOUND_TOO_HIGH, TOO_DEEP, WRONG_CLAIM)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that cannot be true, said of the runs of some peers on one problem.

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


def is_valid(run: Run) -> bool:
    """Say whether a run has a tree within the limit of depth."""
    return run.record.objective is not None and not _is_too_deep(run)


def best_trees(runs: Iterable[Run]) -> dict[Problem, Run]:
    """Return for each problem the run with the best valid tree; of equally good ones a proven one comes first."""
    best: dict[Problem, Run] = {}
    for run in runs:
        if is_valid(run) and (run.problem not in best or _rank(run) < _rank(best[run.problem])):
            best[run.problem] = run
    return best


def is_refuted(run: Run, best: dict[Problem, Run]) -> bool:
    """Say whether a run claims a proof that a better tree disproves, or for which it shows no valid tree."""
    return run.record.proven and (not is_valid(run) or _objective(run) > _objective(best[run.problem]) + TOLERANCE)


def find_faults(runs: Iterable[Run], label: Callable[[Contender], str]) -> list[Fault]:
    """Find everything that cannot be true."""
    runs = list(runs)
    best = best_trees(runs)
    found = [*_disagreements(runs, label), *(fault for run in runs for fault in _faults_of(run, best, label))]
    return sorted(
        set(found), key=lambda fault: (KINDS.index(fault.kind), not fault.of_hornbeam, fault.problem.order, fault.text)
    )


def _disagreements(runs: list[Run], label: Callable[[Contender], str]) -> Iterator[Fault]:
    proofs: dict[Problem, list[Run]] = defaultdict(list)
    for run in runs:
        if run.record.proven and run.record.objective is not None:
            proofs[run.problem].append(run)
    for problem, proven in proofs.items():
        proven.sort(key=lambda run: (_objective(run), run.contender.order))
        distance = _objective(proven[-1]) - _objective(proven[0])
        if distance > TOLERANCE:
            parts = [
                f"{written}: {', '.join(dict.fromkeys(label(run.contender) for run in group))}"
                for written, group in groupby(proven, key=lambda run: _written(_objective(run)))
            ]
            contenders = tuple(dict.fromkeys(run.contender for run in proven))
            yield Fault(DISAGREE, problem, contenders, "; ".join(parts), distance)


def _faults_of(run: Run, best: dict[Problem, Run], label: Callable[[Contender], str]) -> Iterator[Fault]:
    def fault(kind: str, text: str, excess: float) -> Fault:
        return Fault(kind, run.problem, (run.contender,), f"{label(run.contender)}: {text}", excess)

    known = best.get(run.problem)
    by = f"{_written(_objective(known))} by {label(known.contender)}" if known else ""
    if run.record.proven and run.record.objective is None:
        yield fault(NO_TREE, "claims a proof and shows no tree", 0.0)
    if known and is_valid(run) and is_refuted(run, best):
        excess = _objective(run) - _objective(known)
        yield fault(WRONG_OPTIMUM, f"claims {_written(_objective(run))} proven; known is a tree of {by}", excess)
    elif known and run.record.lower_bound is not None and run.record.lower_bound > _objective(known) + TOLERANCE:
        excess = run.record.lower_bound - _objective(known)
        yield fault(BOUND_TOO_HIGH, f"bound {_written(run.record.lower_bound)}; known is a tree of {by}", excess)
    if run.record.depth is not None and run.problem.max_depth is not None and _is_too_deep(run):
        yield fault(TOO_DEEP, f"depth {run.record.depth}", float(run.record.depth - run.problem.max_depth))
    if run.record.objective is not None and run.record.claimed_objective is not None:
        excess = abs(run.record.claimed_objective - run.record.objective)
        if excess > TOLERANCE:
            claim = _written(run.record.claimed_objective)
            yield fault(WRONG_CLAIM, f"claims {claim}; its tree has {_written(_objective(run))}", excess)


def _is_too_deep(run: Run) -> bool:
    return (
        run.record.depth is not None and run.problem.max_depth is not None and run.record.depth > run.problem.max_depth
    )


def _objective(run: Run) -> float:
    """Return the objective of a run that has a tree."""
    assert run.record.objective is not None
    return run.record.objective


def _written(value: float) -> str:
    """Write an objective with digits enough to see a difference of the tolerance."""
    return f"{value:.10g}"


def _rank(run: Run) -> tuple[float, bool]:
    return _objective(run), not run.record.proven
