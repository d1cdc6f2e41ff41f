"""The report on a chosen tree for an auditor: data, settings, the alternatives that were considered, and the proof."""

from __future__ import annotations

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


class Facts(NamedTuple):
    """What the report says of the data, the search and the chosen tree.

    Attributes
    ----------
    about : dict
        The engine's answer "about".
    settings : str
        The classifier as code.
    tree : Tree
    objective : float
        Of the tree.
    choices : sequence of str
        What the user fixed: filters and nodes.
    sizes, without : sequence of Alternative
        The best trees of each number of leaves, and without each column of the tree.
    predicted, actual : ndarrays of int, or None
        Numbers of classes of the test rows.
    """

    about: dict[str, Any]
    settings: str
    tree: Tree
    objective: float
    choices: Sequence[str]
    sizes: Sequence[Alternative]
    without: Sequence[Alternative]
    predicted: npt.NDArray[Any] | None
    actual: npt.NDArray[Any] | None


def report_of(facts: Facts) -> str:
    """Return the report as one HTML file without scripts, which prints on one or two pages."""
    about = facts.about
    parts = [
        _section("The tree", _tree(facts)),
        _section("Data", _data(facts)),
        _section("Proof", _proof(facts)),
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
    <p>Report on a decision tree for {escape(about["target"])}, chosen from {count(int(about["n_trees"]), "good tree")}
    that hornbeam found.</p>
    {"".join(parts)}
  </body>
</html>
"""


def _tree(facts: Facts) -> str:
    rules = "".join(f"<li>{escape(rule)}</li>" for rule in facts.tree.to_rules())
    return f"{trees_html([(facts.tree, '')])}<ul>{rules}</ul>"


def _data(facts: Facts) -> str:
    about, tree = facts.about, facts.tree
    names = [escape(str(column["name"])) for column in about["columns"]]
    columns = ", ".join(names[:_MOST_COLUMNS]) + (
        f" and {len(names) - _MOST_COLUMNS} more" * (len(names) > _MOST_COLUMNS)
    )
    shares = tree.class_weights[0] / tree.class_weights[0].sum()
    classes = ", ".join(
        f"{escape(name)} ({_percent(share)})" for name, share in zip(about["classes"], shares, strict=True)
    )
    n_tests = "none" if facts.actual is None else count(len(facts.actual), "row")
    leaves = np.flatnonzero(tree.left < 0)
    right = tree.class_weights[leaves, tree.prediction[leaves]].sum() / tree.class_weights[0].sum()
    lines = [
        ("Training rows", count(about["rows"], "row")),
        ("Test rows", n_tests),
        (f"Classes of {escape(about['target'])}", classes),
        (f"{len(names)} columns", columns),
        ("Columns of the tree", ", ".join(names[column] for column in columns_of(tree)) or "none"),
        ("Accuracy on training rows", _percent(right)),
    ]
    if facts.predicted is None or facts.actual is None:
        return _pairs(lines)
    lines.append(("Accuracy on test rows", _percent(float(np.mean(facts.predicted == facts.actual)))))
    return _pairs(lines) + _confusion(about["classes"], facts.predicted, facts.actual)


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


def _proof(facts: Facts) -> str:
    about, objective = facts.about, facts.objective
    best = float(about["best"])
    worse = "This tree has it." if objective <= best else f"This tree is {_above(objective, best)} above it."
    if about["status"] != "complete":
        known = f"The search was stopped early: all trees up to {about['searched_up_to']:.6f} are known."
    else:
        known = "All trees up to this bound are known; no tree is missing."
    lines = [
        (
            "Objective of this tree",
            f"{objective:.6f} = loss {objective - about['regularization'] * facts.tree.n_leaves:.6f} "
            f"+ {about['regularization']:.6g} x {count(facts.tree.n_leaves, 'leaf', 'leaves')}",
        ),
        ("Best objective", f"{best:.6f}. {worse}"),
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


def _alternatives(facts: Facts) -> str:
    best = float(facts.about["best"])
    sizes = _table(["Leaves", "Good trees", "Best objective", ""], [_row(one, best) for one in facts.sizes], numbers=3)
    without = _table(["Without", "Good trees", "Best objective", ""], [_row(one, best) for one in facts.without])
    is_complete = facts.about["status"] == "complete"
    text = f"<p>{'Every good tree was' if is_complete else 'The good trees that are known were'} counted.</p>"
    return f'{text}<div class="sides">{sizes}{without if facts.without else ""}</div>'


def _settings(facts: Facts) -> str:
    about = facts.about
    choices = "; ".join(map(escape, facts.choices)) or "none: the best tree of the set"
    lines = [
        ("Objective", f"{escape(about['objective'])}, plus a leaf penalty of {about['regularization']:.6g}"),
        ("Chosen by hand", choices),
        ("Code", f"<code>{escape(facts.settings)}</code>"),
    ]
    return _pairs(lines)


def _row(one: Alternative, best: float) -> list[str]:
    if one.objective is None:
        return [one.name, "0", "", "none is good"]
    return [
        one.name,
        f"{one.n_trees:,}",
        f"{one.objective:.6f}",
        "best" if one.objective <= best else _above(one.objective, best),
    ]


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>"


def _pairs(lines: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and facts, which are HTML already."""
    return "<table>" + "".join(f"<tr><th>{name}</th><td>{fact}</td></tr>" for name, fact in lines) + "</table>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int | None = None) -> str:
    """Return a table whose cells are text; all columns but the first are numbers."""
    kinds = ["n" if number or numbers else "" for number in range(len(heads))]
    head = "".join(f'<th class="{kind}">{escape(text)}</th>' for kind, text in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{escape(cell)}</td>' for kind, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def _depth(depth: int | None) -> str:
    return "of any depth" if depth is None else f"of depth at most {depth}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _above(objective: float, best: float) -> str:
    return f"+{100 * (objective - best) / best:.2f} %" if best else f"+{objective - best:.6f}"
