"""How all pictures look: size, letters, colours, and how a picture is written."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from math import ceil, floor, log10
from pathlib import Path

import matplotlib.style
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter
from PIL import Image

from benchmarks.report.outcomes import Outcomes
from benchmarks.report.runs import Contender

WIDTH = 8.0
DOTS_PER_INCH = 100
N_COLORS = 128
_GREY = "#555555"
_LOOK = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _GREY,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.7,
    "xtick.color": _GREY,
    "ytick.color": _GREY,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "legend.frameon": False,
    "savefig.dpi": DOTS_PER_INCH,
}
Dashes = tuple[float, tuple[float, ...]]

# Okabe and Ito's colours, which the colour-blind tell apart, without yellow, too pale on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
_DASHES: tuple[Dashes, ...] = ((0, ()), (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))


class Styles:
    """Color and dashes of every contender, the same in all pictures of a suite; hornbeam has the first and is thick."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._numbers = {contender: number for number, contender in enumerate(outcomes.contenders)}

    def line(self, contender: Contender) -> Line2D:
        """Return a line as it stands in a legend."""
        return Line2D(
            [],
            [],
            color=self.colour(contender),
            linestyle=self.dashes(contender),
            linewidth=self.line_width(contender),
        )

    def colour(self, contender: Contender) -> str:
        """Return the colour of a contender."""
        return _COLOURS[self._numbers[contender] % len(_COLOURS)]

    def dashes(self, contender: Contender) -> Dashes:
        """Return the line style of a contender; it differs between contenders of one colour."""
        return _DASHES[self._numbers[contender] // len(_COLOURS) % len(_DASHES)]

    def line_width(self, contender: Contender) -> float:
        """Return the line width of a contender, in points."""
        return 2.6 if self._numbers[contender] == 0 else 1.5


def save(draw: Callable[[Figure], None], height: float, path: Path) -> Path:
    """Draw a picture that is `WIDTH` wide and `height` high, in inches, and write it as PNG with a palette.

    The same results give the same bytes.
    """
    with matplotlib.style.context(["default", _LOOK]):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        drawn = BytesIO()
        figure.savefig(drawn)
    image = Image.open(drawn).convert("RGB")
    image.quantize(N_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path


def decades(low: float, high: float) -> tuple[float, float]:
    """Return the powers of ten around values, at least one decade apart."""
    first = floor(log10(low))
    return 10.0**first, 10.0 ** max(ceil(log10(high)), first + 1)


def number_decades(axis: Axis) -> None:
    """Write the powers of ten of a logarithmic axis as plain numbers, and nothing between them."""
    axis.set_major_locator(LogLocator(numticks=20))
    axis.set_major_formatter("{x:,.15g}")
    axis.set_minor_formatter(NullFormatter())
