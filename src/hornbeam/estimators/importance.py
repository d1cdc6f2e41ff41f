"""Feature importance over a Rashomon set: how much its trees rely on each column."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone

from hornbeam._checks import as_array, as_float, check_weights, is_number, random_numbers, shown
from hornbeam._keywords import REMOVED_IN
from hornbeam._user_frame import warn_user
from hornbeam.estimators.rashomon import RashomonSetClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.parameters import check_integer, number_of_threads
from hornbeam.rashomon.rashomon_set import RashomonSet

_MOST_BOOTSTRAPS = 10**6

_Values = npt.NDArray[np.float64]
_MOST_ROWS = 20  # of a printed table


class _Table:
    """Printed as a table of the columns that some tree relies on, the largest values first."""

    columns: tuple[str, ...]

    def _heading(self) -> str:
        raise NotImplementedError

    def _measures(self) -> dict[str, _Values]:
        """Return the values of each column by heading; rows are sorted by the last heading."""
        raise NotImplementedError

    def _is_relied_on(self) -> npt.NDArray[np.bool_]:
        """Return for each column whether the reliance of some tree on it differs from 0."""
        raise NotImplementedError

    def _lines(self) -> tuple[list[list[str]], str]:
        """Return the cells of the table, the header first, and a note on the columns that are left out."""
        measures, names = self._measures(), self.columns
        used = np.flatnonzero(self._is_relied_on()).tolist()
        used.sort(key=lambda column: -list(measures.values())[-1][column])
        cells = [["column", *measures]]
        for column in used[:_MOST_ROWS]:
            cells.append([names[column], *(f"{values[column]:.3f}" for values in measures.values())])
        notes = []
        if len(used) > _MOST_ROWS:
            notes.append(f"Not shown: {_columns(len(used) - _MOST_ROWS)} of smaller values.")
        if len(used) < len(names):
            notes.append(f"No tree relies on {_columns(len(names) - len(used))}.")
        return cells, " ".join(notes)

    def __str__(self) -> str:
        cells, note = self._lines()
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        rows = [
            "  ".join([name.ljust(widths[0]), *(map(str.rjust, values, widths[1:]))]).rstrip()
            for name, *values in cells
        ]
        return "\n".join([self._heading(), "", *rows, *(["", note] if note else [])])

    def _repr_html_(self) -> str:
        (head, *rows), note = self._lines()
        made = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        caption = escape(f"{self._heading()} {note}".strip())
        return f"<table><caption>{caption}</caption><thead><tr>{made}</tr></thead><tbody>{body}</tbody></table>"


def _columns(number: int) -> str:
    return f"{number} columns" if number > 1 else "1 column"


@dataclass(frozen=True, eq=False)
class ModelClassReliance(_Table):
    """Range of the model reliance on each column over a Rashomon set, as returned by `model_class_reliance`.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns of the table.
    low, high : ndarray of shape (n_columns,)
        Smallest and largest model reliance over the trees, in the unit of the loss.
    best : ndarray of shape (n_columns,)
        Model reliance of the best tree of the set.
    n_trees_using : tuple of int of length n_columns
        Number of trees that split on the column. If all do, no good tree of this kind can do without it. Its name in
        0.1.0, `n_asking`, is deprecated.
    n_trees : int
        Number of trees that were examined.
    is_whole : bool
        Whether these are all trees of the set; if not, the range over the whole set may be wider.

    Examples
    --------
    Two good trees split on the last column, and none on the middle one.

    >>> from hornbeam import RashomonSetClassifier, model_class_reliance
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]] * 2
    >>> classifier = RashomonSetClassifier(epsilon=0.5, binarizer=None).fit(X, [0, 0, 1, 1, 0] * 2)
    >>> found = model_class_reliance(classifier.rashomon_set_)
    >>> dict(zip(found.columns, found.n_trees_using)), found.is_whole
    ({'x0': 1, 'x1': 0, 'x2': 2}, True)
    >>> print(found)
    Model reliance over all 2 good trees, in the unit of the loss.
    <BLANKLINE>
    column  best tree  least   most
    x2          0.480  0.320  0.480
    x0          0.000  0.000  0.160
    <BLANKLINE>
    No tree relies on 1 column.
    """

    columns: tuple[str, ...]
    low: _Values
    high: _Values
    best: _Values
    n_trees_using: tuple[int, ...]
    n_trees: int
    is_whole: bool

    @property
    def n_asking(self) -> tuple[int, ...]:
        """Deprecated name of `n_trees_using`."""
        warn_user(f"n_asking is now n_trees_using; hornbeam {REMOVED_IN} will remove the old name.", FutureWarning)
        return self.n_trees_using

    def _heading(self) -> str:
        trees = f"all {self.n_trees:,}" if self.is_whole else f"{self.n_trees:,} of the"
        return f"Model reliance over {trees} good trees, in the unit of the loss."

    def _measures(self) -> dict[str, _Values]:
        return {"best tree": self.best, "least": self.low, "most": self.high}

    def _is_relied_on(self) -> npt.NDArray[np.bool_]:
        return np.asarray((self.low != 0) | (self.high != 0))

    @property
    def bars(self) -> dict[str, tuple[_Values, _Values]]:
        """What `plot_importance` draws as bars, with what to call them."""
        return {"all good trees" if self.is_whole else f"{self.n_trees} of the good trees": (self.low, self.high)}

    @property
    def points(self) -> dict[str, _Values]:
        """What `plot_importance` draws as points, with what to call them."""
        return {"best tree": self.best}


@dataclass(frozen=True, eq=False)
class RashomonImportance(_Table):
    """Rashomon importance distribution: model reliance over the good trees of resampled data.

    Returned by `rashomon_importance`.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns of the table.
    reliances : tuple of ndarrays of shape (n_used, n_columns)
        For each bootstrap the model reliance of trees of its Rashomon set.
    n_trees : tuple of int
        For each bootstrap the size of its Rashomon set. If it exceeds `n_used`, trees were sampled uniformly.

    Examples
    --------
    On all bootstraps, no tree relies on the second column.

    >>> from hornbeam import RashomonSetClassifier, rashomon_importance
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]] * 20
    >>> found = rashomon_importance(RashomonSetClassifier(binarizer=None), X, [0, 0, 1, 1, 0] * 20, random_state=0)
    >>> found.cdf(0.0).tolist()
    [1.0, 1.0, 0.0]
    """

    columns: tuple[str, ...]
    reliances: tuple[_Values, ...]
    n_trees: tuple[int, ...]

    def _heading(self) -> str:
        return f"Model reliance over the good trees of {len(self.n_trees)} bootstraps, in the unit of the loss."

    def _measures(self) -> dict[str, _Values]:
        return {"5 %": self.quantile(0.05), "95 %": self.quantile(0.95), "mean": self.mean()}

    def _is_relied_on(self) -> npt.NDArray[np.bool_]:
        return np.asarray(np.any(np.concatenate(self.reliances) != 0, axis=0))

    def cdf(self, k: float) -> _Values:
        """Return the distribution function at `k`.

        Parameters
        ----------
        k : float
            A model reliance.

        Returns
        -------
        ndarray of shape (n_columns,)
            Mean over the bootstraps of the share of the trees whose reliance on the column is at most `k`.
        """
        if not is_number(k):
            raise TypeError(f"k must be a number, got {shown(k)}.")
        k = as_float(k)
        return np.asarray(np.mean([np.mean(values <= k, axis=0) for values in self.reliances], axis=0))

    def mean(self) -> _Values:
        """Return the mean of the distribution.

        Returns
        -------
        ndarray of shape (n_columns,)
        """
        return np.asarray(np.mean([values.mean(axis=0) for values in self.reliances], axis=0))

    def quantile(self, q: float) -> _Values:
        """Return a quantile of the distribution.

        Parameters
        ----------
        q : float
            Between 0 and 1.

        Returns
        -------
        ndarray of shape (n_columns,)
            The least reliance at which the distribution function is at least `q`.

        Raises
        ------
        ValueError
            If `q` is not between 0 and 1.
        """
        if not is_number(q) or not 0 <= q <= 1:
            raise ValueError(f"q must be between 0 and 1, got {shown(q)}.")
        values = np.concatenate(self.reliances)
        weights = np.concatenate([np.full(len(each), 1 / len(each)) for each in self.reliances]) / len(self.reliances)
        order = np.argsort(values, axis=0, kind="stable")
        reached = np.cumsum(weights[order], axis=0)
        at = np.argmax(reached >= q - 1e-12, axis=0)  # the sums are rounded
        return np.asarray(np.sort(values, axis=0)[at, np.arange(values.shape[1])])

    @property
    def bars(self) -> dict[str, tuple[_Values, _Values]]:
        """What `plot_importance` draws as bars, with what to call them."""
        return {
            "90 % of the distribution": (self.quantile(0.05), self.quantile(0.95)),
            "50 %": (self.quantile(0.25), self.quantile(0.75)),
        }

    @property
    def points(self) -> dict[str, _Values]:
        """What `plot_importance` draws as points, with what to call them."""
        return {"mean": self.mean()}


def model_class_reliance(trees: RashomonSet, indices: Iterable[int] | None = None) -> ModelClassReliance:
    """Find the smallest and the largest reliance of the trees of a Rashomon set on each column.

    The range is exact and covers all trees of the set, however many there are: the trees that rely least and most are
    found in the graph that all share, without listing trees.

    Parameters
    ----------
    trees : RashomonSet
        ``rashomon_set_`` of a fitted `RashomonSetClassifier`.
    indices : iterable of int or None, default=None
        Numbers of the trees that the range covers, such as those of ``trees.sample(1000)``. None: all trees of the set,
        whatever its size. Trees of RESPLIT share no such graph; they are examined one by one, at about 0.3 milliseconds
        per tree.

    Returns
    -------
    ModelClassReliance

    Raises
    ------
    ValueError
        If there is no tree: the set or `indices` is empty.
    IndexError
        If there is no tree of one of these numbers.

    Notes
    -----
    The model reliance of a tree on a column is the increase in its loss when the values of that column are shuffled
    among the training rows: ``sum_ik w_i w_k L(tree(x_i with the column from x_k), y_i) / (sum_i w_i)**2 - sum_i w_i
    L(tree(x_i), y_i) / sum_i w_i`` for row weights w and the loss L of the objective. This is model reliance as a
    difference (section 3 and appendix A.5 of [1]_): the mean over all permutations of the column, which permutation
    importance estimates. The sums run over all pairs of rows, including a row with itself, so that a row of weight 2
    counts as two rows; [1]_ leaves these pairs out (equation 3.3), which makes the value n / (n - 1) times as large for
    n rows of equal weight. All conditions on a column move together. Weights that are not whole numbers are rounded to
    2^-51 of their sum in the choice of the row that values come from.

    The range over all models whose loss is within a bound is model class reliance (section 4 of [1]_). Here the bound
    is on the objective that defines the set: loss plus leaf penalty.

    There is no time limit, but Ctrl-C ends the computation. Its time does not depend on the number of trees: for each
    column that some condition tests, the graph of the set is traversed once for every pair of row sets that the
    conditions on the column make. So the time grows with the number of subproblems
    (``statistics_["set_subproblems"]``), of columns and of their thresholds. It can be many times that of finding the
    set: with 38 binary columns, each a variable of its own, about 40 times (11 seconds for 9 million trees of depth 5).
    If it takes too long, use a sample (`indices`), which seldom reaches the ends of the range.

    References
    ----------
    .. [1] A. Fisher, C. Rudin, F. Dominici, "All Models are Wrong, but Many are Useful: Learning a Variable's
           Importance by Studying an Entire Class of Prediction Models Simultaneously", JMLR 20 (177), 2019.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier, model_class_reliance
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]] * 2
    >>> y = [0, 0, 1, 1, 0] * 2
    >>> classifier = RashomonSetClassifier(epsilon=0.5, binarizer=None).fit(X, y)
    >>> found = model_class_reliance(classifier.rashomon_set_)
    >>> found.n_trees, found.n_trees_using, found.low.round(2).tolist(), found.high.round(2).tolist()
    (2, (1, 0, 2), [0.0, 0.0, 0.32], [0.16, 0.0, 0.48])
    """
    if not isinstance(trees, RashomonSet):
        raise TypeError(f"trees must be a RashomonSet, such as rashomon_set_, got {type(trees).__name__}.")
    if trees.n_trees == 0:
        raise ValueError("the set holds no tree; raise epsilon or rashomon_bound.")
    best = trees.reliance([0])[0]
    # Only an exact set is one graph. Trees of RESPLIT, and chosen ones, are examined one by one.
    if indices is None and trees.complete_up_to > -inf:
        low, high, n_avoiding = trees._range_of_reliance()
        n_trees = trees.n_trees
        used = tuple(n_trees - n_avoiding.get(column, n_trees) for column in range(len(trees.columns)))
        return ModelClassReliance(trees.columns, low, high, best, used, n_trees, True)
    numbers = list(trees._numbers(indices))
    if not numbers:
        raise ValueError("indices is empty; give the number of at least one tree.")
    values = trees.reliance(numbers)
    splits = [{step.column for step in trees[number].conditions if step is not None} for number in numbers]
    n_trees_using = [sum(column in columns for columns in splits) for column in range(len(trees.columns))]
    whole = len(set(numbers)) == trees.n_trees
    return ModelClassReliance(
        trees.columns, values.min(axis=0), values.max(axis=0), best, tuple(n_trees_using), len(numbers), whole
    )


def rashomon_importance(
    estimator: RashomonSetClassifier,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    n_bootstraps: int = 10,
    n_samples: int | None = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> RashomonImportance:
    """Find the Rashomon importance distribution: how much good trees rely on each column, stable under resampling.

    For each bootstrap, rows are sampled with replacement, a Rashomon set is found, and the reliance of its trees on
    each column is computed on the sampled rows.

    Parameters
    ----------
    estimator : RashomonSetClassifier
        How the sets are found; it is cloned, not fitted.
    X, y, sample_weight
        See `RashomonSetClassifier.fit`.
    n_bootstraps : int, default=10
        Number of bootstraps.
    n_samples : int or None, default=1000
        From larger sets, this many trees are sampled uniformly and independently; from smaller ones all trees are used.
        None: all trees of all sets, at about 0.3 milliseconds per tree.
    random_state : int, RandomState or None, default=None
        As in scikit-learn. With an int the result is the same for every `n_jobs`.
    n_jobs : int or None, default=None
        Number of bootstraps at a time, as in joblib: None is 1 outside of a joblib context, -1 is all processors.

    Returns
    -------
    RashomonImportance

    Raises
    ------
    ValueError
        If a parameter is out of range, a bootstrap has only one class, or `fit` raises it.
    TypeError
        If `estimator` is not a `RashomonSetClassifier`, or `fit` raises it.

    Warns
    -----
    NotProvenWarning
        If some searches were stopped, so that their sets lack trees.

    Notes
    -----
    The distribution function of a column at k is the mean over the bootstraps of the share of the trees in the set
    whose reliance is at most k. This is the definition of RID in section 3 of [1]_, estimated from `n_bootstraps`
    bootstraps, with model reliance as in `model_class_reliance`. `fit` gets each bootstrap as weights: `sample_weight`
    times how often a row was sampled; `min_samples_leaf` counts a row once.

    References
    ----------
    .. [1] J. Donnelly, S. Katta, C. Rudin, E. Browne, "The Rashomon Importance Distribution: Getting RID of Unstable,
           Single Model-based Variable Importance", NeurIPS 2023.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier, rashomon_importance
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]] * 20
    >>> y = [0, 0, 1, 1, 0] * 20
    >>> found = rashomon_importance(RashomonSetClassifier(binarizer=None), X, y, random_state=0)
    >>> found.columns, found.mean().round(1).tolist(), len(found.n_trees)
    (('x0', 'x1', 'x2'), [0.0, 0.0, 0.5], 10)
    """
    if n_jobs is not None:
        number_of_threads(n_jobs)  # joblib's own checks come too late, and in other words
    if not isinstance(estimator, RashomonSetClassifier):
        raise TypeError(f"estimator must be a RashomonSetClassifier, got {type(estimator).__name__}.")
    n_bootstraps = check_integer("n_bootstraps", n_bootstraps, least=1, most=_MOST_BOOTSTRAPS)
    if n_samples is not None:
        n_samples = check_integer("n_samples", n_samples, least=1)
    weights = _weights_of_rows(sample_weight, y)
    seeds = random_numbers(random_state).randint(2**31, size=n_bootstraps)
    n_workers = n_jobs if n_jobs is None else min(int(n_jobs), n_bootstraps)
    done = Parallel(n_jobs=n_workers)(
        delayed(_of_bootstrap)(estimator, X, y, weights, n_samples, seed) for seed in seeds
    )
    columns, reliances, n_trees, statuses = zip(*done, strict=True)
    stopped = [status for status in statuses if status not in ("complete", "heuristic")]
    if stopped:
        warn_user(
            f"{len(stopped)} of {n_bootstraps} searches stopped before all trees were found (status "
            f"{', '.join(map(repr, sorted(set(stopped))))}): the importances cover only the trees found. To find all, "
            "raise the limits, lower epsilon or max_depth, raise regularization or use fewer binary columns.",
            NotProvenWarning,
        )
    return RashomonImportance(columns[0], reliances, n_trees)


def _weights_of_rows(sample_weight: Any, y: Any) -> npt.NDArray[Any]:
    """Check the weights before rows are sampled; the `fit` of a bootstrap checks everything else."""
    labels = as_array("y", y)
    if labels.ndim == 0:
        raise ValueError(f"y must have one label for each row of X, got {shown(y)}.")
    n_rows = len(labels)
    return np.ones(n_rows) if sample_weight is None else check_weights(sample_weight, n_rows)


def _of_bootstrap(
    estimator: RashomonSetClassifier, X: Any, y: Any, weights: npt.NDArray[Any], n_samples: int | None, seed: int
) -> tuple[tuple[str, ...], _Values, int, str]:
    """Return columns, reliances, size and status of the set of one bootstrap."""
    random = np.random.RandomState(seed)
    drawn = np.bincount(random.randint(len(weights), size=len(weights)), minlength=len(weights))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)  # the caller warns once of all bootstraps
        classifier = clone(estimator).fit(X, y, sample_weight=weights * drawn)
    trees = classifier.rashomon_set_
    if trees.n_trees == 0:
        raise ValueError(
            f"the search of a bootstrap stopped (status {classifier.status_!r}) before any tree of its Rashomon set "
            "was known; allow more time or memory."
        )
    uses_all = n_samples is None or trees.n_trees <= n_samples
    reliances = trees.reliance(None if uses_all else trees.sample(n_samples, random))
    return trees.columns, reliances, trees.n_trees, classifier.status_
