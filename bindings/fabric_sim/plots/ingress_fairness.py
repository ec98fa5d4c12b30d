# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-ingress-fairness: what each application of a host gets while all send, and after the second one has stopped."""
import matplotlib.pyplot as plt

from . import style
from .. import results

PHASES = {"shared": "all send", "after": "the second one has stopped"}


def label(run):
    """@return how the host's applications shared"""
    if not run.option("grouping"):
        return "by flow"
    ratio = run.option("ratio")
    return "by application" if len(set(ratio)) == 1 else f"by application, {':'.join(map(str, ratio))}"


def app_label(flows, app):
    """@return the flows of an application, and which it is if others have as many"""
    count = flows[app]
    return f"{count} flow{'s' if count != 1 else ''}" + (f", number {app}" if flows.count(count) > 1 else "")


def draw_phase(axes, groups, flows, phase):
    """Draws a bar for each application and label: the median of the seeds with their range."""
    goodputs = {app_label(flows, app): {place: [run.value("goodput", app=str(app), phase=phase) / 1e9 for run in runs] for place, runs in enumerate(groups.values())}
                for app in range(len(flows))}
    for bars in style.draw_bars(axes, goodputs).values():
        axes.bar_label(bars, [f"{bar.get_height():.1f}" for bar in bars], fontsize=8)
    axes.set_xticks(range(len(groups)), list(groups))
    axes.set_title(PHASES[phase], fontsize=10)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def draw(*runs):
    """@return the figure of any number of runs"""
    if len({tuple(run.option("flows")) for run in runs}) != 1:
        raise results.ResultError("the runs have different --flows")
    groups = style.seeds_by_label(runs, label)
    figure, both = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
    for axes, phase in zip(both, PHASES):
        draw_phase(axes, groups, runs[0].option("flows"), phase)
    both[0].set_ylabel("goodput, Gb/s")
    style.legend_below(both[0], title="application with")
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-ingress-fairness", draw, __doc__)
