"""Find the Dask cluster that the user has chosen for joblib, without importing Dask."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from joblib.parallel import get_active_backend

from hornbeam.cluster.search import Pool
from hornbeam.cluster.worker import SharedProblem


def is_on_cluster() -> bool:
    """Return whether joblib's backend is a Dask cluster, here or around the task of a worker that this is."""
    # Whoever has chosen the backend has imported Dask.
    if "distributed" not in sys.modules:
        return False
    backend, _ = get_active_backend()
    return type(backend).__name__ == "DaskDistributedBackend"


def active_client(n_jobs: Any) -> Any:
    """Return the client of joblib's Dask cluster, if the search of one fit may use its workers.

    Parameters
    ----------
    n_jobs : int or None
        1 keeps the search in this process, as everywhere in joblib.

    Returns
    -------
    distributed.Client or None
        None as well inside a task of a worker: the folds of a cross-validation share the cluster already, and a task
        that waits for other tasks can block it.
    """
    if n_jobs == 1 or not is_on_cluster():
        return None
    backend, n_workers = get_active_backend()
    return None if _is_in_task() or n_workers == 1 else backend.client


def pool_on(client: Any) -> Callable[[SharedProblem], AbstractContextManager[Pool]]:
    """Return what makes a pool of the workers of a client's cluster."""
    from hornbeam.cluster.dask_pool import DaskPool

    return partial(DaskPool, client)


def _is_in_task() -> bool:
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True
