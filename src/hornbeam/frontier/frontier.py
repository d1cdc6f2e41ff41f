"""What `frontier` and `regularization_path` of the exact estimators return."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from math import inf
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from hornbeam._checks import is_integer, is_number, shown
from hornbeam.fitting.progress import relative_gap
from hornbeam.frontier.held_out import loss_of_objective

# How far below the path a leaf penalty may be: that of the path is rounded to the resolution of the search.
_ROUNDING = 1e-9


class PathSegment(NamedTuple):
    """A tree of the regularization path, and the leaf penalties for which it is the best one.

    Attributes
    ----------
    regularization_min, regularization_max : float
        Ends of the interval, in the unit of `regularization`; `regularization_max` is infinite for the last segment.
    n_leaves : int
        Number of leaves of the tree.
    loss : float
        Its loss on the training data, in the unit of the objective.
    is_proven : bool
        Whether it is proven that no tree has a smaller objective for any leaf penalty in the interval. Otherwise the
        tree is the best one known there.
    classifier : GOSDTClassifier, PolicyTree, GOSDTRegressor or SurvivalTree
        The fitted estimator with this tree.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> smallest = GOSDTClassifier(regularization=0.01).regularization_path(X, y).path[-1]
    >>> smallest.n_leaves, smallest.loss, smallest.regularization_min, smallest.regularization_max
    (1, 0.5, 0.25, inf)
    """

    regularization_min: float
    regularization_max: float
    n_leaves: int
    loss: float
    is_proven: bool
    classifier: Any

    @property
    def regularization(self) -> float:
        """A leaf penalty within the interval: the geometric mean of its ends, which cross-validation compares.

        Twice the smaller end if the larger one is infinite, and half of the larger one if the smaller one is 0.
        """
        if self.regularization_max == inf:
            return 2 * self.regularization_min
        if self.regularization_min == 0:
            return self.regularization_max / 2
        return float(np.sqrt(self.regularization_min * self.regularization_max))


class Frontier:
    """The least loss of any tree with at most k leaves, for each k, and the regularization path.

    Made by `GOSDTClassifier.frontier`, or by `GOSDTClassifier.regularization_path` with the sizes of the path only.

    Attributes
    ----------
    n_leaves : ndarray of int of shape (n_sizes,)
        Largest numbers of leaves, rising.
    losses : ndarray of float of shape (n_sizes,)
        The loss on the training data of the best tree known with at most so many leaves, in the unit of the objective.
    lower_bounds : ndarray of float of shape (n_sizes,)
        No tree with at most so many leaves loses less. Equal to `losses` where they are proven, of
        numbers up to `rounding_` of the estimator.
    statuses : tuple of str of length n_sizes
        "optimal" where the loss is proven; elsewhere why the search ended, as in `GOSDTClassifier.status_`.
    classifiers : tuple of GOSDTClassifier, PolicyTree, GOSDTRegressor or SurvivalTree, of length n_sizes
        A fitted estimator for each size, as by a fit with ``regularization=0`` and `max_leaves` of this size.
    path : tuple of PathSegment
        The trees that are best for some leaf penalty, the smallest penalty first. Their losses are the corners of the
        convex hull of the frontier; other sizes are best for no penalty.
    bounds : tuple of (float, float)
        The leaf penalties that were searched, rising, each with a lower bound of the objective of every tree. The least
        objective is concave in the leaf penalty, so the line between two of them is a lower bound, too.
    status : str
        "optimal" if everything is proven; otherwise why the search ended.
    statistics : dict
        "searches", "subproblems" of all searches, "bytes" of what they share, "seconds" of the whole call.

    See Also
    --------
    hornbeam.plot_frontier : Draws it.
    hornbeam.GOSDTClassifierCV : Chooses the leaf penalty by cross-validation.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> frontier = GOSDTClassifier(regularization=0.01).frontier(X, y)
    >>> frontier.n_leaves.tolist()
    [1, 2, 3, 4, 5, 6, 7]
    >>> [round(loss, 3) for loss in frontier.losses.tolist()]
    [0.5, 0.25, 0.25, 0.167, 0.167, 0.083, 0.0]
    >>> frontier.status, frontier.classifier(n_leaves=5).n_leaves_
    ('optimal', 4)
    >>> [(segment.n_leaves, round(segment.regularization_max, 4)) for segment in frontier.path]
    [(7, 0.05), (2, 0.25), (1, inf)]
    """

    def __init__(
        self,
        n_leaves: Sequence[int],
        losses: Sequence[float],
        lower_bounds: Sequence[float],
        statuses: Sequence[str],
        classifiers: Sequence[Any],
        path: Sequence[PathSegment],
        bounds: Sequence[tuple[float, float]],
        status: str,
        statistics: dict[str, float],
    ) -> None:
        self.n_leaves = np.array(n_leaves, dtype=np.int64)
        self.losses = np.array(losses, dtype=np.float64)
        self.lower_bounds = np.array(lower_bounds, dtype=np.float64)
        self.statuses = tuple(statuses)
        self.classifiers = tuple(classifiers)
        self.path = tuple(path)
        self.status = status
        self.statistics = statistics
        self.bounds = tuple(bounds)

    def __len__(self) -> int:
        """Return the number of sizes."""
        return len(self.n_leaves)

    def __getitem__(self, key: object) -> NoReturn:
        """Refuse an index, which could be a place in the lists or a number of leaves."""
        raise TypeError(
            f"A frontier has no item {shown(key)}: the best tree with at most k leaves is classifier(n_leaves=k), and "
            "losses, n_leaves and classifiers are lists of all sizes."
        )

    def __repr__(self) -> str:
        """Say how many sizes there are and how many of them are proven."""
        n_proven = sum(status == "optimal" for status in self.statuses)
        return (
            f"Frontier({len(self)} sizes up to {self.n_leaves[-1]} leaves, {n_proven} of them proven; path of "
            f"{len(self.path)} trees down to regularization {self.path[0].regularization_min:.4g})"
        )

    def classifier(self, *, n_leaves: int | None = None, regularization: float | None = None) -> Any:
        """Return a fitted classifier with the best tree of a size, or for a leaf penalty.

        Parameters
        ----------
        n_leaves : int or None, default=None
            Largest number of leaves, at least 1.
        regularization : float or None, default=None
            Leaf penalty, at least that down to which the path goes.

        Returns
        -------
        GOSDTClassifier
            As by a fit with this `max_leaves` and no leaf penalty, or with this `regularization`.

        Raises
        ------
        ValueError
            If not exactly one of the two is given, or the leaf penalty is below the path.
        TypeError
            If `n_leaves` is not an integer or `regularization` not a number.
        """
        if (n_leaves is None) == (regularization is None):
            raise ValueError("Exactly one of n_leaves and regularization is needed.")
        if n_leaves is not None:
            if not is_integer(n_leaves):
                raise TypeError(f"n_leaves must be an integer, got {shown(n_leaves)}.")
            if n_leaves < 1:
                raise ValueError(f"n_leaves must be at least 1, got {shown(n_leaves)}.")
            return self.classifiers[int(np.searchsorted(self.n_leaves, n_leaves, side="right")) - 1]
        if not is_number(regularization):
            raise TypeError(f"regularization must be a number, got {shown(regularization)}.")
        return self._for_penalty(float(regularization))  # type: ignore[arg-type]

    def losses_on(self, X: Any, y: Any, sample_weight: Any = None) -> npt.NDArray[np.float64]:
        """Return the losses of the trees on other rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            With the columns of the training data.
        y : array-like of shape (n_rows,), or (n_rows, n_actions) for policies
            Labels, rewards, numbers, or events and times.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows.

        Returns
        -------
        ndarray of float of shape (n_sizes,)
            In the unit of the objective, as `losses`.
        """
        return np.array([loss_of_objective(one, X, y, sample_weight) for one in self.classifiers])

    def _for_penalty(self, penalty: float) -> Any:
        least = self.path[0].regularization_min
        if not penalty >= least * (1 - _ROUNDING):
            raise ValueError(
                f"regularization must be at least {least:.6g}, down to which the path goes, got {shown(penalty)}; make "
                "the path with a smaller regularization."
            )
        segment = next(one for one in self.path if penalty <= one.regularization_max)
        made = copy(segment.classifier)
        made.set_params(regularization=penalty)
        made.regularization_ = penalty = max(penalty, least)
        made.objective_ = segment.loss + penalty * segment.n_leaves
        # Where the search rounds, not even a proof takes the bound as far as the objective.
        is_exact = segment.is_proven and not hasattr(made, "rounding_")
        made.lower_bound_ = made.objective_ if is_exact else min(made.objective_, self._bound(penalty))
        if segment.is_proven and not is_exact:
            made.rounding_ = max(made.rounding_, (made.objective_ - made.lower_bound_) / 2)
        made.gap_ = relative_gap(made.objective_, made.lower_bound_)
        made.status_ = "optimal" if segment.is_proven else self.status
        return made

    def _bound(self, penalty: float) -> float:
        """Return a lower bound of the objective for a leaf penalty, since the least objective is concave in it."""
        penalties: npt.NDArray[np.float64]
        penalties, bounds = np.array(self.bounds).T
        # Beyond the last one, every tree has a leaf.
        return float(np.interp(penalty, penalties, bounds)) + max(0.0, penalty - float(penalties[-1]))
