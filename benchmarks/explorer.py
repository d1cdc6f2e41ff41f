"""How long the explorer takes to answer a click, on a set of 10^12 trees.

``python -m benchmarks explorer`` finds the set of COMPAS, opens engines with nothing remembered, and walks: at each
step it chooses a random node of the tree that is shown and one of the ten best options there. A click is what the page
then asks: the options of the node, or the tree with the chosen option. Then it counts what filters leave: the first
one, for which the graph is indexed, and many others. Times are of the processor and of the clock; the report goes to
the screen and, as a line of JSON, to ``benchmarks/results/explorer.jsonl``.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars

import hornbeam
from hornbeam.explorer import Engine

_TABLE = Path(__file__).resolve().parents[1] / "examples" / "compas.csv"
_GOAL = 0.1  # seconds
_CLICKS_OF_WALK = 12


def run(path: Path, n_walks: int = 10, seed: int = 0) -> None:
    """Measure, print, and add a line to a file."""
    table = polars.read_csv(_TABLE)
    classifier = hornbeam.RashomonSetClassifier(0.1, regularization=0.005, max_depth=5)
    classifier.fit(table.drop("target"), table["target"])
    random = Random(seed)
    first: list[tuple[float, float]] = []
    clicks: list[tuple[float, float]] = []
    for _ in range(n_walks):
        engine = Engine(classifier)
        first.append(_timed(engine, {"method": "look"})[0])
        clicks += _walk(engine, random)
    seconds, filters = _filters(Engine(classifier))
    record = {
        "trees": classifier.n_trees_,
        "clicks": len(clicks),
        **_figures("first", first),
        **_figures("click", clicks),
        "first_filter_ms": round(1000 * seconds, 1),
        "filters": len(filters),
        **_figures("filter", filters),
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print(json.dumps(record, indent=1))
    within = np.mean([cpu <= _GOAL for cpu, _ in clicks])
    print(f"{100 * within:.1f} % of {len(clicks)} clicks within {1000 * _GOAL:g} ms of processor time")
    within = np.mean([cpu <= _GOAL for cpu, _ in filters])
    print(f"{100 * within:.1f} % of {len(filters)} filters within {1000 * _GOAL:g} ms of processor time")


def _walk(engine: Engine, random: Random) -> list[tuple[float, float]]:
    """Make one walk; return the seconds of each click."""
    times: list[tuple[float, float]] = []
    tree: Any = None
    shown = engine.answer({"method": "look"})["tree"]
    while len(times) < _CLICKS_OF_WALK:
        place = random.choice(_places(shown))
        opened = _opened(shown, tree, place)
        seconds, answer = _timed(engine, {"method": "options", "tree": opened, "place": place})
        times.append(seconds)
        option = random.choice(answer["options"][:10])
        node = (
            {"split": option["split"], "true": None, "false": None} if "split" in option else {"leaf": option["leaf"]}
        )
        tree = _with_node(opened, place, node)
        seconds, answer = _timed(engine, {"method": "look", "tree": tree})
        times.append(seconds)
        shown = answer["tree"]
    return times


def _filters(engine: Engine) -> tuple[float, list[tuple[float, float]]]:
    """Return the seconds of the first filter, and those of each other one; every one is new to the engine."""
    columns = range(len(engine.answer({"method": "about"})["columns"]))
    filters: list[dict[str, Any]] = [{"never": [column]} for column in columns]
    filters += [{"always": [column]} for column in columns]
    filters += [{"never": [a, b]} for a in columns for b in columns if a < b]
    filters += [{"max_depth": depth} for depth in (2, 3, 4)]
    filters += [{"max_leaves": leaves} for leaves in (4, 6, 8)]
    filters += [{"min_rows": rows} for rows in (10, 50, 100, 300)]
    first = _timed(engine, {"method": "count", "filters": {"min_rows": 2}})[0][0]
    times = []
    for one in filters:
        seconds, answer = _timed(engine, {"method": "count", "filters": one})
        times.append(seconds)
        print(f"{1000 * seconds[0]:6.0f} ms  {one}: {int(answer['n_trees']):,} trees")
    return first, times


def _timed(engine: Engine, message: dict[str, Any]) -> tuple[tuple[float, float], Any]:
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


def _figures(name: str, times: list[tuple[float, float]]) -> dict[str, float]:
    cpu, clock = np.array(times).T
    return {
        f"{name}_median_ms": round(1000 * float(np.median(cpu)), 1),
        f"{name}_95_ms": round(1000 * float(np.quantile(cpu, 0.95)), 1),
        f"{name}_largest_ms": round(1000 * float(cpu.max()), 1),
        f"{name}_95_ms_of_clock": round(1000 * float(np.quantile(clock, 0.95)), 1),
    }
