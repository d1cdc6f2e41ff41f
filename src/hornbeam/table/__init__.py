"""Tables: columns of numbers, categories and dates, read from arrays, lists and data frames."""

from hornbeam.table.column import KINDS, Column, Kind, is_missing_value
from hornbeam.table.reading import TableInput, read_table
from hornbeam.table.table import Table, TableSchema

__all__ = ["KINDS", "Column", "Kind", "Table", "TableInput", "TableSchema", "is_missing_value", "read_table"]
