# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-transport. The first argument says what: loss, reordering, incast, tails, cam,
entries, round-trips, windows, timeline or outage."""
import statistics
import sys

import matplotlib.pyplot as plt
import numpy
from matplotlib.lines import Line2D

from . import style
from .. import results

STATS = ["p50", "p90", "p99", "p99.9", "max"]
BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK = style.PALETTE
# Colour and marker of each type of packet.
TYPES = {"pullReq": (PINK, "o"), "pushSlctdReq": (PINK, "s"), "pullData": (BLUE, "v"), "pushGrnt": (GREEN, "P"), "pushSlctdData": (BLUE, "^"),
         "pushUnslctdData": (SKY, "D"), "errorResp": (RED, "X"), "ack": ("grey", "d"), "nack": (RED, "p"), "connect": (BLACK, ">"), "accept": (ORANGE, "<"),
         "refuse": (RED, "H"), "close": (BLACK, "*"), "closed": (ORANGE, "8"), "reset": (RED, "h")}
SLOTS = 100  # of the time of a run, in which goodput is counted


def by_option(runs, names, key):
    """@return lists of runs that agree in the options `names`, each ordered by the option `key`"""
    groups = style.by_label(runs, lambda run: tuple(run.option(name) for name in names))
    return {group: sorted(members, key=lambda run: run.option(key)) for group, members in groups.items()}


def goodput_of(run):
    """@return goodput of a run, Gb/s"""
    return run.value("goodput") / 1e9


def receivers_queue(run, end):
    """@return the bytes that wait at the receiver's link over time, from 0 to `end`"""
    ports = run.table("ports.csv", ["time_s", "port", "queued_bytes"])
    return style.queued(ports[ports["port"] == run.option("senders")], run.option("samplePeriod"), end)  # the target is the last host


def finish(axes, x, y, title):
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    style.legend_above(axes, fontsize=9)


def draw_loss(*runs):
    """@return goodput against loss, with the closed forms of selective repeat and go-back-N"""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for (protocol, over), members in by_option(runs, ["protocol", "over"], "loss").items():
        losses = sorted({run.option("loss") for run in members})
        style.draw_points(axes, members, lambda run: 100 * run.option("loss"), goodput_of,
                          label=f"{'TCP' if protocol == 'tcp' else 'reliable transport'} over {over}")
        if protocol != "rt":
            continue
        least = [run for run in members if run.option("loss") == losses[0]]
        clean = statistics.median(map(goodput_of, least)) / (1 - losses[0])
        flight = statistics.median(run.value("cam_peak", engine="retransmission") for run in least)
        axes.plot([100 * loss for loss in losses], [clean * (1 - loss) for loss in losses], "k--",
                  label=f"selective repeat, {over}")
        axes.plot([100 * loss for loss in losses], [clean * (1 - loss) / (1 - loss + flight * loss) for loss in losses],
                  "k:", label=f"go-back-N with {flight:g} packets in flight, {over}")
    style.from_zero(axes)
    finish(axes, "lost packets, %", "goodput, Gb/s", "Goodput against loss")
    return figure


def draw_reordering(*runs):
    """@return goodput against the fraction of packets that is held back, median and range of all seeds"""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    attribute = "ns3::FabricTransport::LossDetection"
    groups = {}
    for run in runs:
        detection = run.attribute(attribute, "time")
        groups.setdefault((run.option("congestionControl"), detection), []).append(run)
    colours = {}
    for (control, detection), members in groups.items():
        colour = colours.setdefault(control, f"C{len(colours)}")
        fractions = sorted({run.option("reorder") for run in members})
        seeds = [sorted(run.value("goodput") / 1e9 for run in style.seeds([run for run in members if run.option("reorder") == fraction]))
                 for fraction in fractions]
        percent = [100 * fraction for fraction in fractions]
        axes.plot(percent, [statistics.median(each) for each in seeds], "o-" if detection == "time" else "x:",
                  color=colour, label=f"{control}, losses by {detection}")
        axes.fill_between(percent, [each[0] for each in seeds], [each[-1] for each in seeds], color=colour, alpha=0.2)
    style.from_zero(axes)
    finish(axes, "packets held back, %", "goodput, Gb/s", "Goodput against reordering")
    return figure


def incast_label(run):
    """@return what kind of incast a run is"""
    control = run.option("congestionControl")
    if run.option("protocol") == "tcp":
        return "DCTCP" if control == "marks" else "TCP"
    name = run.option("push")
    if run.option("operations") == ["pull"]:
        admits = run.attribute("ns3::FabricTransport::AdmitsPulls", True)
        name = "reads" if admits else "reads, all at once"
    return name if control == "fixed" else f"{name}, {control}"


def draw_incast(*runs):
    """@return completion time, queue and utilization of the link of incasts, by kind: median and range of all seeds"""
    figure, (times, queues, links) = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    groups = style.by_label(runs, incast_label)
    for label, members in groups.items():
        senders = sorted({run.option("senders") for run in members})
        for axes, metric, scale in ((times, "completion_time", 1e6), (queues, "peak_queue", 1 / 1024),
                                    (links, "receiver_link_busy", 100)):
            seeds = [[run.value(metric) * scale for run in style.seeds([run for run in members if run.option("senders") == count])]
                     for count in senders]
            medians, ranges = style.error_bars(seeds)
            axes.errorbar(senders, medians, ranges, fmt="o-", capsize=3, label=label)
    links.axhline(95, color="k", linestyle=":", label="95 %")
    style.log_axis(times.yaxis)
    style.log_axis(queues.yaxis)
    for axes, what, title in ((times, "completion time, us", "Completion time of the incast"),
                              (queues, "peak queue, KiB", "Peak queue of the receiver's link"),
                              (links, "utilization, %", "Utilization of the receiver's link")):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:g}")
        finish(axes, "senders", what, title)
    return figure


def tails_label(run):
    """@return the order of a run's connection, and what happens to its packets"""
    faults = [f"{name} {100 * run.option(name):g} %" for name in ("loss", "reorder") if run.option(name) > 0]
    return ", ".join(["ordered" if run.option("ordered") else "unordered", *faults])


def draw_tails(*runs):
    """@return latencies of ordered and unordered connections"""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    groups = style.by_label(runs, tails_label)
    style.draw_bars(axes, {label: {i: [run.value("latency", stat=stat) * 1e6 for run in style.seeds(group)] for i, stat in enumerate(STATS)}
                           for label, group in groups.items()})
    axes.set_xticks(range(len(STATS)), STATS)
    style.log_axis(axes.yaxis)
    finish(axes, "percentile", "flow completion time, us", "Operations")
    return figure


def window_of(run):
    """@return the data window of a run, packets"""
    return run.option("window")


def draw_cam(*runs):
    """@return occupancy of the CAMs and goodput against the window"""
    figure, (entries, goodput) = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    for i, ((loss, delay), members) in enumerate(by_option(runs, ["loss", "linkDelay"], "window").items()):
        label = f"loss {100 * loss:g} %, links of {results.time_text(delay)}"
        for engine, line in (("reorder", "o-"), ("retransmission", "s--")):
            style.draw_points(entries, members, window_of, lambda run, of=engine: run.value("cam_peak", engine=of), line, label=f"{engine}, {label}",
                              **style.look(i))
        style.draw_points(goodput, members, window_of, goodput_of, label=label, **style.look(i))
    finish(entries, "data window, packets", "peak occupancy, entries", "Peak occupancy of the CAMs")
    finish(goodput, "data window, packets", "goodput, Gb/s", "Goodput")
    return figure


def draw_entries(*runs):
    """@return goodput against the entries of the target's CAM, median and range of all seeds; the fewest's in proportion"""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    groups = {}
    for run in runs:
        entries = run.attribute("ns3::FabricTransport::TargetEntries", 16384)
        kind = "pulls" if run.option("operations") == ["pull"] else f"{run.option('push')} pushes"
        loss = run.option("loss")
        label = f"{kind} of {results.size_text(run.option('bytes'))}" + (f", loss {100 * loss:g} %" if loss > 0 else "")
        groups.setdefault(label, {}).setdefault(entries, []).append(run)
    for i, (label, runs_at) in enumerate(sorted(groups.items())):
        points = {each: [run.value("goodput") / 1e9 for run in style.seeds(members)] for each, members in runs_at.items()}
        entries = sorted(points)
        medians = [statistics.median(points[each]) for each in entries]
        axes.plot(entries, medians, "o-", markersize=4, color=f"C{i}", label=label)
        axes.fill_between(entries, [min(points[each]) for each in entries], [max(points[each]) for each in entries],
                          color=f"C{i}", alpha=0.2)
        axes.plot(entries, [min(medians[0] * each / entries[0], max(medians)) for each in entries], ":", color=f"C{i}")
    axes.set_xscale("log", base=2)
    style.log_axis(axes.yaxis)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    finish(axes, "entries of the target's CAM", "goodput, Gb/s", "Goodput against entries; dotted: in proportion")
    return figure


def draw_windows(*runs):
    """@return congestion windows and the receiver's queue over time"""
    figure, (windows, queues) = plt.subplots(2, 1, figsize=(9, 7), sharex=True, layout="constrained")
    for run in runs:
        label = f"{run.option('congestionControl')}, {run.option('senders')} senders"
        samples = run.filled_table("windows.csv", ["time_s", "host", "window_packets"]).groupby("time_s")["window_packets"]
        line, = windows.plot(samples.mean().index * 1e6, samples.mean(), label=label)
        windows.fill_between(samples.min().index * 1e6, samples.min(), samples.max(), color=line.get_color(), alpha=0.2)
        queue = receivers_queue(run, samples.min().index[-1])
        queues.plot(queue.index * 1e6, queue / 1024, color=line.get_color(), label=label)
    style.log_axis(windows.yaxis)
    finish(windows, "simulated time, us", "congestion window, packets", "Congestion window: mean and range of the senders")
    finish(queues, "simulated time, us", "queue, KiB", "Queue of the receiver's link")
    return figure


def control_name(run):
    """@return how the papers call its congestion control"""
    patched = "patched " if run.attribute("ns3::FabricTransport::TimelyPatched", False) else ""
    return patched + run.option("congestionControl").upper()


def draw_rates(*runs):
    """@return rates of DCQCN, HPCC or TIMELY and the receiver's queue over time"""
    figure, (rates, queues) = plt.subplots(2, 1, figsize=(9, 7), sharex=True, layout="constrained")
    for run in runs:
        label = f"{run.option('senders')} senders, {control_name(run)}"
        samples = run.filled_table("windows.csv", ["time_s", "host", "rate_bps"])
        for i, (_, host) in enumerate(samples.groupby("host")):
            line, = rates.plot(host["time_s"] * 1e3, host["rate_bps"] / 1e9, linewidth=0.8, label=label if i == 0 else None,
                               color=line.get_color() if i > 0 else None)
        queue = receivers_queue(run, samples["time_s"].iloc[-1])
        queues.plot(queue.index * 1e3, queue / 1e3, linewidth=0.8, color=line.get_color(), label=label)
    finish(rates, "simulated time, ms", "rate, Gb/s", "Rate of each sender")
    finish(queues, "simulated time, ms", "queue, kB", "Queue of the receiver's link")
    return figure


def draw_timeline(run):
    """@return the packets between an initiator and a target"""
    if run.option("senders") != 1:
        raise results.ResultError(f"{run.folder}: the run has --senders={run.option('senders')}; a timeline needs 1")
    packets = run.filled_table("packets.csv", ["time_s", "host", "direction", "type", "psn", "sent_s"])
    figure, axes = plt.subplots(figsize=(11, 4), layout="constrained")
    style.make_room(draw_packets(axes, packets))
    return figure


def draw_packets(axes, packets):
    """Draws packets.csv of one initiator, from sending to arrival. @return the legend"""
    kinds = set()
    for row in packets.itertuples():
        colour, marker = TYPES[row.type]
        x, y, line = [row.time_s * 1e6], [row.host], {"linestyle": "none", "marker": marker, "markersize": 4, "fillstyle": "full"}
        if row.direction == "rx" and row.sent_s > 0:
            x, y, line = [row.sent_s * 1e6, *x], [1 - row.host, *y], {"linewidth": 0.8}
            kinds.add("line")
        elif row.direction == "rx":
            line["fillstyle"] = "none"
            kinds.add("hollow")
        axes.plot(x, y, color=colour, **line)
    axes.set_yticks([0, 1], ["initiator", "target"])
    axes.set_ylim(-0.2, 1.2)
    axes.set_xlabel("simulated time, us")
    axes.grid(alpha=0.3)
    return style.legend_above(axes, handles=[*_types_of(packets), *_meanings(kinds)])


def _types_of(packets):
    """@return entries of a legend for the types of packets"""
    found = set(packets["type"])
    return [Line2D([], [], color=colour, marker=marker, markersize=4, fillstyle="full", linestyle="none", label=name)
            for name, (colour, marker) in TYPES.items() if name in found]


def _meanings(kinds):
    """@return entries of a legend for filled and hollow markers, and lines"""
    meanings = {"filled": ("sent", {"marker": "o", "fillstyle": "full"}), "hollow": ("arrived, without a time of sending", {"marker": "o", "fillstyle": "none"}),
                "line": ("from sending to arrival", {"linestyle": "-", "linewidth": 0.8})}
    return [Line2D([], [], **{"color": "grey", "linestyle": "none", "markersize": 4, **look}, label=label)
            for kind, (label, look) in meanings.items() if kind in ("filled", *kinds)]


def draw_round_trips(*runs):
    """@return the fraction of the link that one flow uses, against the round trip of the links around a switch"""
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for i, control in enumerate(sorted({run.option("congestionControl") for run in runs})):
        group = [run for run in runs if run.option("congestionControl") == control]
        style.draw_points(axes, group, lambda run: 4e6 * run.option("linkDelay"), lambda run: 100 * run.value("goodput") / run.option("linkRate"),
                          "os^Dv<>"[i % 7] + ("-", "--", ":")[i % 3], label=control, **style.look(i))
    axes.axhline(95, color="k", linestyle=":", label="95 %")
    style.log_axis(axes.xaxis)
    axes.set_ylim(0, 102)
    finish(axes, "round trip of the links, us", "goodput, % of the link", "One flow against the base round trip")
    return figure


def delivered(operations, rate):
    """
    The bytes of operations over time, of which only the ends are known. Many are posted at once, so that they begin when the one before them is complete,
    and several may be told of at once, so that they take as long as the link of the target, which all share, needs for them.

    @param operations rows of messages.csv
    @param rate of that link, bit/s
    @return times, and the bytes by then
    """
    operations = operations.sort_values("end_s")
    ends = operations["end_s"].to_numpy(copy=True)
    begins = numpy.maximum(operations["start_s"], operations["end_s"].shift(fill_value=0)).to_numpy(copy=True)
    wire = 8 * operations["bytes"].to_numpy() / rate
    following = numpy.inf
    for i in range(len(ends) - 1, -1, -1):
        ends[i] = min(ends[i], following)
        begins[i] = following = min(begins[i], ends[i] - wire[i])
    after = operations["bytes"].cumsum().to_numpy()
    return numpy.column_stack((begins, ends)).ravel(), numpy.column_stack((after - operations["bytes"], after)).ravel()


def draw_outage(*runs):
    """@return goodput over time around the failure of a link, by completed operations"""
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    for i, run in enumerate(runs):
        operations = run.table("messages.csv", ["start_s", "end_s", "bytes", "status"])
        done = operations[operations["status"] == "ok"]
        if done.empty:
            raise results.ResultError(f"{run.folder}/messages.csv: no operation is complete")
        times = numpy.linspace(0, done["end_s"].max(), SLOTS + 1)
        goodput = 8 * numpy.diff(numpy.interp(times, *delivered(done, run.option("linkRate")))) / numpy.diff(times) / 1e9
        failed = run.option("failAt")
        name = f"link {run.option('failLink')} fails" if failed > 0 else "no failure"
        axes.stairs(goodput, times * 1e6, baseline=None, color=f"C{i}", label=name)
        if failed > 0:
            repaired = run.option("repairAt") or times[-1]
            axes.axvspan(failed * 1e6, repaired * 1e6, color=f"C{i}", alpha=0.12)
    style.from_zero(axes)
    finish(axes, "simulated time, us", "goodput of completed operations, Gb/s", "Goodput around the failure of a link")
    return figure


VIEWS = {"loss": (draw_loss, "+"), "reordering": (draw_reordering, "+"), "incast": (draw_incast, "+"), "tails": (draw_tails, "+"),
         "cam": (draw_cam, "+"), "entries": (draw_entries, "+"), "windows": (draw_windows, "+"), "rates": (draw_rates, "+"),
         "timeline": (draw_timeline, 1), "outage": (draw_outage, "+"), "round-trips": (draw_round_trips, "+")}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in [*VIEWS, "-h", "--help"]:
        print(f"plot-transport.py: the first argument is {sys.argv[1] if len(sys.argv) > 1 else 'missing'}, allowed is one of "
              f"{', '.join(VIEWS)}", file=sys.stderr)
        return 2
    if sys.argv[1] in VIEWS:
        draw, count = VIEWS[sys.argv.pop(1)]
    else:
        draw, count = draw_loss, "+"
    return style.plot_runs("fabric-transport", draw, __doc__, count)
