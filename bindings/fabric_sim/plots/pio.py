# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-pio against the option in which they differ: message rate, latency, and writes of credits."""
import matplotlib.pyplot as plt

from . import style
from .. import results

OPTIONS = {"blocks": "blocks of a context", "threshold": "threshold, part of the context in percent",
           "messageBytes": "bytes of a message", "packetBytes": "payload of a packet, B"}
PANELS: tuple[tuple, ...] = (("message_rate", {}, "million messages per second", 1e6), ("latency", {"stat": "mean"}, "mean latency, us", 1e-6),
          ("return_writes_per_packet", {}, "writes of credits for each packet", 1))


def number(run, option):
    """@return where a run stands on the axis"""
    value = run.option(option)
    if option != "threshold":
        return value
    text = str(value)
    return float(text[:-1]) if text.endswith("%") else 100 * float(text) / run.option("blocks")


def series_of(run):
    """@return what the runs of a line have in common"""
    size = run.option("messageBytes") or run.option("packetBytes")
    if run.option("sdma") and size >= run.option("sdma"):
        return "SDMA"
    return f"{run.option('scheme')} credits" + (", sleeping" if run.option("wait") == "sleep" else "")


def draw(*runs):
    """@return the figure of runs that differ in one of the options, apart from scheme, way and wait"""
    varied = [name for name in OPTIONS if len({run.option(name) for run in runs}) > 1]
    if len(varied) != 1:
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in {' and '.join(varied) or 'nothing'}; "
                                         f"allowed is one of {', '.join(OPTIONS)}")
    option = varied[0]
    figure, grid = plt.subplots(1, len(PANELS), figsize=(13, 4.2), layout="constrained")
    for axes, (metric, keys, quantity, unit) in zip(grid, PANELS):
        for series in dict.fromkeys(map(series_of, runs)):
            group = sorted((run for run in runs if series_of(run) == series), key=lambda run: number(run, option))
            axes.plot([number(run, option) for run in group], [run.value(metric, **keys) / unit for run in group], "o-",
                      label=series)
        if metric == "message_rate" and option == "blocks" and all("closed_form_rate" in set(run.summary["metric"]) for run in runs):
            exact = sorted((number(run, option), run.value("closed_form_rate") / unit) for run in runs)
            axes.plot(*zip(*exact), "k:", label="closed form")
        axes.set_xlabel(OPTIONS[option])
        axes.set_ylabel(quantity)
        if option != "threshold":
            axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=9)
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-pio", draw, __doc__)
