"""Rows about whose class the trees of a set disagree: by the votes of all of them, or of a sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam.explorer.filters import Filters
from hornbeam.explorer.listed import ListedSession
from hornbeam.explorer.overview import SAMPLE, sampled
from hornbeam.explorer.partial_trees import Open
from hornbeam.explorer.rows import Rows
from hornbeam.explorer.session import Session

if TYPE_CHECKING:
    from hornbeam._core import Progress

MOST_COSTS = 300_000  # of a set whose votes are all counted without being asked for: about a second
_MOST_LISTED = 1000  # trees of a list that all vote without being asked
_MOST_DISPUTED = 50  # rows


class Voters:
    """The votes of the trees of a set on its test rows, or on the training rows if it has no others.

    Parameters
    ----------
    session : Session or ListedSession
    rows : Rows or None
        The test rows.
    """

    def __init__(self, session: Session | ListedSession, rows: Rows | None) -> None:
        self._session, self._rows = session, rows
        self._n_rows = len(session.problem.codes) if rows is None else len(rows)

    def disputed(
        self, filters: Filters, is_wanted_exact: bool = False, stop: Callable[[Progress], bool] | None = None
    ) -> dict[str, Any]:
        """Return the rows about which the trees disagree most, with the share of votes of each class.

        Parameters
        ----------
        filters : Filters
            Which trees vote.
        is_wanted_exact : bool, default=False
            Whether to count the votes of all trees however long it takes. Otherwise a sample of `SAMPLE` trees votes
            where counting all takes more than about a second (see `MOST_COSTS`), unless filters choose the trees.
        stop : callable or None, default=None
            Called while votes are counted; that stops if it returns True.

        Returns
        -------
        dict
            ``n_trees`` (text), how many trees have voted; ``is_exact``, whether these are all; ``is_training``,
            whether the rows are those of `fit`; ``n_rows``, how many there are, and ``n_disputed`` of them about which
            not all trees agree; and the first of these ``rows``.

        Raises
        ------
        InterruptedError
            If counting was stopped.
        """
        session, trees = self._session, self._session.trees
        if isinstance(session, ListedSession):
            numbers = session.numbers(filters)
            is_sampled = len(numbers) > _MOST_LISTED
            if is_sampled and not is_wanted_exact:
                places = np.random.RandomState(0).choice(len(numbers), SAMPLE, replace=False)
                numbers = [numbers[place] for place in np.sort(places)]
            n_trees, votes = len(numbers), self._votes_of(numbers)
        else:
            is_sampled = filters == Filters() and trees.n_trees > SAMPLE and session.n_costs > MOST_COSTS
            if is_sampled and not is_wanted_exact:
                numbers = sampled(trees, 0)
                n_trees, votes = len(numbers), self._votes_of(numbers)
            else:
                query = session.query(filters, stop)
                n_trees, votes = query.number_of_trees(Open()), query.votes(self._answers(), self._n_rows, stop)
        most = votes.max(axis=1)
        is_disputed = most < n_trees
        order = np.argsort(most, kind="stable")[: min(_MOST_DISPUTED, int(is_disputed.sum()))]
        return {
            "n_trees": str(n_trees),
            "is_exact": is_wanted_exact or not is_sampled,
            "is_training": self._rows is None,
            "n_rows": self._n_rows,
            "n_disputed": int(is_disputed.sum()),
            "rows": [
                {
                    "row": row,
                    "votes": [int(one) / n_trees for one in votes[row]],
                    "values": [] if self._rows is None else self._rows.values(row),
                }
                for row in order.tolist()
            ],
        }

    def _answers(self) -> Sequence[npt.NDArray[np.bool_]]:
        if self._rows is not None:
            return self._rows.holds
        return [self._session.maker.holds(condition) for condition in range(len(self._session.problem.conditions))]

    def _votes_of(self, numbers: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return how many of some trees predict each class for each row."""
        trees, n_classes = self._session.trees, len(self._session.problem.classes)
        if self._rows is not None and numbers:
            shares: npt.NDArray[np.float64] = trees.votes(self._rows.table, numbers)
            return np.rint(shares * len(numbers)).astype(np.int64)
        votes = np.zeros((self._n_rows, n_classes), dtype=np.int64)
        for number in numbers:
            arrays = trees._arrays(number)
            votes[np.arange(self._n_rows), arrays["prediction"][arrays["leaf_of_row"]]] += 1
        return votes
