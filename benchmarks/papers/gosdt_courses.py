"""Section I.8 of the GOSDT paper: the best objective and the lower bound over time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.papers.measure import Records, attributes, fit_seconds, grouped, read_rows
from benchmarks.report.plots import panels, picture
from hornbeam import GOSDTClassifier, OSDTClassifier, Progress, plot_trace

REGULARIZATION = 0.005
MEMORY = 2**31
SOURCES = {f"I.8 {name}": name for name in ("bar7", "tic-tac-toe", "car", "compas", "monk1", "monk2", "monk3")}
METHODS = {"GOSDTClassifier": GOSDTClassifier, "OSDTClassifier": OSDTClassifier}


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit both searches to a data set and record their course."""
    X, y = data.read_binary(f"{SOURCES[name]}.bin")
    for method, classifier in METHODS.items():
        model = classifier(REGULARIZATION, binarizer=None, time_limit=limit, memory_limit=MEMORY, trace=True)
        seconds = fit_seconds(model, X, y)
        course = [[one.elapsed, one.objective, one.lower_bound] for one in model.trace_]
        yield {
            "method": method,
            **attributes(model, "objective", "lower_bound", "status", leaves="n_leaves"),
            "user_seconds": seconds,
            "seconds_to_best": next(at for at, objective, _ in course if objective == course[-1][1]),
            "course": course,
        }


def section(records: Records, directory: Path) -> list[dict[str, Any]]:
    """Draw the picture, and return the rows of the table."""
    runs = [run for run in records if run["dataset"] in SOURCES]
    if not runs:
        return []
    by_source = grouped(runs, "dataset")
    with picture(directory / "paper-gosdt-courses.png", 2.3 * -(-len(by_source) // 2)) as figure:
        cells = panels(figure, len(by_source), 2)
        for axes, ((source,), of) in zip(cells, by_source.items(), strict=True):
            steps = {
                run["method"]: [Progress(at, upper, lower, 0.0, 0, 0, n_leaves=0) for at, upper, lower in run["course"]]
                for run in of
            }
            plot_trace(steps, axes)
            axes.set_title(SOURCES[source])
            if legend := axes.get_legend():
                handles = [one for one in legend.legend_handles if one is not None]
                labels = [text.get_text() for text in legend.get_texts()]
                legend.remove()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    printed = {
        (row["dataset"], row["method"]): row["seconds"]
        for row in read_rows("gosdt_folds_published")
        if row["setting"] == REGULARIZATION
    }
    for run in runs:
        run["source"] = SOURCES[run["dataset"]]
        run["theirs"] = printed.get((run["source"], run["method"].removesuffix("Classifier")))
        run["seconds"] = ("" if run["status"] == "optimal" else "> ") + f"{run['user_seconds']:.3g}"
    return runs
