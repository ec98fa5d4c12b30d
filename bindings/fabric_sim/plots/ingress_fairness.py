# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-ingress-fairness: what each application of a host gets while all send, and after the second one has stopped."""
import matplotlib.pyplot as plt
import numpy

from . import style
from .. import results

PHASES = {"shared": "all send", "after": "the second one has stopped"}


def label(run):
    """@return how the host's applications shared"""
    if not run.option("grouping"):
        return "by flow"
    ratio = run.option("ratio")
    return "by application" if len(set(ratio)) == 1 else f"by application, {':'.join(map(str, ratio))}"


def draw_phase(axes, runs, phase):
    """Draws a bar for each application of each run."""
    flows = runs[0].option("flows")
    width = 0.8 / len(flows)
    places = numpy.arange(len(runs))
    for app, count in enumerate(flows):
        goodputs = [run.value("goodput", app=str(app), phase=phase) / 1e9 for run in runs]
        offset = (app - (len(flows) - 1) / 2) * width
        bars = axes.bar(places + offset, goodputs, width, label=f"{count} flow{'s' if count != 1 else ''}",
                        color=style.PALETTE[app % len(style.PALETTE)])
        axes.bar_label(bars, [f"{goodput:.1f}" for goodput in goodputs], fontsize=8)
    axes.set_xticks(places, [label(run) for run in runs])
    axes.set_title(PHASES[phase], fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def draw(*runs):
    """@return the figure of any number of runs"""
    if len({tuple(run.option("flows")) for run in runs}) != 1:
        raise results.ResultError("the runs have different --flows")
    figure, both = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
    for axes, phase in zip(both, PHASES):
        draw_phase(axes, runs, phase)
    both[0].set_ylabel("goodput, Gb/s")
    both[0].legend(title="application with", fontsize=9)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-ingress-fairness", draw, __doc__)
