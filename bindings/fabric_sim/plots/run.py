# SPDX-License-Identifier: GPL-2.0-only
"""
Draws runs of fabric-run: slowdown of flows by their size, median and 99 %, with a curve for each set of options. After `transports` as the
first argument the same flows over several transports: median over the seeds and their range.
"""
import sys

import matplotlib.pyplot as plt
import numpy
from matplotlib.ticker import NullFormatter, ScalarFormatter

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


def label_axes(axes):
    """Puts sizes and slowdowns on logarithmic axes."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ScalarFormatter())
    axes.set_xlabel("flow size, B")
    axes.set_ylabel("slowdown")
    axes.grid(alpha=0.3)


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
    label_axes(axes)
    axes.yaxis.set_minor_formatter(ScalarFormatter())
    axes.legend(fontsize=8)
    return figure


def transport_of(run):
    """@return what carries the flows of a run, for a legend"""
    transport = run.option("transport")
    if transport == "tcp":
        flavour = run.attribute("ns3::TcpL4Protocol::SocketType", "ns3::TcpCubic").removeprefix("ns3::Tcp")
        return f"TCP, {flavour}"
    if transport == "pio":
        return "programmed I/O" + (", SDMA" if int(run.attribute("ns3::FabricPio::SdmaBytes", 0)) else "")
    return "native messages" if transport == "raw" else f"reliable transport, {run.option('congestionControl')}"


def seeds_of(groups):
    """@return sizes and slowdowns of the flows of each run, by group and run; refuses groups with other flows or fewer seeds"""
    seeds = {label: [flows_of([run]) for run in sorted(group, key=lambda run: run.manifest.get("run", 1))] for label, group in groups.items()}
    first = next(iter(seeds.values()))
    for label, group in groups.items():
        same = len(seeds[label]) == len(first) and all(numpy.array_equal(own[0], other[0]) for own, other in zip(seeds[label], first))
        if not same or len(first[0][0]) == 0:
            raise results.ResultError(f"{group[0].folder} and others: the runs have other flows; allowed are the same flows, all of them done, and the "
                                      "same random numbers for each transport")
    return seeds


def draw_transports(*runs):
    """@return the figure of runs whose flows are the same but for their random numbers: a curve for each transport"""
    groups = {}
    for label, group in results.by_parameters(runs).items():
        name = transport_of(group[0])
        groups[label if name in groups else name] = group
    seeds = seeds_of(groups)
    sizes = numpy.sort(numpy.concatenate([of_seed[0] for of_seed in next(iter(seeds.values()))]))
    edges = numpy.unique([part[0] for part in numpy.array_split(sizes, GROUPS // 2)])
    middles = [numpy.median(sizes[numpy.searchsorted(edges, sizes, "right") == i + 1]) for i in range(len(edges))]
    figure, both = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained", sharey=True)
    for axes, (name, (percent, line)) in zip(both, STATS.items()):
        for colour, (label, of_group) in zip(style.PALETTE, seeds.items()):
            values = numpy.array([[percentile(of_seed, edges, i, percent) for i in range(len(edges))] for of_seed in of_group])
            axes.plot(middles, numpy.nanmedian(values, 0), line, color=colour, markersize=4, label=label)
            axes.fill_between(middles, numpy.nanmin(values, 0), numpy.nanmax(values, 0), color=colour, alpha=0.15, linewidth=0)
        label_axes(axes)
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_title(f"{name}, median and range of {len(of_group)} seeds", fontsize=9)
    both[0].legend(fontsize=8)
    return figure


def percentile(of_seed, edges, i, percent):
    """@return a percentile of the slowdowns of a seed's flows of a range of sizes, NaN where there are none"""
    sizes, slowdowns = of_seed
    chosen = slowdowns[numpy.searchsorted(edges, sizes, "right") == i + 1]
    return numpy.percentile(chosen, percent, method="inverted_cdf") if len(chosen) else float("nan")


def main():
    """The script of this picture. @return its exit code"""
    if sys.argv[1:2] == ["transports"]:
        sys.argv.pop(1)
        return style.plot_runs("fabric-run", draw_transports, __doc__)
    return style.plot_runs("fabric-run", draw, __doc__)
