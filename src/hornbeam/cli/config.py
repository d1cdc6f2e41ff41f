"""Options of `fit` from a TOML file: its values are read as if they were written on the command line."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hornbeam.cli.errors import CommandError, refusals_as_command_errors

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_config(path: Path, options: dict[str, bool]) -> dict[str, str | list[str]]:
    """Read options from a TOML file.

    Parameters
    ----------
    path : Path
        A file of lines such as ``max-depth = 3`` or ``drop = ["id", "name"]``, without tables.
    options : dict of str to bool
        The names of the options in Python, with underscores, and whether they are repeatable.

    Returns
    -------
    dict of str to str or list of str
        The values as the command line has them: text, so that it is checked in the same way.

    Raises
    ------
    CommandError
        If the file cannot be read, an option does not exist, or its value is of a form that no option has.
    """
    with refusals_as_command_errors():
        raw = path.read_bytes()
    try:
        record = tomllib.loads(raw.decode())
    except ValueError as error:
        raise CommandError(f"{path}: is not TOML: {error}") from error
    found: dict[str, str | list[str]] = {}
    for key, value in record.items():
        name = key.replace("-", "_")
        if name not in options:
            near = get_close_matches(name, options, n=1)
            advice = f"did you mean {near[0].replace('_', '-')}?" if near else "`hornbeam fit --help` lists them"
            raise CommandError(f"{path}: there is no option {key}; {advice}")
        if name in found:
            raise CommandError(f"{path}: {key} is given twice, with - and with _")
        found[name] = _texts(value, f"{path}: {key}") if options[name] else _text(value, f"{path}: {key}")
    return found


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list):
        raise CommandError(f"{where} = {value!r:.80}: expected a list, since the option is repeatable")
    return [_text(one, where) for one in value]


def _text(value: Any, where: str) -> str:
    if not isinstance(value, (str, int, float)):  # booleans are integers
        raise CommandError(f"{where} = {value!r:.80}: expected text, a number, true or false")
    return str(value)
