"""Mixtures of the ROC curves of trees: where a tangent to the area under the curve bounds it best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_MOST_STEPS = 200


class CurveMixture:
    """The curve of all leaves of some trees, each tree with a share of one in all.

    The loss of a mixture, the area above its curve, is convex in the shares: the curve of a mixture lies nowhere below
    the mixture of the curves. So the least loss of a mixture, leaf penalty included, is a bound for all trees if no
    further tree lowers it; and the tangent there proves that bound (see `auc_search`). Numbers here are floating point:
    they choose what is then proven in integers.

    Parameters
    ----------
    theta : float
        The false positive rate up to which the area counts.
    leaf_penalty : float
        Penalty of one leaf; 1 is the cost of all pairs.
    """

    def __init__(self, theta: float, leaf_penalty: float) -> None:
        self._theta, self._leaf_penalty = theta, leaf_penalty
        self._trees: set[bytes] = set()
        self._sizes = np.empty(0)
        self._shares = np.empty(0)
        self._leaves = np.empty((0, 2))  # of all trees, the most positive first: shares of the negatives and positives
        self._tree_of_leaf = np.empty(0, dtype=np.intp)

    def add(self, leaves: _Floats) -> bool:
        """Add a tree with a share of 0 (of 1 for the first tree); return False if it is known already.

        Parameters
        ----------
        leaves : ndarray of shape (n_leaves, 2)
            The share of the negatives and of the positives in each leaf.

        Returns
        -------
        bool
        """
        known = np.sort(leaves, axis=0).tobytes()
        if known in self._trees:
            return False
        self._trees.add(known)
        merged = np.concatenate([self._leaves, leaves])
        owners = np.append(self._tree_of_leaf, np.full(len(leaves), len(self._sizes)))
        order = np.argsort(merged[:, 0] / merged.sum(axis=1), kind="stable")
        self._leaves, self._tree_of_leaf = merged[order], owners[order]
        self._sizes = np.append(self._sizes, len(leaves))
        self._shares = np.append(self._shares, float(not len(self._shares)))
        return True

    def loss(self) -> float:
        """Return the area above the curve plus the penalty of the leaves."""
        wide, high = self._edges(self._shares)
        area = float(wide @ (high.cumsum() - high / 2))
        return 1 - area + self._leaf_penalty * float(self._shares @ self._sizes)

    def improve(self, tolerance: float) -> None:
        """Move shares from tree to tree until no move is worth more than a tolerance (pairwise Frank-Wolfe steps)."""
        for _ in range(_MOST_STEPS):
            slopes = self._slopes(self._shares)
            # Shares move from the worst tree in use to the best of all. Moving from all trees at once, as plain
            # Frank-Wolfe does, would keep every tree in the mixture for ever, and with it the edges of its leaves.
            used = np.flatnonzero(self._shares)
            worst, best = used[slopes[used].argmax()], slopes.argmin()
            gain = slopes[worst] - slopes[best]
            if gain <= tolerance:
                return
            moved = self._shares.copy()
            moved[best] += moved[worst]
            moved[worst] = 0
            # The slopes change about linearly along the way, so where they meet is about the best step.
            there = self._slopes(moved)
            left = there[worst] - there[best]
            part = 1.0 if left >= 0 else gain / (gain - left)
            self._shares = (1 - part) * self._shares + part * moved

    def points(self, tolerance: float) -> _Floats:
        """Return the corners of the curve, without some that change the area by a tolerance at most.

        Parameters
        ----------
        tolerance : float
            Part of the whole square.

        Returns
        -------
        ndarray of shape (n_corners, 2)
            Rates of the negatives and the positives, from (0, 0) to (1, 1).
        """
        edges = self._leaves * self._shares[self._tree_of_leaf, None]
        edges = edges[edges.any(axis=1)]
        # Joining two edges cuts off the triangle between them: the smallest triangles go first.
        while len(edges) > 1:
            triangles = np.abs(edges[:-1, 0] * edges[1:, 1] - edges[:-1, 1] * edges[1:, 0]) / 2
            least = int(triangles.argmin())
            tolerance -= triangles[least]
            if tolerance < 0:
                break
            edges[least] += edges[least + 1]
            edges = np.delete(edges, least + 1, axis=0)
        corners = np.concatenate([np.zeros((1, 2)), edges.cumsum(axis=0)])
        corners[-1] = 1
        return corners

    def _edges(self, shares: _Floats) -> tuple[_Floats, _Floats]:
        """Return width and height of each leaf's part of the curve up to theta."""
        wide = self._leaves[:, 0] * shares[self._tree_of_leaf]
        kept = np.diff(np.minimum(wide.cumsum(), self._theta), prepend=0.0)
        part = np.divide(kept, wide, out=np.ones_like(wide), where=wide > 0)
        high = self._leaves[:, 1] * shares[self._tree_of_leaf] * part
        return kept, high

    def _slopes(self, shares: _Floats) -> _Floats:
        """Return how the loss grows with the share of each tree, up to a term that all trees have in common."""
        wide, high = self._edges(shares)
        wide_after = wide.sum() - wide.cumsum()
        high_after = high.sum() - high.cumsum()
        gains = self._leaves[:, 1] * wide_after - self._leaves[:, 0] * high_after
        return self._leaf_penalty * self._sizes - np.bincount(self._tree_of_leaf, gains, len(self._sizes))
