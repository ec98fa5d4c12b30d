# SPDX-License-Identifier: GPL-2.0-only
"""
Pictures of tables, one call each: for a column of a paper, with quantity and unit on the axes, and median and range where there are
several seeds. Each returns matplotlib's axes; `axes=` draws into given ones.

`groups` are tables by what sets them apart, one for each seed: {"flow channels": [messages, messages], ...}, as Sweep.files() has them. The table
of a single seed needs no list: {"flow channels": run.messages()}.
"""
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib
import matplotlib.axes
import matplotlib.pyplot as plt
import numpy
import pandas
from cycler import cycler

from .. import figures, results
from ..size_bins import SizeBins
from . import style

Axes = matplotlib.axes.Axes
Groups = Mapping[str, pandas.DataFrame | Sequence[pandas.DataFrame]]

COLUMN = (3.4, 2.5)  # inches: one of two columns of a page
PAPER: dict[Any, Any] = {"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "lines.linewidth": 1.2, "lines.markersize": 3.5, "axes.grid": True,
         "grid.alpha": 0.3, "axes.axisbelow": True, "axes.prop_cycle": cycler(color=style.PALETTE), "pdf.fonttype": 42}
UNITS = {"s": (1e-6, "us"), "B": (2**10, "KiB"), "bit/s": (1e9, "Gb/s")}  # in which a figure is drawn
CDFS = {"fct_s": ("completion time, us", 1e6), "latency_s": ("latency, us", 1e6), "slowdown": ("slowdown", 1)}  # names on the axis, and scales
TIMES = {"p50": "o-", "p99": "s--"}  # of slowdowns, and how they are drawn


def panels(count: int) -> list[Axes]:
    """@return axes beside each other, each of the size of a column and with our fonts and colours, to draw into with `axes=`"""
    # A notebook sets matplotlib with its first figure, and the context would undo that.
    figure = plt.figure(figsize=(count * COLUMN[0], COLUMN[1]), dpi=150, layout="constrained")
    with matplotlib.rc_context(PAPER):
        return [figure.add_subplot(1, count, i + 1) for i in range(count)]


def _published(draw: Callable[..., None]) -> Callable[..., Axes]:
    """Lets a function that draws into axes make them, and return them."""
    @functools.wraps(draw)
    def drawn(*arguments, axes=None, **options):
        if axes is None:
            axes, = panels(1)
        with matplotlib.rc_context(PAPER):
            draw(axes, *arguments, **options)
        return axes
    signature = inspect.signature(draw)
    chosen = inspect.Parameter("axes", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Axes | None)
    given = list(signature.parameters.values())[1:]
    place = next((i for i, each in enumerate(given) if each.kind == each.VAR_KEYWORD), len(given))
    vars(drawn)["__signature__"] = signature.replace(parameters=[*given[:place], chosen, *given[place:]], return_annotation=Axes)
    return drawn


def _legend_of_several(axes, groups):
    """A legend, where there is something to tell apart."""
    if len(groups) > 1:
        style.legend_above(axes)


def _seeds_of(groups):
    """@return the tables of each group as a list; refuses nothing to draw"""
    if not isinstance(groups, Mapping):
        raise results.ResultError("tables are drawn by what sets them apart: {\"flow channels\": messages, ...}")
    found = {label: [tables] if isinstance(tables, pandas.DataFrame) else list(tables) for label, tables in groups.items()}
    if not found or not all(found.values()):
        raise results.ResultError("there is nothing to draw; a table for each seed is needed")
    return found


@_published
def completion_cdf(axes: Axes, groups: Groups, column: str = "fct_s") -> None:
    """
    The CDF of completion times of messages or flows; where they differ by more than a hundred times the axis is logarithmic.

    @param column `fct_s`, `latency_s` or `slowdown`
    """
    if column not in CDFS:
        raise results.ResultError(f"column={column}: allowed is one of {', '.join(CDFS)}")
    quantity, scale = CDFS[column]
    groups = {label: [table[column].dropna() * scale for table in seeds] for label, seeds in _seeds_of(groups).items()}
    for i, (label, seeds) in enumerate(groups.items()):
        style.draw_cdf(axes, seeds, label, **style.plain_look(i))
    axes.set(xlabel=quantity, ylabel="CDF", ylim=(0, 1.02))
    if style.is_wide(numpy.concatenate([values for seeds in groups.values() for values in seeds])):
        axes.set_xscale("log")
    else:
        axes.set_xlim(left=0)
    _legend_of_several(axes, groups)


@_published
def slowdown_by_size(axes: Axes, groups: Groups) -> None:
    """Median and 99 % slowdown of messages by their size; of more than 30 different sizes, by twenty groups with as many messages in each."""
    groups = {label: [table.dropna(subset=["slowdown"]) for table in seeds] for label, seeds in _seeds_of(groups).items()}
    if all(table.empty for seeds in groups.values() for table in seeds):
        raise results.ResultError("there is nothing to draw; no message has a slowdown")
    bins = SizeBins(numpy.concatenate([table["bytes"] for seeds in groups.values() for table in seeds]))
    for i, (label, seeds) in enumerate(groups.items()):
        found = [figures.slowdowns(table, bins=bins) for table in seeds if len(table)]
        sizes = sorted(set().union(*(each.index for each in found)))
        for which, line in TIMES.items():
            medians, ranges = style.error_bars([[each.at[size, which] for each in found if size in each.index] for size in sizes])
            axes.errorbar(sizes, medians, ranges, fmt=line, capsize=2, color=style.PALETTE[i % len(style.PALETTE)],
                          label=label if line == "o-" and len(groups) > 1 else None)
    for which, line in TIMES.items():
        axes.plot([], [], line, color="gray", label=which)
    axes.set(xlabel="message size, B", ylabel="slowdown", xscale="log")
    style.from_zero(axes)
    style.legend_above(axes)


@_published
def queue_depth(axes: Axes, groups: Groups) -> None:
    """The bytes that wait at all ports over time, of ports.csv, which has no row for a port where nothing waits."""
    groups = _seeds_of(groups)
    times = numpy.unique(numpy.concatenate([table["time_s"] for seeds in groups.values() for table in seeds]))
    if len(times) == 0:
        raise results.ResultError("there is nothing to draw; nothing waits at any port")
    period = numpy.diff(times, prepend=0).min(initial=numpy.inf, where=numpy.diff(times, prepend=0) > 0)
    for i, (label, seeds) in enumerate(groups.items()):
        colour = style.PALETTE[i % len(style.PALETTE)]
        depth = pandas.concat([style.queued(table, period, times[-1]) for table in seeds], axis=1) / 2**10
        axes.plot(depth.index * 1e6, depth.median(axis=1), label=label, **style.plain_look(i))
        axes.fill_between(depth.index * 1e6, depth.min(axis=1), depth.max(axis=1), color=colour, alpha=0.2)
    axes.set(xlabel="simulated time, us", ylabel="queued bytes, KiB")
    style.from_zero(axes)
    _legend_of_several(axes, groups)


@_published
def switch_queues(axes: Axes, queues: pandas.DataFrame, switch: int | None = None, most: int = 16) -> None:
    """
    What waits in the fullest queues of a switch over time, of queues.csv; grey where nothing does.

    @param switch number of it; without, the one in which most bytes wait at a time
    @param most queues that are drawn
    """
    if switch is None and len(queues):
        switch = queues.groupby(["switch", "time_s"])["queued_bytes"].sum().idxmax()[0]
    rows = queues[queues["switch"] == switch]
    if rows.empty:
        raise results.ResultError(f"there is nothing to draw; nothing waits in {'any switch' if switch is None else f'switch {switch}'}")
    names = "in " + rows["port"].astype(str) + " out " + rows["output"].astype(str)
    is_flow = rows["queue"] != "output"
    names = names.where(~is_flow, names + ": " + rows["src"].astype(str) + "-" + rows["dst"].fillna(-1).astype(int).astype(str))
    times = numpy.unique(queues["time_s"])
    period = numpy.diff(times).min(initial=times[0])
    sample = numpy.rint(rows["time_s"] / period).astype(int)
    depth = rows.assign(name=names, sample=sample).pivot_table(index="name", columns="sample", values="queued_bytes", aggfunc="sum") / 2**10
    depth = depth.reindex(columns=range(sample.min(), sample.max() + 1))
    depth = depth.loc[depth.max(axis=1).sort_values(kind="stable").index[-most:]]
    axes.grid(False)
    axes.set_facecolor("0.85")
    image = axes.pcolormesh(depth.columns * period * 1e6, range(len(depth)), depth.to_numpy(), shading="nearest", cmap="YlOrRd", vmin=0)
    axes.set_yticks(range(len(depth)), depth.index, fontsize=5)
    axes.set(xlabel="simulated time, us", ylabel=f"queues of switch {switch}")
    axes.figure.colorbar(image, ax=axes, label="queued bytes, KiB")


@_published
def link_use(axes: Axes, ports: pandas.DataFrame, link_rate: float) -> None:
    """
    How much of its link each port uses over time; grey where ports.csv has no two samples one after the other, since nothing waits;
    ports at which nothing ever waits are not drawn. Run.links() has all links.

    @param link_rate bit/s
    """
    sent = ports.pivot(index=["switch", "port"], columns="time_s", values="sent_bytes").sort_index()
    if sent.shape[1] < 2:
        raise results.ResultError("there are fewer than two samples at which anything waits at a port, and others have no rows; a shorter samplePeriod may see some, and "
                                  "Run.links() has the use of all links")
    used = 100 * 8 * sent.diff(axis=1).iloc[:, 1:] / (numpy.diff(sent.columns) * link_rate)
    times = sent.columns.to_numpy() * 1e6
    axes.grid(False)
    axes.set_facecolor("0.85")
    image = axes.pcolormesh(times, range(len(sent) + 1), used.to_numpy(), cmap="YlOrRd", vmin=0, vmax=100)
    every = max(1, len(sent) // 10)
    axes.set_yticks(numpy.arange(0, len(sent), every) + 0.5, [f"{switch}.{port}" for switch, port in sent.index[::every]])
    axes.set(xlabel="simulated time, us", ylabel="switch.port")
    axes.figure.colorbar(image, ax=axes, label="use of the link, %")


@_published
def bandwidth_share(axes: Axes, table: pandas.DataFrame, key: str, by: str | None = None, **keys: Any) -> None:
    """
    Bars of the metric `share` of a sweep's table: medians, with the range of the seeds.

    @param key what has shares, such as "source"
    @param by parameter whose values are beside each other
    @param keys values of other parameters
    """
    rows = _rows(table, "share", key, *filter(None, [by]), **keys)
    groups = {"": rows} if by is None else dict(list(rows.groupby(by, sort=False, dropna=False)))
    places = list(dict.fromkeys(rows[key]))
    width = 0.8 / len(groups)
    for i, (value, group) in enumerate(groups.items()):
        medians, ranges = style.error_bars([list(100 * group.loc[group[key] == place, "value"]) for place in places])
        x = numpy.arange(len(places)) + (i - (len(groups) - 1) / 2) * width
        axes.bar(x, medians, width, yerr=ranges, capsize=2, error_kw={"linewidth": 0.8}, label=_label(by, value))
    axes.set_xticks(range(len(places)), places)
    axes.set(xlabel=key, ylabel="bandwidth share, %")
    if by:
        style.legend_above(axes)


@_published
def heat_map(axes: Axes, table: pandas.DataFrame, metric: str, x: str, y: str, **keys: Any) -> None:
    """
    The medians of a metric over two parameters or keys of a sweep's table, such as the congestion impact.

    @param keys values of the metric's other keys, such as stat="p99", and of other parameters
    """
    rows = _rows(table, metric, x, y, **keys)
    columns, lines = (list(dict.fromkeys(rows[name])) for name in (x, y))
    scale, unit = UNITS.get(rows["unit"].iloc[0], (1, rows["unit"].iloc[0]))
    values = rows["value"] / scale
    cells = [[list(values[(rows[x] == column) & (rows[y] == line)]) for column in columns] for line in lines]
    axes.grid(False)
    norm = matplotlib.colors.LogNorm(values.min(), max(values.max(), 1.01 * values.min())) if values.min() > 0 else None
    image = style.draw_heat_map(axes, cells, norm)
    for axis, name, given in ((axes.xaxis, x, columns), (axes.yaxis, y, lines)):
        axis.set_ticks(range(len(given)), [f"{value:g}" if isinstance(value, float) else value for value in _in_unit(name, given)])
    axes.set(xlabel=_name(x), ylabel=_name(y))
    style.colour_bar(image, axes, label=metric.replace("_", " ") + ("" if unit == "1" else f", {unit}"))


def congestion_impact(table: pandas.DataFrame, x: str, y: str, axes: Axes | None = None, **keys: Any) -> Axes:
    """heat_map() of the metric `impact`: how many times worse than alone."""
    return heat_map(table, "impact", x, y, axes=axes, **keys)


@_published
def against(axes: Axes, table: pandas.DataFrame, metric: str, x: str, by: str | None = None, **keys: Any) -> None:
    """
    A metric of a sweep against a parameter: medians, with the range of the seeds. An axis whose values differ by more than a hundred times is logarithmic.

    @param x column of the parameter, such as "senders" or "bytes_B"
    @param by parameter that has a line for each of its values
    @param keys values of the metric's keys, such as stat="p99", and of other parameters
    """
    rows = _rows(table, metric, x, *filter(None, [by]), **keys)
    scale, unit = UNITS.get(rows["unit"].iloc[0], (1, rows["unit"].iloc[0]))
    for value, group in [(None, rows)] if by is None else rows.groupby(by, sort=False, dropna=False):
        points = sorted(set(group[x]))
        medians, ranges = style.error_bars([list(group.loc[group[x] == point, "value"] / scale) for point in points])
        axes.errorbar(_in_unit(x, points), medians, ranges, fmt="o-", capsize=2, label=_label(by, value))
    axes.set(xlabel=_name(x), ylabel=metric.replace("_", " ") + ("" if unit == "1" else f", {unit}"))
    style.from_zero(axes)
    for values, set_scale in ((rows[x], axes.set_xscale), (rows["value"], axes.set_yscale)):
        if style.is_wide(values):
            set_scale("log")
    if style.is_wide(rows["value"]):
        axes.autoscale(axis="y")
    if by:
        style.legend_above(axes)


@_published
def message_timeline(axes: Axes, packets: pandas.DataFrame) -> None:
    """The packets of one message between an initiator and a target, of packets.csv (fabric-transport --trace)."""
    from . import transport
    transport.draw_packets(axes, packets)


STAGES = {"host": ("in its host", style.PALETTE[5]), "queue": ("waits", style.PALETTE[1]), "link": ("on its way", style.PALETTE[0])}


@_published
def message_stages(axes: Axes, stages: pandas.DataFrame) -> None:
    """
    Where the frames of one message are over time, of Stages.table(): a bar for each frame and stage, the first frame on top.

    @param stages of one message
    """
    if len(stages) == 0:
        raise results.ResultError("there is nothing to draw; no stage of a frame was recorded")
    messages = stages[["src", "message"]].drop_duplicates()
    if len(messages) > 1:
        raise results.ResultError(f"there are {len(messages)} messages, one is needed; those of a host are stages.query('src == {messages['src'].iloc[0]} and message == 0')")
    order = list(stages.groupby(["stage", "place"])["end_s"].min().sort_values(kind="stable").index)
    height = 0.8 / (stages["frame"].max() + 1)
    for stage, (label, colour) in STAGES.items():
        rows = stages[stages["stage"] == stage]
        places = [order.index((stage, place)) for place in rows["place"]]
        axes.barh(numpy.array(places) - 0.4 + (rows["frame"] + 0.5) * height, (rows["end_s"] - rows["begin_s"]) * 1e6, height, left=rows["begin_s"] * 1e6,
                  color=colour, label=label)
    axes.set_yticks(range(len(order)), [place[place.find("to "):] if stage == "link" else place for stage, place in order])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="simulated time, us")
    style.legend_above(axes)


COMMAND_STAGES = {"software": (("core", "driver", "event"), style.PALETTE[5]), "PCIe": (("store", "fetch", "data", "write"), style.PALETTE[1]),
                  "NIC": (("arbiter", "parser", "trigger", "cut", "outbound", "queue", "inbound", "match", "list", "atomic"), style.PALETTE[2]),
                  "fabric": (("link", "fabric"), style.PALETTE[0])}


@_published
def command_stages(axes: Axes, stages: pandas.DataFrame) -> None:
    """
    Where a command and its packets are over time, of CommandStages.table() or stages.csv: a line for each stage and host, a bar for each packet. An
    event goes over PCIe before software sees it.

    @param stages of one command
    """
    rows = stages[stages["end_s"] > stages["begin_s"]]
    if len(rows) == 0:
        raise results.ResultError("there is nothing to draw; no stage of a command was recorded")
    commands = stages[["src", "queue", "command"]].drop_duplicates()
    if len(commands) > 1:
        raise results.ResultError(f"there are {len(commands)} commands, one is needed; the first one of a queue is stages.query('src == {commands['src'].iloc[0]} and "
                                  f"queue == {commands['queue'].iloc[0]} and command == {commands['command'].iloc[0]}')")
    start = stages["begin_s"].min()
    order = list(rows.groupby(["stage", "host"])["begin_s"].min().sort_values(kind="stable").index)
    for label, (names, colour) in COMMAND_STAGES.items():
        of_kind = rows[rows["stage"].isin(names)]
        lines = [order.index(place) for place in zip(of_kind["stage"], of_kind["host"])]
        axes.barh(lines, (of_kind["end_s"] - of_kind["begin_s"]) * 1e6, 0.7, left=(of_kind["begin_s"] - start) * 1e6, color=colour, alpha=0.7, label=label)
    axes.set_yticks(range(len(order)), [f"{stage}{' to' if stage == 'fabric' else ''} {host}" for stage, host in order])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set(xlabel="from the request on, us")


def _label(by, value):
    """@return how a legend tells of a value of a parameter, which runs of another grid may not have"""
    if by is None:
        return None
    return f"no {by}" if value == "" or pandas.isna(value) else f"{by}={value}"


def _split(column):
    """@return the name of a column of a parameter, the unit in which it is drawn, and how much that is"""
    name, _, unit = column.removeprefix("ns3::").rpartition("_")
    scale, drawn = {"s": (1e-6, "us"), "B": (1, "B"), "bps": (1e9, "Gb/s")}.get(unit, (1, ""))
    return (name, drawn, scale) if name and drawn else (column, "", 1)


def _name(column):
    """@return quantity and unit of a column of a parameter: "linkDelay, us" of linkDelay_s"""
    name, unit, _ = _split(column)
    return f"{name}, {unit}" if unit else name


def _in_unit(column, values):
    """@return values of a column of a parameter as they are drawn"""
    _, unit, scale = _split(column)
    return [float(f"{value / scale:.6g}") for value in values] if unit and scale != 1 else values


def _rows(table, metric, *columns, **keys):
    """
    @param columns that are drawn
    @return the rows of a metric with some values of its keys, which differ in nothing else but the seed; refuses what the table does not have
    """
    for column in [*columns, *keys]:
        if column not in table:
            raise results.ResultError(f"the table has no column {column}; it has {', '.join(table.columns)}")
    rows = table[table["metric"] == metric]
    if rows.empty:
        raise results.ResultError(f"the table has no {metric}; it has {', '.join(dict.fromkeys(table['metric']))}")
    for key, value in keys.items():
        chosen = rows[rows[key] == value]
        if chosen.empty:
            raise results.ResultError(f"the table has no {metric} with {key}={value}; it has {_values_text(rows[key])}")
        rows = chosen
    _check_seeds(rows, metric, columns)
    return rows


def _check_seeds(rows, metric, columns):
    """Refuses rows that would be drawn as the seeds of a point and differ in something else. @param columns whose values are of a point"""
    points = rows.groupby(list(columns), dropna=False)
    differ = [name for name in rows if name not in ("run", "seed", "value", *columns) and points[name].nunique(dropna=False).max() > 1]
    if differ:
        value = rows[differ[0]].tolist()[0]
        chosen = f"{differ[0]}={value!r}" if differ[0].isidentifier() else f"**{{{differ[0]!r}: {value!r}}}"
        raise results.ResultError(f"rows of {metric} differ in {', '.join(differ)}, and not in the seed alone; one value of each is drawn, such as {chosen}")


def _values_text(values):
    """@return the different values of a column"""
    return ", ".join(map(str, dict.fromkeys(values)))
