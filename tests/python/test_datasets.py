"""Data made from rules has the published counts, and equals the published files where they are at hand."""

import csv
import hashlib
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hornbeam.datasets import (
    Dataset,
    load_balance_scale,
    load_monk,
    load_tic_tac_toe,
    make_parity,
    make_parity_majority,
    make_random_trees,
    make_tribes_majority,
)

FILES = Path(__file__).resolve().parents[3] / "shared" / "data"
LOADERS = [load_tic_tac_toe, load_monk, load_balance_scale]


def lines_of(name):
    """Return the rows of a published file; skip the test where it is not there."""
    path = FILES / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    with open(path, newline="") as file:
        return [tuple(line) for line in csv.reader(file)][1:]


@pytest.mark.parametrize(
    ("dataset", "shape", "counts"),
    [
        (load_tic_tac_toe(), (958, 9), {"positive": 626, "negative": 332}),
        (load_monk(1), (432, 6), {0: 216, 1: 216}),
        (load_monk(2), (432, 6), {0: 290, 1: 142}),
        (load_monk(3), (432, 6), {0: 204, 1: 228}),
        (load_balance_scale(), (625, 4), {"L": 288, "B": 49, "R": 288}),
    ],
    ids=["tic-tac-toe", "monk1", "monk2", "monk3", "balance scale"],
)
def test_dataset_has_the_published_counts_and_no_row_twice(dataset, shape, counts):
    assert dataset.data.shape == shape
    assert Counter(dataset.target.tolist()) == counts
    assert len(set(map(tuple, dataset.data.tolist()))) == shape[0]
    assert len(dataset.feature_names) == shape[1]


def test_tic_tac_toe_is_the_published_file():
    dataset = load_tic_tac_toe()
    assert sorted((*row, y) for row, y in zip(dataset.data, dataset.target, strict=True)) == sorted(
        lines_of("tic-tac-toe")
    )


def test_balance_scale_is_the_published_file_in_its_order():
    dataset = load_balance_scale()
    assert [(*map(str, row), y) for row, y in zip(dataset.data, dataset.target, strict=True)] == lines_of(
        "balance-scale"
    )


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monk_is_the_published_test_file(problem):
    dataset = load_monk(problem)
    codes = [list(dict.fromkeys(column)) for column in dataset.data.T]
    coded = [[str(code.index(value) + 1) for code, value in zip(codes, row, strict=True)] for row in dataset.data]
    published = sorted(lines_of(f"monk{problem}_test"))
    assert sorted((*row, str(y)) for row, y in zip(coded, dataset.target, strict=True)) == published


def test_monk_refuses_a_fourth_problem():
    with pytest.raises(ValueError, match="problem must be 1, 2 or 3, got 4"):
        load_monk(4)


@pytest.mark.parametrize("load", LOADERS)
def test_load_returns_what_scikit_learn_would(load):
    dataset = load()
    assert isinstance(dataset, Dataset)
    X, y = load(return_X_y=True)
    assert (dataset.data == X).all()
    assert (y == dataset.target).all()
    framed = load(as_frame=True)
    assert isinstance(framed.data, pd.DataFrame)
    assert tuple(framed.data.columns) == dataset.feature_names
    assert framed.target.name == dataset.target_name
    assert framed.data.to_numpy().tolist() == dataset.data.tolist()
    frame, series = load(return_X_y=True, as_frame=True)
    assert frame.equals(framed.data)
    assert series.equals(framed.target)


def test_framed_numbers_are_numbers():
    assert all(np.issubdtype(kind, np.integer) for kind in load_balance_scale(as_frame=True).data.dtypes)


def test_random_trees_are_those_of_the_authors_program():
    problems = make_random_trees()
    parts = [[np.c_[p.X_train, p.y_train], np.c_[p.X_test, p.y_test]] for p in problems]
    digest = hashlib.sha256(np.array(parts, dtype=np.uint8).tobytes()).hexdigest()
    assert digest == "0e53b93506a65f5e6ab975ec7c060874948a19c52f9060af87b4e60c47bb34fb"


def test_random_trees_flip_only_training_labels_and_more_of_them_with_more_noise():
    clean, some, many = (make_random_trees(noise=noise) for noise in (0, 0.1, 0.25))
    flipped = {0.1: 0, 0.25: 0}
    for original, light, heavy in zip(clean, some, many, strict=True):
        assert (light.y_test == original.y_test).all()
        assert (heavy.X_train == original.X_train).all()
        assert (heavy.y_train != original.y_train)[light.y_train != original.y_train].all()
        flipped[0.1] += (light.y_train != original.y_train).sum()
        flipped[0.25] += (heavy.y_train != original.y_train).sum()
    assert flipped == pytest.approx({0.1: 2000, 0.25: 5000}, rel=0.05)


def test_a_random_tree_with_one_split_labels_by_one_feature():
    for problem in make_random_trees(10, n_splits=1, n_features=3, n_samples=50):
        X, y = np.r_[problem.X_train, problem.X_test], np.r_[problem.y_train, problem.y_test]
        assert sum(len(set(column ^ y)) == 1 for column in X.T) == 1


def test_parity_without_noise_is_the_exclusive_or_of_the_relevant_bits():
    X, y = make_parity(300, n_features=6, n_relevant=3, random_state=0)
    assert X.shape == (300, 6)
    assert (y == (X[:, 0] ^ X[:, 1] ^ X[:, 2])).all()
    assert 0 < y.sum() < 300


def test_parity_of_the_full_space_has_each_row_once_and_equal_classes():
    X, y = make_parity(None, n_features=5, n_relevant=5)
    assert [tuple(row) for row in X] == list(product((0, 1), repeat=5))
    assert y.sum() == 16


def test_parity_flips_the_stated_share_of_labels():
    X, y = make_parity(20000, n_relevant=2, noise=0.2, random_state=1)
    assert (y != (X[:, 0] ^ X[:, 1])).mean() == pytest.approx(0.2, abs=0.02)


def majority(bits):
    return int(2 * sum(bits) >= len(bits))


@pytest.mark.parametrize(("lookahead", "width"), [(1, 1), (3, 1), (4, 1), (6, 2), (7, 2), (12, 2), (18, 3)])
def test_tribes_is_the_class_without_noise_and_the_majority_with_noise_one(lookahead, width):
    assert (1 - 2**-width) ** (lookahead / width) <= 0.5 < (1 - 2 ** -(width + 1)) ** (lookahead / (width + 1))
    X, y = make_tribes_majority(500, lookahead=lookahead, n_majority=5, noise=0, random_state=2)
    groups = [range(start, start + width) for start in range(0, lookahead - width + 1, width)]
    assert y.tolist() == [int(any(all(row[i] for i in group) for group in groups)) for row in X]
    X, y = make_tribes_majority(500, lookahead=lookahead, n_majority=5, noise=1, random_state=2)
    assert y.tolist() == [majority(row[lookahead:]) for row in X]


@pytest.mark.parametrize("combine", ["xor", "and"])
@pytest.mark.parametrize(("depth", "lookahead"), [(2, 1), (4, 1), (5, 2), (6, 3)])
def test_parity_and_majority_give_the_class_without_noise_and_the_decoys_with_noise_one(depth, lookahead, combine):
    shape = {"depth": depth, "lookahead": lookahead, "combine": combine, "random_state": 3}
    X, y = make_parity_majority(500, noise=0, **shape)
    for row, label in zip(X, y, strict=True):
        parity, vote = sum(row[:lookahead]) % 2, majority(row[lookahead:depth])
        assert label == (parity ^ vote if combine == "xor" else parity & vote)
    X, y = make_parity_majority(500, noise=1, **shape)
    assert y.tolist() == [majority(row[depth:]) for row in X]


def test_copies_repeat_bits_of_the_parity_but_for_their_noise():
    X, _ = make_parity_majority(4000, depth=5, lookahead=2, n_copies=6, copy_noise=0.1, random_state=4)
    assert X.shape == (4000, 16)
    for copy in X[:, 10:].T:
        agreement = [(copy == X[:, j]).mean() for j in range(2)]
        assert max(agreement) == pytest.approx(0.9, abs=0.03)
        assert min(agreement) == pytest.approx(0.5, abs=0.05)


def test_only_the_decoys_are_correlated_with_the_class():
    X, y = make_parity_majority(100_000, depth=5, lookahead=2, noise=0.1, random_state=5)
    correlation = np.abs(np.corrcoef(X, y, rowvar=False)[-1, :-1])
    assert correlation[:5].max() < 0.015 < 0.03 < correlation[5:].min()


@pytest.mark.parametrize(
    "make",
    [make_parity, make_tribes_majority, make_parity_majority],
)
def test_the_same_seed_draws_the_same_sample_and_another_seed_another(make):
    (X, y), (X_again, y_again), (X_other, _) = (make(100, random_state=seed) for seed in (0, 0, 1))
    assert (X_again == X).all()
    assert (y == y_again).all()
    assert (X_other != X).any()
    assert set(np.unique(y)) == {0, 1}


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (make_parity, "n_samples", 0),
        (make_parity, "n_features", 0),
        (make_parity, "n_relevant", -1),
        (make_parity, "n_relevant", 11),
        (make_parity, "noise", 1.5),
        (make_tribes_majority, "n_samples", 0),
        (make_tribes_majority, "lookahead", 0),
        (make_tribes_majority, "n_majority", 0),
        (make_tribes_majority, "noise", -0.1),
        (make_parity_majority, "n_samples", 0),
        (make_parity_majority, "depth", 1),
        (make_parity_majority, "lookahead", 0),
        (make_parity_majority, "n_copies", -1),
        (make_parity_majority, "noise", float("nan")),
        (make_parity_majority, "copy_noise", 2),
        (make_parity_majority, "combine", "or"),
        (make_random_trees, "n_problems", 0),
        (make_random_trees, "n_splits", 0),
        (make_random_trees, "n_features", 14),
        (make_random_trees, "n_samples", 0),
        (make_random_trees, "noise", 1.1),
    ],
)
def test_an_impossible_argument_is_refused_by_name(make, name, value):
    with pytest.raises(ValueError, match=rf"{name} .*got {value!r}"):
        make(**{name: value})
