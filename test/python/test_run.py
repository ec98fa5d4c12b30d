# SPDX-License-Identifier: GPL-2.0-only
"""FF-1 to FF-8: fabric-run reads the files of ns-3's RDMA forks, of htsim and of LogGOPSim, and writes fct.txt, pfc.txt and queue lengths."""
import random
import re
import subprocess

import pytest

from fabric_sim.plots.run import draw, draw_transports, flows_of
from fabric_sim.results import read_run
from programs import OVERHEAD, ROOT, SWITCH_LATENCY, python, read_csv, run, run_well, summary_of

RACKS = f"--topology={ROOT}/examples/topologies/two-racks.txt"
INCAST = f"--flows={ROOT}/examples/flows/incast.txt"
RING = [f"--flows={ROOT}/examples/flows/ring-allreduce.cm", "--format=htsim"]
SWITCH = "--ns3::FabricSwitch::"
SLOW, FAST, DELAY = 100e9, 200e9, 1e-6  # bit/s, s: links of two-racks.txt


def fct_of(folder):
    """@return the lines of fct.txt, with numbers behind both addresses"""
    lines = [line.split() for line in (folder / "fct.txt").read_text().splitlines()]
    return [(line[0], line[1], *map(int, line[2:])) for line in lines]


def frame(payload, rate):
    return (payload + OVERHEAD) * 8 / rate


def store_and_forward(frames):
    """@return when the last of some frames is there, over the four links and three switches between the racks"""
    there = [0.0] * len(frames)
    for link, rate in enumerate((SLOW, FAST, FAST, SLOW)):
        free = 0.0
        for i, payload in enumerate(frames):
            free = max(free, there[i] + (SWITCH_LATENCY if link > 0 else 0)) + frame(payload, rate)
            there[i] = free + DELAY
    return there[-1]


@pytest.mark.parametrize("size, frames", [(1, [1]), (4096, [4096]), (10000, [4096, 4096, 1808])])
def test_ff4_a_flow_alone_takes_its_ideal_time(tmp_path, size, frames):
    (tmp_path / "flow.txt").write_text(f"1\n0 7 3 100 {size} 0.002\n")
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}", f"{SWITCH}Forwarding=store-and-forward")
    assert summary["fct", "stat=max"] == pytest.approx(store_and_forward(frames), abs=2e-12)
    assert summary["slowdown", "stat=max"] == 1
    ideal = float(read_csv(tmp_path / "out/messages.csv")[0]["ideal_s"])
    assert summary["fct", "stat=min"] == summary["fct", "stat=max"] == ideal
    (line,) = fct_of(tmp_path / "out")
    assert line[:6] == ("0b000001", "0b000701", 10000, 100, size, 2_000_000)
    assert line[6] == round(ideal * 1e9)


def test_ff4_standalone_times_are_those_of_the_formula(tmp_path):
    (tmp_path / "flow.txt").write_text("1\n0 7 3 100 10000 0\n")
    run_well("fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}", f"--out={tmp_path / 'out'}", f"{SWITCH}Latency=0ns", f"{SWITCH}ControlLatency=0ns")
    base = 2 * 4 * DELAY + 4096 * 8 * (2 / SLOW + 2 / FAST)
    assert fct_of(tmp_path / "out")[0][7] == round((base + (10000 + 3 * OVERHEAD) * 8 / SLOW) * 1e9)


def test_ff2_an_incast_of_a_flow_list(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST)
    assert summary["flows", ""] == summary["flows_done", ""] == 5
    assert summary["bytes_delivered", ""] == 4_020_000
    assert summary["flows_done", "size=1000000"] == 4 and summary["flows_done", "size=100000"] == 1
    assert summary["slowdown", "stat=p99;size=100000"] == 1  # between hosts of the other switch
    assert 3.7 < summary["slowdown", "stat=mean;size=1000000"] < 4
    assert [line[:2] for line in fct_of(tmp_path / "out")][0] == ("0b000201", "0b000101")
    assert {line[3] for line in fct_of(tmp_path / "out")} == {100, 101, 102, 103}


@pytest.mark.parametrize("hosts, size", [(126, 16384), (40, 65536), (8, 1 << 20)])
@pytest.mark.parametrize("newcomer", [1, 64])
def test_cm2_a_message_after_an_incast_takes_as_long_as_alone(hosts, size, newcomer, tmp_path):
    """The severity that the incast had is taken down slowly; who comes to the idle link must not pay for it."""
    senders = [host for host in range(2, 128) if host != 64][:hosts]
    flows = [f"{host} 0 0 100 {size} 0" for host in senders for _ in range(4)]

    def times(late):
        (tmp_path / "flow.txt").write_text("\n".join([str(len(flows + late)), *flows, *late]) + "\n")
        run_well("fabric-run", "--k=8", f"--flows={tmp_path / 'flow.txt'}", f"--out={tmp_path / 'out'}", "--force")
        return read_csv(tmp_path / "out/messages.csv")

    end = max(float(message["end_s"]) for message in times([]))
    for later in (5e-6, 30e-6, 100e-6):  # it is alone once no other has come for a round trip
        late = [message for message in times([f"{newcomer} 0 0 100 65536 {end + later:.9f}"]) if int(message["src"]) == newcomer]
        (message,) = late
        assert float(message["fct_s"]) <= 1.05 * float(message["ideal_s"]), f"{later} s after the incast"


def test_ff2_nodes_are_those_of_the_topology(tmp_path):
    (tmp_path / "topology.txt").write_text("4 1 3\n1\n0 1 100Gbps 1us 0\n2 1 100Gbps 1us 0\n3 1 100Gbps 1us 0\n")
    (tmp_path / "flow.txt").write_text("2\n0 3 9 500 0\n3 2 0 500 0\n")
    options = [f"--topology={tmp_path / 'topology.txt'}", f"--flows={tmp_path / 'flow.txt'}", "--classes=1,0,0,0,0,0,0,0,0,5"]
    run_well("fabric-run", *options, f"--out={tmp_path / 'out'}")
    assert [line[:2] for line in sorted(fct_of(tmp_path / "out"))] == [("0b000001", "0b000301"), ("0b000301", "0b000201")]
    messages = sorted((row["src"], row["dst"], row["traffic_class"]) for row in read_csv(tmp_path / "out/messages.csv"))
    assert messages == [("0", "2", "5"), ("2", "1", "1")]  # hosts count without the switch


def test_ff6_a_matrix_with_triggers(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, *RING)
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    assert [start for start, _ in rows] == [0] * 4 + [rows[0][1]] * 4
    assert summary["completion_time", ""] == 2 * rows[0][1]
    assert summary["slowdown", "stat=max"] == 1


def test_ff7_a_trace(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal")
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    assert len(rows) == 6 and rows[0][0] == 0
    for (_, end), (start, _) in zip(rows, rows[1:]):
        assert start == pytest.approx(end + 10e-6, abs=2e-12)
    assert summary["execution_time", ""] == summary["completion_time", ""] == rows[-1][1]
    assert summary["operations", ""] == summary["operations_done", ""] == 17


def test_ff7_calculations_after_the_last_message_count(tmp_path):
    (tmp_path / "a.goal").write_text("num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\nb: calc 50000\nb requires a\n}\n")
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={tmp_path / 'a.goal'}", "--format=goal")
    assert summary["execution_time", ""] == pytest.approx(summary["completion_time", ""] + 50e-6, abs=2e-12)


def test_ff6_priorities_of_a_matrix_are_left_out_with_a_warning(tmp_path):
    (tmp_path / "prio.cm").write_text("Nodes 4\nConnections 1\n0->1 id 1 start 0 size 100 prio 2\n")
    done = run("fabric-run", RACKS, f"--flows={tmp_path / 'prio.cm'}", "--format=htsim")
    assert (done.returncode, done.stderr) == (0, f"warning: {tmp_path / 'prio.cm'}:3: prio is left out, here and wherever it stands\n")


def test_ff2_lines_beyond_the_count_are_left_out_with_a_warning(tmp_path):
    (tmp_path / "flow.txt").write_text("1\n0 1 3 100 1000 0\n1 0 3 100 1000 0\n")
    done = run("fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}")
    assert (done.returncode, done.stderr) == (0, f"warning: {tmp_path / 'flow.txt'}:3: this line and all after it are left out, since the first "
                                                 "line says 1 flows\n")
    assert re.search(r"^flows_done +1$", done.stdout, re.M)


def test_ff1_links_beyond_the_count_are_left_out_with_a_warning(tmp_path):
    """As HPCC reads the topology.txt that comes with it."""
    (tmp_path / "topology.txt").write_bytes(b"3 1 2\r\n0\r\n0 1 100Gbps 0.001ms 0\r\n0 2 100Gbps 0.001ms 0\r\n0 3 100Gbps 0.001ms 0\r\n")
    (tmp_path / "flow.txt").write_text("1\n1 2 3 100 1000 0\n")
    done = run("fabric-run", f"--topology={tmp_path / 'topology.txt'}", f"--flows={tmp_path / 'flow.txt'}")
    assert (done.returncode, done.stderr) == (0, f"warning: {tmp_path / 'topology.txt'}:5: this line and all after it are left out, since the "
                                                 "first line says 2 links\n")
    assert re.search(r"^flows_done +1$", done.stdout, re.M)


def test_ff6_connections_of_size_0_have_no_end(tmp_path):
    """As in htsim; two of them share a link to the last byte of the run, and the short one is done."""
    (tmp_path / "a.cm").write_text("Nodes 4\nConnections 3\n0->2 start 0.000000 size 0\n1->2 start 0.000000 size 0\n3->0 start 0 size 1000\n")
    options = ["--topology=switch", "--k=4", f"--flows={tmp_path / 'a.cm'}", "--format=htsim", "--check"]
    summary = summary_of(tmp_path / "out", "fabric-run", *options, "--duration=100us")
    offered = 2 * 200e9 / 8 * 100e-6 + 1000  # what links carry in the run
    assert summary["bytes_offered", ""] == offered
    assert (summary["flows", ""], summary["flows_done", ""]) == (3, 1)
    assert 0.97 * offered / 2 < summary["bytes_delivered", ""] < offered / 2  # the link of host 2, but for headers
    done = run("fabric-run", *options)
    assert (done.returncode, done.stderr) == (2, f"{tmp_path / 'a.cm'}:3: the connection has size 0, and so no end; allowed is that with --duration\n")


@pytest.mark.parametrize("transport", ("rt", "pio", "tcp"))
def test_ff6_flows_without_end_over_each_transport(transport, tmp_path):
    (tmp_path / "a.cm").write_text("Nodes 4\nConnections 2\n0->2 start 0 size 0\n3->0 start 0 size 1000\n")
    summary = summary_of(tmp_path / "out", "fabric-run", "--topology=switch", "--k=4", f"--flows={tmp_path / 'a.cm'}", "--format=htsim",
                         f"--transport={transport}", "--duration=100us", "--check")
    assert (summary["flows", ""], summary["flows_done", ""]) == (2, 1)
    assert summary["data_hops", ""] > 100  # 0 sends until the end


def test_ff6_a_connection_without_end_starts_no_other(tmp_path):
    (tmp_path / "a.cm").write_text("Nodes 4\nConnections 2\nTriggers 1\n0->2 id 1 start 0 size 0 recv_done_trigger 1\n"
                                   "2->1 id 2 trigger 1 size 5\ntrigger id 1 oneshot\n")
    done = run("fabric-run", "--topology=switch", "--k=4", f"--flows={tmp_path / 'a.cm'}", "--format=htsim", "--duration=100us")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{tmp_path / 'a.cm'}:5: the connection never starts")


# Rank 0 takes one message of each rank and the others as they come, of any rank or with any tag; the ranks send at times of their own.
WILD = """num_ranks 8
rank 0 {
""" + "".join(f"r{i}: recv 64b from {i + 1 if i < 7 else '-1'} tag {'-1' if i % 2 else '4'}\n" for i in range(28)) + """}
""" + "".join(f"rank {rank} {{ /* sends four\n messages # with one tag or another */\n" + "".join(
    f"c{n}: calc {rank * 37 % 11 * 100 + n * 500}\ns{n}: send {1000 * rank + n}b to 0 tag 4\ns{n} requires c{n}\n" for n in range(4)) + "}\n" for rank in range(1, 8))


@pytest.mark.parametrize("transport", ("raw", "rt", "pio", "tcp"))
def test_ff7_wildcards_are_the_same_with_look_ahead_and_threads(transport, tmp_path):
    (tmp_path / "wild.goal").write_text(WILD)
    files = []
    for name, options in (("usual", []), ("events", ["--lookahead=off"]), ("threads", ["--threads=2"])):
        if transport == "tcp" and name == "threads":
            continue  # refused
        run_well("fabric-run", "--k=4", f"--flows={tmp_path / 'wild.goal'}", "--format=goal", f"--transport={transport}", *options,
                 f"--out={tmp_path / name}")
        files.append([(tmp_path / name / file).read_text() for file in ("summary.csv", "messages.csv", "fct.txt")])
    assert files[1:] == files[:-1]
    summary = {row["metric"]: row["value"] for row in read_csv(tmp_path / "usual/summary.csv") if not row.get("status")}
    assert summary["operations"] == summary["operations_done"] == "84"


def test_ff7_an_operation_whose_message_another_one_has_taken_is_told(tmp_path):
    """Which messages wildcards take is known in the run alone."""
    text = "num_ranks 3\nrank 0 {\na: calc WAIT\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b from -1\nb: recv 8b from 0\n"
    text += "c: send 9b to 2\nb requires a\nc requires b\n}\nrank 2 {\na: calc 5000\nb: send 8b to 1\nb requires a\n}\n"
    (tmp_path / "late.goal").write_text(text.replace("WAIT", "9000"))
    summary = summary_of(tmp_path / "out", "fabric-run", "--k=4", f"--flows={tmp_path / 'late.goal'}", "--format=goal")
    assert summary["operations_done", ""] == 7
    (tmp_path / "early.goal").write_text(text.replace("WAIT", "100"))
    for transport in ("raw", "rt"):
        done = run("fabric-run", "--k=4", f"--flows={tmp_path / 'early.goal'}", "--format=goal", f"--transport={transport}")
        assert (done.returncode, done.stderr) == (2, f"{tmp_path / 'early.goal'}:9: the operation is never done, since it waits in a circle or for a "
                                                     "message that nobody sends or another receive has taken; allowed are operations that end\n")


# Rank 0 sends on what its second receive gets, which begins before the first one or after it.
RACE = """num_ranks 2
rank 0 {
a: calc FIRST
b: calc 1 cpu 1
c: recv 8b from 1
d: recv 8b from 1
e: send 8b to 1
c requires a
d requires b
e requires d
}
rank 1 {
a: send 8b to 0
b: recv 8b from 0
c: send 8b to 0
c requires b
}
"""


def test_ff7_a_trace_that_ends_by_the_times_of_its_calculations_runs_and_what_does_not_is_told(tmp_path):
    (tmp_path / "race.goal").write_text(RACE.replace("FIRST", "1000000"))
    summary = summary_of(tmp_path / "out", "fabric-run", "--topology=switch", "--k=4", f"--flows={tmp_path / 'race.goal'}", "--format=goal")
    assert summary["operations_done", ""] == 8
    assert summary["execution_time", ""] == pytest.approx(1e-3)
    (tmp_path / "stuck.goal").write_text(RACE.replace("FIRST", "0"))
    done = run("fabric-run", "--topology=switch", "--k=4", f"--flows={tmp_path / 'stuck.goal'}", "--format=goal")
    assert (done.returncode, done.stderr) == (2, f"{tmp_path / 'stuck.goal'}:6: the operation is never done, since it waits in a circle or for a "
                                                 "message that nobody sends or another receive has taken; allowed are operations that end\n")


def test_ff5_pauses_and_queues(tmp_path):
    pauses = [f"{SWITCH}EdgeFlowControl=pause", f"{SWITCH}LinkFlowControl=pause", f"{SWITCH}BufferBytes=2000000"]
    run_well("fabric-run", RACKS, INCAST, *pauses, "--flowChannels=off", "--samplePeriod=10us", f"--out={tmp_path / 'out'}")
    rows = [tuple(map(int, line.split())) for line in (tmp_path / "out/pfc.txt").read_text().splitlines()]
    assert rows == sorted(rows, key=lambda row: row[0]) and {len(row) for row in rows} == {5}
    for node in (4, 5, 6, 7):
        own = [row for row in rows if row[1] == node]
        assert {row[2:4] for row in own} == {(0, 1)}
        assert [row[4] for row in own] == [1, 0] * (len(own) // 2)  # a pause, its end, and so on
    lines = (tmp_path / "out/qlen.txt").read_text().splitlines()
    assert lines[0] == "time 10000"
    ports = [(round(float(row["time_s"]) * 1e9), int(row["switch"]) + 8, int(row["port"]) + 1, int(row["queued_bytes"]))
             for row in read_csv(tmp_path / "out/ports.csv") if row["queued_bytes"] != "0"]
    found, time = [], None
    for line in lines:
        if line.startswith("time"):
            time = int(line.split()[1])
        else:
            found.append((time, *map(int, line.split())))
    assert found == ports


def test_ff1_links_with_errors_repeat_what_they_damage(tmp_path):
    text = (ROOT / "examples/topologies/two-racks.txt").read_text()
    (tmp_path / "lossy.txt").write_text(text.replace("1000ns 0\n", "1000ns 0.01\n"))
    clean = summary_of(tmp_path / "clean", "fabric-run", RACKS, INCAST)
    lossy = summary_of(tmp_path / "lossy", "fabric-run", f"--topology={tmp_path / 'lossy.txt'}", INCAST)
    assert lossy["flows_done", ""] == 5 and lossy["bytes_dropped", "cause=corrupt"] == 0
    assert 1.005 < lossy["completion_time", ""] / clean["completion_time", ""] < 1.15


def test_ff3_flows_are_drawn_and_can_be_run_again(tmp_path):
    options = [RACKS, "--load=0.5", "--arrivalTime=200us"]
    drawn = summary_of(tmp_path / "drawn", "fabric-run", *options, "--cdf=hadoop")
    flows = (tmp_path / "drawn/flow.txt").read_text().splitlines()
    assert int(flows[0]) == len(flows) - 1 == drawn["flows", ""] > 30
    again = summary_of(tmp_path / "again", "fabric-run", RACKS, f"--flows={tmp_path / 'drawn/flow.txt'}")
    assert again == drawn
    written = summary_of(tmp_path / "written", "fabric-run", f"--topology={tmp_path / 'drawn/topology.txt'}", f"--flows={tmp_path / 'drawn/flow.txt'}")
    assert written == drawn
    assert not (tmp_path / "again/flow.txt").exists()
    other = summary_of(tmp_path / "other", "fabric-run", *options, "--cdf=hadoop", "--RngRun=2")
    assert other["flows", ""] != drawn["flows", ""] or other["bytes_offered", ""] != drawn["bytes_offered", ""]


def test_ff1_a_fat_tree_is_written_as_a_file(tmp_path):
    drawn = summary_of(tmp_path / "drawn", "fabric-run", "--k=4", "--cdf=alistorage", "--load=0.4", "--arrivalTime=50us", "--linkRate=100Gbps")
    lines = (tmp_path / "drawn/topology.txt").read_text().splitlines()
    assert lines[:3] == ["36 20 48", " ".join(map(str, range(16, 36))), "0 16 100Gbps 100ns 0"]
    again = summary_of(tmp_path / "again", "fabric-run", f"--topology={tmp_path / 'drawn/topology.txt'}", f"--flows={tmp_path / 'drawn/flow.txt'}")
    for metric in ("flows_done", "bytes_delivered"):
        assert again[metric, ""] == drawn[metric, ""]
    # Ways are chosen otherwise, and are as long.
    assert again["data_hops", ""] == drawn["data_hops", ""]
    assert again["slowdown", "stat=mean"] == pytest.approx(drawn["slowdown", "stat=mean"], rel=0.1)


@pytest.mark.parametrize("name", ["websearch", "hadoop", "alistorage"])
def test_ff3_a_distribution_and_its_file_are_the_same(tmp_path, name):
    options = [RACKS, "--load=0.3", "--arrivalTime=100us"]
    printed = [run_well("fabric-run", *options, f"--cdf={cdf}") for cdf in (name, f"{ROOT}/examples/cdfs/{name}.txt")]
    assert printed[0] == printed[1]


def test_pr2_a_run_ends_at_its_duration(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, "--duration=100us")
    assert summary["simulated_time", ""] == 100e-6
    assert (summary["flows", ""], summary["flows_done", ""]) == (5, 1)
    assert summary["bytes_in_flight", ""] > 0


RT = "--transport=rt"
# Bytes of headers of the transport (RT-2), in frames with OVERHEAD: of data that does not ask, that does, of the request and of the grant.
UNSOLICITED, SOLICITED, REQUEST, GRANT = 64, 68, 60, 56
SOLICIT_ABOVE, MTU = 16384, 4096 - SOLICITED


def pushed(size, asks):
    """@return when the last byte of a push is there, over the links between the racks, that store and forward"""
    header = SOLICITED if asks else UNSOLICITED
    packets = [header + min(MTU, size - offset) for offset in range(0, size, MTU)]
    asked = store_and_forward([REQUEST]) + store_and_forward([GRANT]) if asks else 0
    return asked + store_and_forward(packets)


@pytest.mark.parametrize("size", [1, 4028, 4029, 16384, 16385, 50000, 1 << 20])
@pytest.mark.parametrize("control", ["fixed", "delay", "dcqcn"])
@pytest.mark.parametrize("push", ["auto", "unsolicited", None])
def test_pr3_a_flow_over_the_transport_takes_its_ideal_time(tmp_path, size, control, push):
    (tmp_path / "flow.txt").write_text(f"1\n0 7 3 100 {size} 0.002\n")
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}", RT, f"--congestionControl={control}",
                         "--flowChannels=off", f"{SWITCH}Forwarding=store-and-forward", *([f"--push={push}"] if push else []))
    asks = push == "auto" and size > SOLICIT_ABOVE
    ideal = pushed(size, asks)
    (row,) = read_csv(tmp_path / "out/messages.csv")
    assert float(row["ideal_s"]) == pytest.approx(ideal, abs=1e-11)
    assert ideal - 1e-11 <= summary["fct", "stat=max"] <= 1.001 * ideal  # acknowledgements of grants go between data
    if size <= 65536:
        assert summary["slowdown", "stat=max"] == 1
    assert 2 * ideal - 5e-6 < summary["latency", "stat=max"] < 2 * ideal + 5e-6 or size > SOLICIT_ABOVE  # ACKs are sent before the last
    assert summary["latency", "stat=max"] == float(row["latency_s"]) > float(row["fct_s"])
    (line,) = fct_of(tmp_path / "out")
    assert line[:6] == ("0b000001", "0b000701", 10000, 100, size, 2_000_000)
    assert line[6] == round(summary["fct", "stat=max"] * 1e9)
    latencies = 2 * 3 * SWITCH_LATENCY
    base = 2 * 4 * DELAY + MTU * 8 * (2 / SLOW + 2 / FAST) + latencies
    header = SOLICITED if asks else UNSOLICITED
    assert line[7] == pytest.approx((base + (size + -(-size // MTU) * (header + OVERHEAD)) * 8 / SLOW) * 1e9, abs=1)


def test_ff2_an_incast_over_the_transport(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, RT, "--push=auto")
    assert summary["flows", ""] == summary["flows_done", ""] == summary["operations", "status=ok"] == 5
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == 4_020_000
    assert summary["bytes_in_flight", ""] == summary["bytes_dropped", "cause=failed"] == 0
    assert summary["connections", ""] == 5
    assert summary["packets", ""] > 4 * 249 and summary["resends", ""] == 0
    first = 1_000_000 * 8 / SLOW
    slowdowns = sorted(float(row["slowdown"]) for row in read_csv(tmp_path / "out/messages.csv"))
    assert slowdowns[0] == 1 and slowdowns[1] < 2  # grants go to the first that asks
    assert 4 * first < summary["completion_time", ""] < 4.4 * first
    assert {"summary.csv", "messages.csv", "fct.txt", "manifest.json"} == {path.name for path in (tmp_path / "out").iterdir()}


def test_fc15_dcqcn_over_marks_of_the_switches(tmp_path):
    options = [RACKS, INCAST, RT, "--push=unsolicited"]
    marked = summary_of(tmp_path / "dcqcn", "fabric-run", *options, "--congestionControl=dcqcn")
    assert marked["marked_frames", ""] >= marked["cnps_sent", ""] == marked["cnps_taken", ""] > 0
    fixed = summary_of(tmp_path / "fixed", "fabric-run", *options)
    assert not {("cnps_sent", ""), ("marked_frames", "")} & fixed.keys()
    done = run("fabric-run", *options, "--congestionControl=dcqcn", f"{SWITCH}MarkClasses=0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("--congestionControl=dcqcn: allowed is fixed, delay, or dcqcn with switches that mark: ns3::FabricSwitch::MarkClasses above 0, "
                           "or MarkRules\n")


@pytest.mark.parametrize("seed", range(12))
def test_dp5_hpcc_over_any_fabric_is_the_same_with_threads_and_without_lookahead(seed, tmp_path):
    rng = random.Random(seed)
    shape = rng.choice([["--k=4", "--flowChannels=off"], ["--k=4"], ["--k=6"], ["--topology=dragonfly"], ["--topology=torus"], ["--topology=hyperx"]])
    options = [*shape, f"--cdf={rng.choice(['hadoop', 'alistorage'])}", "--load=0.8", f"--arrivalTime={rng.randint(15, 25)}us", f"--RngRun={seed}", RT,
               "--congestionControl=hpcc", f"--push={rng.choice(['unsolicited', 'auto'])}", f"--connections={rng.choice([1, 8, 256])}", "--check",
               "--ns3::FabricTransport::HpccHops=8", f"--ns3::FabricTransport::AckPackets={rng.choice([1, 8])}",
               *(f"--{fault}={rng.choice([0, 0.02])}" for fault in ("loss", "reorder", "duplicate", "corrupt"))]
    files = set()
    for name, how in {"plain": [], "step": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        summary = summary_of(tmp_path / name, "fabric-run", *options, *how)
        assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] > 0
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "summary.csv", "fct.txt")))
    assert len(files) == 1


def test_ff2_flows_of_a_pair_share_a_connection_or_have_their_own(tmp_path):
    (tmp_path / "flow.txt").write_text("3\n0 7 3 100 3000000 0\n0 7 3 100 1000 0.00001\n0 7 5 100 1000 0.00001\n")
    options = [RACKS, f"--flows={tmp_path / 'flow.txt'}", RT, "--push=unsolicited"]
    shared = summary_of(tmp_path / "shared", "fabric-run", *options, "--connections=1")
    slowdowns = {int(row["traffic_class"]): float(row["slowdown"]) for row in read_csv(tmp_path / "shared/messages.csv") if row["bytes"] == "1000"}
    assert shared["connections", ""] == 2
    assert slowdowns[3] > 20 and slowdowns[5] < 2  # a class has connections of its own
    own = summary_of(tmp_path / "own", "fabric-run", *options)
    assert own["connections", ""] == 3
    assert own["slowdown", "stat=p99;size=1000"] < 2


def test_rt18_flows_that_fail_are_results(tmp_path):
    (tmp_path / "flow.txt").write_text("2\n0 7 3 100 1000 0\n0 7 3 100 1000 1\n")
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}", RT, "--loss=0.9", "--connections=1",
                         "--ns3::FabricTransport::RetryLimit=0")
    assert summary["operations", "status=retry-limit"] == summary["operations", "status=not-posted"] == 1
    assert summary["bytes_dropped", "cause=failed"] == 1000
    assert summary["flows", ""] == 2


def test_pr2_a_run_over_the_transport_ends_at_its_duration(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, RT, "--duration=100us", "--check")
    assert summary["simulated_time", ""] == 100e-6
    assert 0 < summary["flows_done", ""] < 5
    assert summary["bytes_in_flight", ""] > 0


def test_pr4_a_flow_that_no_operation_can_carry(tmp_path):
    (tmp_path / "flow.txt").write_text("1\n0 7 3 100 3000000000 0\n")
    done = run("fabric-run", RACKS, f"--flows={tmp_path / 'flow.txt'}", RT)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"--transport=rt: {tmp_path / 'flow.txt'}: a flow has 3000000000 bytes; allowed are up to 2147483647, as much as an operation of "
                           "the reliable transport has\n")


def test_ff6_triggers_over_the_transport(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, *RING, RT)
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    assert [start for start, _ in rows[:4]] == [0] * 4
    for (_, end), (start, _) in zip(rows[:4], rows[4:]):
        assert start == pytest.approx(end + 273e-9, abs=2e-12)  # the host that has got one learns of it then
    assert summary["flows_done", ""] == 8


def test_ff7_a_trace_over_the_transport(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal", RT)
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    for (_, end), (start, _) in zip(rows, rows[1:]):
        assert start == pytest.approx(end + 10e-6 + 273e-9, abs=2e-12)
    assert summary["execution_time", ""] == pytest.approx(rows[-1][1] + 273e-9, abs=2e-12)
    assert summary["operations_done", ""] == summary["operations", ""] == 17


BAD = [
    ("flow.txt", "2\n0 1 3 100 1000 0\n", [], "flow.txt:2: the file ends; allowed is a line with flow 2 of 2"),
    ("flow.txt", "1\n0 9 3 100 1000 0\n", [], "flow.txt:2: node 9 is no host of the topology; allowed are its 8 hosts, from 0 to 7"),
    ("flow.txt", "1\n0 1 8 100 1000 0\n", [], "flow.txt:2: priority=8: allowed is 0 to 7, those to which --classes gives a class"),
    ("flow.txt", "0\n", [], "flow.txt: there are no flows; allowed is at least one"),
    ("a.cm", "Nodes 9\nConnections 1\n0->1 start 0 size 1\n", ["--format=htsim"],
     "a.cm: the matrix has 9 nodes; allowed are at most the 8 hosts of the topology"),
    ("a.cm", "Nodes 2\nConnections 1\nTriggers 1\n0->1 id 1 trigger 1 size 1\ntrigger id 1 oneshot\n", ["--format=htsim"],
     "a.cm:4: the connection never starts, since its trigger does not fire often enough; allowed are triggers that do"),
    ("a.goal", "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: recv 8b from 1\n}\n", ["--format=goal"],
     "a.goal:4: the operation is never done, since it waits in a circle or for a message that nobody sends; allowed are operations that end"),
]


@pytest.mark.parametrize("name, text, options, sentence", BAD)
def test_pr4_a_bad_file_is_told_in_one_sentence(tmp_path, name, text, options, sentence):
    (tmp_path / name).write_text(text)
    done = run("fabric-run", RACKS, f"--flows={tmp_path / name}", *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{tmp_path}/{sentence}\n")


@pytest.mark.parametrize("options, words", [
    ([], "--flows=: allowed is a file of flows, or --cdf and --load"),
    ([INCAST, "--load=0.5"], "--load=0.5: allowed is only --cdf with it"),
    ([INCAST, "--arrivalTime=1us"], "--arrivalTime=1us: allowed is only --cdf with it"),
    ([*RING, "--classes=0"], "--classes=0: allowed is only --format=rdma with it"),
    (["--cdf=hadoop"], "--load=0: allowed is a number above 0 with --cdf"),
    (["--flows=/dev/zero"], "/dev/zero:1: the line has more than 4194304 characters; allowed are at most so many"),
    (["--flows=/"], "--flows=/: can't be read; allowed is a file with flows"),
])
def test_pr4_options_of_files_that_do_not_go_together(options, words):
    done = run("fabric-run", RACKS, *options)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", words + "\n")


@pytest.mark.parametrize("how", [["--lookahead=off"], ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0"]])
def test_dp5_files_do_not_depend_on_how_a_run_is_made(tmp_path, how):
    pauses = [f"{SWITCH}EdgeFlowControl=pause", f"{SWITCH}LinkFlowControl=pause", f"{SWITCH}BufferBytes=2000000", "--samplePeriod=7us"]
    for folder, more in (("one", []), ("other", how)):
        run_well("fabric-run", RACKS, INCAST, *pauses, *more, f"--out={tmp_path / folder}")
        run_well("fabric-run", RACKS, *RING, *more, f"--out={tmp_path / folder / 'ring'}")
        run_well("fabric-run", RACKS, f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal", *more, f"--out={tmp_path / folder / 'goal'}")
        # Threads need a completion latency above the look-ahead.
        run_well("fabric-run", RACKS, INCAST, RT, "--ns3::FabricNicTransport::CompletionLatency=2us", *pauses, *more, f"--out={tmp_path / folder / 'rt'}")
    names = [f"rt/{name}" for name in ("summary.csv", "messages.csv", "fct.txt", "pfc.txt", "qlen.txt", "ports.csv")] + ["summary.csv", "messages.csv", "fct.txt", "pfc.txt", "qlen.txt", "ring/summary.csv", "ring/fct.txt", "goal/summary.csv", "goal/fct.txt"]
    assert [(tmp_path / "one" / name).read_bytes() for name in names] == [(tmp_path / "other" / name).read_bytes() for name in names]


def test_sc6_transports_of_the_same_flows_are_drawn(tmp_path):
    ways = {"raw": [], "fixed": [RT], "dcqcn": [RT, "--congestionControl=dcqcn", "--push=unsolicited"]}
    for seed in (1, 2):
        for name, options in ways.items():
            run_well("fabric-run", RACKS, "--cdf=hadoop", "--load=0.5", "--arrivalTime=200us", *options, f"--RngRun={seed}", f"--out={tmp_path / f'{name}-{seed}'}")
    folders = [tmp_path / f"{name}-{seed}" for name in ways for seed in (1, 2)]
    runs = [read_run(folder, "fabric-run") for folder in folders]
    p50, p99 = draw_transports(*runs).axes
    assert [text.get_text() for text in p50.figure.legends[0].get_texts()] == ["native messages", "reliable transport, fixed", "reliable transport, dcqcn"]
    assert [axes.get_title() for axes in (p50, p99)] == ["p50, median and range of 2 seeds", "p99, median and range of 2 seeds"]
    sizes, slowdowns = zip(*((flows["bytes"], flows["slowdown"]) for flows in (flows_of([run]) for run in runs[:2])))
    smallest = p50.lines[0].get_ydata()[0]
    assert min(map(min, slowdowns)) <= smallest <= max(map(max, slowdowns)) and p50.lines[0].get_xdata()[0] == pytest.approx(min(map(min, sizes)), rel=3)
    drawn = subprocess.run([python(), ROOT / "utils/plot-run.py", "transports", *folders, "--output", tmp_path / "transports.png"],
                           capture_output=True, text=True, timeout=60)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert (tmp_path / "transports.png").stat().st_size > 5000
    refused = subprocess.run([python(), ROOT / "utils/plot-run.py", "transports", *folders[:3], "--output", tmp_path / "no.png"],
                             capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert refused.stderr == (f"{folders[2]} and others: the runs have other flows; allowed are the same flows, all of them done, and the same random "
                              "numbers for each transport\n")


def test_sc6_slowdowns_by_size_are_drawn(tmp_path):
    for seed in (1, 2):
        for load in (0.3, 0.8):
            run_well("fabric-run", RACKS, "--cdf=hadoop", f"--load={load}", "--arrivalTime=200us", f"--RngRun={seed}", f"--out={tmp_path / f'{load}-{seed}'}")
    runs = [read_run(tmp_path / f"{load}-{seed}", "fabric-run") for load in (0.3, 0.8) for seed in (1, 2)]
    (axes,) = draw(*runs).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["load=0.3, p50", "load=0.3, p99", "load=0.8, p50", "load=0.8, p99"]
    assert axes.get_xscale() == "log"
    drawn = subprocess.run([python(), ROOT / "utils/plot-run.py", *(run.folder for run in runs), "--output", tmp_path / "run.png"],
                           capture_output=True, text=True, timeout=60)
    assert (drawn.returncode, drawn.stderr) == (0, "")
    assert (tmp_path / "run.png").stat().st_size > 5000


# ---- a receiver of an incast that sends ----

@pytest.mark.parametrize("options, slowdown", [
    ([], (2.2, 2.6)),  # ACKs have a turn for each frame of 16 others
    ([SWITCH + "Turns=bytes"], (1, 1.02)),
    (["--push=solicited"], (1, 1.02)),
    (["--congestionControl=delay", SWITCH + "Turns=bytes"], (1, 1.02)),
])
def test_acks_of_a_receiver_that_sends_wait_with_what_it_receives(tmp_path, options, slowdown):
    run_well("fabric-run", f"--flows={ROOT}/examples/flows/receiver-sends.txt", "--transport=rt", f"--out={tmp_path}", *options)
    own = [row for row in read_csv(tmp_path / "messages.csv") if row["src"] == "0"]
    assert len(own) == 1 and slowdown[0] <= float(own[0]["slowdown"]) <= slowdown[1]
