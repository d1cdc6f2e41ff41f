"""Tables larger than memory: read twice in batches, and merged to the distinct rows that the conditions tell apart."""

from hornbeam.streaming.merging import StreamedRows, read_streamed
from hornbeam.streaming.source import is_streamed

__all__ = ["StreamedRows", "is_streamed", "read_streamed"]
