# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-shaping: what each class gets of the shaped output, and how long its frames take."""
import matplotlib.pyplot as plt

from . import style

GIGA, MICRO = 1e9, 1e-6


def label(run):
    """@return what the classes of a run offer"""
    return f"load {run.option('load')}"


def throughputs(run):
    """@return Gb/s of each class, by its number"""
    return {int(number): share * run.option("linkRate") / GIGA for number, share in run.metric("share", "class").items()}


def latencies(run, stat):
    """@return latency in us of each class of which anything was delivered, by its number"""
    return {int(number): run.value("latency", **{"class": number, "stat": stat}) / MICRO for number in run.metric("latency", "class")}


def draw_bars(axes, groups, values):
    """Draws a bar for each class and label: the median of the seeds with their range. @param values of a run, by class"""
    classes = sorted(set().union(*(throughputs(run) for group in groups.values() for run in group)))
    found = {label: [values(run) for run in group] for label, group in groups.items()}
    drawn = style.draw_bars(axes, {label: {place: known for place, number in enumerate(classes) if (known := [each[number] for each in of_label if number in each])}
                                   for label, of_label in found.items()})
    for bars in drawn.values():
        axes.bar_label(bars, [f"{bar.get_height():.3g}" for bar in bars], fontsize=7)
    axes.set_xticks(range(len(classes)), classes)
    axes.set_xlabel("class")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def draw(*runs):
    """@return the figure of any number of runs"""
    groups = style.seeds_by_label(runs, label)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    draw_bars(left, groups, throughputs)
    left.set_ylabel("throughput, Gb/s")
    draw_bars(right, groups, lambda run: latencies(run, "p99"))
    if right.patches:  # something was delivered
        style.log_axis(right.yaxis)
    right.set_ylabel("latency, 99 %, us")
    style.legend_below(left)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-shaping", draw, __doc__)
