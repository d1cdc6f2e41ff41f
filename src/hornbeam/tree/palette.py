"""Colors of classes and of lines, told apart by people with any kind of color vision."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Okabe and Ito, "Color Universal Design" (2008), without black and yellow, which are too dark and too light for text.
_FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
# Theirs for lines, without yellow, too pale on white.
LINE_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
# Stops of matplotlib's "viridis", whose lightness alone orders the colors.
_MANY = ("#440154", "#3B528B", "#21918C", "#5EC962", "#FDE725")

Rgb = tuple[int, ...]


def class_colors(n_classes: int) -> list[str]:
    """Return one color per class as ``#RRGGBB``: distinct hues for up to 6 classes, a scale of lightness for more."""
    if n_classes <= len(_FEW):
        return list(_FEW[:n_classes])
    return [_on_scale(index / (n_classes - 1)) for index in range(n_classes)]


def colors_on_scale(values: npt.NDArray[np.float64], low: float, high: float) -> list[str]:
    """Return the color of each value on a scale of lightness from `low` to `high`, beyond which it stays the same."""
    span = high / 2 - low / 2  # of values near the ends of float64, the difference would overflow
    places = np.clip((values / 2 - low / 2) / span, 0, 1) if span > 0 else np.full(len(values), 0.5)
    return [_on_scale(place) for place in places.tolist()]


def tint(color: str, amount: float = 0.75) -> str:
    """Return the color mixed with white; `amount` is the part of white, 0 to 1."""
    return _mix(_rgb(color), (255, 255, 255), amount)


def _on_scale(position: float) -> str:
    """Interpolate between the stops; `position` from 0 to 1."""
    stop = min(int(position * (len(_MANY) - 1)), len(_MANY) - 2)
    return _mix(_rgb(_MANY[stop]), _rgb(_MANY[stop + 1]), position * (len(_MANY) - 1) - stop)


def _rgb(color: str) -> Rgb:
    return tuple(int(color[place : place + 2], 16) for place in (1, 3, 5))


def _mix(one: Rgb, other: Rgb, amount: float) -> str:
    return "#" + "".join(f"{round(a + (b - a) * amount):02X}" for a, b in zip(one, other, strict=True))
