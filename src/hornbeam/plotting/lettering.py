"""Measure texts, and break them into lines of a given width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Lines are broken at spaces. A word wider than a line is broken after these marks, but not inside a number.
_WORDS = re.compile(r"[^ ]+ ?| ")
_PARTS = re.compile(r"[^_\-/,:;=]*[_\-/,:;= ]?")


@dataclass(frozen=True, slots=True)
class Style:
    """How a text looks; `size` in points."""

    size: float
    weight: str = "normal"
    color: str = "#222222"

    @property
    def line_height(self) -> float:
        """Distance between two baselines, in points."""
        return 1.25 * self.size


def width_of(text: str, style: Style) -> float:
    """Return the width of one line, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(size=style.size, weight=style.weight)
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])


def wrap(text: str, style: Style, max_width: float, max_lines: int) -> list[str]:
    """Break a text into at most `max_lines` lines of at most `max_width` points; a last line too long gets an "…"."""
    lines = [""]
    for piece in _pieces(text, style, max_width):
        if lines[-1] and width_of(f"{lines[-1]}{piece}".rstrip(), style) > max_width:
            lines.append("")
        lines[-1] += piece
    lines = [line.strip() for line in lines]
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], _shortened(" ".join(lines[max_lines - 1 :]), style, max_width)]
    return lines


def _pieces(text: str, style: Style, max_width: float) -> Iterator[str]:
    """Cut a text where a line may be broken: words, parts of words wider than a line, and at worst anywhere."""
    for word in _WORDS.findall(text):
        is_narrow = width_of(word.rstrip(), style) <= max_width
        for part in [word] if is_narrow else filter(None, _PARTS.findall(word)):
            rest = part
            while width_of(rest.rstrip(), style) > max_width:
                fitting = _fitting(rest, style, max_width)
                yield rest[:fitting]
                rest = rest[fitting:]
            yield rest


def _shortened(text: str, style: Style, max_width: float) -> str:
    """Return the beginning and the end of a text that is too long: names often differ in their ends alone."""
    half = (max_width - width_of("…", style)) / 2
    end = _fitting(text[::-1], style, half)
    return f"{text[: _fitting(text, style, half)].rstrip()}…{text[len(text) - end :].lstrip()}"


def _fitting(text: str, style: Style, max_width: float) -> int:
    """Return how many characters fit, at least one."""
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_of(text[:middle], style) <= max_width else (low, middle - 1)
    return low
