"""Pictures of fitted estimators, also for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from hornbeam.plotting import plot_tree, trees_html
from hornbeam.tree import BaseTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hornbeam.plotting.layout import Depth, Orientation


class TreeDisplay:
    """Mixin of the estimators with one tree in `tree_`; listed before `BaseEstimator`, whose HTML it extends."""

    tree_: BaseTree
    gap_: float
    status_: str

    def plot(
        self,
        X: Any = None,
        y: Any = None,
        ax: Axes | None = None,
        *,
        title: str | None = None,
        subtitle: str | None = None,
        layout: Orientation = "auto",
        max_depth: Depth = "auto",
        confidence: float | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Axes:
        """Draw the fitted tree, see `hornbeam.plot_tree`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_) or None, default=None
            Rows whose distribution is shown at each split, usually the training data. None: no distributions.
        y : array-like of shape (n_rows,) or None, default=None
            Labels of these rows, of policies the rewards, of survival trees the times; needed if `X` is given.
        ax : matplotlib.axes.Axes or None, default=None
            Where to draw. None: a new figure as large as the tree needs.
        title : str or None, default=None
            Heading.
        subtitle : str or None, default=None
            Second heading. None: number of leaves, objective, and "proven optimal" or the bound, gap and status.
        layout : {"auto", "vertical", "horizontal"}, default="auto"
            Where the root is: on top, or on the left. "auto": on the left if the tree is wide.
        max_depth : int, None or "auto", default="auto"
            Depth below which subtrees are collapsed. None: nothing is. "auto": as deep as a page holds.
        confidence : float or None, default=None
            Shows in each leaf the confidence interval of its share, for example 0.95.
        figsize : (float, float) or None, default=None
            Width and height of the new figure in inches, to which the drawing is scaled. None: see `ax`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes drawn on.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If only one of `X` and `y` is given, they do not fit the tree, or another argument is not one of the above.

        Examples
        --------
        >>> from hornbeam import GOSDTClassifier
        >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
        >>> axes = GOSDTClassifier(regularization=0.1).fit(X, y).plot(X, y)
        >>> axes.texts[-4].get_text()
        '2 leaves, objective 0.2000, proven optimal'
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("plot needs both X and y, or neither: the distributions at the splits are by class.")
        return plot_tree(
            self.tree_,
            ax,
            data=None if X is None else (X, y),
            title=title,
            subtitle=self._certificate() if subtitle is None else subtitle,
            layout=layout,
            max_depth=max_depth,
            confidence=confidence,
            figsize=figsize,
        )

    def _certificate(self) -> str:
        """Return one line on the tree and its proof: leaves, objective, and "proven optimal" or the bound and gap."""
        leaves = "1 leaf" if self.tree_.n_leaves == 1 else f"{self.tree_.n_leaves:,} leaves"
        objective, bound = self._proof()
        if self.status_ == "optimal":
            return f"{leaves}, {objective}, proven optimal"
        return f"{leaves}, {objective}, {bound}, gap {100 * self.gap_:.3g} %, status {self.status_}"

    def _proof(self) -> tuple[str, str]:
        """Return objective and bound in words."""
        return f"objective {self.objective_:.4f}", f"lower bound {self.lower_bound_:.4f}"  # type: ignore[attr-defined]

    def _repr_html_inner(self) -> str:
        """Return the picture of the fitted tree, followed by scikit-learn's diagram."""
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return self._pictures() + diagram

    def _pictures(self) -> str:
        """Return the fitted tree as HTML; nothing before `fit`."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return ""
        return trees_html([(self.tree_, self._certificate())])

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks show; they prefer it to `_repr_html_`."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._pictures() + bundle["text/html"]
        return bundle
