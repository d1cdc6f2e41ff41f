"""The report of the suite `held_out`: what classifiers of their own size are worth on rows that they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas
from matplotlib.axes import Axes
from scipy.stats import f as f_distribution
from scipy.stats import wilcoxon

from benchmarks.report.outcomes import STOPPED_AT_LIMIT
from benchmarks.report.plots import picture
from benchmarks.results import Record

N_FOLDS = 10  # two halves of five draws
DESCRIPTIONS = {
    "hornbeam_cv": "`GOSDTClassifierCV`, optimal trees for all leaf penalties and every threshold.",
    "cart_cv": "scikit-learn's CART; at most 40 of its cost complexities by 5-fold cross-validation.",
    "hornbeam_guesses_cv": '`GOSDTClassifierCV(binarizer="guess")`, thresholds guessed by a boosted model.',
    "hornbeam_split_cv": "`SPLITClassifierCV`, near-optimal trees for ten leaf penalties.",
    "hornbeam_maptree": "`MAPTreeClassifier`, without cross-validation.",
    "imodels_cv": "`FastSmallTreeClassifier` for seven leaf penalties.",
    "imodels_shrunk_cv": "CART with hierarchical shrinkage, for seven numbers of leaves and four strengths.",
    "streed_cv": "`STreeDClassifier` of depth 4 with its own tuning.",
    "lightgbm": "LightGBM with its defaults: a ceiling, not a tree to read.",
    "ebm": "explainable boosting with 2 instead of 14 outer bags: a ceiling, not a tree to read.",
}
SIGNIFICANT = 0.05
_OWN, _RIVAL = "hornbeam_cv", "cart_cv"
_WIN, _TIE, _LOSS = "#0072B2", "#999999", "#D55E00"


def tables(runs: Sequence[Record]) -> dict[str, Any]:
    """Return what the template `held-out` shows of the runs.

    A table counts for a peer if the peer ended on all its folds, and for a comparison if both did.
    """
    folds = pandas.DataFrame(
        {
            "dataset": run.dataset,
            "fold": int(run.binarization.rpartition("fold")[2]),
            "peer": run.peer,
            "rows": run.rows,
            "columns": run.columns,
            "accuracy": np.nan if run.test_error is None else 1 - run.test_error,
            "leaves": run.leaves,
            "seconds": run.wall_seconds,
            "is_stopped": run.wall_seconds >= STOPPED_AT_LIMIT * run.limit,
        }
        for run in runs
    )
    failed = folds[folds["accuracy"].isna()]
    whole = folds.groupby(["peer", "dataset"])["accuracy"].transform("count") == N_FOLDS
    folds = folds[whole].astype({"leaves": float})
    if folds.empty:
        raise ValueError(f"runs: no peer has ended on all {N_FOLDS} folds of a table; run more of the suite first.")
    means = folds.groupby(["peer", "dataset"], sort=False).agg(
        accuracy=("accuracy", "mean"),
        leaves=("leaves", "mean"),
        seconds=("seconds", "median"),
        most=("seconds", "max"),
        is_stopped=("is_stopped", "any"),
        rows=("rows", "max"),
        columns=("columns", "max"),
    )
    peers = sorted(set(means.index.get_level_values("peer")), key=lambda peer: (peer != _OWN, peer != _RIVAL, peer))
    against = {peer: versus(folds, means, peer, _RIVAL) for peer in peers if peer != _RIVAL and _RIVAL in peers}
    return {
        "peers": peers,
        "descriptions": DESCRIPTIONS,
        "missing": [peer for peer in DESCRIPTIONS if peer not in peers],
        "n_tables": folds["dataset"].nunique(),
        "summaries": [_summary(means.loc[peer], peer) for peer in peers],
        "comparisons": [line for peer, pairs in against.items() for line in _comparisons(peer, pairs)],
        "losses": _losses(against[_OWN]) if _OWN in against else [],
        "cells": _cells(means, peers),
        "failures": [
            {"peer": peer, "runs": len(of), "tables": ", ".join(dict.fromkeys(of["dataset"]))}
            for peer, of in failed.groupby("peer")
        ],
        "pairs": against.get(_OWN),
    }


def versus(folds: pandas.DataFrame, means: pandas.DataFrame, peer: str, rival: str) -> pandas.DataFrame:
    """Return, for each table of both, the difference in test accuracy, its p-value and the ratio of the leaves."""
    both = means.loc[peer].join(means.loc[rival].add_suffix("_rival"), how="inner")
    accuracy = folds.pivot_table(index=["peer", "dataset"], columns="fold", values="accuracy")
    both["difference"] = (both["accuracy"] - both["accuracy_rival"]).round(12)  # means of equal folds are equal
    both["p"] = [f_test(accuracy.loc[peer, name] - accuracy.loc[rival, name]) for name in both.index]
    both["ratio"] = both["leaves"] / both["leaves_rival"]
    both["is_clear"] = both["p"] < SIGNIFICANT
    return both.sort_values("difference")


def f_test(differences: npt.ArrayLike) -> float:
    """Return the p-value of the combined 5x2 cv F test.

    Parameters
    ----------
    differences : array-like of shape (10,)
        In accuracy, of the two halves of each draw after another.

    Returns
    -------
    float
        1 if no fold differs.

    References
    ----------
    .. [1] E. Alpaydin, "Combined 5x2 cv F test for comparing supervised classification learning algorithms", Neural
           Computation 11(8), 1999.
    """
    halves = np.asarray(differences, dtype=float).reshape(-1, 2)
    variance = halves.var(axis=1, ddof=1).sum()  # of two values: the sum of their squared deviations
    if variance == 0:
        return 0.0 if halves.any() else 1.0
    statistic = (halves**2).sum() / (2 * variance)
    return float(f_distribution.sf(statistic, halves.size, len(halves)))


def _summary(of: pandas.DataFrame, peer: str) -> dict[str, Any]:
    return {
        "peer": peer,
        "tables": len(of),
        "accuracy": of["accuracy"].mean(),
        "leaves": _geometric_mean(of["leaves"]),
        "seconds": of["seconds"].median(),
        "most": of["most"].max(),
    }


def _comparisons(peer: str, pairs: pandas.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a peer: all tables, and those on which it ended by itself and was stopped."""
    parts = [("all", pairs)]
    if pairs["is_stopped"].nunique() == 2:
        parts += [
            ("ended before the limit", pairs[~pairs["is_stopped"]]),
            ("limit reached", pairs[pairs["is_stopped"]]),
        ]
    return [
        {
            "peer": peer,
            "part": name,
            "tables": len(of),
            "at_least": f"{(of['difference'] >= 0).sum()} ({(of['difference'] >= 0).mean():.0%})",
            "wins": int((of["is_clear"] & (of["difference"] > 0)).sum()),
            "ties": int((~of["is_clear"]).sum()),
            "losses": int((of["is_clear"] & (of["difference"] < 0)).sum()),
            "difference": of["difference"].mean(),
            "p": wilcoxon(of["difference"]).pvalue if of["difference"].any() else 1.0,
            "leaves": _geometric_mean(of["ratio"]),
        }
        for name, of in parts
    ]


def _geometric_mean(values: pandas.Series[float]) -> float:
    return float(np.exp(np.log(values).mean()))


def _losses(pairs: pandas.DataFrame) -> list[dict[str, Any]]:
    """Return the tables on which hornbeam's accuracy is lower, the largest loss first."""
    worse = pairs[pairs["difference"] < 0].reset_index()
    return list(worse.assign(stopped=np.where(worse["is_stopped"], "yes", "no")).to_dict("records"))


def _cells(means: pandas.DataFrame, peers: Sequence[str]) -> list[list[str]]:
    """Return the lines of the table of everything: of each data set accuracy and leaves of each peer."""
    wide = means.reset_index().groupby("dataset")
    lines = []
    for name, of in wide:
        by_peer = of.set_index("peer")
        cells = [str(name), f"{of['rows'].max():,} x {of['columns'].max()}"]
        for peer in peers:
            one = by_peer.loc[peer] if peer in by_peer.index else None
            leaves = "" if one is None or np.isnan(one["leaves"]) else f" ({one['leaves']:.1f})"
            cells.append("-" if one is None else f"{one['accuracy']:.4f}{leaves}")
        lines.append(cells)
    return lines


def draw(pairs: pandas.DataFrame, path: Path) -> None:
    """Draw, for each table, hornbeam's test accuracy less that of tuned CART, and its share of CART's leaves."""
    with picture(path, 0.17 * len(pairs) + 1.1) as figure:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        places = np.arange(len(pairs))
        sign = np.where(pairs["is_clear"], np.sign(pairs["difference"]), 0)
        colors = np.array([_LOSS, _TIE, _WIN])[(sign + 1).astype(int)]
        left.barh(places, 100 * pairs["difference"], color=colors, height=0.7)
        left.axvline(0, color="#555555", linewidth=0.8)
        left.set(
            xlabel="test accuracy less that of tuned CART, in points", yticks=places, ylim=(-0.7, len(pairs) - 0.3)
        )
        left.set_yticklabels(pairs.index, fontsize=7)
        right.scatter(pairs["ratio"], places, color=colors, s=22)
        right.axvline(1, color="#555555", linewidth=0.8)
        right.set(xscale="log", xlabel="leaves, as a multiple of CART's")
        _label_ratios(right)
        for label, color in (("clearly better", _WIN), ("no clear difference", _TIE), ("clearly worse", _LOSS)):
            left.barh([0], [0], color=color, label=label)
        left.legend(loc="lower right")


def _label_ratios(axes: Axes) -> None:
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10) if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
