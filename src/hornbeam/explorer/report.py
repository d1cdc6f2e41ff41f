"""The report on a chosen tree for an auditor: data, settings, the alternatives that were considered, and the proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam.explorer.alternatives import Alternative, columns_of
from hornbeam.plotting import trees_html
from hornbeam.tree import Tree
from hornbeam.tree.words import count

_STYLE = """
@page { size: A4; margin: 16mm; }
body { font: 10.5pt/1.4 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 180mm; margin: 8mm auto; }
h1 { font-size: 17pt; margin: 0 0 1mm; overflow-wrap: anywhere; }
h2 { font-size: 12pt; margin: 6mm 0 1.5mm; border-bottom: 0.3mm solid #bbb; break-after: avoid; }
p { margin: 1.5mm 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.6mm 4mm 0.6mm 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; }
table + table { margin-top: 2mm; }
td.n, th.n { text-align: right; }
code { font: 9.5pt ui-monospace, monospace; overflow-wrap: anywhere; }
ul { margin: 1mm 0; padding-left: 5mm; }
svg { max-width: 100%; height: auto; }
section, tr { break-inside: avoid; }
.sides { display: flex; flex-wrap: wrap; gap: 3mm 10mm; align-items: flex-start; }
.sides > table { margin: 0; }
"""
_MOST_COLUMNS = 40
_OF_ALTERNATIVES = ("Good trees", "Best objective", "")
_SLOT = re.compile("<!--([a-z]+)-->")  # names and labels are escaped, so they cannot look like this


class SetFacts(NamedTuple):
    """What the report says of the data and the search.

    Attributes
    ----------
    about : dict
        The engine's answer "about".
    settings : str
        The classifier as code.
    shares : sequence of float
        Of each class in the weight of the training rows.
    sizes : sequence of Alternative
        The best trees of each number of leaves.
    n_tests : int
        Number of test rows.
    """

    about: dict[str, Any]
    settings: str
    shares: Sequence[float]
    sizes: Sequence[Alternative]
    n_tests: int


class TreeFacts(NamedTuple):
    """What the report says of the chosen tree.

    Attributes
    ----------
    tree : Tree
    objective : float
        Of the tree.
    choices : sequence of str
        What the user fixed: filters and nodes.
    without : sequence of Alternative
        The best trees without each column of the tree.
    predicted, actual : ndarrays of int, or None
        Numbers of classes of the test rows.
    """

    tree: Tree
    objective: float
    choices: Sequence[str]
    without: Sequence[Alternative]
    predicted: npt.NDArray[Any] | None = None
    actual: npt.NDArray[Any] | None = None


def report_of(facts: SetFacts, chosen: TreeFacts) -> str:
    """Return the report as one HTML file without scripts, which prints on one or two pages."""
    about, tree = facts.about, chosen.tree
    names = [escape(str(column["name"])) for column in about["columns"]]
    leaves = np.flatnonzero(tree.left < 0)
    right = tree.class_weights[leaves, tree.prediction[leaves]].sum() / tree.class_weights[0].sum()
    penalties = about["regularization"] * tree.n_leaves
    best = float(about["best"])
    is_best = chosen.objective <= best
    slots = {
        "picture": trees_html([(tree, "")]),
        "rules": "".join(f"<li>{escape(rule)}</li>" for rule in tree.to_rules()),
        "tested": ", ".join(names[column] for column in columns_of(tree)) or "none",
        "training": _percent(right),
        "test": _on_test_rows(about["classes"], chosen.predicted, chosen.actual),
        "objective": f"{chosen.objective:.6f}",
        "loss": f"{chosen.objective - penalties:.6f}",
        "leaves": count(tree.n_leaves, "leaf", "leaves"),
        "worse": "This tree has it." if is_best else f"This tree is {above(chosen.objective, best)} above it.",
        "without": without_of([row_of(one, best) for one in chosen.without]) if chosen.without else "",
        "choices": "; ".join(map(escape, chosen.choices)) or "none: the best tree of the set",
    }
    return _SLOT.sub(lambda found: slots[found[1]], template_of(facts))


def template_of(facts: SetFacts) -> str:
    """Return the report without what depends on the chosen tree: there it has comments such as ``<!--rules-->``."""
    about = facts.about
    parts = [
        _section("The tree", "<!--picture--><ul><!--rules--></ul>"),
        _section("Data", _data(facts)),
        _section("Proof", _proof(about)),
        _section("Alternatives considered", _alternatives(facts)),
        _section("Settings", _settings(facts)),
    ]
    return f"""<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
    <title>{escape(about["name"])}: report</title>
    <style>{_STYLE}</style>
  </head>
  <body>
    <h1>{escape(about["name"])}</h1>
    <p>Report on a decision tree for {escape(about["target"])}, chosen from {count(int(about["n_set"]), "good tree")}
    that hornbeam found.</p>
    {"".join(parts)}
  </body>
</html>
"""


def _data(facts: SetFacts) -> str:
    about = facts.about
    names = [escape(str(column["name"])) for column in about["columns"]]
    columns = ", ".join(names[:_MOST_COLUMNS]) + (
        f" and {len(names) - _MOST_COLUMNS} more" * (len(names) > _MOST_COLUMNS)
    )
    classes = ", ".join(
        f"{escape(name)} ({_percent(share)})" for name, share in zip(about["classes"], facts.shares, strict=True)
    )
    lines = [
        ("Training rows", count(about["rows"], "row")),
        ("Test rows", count(facts.n_tests, "row") if facts.n_tests else "none"),
        (f"Classes of {escape(about['target'])}", classes),
        (f"{len(names)} columns", columns),
        ("Columns of the tree", "<!--tested-->"),
        ("Accuracy on training rows", "<!--training-->"),
    ]
    return f"{_pairs(lines)}<!--test-->"


def _on_test_rows(classes: Sequence[str], predicted: npt.NDArray[Any] | None, actual: npt.NDArray[Any] | None) -> str:
    """Return the accuracy and the numbers of test rows by class and prediction; nothing if there are no such rows."""
    if predicted is None or actual is None:
        return ""
    accuracy = _pairs([("Accuracy on test rows", _percent(float(np.mean(predicted == actual))))])
    return accuracy + _confusion(classes, predicted, actual)


def _confusion(classes: Sequence[str], predicted: npt.NDArray[Any], actual: npt.NDArray[Any]) -> str:
    """Return the numbers of test rows by class and prediction; of many classes, only how often each is right."""
    if len(classes) > 8:  # wider than the page
        rows = [
            [name, str(int((actual == c).sum())), str(int(((actual == c) & (predicted == c)).sum()))]
            for c, name in enumerate(classes)
        ]
        return _table(["Class", "Test rows", "Predicted right"], rows)
    rows = [
        [name, *(str(int(((actual == c) & (predicted == other)).sum())) for other in range(len(classes)))]
        for c, name in enumerate(classes)
    ]
    return _table(["Test rows of class", *(f"predicted {name}" for name in classes)], rows)


def _proof(about: dict[str, Any]) -> str:
    if about["status"] == "heuristic":
        known = "RESPLIT found the trees up to this bound; others may be missing."
    elif about["status"] != "complete":
        known = f"The search was stopped early: all trees up to {about['searched_up_to']:.6f} are known."
    else:
        known = "All trees up to this bound are known; no tree is missing."
    lines = [
        (
            "Objective of this tree",
            f"<!--objective--> = loss <!--loss--> + {about['regularization']:.6g} x <!--leaves-->",
        ),
        ("Best objective", f"{about['best']:.6f}. <!--worse-->"),
        (
            "Optimality gap of the best",
            "0: no tree has a lower objective" if about["gap"] == 0 else _percent(about["gap"]),
        ),
        ("Bound of good trees", f"{about['bound']:.6f}. {known}"),
        (
            "Proven over",
            f"trees {_depth(about['max_depth'])} and at least {count(about['min_rows'], 'row')} in each leaf, "
            f"whose splits are among {count(len(about['conditions']), 'condition')} on the columns",
        ),
    ]
    return _pairs(lines)


def _alternatives(facts: SetFacts) -> str:
    best = float(facts.about["best"])
    sizes = _table(["Leaves", *_OF_ALTERNATIVES], [row_of(one, best) for one in facts.sizes], all_numbers=True)
    n_trees, n_set = int(facts.about["n_trees"]), int(facts.about["n_set"])
    if n_trees < n_set:
        counted = f"The best {n_trees:,} of {n_set:,} good trees were"
    else:
        counted = "Every good tree was" if facts.about["status"] == "complete" else "The good trees that are known were"
    text = f"<p>{counted} counted.</p>"
    return f'{text}<div class="sides">{sizes}<!--without--></div>'


def without_of(rows: Iterable[Sequence[str]]) -> str:
    """Return the table of the best trees without some columns."""
    return _table(["Without", *_OF_ALTERNATIVES], rows)


def _settings(facts: SetFacts) -> str:
    about = facts.about
    lines = [
        ("Objective", f"{escape(about['objective'])}, plus a leaf penalty of {about['regularization']:.6g}"),
        ("Chosen by hand", "<!--choices-->"),
        ("Code", f"<code>{escape(facts.settings)}</code>"),
    ]
    return _pairs(lines)


def row_of(one: Alternative, best: float) -> list[str]:
    """Return an alternative as the cells of a table."""
    if one.objective is None:
        return [one.name, "0", "", "none is good"]
    return [
        one.name,
        f"{one.n_trees:,}",
        f"{one.objective:.6f}",
        "best" if one.objective <= best else above(one.objective, best),
    ]


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _pairs(lines: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and facts, which are HTML already."""
    return "<table>" + "".join(f"<tr><th>{name}</th><td>{fact}</td></tr>" for name, fact in lines) + "</table>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, all_numbers: bool = False) -> str:
    """Return a table whose cells are text; all columns but the first are numbers, or all."""
    body = "".join(table_row(row, all_numbers=all_numbers) for row in rows)
    return f"<table>{table_row(heads, 'th', all_numbers=all_numbers)}{body}</table>"


def table_row(cells: Sequence[str], tag: str = "td", *, all_numbers: bool = False) -> str:
    """Return a row of a table whose cells are text, see `_table`."""
    kinds = ["n" if number or all_numbers else "" for number in range(len(cells))]
    inner = "".join(f'<{tag} class="{kind}">{escape(cell)}</{tag}>' for kind, cell in zip(kinds, cells, strict=True))
    return f"<tr>{inner}</tr>"


def _depth(depth: int | None) -> str:
    return "of any depth" if depth is None else f"of depth at most {depth}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def above(objective: float, best: float) -> str:
    """Return how much worse an objective is than the best one."""
    return f"+{100 * (objective - best) / best:.2f} %" if best else f"+{objective - best:.6f}"
