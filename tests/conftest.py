"""What all tests share: ``oracles`` can be imported, hypothesis draws the same examples every time, Ctrl-C works."""

import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# Before NumPy and scikit-learn are imported: the threads of OpenMP and OpenBLAS wait in loops, and where others have
# the cores, a fit of a twentieth of a second takes seconds of theirs. hornbeam's own threads are no such threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture
def full_disk():
    """Return a context in which no file grows beyond 100 bytes, as if the disk were full.

    Not the whole test: pytest may write what it reports to a file.
    """
    import resource

    @contextmanager
    def full():
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)

    return full


settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

# A process that a shell starts in the background ignores SIGINT, and Python then handles none.
signal.signal(signal.SIGINT, signal.default_int_handler)
