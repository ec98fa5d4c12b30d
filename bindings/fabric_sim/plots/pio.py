# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-pio against the option in which they differ: message rate, latency, stalls, and what the return of credits costs."""
import matplotlib.pyplot as plt

from . import style
from .. import results

OPTIONS = {"blocks": "blocks of a context", "threshold": "threshold, part of the context in percent",
           "messageBytes": "bytes of a message", "packetBytes": "payload of a packet, B",
           "returnLatency": "time of a return besides PCIe, us"}
LINEAR = {"threshold", "returnLatency"}  # they may be 0
CLOSED_FORM = {"blocks", "packetBytes", "returnLatency"}  # which is for a return at every change


def packets_of(run):
    """@return packets that have left"""
    return max(1, run.value("packets", via="pio") + run.value("packets", via="sdma"))


def stalled_part(run):
    """@return part of the time in which a thread waits, percent"""
    threads = run.option("senders") or run.option("contexts")
    return 100 * run.value("stall_time") / (threads * run.option("duration"))


RATE = "million messages per second"
LATENCY = "mean latency, us"
PANELS: tuple[tuple, ...] = ((RATE, lambda run: run.value("message_rate") / 1e6),
          (LATENCY, lambda run: run.value("latency", stat="mean") / 1e-6),
          ("stalls for 100 packets", lambda run: 100 * run.value("stalls") / packets_of(run)),
          ("part of the time in stalls, percent", stalled_part),
          ("writes of credits for each packet", lambda run: run.value("return_writes_per_packet")),
          ("bytes of them for each packet", lambda run: run.value("return_bytes_per_packet")))


def value_for(run, option):
    """@return the value of an option, None where it has no effect"""
    return None if option == "threshold" and run.option("scheme") != "absolute" else run.option(option)


def number(run, option):
    """@return where a run stands on the axis"""
    value = run.option(option)
    if option == "returnLatency":
        return value / 1e-6
    if option != "threshold":
        return value
    text = str(value)
    return float(text[:-1]) if text.endswith("%") else 100 * float(text) / run.option("blocks")


def series_of(run):
    """@return what the runs of a line have in common"""
    size = run.option("messageBytes") or run.option("packetBytes")
    if run.option("sdma") and size >= run.option("sdma"):
        return "SDMA"
    return f"PIO, {run.option('scheme')} credits" + (", sleeping" if run.option("wait") == "sleep" else "")


def draw_closed_form(axes, option, runs):
    """Draws the closed form of the message rate of those runs for which there is one."""
    runs = [run for run in runs if "closed_form_rate" in set(run.summary["metric"])]
    if option in CLOSED_FORM and runs:
        points = sorted({(number(run, option), run.value("closed_form_rate") / 1e6) for run in runs})
        style.draw_bound(axes, *zip(*points), color="black", linestyle=":", label="closed form")


def make_grid(runs):
    """@return the figure, and its axes with a quantity and its value for each; where messages have a gap, latency alone counts"""
    if all(run.option("messageGap") for run in runs):
        figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
        style.log_axis(axes.yaxis)
        return figure, [(axes, *panel) for panel in PANELS if panel[0] == LATENCY]
    figure, grid = plt.subplots(2, len(PANELS) // 2, figsize=(12, 6.6), layout="constrained")
    return figure, [(axes, *panel) for axes, panel in zip(grid.flat, PANELS)]


def draw(*runs):
    """@return the figure of runs that differ in one of the options, apart from scheme, way and wait"""
    option = style.varied_option(runs, OPTIONS, value_for)
    figure, panels = make_grid(runs)
    for axes, quantity, value_of in panels:
        # Schemes that are equal would hide each other behind markers of one size.
        for i, series in enumerate(dict.fromkeys(map(series_of, runs))):
            group = [run for run in runs if series_of(run) == series]
            if value_for(group[0], option) is None:
                axes.axhline(value_of(group[0]), label=series, **style.plain_look(i))
                continue
            style.draw_points(axes, group, lambda run: number(run, option), value_of, markersize=max(9 - 3 * i, 3), label=series, **style.look(i))
        if quantity == RATE:
            draw_closed_form(axes, option, runs)
        axes.set_xlabel(OPTIONS[option])
        axes.set_ylabel(quantity)
        if option not in LINEAR:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter("{x:.0f}" if option == "blocks" else lambda value, _: results.size_text(value))
        if axes.get_yscale() == "linear":
            style.from_zero(axes)
        axes.grid(alpha=0.3)
    style.legend_below(panels[0][0])
    return figure


def main():
    """The script of this picture. @return its exit code"""
    return style.plot_runs("fabric-pio", draw, __doc__)
