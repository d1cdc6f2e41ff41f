"""All final boards of tic-tac-toe."""

from __future__ import annotations

from typing import Any

import numpy as np

from hornbeam.datasets.dataset import Dataset

_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
_SQUARES = tuple(f"{row}-{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))


def load_tic_tac_toe(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset | tuple[Any, Any]:
    """Return the 958 boards on which a game of tic-tac-toe can end, "x" having moved first.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Dataset`.
    as_frame : bool, default=False
        Return pandas objects instead of arrays; needs pandas.

    Returns
    -------
    Dataset or tuple
        9 features, the squares from the top left to the bottom right: "x", "o" or "b" (blank). The target is
        "positive" (626 rows) if "x" has three in a row and "negative" (332 rows) if not. The rows stand in
        alphabetic order.

    References
    ----------
    .. [1] D. W. Aha, "Incremental constructive induction: an instance-based approach", 1991; UCI Machine Learning
           Repository, "Tic-Tac-Toe Endgame".

    Examples
    --------
    >>> load_tic_tac_toe().data.shape
    (958, 9)
    """
    boards = sorted(_final_boards())
    target = np.array(["positive" if _won(board, "x") else "negative" for board in boards])
    dataset = Dataset(
        data=np.array([list(board) for board in boards], dtype=object),
        target=target,
        feature_names=_SQUARES,
        target_name="outcome",
        description="A row is a final board of tic-tac-toe (x moved first); the target is positive if x has won.",
    )
    return dataset.deliver(return_X_y=return_X_y, as_frame=as_frame)


def _won(board: str, player: str) -> bool:
    """Return whether a player has three in a row."""
    return any(all(board[square] == player for square in line) for line in _LINES)


def _final_boards() -> set[str]:
    """Return the boards on which games can end: played move by move from the empty board."""
    final: set[str] = set()
    boards = {"b" * 9}
    for player in "xoxoxoxox":
        moved = {
            board[:square] + player + board[square + 1 :]
            for board in boards - final
            for square in range(9)
            if board[square] == "b"
        }
        final |= {board for board in moved if _won(board, player) or "b" not in board}
        boards = moved
    return final
