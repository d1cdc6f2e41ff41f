"""Rows with known or unknown classes: how a tree judges them, and the way of one row through it."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import shown
from hornbeam._dates import date_text
from hornbeam.binarizers import evaluate_conditions
from hornbeam.conditions import IsIn
from hornbeam.explorer.partial_trees import Leaf, PartialTree, Split
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.table import Table, read_table

# Kinds whose values are written as texts, with an example.
_DATES = {
    "date": "a date such as 2023-05-01",
    "datetime": "a date and time such as 2023-05-01 12:30",
    "datetime_utc": "a date and time such as 2023-05-01 12:30",
    "time": "a time such as 12:30",
}


class Rows:
    """Rows of a table for which all conditions of a set were evaluated.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        With the columns seen in `fit`.
    problem : RashomonProblem
        Of the set.

    Attributes
    ----------
    holds : list of ndarray of bool of shape (n_rows,)
        For each condition, for which rows it holds.
    """

    def __init__(self, X: Any, problem: RashomonProblem) -> None:
        self.table: Table = read_table(X, expect=problem.schema)
        self.holds = list(evaluate_conditions(problem.conditions, self.table))

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.table.n_rows

    def predictions(self, tree: PartialTree) -> npt.NDArray[np.int32]:
        """Return for each row the number of the class that a tree without open nodes predicts."""
        found = np.zeros(len(self), dtype=np.int32)

        def go(node: PartialTree, rows: npt.NDArray[np.intp]) -> None:
            if isinstance(node, Split):
                holds = self.holds[node.condition][rows]
                go(node.true, rows[holds])
                go(node.false, rows[~holds])
            else:
                assert isinstance(node, Leaf)
                found[rows] = node.prediction

        go(tree, np.arange(len(self)))
        return found

    def place(self, tree: PartialTree, row: int) -> str:
        """Return the place of the leaf that a row reaches."""
        place = ""
        while isinstance(tree, Split):
            holds = bool(self.holds[tree.condition][row])
            place += "T" if holds else "F"
            tree = tree.true if holds else tree.false
        return place

    def at(self, tree: PartialTree, place: str) -> npt.NDArray[np.intp]:
        """Return the numbers of the rows that reach the node at a place."""
        rows = np.arange(len(self))
        for letter in place:
            assert isinstance(tree, Split)
            holds = self.holds[tree.condition][rows]
            rows = rows[holds == (letter == "T")]
            tree = tree.true if letter == "T" else tree.false
        return rows

    def values(self, row: int) -> list[Any]:
        """Return the values of a row as plain values; None where one is missing."""
        values: list[Any] = []
        for column in self.table.columns:
            value = column.values[row]
            value = value.item() if hasattr(value, "item") else value
            if bool(column.is_missing()[row]):
                values.append(None)
            elif column.kind in _DATES:
                values.append(date_text(value, column.kind))
            else:
                values.append(value if isinstance(value, bool | int | float) else str(value))
        return values


def _number(name: str, kind: str, value: Any) -> float:
    """Return a number that was typed in, or the seconds of a date."""
    if isinstance(value, bool | int | float) and isfinite(value):
        return float(value)
    if kind in _DATES and isinstance(value, str):
        try:
            text = value.removesuffix(" UTC")
            moment = np.datetime64(f"1970-01-01T{text}" if kind == "time" else text, "us")
        except ValueError:
            pass
        else:
            if not np.isnat(moment):
                return float(moment.astype(np.int64)) / 1e6
    wanted = f"{_DATES[kind]}" if kind in _DATES else "a number"
    raise ValueError(f"values: expected {wanted} for column {shown(name)}, got {shown(value)}.")


def typed_table(values: Any, problem: RashomonProblem) -> Table:
    """Return a table of one row from the values that a user typed in.

    Parameters
    ----------
    values : list
        For each column a number, a text, or None, which is a missing value. Dates and times are texts such as
        2023-05-01, durations are numbers of seconds.
    problem : RashomonProblem
        Of the set; texts that its conditions know become the values that they stand for.

    Raises
    ------
    ValueError
        If there is not one value for each column, or one of them does not fit the kind of its column.
    """
    schema = problem.schema
    if not isinstance(values, list) or len(values) != len(schema.names):
        raise ValueError(f"values: expected a list of {len(schema.names)} values, got {shown(values)}.")
    known: list[dict[str, Any]] = [{} for _ in schema.names]
    for condition in problem.conditions:
        if isinstance(condition, IsIn):
            known[condition.column].update({str(value): value for value in condition.values})
    columns = []
    for name, kind, value, texts in zip(schema.names, schema.kinds, values, known, strict=True):
        if kind == "category":
            if not (value is None or isinstance(value, str | bool | int | float)):
                raise ValueError(f"values: expected a text for column {shown(name)}, got {shown(value)}.")
            columns.append(np.array([None if value is None else texts.get(str(value), value)], dtype=object))
        else:
            columns.append(np.array([np.nan if value is None else _number(name, kind, value)], dtype=np.float64))
    return Table(schema, tuple(columns))
