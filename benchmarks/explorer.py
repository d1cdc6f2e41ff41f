"""How long the explorer takes to answer a click, on a set of 10^12 trees.

``python -m benchmarks explorer`` finds the set of COMPAS, opens engines with nothing remembered, and measures what the
page asks at each click:

* the first picture;
* the builder: at each step of a walk, the options of a random node of the tree that is shown, and the tree with one of
  the ten best of them;
* filters in a hurry: every filter of a list, one at once after the other, each of them new to the engine;
* filters with pauses: steps of a reader, who changes one filter at a time and looks at each tree until the engine has
  nothing left to prepare, and removes all filters when no tree is left. How long the pauses are is measured, too.

Times are of the processor and of the clock. There is a record for each kind of click in
``benchmarks/results/explorer.jsonl``, and a table of them next to it.
"""

from __future__ import annotations

import gc
import json
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import polars

import hornbeam
from benchmarks import results
from hornbeam.explorer import Engine

_TABLE = Path(__file__).resolve().parents[1] / "examples" / "compas.csv"
_GOAL = 100  # milliseconds
_CLICKS_OF_WALK = 12
_STEPS_OF_READER = 12
_NOT_CLICKS = ("first picture", "index", "pause")

_PARAMETERS: Mapping[str, Any] = {"epsilon": 0.1, "regularization": 0.005, "max_depth": 5}
_KINDS = """\
*Builder* is what the page asks when a node, and then one of its options, is clicked. *Filters in a hurry* are filters
that the engine has not seen, one at once after the other. *Filters with pauses* are the steps of a reader, who changes
one filter at a time, or removes all when no tree is left, and waits until the engine has prepared the next steps;
*pause* is how long that takes. *Index* is what the first filter waits for if nothing was prepared. *All clicks* are
those of the builder and of both ways to filter."""

Times: TypeAlias = tuple[float, float]  # seconds of the processor and of the clock


def run(path: Path, n_walks: int, seed: int = 0) -> None:
    """Measure, write the records of a file anew, and print them."""
    table = polars.read_csv(_TABLE)
    classifier = hornbeam.RashomonSetClassifier(**_PARAMETERS)
    classifier.fit(table.drop("target"), table["target"])
    random = Random(seed)
    times: dict[str, list[Times]] = defaultdict(list)
    gc.freeze()  # as the server of `hornbeam explore`
    times["index"].append(_timed(Engine(classifier), {"method": "count", "filters": {"min_rows": 2}})[0])
    for _ in range(n_walks):
        engine = Engine(classifier)
        times["first picture"].append(_timed(engine, {"method": "look"})[0])
        _walk(engine, random, times)
        _read(Engine(classifier), random, times)
    _hurry(Engine(classifier), times)
    times["all clicks"] = [one for kind, found in times.items() if kind not in _NOT_CLICKS for one in found]
    shared = {
        "suite": "explorer",
        **results.origin(),
        "versions": {"hornbeam": hornbeam.__version__, "numpy": np.__version__},
    }
    records = [
        {**shared, "trees": classifier.n_trees_, "kind": kind, **_figures(found)} for kind, found in times.items()
    ]
    results.store(path, records)
    for record in records:
        print(json.dumps({name: value for name, value in record.items() if name not in shared}))


def report(path: Path) -> None:
    """Write the table of the records of a file next to it."""
    records = results.load(path)
    first = records[0]
    machine = first["machine"]
    lines = [
        "# Clicks in the explorer",
        "",
        f"The set of COMPAS: {first['trees']:,} trees. {machine['processor']}, {machine['cores']} cores; hornbeam",
        f"{first['versions']['hornbeam']}, commit {first['commit'][:10]}, {first['date']}. Milliseconds of the",
        f"processor; the last two columns are of the clock. Goals: 95 % of clicks within {_GOAL} ms, the first picture",
        "within 1 s.",
        "",
        f"| kind | number | median | 95 % within | longest | within {_GOAL} ms | 95 % within | within {_GOAL} ms |",
        "| :-- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for one in records:
        cells = [f"{one[name]:.1f}" for name in ("median_ms", "most_of_95_ms", "largest_ms")]
        cells += [f"{100 * one['within']:.1f} %", f"{one['most_of_95_ms_of_clock']:.1f}"]
        cells.append(f"{100 * one['within_of_clock']:.1f} %")
        lines.append(f"| {one['kind']} | {one['number']} | {' | '.join(cells)} |")
    lines += ["", _KINDS]
    path.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _walk(engine: Engine, random: Random, times: Mapping[str, list[Times]]) -> None:
    """Click through the builder."""
    tree: Any = None
    shown = engine.answer({"method": "look"})["tree"]
    for _ in range(_CLICKS_OF_WALK // 2):
        place = random.choice(_places(shown))
        opened = _opened(shown, tree, place)
        seconds, answer = _timed(engine, {"method": "options", "tree": opened, "place": place})
        times["builder: options"].append(seconds)
        option = random.choice(answer["options"][:10])
        node = (
            {"split": option["split"], "true": None, "false": None} if "split" in option else {"leaf": option["leaf"]}
        )
        tree = _with_node(opened, place, node)
        seconds, answer = _timed(engine, {"method": "look", "tree": tree})
        times["builder: tree"].append(seconds)
        shown = answer["tree"]


def _read(engine: Engine, random: Random, times: Mapping[str, list[Times]]) -> None:
    """Change one filter at a time; remove all of them, which is a step too, when no tree is left."""
    columns = range(len(engine.answer({"method": "about"})["columns"]))
    filters: dict[str, Any] = {}
    engine.answer({"method": "look"})
    engine.wait()
    n_trees = ""
    for _ in range(_STEPS_OF_READER):
        filters = {} if n_trees == "0" else _changed(filters, columns, random)
        seconds, answer = _timed(engine, {"method": "look", "filters": filters})
        times["filters with pauses"].append(seconds)
        began = time.process_time(), time.perf_counter()
        engine.wait()
        times["pause"].append((time.process_time() - began[0], time.perf_counter() - began[1]))
        n_trees = answer["n_trees"]


def _changed(filters: dict[str, Any], columns: range, random: Random) -> dict[str, Any]:
    """Return filters after one step that the page offers."""
    changed = {**filters}
    kind = random.choice(["never", "always", "any", "max_leaves", "max_depth", "min_rows"])
    free = [one for one in columns if one not in [*filters.get("never", []), *filters.get("always", [])]]
    if kind == "any":
        changed.pop(random.choice(sorted(changed)), None) if changed else None
    elif kind in ("never", "always"):
        changed[kind] = [*filters.get(kind, [])[:1], random.choice(free)]
    else:
        changed[kind] = random.choice({"max_leaves": [4, 6, 8], "max_depth": [3, 4], "min_rows": [10, 50, 100]}[kind])
    return changed


def _hurry(engine: Engine, times: Mapping[str, list[Times]]) -> None:
    """Count what each filter of a list leaves; every one is new to the engine."""
    columns = range(len(engine.answer({"method": "about"})["columns"]))
    filters: list[dict[str, Any]] = [{"never": [column]} for column in columns]
    filters += [{"always": [column]} for column in columns]
    filters += [{"never": [a, b]} for a in columns for b in columns if a < b]
    filters += [{"max_depth": depth} for depth in (2, 3, 4)]
    filters += [{"max_leaves": leaves} for leaves in (4, 6, 8)]
    filters += [{"min_rows": rows} for rows in (10, 50, 100, 300)]
    for one in filters:
        seconds, answer = _timed(engine, {"method": "count", "filters": one})
        times["filters in a hurry"].append(seconds)
        print(f"{1000 * seconds[0]:6.0f} ms  {one}: {int(answer['n_trees']):,} trees")


def _timed(engine: Engine, message: dict[str, Any]) -> tuple[Times, Any]:
    cpu, clock = time.process_time(), time.perf_counter()
    answer = engine.answer(message)
    return (time.process_time() - cpu, time.perf_counter() - clock), answer


def _places(shown: Any, place: str = "") -> list[str]:
    if "split" not in shown:
        return [place]
    return [place, *_places(shown["true"], place + "T"), *_places(shown["false"], place + "F")]


def _opened(shown: Any, fixed: Any, place: str) -> Any:
    """Return the fixed nodes and those of the shown tree above a place, which is open (`openedAt` of the page)."""
    if not place:
        return None
    sides = {side: fixed[side] if fixed and "split" in fixed else None for side in ("true", "false")}
    side = "true" if place[0] == "T" else "false"
    return {"split": shown["split"], **sides, side: _opened(shown[side], sides[side], place[1:])}


def _with_node(tree: Any, place: str, node: Any) -> Any:
    if not place:
        return node
    side = "true" if place[0] == "T" else "false"
    return {**tree, side: _with_node(tree[side], place[1:], node)}


def _figures(times: list[Times]) -> dict[str, float]:
    cpu, clock = 1000 * np.array(times).T
    return {
        "number": len(times),
        "median_ms": round(float(np.median(cpu)), 1),
        "most_of_95_ms": round(float(np.quantile(cpu, 0.95)), 1),
        "largest_ms": round(float(cpu.max()), 1),
        "within": round(float(np.mean(cpu <= _GOAL)), 4),
        "most_of_95_ms_of_clock": round(float(np.quantile(clock, 0.95)), 1),
        "within_of_clock": round(float(np.mean(clock <= _GOAL)), 4),
    }
