# SPDX-License-Identifier: GPL-2.0-only
"""SW-14: all-reduces and reduces in the switches, their closed forms, and a picture beside those by hosts."""
import re
import subprocess

import pytest

from fabric_sim.plots.reductions import draw
from fabric_sim.results import ResultError, read_run
from programs import DELAY, OVERHEAD, PICOSECOND, RATE, ROOT, SWITCH_LATENCY, python, python_with_headers, run, run_well, seconds, summary_of, wire_bytes

ENGINE = 100e-9  # ReductionLatency


def reduction(folder, hosts, size, *options, name="allreduce-tree"):
    return summary_of(folder, "fabric-collectives", "--k=4", f"--collective={name}", "--transport=switch", f"--hosts={hosts}", f"--bytes={size}", *options)


@pytest.mark.parametrize("size", [1, 4096, 4097, 1 << 20])
@pytest.mark.parametrize("hosts, up", [(2, 1), (4, 2), (16, 3)])
def test_sw14_an_allreduce_goes_up_and_down_once(hosts, up, size, tmp_path):
    """Up the tree with the latency of each engine, and down; frames follow each other on the last link."""
    summary = reduction(tmp_path, hosts, size)
    switches = 2 * up - 1
    time = seconds(wire_bytes(size)) + (switches + 1) * DELAY + switches * SWITCH_LATENCY + up * ENGINE
    if size != 4097:  # the short last frame comes while the one before is on the wire, but for the slowest link
        assert summary["completion_time", ""] == pytest.approx(time, abs=20 * PICOSECOND)
    assert summary["completion_time", ""] == summary["expected_time", ""] > summary["lower_bound", ""] == pytest.approx(8 * size / RATE)
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == hosts * size
    assert summary["bytes_copied", ""] == summary["bytes_combined", ""] == (hosts - 1) * size
    assert summary["bytes_in_flight", ""] == 0 and summary["rank_time", "stat=max"] == summary["completion_time", ""]


@pytest.mark.parametrize("size", [8, 100000])
@pytest.mark.parametrize("topology", ["dragonfly --routing=minimal", "dragonfly --routing=valiant", "torus --widths=3,4", "hyperx --widths=3,4 --trunks=2"])
def test_sw14_switches_of_all_topologies_reduce(topology, size, tmp_path):
    summary = summary_of(tmp_path, "fabric-collectives", *f"--topology={topology}".split(), "--collective=allreduce-tree", "--transport=switch", f"--bytes={size}")
    hosts = 72 if "dragonfly" in topology else 24
    assert summary["completion_time", ""] == summary["expected_time", ""] > summary["lower_bound", ""]
    assert summary["bytes_copied", ""] == summary["bytes_combined", ""] == (hosts - 1) * size
    # Each link of the tree carries a frame up and a frame down.
    assert summary["data_hops", ""] == 2 * (hosts + hosts // 2 - 1) * -(-size // 4096)


def test_sw14_a_reduce_delivers_to_one(tmp_path):
    summary = reduction(tmp_path / "reduce", 11, 50000, name="reduce")
    assert summary["bytes_offered", ""] == 11 * 50000
    assert summary["bytes_combined", ""] == 10 * 50000
    assert summary["bytes_delivered", ""] == 50000 and ("bytes_copied", "") not in summary
    assert summary["completion_time", ""] == pytest.approx(reduction(tmp_path / "all", 11, 50000)["completion_time", ""], rel=0.05)


def test_sw14_latency_counts_at_each_engine_and_few_slots_are_refused(tmp_path):
    fast = reduction(tmp_path / "fast", 16, 8, "--ns3::FabricSwitch::ReductionLatency=0")
    slow = reduction(tmp_path / "slow", 16, 8, "--ns3::FabricSwitch::ReductionLatency=1us")
    assert slow["completion_time", ""] - fast["completion_time", ""] == pytest.approx(3e-6, abs=PICOSECOND)
    done = run("fabric-collectives", "--k=4", "--collective=reduce", "--transport=switch", "--ns3::FabricSwitch::ReductionSlots=10")
    assert done.returncode == 2 and "its window is 64 frames, and switch 0 has 10 slots left; allowed is" in done.stderr


@pytest.mark.parametrize("options", [["--lookahead=off"], ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0"]])
@pytest.mark.parametrize("name", ["allreduce-tree", "reduce"])
def test_dp5_reductions_do_not_depend_on_how_they_are_run(name, options, tmp_path):
    reduction(tmp_path / "one", 13, 100000, name=name)
    reduction(tmp_path / "other", 13, 100000, *options, name=name)
    assert (tmp_path / "one/summary.csv").read_bytes() == (tmp_path / "other/summary.csv").read_bytes()


def test_sw14_switches_beat_hosts(tmp_path):
    for size in (8, 1 << 20):
        times = {way: summary_of(tmp_path / f"{way}-{size}", "fabric-collectives", "--k=4", f"--bytes={size}", *options)["completion_time", ""]
                 for way, options in {"switch": ["--transport=switch", "--collective=allreduce-tree"], "ring": [], "tree": ["--collective=allreduce-tree"]}.items()}
        assert times["switch"] * (10 if size == 8 else 1.8) < times["ring"] and times["switch"] * 2 < times["tree"]
    word = {by: summary_of(tmp_path / by, "fabric-allreduce", "--k=4", f"--by={by}")["allreduce_time", ""] for by in ("nic", "switch")}
    assert word["switch"] * 2 < word["nic"]


PREPARED = """
import os, sys
from fabric_sim import connect, ns
fabric, got = ns.FatTreeHelper(4).Install(), []
groups = ns.FabricGroupHelper(fabric)
reductions = ns.FabricReductionHelper(groups)
total = reductions.Create([0, 3, 9], ns.fabric.ReductionOperation.SUM_DOUBLE)
least = reductions.CreateTo(3, [0, 3, 9], ns.fabric.ReductionOperation.MIN)
connect(fabric.network, "ReductionDone", lambda result, now: got.append((result.reduction, result.member, result.hasValue, result.Value() if result.reduction == least else result.Double())))
for host in (0, 3, 9):
    fabric.GetDevice(host).ReduceDouble(total, 5000, host / 2)
    fabric.GetDevice(host).Reduce(least, 0, 7 - host)
for call in sys.argv[1:]:  # each in a copy of what is prepared
    print("call", flush=True)
    if os.fork() == 0:
        os.dup2(1, 2)
        exec(call)
        os._exit(0)
    print("status", os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
REDUCED = """
ns.Simulator.Run()
print(sorted(got) == sorted([(total, host + 1, True, 6.0) for host in (0, 3, 9)] + [(least, host + 1, host == 3, -2 if host == 3 else 0) for host in (0, 3, 9)]), total, flush=True)
"""
REFUSED = {
    "fabric.GetDevice(0).Reduce(least, 100, 1); fabric.GetDevice(3).Reduce(least, 101, 1)": "number 1, has 101 bytes; allowed are 100, as another member has begun it with",
    "fabric.GetDevice(1).Reduce(least, 100, 1)": "can't begin here; allowed is that at its 3 members",
    "fabric.GetDevice(0).Reduce(total, 100, 1)": "has a value of the wrong kind; allowed are doubles, by ReduceDouble()",
    "fabric.GetDevice(0).Reduce(9, 100, 1)": "there is none; allowed are 2 from 57344 on",
}


@pytest.fixture(scope="module")
def called(tmp_path_factory):
    """What Python said of each call, and the status that it ended with."""
    script = tmp_path_factory.mktemp("called") / "prepared.py"
    script.write_text(PREPARED)
    calls = [REDUCED, *REFUSED]
    done = subprocess.run([python_with_headers(), script, *calls], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    found = re.findall(r"^call\n(.*?)^status (-?\d+)$", done.stdout, re.M | re.S)
    return {call: (said, int(status)) for call, (said, status) in zip(calls, found, strict=True)}


def test_sw14_python_makes_reductions(called):
    assert called[REDUCED] == ("True 57344\n", 0)


@pytest.mark.parametrize("call", REFUSED)
def test_pr4_operations_that_can_not_begin_are_one_sentence(call, called):
    said, status = called[call]
    assert status != 0 and REFUSED[call] in said


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("reductions")
    for size in (8, 4096, 65536):
        for hosts in (4, 16) if size == 4096 else (16,):
            for way, options in {"switch": ["--transport=switch", "--collective=allreduce-tree"], "ring": [], "tree": ["--collective=allreduce-tree"]}.items():
                run_well("fabric-collectives", "--k=4", f"--bytes={size}", f"--hosts={hosts}", *options, f"--out={root / f'{way}-{size}-{hosts}'}")
    run_well("fabric-collectives", "--k=4", "--collective=broadcast", f"--out={root / 'other'}")
    return root


def test_sw14_allreduces_are_drawn_with_their_closed_forms(results, tmp_path):
    folders = [results / f"{way}-{size}-{hosts}" for way in ("switch", "ring", "tree") for size, hosts in ((8, 16), (4096, 4), (4096, 16), (65536, 16))]
    runs = [read_run(folder, "fabric-collectives") for folder in folders]
    left, right = draw(*runs).axes
    dotted = [[line for line in axes.lines if line.get_linestyle() == ":"] for axes in (left, right)]
    assert list(dotted[0][0].get_ydata()) == pytest.approx([read_run(results / f"switch-{size}-16", "fabric-collectives").value("expected_time") * 1e6 for size in (8, 4096, 65536)])
    assert list(dotted[1][0].get_xdata()) == [4, 16]
    with pytest.raises(ResultError, match="some are not all-reduces by switches or native messages"):
        draw(*runs, read_run(results / "other", "fabric-collectives"))
    done = subprocess.run([python(), ROOT / "utils/plot-reductions.py", *folders, "--output", tmp_path / "p.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000
