"""All peers get the same columns, made once."""

import numpy as np
import pytest

from benchmarks import data


def test_constant_and_repeated_columns_are_left_out():
    X = np.array([[0, 1, 0, 1, 0], [1, 1, 1, 0, 0], [0, 1, 0, 0, 0]], dtype=np.uint8)
    assert data.distinct_columns(X).tolist() == [[0, 1], [1, 0], [0, 0]]


def test_midpoints_are_all_thresholds_and_all_categories():
    X = np.array([[1, "a"], [2, "b"], [4, "c"], [4, "a"]], dtype=object)
    # 1 <= 1.5, 1 <= 3, is a, is b, is c; that it is b and that the number is 2 are different columns.
    assert data.binarize(X, "midpoints").T.tolist() == [
        [1, 0, 0, 0],
        [1, 1, 0, 0],
        [1, 0, 0, 1],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
    ]


def test_quantiles_are_eight_of_the_thresholds():
    X = np.arange(90)[:, None]
    assert data.binarize(X, "quantiles8").sum(axis=0).tolist() == [10, 20, 30, 40, 50, 60, 70, 80]


def test_quantiles_are_those_of_the_rows_as_in_the_committed_results():
    X = np.concatenate([np.zeros(90), np.arange(1, 11)]).reshape(-1, 1)
    assert data.binarize(X, "quantiles8").sum(axis=0).tolist() == [90]


def test_raw_numbers_stay_as_they_are():
    raw = data.binarize(np.array([[1, 1], [3, 1]]), "raw")
    assert raw.dtype == np.float64
    assert raw.tolist() == [[1, 1], [3, 1]]


def test_columns_that_are_not_binary_are_refused_as_such():
    with pytest.raises(ValueError, match="needs columns of 0 and 1"):
        data.binarize(np.array([[0], [2]]), "binary")


def test_an_unknown_binarization_is_refused():
    with pytest.raises(ValueError, match="got 'deciles'"):
        data.binarize(np.array([[0], [2]]), "deciles")


def test_simulated_data_are_the_same_every_time_and_follow_their_tree_but_for_the_noise():
    X, y = data.simulate(20_000, 8)
    again, labels = data.simulate(20_000, 8)
    assert np.array_equal(X, again)
    assert np.array_equal(y, labels)
    chosen = X[np.arange(len(X)), 2 + 2 * X[:, 0] + X[:, 1]]
    assert np.mean(y != chosen) == pytest.approx(0.1, abs=0.01)


def test_what_was_prepared_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "CACHE", tmp_path / "cache")
    first = data.prepare("hornbeam_balance_scale", "midpoints")
    assert (first.rows, first.columns, first.classes, first.binary) == (625, 16, 3, True)
    with np.load(first.path) as archive:
        assert archive["X"].dtype == np.uint8
        assert archive["y"].dtype == np.int64
        assert np.bincount(archive["y"]).tolist() == [49, 288, 288]
    monkeypatch.setattr(data, "SHIPPED", {})
    assert data.prepare("hornbeam_balance_scale", "midpoints") == first


def test_the_folds_are_two_halves_of_five_draws_with_the_classes_in_proportion():
    X, y = np.arange(60)[:, np.newaxis], np.repeat([0, 1], [40, 20])
    seen = []
    for draw in range(5):
        first, second = (data.split(X, y, f"fold{2 * draw + half}") for half in (0, 1))
        for train, test, y_train, y_test in (first, second):
            assert sorted([*train[:, 0], *test[:, 0]]) == list(range(60))
            assert np.bincount(y_train).tolist() == np.bincount(y_test).tolist() == [20, 10]
            assert (y_train == y[train[:, 0]]).all()
            assert (np.diff(train[:, 0]) < 0).any()  # not in the order of the table
        assert set(first[0][:, 0]) == set(second[1][:, 0])
        seen.append(frozenset(first[0][:, 0]))
    assert len(set(seen)) == 5


def test_texts_and_numbers_are_read_from_a_file_of_the_shared_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(data, "SHARED", tmp_path)
    (tmp_path / "colors.csv").write_text("color,size,target\nred,1,yes\nblue,2,no\ngreen,2.5,yes\n")
    prepared = data.prepare("colors", "midpoints")
    with np.load(prepared.path) as archive:
        # size <= 1.5 is the color red, size <= 2.25 is not
        assert archive["X"].T.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0]]
        assert archive["y"].tolist() == [1, 0, 1]


def test_a_data_set_that_is_not_there_is_said_to_be_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "CACHE", tmp_path)
    with pytest.raises(
        FileNotFoundError, match=r"^data set nothing is skipped: there is no ../shared/data/nothing.csv$"
    ):
        data.prepare("nothing", "binary")
