# SPDX-License-Identifier: GPL-2.0-only
"""Graphs of networkx as files with a topology, for `Run(topology=FILE)`, `--topology=FILE` of the programs and `ns.GraphHelper`."""
import argparse
import os
import pathlib
import sys
from typing import Any, Hashable

import networkx

from . import results

MOST_HOSTS = 49_151  # locations of a fabric
READERS = {".graphml": networkx.read_graphml, ".gml": networkx.read_gml, ".adjlist": networkx.read_adjlist, ".edgelist": networkx.read_edgelist}


def write_topology(graph: networkx.Graph, file: str | os.PathLike, hosts: int = 1, rate: Any = "200Gbps", delay: Any = "100ns", *,
                   host_rate: Any = None, host_delay: Any = None, rate_attribute: str = "rate",
                   delay_attribute: str = "delay") -> dict[Hashable, range]:
    """
    Writes a graph whose nodes are switches; parallel edges are parallel links.

    @param graph of networkx, undirected; a node's attribute `hosts` says how many hosts it has, where they differ
    @param file to write
    @param hosts of each other node
    @param rate of links whose edges have none, such as "200Gbps" or a number of bit/s
    @param delay of links whose edges have none, such as "100ns" or a number of seconds
    @param host_rate of links to hosts, that of other links without it
    @param host_delay of links to hosts, that of other links without it
    @param rate_attribute of edges, such as LinkSpeedRaw in the Internet Topology Zoo
    @param delay_attribute of edges
    @return numbers of the hosts of each node
    """
    if graph.is_directed():
        raise results.ResultError("the graph is directed; allowed are undirected graphs, whose links go both ways")
    if graph.number_of_nodes() == 0:
        raise results.ResultError("the graph has no nodes; allowed is at least one, which is a switch")
    for node in networkx.nodes_with_selfloops(graph):
        raise results.ResultError(f"node {node} has an edge to itself; allowed are edges of two nodes")
    parts = networkx.number_connected_components(graph)
    if parts > 1:
        raise results.ResultError(f"the graph has {parts} parts that no edge links; allowed is one part")
    numbers, first = {}, 0
    for node, own in graph.nodes(data="hosts", default=hosts):
        if not str(own).isdecimal():
            raise results.ResultError(f"node {node}: hosts={own}: allowed is a whole number from 0")
        numbers[node] = range(first, first + int(own))
        first += int(own)
    if not 1 <= first <= MOST_HOSTS:
        raise results.ResultError(f"the graph has {first} hosts; allowed are 1 to {MOST_HOSTS}")
    switches = {node: first + i for i, node in enumerate(graph)}
    lines = [f"{first + len(switches)} {len(switches)} {first + graph.number_of_edges()}", " ".join(map(str, switches.values()))]
    to_host = f"{_rate(host_rate if host_rate is not None else rate)} {_delay(host_delay if host_delay is not None else delay)} 0"
    lines += [f"{host} {switches[node]} {to_host}" for node, own in numbers.items() for host in own]
    for a, b, told in graph.edges(data=True):
        lines.append(f"{switches[a]} {switches[b]} {_rate(told.get(rate_attribute, rate))} {_delay(told.get(delay_attribute, delay))} 0")
    try:
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise results.ResultError(f"{file}: cannot be written ({error.strerror})") from None
    return numbers


def _rate(value):
    """@return as the file has it; numbers are bit/s"""
    return f"{value:.0f}bps" if isinstance(value, (int, float)) else value


def _delay(value):
    """@return as the file has it; numbers are seconds"""
    return f"{value * 1e12:.0f}ps" if isinstance(value, (int, float)) else value


def _read(file):
    suffix = pathlib.Path(file).suffix
    if suffix not in READERS:
        raise results.ResultError(f"{file}: allowed are graphs in files that end with {', '.join(READERS)}")
    try:
        graph = READERS[suffix](file)
    except OSError as error:
        raise results.ResultError(f"{file}: cannot be read ({error.strerror})") from None
    except Exception as error:  # networkx and the parser of XML have many
        raise results.ResultError(f"{file}: it has no graph that networkx reads ({error})") from None
    return graph.to_undirected() if graph.is_directed() else graph


def main() -> int:
    """The script. @return its exit code"""
    parser = argparse.ArgumentParser(description="Writes a graph as a file for --topology of the programs: its nodes are switches, its edges links.")
    parser.add_argument("graph", metavar="FILE", help=f"a graph that networkx reads, by the end of its name: {', '.join(READERS)}; directed ones become undirected")
    parser.add_argument("--output", metavar="FILE", required=True, help="file to write")
    parser.add_argument("--hosts", type=int, default=1, help="hosts of each node without an attribute `hosts` [%(default)s]")
    parser.add_argument("--rate", default="200Gbps", help="of links whose edges have none [%(default)s]")
    parser.add_argument("--delay", default="100ns", help="of links whose edges have none [%(default)s]")
    parser.add_argument("--hostRate", help="of links to hosts [that of --rate]")
    parser.add_argument("--hostDelay", help="of links to hosts [that of --delay]")
    parser.add_argument("--rateAttribute", default="rate", help="attribute of edges with their rate, such as LinkSpeedRaw in the Internet Topology Zoo [%(default)s]")
    parser.add_argument("--delayAttribute", default="delay", help="attribute of edges with their delay [%(default)s]")
    given = parser.parse_args()
    try:
        numbers = write_topology(_read(given.graph), given.output, given.hosts, given.rate, given.delay, host_rate=given.hostRate,
                                 host_delay=given.hostDelay, rate_attribute=given.rateAttribute, delay_attribute=given.delayAttribute)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{given.output}: {len(numbers)} switches, {sum(map(len, numbers.values()))} hosts")
    return 0
