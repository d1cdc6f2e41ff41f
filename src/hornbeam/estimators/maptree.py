"""MAPTree: the decision tree of largest posterior probability under the BCART prior, with a proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam._keywords import accept_positional
from hornbeam._user_frame import warn_user
from hornbeam.binarizers import Binarizer
from hornbeam.estimators._classifier import TreeClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.advice import advice
from hornbeam.fitting.checkpoints import with_checkpoint
from hornbeam.fitting.parameters import check_limit
from hornbeam.fitting.progress import Progress, relative_gap
from hornbeam.fitting.search import Search, packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.posterior import LogPosteriorScale, Prior, check_prior

if TYPE_CHECKING:
    pass


class MAPTreeClassifier(TreeClassifier):
    """Decision tree with the largest posterior probability under the prior of Bayesian CART, with a proof.

    Maximizes ``log P(T | X) + log P(y | X, T)`` over all trees T whose conditions are among the binary columns made by
    `binarizer` [1]_. In the prior, a node of depth d is split with probability ``alpha * (1 + d) ** -beta`` if some
    column separates its rows, and all such columns are equally likely; the class probabilities of each leaf have a
    Dirichlet distribution with parameters `rho`. There is no leaf penalty to tune: more data support larger trees. The
    search may be stopped at any time - by a limit, by the callback or by Ctrl-C - and then returns its best tree and a
    proven bound.

    Parameters
    ----------
    alpha : float, default=0.95
        Probability of a split at the root, between 0 and 1.
    beta : float, default=0.5
        How fast that probability falls with depth, at least 0.
    rho : float or sequence of n_classes floats, default=2.5
        Prior counts of the classes in a leaf, greater than 0: one for all, or one for each in the order of `classes_`.
        For two classes, 2.5 is the ``rho=(2.5, 2.5)`` of the paper's code.
    max_depth : int or None, default=None
        Largest number of edges from the root to a leaf; 0 gives a single leaf. The prior remains the one over trees of
        any depth. None: no limit.
    binarizer : {"exact", "quantile", "auto", "guess"}, Binarizer or None, default="exact"
        How columns become binary; see `GOSDTClassifier`. The prior is a prior over splits on these columns: the more
        there are, the less likely is each split.
    time_limit : float or None, default=60
        Seconds of wall clock from the call of `fit` to its return: reading the table, making binary columns and the
        search. A fit that runs out of time returns its best tree, at least a single leaf, and a true lower bound.
        None: no limit, for a proof whatever it takes.
    memory_limit : int or None, default=None
        Bytes by which the fit may increase the memory of the process: the binary columns and everything the search
        stores. If not even the columns fit, the tree is a single leaf. None: no limit.
    max_expansions : int or None, default=None
        Number of subproblems to expand, at least 1. None: no limit.
    checkpoint : str, path or None, default=None
        A file in which the search saves what it has proven, and from which the same call goes on after a kill or a
        limit; see `GOSDTClassifier`. None: nothing is saved.
    checkpoint_interval : float, default=60
        Seconds between two saves, at least 0. The search also saves at its end.
    verbose : int or bool, default=0
        1 or True: show the progress in one line on stderr; see `GOSDTClassifier`. The objective is minus the log
        posterior.
    callback : callable or None, default=None
        Called about ten times a second with a `Progress`, whose objective is minus the log posterior; returning True
        stops the search.
    trace : bool, default=False
        Whether to record the progress of the search over time in `trace_`.

    Attributes
    ----------
    tree_ : Tree
        The best tree found, on the columns of `X`; set even when the search was stopped.
    classes_ : ndarray of shape (n_classes,)
        Labels as given, sorted.
    log_posterior_ : float
        ``log P(tree_ | X) + log P(y | X, tree_)`` in nats: the log posterior up to ``log P(y | X)``, which is the same
        for all trees. `log_posterior` computes it for any tree.
    upper_bound_ : float
        No tree within the limits has a larger log posterior. Equals `log_posterior_` if `status_` is "optimal".
    gap_ : float
        ``(upper_bound_ - log_posterior_) / -log_posterior_``.
    status_ : {"optimal", "time_limit", "memory_limit", "expansion_limit", "interrupted"}
        Why the search ended. "optimal": `tree_` is proven best. "interrupted": by Ctrl-C or by the callback;
        Ctrl-C in the fit of a clone raises KeyboardInterrupt, see Notes of `GOSDTClassifier`.
    n_leaves_ : int
        Number of leaves of `tree_`.
    depth_ : int
        Largest number of edges from the root to a leaf of `tree_`.
    feature_importances_ : ndarray of shape (n_features_in_,)
        See `GOSDTClassifier`.
    rho_ : ndarray of shape (n_classes,)
        The prior counts used.
    resolution_ : float
        Nats of one unit of the search, which adds integers: 2^-40, or more if sums would be too large. A tree that is
        proven best in these units is best up to one unit per row and two per node.
    binarizer_, schema_, n_features_in_, feature_names_in_
        See `GOSDTClassifier`.
    statistics_ : dict
        Counters of the search: "subproblems" (expanded), "table_entries", "bytes" (largest memory of the search) and
        "seconds" (of the search); "bounds", see `GOSDTClassifier`; also "binarize_seconds" and "n_binary_columns".
    trace_ : list of Progress
        The progress of the search over time; only with ``trace=True``.

    Notes
    -----
    There may be any number of classes; the paper has two. The search runs on one thread, so there is no `n_jobs`. Its
    tables use about 60 bytes per row, and 30 more per row for each level of the tree.

    References
    ----------
    .. [1] C. Sullivan, M. Tiwari, S. Thrun, "MAPTree: Beating 'Optimal' Decision Trees with Bayesian Decision Trees",
           AAAI 2024.

    Examples
    --------
    >>> from hornbeam import MAPTreeClassifier
    >>> X, y = [[0, 0]] * 8 + [[0, 1]] * 2 + [[1, 1]] * 8, [0] * 10 + [1] * 8
    >>> classifier = MAPTreeClassifier(binarizer=None).fit(X, y)
    >>> classifier.status_, classifier.n_leaves_, round(classifier.log_posterior_, 6)
    ('optimal', 2, -8.575146)
    >>> classifier.predict_proba([[1, 1]]).round(3).tolist()
    [[0.192, 0.808]]
    """

    @accept_positional("rho max_depth binarizer time_limit memory_limit max_expansions verbose callback trace")
    def __init__(
        self,
        alpha: float = 0.95,
        beta: float = 0.5,
        *,
        rho: float | Sequence[float] = 2.5,
        max_depth: int | None = None,
        binarizer: Literal["exact", "quantile", "auto", "guess"] | Binarizer | None = "exact",
        time_limit: float | None = DEFAULT_TIME_LIMIT,
        memory_limit: int | None = None,
        max_expansions: int | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_interval: float = 60,
        verbose: int = 0,
        callback: Callable[[Progress], bool | None] | None = None,
        trace: bool = False,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.rho = rho
        self.max_depth = max_depth
        self.binarizer = binarizer
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.max_expansions = max_expansions
        self.checkpoint = checkpoint
        self.checkpoint_interval = checkpoint_interval
        self.verbose = verbose
        self.callback = callback
        self.trace = trace

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the posterior mean of the class probabilities in each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            ``(c_k + rho_k) / (n + sum(rho))`` in the order of `classes_`, where c_k of the n training rows of the leaf
            are of class k.
        """
        table = self._table(X)
        counts = self.tree_.class_weights + self.rho_
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[self.tree_.apply(table)])

    def _proof(self) -> tuple[str, str]:
        return f"log posterior {self.log_posterior_:.6g}", f"upper bound {self.upper_bound_:.6g}"

    def _check_parameters(self) -> _core.SearchOptions:
        """Check all parameters that need no data; return the options of the search."""
        check_prior(self.alpha, self.beta, self.rho)
        options = with_checkpoint(self, self._check_search_parameters())
        return options.replace(max_expansions=check_limit("max_expansions", self.max_expansions, least=1))

    def _check_training(self, training: TrainingData) -> TrainingData:
        training = training._replace(weights=_numbers_of_rows(training))
        self._read_prior(len(training.classes))  # so that a wrong `rho` is refused before columns are made
        return training

    def _read_prior(self, n_classes: int) -> Prior:
        return Prior.read(self.alpha, self.beta, self.rho, n_classes)

    def _make_scale(self, training: TrainingData) -> LogPosteriorScale:
        n_rows, n_columns = int(training.weights.sum()), len(self.binarizer_.conditions_)
        return LogPosteriorScale.fit_for(n_rows, n_columns, self._read_prior(len(training.classes)))

    def _choose_search(self, training: TrainingData, scale: LogPosteriorScale, options: _core.SearchOptions) -> Search:
        prior, columns = self._read_prior(len(training.classes)), packed_columns(self.binarizer_.conditions_, training)
        codes, weights = training.codes, training.weights
        problem = _core.PosteriorProblem(codes, weights, prior.alpha, prior.beta, prior.rho, scale.bits)
        return partial(_core.solve_posterior, columns, problem, within(options, training.budget))

    def _set_result(self, outcome: _core.Outcome, scale: LogPosteriorScale) -> None:
        self.rho_, self.resolution_ = self._read_prior(len(self.classes_)).rho, scale.objective(1)
        self.log_posterior_ = -scale.objective(outcome["upper"])
        self.upper_bound_ = -scale.objective(outcome["lower"])
        self.gap_ = relative_gap(-self.log_posterior_, -self.upper_bound_)

    def _warn_unless_proven(self) -> None:
        if self.status_ == "optimal":
            return
        warn_user(
            f"The search stopped before its tree was proven to be the most probable ({self._describe_end()}): log "
            f"posterior {self.log_posterior_:.6g}, upper bound {self.upper_bound_:.6g}. The tree is valid. "
            f"For a proof, {advice(self)}",
            NotProvenWarning,
        )


def _numbers_of_rows(training: TrainingData) -> npt.NDArray[np.int64]:
    """Return the weights as numbers of rows.

    Raises
    ------
    ValueError
        If a weight is not a whole number, or there are 2^26 rows or more.
    """
    weights = training.weights
    fractions = np.flatnonzero(weights != np.floor(weights))
    if len(fractions) > 0:
        raise ValueError(
            f"sample_weight must hold whole numbers, got {weights[fractions[0]]!r}: the posterior counts rows, so each "
            "weight is the number of rows that a row stands for."
        )
    if weights.sum() >= 2**26:
        raise ValueError(f"sample_weight must add up to less than 2^26 rows, got {weights.sum()!r}.")
    return weights.astype(np.int64)
