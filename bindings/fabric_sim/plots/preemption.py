# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-preemption: latencies against the victims' length, with and without preemption."""
import matplotlib.pyplot as plt

from . import style
from .. import results

STYLES = {True: (style.PALETTE[0], "with preemption"), False: (style.PALETTE[1], "without preemption")}
PANELS = (("urgent_wait", "Urgent frames at the first switch", "waiting time, ns"), ("victim_latency", "Victims", "latency, ns"))
STATISTICS = {"mean": "o-", "max": "^--"}
SAME = ("interleave", "urgentBytes", "urgentGap", "linkRate", "hops")
NANO = 1e-9


def draw_panel(axes, runs, metric):
    for preempt, (colour, label) in STYLES.items():
        group = [run for run in runs if run.option("preempt") == preempt]
        for statistic, line in STATISTICS.items():
            if group:
                style.draw_points(axes, group, lambda run: run.option("victimBytes"), lambda run, of=statistic: run.value(metric, stat=of) / NANO, line,
                                  color=colour, label=f"{label}, {statistic}")


def draw(*runs):
    """@return the figure of any number of runs"""
    for option in SAME:
        if len({run.option(option) for run in runs}) > 1:
            raise results.ResultError(f"{runs[0].folder} and others: the runs have different --{option}")
    figure, grid = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for axes, (metric, title, quantity) in zip(grid, PANELS):
        draw_panel(axes, runs, metric)
        axes.set_title(title)
        axes.set_xlabel("length of a victim, B on the wire")
        axes.set_ylabel(quantity)
        axes.set_xlim(left=0)
        style.from_zero(axes)
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    style.legend_below(grid[0])
    style.title(figure, f"Urgent frames of {runs[0].option('urgentBytes')} B every "
                    f"{results.time_text(runs[0].option('urgentGap'))} over "
                    f"{results.rate_text(runs[0].option('linkRate'))}")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-preemption", draw, __doc__)
