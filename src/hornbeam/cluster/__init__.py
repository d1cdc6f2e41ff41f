"""One exact search on all workers of a Dask cluster.

`search.solve_on_cluster` is the entry. `graph` decides what is searched next, `worker` is what the workers run, and
`dask_pool` the only file that imports Dask.
"""

from hornbeam.cluster.client import active_client, is_on_cluster, pool_on
from hornbeam.cluster.search import solve_on_cluster
from hornbeam.cluster.worker import OrderedProblem, PackedProblem

__all__ = ["OrderedProblem", "PackedProblem", "active_client", "is_on_cluster", "pool_on", "solve_on_cluster"]
