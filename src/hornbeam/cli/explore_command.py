"""The command `hornbeam explore`: its options, and its steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from hornbeam.cli.app import app
from hornbeam.cli.options import Decimal, Drop, Encoding, Keep, Missing, format_of

if TYPE_CHECKING:
    from hornbeam.explorer import Engine

_TEST_SIZE = 0.25
_OBJECTIVES = ("accuracy", "balanced", "weighted", "f1", "auc")
_SAVED = (".pkl", ".pickle", ".joblib")
Find: TypeAlias = "Callable[[Callable[[Any], bool] | None], Engine]"
_OF_SAVED_SETS = {"data", "test_data", "port", "no_browser", "export", "decimal", "encoding", "missing", "ignore_case"}


@app.command()
def explore(  # long: a line for each option
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="CSV (header line; comma, semicolon or tab) or Parquet file; or a fitted RashomonSetClassifier that "
            "was saved by pickle (.pkl) or joblib (.joblib). Such a file can run code: open only what you trust.",
        ),
    ],
    target: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with the classes.")] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(help="How much worse than the best tree a good tree may be, as a share. Default: 0.05."),
    ] = None,
    regularization: Annotated[
        str | None,
        typer.Option(metavar="FLOAT", help="Leaf penalty: what a leaf adds to the objective. Default: 0.01."),
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(help="Largest number of edges from the root to a leaf. Default: 4.")
    ] = None,
    min_samples_leaf: Annotated[int | None, typer.Option(help="Smallest number of rows in a leaf. Default: 1.")] = None,
    objective: Annotated[
        str | None, typer.Option(metavar="NAME", help="accuracy (default), balanced, weighted, f1 or auc.")
    ] = None,
    omega: Annotated[
        float | None, typer.Option(help="Cost of missing the second class, for `weighted`. Default: 1.")
    ] = None,
    binarizer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Thresholds: quantile (default), exact, auto, guess or none.")
    ] = None,
    n_thresholds: Annotated[int | None, typer.Option(help="Largest number of thresholds of a column.")] = None,
    decimals: Annotated[int | None, typer.Option(help="Decimal places of thresholds.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End the search for the set; the page says what is missing.")
    ] = None,
    memory_limit: Annotated[str | None, typer.Option(metavar="BYTES", help="Such as 500MB or 2GB.")] = None,
    test_size: Annotated[
        float, typer.Option(metavar="FRACTION", help="Keep this fraction of the rows for tests; 0: none.")
    ] = _TEST_SIZE,
    seed: Annotated[int, typer.Option(help="Seed of the split of --test-size.")] = 0,
    test_data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Table with test rows for a saved set, in place of --test-size."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the server; 0: any free one.")] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address only, and open no browser.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page that works without a server, for at most 10,000 trees, and start none."
        ),
    ] = None,
    keep: Keep = None,
    drop: Drop = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    missing: Missing = None,
    ignore_case: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Read the text of this column in lower case; repeatable."),
    ] = None,
) -> None:
    """Find all good trees of a table, and explore them in the browser.

    The page is served on this machine alone, at an address with a secret part, until Ctrl-C. It shows how many good
    trees there are, all splits that lead to one, and what filters exclude; it saves the tree that you
    choose to a file.
    """
    from hornbeam.cli.errors import CommandError, interrupts_told, refusals_as_command_errors
    from hornbeam.cli.fitting import request_for
    from hornbeam.cli.writing import check_writable

    if export is None:
        _need_server()
    else:
        check_writable(export)
    if not 0 <= port < 1 << 16:
        raise CommandError(f"--port {port}: expected a number from 0 to 65535")
    if not 0 <= test_size < 1:
        raise CommandError(f"--test-size {test_size:g}: expected a fraction of the rows, at least 0 and below 1")
    if objective not in (None, *_OBJECTIVES):
        raise CommandError(f"--objective {objective!r}: expected {', '.join(_OBJECTIVES[:-1])} or {_OBJECTIVES[-1]}")
    given = {
        name: value
        for name, value in context.params.items()
        if getattr(context.get_parameter_source(name), "name", "") != "DEFAULT" and name != "seed"
    }
    written = format_of(decimal, encoding, missing, ignore_case)
    if data.suffix in _SAVED:
        refused = sorted(set(given) - _OF_SAVED_SETS)
        if refused:
            raise CommandError(
                f"--{refused[0].replace('_', '-')}: {data} is a saved set, which has been searched already"
            )
        engine = _engine_of_saved(data, test_data, written)
        if export is not None:
            _write_page(engine, export)
        else:
            _serve(engine, port=port, opens_browser=not no_browser)
    elif target is None:
        raise CommandError("--target: name the column with the classes")
    elif test_data is not None:
        raise CommandError("--test-data is for saved sets; --test-size keeps rows of the table for tests")
    else:
        request = request_for("rashomon", given)
        request.check()
        columns = {"keep": keep or (), "drop": drop or ()}
        find, about = _search(data, target, request, written, columns, test_size, seed)
        if export is not None:
            with interrupts_told("before the good trees were found"), refusals_as_command_errors():
                engine = find(None)
            _write_page(engine, export)
        else:
            _serve_search(find, about, port=port, opens_browser=not no_browser)


def _need_server() -> None:
    """Refuse before a search if the server is not installed."""
    from hornbeam.cli.errors import CommandError

    try:
        import starlette
        import uvicorn
    except ModuleNotFoundError as error:
        raise CommandError(
            f"explore needs {error.name}; install it with: python -m pip install 'hornbeam[explore]'"
        ) from error
    del starlette, uvicorn


def _search(
    data: Path, target: str, request: Any, written: Any, columns: dict[str, Any], test_size: float, seed: int
) -> tuple[Find, dict[str, Any]]:
    """Read the table; return what finds the set and makes the engine, and what the page shows until then."""
    import numpy as np
    import polars as pl

    from hornbeam.cli.data import check_columns, choose_columns, read_frame, split_target, with_class
    from hornbeam.cli.errors import interrupts_told
    from hornbeam.cli.fitting import fit_classifier
    from hornbeam.cli.held_out import HeldOut, splits
    from hornbeam.explorer import Engine

    with interrupts_told("before the table was read"):
        read = read_frame(data, written)
        check_columns(read.frame, [target], data)
        labeled, note = with_class(read.frame, target, data)
        frame, classes = split_target(
            choose_columns(labeled, target, columns["keep"], columns["drop"], data), target, data
        )
        train, test = np.arange(frame.height), None
        if test_size:
            train, test = splits(HeldOut(test_size, None, seed), classes)[0]
    if note:
        print(note, flush=True)
    print(f"Searching for all good trees of {len(train):,} rows ...", flush=True)
    name = f"{target}: good trees of {data.name}"

    def find(callback: Callable[[Any], bool] | None) -> Engine:
        own = replace(request, parameters={**request.parameters, "callback": callback})
        labels = pl.Series(target, classes[train])
        classifier = fit_classifier(frame[train], labels, own, quiet=callback is not None)
        test_rows = (None, None) if test is None else (frame[test], classes[test])
        return Engine(classifier, *test_rows, name=name)

    return find, {"name": name, "rows": len(train)}


def _engine_of_saved(path: Path, test_data: Path | None, written: Any) -> Any:
    """Return what answers the page for a classifier that was saved, and for the rows of a table if there is one."""
    import joblib

    from hornbeam.cli.data import read_frame, split_target, with_class
    from hornbeam.cli.errors import CommandError, interrupts_told, refusals_as_command_errors
    from hornbeam.explorer import Engine

    with interrupts_told("before the set was read"):
        try:
            classifier = joblib.load(path)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except Exception as error:  # whatever the code of the file raises
            raise CommandError(f"{path}: is not a file of pickle or joblib that can be read here: {error}") from error
        test_rows: tuple[Any, Any] = (None, None)
        with refusals_as_command_errors():
            if test_data is not None:
                target = Engine(classifier).problem.target_name
                labeled, _ = with_class(read_frame(test_data, written).frame, target, test_data)
                test_rows = split_target(labeled, target, test_data)
            return Engine(classifier, *test_rows, name=f"Good trees of {path.name}")


def _write_page(engine: Any, path: Path) -> None:
    from hornbeam.cli.errors import refusals_as_command_errors
    from hornbeam.explorer import page_of

    with refusals_as_command_errors():
        path.write_text(page_of(engine), encoding="utf-8")
    print(f"{path} shows the {engine.session.trees.n_trees:,} trees in any browser.")


def _serve_search(find: Find, about: dict[str, Any], *, port: int, opens_browser: bool) -> None:
    """Serve while the search runs; the first Ctrl-C ends the search, and the next one the server."""
    from hornbeam.explorer import BackgroundSearch
    from hornbeam.tree.words import count

    def find_aloud(callback: Callable[[Any], bool]) -> Engine:
        try:
            engine = find(callback)
        except Exception as error:
            print(f"hornbeam: error: {error}. Ctrl-C ends the explorer.", file=sys.stderr, flush=True)
            raise
        print(f"Found {count(int(engine.session.n_trees), 'good tree')}.", flush=True)
        return engine

    def takes_ctrl_c() -> bool:
        if search.stop():
            print("\nThe search ends with what it has found; the next Ctrl-C ends the explorer.", flush=True)
            return True
        return False

    search = BackgroundSearch(find_aloud, about)
    _serve(search, port=port, opens_browser=opens_browser, takes_ctrl_c=takes_ctrl_c)
    if search.failure is not None:
        raise typer.Exit(2)


def _serve(engine: Any, **options: Any) -> None:
    from hornbeam.cli.errors import CommandError
    from hornbeam.explorer import serve

    try:
        serve(engine, **options)
    except OSError as error:
        raise CommandError(f"--port {options['port']}: {error.strerror}") from error
