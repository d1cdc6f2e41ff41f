"""Warnings of hornbeam."""


class NotProvenWarning(UserWarning):
    """A search was stopped by a limit before its tree was proven optimal; the tree and its gap are valid.

    The message suggests parameters that help, or another estimator, as code to paste.

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


class ColumnWarning(UserWarning):
    """A column was probably not read as intended: numbers or dates as text, an identifier, a copy of the target.

    The warning also covers codes of missing values such as -999, spellings that differ only in capitals, and a target
    that is a quantity. A cross-validation of scikit-learn warns of each column once, not in each fold.

    The message names the column, what was found, and code that fixes it. `hornbeam.column_report` lists all columns.

    Examples
    --------
    >>> import warnings
    >>> from hornbeam import ColumnWarning, GOSDTClassifier
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     classifier = GOSDTClassifier().fit([["17,0"], ["18,5"], ["20,0"]], [0, 0, 1])
    >>> print(caught[0].message)  # doctest: +ELLIPSIS
    Column 'x0' holds numbers with decimal commas as text, such as '18,5'; each value became a category. ...
        X = pd.DataFrame(X); X[0] = pd.to_numeric(X[0].str.replace(",", "."), errors="coerce")
    If categories are meant, declare them:
        X = pd.DataFrame(X); X[0] = X[0].astype("category")
    """
