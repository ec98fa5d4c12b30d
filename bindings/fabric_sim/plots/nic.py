# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-nic against the option in which they differ, a line for each policy: latency, command rate, bytes on PCIe."""
import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

from . import style

OPTIONS = {"load": "commands asked for, million per second", "bytes": "data of a command, B",
           "batch": "commands for each doorbell, at most", "queues": "command queues", "entries": "list entries before that of a message"}
FROM_ZERO = ("load", "entries")  # options that may be 0
SIDES = ("host", "nic")
# Cassini's latencies in us as libcxi's documentation has them, by data of a command.
PUBLISHED = {"put": {8: 2.07, 64: 2.09, 128: 2.69, 256: 2.74, 1024: 2.86}, "send": {8: 1.64, 64: 1.63, 128: 2.22, 256: 2.28, 1024: 2.43},
             "get": {8: 2.69, 64: 2.70, 128: 2.71, 256: 2.74, 1024: 2.87}}


def series_of(run):
    """@return what the runs of a line have in common"""
    operation = run.option("operation")
    limit = (f"rendezvous above {run.option('rendezvous')} B",) if operation == "tagged" else ()
    return (run.option("policy"), operation, *limit)


def draw(*runs):
    """@return the figure of runs that differ in one of the options, apart from policy and operation"""
    option = style.varied_option(runs, OPTIONS)
    figure, grid = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    panels = (("mean latency, us", lambda run: run.value("latency", stat="mean") * 1e6),
              ("million commands per second", lambda run: run.value("command_rate") / 1e6),
              ("bytes on PCIe for each command, both ways",
               lambda run: sum(run.value("pcie_bytes_per_command", **{"from": side}) for side in SIDES)))
    for axes, (quantity, value) in zip(grid, panels):
        for i, series in enumerate(dict.fromkeys(map(series_of, runs))):
            style.draw_points(axes, [run for run in runs if series_of(run) == series], lambda run: run.option(option), value, label=" ".join(series),
                              **style.look(i))
        axes.set_xlabel(OPTIONS[option])
        axes.set_ylabel(quantity)
        if option in FROM_ZERO:
            axes.xaxis.set_major_locator(MaxNLocator(5))
        else:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter("{x:g}")
        style.from_zero(axes)
        axes.grid(alpha=0.3)
    if option == "bytes" and {run.option("load") for run in runs} == {0}:
        for operation in dict.fromkeys(run.option("operation") for run in runs):
            known = PUBLISHED.get(operation, {})
            if known:
                grid[0].plot(list(known), list(known.values()), "k:", marker="x", label=f"{operation}, published")
    style.legend_below(grid[0])
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-nic", draw, __doc__)
