# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-permutation at a load: what a topology accepts and how long messages take, by paths and pattern."""
import matplotlib.pyplot as plt

from . import style
from .. import results

ROUTINGS = ("up-down", "dimension-order", "by-dimension", "minimal", "valiant", "ugal-l", "adaptive")
TELLS = "ns3::FabricSwitch::NeighbourLoads"
BIAS = "ns3::FabricSwitch::DetourBias"
SATURATED = 0.95  # accepted over offered load below which a network is taken as saturated


def scenario_of(run):
    """@return what has to be the same in all runs"""
    return {name: value for name, value in results.parameters(run).items() if name not in ("load", "routing", "pattern", "shift", TELLS, BIAS)}


def pattern_of(run):
    """@return what a row of the picture is called"""
    shift = results.parameters(run).get("shift", 0)
    return run.option("pattern") + (f" by {shift}" if shift else "")


def paths_of(run):
    """@return what a curve is called: how paths are chosen"""
    parameters = results.parameters(run)
    told = ", neighbours' loads" * parameters.get(TELLS, False)
    return run.option("routing") + told + (f", bias {parameters[BIAS]} B" if BIAS in parameters else "")


def bound_of(run):
    """
    @return the load at which the global links of a dragonfly are full, of the rate of the hosts' links, and at most 1; nothing where that
    is not known. Detours take two global links of the g - 2 others; who weighs fills the shortest one as well.
    """
    pattern, routing = run.option("pattern"), run.option("routing")
    if run.option("topology") != "dragonfly" or pattern not in ("uniform", "adversarial"):
        return None
    p, a, h = (run.option(name) for name in ("hostsPerSwitch", "switchesPerGroup", "globalPorts"))
    g = run.option("groups") or a * h + 1
    hosts = a * p
    if g < 3 or hosts < 2:
        return None
    m = run.option("globalLinks") or a * h // (g - 1)
    if pattern == "adversarial":
        links = {"minimal": m, "valiant": m * (g - 2) / 2}.get(routing, m * g / 2)
        return min(1, links / hosts)
    leaves = (g - 1) * hosts / (g * hosts - 1)  # of all messages those to other groups
    links = m * (g - 1) / (2 if routing == "valiant" else 1)
    return min(1, links / hosts / leaves)


def load_of(run):
    """@return the load that a run offers"""
    return run.option("load")


def draw_pattern(row, runs, label, look):
    """Draws the runs of a pattern and a kind of paths: accepted load, and completion times in us up to saturation."""
    style.draw_points(row[0], runs, load_of, lambda run: run.value("accepted_load"), label=label, **look)
    if (bound := bound_of(runs[0])) is not None:
        row[0].axhline(bound, color=look["color"], linestyle=":", zorder=0)
    # Beyond saturation times grow as long as the run lasts.
    steady = [run for run in runs if "mean" in run.metric("fct", "stat") and run.value("accepted_load") > SATURATED * load_of(run)]
    style.draw_points(row[1], steady, load_of, lambda run: 1e6 * run.value("fct", stat="mean"), label=label, **look)


def draw(*runs):
    """@return the figure of any number of runs"""
    if any(scenario_of(run) != scenario_of(runs[0]) for run in runs):
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in more than --load, --routing, --pattern, --shift, NeighbourLoads and DetourBias")
    patterns = sorted({pattern_of(run) for run in runs})
    figure, grid = plt.subplots(len(patterns), 2, squeeze=False, layout="constrained", figsize=(8, 3 * len(patterns)))
    for row, pattern in zip(grid, patterns):
        of_pattern = [run for run in runs if pattern_of(run) == pattern]
        labels = sorted({paths_of(run): run.option("routing") for run in of_pattern}.items(), key=lambda pair: (ROUTINGS.index(pair[1]), pair[0]))
        for i, (label, _) in enumerate(labels):
            draw_pattern(row, [run for run in of_pattern if paths_of(run) == label], label, style.look(i))
        row[0].plot([0, 1], [0, 1], color="lightgrey", zorder=0)
        row[0].set_ylabel("accepted load")
        row[1].set_ylabel("mean completion time, us")
        row[1].set_xlim(row[0].get_xlim())
        style.log_axis(row[1].yaxis)
        for axes in row:
            axes.set_title(pattern, fontsize=10)
            axes.set_xlabel("offered load")
        if any(line.get_linestyle() == ":" for line in row[0].get_lines()):
            row[0].plot([], [], color="grey", linestyle=":", label="bound by the global links")
        style.legend_above(row[0], fontsize=8)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-permutation", draw, __doc__)
