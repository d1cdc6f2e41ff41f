"""The commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hornbeam.cli.columns import columns_text
from hornbeam.cli.data import (
    check_columns,
    check_names,
    choose_columns,
    classes_of,
    is_quantity,
    read_frame,
    read_predictions,
    split_target,
    with_class,
)
from hornbeam.cli.errors import CommandError, interrupts_told, refusals_as_command_errors
from hornbeam.cli.fitting import fit_classifier, fit_model, model_of
from hornbeam.cli.folders import (
    METHODS_OF_FOLDERS,
    bad_file_named,
    confusion_of_leaves,
    is_folder,
    scan_folder,
    with_target,
)
from hornbeam.cli.held_out import HeldOut, score, score_text, splits, tell
from hornbeam.cli.methods import REGRESSIONS, Request
from hornbeam.cli.model import Model
from hornbeam.cli.predicting import predictions_frame
from hornbeam.cli.regressions import fit_regression
from hornbeam.cli.report import confusion_text, report, single_leaf_text
from hornbeam.cli.row_fits import Output
from hornbeam.cli.sets import SetOutput, write_set
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.cli.writing import check_picture, check_writable, draw, exported, used_format, write
from hornbeam.streaming import write_predictions
from hornbeam.tree import Tree
from hornbeam.tree.prediction_columns import tested_columns

_REFERENCE = "\0reference"  # a column that no file has, next to the table while rows without a class are left out
DEMO_PARAMETERS: dict[str, Any] = {"regularization": 0.01, "max_depth": 3}


def fit(  # long: the steps of the command, one after the other
    data: Path,
    target: str,
    request: Request,
    written: CsvFormat,
    *,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    reference: Path | None = None,
    held_out: HeldOut | None = None,
    set_output: SetOutput | None = None,
    of_numbers: Callable[[], Request] | None = None,
    model_file: Path | None,
    picture: Path | None,
    quiet: bool,
) -> None:
    """Fit a file, write model and picture, print columns, tree and proof, then score the options on held-out rows.

    `of_numbers` returns the request if the target turns out to hold numbers; None: the method was given.
    """
    # Everything that can be refused without the data is refused first: a search may take hours.
    check_writable(model_file)
    check_picture(picture)
    if set_output is not None:
        check_writable(set_output.timbertrek)
    if is_folder(data):
        if reference is not None or held_out is not None or request.method not in METHODS_OF_FOLDERS:
            raise CommandError(
                f"{data}: a folder is read in batches, by --method {', '.join(METHODS_OF_FOLDERS)}, "
                "without --reference, --test-size and --cv"
            )
        _fit_folder(data, target, request, written, keep, drop, model_file, picture, quiet=quiet)
        return
    with interrupts_told("before a tree was found") as stage:
        read = read_frame(data, written)
        check_columns(read.frame, [target], data)
        table = read.frame
        if reference is not None:
            table = table.with_columns(read_predictions(reference, table.height, written).alias(_REFERENCE))
        labeled, note = with_class(table, target, data)
        if of_numbers is not None and is_quantity(labeled[target]):
            request = of_numbers()
            found = f"* {target} (target): holds numbers, not classes, so this is --method regression"
            note = "\n".join(filter(None, [found, note]))
        if request.method in REGRESSIONS:
            fit_regression(
                stage,
                data,
                read._replace(frame=labeled),
                target,
                request,
                keep,
                drop,
                note,
                Output(held_out, set_output, model_file, picture, quiet),
            )
            return
        if reference is not None:
            predictions = classes_of(labeled.drop_in_place(_REFERENCE), reference)
            request = replace(request, parameters=request.parameters | {"reference": predictions})
        frame, classes = split_target(choose_columns(labeled, target, keep, drop, data), target, data)
        folds = [] if held_out is None else splits(held_out, classes)
        if not quiet:
            columns = columns_text(frame, classes, read.notes, target=target, brief=True)
            print(columns, *([note] if note else []), sep="\n", end="\n\n", flush=True)
        classifier = fit_classifier(frame, pl.Series(target, classes), request, quiet=quiet)
        model = replace(model_of(classifier, request.method), written=used_format(read.written, frame))
        write(stage, model, model_file, picture)
        of_set = [] if set_output is None else write_set(stage, classifier, set_output, model)
        if quiet:
            return
        stage.doing = "while the report was printed"
        said = [report(model), confusion_text(model.class_tree, frame, classes), single_leaf_text(model)]
        tell(
            stage,
            classifier,
            said + of_set,
            "How good are its predictions for new rows?",
            (lambda: score_text(score(folds, frame, classes, target, request))) if folds else None,
        )


def _fit_folder(
    data: Path,
    target: str,
    request: Request,
    written: CsvFormat,
    keep: Sequence[str],
    drop: Sequence[str],
    model_file: Path | None,
    picture: Path | None,
    *,
    quiet: bool,
) -> None:
    """Fit the files of a folder, without the report on the columns."""
    with interrupts_told("before a tree was found") as stage, bad_file_named(data):
        rows = with_target(scan_folder(data, written), target, keep, drop, data)
        model = model_of(fit_classifier(rows, target, request, quiet=quiet), request.method)
        model = replace(model, written=written)
        write(stage, model, model_file, picture)
        if not quiet:
            stage.doing = "while the report was printed"
            said = [report(model), confusion_of_leaves(model.class_tree), single_leaf_text(model)]
            print(*filter(None, said), sep="\n\n", flush=True)


def columns(data: Path, target: str | None, written: CsvFormat, *, keep: Sequence[str], drop: Sequence[str]) -> None:
    """Print the columns of a file."""
    read = read_frame(data, written)
    check_columns(read.frame, [] if target is None else [target], data)
    frame, classes, note = read.frame, None, ""
    if target is not None:
        frame, note = with_class(frame, target, data)
    frame = choose_columns(frame, target, keep, drop, data)
    if target is not None and is_quantity(frame[target]):
        frame = frame.drop(target)
    elif target is not None:
        frame, classes = split_target(frame, target, data)
    print(columns_text(frame, classes, read.notes, target=target), *([note] if note else []), sep="\n")


def predict(model_file: Path, data: Path, output: Path | None, written: CsvFormat, *, proba: bool) -> None:
    """Predict the rows of a file."""
    check_writable(output)
    model = Model.load(model_file)
    tree = model.tree
    if proba and not isinstance(tree, Tree):
        raise CommandError(f"--proba: the tree of {model_file} predicts no classes, so it has no shares of them")
    tested = tested_columns(tree)
    # The kinds of the training rows, since the cells of a few new rows could be read as another kind.
    kinds = {name: kind for name, kind in zip(tree.columns.names, tree.columns.kinds, strict=True) if name in tested}
    missing = (*model.written.missing, *written.missing)
    known = replace(model.written, decimal=written.decimal, encoding=written.encoding, missing=missing)
    with interrupts_told("before the predictions were written"):
        if is_folder(data):
            _predict_folder(model, data, output, written, kinds, proba=proba)
            return
        frame = read_frame(data, known, kinds).frame
        check_columns(frame, tested, data)
        with refusals_as_command_errors():
            predictions = pl.DataFrame(predictions_frame(model, frame, proba=proba))
        if output is None:
            sys.stdout.write(predictions.write_csv())
        elif output.suffix == ".parquet":
            predictions.write_parquet(output)
        else:
            predictions.write_csv(output)


def _predict_folder(
    model: Model, data: Path, output: Path | None, written: CsvFormat, kinds: Mapping[str, str], *, proba: bool
) -> None:
    """Predict the files of a folder batch by batch."""
    if output is None or output.suffix != ".parquet":
        raise CommandError(f"{data}: the predictions of a folder are written to Parquet; give --output FILE.parquet")
    texts = [name for name, kind in kinds.items() if kind == "category"]
    with bad_file_named(data), refusals_as_command_errors():
        rows = scan_folder(data, written, texts, model.written.missing)
        check_names(rows.collect_schema().names(), list(kinds), data)
        rows = rows.with_columns(pl.col(name).cast(pl.String) for name in texts)
        predict = partial(predictions_frame, model, proba=proba)
        write_predictions(rows, list(kinds) or rows.collect_schema().names()[:1], output, predict, _silent)


def _silent(what: str, n_rows: int) -> None:
    """Show no progress."""


def show(model_file: Path, picture: Path | None) -> None:
    """Print what `fit` printed about a model, except the part on training rows, which a model does not contain."""
    check_picture(picture)
    model = Model.load(model_file)
    if picture is not None:
        draw(model, picture)
    print(report(model))


def export(model_file: Path, form: str, output: Path | None) -> None:
    """Write the tree of a model in another form."""
    check_writable(output)
    written = exported(Model.load(model_file), form)
    if output is not None:
        output.write_bytes(written)
    elif form in ("png", "pdf"):
        raise CommandError(f"--format {form} is not text; give --output FILE")
    else:
        sys.stdout.write(written.decode())


def demo(directory: Path) -> None:
    """Fit scikit-learn's breast-cancer data, print the report, write the model and the picture."""
    from sklearn.datasets import load_breast_cancer

    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"--directory {directory}: is not a directory and cannot be made one") from error
    data = load_breast_cancer()
    frame = pl.DataFrame(data.data, schema=[str(name) for name in data.feature_names])
    classes = np.asarray(data.target_names, dtype=object)[data.target]
    print(f"Breast-cancer data of scikit-learn: {frame.height} rows, {frame.width} continuous columns.")
    options = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in DEMO_PARAMETERS.items())
    print(f"hornbeam fit {options}", end="\n\n")
    model_file, picture = directory / "breast-cancer.json", directory / "breast-cancer.svg"
    with interrupts_told("before a tree was found") as stage:
        model = fit_model(frame, classes, "diagnosis", Request("gosdt", DEMO_PARAMETERS), quiet=False)
        write(stage, model, model_file, picture)
        stage.doing = "while the report was printed"
        print(report(model), confusion_text(model.class_tree, frame, classes), sep="\n\n")
        print(f"\nThe picture is in {picture}, the model in {model_file}.")
