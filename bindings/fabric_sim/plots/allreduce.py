# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-allreduce: how long an all-reduce takes against the number of hosts, by NICs and by software that looks now and then."""
import matplotlib.pyplot as plt

from . import style
from .. import results

NAMES = {"nic": "by NICs", "host": "by software", "switch": "by switches"}


def series_of(run):
    """@return what the runs of a line have in common: who does it, and how soon software looks"""
    return run.option("by"), run.option("interval") if run.option("by") == "host" else 0


def name_of(series):
    """@return what a line is called"""
    by, interval = series
    return NAMES[by] + (f", every {results.time_text(interval)}" if interval else "")


def draw(*runs):
    """@return the figure of any number of runs; seeds are medians with their range"""
    figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
    for i, series in enumerate(sorted(set(map(series_of, runs)), key=lambda each: (list(NAMES).index(each[0]), each[1]))):
        group = [run for run in runs if series_of(run) == series]
        style.draw_points(axes, group, lambda run: run.value("allreduce_ranks"), lambda run: run.value("allreduce_time") * 1e6, label=name_of(series), **style.look(i))
    axes.set_xscale("log", base=2)
    style.log_axis(axes.yaxis)
    counts = sorted({int(run.value("allreduce_ranks")) for run in runs})
    axes.set_xticks(counts, counts)
    axes.set_xlabel("hosts")
    axes.set_ylabel("all-reduce of one word, us")
    axes.grid(alpha=0.3)
    style.legend_above(axes, fontsize=9)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-allreduce", draw, __doc__)
