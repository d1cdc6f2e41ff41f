"""Classifiers that choose their own size on the training rows, by 5-fold cross-validation unless they have another way.

They predict rows that were held out; the limit is for all their fits together.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.peer import Outcome, Problem, Solver, peer

_FOLDS = 5
_PENALTIES = 7
_MOST_ALPHAS = 40


def _solver(problem: Problem, model: Any, leaves: Callable[[Any], int] | None = None) -> Solver:
    """Return what fits and reads a classifier of scikit-learn's kind."""

    def read() -> Outcome:
        return Outcome(None, predict=model.predict, leaves=None if leaves is None else int(leaves(model)))

    return partial(model.fit, problem.X, problem.y), read


def _leaves(model: Any) -> int:
    return int(model.n_leaves_)


@peer()
def hornbeam_cv(problem: Problem) -> Solver:
    """Optimal trees for all leaf penalties. Option: "rule" of the classifier."""
    from hornbeam import GOSDTClassifierCV

    model = GOSDTClassifierCV(time_limit=problem.time_limit, n_jobs=problem.threads, **problem.options)
    return _solver(problem, model, _leaves)


@peer()
def hornbeam_guesses_cv(problem: Problem) -> Solver:
    """Optimal trees for all leaf penalties over thresholds guessed by a boosted model."""
    from hornbeam import GOSDTClassifierCV

    model = GOSDTClassifierCV(binarizer="guess", time_limit=problem.time_limit, n_jobs=problem.threads)
    return _solver(problem, model, _leaves)


@peer()
def hornbeam_split_cv(problem: Problem) -> Solver:
    """Near-optimal trees of depth 5 for ten leaf penalties."""
    from hornbeam import SPLITClassifierCV

    return _solver(problem, SPLITClassifierCV(time_limit=problem.time_limit, n_jobs=problem.threads), _leaves)


@peer()
def hornbeam_maptree(problem: Problem) -> Solver:
    """Tree of the largest posterior; its prior takes the place of cross-validation."""
    from hornbeam import MAPTreeClassifier

    return _solver(problem, MAPTreeClassifier(time_limit=problem.time_limit), _leaves)


@peer("scikit-learn==1.9.1", stops=False)
def cart_cv(problem: Problem) -> Solver:
    """CART with cross-validated cost complexity."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=0)
    search = GridSearchCV(tree, {}, cv=_FOLDS, n_jobs=problem.threads)

    def fit() -> None:
        alphas = np.unique(tree.cost_complexity_pruning_path(problem.X, problem.y).ccp_alphas.clip(0))
        if len(alphas) > _MOST_ALPHAS:  # evenly by rank: most penalties of a path are close to its least one
            alphas = alphas[np.linspace(0, len(alphas) - 1, _MOST_ALPHAS).round().astype(int)]
        # The first of equally good ones is taken: the smallest tree.
        search.set_params(param_grid={"ccp_alpha": alphas[::-1]}).fit(problem.X, problem.y)

    def read() -> Outcome:
        return Outcome(None, predict=search.predict, leaves=int(search.best_estimator_.get_n_leaves()))

    return fit, read


@peer("imodels==3.0.4", "numba==0.68.1", "six==1.17.0", "matplotlib==3.11.2", stops=False)
def imodels_shrunk_cv(problem: Problem) -> Solver:
    """CART with hierarchical shrinkage, for some numbers of leaves and strengths."""
    from imodels import HSTreeClassifier  # type: ignore[import-not-found]
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    trees = [DecisionTreeClassifier(max_leaf_nodes=2**power, random_state=0) for power in range(1, 8)]
    grid = {"estimator_": trees, "reg_param": [0, 1, 10, 100]}  # the smallest trees first
    model = GridSearchCV(HSTreeClassifier(), grid, cv=_FOLDS, n_jobs=problem.threads)
    return _solver(problem, model, lambda model: model.best_estimator_.estimator_.get_n_leaves())


@peer("imodels==3.0.4", "numba==0.68.1", "six==1.17.0", "matplotlib==3.11.2")
def imodels_cv(problem: Problem) -> Solver:
    """FastSmallTreeClassifier for seven leaf penalties."""
    from imodels import FastSmallTreeClassifier
    from sklearn.model_selection import GridSearchCV

    seconds = problem.time_limit / (_PENALTIES * _FOLDS + 1)
    FastSmallTreeClassifier(time_limit=seconds).fit(problem.X[:50], problem.y[:50])  # compiles
    penalties = np.geomspace(0.1, max(1 / len(problem.y), 0.0005), _PENALTIES)  # the smallest tree first
    model = GridSearchCV(
        FastSmallTreeClassifier(time_limit=seconds), {"regularization": penalties}, cv=_FOLDS, n_jobs=problem.threads
    )
    return _solver(problem, model, lambda model: model.best_estimator_.estimator_.get_n_leaves())


@peer("pystreed==1.4.0", stops=False)
def streed_cv(problem: Problem) -> Solver:
    """STreeD with its own tuning of the number of nodes, depth 4, over five quantiles a column."""
    from pystreed import STreeDClassifier  # type: ignore[import-not-found]

    model = STreeDClassifier(max_depth=4, hyper_tune=True, time_limit=problem.time_limit)
    return _solver(problem, model, lambda model: model.get_n_leaves())


@peer("lightgbm==4.7.0", "scikit-learn==1.9.1", stops=False)
def lightgbm(problem: Problem) -> Solver:
    """Boosted trees with the defaults of LightGBM: what a model that cannot be read reaches."""
    from lightgbm import LGBMClassifier

    return _solver(problem, LGBMClassifier(n_jobs=problem.threads, random_state=0, verbose=-1))


@peer("interpret-core==0.7.8", "joblib==1.6.0", "scikit-learn==1.9.1", stops=False)
def ebm(problem: Problem) -> Solver:
    """Explainable boosting machine: sums of curves of one or two columns."""
    from interpret.glassbox import ExplainableBoostingClassifier

    # With its default of 14 bags, a fit takes more than a minute on a third of the tables.
    return _solver(problem, ExplainableBoostingClassifier(outer_bags=2, n_jobs=problem.threads, random_state=0))
