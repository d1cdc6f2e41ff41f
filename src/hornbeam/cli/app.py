"""The commands and their options. A command imports what it needs when it runs, so that ``--help`` is fast."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam.cli.options import (
    Data,
    Decimal,
    Drop,
    Encoding,
    IgnoreCase,
    Keep,
    Missing,
    ModelFile,
    Output,
    Picture,
    Tables,
    format_of,
)
from hornbeam.export import TEXT_FORMATS

app = typer.Typer(
    name="hornbeam",
    add_completion=False,
    rich_markup_mode="markdown",
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


_OF_METHODS, _TREES, _SCORES = "Options of single methods", "Sets of trees", "Score on held-out rows"


def _read_config(context: typer.Context, config: Path | None) -> Path | None:
    """Take the options of a file as defaults, which the words on the command line precede."""
    if config is not None:
        from hornbeam.cli.config import read_config

        parameters = [one for one in context.command.params if one.name not in ("config", "help")]
        repeatable = {str(one.name): one.multiple for one in parameters}
        context.default_map = read_config(config, repeatable)
    return config


@app.command()
def fit(  # long: a line for each option
    context: typer.Context,
    data: Tables,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the classes, or with the numbers to predict.")
    ] = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(
            "--reward",
            metavar="COLUMN",
            help="Column with the reward of an action; repeatable. In place of --target: the best action for each row.",
        ),
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column with 1 for an event and 0 for a censored row. In place of --target."
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the time of the event, or of the end of observation."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file with options, such as max-depth = 3; the command line takes precedence.",
            is_eager=True,
            callback=_read_config,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="gosdt (proven optimal), split or lickety (near-optimal, fast), maptree (most probable tree), osdt "
            "(optimal, by sets of leaves), rashomon (all near-optimal trees), resplit (many of them, sooner), "
            "regression (numbers, proven optimal; the default if the target has decimals or very many values), "
            "regression-split or regression-lickety (numbers, near-optimal, fast), or, for --reward, policy and, for "
            "--event, survival (both proven optimal); regression-rashomon, policy-rashomon, survival-rashomon (all "
            "near-optimal trees of these).",
        ),
    ] = "gosdt",
    regularization: Annotated[
        str | None,
        typer.Option(
            metavar="FLOAT",
            help="Leaf penalty: what a leaf adds to the objective; auto depends on the number of rows. Default: 0.01 "
            "for sets, else auto.",
        ),
    ] = None,
    max_depth: Annotated[
        int | None,
        typer.Option(
            help="Largest number of edges from the root to a leaf. Default: 5 for split and lickety, 4 for sets, "
            "else no limit."
        ),
    ] = None,
    max_leaves: Annotated[int | None, typer.Option(help="Largest number of leaves.")] = None,
    min_samples_leaf: Annotated[int | None, typer.Option(help="Smallest number of rows in a leaf. Default: 1.")] = None,
    shape: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="gosdt: tree (default) or rule_list, where each split has a leaf."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="accuracy (default), balanced, weighted, cost, f1, auc or partial_auc."),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="regression: squared_error (default), absolute_error or quantile."),
    ] = None,
    quantile: Annotated[
        float | None, typer.Option(help="regression: the quantile to predict, such as 0.9, for `--loss quantile`.")
    ] = None,
    omega: Annotated[
        float | None,
        typer.Option(help="Cost of missing the second class, for `weighted` and `--labelling omega`. Default: 1."),
    ] = None,
    theta: Annotated[
        float | None, typer.Option(help="Largest false positive rate that counts, for `partial_auc`.")
    ] = None,
    labelling: Annotated[
        str | None, typer.Option(metavar="NAME", help="How leaves are labeled, for `f1`: best (default) or omega.")
    ] = None,
    cost_matrix: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON, for `cost`: a row per actual class, [[0, 1], [5, 0]].")
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            "--costs", metavar="ACTION=COST", help="policy: what an action costs, such as call=0.5; repeatable."
        ),
    ] = None,
    binarizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Thresholds: exact (all), quantile, auto, guess (of a boosted model) or none. Default: "
            "quantile for sets and numbers, else exact.",
        ),
    ] = None,
    n_thresholds: Annotated[int | None, typer.Option(help="Thresholds per column, for `quantile`. Default: 8.")] = None,
    decimals: Annotated[
        int | None,
        typer.Option(help="Decimals of thresholds: 1 for multiples of 0.1, -1 of 10. Default: as needed."),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Predictions of a model that is hard to beat: a file with one column and a row for each row of the "
            "table. binarizer: the model of `--binarizer guess`. The search uses its errors as a guess of the bounds.",
        ),
    ] = None,
    start_tree: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A model, or its tree as JSON, from which the search starts. Not on held-out rows.",
        ),
    ] = None,
    known_lower_bound: Annotated[
        float | None,
        typer.Option(help="gosdt: a lower bound on the objective, which is trusted. Not on held-out rows."),
    ] = None,
    known_upper_bound: Annotated[
        float | None,
        typer.Option(help="gosdt: search only for trees with at most this objective. Not on held-out rows."),
    ] = None,
    smoothing: Annotated[
        str | None,
        typer.Option(metavar="FLOAT", help="Probabilities of `predict --proba`: laplace, or m of the m-estimate."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help=f"Seconds from reading the table to the tree; inf: no limit. Default: {DEFAULT_TIME_LIMIT:g} for "
            "gosdt, regression, policy, survival, osdt and maptree, else no limit."
        ),
    ] = None,
    memory_limit: Annotated[str | None, typer.Option(metavar="BYTES", help="Such as 500MB or 2GB.")] = None,
    temporary_folder: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="gosdt, split, lickety: for rows of a folder that exceed --memory-limit."),
    ] = None,
    gap_limit: Annotated[float | None, typer.Option(help="Stop at this gap, a fraction of the objective.")] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Save what is proven to this file, and resume from it. Not on held-out rows."
        ),
    ] = None,
    checkpoint_interval: Annotated[
        float | None, typer.Option(help="Seconds between two saves. Default: 60. Not on held-out rows.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of the search. Default: 1.")] = None,
    lookahead_depth: Annotated[
        int | None,
        typer.Option(help="split, resplit: levels searched exhaustively. Default: 2.", rich_help_panel=_OF_METHODS),
    ] = None,
    completion: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="split: what completes the best prefix, optimal (default) or greedy trees.",
            rich_help_panel=_OF_METHODS,
        ),
    ] = None,
    last_split: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="split, lickety: last split of greedy trees by gain (default) or loss.",
            rich_help_panel=_OF_METHODS,
        ),
    ] = None,
    certify: Annotated[
        bool | None,
        typer.Option(
            "--certify/--no-certify",
            help="split, lickety, also for numbers: run the exact search afterwards, for a better lower bound.",
            rich_help_panel=_OF_METHODS,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="maptree: probability of a split at the root. Default: 0.95.", rich_help_panel=_OF_METHODS),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(help="maptree: how that falls with depth. Default: 0.5.", rich_help_panel=_OF_METHODS),
    ] = None,
    rho: Annotated[
        list[float] | None,
        typer.Option(
            "--rho",
            help="maptree: prior count of the classes, one for all or, repeated, one for each. Default: 2.5.",
            rich_help_panel=_OF_METHODS,
        ),
    ] = None,
    max_expansions: Annotated[
        int | None,
        typer.Option(help="maptree, osdt: largest number of expansions.", rich_help_panel=_OF_METHODS),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="osdt: which set of leaves comes next: curiosity (default), objective, lower_bound, entropy, gini, "
            "fifo or random (with --seed).",
            rich_help_panel=_OF_METHODS,
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="osdt: first tree, cart (default) or none.", rich_help_panel=_OF_METHODS),
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="How much worse than the best tree a tree may be; 0: equally good. Default: 0.05.",
            rich_help_panel=_TREES,
        ),
    ] = None,
    epsilon_is: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="multiplier (default) or absolute.", rich_help_panel=_TREES),
    ] = None,
    rashomon_bound: Annotated[
        float | None,
        typer.Option(
            help="Largest objective of a tree in the set, in place of --epsilon.",
            rich_help_panel=_TREES,
        ),
    ] = None,
    distinct: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which trees count as different: splits (default), columns or labels.",
            rich_help_panel=_TREES,
        ),
    ] = None,
    resolution: Annotated[
        float | None,
        typer.Option(
            help="Sets for numbers, rewards and times: the unit that losses are rounded to, as a share of that of a "
            "single leaf. Default: 0.001.",
            rich_help_panel=_TREES,
        ),
    ] = None,
    best: Annotated[
        int, typer.Option(help="How many of the best trees to show and to write.", rich_help_panel=_TREES)
    ] = 1,
    sample: Annotated[
        int, typer.Option(help="How many trees at random to show and to write, with --seed.", rich_help_panel=_TREES)
    ] = 0,
    trees: Annotated[
        Path | None,
        typer.Option(
            metavar="DIRECTORY",
            help="Write each of these trees here as a model: tree-0.json is the best one.",
            rich_help_panel=_TREES,
        ),
    ] = None,
    timbertrek: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write these trees as JSON for TimberTrek.", rich_help_panel=_TREES),
    ] = None,
    test_size: Annotated[
        float | None,
        typer.Option(
            metavar="FRACTION",
            help="Score on this fraction of the rows, such as 0.25, held out of a second fit.",
            rich_help_panel=_SCORES,
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            metavar="FOLDS",
            help="Score by cross-validation: one more fit for each fold.",
            rich_help_panel=_SCORES,
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            help="Seed of the split of --test-size or --cv, of --sample and of `random`.", rich_help_panel=_SCORES
        ),
    ] = 0,
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
    """Find the best tree of a table and prove it; print how the columns were read, the tree and the proof.

    Options that are not given have the defaults of the method's classifier in Python.

    Empty cells and NA, N/A, n/a, NaN, null and ? are missing values; among numbers and dates also -, --, none,
    unknown and the like. Dates, times, decimal commas and numbers with a unit (12 kg, 3 %, $1,200) are recognized if
    the whole column is written like this. Rows without a class, without any reward, or without event or time are left
    out; a reward that is missing means that the action is not available for the row.

    Ctrl-C ends the search with the best tree so far and exit code 0, as limits do. Errors exit with code 2.

    The tree is always fitted on all rows. --test-size and --cv estimate its quality on new rows: they fit trees with
    the same options on a part of the rows (each class in equal shares), and score them on the rest. Limits apply to
    each of these fits. The tree is printed and written first; Ctrl-C then ends the command without a score and with
    exit code 130.
    """
    from hornbeam.cli import commands, fitting, held_out, methods, policies, row_fits, sets, survivals

    given = {
        name: value
        for name, value in context.params.items()
        if getattr(context.get_parameter_source(name), "name", "") not in ("DEFAULT", "")
    }
    given["seed"] = seed
    if loss is not None or quantile is not None:  # only numbers have them
        given.setdefault("method", methods.REGRESSION)

    def request_of(name: str) -> methods.Request:
        methods.check_options(name, given, "" if config is None else f" (on the command line or in {config})")
        return fitting.request_for(name, given)

    method = methods.method_for(target, reward, event, time, given.get("method"))
    of_rows = held_out.held_out(test_size, cv, seed, quiet=quiet)
    request, written = request_of(method), format_of(decimal, encoding, missing, ignore_case)
    kept, dropped = keep or (), drop or ()
    set_output = sets.SetOutput(best, sample, seed, trees, timbertrek) if method in methods.SETS else None
    output = row_fits.Output(of_rows, set_output, model, picture, quiet)
    if reward:
        policies.fit_policy(data, reward, request, written, kept, dropped, output)
    elif event is not None and time is not None:
        survivals.fit_survival(data, event, time, request, written, kept, dropped, output)
    elif target is not None:
        is_file = reference is not None and reference != fitting.FROM_BINARIZER
        commands.fit(
            data,
            target,
            request,
            written,
            keep=kept,
            drop=dropped,
            reference=Path(str(reference)) if is_file else None,
            of_numbers=None if "method" in given else lambda: request_of(methods.REGRESSION),
            **output._asdict(),
        )


@app.command()
def columns(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the classes or numbers, to find copies of classes."),
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

    written = format_of(decimal, encoding, missing, ignore_case)
    commands.columns(data, target, written, keep=keep or (), drop=drop or ())


@app.command()
def predict(
    model: ModelFile,
    data: Tables,
    output: Output = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of each class in the leaf.")] = False,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
) -> None:
    """Predict the class, number, action or hazard ratio of each row. The table needs the columns that the tree tests.

    Dates are read in the format of the training file, and its --missing values are missing here, too. The output is
    CSV, or Parquet if its name ends in .parquet, as it must for a folder.
    """
    from hornbeam.cli import commands

    commands.predict(model, data, output, format_of(decimal, encoding, missing), proba=proba)


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
