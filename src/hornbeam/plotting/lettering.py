"""Measure strings, break them into lines of a given width, and find fonts for them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# Lines are broken at spaces, and words wider than a line after these marks.
_WORDS = re.compile(r"[^ ]+ ?| ")
_PARTS = re.compile(r"[^_\-/,:;=]*[_\-/,:;= ]?")

# Fonts that are not usable: they show a box for everything, or have symbols of formulas in the places of letters.
_NO_SCRIPT = re.compile(r"\.?last ?resort|cm[a-z]+10$|stix.*(size|nonuni)", re.IGNORECASE)
_LATIN = "".join(map(chr, range(0x20, 0x7F))) + "≤≥…\xa0"
_LEFT_TO_RIGHT = "\u200e"
# Marks that reorder the following text; a name must not reorder the words around it.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Style:
    """How a string looks; `size` in points."""

    size: float
    weight: str = "normal"
    color: str = "#222222"

    @property
    def line_height(self) -> float:
        """Distance between two baselines, in points."""
        return 1.25 * self.size


class Letters:
    r"""The fonts of one picture: which characters they have, and how wide a text is.

    Parameters
    ----------
    families : dict of str to tuple of str
        For the weights "normal" and "bold", the font families to try in this order for each character.
    missing : frozenset of str, default=frozenset()
        Characters that none of them has.
    light : frozenset of str, default=frozenset()
        Characters that only fonts of normal weight have.
    keeps_missing : bool, default=False
        Whether to keep the missing characters, for a viewer with its own fonts. False: show escapes such as ``\u4e2d``.
    """

    def __init__(
        self,
        families: dict[str, tuple[str, ...]],
        missing: frozenset[str] = frozenset(),
        light: frozenset[str] = frozenset(),
        *,
        keeps_missing: bool = False,
    ) -> None:
        self._families = families
        self._missing, self._light = missing, light
        self._escapes = {} if keeps_missing else {ord(character): escape(character) for character in missing}
        # No glyph of another font is wider than an em, as wide as this dash.
        self._stand_ins = {ord(character): "—" for character in missing} if keeps_missing else {}
        self._widths: dict[tuple[str, Style], float] = {}

    @classmethod
    def of(cls, strings: Iterable[str], *, keeps_missing: bool = False) -> Letters:
        """Choose among the installed fonts for these strings; the default font comes first."""
        import matplotlib as mpl

        own = tuple(mpl.rcParams["font.family"])
        characters = frozenset("".join(map(displayable, strings)) + _LATIN)
        if any(map(_is_right_to_left, characters)):
            characters |= {_LEFT_TO_RIGHT}
        wanted = characters - _covered(_paths_of(own, "normal"), characters)
        added, missing = _fallbacks(wanted) if wanted else ((), frozenset[str]())
        faces = _faces() if added else {}
        bold = tuple(name for name in added if "bold" in faces[name])
        paths = [*_paths_of(own, "bold"), *(faces[name]["bold"] for name in bold)]
        light = characters - missing - _covered(paths, characters)
        families = {"normal": (*own, *added), "bold": (*own, *bold)}
        return cls(families, missing, light, keeps_missing=keeps_missing)

    def show(self, text: object) -> str:
        """Return the string on one line, with a visible escape for each character that cannot be drawn."""
        return displayable(" ".join(str(text).splitlines())).translate(self._escapes)

    def apart(self, text: str) -> str:
        """Prevent a string in a right-to-left script from reordering the text next to it."""
        if _LEFT_TO_RIGHT in self._missing or not any(map(_is_right_to_left, text)):
            return text
        return f"{_LEFT_TO_RIGHT}{text}{_LEFT_TO_RIGHT}"

    @property
    def families(self) -> list[str]:
        """The font families of text of normal weight."""
        return list(self._families["normal"])

    def font(self, text: str, style: Style) -> dict[str, Any]:
        """Return family, weight and size for matplotlib; normal weight if no bold font has all characters."""
        weight = "normal" if style.weight == "normal" or not self._light.isdisjoint(text) else "bold"
        return {"family": list(self._families[weight]), "weight": weight, "size": style.size}

    def width(self, text: str, style: Style) -> float:
        """Return the width of one line, in points."""
        key = (text, style)
        if key not in self._widths:
            self._widths[key] = self._measured(text.translate(self._stand_ins), style)
        return self._widths[key]

    def _measured(self, text: str, style: Style) -> float:
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import TextToPath

        font = FontProperties(**self.font(text, style))
        return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])

    def wrap(self, text: str, style: Style, max_width: float, max_lines: int) -> list[str]:
        """Break a string into at most `max_lines` lines of at most `max_width` points.

        If it does not fit, the last line keeps its beginning and its end, with an "…" between them.
        """
        lines = [""]
        for piece in self._pieces(text, style, max_width):
            if lines[-1] and self.width(f"{lines[-1]}{piece}".rstrip(), style) > max_width:
                lines.append("")
            lines[-1] += piece
        lines = [line.strip() for line in lines]
        if len(lines) > max_lines:
            lines = [*lines[: max_lines - 1], self._shortened(" ".join(lines[max_lines - 1 :]), style, max_width)]
        return lines

    def _pieces(self, text: str, style: Style, max_width: float) -> Iterator[str]:
        """Split a string where a line may be broken: words, parts of words wider than a line, or at worst anywhere."""
        for word in _WORDS.findall(text):
            is_narrow = self.width(word.rstrip(), style) <= max_width
            for part in [word] if is_narrow else filter(None, _PARTS.findall(word)):
                rest = part
                while self.width(rest.rstrip(), style) > max_width:
                    fitting = self._fitting(rest, style, max_width)
                    yield rest[:fitting]
                    rest = rest[fitting:]
                yield rest

    def _shortened(self, text: str, style: Style, max_width: float) -> str:
        """Return the beginning and the end of a string that is too long: names often differ only at their end."""
        half = (max_width - self.width("…", style)) / 2
        end = self._fitting(text[::-1], style, half)
        return f"{text[: self._fitting(text, style, half)].rstrip()}…{text[len(text) - end :].lstrip()}"

    def _fitting(self, text: str, style: Style, max_width: float) -> int:
        """Return how many characters fit, at least one."""
        low, high = 1, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.width(text[:middle], style) <= max_width else (low, middle - 1)
        return low


def escape(character: str) -> str:
    r"""Return Python's escape of a character, such as ``\u4e2d``; nothing for a variation selector."""
    if "\ufe00" <= character <= "\ufe0f":
        return ""
    return f"\\x{ord(character):02x}" if character.isascii() else character.encode("ascii", "backslashreplace").decode()


def displayable(text: str) -> str:
    """Escape characters that no font can show: control characters, lone surrogates and reordering marks."""
    return text if text.isascii() and text.isprintable() else "".join(map(_displayable_character, text))


def _displayable_character(character: str) -> str:
    is_bad = unicodedata.category(character) in ("Cc", "Cs") or ord(character) & 0xFFFE == 0xFFFE
    return escape(character) if is_bad or character in _REORDERING else character


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL")


def _paths_of(families: Iterable[str], weight: str) -> list[str]:
    """Return the files of those families that are installed, as matplotlib chooses them."""
    from matplotlib.font_manager import FontProperties, findfont

    paths: list[str] = []
    for family in families:
        with suppress(ValueError):  # not installed
            paths.append(findfont(FontProperties(family=[family], weight=weight), fallback_to_default=False))
    return paths


def _covered(paths: Iterable[str], characters: frozenset[str]) -> frozenset[str]:
    """Return those of the characters that some font file has."""
    from matplotlib.ft2font import FT2Font

    covered: set[str] = set()
    for path in paths:
        with suppress(OSError, RuntimeError):  # gone, or of a format that cannot be read
            font = FT2Font(path)
            covered.update(character for character in characters - covered if font.get_char_index(ord(character)))
    return frozenset(covered)


def _faces() -> dict[str, dict[str, str]]:
    """Return the files of the normal and the bold face of each installed family that has an upright normal face."""
    from matplotlib.font_manager import fontManager, weight_dict

    faces: dict[str, dict[str, str]] = {}
    for entry in fontManager.ttflist:
        number = weight_dict.get(entry.weight, 0) if isinstance(entry.weight, str) else entry.weight
        weight = {400: "normal", 700: "bold"}.get(number)
        if weight and entry.style == entry.variant == entry.stretch == "normal" and not _NO_SCRIPT.match(entry.name):
            faces.setdefault(entry.name, {}).setdefault(weight, entry.fname)
    return {name: files for name, files in faces.items() if "normal" in files}


@lru_cache(maxsize=64)
def _fallbacks(wanted: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return installed families that together have these characters, and the characters that none has."""
    chosen: list[str] = []
    for name, files in sorted(_faces().items(), key=lambda face: ("sans" not in face[0].lower(), face[0])):
        found = _covered([files["normal"]], wanted)
        if found:
            chosen.append(name)
            wanted -= found
        if not wanted:
            break
    return tuple(chosen), wanted
