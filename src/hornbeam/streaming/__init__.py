"""Tables larger than memory: read in batches, and merged to distinct rows; predictions written batch by batch."""

from hornbeam.streaming.files import check_folder
from hornbeam.streaming.merging import StreamedRows, read_streamed
from hornbeam.streaming.predicting import write_predictions
from hornbeam.streaming.source import is_streamed

__all__ = ["StreamedRows", "check_folder", "is_streamed", "read_streamed", "write_predictions"]
