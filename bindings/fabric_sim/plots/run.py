# SPDX-License-Identifier: GPL-2.0-only
"""
Draws runs of fabric-run: slowdown of flows by their size, median and 99 %, with a curve for each set of options. After `transports` as the
first argument the same flows over several transports: median over the seeds and their range.
"""
import sys

import matplotlib.pyplot as plt
import pandas

from . import style
from .. import figures, results
from ..size_bins import GROUPS, SizeBins

PERCENTS = (50, 99)
STATS = {"p50": "o-", "p99": "s--"}


def flows_of(runs):
    """@return sizes and slowdowns of the flows of runs; not a number for those by SDMA, of which no ideal is known"""
    tables = [run.table("messages.csv", ["bytes", "slowdown"]) for run in runs]
    return pandas.concat([table[["bytes"]].assign(slowdown=pandas.to_numeric(table["slowdown"], errors="coerce")) for table in tables])


def label_axes(axes):
    """Puts sizes and slowdowns on logarithmic axes."""
    axes.set_xscale("log")
    style.log_axis(axes.yaxis)
    axes.set_xlabel("flow size, B")
    axes.set_ylabel("slowdown")
    axes.grid(alpha=0.3)


def draw(*runs):
    """@return the figure of any number of runs; those that differ in their random numbers alone are drawn as one"""
    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for i, (label, group) in enumerate(results.by_parameters(runs).items()):
        flows = flows_of(group)
        if len(flows) == 0:
            raise results.ResultError(f"{group[0].folder}/messages.csv: no flow is done")
        slowdowns = figures.slowdowns(flows, PERCENTS)
        for name, line in STATS.items():
            axes.plot(slowdowns.index, slowdowns[name], line, markersize=4, label=f"{label}, {name}", **style.look(i))
    label_axes(axes)
    style.make_room(style.legend_above(axes, fontsize=8))
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
    """@return the flows of each run, by group and run; refuses groups with other flows or fewer seeds"""
    seeds = {label: [flows_of([run]) for run in sorted(group, key=lambda run: run.manifest.get("run", 1))] for label, group in groups.items()}
    first = next(iter(seeds.values()))
    for label, group in groups.items():
        same = len(seeds[label]) == len(first) and all(sorted(own["bytes"]) == sorted(other["bytes"]) for own, other in zip(seeds[label], first))
        if not same or len(first[0]) == 0:
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
    bins = SizeBins(pandas.concat(next(iter(seeds.values())))["bytes"], GROUPS // 2)
    figure, both = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained", sharey=True)
    for axes, (name, line) in zip(both, STATS.items()):
        for i, (label, of_group) in enumerate(seeds.items()):
            values = pandas.concat([figures.slowdowns(of_seed, PERCENTS, bins)[name] for of_seed in of_group], axis=1).sort_index()
            curve, = axes.plot(values.index, values.median(axis=1), line, markersize=4, label=label, **style.look(i))
            axes.fill_between(values.index, values.min(axis=1), values.max(axis=1), color=curve.get_color(), alpha=0.15, linewidth=0)
        label_axes(axes)
        axes.set_title(name + (f", median and range of {len(of_group)} seeds" if len(of_group) > 1 else ""), fontsize=9)
    style.legend_below(both[0])
    return figure


def main():
    """The script of this picture. @return its exit code"""
    if sys.argv[1:2] == ["transports"]:
        sys.argv.pop(1)
        return style.plot_runs("fabric-run", draw_transports, __doc__)
    return style.plot_runs("fabric-run", draw, __doc__)
