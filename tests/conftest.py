"""What all tests share: ``oracles`` can be imported, hypothesis draws the same examples every time, Ctrl-C works."""

import signal
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

# A process that a shell starts in the background ignores SIGINT, and Python then handles none.
signal.signal(signal.SIGINT, signal.default_int_handler)
