"""Sets of trees: the report, and the trees of a set as models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hornbeam.cli.errors import CommandError, Stage, refusals_as_command_errors
from hornbeam.cli.fitting import model_of
from hornbeam.cli.model import Model
from hornbeam.cli.report import STOPPED_BY
from hornbeam.estimators import (
    RashomonSetClassifier,
    RashomonSetPolicyTree,
    RashomonSetRegressor,
    RashomonSetSurvivalTree,
)
from hornbeam.tree.words import count

MOST_NUMBERS = 12  # numbers of leaves that the report lists
# Their methods that return one tree as an estimator.
_ONE_OF = {
    RashomonSetClassifier: RashomonSetClassifier.classifier,
    RashomonSetPolicyTree: RashomonSetPolicyTree.policy,
    RashomonSetRegressor: RashomonSetRegressor.regressor,
    RashomonSetSurvivalTree: RashomonSetSurvivalTree.survival_tree,
}


@dataclass(frozen=True, slots=True)
class SetOutput:
    """What to show and to write of a set of trees.

    Attributes
    ----------
    best : int
        How many of the best trees.
    sample : int
        How many trees at random, all equally likely.
    seed : int
        Of the sample.
    trees : Path or None
        Directory for these trees, each a model; made if its parent exists.
    timbertrek : Path or None
        File for these trees as JSON of TimberTrek.
    """

    best: int = 1
    sample: int = 0
    seed: int = 0
    trees: Path | None = None
    timbertrek: Path | None = None

    def __post_init__(self) -> None:
        for name, number in (("best", self.best), ("sample", self.sample)):
            if number < 0:
                raise CommandError(f"--{name} {number}: expected a number of trees")
        if self.trees is not None and not (self.trees if self.trees.exists() else self.trees.parent).is_dir():
            raise CommandError(f"--trees {self.trees}: is not a directory, and cannot be made")

    def numbers(self, estimator: Any) -> list[int]:
        """Return the numbers of the trees to show and to write: the best ones, then those of the sample, each once."""
        trees = estimator.rashomon_set_
        if trees.n_trees == 0 and self.sample:
            raise CommandError("--sample: the set holds no tree; raise --epsilon or --rashomon-bound")
        sampled = sorted(trees.sample(self.sample, random_state=self.seed))
        return list(dict.fromkeys([*range(min(self.best, trees.n_trees)), *sampled]))


def write_set(stage: Stage, estimator: Any, how: SetOutput, best: Model) -> list[str]:
    """Write trees of a fitted set, as models and for TimberTrek; return what to say about the set and its trees.

    Parameters
    ----------
    stage : Stage
        Gets the files.
    estimator
        Fitted, one of those that find sets of trees.
    how : SetOutput
        Which trees, and where to.
    best : Model
        The model of the best tree, whose method and format of the table all models get.
    """
    stage.doing = "while trees of the set were written"
    numbers = how.numbers(estimator)
    stage.written += _write_trees(estimator, numbers, how, best)
    return [_set_text(estimator), _trees_text(estimator, numbers)]


def _set_text(estimator: Any) -> str:
    """Return what is known of a fitted set, as text."""
    trees = estimator.rashomon_set_
    state = {
        "complete": "complete: all trees within the bound",
        "heuristic": "found by RESPLIT: some trees within the bound may be missing",
    }.get(estimator.status_)
    if state is None:
        reached = f"the trees up to objective {estimator.searched_up_to_:.6f}" if trees.n_trees else "no tree"
        state = f"not complete: stopped by {STOPPED_BY[estimator.status_]}, with {reached}"
    above = f"{100 * estimator.epsilon:g} %" if estimator.epsilon_is == "multiplier" else f"{estimator.epsilon:g}"
    best = "the best tree" if estimator.status_ != "heuristic" else "the best prefix of RESPLIT"
    is_given = estimator.rashomon_bound is not None
    lines = [
        f"Set of near-optimal trees, {state}",
        f"  trees        {trees.n_trees:,}{_in_doubt(trees)}",
        f"  bound        {estimator.bound_:.6f}, {'as given' if is_given else f'{above} above {best}'}",
    ]
    if trees.n_trees:
        by_leaves = list(trees.n_leaves().items())
        shown = [f"{n_trees:,} with {count(leaves, 'leaf', 'leaves')}" for leaves, n_trees in by_leaves[:MOST_NUMBERS]]
        lines.append(f"  sizes        {', '.join(shown)}{', ...' if len(by_leaves) > MOST_NUMBERS else ''}")
    return "\n".join(lines)


def _in_doubt(trees: Any) -> str:
    """Return how many of the trees rounding leaves in doubt; "" if there are none."""
    in_doubt = trees.n_trees - getattr(trees, "n_certain", trees.n_trees)
    return f", {in_doubt:,} of them within the bound or just above it, since losses are rounded" if in_doubt else ""


def _trees_text(estimator: Any, numbers: Sequence[int]) -> str:
    """Return the trees with their numbers and objectives, as text; the first one is in the report already."""
    parts = []
    for number in numbers:
        if number > 0:
            objective = estimator.rashomon_set_.objective(number)
            parts.append(
                f"Tree {number}: objective {objective:.6f}\n{estimator.rashomon_set_[number].to_text().rstrip()}"
            )
    return "\n\n".join(parts)


def _write_trees(estimator: Any, numbers: Sequence[int], how: SetOutput, best: Model) -> list[Path]:
    """Write trees as models and for TimberTrek; return the files."""
    written = []
    if how.trees is not None:
        with refusals_as_command_errors():
            how.trees.mkdir(exist_ok=True)
        for number in numbers:
            one = model_of(_ONE_OF[type(estimator)](estimator, number), best.certificate.method)
            path = how.trees / f"tree-{number}.json"
            Model(one.tree, one.certificate, one.prior_counts, best.written).save(path)
            written.append(path)
    if how.timbertrek is not None:
        with refusals_as_command_errors():
            how.timbertrek.write_text(estimator.rashomon_set_.to_timbertrek(numbers), encoding="utf-8")
        written.append(how.timbertrek)
    return written
