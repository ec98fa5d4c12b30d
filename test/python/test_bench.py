# SPDX-License-Identifier: GPL-2.0-only
"""PF-1, PF-3: what bench-fabric says that does not depend on the machine."""
import json
import re
import subprocess

import pytest

from programs import ROOT, python, read_csv, run, run_well

COLUMNS = ["workload", "version", "data_hops", "control_hops", "events", "setup_s", "run_s", "hops_per_s", "events_per_data_hop",
           "kib_per_host", "allocations_per_data_hop", "simulated_s", "threads", "wall_s"]

FRAMES = 128 * -(-16_000_000 // 4096)  # P128: 128 hosts send 16 MB each


def first_words(printed):
    """@return the first two words of each line"""
    return [line.split()[:2] for line in printed.splitlines()]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The rows of P128 in both versions, by version."""
    folder = tmp_path_factory.mktemp("bench")
    printed = run_well("bench-fabric", "--workload=P128", "--repeat=1", f"--out={folder}")
    assert first_words(printed) == [["workload", "version"], ["P128", "raw"], ["P128", "flow"]]
    return {row["version"]: row for row in read_csv(folder / "bench.csv")}


def test_pf1_columns_are_the_documented_ones(rows):
    assert [list(row) for row in rows.values()] == [COLUMNS, COLUMNS]
    section = (ROOT / "doc/programs.rst").read_text().split("\nbench.csv\n")[1]
    for column in COLUMNS:
        assert column in section


def test_pf1_a_hop_is_a_frame_over_a_link(rows):
    for row in rows.values():
        assert int(row["data_hops"]) == 6 * FRAMES  # all go through the core
        hops = int(row["data_hops"]) + int(row["control_hops"])
        assert float(row["hops_per_s"]) == pytest.approx(hops / float(row["run_s"]), rel=1e-6)
        assert float(row["simulated_s"]) > 16_000_000 * 8 / 100e9
    assert int(rows["raw"]["control_hops"]) == 0
    assert int(rows["flow"]["control_hops"]) > 0


@pytest.fixture(scope="module")
def pushes(tmp_path_factory):
    """The rows of 1 MB and 2 MB for each host of P128, version transport."""
    pair = []
    for size in (1_000_000, 2_000_000):
        folder = tmp_path_factory.mktemp("pushes")
        printed = run_well("bench-fabric", "--workload=P128", "--version=transport", "--repeat=1", f"--bytes={size}", f"--out={folder}")
        assert first_words(printed) == [["workload", "version"], ["P128", "transport"]]
        pair += read_csv(folder / "bench.csv")
    return pair


def test_pf1_a_push_is_cut_into_packets_with_a_header(pushes):
    # A frame has 4096 bytes for the header, 65 bytes, and its payload; acknowledgements are frames, too.
    for row, size in zip(pushes, (1_000_000, 2_000_000)):
        frames = 6 * 128 * -(-size // (4096 - 65))
        assert 1.05 * frames < int(row["data_hops"]) < 1.5 * frames
        assert int(row["control_hops"]) > 0
        assert float(row["simulated_s"]) > size * 8 / 100e9


def test_pf3_pushes_hold_little_and_allocate_nothing(pushes):
    once, twice = pushes
    assert 0 < float(twice["kib_per_host"]) < 44.2  # of which 8 are packets in flight, and 7 objects of ns-3
    assert float(twice["allocations_per_data_hop"]) < 5e-3
    assert int(twice["data_hops"]) > 1.9 * int(once["data_hops"])
    # Events are of messages, of time-outs and of the windows of switches, not of packets.
    more_hops = int(twice["data_hops"]) - int(once["data_hops"])
    assert int(twice["events"]) - int(once["events"]) < 0.01 * more_hops


def test_pf1_full_has_pushes_and_writes(tmp_path):
    row = shortened(tmp_path / "P128", "P128", 1_000_000, "full")
    frames = 6 * 128 * -(-1_000_000 // (4096 - 65))
    assert 1.0 * frames < int(row["data_hops"]) < 1.5 * frames
    assert float(row["simulated_s"]) > 1_000_000 * 8 / 100e9
    # No event for a command or a packet.
    assert float(row["events_per_data_hop"]) < 0.05
    assert float(row["allocations_per_data_hop"]) < 0.01
    sparse = shortened(tmp_path / "SPARSE", "SPARSE", 16 * 4096, "full")
    assert 7 * 80e-6 < float(sparse["simulated_s"]) < 8 * 80e-6  # eight pushes beside eight writes


def test_pf1_pushes_of_an_incast_and_of_a_sparse_pair(tmp_path):
    incast = shortened(tmp_path / "I32", "I32", 64 * 4096, "transport")
    assert int(incast["data_hops"]) > 4 * 32 * 64
    assert float(incast["simulated_s"]) > 32 * 64 * 4096 * 8 / 100e9
    sparse = shortened(tmp_path / "SPARSE", "SPARSE", 16 * 4096, "transport")
    assert float(sparse["simulated_s"]) > 15 * 80e-6


def test_pr4_a_push_has_less_than_2_gib(tmp_path):
    done = run("bench-fabric", "--workload=I32", "--version=all", "--bytes=2GiB", f"--out={tmp_path / 'out'}", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "--bytes=2147483648: allowed is up to 2147483647 bytes with --version=transport\n"


def test_pf3_goals_that_do_not_depend_on_the_machine(rows):
    for row in rows.values():
        assert float(row["events_per_data_hop"]) == pytest.approx(int(row["events"]) / int(row["data_hops"]), rel=1e-6)
        assert float(row["events_per_data_hop"]) <= 0.1
        assert 0 < float(row["kib_per_host"]) < 25
    assert float(rows["raw"]["allocations_per_data_hop"]) == 0
    # ACKs take a part of full links, so queues grow slowly: the pool of frames of 32 switches doubles once meanwhile.
    assert float(rows["flow"]["allocations_per_data_hop"]) < 5e-5


def test_dp2_windows_are_what_saves_events(tmp_path, rows):
    run_well("bench-fabric", "--workload=P128", "--version=raw", "--repeat=1", "--lookahead=off", f"--out={tmp_path}")
    row, = read_csv(tmp_path / "bench.csv")
    for column in ("data_hops", "control_hops", "simulated_s"):
        assert row[column] == rows["raw"][column]
    assert int(row["events"]) > 100 * int(rows["raw"]["events"])


def test_pf1_every_workload_is_documented():
    words = re.search(r"--workload: .* any of ([\w,]+)\)", run("bench-fabric", "--help").stdout)[1].split(",")
    section = (ROOT / "doc/programs.rst").read_text().split("\nbench-fabric\n====")[1].split("\nFiles\n")[0]
    assert set(words) == set(re.findall(r"\b(?:[PI]\d+\w*|D\d+\w+|SPARSE)\b", section))


def shortened(folder, workload, size, version="flow"):
    """@return the row of a workload whose senders send fewer bytes"""
    run_well("bench-fabric", f"--workload={workload}", f"--version={version}", "--repeat=1", f"--bytes={size}", f"--out={folder}")
    row, = read_csv(folder / "bench.csv")
    return row


def alone(frames, rate, delay):
    """@return least time, in s, of frames from a host through five switches to another: the last byte of the last"""
    return frames * 4120 * 8 / rate + 6 * delay + 5 * 350e-9


def test_pf1_short_links_make_short_windows(tmp_path):
    size = 64 * 4096
    long = shortened(tmp_path / "1us", "P128", size)
    short = shortened(tmp_path / "50ns", "P128W100", size)
    assert long["data_hops"] == short["data_hops"] == str(6 * 128 * 64)
    assert float(long["simulated_s"]) > alone(64, 100e9, 1e-6)
    assert alone(64, 100e9, 1e-6) > float(short["simulated_s"]) > alone(64, 100e9, 50e-9)


def test_pf1_sixteen_flows_share_what_a_host_sends(tmp_path):
    row = shortened(tmp_path / "F16", "P128F16", 16 * 4096)
    assert int(row["data_hops"]) == 6 * 128 * 16
    assert float(row["simulated_s"]) > alone(16, 100e9, 1e-6)
    # 16 messages of a byte each, and not one of 16 bytes.
    assert int(shortened(tmp_path / "short", "P128F16", 16)["data_hops"]) == 6 * 128 * 16


def test_pf1_the_sparse_host_sends_a_frame_every_80_us(tmp_path):
    row = shortened(tmp_path, "SPARSE", 64 * 4096)
    assert int(row["data_hops"]) == 6 * 64
    assert float(row["simulated_s"]) == pytest.approx(63 * 80e-6 + alone(1, 200e9, 1e-6), rel=1e-9)


def test_pf1_the_small_incast_fills_the_link_of_its_receiver(tmp_path):
    row = shortened(tmp_path, "I32", 64 * 4096)
    # Some senders are near the receiver.
    assert 4 * 32 * 64 < int(row["data_hops"]) < 6 * 32 * 64
    assert float(row["simulated_s"]) == pytest.approx(32 * 64 * 4120 * 8 / 100e9, rel=0.05)


@pytest.mark.parametrize("version", ["raw", "flow"])
def test_pf1_hosts_of_a_dragonfly_send_at_the_load_that_is_said(version, tmp_path):
    row = shortened(tmp_path, "D1056", 20 * 65536, version)
    frames = 1056 * 20 * 16
    # Shortest paths have at most three links between switches, detours two more, and two lead from and to hosts.
    assert 2 * frames < int(row["data_hops"]) < 6 * frames
    # The last host to begin its twentieth message takes longer than the mean of 20 gaps, and nobody is faster than the link.
    assert 20 * 65536 * 8 / 200e9 / 0.9 < float(row["simulated_s"]) < 2.5 * 20 * 65536 * 8 / 200e9 / 0.9
    assert float(row["events_per_data_hop"]) < 0.1
    again = shortened(tmp_path / "again", "D1056", 20 * 65536, version)
    assert all(row[column] == again[column] for column in ("data_hops", "control_hops", "simulated_s"))


def test_pf1_messages_of_one_frame_are_as_many(tmp_path):
    row = shortened(tmp_path, "D1056M4K", 3 * 4096 + 4095)
    assert 2 * 1056 * 3 < int(row["data_hops"]) < 6 * 1056 * 3


def test_pf3b_a_dragonfly_of_frontiers_size_takes_little_memory(tmp_path):
    row = shortened(tmp_path, "D38K", 65536)
    assert 37888 * 16 * 2 < int(row["data_hops"]) < 37888 * 16 * 6
    assert float(row["kib_per_host"]) <= 16


def test_pf1_random_messages_over_the_transport_pass_the_same_hosts(tmp_path):
    row = shortened(tmp_path, "D1056", 2 * 65536, "transport")
    # With headers a message is 17 packets; each pair of hosts greets, and there are packets with ACKs alone.
    frames = 1056 * 2 * 17
    assert 2 * frames < int(row["data_hops"]) < 10 * frames
    assert 65536 * 8 / 200e9 < float(row["simulated_s"]) < 100e-6


def test_pr4_a_dragonfly_has_no_lanes():
    done = run("bench-fabric", "--workload=P128,D1056", "--version=full", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "--version=full: allowed is raw, flow or transport with --workload=D1056\n"


# ---- files and common options ----


def test_sc5_there_is_a_manifest(tmp_path):
    run_well("bench-fabric", "--workload=I32", "--repeat=1", "--bytes=64KiB", f"--out={tmp_path}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench.csv", "manifest.json"]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["program"] == "bench-fabric"
    assert manifest["options"]["workload"] == ["I32"] and manifest["options"]["bytes"] == 65536
    assert manifest["events"] == sum(int(row["events"]) for row in read_csv(tmp_path / "bench.csv"))


def test_pr2_progress_is_shown_where_it_is_asked_for():
    shown = run("bench-fabric", "--workload=P128", "--version=raw", "--repeat=1", "--bytes=64MB", "--progress=on")
    assert shown.returncode == 0
    assert all("simulated" in line and "%" in line for line in shown.stderr.splitlines())
    assert shown.stderr
    silent = run("bench-fabric", "--workload=I32", "--repeat=1", "--progress=off")
    assert (silent.returncode, silent.stderr) == (0, "")


def test_pr4_a_run_that_does_not_deliver_all_is_an_error():
    done = run("bench-fabric", "--workload=SPARSE", "--repeat=1", "--bytes=64KiB", "--ns3::Application::StopTime=300us")
    assert (done.returncode, done.stderr) == (1, "SPARSE raw: the run ended with 4 of 16 messages delivered\n")


# ---- compare-bench.py ----

HEADER = "workload,version,data_hops,control_hops,hops_per_s,events_per_data_hop,kib_per_host,allocations_per_data_hop,setup_s,remark"
BEFORE = "I32,raw,600,0,3e6,0.02,14,0.5,0.1,x\nI32,flow,600,400,2e6,0.01,12,0,0.2,x\n"


def compare(folder, before, now):
    """@return how utils/compare-bench.py ends with two texts as bench.csv; nothing is written for None"""
    for name, text in (("before", before), ("now", now)):
        (folder / name).mkdir()
        if text is not None:
            (folder / name / "bench.csv").write_text(text, newline="")
    return subprocess.run([python(), ROOT / "utils/compare-bench.py", folder / "before", folder / "now"], capture_output=True, text=True,
                          timeout=60)


def test_pf8_ratios_are_now_by_before(tmp_path):
    now = "I32,flow,600,400,3e6,0.01,18,0,0.1\r\nI32,raw,600,0,3e6,0.01,7,0,0.1\r\n"  # written by another system, without remarks
    done = compare(tmp_path, HEADER + "\n" + BEFORE, HEADER.removesuffix(",remark") + "\r\n" + now)
    assert (done.returncode, done.stderr) == (0, "")
    header, flow, raw = done.stdout.splitlines()
    assert re.split("  +", header.strip()) == ["hops/s x", "ev/hop x", "KiB x", "alloc x", "setup x"]
    assert flow.split() == ["I32", "flow", "1.50", "1.00", "1.50", "=", "0.50"]
    assert raw.split() == ["I32", "raw", "1.00", "0.50", "0.50", "0.00", "1.00"]


def test_pf8_what_is_not_the_same_is_named(tmp_path):
    now = "I32,raw,300,0,3e6,0.02,14,0.5,0.1,x\nP128,raw,600,0,3e6,0.02,14,0.5,0.1,x\n"
    done = compare(tmp_path, HEADER + "\n" + BEFORE, HEADER + "\n" + now)
    before = tmp_path / "before"
    assert done.stdout.splitlines()[2:] == [f"I32 raw is not the same work: 600 data and 0 control hops in {before}",
                                            f"not in {before}: P128 raw", f"only in {before}: I32 flow"]


def test_pf8_what_bench_fabric_writes_is_read(rows, tmp_path):
    text = "".join(",".join(line) + "\n" for line in (COLUMNS, *(row.values() for row in rows.values())))
    done = compare(tmp_path, text, text)
    assert (done.returncode, done.stdout.count("1.00") + done.stdout.count("=")) == (0, 10)
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize("text, words", [
    (None, "there is no such file"),
    ("", "cannot be read"),
    (HEADER.replace("setup_s", "walk_s") + "\n" + BEFORE, "there is no column setup_s"),
    (HEADER + "\n", "and at least one"),
    (HEADER + "\n" + BEFORE + BEFORE, "allowed is one row for each workload and version"),
    (HEADER + "\n" + BEFORE.replace("600", "-6", 1), "data_hops of I32 raw is -6, allowed is a number from 0"),
    (HEADER + "\n" + BEFORE.replace(",14,", ",many,"), "kib_per_host of I32 raw is many, allowed is a number from 0"),
])
def test_pr4_a_file_to_compare_with_that_is_bad(text, words, tmp_path):
    done = compare(tmp_path, text, HEADER + "\n" + BEFORE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(str(tmp_path / "before/bench.csv")) and done.stderr.count("\n") == 1
    assert words in done.stderr
