"""What each command does."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hornbeam.binarizers import ThresholdBinarizer
from hornbeam.cli.data import check_columns, read_frame, split_target
from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.fitting import fit_model
from hornbeam.cli.model import Model
from hornbeam.cli.report import confusion_text, report
from hornbeam.cli.writing import check_picture, check_writable, draw, exported

DEMO_PARAMETERS: dict[str, Any] = {"regularization": 0.01, "max_depth": 4, "binarizer": "quantile"}


def fit(
    data: Path,
    target: str,
    parameters: dict[str, Any],
    *,
    model_file: Path | None,
    picture: Path | None,
    quiet: bool,
) -> None:
    """Fit a file, print the report, write what was asked for."""
    check_writable(model_file)
    check_picture(picture)
    frame, classes = split_target(read_frame(data), target, data)
    model = fit_model(frame, classes, target, parameters, quiet=quiet)
    if model_file is not None:
        model.save(model_file)
    if picture is not None:
        draw(model, picture)
    if not quiet:
        print(report(model), confusion_text(model.tree, frame, classes), sep="\n\n")


def predict(model_file: Path, data: Path, output: Path | None, *, proba: bool) -> None:
    """Predict the rows of a file."""
    check_writable(output)
    tree = Model.load(model_file).tree
    names, kinds = tree.columns.names, tree.columns.kinds
    texts = [name for name, kind in zip(names, kinds, strict=True) if kind == "category"]
    frame = read_frame(data, texts)
    check_columns(frame, names, data)
    with refusals_as_command_errors():
        columns = {f"predicted_{tree.target_name}": pl.Series(tree.predict(frame.select(names)).tolist())}
        if proba:
            shares = tree.predict_proba(frame.select(names)).T
            columns |= {f"share_{label}": pl.Series(share) for label, share in zip(tree.classes, shares, strict=True)}
    predictions = pl.DataFrame(columns)
    if output is None:
        sys.stdout.write(predictions.write_csv())
    elif output.suffix == ".parquet":
        predictions.write_parquet(output)
    else:
        predictions.write_csv(output)


def show(model_file: Path, picture: Path | None) -> None:
    """Print what `fit` printed about a model, without the training rows, which a model does not hold."""
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

    if not directory.is_dir():
        raise CommandError(f"--directory {directory}: is not a directory")
    data = load_breast_cancer()
    frame = pl.DataFrame(data.data, schema=[str(name) for name in data.feature_names])
    classes = np.asarray(data.target_names, dtype=object)[data.target]
    print(f"Breast-cancer data of scikit-learn: {frame.height} rows, {frame.width} continuous columns.")
    parameters = ", ".join(f"{name} {value}" for name, value in DEMO_PARAMETERS.items())
    print(f"hornbeam fit: {parameters} (at most {ThresholdBinarizer().n_thresholds} thresholds a column)", end="\n\n")
    model = fit_model(frame, classes, "diagnosis", DEMO_PARAMETERS, quiet=False)
    model_file, picture = directory / "breast-cancer.json", directory / "breast-cancer.svg"
    model.save(model_file)
    draw(model, picture)
    print(report(model), confusion_text(model.tree, frame, classes), sep="\n\n")
    print(f"\nThe picture is in {picture}, the model in {model_file}.")
