"""Scores of actions from an experiment, or from observations: what each action would have earned for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import narwhals as nw
import numpy as np
import numpy.typing as npt
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.validation import _num_samples

from hornbeam._checks import as_array, check_choice, is_integer, is_number, shown
from hornbeam.fitting.training import encode_labels, read_labels
from hornbeam.table import read_table
from hornbeam.tree.words import count

_Numbers = npt.NDArray[np.float64]
_METHODS = ("doubly_robust", "inverse_propensity", "direct")
_MOST_CATEGORIES = 255  # of a column that scikit-learn's boosted models split by category; more are split by number


@dataclass(frozen=True, eq=False)
class PolicyScores:
    """What `policy_scores` returns.

    Attributes
    ----------
    rewards : data frame or ndarray of shape (n_rows, n_actions)
        The score of each action for each row, for `PolicyTree.fit`: a data frame of the same library as `X` if that is
        one, with the names of the actions as columns.
    actions : ndarray of shape (n_actions,)
        The actions, sorted: the columns of `rewards`.
    propensities : ndarray of shape (n_rows, n_actions) or None
        Probability of each action for each row, as given or estimated, before it is limited; None for "direct".
    outcomes : ndarray of shape (n_rows, n_actions) or None
        Estimated outcome of each action for each row; None for "inverse_propensity".
    n_limited : int
        Number of rows whose own action had a smaller probability than `least_propensity`.
    method : str
        As given.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from hornbeam import policy_scores
    >>> X, action, outcome = [[0], [1], [2], [3]] * 5, ["call", "letter"] * 10, [1, 2, 3, 4] * 5
    >>> scores = policy_scores(X, action, outcome, method="direct", outcome_model=LinearRegression())
    >>> scores.actions.tolist(), scores.rewards[0].round(2).tolist()
    (['call', 'letter'], [1.0, 1.0])
    """

    rewards: Any
    actions: npt.NDArray[Any]
    propensities: _Numbers | None
    outcomes: _Numbers | None
    n_limited: int
    method: str

    def __repr__(self) -> str:
        """Say how many scores there are, and what may be wrong with them."""
        rows, actions = count(len(self.rewards)), count(len(self.actions), "action")
        limited = f", {self.n_limited:,} propensities limited" if self.n_limited else ""
        return f"<PolicyScores of {rows} and {actions}, {self.method}{limited}>"


def policy_scores(
    X: Any,
    action: Any,
    outcome: Any,
    *,
    method: Literal["doubly_robust", "inverse_propensity", "direct"] = "doubly_robust",
    outcome_model: Any = None,
    action_model: Any = None,
    propensities: Any = None,
    least_propensity: float = 0.01,
    cv: Any = 5,
    random_state: Any = 0,
) -> PolicyScores:
    """Estimate what each action would have earned for each row, of which one action and its outcome are known.

    The models are fitted by cross-fitting: those that score a row have not seen it.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        What the models learn from: everything that influenced the choice of the action and the outcome. The policy may
        use other columns.
    action : array-like of shape (n_rows,)
        The action that each row got: strings, integers or booleans.
    outcome : array-like of shape (n_rows,)
        What it earned; larger is better.
    method : {"doubly_robust", "inverse_propensity", "direct"}, default="doubly_robust"
        "doubly_robust" (augmented inverse propensity): the estimated outcome of each action, corrected for the action
        taken by its error, divided by the probability of that action. Right on average if either model is.
        "inverse_propensity": the outcome divided by that probability, and 0 for the other actions. "direct": the
        estimated outcome.
    outcome_model : scikit-learn estimator or None, default=None
        Regressor, or classifier for outcomes of 0 and 1, fitted for each action on the rows that got it. None:
        `HistGradientBoostingRegressor`, which reads numbers, text, categories, dates and missing values.
    action_model : scikit-learn classifier or None, default=None
        Estimates the probability of each action from `X`. None: `HistGradientBoostingClassifier`, likewise.
    propensities : array-like of shape (n_rows, n_actions) or (n_actions,), or None, default=None
        Known probabilities of the actions in sorted order, as in an experiment. None: estimated by `action_model`.
    least_propensity : float, default=0.01
        Smaller probabilities of the action taken count as this, greater than 0 and at most 1. Otherwise few rows would
        dominate the scores.
    cv : int, splitter or iterable, default=5
        Folds for cross-fitting, as in scikit-learn; every row must be held out exactly once. An integer: folds with
        each action in the same share, shuffled.
    random_state : int, RandomState instance or None, default=0
        Of the shuffle, and of models that have this parameter and no value for it.

    Returns
    -------
    PolicyScores

    Raises
    ------
    ValueError
        If lengths differ, an outcome or action is missing, there is only one action, an action has too few rows for the
        folds, or a parameter is out of range.
    TypeError
        If a parameter has the wrong type.

    See Also
    --------
    hornbeam.PolicyTree : Finds the best tree for these scores.
    hornbeam.policy_value : The value of a policy on held-out rows.

    References
    ----------
    .. [1] S. Athey, S. Wager, "Policy Learning with Observational Data", Econometrica 89(1), 2021: doubly robust scores
           with cross-fitting for policy trees.
    .. [2] M. Dudík, J. Langford, L. Li, "Doubly Robust Policy Evaluation and Learning", ICML 2011: the three methods.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from hornbeam import PolicyTree, policy_scores
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> action = rng.integers(0, 2, 500)  # an experiment: a coin decided
    >>> outcome = np.where(X[:, 0] > 0, action, -action) + 0.1 * rng.normal(size=500)
    >>> scores = policy_scores(X, action, outcome, outcome_model=LinearRegression(), propensities=[0.5, 0.5])
    >>> scores
    <PolicyScores of 500 rows and 2 actions, doubly_robust>
    >>> print(PolicyTree(max_depth=1).fit(X, scores.rewards).tree_)
    x0 <= -0.005?
    ├── yes: choose 0 (mean reward 0.00709 in 278 rows)
    └── no: choose 1 (mean reward 1.049 in 222 rows)
    """
    check_choice("method", method, _METHODS)
    if not is_number(least_propensity) or not 0 < least_propensity <= 1:
        raise ValueError(f"least_propensity must be greater than 0 and at most 1, got {shown(least_propensity)}.")
    actions, codes = encode_labels(read_labels(action))
    outcomes = _read_outcomes(outcome)
    if not len(codes) == len(outcomes) == _num_samples(X):
        raise ValueError(
            f"X has {_num_samples(X)} rows, action {len(codes)} and outcome {len(outcomes)}; expected the same number."
        )
    if len(actions) < 2:
        raise ValueError(f"action holds only {actions.tolist()[0]!r}; there must be at least two actions to compare.")
    known = None if propensities is None else _read_propensities(propensities, len(codes), len(actions))
    folds = _folds(cv, codes, actions, random_state)
    chances = predicted = None
    if method != "direct":
        if known is None:
            model, inputs = _with_inputs(action_model, HistGradientBoostingClassifier, X)
            known = _cross_fitted_chances(model, inputs, codes, len(actions), folds, random_state)
        chances = known
    if method != "inverse_propensity":
        model, inputs = _with_inputs(outcome_model, HistGradientBoostingRegressor, X)
        predicted = _cross_fitted_outcomes(model, inputs, codes, actions, outcomes, folds, random_state)
    rows, n_limited = np.arange(len(codes)), 0
    rewards = np.zeros((len(codes), len(actions))) if predicted is None else predicted.copy()
    if chances is not None:
        of_own = chances[rows, codes]
        n_limited = int(np.count_nonzero(of_own < least_propensity))
        rewards[rows, codes] += (outcomes - rewards[rows, codes]) / np.maximum(of_own, least_propensity)
    return PolicyScores(_like(X, rewards, actions), actions, chances, predicted, n_limited, method)


def _read_outcomes(outcome: Any) -> _Numbers:
    """Return outcomes as finite numbers."""
    values = column_or_1d(as_array("outcome", outcome))
    if values.dtype.kind not in "biufO":
        raise TypeError(f"outcome must hold numbers, but is of type {values.dtype}.")
    try:
        numbers: _Numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"outcome must hold numbers: {error}") from None
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong) > 0:
        raise ValueError(
            f"outcome is missing or infinite in {count(len(wrong))}, first row {wrong[0]}; leave them out."
        )
    return numbers


def _read_propensities(given: Any, n_rows: int, n_actions: int) -> _Numbers:
    """Return probabilities for each row, from those of all rows or of each."""
    values = as_array("propensities", given).astype(np.float64)
    if values.shape not in ((n_actions,), (n_rows, n_actions)):
        raise ValueError(
            f"propensities must have shape ({n_rows}, {n_actions}) or ({n_actions},), a column for each action in "
            f"sorted order; got {values.shape}."
        )
    if not ((values > 0) & (values <= 1)).all() or not np.allclose(values.sum(axis=-1), 1):
        raise ValueError("propensities must be greater than 0 and at most 1, and sum to 1 over the actions.")
    return np.broadcast_to(values, (n_rows, n_actions)).copy()


def _folds(cv: Any, codes: npt.NDArray[np.int32], actions: npt.NDArray[Any], random_state: Any) -> list[Any]:
    """Return pairs of training and held-out rows; each row is held out once, and each action trained in each."""
    if is_integer(cv):
        if cv < 2:
            raise ValueError(f"cv must be at least 2, got {shown(cv)}.")
        sizes = np.bincount(codes)
        if sizes.min() < cv:
            raise ValueError(
                f"Action {actions.tolist()[sizes.argmin()]!r} has {count(int(sizes.min()))}, too few for cv={cv}: "
                "use fewer folds, or leave the rows of this action out."
            )
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    else:
        splitter = check_cv(cv)
    folds = list(splitter.split(codes, codes))
    held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(codes))
    if (held_out != 1).any():
        row = int(np.flatnonzero(held_out != 1)[0])
        raise ValueError(f"cv holds row {row} out {held_out[row]} times; every row must be held out exactly once.")
    for fold, (train, _) in enumerate(folds):
        absent = np.setdiff1d(np.arange(len(actions)), codes[train])
        if len(absent) > 0:
            raise ValueError(f"The training rows of fold {fold} lack the action {actions.tolist()[absent[0]]!r}.")
    return folds


def _with_inputs(model: Any, default: Any, X: Any) -> tuple[Any, Any]:
    """Return a model and what it is fitted on: `X`, or for the default its cells as numbers, with NaN for missing."""
    if model is not None:
        return model, X
    table = read_table(X)
    inputs = np.empty((table.n_rows, len(table.columns)))
    are_categories = []
    for place, column in enumerate(table.columns):
        is_category = column.kind == "category"
        if is_category:
            categories = sorted(set(column.values.tolist()) - {None}, key=str)
            number_of = dict(zip([*categories, None], [*range(len(categories)), np.nan], strict=True))
            inputs[:, place] = [number_of[value] for value in column.values.tolist()]
            is_category = len(categories) <= _MOST_CATEGORIES
        else:
            inputs[:, place] = column.values
        are_categories.append(is_category)
    return default(categorical_features=are_categories), inputs


def _unfitted(model: Any, random_state: Any) -> Any:
    """Return a clone, with a seed if it needs one."""
    made = clone(model)
    if made.get_params(deep=False).get("random_state", 0) is None:
        made.set_params(random_state=random_state)
    return made


def _cross_fitted_chances(
    model: Any, X: Any, codes: npt.NDArray[np.int32], n_actions: int, folds: list[Any], random_state: Any
) -> _Numbers:
    """Return the estimated probability of each action for each row."""
    if not hasattr(model, "predict_proba"):
        raise TypeError(f"action_model must be a classifier with predict_proba, got {shown(model)}.")
    chances = np.empty((len(codes), n_actions))
    for train, test in folds:
        fitted = _unfitted(model, random_state).fit(_safe_indexing(X, train), codes[train])
        chances[test] = fitted.predict_proba(_safe_indexing(X, test))
    return chances


def _cross_fitted_outcomes(
    model: Any,
    X: Any,
    codes: npt.NDArray[np.int32],
    actions: npt.NDArray[Any],
    outcomes: _Numbers,
    folds: list[Any],
    random_state: Any,
) -> _Numbers:
    """Return the estimated outcome of each action for each row."""
    is_binary = is_classifier(model)
    if is_binary and not np.isin(outcomes, (0, 1)).all():
        raise ValueError(
            "outcome_model is a classifier, but outcome holds other numbers than 0 and 1; use a regressor."
        )
    predicted = np.empty((len(codes), len(actions)))
    for train, test in folds:
        held_out = _safe_indexing(X, test)
        for code in range(len(actions)):
            rows = train[codes[train] == code]
            values = outcomes[rows]
            if is_binary and len(set(values.tolist())) == 1:  # no classifier learns a constant
                predicted[test, code] = values[0]
                continue
            fitted = _unfitted(model, random_state).fit(_safe_indexing(X, rows), values)
            predicted[test, code] = fitted.predict_proba(held_out)[:, 1] if is_binary else fitted.predict(held_out)
    return predicted


def _like(X: Any, rewards: _Numbers, actions: npt.NDArray[Any]) -> Any:
    """Return rewards as a data frame of the library of `X`, if that is one; of pandas with its index."""
    native = nw.from_native(X, pass_through=True, eager_only=True)
    if not isinstance(native, nw.DataFrame):
        return rewards
    columns = {str(action): rewards[:, place] for place, action in enumerate(actions.tolist())}
    frame = nw.from_dict(columns, backend=nw.get_native_namespace(native)).to_native()
    if hasattr(X, "index") and hasattr(frame, "set_axis"):
        frame = frame.set_axis(X.index, axis=0)
    return frame
