# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's TCP over a fabric is as fast as a fabric lets it, in a program that a user of ns-3 would write (NQ-15)."""
import csv
import io
import re
import subprocess

import pytest

from programs import ROOT, python, run

SEEDS = range(1, 4)
SEGMENTS = "--ns3::TcpSocket::SegmentSize=4036"
MICRO = 1e-6


def completion_times(*arguments):
    """@return flow completion times of a run of fabric-tcp, s, ascending; all flows must be complete"""
    done = run("fabric-tcp", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("160 of 160 flows are complete, ")
    return sorted(float(row["fct_us"]) * MICRO for row in csv.DictReader(io.StringIO(done.stdout)))


def median(times):
    return times[len(times) // 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_nq15_flows_of_a_program_take_microseconds(seed):
    times = completion_times(f"--RngRun={seed}")
    assert 2.6 * MICRO < times[0] and median(times) < 55 * MICRO and times[-1] < 100 * MICRO


@pytest.mark.parametrize("seed", SEEDS)
def test_nq15_first_bytes_of_a_program_come_within_microseconds(seed):
    assert completion_times(f"--RngRun={seed}", "--ns3::BulkSendApplication::MaxBytes=1")[-1] < 30 * MICRO


@pytest.mark.parametrize("seed", SEEDS)
def test_nq15_command_queues_carry_packets(seed):
    plain, carried = completion_times(f"--RngRun={seed}"), completion_times(f"--RngRun={seed}", "--ns3::FabricCommandQueues::CarriesPackets=true")
    # A first window of ten segments is one round trip; each packet takes 1 us longer, over PCIe and through the stages of two NICs.
    assert 2 * MICRO < carried[0] - plain[0] and median(carried) > median(plain) and carried[-1] < 300 * MICRO


def test_nq15_the_jitter_of_arp_can_be_had():
    assert median(completion_times("--ns3::FabricNetDevice::ArpJitter=true")) > 1000 * MICRO


def test_traps_of_tcp_are_as_the_manual_says():
    """Medians of one seed lie in the ranges that the page gives for ten."""
    page = (ROOT / "doc/hosts.rst").read_text()
    rows = {"536 B, initial window of 10": [], "4036 B, initial window of 10": [SEGMENTS],
            "4036 B, initial window of 32": [SEGMENTS, "--ns3::TcpSocket::InitialCwnd=32"]}
    for row, arguments in rows.items():
        low, high = map(float, re.search(rf"^{row} +[\d.]+ us \(([\d.]+) to ([\d.]+)\)", page, re.M).groups())
        assert low - 0.06 <= median(completion_times(*arguments)) / MICRO <= high + 0.06


def test_delayed_acks_hold_up_a_window_of_one_segment():
    small = ("--ns3::TcpSocket::SegmentSize=8000", "--ns3::TcpSocket::RcvBufSize=8192")
    assert median(completion_times(*small)) > 1
    assert median(completion_times(*small, "--ns3::TcpSocket::DelAckCount=1")) < 55 * MICRO


@pytest.mark.parametrize("arguments, words", [
    (["--seeds=0"], "--seeds=0: allowed is 1 or more"),
    (["--program=/none"], "--program /none: cannot be run"),
])
def test_sc6_bad_input_of_the_plot_is_one_sentence(tmp_path, arguments, words):
    done = subprocess.run([python(), ROOT / "utils/plot-tcp.py", *arguments, "--output", tmp_path / "p.png"], capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


def test_the_manual_shows_what_is_printed():
    assert f"\n   {run('fabric-tcp').stderr}" in (ROOT / "doc/hosts.rst").read_text()
