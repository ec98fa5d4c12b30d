# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-crossbar: what a switch carries and how long frames take, by the load of its ports."""
import matplotlib.pyplot as plt

from . import style
from .. import results

MARKS = {"ideal": "o", "tiled": "x"}
NAMES = {"ideal": "ideal", "tiled": "tiles"}
STATS = {"mean": "-", "p99": "--"}


def load_of(run):
    """@return the load of the ports of a run"""
    return run.option("load")


def lines(runs):
    """@return the runs of each crossbar and pattern"""
    grouped = {}
    for run in sorted(runs, key=lambda run: (run.option("pattern"), run.option("crossbar"))):
        grouped.setdefault((run.option("pattern"), run.option("crossbar")), []).append(run)
    return grouped


def draw(*runs):
    """@return the figure of any number of runs"""
    if len({(run.option("ports"), run.option("frameBytes")) for run in runs}) != 1:
        raise results.ResultError("the runs have different --ports or --frameBytes")
    figure, (carried, latency) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    patterns = sorted({run.option("pattern") for run in runs})
    for (pattern, crossbar), same in lines(runs).items():
        colour = style.PALETTE[patterns.index(pattern) % len(style.PALETTE)]
        style.draw_points(carried, same, load_of, lambda run: run.value("throughput"), MARKS[crossbar] + ("-" if crossbar == "ideal" else ":"),
                          color=colour, label=f"{pattern}, {NAMES[crossbar]}")
        for stat, line in STATS.items():
            style.draw_points(latency, same, load_of, lambda run, of=stat: run.value("latency", stat=of) * 1e6, MARKS[crossbar] + line, color=colour,
                              alpha=1 if crossbar == "ideal" else 0.6)
    carried.set_ylabel("throughput, part of capacity")
    latency.set_ylabel("latency, us: mean, and 99 % (dashed)")
    style.log_axis(latency.yaxis)
    for axes in (carried, latency):
        axes.set_xlabel("load, part of the link rate")
        axes.grid(alpha=0.3)
    style.legend_below(carried)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-crossbar", draw, __doc__)
