# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives: how long algorithms take for buffers of some sizes, on each topology, beside the lower bound."""
from . import style
from .collectives import MARKS, TRANSPORTS, names_of
from .. import results

OF_PANEL = ("collective", "bytes")  # options in which the runs of a panel may differ
BOUND = ":"  # its line


def panels_of(runs, may_differ):
    """
    @param may_differ options in which runs on one topology may differ
    @return lists of runs, those of each topology, in their order
    """
    def shared(run):
        return {name: value for name, value in results.parameters(run).items() if name not in may_differ}

    panels = {}
    for run in runs:
        panels.setdefault(style.topology_text(run), []).append(run)
    for group in panels.values():
        if any(shared(run) != shared(group[0]) for run in group):
            options = ", ".join(f"--{name}" for name in may_differ)
            raise results.ResultError(f"{group[0].folder} and others: runs on one topology differ in more than {options} and --RngRun")
    return list(panels.values())


def draw_panel(axes, runs, names):
    """Draws a line for each collective, medians of seeds with their range, and the lower bounds."""
    bounds = []
    for i, name in enumerate(names):
        group = [run for run in runs if run.option("collective") == name]
        if not group:
            continue
        style.draw_points(axes, group, lambda run: run.option("bytes"), lambda run: run.value("completion_time") * 1e6, MARKS[name] + "-", markersize=5,
                          label=name, **style.look(i))
        bound = sorted({run.option("bytes"): run.value("lower_bound") * 1e6 for run in group}.items())
        if bound not in bounds:
            bounds.append(bound)
            style.draw_bound(axes, *zip(*bound), color="grey", linestyle=BOUND)
    axes.plot([], [], color="grey", linestyle=BOUND, label="lower bound")
    style.size_axis(axes.xaxis)
    style.log_axis(axes.yaxis)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("bytes of each host's buffer")
    axes.grid(alpha=0.3)
    run = runs[0]
    hosts = f"{run.option('hosts')} hosts" if run.option("hosts") else "all hosts"
    axes.set_title(f"{hosts}, {run.option('topology')}, {TRANSPORTS[run.option('transport')]}", fontsize=10)


def draw(*runs):
    """@return the figure of any number of runs, a panel for each topology"""
    names = names_of(runs)
    return style.row_of_panels(panels_of(runs, OF_PANEL), lambda axes, group: draw_panel(axes, group, names), (4.6, 4.4), "completion time, us")


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
