# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-incast with flow channels beside those without: median and range where there are several seeds."""
import matplotlib.pyplot as plt
import numpy
import pandas

from . import style
from .. import results

COLOURS = {True: style.PALETTE[0], False: style.PALETTE[1]}
LABELS = {True: "flow channels", False: "no flow channels"}
RECEIVER = 0  # the incast's receiver is the first host
RECEIVERS_SWITCH = 0  # the first edge switch
GIGA = 1e9
MEBI = 2**20


def draw_bars(axes, runs, metric, key, groups, scale):
    """
    Draws a group of bars for each value of a key: the median of the seeds with their range, with flow channels and without.

    @param groups labels by the value of the key
    @param scale of the axis
    """
    width = 0.8 / len(runs)
    for i, (flow_channels, seeds) in enumerate(runs.items()):
        medians, ranges = style.error_bars([[run.value(metric, **{key: value}) / scale for run in seeds] for value in groups])
        places = numpy.arange(len(groups)) + (i - (len(runs) - 1) / 2) * width
        bars = axes.bar(places, medians, width, color=COLOURS[flow_channels], label=LABELS[flow_channels])
        axes.errorbar(places, medians, ranges, fmt="none", ecolor="black", capsize=4)
        for bar, median, up in zip(bars, medians, ranges[1]):
            axes.annotate(f"{median:.3g}", (bar.get_x() + width / 2, median + up), (0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=9)
    axes.set_xticks(range(len(groups)), groups.values())
    axes.margins(y=0.1)  # room for the numbers


def draw_goodput(axes, runs):
    draw_bars(axes, runs, "victim_goodput", "phase", {"alone": "alone", "incast": "during the incast"}, GIGA)
    axes.set_title("Goodput of the victim")
    axes.set_xlabel("phase")
    axes.set_ylabel("goodput, Gb/s")


def draw_buffers(axes, runs):
    tiers = ["edge", "aggregation", "core"]
    found = runs[True][0].metric("peak_buffer", "tier")
    draw_bars(axes, runs, "peak_buffer", "tier", {tier: tier for tier in tiers if tier in found}, MEBI)
    axes.set_title("Peak buffer occupancy of a switch")
    axes.set_xlabel("tier of the switch")
    axes.set_ylabel("buffer occupancy, MiB")


def completion_times(run):
    """@return flow completion times of the incast's messages, ms"""
    messages = run.table("messages.csv", ["dst", "fct_s"])
    return messages.loc[messages["dst"] == RECEIVER, "fct_s"] * 1e3


def draw_completion(axes, runs):
    for flow_channels, seeds in runs.items():
        style.draw_cdf(axes, [completion_times(run) for run in seeds], LABELS[flow_channels], COLOURS[flow_channels])
    axes.set_title("Flow completion time of the incast's messages")
    axes.set_xlabel("flow completion time, ms")
    axes.set_ylabel("CDF")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)


def occupancy(run, of_receiver):
    """@return bytes that wait in the receiver's switch, or in all others, by the time of the sample"""
    ports = run.table("ports.csv", ["time_s", "switch", "queued_bytes"])
    period, end = run.option("samplePeriod"), run.value("simulated_time")
    return style.queued(ports[(ports["switch"] == RECEIVERS_SWITCH) == of_receiver], period, end // period * period)


def draw_queues(axes, runs):
    for flow_channels, seeds in runs.items():
        for of_receiver, line, where in ((True, "--", "receiver's switch"), (False, "-", "all others")):
            depth = pandas.concat([occupancy(run, of_receiver) for run in seeds], axis=1).fillna(0).sort_index() / MEBI
            axes.plot(depth.index * 1e3, depth.median(axis=1), line, color=COLOURS[flow_channels],
                      label=f"{where}, {LABELS[flow_channels]}")
            axes.fill_between(depth.index * 1e3, depth.min(axis=1), depth.max(axis=1), color=COLOURS[flow_channels], alpha=0.2)
    axes.set_title("Buffer occupancy of the switches")
    axes.set_xlabel("simulated time, ms")
    axes.set_ylabel("buffer occupancy, MiB")
    axes.set_xlim(left=0)
    style.from_zero(axes)


def draw(*all_runs):
    """@return the figure of runs with flow channels and without, of any number of seeds each"""
    runs = {flow_channels: [run for run in all_runs if run.option("flowChannels") is flow_channels] for flow_channels in LABELS}
    if not all(runs.values()):
        raise results.ResultError(f"{all_runs[0].folder} and others: some runs have to be with flow channels "
                                         "and some without (--flowChannels=off)")
    if len(results.by_parameters(all_runs)) > 2:
        raise results.ResultError(f"{all_runs[0].folder} and others: the runs differ in more than --flowChannels and --RngRun")
    panels = [draw_goodput, draw_completion, draw_buffers]
    if all((run.folder / "ports.csv").exists() for run in all_runs):
        panels.append(draw_queues)
    run = runs[True][0]
    if not run.option("victim"):
        panels.remove(draw_goodput)
    rows = (len(panels) + 1) // 2
    figure, grid = plt.subplots(rows, 2, figsize=(11, 4.2 * rows), layout="constrained", squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.remove()
    for axes, panel in zip(grid.flat, panels):
        panel(axes, runs)
        style.legend_above(axes, fontsize=9)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    seeds = min(map(len, runs.values()))
    style.title(figure, f"{run.option('senders')} senders of {results.size_text(run.option('bytes'))} to one host, "
                    f"{style.topology_text(run)}, {results.rate_text(run.option('linkRate'))}"
                    + (f"; median and range of {seeds} seeds" if seeds > 1 else ""))
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-incast", draw, __doc__)
