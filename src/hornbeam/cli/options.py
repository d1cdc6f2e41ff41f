"""The arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hornbeam.cli.text_columns import CsvFormat

Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="CSV (header line; comma, semicolon or tab) or Parquet file.")
]
Tables = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="CSV (header line; comma, semicolon or tab) or Parquet file; or a folder or quoted pattern of such files, "
        "which are read in batches and may be larger than memory.",
    ),
]
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
    list[str] | None, typer.Option("--missing", metavar="TEXT", help='One more text that means "missing"; repeatable.')
]
IgnoreCase = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Read the text of this column in lower case; repeatable."),
]
Output = Annotated[Path | None, typer.Option(metavar="FILE", help="Write here instead of to the screen.")]


def format_of(
    decimal: str | None, encoding: str | None, missing: list[str] | None, ignore_case: list[str] | None = None
) -> CsvFormat:
    """Return what the options tell of the format of a table."""
    from hornbeam.cli.text_columns import CsvFormat

    return CsvFormat(decimal or "", encoding or "", tuple(missing or ()), ignore_case=tuple(ignore_case or ()))
