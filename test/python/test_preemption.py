# SPDX-License-Identifier: GPL-2.0-only
"""fabric-preemption against closed forms (VA-9, VA-10, VA-13), and its plot."""
import re
import subprocess
import sys

import pytest

from programs import ROOT, run, run_well, summary_of

PROGRAM = "fabric-preemption"
BYTE = 8 / 100e9  # s at the default rate
HOP = 450e-9  # s
FLIT, EDGE = 8, 80  # bytes: a flit; what is sent before, and left after, an interruption
ALONE = ["--bulkLoad=0", "--victimLoad=0.9", "--duration=3ms"]


@pytest.mark.parametrize("victim", [4096, 8192, 20000])
def test_va9_an_urgent_frame_waits_for_a_flit_or_the_least_rest(tmp_path, victim):
    found = summary_of(tmp_path, PROGRAM, f"--victimBytes={victim}", *ALONE)
    assert found["preemptions", ""] > 500
    assert found["urgent_wait", "stat=p50"] <= FLIT * BYTE
    # Two urgent frames that come together: the second waits for the first, so p90 and not the worst.
    assert found["urgent_wait", "stat=p90"] <= EDGE * BYTE
    assert found["urgent_wait", "stat=max"] < 6 * 256 * BYTE


def test_va9_one_urgent_frame_at_a_time_waits_80_bytes_at_worst(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--urgentBytes=1", "--urgentGap=1us", *ALONE)
    assert FLIT * BYTE < found["urgent_wait", "stat=max"] <= EDGE * BYTE


@pytest.mark.parametrize("victim", [4096, 8192, 20000])
def test_va9_without_preemption_it_waits_for_the_victim(tmp_path, victim):
    found = summary_of(tmp_path, PROGRAM, f"--victimBytes={victim}", "--preempt=off", "--urgentBytes=1", *ALONE)
    assert found["preemptions", ""] == 0
    assert 0.98 * victim * BYTE < found["urgent_wait", "stat=max"] <= victim * BYTE * 1.001
    # A frame at a random time finds a victim with a probability of 0.9, and then waits for half of it.
    assert found["urgent_wait", "stat=mean"] == pytest.approx(0.9 * victim * BYTE / 2, rel=0.1)


def test_va9_a_short_victim_is_not_interrupted(tmp_path):
    assert summary_of(tmp_path / "4095", PROGRAM, "--victimBytes=4095", *ALONE)["preemptions", ""] == 0
    assert summary_of(tmp_path / "257", PROGRAM, "--urgentBytes=257", *ALONE)["preemptions", ""] == 0


def test_va9_a_victim_alone_takes_its_length_and_the_delay(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--hops=3", "--urgentGap=1ms", "--bulkLoad=0", "--duration=100us", "--victimLoad=0.1")
    assert found["victim_latency", "stat=min"] == pytest.approx(8192 * BYTE + 2 * HOP, abs=1e-12)


def test_va10_gaps_are_wasted_or_filled(tmp_path):
    options = ["--upstreamGaps=2", "--hops=1", "--preempt=off", "--urgentGap=100us", "--bulkLoad=0.4"]
    wasted = summary_of(tmp_path / "off", PROGRAM, "--interleave=off", *options)
    filled = summary_of(tmp_path / "on", PROGRAM, *options)
    assert wasted["fills", ""] == 0
    assert wasted["gaps", ""] > 1000
    # Each gap is as long as an urgent frame, 32 flits; some of them find nobody waiting all the time.
    assert 0.2 * wasted["gaps", ""] * 256 * BYTE < wasted["link_idle_while_waiting", ""] <= wasted["gaps", ""] * 256 * BYTE
    assert wasted["wasted_flits", ""] <= wasted["link_idle_while_waiting", ""] / (FLIT * BYTE)
    assert wasted["wasted_flits", ""] > wasted["link_idle_while_waiting", ""] / (FLIT * BYTE) - wasted["gaps", ""]
    assert filled["link_idle_while_waiting", ""] == filled["wasted_flits", ""] == 0
    assert filled["fills", ""] > 500
    assert filled["bulk_latency", "stat=mean"] < wasted["bulk_latency", "stat=mean"]


def test_va13_switches_an_urgent_frame_waits_80_bytes_at_worst_or_for_the_victim(tmp_path):
    options = ["--via=switches", "--urgentBytes=64", "--urgentGap=5us", *ALONE]
    found = summary_of(tmp_path / "on", PROGRAM, *options)
    assert found["preemptions", ""] > 200
    # Its host sends one at a time, so what it waits for at the first switch is a victim.
    assert FLIT * BYTE < found["urgent_wait", "stat=max"] <= EDGE * BYTE
    without = summary_of(tmp_path / "off", PROGRAM, "--preempt=off", *options)
    assert without["preemptions", ""] == 0
    assert 0.95 * 8192 * BYTE < without["urgent_wait", "stat=max"] <= 8192 * BYTE
    # The victims pay what interrupts them and no more.
    more = found["victim_latency", "stat=mean"] - without["victim_latency", "stat=mean"]
    assert 0 <= more < 3 * 64 * BYTE


def test_va13_switches_gaps_are_wasted_or_filled(tmp_path):
    options = ["--via=switches", "--bulkLoad=0.4", "--urgentGap=1us"]
    wasted = summary_of(tmp_path / "off", PROGRAM, "--interleave=off", *options)
    filled = summary_of(tmp_path / "on", PROGRAM, *options)
    for found in (wasted, filled):
        assert found["gaps", ""] > 50
        assert found["bytes_delivered", ""] == found["bytes_offered", ""]
    assert wasted["fills", ""] == 0
    assert 0 < wasted["link_idle_while_waiting", ""] <= wasted["gaps", ""] * 4096 * BYTE
    assert 0 < wasted["wasted_flits", ""] <= wasted["link_idle_while_waiting", ""] / (FLIT * BYTE)
    assert filled["fills", ""] > 10
    assert filled["link_idle_while_waiting", ""] == filled["wasted_flits", ""] == 0


def test_va9_switches_a_frame_alone_takes_its_length_and_the_delay(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--via=switches", "--hops=3", "--urgentGap=1ms", "--bulkLoad=0", "--duration=100us",
                       "--victimLoad=0.1")
    assert found["victim_latency", "stat=min"] == pytest.approx(8192 * BYTE + 2 * HOP, abs=1e-12)


@pytest.mark.parametrize("via", ["chain", "switches"])
def test_dp5_the_same_bytes_with_and_without_lookahead(via, tmp_path):
    gaps = 1 if via == "chain" else 0
    for lookahead in ("on", "off"):
        run_well(PROGRAM, f"--via={via}", f"--lookahead={lookahead}", f"--upstreamGaps={gaps}", "--hops=4", "--RngRun=5",
                 "--duration=100us", f"--out={tmp_path / lookahead}")
    assert (tmp_path / "on/summary.csv").read_bytes() == (tmp_path / "off/summary.csv").read_bytes()


@pytest.mark.parametrize("argument, words", [
    ("--victimBytes=9025", "allowed is with --via=switches a size from 25 to 9024"),
    ("--urgentBytes=24", "allowed is with --via=switches a size from 25 to 9024"),
    ("--bulkBytes=10000", "allowed is with --via=switches a size from 25 to 9024"),
    ("--upstreamGaps=1", "allowed is with --via=switches 0"),
    ("--hopDelay=1ps", "allowed is with --via=switches a time from 1ns to 10ms"),
    ("--ns3::FabricSwitch::LanePreemption=true", "--preempt"),
    ("--ns3::FabricSwitch::Latency=1us", "--hopDelay"),
    ("--ns3::FabricSwitch::LaneFlitBytes=257", "LaneFlitBytes"),
    ("--ns3::FabricSwitch::LaneOpenFrames=0", "LaneOpenFrames"),
])
def test_pr4_a_bad_option_for_switches_is_named_with_what_is_allowed(argument, words, tmp_path):
    done = run(PROGRAM, "--via=switches", argument, f"--out={tmp_path / 'out'}", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"[^\n]+\n", done.stderr), done.stderr
    assert words in done.stderr and argument.split("=")[0] in done.stderr


@pytest.mark.parametrize("arguments", [
    ["--via=switches", "--victimBytes=9024", "--urgentBytes=25", "--ns3::FabricSwitch::LaneCheck=flit"],
    ["--via=switches", "--preempt=off", "--interleave=off", "--hops=16"],
    ["--via=switches", "--hops=1", "--ns3::FabricSwitch::Forwarding=store-and-forward", "--hopDelay=1ns"],
    ["--victimBytes=256", "--upstreamGaps=16"],
    ["--victimBytes=65528", "--urgentBytes=65528", "--bulkBytes=65528", "--urgentGap=1ns", "--duration=1us"],
    ["--linkRate=1Mbps", "--hopDelay=1s", "--hops=16", "--duration=1s"],
    ["--linkRate=100000Gbps", "--hopDelay=1ps", "--duration=1us"],
    ["--bulkLoad=0", "--duration=1ns"],
])
def test_pr4_what_is_just_allowed_runs(arguments):
    run_well(PROGRAM, "--duration=50us", *arguments)


def plot(*arguments):
    return subprocess.run([sys.executable, ROOT / "utils/plot-preemption.py", *arguments], capture_output=True, text=True,
                          timeout=60)


def test_sc6_picture_is_drawn_or_one_sentence_says_why_not(tmp_path):
    folders = []
    for preempt in ("on", "off"):
        for size in ("4KiB", "8192"):
            folders.append(tmp_path / f"{preempt}-{size}")
            run_well(PROGRAM, f"--victimBytes={size}", f"--preempt={preempt}", "--duration=50us", f"--out={folders[-1]}")
    picture = tmp_path / "picture.png"
    done = plot(*folders, "--output", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10000
    run_well(PROGRAM, "--urgentBytes=64", "--duration=50us", f"--out={tmp_path / 'other'}")
    for runs, words in (([folders[0], tmp_path / "other"], "the runs have different --urgentBytes"),
                        ([tmp_path / "none"], "none: there is no such folder; fabric-preemption --out=")):
        done = plot(*runs, "--output", tmp_path / "no.png")
        assert done.returncode == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
