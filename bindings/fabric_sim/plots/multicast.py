# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-multicast: how long a broadcast takes by the number of hosts, and the closed form of each way."""
import matplotlib.pyplot as plt

from . import style
from .. import results

WAYS = {"group": "switches copy", "tree": "hosts send on, binomial tree", "source": "the source sends to each"}


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("by", "members", "stride")}


def draw(*runs):
    """@return the figure of any number of runs, of several seeds each"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --by, --members and --stride")
    figure, axes = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
    for i, (way, label) in enumerate(WAYS.items()):
        group = [run for run in runs if run.option("by") == way]
        if not group:
            continue
        colour = style.PALETTE[i % len(style.PALETTE)]
        style.draw_points(axes, group, lambda run: run.value("members"), lambda run: run.value("completion_time") * 1e6, "o", color=colour, label=label)
        expected = {run.value("members"): run.value("expected_time") * 1e6 for run in group}
        style.draw_bound(axes, *zip(*sorted(expected.items())), color=colour, linestyle=":")
    axes.plot([], [], color="grey", linestyle=":", label="closed form, nothing in the way")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    style.log_axis(axes.yaxis)
    axes.set_xlabel("hosts, with the source")
    axes.set_ylabel("completion time, us")
    axes.grid(alpha=0.3)
    style.legend_above(axes, fontsize=9)
    size = results.size_text(runs[0].option("bytes"))
    style.title(figure, f"Broadcast of {size}, {style.topology_text(runs[0])}, {results.rate_text(runs[0].option('linkRate'))}", 10)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-multicast", draw, __doc__)
