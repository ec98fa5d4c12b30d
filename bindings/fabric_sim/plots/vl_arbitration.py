# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-vl-arbitration that have lanes.csv (--samplePeriod): shares per lane, and what meters let pass over time."""
import statistics

import matplotlib.pyplot as plt
import pandas

from . import style

COLUMNS = ["time_s", "lane", "conforming_bytes", "over_bandwidth_bytes"]
GIGA, MICRO = 1e9, 1e-6


def label(run):
    return f"{run.option('meter')}, {run.option('mode')}, {run.option('over')}"


def lane_shares(run):
    return {int(lane): value for lane, value in run.metric("share", "lane").items()}


def over_shares(run):
    """@return what of each lane's share was Over-Bandwidth"""
    over = run.metric("over_bandwidth_share", "lane")
    return {lane: share * over.get(str(lane), 0) for lane, share in lane_shares(run).items()}


def percents(runs, lanes, shares_of):
    """@return the percentages of each seed that has a lane, by the place of the lane"""
    shares = [shares_of(run) for run in runs]
    return {place: [100 * each[lane] for each in shares if lane in each] for place, lane in enumerate(lanes) if any(lane in each for each in shares)}


def draw_shares(axes, groups):
    """Bars of each lane, one for each label: the median of the seeds with their range; what was Over-Bandwidth is hatched."""
    lanes = sorted(set().union(*(lane_shares(run) for runs in groups.values() for run in runs)))
    drawn = style.draw_bars(axes, {name: percents(runs, lanes, lane_shares) for name, runs in groups.items()})
    for name, bars in drawn.items():
        over = percents(groups[name], lanes, over_shares).values()
        axes.bar([bar.get_x() for bar in bars], [statistics.median(seeds) for seeds in over], [bar.get_width() for bar in bars], align="edge",
                 color="none", edgecolor="white", hatch="//")
    axes.set_xticks(range(len(lanes)), lanes)
    axes.set_title("Share of each lane (hatched: Over-Bandwidth)")
    axes.set_xlabel("virtual lane")
    axes.set_ylabel("throughput, % of the link rate")
    style.legend_above(axes, fontsize=9)


def draw_rate(axes, seeds, period, **look):
    """Draws a rate over time: the median of the seeds with their range. @param seeds bytes of each sample by its time, a series of each seed"""
    values = 8 * pandas.concat(seeds, axis=1).fillna(0).sort_index() / period / GIGA
    axes.step(values.index / MICRO, values.median(axis=1), where="pre", **look)
    axes.fill_between(values.index / MICRO, values.min(axis=1), values.max(axis=1), step="pre", color=look["color"], alpha=0.2, linewidth=0)


def draw_meter(axes, name, runs):
    """What the meters of seeds let pass as conforming, by lane, over time."""
    tables = [run.table("lanes.csv", COLUMNS) for run in runs]
    period = runs[0].option("samplePeriod")
    for lane in sorted(set().union(*(table["lane"] for table in tables))):
        draw_rate(axes, [table[table["lane"] == lane].set_index("time_s")["conforming_bytes"] for table in tables], period,
                  **style.plain_look(lane), label=f"lane {lane}")
    draw_rate(axes, [table.groupby("time_s")[["conforming_bytes", "over_bandwidth_bytes"]].sum().sum(axis=1) for table in tables], period,
              color="grey", linewidth=0.8, label="all, with Over-Bandwidth")
    axes.set_title(f"Conforming traffic: {name}")
    axes.set_xlabel("simulated time, us")
    axes.set_ylabel("throughput, Gb/s")
    style.from_zero(axes)
    style.legend_above(axes, fontsize=8)


def draw(*runs):
    """@return the figure of any number of runs"""
    groups = style.seeds_by_label(runs, label)
    figure, grid = plt.subplots(len(groups) + 1, 1, figsize=(9, 3.2 * (len(groups) + 1)), layout="constrained", squeeze=False)
    draw_shares(grid[0][0], groups)
    for axes, (name, group) in zip(grid[1:, 0], groups.items()):
        draw_meter(axes, name, group)
    for axes in grid[:, 0]:
        axes.grid(alpha=0.3)
        axes.set_axisbelow(True)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-vl-arbitration", draw, __doc__)
