# SPDX-License-Identifier: GPL-2.0-only
"""What the figures of the manual have in common: size, type, colours, boxes and arrows.

`python doc/figures/NAME.py` draws doc/NAME.png, or the file that is given.
"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402

DOC = pathlib.Path(__file__).resolve().parent.parent
DPI = 120

# Okabe and Ito's palette, which colour-blind people can tell apart.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")
GREY = "#666666"
SMALL, NORMAL, LARGE = 9, 10, 11  # points


def tint(colour, part=0.25):
    """@return the colour mixed with white"""
    return tuple(1 - part * (1 - value) for value in matplotlib.colors.to_rgb(colour))


def canvas(width, height):
    """@return axes of so many inches, in which an inch is a unit and nothing is drawn yet"""
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.axis("off")
    return axes


def text(axes, x, y, words, size=NORMAL, colour=BLACK, **options):
    options = {"ha": "center", "va": "center" if "\n" in words else "center_baseline", "linespacing": 1.25} | options
    return axes.text(x, y, words, fontsize=size, color=colour, **options)


def box(axes, x, y, width, height, words="", colour=SKY, size=NORMAL, **options):
    """Draws a box whose lower left corner is at x, y."""
    axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0,rounding_size=0.05",
                                  facecolor=tint(colour), edgecolor=colour, linewidth=1.2))
    if words:
        text(axes, x + width / 2, y + height / 2, words, size, **options)


def bar(axes, x, y, width, height, colour=SKY, part=0.5, **options):
    """Draws a piece of a time line or of a window."""
    axes.add_patch(plt.Rectangle((x, y), width, height, facecolor=tint(colour, part), edgecolor=colour, linewidth=1.2,
                                 **options))


class Ring:
    """A ring of slots, drawn as a row."""

    SIZE = 0.46  # width and height of a slot, inches

    def __init__(self, axes, left, y, count):
        """Draws the empty slots. @param left where slot 0 is @param y of their lower edge"""
        self._axes, self._left, self._y = axes, left, y
        for number in range(count):
            self.bar(number, 1, GREY, 0.0)

    def slot(self, number):
        """@return where a slot begins"""
        return self._left + number * self.SIZE

    def bar(self, first, length, colour, part, **options):
        """Draws some slots in a colour."""
        bar(self._axes, self.slot(first), self._y, length * self.SIZE, self.SIZE, colour, part, **options)

    def text(self, first, length, words, **options):
        """Writes into some slots."""
        text(self._axes, self.slot(first) + length * self.SIZE / 2, self._y + self.SIZE / 2, words, **options)


def arrow(axes, start, end, colour=BLACK, style="-|>", line="-", bend=0, width=1.3):
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle=style, mutation_scale=12, color=colour, linewidth=width,
                                   linestyle=line, shrinkA=0, shrinkB=0, connectionstyle=f"arc3,rad={bend}"))


def save(axes, name):
    """Writes a figure to the file that the command line names, or else to its place in the manual."""
    path = sys.argv[1] if len(sys.argv) > 1 else DOC / f"{name}.png"
    axes.figure.savefig(path, dpi=DPI, metadata={"Software": None})
