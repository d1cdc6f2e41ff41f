"""Every bound says what it claims, why, what it needs, what it keeps and where it comes from."""

import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKS = ("SAYS", "SO", "WHY", "NEEDS", "KEEPS", "SOURCE", "Switch")


def marks_of(header: str) -> dict[str, str]:
    """Read the marked paragraphs of the comment that opens a header."""
    opening = takewhile(lambda line: line.startswith("//") or line in ("", "#pragma once"), header.splitlines())
    text = "\n".join(line.removeprefix("//").removeprefix(" ") for line in opening if line.startswith("//"))
    found = re.split(rf"^({'|'.join(MARKS)})\b", text, flags=re.M)
    return {mark: said.strip() for mark, said in zip(found[1::2], found[2::2], strict=True)}


def faults(root: Path) -> Iterator[str]:
    """Say what each header of cpp/bounds/ leaves out."""
    references = (root / "docs/references.bib").read_text()
    keys = set(re.findall(r"^@\w+\{(\w+),", references, re.M))
    for path in sorted(root.glob("cpp/bounds/*.hpp")):
        marks = marks_of(path.read_text())
        name = path.relative_to(root)
        yield from (f"{name}: {mark} is missing or empty" for mark in MARKS if not marks.get(mark))
        cited = set(re.findall(r"\[([a-z]+\d{4}[a-z0-9]+)\]", marks.get("SOURCE", "")))
        yield from (f"{name}: [{key}] is not in docs/references.bib" for key in sorted(cited - keys))


if __name__ == "__main__":
    sys.exit("\n".join(faults(ROOT)) or None)
