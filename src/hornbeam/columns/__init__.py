"""A report on how columns were read, and warnings about those that were probably not meant so."""

from hornbeam.columns._remarks import ColumnRemark
from hornbeam.columns._text import MISSING_MARKERS, text_kind
from hornbeam.columns._values import missing_code, spellings
from hornbeam.columns._warn import warn_of_columns, warn_of_copy
from hornbeam.columns.report import ColumnReport, ColumnSummary, column_report

__all__ = [
    "MISSING_MARKERS",
    "ColumnRemark",
    "ColumnReport",
    "ColumnSummary",
    "column_report",
    "missing_code",
    "spellings",
    "text_kind",
    "warn_of_columns",
    "warn_of_copy",
]
