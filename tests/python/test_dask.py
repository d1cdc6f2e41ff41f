"""Fits on a Dask cluster of processes: the optimum of one core, whatever happens to workers, scheduler and user."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from hornbeam import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    NotProvenWarning,
    RashomonSetClassifier,
    SPLITClassifier,
    rashomon_importance,
)
from hornbeam.cluster import active_client, is_on_cluster, search
from hornbeam.cluster.ordered_graph import OrderedGraph
from hornbeam.cluster.worker import SharedProblem

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
DaskPool = pytest.importorskip("hornbeam.cluster.dask_pool").DaskPool

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def workers_are_forks():
    """Start workers as forks of a process that has imported hornbeam, which takes seconds."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        distributed.utils.get_mp_context().set_forkserver_preload(["hornbeam.cluster.dask_pool"])
        yield


@pytest.fixture(scope="module")
def client(workers_are_forks):
    yield from _client_of_two_workers()


@pytest.fixture
def client_of_its_own():
    """Two workers for a test that kills or stops one, which does not always come back for the tests after it."""
    yield from _client_of_two_workers()


def _client_of_two_workers():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def no_search_alone(monkeypatch):
    monkeypatch.setattr(search, "_SECONDS_ALONE", 0.0)


def table(seed: int, n_rows: int = 80, n_columns: int = 8):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns))
    y = (X[:, 0] & X[:, 1]) ^ (X[:, 2] | X[:, 3]) ^ (rng.random(n_rows) < 0.2)
    return X, y.astype(int)


def noise(n_rows: int, n_columns: int):
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (n_rows, n_columns)), rng.integers(0, 2, n_rows)


def numbers(n_rows: int):
    """Return columns of which each number is a threshold, for the ordered search."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 6))
    return X, np.where(rng.random(n_rows) < 0.5, (X[:, 0] < 0.5) ^ (X[:, 1] < 0.3), rng.integers(0, 2, n_rows))


HARD, OF_HARD = noise(300, 50), {"regularization": 0.002, "max_depth": 5}  # 2 s on one core
ENDLESS, OF_ENDLESS = noise(1000, 60), {"regularization": 0.001}
HARD_NUMBERS, OF_HARD_NUMBERS = numbers(400), {"regularization": 0.005, "max_depth": 4}  # 1 s
ENDLESS_NUMBERS, OF_ENDLESS_NUMBERS = numbers(3000), {"regularization": 0.001, "max_depth": 6}

both_hard = pytest.mark.parametrize("numbers", [False, True])


def fitted(X, y, **parameters):
    return GOSDTClassifier(**{"regularization": 0.02, "time_limit": 300, **parameters}).fit(X, y)


def fitted_on_cluster(X, y, **parameters):
    with joblib.parallel_config("dask"):
        return fitted(X, y, **parameters)


def result(model):
    return model.status_, model.objective_, model.lower_bound_


def hard(numbers: bool, **parameters):
    X, y = HARD_NUMBERS if numbers else HARD
    return fitted(X, y, **OF_HARD_NUMBERS if numbers else OF_HARD, **parameters)


@functools.cache
def result_of_hard(numbers: bool):
    """Return the result of one core, which several tests compare theirs with."""
    return result(hard(numbers))


def hard_on_cluster(numbers: bool, **parameters):
    with joblib.parallel_config("dask"):
        return hard(numbers, **parameters)


def is_quiet(client, seconds: float = 20.0) -> bool:
    """Return whether no task is left, neither with the scheduler nor running on a worker."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        running = client.run(lambda dask_worker: len(dask_worker.active_threads))
        if left == 0 and not any(running.values()):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.usefixtures("no_search_alone")
def test_small_problems_have_the_optimum_of_one_core(client):
    n_on_cluster = 0
    limits = ({}, {"max_depth": 3}, {"max_leaves": 4}, {"min_samples_leaf": 5}, {"objective": "balanced"})
    for seed in range(24):
        X, y = table(seed)
        parameters = {"regularization": 0.01 + 0.005 * (seed % 4), **limits[seed % len(limits)]}
        here, there = fitted(X, y, **parameters), fitted_on_cluster(X, y, **parameters)
        assert result(there) == result(here)
        assert there.objective_ == there.lower_bound_
        n_on_cluster += "jobs" in there.statistics_
    assert n_on_cluster == 24
    assert is_quiet(client)


@pytest.mark.usefixtures("no_search_alone")
def test_workers_that_are_spawned_import_what_they_need():
    X, y = table(0)
    with dask.config.set({"distributed.worker.multiprocessing-method": "spawn"}):  # the default
        how = {"n_workers": 1, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster):
            there = fitted_on_cluster(X, y, regularization=0.01)
    assert result(there) == result(fitted(X, y, regularization=0.01))
    assert "jobs" in there.statistics_


@pytest.mark.usefixtures("no_search_alone")
def test_the_fitted_model_is_a_plain_local_one(client):
    X, y = table(0)
    here, there = fitted(X, y, trace=True), fitted_on_cluster(X, y, trace=True)
    assert set(vars(there)) == set(vars(here))
    assert set(there.statistics_) - set(here.statistics_) == {"jobs", "lost_jobs", "cluster_error"}
    assert there.statistics_["bounds"].keys() == here.statistics_["bounds"].keys()
    assert there.trace_[-1].gap == 0
    assert there.score(X, y) == here.score(X, y)
    stored = pickle.dumps(there)
    assert b"distributed" not in stored
    assert pickle.loads(stored).predict(X).tolist() == there.predict(X).tolist()
    assert clone(there).get_params() == there.get_params()


@pytest.mark.usefixtures("no_search_alone")
def test_a_table_of_numbers_and_words_is_searched_in_the_order_of_its_numbers(client, monkeypatch):
    graphs = []
    monkeypatch.setattr(search, "OrderedGraph", lambda **given: graphs.append(OrderedGraph(**given)) or graphs[-1])
    rng = np.random.default_rng(0)
    X = [[float(a), "red" if b else "blue"] for a, b in zip(rng.normal(size=200), rng.integers(0, 2, 200), strict=True)]
    y = [int(a > 0.3) ^ (b == "red") for a, b in X]
    for parameters in ({"max_depth": 3}, {"max_depth": 4, "max_leaves": 3}, {"max_depth": 3, "min_samples_leaf": 9}):
        here, there = (fit(X, y, **parameters, regularization=0.01) for fit in (fitted, fitted_on_cluster))
        assert result(there) == result(here)
        assert there.statistics_["jobs"] > 0
    assert len(graphs) == 3


def test_only_the_backend_of_joblib_and_n_jobs_decide(client):
    assert not is_on_cluster()
    assert active_client(None) is None
    with joblib.parallel_config("dask"):
        assert active_client(None) is client
        assert active_client(-1) is client
        assert active_client(1) is None
        assert "jobs" not in fitted(*table(0), n_jobs=1).statistics_
        assert joblib.Parallel()(joblib.delayed(_client_in_task)() for _ in range(2)) == [(True, None)] * 2
    with joblib.parallel_config("dask", n_jobs=1):
        assert active_client(None) is None
    with joblib.parallel_config("threading"):
        assert active_client(None) is None


def _client_in_task():
    return is_on_cluster(), active_client(None)


def test_a_checkpoint_and_a_reference_are_refused(client, tmp_path):
    X, y = table(0)
    for parameters in ({"checkpoint": tmp_path / "run.hbt"}, {"reference": y}):
        with pytest.raises(ValueError, match=f"{next(iter(parameters))} is not for a search on a Dask cluster"):
            fitted_on_cluster(X, y, **parameters)


class KillsAWorker:
    """A callback that kills a worker as soon as all of them run jobs, once."""

    def __init__(self, client, signal_number=signal.SIGKILL):
        self._client, self._signal = client, signal_number
        self._pids = client.run(os.getpid)
        self.killed: list[int] = []

    def __call__(self, progress):
        busy = [worker for worker, tasks in self._client.processing().items() if tasks]
        if len(busy) >= 2 and not self.killed:
            self.killed.append(self._pids[busy[0]])
            os.kill(self._pids[busy[0]], self._signal)


@both_hard
def test_the_work_of_a_killed_worker_is_repeated(client_of_its_own, numbers):
    killer = KillsAWorker(client_of_its_own)
    there = hard_on_cluster(numbers, callback=killer)
    assert killer.killed
    assert result(there) == result_of_hard(numbers)
    assert is_quiet(client_of_its_own)


def test_a_worker_that_stands_still_holds_nobody_up(client_of_its_own):
    stopper = KillsAWorker(client_of_its_own, signal.SIGSTOP)
    try:
        there = hard_on_cluster(False, callback=stopper)
    finally:
        _go_on(stopper.killed)
    assert stopper.killed
    assert there.statistics_["lost_jobs"] >= 1
    assert result(there) == result_of_hard(False)
    assert is_quiet(client_of_its_own)


def _go_on(pids):
    for pid in pids:
        # Dask kills a worker that has not answered for long.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _manage_memory(client):
    """Let Dask's memory manager remove copies of data now, not in the next two seconds."""
    client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.extensions["amm"].run_once())


def test_the_memory_manager_leaves_the_problem_to_the_others_if_a_worker_stands_still(client_of_its_own):
    stopper = KillsAWorker(client_of_its_own, signal.SIGSTOP)

    def stop(progress):
        stopper(progress)
        _manage_memory(client_of_its_own)

    try:
        there = hard_on_cluster(False, time_limit=120, callback=stop)
    finally:
        _go_on(stopper.killed)
    assert stopper.killed
    assert there.status_ == "optimal"
    assert there.objective_ == there.lower_bound_


@pytest.mark.parametrize("number", [0, 1])
def test_a_worker_that_stood_still_before_the_search_holds_nobody_up(client_of_its_own, number):
    workers = client_of_its_own.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.workers))
    pid = client_of_its_own.run(os.getpid)[workers[number]]
    os.kill(pid, signal.SIGSTOP)
    try:
        there = hard_on_cluster(False)
    finally:
        _go_on([pid])
    assert result(there) == result_of_hard(False)
    assert is_quiet(client_of_its_own)


def test_the_memory_manager_leaves_workers_what_they_have_proven(client, monkeypatch):
    searches = []

    class Noted(search.ClusterSearch):
        def __init__(self, *given):
            super().__init__(*given)
            searches.append(self)

    monkeypatch.setattr(search, "ClusterSearch", Noted)
    hard_on_cluster(False, callback=lambda progress: _manage_memory(client))
    (its,) = searches
    assert its.n_jobs > 4
    assert len(its._bytes_of_worker) <= 2  # a worker that gets the problem again draws another number


def test_the_problem_is_sent_again_if_a_worker_leaves_with_its_only_copy(monkeypatch):
    pools, sent, left = [], [], []

    class Noted(DaskPool):
        def __enter__(self):
            pools.append(self)
            return self

        def _send_problem(self):
            sent.append(super()._send_problem())
            return sent[-1]

    monkeypatch.setattr("hornbeam.cluster.dask_pool.DaskPool", Noted)
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:

        def leave(progress):
            if left or not pools or not all(client.processing().values()):
                return
            _manage_memory(client)
            holders = client.who_has()[pools[0]._source.key]
            if len(holders) == 1:
                left.extend(worker for worker in cluster.workers.values() if worker.address in holders)
                cluster.sync(left[0].close, nanny=False)
                cluster.scale(3)

        there = hard_on_cluster(False, time_limit=120, callback=leave)
        assert is_quiet(client)
    assert left
    assert sent.count(True) >= 2
    assert there.objective_ == there.lower_bound_


@both_hard
def test_a_slow_worker_changes_nothing(client, numbers):
    slow, *_ = client.scheduler_info()["workers"]
    client.run(_sleep_before_jobs, 0.5, workers=[slow])
    try:
        assert result(hard_on_cluster(numbers)) == result_of_hard(numbers)
    finally:
        client.run(_sleep_before_jobs, 0.0, workers=[slow])


def _sleep_before_jobs(seconds):
    import time

    run = getattr(SharedProblem, "_run_at_once", SharedProblem.run)
    SharedProblem._run_at_once = run

    def late(*arguments, **named):
        time.sleep(seconds)
        return run(*arguments, **named)

    SharedProblem.run = late


@pytest.mark.parametrize(("endless", "of_endless"), [(ENDLESS, OF_ENDLESS), (ENDLESS_NUMBERS, OF_ENDLESS_NUMBERS)])
def test_ctrl_c_keeps_the_best_tree_and_leaves_no_task(client, endless, of_endless):
    def press(progress):
        if any(client.processing().values()):
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(NotProvenWarning, match="'interrupted'"):
        model = fitted_on_cluster(*endless, **of_endless, callback=press)
    assert model.status_ == "interrupted"
    assert model.lower_bound_ < model.objective_ < 0.5
    assert is_quiet(client)


def test_the_time_limit_ends_the_jobs_too(client):
    begin = time.monotonic()
    with pytest.warns(NotProvenWarning, match="time_limit=3"):
        model = fitted_on_cluster(*ENDLESS, **OF_ENDLESS, time_limit=3)
    assert time.monotonic() - begin >= 3
    assert model.statistics_["jobs"] > 0
    assert 0 < model.lower_bound_ < model.objective_
    assert is_quiet(client)


@pytest.mark.usefixtures("no_search_alone")
def test_a_memory_limit_holds_for_each_worker(client):
    with pytest.warns(NotProvenWarning, match="'memory_limit'"):
        model = fitted_on_cluster(*ENDLESS, **OF_ENDLESS, memory_limit=100_000)
    assert model.lower_bound_ <= model.objective_


@pytest.mark.usefixtures("no_search_alone")
def test_frontiers_and_sets_of_trees_are_those_of_one_core(client):
    X, y = table(3)
    model = GOSDTClassifier(0.02, max_depth=4)
    here = model.frontier(X, y)
    sets = RashomonSetClassifier(0.05, regularization=0.02, max_depth=3)
    split = SPLITClassifier(0.02, max_depth=4, certify=True)
    with joblib.parallel_config("dask"):
        there = model.frontier(X, y)
        its_set = clone(sets).fit(X, y)
        its_split = clone(split).fit(X, y)
    assert there.losses.tolist() == here.losses.tolist()
    assert there.status == here.status == "optimal"
    assert its_set.rashomon_set_.n_trees == sets.fit(X, y).rashomon_set_.n_trees
    assert its_split.lower_bound_ == split.fit(X, y).lower_bound_


def test_folds_grids_and_bootstraps_run_as_tasks_of_the_same_cluster(client):
    X, y = table(4)
    folds = GOSDTClassifierCV(0.02, max_depth=3, cv=3)
    grid = GridSearchCV(GOSDTClassifier(max_depth=3), {"regularization": [0.02, 0.05]}, cv=3)
    sets = RashomonSetClassifier(0.05, regularization=0.02, max_depth=3)
    how = {"n_bootstraps": 4, "random_state": 0}
    here = clone(folds).fit(X, y), clone(grid).fit(X, y), rashomon_importance(sets, X, y, **how)
    before = _tasks_done(client)
    with joblib.parallel_config("dask"):
        there = clone(folds).fit(X, y), clone(grid).fit(X, y), rashomon_importance(sets, X, y, **how)
    assert there[0].best_index_ == here[0].best_index_
    assert there[0].cv_results_["mean_test_score"].tolist() == here[0].cv_results_["mean_test_score"].tolist()
    assert there[1].cv_results_["mean_test_score"].tolist() == here[1].cv_results_["mean_test_score"].tolist()
    assert repr(there[2]) == repr(here[2])
    assert _tasks_done(client) > before


def _tasks_done(client):
    return client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)


_CLUSTER_OF_ITS_OWN = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


def test_a_scheduler_that_disappears_leaves_the_best_tree_and_a_valid_interval(tmp_path):
    script = tmp_path / "own_cluster.py"
    script.write_text(_CLUSTER_OF_ITS_OWN)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    process = subprocess.Popen([sys.executable, str(script)], start_new_session=True, **pipes)
    try:
        address = process.stdout.readline().strip()
        with distributed.Client(address, set_as_default=False) as client:

            def kill(progress):
                if process.poll() is None and any(client.processing().values()):
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()

            with joblib.parallel_config("dask", client=client), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = fitted(*ENDLESS, **OF_ENDLESS, callback=kill)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert model.status_ == "cluster_lost"
    assert address in model.statistics_["cluster_error"]
    assert 0 < model.lower_bound_ < model.objective_ < 0.5
    (warning,) = [each for each in caught if issubclass(each.category, NotProvenWarning)]
    assert "'cluster_lost'" in str(warning.message)
    assert address in str(warning.message)


_WITHOUT_DASK = """
import sys

import numpy as np

from hornbeam import GOSDTClassifier

X = np.random.default_rng(0).integers(0, 2, (50, 4))
GOSDTClassifier(0.05).fit(X, X[:, 0])
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("dask", "distributed")))
"""


def test_nothing_of_dask_is_imported_unless_asked_for():
    done = subprocess.run([sys.executable, "-c", _WITHOUT_DASK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
