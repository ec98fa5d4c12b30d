# SPDX-License-Identifier: GPL-2.0-only
"""PF-1, PF-3: what bench-fabric says that does not depend on the machine."""
import csv
import json
import re

import pytest

from programs import ROOT, read_csv, run, run_well

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
    assert 0 < float(twice["kib_per_host"]) < 42  # of which 8 are packets in flight, and 7 objects of ns-3
    assert float(twice["allocations_per_data_hop"]) < 5e-3
    assert int(twice["data_hops"]) > 1.9 * int(once["data_hops"])
    # Events are of messages, of time-outs and of the windows of switches, not of packets.
    more_hops = int(twice["data_hops"]) - int(once["data_hops"])
    assert int(twice["events"]) - int(once["events"]) < 0.01 * more_hops


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
    assert set(words) == set(re.findall(r"\b(?:[PI]\d+\w*|SPARSE)\b", section))


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


# ---- files and common options ----


def test_sc5_there_is_a_manifest(tmp_path):
    run_well("bench-fabric", "--workload=I32", "--repeat=1", "--bytes=64KiB", f"--out={tmp_path}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench.csv", "manifest.json"]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["program"] == "bench-fabric"
    assert manifest["options"]["workload"] == "I32" and manifest["options"]["bytes"] == "64KiB"
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


# ---- --compare ----


@pytest.fixture
def earlier(tmp_path):
    """The path of a bench.csv of an earlier run."""
    run_well("bench-fabric", "--workload=I32", "--repeat=1", f"--out={tmp_path / 'earlier'}")
    return tmp_path / "earlier" / "bench.csv"


def rewrite(path, change):
    """Lets a function change the rows of a CSV file."""
    rows = read_csv(path)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(change(rows))


def compare(earlier, *arguments):
    """@return what is printed of ratios for each row: {"I32 raw": [...]}, the lines after the table, and the new rows"""
    out = earlier.parents[1] / "now"
    printed = run_well("bench-fabric", "--repeat=1", f"--compare={earlier}", f"--out={out}", *arguments)
    header, *lines = printed.splitlines()
    assert header.endswith("|  hops/s x  ev/hop x     KiB x   alloc x   setup x")
    ratios = {" ".join(line.split()[:2]): line.split("|")[1] for line in lines if "|" in line}
    return ratios, [line for line in lines if "|" not in line], read_csv(out / "bench.csv")


def test_pf8_ratios_are_now_by_before(earlier):
    def change(rows):
        rows[0].update(events=2 * int(rows[0]["events"]), kib_per_host=10 * float(rows[0]["kib_per_host"]),
                       allocations_per_data_hop="0.5")
        return rows

    rewrite(earlier, change)
    ratios, after, now = compare(earlier, "--workload=I32")
    assert after == []
    before = read_csv(earlier)
    for old, new in zip(before, now):
        shown = ratios[f"I32 {old['version']}"].split()
        hops = int(old["data_hops"]) + int(old["control_hops"])
        assert float(shown[0]) == pytest.approx(float(new["hops_per_s"]) / (hops / float(old["run_s"])), abs=0.006)
        assert float(shown[4]) == pytest.approx(float(new["setup_s"]) / float(old["setup_s"]), abs=0.006)
    assert ratios["I32 raw"].split()[1:4] == ["0.50", "0.10", "0.00"]
    assert ratios["I32 flow"].split()[1:4] == ["1.00", "1.00", "="]


def test_pf8_what_only_one_of_both_has_is_named(earlier):
    def change(rows):
        rows[0]["allocations_per_data_hop"] = "0"
        return [rows[0], {**rows[1], "workload": "P128"}, {**rows[1], "workload": "OLD"}]

    rewrite(earlier, change)
    ratios, after, _ = compare(earlier, "--workload=I32")
    assert ratios["I32 flow"].split() == ["-"] * 5
    assert after == [f"not in {earlier}: I32 flow", f"only in {earlier}: P128 flow, OLD flow"]


def test_pf8_other_work_is_named(earlier):
    _, after, now = compare(earlier, "--workload=I32", "--version=raw", "--bytes=64KiB")
    old = read_csv(earlier)[0]
    assert old["data_hops"] != now[0]["data_hops"]
    assert after[0] == f"I32 raw is not the same work: {old['data_hops']} data and 0 control hops in {earlier}"
    assert after[1] == f"only in {earlier}: I32 flow"


def test_pf8_a_file_with_the_line_ends_and_columns_of_another_system(earlier):
    lines = earlier.read_text().splitlines()
    earlier.write_bytes("\r\n".join([lines[0] + ",remark", *(line + ",fine" for line in lines[1:]), ""]).encode())
    ratios, after, _ = compare(earlier, "--workload=I32")
    assert after == [] and len(ratios) == 2


HEADER = ",".join(COLUMNS)
ROW = "P128,raw,600,0,5,0.1,0.2,3000,0.01,14,0,0.001,1,0.3"


@pytest.mark.parametrize("text, words", [
    (None, "cannot be read, or is empty; allowed is the bench.csv"),
    ("", "cannot be read, or is empty"),
    ("\n", "there is no column workload; allowed is the bench.csv of bench-fabric --out=DIR"),
    ("metric,subject,value,unit\n", "there is no column workload"),
    (HEADER.replace("run_s", "walk_s") + "\n", "there is no column run_s"),
    (HEADER + "\n", "has no rows"),
    (f"{HEADER}\nP128,raw\n", "line 2: has 2 fields; allowed are 14, as in the header"),
    (f"{HEADER}\n{ROW}\n\n", "line 3: has 0 fields"),
    (f"{HEADER}\n{ROW.replace('600', '0')}\n", "line 2 data_hops=0: allowed is a whole number from 1"),
    (f"{HEADER}\n{ROW.replace('600', '-6')}\n", "line 2 data_hops=-6: allowed is"),
    (f"{HEADER}\n{ROW.replace(',0.2,', ',0,')}\n", "line 2 run_s=0: allowed is a number from 1e-09"),
    (f"{HEADER}\n{ROW.replace(',0.2,', ',nan,')}\n", "line 2 run_s=nan: allowed is"),
    (f"{HEADER}\n{ROW.replace(',14,', ',many,')}\n", "line 2 kib_per_host=many: allowed is"),
    (f"{HEADER}\n{ROW}\n{ROW}\n", "line 3: P128 raw is there twice"),
])
def test_pr4_a_file_to_compare_with_that_is_bad(text, words, tmp_path):
    path = tmp_path / "bench.csv"
    if text is not None:
        path.write_text(text)
    done = run("bench-fabric", "--workload=P8192", "--repeat=99", f"--compare={path}", f"--out={tmp_path / 'out'}", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"--compare={path}") and done.stderr.count("\n") == 1
    assert words in done.stderr
    assert not (tmp_path / "out").exists()


def test_pr4_a_folder_to_compare_with(tmp_path):
    done = run("bench-fabric", f"--compare={tmp_path}", timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert "cannot be read" in done.stderr
