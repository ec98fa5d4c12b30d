# SPDX-License-Identifier: GPL-2.0-only
"""FC-13: tori, HyperX and graphs from files by the programs: the same results however they are computed, and what is refused."""
import random

import pytest

from programs import ROOT, run, summary_of
from test_program_determinism import check_ways

SWITCH = "--ns3::FabricSwitch::"
SPRAYED = [f"{SWITCH}NoFlowClasses=1", f"{SWITCH}UnorderedClasses=1"]


GRAPHS = [str(ROOT / f"examples/topologies/{name}.txt") for name in ("ring", "slim-fly")]


def scenario(rng, topology):
    """@return arguments of fabric-permutation for any torus, HyperX or graph and traffic"""
    widths = [str(rng.randint(2, 5)) for _ in range(rng.randint(1, 3))]
    routing = ["minimal", "adaptive"] + ["dimension-order"] * (topology not in GRAPHS) + ["by-dimension"] * (topology == "hyperx")
    patterns = ["random", "uniform"] + ["all-to-all"] * (topology != GRAPHS[1]) + ["adversarial"] * (topology == "hyperx")
    shape = [] if topology in GRAPHS else [f"--widths={','.join(widths)}", f"--hostsPerSwitch={rng.randint(1, 3)}"]
    options = [f"--topology={topology}", *shape, f"--routing={rng.choice(routing)}", f"--bytes={rng.choice([1, 4097, 30000])}",
               f"--RngRun={rng.randint(0, 99)}", f"--pattern={rng.choice(patterns)}"]
    if "all-to-all" not in options[-1] and rng.random() < 0.5:
        options += [f"--load={rng.choice([0.2, 0.7])}", "--warmUp=3us", "--duration=4us"]
    if topology == "hyperx" and rng.random() < 0.5:
        options.append("--trunks=2")
    options += rng.choice([[], ["--flowChannels=off"], SPRAYED, [f"{SWITCH}Reroute=true"]])
    return options + rng.choice([[], [f"{SWITCH}DetourBias=0"], [f"{SWITCH}BufferBytes=160000"]])


@pytest.mark.parametrize("seed", range(10))
def test_dp5_results_of_grids_do_not_depend_on_how_they_are_computed(seed, tmp_path):
    threads = [f"--threads={2 + seed % 3}", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    topology = ["torus", "hyperx", *GRAPHS][seed % 4]
    check_ways(seed, "fabric-permutation", scenario(random.Random(seed), topology), threads, tmp_path)


@pytest.mark.parametrize("topology", ["torus", "hyperx"])
@pytest.mark.parametrize("program, arguments", [
    ("fabric-incast", ["--senders=6", "--bytes=20000"]),
    ("fabric-congestion", ["--senders=6", "--bytes=20000"]),
    ("fabric-gpcnet", ["--victims=3", "--rings=1", "--iterations=1", "--bandwidthIterations=1"]),
])
def test_fc13_other_programs_run_on_a_grid(topology, program, arguments, tmp_path):
    summary = summary_of(tmp_path, program, f"--topology={topology}", *arguments, "--check")
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] + summary["bytes_in_flight", ""] > 0


@pytest.mark.parametrize("arguments, words", [
    (["--topology=torus", "--k=4"], "--k=4: allowed is only --topology=fat-tree with it"),
    (["--topology=torus", "--groups=4"], "--groups=4: allowed is only --topology=dragonfly with it"),
    (["--topology=torus", "--trunks=4"], "--trunks=4: allowed is only --topology=hyperx with it"),
    (["--topology=torus", "--routing=valiant"], "--routing=valiant: allowed is one of dimension-order, minimal, adaptive"),
    (["--topology=torus", "--widths=300,300"], "--hostsPerSwitch=2 --widths=300,300: torus: 180000 hosts are more"),
    (["--topology=torus", "--widths=2,2", "--pattern=tornado"], "allowed is only --topology=torus with a ring of 3 switches or more"),
    (["--topology=torus", "--pattern=adversarial"], "allowed is only --topology=dragonfly with several groups, or --topology=hyperx"),
    (["--topology=torus", f"{SWITCH}VirtualChannels=3"], "are more than VirtualChannels (3)"),
    (["--topology=hyperx", "--pattern=tornado"], "allowed is only --topology=torus with a ring of 3 switches or more"),
    (["--topology=hyperx", "--trunks=1,2,3"], "3 numbers of parallel links for 2 dimensions"),
    (["--topology=hyperx", "--widths=2,2,2,2,2"], "allowed are at most 4 dimensions, or paths in the order of dimensions"),
    (["--topology=dragonfly", "--routing=by-dimension"], "--routing=by-dimension: allowed is one of minimal, valiant, ugal-l, adaptive"),
])
def test_fc13_what_a_grid_can_not_have_is_refused(arguments, words):
    done = run("fabric-permutation", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


RING, SLIM_FLY = GRAPHS


@pytest.mark.parametrize("routing, most", [([], 1.6), (["--routing=minimal"], 1.6), (["--routing=adaptive"], 1.6), (["--routing=up-down"], 2.5)])
def test_fc13_any_graph_from_a_file(routing, most, tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", f"--topology={RING}", "--pattern=all-to-all", "--bytes=50000", *routing, "--check")
    assert summary["bytes_delivered", ""] == 90 * 50000
    # A host sends nine messages over its own link of 200 Gb/s.
    assert 9 * 50000 * 8 / 200e9 < summary["completion_time", ""] < most * 9 * 50000 * 8 / 200e9


def slim_fly_load(tmp_path, routing, *traffic):
    """@return part of their links that hosts of the Slim Fly have through, if they offer 0.9 of it in single frames"""
    options = [f"--topology={SLIM_FLY}", f"--routing={routing}", "--load=0.9", "--bytes=4KiB", "--warmUp=20us", "--duration=10us", *SPRAYED]
    return summary_of(tmp_path / routing, "fabric-permutation", *options, *traffic, "--check")["accepted_load", ""]


def test_fc13_a_slim_fly_accepts_what_its_links_carry(tmp_path):
    # A frame to any other host takes (7 x 1 + 42 x 2) / 49 links if it goes to another switch, and each switch has seven for four hosts.
    bound = 7 / (4 * (196 / 199) * (7 + 2 * 42) / 49)
    assert bound > 0.9
    for routing in "minimal", "adaptive":
        assert 0.85 < slim_fly_load(tmp_path, routing, "--pattern=uniform") < 0.9


def test_fc13_detours_of_a_slim_fly(tmp_path):
    # Each switch is linked to the next one in the file. Four hosts share the link, of which frames have 4096 of 4120 bytes.
    neighbours = ["--pattern=shift", "--shift=4"]
    assert slim_fly_load(tmp_path, "minimal", *neighbours) == pytest.approx(4096 / 4120 / 4, rel=0.01)
    # Detours to a neighbour have four links, since there are no circles of three or four: of seven, one goes straight.
    assert 0.45 < slim_fly_load(tmp_path, "adaptive", *neighbours) < (1 + (7 - 1) / 4) / 4


LONG_RING = "24 12 24\n" + " ".join(map(str, range(12, 24))) + "\n" + "".join(
    f"{i} {12 + i} 200Gbps 100ns\n{12 + i} {12 + (i + 1) % 12} 200Gbps 100ns\n" for i in range(12))


@pytest.mark.parametrize("text, words", [
    ("3 1 2\n0\n0 1 1Gbps 1us\n0 2 1Gbps 1s\n", "{file}:4: delay=1s: allowed is a time from 1ns to 10ms"),
    ("4 2 2\n0 1\n0 2 1Gbps 1us\n1 3 1Gbps 1us\n", "{file}:4: no path leads from switch 1 to switch 0; allowed are switches that all reach each other"),
    ("a 2 ring", "{file}:1: number of nodes=a: allowed is a whole number from 2 to 98302"),
    ("a ring", "{file}:1: the first line has 2 words"),
    (LONG_RING, "{file}: hosts are 6 links between switches apart, and shortest paths need a virtual channel for each; allowed are at most 4 links"),
])
def test_fc13_a_file_with_a_mistake_is_refused(text, words, tmp_path):
    file = tmp_path / "graph.txt"
    file.write_text(text)
    done = run("fabric-permutation", f"--topology={file}", *["--routing=minimal"] * (text == LONG_RING))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words.format(file=file) in done.stderr


@pytest.mark.parametrize("routing, sentence", [
    ([], "{file}: hosts are 6 links between switches apart, and paths by load have at most 4: frames go up and then down, as with up-down routing\n"),
    (["--routing=up-down"], ""),
])
def test_fc13_paths_that_fall_back_to_up_and_down_are_told(routing, sentence, tmp_path):
    file = tmp_path / "graph.txt"
    file.write_text(LONG_RING)
    done = run("fabric-permutation", f"--topology={file}", "--bytes=1", *routing)
    assert (done.returncode, done.stderr) == (0, sentence.format(file=file))


@pytest.mark.parametrize("option", ["--linkRate=1Gbps", "--hostRate=1Gbps", "--linkDelay=1us", "--k=4", "--hostsPerSwitch=3", "--widths=3,3"])
def test_fc13_options_that_a_file_answers_are_refused(option):
    done = run("fabric-permutation", f"--topology={RING}", option)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{option}: allowed is only" in done.stderr


def test_fc13_paths_that_a_graph_does_not_have_are_refused():
    done = run("fabric-permutation", f"--topology={RING}", "--routing=valiant")
    assert (done.returncode, done.stderr) == (2, "--routing=valiant: allowed is one of up-down, minimal, adaptive\n")


def test_fc13_a_graph_of_long_paths_takes_up_and_down(tmp_path):
    file = tmp_path / "graph.txt"
    file.write_text(LONG_RING)
    summary = summary_of(tmp_path, "fabric-permutation", f"--topology={file}", "--pattern=all-to-all", "--bytes=4KiB", "--routing=up-down")
    assert summary["bytes_delivered", ""] == 12 * 11 * 4096
