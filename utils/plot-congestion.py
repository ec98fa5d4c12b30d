#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-congestion by the tools that manage congestion: what victims feel, and how full buffers get."""
import sys

import matplotlib.pyplot as plt
import numpy

import fabric_results

RECEIVER = 0  # the incast's receiver is the first host
TIERS = ["edge", "aggregation", "core", "receiver"]
MEBI = 2**20


def label_of(run):
    """@return the tools of a run, in words"""
    tools = run.option("tools")
    if not run.option("flowChannels"):
        return "no flow channels"
    return ", ".join(tools) if tools else "none"


def latencies(run):
    """@return those of the victims' messages that were sent during the incast, us"""
    messages = run.table("messages.csv", ["dst", "start_s", "fct_s"])
    during = (messages["dst"] != RECEIVER) & (messages["start_s"] >= run.option("aloneTime"))
    return numpy.sort(messages.loc[during, "fct_s"]) * 1e6


def draw_latencies(axes, groups):
    for i, (label, runs) in enumerate(groups.items()):
        colour = fabric_results.PALETTE[i % len(fabric_results.PALETTE)]
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
        medians, ranges = fabric_results.error_bars(values)
        places = numpy.arange(len(tiers)) + (i - (len(groups) - 1) / 2) * width
        axes.bar(places, medians, width, color=fabric_results.PALETTE[i % len(fabric_results.PALETTE)], label=label)
        axes.errorbar(places, medians, ranges, fmt="none", ecolor="black", capsize=3)
    axes.set_xticks(range(len(tiers)), [tier + ("'s switch" if tier == "receiver" else "") for tier in tiers])
    axes.set_title("Peak buffer occupancy of a switch")
    axes.set_xlabel("tier of the switch")
    axes.set_ylabel("buffer occupancy, MiB")


def draw(*runs):
    """@return the figure of runs with any tools, of any number of seeds each"""
    groups = {}
    for run in runs:
        groups.setdefault(label_of(run), []).append(run)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    draw_latencies(left, groups)
    draw_buffers(right, groups)
    for axes in (left, right):
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    left.legend(fontsize=8, title="tools", loc="center")
    run = runs[0]
    figure.suptitle(f"{run.option('senders')} senders to one host and {run.option('victims')} victim beside them, fat tree with switches of "
                    f"{run.option('k')} ports, {fabric_results.rate_text(run.option('linkRate'))}")
    return figure


if __name__ == "__main__":
    sys.exit(fabric_results.plot_runs("fabric-congestion", draw, __doc__))
