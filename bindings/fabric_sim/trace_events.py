# SPDX-License-Identifier: GPL-2.0-only
"""
Writes a run in the Trace Event format, which the trace viewers of browsers open (chrome://tracing, ui.perfetto.dev): messages at their
hosts, frames in switches and on links, queues of ports over time, packets of the reliable transport, stages of commands.
"""
import argparse
import json
import os
import pathlib
import sys
from typing import Any

import pandas

from . import results

MESSAGE_COLUMNS = ["bytes", "start_s", "end_s"]  # and src and dst, or host and operation
PORT_COLUMNS = ["time_s", "switch", "port", "queued_bytes"]
COMMAND_COLUMNS = ["src", "dst", "queue", "command", "operation", "bytes", "packet", "offset", "packet_bytes", "stage", "host", "begin_s", "end_s"]
PACKET_COLUMNS = ["time_s", "host", "direction", "type", "psn", "sent_s"]
MICROSECONDS = 1e6  # the format's times are in us


class _Events:
    """The events, and the processes of the viewer: one for each host and switch."""

    def __init__(self):
        self.events = []
        self._processes = {}
        self._spans = 0

    def process(self, name):
        """@return the number by which events name a host or switch"""
        if name not in self._processes:
            self._processes[name] = len(self._processes) + 1
            self.events.append({"ph": "M", "name": "process_name", "pid": self._processes[name], "args": {"name": name}})
            self.events.append({"ph": "M", "name": "process_sort_index", "pid": self._processes[name], "args": {"sort_index": len(self._processes)}})
        return self._processes[name]

    def span(self, place, kind, name, begin, end, **told):
        """Adds what lasts for a while; such spans may overlap."""
        self._spans += 1
        common = {"cat": kind, "id": self._spans, "name": name, "pid": self.process(place), "tid": 0}
        self.events.append({"ph": "b", "ts": begin * MICROSECONDS, **common, "args": told})
        self.events.append({"ph": "e", "ts": end * MICROSECONDS, **common})

    def level(self, place, name, time, levels):
        """Adds the heights of something from a time on."""
        self.events.append({"ph": "C", "name": name, "pid": self.process(place), "tid": 0, "ts": time * MICROSECONDS, "args": levels})


def _add_messages(events, messages):
    native = "src" in messages
    for row in messages.itertuples():
        place, name = (row.src, f"to host {row.dst}") if native else (row.host, row.operation)
        events.span(f"host {place}", "message", name, row.start_s, row.end_s, bytes=row.bytes)


def _add_stages(events, stages):
    for row in stages[stages["end_s"] > stages["begin_s"]].itertuples():
        place = row.place.partition(" to ")
        name = f"{row.src} to {row.dst}, message {row.message}, frame {row.frame}"
        events.span(place[0], "queue" if not place[2] else f"link to {place[2]}", name, row.begin_s, row.end_s, bytes=row.bytes)


def _add_commands(events, commands):
    for row in commands[commands["end_s"] > commands["begin_s"]].itertuples():
        name, told = f"{row.operation} {row.command} of host {row.src}, queue {row.queue}", {"bytes": row.bytes}
        if isinstance(row.packet, str) and row.packet:
            told = {"packet": row.packet, "offset": int(row.offset), "bytes": int(row.packet_bytes)}
        events.span(f"host {row.host}", name, row.stage, row.begin_s, row.end_s, **told)


def _add_ports(events, ports):
    times = sorted(ports["time_s"].unique())
    for switch, rows in ports.groupby("switch"):
        # A port where nothing waits has no row.
        depth = rows.pivot(index="time_s", columns="port", values="queued_bytes").reindex(times).fillna(0)
        for time, waiting in zip(depth.index, depth.to_dict("records")):
            events.level(f"switch {switch}", "queued bytes", time, {f"port {port}": value for port, value in waiting.items()})


def _add_packets(events, packets):
    for row in packets[(packets["direction"] == "rx") & (packets["sent_s"] > 0)].itertuples():
        events.span(f"arriving at host {row.host}", "packet", row.type, row.sent_s, row.time_s, psn=row.psn)


def write_trace_events(file: str | os.PathLike, messages: pandas.DataFrame | None = None, ports: pandas.DataFrame | None = None,
                       stages: pandas.DataFrame | None = None, packets: pandas.DataFrame | None = None,
                       commands: pandas.DataFrame | None = None) -> None:
    """
    @param file to write, JSON
    @param messages such as messages.csv
    @param ports such as ports.csv: what waits at ports over time
    @param stages Stages.table(): where frames are
    @param packets such as packets.csv of the reliable transport
    @param commands such as stages.csv of command queues, or CommandStages.table()
    """
    events = _Events()
    given: list[tuple[Any, Any, list[str]]] = [(messages, _add_messages, MESSAGE_COLUMNS), (stages, _add_stages, ["stage", "place", "begin_s", "end_s"]),
                                               (ports, _add_ports, PORT_COLUMNS), (packets, _add_packets, PACKET_COLUMNS),
                                               (commands, _add_commands, COMMAND_COLUMNS)]
    for table, add, columns in given:
        if table is not None:
            missing = [column for column in columns if column not in table]
            if missing:
                raise results.ResultError(f"the table has no column {missing[0]}; it has {', '.join(map(str, table.columns))}")
            add(events, table)
    if not events.events:
        raise results.ResultError("there is nothing to write; a table with rows is needed")
    text = json.dumps({"displayTimeUnit": "ns", "traceEvents": events.events}, separators=(",", ":"), default=lambda number: number.item())
    try:
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise results.ResultError(f"{file}: cannot be written ({error.strerror})") from None


def main() -> int:
    """The script. @return its exit code"""
    parser = argparse.ArgumentParser(description="Writes a run of a program in the Trace Event format, for the trace viewer of a browser "
                                                 "(ui.perfetto.dev): messages at their hosts, queues of ports, packets of the reliable transport, "
                                                 "stages of commands.")
    parser.add_argument("folder", metavar="DIR", help="results of a program, --out=DIR; with --samplePeriod also its queues, with --trace its packets or stages")
    parser.add_argument("--output", metavar="FILE", required=True, help="file to write (.json)")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder)
    wanted = {"messages": ("messages", MESSAGE_COLUMNS), "ports": ("ports", PORT_COLUMNS), "packets": ("packets", PACKET_COLUMNS),
              "stages": ("commands", COMMAND_COLUMNS)}
    try:
        results.read_manifest(folder, "a program")
        tables = {table: results.read_csv(folder / f"{name}.csv", columns) for name, (table, columns) in wanted.items()
                  if (folder / f"{name}.csv").exists()}
        if not tables:
            raise results.ResultError(f"{folder}: there is none of messages.csv, ports.csv, packets.csv and stages.csv; the run had nothing to draw over time")
        write_trace_events(arguments.output, **tables)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
