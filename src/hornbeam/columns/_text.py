"""Recognize numbers and dates in columns of text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

Style: TypeAlias = Literal[
    "plain", "decimal comma", "thousands", "percent", "unit", "iso", "day first", "month first", "time"
]

# Markers of missing values in columns of numbers and dates, in lower case.
_ABSENT_WORDS = ("missing", "none", "nil", "not available", "null", "undefined", "unknown", "(none)", "(null)")
_ABSENT_SIGNS = ("", "-", "--", "---", ".", "?", "#n/a", "<na>", "n/a", "n.a.", "na", "nan", "nat")
MISSING_MARKERS = frozenset((*_ABSENT_SIGNS, *_ABSENT_WORDS))

_MOST_READ = 1000  # distinct values that are examined
_FEWEST = 3  # values of one style
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PLAIN = re.compile(_NUMBER)
_WHOLE = re.compile(r"[+-]?\d+")
_CODE = re.compile(r"[+-]?(?:0\d+|\d{16,})")  # no quantity is written with leading zeros or this many digits
_DECIMAL_COMMA = re.compile(r"[+-]?(?:\d*|\d{1,3}(?:[.\s']\d{3})+),\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\s\d{3})+|(?:'\d{3})+|(?:\.\d{3}){2,})(?:\.\d+)?")
_ANY_NUMBER = r"[+-]?(?:\d{1,3}(?:[.,\s']\d{3})+|\d+)(?:[.,]\d+)?"
_PERCENT = re.compile(rf"{_ANY_NUMBER}\s*%")
_UNIT = re.compile(rf"(?:([€$£])\s*)?{_ANY_NUMBER}\s*((?:[^\W\d_]|[€$£°/²³]){{0,8}})")
_DECIMAL_END = re.compile(r"(?:,\d{1,2}|\.\d{3},\d+)\D*$")
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_ISO = re.compile(rf"\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}(?:[T ]{_TIME}\s*(?:Z|UTC|[+-]\d{{2}}:?\d{{2}})?)?")
_DAY_AND_MONTH = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2\d{{4}}(?: {_TIME})?")
_TIME_OF_DAY = re.compile(_TIME)

_WORDS: dict[Style, str] = {
    "plain": "numbers as text",
    "decimal comma": "numbers with decimal commas as text",
    "thousands": "numbers with thousands separators as text",
    "percent": "percentages as text",
    "unit": "numbers with a unit as text",
    "iso": "dates as text",
    "day first": "dates as text",
    "month first": "dates as text",
    "time": "times of day as text",
}
_DATES = ("iso", "day first", "month first", "time")


class TextKind(NamedTuple):
    """What the strings of a column look like."""

    style: Style
    example: str
    others: tuple[str, ...]
    """Values that look different."""
    has_numbers: bool
    """Whether the column also holds numbers that are not text."""
    has_groups: bool
    """Whether the digits of some values are grouped by points, spaces or apostrophes."""
    commas: Literal["", "decimal", "thousands"]
    """The role of the commas in some values, if there are any."""

    @property
    def is_date(self) -> bool:
        """Whether the strings are dates or times."""
        return self.style in _DATES

    @property
    def found(self) -> str:
        """What was found, in words."""
        what = f"{_WORDS[self.style]}, such as {self.example!r}"
        if self.has_numbers and self.style == "plain":
            what = f"numbers such as {self.example}"
        if not self.others:
            return what
        plural = "s" if len(self.others) > 1 else ""
        return f"{what}, and {len(self.others)} value{plural} like {self.others[0]!r}"


def text_kind(values: Iterable[Any]) -> TextKind | None:
    """Return what nearly all of the distinct values of a column look like; None for ordinary categories."""
    # The table may have millions of distinct strings: the first thousand show what they are.
    some = list(islice(values, _MOST_READ))
    strings = [value for value in some if isinstance(value, str)]
    numbers = [value for value in some if not isinstance(value, (str, bool))]
    if not strings:
        return None
    words = [(string, string.strip()) for string in strings]
    wanted = [word for _, word in words if word.lower() not in MISSING_MARKERS]
    # Most columns of text are ordinary categories, which hardly have digits: they need no pattern.
    if sum(any(map(str.isdigit, word)) for word in wanted[:16]) * 2 < len(wanted[:16]):
        return None
    if not wanted:  # numbers and markers of missing values, such as 12 and "unknown"
        return _text_kind("plain", sorted(map(repr, numbers)), strings, True) if len(numbers) > 1 else None
    for style, fits in _styles(wanted):
        n_odd = len(wanted) - len(fits)
        if len(fits) + len(numbers) >= _FEWEST and 10 * n_odd <= len(fits) + len(numbers):
            return _text_kind(
                style, sorted(fits), [string for string, word in words if word not in fits], bool(numbers)
            )
    return None


def _text_kind(style: Style, fits: list[str], others: list[str], has_numbers: bool) -> TextKind:
    has_groups = any(mark in word for word in fits for mark in ". '")
    with_comma = [word for word in fits if "," in word]
    is_decimal = any(_DECIMAL_END.search(word) for word in with_comma)
    commas: Literal["", "decimal", "thousands"] = "" if not with_comma else "decimal" if is_decimal else "thousands"
    return TextKind(style, fits[len(fits) // 2], tuple(sorted(others)), has_numbers, has_groups, commas)


def _styles(words: list[str]) -> Iterable[tuple[Style, Collection[str]]]:
    """Return each way to write numbers and dates that fits some words, and these words; the plainest way first."""

    def matching(*patterns: re.Pattern[str]) -> set[str]:
        return {word for word in words if any(pattern.fullmatch(word) for pattern in patterns)}

    plain = matching(_PLAIN)
    if any(_CODE.fullmatch(word) for word in plain):
        return
    # "1,234" may be either: only a comma that cannot group thousands proves decimal commas.
    commas = [word for word in words if _DECIMAL_COMMA.fullmatch(word)]
    thousands = matching(_THOUSANDS)
    yield "plain", plain
    if commas and not all(word in thousands for word in commas):
        yield "decimal comma", matching(_DECIMAL_COMMA, _WHOLE)
    if thousands:
        yield "thousands", matching(_THOUSANDS, _PLAIN)
    yield "percent", matching(_PERCENT)
    yield "unit", _with_one_unit(words)
    yield "iso", matching(_ISO)
    days = {word: match for word in words if (match := _DAY_AND_MONTH.fullmatch(word))}
    if days:  # 03/04/2023 may be either: the day comes first if some number is too large for a month, or with points
        is_day_first = any(int(match[1]) > 12 or match[2] == "." for match in days.values())
        yield ("day first" if is_day_first else "month first"), days
    yield "time", matching(_TIME_OF_DAY)


def _with_one_unit(words: list[str]) -> set[str]:
    matches = {word: match for word in words if (match := _UNIT.fullmatch(word))}
    units = Counter((match[1] or "") + match[2] for match in matches.values())
    if not units:
        return set()
    unit, _ = units.most_common(1)[0]
    return {word for word, match in matches.items() if unit and (match[1] or "") + match[2] == unit}
