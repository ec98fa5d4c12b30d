# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-permutation at a load: what a topology accepts and how long messages take, by paths and pattern."""
import matplotlib.pyplot as plt
from matplotlib.ticker import ScalarFormatter

from . import style
from .. import results

ROUTINGS = ("dimension-order", "by-dimension", "minimal", "valiant", "ugal-l", "adaptive")
SATURATED = 0.95  # accepted over offered load below which a network is taken as saturated


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("load", "routing", "pattern")}


def draw_pattern(row, runs, routing):
    """Draws the runs of a pattern and a kind of paths: accepted load, and completion times in us up to saturation."""
    points = sorted((run.option("load"), run.value("accepted_load"), run.metric("fct", "stat").get("mean")) for run in runs)
    row[0].plot([load for load, *_ in points], [accepted for _, accepted, _ in points], marker="o", label=routing)
    # Beyond saturation times grow as long as the run lasts.
    times = [(load, 1e6 * mean) for load, accepted, mean in points if mean is not None and accepted > SATURATED * load]
    row[1].semilogy([load for load, _ in times], [time for _, time in times], marker="o", label=routing)


def draw(*runs):
    """@return the figure of any number of runs"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --load, --routing and --pattern")
    patterns = sorted({run.option("pattern") for run in runs})
    figure, grid = plt.subplots(len(patterns), 2, squeeze=False, layout="constrained", figsize=(8, 3 * len(patterns)))
    for row, pattern in zip(grid, patterns):
        for routing in ROUTINGS:
            group = [run for run in runs if (run.option("pattern"), run.option("routing")) == (pattern, routing)]
            if group:
                draw_pattern(row, group, routing)
        row[0].plot([0, 1], [0, 1], color="lightgrey", zorder=0)
        row[0].set_ylabel("accepted load")
        row[1].set_ylabel("mean completion time, us")
        row[1].set_xlim(row[0].get_xlim())
        row[1].yaxis.set_major_formatter(ScalarFormatter())
        row[1].yaxis.set_minor_formatter(ScalarFormatter())
        for axes in row:
            axes.set_title(pattern, fontsize=10)
            axes.set_xlabel("offered load")
        row[0].legend()
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-permutation", draw, __doc__)
