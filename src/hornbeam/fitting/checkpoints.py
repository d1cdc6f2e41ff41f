"""The parameters of checkpoints, and what a user is told of one while the search runs."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam.fitting.parameters import check_number


def checkpoint_path(estimator: Any) -> str | None:
    """Return the path of an estimator's checkpoint; None if it saves nothing.

    Raises
    ------
    ValueError
        If the path is empty.
    TypeError
        If it is not a path.
    """
    given = getattr(estimator, "checkpoint", None)
    if given is None:
        return None
    if not isinstance(given, (str, PathLike)):
        raise TypeError(f"checkpoint must be the path of a file or None, got {shown(given)}.")
    path = str(fspath(given))
    if not path:
        raise ValueError("checkpoint must be the path of a file, got ''. Set checkpoint=None to save nothing.")
    return path


def with_checkpoint(estimator: Any, options: _core.SearchOptions) -> _core.SearchOptions:
    """Check the parameters of the checkpoint; return the options with them."""
    interval = check_number("checkpoint_interval", estimator.checkpoint_interval)
    path = checkpoint_path(estimator)
    return options if path is None else options.replace(checkpoint=path, checkpoint_interval=interval)


def with_file_in_folder(
    estimator: Any, names: Mapping[int, str], options: _core.SearchOptions, leaf_cost: int
) -> _core.SearchOptions:
    """Return the options of one search of a sequence, with its own file in the folder that the checkpoint names.

    A file is named after the leaf penalty, and after the limit on leaves if that is not the estimator's. `names` has
    other names for some penalties: those that are the same for every problem let the files of another one be found,
    and refused.

    Raises
    ------
    ValueError
        If there is no such folder, and it cannot be made.
    """
    own = with_checkpoint(estimator, options)
    if own.checkpoint is None:
        return options
    folder = Path(own.checkpoint)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ValueError(
            f"checkpoint={own.checkpoint!r} is not a folder and cannot be made one: {error.strerror}. A frontier is a "
            "sequence of searches, with a file for each: name a folder, or a path where one can be made."
        ) from None
    name = names.get(leaf_cost, f"penalty-{leaf_cost}")
    leaves = "" if options.max_leaves == estimator.max_leaves else f"-leaves-{options.max_leaves}"
    return own.replace(checkpoint=str(folder / f"{name}{leaves}.hbt"))


def resumed(path: str, bound: float, seconds: float) -> str:
    """Return what tells that a search goes on from its checkpoint."""
    return f"Resumed from {path!r}: bound {bound:.5f}, after {seconds:.1f} s of earlier runs."


def not_written(path: str, error: str, interval: float) -> str:
    """Return the warning that a checkpoint could not be written."""
    return (
        f"checkpoint={path!r} could not be written: {error}. The search goes on, and tries again every {interval:g} s "
        "and at its end. Until a write succeeds, the file is that of an earlier moment, or there is none. Free space "
        "on the disk, or make the folder writable again."
    )
