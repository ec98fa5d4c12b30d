# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-shaping: what each class gets of the shaped output, and how long its frames take."""
import matplotlib.pyplot as plt
import numpy

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


def draw_bars(axes, runs, values):
    """Draws a bar for each run of each class. @param values of a run, by class"""
    classes = sorted(set().union(*(throughputs(run) for run in runs)))
    width = 0.8 / len(runs)
    for i, run in enumerate(runs):
        found = values(run)
        places = numpy.array([classes.index(number) for number in found]) + (i - (len(runs) - 1) / 2) * width
        bars = axes.bar(places, list(found.values()), width * 0.95, color=style.PALETTE[i % len(style.PALETTE)], label=label(run))
        axes.bar_label(bars, [f"{value:.3g}" for value in found.values()], fontsize=7)
    axes.set_xticks(range(len(classes)), classes)
    axes.set_xlabel("class")
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def draw(*runs):
    """@return the figure of any number of runs"""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    draw_bars(left, runs, throughputs)
    left.set_ylabel("throughput, Gb/s")
    left.legend(fontsize=8)
    draw_bars(right, runs, lambda run: latencies(run, "p99"))
    right.set_yscale("log")
    right.set_ylabel("latency, 99 %, us")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-shaping", draw, __doc__)
