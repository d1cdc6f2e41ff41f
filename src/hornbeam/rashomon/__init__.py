"""Sets of all good trees: how they are found, and what they can tell."""
