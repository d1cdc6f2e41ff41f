"""The programs that are measured; `PEERS` holds them by name."""

from benchmarks.peers import searches, tuned  # noqa: F401 - they add their peers to `PEERS`
from benchmarks.peers.peer import PEERS, Outcome, Peer, Problem, Unsupported, is_whole

__all__ = ["PEERS", "Outcome", "Peer", "Problem", "Unsupported", "is_whole"]
