"""The command line: ``hornbeam fit | columns | predict | show | export | demo | explore``.

Exit codes: 0 for success (also if a limit or Ctrl-C ended the search early: the tree is valid, and its gap is printed);
2 for errors (one line on stderr states the reason); 130 for Ctrl-C before the command was finished (one line on stderr
states what is missing, and which files are complete).
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
        The words after ``hornbeam``. None: the arguments of this process.

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

    from hornbeam.cli import explore_command  # noqa: F401 (adds its command)
    from hornbeam.cli.app import app
    from hornbeam.cli.errors import CommandError, InterruptionError

    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = int(app(words or ["--help"], prog_name="hornbeam", standalone_mode=False) or 0)
    except CommandError as error:
        return _fail(str(error))
    except InterruptionError as error:
        return _fail(str(error), EXIT_INTERRUPTED)
    except (Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except Exception as error:
        if hasattr(error, "format_message"):  # errors of typer about options; their class has moved between versions
            return _fail(error.format_message())
        raise
    return _fail("interrupted", code) if code == EXIT_INTERRUPTED else code


def _fail(message: str, code: int = EXIT_USAGE) -> int:
    """Print an error in one line, and return the exit code."""
    print("hornbeam: error:", " ".join(message.split()), file=sys.stderr)
    return code
