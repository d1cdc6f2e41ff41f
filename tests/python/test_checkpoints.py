"""Checkpoints of `GOSDTClassifier`."""

from __future__ import annotations

import pytest
from sklearn.datasets import make_classification

from hornbeam import GOSDTClassifier, NotProvenWarning

X, y = make_classification(150, 5, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0)


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
        ({"checkpoint": "run.hbt", "objective": "f1"}, ValueError, "checkpoint needs an additive objective"),
        ({"checkpoint": "run.hbt", "checkpoint_interval": -1}, ValueError, "checkpoint_interval"),
    ],
)
def test_wrong_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        GOSDTClassifier(0.02, **parameters).fit(X, y)


def test_a_frontier_refuses_a_checkpoint():
    with pytest.raises(ValueError, match="checkpoint is for `fit`"):
        GOSDTClassifier(0.02, checkpoint="run.hbt").frontier(X, y)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_warning(tmp_path):
    with pytest.warns(RuntimeWarning, match="could not be written"):
        model = GOSDTClassifier(0.02, max_depth=2, checkpoint=tmp_path / "run.hbt").fit(X, y)
    assert model.status_ == "optimal"
