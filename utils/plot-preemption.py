#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-preemption: latencies against the victims' length, with and without preemption (VA-13)."""
import sys

import matplotlib.pyplot as plt

import fabric_results

STYLES = {"true": ("tab:blue", "with preemption"), "false": ("tab:orange", "without preemption")}
PANELS = (("urgent_wait", "Urgent frames wait at the first switch"), ("victim_latency", "Latency of victims"))
STATISTICS = {"stat=mean": "o-", "stat=max": "^--"}
SAME = ("interleave", "urgentBytes", "urgentGap", "linkRate", "hops")
NANO = 1e-9


def victim_bytes(run):
    """@return length of the victims in bytes; options keep their text, 8KiB or 8192"""
    text = run.option("victimBytes")
    for unit, factor in (("KiB", 1024), ("kB", 1000), ("KB", 1000), ("B", 1)):
        if text.endswith(unit):
            return float(text[:-len(unit)]) * factor
    return float(text)


def draw_panel(axes, runs, metric):
    for preempt, (colour, label) in STYLES.items():
        group = sorted((run for run in runs if run.option("preempt") == preempt), key=victim_bytes)
        for statistic, style in STATISTICS.items():
            if group:
                values = [run.value(metric, statistic) / NANO for run in group]
                axes.plot([victim_bytes(run) for run in group], values, style, color=colour,
                          label=f"{label}, {statistic.split('=')[1]}")


def draw(*runs):
    """@return the figure of any number of runs"""
    for option in SAME:
        if len({run.option(option) for run in runs}) > 1:
            raise fabric_results.ResultError(f"{runs[0].folder} and others: the runs have different --{option}")
    figure, grid = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for axes, (metric, title) in zip(grid, PANELS):
        draw_panel(axes, runs, metric)
        axes.set_title(title)
        axes.set_xlabel("victim, B on the wire")
        axes.set_ylabel("ns")
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=9)
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    figure.suptitle(f"Urgent frames of {runs[0].option('urgentBytes')} B every {runs[0].option('urgentGap')} "
                    f"over {runs[0].option('linkRate')}")
    return figure


if __name__ == "__main__":
    sys.exit(fabric_results.plot_runs("fabric-preemption", draw, __doc__))
