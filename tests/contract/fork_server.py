"""Run scripts, each in a fork of this process, which has imported what all of them import: `python fork_server.py`.

A line of the input is a list in JSON: the folder to run a script in, files for its output and its errors, the script,
and its arguments. The line that answers it is the exit code.
"""

import gc
import json
import os
import runpy
import signal
import sys

# Not polars or dask, whose threads a fork would lack.
import matplotlib.pyplot  # noqa: F401

import hornbeam  # noqa: F401

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
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
