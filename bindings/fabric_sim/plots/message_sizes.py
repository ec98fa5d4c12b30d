# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-permutation whose hosts begin together: the time until all have their data, over the size of messages."""
import matplotlib.pyplot as plt

from . import style
from .. import results

SIZE = "bytes"
SWITCH = "ns3::FabricSwitch::"


def stretch_of(run):
    """@return how many times as long as the longest message alone a run takes until all have their data"""
    if run.option("load"):
        raise results.ResultError(f"{run.folder}: the run has --load={run.option('load'):g}; runs that begin together, with 0, are needed")
    return run.value("completion_time") / run.table("messages.csv", ["ideal_s"])["ideal_s"].max()


def settings_of(run):
    """@return what the runs of a curve share"""
    return {name: value for name, value in results.parameters(run).items() if name != SIZE}


def label_of(settings, others):
    """@return what sets a curve apart: attributes that are on by their names, others with their values"""
    differ = [name for name in settings if any(each.get(name) != settings[name] for each in others)]
    texts = {name: name.removeprefix(SWITCH) + ("" if settings[name] is True else f"={settings[name]}") for name in differ}
    return ", ".join(text for name, text in texts.items() if settings[name] is not False) or "neither"


def draw(*runs):
    """@return the figure of any number of runs"""
    curves = []
    for run in runs:
        if settings_of(run) not in curves:
            curves.append(settings_of(run))
    figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
    for i, settings in enumerate(curves):
        group = [run for run in runs if settings_of(run) == settings]
        style.draw_points(axes, group, lambda run: run.option(SIZE), stretch_of, label=label_of(settings, curves), **style.look(i))
    axes.axhline(1, color="grey", linestyle=":", zorder=0)
    axes.set_xscale("log", base=2)
    sizes = sorted({run.option(SIZE) for run in runs})
    axes.set_xticks(sizes, [results.size_text(size) for size in sizes])
    style.from_zero(axes)
    axes.set_xlabel("bytes of each message")
    axes.set_ylabel("time until all have their data,\nas a multiple of a message alone")
    style.legend_above(axes, fontsize=9)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-permutation", draw, __doc__)
