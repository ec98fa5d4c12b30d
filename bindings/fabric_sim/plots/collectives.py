# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives: algorithm bandwidth by size, a line for each collective and transport, and the most that the lower bound allows."""
import matplotlib.pyplot as plt

from . import style
from .. import results

# With their marks: those of a broadcast are around those of a reduce, which takes as long.
MARKS = {"allreduce-ring": "o", "allreduce-tree": "v", "allgather": "D", "alltoall": "P", "broadcast": "s", "reduce": ".", "halo3d": "X",
         "allreduce-halving": "^", "allreduce-doubling": "<", "allreduce-double-tree": ">", "allgather-bruck": "d", "alltoall-bruck": "p",
         "broadcast-chain": "*"}
LINES = {"raw": "-", "rt": "--", "pio": "-.", "tcp": (0, (1, 1)), "switch": (0, (5, 1, 1, 1, 1, 1))}
TRANSPORTS = {"raw": "native messages", "rt": "reliable transport", "pio": "programmed I/O", "tcp": "TCP", "switch": "switches"}


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("collective", "transport", "bytes")}


def names_of(runs):
    """@return the collectives of runs, in the order of their marks"""
    return [name for name in MARKS if any(run.option("collective") == name for run in runs)]


def most_of(run):
    """@return algorithm bandwidth of a run that takes no longer than its lower bound, Gb/s"""
    return 8 * run.option("bytes") / run.value("lower_bound") / 1e9


def draw_line(axes, group, colour, label):
    """Draws the runs of a collective over a transport; seeds are medians with their range."""
    collective, transport = group[0].option("collective"), group[0].option("transport")
    hollow = {"markersize": 9, "fillstyle": "none"} if collective == "broadcast" else {"markersize": 5}
    style.draw_points(axes, group, lambda run: run.option("bytes"), lambda run: run.value("algorithm_bandwidth") / 1e9, MARKS[collective],
                      linestyle=LINES[transport], color=colour, label=label, **hollow)


def draw(*runs):
    """@return the figure of any number of runs"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --collective, --transport, --bytes and --RngRun")
    figure, axes = plt.subplots(figsize=(7.4, 4.8), layout="constrained")
    transports = [name for name in LINES if any(run.option("transport") == name for run in runs)]
    for i, collective in enumerate(names_of(runs)):
        colour = style.PALETTE[i % len(style.PALETTE)]
        of_one = [run for run in runs if run.option("collective") == collective]
        for transport in transports:
            group = [run for run in of_one if run.option("transport") == transport]
            if group:
                draw_line(axes, group, colour, collective if len(transports) == 1 else f"{collective}, {TRANSPORTS[transport]}")
        axes.axhline(most_of(max(of_one, key=lambda run: run.option("bytes"))), color=colour, linestyle=":", linewidth=1)
    axes.plot([], [], color="grey", linestyle=":", label="by the lower bound")
    style.size_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("bytes of each host's buffer; of a face of halo3d")
    axes.set_ylabel("algorithm bandwidth, Gb/s")
    axes.grid(alpha=0.3)
    style.make_room(style.legend_above(axes, fontsize=8))
    run = runs[0]
    hosts = f"{run.option('hosts')} hosts" if run.option("hosts") else "all hosts"
    over = f", {TRANSPORTS[transports[0]]}" if len(transports) == 1 else ""
    style.title(figure, f"Collectives of {hosts}, {style.topology_text(run)}, {results.rate_text(run.option('linkRate'))}{over}", 10)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
