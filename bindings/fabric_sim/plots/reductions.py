# SPDX-License-Identifier: GPL-2.0-only
"""Draws all-reduces of fabric-collectives, by switches and by hosts: their time by size of the buffer, and by number of hosts."""
import matplotlib.pyplot as plt

from . import style
from .. import results

WAYS = {("switch", "allreduce-tree"): "switches", ("raw", "allreduce-ring"): "ring of hosts", ("raw", "allreduce-tree"): "binomial tree of hosts"}


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("collective", "transport", "bytes", "hosts")}


def closed_form(run):
    """@return of the switches the time in an empty fabric, of hosts the lower bound, us"""
    return run.value("expected_time" if run.option("transport") == "switch" else "lower_bound") * 1e6


def hosts_of(run):
    """@return how many hosts take part"""
    return run.option("hosts") or len(run.table("ranks.csv"))


def size_of(run):
    """@return bytes of each host's buffer"""
    return run.option("bytes")


def draw_lines(axes, runs, place_of):
    """Draws a line for each way, by a value of the runs, and dotted its closed form."""
    for colour, ((transport, collective), label) in zip(style.PALETTE, WAYS.items()):
        group = [run for run in runs if (run.option("transport"), run.option("collective")) == (transport, collective)]
        if not group:
            continue
        style.draw_points(axes, group, place_of, lambda run: run.value("completion_time") * 1e6, markersize=4, color=colour, label=label)
        style.draw_bound(axes, *zip(*sorted({place_of(run): closed_form(run) for run in group}.items())), color=colour, linestyle=":")
    axes.plot([], [], color="grey", linestyle=":", label="closed form; of hosts the lower bound")
    axes.set_xscale("log", base=2)
    style.log_axis(axes.yaxis)
    axes.grid(alpha=0.3)


def draw(*runs):
    """@return the figure of any number of runs: those with most hosts by size, those of the size that most have by number of hosts"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --collective, --transport, --bytes and --hosts")
    if any((run.option("transport"), run.option("collective")) not in WAYS for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: some are not all-reduces by switches or native messages; allowed are these")
    counts = {size: {hosts_of(run) for run in runs if size_of(run) == size} for size in map(size_of, runs)}
    most = max(map(max, counts.values()))
    size = max(counts, key=lambda each: (len(counts[each]), -each))
    panels = 1 + (len(counts[size]) > 1)
    figure, both = plt.subplots(1, panels, figsize=(4.8 * panels, 4.4), layout="constrained", sharey=True, squeeze=False)
    left, right = both[0][0], both[0][-1]
    if panels > 1:
        draw_lines(right, [run for run in runs if size_of(run) == size], hosts_of)
        right.xaxis.set_major_formatter("{x:g}")
        right.set_xlabel(f"hosts, {results.size_text(size)}")
    draw_lines(left, [run for run in runs if hosts_of(run) == most], size_of)
    style.size_axis(left.xaxis)
    left.set_ylim(bottom=min(run.value("completion_time") for run in runs) * 1e6 / 4)
    left.set_xlabel(f"bytes of each host's buffer, {most} hosts")
    left.set_ylabel("completion time, us")
    style.legend_below(left)
    style.title(figure, f"All-reduces, {style.topology_text(runs[0])}, {results.rate_text(runs[0].option('linkRate'))}", 10)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
