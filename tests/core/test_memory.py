"""A process that has no more memory: a search ends with a tree, or the error names the option that helps."""

import os
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS limits the address space on Linux")

START = """
import resource
import numpy as np
from core.hard import unsolvable
from core.solving import arguments, check_tree, solve
from core.calls import call
from hornbeam import _core

def leave(n_bytes):
    held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + n_bytes, held + n_bytes))
"""


def run(script: str) -> str:
    """Run Python code in a process of its own, after `START`, and return what it prints."""
    command = [sys.executable, "-c", START + textwrap.dedent(script)]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_search_that_gets_no_more_memory_ends_with_its_best_tree(n_threads):
    out = run(
        f"""
        problem = unsolvable()
        solve(problem, time_limit=0.1, n_threads={n_threads})
        leave(2**24)
        outcome = solve(problem, time_limit=100.0, n_threads={n_threads})
        check_tree(problem, outcome)
        assert 0 < outcome["lower"] < outcome["upper"]
        print(outcome["status"])
        """
    )
    assert out == "memory_limit\n"


def test_an_error_without_a_result_names_the_memory_limit():
    out = run(
        """
        columns, n_rows = np.zeros((3000, 20000), np.uint8), 160000
        given = arguments(unsolvable()) | {
            "columns": columns, "n_rows": n_rows, "optimum": 0, "bound": 5, "max_depth": 2,
            "class_codes": np.zeros(n_rows, np.int32), "weights": np.ones(n_rows, np.int64),
        }
        leave(2**24)
        try:
            call(_core.rashomon_set, **given)
        except MemoryError as error:
            print(error)
        """
    )
    assert "memory_limit" in out
