"""SQL and Python source, executed against the tree."""

import math
import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.conditions import AtMost, IsIn
from hornbeam.table import TableSchema
from python.tree_making import grow, rows_of, single_leaf, stump

seeds = st.integers(0, 10**6)
LABELS = [["no", "yes"], [0, -1], [0.5, 1e-07], ["it's", 'a "b"\nc\\'], ["'); DROP TABLE data; --", "%s"]]


def run_sql(expression: str, names, rows) -> list:
    """Evaluate the expression for each row in SQLite, NULL for missing values."""
    with sqlite3.connect(":memory:") as connection:
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        connection.execute(f"CREATE TABLE data ({columns})")
        connection.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(names))})", rows)
        return [value for (value,) in connection.execute(f"SELECT {expression} FROM data ORDER BY rowid")]


def python_function(source: str, name: str = "predict"):
    namespace = {"__builtins__": {"dict": dict}}
    exec(source, namespace)
    return namespace[name]


@given(seeds)
@settings(max_examples=30)
def test_sql_gives_the_predictions_of_the_tree_also_for_null(seed):
    grown = grow(seed)
    found = run_sql(grown.tree.to_sql(), grown.frame.columns, rows_of(grown.frame))
    assert found == grown.tree.predict(grown.frame).tolist()


@pytest.mark.parametrize("labels", LABELS)
def test_sql_quotes_labels_of_every_type(labels):
    tree = stump(classes=np.array(labels))
    assert run_sql(tree.to_sql(), ["age"], [(20,), (30,), (None,)]) == [labels[0], labels[1], labels[1]]
    tree = single_leaf(labels)
    assert run_sql(tree.to_sql(), ["age"], [(20,)]) == [labels[0]]


def test_sql_truth_values_are_named_except_for_sql_server():
    tree = stump(classes=np.array([False, True]))
    assert tree.to_sql() == 'CASE WHEN "age" <= 25.5\n  THEN FALSE\n  ELSE TRUE\nEND'
    assert tree.to_sql(quote="[") == "CASE WHEN [age] <= 25.5\n  THEN 0\n  ELSE 1\nEND"


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ('"', "CASE WHEN \"a\"\"]` b\" IN ('it''s', 'back\\slash')\n  THEN 'no'\n  ELSE 'yes'\nEND"),
        ("[", "CASE WHEN [a\"]]` b] IN (N'it''s', N'back\\slash')\n  THEN N'no'\n  ELSE N'yes'\nEND"),
        ("`", "CASE WHEN `a\"]`` b` IN ('it\\'s', 'back\\\\slash')\n  THEN 'no'\n  ELSE 'yes'\nEND"),
    ],
)
def test_sql_quotes_names_and_texts_as_the_dialect_does(quote, expected):
    condition = IsIn(0, ("it's", "back\\slash"))
    tree = stump(conditions=(condition, None, None), columns=TableSchema(('a"]` b',), ("category",)))
    assert tree.to_sql(quote=quote) == expected


def test_sql_refuses_an_unknown_quote_by_name():
    with pytest.raises(ValueError, match="quote must be one of"):
        stump().to_sql(quote="'")


@given(seeds)
@settings(max_examples=30)
def test_python_gives_the_predictions_of_the_tree_for_mappings_and_keywords(seed):
    grown = grow(seed)
    predict = python_function(grown.tree.to_python())
    expected = grown.tree.predict(grown.frame).tolist()
    as_none = [dict(zip(grown.frame.columns, row, strict=True)) for row in rows_of(grown.frame)]
    assert [predict(row) for row in as_none] == expected
    assert [predict(**row) for row in as_none] == expected
    assert [predict(row) for row in grown.frame.to_dict("records")] == expected


@pytest.mark.parametrize("labels", [*LABELS, [False, True]])
def test_python_writes_labels_of_every_type(labels):
    predict = python_function(stump(classes=np.array(labels)).to_python())
    found = [predict(age=20), predict({"age": 30}), predict(age=None), predict(age=math.nan)]
    assert found == [labels[0], labels[1], labels[1], labels[1]]
    assert type(found[0]) is type(labels[0])
    assert python_function(single_leaf(labels).to_python())() == labels[0]


def test_code_keeps_every_bit_of_a_threshold():
    threshold = 0.1 + 0.2
    tree = stump(conditions=(AtMost(0, threshold), None, None))
    above = math.nextafter(threshold, 1)
    predict = python_function(tree.to_python())
    assert [predict(age=threshold), predict(age=above)] == ["no", "yes"]
    assert run_sql(tree.to_sql(), ["age"], [(threshold,), (above,)]) == ["no", "yes"]


def test_python_function_takes_the_name_asked_for_and_needs_the_columns_it_asks():
    assess = python_function(stump().to_python(function_name="assess"), "assess")
    assert assess(age=1) == "no"
    with pytest.raises(KeyError, match="age"):
        assess(size=1)
    for name in ("no name", "class", "", "f(): pass\ndef g"):
        with pytest.raises(ValueError, match="function_name must be a name"):
            stump().to_python(function_name=name)


@pytest.mark.parametrize(("n_levels", "is_possible"), [(98, True), (99, False)])
def test_python_refuses_exactly_the_trees_that_python_cannot_read(n_levels, is_possible):
    # All "yes" children in a row: each one is indented deeper.
    inner, nodes = list(range(n_levels)), 2 * n_levels + 1
    tree = stump(
        left=[node + 1 for node in inner] + [-1] * (n_levels + 1),
        right=[nodes - 1 - node for node in inner] + [-1] * (n_levels + 1),
        conditions=tuple(AtMost(0, 1000.5 - node) for node in inner) + (None,) * (n_levels + 1),
        prediction=[node % 2 for node in range(nodes)],
        class_weights=[[n_levels + 1 - node, 0] for node in inner] + [[1, 0]] * (n_levels + 1),
        n_samples=[n_levels + 1 - node for node in inner] + [1] * (n_levels + 1),
    )
    if is_possible:
        predict = python_function(tree.to_python())
        ages = np.arange(900.0, 1003.0)
        assert [predict(age=age) for age in ages] == tree.predict(ages[:, np.newaxis]).tolist()
    else:
        with pytest.raises(ValueError, match="100 levels of indentation"):
            tree.to_python()
