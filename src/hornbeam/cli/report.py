"""The report of `fit` and `show`: the tree, its certificate, and the confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.methods import SETS
from hornbeam.cli.model import Model, ProofSummary
from hornbeam.tree import Tree
from hornbeam.tree.words import count

STOPPED_BY = {
    "time_limit": "the time limit",
    "memory_limit": "the memory limit",
    "expansion_limit": "the limit on expansions",
    "gap_limit": "the gap limit",
    "interrupted": "Ctrl-C",
}
THRESHOLDS = {
    "exact": "every threshold",
    "quantile": "quantile thresholds",
    "auto": "quantiles and thresholds chosen with the labels",
    "guess": "thresholds of a boosted model",
    "none": "columns of 0 and 1",
}


def report(model: Model) -> str:
    """Return the tree and its certificate as text."""
    return f"{model.tree.to_text().rstrip()}\n\n{certificate_text(model)}"


def certificate_text(model: Model) -> str:
    """Return what is proven about the tree, and the search space of the proof."""
    proof, tree = model.certificate, model.tree
    lines = [
        _verdict(proof),
        *_proof_lines(proof, tree.n_leaves),
        f"  tree         {count(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}",
        f"  proof over   {_searched(proof)}",
        f"  search       {proof.seconds:.2f} s, {count(proof.subproblems, 'subproblem')}, "
        f"{count(proof.table_entries, 'table entry', 'table entries')}, {proof.memory_bytes / 1e6:.1f} MB",
    ]
    return "\n".join(lines)


def _proof_lines(proof: ProofSummary, n_leaves: int) -> list[str]:
    """Return the lines of a certificate on objective and bound."""
    # What a proven bound lacks in digits that are not shown is rounding, and no gap.
    gap = f"gap {0 if _is_closed(proof) else 100 * proof.gap:.3g} %"
    if proof.loss is None:
        return [f"  {proof.measure:<12} {-proof.objective:.6f}", f"  upper bound  {-proof.lower_bound:.6f}, {gap}"]
    return [
        f"  objective    {proof.objective:.6f} ({proof.measure}) = loss {proof.loss:.6f} "
        f"+ {proof.regularization:.6g} x {count(n_leaves, 'leaf', 'leaves')}",
        f"  lower bound  {proof.lower_bound:.6f}, {gap}",
    ]


def _is_closed(proof: ProofSummary) -> bool:
    """Return whether a tree is proven, and its bound differs from its objective in no digit that is shown."""
    return proof.is_proven and f"{proof.objective:.6f}" == f"{proof.lower_bound:.6f}"


def _verdict(proof: ProofSummary) -> str:
    worse = "a log posterior above the upper bound" if proof.loss is None else "an objective below the lower bound"
    if proof.is_proven and not _is_closed(proof):
        return f"Proven optimal but for rounding: no tree in the search space has {worse}."
    if proof.is_proven:
        better = "a larger posterior probability" if proof.loss is None else "a lower objective"
        return f"Proven optimal: no tree in the search space has {better}."
    if proof.status == "heuristic":
        what = "one tree of a set" if proof.method in SETS else "the search has ended without a proof"
        return f"Near-optimal: {what}. No tree in the search space has {worse}."
    if proof.status == "guessed":
        return f"As good as the reference promises, not proven optimal. No tree in the search space has {worse}."
    if proof.status == "known_bound":
        return "As good as the known lower bound, which was trusted: optimal if that is true."
    if proof.status == "cutoff":
        return f"No tree in the search space is as good as the known upper bound: none has {worse}."
    return (
        f"Not proven optimal: stopped by {STOPPED_BY.get(proof.status, proof.status)}. "
        f"No tree in the search space has {worse}."
    )


def _searched(proof: ProofSummary) -> str:
    """Return the trees that the proof covers, in words."""
    limits = [
        "any depth" if proof.max_depth is None else f"depth <= {proof.max_depth}",
        *([] if proof.max_leaves is None else [f"at most {count(proof.max_leaves, 'leaf', 'leaves')}"]),
        *([] if proof.min_samples_leaf <= 1 else [f"at least {proof.min_samples_leaf} rows per leaf"]),
    ]
    multiples = "" if proof.decimals is None else f", multiples of {10.0**-proof.decimals:g}"
    return (
        f"all trees of {', '.join(limits)} on {count(proof.n_conditions, 'condition')} "
        f"({THRESHOLDS[proof.thresholds]}{multiples}) from {count(proof.n_columns, 'column')}, {count(proof.n_rows)}"
    )


def single_leaf_text(model: Model) -> str:
    """Return what to do about a tree without a split; "" if it has one or the options allow none."""
    proof = model.certificate
    if model.tree.n_leaves > 1 or proof.max_depth == 0 or proof.max_leaves == 1 or not proof.regularization:
        return ""
    if proof.status in STOPPED_BY and proof.status != "gap_limit":
        stop = STOPPED_BY[proof.status]
        return f"The tree has no split yet: {stop} ended the search before it found a better tree."
    rare = " If a class is rare, try --objective balanced" if proof.measure == "accuracy" else ""
    return (
        f"The tree has no split: none lowers the loss by more than the leaf penalty of {proof.regularization:.6g}. Try "
        f"--regularization {proof.regularization / 10:.3g}.{rare}"
    )


def confusion_text(tree: Tree, frame: pl.DataFrame, actual: npt.NDArray[Any]) -> str:
    """Return the confusion matrix of the training rows, and how many are correct, as text."""
    counts = confusion_counts(tree, tree.predict(frame), actual)
    correct = int(np.trace(counts))
    head = f"Training rows: {correct:,} of {len(actual):,} correct ({100 * correct / len(actual):.1f} %)"
    return f"{head}\n{confusion_table(tree.classes.tolist(), counts)}"


def confusion_counts(tree: Tree, predicted: npt.NDArray[Any], actual: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the number of rows by actual and predicted class, shape (n_classes, n_classes)."""
    classes = tree.classes.tolist()
    return np.array([[np.sum((actual == a) & (predicted == p)) for p in classes] for a in classes], dtype=np.int64)


def confusion_table(classes: list[Any], counts: npt.NDArray[np.int64]) -> str:
    """Return a confusion matrix as text."""
    cells = [["actual \\ predicted", *map(str, classes)]]
    cells += [[str(label), *(f"{count:,}" for count in row)] for label, row in zip(classes, counts, strict=True)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  " + "  ".join(map(str.rjust, row, widths)) for row in cells)
