"""Reports of the benchmarks: what the runs of a suite show, in tables and pictures."""
