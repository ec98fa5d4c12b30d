# SPDX-License-Identifier: GPL-2.0-only
"""Draws two runs of fabric-chain: each source's throughput as a fraction of the last link, measured and in theory."""
import matplotlib.pyplot as plt
import numpy

from . import style
from .. import results

COLOURS = (style.PALETTE[1], style.PALETTE[0])


def is_fair_by_flow(run):
    """@return whether the run shared every output between flows; without flow channels there are only ports"""
    return run.option("arbitration") == "flow" and run.option("flowChannels")


def ideal_shares(run):
    """@return each source's share of the last link in theory, in the order of the summary"""
    sources = run.option("sources")
    if is_fair_by_flow(run):
        return [1 / sum(sources)] * sum(sources)
    shares = []
    left = 1.0  # fraction of the last link that the switch at hand and those before it have
    for switch in range(len(sources) - 1, -1, -1):
        inputs = sources[switch] + (sum(sources[:switch]) > 0)
        left = left / inputs if inputs else left
        shares = [left] * sources[switch] + shares
    return shares


def label(run):
    """@return how the run shared its outputs"""
    how = "flows" if is_fair_by_flow(run) else "input ports"
    return f"fair between {how}" + ("" if run.option("flowChannels") else ", no flow channels")


def draw_run(axes, run, place, width, colour):
    """Draws a bar for each source, and a line across it at its ideal share."""
    measured = list(run.metric("share", "source").values())
    ideal = ideal_shares(run)
    if len(measured) != len(ideal):
        raise results.ResultError(f"{run.folder}/summary.csv: there are {len(measured)} shares for the "
                                         f"{len(ideal)} sources of --sources={','.join(map(str, run.option('sources')))}")
    places = numpy.arange(len(measured)) + place
    axes.bar(places, measured, width, color=colour, label=label(run))
    return axes.hlines(ideal, places - width / 2, places + width / 2, color="black", linewidth=2)


def draw(first, second):
    """@return the figure of two runs"""
    if first.option("sources") != second.option("sources"):
        raise results.ResultError(f"{first.folder} and {second.folder}: the runs have different --sources")
    figure, axes = plt.subplots(figsize=(9, 4.8), layout="constrained")
    width = 0.4
    for run, place, colour in zip((first, second), (-width / 2, width / 2), COLOURS):
        lines = draw_run(axes, run, place, width, colour)
    lines.set_label("in theory")
    names = host_names(first.option("sources"))
    axes.set_xticks(range(len(names)), names)
    style.log_axis(axes.yaxis)
    axes.set_ylim(min(ideal_shares(first) + ideal_shares(second)) / 2, 1)
    axes.set_title("Hosts on switches in a row that all send to one on the last")
    axes.set_xlabel("source (host)")
    axes.set_ylabel("throughput, fraction of the last link")
    style.legend_above(axes)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    return figure


def host_names(sources):
    """@return the numbers of the hosts; in the middle of each switch's hosts its number too"""
    names = []
    for switch, count in enumerate(sources):
        first = len(names)
        names += [f"{first + i}\nswitch {switch}" if i == count // 2 else str(first + i) for i in range(count)]
    return names


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-chain", draw, __doc__, 2)
