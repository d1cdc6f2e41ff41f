"""Figure 22 of the guesses paper on compas: thresholds of an explainable boosting machine and of boosted stumps."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold

from benchmarks import data
from benchmarks.papers.measure import Records, attributes, fit_seconds, grouped
from benchmarks.report.markdown import number
from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer

NAME, DATASET = "compas, machine", "compas"
STUMPS = "40 boosted stumps"
TOLERANCES = (0.1, 0.08)
DEPTHS = (2, 3, 4, 5, None)
PENALTIES = (0.005, 0.002, 0.001, 0.0005, 0.0002)


def records(limit: float) -> Iterator[dict[str, Any]]:
    """Search over the thresholds of each model, with all leaf penalties and depths of the paper."""
    from interpret.glassbox import ExplainableBoostingClassifier

    table, labels = data.read(DATASET)
    X, y = np.asarray(table, dtype=np.float64), data.codes(labels)
    for fold, (train, test) in enumerate(KFold(5, shuffle=True, random_state=2021).split(X)):
        machine = ExplainableBoostingClassifier(n_jobs=1, random_state=2021)
        seconds = fit_seconds(machine, X[train], y[train])
        binarizers = {
            f"machine, tolerance {tolerance:g}": ThresholdGuessBinarizer(
                thresholds=FrozenEstimator(machine), min_jump=tolerance, eliminate=False
            )
            for tolerance in TOLERANCES
        }
        boosting = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=2021)
        binarizers[STUMPS] = ThresholdGuessBinarizer(boosting)
        for source, binarizer in binarizers.items():
            guess_seconds = fit_seconds(binarizer, X[train], y[train]) + (0 if source == STUMPS else seconds)
            columns = [binarizer.transform(X[rows]).astype(np.uint8) for rows in (train, test)]
            shared = {
                "fold": fold,
                "thresholds": source,
                "columns": columns[0].shape[1],
                "guess_seconds": guess_seconds,
            }
            for max_depth in DEPTHS:
                for penalty in PENALTIES:
                    model = GOSDTClassifier(penalty, max_depth, binarizer=None, time_limit=limit)
                    user_seconds = fit_seconds(model, columns[0], y[train])
                    yield {
                        **shared,
                        "max_depth": max_depth,
                        "regularization": penalty,
                        **attributes(model, "status", "objective", leaves="n_leaves"),
                        "user_seconds": user_seconds,
                        "accuracy": float(model.score(columns[0], y[train])),
                        "test_accuracy": float(model.score(columns[1], y[test])),
                    }


def rows(found: Records) -> list[dict[str, Any]]:
    """Return the medians over the folds at depth 5."""
    of_depth = [run for run in found if run["max_depth"] == 5]
    made = []
    for (source, penalty), runs in grouped(of_depth, "thresholds", "regularization").items():
        names = ("columns", "guess_seconds", "leaves", "accuracy", "test_accuracy")
        stopped = "> " if any(run["status"] != "optimal" for run in runs) else ""
        seconds = stopped + number(median(run["user_seconds"] for run in runs))
        medians = {name: median(run[name] for run in runs) for name in names}
        made.append({"thresholds": source, "regularization": penalty, "seconds": seconds, **medians})
    return made
