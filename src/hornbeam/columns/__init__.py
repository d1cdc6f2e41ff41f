"""A report on how columns were read, and warnings about those that were probably not meant so."""

from hornbeam.columns._remarks import ColumnRemark
from hornbeam.columns._text import MISSING_MARKERS, look_at
from hornbeam.columns._values import missing_code, spellings
from hornbeam.columns._warn import warn_of_columns, warn_of_copy
from hornbeam.columns.report import ColumnReport, ColumnSummary, column_report

__all__ = [
    "MISSING_MARKERS",
    "ColumnRemark",
    "ColumnReport",
    "ColumnSummary",
    "column_report",
    "look_at",
    "missing_code",
    "spellings",
    "warn_of_columns",
    "warn_of_copy",
]
