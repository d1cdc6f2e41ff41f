"""Ctrl-C in the middle of a search."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def one_ctrl_c() -> Iterator[Callable[[object], None]]:
    """Yield a callback whose first call has another thread send Ctrl-C, once."""
    called = threading.Event()

    def send() -> None:
        called.wait()
        if is_open:
            os.kill(os.getpid(), signal.SIGINT)

    is_open = True
    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield lambda _: called.set()
    finally:
        is_open = called.is_set()
        called.set()
        sender.join()


@contextmanager
def ctrl_c_when_called() -> Iterator[Callable[[object], None]]:
    """Yield a callback whose first call has another thread send Ctrl-C; a KeyboardInterrupt that gets out fails."""
    try:
        with one_ctrl_c() as called:
            yield called
    except KeyboardInterrupt:
        pytest.fail("KeyboardInterrupt was raised by the search")
