"""What the picture of a tree shows in its leaves: lines of text, and a chart; an entry for each kind of tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.survival.times import read_times
from hornbeam.tree import ActionTree, BaseTree, HazardTree, QuantileTree, RegressionTree, Tree
from hornbeam.tree.words import count, has_unequal_weights, number, percent, rows_of


@dataclass(frozen=True, slots=True)
class Mark:
    """A rectangle of a chart, from 0 to 1 of its width and, from the top, of its height."""

    x: float
    y: float
    width: float
    height: float
    color: str


class Leaves(ABC):
    """The leaves of one tree, in a picture.

    Attributes
    ----------
    chart_height, stacked_height : float
        Height of the chart in points, also where leaves are stacked.
    least_width : float
        Least width of the chart, in points.
    is_divided : bool
        Whether white lines separate the marks of a chart.
    footnote : str
        Below the picture; "" for nothing.
    """

    chart_height = 5.0
    stacked_height = 8.0
    least_width = 0.0
    is_divided = False
    footnote = ""

    @abstractmethod
    def lines(self, node: int) -> list[str]:
        """Return the lines below the output of a leaf."""

    @abstractmethod
    def hidden_lines(self, node: int) -> tuple[object, str, str]:
        """Return of a collapsed subtree: an output, what is said of it, and the rows."""

    @abstractmethod
    def interval(self, node: int, confidence: float) -> str:
        """Return a confidence interval in words; ValueError if this kind of leaves has none."""

    @abstractmethod
    def marks(self, node: int) -> list[Mark]:
        """Return the chart of a leaf."""

    @abstractmethod
    def codes_of(self, y: Any, reached: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return an index into the outputs for each row of `data`, for the histograms at the splits.

        `reached` is the leaf that each row reaches.
        """


class ClassLeaves(Leaves):
    """The share of the class, and a bar with the shares of all classes."""

    is_divided = True

    def __init__(self, tree: Tree) -> None:
        self._tree, self._has_unequal = tree, has_unequal_weights(tree)
        self._shares = tree.class_weights / tree.class_weights.sum(axis=1, keepdims=True)

    def lines(self, node: int) -> list[str]:
        """Return the share of the class, and the rows."""
        rows = count(int(self._tree.n_samples[node]))
        return [f"{percent(self._tree.predicted_share(node))} of{' weight' if self._has_unequal else ''}", rows]

    def hidden_lines(self, node: int) -> tuple[object, str, str]:
        """Return the class of the largest weight, its share, and the rows."""
        weights = self._tree.class_weights[node]
        code = int(weights.argmax())
        share = percent(float(weights[code] / weights.sum()))
        return self._tree.classes[code], share, f"of {rows_of(self._tree, node)}"

    def interval(self, node: int, confidence: float) -> str:
        """Return the interval of the share of the class."""
        return self._tree.describe_interval(node, confidence)

    def marks(self, node: int) -> list[Mark]:
        """Return the shares of the classes side by side."""
        marks, x = [], 0.0
        for share, color in zip(self._shares[node].tolist(), self._tree.colors, strict=True):
            marks.append(Mark(x, 0.0, share, 1.0, color))
            x += share
        return marks

    def codes_of(self, y: Any, reached: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the classes of the rows."""
        classes = self._tree.classes.tolist()
        code_of = {label: code for code, label in enumerate(classes)}
        labels = np.asarray(y).ravel().tolist()
        for label in labels:
            if label not in code_of:
                raise ValueError(f"data: y holds the label {label!r}; the classes of the tree are {classes}.")
        return np.array([code_of[label] for label in labels], dtype=np.intp)


class ActionLeaves(Leaves):
    """The mean reward of the action, and a bar for each action, on one scale for the whole tree."""

    chart_height = 26.0
    stacked_height = 14.0
    _bar_width = 6.0
    _gap = 0.15  # of a bar

    def __init__(self, tree: ActionTree) -> None:
        self._tree = tree
        leaves = tree.mean_rewards[tree.left < 0]
        low, high = (float(np.nanmin(leaves)), float(np.nanmax(leaves)))
        # Bars begin at 0, unless all rewards are far from it and their differences could not be seen.
        spread = high - low
        self._zero = 0.0 if max(high, -low) <= 4 * spread or spread == 0 else low - spread / 4
        self._low, self._high = min(low, self._zero), max(high, self._zero)
        self.least_width = self._bar_width * len(tree.actions)
        begin = "" if self._zero == 0 else f", from {number(self._zero)} on"
        self.footnote = f"Bars: mean reward of each action in the leaf{begin}; the largest is {number(high)}."

    def lines(self, node: int) -> list[str]:
        """Return the mean reward of the action, and the rows."""
        return [f"reward {number(self._tree.predicted_reward(node))}", count(int(self._tree.n_samples[node]))]

    def hidden_lines(self, node: int) -> tuple[object, str, str]:
        """Return the best action, its mean reward, and the rows."""
        action = self._tree.actions[self._tree.prediction[node]]
        return action, number(self._tree.predicted_reward(node)), f"in {rows_of(self._tree, node)}"

    def interval(self, node: int, confidence: float) -> str:
        """Refuse, as `ActionTree.describe` does."""
        return self._tree.describe(node, confidence=confidence)

    def marks(self, node: int) -> list[Mark]:
        """Return the mean rewards of the actions side by side, and a line at their foot."""
        height = (self._high - self._low) or 1.0
        means, colors = self._tree.mean_rewards[node].tolist(), self._tree.colors
        marks = []
        for place, (mean, color) in enumerate(zip(means, colors, strict=True)):
            if np.isnan(mean):
                continue
            top, foot = max(mean, self._zero), min(mean, self._zero)
            x = (place + self._gap / 2) / len(means)
            share = (top - foot) / height
            marks.append(Mark(x, (self._high - top) / height, (1 - self._gap) / len(means), share, color))
        foot = (self._high - self._zero) / height
        return [*marks, Mark(0.0, foot - 0.01, 1.0, 0.02, "#555555")]

    def codes_of(self, y: Any, reached: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the best action of each row, of those whose reward is known."""
        rewards = np.asarray(y, dtype=np.float64)
        if rewards.ndim != 2 or rewards.shape[1] != len(self._tree.actions):
            raise ValueError(
                f"data: rewards of shape {rewards.shape} were given; expected a column for each of the "
                f"{len(self._tree.actions)} actions."
            )
        return np.asarray(np.where(np.isnan(rewards), -np.inf, rewards).argmax(axis=1))


class NumberLeaves(Leaves):
    """The standard deviation, and the histogram of the target, with a line at the mean."""

    chart_height = 26.0
    stacked_height = 14.0
    least_width = 64.0
    _line_width = 0.02
    _center = "mean"

    def __init__(self, tree: RegressionTree) -> None:
        self._tree = tree
        self._low, self._high = float(tree.minima[0]), float(tree.maxima[0])
        self.footnote = (
            f"Charts: histogram of {tree.target_name} in the leaf, from {number(self._low)} to {number(self._high)}; "
            f"a line marks its {self._center}."
        )

    def lines(self, node: int) -> list[str]:
        """Return the standard deviation, and the rows."""
        return [self._spread(node), count(int(self._tree.n_samples[node]))]

    def hidden_lines(self, node: int) -> tuple[object, str, str]:
        """Return the prediction, the standard deviation, and the rows."""
        return self._tree.shown_output(node), self._spread(node), f"in {rows_of(self._tree, node)}"

    def _spread(self, node: int) -> str:
        return f"± {number(float(self._tree.deviations[node]))}"

    def interval(self, node: int, confidence: float) -> str:
        """Refuse, as `RegressionTree.describe` does."""
        return self._tree.describe(node, confidence=confidence)

    def marks(self, node: int) -> list[Mark]:
        """Return the bins side by side, the heaviest as high as the chart, and the prediction."""
        weights, color = self._tree.histograms[node], self._tree.colors[node]
        heights = (weights / weights.max()).tolist()
        width = 1 / len(heights)
        marks = [
            Mark(place * width, 1 - height, width, height, color) for place, height in enumerate(heights) if height
        ]
        span = self._high / 2 - self._low / 2
        place = (self._tree.outputs[node] / 2 - self._low / 2) / span if span > 0 else 0.5
        x = min(max(0.0, float(place) - self._line_width / 2), 1 - self._line_width)
        return [*marks, Mark(x, 0.0, self._line_width, 1.0, "#222222"), Mark(0.0, 0.98, 1.0, 0.02, "#555555")]

    def codes_of(self, y: Any, reached: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the leaf whose prediction is the nearest to the target of each row."""
        leaves = np.flatnonzero(self._tree.left < 0)
        order = leaves[np.argsort(self._tree.outputs[leaves], kind="stable")]
        halves = self._tree.outputs[order] / 2
        targets = np.asarray(y, dtype=np.float64).ravel()
        return np.asarray(order[np.searchsorted(halves[1:] + halves[:-1], targets)], dtype=np.intp)


class QuantileLeaves(NumberLeaves):
    """The mean error, and the histogram of the target, with a line at the quantile."""

    _tree: QuantileTree

    def __init__(self, tree: QuantileTree) -> None:
        self._center = "median" if tree.quantile == 0.5 else f"quantile {tree.quantile:g}"
        super().__init__(tree)

    def _spread(self, node: int) -> str:
        word = "error" if self._tree.quantile == 0.5 else "loss"
        return f"{word} {number(self._tree.error(node))}"


class HazardLeaves(Leaves):
    """The number of events, and the Kaplan-Meier curve of the leaf, from 0 to the last time of an event."""

    chart_height = 26.0
    stacked_height = 14.0
    least_width = 64.0
    _n_steps = 48  # of a curve

    def __init__(self, tree: HazardTree) -> None:
        self._tree = tree
        self._ends = np.linspace(0.0, float(tree.times[-1]), self._n_steps)
        self.footnote = (
            f"Charts: share that survives (Kaplan-Meier) in the leaf, for {tree.target_name} from 0 to "
            f"{number(float(tree.times[-1]))}. Above them the hazard ratio: events against those expected."
        )

    def lines(self, node: int) -> list[str]:
        """Return the events, and the rows."""
        return [self._tree.shown_events(node), f"in {count(int(self._tree.n_samples[node]))}"]

    def hidden_lines(self, node: int) -> tuple[object, str, str]:
        """Return the hazard ratio, the events, and the rows."""
        return self._tree.shown_output(node), self._tree.shown_events(node), f"in {rows_of(self._tree, node)}"

    def interval(self, node: int, confidence: float) -> str:
        """Refuse, as `HazardTree.describe` does."""
        return self._tree.describe(node, confidence=confidence)

    def marks(self, node: int) -> list[Mark]:
        """Return the area below the curve as bars side by side, and a line at their foot."""
        shares, color = self._tree.survival_function(node)(self._ends).tolist(), self._tree.colors[node]
        width = 1 / len(shares)
        bars = [Mark(place * width, 1 - share, width, share, color) for place, share in enumerate(shares) if share]
        return [*bars, Mark(0.0, 0.98, 1.0, 0.02, "#555555")]

    def codes_of(self, y: Any, reached: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the leaf that each row reaches: a censored row is near to no hazard ratio."""
        read_times(y)  # refuses what are not times
        return reached


def leaves_of(tree: BaseTree) -> Leaves:
    """Return what a picture shows of the leaves of a tree."""
    return _KINDS[type(tree)](tree)


_KINDS: dict[type[BaseTree], Callable[[Any], Leaves]] = {
    Tree: ClassLeaves,
    ActionTree: ActionLeaves,
    RegressionTree: NumberLeaves,
    QuantileTree: QuantileLeaves,
    HazardTree: HazardLeaves,
}
