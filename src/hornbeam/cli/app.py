"""The commands and their options. A command imports what it needs when it runs, so that ``--help`` is fast."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.export import TEXT_FORMATS

if TYPE_CHECKING:
    from hornbeam.cli.text_columns import CsvFormat

app = typer.Typer(
    name="hornbeam",
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        import hornbeam

        print("hornbeam", hornbeam.__version__)
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Optimal sparse decision trees, with proof."""


Data = Annotated[Path, typer.Argument(help="CSV (header line; comma, semicolon or tab) or Parquet file.")]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="File written by `hornbeam fit --model`.")]
Picture = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the tree: .svg, .png or .pdf.")]
Keep = Annotated[list[str] | None, typer.Option("--keep", metavar="COLUMN", help="Use only this column; repeatable.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", metavar="COLUMN", help="Leave this column out; repeatable.")]
Decimal = Annotated[
    str | None,
    typer.Option(metavar="MARK", help="Decimal mark of the CSV file, . or , (the other may group thousands)."),
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="Encoding of the CSV file, such as latin-1.")]
Missing = Annotated[
    list[str] | None, typer.Option("--missing", metavar="TEXT", help="Cells with this text are missing; repeatable.")
]
IgnoreCase = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Read the text of this column in lower case; repeatable."),
]
Output = Annotated[Path | None, typer.Option(metavar="FILE", help="Write here instead of to the screen.")]


@app.command()
def fit(  # long: a line for each option
    data: Data,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="Column with the classes.")],
    regularization: Annotated[
        str, typer.Option(metavar="FLOAT", help="Leaf penalty: what a leaf adds to the objective. auto: see the docs.")
    ] = "auto",
    max_depth: Annotated[int | None, typer.Option(help="Largest number of edges from the root to a leaf.")] = None,
    max_leaves: Annotated[int | None, typer.Option(help="Largest number of leaves.")] = None,
    min_samples_leaf: Annotated[int, typer.Option(help="Smallest number of rows in a leaf.")] = 1,
    objective: Annotated[
        str, typer.Option(metavar="NAME", help="accuracy, balanced, weighted, cost, f1, auc or partial_auc.")
    ] = "accuracy",
    omega: Annotated[
        float, typer.Option(help="Cost of missing the second class, for `weighted` and `--labelling omega`.")
    ] = 1.0,
    theta: Annotated[
        float | None, typer.Option(help="Largest false positive rate that counts, for `partial_auc`.")
    ] = None,
    labelling: Annotated[
        str, typer.Option(metavar="NAME", help="How leaves are labeled, for `f1`: best or omega.")
    ] = "best",
    cost_matrix: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON, for `cost`: a row per actual class, [[0, 1], [5, 0]].")
    ] = None,
    binarizer: Annotated[
        str,
        typer.Option(metavar="NAME", help="Thresholds: exact (all), quantile, auto, guess (of a boosted model), none."),
    ] = "exact",
    n_thresholds: Annotated[int | None, typer.Option(help="Thresholds per column, for `quantile`: 8.")] = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds from reading the table to the tree; inf: no limit.")
    ] = DEFAULT_TIME_LIMIT,
    memory_limit: Annotated[str | None, typer.Option(metavar="BYTES", help="Such as 500MB or 2GB.")] = None,
    gap_limit: Annotated[float | None, typer.Option(help="Stop at this gap, a fraction of the objective.")] = None,
    threads: Annotated[int, typer.Option(help="Threads of the search.")] = 1,
    test_size: Annotated[
        float | None,
        typer.Option(metavar="FRACTION", help="Score on this fraction of the rows, held out of a second fit: 0.25."),
    ] = None,
    cv: Annotated[
        int | None, typer.Option(metavar="FOLDS", help="Score by cross-validation: one more fit for each fold.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the random split of --test-size or --cv.")] = 0,
    keep: Keep = None,
    drop: Drop = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    ignore_case: IgnoreCase = None,
    model: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the model here, as JSON.")] = None,
    picture: Picture = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Find the optimal tree of a table and prove it; print how the columns were read, the tree and the proof.

    Empty cells and NA, N/A, n/a, NaN, null and ? are missing values; among numbers and dates also -, --, none,
    unknown and the like. Dates, times, decimal commas and numbers with a unit (12 kg, 3 %, $1,200) are recognized if
    the whole column is written like this. Rows without a class are left out.

    Ctrl-C ends the search with the best tree so far and exit code 0, as limits do. Errors exit with code 2.

    The tree is always fitted on all rows. --test-size and --cv estimate its quality on new rows: they fit trees with
    the same options on a part of the rows (each class in equal shares), and score them on the rest. Limits apply to
    each of these fits. The tree is printed and written first; Ctrl-C then ends the command without a score and with
    exit code 130.
    """
    from hornbeam.cli import commands, fitting, held_out

    commands.fit(
        data,
        target,
        {
            "regularization": fitting.leaf_penalty(regularization),
            "max_depth": max_depth,
            "max_leaves": max_leaves,
            "min_samples_leaf": min_samples_leaf,
            "objective": objective,
            "omega": omega,
            "theta": theta,
            "labelling": labelling,
            "cost_matrix": None if cost_matrix is None else fitting.read_costs(cost_matrix),
            "binarizer": fitting.binarizer_named(binarizer, n_thresholds),
            "time_limit": None if time_limit == inf else time_limit,
            "memory_limit": None if memory_limit is None else fitting.parse_bytes(memory_limit),
            "gap_limit": gap_limit,
            "n_jobs": threads,
        },
        _format(decimal, encoding, missing, ignore_case),
        keep=keep or (),
        drop=drop or (),
        held_out=held_out.held_out(test_size, cv, seed, quiet=quiet),
        model_file=model,
        picture=picture,
        quiet=quiet,
    )


def _format(
    decimal: str | None, encoding: str | None, missing: list[str] | None, ignore_case: list[str] | None = None
) -> CsvFormat:
    from hornbeam.cli.text_columns import CsvFormat

    return CsvFormat(decimal or "", encoding or "", tuple(missing or ()), ignore_case=tuple(ignore_case or ()))


@app.command()
def columns(
    data: Data,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the classes, to find near copies of it.")
    ] = None,
    keep: Keep = None,
    drop: Drop = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    ignore_case: IgnoreCase = None,
) -> None:
    """Print how each column of a table is read and used, what looks wrong, and how to fix it."""
    from hornbeam.cli import commands

    written = _format(decimal, encoding, missing, ignore_case)
    commands.columns(data, target, written, keep=keep or (), drop=drop or ())


@app.command()
def predict(
    model: ModelFile,
    data: Data,
    output: Output = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of each class in the leaf.")] = False,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
) -> None:
    """Predict the class of each row; the table needs the columns that the tree tests, and others are ignored.

    Dates are read in the format of the training file, and its --missing values are missing here, too. The output is
    CSV, or Parquet if its name ends in .parquet.
    """
    from hornbeam.cli import commands

    commands.predict(model, data, output, _format(decimal, encoding, missing), proba=proba)


@app.command()
def show(model: ModelFile, picture: Picture = None) -> None:
    """Print a model's tree and certificate."""
    from hornbeam.cli import commands

    commands.show(model, picture)


@app.command()
def export(
    model: ModelFile,
    format: Annotated[str, typer.Option(metavar="NAME", help=f"{', '.join(TEXT_FORMATS)}, svg, png or pdf.")],
    output: Output = None,
) -> None:
    """Write a model's tree in another form."""
    from hornbeam.cli import commands

    commands.export(model, format, output)


@app.command()
def demo(
    directory: Annotated[Path, typer.Option(help="Where to write model and picture; made if missing.")] = Path("."),
) -> None:
    """Find, prove and draw an optimal tree of the breast-cancer data that scikit-learn ships."""
    from hornbeam.cli import commands

    commands.demo(directory)
