"""Figures and tables in Markdown, and reports from templates (``*.md.jinja``) that hold text and columns of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import floor, log10
from pathlib import Path
from string import Formatter
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

NOTHING = "-"
TEMPLATES = [Path(__file__).parent, Path(__file__).parents[1] / "papers"]


def number(value: float | None) -> str:
    """Write a figure with three significant digits."""
    if value is None:
        return NOTHING
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    if abs(value) < 1e-4:
        return f"{value:.3g}"
    return f"{value:.{2 - floor(log10(abs(value)))}f}"


def times(value: float | None) -> str:
    """Write a ratio."""
    return NOTHING if value is None else f"{number(value)}x"


def count(value: int, one: str) -> str:
    """Write a number of things."""
    return f"{value:,} {one if value == 1 else one + 's'}"


WRITERS: dict[str, Callable[[Any], str]] = {"n": number, "x": times, "MiB": lambda value: number(value / 2**20)}


class _Cells(Formatter):
    """Formats values; "n" is a figure, "x" a ratio, "MiB" a number of bytes."""

    def format_field(self, value: Any, spec: str) -> str:
        """Format a value; one that is None or not a number is nothing."""
        if value is None or value != value:
            return NOTHING
        return WRITERS[spec](value) if spec in WRITERS else format(value, spec)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    """Return a table; its first `n_texts` columns are flush left, the others, figures, flush right."""
    lines = [list(heads), [":--" if column < n_texts else "--:" for column in range(len(heads))]]
    lines += [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def render(columns: str, rows: Iterable[Mapping[str, Any] | tuple[Any, ...]], n_texts: int = 1) -> str:
    """Return a table of dicts or tuples; `columns` are "head = format of a cell", with " | " or a new line between."""
    pairs = (column.split(" = ") for line in columns.strip().splitlines() for column in line.split(" | "))
    heads, cells = zip(*pairs, strict=True)
    by_place_and_name = ((row, {}) if isinstance(row, tuple) else ((), row) for row in rows)
    return table(heads, [[_Cells().vformat(cell, *row) for cell in cells] for row in by_place_and_name], n_texts)


def fill(path: Path, template: str, **values: Any) -> Path:
    """Write a report: a template with values. In it `table` is `render`, `f` formats a value, `count` is that above."""
    loader = FileSystemLoader(TEMPLATES)
    templates = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    templates.globals |= {"table": render, "plain_table": table, "count": count, "f": _Cells().format_field}
    templates.filters |= {"f": _Cells().format_field}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = templates.get_template(f"{template}.md.jinja").render(values)
    path.write_text(re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n", encoding="utf-8")
    return path
