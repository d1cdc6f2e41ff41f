"""Measures hornbeam against other programs that find optimal or sparse decision trees; see ``ARCHITECTURE.md``."""
