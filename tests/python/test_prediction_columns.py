"""Predictions for rows that lack the columns that a tree does not test."""

from __future__ import annotations

from hornbeam import GOSDTClassifier
from hornbeam.tree import prediction_columns
from streamed_tables import mixed_table


def test_columns_that_a_tree_does_not_test_take_no_memory() -> None:
    frame = mixed_table(200).drop("weight", "nothing")
    classifier = GOSDTClassifier(0.05, max_depth=1).fit(frame.drop("label"), frame["label"])
    tested = prediction_columns.tested_columns(classifier.tree_)
    assert len(tested) == 1
    table = prediction_columns.with_untested_columns(classifier.tree_, frame.select(tested))
    assert table.schema == classifier.tree_.columns
    for name, values in zip(table.names, table.values, strict=True):
        assert len(values) == 200
        assert (values.strides == (0,)) == (name not in tested)
    assert classifier.tree_.predict(table).tolist() == classifier.predict(frame.drop("label")).tolist()
