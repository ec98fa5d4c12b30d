# SPDX-License-Identifier: GPL-2.0-only
"""FC-13: graphs of networkx as topologies."""
import concurrent.futures
import multiprocessing
import subprocess
import sys

import networkx
import pytest

from programs import BIN, ROOT, python, summary_of

from fabric_sim import ResultError, Sweep, SweepError, graphs, write_topology


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


def small_graph():
    """Two switches with two links between them, and hosts that are nodes."""
    graph = networkx.MultiGraph(name="two switches")
    graph.add_nodes_from(["x", "y"], kind="host")
    graph.add_node("z", kind="host")
    graph.add_edges_from([("x", "a", {"rate": "100Gbps"}), ("a", "b", {"delay": 2e-7}), ("b", "a", {"rate": 4e11, "errors": 0.001}), ("b", "y", {}), ("z", "b", {})])
    graph.nodes["a"]["hosts"] = 2
    graph.graph["host_delay"] = "10ns"
    return graph


def test_fc13_hosts_of_a_graph_are_nodes_of_that_kind_and_what_switches_have_besides():
    topology = graphs.topology_of(small_graph())
    assert topology.numbers == {"x": range(0, 1), "y": range(1, 2), "z": range(2, 3), "a": range(3, 5), "b": range(5, 5)}
    assert topology.text.splitlines() == ["7 2 7", "5 6", "3 5 200Gbps 10ns 0", "4 5 200Gbps 10ns 0", "0 5 100Gbps 10ns 0", "1 6 200Gbps 10ns 0", "2 6 200Gbps 10ns 0",
                                          "5 6 200Gbps 200000ps 0", "5 6 400000000000bps 100ns 0.001"]
    assert topology.name.startswith("two-switches-") and topology.name.endswith(".txt")
    assert graphs.topology_of(networkx.path_graph(3)).numbers == {0: range(0, 1), 1: range(1, 2), 2: range(2, 3)}


@pytest.mark.parametrize("change, sentence", [
    (lambda graph: graph.add_edge("z", "a"), "host z has 2 edges; allowed is one to a switch"),
    (lambda graph: graph.add_node("w", kind="host"), "host w has 0 edges; allowed is one to a switch"),
    (lambda graph: graph.add_node("w"), "node w has no edge; allowed are nodes that edges link with all others"),
    (lambda graph: graph.add_node("a", kind="router"), "node a: kind=router: allowed is host or switch"),
    (lambda graph: graph.add_node("x", hosts=2), "node x: hosts=2: it is a host itself; allowed are hosts of switches"),
    (lambda graph: (graph.add_edge("v", "w"), graph.add_nodes_from(["v", "w"], kind="host")), "the hosts v and w have an edge; allowed are edges to a switch"),
    (lambda graph: graph.add_edge("a", "b", Rate="1Gbps"), "edge a-b: Rate=1Gbps: allowed are the attributes rate, delay, errors"),
    (lambda graph: graph.graph.update(host=3), "the graph: host=3: allowed are the attributes name, hosts, rate, delay, host_rate, host_delay"),
    (lambda graph: graph.add_edge("a", "b", rate=-1), "edge a-b: rate=-1: allowed is a number above 0, or a text with a unit"),
    (lambda graph: graph.add_edge("a", "b", delay=float("nan")), "edge a-b: delay=nan: allowed is a number above 0, or a text with a unit"),
    (lambda graph: graph.add_edge("a", "b", rate="1 Gbps"), "edge a-b: rate='1 Gbps': allowed is one word, such as 200Gbps"),
    (lambda graph: graph.remove_nodes_from(["a", "b"]), "all nodes of the graph are hosts; allowed is at least one switch"),
])
def test_fc13_mistakes_of_a_graph_are_told_by_its_own_names(change, sentence):
    graph = small_graph()
    change(graph)
    with pytest.raises(ResultError) as refused:
        graphs.topology_of(graph)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("read, write", [(networkx.read_graphml, networkx.write_graphml), (networkx.read_gml, networkx.write_gml)])
def test_fc13_a_graph_that_networkx_has_read_or_made_is_a_topology(read, write, tmp_path):
    graph = networkx.stochastic_block_model([5, 5], [[0.9, 0.3], [0.3, 0.9]], seed=1)
    assert "partition" in graph.graph
    text = graphs.topology_of(graph).text
    del graph.graph["partition"]  # which no file can have
    for node in graph:
        del graph.nodes[node]["block"]
    write(graph, tmp_path / "graph")
    assert graphs.topology_of(read(tmp_path / "graph")).text == text


def test_fc13_a_file_of_a_graph_leaves_out_what_nobody_reads(tmp_path):
    graph = networkx.Graph([("a", "b", {"LinkLabel": "fast"})], Creator="somebody")
    write_topology(graph, tmp_path / "t.txt")
    assert links_of(tmp_path / "t.txt") == ({0: 1, 1: 1}, [(0, 1, "200Gbps", "100ns")])


def completion(topology, seed=None):
    """Each host sends to the next one; for processes and sweeps."""
    from fabric_sim import Run, ns
    with Run(topology=topology, routing="minimal", stream=1, seed=seed) as run:
        pattern = ns.FabricPattern()
        pattern.name, pattern.shift, pattern.bytes = "shift", 1, 1 << 16
        traffic = ns.FabricPatternTraffic(run.fabric, pattern)
        traffic.SendOnce()
        run.until_delivered(traffic.CountOnce())
        return {"last": run.messages()["end_s"].max(), "hosts": run.fabric.hosts.GetN()}


def test_fc13_a_run_takes_a_graph_as_the_file_that_is_written_of_it(tmp_path):
    from fabric_sim import BadInput, Run
    graph = small_graph()
    write_topology(graph, tmp_path / "small.txt")
    assert completion(graph) == completion(str(tmp_path / "small.txt"))
    with Run(topology=graph, out=str(tmp_path / "out")) as run:
        run.run_for("1us")
    assert (tmp_path / "out/topology.txt").read_text() == (tmp_path / "small.txt").read_text()
    assert graphs.topology_of(graph).name in (tmp_path / "out/manifest.json").read_text()
    for change, sentence in [({"rate": "fast"}, "edge a-b: rate=fast: allowed is"), ({"Rate": 1}, "edge a-b: Rate=1: allowed are the attributes rate, delay, errors")]:
        wrong = small_graph()
        wrong.add_edge("a", "b", **change)
        with pytest.raises(BadInput) as refused:
            Run(topology=wrong)
        assert str(refused.value).startswith(sentence)
    with pytest.raises(BadInput) as refused:
        Run(topology=networkx.DiGraph([(0, 1)]))
    assert str(refused.value) == "the graph is directed; allowed are undirected graphs, whose links go both ways"
    with pytest.raises(BadInput) as refused:
        Run(topology=networkx.cycle_graph(20), routing="minimal")
    assert str(refused.value).startswith(f"graph {graphs.topology_of(networkx.cycle_graph(20)).name.removesuffix('.txt')}: hosts are 10 links between switches apart")
    assert completion(graph)["hosts"] == 5  # what was refused left nothing behind


def test_fc13_processes_take_graphs():
    graph = small_graph()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(completion, [graph, networkx.petersen_graph(), graph]))
    assert results[0] == results[2] == completion(graph)
    assert results[1]["hosts"] == 10


def test_fc13_a_sweep_takes_graphs_and_its_table_says_which(tmp_path):
    ring = networkx.cycle_graph(4)
    ring.graph.update(name="ring", hosts=2)
    shapes = [ring, small_graph(), str(ROOT / "examples/topologies/ring.txt")]
    sweep = Sweep(completion, {"topology": shapes}, folder=tmp_path / "sweep")
    assert set(sweep.run(workers=1)["status"]) == {"done"}
    table = sweep.table()
    hosts = dict(table[table["metric"] == "hosts"][["topology", "value"]].values)
    names = [str(tmp_path / "sweep/graphs" / graphs.topology_of(graph).name) for graph in shapes[:2]]
    assert hosts[names[0]] == 8 and hosts[names[1]] == 5 and len(hosts) == 3
    again = Sweep(completion, {"topology": ring}, folder=tmp_path / "sweep")
    assert [str(folder) for folder in again.run_folders()] == [str(folder) for folder in sweep.run_folders()[:1]]
    program = Sweep(BIN / "fabric-permutation", {"topology": ring, "pattern": "shift", "bytes": 4096}, folder=tmp_path / "program")
    assert set(program.run(workers=1)["status"]) == {"done"}
    assert "graphs/ring-" in program.table()["topology"][0]
    with pytest.raises(SweepError) as refused:
        Sweep(completion, {"topology": networkx.DiGraph([(0, 1)])}, folder=tmp_path / "none")
    assert str(refused.value) == "the graph is directed; allowed are undirected graphs, whose links go both ways"
    assert not (tmp_path / "none").exists()


def test_fc13_runs_do_without_networkx():
    """It is loaded by who has a graph."""
    code = "import sys; from fabric_sim import Run\nwith Run(k=2) as run: run.run_for('1us')\nassert 'networkx' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
