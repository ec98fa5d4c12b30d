# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-run: slowdown of flows by their size, median and 99 %, with a curve for each set of options."""
import matplotlib.pyplot as plt
import numpy
from matplotlib.ticker import ScalarFormatter

from . import style
from .. import results

GROUPS = 20  # of flows, ascending by size, as many in each
STATS = {"p50": (50, "o-"), "p99": (99, "s--")}


def flows_of(runs):
    """@return sizes and slowdowns of the flows of runs, by size"""
    tables = [run.table("messages.csv", ["bytes", "slowdown"]) for run in runs]
    sizes = numpy.concatenate([table["bytes"].to_numpy(float) for table in tables])
    slowdowns = numpy.concatenate([table["slowdown"].to_numpy(float) for table in tables])
    order = numpy.argsort(sizes, kind="stable")
    return sizes[order], slowdowns[order]


def draw(*runs):
    """@return the figure of any number of runs; those that differ in their random numbers alone are drawn as one"""
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for i, (label, group) in enumerate(results.by_parameters(runs).items()):
        sizes, slowdowns = flows_of(group)
        if len(sizes) == 0:
            raise results.ResultError(f"{group[0].folder}/messages.csv: no flow is done")
        parts = numpy.array_split(numpy.arange(len(sizes)), min(GROUPS, len(sizes)))
        for name, (percent, line) in STATS.items():
            axes.plot([numpy.median(sizes[part]) for part in parts],
                      [numpy.percentile(slowdowns[part], percent, method="inverted_cdf") for part in parts], line,
                      color=style.PALETTE[i % len(style.PALETTE)], markersize=4, label=f"{label}, {name}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.yaxis.set_minor_formatter(ScalarFormatter())
    axes.set_xlabel("flow size, B")
    axes.set_ylabel("slowdown")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-run", draw, __doc__)
