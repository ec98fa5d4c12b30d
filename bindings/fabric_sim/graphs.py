# SPDX-License-Identifier: GPL-2.0-only
"""Graphs of networkx as files with a topology, for `Run(topology=FILE)`, `--topology=FILE` of the programs and `ns.GraphHelper`."""
import argparse
import dataclasses
import math
import os
import pathlib
import re
import sys
from typing import Any, Hashable

import networkx

from . import results
from .digests import short_digest
from .values import seconds_text

MOST_HOSTS = 49_151  # locations of a fabric
READERS = {".graphml": networkx.read_graphml, ".gml": networkx.read_gml, ".adjlist": networkx.read_adjlist, ".edgelist": networkx.read_edgelist}
DEFAULTS = {"rate": "200Gbps", "delay": "100ns"}  # of links
# Attributes of a graph itself.
OF_GRAPHS = ("name", "hosts", "rate", "delay", "host_rate", "host_delay")


@dataclasses.dataclass(frozen=True)
class Topology:
    """A graph as the text of a file with a topology."""

    name: str  # of its file: that of the graph and a digest
    text: str
    numbers: dict[Hashable, range]  # of the hosts of each node; of a node that is a host, its own
    lines: list[str]  # what each line is about, for sentences

    def write(self, file: str | os.PathLike) -> None:
        """@param file to write"""
        try:
            pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(file).write_text(self.text, encoding="utf-8")
        except OSError as error:
            raise results.ResultError(f"{file}: cannot be written ({error.strerror})") from None

    def kept_in(self, folder: pathlib.Path) -> str:
        """@return a file of the folder with it, which is written unless it is there; others may do so at the same time"""
        file = folder / self.name
        if not file.exists() or file.read_text(encoding="utf-8") != self.text:
            own = folder / f".{os.getpid()}-{self.name}"
            self.write(own)
            own.replace(file)
        return str(file)

    def named(self, sentence: str, file: str | os.PathLike) -> str:
        """@return a sentence about a line of the file, or the file, as one about an edge or the graph"""
        at = re.match(re.escape(str(file)) + r"(?::(\d+))?: ", sentence)
        if not at:
            return sentence
        about = self.lines[int(at[1]) - 1] if at[1] else f"graph {self.name.removesuffix('.txt')}"
        return f"{about}: {sentence[at.end():]}"


def is_graph(value: Any) -> bool:
    """@return whether it is a graph of networkx"""
    return isinstance(value, networkx.Graph)


def topology_of(graph: networkx.Graph, hosts: int | None = None, rate: Any = None, delay: Any = None, *, host_rate: Any = None, host_delay: Any = None,
                rate_attribute: str = "rate", delay_attribute: str = "delay", refuses_others: bool = True) -> Topology:
    """
    Makes a topology of a graph. Its nodes are switches, or hosts if their attribute `kind` is "host"; parallel edges are parallel links.

    @param graph of networkx, undirected; a switch's attribute `hosts` says how many hosts it has besides, where they differ. What is not given
        here may be an attribute of the graph itself, such as graph.graph["hosts"] = 4
    @param hosts of each other switch; without it one, or none if nodes are hosts
    @param rate of links whose edges have none, such as "200Gbps" or a number of bit/s
    @param delay of links whose edges have none, such as "100ns" or a number of seconds
    @param host_rate of links to hosts, that of other links without it
    @param host_delay of links to hosts, that of other links without it
    @param rate_attribute of edges, such as LinkSpeedRaw in the Internet Topology Zoo
    @param delay_attribute of edges
    @param refuses_others whether edges and the graph may have no attributes that nobody reads
    """
    if graph.is_directed():
        raise results.ResultError("the graph is directed; allowed are undirected graphs, whose links go both ways")
    if graph.number_of_nodes() == 0:
        raise results.ResultError("the graph has no nodes; allowed is at least one, which is a switch")
    if refuses_others:
        # Readers and generators of networkx leave dicts and lists there, as the defaults of a GraphML file.
        _refuse_others("the graph", {name: value for name, value in graph.graph.items() if isinstance(value, (str, int, float))}, OF_GRAPHS)
        for a, b, told in graph.edges(data=True):
            _refuse_others(f"edge {a}-{b}", told, (rate_attribute, delay_attribute, "errors"))
    for node in networkx.nodes_with_selfloops(graph):
        raise results.ResultError(f"node {node} has an edge to itself; allowed are edges of two nodes")
    are_hosts = _hosts_of(graph)
    parts = networkx.number_connected_components(graph)
    if parts > 1:
        alone = next(networkx.isolates(graph), None)
        raise results.ResultError(f"the graph has {parts} parts that no edge links; allowed is one part" if alone is None else
                                  f"node {alone} has no edge; allowed are nodes that edges link with all others")
    given = {"rate": rate, "delay": delay, "host_rate": host_rate, "host_delay": host_delay, "hosts": hosts}
    given = {name: graph.graph.get(name) if value is None else value for name, value in given.items()}
    given = {**given, **{name: value for name, value in DEFAULTS.items() if given[name] is None}}
    numbers = _numbers(graph, are_hosts, given["hosts"])
    return _written(graph, are_hosts, numbers, given, rate_attribute, delay_attribute)


def _refuse_others(owner, told, known):
    """Refuses attributes that nobody reads."""
    for name, value in told.items():
        if name not in known:
            raise results.ResultError(f"{owner}: {name}={value}: allowed are the attributes {', '.join(known)}")


def _hosts_of(graph):
    """@return nodes that are hosts"""
    found = set()
    for node, kind in graph.nodes(data="kind", default="switch"):
        if kind not in ("host", "switch"):
            raise results.ResultError(f"node {node}: kind={kind}: allowed is host or switch")
        if kind == "host":
            found.add(node)
    if len(found) == graph.number_of_nodes():
        raise results.ResultError("all nodes of the graph are hosts; allowed is at least one switch")
    for node in graph:
        if node not in found:
            continue
        if "hosts" in graph.nodes[node]:
            raise results.ResultError(f"node {node}: hosts={graph.nodes[node]['hosts']}: it is a host itself; allowed are hosts of switches")
        if graph.degree(node) != 1:
            raise results.ResultError(f"host {node} has {graph.degree(node)} edges; allowed is one to a switch")
        for other in graph.neighbors(node):
            if other in found:
                raise results.ResultError(f"the hosts {node} and {other} have an edge; allowed are edges to a switch")
    return found


def _numbers(graph, are_hosts, hosts):
    """@return numbers of the hosts of each node"""
    if hosts is None:
        hosts = 0 if are_hosts else 1
    numbers, first = {}, 0
    for node, own in graph.nodes(data="hosts", default=hosts):
        own = 1 if node in are_hosts else own
        if not str(own).isdecimal():
            raise results.ResultError(f"node {node}: hosts={own}: allowed is a whole number from 0")
        numbers[node] = range(first, first + int(own))
        first += int(own)
    if not 1 <= first <= MOST_HOSTS:
        raise results.ResultError(f"the graph has {first} hosts; allowed are 1 to {MOST_HOSTS}")
    return numbers


def _written(graph, are_hosts, numbers, given, rate_attribute, delay_attribute):
    """@return a graph that has no mistakes but those in rates, delays and errors as text"""
    first = sum(map(len, numbers.values()))
    place = {node: first + i for i, node in enumerate(node for node in graph if node not in are_hosts)}
    links = first - len(are_hosts) + graph.number_of_edges()
    lines = [(f"{first + len(place)} {len(place)} {links}", "the graph"), (" ".join(map(str, place.values())), "the graph")]
    place |= {node: numbers[node][0] for node in are_hosts}
    of_hosts = {name: given[name] if given[f"host_{name}"] is None else given[f"host_{name}"] for name in DEFAULTS}
    to_host = f"{_rate('the graph', of_hosts['rate'])} {_delay('the graph', of_hosts['delay'])} 0"
    lines += [(f"{host} {place[node]} {to_host}", f"links of hosts of node {node}") for node, own in numbers.items() if node not in are_hosts for host in own]
    for a, b, told in graph.edges(data=True):
        default = of_hosts if a in are_hosts or b in are_hosts else given
        edge = f"edge {a}-{b}"
        lines.append((f"{place[a]} {place[b]} {_rate(edge, told.get(rate_attribute, default['rate']))} "
                      f"{_delay(edge, told.get(delay_attribute, default['delay']))} {_word(edge, 'errors', told.get('errors', 0))}", edge))
    text = "\n".join(line for line, _ in lines) + "\n"
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", str(graph.graph.get("name") or "graph"))[:60].strip("-.") or "graph"
    return Topology(f"{name}-{short_digest(text.encode())}.txt", text, numbers, [about for _, about in lines])


def write_topology(graph: networkx.Graph, file: str | os.PathLike, hosts: int | None = None, rate: Any = None, delay: Any = None, *,
                   host_rate: Any = None, host_delay: Any = None, rate_attribute: str = "rate",
                   delay_attribute: str = "delay") -> dict[Hashable, range]:
    """
    Writes a graph as a file with a topology, see topology_of(). Attributes that nobody reads are left out.

    @param file to write
    @return numbers of the hosts of each node
    """
    topology = topology_of(graph, hosts, rate, delay, host_rate=host_rate, host_delay=host_delay, rate_attribute=rate_attribute,
                           delay_attribute=delay_attribute, refuses_others=False)
    topology.write(file)
    return topology.numbers


def _rate(owner, value):
    """@return as the file has it; numbers are bit/s"""
    return f"{_positive(owner, 'rate', value):.0f}bps" if isinstance(value, (int, float)) else _word(owner, "rate", value)


def _delay(owner, value):
    """@return as the file has it; numbers are seconds"""
    return seconds_text(_positive(owner, "delay", value)) if isinstance(value, (int, float)) else _word(owner, "delay", value)


def _positive(owner, name, value):
    """@return a number, unless no link has it"""
    if isinstance(value, bool) or not 0 < value < math.inf:
        raise results.ResultError(f"{owner}: {name}={value}: allowed is a number above 0, or a text with a unit")
    return value


def _word(owner, name, value):
    """@return a value as a word of the file"""
    word = str(value)
    if len(word.split()) != 1 or word.split()[0] != word or word.startswith("#"):
        raise results.ResultError(f"{owner}: {name}={word!r}: allowed is one word, such as {'0.001' if name == 'errors' else DEFAULTS[name]}")
    return word


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
    parser = argparse.ArgumentParser(description="Writes a graph as a file for --topology of the programs: its nodes are switches, or hosts if their attribute `kind` says so, its edges links.")
    parser.add_argument("graph", metavar="FILE", help=f"a graph that networkx reads, by the end of its name: {', '.join(READERS)}; directed ones become undirected")
    parser.add_argument("--output", metavar="FILE", required=True, help="file to write")
    parser.add_argument("--hosts", type=int, help="hosts of each switch without an attribute `hosts` [1, or none if nodes have the attribute `kind` of host]")
    parser.add_argument("--rate", help=f"of links whose edges have none [{DEFAULTS['rate']}]")
    parser.add_argument("--delay", help=f"of links whose edges have none [{DEFAULTS['delay']}]")
    parser.add_argument("--hostRate", help="of links to hosts [that of --rate]")
    parser.add_argument("--hostDelay", help="of links to hosts [that of --delay]")
    parser.add_argument("--rateAttribute", default="rate", help="attribute of edges with their rate, such as LinkSpeedRaw in the Internet Topology Zoo [%(default)s]")
    parser.add_argument("--delayAttribute", default="delay", help="attribute of edges with their delay [%(default)s]")
    given = parser.parse_args()
    try:
        graph = _read(given.graph)
        switches = sum(kind == "switch" for _, kind in graph.nodes(data="kind", default="switch"))
        numbers = write_topology(graph, given.output, given.hosts, given.rate, given.delay, host_rate=given.hostRate,
                                 host_delay=given.hostDelay, rate_attribute=given.rateAttribute, delay_attribute=given.delayAttribute)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{given.output}: {switches} switches, {sum(map(len, numbers.values()))} hosts")
    return 0
