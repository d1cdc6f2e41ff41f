"""Warnings of hornbeam."""


class NotProvenWarning(UserWarning):
    """A search was stopped by a limit before its tree was proven optimal; the tree and its gap are valid.

    The message suggests what helps the problem at hand, as code to paste: parameters, or another estimator.

    Examples
    --------
    >>> import warnings
    >>> from hornbeam import GOSDTClassifier, NotProvenWarning
    >>> from hornbeam.datasets import load_monk
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NotProvenWarning)
    ...     stopped = GOSDTClassifier(0.001, time_limit=0).fit(*load_monk(2, return_X_y=True))
    >>> stopped.status_, stopped.lower_bound_ <= stopped.objective_
    ('time_limit', True)
    """
