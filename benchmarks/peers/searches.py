"""The searches that are measured, a function for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import numpy as np

from benchmarks.peers.peer import Outcome, Problem, Solver, Unsupported, is_whole, peer
from benchmarks.trees import prune, tree_from_arrays, tree_from_paths, tree_of


@peer()
def hornbeam(problem: Problem) -> Solver:
    """Run the exact search of this repository.

    Options: "switches", from the name of a bound to False, to search without it; "trace", True to keep the objective
    and the lower bound over time; "reference", predictions for the rows from which bounds are guessed; "max_leaves".
    """
    options = problem.options
    names = {name: options[name] for name in ("trace", "reference", "max_leaves") if name in options}
    return _hornbeam(problem, "GOSDTClassifier", **names, bounds=options.get("switches"))


@peer("git+{repository}@4b993cc")
def release_0_1_0(problem: Problem) -> Solver:
    """Hornbeam 0.1.0, built from its commit."""
    return _hornbeam(problem, "GOSDTClassifier")


@peer(depths=(0, inf))
def hornbeam_split(problem: Problem) -> Solver:
    """SPLIT with two levels of splits searched. Option: "last_split" of the classifier; "loss" without it."""
    names = {"last_split": problem.options.get("last_split", "loss"), "binarizer": "exact"}
    return _hornbeam(problem, "SPLITClassifier", **names, lookahead_depth=2)


@peer(depths=(0, inf))
def hornbeam_lickety(problem: Problem) -> Solver:
    """LicketySPLIT. Option: "last_split" of the classifier; without it "loss", as the package licketysplit."""
    names = {"last_split": problem.options.get("last_split", "loss"), "binarizer": "exact"}
    return _hornbeam(problem, "LicketySPLITClassifier", **names)


@peer()
def hornbeam_sets(problem: Problem) -> Solver:
    """Find the set of good trees.

    Options: "epsilon" and "regularization" as strings of fractions, since sets are compared tree by tree; "epsilon_is"
    and "distinct" of the classifier.
    """
    options = {**problem.options, **{name: Fraction(problem.options[name]) for name in ("epsilon", "regularization")}}
    return _hornbeam(problem, "RashomonSetClassifier", **options, binarizer=None)


def _hornbeam(problem: Problem, classifier: str, **parameters: Any) -> Solver:
    """Return what fits and reads a classifier, after one fit has loaded what fits load."""
    import hornbeam

    is_set = "epsilon" in parameters
    first = hornbeam.RashomonSetClassifier(binarizer=None) if is_set else hornbeam.GOSDTClassifier(regularization=0.1)
    first.fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    limits = {"max_depth": problem.max_depth, "time_limit": problem.time_limit, "n_jobs": problem.threads}
    model = getattr(hornbeam, classifier)(**{"regularization": problem.regularization, **limits, **parameters})
    # TreeFARMS predicts the second class in a leaf with as many rows of both.
    y = -problem.y if parameters.get("distinct") == "columns" else problem.y

    def read() -> Outcome:
        if is_set:
            extra = {"trees": float(model.n_trees_), "bound": model.bound_}
        else:
            extra = {"subproblems": float(model.statistics_["subproblems"])}
        before = model.statistics_["binarize_seconds"]  # reading the table, before the search counts its seconds
        return Outcome(
            tree=tree_of(0, partial(_node, model.tree_)),
            proven=model.status_ in ("optimal", "complete"),
            lower_bound=model.lower_bound_,
            claimed_objective=model.objective_,
            trace=[[before + step.elapsed, step.objective, step.lower_bound] for step in getattr(model, "trace_", [])],
            extra=extra,
        )

    return partial(model.fit, problem.X, y), read


def _node(tree: Any, node: int) -> Any:
    """Return what a node of hornbeam's tree holds; classes are whole numbers, their signs do not count."""
    from hornbeam.conditions import AtMost

    condition, holds, fails = tree.conditions[node], tree.left[node], tree.right[node]
    if condition is None:
        return abs(int(tree.classes[tree.prediction[node]]))
    if isinstance(condition, AtMost):
        return condition.column, holds, fails, condition.threshold
    return condition.column, fails, holds


@peer("gosdt==1.0.4", only_binary=True)
def gosdt(problem: Problem) -> Solver:
    """GOSDT of its authors, with the defaults it ships; its `depth_budget` counts edges."""
    from gosdt import GOSDTClassifier, Status  # type: ignore[import-not-found]

    model = GOSDTClassifier(
        regularization=problem.regularization,
        allow_small_reg=True,
        depth_budget=problem.max_depth,
        time_limit=problem.whole_seconds,
        worker_limit=problem.threads,
    )

    def read() -> Outcome:
        """Read the result; a search that ran out of time has bounds and perhaps a tree."""
        result = model.result_
        models = json.loads(result.model)
        return Outcome(
            tree=tree_of(models[0], _node_of_json) if models else None,
            proven=result.status == Status.CONVERGED,
            lower_bound=result.lowerbound,
            claimed_objective=result.upperbound,
            extra={"subproblems": float(result.graph_size)},
        )

    return partial(model.fit, problem.X.astype(np.bool_), problem.y), read


def _node_of_json(node: dict[str, Any]) -> Any:
    """Return what a node of the GOSDT family holds, which goes left where a column is false."""
    return node["prediction"] if "prediction" in node else (node["feature"], node["false"], node["true"])


@peer("imodels==3.0.4", "numba==0.68.1", "six==1.17.0", "matplotlib==3.11.2")
def imodels(problem: Problem) -> Solver:
    """FastSmallTreeClassifier, compiled by numba, or loaded compiled, as it solves a small problem of the same kind."""
    if problem.max_depth is not None:
        raise Unsupported("has no depth limit")
    from imodels import FastSmallTreeClassifier  # type: ignore[import-not-found]

    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(300, 12)).astype(problem.X.dtype)
    y = random.integers(0, int(problem.y.max()) + 1, size=300)
    FastSmallTreeClassifier(regularization=0.02, time_limit=problem.time_limit).fit(X, y)
    model = FastSmallTreeClassifier(regularization=problem.regularization, time_limit=problem.time_limit)

    def read() -> Outcome:
        tree = model.estimator_.tree_
        return Outcome(
            tree=tree_from_arrays(tree, tree.value[:, 0].argmax(axis=1)),
            proven=bool(model.optimal_),
            lower_bound=float(model.lowerbound_),
            claimed_objective=float(model.objective_),
            extra={"subproblems": float(model.iterations_)},
        )

    return partial(model.fit, problem.X, problem.y), read


@peer("pystreed==1.4.0", only_binary=True, depths=(0, 20))  # other columns it binarizes by quantiles
def streed(problem: Problem) -> Solver:
    """STreeD: dynamic programming; the task "cost-complex-accuracy" has a leaf penalty. It reports no lower bound."""
    from pystreed import STreeDClassifier  # type: ignore[import-not-found]

    limits = {"max_depth": problem.max_depth, "time_limit": problem.time_limit}
    model = STreeDClassifier(
        optimization_task="cost-complex-accuracy", cost_complexity=problem.regularization, **limits
    )

    def node(node: Any) -> Any:
        return node.label if node.is_leaf_node() else (node.feature, node.left_child, node.right_child)

    def read() -> Outcome:
        is_fitted = model.is_fitted()
        return Outcome(tree_of(model.tree_, node), model.fit_result.is_optimal()) if is_fitted else Outcome(None)

    return partial(model.fit, problem.X.astype(np.intc), problem.y.astype(np.int32)), read


@peer("pydl8.5==0.1.8", only_binary=True, has_penalty=False, depths=(1, inf))
def dl85(problem: Problem) -> Solver:
    """PyDL8.5: branch and bound over itemsets. It reports no lower bound."""
    from pydl85 import DL85Classifier  # type: ignore[import-not-found]

    model = DL85Classifier(max_depth=problem.max_depth, time_limit=problem.whole_seconds)

    def node(node: dict[str, Any]) -> Any:
        return node["value"] if "value" in node else (node["feat"], node["right"], node["left"])

    def read() -> Outcome:
        if model.tree_ is None:
            return Outcome(None)
        errors, opened = model.error_ / len(problem.y), {"subproblems": float(model.lattice_size_)}
        return Outcome(tree_of(model.tree_, node), not model.timeout_, claimed_objective=errors, extra=opened)

    return partial(model.fit, problem.X.astype(np.int32), problem.y.astype(np.int32)), read


@peer("pycontree==1.0.8", depths=(0, 20))
def contree(problem: Problem) -> Solver:
    """ConTree: dynamic programming over the thresholds of continuous columns. It reports no lower bound."""
    from pycontree import ConTree  # type: ignore[import-not-found]

    limits = {"max_depth": problem.max_depth, "time_limit": problem.time_limit}
    model = ConTree(complexity_cost=problem.regularization, **limits)

    def node(node: Any) -> Any:
        if node.is_leaf_node():
            return node.get_label()
        return node.get_split_feature(), node.get_left(), node.get_right(), node.get_split_threshold()

    def read() -> Outcome:
        return Outcome(tree_of(model.get_tree(), node), model._config.is_within_time_limit())

    return partial(model.fit, problem.X.astype(np.float64), problem.y.astype(np.intc)), read


@peer("pytrees-rs==2.0.0", has_penalty=False, depths=(1, inf))
def pytrees(problem: Problem) -> Solver:
    """ConTree for numbers and DL8.5 for binary columns in Rust. It reports no lower bound."""
    return _pytrees(problem)


@peer("pytrees-rs==2.0.0", depths=(1, inf))
def pytrees_lds(problem: Problem) -> Solver:
    """Limited discrepancy search of pytrees without a leaf penalty; its tree is then pruned for it."""
    from pytrees.rules import DiscrepancyRule  # type: ignore[import-not-found]

    rule = {"discrepancy": DiscrepancyRule(), "heuristic": "information_gain"}
    return _pytrees(problem, **(rule if problem.binary else {"use_lds": True}))


@peer("pytrees-rs==2.0.0", only_binary=True, depths=(1, inf))
def pytrees_topk(problem: Problem) -> Solver:
    """Beam search of pytrees without a leaf penalty, complete in the end; its tree is then pruned for it."""
    from pytrees.rules import TopKRule

    return _pytrees(problem, topk=TopKRule(initial_value=1), heuristic="information_gain")


def _pytrees(problem: Problem, **rules: Any) -> Solver:
    """Return what fits and reads a search of pytrees; with a leaf penalty it proves nothing."""
    from pytrees import ConTreeClassifier, DL85Classifier  # type: ignore[import-not-found]

    make = DL85Classifier if problem.binary else ConTreeClassifier
    model = make(max_depth=problem.max_depth, max_time=problem.time_limit, **rules)

    def read() -> Outcome:
        if model.tree_ is None:
            return Outcome(None)
        tree, errors = tree_from_arrays(model.tree_, model.tree_.value), float(model.train_error_) / len(problem.y)
        if problem.regularization:
            return Outcome(prune(tree, problem.X, problem.y, problem.regularization))
        return Outcome(tree, model.status_ == "optimal", claimed_objective=errors)

    return partial(model.fit, problem.X, problem.y), read


@peer("treefarms==0.2.4", only_binary=True)
def treefarms(problem: Problem) -> Solver:
    """TreeFARMS: the set of good trees; here of the optimal ones, as exactly as its single precision tells them apart.

    Options: "epsilon" for the set within so much of the optimum instead; "bound" for the one up to this objective. Its
    depth limit counts nodes.
    """
    import pandas as pd
    from treefarms import TREEFARMS  # type: ignore[import-not-found]

    # With 0 the set is sometimes empty: the optimum is rounded differently when it is found and when it is compared.
    precision = 1e-6
    if "bound" in problem.options:
        wanted = {"rashomon_bound": problem.options["bound"] + precision}
    else:
        wanted = {"rashomon_bound_multiplier": problem.options.get("epsilon", precision)}
    model = TREEFARMS(
        {
            **wanted,
            "regularization": problem.regularization,
            "depth_budget": 0 if problem.max_depth is None else problem.max_depth + 1,
            "time_limit": problem.whole_seconds,
            "worker_limit": problem.threads,
            "verbose": False,
        }
    )

    def read() -> Outcome:
        """Read a best tree of the set."""
        if model.model_set is None or not model.get_tree_count():
            return Outcome(None)
        metrics = model.model_set.available_metrics
        (claimed, _, _), best = min(zip(metrics["metric_values"], metrics["metric_pointers"], strict=True))
        return Outcome(
            tree=tree_of(model.model_set.get_tree_at_model_set_idx(best, 0), _node_of_json),
            proven=not model.timeout and model.time < problem.whole_seconds,  # it calls a stopped search a success
            claimed_objective=claimed,
            extra={"trees": float(model.get_tree_count())},
        )

    X = pd.DataFrame(problem.X, columns=[f"x{column}" for column in range(problem.X.shape[1])])
    return partial(model.fit, X, pd.Series(problem.y, name="class")), read


@peer("tree-praxis==0.0.30", only_binary=True, rounds_penalty=True, depths=(1, inf))
def praxis(problem: Problem) -> Solver:
    """PRAXIS; see `_lookahead`."""
    from praxis import PRAXIS  # type: ignore[import-not-found]

    return _lookahead(problem, PRAXIS, "fit", proxy_only="epsilon" not in problem.options)


@peer("arborenum==0.2.6", only_binary=True, rounds_penalty=True, depths=(1, inf))
def arborenum(problem: Problem) -> Solver:
    """ArborEnum; see `_lookahead`."""
    from arborenum import ArborEnum  # type: ignore[import-not-found]

    return _lookahead(problem, ArborEnum, "fit_binarized", rashomon_mode="epsilon" in problem.options)


def _lookahead(problem: Problem, program: Callable[[], Any], fit: str, **settings: Any) -> Solver:
    """Set up a search for good trees that looks ahead; here by the whole depth, so exact, and without a time limit.

    Option: "epsilon" for the set of all trees within so much of the optimum; without it one tree.
    """
    assert problem.max_depth
    settings |= {
        "lambda_reg": problem.regularization,
        "depth_budget": problem.max_depth,
        "lookahead_k": max(1, problem.max_depth - 1),
        "rashomon_mult": problem.options.get("epsilon", 0.0),
    }
    if problem.options:  # sets are found in milliseconds: one fit before loads what fits load
        getattr(program(), fit)(np.eye(2, dtype=np.uint8), np.arange(2), **settings)
    model = program()

    def read() -> Outcome:
        """Read the first tree, which is the best one, and how many there are."""
        trees = {"trees": float(model.count_trees())} if problem.options else {}
        proven = is_whole(problem.regularization, len(problem.y))
        return Outcome(tree_from_paths(*model.get_tree_paths(0)), proven, extra=trees)

    return partial(getattr(model, fit), problem.X, problem.y.astype(int), **settings), read


@peer("licketysplit==0.2.1", only_binary=True, depths=(0, inf))
def licketysplit(problem: Problem) -> Solver:
    """LicketySPLIT: a fast search that looks one split ahead; it proves nothing and has no time limit."""
    from licketysplit import LicketySPLITClassifier  # type: ignore[import-not-found]

    model = LicketySPLITClassifier(lambda_leaf=problem.regularization, depth_budget=problem.max_depth)

    def read() -> Outcome:
        tree = tree_from_paths(*model.get_tree_paths())
        return Outcome(tree, claimed_objective=model.objective_ / len(problem.y))

    return partial(model.fit, problem.X, problem.y), read


@peer("scikit-learn==1.9.1")
def cart(problem: Problem) -> Solver:
    """CART of scikit-learn: a greedy tree, pruned for the leaf penalty; it proves nothing. Option: "max_leaves"."""
    from sklearn.tree import DecisionTreeClassifier

    if problem.max_depth == 0:
        raise Unsupported("needs a depth limit of at least 1")
    limits = {"max_depth": problem.max_depth, "max_leaf_nodes": problem.options.get("max_leaves")}
    model = DecisionTreeClassifier(**limits, random_state=0)

    def read() -> Outcome:
        tree = tree_from_arrays(model.tree_, model.tree_.value[:, 0].argmax(axis=1))
        return Outcome(prune(tree, problem.X, problem.y, problem.regularization))

    return partial(model.fit, problem.X, problem.y), read
