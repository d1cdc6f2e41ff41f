"""Ctrl-C: a fit of one's own gives its best tree; the fit of a clone also ends the loop that it is in."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from functools import partial

import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from hard_problems import NUMBERS, X, Y
from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    NotProvenWarning,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    Tree,
    model_class_reliance,
    rashomon_importance,
)
from hornbeam._budget import Limits
from hornbeam.rashomon.problem import RashomonProblem
from interrupts import ctrl_c_when_called, one_ctrl_c

LIMIT = {"time_limit": 60.0}  # of a test that fails
BITS = {"regularization": 1e-4, "binarizer": None, **LIMIT}

NOBODY_PROVES = {
    "GOSDT": (GOSDTClassifier(**BITS), X),
    "GOSDT, two threads": (GOSDTClassifier(n_jobs=2, **BITS), X),
    "GOSDT, by order": (GOSDTClassifier(0.0, max_depth=12, **LIMIT), NUMBERS),
    "GOSDT, F-score": (GOSDTClassifier(objective="f1", **BITS), X),
    "GOSDT, F-score, labels by omega": (GOSDTClassifier(objective="f1", labelling="omega", **BITS), X),
    "GOSDT, AUC": (GOSDTClassifier(objective="auc", **BITS), X),
    "OSDT": (OSDTClassifier(**BITS), X),
    "SPLIT": (SPLITClassifier(lookahead_depth=5, max_depth=30, **BITS), X),
    "MAPTree": (MAPTreeClassifier(binarizer=None, **LIMIT), X),
    "Rashomon set": (RashomonSetClassifier(max_depth=None, **BITS), X),
}
hard = pytest.mark.parametrize(("estimator", "table"), NOBODY_PROVES.values(), ids=NOBODY_PROVES)


@hard
def test_a_fit_of_ones_own_returns_with_its_best_tree(estimator, table):
    own = type(estimator)(**estimator.get_params())
    with ctrl_c_when_called() as called, pytest.warns(NotProvenWarning, match="status 'interrupted'"):
        assert own.set_params(callback=called).fit(table, Y) is own
    assert own.status_ == "interrupted"
    assert own.predict(table).shape == Y.shape
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@hard
def test_one_ctrl_c_ends_a_cross_validation(estimator, table):
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        cross_val_score(clone(estimator).set_params(callback=called), table, Y, cv=3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_clone_that_was_interrupted_has_its_best_tree():
    made = clone(GOSDTClassifier(**BITS))
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt, match="clone"):
        made.set_params(callback=called).fit(X, Y)
    assert made.status_ == "interrupted"
    assert 0 < made.lower_bound_ < made.objective_
    assert made.predict(X).shape == Y.shape


@pytest.mark.parametrize(
    "loop",
    [
        partial(GridSearchCV, param_grid={"regularization": [1e-4, 2e-4]}, cv=3),
        partial(CalibratedClassifierCV, cv=3),
    ],
)
def test_one_ctrl_c_ends_whatever_fits_clones(loop):
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        loop(GOSDTClassifier(callback=called, **BITS)).fit(X, Y)


def test_one_ctrl_c_ends_a_cross_validation_of_a_pipeline():
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        cross_val_score(make_pipeline(FunctionTransformer(), GOSDTClassifier(callback=called, **BITS)), X, Y, cv=3)


def test_a_pipeline_of_ones_own_returns_with_the_best_tree():
    with ctrl_c_when_called() as called, pytest.warns(NotProvenWarning, match="'interrupted'"):
        pipeline = make_pipeline(FunctionTransformer(), GOSDTClassifier(callback=called, **BITS)).fit(X, Y)
    assert pipeline[-1].status_ == "interrupted"


def test_one_ctrl_c_while_the_tree_of_split_is_certified_ends_a_cross_validation():
    ctrl_c_at_certifying = partial(when, lambda progress: progress.elapsed > certify_after)
    estimator = LicketySPLITClassifier(max_depth=8, certify=True, **BITS)
    plain = clone(estimator).set_params(certify=False).fit(X, Y)
    certify_after = 2 * plain.statistics_["seconds"] + 0.1
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        cross_val_score(estimator.set_params(callback=ctrl_c_at_certifying(called)), X, Y, cv=3)


def when(holds, called):
    return lambda progress: called(progress) if holds(progress) else None


def test_one_ctrl_c_while_the_set_of_trees_is_listed_ends_a_cross_validation():
    estimator = RashomonSetClassifier(3.0, binarizer=None, max_depth=None, **LIMIT)
    when_listed = partial(when, lambda progress: progress.gap == 0)
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        cross_val_score(estimator.set_params(callback=when_listed(called)), X, X[:, 0], cv=3)


def test_a_callback_that_stops_the_search_does_not_end_a_cross_validation():
    estimator = GOSDTClassifier(callback=lambda _: True, **BITS)
    with pytest.warns(NotProvenWarning, match="'interrupted'"):
        assert len(cross_val_score(estimator, X, Y, cv=3)) == 3


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda it: pickle.loads(pickle.dumps(it))])
def test_a_clone_on_its_way_to_a_worker_stays_one_and_a_fitted_one_that_is_copied_does_not(copied):
    assert is_ended(copied(clone(GOSDTClassifier(**BITS))))
    assert not is_ended(copied(clone(GOSDTClassifier(binarizer=None)).fit(X[:, :1], X[:, 0])).set_params(**BITS))
    assert not is_ended(copied(GOSDTClassifier(**BITS)))


def is_ended(estimator):
    """Return whether a Ctrl-C in its fit is raised again."""
    with one_ctrl_c() as called, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        try:
            estimator.set_params(callback=called).fit(X, Y)
        except KeyboardInterrupt:
            return True
    return False


def test_a_clone_has_the_parameters_and_nothing_else_to_be_seen():
    estimator = GOSDTClassifier(0.02, max_depth=3)
    assert clone(estimator).get_params() == estimator.get_params()
    assert repr(clone(estimator)) == repr(estimator)


def test_a_tree_of_a_set_is_ones_own_classifier():
    trees = RashomonSetClassifier(binarizer=None).fit(X[:, :3], X[:, 0])
    assert not is_ended(trees.classifier(0).set_params(max_depth=None, **BITS))


def test_more_ctrl_c_while_the_result_is_made_do_not_lose_it(monkeypatch):
    make = Tree.from_search

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        return make(*arguments)

    monkeypatch.setattr(Tree, "from_search", interrupted)
    with ctrl_c_when_called() as called, pytest.warns(NotProvenWarning, match="'interrupted'"):
        assert GOSDTClassifier(callback=called, **BITS).fit(X, Y).status_ == "interrupted"


def test_ctrl_c_gets_out_of_a_callback_that_waits():
    def wait(_):
        signal.raise_signal(signal.SIGINT)
        time.sleep(1e-9)
        pytest.fail("the callback went on")

    with pytest.warns(NotProvenWarning, match="'interrupted'"):
        assert GOSDTClassifier(callback=wait, **BITS).fit(X, Y).status_ == "interrupted"


def test_ctrl_c_ends_rashomon_importance():
    with one_ctrl_c() as called, pytest.raises(KeyboardInterrupt):
        rashomon_importance(RashomonSetClassifier(max_depth=None, callback=called, **BITS), X, Y)


def test_ctrl_c_while_an_unpickled_set_is_found_again_is_raised(monkeypatch):
    found = RashomonSetClassifier(1.0, max_depth=None, binarizer=None).fit(X[:, :25], X[:, 0]).rashomon_set_
    trees, find = pickle.loads(pickle.dumps(found)), RashomonProblem.find
    with one_ctrl_c() as called:
        # A bound so much larger that the search takes longer than the signal.
        limits = Limits(seconds=60.0, bytes=None)
        monkeypatch.setattr(RashomonProblem, "find", lambda self, bound: find(self, 3 * bound, limits, called))
        with pytest.raises(KeyboardInterrupt):
            model_class_reliance(trees)
    monkeypatch.undo()
    assert model_class_reliance(trees).n_trees == found.n_trees


IN_WORKERS = """
import os, sys
from pathlib import Path
import numpy as np
from sklearn.model_selection import cross_val_score
from hornbeam import GOSDTClassifier

random = np.random.default_rng(0)
X, y = random.integers(0, 2, (400, 40)), random.integers(0, 2, 400)
directory = sys.argv[1]
tell = lambda _: Path(directory, str(os.getpid())).touch()
estimator = GOSDTClassifier(1e-4, binarizer=None, time_limit=30, callback=tell)
print(cross_val_score(estimator, X, y, cv=6, n_jobs=2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of another process is sent otherwise")
@pytest.mark.parametrize("to", ["all", "one worker"])
def test_one_ctrl_c_ends_a_cross_validation_in_workers(tmp_path, to):
    with subprocess.Popen(
        [sys.executable, "-c", IN_WORKERS, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        while not (workers := list(tmp_path.iterdir())) and running.poll() is None:
            time.sleep(0.05)
        if to == "all":
            os.killpg(running.pid, signal.SIGINT)
        else:
            os.kill(int(workers[0].name), signal.SIGINT)
        out, err = running.communicate()
    assert out == ""
    assert "KeyboardInterrupt" in err


IN_THREADS = """
import signal, threading
import joblib
import numpy as np
from sklearn.model_selection import cross_val_score
from hornbeam import GOSDTClassifier

random = np.random.default_rng(0)
X, y = random.integers(0, 2, (400, 40)), random.integers(0, 2, 400)
begun = threading.Event()
threading.Thread(target=lambda: (begun.wait(), signal.raise_signal(signal.SIGINT))).start()
estimator = GOSDTClassifier(1e-4, binarizer=None, time_limit=30, callback=lambda _: begun.set())
try:
    with joblib.parallel_backend("threading"):
        cross_val_score(estimator, X, y, cv=6, n_jobs=2)
except KeyboardInterrupt:
    print("ended")
"""


def test_one_ctrl_c_ends_a_cross_validation_in_threads_and_the_process_ends_well():
    done = subprocess.run([sys.executable, "-c", IN_THREADS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
