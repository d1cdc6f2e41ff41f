"""Ctrl-C in the middle of a search."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def ctrl_c_when_called() -> Iterator[Callable[[object], None]]:
    """Yield a callback whose first call has another thread send Ctrl-C; a KeyboardInterrupt that gets out fails."""
    called = threading.Event()

    def send() -> None:
        called.wait()
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield lambda _: called.set()
    except KeyboardInterrupt:
        pytest.fail("KeyboardInterrupt was raised by the search")
    finally:
        called.set()
        sender.join()
