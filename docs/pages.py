"""Pages that are made from other files of the repository, so that nothing is written twice.

The bounds are read from the comments that open their headers in `cpp/` and from the table of all of them, the formats
of a tree from `hornbeam.export`; results of benchmarks are included unchanged. The explorer that is live in the gallery
is the page that its example makes.
"""

import re
import runpy
from pathlib import Path

from check_bounds import TABLE, Row, marks_of, rows_of
from hornbeam.export import FORMATS, TEXT_FORMATS

# The order of reading; an example that is not named comes last.
EXAMPLES = [
    "first_tree",
    "credit_from_csv",
    "mixed_and_missing",
    "choose_a_method",
    "imbalanced_classes",
    "own_costs",
    "costs_of_each_row",
    "how_large_should_the_tree_be",
    "regularization_by_cross_validation",
    "regression",
    "survival",
    "own_thresholds",
    "guessed_thresholds",
    "read_certificate",
    "gap_over_time",
    "split_compared_with_exact",
    "map_tree_under_noise",
    "all_good_trees",
    "explore_good_trees",
    "export_to_sql",
    "tree_in_other_tools",
    "parallel_grid_search",
]
# What the marks of a header are called on its page.
WORDS = {
    "SAYS": "Claim",
    "SO": "Use",
    "WHY": "Proof",
    "NEEDS": "Needs",
    "KEEPS": "Keeps",
    "SOURCE": "Source",
    "Switch": "Switch",
}
SEARCHES = {
    "kExact": "GOSDTClassifier",
    "kLeafSets": "OSDTClassifier",
    "kPosterior": "MAPTreeClassifier",
    "kLookahead": "SPLITClassifier",
    "kTreeSets": "RashomonSetClassifier",
}
COUNTERS_HEAD = """## Switches and counters

Every search counts how often each bound and technique closed or tightened something, in ``statistics_["bounds"]``.
The table shows which bounds the parameter `bounds` can switch, and whether they are on by default.
{class}`~hornbeam.SPLITClassifier`, {class}`~hornbeam.LicketySPLITClassifier` and
{class}`~hornbeam.RashomonSetClassifier` also report the counters of {class}`~hornbeam.GOSDTClassifier`, for the exact
searches that they run.
"""
BOUNDS_HEAD = """# Bounds

This page is made from the headers of the bounds in the source, so it describes what the code does. For each bound:
what it claims, what the search does with it, why it holds, what it needs, and **what it keeps** - one optimal tree,
all of them, or more. A bound that keeps one optimum may drop others of the same objective. A bound is off under a
limit that its proof does not cover. The switch is the name in the parameter `bounds` of
{class}`~hornbeam.GOSDTClassifier`; turning it off costs time and changes no optimum.

In all of them a *set* s is the rows that reach a node. L is the leaf penalty (regularization times total weight),
n the largest loss that the rows can incur, err their loss as one leaf, q the least loss that equal rows with
different labels force on every tree; best(s) is the least cost of a tree on s. f1 and f0 are the rows of s where column
f holds and where it fails.

Bounds that need the BCART prior are those of {class}`~hornbeam.MAPTreeClassifier`: there costs are minus log
posteriors, R is the sum of rho, and e(i) is what one more row costs a leaf of i rows of the same class; the lemmas are
those of {cite:t}`sullivan2024maptree`.
"""
FORMATS_PAGE = """# Formats of a tree

Each format is a function of `hornbeam.export` and a method of {{class}}`~hornbeam.Tree`. The command
`hornbeam export --format NAME` writes those with a name in the last column.

<!-- table -->
| result | method | `--format` |
| :-- | :-- | :-- |
{rows}
<!-- end of the table -->

```{{eval-rst}}
.. currentmodule:: hornbeam

.. autosummary::
   :toctree: api

{names}
```
"""


def order_of_examples(name: str) -> int:
    """Return the place of an example in the gallery."""
    stem = name.removesuffix(".py")
    return EXAMPLES.index(stem) if stem in EXAMPLES else len(EXAMPLES)


def write(root: Path, folder: Path) -> None:
    """Write all pages of this file into a folder."""
    save(folder / "bounds.md", bounds_page(root))
    save(folder / "formats.md", formats_page())
    save(folder / "live/good_trees.html", live_page(root))
    for path in sorted((root / "benchmarks/results").glob("*.md")):
        save(
            folder / "benchmarks" / path.name,
            f"```{{include}} ../../../benchmarks/results/{path.name}\n:relative-images:\n```\n",
        )


def save(path: Path, text: str) -> None:
    """Write a file if it changes: Sphinx reads again what is newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def live_page(root: Path) -> str:
    """Return the explorer of a small set, as one HTML file."""
    page: str = runpy.run_path(str(root / "examples/explore_good_trees.py"))["page"]
    return page


def formats_page() -> str:
    """Return the page of all formats that a tree can be written in."""
    rows = (
        f"| {format.description} | `tree.to_{name}()` | {f'`{name}`' if name in TEXT_FORMATS else ''} |"
        for name, format in FORMATS.items()
    )
    names = "\n".join(f"   export.to_{name}" for name in FORMATS)
    return FORMATS_PAGE.format(rows="\n".join(rows), names=names)


def bounds_page(root: Path) -> str:
    """Return the page of all headers that open with a claim."""
    parts = [BOUNDS_HEAD, counters_section(rows_of((root / TABLE).read_text()))]
    for path in sorted(root.glob("cpp/*/*.hpp")):
        text = path.read_text()
        if "\n// SAYS " in text:
            parts.append(bound_section(path.relative_to(root).as_posix(), path.stem, marks_of(text)))
    return "\n".join(parts)


def counters_section(rows: list[Row]) -> str:
    """Return the table of all bounds and techniques, with their switches and counters."""
    lines = [COUNTERS_HEAD, "| name | classifier | switch | counts |", "|---|---|---|---|"]
    switch = {None: "", True: "on", False: "off"}
    for row in rows:
        page = Path(row.page)
        name = f"[{row.name}](#bound-{page.stem.replace('_', '-')})" if page.parent.name == "bounds" else row.name
        classifiers = ", ".join(f"{{class}}`~hornbeam.{SEARCHES[search]}`" for search in row.searches)
        lines.append(f"| {name} | {classifiers} | {switch[row.default]} | {row.counts} |")
    return "\n".join([*lines, ""])


def bound_section(path: str, name: str, marks: dict[str, str]) -> str:
    """Return the anchor, the heading and the paragraphs of one bound."""
    lines = [f"(bound-{name.replace('_', '-')})=", f"## {name.replace('_', ' ').capitalize()}", ""]
    lines += [f"**{WORDS[mark]}.** {markdown(said)}\n" for mark, said in marks.items()]
    return "\n".join([*lines, f"*From* `{path}`.", ""])


def markdown(said: str) -> str:
    """Return a comment as Markdown: plain text, with citations."""
    text = re.sub(r"([\\`*_<>|$])", r"\\\1", " ".join(said.split()))
    keys = r"[a-z]+\d{4}[a-z0-9]+"
    text = re.sub(rf"\[({keys}(?:, {keys})+)\]", r"{cite:t}`\1`", text)
    text = re.sub(r"\b[a-z]+/([a-z\\_]+)\.hpp", section_link, text)
    text = text[:1].upper() + text[1:]
    return re.sub(rf"\[({keys})(?:, ([^\]]*))?\]", lambda m: f"{{cite:t}}`{m[1]}`" + f" ({m[2]})" * bool(m[2]), text)


def section_link(match: re.Match[str]) -> str:
    """Return a link to the section of a bound that another one names by its file."""
    name = match[1].replace("\\", "")
    return f"[{name.replace('_', ' ')}](#bound-{name.replace('_', '-')})"
