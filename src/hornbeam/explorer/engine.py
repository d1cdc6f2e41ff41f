"""Answers the questions of the page: each is a message of plain values, and so is its answer.

The engine has no state of its own that a message changes: the partial tree and the filters come with every message, so
several pages may ask one engine. Numbers of trees are text, since JavaScript's numbers are not exact above 2^53.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._checks import is_integer, shown
from hornbeam.explorer.alternatives import Alternative, best_of_sizes, best_without, choices_in_words, columns_of
from hornbeam.explorer.filters import Filters, read_filters
from hornbeam.explorer.idle_work import IdleWork
from hornbeam.explorer.leaving import BestOutside
from hornbeam.explorer.listed import ListedQuery, ListedSession
from hornbeam.explorer.overview import importance_of, overview_of
from hornbeam.explorer.partial_trees import (
    Leaf,
    Open,
    PartialTree,
    Split,
    node_at,
    read_partial,
    read_path,
    replaced,
)
from hornbeam.explorer.queries import Query
from hornbeam.explorer.report import SetFacts, TreeFacts, report_of
from hornbeam.explorer.rows import Rows, typed_table
from hornbeam.explorer.scores import score_for
from hornbeam.explorer.session import session_of
from hornbeam.explorer.take_away import take_away
from hornbeam.explorer.trees import condition_record, node_records
from hornbeam.explorer.voters import Voters
from hornbeam.rashomon.problem import RashomonProblem

if TYPE_CHECKING:
    from hornbeam._core import Progress

Stop = Callable[["Progress"], bool]
MOST_ROWS = 200  # of a page of the table


class Engine:
    """Answers messages about the trees of a fitted set.

    Parameters
    ----------
    classifier : RashomonSetClassifier
        Fitted. Sets of F-scores and areas under the curve, and those of RESPLIT, are listed: of larger ones the best
        10,000 trees.
    X_test, y_test : array-like or None, default=None
        Rows that were not used in `fit`, and their classes: for the metrics of each tree, and to follow single rows.
        Only both or none.
    name : str, default="Good trees"
        Title of the page.

    Raises
    ------
    ValueError, TypeError
        If the set is empty or of another kind, or the rows differ from those of `fit`.
    """

    def __init__(self, classifier: Any, X_test: Any = None, y_test: Any = None, *, name: str = "Good trees") -> None:
        if (X_test is None) != (y_test is None):
            raise ValueError("X_test and y_test belong together: give both or none.")
        self.session = session_of(classifier)
        self.problem, self.classifier, self.name = self.session.problem, classifier, name
        self._score = score_for(classifier.objective)
        self._rows = None if X_test is None else Rows(X_test, self.problem)
        self._classes = None if y_test is None else self._codes_of(y_test)
        self._idle_work = IdleWork([self.session.index])
        self._methods: dict[str, Callable[[dict[str, Any], Stop | None], Any]] = {
            "about": self._about,
            "look": self._look,
            "options": self._options,
            "scores": self._scores,
            "compare": self._compare,
            "overview": self._overview,
            "importance": self._importance,
            "disputed": self._disputed,
            "count": self._count,
            "leaving": self._leaving,
            "rows": self._rows_at,
            "follow": self._follow,
            "take_away": self._take_away,
        }

    def answer(self, message: Any, stop: Stop | None = None) -> Any:
        """Answer one message.

        Parameters
        ----------
        message : dict
            ``method``, a name, and what that method needs; see ``explorer/src/messages.ts``.
        stop : callable or None, default=None
            Called while filtered trees are counted; that ends if it returns True.

        Returns
        -------
        dict or list
            Plain values.

        Raises
        ------
        ValueError
            If the message is not understood, or the answer does not fit into the memory limit of the classifier.
        InterruptedError
            If counting was stopped.
        """
        method = message.get("method") if isinstance(message, dict) else None
        if not isinstance(method, str) or method not in self._methods:
            raise ValueError(f"method: expected one of {', '.join(self._methods)}, got {shown(message)}.")
        with self._idle_work.answering():
            try:
                return self._methods[method](message, stop)
            except MemoryError as error:
                raise ValueError(str(error) or "there is not enough memory for this answer.") from error

    def wait(self) -> None:
        """Wait until nothing is left to be prepared for the next questions."""
        self._idle_work.wait()

    def _about(self, _: dict[str, Any], __: Stop | None) -> Any:
        problem, classifier, trees = self.problem, self.classifier, self.session.trees
        schema = problem.schema
        return {
            "name": self.name,
            "target": problem.target_name,
            "columns": [{"name": name, "kind": kind} for name, kind in zip(schema.names, schema.kinds, strict=True)],
            "classes": [str(label) for label in problem.classes.tolist()],
            "conditions": [condition_record(condition, schema) for condition in problem.conditions],
            "rows": len(problem.codes),
            "test_rows": 0 if self._rows is None else len(self._rows),
            "objective": classifier.objective,
            "regularization": classifier.regularization_,
            "max_depth": problem.max_depth,
            "min_rows": problem.min_samples_leaf,
            "n_trees": str(self.session.n_trees),
            "n_set": str(trees.n_trees),
            "score": self._score.name,
            "lacks": self._lacks(),
            "best": trees.objective(0),
            "bound": classifier.bound_,
            "searched_up_to": classifier.searched_up_to_,
            "status": classifier.status_,
            "gap": classifier.gap_,
            "most_leaves": max(trees.n_leaves()),
            "is_listed": False,
        }

    def _lacks(self) -> dict[str, str]:
        """Return what the page cannot show of this set, with a reason for each."""
        if isinstance(self.problem, RashomonProblem):
            return {}
        why = f"The objective {self.classifier.objective!r} is not a sum over the rows"
        return {
            "leaving": f"{why}, so what splits outside the set would cost is not known.",
            "reliance": f"{why}, so how much it relies on a column is not measured. Shown is the share of the trees "
            "that test each column.",
        }

    def _look(self, message: dict[str, Any], stop: Stop | None) -> Any:
        tree, query = self._state(message, stop)
        self._idle_work.follow_with(self.session.next_steps(self._asked(message)[1]))
        number = query.number_of_trees(tree)
        if number == 0:
            return {"n_trees": "0", "tree": None}
        best = query.completed(tree)
        least = query.least(tree)
        assert least is not None
        made = self.session.made(best)
        return {
            "n_trees": str(number),
            "objective": self._objective(least),
            "leaves": made.n_leaves,
            "depth": made.depth,
            "tree": node_records(made, best, tree),
            "train": self._score.in_training(made),
            "test": self._test_score(best),
        }

    def _options(self, message: dict[str, Any], stop: Stop | None) -> Any:
        tree, query = self._state(message, stop)
        place = read_path(message.get("place"))
        if not isinstance(node_at(tree, place), Open):
            raise ValueError(f"place: the node {place!r} is fixed; open it first.")
        options = [
            {**_kind(one.node), "n_trees": str(one.n_trees), "objective": self._objective(one.least)}
            for one in query.options(tree, place)
        ]
        return {"options": options}

    def _scores(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return the accuracy on test rows of the best tree with each option at an open node."""
        tree, query = self._state(message, stop)
        place = read_path(message.get("place"))
        if self._rows is None or not isinstance(node_at(tree, place), Open):
            return {"scores": []}
        nodes = [option.node for option in query.options(tree, place)]
        return {
            "scores": [
                {**_kind(node), "test": self._test_score(query.completed(replaced(tree, place, node)))}
                for node in nodes
            ]
        }

    def _compare(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return the test rows that two trees without open nodes judge differently."""
        if self._rows is None or self._classes is None:
            return {"total": 0, "first_right": 0, "second_right": 0, "rows": []}
        first = self._completed(message, stop)
        other = read_partial(message.get("other"), len(self.problem.conditions), len(self.problem.classes))
        second = self.session.query(Filters()).completed(other)
        predictions = self._rows.predictions(first), self._rows.predictions(second)
        differ = np.flatnonzero(predictions[0] != predictions[1])
        right = [int((one == self._classes)[differ].sum()) for one in predictions]
        rows = [
            {
                "row": row,
                "actual": int(self._classes[row]),
                "first": int(predictions[0][row]),
                "second": int(predictions[1][row]),
                "values": self._rows.values(row),
            }
            for row in differ[:MOST_ROWS].tolist()
        ]
        return {"total": len(differ), "first_right": right[0], "second_right": right[1], "rows": rows}

    def _overview(self, message: dict[str, Any], stop: Stop | None) -> Any:
        tree, query = self._state(message, stop)
        return overview_of(query, tree, self._objective)

    def _importance(self, message: dict[str, Any], stop: Stop | None) -> Any:
        if isinstance(self.session, ListedSession):
            return self.session.importance(message.get("exact") is True)
        return importance_of(self.session, message.get("exact") is True, stop)

    def _disputed(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return about which test rows the trees disagree, or about which training rows if there are no others."""
        filters = read_filters(message.get("filters"), len(self.problem.schema.names))
        return Voters(self.session, self._rows).disputed(filters, message.get("exact") is True, stop)

    def _leaving(self, message: dict[str, Any], _: Stop | None) -> Any:
        """Return between which objectives the best tree with a partial tree is, if it need not be in the set."""
        tree, filters = self._asked(message)
        if "leaving" in self._lacks():
            raise ValueError(self._lacks()["leaving"])
        found = BestOutside(self.problem, self.session.maker, filters).find(tree)
        if found is None:
            return {"least": None, "most": None}
        return {"least": self._objective(found.lower), "most": self._objective(found.upper)}

    def _count(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return how many trees filters leave, and their best objective."""
        tree, query = self._state(message, stop)
        least = query.least(tree)
        objective = None if least is None else self._objective(least)
        return {"n_trees": str(query.number_of_trees(tree)), "objective": objective}

    def _rows_at(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return a page of the test rows that reach a node of the tree that is shown."""
        if self._rows is None or self._classes is None:
            return {"total": 0, "rows": []}
        best = self._completed(message, stop)
        place = read_path(message.get("place"))
        node_at(best, place)
        first = message.get("first", 0)
        if not is_integer(first) or first < 0:
            raise ValueError(f"first: expected a number of a row, got {shown(first)}.")
        numbers = self._rows.at(best, place)
        predicted = self._rows.predictions(best)
        page = numbers[first : first + MOST_ROWS].tolist()
        rows = [
            {
                "row": row,
                "values": self._rows.values(row),
                "actual": int(self._classes[row]),
                "predicted": int(predicted[row]),
            }
            for row in page
        ]
        return {"total": len(numbers), "wrong": int((predicted != self._classes)[numbers].sum()), "rows": rows}

    def _follow(self, message: dict[str, Any], stop: Stop | None) -> Any:
        """Return the leaf that a row reaches: one of the test rows, or values that were typed in."""
        best = self._completed(message, stop)
        row = message.get("row")
        if row is not None:
            if self._rows is None or not is_integer(row) or not 0 <= row < len(self._rows):
                raise ValueError(f"row: there is no row {shown(row)}.")
            return {"place": self._rows.place(best, row), "values": self._rows.values(row)}
        rows = Rows(typed_table(message.get("values"), self.problem), self.problem)
        return {"place": rows.place(best, 0), "values": rows.values(0)}

    def _take_away(self, message: dict[str, Any], stop: Stop | None) -> Any:
        if message.get("format") == "report":
            return {"name": "report.html", "type": "text/html", "text": self._report(message, stop)}
        best = self._completed(message, stop)
        return take_away(message.get("format"), self.session.made(best), self.name)

    def _report(self, message: dict[str, Any], stop: Stop | None) -> str:
        tree, filters = self._asked(message)
        query = self.session.query(filters, stop)
        best = query.completed(tree)
        least = query.least(best)
        assert least is not None
        made = self.session.made(best)
        chosen = TreeFacts(
            made,
            self._objective(least),
            choices_in_words(filters, tree, self.problem.schema.names),
            best_without(columns_of(made), self.session, self._objective, stop),
            None if self._rows is None else self._rows.predictions(best),
            self._classes,
        )
        return report_of(self.facts(0 if self._rows is None else len(self._rows)), chosen)

    def facts(self, n_tests: int) -> SetFacts:
        """Return what a report says of the set, with so many test rows."""
        weights = np.bincount(self.problem.codes, self.problem.weights, minlength=len(self.problem.classes))
        return SetFacts(
            self._about({}, None),
            repr(self.classifier),
            (weights / weights.sum()).tolist(),
            best_of_sizes(self.session, self._objective),
            n_tests,
        )

    def without(self, columns: Sequence[int]) -> list[Alternative]:
        """Return for each of some columns of the table the good trees that do not test it."""
        return best_without(columns, self.session, self._objective)

    def _state(self, message: dict[str, Any], stop: Stop | None) -> tuple[PartialTree, Query | ListedQuery]:
        tree, filters = self._asked(message)
        return tree, self.session.query(filters, stop)

    def _asked(self, message: dict[str, Any]) -> tuple[PartialTree, Filters]:
        filters = read_filters(message.get("filters"), len(self.problem.schema.names))
        return read_partial(message.get("tree"), len(self.problem.conditions), len(self.problem.classes)), filters

    def _completed(self, message: dict[str, Any], stop: Stop | None) -> PartialTree:
        tree, query = self._state(message, stop)
        return query.completed(tree)

    def _objective(self, ticks: int) -> float:
        return float(self.problem.scale.objective(ticks))

    def _codes_of(self, y: Any) -> Any:
        number_of = {label: number for number, label in enumerate(self.problem.classes.tolist())}
        labels = np.asarray(y).tolist()
        assert self._rows is not None
        if len(labels) != len(self._rows):
            raise ValueError(
                f"y_test: expected {len(self._rows)} classes, one for each row of X_test, got {len(labels)}."
            )
        unknown = next((label for label in labels if label not in number_of), None)
        if unknown is not None:
            raise ValueError(f"y_test: {shown(unknown)} is not a class of the set, which are {shown(list(number_of))}.")
        return np.array([number_of[label] for label in labels], dtype=np.int32)

    def _test_score(self, tree: PartialTree) -> float | None:
        if self._rows is None or self._classes is None:
            return None
        said: Any = self._rows.predictions(tree)
        if self._score.ranks:
            said = self.session.made(tree).predict_proba(self._rows.table)[:, 1]
        return self._score.measure(said, self._classes, np.ones(len(said)))


def _kind(node: Leaf | Split) -> dict[str, int]:
    return {"leaf": node.prediction} if isinstance(node, Leaf) else {"split": node.condition}
