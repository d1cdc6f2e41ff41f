"""Few thresholds, guessed from those of a reference ensemble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_regressor
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from hornbeam._budget import Budget
from hornbeam._checks import as_float, is_number, random_numbers, shown
from hornbeam._keywords import accept_positional
from hornbeam.binarizers._base import SupervisedBase
from hornbeam.binarizers._by_column import decimals_of, own_thresholds
from hornbeam.binarizers._conditions import Conditions, evaluate_conditions
from hornbeam.binarizers._ensembles import fit_within, importances_of, splits_of
from hornbeam.binarizers._sources import Source, conditions_of, order_of, rounded, sources_of, values_of, with_decimals
from hornbeam.conditions import AtMost, Condition
from hornbeam.table import Table

_BYTES_OF_CELL = 12  # of the reference's table: float64, and the float32 that the estimator keeps


class ThresholdGuessBinarizer(SupervisedBase):
    """Thresholds that a reference model splits on, minus those that it can do without.

    The reference is fitted on the table, and the thresholds of its trees become binary columns. It is then fitted again
    on these, and the least important column is removed, as long as its score on the training data does not fall. A tree
    over the remaining columns can be as accurate as the reference (theorem 4.1), and there are few enough of them for
    an exact search. At least two columns remain of two or more, as in the authors' program.

    Missing values lie above every threshold, as in all conditions, and a column that has some may also be split by
    whether the value is missing. Categories are tested one by one.

    Parameters
    ----------
    reference : estimator or None, default=None
        Unfitted ensemble of trees: gradient boosting, histogram gradient boosting, forest or tree of scikit-learn, or
        an estimator of XGBoost or LightGBM; or an explainable boosting machine of InterpretML. For a regressor the
        labels must be numbers. It is cloned. None: 40 stumps of scikit-learn's `GradientBoostingClassifier`. Deeper or
        more trees give more columns.
    tolerance : float, default=0.0
        How much the reference's score on the training data may fall while columns are removed, at least 0.
    thresholds : dict, estimator or None, default=None
        Where the thresholds come from. None: from the reference. A dict: from the name or index of a column to a
        sequence of numbers, or of dates, durations or times, as for `ThresholdBinarizer`. An estimator: it is cloned
        and fitted, and its thresholds are read; it may be any model that `reference` may be, or have an attribute
        `bin_edges_` after `fit`, an array of edges for each column from the lowest to the highest, as scikit-learn's
        `KBinsDiscretizer` has. To use a fitted estimator as it is, wrap it in `sklearn.frozen.FrozenEstimator`; its
        columns must be those of the table. A dict or an estimator is asked only about columns of numbers and dates:
        flags, single categories and missing values need no threshold, and their conditions are always added.
    min_jump : float, default=0.1
        Only for an explainable boosting machine: a threshold counts if the score of its column jumps there by more than
        ``min_jump * largest importance / importance of the column``, at least 0. The importance of a column is the
        average absolute score. Pairs of columns do not count.
    decimals : int, dict or None, default=None
        Number of decimals of all thresholds of numbers, or of those of some columns; see `ThresholdBinarizer`. A
        threshold of a model moves to the number of so many decimals for which the fewest distinct values change sides,
        the lower one on ties; several may become one. Columns are then removed, and `scores_` counted, with these
        thresholds. The thresholds of a dict stay as given.
    keep_accuracy : bool, default=False
        Whether the reference must be as accurate on the conditions that remain as on the table, whatever `tolerance`
        says: the premise of theorem 4.1. A column is then removed only if the score does not fall below that on the
        table. If the reference fitted again on all of its thresholds is less accurate than on the table, all of them
        are kept, and `reference_` becomes a decision tree that repeats the predictions which the reference makes on the
        table.
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
        Training scores of the reference on the table ("table"), on all thresholds ("thresholds") and on those that
        remain ("conditions"). Theorem 4.1 requires the last not to be below the first, see `keep_accuracy`.
    n_thresholds_ : int
        Number of conditions before any was removed.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Raises
    ------
    TypeError
        In `fit`: if a parameter has a wrong type, or no thresholds can be read from a model.
    ValueError
        In `fit`: if a parameter is out of range, if there is no threshold, or if `keep_accuracy` cannot hold because
        the thresholds are not those of the reference and tell too few rows apart.

    Notes
    -----
    All columns that no tree of the reference splits on are removed at once: without them the same splits remain the
    best ones at every node, up to the order in which scikit-learn tries equally good columns.

    An explainable boosting machine is fitted once for each column that is removed if it is the `reference`; as
    `thresholds`, it is fitted once, and gradient boosting removes the columns. With ``eliminate=False``, its thresholds
    are those of appendix E of the paper.

    Under the time limit of a classifier, fitting the reference on the table uses at most a third of the remaining time,
    and the removal of columns half of what then remains. An unfinished ensemble is used with the trees that it has, and
    no more columns are removed. Boosting and forests of scikit-learn can be stopped like this; any other model is
    fitted completely. If the time limit is not reached, the result is always the same.

    A fit takes as long as a few fits of the reference: by default 2.3 s of user CPU for 32561 rows and 14 columns
    (adult), 0.5 s for 17379 rows and 12 columns (hourly bike rentals), on one core of an AMD EPYC.

    References
    ----------
    .. [1] H. McTavish, C. Zhong, R. Achermann, I. Karimalis, J. Chen, C. Rudin, M. Seltzer, "Fast Sparse Decision Tree
           Optimization via Reference Ensembles", AAAI 2022: section 4.1 and appendix E.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import KBinsDiscretizer
    >>> from hornbeam import ThresholdGuessBinarizer
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> ThresholdGuessBinarizer().fit(X, X[:, 0] > 6).get_feature_names_out().tolist()
    ['x0 <= 6.5']
    >>> bins = KBinsDiscretizer(n_bins=4, strategy="uniform")
    >>> binarizer = ThresholdGuessBinarizer(thresholds=bins, eliminate=False)
    >>> binarizer.fit(X, X[:, 0] > 6).get_feature_names_out().tolist()
    ['x0 <= 4.5', 'x0 <= 9.5', 'x0 <= 14.5']
    """

    reference_: Any
    scores_: dict[str, float]
    n_thresholds_: int

    @accept_positional("eliminate random_state")
    def __init__(
        self,
        reference: Any = None,
        tolerance: float = 0.0,
        *,
        thresholds: Any = None,
        min_jump: float = 0.1,
        decimals: int | Mapping[str | int, int] | None = None,
        keep_accuracy: bool = False,
        eliminate: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.reference = reference
        self.tolerance = tolerance
        self.thresholds = thresholds
        self.min_jump = min_jump
        self.decimals = decimals
        self.keep_accuracy = keep_accuracy
        self.eliminate = eliminate
        self.random_state = random_state

    def _find_within(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> list[Condition]:
        self._check_parameters()
        labels, decimals = np.asarray(y), decimals_of(self.decimals, table)
        sources = sources_of(table)
        if not sources:
            raise ValueError(f"X has only constant columns (n_samples={table.n_rows}); there is nothing to split on.")
        n_bytes = _BYTES_OF_CELL * len(sources) * table.n_rows
        if budget.is_spent() or not budget.hold(n_bytes):
            return []
        values = values_of(sources, table)
        begin = budget.elapsed()
        reference, _ = self._fit_reference(values, labels, weights, budget.part(1 / 3))
        seconds = budget.elapsed() - begin
        self.scores_ = {"table": float(reference.score(values, labels, sample_weight=weights))}
        conditions = self._candidates(reference, sources, values, table, labels, weights)
        if not isinstance(self.thresholds, Mapping):
            conditions = with_decimals(conditions, decimals, table)
        if not conditions:
            named = "reference" if self.thresholds is None else "thresholds"
            more = "" if self.decimals is None else ", or set more decimals"
            raise ValueError(f"{named} has no threshold that separates rows of X; give one that has{more}.")
        predictions = reference.predict(values) if self.keep_accuracy else None
        self.n_thresholds_ = len(conditions)
        # The reference's table goes before the next one is made, so that both are never in memory together.
        del values
        budget.release(n_bytes)
        n_bytes = _BYTES_OF_CELL * len(conditions) * table.n_rows
        if budget.part(1 / 2).allows(seconds) and budget.hold(n_bytes):
            conditions = self._eliminate(conditions, predictions, table, labels, weights, budget.part(1 / 2))
            budget.release(n_bytes)
        return conditions if isinstance(self.thresholds, Mapping) else rounded(conditions, decimals, table)

    def _check_parameters(self) -> None:
        for name in ("tolerance", "min_jump"):
            value = getattr(self, name)
            if not is_number(value):
                raise TypeError(f"{name} must be a number, got {shown(value)}.")
            if not value >= 0:
                raise ValueError(f"{name} must be at least 0, got {shown(value)}.")
        for name in ("keep_accuracy", "eliminate"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, got {shown(getattr(self, name))}.")
        _check_model("reference", "None or an unfitted ensemble", self.reference, "fit", "score")
        if not isinstance(self.thresholds, Mapping):
            _check_model("thresholds", "None, a dict or an unfitted estimator", self.thresholds, "fit")

    def _candidates(
        self,
        reference: Any,
        sources: list[Source],
        values: npt.NDArray[Any],
        table: Table,
        labels: npt.NDArray[Any],
        weights: npt.NDArray[Any],
    ) -> list[Condition]:
        """Return the conditions before any is removed."""
        jump = as_float(self.min_jump)
        if self.thresholds is None:
            found = conditions_of(splits_of("reference", reference, jump), sources, table)
        else:
            numbers = {source for source in sources if isinstance(source, int)}
            given: Sequence[Condition]
            if isinstance(self.thresholds, Mapping):
                own = own_thresholds(self.thresholds, table)
                given = [AtMost(index, threshold) for index in own if index in numbers for threshold in own[index]]
            else:
                columns: Sequence[Source] = sources
                if isinstance(self.thresholds, FrozenEstimator):
                    model, columns = self.thresholds, _columns_of(self.thresholds, table)
                else:
                    model = clone(self.thresholds)
                    varied = {} if (weights == 1).all() else {"sample_weight": weights}
                    model.fit(values, labels, **varied)
                of_numbers = [index if index in numbers else None for index in columns]
                given = conditions_of(splits_of("thresholds", model, jump), of_numbers, table)
            others = [source for source in sources if not isinstance(source, int)]
            found = sorted({*given, *others}, key=order_of)
        return found

    def _fit_reference(
        self, values: npt.NDArray[Any], labels: npt.NDArray[Any], weights: npt.NDArray[Any], budget: Budget
    ) -> tuple[Any, bool]:
        """Return the fitted reference and whether it has all its trees."""
        if self.reference is None:
            random_numbers(self.random_state)
            reference = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=self.random_state)
        else:
            reference = clone(self.reference)
        return fit_within(reference, values, labels, weights, budget)

    def _eliminate(
        self,
        conditions: list[Condition],
        predictions: npt.NDArray[Any] | None,
        table: Table,
        labels: npt.NDArray[Any],
        weights: npt.NDArray[Any],
        budget: Budget,
    ) -> list[Condition]:
        """Remove the least important columns until the score would fall; fit the reference on the rest.

        `predictions` are those of the reference on the table if its accuracy must be kept.
        """
        answers = np.column_stack(list(evaluate_conditions(Conditions(conditions), table))).astype(np.float32)
        kept = np.arange(len(conditions))
        begin = budget.elapsed()
        model, is_whole = self._fit_reference(answers, labels, weights, budget)
        seconds = budget.elapsed() - begin
        score = float(model.score(answers, labels, sample_weight=weights))
        self.scores_["thresholds"] = score
        least = score - as_float(self.tolerance)
        if predictions is not None:
            least = max(least, self.scores_["table"])
            if score < least:
                model = self._repeat(model, predictions, answers)
                score = float(model.score(answers, labels, sample_weight=weights))
                is_whole = False  # removing columns needs the reference itself
        while self.eliminate and len(kept) > 2 and is_whole and budget.allows(seconds):
            importances = importances_of(model)
            # Unused columns go together, the others one by one; two stay, as in the authors' program.
            n_gone = min(max(1, np.count_nonzero(importances == 0)), len(kept) - 2)
            fewer = np.delete(kept, np.argsort(importances, kind="stable")[:n_gone])
            candidate, is_whole = self._fit_reference(answers[:, fewer], labels, weights, budget)
            if not is_whole:
                break
            candidate_score = float(candidate.score(answers[:, fewer], labels, sample_weight=weights))
            if candidate_score < least:
                break
            kept, model, score = fewer, candidate, candidate_score
        self.reference_ = model
        self.scores_["conditions"] = score
        return [conditions[index] for index in kept]

    def _repeat(self, model: Any, predictions: npt.NDArray[Any], answers: npt.NDArray[Any]) -> Any:
        """Return a tree over the binary columns that makes the predictions of the reference on the table."""
        is_numeric = is_regressor(model)
        tree = (DecisionTreeRegressor if is_numeric else DecisionTreeClassifier)(random_state=0)
        repeated = tree.fit(answers, predictions).predict(answers)
        if not (np.allclose if is_numeric else np.array_equal)(repeated, predictions):
            raise ValueError(
                f"keep_accuracy=True, but fitted on the {answers.shape[1]} conditions from thresholds="
                f"{shown(self.thresholds)} the reference is less accurate than on the table, and its predictions there "
                "cannot be told from these conditions. Give more thresholds or a smaller min_jump, or leave "
                "thresholds=None and decimals=None with trees as the reference."
            )
        return tree


def _check_model(name: str, expected: str, model: Any, *methods: str) -> None:
    if model is not None and (isinstance(model, type) or not all(hasattr(model, method) for method in methods)):
        raise TypeError(f"{name} must be {expected}, got {shown(model)}.")


def _columns_of(model: FrozenEstimator, table: Table) -> list[int]:
    """Return the column of the table that each column of a fitted model is."""
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    if table.schema.named and names:
        missing = [name for name in names if name not in table.names]
        if missing:
            raise ValueError(f"thresholds was fitted to a column {missing[0]!r}, which X does not have.")
        return [table.names.index(name) for name in names]
    if model.n_features_in_ != len(table.columns):
        raise ValueError(
            f"thresholds was fitted to {model.n_features_in_} columns, but X has {len(table.columns)}; fit it to the "
            "same columns."
        )
    return list(range(len(table.columns)))
