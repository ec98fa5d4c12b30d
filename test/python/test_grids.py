# SPDX-License-Identifier: GPL-2.0-only
"""FC-13: tori, HyperX and graphs from files by the programs: the same results however they are computed, and what is refused."""
import random

import pytest

from programs import ROOT, run, summary_of
from test_program_determinism import check_ways

SWITCH = "--ns3::FabricSwitch::"
SPRAYED = [f"{SWITCH}NoFlowClasses=1", f"{SWITCH}UnorderedClasses=1"]


def scenario(rng):
    """@return arguments of fabric-permutation for any torus or HyperX and traffic"""
    topology = rng.choice(["torus", "hyperx"])
    widths = [str(rng.randint(2, 5)) for _ in range(rng.randint(1, 3))]
    routing = ["dimension-order", "minimal", "adaptive"] + ["by-dimension"] * (topology == "hyperx")
    patterns = ["random", "uniform", "all-to-all"] + ["adversarial"] * (topology == "hyperx")
    options = [f"--topology={topology}", f"--widths={','.join(widths)}", f"--hostsPerSwitch={rng.randint(1, 3)}",
               f"--routing={rng.choice(routing)}", f"--bytes={rng.choice([1, 4097, 30000])}", f"--RngRun={rng.randint(0, 99)}",
               f"--pattern={rng.choice(patterns)}"]
    if "all-to-all" not in options[-1] and rng.random() < 0.5:
        options += [f"--load={rng.choice([0.2, 0.7])}", "--warmUp=3us", "--duration=4us"]
    if topology == "hyperx" and rng.random() < 0.5:
        options.append("--trunks=2")
    options += rng.choice([[], ["--flowChannels=off"], SPRAYED, [f"{SWITCH}Reroute=true"]])
    return options + rng.choice([[], [f"{SWITCH}DetourBias=0"], [f"{SWITCH}BufferBytes=160000"]])


@pytest.mark.parametrize("seed", range(6))
def test_dp5_results_of_grids_do_not_depend_on_how_they_are_computed(seed, tmp_path):
    threads = [f"--threads={2 + seed % 3}", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    check_ways(seed, "fabric-permutation", scenario(random.Random(seed)), threads, tmp_path)


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


GRAPH = "examples/topologies/ring.txt"


def test_fc13_any_graph_from_a_file(tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", f"--topology={ROOT / GRAPH}", "--pattern=all-to-all", "--bytes=50000", "--check")
    assert summary["bytes_delivered", ""] == 90 * 50000
    # A host sends nine messages over its own link of 200 Gb/s.
    assert 9 * 50000 * 8 / 200e9 < summary["completion_time", ""] < 2.5 * 9 * 50000 * 8 / 200e9


@pytest.mark.parametrize("text, words", [
    ("3 1 2\n0\n0 1 1Gbps 1us\n0 2 1Gbps 1s\n", "{file}:4: delay=1s: allowed is a time from 1ns to 10ms"),
    ("4 2 2\n0 1\n0 2 1Gbps 1us\n1 3 1Gbps 1us\n", "{file}: topology: there is no path from switch"),
    ("a 2 ring", "{file}:1: number of nodes=a: allowed is a whole number from 2 to 98302"),
    ("a ring", "{file}:1: the first line has 2 words"),
])
def test_fc13_a_file_with_a_mistake_is_refused(text, words, tmp_path):
    file = tmp_path / "graph.txt"
    file.write_text(text)
    done = run("fabric-permutation", f"--topology={file}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words.format(file=file) in done.stderr


@pytest.mark.parametrize("option", ["--linkRate=1Gbps", "--hostRate=1Gbps", "--linkDelay=1us", "--k=4", "--routing=minimal", "--widths=3,3"])
def test_fc13_options_that_a_file_answers_are_refused(option):
    done = run("fabric-permutation", f"--topology={ROOT / GRAPH}", option)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"{option}: allowed is only" in done.stderr
