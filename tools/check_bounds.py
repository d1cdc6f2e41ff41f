"""Every bound says what it claims, why, what it needs, what it keeps and where it comes from, and is in the table."""

import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TABLE = "cpp/base/bounds.def"
MARKS = ("SAYS", "SO", "WHY", "NEEDS", "KEEPS", "SOURCE", "Switch")


class Row(NamedTuple):
    """A line of the table of bounds and techniques."""

    name: str
    searches: tuple[str, ...]
    """Of `kExact`, `kLeafSets` and `kPosterior`."""
    default: bool | None
    """Whether it is on by default; None if it has no switch."""
    page: str
    """The file that explains it, without `cpp/`."""
    counts: str
    """What its counter counts."""


def rows_of(table: str) -> list[Row]:
    """Read the table of bounds and techniques."""
    found = re.findall(
        r'^(?:BOUND|TECHNIQUE)\(([\w |]+), (\w+)(?:, (true|false))?,\s+"([^"]+)",\s+"([^"]+)"\)', table, re.M
    )
    return [
        Row(name, tuple(searches.split(" | ")), None if default == "" else default == "true", page, counts)
        for searches, name, default, page, counts in found
    ]


def marks_of(header: str) -> dict[str, str]:
    """Read the marked paragraphs of the comment that opens a header."""
    opening = takewhile(lambda line: line.startswith("//") or line in ("", "#pragma once"), header.splitlines())
    text = "\n".join(line.removeprefix("//").removeprefix(" ") for line in opening if line.startswith("//"))
    found = re.split(rf"^({'|'.join(MARKS)})\b", text, flags=re.M)
    return {mark: said.strip() for mark, said in zip(found[1::2], found[2::2], strict=True)}


def faults(root: Path) -> Iterator[str]:
    """Report what each header of cpp/bounds/ leaves out, and where the headers and the table do not agree."""
    references = (root / "docs/references.bib").read_text()
    keys = set(re.findall(r"^@\w+\{(\w+),", references, re.M))
    text = (root / TABLE).read_text()
    rows = rows_of(text)
    if len(rows) != len(re.findall(r"^(?:BOUND|TECHNIQUE)\(", text, re.M)):
        yield f"{TABLE}: a line is not of the form that its head shows"
    switches = {row.name for row in rows if row.default is not None}
    for row in rows:
        if not (root / "cpp" / row.page).exists():
            yield f"{TABLE}: {row.name}: there is no {row.page}"
    for path in sorted(root.glob("cpp/bounds/*.hpp")):
        marks = marks_of(path.read_text())
        name = path.relative_to(root)
        yield from (f"{name}: {mark} is missing or empty" for mark in MARKS if not marks.get(mark))
        cited = set(re.findall(r"\[([a-z]+\d{4}[a-z0-9]+)\]", marks.get("SOURCE", "")))
        yield from (f"{name}: [{key}] is not in docs/references.bib" for key in sorted(cited - keys))
        switch = re.match(r"\w*", marks.get("Switch", ""))
        if switch and switch[0] not in ("", "none") and switch[0] not in switches:
            yield f"{name}: {TABLE} has no switch {switch[0]}"
        if switch and switch[0] == "none" and path.stem in switches:
            yield f"{name}: {TABLE} has a switch {path.stem}"


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
