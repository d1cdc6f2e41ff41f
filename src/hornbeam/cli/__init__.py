"""The command line: ``hornbeam fit | columns | predict | show | export | demo``.

Exit codes: 0 done (also where a limit or Ctrl-C cut the proof short: the tree is valid, and its gap is said), 2 the
request cannot be carried out (one line on stderr says why), 130 interrupted before there was a tree.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        What stands behind ``hornbeam``. None: the arguments of this process.

    Returns
    -------
    int
        0, 2 or 130, see above.
    """
    try:
        return _run(arguments)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "hornbeam":
            raise
        return _fail(f"the command line needs {package}; install it with: python -m pip install 'hornbeam[cli]'")


def _run(arguments: Sequence[str] | None) -> int:
    from typer import Abort

    from hornbeam.cli.app import app
    from hornbeam.cli.errors import CommandError

    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = int(app(words or ["--help"], prog_name="hornbeam", standalone_mode=False) or 0)
    except CommandError as error:
        return _fail(str(error))
    except (Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own errors about options; their class has moved between versions
            return _fail(error.format_message())
        raise
    if code == EXIT_INTERRUPTED:
        _fail("interrupted before a tree was found")
    return code


def _fail(message: str) -> int:
    """Say in one line what went wrong."""
    print("hornbeam: error:", " ".join(message.split()), file=sys.stderr)
    return EXIT_USAGE
