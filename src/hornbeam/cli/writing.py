"""Write a model, its picture, and its tree in the requested format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from hornbeam.cli.errors import CommandError, Stage, refusals_as_command_errors
from hornbeam.cli.model import Model
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.export import FORMATS, TEXT_FORMATS
from hornbeam.plotting import save_picture
from hornbeam.tree.words import count

PICTURES = ("svg", "png", "pdf")


def check_writable(path: Path | None) -> None:
    """Refuse a file whose directory does not exist, before any work is done for it."""
    if path is not None and not path.parent.is_dir():
        raise CommandError(f"{path}: there is no directory {path.parent}")
    if path is not None and path.is_dir():
        raise CommandError(f"{path}: is a directory")


def check_picture(path: Path | None) -> None:
    """Refuse a picture that could not be written, before any work is done for it."""
    if path is not None and path.suffix.lower()[1:] not in PICTURES:
        raise CommandError(f"{path}: expected a name that ends in .svg, .png or .pdf")
    check_writable(path)


def write(stage: Stage, model: Model, model_file: Path | None, picture: Path | None) -> None:
    """Write the requested model and picture."""
    if model_file is not None:
        stage.doing = f"while {model_file} was written"
        model.save(model_file)
        stage.written.append(model_file)
    if picture is not None:
        stage.doing = f"while {picture} was drawn"
        draw(model, picture)
        stage.written.append(picture)


def used_format(written: CsvFormat, frame: pl.DataFrame) -> CsvFormat:
    """Return the format of a file, of its columns those of a table."""
    dates, units = (
        {name: how[name] for name in frame.columns if name in how} for how in (written.dates, written.units)
    )
    return replace(written, dates=dates, units=units)


def draw(model: Model, path: Path) -> None:
    """Write the picture of a model's tree in the format of the name."""
    proof = model.certificate
    state = "proven optimal" if proof.is_proven else f"within {100 * proof.gap:.2g} % of the optimum"
    value = f"log posterior {-proof.objective:.4f}" if proof.loss is None else f"objective {proof.objective:.4f}"
    subtitle = f"{count(model.tree.n_leaves, 'leaf', 'leaves')}, {value}, {state}"
    with refusals_as_command_errors():
        save_picture(model.tree, path, title=model.tree.target_name, subtitle=subtitle)


def exported(model: Model, form: str) -> bytes:
    """Return the tree in a format given by name.

    Raises
    ------
    CommandError
        If there is no format of this name.
    """
    if form in FORMATS and (as_text := FORMATS[form].as_text):
        return f"{as_text(FORMATS[form].export(model.tree)).rstrip()}\n".encode()
    if form not in PICTURES:
        raise CommandError(
            f"--format {form!r}: expected {', '.join((*TEXT_FORMATS, *PICTURES[:-1]))} or {PICTURES[-1]}"
        )
    with TemporaryDirectory() as directory:
        picture = Path(directory, f"tree.{form}")
        draw(model, picture)
        return picture.read_bytes()
