"""Quantiles of each column, and the thresholds that trees and a boosted model split on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.random import sample_without_replacement

from hornbeam._budget import Budget
from hornbeam._checks import is_integer, random_numbers, shown
from hornbeam.binarizers._base import LabeledRows, RowReader, SupervisedBase
from hornbeam.binarizers._by_column import decimals_of
from hornbeam.binarizers._conditions import Conditions, Run, Thresholds, evaluate_conditions
from hornbeam.binarizers._ensembles import fit_within
from hornbeam.binarizers.thresholds import ThresholdBinarizer
from hornbeam.conditions import IsIn
from hornbeam.table import Table

if TYPE_CHECKING:
    from typing_extensions import Self

_MOST_ROWS = 8192  # that the trees are grown on
_MOST_CATEGORIES = 16  # of a column that the trees see: those with the most rows
_DEPTH = 7
_N_ROUNDS = 40  # of boosting
_MOST_STUMPS = 80  # of all rounds: more than two classes have a stump each in every round
_LEAST_SHARE = 1e-6  # of the gain of a model, for a split; less is rounding
_BYTES_OF_CELL = 8  # float32, and the copy that boosting makes


class SupervisedBinarizer(SupervisedBase):
    """The thresholds of `ThresholdBinarizer("quantile")`, and those that trees grown on the labels split on.

    The optimum over these conditions is never worse than over the quantiles alone, since all of them are included.
    Categories, flags and missing values give the same conditions as in `ThresholdBinarizer`.

    The other thresholds are those that four models split on: three greedy trees of seven levels, which contain the
    trees of fewer levels (by Gini impurity, by entropy, and by Gini impurity with classes of equal weight), and
    gradient boosting with stumps. Each split counts with its share of the gain of its model.

    Parameters
    ----------
    n_quantiles : int, default=8
        Largest number of quantiles of a column; at least 1.
    n_supervised : int, default=8
        Largest number of other thresholds of a column: those with the largest gain. At least 0. Together a column of
        numbers has at most ``n_quantiles + n_supervised`` thresholds.
    decimals : int, dict or None, default=None
        Number of decimals of all thresholds of numbers, or of those of some columns; see `ThresholdBinarizer`.
    random_state : int, RandomState or None, default=0
        For the order in which the trees try the columns, and for the sample of large tables.

    Attributes
    ----------
    conditions_ : Conditions
        The condition behind each binary column, a sequence of `Condition`: by column, thresholds ascending, "is
        missing" last.
    n_supervised_ : int
        Number of thresholds that are not among the quantiles.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Notes
    -----
    All models together have at most 421 splits for two classes and 461 for more, and so there are at most as many
    additional thresholds in total; there is no boosting for more than 80 classes. Of more than 8,192 rows a sample
    without replacement grows the models; they see the 16 heaviest categories of a column. Thresholds lie between
    neighboring values of the whole table.

    A search that is stopped before its proof may still end with a worse tree than over the quantiles: there are more
    conditions to search.

    Labels count with the sample weights only. The `class_weight`, `omega` and `cost_matrix` of a classifier do not
    change the conditions; the tree with classes of equal weight provides some for rare classes.

    Under the time limit of a classifier, boosting uses at most a third of the remaining time, and stops earlier with
    the stumps that it has. If the limit is not reached, the result is always the same.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam.binarizers import SupervisedBinarizer
    >>> X = np.arange(100.0).reshape(-1, 1)
    >>> binarizer = SupervisedBinarizer(n_quantiles=1).fit(X, X[:, 0] > 6)
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 6.5', 'x0 <= 49.5']
    """

    n_supervised_: int

    def __init__(
        self,
        n_quantiles: int = 8,
        n_supervised: int = 8,
        *,
        decimals: int | Mapping[str | int, int] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_quantiles = n_quantiles
        self.n_supervised = n_supervised
        self.decimals = decimals
        self.random_state = random_state

    def _find_within(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> Iterable[Run]:
        quantiles = self._quantiles()._fit_rows(table, None, weights, budget).conditions_
        return self._add_supervised(quantiles, table, LabeledRows(table, np.asarray(y), weights), budget)

    def _fit_stream(
        self, distinct: Table, weights: Sequence[npt.NDArray[Any]], rows: RowReader, budget: Budget
    ) -> Self:
        quantiles = self._quantiles()._fit_stream(distinct, weights, rows, budget).conditions_
        self.schema_ = distinct.schema
        self.conditions_ = self._add_supervised(quantiles, distinct, rows, budget)
        return self

    def _quantiles(self) -> ThresholdBinarizer:
        for name, value, least in (("n_quantiles", self.n_quantiles, 1), ("n_supervised", self.n_supervised, 0)):
            if not is_integer(value) or value < least:
                raise ValueError(f"{name} must be an integer of at least {least}, got {shown(value)}.")
        return ThresholdBinarizer("quantile", self.n_quantiles, decimals=self.decimals)

    def _add_supervised(self, quantiles: Conditions, table: Table, rows: RowReader, budget: Budget) -> Conditions:
        """Return the quantiles and the other thresholds; `table` has at least the distinct values of each column."""
        random = random_numbers(self.random_state)
        self.n_supervised_ = 0
        every = dict(_every_threshold(quantiles, decimals_of(self.decimals, table), table, budget))
        if self.n_supervised == 0 or not any(len(every[run.column]) > len(run) for run in _runs(quantiles, every)):
            return quantiles
        numbers = np.arange(rows.n_rows)
        if rows.n_rows > _MOST_ROWS:
            numbers = np.sort(sample_without_replacement(rows.n_rows, _MOST_ROWS, random_state=random))
        gains = self._gains(quantiles, every, rows.read(numbers), random, budget)
        return self._joined(quantiles, every, gains)

    def _joined(
        self, quantiles: Conditions, every: dict[int, npt.NDArray[np.float64]], gains: dict[tuple[int, int], float]
    ) -> Conditions:
        """Return the quantiles and, for each column, the thresholds with the largest gains."""
        by_column: dict[int, list[float]] = {}
        known = {run.column: set(run.thresholds.tolist()) for run in _runs(quantiles, every)}
        for column, place in sorted(gains, key=lambda split: (-gains[split], split)):
            threshold, chosen = float(every[column][place]), by_column.setdefault(column, [])
            if threshold not in known[column] and len(chosen) < self.n_supervised:
                chosen.append(threshold)
        self.n_supervised_ = sum(map(len, by_column.values()))
        return Conditions(
            Thresholds(run.column, np.union1d(run.thresholds, by_column.get(run.column, [])))
            if isinstance(run, Thresholds)
            else run
            for run in quantiles.runs
        )

    def _gains(
        self,
        quantiles: Conditions,
        every: dict[int, npt.NDArray[np.float64]],
        rows: LabeledRows,
        random: np.random.RandomState,
        budget: Budget,
    ) -> dict[tuple[int, int], float]:
        """Return the gain of each threshold, given as column and place, over all models."""
        table, labels, weights = rows
        gains: dict[tuple[int, int], float] = defaultdict(float)
        others = Conditions(_frequent(quantiles, every, table, weights))
        n_bytes = _BYTES_OF_CELL * (len(every) + len(others)) * table.n_rows
        if budget.is_spent() or not budget.fits(n_bytes):
            return gains
        columns = list(every)
        values = np.empty((table.n_rows, len(columns) + len(others)), dtype=np.float32, order="F")
        for index, column in enumerate(columns):
            values[:, index] = _ranks(table.column(column).values, every[column])
        for index, answer in enumerate(evaluate_conditions(others, table), start=len(columns)):
            values[:, index] = answer
        for model in _models(len(np.unique(labels)), random):
            fitted, _ = fit_within(model, values, labels, weights, budget.part(1 / 3))
            found = list(_splits_with_gain(fitted))
            least = _LEAST_SHARE * (total := sum(gain for _, _, gain in found))
            for source, threshold, gain in found:
                place = int(np.floor(threshold))
                # Above the last threshold are only the missing values, which have a condition of their own.
                if source < len(columns) and place < len(every[columns[source]]) and gain > least:
                    gains[columns[source], place] += gain / total
            if budget.is_spent():
                break
        return gains


def _runs(quantiles: Conditions, every: dict[int, npt.NDArray[np.float64]]) -> Iterator[Thresholds]:
    return (run for run in quantiles.runs if isinstance(run, Thresholds) and run.column in every)


def _every_threshold(
    quantiles: Conditions, decimals: Sequence[int | None], table: Table, budget: Budget
) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
    """Generate the columns that have quantiles, each with all thresholds between neighboring values."""
    exact = ThresholdBinarizer()
    for run in quantiles.runs:
        if isinstance(run, Thresholds) and not budget.is_spent():
            column = table.column(run.column)
            present = ~column.is_missing()
            unweighted = np.ones(np.count_nonzero(present))  # with all thresholds, weights do not matter
            thresholds = exact._of_numbers(run.column, column.take(present), unweighted, decimals[run.column])
            if isinstance(thresholds, Thresholds):
                yield run.column, thresholds.thresholds


def _ranks(values: npt.NDArray[Any], thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return how many thresholds are below each value; one more than all for missing values."""
    numbers = values.astype(np.float64)
    return np.where(np.isnan(numbers), len(thresholds) + 1, np.searchsorted(thresholds, numbers))


def _frequent(
    quantiles: Conditions, every: dict[int, npt.NDArray[np.float64]], table: Table, weights: npt.NDArray[Any]
) -> Iterator[Run]:
    """Generate the conditions without thresholds: of the categories of a column only the most frequent ones."""
    counted: dict[int, set[Any]] = {}
    for run in quantiles.runs:
        if isinstance(run, IsIn):
            if run.column not in counted:
                weight: Counter[Any] = Counter()
                for value, of_row in zip(table.column(run.column).values, weights.tolist(), strict=True):
                    weight[value] += of_row
                counted[run.column] = {value for value, _ in weight.most_common(_MOST_CATEGORIES)}
            if run.values[0] in counted[run.column]:
                yield run
        elif not isinstance(run, Thresholds):
            yield run


def _models(n_classes: int, random: np.random.RandomState) -> Iterator[Any]:
    seed = int(random.randint(2**31))
    for criterion, class_weight in (("gini", None), ("entropy", None), ("gini", "balanced")):
        yield DecisionTreeClassifier(
            criterion=criterion, max_depth=_DEPTH, class_weight=class_weight, random_state=seed
        )
    n_rounds = min(_N_ROUNDS, _MOST_STUMPS // n_classes)
    if n_classes > 1 and n_rounds > 0:
        yield GradientBoostingClassifier(n_estimators=n_rounds, max_depth=1, random_state=seed)


def _splits_with_gain(model: Any) -> Iterator[tuple[int, float, float]]:
    """Generate column, threshold and gain of the splits of a tree, or of all trees of a boosted model."""
    members = np.ravel(model.estimators_) if hasattr(model, "estimators_") else [model]
    for tree in (member.tree_ for member in members):
        weighted = tree.impurity * tree.weighted_n_node_samples
        for node in np.flatnonzero(tree.children_left != tree.children_right):
            gain = weighted[node] - weighted[tree.children_left[node]] - weighted[tree.children_right[node]]
            yield int(tree.feature[node]), float(tree.threshold[node]), float(gain)
