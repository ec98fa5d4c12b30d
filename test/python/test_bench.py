# SPDX-License-Identifier: GPL-2.0-only
"""PF-1, PF-3: what bench-fabric says that does not depend on the machine."""
import pytest

from programs import ROOT, read_csv, run_well

COLUMNS = ["workload", "version", "data_hops", "control_hops", "events", "setup_s", "run_s", "hops_per_s", "events_per_data_hop",
           "kib_per_host", "allocations_per_data_hop", "simulated_s", "threads", "wall_s"]

FRAMES = 128 * -(-16_000_000 // 4096)  # P128: 128 hosts send 16 MB each


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The rows of P128 in both versions, by version."""
    folder = tmp_path_factory.mktemp("bench")
    printed = run_well("bench-fabric", "--workload=P128", "--repeat=1", f"--out={folder}")
    assert [line.split()[:2] for line in printed.splitlines()] == [["workload", "version"], ["P128", "raw"], ["P128", "flow"]]
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
