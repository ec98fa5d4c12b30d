# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-allreduce: how long an all-reduce takes against the number of hosts, by NICs and by software that looks now and then."""
import matplotlib.pyplot as plt

from . import style
from .. import results


def series_of(run):
    """@return what the runs of a line have in common: how soon software looks, -1 for NICs"""
    return -1 if run.option("by") == "nic" else run.option("interval")


def name_of(series):
    """@return what a line is called"""
    if series < 0:
        return "by NICs"
    return "by software" if series == 0 else f"by software, every {results.time_text(series)}"


def draw(*runs):
    """@return the figure of any number of runs; seeds are medians with their range"""
    figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
    for series in sorted(set(map(series_of, runs))):
        group = [run for run in runs if series_of(run) == series]
        hosts = sorted({run.value("allreduce_ranks") for run in group})
        points = [style.seeds([run for run in group if run.value("allreduce_ranks") == count]) for count in hosts]
        times = [[run.value("allreduce_time") * 1e6 for run in point] for point in points]
        medians, ranges = style.error_bars(times)
        axes.errorbar(hosts, medians, ranges, fmt="o-", capsize=3, label=name_of(series))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    counts = sorted({int(run.value("allreduce_ranks")) for run in runs})
    axes.set_xticks(counts, counts)
    for labels in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
        labels("{x:.0f}")
    axes.set_xlabel("hosts")
    axes.set_ylabel("all-reduce of one word, us")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-allreduce", draw, __doc__)
