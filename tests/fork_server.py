"""Scripts that are forks of a process that has imported what all of them import."""

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import NamedTemporaryFile

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@contextmanager
def fork_server(python: str, *modules: str) -> Iterator[Run]:
    """Return a function that runs a script with arguments in a folder, by a Python that has imported some modules.

    Not modules that start threads, which a fork would lack, as polars and dask do.
    """
    command, settings = [python, __file__, *modules], {**os.environ, "MPLBACKEND": "agg"}

    def run(*words: object, cwd: object) -> "subprocess.CompletedProcess[str]":
        with NamedTemporaryFile("r") as output, NamedTemporaryFile("r") as errors:
            request = json.dumps([str(word) for word in (cwd, output.name, errors.name, *words)])
            print(request, file=server.stdin, flush=True)
            code = int(server.stdout.readline())
            return subprocess.CompletedProcess(words, code, output.read(), errors.read())

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings) as server:
        yield run


def serve() -> None:
    """Answer each request with the exit code of its script."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    gc.freeze()  # else each script would end by copying and collecting all that
    for line in sys.stdin:
        folder, output, errors, *sys.argv = json.loads(line)
        child = os.fork()
        if not child:
            for descriptor, path in enumerate((os.devnull, output, errors)):
                os.dup2(os.open(path, os.O_RDWR), descriptor)
            signal.alarm(500)  # before pytest gives up waiting, so that the next script gets its own exit code
            os.chdir(folder)
            sys.path[0] = os.path.dirname(sys.argv[0])
            runpy.run_path(sys.argv[0], run_name="__main__")
            return
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
