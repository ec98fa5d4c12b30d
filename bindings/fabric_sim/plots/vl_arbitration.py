# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-vl-arbitration that have lanes.csv (--samplePeriod): shares per lane, and what meters let pass over time."""
import matplotlib.pyplot as plt

from . import style

COLUMNS = ["time_s", "lane", "conforming_bytes", "over_bandwidth_bytes"]
GIGA, MICRO = 1e9, 1e-6


def label(run):
    return f"{run.option('meter')}, {run.option('mode')}, {run.option('over')}"


def lane_shares(run):
    return {int(lane): value for lane, value in run.metric("share", "lane").items()}


def draw_shares(axes, runs):
    """Bars of each lane, one for each run; the fraction that was Over-Bandwidth is hatched."""
    lanes = sorted(set().union(*(lane_shares(run) for run in runs)))
    width = 0.8 / len(runs)
    for i, run in enumerate(runs):
        shares = lane_shares(run)
        over = run.metric("over_bandwidth_share", "lane")
        places = [lanes.index(lane) + (i - (len(runs) - 1) / 2) * width for lane in shares]
        axes.bar(places, [100 * share for share in shares.values()], width * 0.95, color=f"C{i}", label=label(run))
        axes.bar(places, [100 * share * over.get(str(lane), 0) for lane, share in shares.items()], width * 0.95,
                 color="none", edgecolor="white", hatch="//")
    axes.set_xticks(range(len(lanes)), lanes)
    axes.margins(y=0.15 + 0.1 * len(runs))  # room for the legend
    axes.set_title("Share of each lane (hatched: Over-Bandwidth)")
    axes.set_xlabel("virtual lane")
    axes.set_ylabel("throughput, % of the link rate")
    axes.legend(fontsize=9)


def draw_meter(axes, run):
    """What the meters of a run let pass as conforming, by lane, over time."""
    table = run.table("lanes.csv", COLUMNS)
    period = table["time_s"].iloc[0] if len(table) else 1
    for lane, rows in table.groupby("lane"):
        rate = 8 * rows["conforming_bytes"] / period
        axes.step(rows["time_s"] / MICRO, rate / GIGA, where="pre", color=style.PALETTE[lane % len(style.PALETTE)], label=f"lane {lane}")
    every = table.groupby("time_s")[["conforming_bytes", "over_bandwidth_bytes"]].sum().sum(axis=1)
    axes.step(every.index / MICRO, 8 * every / period / GIGA, where="pre", color="black", linewidth=0.8, label="all, with Over-Bandwidth")
    axes.set_title(f"Conforming traffic: {label(run)}")
    axes.set_xlabel("simulated time, us")
    axes.set_ylabel("throughput, Gb/s")
    style.from_zero(axes)
    axes.legend(fontsize=8, ncols=2)


def draw(*runs):
    """@return the figure of any number of runs"""
    figure, grid = plt.subplots(len(runs) + 1, 1, figsize=(9, 3.2 * (len(runs) + 1)), layout="constrained", squeeze=False)
    draw_shares(grid[0][0], runs)
    for axes, run in zip(grid[1:, 0], runs):
        draw_meter(axes, run)
    for axes in grid[:, 0]:
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-vl-arbitration", draw, __doc__)
