# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-ack-overhead: overhead of ACKs, and ACKs per frame, against ACK rate."""
import matplotlib.pyplot as plt

from . import style
from .. import results

STYLES = {False: (style.PALETTE[0], "o", "idle link back"), True: (style.PALETTE[1], "s", "busy link back")}
MEGA = 1e6
MAX_ACKS_PER_FRAME = 48


def points(runs, metric):
    """@return ACK rates and the values of a metric, by ACK rate"""
    return zip(*sorted((run.value("ack_rate") / MEGA, run.value(metric)) for run in runs))


def draw_overhead(axes, groups):
    for reverse, runs in groups.items():
        colour, marker, label = STYLES[reverse]
        rates, fractions = points(runs, "ack_overhead")
        axes.plot(rates, [100 * fraction for fraction in fractions], color=colour, marker=marker, label=label)
    rates, fractions = points([run for runs in groups.values() for run in runs], "ack_overhead_ideal")
    axes.plot(rates, [100 * fraction for fraction in fractions], "--", color="black", label="25 bits per ACK, no framing")
    axes.set_title("Overhead of ACK frames")
    axes.set_ylabel("ACK overhead, % of the link rate")
    style.from_zero(axes)


def draw_aggregation(axes, groups):
    for reverse, runs in groups.items():
        colour, marker, label = STYLES[reverse]
        axes.plot(*points(runs, "acks_per_frame"), color=colour, marker=marker, label=label)
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
        axes.legend(fontsize=9)
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    style.title(figure, f"ACKs of frames over one link of {results.rate_text(rates.pop())}")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-ack-overhead", draw, __doc__)
