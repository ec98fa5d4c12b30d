# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives with several placements of ranks: their times as multiples of the lower bound, on each topology."""
import itertools
import pathlib

from . import style
from .collective_times import panels_of
from .collectives import names_of
from .. import results

OF_PANEL = ("collective", "placement")  # options in which the runs of a panel may differ
NAMED = ("first", "random", "spread")
MARKERS = ("o", "D", "s", "^", "v", "P", "X")
APART = 0.22  # of placements beside each other at most, in collectives


def stretch_of(run):
    """@return how many times as long as its lower bound a run takes"""
    return run.value("completion_time") / run.value("lower_bound")


def looks_of(runs):
    """@return what points look like, by placement: those with a name, and files of hosts by the last part of theirs"""
    files = dict.fromkeys(run.option("placement") for run in runs if run.option("placement") not in NAMED)
    looks = zip((*NAMED, *files), itertools.cycle(MARKERS), itertools.cycle(style.PALETTE))
    return {placement: {"marker": marker, "color": color, "label": pathlib.PurePath(placement).name} for placement, marker, color in looks}


def draw_multiples(axes, labels, looks, values_of):
    """
    Draws points for each label and placement, medians of seeds with their range, over a line at 1.

    @param looks see looks_of()
    @param values_of is called with place of a label and placement, and returns a list of multiples, which may be empty
    """
    apart = min(APART, 0.8 / len(looks))
    for i, (placement, look) in enumerate(looks.items()):
        known = [(place, values) for place in range(len(labels)) if (values := values_of(place, placement))]
        if known:
            medians, ranges = style.error_bars([values for _, values in known])
            axes.errorbar([place + (i - (len(looks) - 1) / 2) * apart for place, _ in known], medians, ranges, linestyle="none", markersize=6, capsize=4, **look)
    axes.axhline(1, color="grey", linestyle=":", zorder=0)
    axes.set_xticks(range(len(labels)), [label.replace("allreduce-", "allreduce-\n") for label in labels], fontsize=8)
    axes.grid(axis="y", alpha=0.3)


def draw_panel(axes, runs, names):
    """Draws the times of the collectives on a topology."""
    draw_multiples(axes, names, looks_of(runs), lambda place, placement: [stretch_of(run) for run in runs if run.option("collective") == names[place]
                                                          and run.option("placement") == placement])
    style.log_axis(axes.yaxis)
    run = runs[0]
    hosts = f"{run.option('hosts')} hosts" if run.option("hosts") else "all hosts"
    axes.set_title(f"{hosts}, {run.option('topology')}, {results.size_text(run.option('bytes'))}", fontsize=10)


def draw(*runs):
    """@return the figure of any number of runs, a panel for each topology"""
    names = names_of(runs)
    return style.row_of_panels(panels_of(runs, OF_PANEL), lambda axes, group: draw_panel(axes, group, names), (4.8, 4),
                               "completion time,\nas a multiple of the lower bound", title="placement")


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
