# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-gpcnet as heat maps of the congestion impact: pattern of the aggressors by test of the victims."""
import matplotlib.pyplot as plt
from matplotlib.colors import LogNorm

from . import style
from .. import results

PATTERNS = ("alltoall", "incast", "put-incast", "get-broadcast", "all")
TESTS = ("latency", "bandwidth", "allreduce")
STATISTICS = {"mean": "mean", "p99": "99 %"}
UNORDERED = "ns3::FabricSwitch::UnorderedClasses"  # flows take several ways at a time
SCALE = (0.5, 200)  # of the colours: what is beyond has the colour of the end


def means_of(run):
    """@return what manages congestion in a run, which the maps of a picture may differ in"""
    if not run.option("flowChannels"):
        return "no flow channels"
    tools = run.option("tools")
    order = ", no order" if run.attribute(UNORDERED, 0) else ""
    return "flow channels, " + (f"{len(tools)} tools" if len(tools) > 2 else ", ".join(tools) or "no tools") + order


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("flowChannels", "tools", "pattern", UNORDERED)}


def draw_map(axes, runs, statistic):
    """Draws the medians of a statistic, with the range of the seeds below where there are several."""
    patterns = [pattern for pattern in PATTERNS if any(run.option("pattern") == pattern for run in runs)]
    rows = [style.seeds([run for run in runs if run.option("pattern") == pattern]) for pattern in patterns]
    cells = [[[run.value("impact", test=test, stat=statistic) for run in row] for test in TESTS] for row in rows]
    image = style.draw_heat_map(axes, cells, LogNorm(*SCALE))
    axes.set_xticks(range(len(TESTS)), TESTS)
    axes.set_yticks(range(len(patterns)), patterns)
    axes.set_xlabel("test of the victims")
    return image


def draw(*runs):
    """@return the figure of any number of runs"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --flowChannels, --tools, --pattern, "
                                         "--RngRun and UnorderedClasses")
    groups = style.by_label(runs, means_of)
    patterns = len({run.option("pattern") for run in runs})
    figure, grid = plt.subplots(len(STATISTICS), len(groups), squeeze=False, layout="constrained",
                                figsize=(2 + 3.6 * len(groups), (1.2 + 0.6 * patterns) * len(STATISTICS)))
    for row, (statistic, name) in zip(grid, STATISTICS.items()):
        for axes, (means, group) in zip(row, groups.items()):
            image = draw_map(axes, group, statistic)
            axes.set_title(f"{means}: {name}", fontsize=10)
    figure.supylabel("pattern of the aggressors", fontsize=10)
    style.colour_bar(image, grid, label="congestion impact", extend="both")
    run = runs[0]
    seeds = min(sum(other.option("pattern") == one.option("pattern") for other in group) for group in groups.values() for one in group)
    style.title(figure, f"Victims beside aggressors, {style.topology_text(run)}" + (f"; median and range of {seeds} seeds" if seeds > 1 else ""))
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-gpcnet", draw, __doc__)
