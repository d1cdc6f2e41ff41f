"""Text, rules, Graphviz and nested dicts: what people read, checked against what the tree does."""

import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne
from hornbeam.table import TableSchema
from hornbeam.tree import Tree
from python.tree_making import grow, rows_of, single_leaf, stump

seeds = st.integers(0, 10**6)
PLAIN = ("red", "green", "blue", "black")
NAMES = {'is "so"': "felony", "color [of] `it`": "color", "l'été\n{1}": "town"}


def grow_with_plain_names(seed: int, missing: bool) -> tuple[Tree, pd.DataFrame]:
    """A tree whose rules a small reader can read, with or without missing values in training."""
    grown = grow(seed, words=PLAIN, columns=None)
    frame = grown.frame.rename(columns=NAMES)
    schema = TableSchema(tuple(frame.columns), grown.tree.columns.kinds, True)
    parts = dict(zip(Tree.__dataclass_fields__, grown.tree.__reduce__()[1], strict=True))
    return Tree(**{**parts, "columns": schema, "has_missing": (missing,) * 5}), frame


def fits(rule: str, row: dict) -> bool:
    """Decide whether the premise of a rule is true of a row, by reading its words alone."""
    premise = re.match(r"If (.*), predict ", rule)
    return premise is None or all(_is_true(part, row) for part in premise[1].split(" and "))


def _is_true(part: str, row: dict) -> bool:
    if found := re.fullmatch(r"\((.*) or missing\)", part):
        name = next(name for name in row if name in found[1])
        return row[name] is None or _is_true(found[1], row)
    if found := re.fullmatch(r"(\w+) is (not )?missing", part):
        return (row[found[1]] is None) != bool(found[2])
    if found := re.fullmatch(r"(\w+) (not )?in \{(.*)\}", part):
        value = row[found[1]]
        return value is not None and (value in found[3].split(", ")) != bool(found[2])
    low, name, sign, high = re.fullmatch(r"(?:(\S+) < )?(\w+) (<=|>|=) (\S+)", part).groups()
    value = row[name]
    if value is None or (low is not None and not float(low) < value):
        return False
    return {"<=": value <= float(high), ">": value > float(high), "=": value == float(high)}[sign]


@given(seeds)
@settings(max_examples=30)
def test_exactly_the_rule_of_its_leaf_is_true_of_each_row(seed):
    tree, frame = grow_with_plain_names(seed, missing=True)
    rules = tree.to_rules()
    leaves = np.flatnonzero(tree.left < 0).tolist()
    for row, leaf in zip(rows_of(frame), tree.apply(frame), strict=True):
        true = [fits(rule, dict(zip(frame.columns, row, strict=True))) for rule in rules]
        assert [leaf for leaf, holds in zip(leaves, true, strict=True) if holds] == [leaf]


@given(seeds)
@settings(max_examples=20)
def test_rules_do_not_speak_of_missing_values_where_training_had_none(seed):
    tree, _ = grow_with_plain_names(seed, missing=False)
    assert not any("or missing" in rule for rule in tree.to_rules())


@given(seeds)
@settings(max_examples=20)
def test_a_rule_names_no_number_or_category_column_twice(seed):
    tree, frame = grow_with_plain_names(seed, missing=True)
    for rule in tree.to_rules():
        assert all(len(re.findall(rf"\b{name}\b", rule)) <= 1 for name in frame.columns)


def chain_on_age(*conditions, answers, has_missing=(True,), kind="number") -> str:
    """Return the rule of the last leaf of a chain in which each question gets the given answer."""
    n = len(conditions)
    left, right = np.full(2 * n + 1, -1), np.full(2 * n + 1, -1)
    order, node = [], 0
    tested: list = [None] * (2 * n + 1)
    pending = []
    for condition, answer in zip(conditions, answers, strict=True):
        tested[node] = condition
        order.append(node)
        if answer:
            left[node] = node + 1
            pending.append(node)
            node += 1
        else:
            left[node], right[node] = node + 1, node + 2
            node += 2
    last = node
    for free, parent in enumerate(reversed(pending), start=node + 1):
        right[parent] = free
    n_samples = np.ones(2 * n + 1, dtype=int)
    for parent in reversed(order):
        n_samples[parent] = n_samples[left[parent]] + n_samples[right[parent]]
    tree = stump(
        left=left, right=right, conditions=tested, prediction=np.zeros(2 * n + 1), n_samples=n_samples,
        class_weights=np.column_stack([n_samples, 0 * n_samples]), has_missing=has_missing,
        columns=TableSchema(("age",), (kind,)),
    )  # fmt: skip
    rule = tree.to_rules()[np.flatnonzero(left < 0).tolist().index(last)]
    return rule.removeprefix("If ").removesuffix(", predict no (100 % of 1 training row).")


@pytest.mark.parametrize(
    ("conditions", "answers", "words"),
    [
        ([AtMost(0, 9.5)], [True], "age <= 9.5"),
        ([AtMost(0, 9.5)], [False], "(age > 9.5 or missing)"),
        ([AtMost(0, 9.5), AtMost(0, 3.5)], [True, False], "3.5 < age <= 9.5"),
        ([AtMost(0, 3.5), AtMost(0, 9.5), AtMost(0, 5.5)], [False, True, False], "5.5 < age <= 9.5"),
        ([AtMost(0, 9.5), AtMost(0, 20.5)], [False, False], "(age > 20.5 or missing)"),
        ([IsMissing(0)], [True], "age is missing"),
        ([IsMissing(0)], [False], "age is not missing"),
        ([IsMissing(0), AtMost(0, 9.5)], [False, False], "age > 9.5"),
        ([AtMost(0, 9.5), IsMissing(0)], [False, False], "age > 9.5"),
        ([AtMost(0, 9.5), IsMissing(0)], [False, True], "age is missing"),
        ([IsOne(0)], [True], "age = 1"),
        ([IsOne(0)], [False], "(age = 0 or missing)"),
    ],
)
def test_conditions_on_one_column_are_merged_into_one(conditions, answers, words):
    assert chain_on_age(*conditions, answers=answers) == words
    without = chain_on_age(*conditions, answers=answers, has_missing=(False,))
    assert without == re.sub(r"\((.*) or missing\)", r"\1", words)


@pytest.mark.parametrize(
    ("conditions", "answers", "words"),
    [
        ([IsIn(0, ("a", "b"))], [True], "age in {a, b}"),
        ([IsIn(0, ("a",)), IsIn(0, ("b",))], [False, False], "(age not in {a, b} or missing)"),
        ([IsIn(0, ("a", "b", "c")), IsIn(0, ("b",))], [True, False], "age in {a, c}"),
        ([IsIn(0, ("a", "b", "c")), IsIn(0, ("b", "c", "d"))], [True, True], "age in {b, c}"),
        ([IsMissing(0), IsIn(0, ("b",))], [False, False], "age not in {b}"),
    ],
)
def test_sets_of_categories_on_one_column_are_merged_into_one(conditions, answers, words):
    assert chain_on_age(*conditions, answers=answers, kind="category") == words


def test_rules_are_english_sentences():
    assert stump().to_rules() == [
        "If age <= 25.5, predict no (80 % of 5 training rows).",
        "If age > 25.5, predict yes (80 % of 5 training rows).",
    ]
    assert single_leaf().to_rules() == ["Always predict no (75 % of 7 training rows)."]


def test_shares_are_rounded_but_never_to_none_or_all():
    weights = [[1998.0, 2.0], [999.0, 1.0], [999.0, 1.0]]
    tree = stump(class_weights=weights, n_samples=[2000, 1000, 1000])
    assert "predict no (>99 % of 1,000 rows)" in str(tree)
    assert "predict yes (<1 % of 1,000 rows)" in str(tree)
    assert "100 % of 1,000 rows" in str(
        stump(class_weights=[[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]], n_samples=[2000, 1000, 1000])
    )


def test_unequal_weights_are_called_by_name():
    tree = stump(class_weights=[[5.0, 5.0], [4.0, 3.0], [1.0, 2.0]])
    assert "predict no (57 % of the weight of 5 rows)" in str(tree)
    doubled = stump(class_weights=[[10.0, 10.0], [8.0, 2.0], [2.0, 8.0]])
    assert str(doubled) == str(stump())


def test_text_draws_one_line_per_node_that_can_be_read_aloud():
    tree = stump(
        left=[1, 2, -1, -1, -1], right=[4, 3, -1, -1, -1],
        conditions=(AtMost(0, 2.5), IsOne(1), None, None, None), prediction=[0, 1, 1, 0, 1],
        class_weights=[[7.0, 5.0], [5.0, 3.0], [1.0, 2.0], [4.0, 1.0], [2.0, 2.0]], n_samples=[12, 8, 3, 5, 4],
        columns=TableSchema(("age", "felony"), ("number", "number")), has_missing=(False, False),
    )  # fmt: skip
    assert tree.to_text() == (
        "age <= 2.5?\n"
        "├── yes: felony = 1?\n"
        "│   ├── yes: predict yes (67 % of 3 rows)\n"
        "│   └── no: predict no (80 % of 5 rows)\n"
        "└── no: predict yes (50 % of 4 rows)"
    )
    assert tree.to_text(ascii=True).isascii()
    assert len(tree.to_text(ascii=True)) == len(tree.to_text())
    assert str(tree) == tree.to_text()
    assert str(single_leaf()) == "predict no (75 % of 7 rows)"


@given(seeds)
@settings(max_examples=20)
def test_text_has_one_line_per_node_whatever_the_names(seed):
    tree = grow(seed).tree
    assert len(tree.to_text().splitlines()) == tree.n_nodes
    assert all(len(rule.splitlines()) == 1 for rule in tree.to_rules())


@given(seeds)
@settings(max_examples=20)
def test_nested_dicts_lead_each_row_to_its_leaf_and_are_plain_values(seed):
    grown = grow(seed)
    nested = grown.tree.to_dict()
    assert json.loads(json.dumps(nested)) == nested
    leaves = grown.tree.apply(grown.frame)
    for row, leaf in zip(rows_of(grown.frame), leaves, strict=True):
        node, values = nested, dict(zip(grown.frame.columns, row, strict=True))
        while "condition" in node:
            node = node["yes" if _holds(node["condition"], values) else "no"]
        assert node["prediction"] == grown.tree.classes[grown.tree.prediction[leaf]]
        assert node["n_samples"] == grown.tree.n_samples[leaf]
        assert node["class_weights"] == grown.tree.class_weights[leaf].tolist()


def _holds(condition: dict, values: dict) -> bool:
    value = values[condition["column"]]
    if condition["kind"] == "is_missing" or value is None:
        return condition["kind"] == "is_missing" and value is None
    match condition["kind"]:
        case "at_most":
            return value <= condition["threshold"]
        case "is_one":
            return value == 1
        case "is_in":
            return value in condition["values"]


def labels_in(dot: str) -> list[str]:
    """Read the labels as Graphviz does: quoted strings, backslash escapes, HTML entities."""
    labels = re.findall(r'^  \d+ \[label="((?:[^"\\]|\\.)*)"', dot, re.MULTILINE)
    unescaped = [re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), label) for label in labels]
    return [label.replace("&amp;", "&") for label in unescaped]


def test_dot_shows_nasty_names_and_labels_as_they_are():
    name = 'a "b" \\n {c} | <d> & &lt; é'
    tree = stump(columns=TableSchema((name,), ("number",)), classes=np.array(["\\N", '"]; x']))
    found = labels_in(tree.to_dot())
    assert found[0].replace("\n", " ") == f"{name} <= 25.5 10 rows"
    assert [label.split("\n")[0] for label in found[1:]] == ["\\N", '"]; x']


@given(seeds)
@settings(max_examples=20)
def test_dot_has_every_node_and_edge(seed):
    tree = grow(seed).tree
    dot = tree.to_dot()
    assert len(labels_in(dot)) == tree.n_nodes
    edges = {
        (int(a), int(b), answer) for a, b, answer in re.findall(r'^  (\d+) -> (\d+) \[label="(\w+)"\];$', dot, re.M)
    }
    inner = np.flatnonzero(tree.left >= 0)
    expected = {(node, tree.left[node], "yes") for node in inner} | {(node, tree.right[node], "no") for node in inner}
    assert edges == expected


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_the_names_as_they_are():
    name = 'a "b" \\n {c} | & é'
    dot = stump(columns=TableSchema((name,), ("number",))).to_dot()
    svg = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), capture_output=True, check=True).stdout.decode()
    assert "a &quot;b&quot; \\n {c} | &amp; é &lt;= 25.5" in svg.replace("\xa0", " ").replace("&#160;", " ")
