"""Survival times: curves, how they are given, and metrics."""
