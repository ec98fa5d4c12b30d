# SPDX-License-Identifier: GPL-2.0-only
"""Draws all-reduces of fabric-collectives, by switches and by hosts: their time by size of the buffer, and by number of hosts."""
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

from . import style
from .. import results

WAYS = {("switch", "allreduce-tree"): "switches", ("raw", "allreduce-ring"): "ring of hosts", ("raw", "allreduce-tree"): "binomial tree of hosts"}


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("collective", "transport", "bytes", "hosts")}


def closed_form(run):
    """@return of the switches the time in an empty fabric, of hosts the lower bound, us"""
    return run.value("expected_time" if run.option("transport") == "switch" else "lower_bound") * 1e6


def draw_lines(axes, runs, option):
    """Draws a line for each way, by an option, and dotted its closed form."""
    for colour, ((transport, collective), label) in zip(style.PALETTE, WAYS.items()):
        group = [run for run in runs if (run.option("transport"), run.option("collective")) == (transport, collective)]
        if not group:
            continue
        places = sorted({run.option(option) for run in group})
        by_place = [[run for run in group if run.option(option) == place] for place in places]
        medians, ranges = style.error_bars([[run.value("completion_time") * 1e6 for run in some] for some in by_place])
        axes.errorbar(places, medians, ranges, fmt="o-", markersize=4, capsize=3, color=colour, label=label)
        axes.plot(places, [closed_form(some[0]) for some in by_place], color=colour, linestyle=":")
    axes.plot([], [], color="grey", linestyle=":", label="closed form; of hosts the lower bound")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(alpha=0.3)


def draw(*runs):
    """@return the figure of any number of runs: those with most hosts by size, those of the size that most have by number of hosts"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --collective, --transport, --bytes and --hosts")
    if any((run.option("transport"), run.option("collective")) not in WAYS for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: some are not all-reduces by switches or native messages; allowed are these")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained", sharey=True)
    most = max(run.option("hosts") for run in runs)
    widest = {size: len({run.option("hosts") for run in runs if run.option("bytes") == size}) for size in {run.option("bytes") for run in runs}}
    size = max(widest, key=lambda each: (widest[each], -each))
    draw_lines(left, [run for run in runs if run.option("hosts") == most], "bytes")
    draw_lines(right, [run for run in runs if run.option("bytes") == size], "hosts")
    left.xaxis.set_major_formatter(FuncFormatter(lambda place, _: results.size_text(int(place))))
    right.xaxis.set_major_formatter("{x:g}")
    left.set_ylim(bottom=min(run.value("completion_time") for run in runs) * 1e6 / 4)
    left.set_xlabel(f"bytes of each host's buffer, {most or 'all'} hosts")
    right.set_xlabel(f"hosts, {results.size_text(size)}")
    left.set_ylabel("completion time, us")
    left.legend(fontsize=8)
    figure.suptitle(f"All-reduces, {style.topology_text(runs[0])}, {results.rate_text(runs[0].option('linkRate'))}", fontsize=10)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
