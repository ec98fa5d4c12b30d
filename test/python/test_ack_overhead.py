# SPDX-License-Identifier: GPL-2.0-only
"""fabric-ack-overhead against closed forms: what ACKs cost (WL-2, WL-3) and the flow_ids that are needed (FC-9)."""
import subprocess

import pytest

from programs import BIN, ROOT, python, read_csv, subject_of

PROGRAM = BIN / "fabric-ack-overhead"
LINK_RATE = 200e9
SIZES = (64, 256, 1024, 4096)


def run(folder, *arguments):
    """@return the folder of a run"""
    subprocess.run([PROGRAM, *arguments, "--check", f"--out={folder}"], stdout=subprocess.DEVNULL, timeout=60, check=True)
    return folder


def figures(folder):
    """@return the figures of a run without a subject"""
    return {row["metric"]: float(row["value"]) for row in read_csv(folder / "summary.csv") if not subject_of(row)}


def bytes_of_ack_frame(acks):
    """@return WL-2: 25 bits for each ACK, 9 bytes of framing"""
    return 9 + (25 * acks + 7) // 8


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders by payload and whether the link back is busy."""
    root = tmp_path_factory.mktemp("acks")
    return {(size, busy): run(root / f"{size}-{busy}", f"--frameBytes={size}", f"--reverse={busy}", "--duration=100us")
            for size in SIZES for busy in ("false", "true")}


def test_wl2_an_ack_alone(tmp_path):
    found = figures(run(tmp_path, "--frameBytes=4096", "--load=0.01", "--duration=2ms"))
    assert found["acks_per_frame"] == pytest.approx(1, rel=0.02)
    assert found["ack_bytes_per_ack"] == pytest.approx(bytes_of_ack_frame(1), rel=0.02)
    # There 100 ns and 350 ns of the switch, 30 ns for more ACKs, the ACK frame, back 100 ns and 50 ns.
    assert found["packet_to_ack_time"] == pytest.approx(630e-9 + bytes_of_ack_frame(1) * 8 / LINK_RATE, rel=0.01)


def test_wl2_a_full_frame_costs_6_percent_of_framing(tmp_path):
    timers = [f"--ns3::FabricSwitch::Ack{name}Timer=1us" for name in ("Idle", "Busy", "Longest")]
    found = figures(run(tmp_path, "--frameBytes=64", "--duration=50us", *timers))
    assert found["acks_per_frame"] == pytest.approx(48, rel=0.01)
    assert found["ack_bytes_per_ack"] == pytest.approx(bytes_of_ack_frame(48) / 48, rel=0.01)
    assert found["ack_overhead"] / found["ack_overhead_ideal"] == pytest.approx(1.06, rel=0.01)


def test_wl3_overhead_lies_between_a_full_frame_and_an_ack_alone(runs):
    for case, folder in runs.items():
        found = figures(folder)
        assert bytes_of_ack_frame(48) / 48 <= found["ack_bytes_per_ack"] <= bytes_of_ack_frame(1), case
        assert found["ack_overhead"] == pytest.approx(8 * found["ack_rate"] * found["ack_bytes_per_ack"] / LINK_RATE), case
        assert found["ack_overhead_ideal"] == pytest.approx(25 * found["ack_rate"] / LINK_RATE), case


@pytest.mark.parametrize("busy", ["false", "true"])
def test_wl3_an_ack_costs_less_the_more_there_are(runs, busy):
    found = [figures(runs[size, busy]) for size in SIZES]
    rates = [figure["ack_rate"] for figure in found]
    costs = [figure["ack_bytes_per_ack"] for figure in found]
    assert rates == sorted(rates, reverse=True)
    assert costs == sorted(costs)


def test_wl3_more_acks_go_together_on_a_busy_link(runs):
    for size in (64, 256):
        idle, busy = (figures(runs[size, busy])["acks_per_frame"] for busy in ("false", "true"))
        assert busy > 1.3 * idle


def test_fc9_ids_needed_are_packet_rate_times_packet_to_ack_time(runs):
    for case, folder in runs.items():
        found = figures(folder)
        assert found["flow_ids_needed"] == pytest.approx(found["packet_rate"] * found["packet_to_ack_time"]), case
        assert found["flow_ids_needed"] == pytest.approx(found["flow_ids_mean"], rel=0.05), case
        assert found["flow_ids_mean"] < found["flow_ids_peak"], case


@pytest.mark.parametrize("size, load", [(64, 0.01), (4096, 0.1)])
def test_fc9_a_packet_needs_its_id_for_the_way_there_and_back(size, load, tmp_path):
    options = [f"--frameBytes={size}", "--linkDelay=50us", f"--load={load}"]
    found = figures(run(tmp_path, *options))
    assert 100e-6 + 350e-9 < found["packet_to_ack_time"] < 100e-6 + 900e-9
    # One duration of the run is as good as another.
    other = figures(run(tmp_path / "other", *options, "--duration=700us"))
    assert other["packet_to_ack_time"] == pytest.approx(found["packet_to_ack_time"], rel=0.02)


def test_fc9_flows_with_several_frames_under_way_say_nothing_of_one(tmp_path):
    found = figures(run(tmp_path, "--frameBytes=4096", "--linkDelay=50us"))  # buffers for links of 50 us would be larger
    assert not {"packet_to_ack_time", "flow_ids_needed"} & found.keys()


def test_fc9_fewer_ids_than_needed_limit_the_packet_rate(tmp_path):
    # With fewer ids than receivers a host's frames wait in line for ids, so no two of a flow are in the switch.
    ids = 14
    found = figures(run(tmp_path, "--frameBytes=64", "--duration=100us", f"--ns3::FabricSwitch::FlowIds={ids}"))
    assert found["flow_ids_peak"] == ids
    assert found["packet_to_ack_time"] == pytest.approx(630e-9, rel=0.01)
    assert found["packet_rate"] == pytest.approx(ids / 630e-9, rel=0.01)


def test_dp5_look_ahead_changes_no_byte(runs, tmp_path):
    folder = run(tmp_path, "--frameBytes=256", "--reverse=true", "--duration=100us", "--lookahead=off")
    for name in ("summary.csv", "messages.csv"):
        assert (folder / name).read_bytes() == (runs[256, "true"] / name).read_bytes()


@pytest.mark.parametrize("argument, words", [
    ("--hosts=0", "--hosts=0: allowed is a whole number from 1 to 64"),
    ("--frameBytes=63", "--frameBytes=63: allowed is a size from 64 to 4KiB"),
    ("--load=1.1", "--load=1.1: allowed is a number from 0.001 to 1"),
    ("--duration=1us", "--duration=1us: allowed is at least 1"),
])
def test_pr4_mistakes_end_in_one_sentence(argument, words):
    done = subprocess.run([PROGRAM, argument], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-ack-overhead.py", *arguments], capture_output=True, text=True,
                          timeout=60)


def test_sc6_picture_is_drawn(runs, tmp_path):
    for folders in (runs.values(), [runs[64, "true"]]):
        picture = tmp_path / "picture.png"
        done = plot(*folders, "--output", picture)
        assert (done.returncode, done.stderr) == (0, "")
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size > 10000


def test_runs_that_do_not_fit_end_in_one_sentence(runs, tmp_path):
    other = run(tmp_path / "other", "--linkRate=100Gbps", "--duration=10us")
    for folders, words in (([runs[64, "true"], other], "the runs have different --linkRate"),
                           ([tmp_path / "none"], "none: there is no such folder; fabric-ack-overhead --out=")):
        done = plot(*folders, "--output", tmp_path / "picture.png")
        assert done.returncode == 2
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
