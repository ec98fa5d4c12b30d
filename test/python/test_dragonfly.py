# SPDX-License-Identifier: GPL-2.0-only
"""FC-13: dragonflies by the programs: the same results however they are computed, what is refused, and the picture of their load curves."""
import random
import statistics
import subprocess

import pytest

from fabric_sim.plots.permutation import bound_of, draw
from fabric_sim.results import read_run
from programs import ROOT, python, run, run_well, summary_of
from test_program_determinism import check_ways

SCRIPT = ROOT / "utils/plot-permutation.py"
SWITCH = "--ns3::FabricSwitch::"
DRAGONFLY = ("--topology=dragonfly", "--bytes=4KiB", "--warmUp=5us", "--duration=5us")


def scenario(rng):
    """@return arguments of fabric-permutation for any dragonfly and traffic"""
    a, h = rng.randint(2, 4), rng.randint(1, 2)
    options = ["--topology=dragonfly", f"--hostsPerSwitch={rng.randint(1, 3)}", f"--switchesPerGroup={a}", f"--globalPorts={h}",
               f"--groups={rng.randint(2, a * h + 1)}", f"--routing={rng.choice(['minimal', 'valiant', 'ugal-l'])}",
               f"--globalDelay={rng.choice([0, 77, 900])}ns", f"--bytes={rng.choice([1, 4097, 30000])}", f"--RngRun={rng.randint(0, 99)}",
               f"--pattern={rng.choice(['random', 'uniform', 'adversarial', 'all-to-all'])}"]
    if "all-to-all" not in options[-1] and rng.random() < 0.5:
        options += [f"--load={rng.choice([0.2, 0.7])}", "--warmUp=3us", "--duration=4us"]
    options += rng.choice([[], ["--flowChannels=off"], [f"{SWITCH}NoFlowClasses=1", f"{SWITCH}UnorderedClasses=1"], [f"{SWITCH}Reroute=true"]])
    options += rng.choice([[], [f"{SWITCH}DetourBias=0"], [f"{SWITCH}BufferBytes=160000"]])
    has_loads = "--routing=minimal" not in options and "--groups=2" not in options and "--flowChannels=off" not in options
    return options + rng.choice([[], [f"{SWITCH}NeighbourLoads=true", f"{SWITCH}NeighbourLoadTime={rng.randint(1, 3000)}ns"]]) * has_loads


@pytest.mark.parametrize("seed", range(8))
def test_dp5_results_of_dragonflies_do_not_depend_on_how_they_are_computed(seed, tmp_path):
    threads = [f"--threads={2 + seed % 3}", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    check_ways(seed, "fabric-permutation", scenario(random.Random(seed)), threads, tmp_path)


@pytest.mark.parametrize("program, arguments", [
    ("fabric-incast", ["--senders=6", "--bytes=20000"]),
    ("fabric-congestion", ["--senders=6", "--bytes=20000"]),
    ("fabric-gpcnet", ["--victims=3", "--rings=1", "--iterations=1", "--bandwidthIterations=1"]),
])
def test_fc13_other_programs_run_on_a_dragonfly(program, arguments, tmp_path):
    summary = summary_of(tmp_path, program, "--topology=dragonfly", *arguments, "--check")
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] + summary["bytes_in_flight", ""] > 0


@pytest.mark.parametrize("arguments, words", [
    (["--k=4"], "--k=4: allowed is only --topology=fat-tree with it"),
    (["--levels=2"], "--levels=2: allowed is only --topology=fat-tree with it"),
    (["--groups=10"], "--groups=10 --globalLinks=0: dragonfly: 10 groups can't all be linked"),
    (["--groups=1", "--pattern=adversarial"], "allowed is only --topology=dragonfly with several groups"),
    (["--hostsPerSwitch=1", "--switchesPerGroup=1", "--groups=1"], "--pattern=shift: the fabric has one host, which has nobody to send to; allowed are two or more"),
    ([f"{SWITCH}VirtualChannels=2"], "are more than VirtualChannels (2)"),
    ([f"{SWITCH}LinkFlowControl=priority-pause"], "allowed are no lane table, no LossyClasses and LinkFlowControl=credits"),
    ([f"{SWITCH}NeighbourLoads=true", "--routing=minimal"], "no way depends on the links of neighbours; allowed is false, or"),
    ([f"{SWITCH}NeighbourLoads=true", "--flowChannels=off"], "no class has flow channels; allowed is false, or flow channels"),
    (["--pattern=all-to-all", "--load=0.1"], "--load=0.1: allowed is only another --pattern with it"),
    (["--pattern=uniform", "--shift=3"], "--shift=3: allowed is only --pattern=shift with it"),
])
def test_fc13_what_a_dragonfly_can_not_have_is_refused(arguments, words):
    done = run("fabric-permutation", "--topology=dragonfly", *arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


def test_fc12_a_bias_of_detours_is_refused_where_there_are_none():
    done = run("fabric-permutation", "--k=4", f"{SWITCH}DetourBias=5")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "DetourBias is 5, and no way by the routes is a detour; allowed is 131072, or routes by load" in done.stderr


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("loads")
    for routing in ("minimal", "ugal-l"):
        for load in ("0.05", "0.4"):
            run_well("fabric-permutation", *DRAGONFLY, "--pattern=adversarial", f"--routing={routing}", f"--load={load}",
                     f"--out={root}/{routing}-{load}")
    return root


def test_fc13_curves_show_what_is_accepted(results, tmp_path):
    figure = draw(*(read_run(folder, "fabric-permutation") for folder in sorted(results.iterdir())))
    handles, labels = figure.axes[0].get_legend_handles_labels()
    accepted = {label: list(curve.get_children()[0].get_ydata()) for label, curve in zip(labels, handles) if "bound" not in label}
    minimal = [read_run(results / f"minimal-{load}", "fabric-permutation").value("accepted_load") for load in ("0.05", "0.4")]
    assert accepted["minimal"] == minimal
    assert accepted["ugal-l"][1] > 2 * accepted["minimal"][1]
    done = subprocess.run([python(), SCRIPT, *results.iterdir(), "--output", tmp_path / "loads.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "loads.png").stat().st_size > 10000


def load_run(folder, pattern, load, seed, *options):
    """@return summary of messages of one frame between 72 hosts"""
    return summary_of(folder, "fabric-permutation", "--topology=dragonfly", "--bytes=4KiB", "--warmUp=20us", "--duration=20us",
                      f"--pattern={pattern}", f"--load={load}", f"--RngRun={seed}", *options)


def test_fc12_loads_of_neighbours_shorten_adversarial_messages_and_leave_uniform_ones(tmp_path):
    tells = f"{SWITCH}NeighbourLoads=true"
    for pattern, load, least, most in (("adversarial", 0.2, 0.4, 0.8), ("uniform", 0.8, 0.95, 1.05)):
        ratios = []
        for seed in range(1, 6):
            without = load_run(tmp_path / f"off-{pattern}-{seed}", pattern, load, seed)
            told = load_run(tmp_path / f"on-{pattern}-{seed}", pattern, load, seed, tells)
            ratios.append(told["fct", "stat=mean"] / without["fct", "stat=mean"])
            assert told["accepted_load", ""] > 0.97 * load
        assert least < statistics.median(ratios) < most, (pattern, ratios)


class Shape:
    """What a plot asks of a run."""

    def __init__(self, **options):
        self.options = {"topology": "dragonfly", "pattern": "adversarial", "routing": "ugal-l", "hostsPerSwitch": 4, "switchesPerGroup": 8,
                        "globalPorts": 4, "groups": 0, "globalLinks": 0, **options}

    def option(self, name):
        return self.options[name]


@pytest.mark.parametrize("options, bound", [
    ({"routing": "minimal"}, 1 / 32),
    ({"routing": "valiant"}, 31 / 64),
    ({}, 33 / 64),
    ({"groups": 9}, 4 * 9 / 64),  # four links between two groups
    ({"groups": 9, "globalLinks": 2, "routing": "minimal"}, 2 / 32),
    ({"pattern": "uniform"}, 1),
    ({"pattern": "uniform", "routing": "valiant"}, 1055 / 1024 / 2),
    ({"pattern": "random"}, None),
    ({"topology": "torus"}, None),
    ({"groups": 1}, None),
])
def test_fc13_bounds_are_what_global_links_allow(options, bound):
    assert bound_of(Shape(**options)) == (bound if bound is None else pytest.approx(bound))


def test_fc12_what_is_accepted_comes_near_the_bounds_and_not_above(tmp_path):
    for routing, least in (("minimal", 0.97), ("valiant", 0.85), ("ugal-l", 0.85)):
        for tells in (False, True):
            if tells and routing == "minimal":
                continue
            folder = tmp_path / f"{routing}-{tells}"
            load_run(folder, "adversarial", 0.9, 1, f"--routing={routing}", f"{SWITCH}NeighbourLoads={str(tells).lower()}")
            of = read_run(folder, "fabric-permutation")
            assert least < of.value("accepted_load") / bound_of(of) < 1.02, (routing, tells)


def test_fc12_curves_tell_loads_of_neighbours_apart(results, tmp_path):
    run_well("fabric-permutation", *DRAGONFLY, "--pattern=adversarial", "--routing=ugal-l", "--load=0.4", f"{SWITCH}NeighbourLoads=true",
             f"--out={tmp_path}/told")
    figure = draw(*(read_run(folder, "fabric-permutation") for folder in [*sorted(results.iterdir()), tmp_path / "told"]))
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert sorted(labels, key=lambda label: "bound" in label) == ["minimal", "ugal-l", "ugal-l, neighbours' loads", "bound by the global links"]
