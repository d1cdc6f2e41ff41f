"""Reports of the benchmarks: what the runs of a suite say, in tables and pictures."""

from benchmarks.report.document import write
from benchmarks.report.performance import performance_table

__all__ = ["performance_table", "write"]
