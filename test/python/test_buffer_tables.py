# SPDX-License-Identifier: GPL-2.0-only
"""ports.csv and channels.csv against the capture of the same run (SC-6): what came in, what began to leave, and what waited between."""
import collections

import pytest

from programs import read_csv, run_well
from test_capture import FCS, HEADER, LEAD, bits, read_capture

LATENCY = 350  # ns, of a switch
ON_WIRE = HEADER + FCS
UNIT = 256  # bytes

RUNS = [("fabric-incast", "--senders=12", "--bytes=64KiB", "--victim=off"),
        ("fabric-permutation", "--pattern=uniform", "--load=0.7", "--bytes=10000", "--warmUp=5us", "--duration=15us")]


def data_frames(folder):
    """@return what switch 0 took into its buffers and what it began to send: time in ns, port, source, destination and bytes on the wire"""
    came, went = [], []
    for path in folder.glob("first-*.pcap"):
        port = int(path.stem.split("-")[-1])
        for time, size, record in read_capture(path):
            frame = record[LEAD:]
            is_sent, is_ethernet = record[1] & 1, record[1] & 2
            if is_ethernet or bits(frame, 0, 16) == 0:
                continue
            row = (time if is_sent else time + LATENCY, port, bits(frame, 0, 16) - 1, bits(frame, 16, 16) - 1, size - LEAD)
            (went if is_sent else came).append(row)
    return came, went


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: run[0])
def buffers(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("buffers")
    run_well(request.param[0], "--k=4", *request.param[1:], "--samplePeriod=333ns", "--sampleQueues=true", "--channels", f"--pcap={folder}/first", f"--out={folder}/out")
    return folder / "out", *data_frames(folder)


def test_sc6_samples_of_ports_are_those_of_the_capture(buffers):
    folder, came, went = buffers
    outputs, inputs = collections.defaultdict(set), collections.defaultdict(set)
    for rows, ports in ((went, outputs), (came, inputs)):
        for _, port, source, target, _ in rows:
            ports[source, target].add(port)
    looked = 0
    for row in read_csv(folder / "ports.csv"):
        port, now = int(row["port"]), float(row["time_s"]) * 1e9
        # Times of captures are whole ns, so what happens within the last one may be later.
        if row["switch"] != "0" or any(now - 1 < frame[0] <= now for frame in came + went):
            continue
        flows = [flow for flow, ports in outputs.items() if port in ports]
        here = [frame for frame in came if frame[0] <= now]
        left = [frame for frame in went if frame[0] <= now]
        assert int(row["sent_bytes"]) == sum(frame[4] for frame in left if frame[1] == port)
        if all(len(outputs[flow]) == 1 for flow in flows):  # else nobody sees which of them a frame waits for
            waiting = sum(frame[4] for frame in here if frame[2:4] in flows) - sum(frame[4] for frame in left if frame[1] == port)
            assert int(row["queued_bytes"]) == waiting
            looked += 1
        if all(len(ports) == 1 for ports in inputs.values()):
            held = sum(frame[4] for frame in here if frame[1] == port) - sum(frame[4] for frame in left if port in inputs[frame[2:4]])
            assert int(row["held_bytes"]) == held
    assert looked > 25


def test_sc5_samples_of_queues_are_those_of_the_capture(buffers):
    folder, came, went = buffers
    queues = [row for row in read_csv(folder / "queues.csv") if row["switch"] == "0"]
    waiting = collections.Counter()
    for row in queues:
        assert (row["queue"], row["vc"], row["traffic_class"]) == ("flow", "0", "0")
        waiting[row["time_s"], row["src"], row["dst"]] += int(row["queued_bytes"])
    looked = 0
    for (time, src, dst), found in waiting.items():
        now, flow = float(time) * 1e9, (int(src), int(dst))
        if any(now - 1 < frame[0] <= now for frame in came + went):
            continue
        assert found == sum(sign * frame[4] for frames, sign in ((came, 1), (went, -1)) for frame in frames if frame[2:4] == flow and frame[0] <= now)
        looked += 1
    assert looked > 25
    ports = collections.Counter()
    for row in queues:
        ports[row["time_s"], row["output"]] += int(row["queued_bytes"])
    assert ports == {(row["time_s"], row["port"]): int(row["queued_bytes"]) for row in read_csv(folder / "ports.csv")
                     if row["switch"] == "0" and row["queued_bytes"] != "0"}


def test_sc5_queues_say_what_holds_them(tmp_path):
    """Each tool alone holds queues for its own reason, and none does without tools."""
    reasons = {"none": set(), "hop-credits": {"hop-credits"}, "endpoint,injection-limit": {"limit"}, "endpoint,injection-limit,pacing": {"limit", "pacing"}}
    for tools, expected in reasons.items():
        run_well("fabric-congestion", "--k=8", "--senders=120", "--bytes=4MiB", "--aloneTime=6us", "--duration=60us", f"--tools={tools}", "--samplePeriod=5us",
                 "--sampleQueues=true", f"--out={tmp_path}/out", "--force=true")
        found = {reason for row in read_csv(tmp_path / "out/queues.csv") for reason in row["held_by"].split("+") if reason}
        assert found - {"turn"} == expected, tools


def test_sc6_figures_of_flow_channels_are_those_of_the_capture(buffers):
    folder, came, went = buffers
    rows = [row for row in read_csv(folder / "channels.csv") if row["switch"] == "0"]
    for row in rows:
        opened, closed = float(row["opened_s"]) * 1e9, float(row["closed_s"] or "inf") * 1e9
        flow = int(row["src"]), int(row["dst"])
        # Times of captures are whole ns.
        joined = [frame for frame in came if frame[1] == int(row["port"]) and frame[2:4] == flow and opened - 1.5 <= frame[0] <= closed + 1.5]
        sent = [frame for frame in went if frame[1] == int(row["output"]) and frame[2:4] == flow and opened - 1.5 <= frame[0] <= closed + 1.5]
        assert (int(row["frames"]), int(row["frames_sent"])) == (len(joined), len(sent))
        assert int(row["bytes"]) == sum(frame[4] - ON_WIRE for frame in joined)
        assert int(row["bytes_sent"]) == sum(frame[4] - ON_WIRE for frame in sent)
        units = [(frame[0], sign * -(-(frame[4] - ON_WIRE) // UNIT)) for frames, sign in ((joined, 1), (sent, -1)) for frame in frames]
        waiting = most = 0
        for _, change in sorted(units, key=lambda step: (step[0], -step[1])):
            waiting += change
            most = max(most, waiting)
        assert (int(row["queue_units"]), int(row["peak_queue_units"])) == (waiting, most)
    assert len(rows) > 15
