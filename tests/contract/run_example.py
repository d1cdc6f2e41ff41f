"""Run an example as its readers do, with checks of what it draws: `python run_example.py EXAMPLE [--any-labels]`."""

import runpy
import sys

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt


def axes_without_labels() -> list[str]:
    """Close all pictures; return the axes with a scale (trees have none) that does not name what it measures."""
    figures = [plt.figure(number) for number in plt.get_fignums()]
    scaled = [axes for figure in figures for axes in figure.axes if axes.axison]
    found = [
        f"{axes.get_title()!r} lacks a label"
        for axes in scaled
        if not axes.get_ylabel() or not (axes.get_xlabel() or is_bar(axes) or is_above_another(axes))
    ]
    plt.close("all")
    return found


def is_bar(axes) -> bool:
    """Tell whether the axes are the bar of a color scale, which has one direction."""
    return axes.get_label() == "<colorbar>"


def is_above_another(axes) -> bool:
    """Tell whether other axes below, which share the horizontal scale, name what it measures."""
    return any(other.get_xlabel() for other in axes.get_shared_x_axes().get_siblings(axes))


if __name__ == "__main__":
    path, *options = sys.argv[1:]
    unlabeled: list[str] = []
    plt.show = lambda: unlabeled.extend(axes_without_labels())
    runpy.run_path(path, run_name="__main__")
    if unlabeled and "--any-labels" not in options:
        sys.exit("\n".join(unlabeled))
    if plt.get_fignums():
        sys.exit("something drawn was not shown")
