#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws two runs of fabric-incast side by side, one with flow channels and one without."""
import sys

import matplotlib.pyplot as plt
import numpy

import fabric_results

COLOURS = {True: fabric_results.PALETTE[0], False: fabric_results.PALETTE[1]}
LABELS = {True: "flow channels", False: "no flow channels"}
RECEIVER = 0  # the incast's receiver is the first host
RECEIVERS_SWITCH = 0  # the first edge switch
GIGA = 1e9
MEBI = 2**20


def draw_bars(axes, runs, metric, key, groups, scale):
    """
    Draws a group of bars for each value of a key, with a bar for each run.

    @param groups labels by the value of the key
    @param scale of the axis
    """
    width = 0.8 / len(runs)
    for i, (flow_channels, run) in enumerate(runs.items()):
        values = [run.value(metric, **{key: value}) / scale for value in groups]
        places = numpy.arange(len(groups)) + (i - (len(runs) - 1) / 2) * width
        bars = axes.bar(places, values, width, color=COLOURS[flow_channels], label=LABELS[flow_channels])
        axes.bar_label(bars, fmt="%.3g", padding=2, fontsize=9)
    axes.set_xticks(range(len(groups)), groups.values())
    axes.margins(y=0.2)  # room for the legend


def draw_goodput(axes, runs):
    draw_bars(axes, runs, "victim_goodput", "phase", {"alone": "alone", "incast": "during the incast"}, GIGA)
    axes.set_title("Goodput of the victim")
    axes.set_xlabel("phase")
    axes.set_ylabel("goodput, Gb/s")


def draw_buffers(axes, runs):
    tiers = ["edge", "aggregation", "core"]
    found = runs[True].metric("peak_buffer", "tier")
    draw_bars(axes, runs, "peak_buffer", "tier", {tier: tier for tier in tiers if tier in found}, MEBI)
    axes.set_title("Peak buffer occupancy of a switch")
    axes.set_xlabel("tier of the switch")
    axes.set_ylabel("buffer occupancy, MiB")


def draw_completion(axes, runs):
    for flow_channels, run in runs.items():
        messages = run.table("messages.csv", ["dst", "fct_s"])
        times = numpy.sort(messages.loc[messages["dst"] == RECEIVER, "fct_s"]) * 1e3
        fractions = numpy.arange(len(times) + 1) / len(times)
        axes.step(numpy.append(0, times), fractions, where="post", color=COLOURS[flow_channels], label=LABELS[flow_channels])
    axes.set_title("Flow completion time of the incast's messages")
    axes.set_xlabel("flow completion time, ms")
    axes.set_ylabel("CDF")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)


def draw_queues(axes, runs):
    for flow_channels, run in runs.items():
        ports = run.table("ports.csv", ["time_s", "switch", "queued_bytes"])
        is_receivers = ports["switch"] == RECEIVERS_SWITCH
        for rows, style, where in ((is_receivers, "--", "receiver's switch"), (~is_receivers, "-", "all others")):
            # Ports with nothing in them have no rows.
            depth = ports[rows].groupby("time_s")["queued_bytes"].sum()
            depth = depth.reindex(sorted(ports["time_s"].unique()), fill_value=0)
            axes.plot(depth.index * 1e3, depth / MEBI, style, color=COLOURS[flow_channels],
                      label=f"{where}, {LABELS[flow_channels]}")
    axes.set_title("Buffer occupancy of the switches")
    axes.set_xlabel("simulated time, ms")
    axes.set_ylabel("buffer occupancy, MiB")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)


def draw(first, second):
    """@return the figure of two runs"""
    runs = {run.option("flowChannels"): run for run in (first, second)}
    if set(runs) != set(LABELS):
        raise fabric_results.ResultError(f"{first.folder} and {second.folder}: one run has to be with flow channels "
                                         "and one without (--flowChannels=off)")
    runs = {flow_channels: runs[flow_channels] for flow_channels in LABELS}
    panels = [draw_goodput, draw_completion, draw_buffers]
    if all((run.folder / "ports.csv").exists() for run in runs.values()):
        panels.append(draw_queues)
    if runs[True].option("victim") is not True:
        panels.remove(draw_goodput)
    rows = (len(panels) + 1) // 2
    figure, grid = plt.subplots(rows, 2, figsize=(11, 4.2 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.remove()
    for axes, panel in zip(grid.flat, panels):
        panel(axes, runs)
        axes.legend(fontsize=9)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    run = runs[True]
    figure.suptitle(f"{run.option('senders')} senders of {fabric_results.size_text(run.option('bytes'))} to one host, "
                    f"fat tree of {run.option('levels')} levels with switches of {run.option('k')} ports, "
                    f"{fabric_results.rate_text(run.option('linkRate'))}")
    return figure


if __name__ == "__main__":
    sys.exit(fabric_results.plot_two_runs("fabric-incast", draw, __doc__))
