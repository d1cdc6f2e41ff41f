"""Warnings of hornbeam."""


class NotProvenWarning(UserWarning):
    """A search was stopped by a limit before its tree was proven optimal; the tree and its gap are valid."""
