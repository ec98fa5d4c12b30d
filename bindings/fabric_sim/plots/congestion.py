# SPDX-License-Identifier: GPL-2.0-only
"""
Draws runs of fabric-congestion by the tools that manage congestion, or kinds of network. The first argument says what, if it is one of these:

latency  (or nothing) the CDF of the victims' latencies, and the peak buffer occupancy by tier
buffers  the buffer occupancy of each tier over time: all of the run, and the containment of the incast
impact   a heat map of the congestion impact: place and load of the victims by tools
fct      how long the incast takes by the bytes of a sender, beside the time that the receiver's link takes
"""
import sys

import matplotlib.pyplot as plt
import numpy
from matplotlib.colors import LogNorm

from . import style
from .. import results

RECEIVER = 0  # the incast's receiver is the first host
TIERS = ["edge", "aggregation", "core", "receiver"]
MEBI = 2**20


KINDS = {"pfc": "lossless Ethernet, PFC", "int": "lossless Ethernet, HPCC", "ecn": "lossy Ethernet, DCQCN", "drop": "short queues, tail drop", "trim": "short queues, trimming"}
TOOLS = {"endpoint", "fgfc", "hop-credits", "injection-limit", "pacing", "reroute", "slow-paths"}


def label_of(run):
    """@return the tools of a run, or its kind of network, in words"""
    kind = run.option("fabric")
    if kind in KINDS:
        shares = int(run.attribute("ns3::FabricSwitch::SharedBufferBytes", 0)) != 0
        return KINDS[kind] + (", shared memory" if shares else "")
    if not run.option("flowChannels"):
        return "no flow channels"
    tools = run.option("tools")
    missing = TOOLS.difference(tools)
    if len(missing) <= 1:
        return " but ".join(["all tools", *missing])
    return ", ".join(tools) or "no tools"


def title_of(run):
    victims = run.option("victims")
    return (f"{run.option('senders')} senders to one host and {victims} victim{'s' if victims > 1 else ''} beside them, "
            f"{style.topology_text(run)}, {results.rate_text(run.option('linkRate'))}")


def latencies(run):
    """@return those of the victims' messages that were sent during the incast, us"""
    messages = run.table("messages.csv", ["dst", "start_s", "fct_s"])
    during = (messages["dst"] != RECEIVER) & (messages["start_s"] >= run.option("aloneTime"))
    return numpy.sort(messages.loc[during, "fct_s"]) * 1e6


def draw_latencies(axes, groups):
    for i, (label, runs) in enumerate(groups.items()):
        colour = style.PALETTE[i % len(style.PALETTE)]
        for run in runs:
            values = latencies(run)
            fractions = numpy.arange(1, len(values) + 1) / len(values)
            axes.step(values, fractions, where="post", color=colour, alpha=0.6, label=label if run is runs[0] else None)
    axes.set_xscale("log")
    axes.set_title("Latency of the victims' messages during the incast")
    axes.set_xlabel("latency, us")
    axes.set_ylabel("CDF")
    axes.set_ylim(0, 1.02)


def draw_buffers(axes, groups):
    width = 0.8 / len(groups)
    tiers = [tier for tier in TIERS if tier in next(iter(groups.values()))[0].metric("peak_buffer", "tier")]
    for i, (label, runs) in enumerate(groups.items()):
        values = [[run.value("peak_buffer", tier=tier) / MEBI for run in runs] for tier in tiers]
        medians, ranges = style.error_bars(values)
        places = numpy.arange(len(tiers)) + (i - (len(groups) - 1) / 2) * width
        axes.bar(places, medians, width, color=style.PALETTE[i % len(style.PALETTE)], label=label)
        axes.errorbar(places, medians, ranges, fmt="none", ecolor="black", capsize=3)
    axes.set_xticks(range(len(tiers)), [tier + ("'s switch" if tier == "receiver" else "") for tier in tiers])
    axes.set_title("Peak buffer occupancy of a switch")
    axes.set_xlabel("tier of the switch")
    axes.set_ylabel("buffer occupancy, MiB")


def draw(*runs):
    """@return the figure of runs with any tools, of any number of seeds each"""
    groups = style.seeds_by_label(runs, label_of)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    draw_latencies(left, groups)
    draw_buffers(right, groups)
    for axes in (left, right):
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    style.legend_below(left)
    style.title(figure, title_of(runs[0]))
    return figure


def draw_timeline(axes, run, start, end):
    """Draws what the buffers of each tier hold between two times, one on the other, from the start of the incast on; and its containment."""
    samples = run.filled_table("buffers.csv", ["time_s", "tier", "held_bytes"]).pivot(index="time_s", columns="tier", values="held_bytes")
    samples = samples[(samples.index >= start) & (samples.index <= end)]
    tiers = [tier for tier in TIERS if tier in samples]
    incast = run.option("aloneTime")
    axes.stackplot((samples.index - incast) * 1e6, [samples[tier] / MEBI for tier in tiers],
                   labels=[tier + ("'s switch" if tier == "receiver" else "") for tier in tiers], colors=style.PALETTE)
    axes.axvline(run.value("containment_time") * 1e6, color="black", linestyle="--", linewidth=1, label="contained")
    axes.set_xlim((start - incast) * 1e6, (end - incast) * 1e6)
    style.from_zero(axes)


def draw_buffer_timelines(*runs):
    """@return the figure of the first run of each label: all of it above, its containment below"""
    firsts = {label: group[0] for label, group in style.by_label(runs, label_of).items()}
    figure, grid = plt.subplots(2, len(firsts), squeeze=False, figsize=(1 + 3.6 * len(firsts), 6), layout="constrained")
    for (above, below), (label, run) in zip(grid.T, firsts.items()):
        incast = run.option("aloneTime")
        end = run.value("simulated_time")
        draw_timeline(above, run, 0, end)
        contained = incast + 1.3 * max(run.value("containment_time"), 4 * run.value("round_trip"))
        draw_timeline(below, run, incast - 2 * run.value("round_trip"), min(end, contained))
        above.set_title(label, fontsize=10)
        below.set_xlabel("time since the incast began, us")
    for axes in grid[:, 0]:
        axes.set_ylabel("held bytes of all switches, MiB")
    style.legend_below(grid[0, -1])
    style.title(figure, title_of(next(iter(firsts.values()))))
    return figure


def place_of(run):
    """@return from where to where victims send in a run, and how much"""
    load = run.option("victimLoad")
    begin = "a sender" if run.option("victimAt") == "sender-host" else "an idle host"
    end = "the receiver's neighbour" if run.option("victimTo") == "receiver-switch" else "an idle host"
    return f"{begin} to {end},\n" + ("greedy: goodput" if load == 1 else f"load {load:g}: 99 % latency")


def impact_of(run):
    """@return how much worse the incast makes it: of a greedy victim its goodput, of another the tail of its latency"""
    return run.value("impact", test="goodput") if run.option("victimLoad") == 1 else run.value("impact", test="latency", stat="p99")


def draw_impact(*runs):
    """@return the heat map of runs with any tools and victims, of any number of seeds each"""
    labels = list(style.by_label(runs, label_of))
    places = list(dict.fromkeys(place_of(run) for run in runs))
    cells = [[[impact_of(run) for run in style.seeds([run for run in runs if (place_of(run), label_of(run)) == (place, label)])]
              for label in labels] for place in places]
    figure, axes = plt.subplots(figsize=(3.5 + 1.5 * len(labels), 1.8 + 0.7 * len(places)), layout="constrained")
    image = style.draw_heat_map(axes, cells, LogNorm(0.5, 200))
    axes.set_xticks(range(len(labels)), [label.replace(", ", ",\n") for label in labels], fontsize=8)
    axes.set_yticks(range(len(places)), places, fontsize=8)
    axes.set_ylabel("victim")
    style.colour_bar(image, axes, label="congestion impact", extend="both")
    style.title(figure, title_of(runs[0]), 10)
    return figure


def relative_completion(run):
    """@return how long the last write of the incast takes, in times that the bytes of all take the receiver's link"""
    wire = run.option("senders") * run.option("bytes") * 8 / run.option("linkRate")
    return run.value("fct", stat="max") / wire


def draw_completions(*runs):
    """@return the figure of runs by the bytes of a sender, of any number of seeds each; a panel for each number of senders"""
    counts = sorted({run.option("senders") for run in runs})
    figure, panels = plt.subplots(1, len(counts), squeeze=False, sharey=True, figsize=(1 + 4.6 * len(counts), 4.2), layout="constrained")
    for axes, count in zip(panels[0], counts):
        for i, (label, group) in enumerate(style.by_label([run for run in runs if run.option("senders") == count], label_of).items()):
            style.draw_points(axes, group, lambda run: run.option("bytes"), relative_completion, label=label, **style.look(i))
        style.size_axis(axes.xaxis)
        style.log_axis(axes.yaxis)
        axes.axhline(1, color="black", linestyle=":", linewidth=1)
        axes.set_title(f"{count} senders")
        axes.set_xlabel("bytes of a sender")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("completion, times of the receiver's link")
    style.legend_below(panels[0][0])
    style.title(figure, f"{style.topology_text(runs[0])}, {results.rate_text(runs[0].option('linkRate'))}")
    return figure


VIEWS = {"latency": draw, "buffers": draw_buffer_timelines, "impact": draw_impact, "fct": draw_completions}


def main():
    view = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1] in VIEWS else "latency"
    return style.plot_runs("fabric-congestion", VIEWS[view], __doc__)
