"""Tables and figures in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log10
from string import Formatter
from typing import Any

NOTHING = "-"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> str:
    """Return a table; its first `n_texts` columns are flush left, the others, figures, flush right."""
    lines = [list(heads), [":--" if column < n_texts else "--:" for column in range(len(heads))]]
    lines += [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def one_line(text: str, longest: int = 200) -> str:
    """Bring a message into one line, without what follows the first `longest` characters."""
    words = " ".join(text.split())
    return words if len(words) <= longest else words[: longest - 1] + "…"


def number(value: float | None) -> str:
    """Write a figure with three digits that count."""
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


def objective(value: float | None) -> str:
    """Write an objective or a bound."""
    return NOTHING if value is None else f"{value:.6f}"


def percent(share: float | None) -> str:
    """Write a share."""
    return NOTHING if share is None else f"{100 * share:.2g} %"


def mebibytes(value: float | None) -> str:
    """Write a number of bytes as MiB."""
    return number(None if value is None else value / 2**20)


def count(value: int, one: str, many: str | None = None) -> str:
    """Write a number of things."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


class _Cells(Formatter):
    """Formats the cells of a table; "n" is a figure of three digits, "x" a ratio, "MiB" a number of bytes."""

    def format_field(self, value: Any, spec: str) -> str:
        """Format a value."""
        if value is None:
            return NOTHING
        write = {"n": number, "x": times, "MiB": mebibytes}.get(spec)
        return write(value) if write else str(super().format_field(value, spec))


def render(columns: str, rows: Iterable[Mapping[str, Any] | tuple[Any, ...]], n_texts: int = 1) -> str:
    """Return a table of dicts or tuples; `columns` are "head = format of a cell", with " | " or a new line between."""
    pairs = (column.split(" = ") for line in columns.splitlines() for column in line.split(" | "))
    heads, cells = zip(*pairs, strict=True)
    by_place_and_name = ((row, {}) if isinstance(row, tuple) else ((), row) for row in rows)
    return table(heads, [[_Cells().vformat(cell, *row) for cell in cells] for row in by_place_and_name], n_texts)
