"""Random trees over random tables, and a walk down a tree written to be read."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne
from hornbeam.table import Table, TableSchema, read_table
from hornbeam.tree import Tree
from hornbeam.tree.routing import leaf_of_rows

WORDS = ("red", "it's", 'the "best"', "back\\slash", "{brace} | bar", "a, b & c", "größer ≥ 1", "line\nbreak")


@dataclass(frozen=True)
class Grown:
    """A tree, the data that it was grown on, and the conditions that it could choose from."""

    tree: Tree
    frame: pd.DataFrame
    table: Table
    codes: np.ndarray
    weights: np.ndarray
    conditions: list[Condition]


def random_frame(rng: np.random.Generator, n_rows: int, words=WORDS, *, missing: float = 0.15) -> pd.DataFrame:
    """Two columns of numbers, one of 0 and 1, two of texts, with nasty names and missing values."""
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 30, n_rows).astype(float),
            "x": rng.integers(-20, 20, n_rows) / 10,
            'is "so"': rng.integers(0, 2, n_rows).astype(float),
            "color [of] `it`": rng.choice(np.array(words, dtype=object), n_rows),
            "l'été\n{1}": rng.choice(np.array(["a", "b", "c"], dtype=object), n_rows),
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


def possible_conditions(rng: np.random.Generator, table: Table) -> list[Condition]:
    """Thresholds at values and between them, sets of categories, and whether a value is missing."""
    conditions: list[Condition] = []
    for index, column in enumerate(table.columns):
        conditions.append(IsMissing(index))
        values = sorted(set(column.values[~column.is_missing()].tolist()))
        if column.kind == "category":
            sets = [rng.choice(np.array(values, dtype=object), size, replace=False) for size in (1, 1, 2, 3) if values]
            conditions += [IsIn(index, tuple(some)) for some in sets if len(some) <= len(values)]
        elif set(values) <= {0, 1}:
            conditions.append(IsOne(index))
        else:
            conditions += [AtMost(index, value) for value in values]
            conditions += [AtMost(index, (low + high) / 2) for low, high in itertools.pairwise(values)]
    return conditions


def grow(
    seed: int,
    *,
    n_rows: int = 120,
    max_leaves: int = 12,
    classes=("no", "yes", "maybe"),
    columns=None,
    words=WORDS,
    equal_weights: bool = False,
) -> Grown:
    """Grow a tree that splits at random; its predictions are random too, as with unequal costs."""
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, n_rows, words)
    frame = frame if columns is None else frame[list(columns)]
    table = read_table(frame)
    conditions = possible_conditions(rng, table)
    arrays = _random_arrays(rng, [c.holds(table.columns[c.column]) for c in conditions], max_leaves, len(classes))
    codes = rng.integers(0, len(classes), n_rows, dtype=np.int32)
    weights = np.ones(n_rows, dtype=int) if equal_weights else rng.integers(1, 5, n_rows)
    labels = np.array(classes, dtype=object if len(set(map(type, classes))) > 1 else None)
    tree = tree_of_arrays(arrays, conditions, table, codes, weights, labels)
    return Grown(tree, frame, table, codes, weights, conditions)


def tree_of_arrays(arrays, conditions, table, codes, weights, labels) -> Tree:
    """Make a tree of what the search returns but for the leaves of the rows, which are found here."""
    tested = [None if column < 0 else conditions[column] for column in arrays["column"]]
    arrays["leaf_of_row"] = leaf_of_rows(arrays["left"], arrays["right"], tested, table).astype(np.int32)
    return Tree.from_search(arrays, conditions, codes, weights, labels, table.schema, table.has_missing())


def _random_arrays(rng, answers, max_leaves: int, n_classes: int) -> dict[str, np.ndarray]:
    """What the search returns, split at random as long as both sides have rows."""
    nodes: list[list[int]] = []

    def add(rows, leaves: int) -> int:
        node = len(nodes)
        nodes.append([-1, -1, -1, int(rng.integers(n_classes))])
        choices = [c for c, holds in enumerate(answers) if 0 < holds[rows].sum() < len(rows)] if leaves > 1 else []
        if choices:
            chosen = int(rng.choice(choices))
            holds = answers[chosen][rows]
            on_the_left = int(rng.integers(1, leaves))
            left = add(rows[holds], on_the_left)
            nodes[node][:3] = [chosen, left, add(rows[~holds], leaves - on_the_left)]
        return node

    add(np.arange(len(answers[0])), max_leaves)
    columns = np.array(nodes, dtype=np.int32).T.copy()
    return dict(zip(("column", "left", "right", "prediction"), columns, strict=True))


def walk(tree: Tree, row) -> list[int]:
    """Follow one row down the tree, deciding each condition by plain Python; return the nodes it passes."""
    path = [0]
    while (condition := tree.conditions[path[-1]]) is not None:
        holds = _holds(condition, row[condition.column])
        path.append(int((tree.left if holds else tree.right)[path[-1]]))
    return path


def _holds(condition: Condition, value) -> bool:
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    match condition:
        case IsMissing():
            return missing
        case AtMost(threshold=threshold):
            return not missing and value <= threshold
        case IsOne():
            return not missing and value == 1
        case IsIn(values=values):
            return not missing and value in values


def rows_of(frame: pd.DataFrame) -> list[list]:
    """Return the rows with None for missing values."""
    return [[None if pd.isna(value) else value for value in row] for row in frame.itertuples(index=False)]


def stump(**changes) -> Tree:
    """A tree of two leaves on one column named "age", or what the changes make of it."""
    parts = {
        "left": [1, -1, -1],
        "right": [2, -1, -1],
        "conditions": (AtMost(0, 25.5), None, None),
        "prediction": [0, 0, 1],
        "class_weights": [[5.0, 5.0], [4.0, 1.0], [1.0, 4.0]],
        "n_samples": [10, 5, 5],
        "classes": np.array(["no", "yes"]),
        "columns": TableSchema(("age",), ("number",)),
        "has_missing": (False,),
        "target_name": "target",
    }
    return Tree(**{**parts, **changes})


def single_leaf(classes=("no", "yes")) -> Tree:
    """A tree that always predicts the first class."""
    weights = [[3.0, *[1.0] * (len(classes) - 1)]]
    return stump(
        left=[-1], right=[-1], conditions=(None,), prediction=[0], class_weights=weights, n_samples=[7],
        classes=np.array(classes),
    )  # fmt: skip
