# SPDX-License-Identifier: GPL-2.0-only
"""fabric-preemption against closed forms (VA-9, VA-10, VA-13), and its plot."""
import re
import subprocess

import pytest

from programs import ROOT, python, run, run_well, summary_of

PROGRAM = "fabric-preemption"
BYTE = 8 / 100e9  # s at the default rate
HOP = 450e-9  # s
FLIT, EDGE = 8, 80  # bytes: a flit; what is sent before, and left after, an interruption
ALONE = ["--bulkLoad=0", "--victimLoad=0.9", "--duration=3ms"]


@pytest.mark.parametrize("victim", [4096, 8192, 9024])
def test_va9_an_urgent_frame_waits_for_a_flit_or_the_least_rest(tmp_path, victim):
    found = summary_of(tmp_path, PROGRAM, f"--victimBytes={victim}", *ALONE)
    assert found["preemptions", ""] > 500
    assert found["urgent_wait", "stat=p50"] <= FLIT * BYTE
    # Its host sends one at a time, so what it waits for at the first switch is a victim.
    assert FLIT * BYTE < found["urgent_wait", "stat=max"] <= EDGE * BYTE


def test_va9_many_short_urgent_frames_wait_80_bytes_at_worst(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--urgentBytes=25", "--urgentGap=1us", *ALONE)
    assert FLIT * BYTE < found["urgent_wait", "stat=max"] <= EDGE * BYTE


@pytest.mark.parametrize("victim", [4096, 8192, 9024])
def test_va9_without_preemption_it_waits_for_the_victim(tmp_path, victim):
    found = summary_of(tmp_path, PROGRAM, f"--victimBytes={victim}", "--preempt=off", "--urgentBytes=25", *ALONE)
    assert found["preemptions", ""] == 0
    assert 0.98 * victim * BYTE < found["urgent_wait", "stat=max"] <= victim * BYTE
    # A frame at a random time finds a victim with a probability of 0.9, and then waits for half of it.
    assert found["urgent_wait", "stat=mean"] == pytest.approx(0.9 * victim * BYTE / 2, rel=0.1)


@pytest.mark.parametrize("victim", [4096, 8192, 9024])
def test_va9_at_its_own_host_too_an_urgent_frame_waits_for_a_flit_or_the_least_rest(tmp_path, victim):
    options = ["--oneHost", "--hops=1", f"--victimBytes={victim}", *ALONE]
    found = summary_of(tmp_path / "on", PROGRAM, *options)
    without = summary_of(tmp_path / "off", PROGRAM, "--preempt=off", *options)
    for run_of in (found, without):
        assert run_of["urgent_wait", "stat=max"] == 0
        assert run_of["urgent_total", "stat=min"] == pytest.approx(found["urgent_total", "stat=min"], abs=FLIT * BYTE)
    wait = {stat: found["urgent_total", f"stat={stat}"] - found["urgent_total", "stat=min"] for stat in ("p50", "p90", "max")}
    assert found["preemptions", ""] > 500
    assert wait["p50"] <= FLIT * BYTE and wait["p90"] <= EDGE * BYTE
    assert wait["max"] <= (EDGE + 3 * 256) * BYTE  # and other urgent frames
    assert without["urgent_total", "stat=max"] - without["urgent_total", "stat=min"] > 0.98 * victim * BYTE


def test_va9_a_short_victim_is_not_interrupted(tmp_path):
    assert summary_of(tmp_path / "4095", PROGRAM, "--victimBytes=4095", *ALONE)["preemptions", ""] == 0
    assert summary_of(tmp_path / "257", PROGRAM, "--urgentBytes=257", *ALONE)["preemptions", ""] == 0


def test_va9_a_victim_alone_takes_its_length_and_the_delay(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--hops=3", "--urgentGap=1ms", "--bulkLoad=0", "--duration=100us", "--victimLoad=0.1")
    assert found["victim_latency", "stat=min"] == pytest.approx(8192 * BYTE + 2 * HOP, abs=1e-12)


def test_va13_victims_pay_what_interrupts_them_and_no_more(tmp_path):
    options = ["--urgentBytes=64", "--urgentGap=5us", *ALONE]
    found = summary_of(tmp_path / "on", PROGRAM, *options)
    without = summary_of(tmp_path / "off", PROGRAM, "--preempt=off", *options)
    assert found["preemptions", ""] > 200
    more = found["victim_latency", "stat=mean"] - without["victim_latency", "stat=mean"]
    assert 0 <= more < 3 * 64 * BYTE


def test_va10_gaps_are_wasted_or_filled(tmp_path):
    options = ["--bulkLoad=0.4", "--urgentGap=1us", "--duration=8ms"]
    wasted = summary_of(tmp_path / "off", PROGRAM, "--interleave=off", *options)
    filled = summary_of(tmp_path / "on", PROGRAM, *options)
    for found in (wasted, filled):
        assert found["gaps", ""] > 1000
        assert found["bytes_delivered", ""] == found["bytes_offered", ""]
    assert wasted["fills", ""] == 0
    # Each gap is as long as an urgent frame or some, at most 4096 B; most of them find nobody waiting all the time.
    assert 0.2 * wasted["gaps", ""] * 256 * BYTE < wasted["link_idle_while_waiting", ""] <= wasted["gaps", ""] * 4096 * BYTE
    assert wasted["wasted_flits", ""] <= wasted["link_idle_while_waiting", ""] / (FLIT * BYTE)
    assert wasted["wasted_flits", ""] > wasted["link_idle_while_waiting", ""] / (FLIT * BYTE) - wasted["gaps", ""]
    assert filled["link_idle_while_waiting", ""] == filled["wasted_flits", ""] == 0
    assert filled["fills", ""] > 500
    assert filled["bulk_latency", "stat=mean"] < wasted["bulk_latency", "stat=mean"]


def test_dp5_the_same_bytes_with_and_without_lookahead(tmp_path):
    for lookahead in ("on", "off"):
        run_well(PROGRAM, f"--lookahead={lookahead}", "--hops=4", "--RngRun=5", "--duration=100us", f"--out={tmp_path / lookahead}")
    assert (tmp_path / "on/summary.csv").read_bytes() == (tmp_path / "off/summary.csv").read_bytes()


@pytest.mark.parametrize("argument, words", [
    ("--ns3::FabricSwitch::LanePreemption=true", "--preempt"),
    ("--ns3::FabricSwitch::Latency=1us", "--hopDelay"),
    ("--ns3::FabricSwitch::LaneFlitBytes=257", "LaneFlitBytes"),
    ("--ns3::FabricSwitch::LaneOpenFrames=18", "LaneOpenFrames"),
])
def test_pr4_a_bad_attribute_is_named_with_what_is_allowed(argument, words, tmp_path):
    done = run(PROGRAM, argument, f"--out={tmp_path / 'out'}", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"[^\n]+\n", done.stderr), done.stderr
    assert words in done.stderr and argument.split("=")[0] in done.stderr


@pytest.mark.parametrize("arguments", [
    ["--victimBytes=9024", "--urgentBytes=25", "--ns3::FabricSwitch::LaneCheck=flit"],
    ["--preempt=off", "--interleave=off", "--hops=16"],
    ["--hops=1", "--ns3::FabricSwitch::Forwarding=store-and-forward", "--hopDelay=1ns"],
    ["--victimBytes=256", "--urgentBytes=9024", "--bulkBytes=9024", "--urgentGap=1ns", "--duration=1us"],
    ["--linkRate=1Mbps", "--hopDelay=10ms", "--hops=16", "--duration=1s", "--urgentGap=100us"],
    ["--linkRate=100000Gbps", "--hopDelay=1ns", "--duration=1us"],
    ["--bulkLoad=0", "--duration=1ns"],
])
def test_pr4_what_is_just_allowed_runs(arguments):
    run_well(PROGRAM, "--duration=50us", *arguments)


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-preemption.py", *arguments], capture_output=True, text=True,
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
