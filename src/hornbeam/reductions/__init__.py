"""Objectives that are not additive, each solved by a sequence of additive searches."""
