# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-ack-overhead: overhead of ACKs, and ACKs per frame, against ACK rate."""
import statistics

import matplotlib.pyplot as plt

from . import style
from .. import results

STYLES = {False: (style.PALETTE[0], "o", "idle link back"), True: (style.PALETTE[1], "s", "busy link back")}
MEGA = 1e6
MAX_ACKS_PER_FRAME = 48


def points(runs, metric):
    """@return ACK rates in million/s, medians of seeds, and the values of a metric of each seed there, by ACK rate"""
    seeds = results.by_parameters(runs).values()
    return zip(*sorted((statistics.median(run.value("ack_rate") for run in each) / MEGA, [run.value(metric) for run in each]) for each in seeds))


def draw_metric(axes, groups, metric, scale=1):
    """Draws a metric of each group by ACK rate: the median of the seeds with their range."""
    for reverse, runs in groups.items():
        colour, marker, label = STYLES[reverse]
        rates, values = points(runs, metric)
        medians, ranges = style.error_bars([[scale * value for value in each] for each in values])
        axes.errorbar(rates, medians, ranges if max(map(len, values)) > 1 else None, fmt=f"{marker}-", color=colour, capsize=3, label=label)


def draw_overhead(axes, groups):
    draw_metric(axes, groups, "ack_overhead", 100)
    rates, values = points([run for runs in groups.values() for run in runs], "ack_overhead_ideal")
    axes.plot(rates, [100 * statistics.median(each) for each in values], "--", color="black", label="25 bits per ACK, no framing")
    axes.set_title("Overhead of ACK frames")
    axes.set_ylabel("ACK overhead, % of the link rate")
    style.from_zero(axes)


def draw_aggregation(axes, groups):
    draw_metric(axes, groups, "acks_per_frame")
    axes.axhline(MAX_ACKS_PER_FRAME, linestyle="--", color="black", label="a full frame")
    axes.set_title("ACKs in an ACK frame")
    axes.set_ylabel("ACKs per frame")
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter("{x:g}")


def draw(*runs):
    """@return the figure of any number of runs"""
    rates = {run.option("linkRate") for run in runs}
    if len(rates) > 1:
        raise results.ResultError(f"{runs[0].folder} and others: the runs have different --linkRate")
    groups = {reverse: [run for run in runs if run.option("reverse") == reverse] for reverse in STYLES}
    groups = {reverse: group for reverse, group in groups.items() if group}
    figure, grid = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for axes, panel in zip(grid, (draw_overhead, draw_aggregation)):
        panel(axes, groups)
        axes.set_xlabel("ACK rate, million/s")
        axes.set_xlim(left=0)
        style.legend_above(axes, fontsize=9)
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    style.title(figure, f"ACKs of frames over one link of {results.rate_text(rates.pop())}")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-ack-overhead", draw, __doc__)
