# SPDX-License-Identifier: GPL-2.0-only
"""SC-3: fabric-run carries its flows by programmed I/O and over ns-3's TCP, too; test_run.py has native messages and the reliable transport."""
import pytest

from programs import ROOT, read_csv, run, run_well, summary_of
from test_run import INCAST, RACKS, RING, SLOW, SWITCH, fct_of, store_and_forward

PIO, TCP = "--transport=pio", "--transport=tcp"
GOAL = [f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal"]
DCTCP = "--ns3::TcpL4Protocol::SocketType=ns3::TcpDctcp"
# Bytes of IP and TCP: of a SYN with window scale and SACK, and of other packets. TCP is set to segments of the MTU without 60 bytes.
SYN, HEADER, SEGMENT = 48, 40, 4096 - 60


def one_flow(folder, size):
    """@return options of a run of one flow between the racks"""
    (folder / "flow.txt").write_text(f"1\n0 7 3 100 {size} 0.002\n")
    return [RACKS, f"--flows={folder / 'flow.txt'}", "--flowChannels=off", f"{SWITCH}Forwarding=store-and-forward"]


@pytest.mark.parametrize("size", [1, SEGMENT, SEGMENT + 1, 10 * SEGMENT])
def test_sc3_a_flow_of_tcp_takes_a_handshake_and_its_packets(tmp_path, size):
    summary = summary_of(tmp_path / "out", "fabric-run", *one_flow(tmp_path, size), TCP)
    packets = [HEADER] + [HEADER + min(SEGMENT, size - offset) for offset in range(0, size, SEGMENT)]  # the first is the handshake's last ACK
    expected = 2 * store_and_forward([SYN]) + store_and_forward(packets)
    assert summary["fct", "stat=max"] == pytest.approx(expected, abs=1e-11)
    (row,) = read_csv(tmp_path / "out/messages.csv")
    ideal = store_and_forward([min(4096, size - offset) for offset in range(0, size, 4096)])
    assert float(row["ideal_s"]) == pytest.approx(ideal, abs=2e-12)  # that of a native message
    assert float(row["slowdown"]) == summary["slowdown", "stat=max"] == pytest.approx(expected / ideal, rel=1e-5)
    assert summary["latency", "stat=max"] == float(row["latency_s"]) > float(row["fct_s"])
    (line,) = fct_of(tmp_path / "out")
    assert line[:6] == ("0b000001", "0b000701", 10000, 100, size, 2_000_000)
    assert line[6] == round(summary["fct", "stat=max"] * 1e9)


@pytest.mark.parametrize("size", [1, 2040, 10_000, 100_000])
def test_sc3_a_flow_by_programmed_io_takes_as_long_as_a_thread_writes(tmp_path, size):
    raw = summary_of(tmp_path / "raw", "fabric-run", *one_flow(tmp_path, size))
    pio = summary_of(tmp_path / "pio", "fabric-run", *one_flow(tmp_path, size), PIO)
    blocks = sum(-(-(8 + min(2040, size - offset)) // 64) for offset in range(0, size, 2040))
    writes = blocks * 20e-9  # ns3::FabricPio::BlockTime
    assert writes < pio["fct", "stat=max"] < 2 * writes + raw["fct", "stat=max"] + 2e-6
    assert raw["slowdown", "stat=max"] == 1
    assert pio["slowdown", "stat=max"] == 1  # its ideal has the thread in it
    (row,) = read_csv(tmp_path / "pio/messages.csv")
    assert float(row["slowdown"]) == 1
    assert fct_of(tmp_path / "pio")[0][7] == fct_of(tmp_path / "raw")[0][7]


@pytest.mark.parametrize("rate, delay, size", [("10Gbps", "5us", 1_000_000), ("25Gbps", "20us", 5_000_000), ("200Gbps", "1us", 10_000_000)])
def test_rt_grants_fill_links_of_hosts_however_long(tmp_path, rate, delay, size):
    """What a target grants at a time lasts for a round trip between hosts, also where all of the way is links of hosts."""
    (tmp_path / "flow.txt").write_text(f"1\n0 1 3 100 {size} 0\n")
    options = ["--topology=switch", "--k=2", f"--linkRate={rate}", f"--linkDelay={delay}", "--ns3::FabricSwitch::BufferBytes=8388608"]
    summary = summary_of(tmp_path / "out", "fabric-run", *options, f"--flows={tmp_path / 'flow.txt'}", "--transport=rt", "--push=solicited")
    assert summary["slowdown", "stat=max"] < 1.01


def test_sc5_flows_by_sdma_have_no_ideal(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, PIO, "--ns3::FabricPio::SdmaBytes=100000")
    rows = read_csv(tmp_path / "out/messages.csv")
    known = [float(row["slowdown"]) for row in rows if row["slowdown"]]
    assert 0 < len(known) < len(rows) == summary["flows_done", ""]
    assert summary["slowdown", "stat=max"] == pytest.approx(max(known), rel=1e-9)
    assert [bool(row["slowdown"]) for row in rows] == [int(row["bytes"]) < 100000 for row in rows]


@pytest.mark.parametrize("transport", [PIO, TCP])
def test_pr3_an_incast_loses_nothing(tmp_path, transport):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, transport, "--check")
    assert summary["flows", ""] == summary["flows_done", ""] == 5
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == 4_020_000
    assert summary["bytes_in_flight", ""] == 0
    assert summary["completion_time", ""] > 4_000_000 * 8 / SLOW
    assert summary["slowdown", "stat=min"] >= 1
    rows = read_csv(tmp_path / "out/messages.csv")
    assert [float(row["end_s"]) for row in rows] == sorted(float(row["end_s"]) for row in rows)
    assert len(fct_of(tmp_path / "out")) == len(rows) == 5
    files = {"summary.csv", "messages.csv", "fct.txt", "manifest.json"} | ({"flows.csv"} if transport == PIO else set())
    assert files == {path.name for path in (tmp_path / "out").iterdir()}


def test_sc3_figures_of_tcp(tmp_path):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, TCP)
    assert summary["connections", ""] == summary["operations", "status=ok"] == 5
    assert summary["bytes_dropped", "cause=failed"] == 0
    assert ("marked_frames", "") not in summary  # TCP's usual congestion control does not look at marks


@pytest.mark.parametrize("transport", [PIO, TCP])
def test_pr2_a_run_ends_at_its_duration(tmp_path, transport):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, transport, "--duration=100us", "--check")
    assert summary["simulated_time", ""] == 100e-6
    assert 0 < summary["flows_done", ""] < 5
    assert summary["bytes_in_flight", ""] > 0
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] + summary["bytes_in_flight", ""]


@pytest.mark.parametrize("how", [[DCTCP], ["--ns3::TcpSocketBase::UseEcn=On"]])
def test_sc3_a_tcp_that_goes_by_marks_has_switches_that_mark(tmp_path, how):
    (tmp_path / "flow.txt").write_text("4\n" + "".join(f"{src} 7 0 100 3000000 0\n" for src in range(4)))
    options = [RACKS, f"--flows={tmp_path / 'flow.txt'}", "--flowChannels=off", TCP]
    plain = summary_of(tmp_path / "plain", "fabric-run", *options)
    marked = summary_of(tmp_path / "marked", "fabric-run", *options, *how)
    silent = summary_of(tmp_path / "silent", "fabric-run", *options, *how, f"{SWITCH}MarkClasses=0")
    assert marked["marked_frames", ""] > 100
    assert not {("marked_frames", "")} & (plain.keys() | silent.keys())
    assert marked["fct", "stat=max"] != silent["fct", "stat=max"]  # senders have seen the marks
    assert all(summary["flows_done", ""] == 4 for summary in (plain, marked, silent))


def test_sc3_flavours_of_tcp(tmp_path):
    times = {flavour: summary_of(tmp_path / flavour, "fabric-run", RACKS, INCAST, TCP, f"--ns3::TcpL4Protocol::SocketType=ns3::{flavour}",
                                 "--ns3::TcpSocket::InitialCwnd=2")["fct", "stat=mean"]
             for flavour in ("TcpCubic", "TcpNewReno", "TcpVegas")}
    assert len(set(times.values())) == 3
    usual = summary_of(tmp_path / "usual", "fabric-run", RACKS, INCAST, TCP, "--ns3::TcpSocket::InitialCwnd=2")
    assert usual["fct", "stat=mean"] == times["TcpCubic"]


def test_ff2_classes_of_flows_of_tcp(tmp_path):
    (tmp_path / "flow.txt").write_text("2\n0 7 3 100 200000 0\n1 7 5 100 200000 0\n")
    options = [RACKS, f"--flows={tmp_path / 'flow.txt'}", TCP]
    run_well("fabric-run", *options, f"--out={tmp_path / 'out'}")
    assert sorted(row["traffic_class"] for row in read_csv(tmp_path / "out/messages.csv")) == ["3", "5"]
    # Frames of class 5 are dropped where that may be.
    two = [f"{SWITCH}VirtualChannels=2", f"{SWITCH}ClassToVc=0,1,0,0,0,1", "--ns3::FabricNetDevice::ClassToVc=0,1,0,0,0,1"]
    dropped = [summary_of(tmp_path / str(lossy), "fabric-run", *options, *two, "--flowChannels=off", f"{SWITCH}LossyClasses={1 << 5 | 1 << 1}",
                          f"{SWITCH}LossyDropBytes=5000", f"--classes=0,0,0,3,0,{lossy}").get(("fabric_dropped", "cause=tail-drop"), 0) for lossy in (5, 3)]
    assert dropped[0] > 0 == dropped[1]


def test_pr4_packets_that_can_not_be_marked(tmp_path):
    done = run("fabric-run", RACKS, INCAST, TCP, DCTCP)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"--transport=tcp: {INCAST.split('=')[1]}: a flow has traffic class 3; allowed is class 0 where TCP goes by marks (ns3::TcpDctcp, UseEcn), "
                           "since ns-3 sets no ECT beside a DSCP\n")
    assert summary_of(tmp_path / "out", "fabric-run", RACKS, INCAST, TCP, DCTCP, "--classes=0,0,0,0")["flows_done", ""] == 5


@pytest.mark.parametrize("transport", [PIO, TCP])
def test_ff6_triggers(tmp_path, transport):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, *RING, transport)
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    assert [start for start, _ in rows[:4]] == [0] * 4
    for (_, end), (start, _) in zip(rows[:4], rows[4:]):
        assert start == end  # when the last byte is with the application
    assert summary["flows_done", ""] == 8


@pytest.mark.parametrize("transport", [PIO, TCP])
def test_ff7_a_trace(tmp_path, transport):
    summary = summary_of(tmp_path / "out", "fabric-run", RACKS, *GOAL, transport)
    rows = sorted((float(row["start_s"]), float(row["end_s"])) for row in read_csv(tmp_path / "out/messages.csv"))
    assert len(rows) == 6 and rows[0][0] == 0
    for (_, end), (start, _) in zip(rows, rows[1:]):
        assert start == pytest.approx(end + 10e-6, abs=2e-12)
    assert summary["execution_time", ""] == pytest.approx(rows[-1][1], abs=2e-12)
    assert summary["operations", ""] == summary["operations_done", ""] == 17


def test_sc3_links_that_lose_frames_are_told(tmp_path):
    (tmp_path / "flow.txt").write_text("40\n" + "".join(f"{i % 8} {(i + 3) % 8} 3 100 60000 {i * 1e-5}\n" for i in range(40)))
    text = (ROOT / "examples/topologies/two-racks.txt").read_text()
    (tmp_path / "lossy.txt").write_text(text.replace("1000ns 0\n", "1000ns 0.02\n"))
    summary = summary_of(tmp_path / "out", "fabric-run", f"--topology={tmp_path / 'lossy.txt'}", f"--flows={tmp_path / 'flow.txt'}", TCP, "--check")
    assert summary["operations", "status=ok"] == summary["flows_done", ""] == 40  # links repeat what they damage
    assert summary["bytes_delivered", ""] == 40 * 60000


def test_sc3_more_threads_write_at_once(tmp_path):
    one, eight = (summary_of(tmp_path / str(threads), "fabric-run", "--k=4", "--cdf=hadoop", "--load=0.3", "--arrivalTime=50us", PIO,
                             f"--ns3::FabricPio::Threads={threads}", f"--ns3::FabricPio::Contexts={threads}") for threads in (1, 8))
    assert one["flows_done", ""] == eight["flows_done", ""] == one["flows", ""]
    assert eight["slowdown", "stat=mean"] < one["slowdown", "stat=mean"]


@pytest.mark.parametrize("transport", [[PIO], [TCP], [TCP, DCTCP]])
def test_dp5_results_do_not_depend_on_windows(tmp_path, transport):
    options = ["--k=4", "--cdf=hadoop", "--load=0.7", "--arrivalTime=20us", "--samplePeriod=1us", *transport]
    files = set()
    for name, how in {"on": [], "off": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        run_well("fabric-run", *options, *how, f"--out={tmp_path / name}")
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "summary.csv", "fct.txt", "ports.csv", "qlen.txt")))
    assert len(files) == 1


@pytest.mark.parametrize("lookups", ["CamLookupRate=5e6", "CamLookupLatency=2us"])
def test_rt11_flows_both_ways_where_cams_look_up(tmp_path, lookups):
    (tmp_path / "flow.txt").write_text("4\n" + "".join(f"{a} {b} 0 100 4096 0.001\n" for a, b in ((0, 1), (1, 0), (1, 2), (2, 0))))
    summary = summary_of(tmp_path / "out", "fabric-run", "--topology=switch", "--k=4", f"--flows={tmp_path / 'flow.txt'}", "--transport=rt",
                         f"--ns3::FabricTransport::{lookups}")
    assert summary["operations", "status=ok"] == 4
