"""Checkpoints of `GOSDTClassifier`, its frontiers, and `MAPTreeClassifier`."""

from __future__ import annotations

import warnings
from functools import partial

import pytest
from sklearn.datasets import make_classification

from hornbeam import GOSDTClassifier, MAPTreeClassifier, NotProvenWarning

X, y = make_classification(150, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0)
MAKE = [partial(GOSDTClassifier, 0.02), MAPTreeClassifier]


def test_the_same_call_goes_on_where_the_callback_ended_it(tmp_path):
    # The ordered search, in tests/core, saves nothing before its rows are sorted.
    parameters = {"binarizer": "quantile"}
    path = tmp_path / "run.hbt"
    alone = GOSDTClassifier(0.02, **parameters).fit(X, y)
    model = GOSDTClassifier(0.02, checkpoint=path, callback=lambda at: True, **parameters)
    with pytest.warns(NotProvenWarning):
        model.fit(X, y)
    assert path.exists()
    again = GOSDTClassifier(0.02, checkpoint=str(path), **parameters).fit(X, y)
    assert (again.status_, again.objective_) == ("optimal", alone.objective_)
    assert again.statistics_["seconds_before"] > 0


def test_a_file_of_other_labels_is_refused_by_name(tmp_path):
    model = GOSDTClassifier(0.02, max_depth=2, checkpoint=tmp_path / "run.hbt").fit(X, y)
    with pytest.raises(ValueError, match="differs in: the labels or weights"):
        model.fit(X, 1 - y)
    with pytest.raises(ValueError, match=r"differs in: the leaf penalty \(regularization\)\."):
        model.set_params(regularization=0.03).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"checkpoint": 3}, TypeError, "checkpoint must be the path"),
        ({"checkpoint": ""}, ValueError, "checkpoint must be the path"),
        ({"checkpoint": "run.hbt", "objective": "f1"}, ValueError, "checkpoint needs an objective that is a sum"),
        ({"checkpoint": "run.hbt", "checkpoint_interval": -1}, ValueError, "checkpoint_interval"),
    ],
)
def test_wrong_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        GOSDTClassifier(0.02, **parameters).fit(X, y)


@pytest.mark.parametrize("make", MAKE)
def test_a_full_disk_is_a_warning(make, full_disk, tmp_path):
    model = make(max_depth=2, binarizer="quantile", checkpoint=tmp_path / "run.hbt", checkpoint_interval=0)
    with pytest.warns(RuntimeWarning, match="could not be written: File too large.*goes on") as warned, full_disk():
        model.fit(X, y)
    assert len(warned) == 1
    assert model.status_ == "optimal"
    assert model.statistics_["checkpoint_failures"] >= 1


def test_a_full_disk_comes_after_the_result_where_warnings_are_errors(full_disk, tmp_path):
    model = GOSDTClassifier(0.02, max_depth=2, checkpoint=tmp_path / "run.hbt", checkpoint_interval=0)
    with warnings.catch_warnings(), full_disk():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="could not be written"):
            model.fit(X, y)
    assert model.status_ == "optimal"


@pytest.mark.parametrize("make", MAKE)
def test_the_line_says_what_the_search_goes_on_from(make, tmp_path, capsys):
    parameters = {"max_depth": 2, "binarizer": "quantile", "checkpoint": tmp_path / "run.hbt", "verbose": 1}
    make(**parameters).fit(X, y)
    assert "Resumed" not in capsys.readouterr().err
    again = make(**parameters, trace=True).fit(X, y)
    bound = again.trace_[-1].lower_bound
    assert f"Resumed from '{tmp_path / 'run.hbt'}': bound {bound:.5f}, after " in capsys.readouterr().err
    assert again.status_ == "optimal"


def test_a_stopped_map_tree_goes_on(tmp_path):
    path = tmp_path / "run.hbt"
    parameters = {"binarizer": "quantile", "max_depth": 3}
    alone = MAPTreeClassifier(**parameters).fit(X, y)
    with pytest.warns(NotProvenWarning):
        stopped = MAPTreeClassifier(checkpoint=path, max_expansions=20, **parameters).fit(X, y)
    with pytest.warns(NotProvenWarning):
        at_once = MAPTreeClassifier(checkpoint=path, max_expansions=1, **parameters).fit(X, y)
    assert at_once.upper_bound_ <= stopped.upper_bound_
    assert at_once.log_posterior_ >= stopped.log_posterior_
    again = MAPTreeClassifier(checkpoint=str(path), **parameters).fit(X, y)
    assert (again.status_, again.log_posterior_) == ("optimal", alone.log_posterior_)
    with pytest.raises(ValueError, match=r"differs in: the prior"):
        MAPTreeClassifier(0.9, checkpoint=str(path), **parameters).fit(X, y)


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
@pytest.mark.parametrize("limit", ["time_limit", "memory_limit"])
def test_a_fit_without_room_for_its_columns_leaves_the_file_alone(make, binarizer, limit, tmp_path):
    path = tmp_path / "run.hbt"
    parameters = {"max_depth": 2, "binarizer": binarizer, "checkpoint": path}
    with pytest.warns(NotProvenWarning):
        make(**parameters, **{limit: 0}).fit(X, y)
    assert not path.exists()
    proven = make(**parameters).fit(X, y)
    saved = path.read_bytes()
    with pytest.warns(NotProvenWarning):
        make(**parameters, **{limit: 0}).fit(X, y)
    assert path.read_bytes() == saved
    assert make(**parameters).fit(X, y).tree_ == proven.tree_


@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
@pytest.mark.parametrize("n_searches", [1, 3, 6])
def test_a_frontier_goes_on_where_it_ended(binarizer, n_searches, tmp_path):
    parameters = {"regularization": 0.02, "max_depth": 3, "binarizer": binarizer}
    alone = GOSDTClassifier(**parameters).frontier(X, y)
    folder = tmp_path / "run"
    model = GOSDTClassifier(
        **parameters, checkpoint=folder, callback=lambda at: len(list(folder.iterdir())) > n_searches
    )
    with pytest.warns(NotProvenWarning):
        model.frontier(X, y)
    n_files = len(list(folder.glob("*.hbt")))
    assert n_searches <= n_files
    again = GOSDTClassifier(**parameters, checkpoint=str(folder)).frontier(X, y)
    assert again.status == "optimal"
    assert again.losses.tolist() == alone.losses.tolist()
    assert [one.n_leaves for one in again.path] == [one.n_leaves for one in alone.path]
    once_more = GOSDTClassifier(**parameters, checkpoint=str(folder)).frontier(X, y)
    assert once_more.losses.tolist() == alone.losses.tolist()
    assert once_more.statistics["subproblems"] <= alone.statistics["subproblems"] // 2


def test_a_frontier_refuses_the_folder_of_another_problem(tmp_path):
    parameters = {"binarizer": "quantile", "max_leaves": 4, "checkpoint": tmp_path / "run"}
    GOSDTClassifier(0.02, **parameters).frontier(X, y)
    for change, named in (
        ({"max_leaves": 5}, "max_leaves"),
        ({"regularization": 0.03}, r"the leaf penalty \(regularization\)"),
        ({"min_samples_leaf": 3}, "min_samples_leaf"),
    ):
        with pytest.raises(ValueError, match=f"differs in: {named}"):
            GOSDTClassifier(**{"regularization": 0.02, **parameters, **change}).frontier(X, y)
    with pytest.raises(ValueError, match="differs in: the labels or weights"):
        GOSDTClassifier(0.02, **parameters).frontier(X, 1 - y)


def test_a_frontier_needs_a_folder(tmp_path):
    (tmp_path / "run").write_text("a letter")
    with pytest.raises(ValueError, match="is not a folder and cannot be made one: File exists"):
        GOSDTClassifier(0.02, checkpoint=tmp_path / "run").frontier(X, y)
    assert (tmp_path / "run").read_text() == "a letter"
