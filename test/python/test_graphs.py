# SPDX-License-Identifier: GPL-2.0-only
"""FC-13: graphs of networkx as topologies."""
import subprocess

import networkx
import pytest

from programs import ROOT, python, summary_of

from fabric_sim import ResultError, write_topology


def links_of(file):
    """@return hosts by switch, and links between switches with rate and delay, as the file says them"""
    lines = file.read_text().splitlines()
    nodes, count, links = map(int, lines[0].split())
    switches = list(map(int, lines[1].split()))
    assert len(switches) == count and len(lines) == 2 + links
    hosts, between = dict.fromkeys(range(count), 0), []
    for line in lines[2:]:
        a, b, rate, delay, errors = line.split()
        ends = [switches.index(int(end)) if int(end) in switches else None for end in (a, b)]
        assert errors == "0" and int(a) < nodes and int(b) < nodes
        if None in ends:
            hosts[ends[1]] += 1
        else:
            between.append((*sorted(ends), rate, delay))
    return hosts, sorted(between)


@pytest.mark.parametrize("seed", range(5))
def test_fc13_a_graph_is_written_as_it_is(seed, tmp_path):
    graph = networkx.gnm_random_graph(12, 30, seed=seed)
    names = {node: f"s{node}" for node in graph}
    graph = networkx.relabel_nodes(graph, names)
    for number, (a, b) in enumerate(graph.edges):
        if number % 3 == 0:
            graph.edges[a, b]["rate"] = "400Gbps" if number % 2 else 1e11
        if number % 4 == 0:
            graph.edges[a, b]["delay"] = "1us" if number % 2 else 2.5e-7
    graph.nodes["s3"]["hosts"] = 5
    numbers = write_topology(graph, tmp_path / "new" / "graph.txt", hosts=2, rate="50Gbps", delay="10ns", host_rate="25Gbps")
    hosts, links = links_of(tmp_path / "new" / "graph.txt")
    nodes = list(graph)
    assert hosts == {i: 5 if node == "s3" else 2 for i, node in enumerate(nodes)}
    texts = {1e11: "100000000000bps", 2.5e-7: "250000ps"}
    expected = [(*sorted((nodes.index(a), nodes.index(b))), texts.get(told.get("rate"), told.get("rate", "50Gbps")),
                 texts.get(told.get("delay"), told.get("delay", "10ns"))) for a, b, told in graph.edges(data=True)]
    assert links == sorted(expected)
    assert [number for node in nodes for number in numbers[node]] == list(range(11 * 2 + 5))


def test_fc13_parallel_links_of_a_graph_carry_twice_as_much(tmp_path):
    """Two hosts at each of two switches: one link between them carries half of what they send, two carry all."""
    times = []
    for links in 1, 2:
        graph = networkx.MultiGraph([("a", "b")] * links)
        write_topology(graph, tmp_path / f"{links}.txt", hosts=2)
        options = [f"--topology={tmp_path / f'{links}.txt'}", "--pattern=shift", "--shift=2", "--bytes=1MiB", "--routing=minimal", "--check"]
        times.append(summary_of(tmp_path / f"run-{links}", "fabric-permutation", *options)["completion_time", ""])
    assert times[0] == pytest.approx(2 * times[1], rel=0.05)


def convert(*arguments):
    return subprocess.run([python(), ROOT / "utils/graph-to-topology.py", *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("suffix, write", [(".graphml", networkx.write_graphml), (".gml", networkx.write_gml), (".edgelist", networkx.write_edgelist)])
def test_fc13_a_graph_from_a_file_is_converted(suffix, write, tmp_path):
    graph = networkx.petersen_graph()
    networkx.set_edge_attributes(graph, 4e11, "LinkSpeedRaw")
    write(graph, tmp_path / f"petersen{suffix}")
    done = convert(tmp_path / f"petersen{suffix}", "--hosts=3", "--rateAttribute=LinkSpeedRaw", "--delay=1us", "--hostDelay=10ns", "--output", tmp_path / "t.txt")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 't.txt'}: 10 switches, 30 hosts\n")
    hosts, links = links_of(tmp_path / "t.txt")
    assert hosts == dict.fromkeys(range(10), 3)
    assert len(links) == 15 and {link[2:] for link in links} == {("400000000000bps", "1us")}
    assert " 10ns 0\n" in (tmp_path / "t.txt").read_text()


@pytest.mark.parametrize("name, text, words", [
    ("none.gml", None, "none.gml: cannot be read (No such file or directory)"),
    ("graph.dot", "graph {}", "graph.dot: allowed are graphs in files that end with .graphml, .gml, .adjlist, .edgelist"),
    ("bad.gml", "graph [", "bad.gml: it has no graph that networkx reads"),
    ("bad.graphml", "<graphml", "bad.graphml: it has no graph that networkx reads"),
    ("empty.edgelist", "", "the graph has no nodes; allowed is at least one, which is a switch"),
])
def test_fc13_what_is_no_graph_is_refused(name, text, words, tmp_path):
    if text is not None:
        (tmp_path / name).write_text(text)
    done = convert(tmp_path / name, "--output", tmp_path / "out.txt")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (tmp_path / "out.txt").exists()


def test_fc13_graphs_that_are_no_topologies_are_refused(tmp_path):
    with pytest.raises(ResultError, match="the graph is directed; allowed are undirected graphs"):
        write_topology(networkx.DiGraph([(0, 1)]), tmp_path / "t.txt")
    graph = networkx.Graph([(0, 1)])
    graph.nodes[1]["hosts"] = -1
    with pytest.raises(ResultError, match="node 1: hosts=-1: allowed is a whole number from 0"):
        write_topology(graph, tmp_path / "t.txt")
    with pytest.raises(ResultError, match="/proc/none/t.txt: cannot be written"):
        write_topology(networkx.Graph([(0, 1)]), "/proc/none/t.txt")
    with pytest.raises(ResultError, match="hosts=-1: allowed is a whole number from 0"):
        write_topology(networkx.Graph([(0, 1)]), tmp_path / "t.txt", hosts=-1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("edges, hosts, sentence", [
    ([("a", "b"), ("b", "b")], 1, "node b has an edge to itself; allowed are edges of two nodes"),
    ([("a", "b"), ("c", "d"), ("e", "f")], 1, "the graph has 3 parts that no edge links; allowed is one part"),
    ([("a", "b")], 0, "the graph has 0 hosts; allowed are 1 to 49151"),
    ([("a", "b")], 30_000, "the graph has 60000 hosts; allowed are 1 to 49151"),
    ([("a", "b")], "\u00b2", "node a: hosts=\u00b2: allowed is a whole number from 0"),
])
def test_fc13_graphs_that_are_no_topology_are_refused_by_their_own_names(edges, hosts, sentence, tmp_path):
    with pytest.raises(ResultError) as refused:
        write_topology(networkx.MultiGraph(edges), tmp_path / "t.txt", hosts=hosts)
    assert str(refused.value) == sentence
    assert not (tmp_path / "t.txt").exists()
