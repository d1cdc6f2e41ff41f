"""Pictures of a suite's results."""
