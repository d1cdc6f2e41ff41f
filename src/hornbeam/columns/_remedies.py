"""Python code that fixes a column, written for the library that the table is from."""

from __future__ import annotations

import json
from typing import Any

from hornbeam.columns._text import TextKind
from hornbeam.table import Table

_SEPARATORS = r"[.\s']"
_THOUSANDS = r"[,\s']"
_NOT_DIGITS = r"[^-+\d.,]"


class Remedies:
    """Writes the code for the columns of one table `X`."""

    def __init__(self, X: Any, table: Table) -> None:
        self.library = type(X).__module__.partition(".")[0]
        self.names = list(X.columns) if self.library == "pandas" else list(table.names)
        if self.library not in ("pandas", "polars", "pyarrow"):
            self.names = list(range(len(self.names)))

    def drop(self, index: int) -> str:
        """Return code that leaves a column out."""
        name = _quoted(self.names[index])
        return {
            "pandas": f"X = X.drop(columns=[{name}])",
            "polars": f"X = X.drop({name})",
            "pyarrow": f"X = X.drop_columns([{name}])",
            "numpy": f"X = np.delete(X, {name}, axis=1)",
        }.get(self.library, f"X = pd.DataFrame(X).drop(columns=[{name}])")

    def convert(self, index: int, kind: TextKind) -> str:
        """Return code that turns text into numbers or dates."""
        name = _quoted(self.names[index])
        if self.library == "polars":
            return f"X = X.with_columns({_in_polars(f'pl.col({name})', kind)})"
        return f"{self._to_pandas()}X[{name}] = {_in_pandas(f'X[{name}]', kind)}"

    def blank(self, index: int, code: int) -> str:
        """Return code that makes a number a missing value."""
        name = _quoted(self.names[index])
        if self.library == "polars":
            return f"X = X.with_columns(pl.col({name}).replace({code}, None))"
        if self.library == "numpy":
            return f"X = np.where((X == {code}) & (np.arange(X.shape[1]) == {name}), np.nan, X)"
        return f"{self._to_pandas()}X[{name}] = X[{name}].mask(X[{name}] == {code})"

    def unify(self, index: int) -> str:
        """Return code that unifies strings that differ only in capitals or spaces around them."""
        name = _quoted(self.names[index])
        if self.library == "polars":
            return f"X = X.with_columns(pl.col({name}).str.strip_chars().str.to_lowercase())"
        return f"{self._to_pandas()}X[{name}] = X[{name}].str.strip().str.lower()"

    def keep(self, index: int) -> str:
        """Return code that declares a column as categories."""
        name = _quoted(self.names[index])
        if self.library == "polars":
            return f"X = X.with_columns(pl.col({name}).cast(pl.Categorical))"
        return f'{self._to_pandas()}X[{name}] = X[{name}].astype("category")'

    def _to_pandas(self) -> str:
        return {"pandas": "", "pyarrow": "X = X.to_pandas(); "}.get(self.library, "X = pd.DataFrame(X); ")


def _in_pandas(column: str, kind: TextKind) -> str:
    text = f"{column}.astype(str)" if kind.has_numbers else column
    match kind.style:
        case "plain":
            return f'pd.to_numeric({column}, errors="coerce")'
        case "decimal comma":
            digits = f'{text}.str.replace(r"{_SEPARATORS}", "", regex=True)' if kind.has_groups else text
            return f'pd.to_numeric({digits}.str.replace(",", "."), errors="coerce")'
        case "thousands":
            return f'pd.to_numeric({text}.str.replace(r"{_THOUSANDS}", "", regex=True), errors="coerce")'
        case "percent" | "unit":
            digits = f'{text}.str.replace(r"{_NOT_DIGITS}", "", regex=True){_without_commas(kind)}'
            return f'pd.to_numeric({digits}, errors="coerce")'
        case "time":
            return f'pd.to_timedelta({column}.str.replace(r"^(\\d+:\\d+)$", r"\\1:00", regex=True), errors="coerce")'
        case "day first":
            return f'pd.to_datetime({column}, dayfirst=True, errors="coerce")'
        case "month first" | "iso":
            return f'pd.to_datetime({column}, errors="coerce")'


def _in_polars(column: str, kind: TextKind) -> str:
    number = "cast(pl.Float64, strict=False)"
    match kind.style:
        case "plain":
            return f"{column}.{number}"
        case "decimal comma":
            digits = f'{column}.str.replace_all(r"{_SEPARATORS}", "")' if kind.has_groups else column
            return f'{digits}.str.replace(",", ".").{number}'
        case "thousands":
            return f'{column}.str.replace_all(r"{_THOUSANDS}", "").{number}'
        case "percent" | "unit":
            commas = _without_commas(kind, "_all", ", literal=True")
            return f'{column}.str.replace_all(r"{_NOT_DIGITS}", ""){commas}.{number}'
        case "time":
            return f'{column}.str.to_time("{"%H:%M:%S" if kind.example.count(":") == 2 else "%H:%M"}", strict=False)'
        case _:
            return f'{column}.str.to_datetime("{_date_format(kind)}", strict=False)'


def _without_commas(kind: TextKind, all_of: str = "", as_text: str = "") -> str:
    """Return code behind a column of digits, points and commas that leaves only decimal points."""
    without_points = f'.str.replace{all_of}(".", ""{as_text})'
    with_point = f'.str.replace{all_of}(",", "."{as_text})'
    without_commas = f'.str.replace{all_of}(",", ""{as_text})'
    return {"": "", "decimal": without_points + with_point, "thousands": without_commas}[kind.commas]


def _date_format(kind: TextKind) -> str:
    """Return the format of the example for strftime."""
    date, _, time = kind.example.strip().replace("T", " ").partition(" ")
    mark = next(character for character in date if not character.isdigit())
    order = {"iso": "Ymd", "day first": "dmY", "month first": "mdY"}[kind.style]
    between = "T" if "T" in kind.example else " "
    clock = "" if not time else f"{between}%H:%M:%S" if time.count(":") == 2 else f"{between}%H:%M"
    return mark.join(f"%{part}" for part in order) + clock


def _quoted(name: object) -> str:
    return json.dumps(name, ensure_ascii=False) if isinstance(name, str) else repr(name)
