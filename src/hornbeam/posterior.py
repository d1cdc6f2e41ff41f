"""The BCART posterior of a tree: its integer scale in the search, and a function that scores any tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import exp, floor, inf, log, log1p, log2
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import as_array, as_float, is_number, shown
from hornbeam.binarizers import Conditions, ThresholdBinarizer, evaluate_conditions
from hornbeam.conditions import Condition
from hornbeam.table import is_missing_value, read_table
from hornbeam.tree import Tree

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

_MOST_BITS, _LEAST_BITS = 40, 10
_LEAST_LOG = -700.0  # of a float64
_RANGE_BITS = _core.POSTERIOR_BITS - 1  # one to spare


@dataclass(frozen=True, slots=True)
class LogPosteriorScale:
    """Ticks of ``2 ** -bits`` nats."""

    bits: int

    @classmethod
    def fit_for(cls, n_rows: int, n_columns: int, prior: Prior) -> LogPosteriorScale:
        """Return the finest unit, of at most 40 bits, in which no tree on this many rows exceeds the range.

        Raises
        ------
        ValueError
            If the probability of a split is too small for float64, or the unit would be coarser than 2^-10 nats.
        """
        deepest = min(n_rows, n_columns)
        # The core computes the probabilities of splits, and of some levels below, as float64.
        is_possible = prior.log_p_split(deepest + _core.POSTERIOR_HORIZON + 1) >= _LEAST_LOG
        most = _core.most_nats(n_rows, n_columns, prior.alpha, prior.beta, prior.rho)
        bits = min(_MOST_BITS, floor(_RANGE_BITS - log2(most))) if is_possible else 0
        if bits < _LEAST_BITS:
            raise ValueError(
                f"alpha={prior.alpha!r} and beta={prior.beta!r} make a split at depth {deepest} too improbable for the "
                "search; raise alpha or lower beta."
            )
        return cls(bits)

    def objective(self, ticks: int) -> float:
        """Return nats."""
        return ticks * 2.0**-self.bits


@dataclass(frozen=True, slots=True)
class Prior:
    """Checked parameters of the BCART prior; `rho` has one number per class."""

    alpha: float
    beta: float
    rho: npt.NDArray[np.float64]

    @classmethod
    def read(cls, alpha: Any, beta: Any, rho: Any, n_classes: int) -> Prior:
        """Check the parameters.

        Raises
        ------
        TypeError
            If one is not a number, or `rho` neither a number nor a sequence of numbers.
        ValueError
            If one is out of range or `rho` does not have one number per class.
        """
        check_prior(alpha, beta, rho)
        numbers = np.full(n_classes, as_float(rho)) if is_number(rho) else np.array([as_float(each) for each in rho])
        if len(numbers) != n_classes:
            raise ValueError(
                f"rho has {len(numbers)} numbers, but y has {n_classes} classes; give one number, or one per class."
            )
        if not sum(numbers.tolist()) < inf:
            raise ValueError(f"rho must add up to a finite number, got {shown(rho)} for {n_classes} classes.")
        return cls(float(alpha), float(beta), numbers)

    def log_p_split(self, depth: int) -> float:
        """Return the logarithm of the probability that a node of this depth is split if some column allows it."""
        return log(self.alpha) - self.beta * log1p(depth)


def check_prior(alpha: Any, beta: Any, rho: Any) -> None:
    """Check the parameters of the prior as far as possible without data.

    Raises
    ------
    TypeError
        If one is not a number, or `rho` neither a number nor a sequence of numbers.
    ValueError
        If one is out of range.
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not is_number(value):
            raise TypeError(f"{name} must be a number, got {shown(value)}.")
    if not 0 < as_float(alpha) < 1:
        raise ValueError(f"alpha must be greater than 0 and less than 1, got {shown(alpha)}.")
    if not 0 <= as_float(beta) < inf:
        raise ValueError(f"beta must be at least 0 and finite, got {shown(beta)}.")
    numbers = [rho] if is_number(rho) else rho
    if isinstance(numbers, np.ndarray):
        numbers = list(numbers) if numbers.ndim == 1 else None
    if isinstance(numbers, (str, bytes)) or not isinstance(numbers, Sequence) or not all(map(is_number, numbers)):
        raise TypeError(f"rho must be a number or a sequence of one number per class, got {shown(rho)}.")
    if not all(0 < as_float(number) < inf for number in numbers):
        raise ValueError(f"rho must be greater than 0 and finite, got {shown(rho)}.")


def log_posterior(
    tree: Tree | DecisionTreeClassifier,
    X: Any,
    y: npt.ArrayLike,
    *,
    alpha: float = 0.95,
    beta: float = 0.5,
    rho: float | Sequence[float] = 2.5,
    conditions: Sequence[Condition] | None = None,
) -> float:
    """Return the logarithm of the unnormalized BCART posterior of any tree.

    That is ``log P(tree | X) + log P(y | X, tree)``, in nats. In the prior, a node of depth d is split with probability
    ``alpha * (1 + d) ** -beta`` if some condition separates its rows, and all such conditions are equally likely; the
    class probabilities of a leaf have a Dirichlet distribution with parameters `rho`. `MAPTreeClassifier` finds the
    tree with the largest value.

    Parameters
    ----------
    tree : Tree or fitted sklearn.tree.DecisionTreeClassifier
        The tree to score, such as ``classifier.tree_`` of a classifier of hornbeam.
    X : array-like or data frame of shape (n_rows, n_columns)
        The rows to score it on, with the columns that the tree was fitted on.
    y : array-like of shape (n_rows,)
        Their labels, all of them classes of the tree.
    alpha : float, default=0.95
        Probability of a split at the root, between 0 and 1.
    beta : float, default=0.5
        How fast that probability falls with depth, at least 0.
    rho : float or sequence of n_classes floats, default=2.5
        Prior counts of each class in a leaf, greater than 0.
    conditions : sequence of Condition or None, default=None
        The conditions that a node may test, such as ``classifier.binarizer_.conditions_``: the prior of a split is one
        over the number of those that separate the rows of the node. None: those of
        ``ThresholdBinarizer(strategy="exact")`` on `X`.

    Returns
    -------
    float
        At most 0. Minus infinity if the condition of a node does not separate its rows: such a tree has prior 0.

    Raises
    ------
    TypeError
        If a parameter of the prior is not a number.
    ValueError
        If a parameter is out of range, `X` and `y` differ in length, or a label is not a class of the tree.

    References
    ----------
    .. [1] C. Sullivan, M. Tiwari, S. Thrun, "MAPTree: Beating 'Optimal' Decision Trees with Bayesian Decision Trees",
           AAAI 2024: definitions 2 and 3, theorem 2.

    Examples
    --------
    >>> from hornbeam import MAPTreeClassifier, log_posterior
    >>> X, y = [[0, 0]] * 8 + [[0, 1]] * 2 + [[1, 1]] * 8, [0] * 10 + [1] * 8
    >>> classifier = MAPTreeClassifier(binarizer=None).fit(X, y)
    >>> round(log_posterior(classifier.tree_, X, y, conditions=classifier.binarizer_.conditions_), 6)
    -8.575146
    >>> round(classifier.log_posterior_, 6)
    -8.575146
    """
    labels = as_array("y", y)
    if not isinstance(tree, Tree) and not (hasattr(tree, "tree_") and hasattr(tree, "classes_")):
        raise TypeError(f"tree must be a Tree or a fitted DecisionTreeClassifier, got {type(tree).__name__}.")
    if isinstance(tree, Tree):
        classes, left, right = tree.classes, tree.left, tree.right
    else:
        classes, left, right = tree.classes_, tree.tree_.children_left, tree.tree_.children_right
    prior = Prior.read(alpha, beta, rho, len(classes))
    known = set(classes.tolist())
    for label in labels.ravel().tolist():
        if is_missing_value(label) or not isinstance(label, Hashable) or label not in known:
            raise ValueError(f"y holds {shown(label)}, which the tree does not know; it knows {classes.tolist()}.")
    table = read_table(X)
    if labels.shape != (table.n_rows,):
        raise ValueError(f"y must have one label for each of the {table.n_rows} rows of X, got shape {labels.shape}.")
    # `passed` has one column for each node, so that `passed.T @ flags` counts the flagged rows in every node.
    passed = tree.decision_path(X).tocsc()
    n_rows = np.asarray(passed.sum(axis=0)).ravel()
    if conditions is not None and not (
        isinstance(conditions, Sequence) and all(isinstance(each, Condition) for each in conditions)
    ):
        raise TypeError(f"conditions must be a sequence of conditions, got {shown(conditions)}.")
    if conditions is None:
        conditions = ThresholdBinarizer(strategy="exact").fit(table).conditions_
    n_splits = np.zeros(len(left), dtype=np.int64)
    for holds in evaluate_conditions(
        conditions if isinstance(conditions, Conditions) else Conditions(conditions), table
    ):
        held = passed.T @ holds.astype(np.int64)
        n_splits += (held > 0) & (held < n_rows)
    counts = np.stack([passed.T @ (labels == each).astype(np.int64) for each in classes], axis=1)
    return _sum_of_logs(left, right, n_rows, n_splits, counts, prior)


def _sum_of_logs(
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    n_rows: npt.NDArray[Any],
    n_splits: npt.NDArray[np.int64],
    counts: npt.NDArray[Any],
    prior: Prior,
) -> float:
    """Add up the logarithms of all nodes."""
    leaf = sum(map(_log_rising, prior.rho.tolist(), counts.T)) - _log_rising(float(prior.rho.sum()), n_rows)
    total = 0.0
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        if left[node] < 0:
            total += float(leaf[node]) + (log1p(-exp(prior.log_p_split(depth))) if n_splits[node] > 0 else 0.0)
        elif n_splits[node] == 0 or 0 in (n_rows[left[node]], n_rows[right[node]]):
            return -inf
        else:
            total += prior.log_p_split(depth) - log(n_splits[node])
            waiting += [(int(left[node]), depth + 1), (int(right[node]), depth + 1)]
    return float(total)


def _log_rising(start: float, n: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return ``log(start * (start + 1) * ... * (start + n - 1))``; differences of `lgamma` lose digits."""
    logs = np.log(start + np.arange(n.max()))
    return np.asarray(np.concatenate([[0.0], np.cumsum(logs)])[n])
