"""Cross-validation of the leaf penalty: the folds, their scores, the choice, and what `fit` leaves behind."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, _safe_indexing, column_or_1d, indexable
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.validation import _num_samples

from hornbeam._budget import Budget
from hornbeam._checks import as_array, check_choice, shown
from hornbeam.exceptions import ColumnWarning, NotProvenWarning
from hornbeam.fitting.parameters import check_number
from hornbeam.frontier.held_out import score_of_objective

if TYPE_CHECKING:
    from typing_extensions import Self

RULES = ("best", "one_standard_error")
# The leaf penalties where there is no path; the largest one is a share of the largest possible loss.
_N_PENALTIES, _LARGEST_PENALTY = 10, 0.1
# Of the time limit, for the path over all rows; the folds share the rest.
_SHARE_OF_ALL_ROWS = 1 / 3


class FinePenalty:
    """Mixin of classifiers for cross-validation: with a smaller leaf penalty "auto"."""

    _rows_of_a_leaf = 1
    _least_penalty = 0.0001


class Candidate(NamedTuple):
    """A leaf penalty, and the classifier that a set of rows has for it."""

    regularization: float
    classifier: Any


# From rows, the leaf penalties wanted (None: the procedure chooses), and seconds, to a classifier for each penalty.
MakeCandidates = Callable[[Any, Any, Any, "Sequence[float] | None", "float | None"], "list[Candidate]"]


class Deadline(NamedTuple):
    """When the folds are to end.

    Attributes
    ----------
    time : float
        By the clock of all processes.
    n_rounds : int
        Rounds of folds until then, this one included.
    beyond : float
        Seconds that a fold takes beyond the limit of its searches.
    """

    time: float
    n_rounds: int
    beyond: float

    def seconds(self) -> float:
        """Return the limit of the searches of a fold that begins now."""
        return max(0.0, (self.time - time.time()) / self.n_rounds - self.beyond)


class CrossValidated:
    """Mixin of classifiers that choose their leaf penalty by cross-validation.

    A subclass names the classifier that is fitted for each leaf penalty, `_classifier`; it returns in `_candidates_of`
    how, unless by a search for each. Its parameters include those declared here. One whose targets are not classes
    overrides `_read_target` and `_check_folds`, and sets `_has_classes`.
    """

    _classifier: ClassVar[Any]
    min_regularization: float | Literal["auto"]
    cv: Any
    scoring: Any
    rule: str
    time_limit: float | None
    n_jobs: int | None
    _has_classes = True

    def _read_target(self, y: Any) -> Any:
        """Return the target with an entry for each row."""
        return column_or_1d(as_array("y", y))

    def _check_folds(self, target: Any, splits: list[Any]) -> None:
        """Raise ValueError if the rows of a fold cannot be fitted."""
        _check_classes(target, splits)

    def _base(self) -> Any:
        """Return the unfitted classifier, with the parameters of this one."""
        own = self.get_params(deep=False)  # type: ignore[attr-defined]
        names = set(self._classifier._get_param_names()) & set(own) - {"n_jobs"}
        return self._classifier(self.min_regularization, **{name: own[name] for name in sorted(names)})

    def _candidates_of(self) -> MakeCandidates:
        return partial(from_searches, self._base())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Choose the leaf penalty by cross-validation; the tree is that over all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            As in `GOSDTClassifier.fit`.
        y : array-like of shape (n_rows,)
            Labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, in the searches and in the scores.
        **params : dict
            ``groups`` for the splitter; with metadata routing, what the splitter and the scorer request.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As `GOSDTClassifier.fit`; if the training rows of a fold have only one class, or a score is not a number.
        TypeError
            As `GOSDTClassifier.fit`; if there are unknown `params`.
        KeyboardInterrupt
            If Ctrl-C is pressed.

        Warns
        -----
        NotProvenWarning
            If the trees over all rows are not proven, and the classifier proves trees.
        """
        check_choice("rule", self.rule, RULES)
        if not self._base()._is_auto():
            check_number("min_regularization", self.min_regularization)
        budget = Budget(self.time_limit)
        X, sample_weight = indexable(X, sample_weight)
        scorer, routed = self._scorer(), self._route(sample_weight, params)
        make = self._candidates_of()
        limit, begin = budget.part(_SHARE_OF_ALL_ROWS).seconds(), budget.elapsed()
        candidates = make(X, y, sample_weight, None, limit)
        # What reading the rows and making the trees take beyond the limit of the searches, the folds take as well.
        beyond = 0.0 if limit is None else max(0.0, budget.elapsed() - begin - limit)
        penalties = [one.regularization for one in candidates]
        target = self._read_target(y)
        of_folds = check_cv(self.cv, target, classifier=self._has_classes)
        try:
            splits = list(of_folds.split(X, target, **routed.splitter.split))
        except ValueError as error:
            raise ValueError(f"cv={shown(self.cv)} cannot split these rows. {error}") from None
        self._check_folds(target, splits)
        at_once = min(len(splits), effective_n_jobs(self.n_jobs))
        n_rounds, left = ceil(len(splits) / at_once), budget.seconds()
        deadline = None if left is None else time.time() + left
        scores = Parallel(n_jobs=at_once)(
            delayed(_score_fold)(
                make,
                X,
                target,
                sample_weight,
                train,
                test,
                penalties,
                deadline and Deadline(deadline, n_rounds - number // at_once, beyond),
                scorer,
                routed.scorer.score,
            )
            for number, (train, test) in enumerate(splits)
        )
        table = np.array(scores).T
        _check_scores(table)
        chosen = choose(table, self.rule)
        self._set_results(candidates, table, chosen)
        found = candidates[chosen].classifier
        parameters = found.get_params(deep=False)
        for name, value in vars(found).items():
            if name not in parameters and name != "_is_clone":
                setattr(self, name, value)
        return self

    def _set_results(self, candidates: list[Candidate], scores: npt.NDArray[np.float64], chosen: int) -> None:
        """Set the attributes of the cross-validation; the penalties rise."""
        means = scores.mean(axis=1)
        with np.errstate(invalid="ignore"):  # -inf has neither
            deviations, errors = scores.std(axis=1), standard_errors(scores)
        self.regularizations_ = np.array([one.regularization for one in candidates])
        self.cv_results_ = {
            "param_regularization": self.regularizations_,
            "n_leaves": np.array([one.classifier.n_leaves_ for one in candidates]),
            **{f"split{fold}_test_score": scores[:, fold] for fold in range(scores.shape[1])},
            "mean_test_score": means,
            "std_test_score": deviations,
            "standard_error": errors,
            "rank_test_score": np.array([1 + int((means > mean).sum()) for mean in means], dtype=np.int32),
        }
        self.best_index_, self.best_score_ = chosen, float(means[chosen])
        self.n_splits_ = scores.shape[1]

    def _scorer(self) -> Any:
        return score_of_objective if self.scoring is None else check_scoring(self, scoring=self.scoring)

    def _route(self, sample_weight: Any, params: dict[str, Any]) -> Any:
        """Return what goes to the splitter and to the scorer; without metadata routing, `groups` and the weights do."""
        if _routing_enabled():
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return routed if self.scoring is not None else Bunch(**routed, scorer=_own_score(sample_weight))
        groups = params.pop("groups", None)
        _refuse("fit", params)
        return Bunch(splitter=Bunch(split={"groups": groups}), scorer=_own_score(sample_weight))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what metadata `fit` passes to the splitter, and `fit` and `score` to the scorer.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        to_score = MethodMapping().add(caller="fit", callee="score").add(caller="score", callee="score")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=check_cv(self.cv), method_mapping=to_split)
        return router if self.scoring is None else router.add(scorer=self._scorer(), method_mapping=to_score)

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Return the score of the fitted classifier by `scoring`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        y : array-like of shape (n_rows,)
            True labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows.
        **params : dict
            Passed to the scorer, if metadata routing is enabled.

        Returns
        -------
        float
        """
        if self.scoring is not None and _routing_enabled():
            params = process_routing(self, "score", sample_weight=sample_weight, **params).scorer.score
        else:
            _refuse("score", params)
            params = _own_score(sample_weight).score
        return float(self._scorer()(self, X, y, **params))


class CrossValidatedPath(CrossValidated):
    """Mixin of estimators whose targets are not classes: one regularization path for each fold."""

    _has_classes = False

    def _candidates_of(self) -> MakeCandidates:
        return partial(from_path, self._base())

    def _check_folds(self, target: Any, splits: list[Any]) -> None:
        """Leave it to the fits of the folds."""


def _refuse(method: str, params: dict[str, Any]) -> None:
    if params:
        raise TypeError(
            f"{method} got unexpected arguments {sorted(params)}; to pass them to the splitter or the scorer, enable "
            "metadata routing: sklearn.set_config(enable_metadata_routing=True)."
        )


def _own_score(sample_weight: Any) -> Bunch:
    return Bunch(score={} if sample_weight is None else {"sample_weight": sample_weight})


def _check_classes(y: npt.NDArray[Any], splits: list[Any]) -> None:
    """Raise ValueError if the training rows of a fold have only one class."""
    for fold, (train, _) in enumerate(splits):
        classes = set(y[train].tolist())
        if len(classes) == 1:
            raise ValueError(
                f"The training rows of fold {fold} have only the class {classes.pop()!r}; use a cv that keeps the "
                "classes in every fold, such as StratifiedKFold(shuffle=True)."
            )


def _check_scores(scores: npt.NDArray[np.float64]) -> None:
    """Raise ValueError if a score is not a number, or every leaf penalty has one of -inf."""
    wrong = np.argwhere(np.isnan(scores) | (scores == np.inf))
    if len(wrong) == 0 and not np.isfinite(scores).all(axis=1).any():
        raise ValueError(
            "Every leaf penalty scores -inf in some fold. A policy tree does if it chooses an action whose reward is "
            "missing in a held-out row: leave such rows out, raise min_samples_leaf, or add the columns that tell "
            "which actions are available."
        )
    if len(wrong) > 0:
        raise ValueError(
            f"The score of fold {wrong[0][1]} is {scores[tuple(wrong[0])]}; its test rows may miss a class that the "
            "scorer needs: use fewer folds or StratifiedKFold(shuffle=True)."
        )


def from_searches(
    base: Any, X: Any, y: Any, sample_weight: Any, penalties: Sequence[float] | None, seconds: float | None
) -> list[Candidate]:
    """Return the tree of one search for each leaf penalty, each with its part of the time."""
    if penalties is None:
        unit = float(np.max(base.cost_matrix)) if base.objective == "cost" else 1.0
        # Whatever is wrong with y is the error of the first fit.
        base._n_rows = 1 if y is None else max(1, _num_samples(y))
        least = base._leaf_penalty() * (unit if base._is_auto() else 1.0)
        # A leaf penalty of 0 has no place on a scale of factors.
        ends = max(least, base._least_penalty * unit / 10), max(least, _LARGEST_PENALTY * unit)
        penalties = np.geomspace(*ends, _N_PENALTIES).tolist()
    found = []
    for penalty in penalties:
        part = None if seconds is None else seconds / len(penalties)
        model = clone(base).set_params(regularization=penalty, time_limit=part)
        found.append(Candidate(penalty, model.fit(X, y, sample_weight)))
    return found


def from_path(
    base: Any, X: Any, y: Any, sample_weight: Any, penalties: Sequence[float] | None, seconds: float | None
) -> list[Candidate]:
    """Return the trees of the path for some leaf penalties, or for one in the interval of each tree."""
    model = clone(base).set_params(time_limit=seconds)
    if penalties is not None:
        model.set_params(regularization=min(penalties), verbose=0, callback=None)
    path = model.regularization_path(X, y, sample_weight)
    wanted = [one.regularization for one in path.path] if penalties is None else penalties
    if penalties is None and len(wanted) == 1:
        # Beyond it, the folds could be asked for a penalty that is larger than any loss.
        wanted = [path.path[0].regularization_min]
    found = [Candidate(penalty, path.classifier(regularization=penalty)) for penalty in wanted]
    if penalties is None:
        for one in found:
            one.classifier.path_ = path
    return found


def as_rows(y: Any) -> Any:
    """Return a target of several columns with an entry for each row: a data frame as it is, anything else as array."""
    is_frame = isinstance(nw.from_native(y, pass_through=True, eager_only=True), nw.DataFrame)
    return y if is_frame else as_array("y", y)


def choose(scores: npt.NDArray[np.float64], rule: str) -> int:
    """Return the index of the leaf penalty that a rule chooses.

    Parameters
    ----------
    scores : ndarray of float of shape (n_penalties, n_folds)
        The penalties rise.
    rule : {"best", "one_standard_error"}
        "best": the largest mean; of equal ones the largest penalty. "one_standard_error": the largest penalty whose
        mean is at least the best one less its standard error.

    Returns
    -------
    int
    """
    means = scores.mean(axis=1)
    best = len(means) - 1 - int(np.argmax(means[::-1]))
    if rule == "best":
        return best
    return int(np.flatnonzero(means >= means[best] - standard_errors(scores[[best]])[0])[-1])


def standard_errors(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the standard error of the mean over the folds of each row of scores."""
    n_folds = scores.shape[1]
    return scores.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.zeros(len(scores))


def _score_fold(
    make: MakeCandidates,
    X: Any,
    y: Any,
    sample_weight: Any,
    train: npt.NDArray[Any],
    test: npt.NDArray[Any],
    penalties: Sequence[float],
    deadline: Deadline | None,
    scorer: Any,
    score_params: dict[str, Any],
) -> list[float]:
    """Return the score on the test rows of the trees that the training rows have for some leaf penalties."""
    seconds = None if deadline is None else deadline.seconds()

    def take(values: Any, rows: npt.NDArray[Any]) -> Any:
        has_rows = values is not None and np.ndim(values) > 0 and len(values) == len(y)
        return _safe_indexing(values, rows) if has_rows else values

    with warnings.catch_warnings():  # the rows of all folds together have been warned of
        warnings.simplefilter("ignore", NotProvenWarning)
        warnings.simplefilter("ignore", ColumnWarning)
        found = make(_safe_indexing(X, train), _safe_indexing(y, train), take(sample_weight, train), penalties, seconds)
    X_test, y_test = _safe_indexing(X, test), _safe_indexing(y, test)
    params = {name: take(values, test) for name, values in score_params.items()}
    known: dict[int, float] = {}  # several penalties may have the same tree
    scores = []
    for _, classifier in found:
        tree = id(classifier.tree_)
        if tree not in known:
            known[tree] = float(scorer(classifier, X_test, y_test, **params))
        scores.append(known[tree])
    return scores
