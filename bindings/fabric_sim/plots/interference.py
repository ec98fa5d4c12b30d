# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives with several jobs at a time: how long jobs take by how many there are, for each placement."""
import statistics

import matplotlib.pyplot as plt

from . import style
from .collective_times import panels_of
from .placements import looks_of
from .. import results

OF_PANEL = ("jobs", "placement")  # options in which the runs of a panel may differ


def job_time(run, stat):
    """@return a statistic of the times of the jobs of a run, us"""
    return 1e6 * (run.value("completion_time") if run.option("jobs") == 1 else run.value("job_time", stat=stat))


def draw_line(axes, runs, look):
    """Draws medians of jobs as points, with the range of the medians of seeds, and dashed the median over seeds of the last job."""
    jobs = sorted({run.option("jobs") for run in runs})
    of_jobs = [[run for run in runs if run.option("jobs") == number] for number in jobs]
    medians, ranges = style.error_bars([[job_time(run, "p50") for run in group] for group in of_jobs])
    axes.errorbar(jobs, medians, ranges, markersize=5, capsize=3, **look)
    axes.plot(jobs, [statistics.median(job_time(run, "max") for run in group) for group in of_jobs], "--", color=look["color"], linewidth=1)


def draw_panel(axes, runs):
    """Draws the runs of a collective on a topology."""
    for placement, look in looks_of(runs).items():
        group = [run for run in runs if run.option("placement") == placement]
        if group:
            draw_line(axes, group, look)
    axes.plot([], [], "--", color="grey", linewidth=1, label="the last job")
    axes.axhline(1e6 * runs[0].value("lower_bound"), color="grey", linestyle=":", label="lower bound")
    axes.set_xticks(sorted({run.option("jobs") for run in runs}))
    style.from_zero(axes)
    axes.set_xlabel("jobs at the same time")
    axes.grid(alpha=0.3)
    run = runs[0]
    axes.set_title(f"{run.option('collective')}, {run.option('hosts')} hosts each, {run.option('topology')}, {results.size_text(run.option('bytes'))}", fontsize=9)


def draw(*runs):
    """@return the figure of any number of runs, a panel for each collective on each topology"""
    panels = []
    for name in sorted({run.option("collective") for run in runs}):
        panels += panels_of([run for run in runs if run.option("collective") == name], OF_PANEL)
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, all_axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.3 * rows), layout="constrained", squeeze=False)
    for axes in all_axes.flat[len(panels):]:
        axes.set_axis_off()
    for axes, group in zip(all_axes.flat, panels):
        draw_panel(axes, group)
    for row in all_axes:
        row[0].set_ylabel("time of a job, us")
    style.legend_below(all_axes[0][0], title="placement")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-collectives", draw, __doc__)
