"""What every fit does: training data, integer scales, the choice of the search, progress and advice."""
