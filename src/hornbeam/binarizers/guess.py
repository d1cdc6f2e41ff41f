"""Few thresholds, guessed from those of a reference ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import as_float, is_number, random_numbers, shown
from hornbeam._dates import DATE_KINDS, round_thresholds
from hornbeam._keywords import accept_positional
from hornbeam.binarizers._base import SupervisedBase
from hornbeam.binarizers._conditions import Conditions, evaluate_conditions
from hornbeam.binarizers._ensembles import fit_within, splits_of
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne, IsTrue, condition_of_ones
from hornbeam.table import Column, Table

_BYTES_OF_CELL = 12  # of the reference's table: float64, and the float32 that the estimator keeps


class ThresholdGuessBinarizer(SupervisedBase):
    """Thresholds that a reference ensemble splits on, minus those that it can do without.

    The reference is fitted on the table, and the thresholds of its trees become binary columns. It is then fitted again
    on these, and the least important column is removed, as long as its score on the training data does not fall. A tree
    over the remaining columns can be as accurate as the reference (theorem 4.1), and there are few enough of them for
    an exact search.

    Missing values lie above every threshold, as in all conditions, and a column that has some may also be split by
    whether the value is missing. Categories are tested one by one.

    Parameters
    ----------
    reference : estimator or None, default=None
        Unfitted ensemble of trees: gradient boosting, histogram gradient boosting, forest or tree of scikit-learn, or
        an estimator of XGBoost or LightGBM; for a regressor the labels must be numbers. It is cloned. None: 40 stumps
        of scikit-learn's `GradientBoostingClassifier`. Deeper or more trees give more columns.
    tolerance : float, default=0.0
        How much the reference's score on the training data may fall while columns are removed, at least 0.
    eliminate : bool, default=True
        Whether to remove columns at all.
    random_state : int, RandomState or None, default=0
        For the default reference.

    Attributes
    ----------
    conditions_ : Conditions
        The condition behind each binary column, a sequence of `Condition`: by column, thresholds ascending.
    reference_ : estimator
        The reference, fitted on the binary columns that remain.
    scores_ : dict
        Training scores of the reference on the table ("table"), on all its thresholds ("thresholds") and on those that
        remain ("conditions"). Theorem 4.1 requires the last not to be below the first.
    n_thresholds_ : int
        Number of conditions before any was removed.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Notes
    -----
    All columns that no tree of the reference splits on are removed at once: without them the same splits remain the
    best ones at every node, up to the order in which scikit-learn tries equally good columns.

    Under the time limit of a classifier, fitting the reference on the table uses at most a third of the remaining time,
    and the removal of columns half of what then remains. An unfinished ensemble is used with the trees that it has, and
    no more columns are removed. Boosting and forests of scikit-learn can be stopped like this; any other reference is
    fitted completely. If the time limit is not reached, the result is always the same.

    A fit takes as long as a few fits of the reference: by default 2.3 s of user CPU for 32561 rows and 14 columns
    (adult), 0.5 s for 17379 rows and 12 columns (hourly bike rentals), on one core of an AMD EPYC.

    References
    ----------
    .. [1] H. McTavish, C. Zhong, R. Achermann, I. Karimalis, J. Chen, C. Rudin, M. Seltzer, "Fast Sparse Decision Tree
           Optimization via Reference Ensembles", AAAI 2022: section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import ThresholdGuessBinarizer
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> ThresholdGuessBinarizer().fit(X, X[:, 0] > 6).get_feature_names_out().tolist()
    ['x0 <= 6.5']
    """

    reference_: Any
    scores_: dict[str, float]
    n_thresholds_: int

    @accept_positional("eliminate random_state")
    def __init__(
        self, reference: Any = None, tolerance: float = 0.0, *, eliminate: bool = True, random_state: Any = 0
    ) -> None:
        self.reference = reference
        self.tolerance = tolerance
        self.eliminate = eliminate
        self.random_state = random_state

    def _find_within(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> list[Condition]:
        tolerance = self.tolerance
        if not is_number(tolerance):
            raise TypeError(f"tolerance must be a number, got {shown(tolerance)}.")
        if not tolerance >= 0:
            raise ValueError(f"tolerance must be at least 0, got {shown(tolerance)}.")
        if not isinstance(self.eliminate, bool):
            raise TypeError(f"eliminate must be True or False, got {shown(self.eliminate)}.")
        labels = np.asarray(y)
        sources = [source for index, column in enumerate(table.columns) for source in _sources(index, column)]
        if not sources:
            raise ValueError(f"X has only constant columns (n_samples={table.n_rows}); there is nothing to split on.")
        n_bytes = _BYTES_OF_CELL * len(sources) * table.n_rows
        if budget.is_spent() or not budget.hold(n_bytes):
            return []
        values = _values(sources, table)
        begin = budget.elapsed()
        reference, _ = self._fit_reference(values, labels, weights, budget.part(1 / 3))
        seconds = budget.elapsed() - begin
        self.scores_ = {"table": float(reference.score(values, labels, sample_weight=weights))}
        conditions = sorted(
            {_condition(sources[j], threshold, table) for j, threshold in splits_of(reference)}, key=_order
        )
        self.n_thresholds_ = len(conditions)
        # The reference's table goes before the next one is made, so that both are never in memory together.
        del values
        budget.release(n_bytes)
        n_bytes = _BYTES_OF_CELL * len(conditions) * table.n_rows
        if budget.part(1 / 2).allows(seconds) and budget.hold(n_bytes):
            conditions = self._eliminate(conditions, table, labels, weights, budget.part(1 / 2))
            budget.release(n_bytes)
        return _rounded(conditions, table)

    def _fit_reference(
        self, values: npt.NDArray[Any], labels: npt.NDArray[Any], weights: npt.NDArray[Any], budget: Budget
    ) -> tuple[Any, bool]:
        """Return the fitted reference and whether it has all its trees."""
        if self.reference is None:
            random_numbers(self.random_state)
            reference = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=self.random_state)
        else:
            if not hasattr(self.reference, "fit") or isinstance(self.reference, type):
                raise TypeError(f"reference must be None or an unfitted ensemble, got {shown(self.reference)}.")
            reference = clone(self.reference)
        return fit_within(reference, values, labels, weights, budget)

    def _eliminate(
        self,
        conditions: list[Condition],
        table: Table,
        labels: npt.NDArray[Any],
        weights: npt.NDArray[Any],
        budget: Budget,
    ) -> list[Condition]:
        """Remove the least important columns until the score would fall; fit the reference on the rest."""
        answers = np.column_stack(list(evaluate_conditions(Conditions(conditions), table))).astype(np.float32)
        kept = np.arange(len(conditions))
        begin = budget.elapsed()
        model, is_whole = self._fit_reference(answers, labels, weights, budget)
        seconds = budget.elapsed() - begin
        least = score = float(model.score(answers, labels, sample_weight=weights))
        self.scores_["thresholds"] = score
        while self.eliminate and len(kept) > 1 and is_whole and budget.allows(seconds):
            importances = _importances(model)
            # Unused columns go together, the others one by one; but if none is used, at least one must stay.
            unused = importances == 0
            fewer = kept[~unused] if unused.any() and not unused.all() else np.delete(kept, importances.argmin())
            candidate, is_whole = self._fit_reference(answers[:, fewer], labels, weights, budget)
            if not is_whole:
                break
            candidate_score = float(candidate.score(answers[:, fewer], labels, sample_weight=weights))
            if candidate_score < least - as_float(self.tolerance):
                break
            kept, model, score = fewer, candidate, candidate_score
        self.reference_ = model
        self.scores_["conditions"] = score
        return [conditions[index] for index in kept]


_Source = int | Condition
"""Source of a column of the reference's table: the numbers of a column, or whether a condition holds."""


def _sources(index: int, column: Column) -> list[_Source]:
    missing = column.is_missing()
    values = column.values[~missing]
    asks_missing: list[_Source] = [IsMissing(index)] if missing.any() and not missing.all() else []
    if column.kind == "category":
        return [IsIn(index, (category,)) for category in sorted(set(values), key=str)] + asks_missing
    distinct = np.unique(values)
    if len(distinct) < 2:
        return asks_missing
    if column.kind == "number" and np.array_equal(distinct, [0, 1]):
        return [condition_of_ones(column.is_boolean)(index), *asks_missing]
    return [index, *asks_missing]


def _values(sources: list[_Source], table: Table) -> npt.NDArray[np.float64]:
    values = np.empty((table.n_rows, len(sources)))
    answers = evaluate_conditions(Conditions(source for source in sources if not isinstance(source, int)), table)
    for index, source in enumerate(sources):
        values[:, index] = _numbers(source, table) if isinstance(source, int) else next(answers)
    return values


def _numbers(index: int, table: Table) -> npt.NDArray[np.float64]:
    values = table.column(index).values.astype(np.float64) - _origin(index, table)
    missing = np.isnan(values)
    return np.where(missing, _above(values[~missing]), values) if missing.any() else values


def _origin(source: int, table: Table) -> float:
    """Return what is subtracted from a column for the reference: its float32 is too coarse for dates in seconds."""
    if table.schema.kinds[source] not in DATE_KINDS:
        return 0.0
    return float(np.nanmin(table.column(source).values))


def _above(values: npt.NDArray[np.float64]) -> float:
    """Return a number that is above all of these for float32, too."""
    most = float(values.max())
    return most + max(1.0, abs(most))


def _condition(source: _Source, threshold: float, table: Table) -> Condition:
    """Return the condition of a split of the reference."""
    if not isinstance(source, int):
        return source
    origin = _origin(source, table)
    values = table.column(source).values.astype(np.float64) - origin
    values = np.unique(values[~np.isnan(values)])
    n_below = int(np.searchsorted(values.astype(np.float32), threshold, side="right"))
    if n_below >= len(values):  # only missing values are above all others
        return IsMissing(source)
    if n_below > 0 and not values[n_below - 1] <= threshold < values[n_below]:  # float32 has other neighbors
        threshold = float(_core.thresholds_between(values[n_below - 1 : n_below + 1])[0])
    if table.schema.kinds[source] in DATE_KINDS:
        threshold = float(round_thresholds(np.array([threshold + origin]), values + origin)[0])
    return AtMost(source, threshold)


def _rounded(conditions: list[Condition], table: Table) -> list[Condition]:
    """Round the thresholds to few digits, except those between the same two values, which would become equal.

    No row of the table changes sides.
    """
    gaps = [(condition.column, _neighbors(condition, table)) for condition in conditions]
    return [
        AtMost(column, float(_core.thresholds_between(np.array(neighbors))[0]))
        if neighbors and gaps.count((column, neighbors)) == 1
        else condition
        for condition, (column, neighbors) in zip(conditions, gaps, strict=True)
    ]


def _neighbors(condition: Condition, table: Table) -> tuple[float, ...]:
    """Return the largest value up to a threshold and the smallest above it; nothing without both, or for dates."""
    if not isinstance(condition, AtMost) or table.schema.kinds[condition.column] in DATE_KINDS:  # rounded already
        return ()
    values = table.column(condition.column).values.astype(np.float64)
    below, above = values[values <= condition.threshold], values[values > condition.threshold]
    return (float(below.max()), float(above.min())) if below.size and above.size else ()


def _order(condition: Condition) -> tuple[int, int, float, str]:
    kind = (AtMost, IsOne, IsTrue, IsIn, IsMissing).index(type(condition))
    return condition.column, kind, getattr(condition, "threshold", 0.0), str(getattr(condition, "values", ""))


def _importances(model: Any) -> npt.NDArray[np.float64]:
    """Return the total gain of each column over all splits of an ensemble."""
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_, dtype=np.float64)
    gains = np.zeros(model.n_features_in_)
    for predictor in (predictor for iteration in model._predictors for predictor in iteration):
        nodes = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        np.add.at(gains, nodes["feature_idx"], nodes["gain"])
    return gains
