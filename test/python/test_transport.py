# SPDX-License-Identifier: GPL-2.0-only
"""fabric-transport: the figures of RT-17, its bad input, and its pictures."""
import re
import statistics
import subprocess
import textwrap

import pytest

from programs import ROOT, python, python_with_headers, read_csv, run, run_well, summary_of

RATE = 200e9  # bit/s, default of --linkRate
FRAME = 4096 + 24  # bytes on the wire
PAYLOAD = 4096 - 68  # bytes of a push in a frame
MIB = 1 << 20


def transport(folder, *arguments):
    return summary_of(folder, "fabric-transport", *arguments)


@pytest.mark.parametrize("loss", [0, 0.001, 0.01, 0.02, 0.05, 0.1])
def test_rt17_goodput_against_loss_is_that_of_selective_repeat(loss, tmp_path):
    # Each packet is sent 1 / (1 - loss) times. Go-back-N would send all that is in flight again.
    summary = transport(tmp_path, "--bytes=64MiB", "--push=unsolicited", f"--loss={loss}")
    clean = RATE * PAYLOAD / FRAME
    assert summary["goodput", ""] == pytest.approx(clean * (1 - loss), rel=0.05)
    flight = summary["cam_peak", "engine=retransmission"]
    go_back_n = clean * (1 - loss) / (1 - loss + flight * loss)
    assert summary["goodput", ""] >= go_back_n * (0.99 if loss == 0 else 1)  # without loss they are one
    assert (summary["resends", ""] > 0) == (loss > 0)


@pytest.mark.parametrize("senders", [2, 16, 128, 512])
def test_rt17_a_solicited_incast_is_limited_and_keeps_the_link_busy(senders, tmp_path):
    size = 4 * MIB // senders * 4
    summary = transport(tmp_path, f"--senders={senders}", f"--bytes={size}", "--push=solicited")
    assert summary["granted_peak", ""] <= 512 * 1024
    assert summary["peak_queue", ""] <= 512 * 1024 * 1.1
    assert summary["receiver_link_busy", ""] >= 0.95
    assert summary["resends", ""] == 0


@pytest.mark.parametrize("over", ["fabric", "ip"])
@pytest.mark.parametrize("senders", [1, 4])
def test_rt17_the_link_of_a_pull_is_that_of_its_data(over, senders, tmp_path):
    arguments = [f"--over={over}", f"--senders={senders}", f"--bytes={8 * MIB}"]
    push, pull, both = (transport(tmp_path / name.replace(",", "-"), f"--operations={name}", "--count=2", *arguments)["receiver_link_busy", ""]
                        for name in ("push", "pull", "push,pull"))
    assert 0.97 < push < 1
    assert 0.97 < pull < 1
    assert 0.45 < both < 1  # each way has a half of the bytes, and may be busy at once


def test_rt17_refusals_are_figures(tmp_path):
    # Payload that waits for its turn needs memory; requests wait where they are until there is an entry.
    arguments = ["--senders=4", "--bytes=64KiB", "--count=8", "--push=unsolicited", "--reorder=0.1"]
    free = transport(tmp_path / "free", *arguments)
    full = transport(tmp_path / "full", "--ns3::FabricTransport::ReceivePayloadBytes=16384", *arguments)
    few = transport(tmp_path / "few", "--ns3::FabricTransport::TargetEntries=2", *arguments)
    for metric in ("refused_requests", "refused_packets", "refused_resends", "credit_waits"):
        assert free[metric, ""] == 0
    assert full["refused_packets", ""] >= full["refused_resends", ""] > 0
    assert full["resends", ""] >= full["refused_resends", ""]
    assert few["credit_waits", ""] > 0
    assert few["refused_packets", ""] == few["refused_resends", ""] == 0


@pytest.mark.parametrize("entries", [1, 4, 16])
def test_rt11_goodput_of_pulls_is_entries_by_residence(entries, tmp_path):
    arguments = ["--senders=32", "--bytes=64KiB", "--count=48", "--operations=pull", "--check"]
    summary = transport(tmp_path, *arguments, "--ns3::FabricTransport::MemoryLatency=100us",
                        f"--ns3::FabricTransport::TargetEntries={entries}")
    # The memory, the data on the wire, and 0.4 us for the credit to the initiator and the request back, each.
    residence = 100e-6 + 65536 * 8 / RATE * FRAME / PAYLOAD + 0.8e-6
    assert summary["goodput", ""] == pytest.approx(entries * 65536 * 8 / residence, rel=0.05)  # 16 wait for the link at times
    assert summary["cam_peak", "engine=target"] == entries
    assert summary["credit_waits", ""] > 0


@pytest.mark.parametrize("ordered", ["true", "false"])
def test_rt11_goodput_of_pushes_falls_smoothly_with_entries(ordered, tmp_path):
    arguments = ["--senders=32", "--bytes=3000", "--count=200", "--ns3::FabricTransport::MemoryLatency=20us", f"--ordered={ordered}"]
    goodput = {}
    for entries in (1, 2, 8, 32, 64, 96, 128, 160):
        summary = transport(tmp_path / str(entries), *arguments, f"--ns3::FabricTransport::TargetEntries={entries}")
        goodput[entries] = summary["goodput", ""]
        assert summary["cam_peak", "engine=target"] == entries
        assert summary["resends", ""] == 0
    for entries, value in goodput.items():
        # 20 us in the memory, 1 us for the credit and the push that it lets go, up to what the link carries.
        expected = entries * 3000 * 8 / 21e-6
        assert value == pytest.approx(expected, rel=0.05) if expected < 100e9 else value > 0.85 * min(expected, 170e9)


def test_rt11_a_quota_keeps_one_connection_from_the_rest(tmp_path):
    arguments = ["--bytes=64KiB", "--count=32", "--operations=pull", "--ns3::FabricTransport::MemoryLatency=100us",
                 "--ns3::FabricTransport::TargetEntries=8", "--ns3::FabricTransport::GrantLimitBytes=8388608"]
    free, held = (transport(tmp_path / name, *arguments, f"--ns3::FabricTransport::TargetQuota={quota}")
                  for name, quota in (("free", 0), ("held", 2)))
    assert held["goodput", ""] == pytest.approx(free["goodput", ""] / 4, rel=0.05)
    assert (free["cam_peak", "engine=target"], held["cam_peak", "engine=target"]) == (8, 2)
    red = transport(tmp_path / "red", *arguments, "--ns3::FabricTransport::TargetRedZone=6")
    assert red["cam_peak", "engine=target"] == 2


def test_rt11_lookups_limit_requests(tmp_path):
    # A packet each: a CAM that looks up one in 1 us lets a million requests in a second, and not one more.
    arguments = ["--bytes=64", "--count=2000", "--outstanding=16"]
    free = transport(tmp_path / "free", *arguments)
    slow = transport(tmp_path / "slow", *arguments, "--ns3::FabricTransport::CamLookupRate=1e6")
    assert slow["goodput", ""] == pytest.approx(1e6 * 64 * 8, rel=0.03)
    assert free["goodput", ""] > 4 * slow["goodput", ""]
    # The request is looked up at the target, and its data at the initiator.
    arguments = ["--bytes=64", "--count=200", "--outstanding=1", "--operations=pull"]
    soon, late = (transport(tmp_path / name, *arguments, f"--ns3::FabricTransport::CamLookupLatency={latency}")
                  for name, latency in (("soon", "0us"), ("late", "3us")))
    assert late["latency", "stat=p50"] - soon["latency", "stat=p50"] == pytest.approx(6e-6, abs=2e-9)


def test_rt11_the_same_bytes_however_it_is_run(tmp_path):
    arguments = ["--senders=6", "--bytes=3000", "--count=60", "--operations=push,pull", "--loss=0.02", "--reorder=0.05",
                 "--ns3::FabricTransport::TargetEntries=5", "--ns3::FabricTransport::TargetRedZone=1",
                 "--ns3::FabricTransport::MemoryLatency=5us",
                 "--ns3::FabricTransport::CamLookupRate=5e6", "--ns3::FabricTransport::CamLookupLatency=300ns"]
    ways = {"usual": [], "step": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}
    for name, how in ways.items():
        run_well("fabric-transport", f"--out={tmp_path / name}", *arguments, *how)
    texts = {name: [(tmp_path / name / file).read_bytes() for file in ("messages.csv", "summary.csv")] for name in ways}
    assert texts["step"][0] == texts["usual"][0] == texts["threads"][0]
    assert texts["threads"][1] == texts["usual"][1]


@pytest.mark.parametrize("option, sentence", [
    ("TargetEntries=0", "TargetEntries"), ("TargetRedZone=16777217", "TargetRedZone"), ("CamLookupRate=-1", "CamLookupRate"),
    ("CamLookupRate=0.5", "CamLookupRate is"), ("CamLookupLatency=1s", "CamLookupLatency")])
def test_rt11_tables_that_make_no_sense_are_refused(option, sentence):
    result = run("fabric-transport", f"--ns3::FabricTransport::{option}")
    assert result.returncode != 0
    assert sentence in result.stderr


def test_rt11_a_red_zone_is_part_of_the_table():
    result = run("fabric-transport", "--ns3::FabricTransport::TargetRedZone=5", "--ns3::FabricTransport::TargetEntries=4")
    assert result.returncode != 0
    assert "targetRedZone is 5, allowed is 0 to 4" in result.stderr


@pytest.mark.parametrize("arguments", [["--over=fabric"], ["--over=ip"], ["--topology=fat-tree"]])
def test_sc5_packets_say_their_ends_and_whether_they_are_sent_again(arguments, tmp_path):
    summary = transport(tmp_path, *arguments, "--senders=3", "--bytes=64KiB", "--count=4", "--operations=push,pull", "--loss=0.05",
                        "--reorder=0.05", "--trace")
    rows = read_csv(tmp_path / "packets.csv")
    last = "15" if "--topology=fat-tree" in arguments else "3"
    for row in rows:
        assert row["node"] == (last if row["host"] == "3" else row["host"])
        assert (row["host"] == "3") == (row["peer"] in {"0", "1", "2"})
    numbered = [row for row in rows if row["type"] not in {"ack", "nack", "connect", "accept", "refuse", "close", "closed", "reset"}]

    def number(row, host, peer):  # what tells a packet and its sending from the others
        return row[host], row[peer], row["cid"], row["type"], row["psn"]
    sent = {(*number(row, "host", "peer"), row["sent_s"]): row["resend"] for row in numbered if row["direction"] == "tx"}
    assert sum(resend == "1" for resend in sent.values()) == summary["resends", ""] > 0
    for row in numbered:
        if row["direction"] == "rx":
            assert row["resend"] == sent[(*number(row, "peer", "host"), row["sent_s"])]


def test_rt3_pushes_ask_first_while_the_window_is_small(tmp_path):
    solicited = {}
    for push in ("auto", "congestion"):
        transport(tmp_path / push, f"--push={push}", "--senders=8", "--bytes=8000", "--count=100", "--congestionControl=marks",
                  "--ns3::FabricSwitch::MarkMinBytes=10000", "--ns3::FabricSwitch::MarkMaxBytes=10000")
        solicited[push] = [row["solicited"] for row in read_csv(tmp_path / push / "messages.csv")]
    assert set(solicited["auto"]) == {"0"}
    assert set(solicited["congestion"]) == {"0", "1"}


def test_pr3_latency_has_the_name_of_other_programs_too(tmp_path):
    summary = transport(tmp_path, "--bytes=4000", "--count=20")
    for stat in ("min", "p50", "max"):
        assert summary["fct", f"stat={stat}"] == summary["latency", f"stat={stat}"] > 0
    assert all(row["fct_s"] == row["latency_s"] for row in read_csv(tmp_path / "messages.csv"))


def one_way(payload=0):
    """@return time of a frame through the switch (cut-through) from its last bit on the first wire, s"""
    return 2 * 100e-9 + 350e-9 + payload * 8 / RATE


@pytest.mark.parametrize("push", ["solicited", "unsolicited"])
@pytest.mark.parametrize("senders", [2, 4, 8, 16, 32, 64, 128, 256, 512])
def test_rt17_an_incast_takes_the_link_and_a_few_crossings(senders, push, tmp_path):
    # Set-up there and back, with solicitation request and grant, then the first data; from there on the receiver's
    # link never rests; then the last ACK, which waits up to AckDelay, and the way of the completion to the host. It is
    # this part that short messages do not fill: 95 % need 19 times as much time of the link.
    size = 256 * 1024
    summary = transport(tmp_path, f"--senders={senders}", f"--bytes={size}", f"--push={push}", "--tools=hop-credits")
    packets = -(-size // PAYLOAD)
    wire = senders * (size + packets * (FRAME - PAYLOAD)) * 8 / RATE
    crossings = 6 if push == "solicited" else 4
    least = crossings * one_way() + wire + 273e-9
    # The last packet of each push waits for the memory; requests and set-up of all senders share the link.
    most = least + 1e-6 + 273e-9 + crossings * one_way(100) * 0.05 + senders * 3 * 100 * 8 / RATE
    if push == "solicited" or senders <= 4:
        assert least <= summary["completion_time", ""] <= most
        assert summary["resends", ""] == 0
    else:  # needless resends take the link too
        assert least <= summary["completion_time", ""] <= most * 1.02
    busy = senders * size / PAYLOAD * 4096 * 8 / RATE / most
    assert summary["receiver_link_busy", ""] >= busy * 0.995
    assert summary["receiver_link_busy", ""] >= 0.95 or senders <= 8


# Closed forms of RT-14. R is the round trip of a packet without a queue.
ROUND_TRIP = 4120 * 8 / RATE + one_way() + one_way(60)
ACK_DELAY = 1e-6  # default of ns3::FabricTransport::AckDelay
BYTES_PER_SECOND = RATE / 8


def congested(folder, strategy, senders, *arguments):
    """Senders that push for long.

    @return the summary, samples of the receiver's queue (bytes) and of windows and round trips by host, from the middle of
            the run to where the first has sent all, and the ends of the senders' operations
    """
    summary = transport(folder, f"--senders={senders}", "--push=unsolicited", f"--congestionControl={strategy}",
                        "--samplePeriod=500ns", "--tools=hop-credits", *arguments)
    ends = [float(row["end_s"]) for row in read_csv(folder / "messages.csv")]
    low, high = 0.5 * min(ends), 0.8 * min(ends)
    queue = [int(row["queued_bytes"]) for row in read_csv(folder / "ports.csv")
             if int(row["port"]) == senders and low < float(row["time_s"]) < high]
    hosts = {}
    for row in read_csv(folder / "windows.csv"):
        if low < float(row["time_s"]) < high:
            hosts.setdefault(int(row["host"]), []).append((float(row["window_packets"]), float(row["round_trip_s"])))
    assert len(hosts) == senders and len(queue) > 50
    return summary, queue, hosts, ends


def mean(values):
    return sum(values) / len(values)


def held_by_the_path(senders):
    """@return least and most bytes that are in flight and not in the queue: those of the round trip, and what waits for the
            ACK, which is sent with the packet after AckDelay"""
    return (ROUND_TRIP * BYTES_PER_SECOND, (ROUND_TRIP + ACK_DELAY) * BYTES_PER_SECOND + senders * FRAME)


@pytest.mark.parametrize("senders, window", [(2, 32), (2, 128), (8, 16), (8, 128)])
def test_rt14_fixed_windows_stand_in_the_queue(senders, window, tmp_path):
    summary, queue, hosts, ends = congested(tmp_path, "fixed", senders, f"--window={window}", "--bytes=4MiB")
    least, most = held_by_the_path(senders)
    assert senders * window * FRAME - most - senders * FRAME <= min(queue)
    assert max(queue) <= senders * window * FRAME - least + senders * FRAME
    assert all(w == window for samples in hosts.values() for w, _ in samples)
    assert max(ends) <= 1.01 * min(ends)
    assert summary["receiver_link_busy", ""] > 0.98


def scaling(window):
    """@return base delays that flow scaling adds to the target: Swift, SIGCOMM'20, 3.2"""
    return min(max(5 * (window**-0.5 - 0.1) / (0.1**-0.5 - 0.1), 0), 5)


@pytest.mark.parametrize("base", [0, 3e-6])  # measured, or said
@pytest.mark.parametrize("senders, beyond", [(2, 25e-6), (8, 25e-6), (2, 10e-6), (16, 10e-6)])
def test_rt14_delay_keeps_the_round_trip_at_its_target(senders, beyond, base, tmp_path):
    # Below the target each sender adds a packet in a round trip, so that together they pass it by N packets at most. All
    # begin at once: the first ACK echoes a packet that found up to N others in the queue, and what came in AckDelay more.
    summary, queue, hosts, ends = congested(tmp_path, "delay", senders, "--bytes=8MiB",
                                            f"--ns3::FabricTransport::TargetDelay={round(beyond * 1e9)}ns",
                                            f"--ns3::FabricTransport::BaseDelay={round(base * 1e9)}ns")
    swing = senders * FRAME / BYTES_PER_SECOND
    windows = [mean([w for w, _ in samples]) for samples in hosts.values()]
    least_base, most_base = (base, base) if base else (ROUND_TRIP, ROUND_TRIP + swing + ACK_DELAY)
    target = least_base * (1 + scaling(max(windows))) + beyond
    most = most_base * (1 + scaling(min(windows))) + beyond + swing
    for samples in hosts.values():
        assert 0.97 * target <= mean([rtt for _, rtt in samples]) <= most
    depth = (target - ROUND_TRIP) * BYTES_PER_SECOND
    assert 0.97 * depth <= mean(queue) <= (most - ROUND_TRIP) * BYTES_PER_SECOND
    least, most = held_by_the_path(senders)
    assert least <= sum(windows) * FRAME - mean(queue) <= most + senders * FRAME  # Little's law
    assert max(windows) < (1.1 if base else 1.3) * min(windows)
    assert max(ends) <= (1.03 if base else 1.1) * min(ends)
    assert summary["receiver_link_busy", ""] > 0.98


@pytest.mark.parametrize("rate, senders", [("10Gbps", 32), ("10Gbps", 128), ("25Gbps", 64), ("100Gbps", 128), ("200Gbps", 256)])
def test_rt14_delay_fills_a_link_whose_fair_window_is_below_one_packet(rate, senders, tmp_path):
    """All begin at once with full windows. So base delays that are measured have the queue in them, and round trips get
    shorter by three orders of magnitude."""
    summary = transport(tmp_path, f"--linkRate={rate}", f"--senders={senders}", "--bytes=1MiB", "--push=unsolicited",
                        "--congestionControl=delay")
    assert summary["receiver_link_busy", ""] >= 0.97
    assert summary["operations", "status=ok"] == senders


@pytest.mark.parametrize("options", [["--senders=60", "--bytes=16KiB"], ["--topology=fat-tree", "--k=8", "--senders=64", "--bytes=16KiB"]], ids=" ".join)
@pytest.mark.parametrize("lookahead", ["on", "off"])
def test_rt12_packets_that_the_switch_holds_back_do_not_time_out(options, lookahead, tmp_path):
    """The switch has told the host that its flow is restrained, so that nothing is heard is no sign of loss."""
    held, counted = (transport(tmp_path / hold, *options, "--count=8", "--ns3::FabricTransport::MinRto=50us",
                                 f"--ns3::FabricNicTransport::HoldTimeOuts={hold}", f"--lookahead={lookahead}")
                     for hold in ("true", "false"))
    assert held["spurious_resends", ""] <= counted["spurious_resends", ""] / 4
    assert counted["spurious_resends", ""] >= 25
    assert held["completion_time", ""] <= counted["completion_time", ""]


def test_rt12_what_is_lost_of_a_flow_held_back_is_sent_again(tmp_path):
    summary = transport(tmp_path, "--senders=60", "--bytes=16KiB", "--count=4", "--loss=0.05")
    assert summary["operations", "status=ok"] == 240
    assert summary["bytes_delivered", ""] == 240 * 16384


def jain(values):
    return sum(values)**2 / len(values) / sum(value**2 for value in values)


@pytest.mark.parametrize("senders", [2, 8])
def test_rt14_dcqcn_shares_a_link_and_keeps_its_queue(senders, tmp_path):
    # The paper's link, parameters and marks (figure 14): 40 Gb/s, K_min 5 KB, K_max 200 KB, P_max 1 %.
    summary = transport(tmp_path, f"--senders={senders}", "--linkRate=40Gbps", "--push=unsolicited", "--congestionControl=dcqcn",
                        f"--bytes={512 // senders}MiB", "--samplePeriod=50us")
    end = min(float(row["end_s"]) for row in read_csv(tmp_path / "messages.csv"))
    queue = [int(row["queued_bytes"]) for row in read_csv(tmp_path / "ports.csv")
             if int(row["port"]) == senders and 0.4 * end < float(row["time_s"]) < end]
    rates = {}
    for row in read_csv(tmp_path / "windows.csv"):
        if 0.4 * end < float(row["time_s"]) < end:
            rates.setdefault(int(row["host"]), []).append(float(row["rate_bps"]))
    shares = [mean(host) for host in rates.values()]
    assert len(shares) == senders and len(queue) > 500
    assert jain(shares) > 0.99
    assert 0.95 * 40e9 < sum(shares) < 1.01 * 40e9
    assert 5_000 < mean(queue) < 200_000
    assert max(queue) < 1.25 * 200_000  # all are marked above K_max, which a round trip and a CNP later shows
    assert 0 < summary["cnps_taken", ""] == summary["cnps_sent", ""] <= summary["marked_frames", ""]
    assert summary["cnps_sent", ""] <= senders * (1 + summary["completion_time", ""] / 50e-6)


@pytest.mark.parametrize("arguments", [["--senders=4", "--bytes=2MiB"],
                                       ["--senders=4", "--bytes=200KiB", "--count=4", "--loss=0.02", "--reorder=0.1", "--duplicate=0.1"],
                                       ["--topology=fat-tree", "--senders=6", "--bytes=300KiB", "--operations=push,pull"]])
def test_dp5_dcqcn_is_the_same_with_threads_and_without_lookahead(arguments, tmp_path):
    files = set()
    for name, how in {"plain": [], "step": ["--lookahead=off"],
                      "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        summary = transport(tmp_path / name, "--congestionControl=dcqcn", "--push=unsolicited", "--samplePeriod=5us",
                            "--ns3::FabricSwitch::MarkMinBytes=4000", "--ns3::FabricSwitch::MarkMaxBytes=60000", *arguments, *how)
        assert summary["cnps_taken", ""] > 0
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "windows.csv", "summary.csv")))
    assert len(files) == 1


HPCC = ["--congestionControl=hpcc", "--push=unsolicited"]


@pytest.mark.parametrize("senders", [2, 8, 32])
def test_rt14_hpcc_shares_a_link_and_hardly_has_a_queue(senders, tmp_path):
    # Of the paper's order: 100 Gb/s, packets of 1 KB and a round trip of 13 us, in which 130 packets go.
    summary = transport(tmp_path, *HPCC, f"--senders={senders}", "--linkRate=100Gbps", "--linkDelay=3us", "--mtu=1200",
                        f"--bytes={64 // senders}MiB", "--samplePeriod=5us", "--ns3::FabricTransport::MinRto=4ms")
    end = min(float(row["end_s"]) for row in read_csv(tmp_path / "messages.csv"))
    queue = [int(row["queued_bytes"]) for row in read_csv(tmp_path / "ports.csv")  # has only those that are not empty
             if int(row["port"]) == senders and 0.3 * end < float(row["time_s"]) < end]
    rates = {}
    for row in read_csv(tmp_path / "windows.csv"):
        if 0.3 * end < float(row["time_s"]) < end:
            rates.setdefault(int(row["host"]), []).append(float(row["rate_bps"]))
    shares = [mean(host) for host in rates.values()]
    assert len(shares) == senders
    assert jain(shares) > 0.9
    assert 0.92 * 100e9 < sum(shares) < 0.98 * 100e9  # eta, and what additive increase brings
    assert sum(queue) / (0.7 * end / 5e-6) < 10_000 and max(queue, default=0) < 100_000  # of 160 KB that go in a round trip
    assert summary["resends", ""] == 0


def test_rt14_the_queue_of_an_incast_goes_in_a_few_round_trips(tmp_path):
    def empties(folder, *options):
        """@return when the queue is shorter than 20 kB, as a multiple of the round trip, and how much waits later at most"""
        transport(tmp_path / folder, "--senders=8", "--linkRate=100Gbps", "--linkDelay=3us", "--mtu=1200", "--bytes=2MiB", "--push=unsolicited",
                  "--samplePeriod=5us", *options)
        waits = {float(row["time_s"]): int(row["queued_bytes"]) for row in read_csv(tmp_path / folder / "ports.csv") if int(row["port"]) == 8}
        first = max(time for time, bytes in waits.items() if bytes == max(waits.values()))
        short = min((time for time, bytes in waits.items() if time > first and bytes < 20_000), default=1)
        return short / 13e-6, max((bytes for time, bytes in waits.items() if time > short), default=0)

    trips, later = empties("hpcc", *HPCC)
    assert trips < 8 + 8  # 7 of 8 windows have to leave, which takes 7 round trips
    assert later < 60_000
    assert empties("dcqcn", "--congestionControl=dcqcn")[0] > 2 * trips


def test_rt14_a_flow_alone_has_eta_of_its_link(tmp_path):
    summary = transport(tmp_path, *HPCC, "--senders=1", "--bytes=16MiB")
    overhead = 4096 / (4096 - 68 - 42 - 20)  # --mtu is that of a frame; see TransportLayout and TelemetryBytes()
    assert summary["goodput", ""] == pytest.approx(0.9505 * 200e9 / overhead, rel=0.02)
    low = transport(tmp_path / "low", *HPCC, "--senders=1", "--bytes=16MiB", "--ns3::FabricTransport::HpccUtilization=0.5",
                    "--ns3::FabricTransport::HpccFlows=1000")
    assert low["goodput", ""] == pytest.approx(0.5005 / 0.9505 * summary["goodput", ""], rel=0.02)


def test_rt9_acks_are_for_as_many_packets_as_suit_the_congestion_control(tmp_path):
    def written(control, *given):
        folder = tmp_path / "-".join([control, *given])
        transport(folder, "--senders=1", "--bytes=1MiB", "--push=unsolicited", f"--congestionControl={control}",
                  *(f"--ns3::FabricTransport::AckPackets={packets}" for packets in given))
        return b"".join((folder / file).read_bytes() for file in ("messages.csv", "summary.csv"))

    assert written("hpcc") == written("hpcc", "0") == written("hpcc", "1") != written("hpcc", "8")
    for control in ("fixed", "delay", "marks", "dcqcn", "timely"):
        assert written(control) == written(control, "0") == written(control, "8") != written(control, "1")


def test_rt9_eight_acks_at_a_time_leave_a_flow_with_hpcc_half_of_its_link(tmp_path):
    # A window of a round trip T goes in a burst, and its end waits for AckDelay: T / (T + AckDelay) of eta at most.
    summary = transport(tmp_path, *HPCC, "--senders=1", "--bytes=16MiB", "--ns3::FabricTransport::AckPackets=8")
    trip = 2 * (one_way() + 4096 * 8 / RATE)
    assert 0.5 < summary["goodput", ""] / (0.9505 * 200e9 * (4096 - 130) / 4096) < 1.2 * trip / (trip + ACK_DELAY)


def test_py1_hpcc_in_python_is_as_the_manual_shows(tmp_path):
    page = (ROOT / "doc/transport-ns3.rst").read_text().split("\nHPCC\n****\n")[1]
    block = re.search(r"code-block:: python\n\n((?:   .*\n|\n)+)", page)[1]
    (tmp_path / "shown.py").write_text(textwrap.dedent(block))
    done = subprocess.run([python_with_headers(), tmp_path / "shown.py"], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"bytes_delivered +8877718", done.stdout)


TIMELY = ["--congestionControl=timely", "--push=unsolicited"]
PATCHED = ["--ns3::FabricTransport::TimelyPatched=true", "--ns3::FabricTransport::TimelyBeta=0.008"]


@pytest.mark.parametrize("rate, senders", [(10e9, 2), (10e9, 4), (10e9, 8), (40e9, 4), (40e9, 6)])
def test_rt14_patched_timely_rests_where_its_authors_say(rate, senders, tmp_path):
    # Zhu et al., CoNEXT'16: half of delta is what half of beta of the excess takes, so rtt = T_low (1 + n delta / (beta C)).
    # Before that decreases of less than 1 % have to take away what began at line rate, and data windows must not be the limit.
    transport(tmp_path, *TIMELY, *PATCHED, f"--senders={senders}", f"--linkRate={rate / 1e9:g}Gbps", "--linkDelay=5us", "--mtu=1200",
              f"--bytes={int(rate / 1e9) * 24 // senders}MiB", "--samplePeriod=200us")
    end = min(float(row["end_s"]) for row in read_csv(tmp_path / "messages.csv"))
    rates, trips = {}, []
    for row in read_csv(tmp_path / "windows.csv"):
        if 0.7 * end < float(row["time_s"]) < end:
            rates.setdefault(int(row["host"]), []).append(float(row["rate_bps"]))
            trips.append(float(row["round_trip_s"]))
    assert len(rates) == senders and len(trips) > 10 * senders
    assert mean(trips) == pytest.approx(50e-6 * (1 + senders / 1000 / 0.008), rel=0.02)
    assert all(mean(host) == pytest.approx(rate / senders, rel=0.02) for host in rates.values())


@pytest.mark.parametrize("segment, least", [(16384, 0.5), (0, 0.85)])  # from line rate segments lower the rate further than rounds
@pytest.mark.parametrize("seed", range(1, 6))
def test_rt14_timely_keeps_round_trips_between_its_limits(seed, segment, least, tmp_path):
    summary = transport(tmp_path, *TIMELY, "--senders=4", "--linkRate=10Gbps", "--linkDelay=5us", "--mtu=1200", "--bytes=32MiB", "--jitter=20us",
                        "--samplePeriod=100us", f"--RngRun={seed}", f"--ns3::FabricTransport::TimelySegment={segment}",
                        "--ns3::FabricTransport::MinRto=4ms")
    end = min(float(row["end_s"]) for row in read_csv(tmp_path / "messages.csv"))
    later = [row for row in read_csv(tmp_path / "windows.csv") if 0.2 * end < float(row["time_s"]) < end]
    assert 22e-6 < max(float(row["round_trip_s"]) for row in later) < 150e-6  # of 430 us that four data windows are
    assert summary["goodput", ""] > least * 10e9
    assert summary["resends", ""] == 0


def test_rt14_timely_alone_is_at_line_rate(tmp_path):
    timely, fixed = (transport(tmp_path / control, "--senders=1", "--bytes=16MiB", "--push=unsolicited", f"--congestionControl={control}") for control in ("timely", "fixed"))
    assert timely["goodput", ""] == fixed["goodput", ""]


@pytest.mark.parametrize("control", ["dcqcn", "hpcc", "timely"])
def test_rt14_no_connection_is_faster_than_line_rate(control, tmp_path):
    # The wire has 200 Gb/s. DCQCN counts the headers of the transport, the others those of frames, too.
    goodputs = [transport(tmp_path / rate, "--senders=1", "--bytes=16MiB", "--push=unsolicited", f"--congestionControl={control}",
                          f"--ns3::FabricTransport::LineRate={rate}")["goodput", ""] for rate in ("50Gbps", "200Gbps", "400Gbps")]
    assert goodputs[0] == pytest.approx(50e9 * PAYLOAD / FRAME, rel=0.03)
    if control != "hpcc":  # whose window is line rate times the base round trip
        assert goodputs[1] == goodputs[2]


@pytest.mark.parametrize("arguments", [["--senders=4", "--bytes=2MiB"],
                                       ["--senders=4", "--bytes=200KiB", "--count=4", "--loss=0.02", "--reorder=0.1", "--duplicate=0.1"],
                                       ["--topology=fat-tree", "--senders=6", "--bytes=300KiB", "--operations=push,pull", *PATCHED]])
def test_dp5_timely_is_the_same_with_threads_and_without_lookahead(arguments, tmp_path):
    files = set()
    for name, how in {"plain": [], "step": ["--lookahead=off"],
                      "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        transport(tmp_path / name, *TIMELY, "--ns3::FabricTransport::TimelyLow=5us", "--samplePeriod=5us", *arguments, *how)
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "windows.csv", "summary.csv")))
    assert len(files) == 1
    assert len({row["rate_bps"] for row in read_csv(tmp_path / "plain/windows.csv")}) > 20


def test_rt15_timely_goes_over_ip(tmp_path):
    fixed, timely = (transport(tmp_path / control, "--over=ip", "--linkRate=10Gbps", "--senders=4", "--bytes=16MiB",
                               "--push=unsolicited", f"--congestionControl={control}") for control in ("fixed", "timely"))
    assert timely["resends", ""] < fixed["resends", ""] / 10
    assert timely["peak_queue", ""] < fixed["peak_queue", ""]


@pytest.mark.parametrize("hops, bytes", [(1, 10), (5, 42), (8, 66)])
def test_rt2_telemetry_counts_as_bytes_of_headers(hops, bytes, tmp_path):
    options = ["--senders=1", "--bytes=3900", "--push=unsolicited", "--ns3::FabricTransport::AckPackets=1"]
    fixed = transport(tmp_path / "fixed", *options)
    hpcc = transport(tmp_path / "hpcc", *options, "--congestionControl=hpcc", f"--ns3::FabricTransport::HpccHops={hops}")
    # The ACK of the set-up goes before the data, and that of the data after it.
    more = 3 * bytes * 8 / 200e9
    assert hpcc["fct", "stat=max"] - fixed["fct", "stat=max"] == pytest.approx(more, abs=1e-12)


@pytest.mark.parametrize("arguments", [["--senders=4", "--bytes=2MiB"],
                                       ["--senders=4", "--bytes=200KiB", "--count=4", "--loss=0.02", "--reorder=0.1", "--duplicate=0.1"],
                                       ["--topology=fat-tree", "--senders=6", "--bytes=300KiB", "--operations=push,pull"]])
def test_dp5_hpcc_is_the_same_with_threads_and_without_lookahead(arguments, tmp_path):
    files = set()
    for name, how in {"plain": [], "step": ["--lookahead=off"],
                      "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        transport(tmp_path / name, "--congestionControl=hpcc", "--push=unsolicited", "--samplePeriod=5us", *arguments, *how)
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "windows.csv", "summary.csv")))
    assert len(files) == 1
    assert len({row["rate_bps"] for row in read_csv(tmp_path / "plain/windows.csv")}) > 20


@pytest.mark.parametrize("control", ["fixed", "dcqcn"])
@pytest.mark.parametrize("channels", ["on", "off"])
def test_fc15_the_transport_recovers_what_lossy_classes_lose(control, channels, tmp_path):
    files = set()
    for name, how in {"plain": [], "step": ["--lookahead=off"],
                      "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        summary = transport(tmp_path / name, "--topology=fat-tree", "--senders=12", "--bytes=300KiB", "--push=unsolicited",
                            f"--flowChannels={channels}", "--ns3::FabricSwitch::LossyClasses=65535", "--check",
                            "--ns3::FabricSwitch::LossyDropBytes=40000", "--tools=none",
                            f"--congestionControl={control}", *how)
        assert summary["bytes_delivered", ""] == 12 * 300 * 1024
        assert summary["fabric_dropped", "cause=tail-drop"] > 100_000
        assert summary["resends", ""] > 0
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "summary.csv")))
    assert len(files) == 1


def test_rt15_dcqcn_goes_over_ip(tmp_path):
    fixed, dcqcn = (transport(tmp_path / control, "--over=ip", "--linkRate=10Gbps", "--senders=4", "--bytes=16MiB",
                              "--push=unsolicited", f"--congestionControl={control}") for control in ("fixed", "dcqcn"))
    assert dcqcn["cnps_taken", ""] > 0
    assert dcqcn["resends", ""] < fixed["resends", ""] / 10
    assert dcqcn["peak_queue", ""] < fixed["peak_queue", ""] / 2
    assert ("cnps_taken", "") not in fixed


@pytest.mark.parametrize("options", [[], ["--ns3::FabricTransport::RetryLimit=0"],
                                     ["--ns3::FabricTransport::RetryLimit=1", "--ns3::FabricTransport::MinRto=1us"],
                                     ["--operations=pull,push", "--ns3::FabricTransport::MinRto=5us"],
                                     ["--failLink=target", "--failAt=500us", "--ns3::FabricTransport::RetryLimit=1"]])
@pytest.mark.parametrize("delay", ["20us", "100us", "1ms"])
def test_dp5_hosts_are_told_in_time_over_long_links(delay, options, tmp_path):
    # Windows are longer than CompletionLatency, and than the first time-outs: the NIC has to be run in time for what it tells.
    files = []
    for lookahead in ("on", "off"):
        folder = tmp_path / lookahead
        transport(folder, f"--linkDelay={delay}", "--linkRate=10Gbps", "--senders=3", "--bytes=20000", "--count=10", "--loss=0.1",
                  f"--lookahead={lookahead}", *options)
        files.append([(folder / name).read_bytes() for name in ("messages.csv", "summary.csv")])
    assert files[0] == files[1]


@pytest.mark.parametrize("senders", [2, 16, 64])
def test_rt4_an_incast_of_reads_is_as_fast_as_one_of_writes(senders, tmp_path):
    def run(folder, *options):
        return transport(tmp_path / folder, "--topology=fat-tree", "--k=8", f"--senders={senders}", "--bytes=256KiB", "--count=4",
                         *options)
    writes = run("writes", "--push=solicited")
    reads = run("reads", "--operations=pull", "--initiators=target")
    assert reads["completion_time", ""] <= 1.01 * writes["completion_time", ""]
    assert reads["peak_queue", ""] <= writes["peak_queue", ""]
    assert reads["resends", ""] == 0
    assert reads["granted_peak", ""] <= 512 * 1024
    assert reads["receiver_link_busy", ""] > 0.98 - 0.3 / senders


@pytest.mark.parametrize("control", ["fixed", "delay", "marks"])
@pytest.mark.parametrize("push", ["solicited", "unsolicited"])
@pytest.mark.parametrize("delay, rate", [("250ns", 200e9), ("1ns", 1e9), ("7us", 100e9), ("25us", 25e9), ("10us", 1e9),
                                         ("250us", 2.5e9), ("2500us", 250e6), ("2500us", 10e6)])
def test_rt14_one_flow_fills_its_link_at_any_base_round_trip(delay, rate, push, control, tmp_path):
    # With a window of 128 packets it can, where it holds what is under way. Ramping up takes a round trip, or two if it asks.
    summary = transport(tmp_path, f"--linkDelay={delay}", f"--linkRate={rate / 1e6:g}Mbps", f"--push={push}",
                        f"--congestionControl={control}", f"--bytes={round(min(max(1 << 20, 20e-3 * rate), 64e6))}")
    assert summary["goodput", ""] >= 0.95 * rate - 3 * 4 * float(delay.strip("nus")) * (1e-9 if "ns" in delay else 1e-6) * rate \
        / summary["completion_time", ""]
    assert summary["resends", ""] <= 8  # probes, before the time that a packet takes is known


def test_rt14_each_switch_on_the_way_adds_to_the_target(tmp_path):
    # The last host of a fat tree with k = 4 is its target; host 14 has the same edge switch, host 12 another one of the pod.
    transport(tmp_path, "--topology=fat-tree", "--k=4", "--senders=15", "--bytes=4MiB", "--push=unsolicited",
              "--congestionControl=delay", "--samplePeriod=5us", "--ns3::FabricTransport::HopDelay=10us",
              "--ns3::FabricTransport::FlowScaling=0", "--ns3::FabricTransport::BaseDelay=2us")
    trips = {}
    for row in read_csv(tmp_path / "windows.csv"):
        if 1.2e-3 < float(row["time_s"]) < 1.6e-3:
            trips.setdefault(int(row["host"]), []).append(float(row["round_trip_s"]))
    for host, samples in trips.items():
        switches = 1 if host == 14 else 3 if host >= 12 else 5
        assert mean(samples) == pytest.approx((2 + 25 + 10 * switches) * 1e-6, rel=0.1)


@pytest.mark.parametrize("latency", ["60us", "1ms"])
@pytest.mark.parametrize("control", ["delay", "marks"])
def test_rt14_a_slow_target_is_no_congestion(control, latency, tmp_path):
    def goodput(folder, *options):
        return transport(tmp_path / folder, "--bytes=64KiB", "--count=100", "--tools=hop-credits", *options,
                         f"--ns3::FabricTransport::MemoryLatency={latency}")["goodput", ""]
    alone = ("--outstanding=8",)
    assert goodput("followed", *alone, f"--congestionControl={control}") >= 0.99 * goodput("fixed", *alone)
    # Neither where the fabric lets few packets go at a time: they count no more once the peer has them.
    many = ("--senders=16", "--push=unsolicited", "--bytes=16KiB", "--outstanding=32")
    assert goodput("many", *many, f"--congestionControl={control}") >= 0.9 * goodput("all", *many)


@pytest.mark.parametrize("packets", [1, 8])
@pytest.mark.parametrize("senders", [2, 4, 8])
@pytest.mark.parametrize("threshold", [65536, 262144])
def test_rt14_marks_keep_the_queue_at_the_threshold(senders, threshold, packets, tmp_path):
    # Alizadeh et al., SIGCOMM'10, 3.3: N synchronous senders let the queue go up to K + N packets and down to K + N - A,
    # A = N D, D = (W + 1) a / 2, a = sqrt(2 / W), W = (C R + K) / N. Where an ACK is of 8 packets, what it lets go comes
    # at once, and marks are heard of late.
    summary, queue, hosts, ends = congested(tmp_path, "marks", senders, "--bytes=8MiB",
                                            f"--ns3::FabricTransport::AckPackets={packets}",
                                            f"--ns3::FabricSwitch::MarkMinBytes={threshold}",
                                            f"--ns3::FabricSwitch::MarkMaxBytes={threshold}")
    least, most = held_by_the_path(senders)
    peak = (most + threshold) / FRAME / senders  # W
    swing = senders * (peak + 1) * (2 / peak) ** 0.5 / 2 * FRAME  # A
    assert threshold - swing <= mean(queue) <= threshold + senders * FRAME
    assert max(queue) <= threshold + senders * (1 + packets) * FRAME
    assert min(queue) >= (threshold + (senders - 1) * FRAME - 1.1 * swing if packets == 1 else threshold - 1.6 * swing)
    windows = [mean([w for w, _ in samples]) for samples in hosts.values()]
    assert least <= sum(windows) * FRAME - mean(queue) <= most + senders * FRAME  # Little's law
    assert max(windows) < (1.6 if packets == 1 else 1.5) * min(windows)
    assert max(ends) <= 1.05 * min(ends)
    assert summary["receiver_link_busy", ""] > 0.97
    assert 0 < summary["marked_frames", ""] < summary["packets", ""] / 2


def test_rt17_an_unsolicited_incast_fills_the_fabric(tmp_path):
    arguments = ["--senders=64", "--bytes=256KiB", "--tools=hop-credits"]
    unsolicited = transport(tmp_path / "u", *arguments, "--push=unsolicited")
    solicited = transport(tmp_path / "s", *arguments, "--push=solicited")
    assert unsolicited["peak_queue", ""] > 10 * solicited["peak_queue", ""]
    assert unsolicited["granted_peak", ""] == 0


def test_rt17_order_costs_latency_in_the_tail(tmp_path):
    arguments = ["--bytes=4000", "--count=4000", "--loss=0.01", "--reorder=0.05", "--outstanding=32"]
    ordered = transport(tmp_path / "ordered", *arguments)
    unordered = transport(tmp_path / "unordered", *arguments, "--ordered=off")
    assert ordered["latency", "stat=p90"] > unordered["latency", "stat=p90"]


def test_rt12_the_cam_is_as_full_as_the_window_and_no_fuller(tmp_path):
    peaks = []
    round_trip = 4 * 20e-6 + 2 * 350e-9 + FRAME * 8 / RATE
    for window in (8, 32, 128):
        summary = transport(tmp_path / str(window), f"--window={window}", "--bytes=16MiB", "--linkDelay=20us",
                            "--push=unsolicited")
        peaks.append(summary["cam_peak", "engine=retransmission"])
        goodput = window * PAYLOAD * 8 / round_trip  # a window in a round trip
        assert 0.92 * goodput <= summary["goodput", ""] <= goodput
    assert peaks == [8, 32, 128]


@pytest.mark.parametrize("over", ["fabric", "ip"])
@pytest.mark.parametrize("faults", [[], ["--loss=0.03", "--reorder=0.1", "--duplicate=0.1", "--corrupt=0.02"]],
                         ids=["clean", "faults"])
def test_rt15_everything_arrives_once(over, faults, tmp_path):
    summary = transport(tmp_path, f"--over={over}", "--senders=3", "--count=10", "--bytes=50000", "--operations=push,pull",
                        *faults)
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == 3 * 10 * 50000
    assert summary["bytes_in_flight", ""] == summary["bytes_dropped", "cause=failed"] == 0
    rows = read_csv(tmp_path / "messages.csv")
    assert sorted((int(row["host"]), int(row["number"])) for row in rows) == [(h, n) for h in range(3) for n in range(10)]
    assert {row["status"] for row in rows} == {"ok"}
    assert [row["operation"] for row in rows if row["host"] == "0"] == ["write", "read"] * 5  # in order (RT-10)
    assert (summary["resends", ""] > 0) == bool(faults)


def test_rt15_tcp_on_the_same_links(tmp_path):
    arguments = ["--over=ip", "--linkRate=10Gbps", "--bytes=8MiB"]
    rt, tcp = (transport(tmp_path / protocol, f"--protocol={protocol}", *arguments) for protocol in ("rt", "tcp"))
    for summary in (rt, tcp):
        assert 9.5e9 < summary["goodput", ""] < 10e9
        assert summary["bytes_delivered", ""] == 8 * MIB
    lossy = [transport(tmp_path / f"{protocol}-lossy", f"--protocol={protocol}", "--loss=0.01", *arguments)
             for protocol in ("rt", "tcp")]
    assert lossy[0]["goodput", ""] > 0.95 * rt["goodput", ""]
    assert lossy[0]["goodput", ""] > lossy[1]["goodput", ""]


def test_rt17_tcp_is_set_as_in_a_data_centre(tmp_path):
    incast = ["--over=ip", "--protocol=tcp", "--senders=64", "--linkRate=10Gbps", "--bytes=256KiB"]
    fair = transport(tmp_path / "fair", *incast)
    assert fair["completion_time", ""] < 15e-3  # the link is never idle: 13.4 ms and headers
    given = transport(tmp_path / "given", *incast, "--ns3::TcpSocketBase::MinRto=1s")
    assert given["completion_time", ""] > 1
    # A SYN, or all of the first window, that is lost is sent again soon.
    short = [transport(tmp_path / str(run), "--over=ip", "--protocol=tcp", "--bytes=4000", "--loss=0.3", f"--RngRun={run}")
             for run in range(1, 11)]
    assert 5e-3 < max(summary["completion_time", ""] for summary in short) < 0.5


def test_rt14_a_small_initial_window_begins_slowly(tmp_path):
    incast = ["--over=ip", "--senders=8", "--linkRate=10Gbps", "--bytes=64KiB", "--push=unsolicited", "--congestionControl=marks"]
    full = transport(tmp_path / "full", *incast)
    small = transport(tmp_path / "small", *incast, "--ns3::FabricTransport::InitialWindow=2")
    assert small["peak_queue", ""] < full["peak_queue", ""] / 2
    done = run("fabric-transport", "--ns3::FabricTransport::InitialWindow=10")
    assert done.returncode == 2
    assert "initialWindow is 10 with congestionControl FIXED" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("over", ["fabric", "ip"])
def test_rt15_faults_follow_seed_and_run(over, tmp_path):
    arguments = [f"--over={over}", "--bytes=64KiB", "--count=8", "--loss=0.05", "--reorder=0.1", "--duplicate=0.1"]
    ways = {"first": [], "again": ["--RngRun=1", "--RngSeed=1"], "run": ["--RngRun=2"], "seed": ["--RngSeed=2"],
            "other": ["--ns3::FabricTransport::FaultSeed=2"]}
    if over == "fabric":
        ways["threads"] = ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
        ways["step"] = ["--lookahead=off"]
    for name, how in ways.items():
        run_well("fabric-transport", f"--out={tmp_path / name}", *arguments, *how)
    texts = {name: (tmp_path / name / "messages.csv").read_bytes() for name in ways}
    assert len(set(texts.values())) == 4
    assert all(texts[name] == texts["first"] for name in ("again", "threads", "step") if name in texts)


def test_rt14_dctcp_hears_of_marks_over_the_fabric(tmp_path):
    arguments = ["--protocol=tcp", "--senders=4", "--bytes=4MiB", "--tools=hop-credits"]
    fixed, marks = (transport(tmp_path / control, f"--congestionControl={control}", *arguments)
                    for control in ("fixed", "marks"))
    for summary in (fixed, marks):
        assert summary["bytes_delivered", ""] == 16 * MIB
        assert 190e9 < summary["goodput", ""] < 200e9
    assert marks["marked_frames", ""] > 0
    assert ("marked_frames", "") not in fixed
    assert marks["peak_queue", ""] < fixed["peak_queue", ""] / 4
    # Thresholds that no queue reaches: nothing is marked, and the queue is that of TCP without marks.
    high = transport(tmp_path / "high", "--congestionControl=marks", "--ns3::FabricSwitch::MarkMaxBytes=16777216",
                     "--ns3::FabricSwitch::MarkMinBytes=16777216", *arguments)
    assert high["marked_frames", ""] == 0
    assert high["peak_queue", ""] > 4 * marks["peak_queue", ""]


def test_wl8_tcp_goes_around_a_failed_link(tmp_path):
    summary = transport(tmp_path, "--protocol=tcp", "--topology=fat-tree", "--bytes=8MiB", "--failLink=sender",
                        "--failAt=200us", "--repairAt=300us")
    assert summary["bytes_delivered", ""] == 8 * MIB
    assert summary["fabric_dropped", "cause=link-down"] > 0


@pytest.mark.parametrize("repair", [0.02, 0.1, 0.4, 3])
def test_wl8_tcp_outlives_a_link_that_is_down_for_long(repair, tmp_path):
    # Each time-out is twice as long as the one before, so it goes on after twice the time of the outage at most.
    summary = transport(tmp_path, "--protocol=tcp", "--senders=2", "--bytes=1MB", "--failLink=target", "--failAt=20us", f"--repairAt={repair}s")
    assert summary["bytes_delivered", ""] == 2_000_000
    assert repair < summary["completion_time", ""] < 2.2 * repair


@pytest.mark.parametrize("time", ["1.50", "2.00"])
def test_wl8_tcp_asks_soon_for_an_address_whose_answer_was_lost(time, tmp_path):
    # The request, or the answer, of ARP is on the target's link in these 10 ns; ns-3 asks again after a second.
    summary = transport(tmp_path, "--protocol=tcp", "--topology=fat-tree", "--bytes=64KiB", f"--failAt={time}us",
                        f"--repairAt={time[:-1]}1us", "--check")
    assert summary["bytes_delivered", ""] == 64 * 1024
    assert 1e-3 < summary["completion_time", ""] < 2e-3


OUTAGE = ["--topology=fat-tree", "--bytes=64KiB", "--count=400", "--failAt=200us", "--repairAt=1200us", "--check"]


def test_wl8_a_transfer_goes_around_a_failed_link(tmp_path):
    # Both up-links of the edge switch in turn: the transfer uses one of them.
    lost = 0
    for link in ("0-8", "0-9"):
        summary = transport(tmp_path / link, *OUTAGE, f"--failLink={link}")
        assert summary["bytes_delivered", ""] == summary["bytes_offered", ""] == 400 * 64 * 1024
        lost += summary["fabric_dropped", "cause=link-down"]
        # 1.1 ms at the full rate, and a time-out for what was lost.
        assert summary["completion_time", ""] < 2.2e-3
    assert 0 < lost < 2 * 64 * 1024


@pytest.mark.parametrize("link", ["target", "sender"])
def test_wl8_a_transfer_survives_1_ms_without_its_only_link(link, tmp_path):
    clean = transport(tmp_path / "clean", *OUTAGE[:3])
    summary = transport(tmp_path / link, *OUTAGE, f"--failLink={link}")
    assert summary["bytes_delivered", ""] == summary["bytes_offered", ""] == 400 * 64 * 1024
    assert summary["bytes_dropped", "cause=failed"] == 0
    assert summary["completion_time", ""] > clean["completion_time", ""] + 1e-3
    assert summary["resends", ""] > 0
    assert summary["fabric_dropped", "cause=link-down"] > 0
    assert {row["status"] for row in read_csv(tmp_path / link / "messages.csv")} == {"ok"}


FAILED = ["--failLink=target", "--failAt=20us", "--count=1000", "--bytes=64KiB"]


@pytest.mark.parametrize("arguments", [
    FAILED, [*FAILED, "--failLink=sender"], [*FAILED, "--failAt=1ns"],
    [*FAILED, "--failLink=sender", "--senders=3", "--tools=fgfc"],
    [*FAILED, "--operations=push,pull", "--senders=3"],
    ["--over=ip", "--loss=0.9", "--count=100", "--bytes=64KiB", "--ns3::FabricTransport::RetryLimit=0"],
    ["--count=100", "--bytes=64KiB", "--ns3::FabricTransport::AcceptsConnections=false"],
])
def test_pr4_connections_that_fail_are_results(arguments, tmp_path):
    given = dict(argument[2:].split("=") for argument in arguments)
    summary = transport(tmp_path, *(f"--{name}={value}" for name, value in given.items()))
    rows = read_csv(tmp_path / "messages.csv")
    asked = int(given["count"]) * int(given.get("senders", 1))
    ended = {subject.removeprefix("status="): int(value) for (metric, subject), value in summary.items() if metric == "operations"}
    assert sum(ended.values()) == asked
    assert len(rows) == asked - ended.get("not-posted", 0) < asked + (given.get("over") == "ip")
    for status, number in ended.items():
        assert status == "not-posted" or number == sum(row["status"] == status for row in rows)
    assert {row["status"] for row in rows} > {"ok"} or "ok" not in {row["status"] for row in rows}
    assert all((row["fct_s"] == row["latency_s"]) if row["status"] == "ok" else row["fct_s"] == "" for row in rows)
    assert summary["bytes_offered", ""] == len(rows) * 65536 == summary["bytes_delivered", ""] + summary["bytes_dropped", "cause=failed"]
    assert (("fct", "stat=max") in summary) == (ended["ok"] > 0) == (summary["goodput", ""] > 0)


@pytest.mark.parametrize("link", ["target", "sender"])
@pytest.mark.parametrize("ordered", ["on", "off"])
@pytest.mark.parametrize("operations", [
    ["--push=unsolicited", "--bytes=4000"], ["--push=unsolicited", "--bytes=64KiB"], ["--push=solicited", "--bytes=4MiB"],
    ["--operations=pull", "--bytes=4000"], ["--operations=pull", "--bytes=1MiB"],
], ids=" ".join)
def test_rt18_a_peer_that_goes_silent_ends_at_the_retry_limit(operations, ordered, link, tmp_path):
    """Probes come sooner than the longest time-out where round trips take 2 us. At most: 17 probes of the peer, each
    10 ms, and as many time-outs, up to 10 ms each."""
    for moment in ("1ns", "3us", "13us", "20us", "40us", "111us"):
        summary = transport(tmp_path / moment, *operations, f"--ordered={ordered}", "--count=100", "--outstanding=1",
                            f"--failAt={moment}", f"--failLink={link}")
        assert summary["operations", "status=retry-limit"] == 1, moment
        assert 0.12 < summary["simulated_time", ""] < 0.34, moment


@pytest.mark.parametrize("link", ["target", "sender"])
def test_dp5_look_ahead_changes_nothing_of_connections_that_fail(link, tmp_path):
    ways = {"ahead": [], "step": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}
    for name, how in ways.items():
        run_well("fabric-transport", f"--out={tmp_path / name}", *FAILED, f"--failLink={link}", "--senders=3", *how)
    for name in ("messages.csv", "summary.csv"):
        assert len({(tmp_path / way / name).read_bytes() for way in ways}) == 1, name


@pytest.mark.parametrize("arguments", [
    ["--senders=5", "--count=6", "--bytes=30000", "--operations=push,pull", "--loss=0.02", "--reorder=0.1", "--trace"],
    ["--senders=3", "--count=20", "--bytes=3000", "--ordered=off", "--flowChannels=off", "--duplicate=0.2", "--trace"],
    ["--senders=4", "--bytes=300KiB", "--push=solicited", "--congestionControl=delay", "--samplePeriod=2us"],
    ["--senders=4", "--bytes=1MiB", "--push=unsolicited", "--congestionControl=marks", "--samplePeriod=1us", "--trace",
     "--ns3::FabricSwitch::MarkMinBytes=20000", "--ns3::FabricSwitch::MarkProbability=0.3"],
    ["--topology=fat-tree", "--senders=4", "--bytes=1MiB", "--failAt=30us", "--repairAt=300us", "--failLink=0-8", "--check"],
    ["--senders=4", "--bytes=300KiB", "--failAt=30us", "--repairAt=300us", "--failLink=target", "--check"],
])
def test_dp5_look_ahead_changes_no_byte(arguments, tmp_path):
    for mode in ("on", "off"):
        run_well("fabric-transport", f"--out={tmp_path / mode}", f"--lookahead={mode}", *arguments)
    names = sorted(path.name for path in (tmp_path / "on").glob("*.csv"))
    assert names and names == sorted(path.name for path in (tmp_path / "off").glob("*.csv"))
    for name in names:
        assert (tmp_path / "on" / name).read_bytes() == (tmp_path / "off" / name).read_bytes(), name


@pytest.mark.parametrize("arguments, words", [
    (["--window=0"], "--window=0: allowed is a whole number from 1 to 128"),
    (["--window=129"], "--window=129: allowed is a whole number from 1 to 128"),
    (["--loss=1"], "--loss=1: allowed is a number from 0 to 0.9"),
    (["--operations=none"], "--operations=none: allowed is all or any of push,pull"),
    (["--operations=shove"], "--operations=shove: allowed is"),
    (["--push=maybe"], "--push=maybe: allowed is one of solicited, unsolicited, auto, congestion"),
    (["--congestionControl=luck"], "--congestionControl=luck: allowed is one of fixed, delay, marks, dcqcn, hpcc, timely"),
    (["--congestionControl=dcqcn", "--ns3::FabricSwitch::MarkClasses=0"],
     "--congestionControl=dcqcn: allowed is fixed, delay, or dcqcn with switches that mark"),
    (["--congestionControl=dcqcn", "--ns3::FabricSwitch::MarkClasses=2"], "CongestionControl is 'dcqcn', but no switch marks frames"),
    (["--congestionControl=dcqcn", "--protocol=tcp"], "--congestionControl=dcqcn: allowed is fixed"),
    (["--congestionControl=dcqcn", "--ns3::FabricTransport::InitialWindow=4"], "initialWindow is 4 with congestionControl DCQCN"),
    (["--congestionControl=dcqcn", "--ns3::FabricTransport::AlphaGain=0"], "AlphaGain"),
    (["--congestionControl=hpcc", "--ns3::FabricSwitch::Telemetry=false"], "CongestionControl is 'hpcc', but switch 0 writes nothing on packets; allowed"),
    (["--congestionControl=hpcc", "--ns3::FabricSwitch::UnorderedClasses=1"], "CongestionControl is 'hpcc', but packets take any of several ways"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::Sprayed=true"], "CongestionControl is 'hpcc', but packets take any of several ways"),
    (["--congestionControl=hpcc", "--over=ip"], "--congestionControl=hpcc: allowed is fixed, delay, marks, dcqcn or timely with --over=ip"),
    (["--congestionControl=hpcc", "--protocol=tcp"], "--congestionControl=hpcc: allowed is fixed"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::InitialWindow=4"], "initialWindow is 4 with congestionControl HPCC"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::CamLookupRate=1000000"], "CamLookupRate is above 0 with CongestionControl hpcc"),
    (["--congestionControl=hpcc", "--topology=fat-tree", "--ns3::FabricTransport::HpccHops=4"], "the peer is 5 switches away, and HpccHops is 4; allowed"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::HpccMinRate=10bps"], "minRate of HPCC is 10, allowed is 1000 to 1e+15"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::HpccUtilization=1.5"], "HpccUtilization"),
    (["--congestionControl=hpcc", "--ns3::FabricTransport::HpccBaseRtt=1ps"], "baseRtt of HPCC is 1 ps, allowed is 1000 to 10000000000000 ps"),
    (["--congestionControl=timely", "--protocol=tcp"], "--congestionControl=timely: allowed is fixed"),
    (["--congestionControl=timely", "--ns3::FabricTransport::InitialWindow=4"], "initialWindow is 4 with congestionControl TIMELY"),
    (["--congestionControl=timely", "--ns3::FabricTransport::TimelyLow=501us"], "low of TIMELY is 501000000 ps, allowed is 0 to 500000000 ps"),
    (["--congestionControl=timely", "--ns3::FabricTransport::TimelyMinRate=10bps"], "minRate of TIMELY is 10, allowed is 1000 to 1e+15"),
    (["--congestionControl=timely", "--ns3::FabricTransport::TimelyIncrease=2000Gbps"], "increase of TIMELY is 2e+12, allowed is 0 to 1e+12"),
    (["--ns3::FabricSwitch::LossyClasses=2"], "LossyClasses: class 0 is lossless, and others on its virtual channel 0 are not"),
    (["--ns3::FabricSwitch::LossyClasses=65535", "--ns3::FabricSwitch::LossyDropBytes=1000000"], "are more than BufferBytes"),
    (["--ns3::FabricSwitch::LossyClasses=65535", "--ns3::FabricSwitch::EdgeFlowControl=pause"], "allowed is 0, or EdgeFlowControl=credits"),
    (["--congestionControl=dcqcn", "--ns3::FabricTransport::MinRate=10bps"], "minRate is 10, allowed is 1000 to 1e+15"),
    (["--congestionControl=dcqcn", "--ns3::FabricTransport::RateIncrease=2000Gbps"], "rateIncrease is 2e+12, allowed is 0 to 1e+12"),
    (["--congestionControl=marks", "--ns3::FabricSwitch::MarkClasses=0"],
     "--congestionControl=marks: allowed is fixed, delay, or marks with switches that mark"),
    (["--congestionControl=marks", "--ns3::FabricSwitch::MarkClasses=0", "--protocol=tcp"], "--congestionControl=marks: allowed is fixed"),
    (["--congestionControl=marks", "--ns3::FabricSwitch::MarkClasses=2"], "no switch marks frames of traffic class 0; allowed is fixed or delay"),
    (["--ns3::FabricSwitch::MarkClasses=1", "--ns3::FabricSwitch::MarkMinBytes=70000"], "MarkMinBytes is 70000 and MarkMaxBytes 65536, allowed is 0 <= MarkMinBytes"),
    (["--ns3::FabricSwitch::MarkClasses=1", "--ns3::FabricSwitch::MarkProbability=0"], "MarkProbability is 0.000000, allowed is above 0 to 1"),
    (["--ns3::FabricSwitch::MarkProbability=1.5"], "MarkProbability"),
    (["--ns3::FabricSwitch::MarkRules=3:1:2"], "MarkRules: '3:1:2' is not a traffic class from 0 to 15"),
    (["--ns3::FabricSwitch::MarkClasses=65536"], "MarkClasses"),
    (["--protocol=tcp", "--loss=0.1"], "--protocol=tcp: allowed is rt, or tcp with --operations=push and no faults"),
    (["--protocol=tcp", "--over=ip", "--corrupt=0.1"], "--protocol=tcp: allowed is rt, or tcp with --operations=push"),
    (["--protocol=tcp", "--window=16"], "--window=16: allowed is only --protocol=rt with it"),
    (["--protocol=tcp", "--outstanding=2"], "--outstanding=2: allowed is only --protocol=rt with it"),
    (["--protocol=tcp", "--push=solicited"], "--push=solicited: allowed is only --protocol=rt with it"),
    (["--protocol=tcp", "--ordered=off"], "--ordered=false: allowed is only --protocol=rt with it"),
    (["--protocol=tcp", "--congestionControl=delay"], "--congestionControl=delay: allowed is fixed"),
    (["--failAt=1us", "--over=ip"], "--failAt=1us: allowed is 0 over ip"),
    *[(["--over=ip", f"--{option}"], f"--{option}: allowed is only --over=fabric with it")
      for option in ("topology=fat-tree", "topology=switch", "k=8", "k=4", "failLink=sender", "failLink=target", "repairAt=0ps",
                     "flowChannels=false", "flowChannels=true", "channels=true", "pcap=x")],
    (["--over=ip", "--lookahead=off"], "--lookahead=false: allowed is true over ip, where there is no switch"),
    (["--over=ip", "--threads=2"], "--threads=2: allowed is 1 over ip, where there is no switch"),
    (["--over=ip", "--protocol=tcp", "--samplePeriod=1us"], "--samplePeriod=1us: allowed is only --protocol=rt or --over=fabric with it"),
    (["--queue=1MiB"], "--queue=1MiB: allowed is only --over=ip with it"),
    (["--protocol=tcp", "--queue=20000"], "--queue=20000: allowed is only --over=ip with it"),
    (["--k=8"], "--k=8: allowed is only --topology=fat-tree with it"),
    (["--failAt=2us", "--repairAt=2us"], "--repairAt=2us: allowed is 0, or a time after --failAt=2us"),
    (["--repairAt=2us"], "--repairAt=2us: allowed is 0, or a time after --failAt=0ps"),
    (["--failAt=1us", "--failLink=nowhere"], "--failLink=nowhere: allowed is target, sender, or the numbers of two switches, such as 0-8"),
    (["--failAt=1us", "--failLink=0-1x"], "--failLink=0-1x: allowed is target"),
    (["--failLink=sender"], "--failLink=sender: allowed is only --failAt with it"),
    (["--operations=pull", "--push=solicited"], "--push=solicited: allowed is only push among --operations with it"),
    (["--topology=fat-tree", "--failAt=1us", "--failLink=0-1"], "--failLink=0-1: FabricContainer: there is no such link between"),
    (["--topology=fat-tree", "--senders=16"], "--senders=16: allowed is less than the 16 hosts of the fat tree"),
    (["--mtu=255"], "--mtu=255: allowed is a size from 256"),
    (["--mtu=9001"], "--mtu=9001: allowed is a size"),
    (["--ns3::FabricTransport::Mtu=5000"], "Mtu is 5000, but the device has room for packets of 4096 bytes with a header of 68; allowed is 64 to 4028"),
    (["--ns3::FabricDevice::Mtu=100"], "the device has room for packets of 100 bytes with a header of 68; allowed is a device whose Mtu has room for 132 or more"),
    (["--congestionControl=timely", "--linkRate=10Gbps", "--linkDelay=130us"], "TimelyHigh is 500000000 ps with CongestionControl timely, and a round trip of the longest way takes 52"),
    (["--ns3::FabricTransport::GrantOrder=none"], "allowed is one of arrival, round-robin, shortest-first"),
    (["--ns3::FabricTransport::RequestWindow=65"], "a whole number from 1 to 64"),
    (["--ns3::FabricTransport::Loss=0.1"], "the program sets it, allowed is what its own options say"),
])
def test_pr4_bad_input_ends_in_one_sentence(arguments, words, tmp_path):
    done = run("fabric-transport", f"--out={tmp_path / 'out'}", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def plot(view, *arguments):
    return subprocess.run([python(), ROOT / "utils/plot-transport.py", view, *arguments], capture_output=True, text=True,
                          timeout=60)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("transport")
    for name, arguments in {
            "clean": ["--bytes=256KiB"], "lossy": ["--bytes=256KiB", "--loss=0.05"],
            "unordered": ["--bytes=256KiB", "--loss=0.05", "--ordered=off"],
            "held": ["--bytes=256KiB", "--reorder=0.1"],
            "gaps": ["--bytes=256KiB", "--reorder=0.1", "--ns3::FabricTransport::LossDetection=gaps"],
            "few": ["--bytes=256KiB", "--ns3::FabricTransport::TargetEntries=2"],
            "small": ["--bytes=256KiB", "--window=16"], "many": ["--bytes=64KiB", "--senders=4"],
            "traced": ["--bytes=64KiB", "--trace"],
            "delay": ["--bytes=256KiB", "--senders=2", "--congestionControl=delay", "--samplePeriod=1us"],
            "marks": ["--bytes=256KiB", "--senders=2", "--congestionControl=marks", "--samplePeriod=1us"],
            "dcqcn": ["--bytes=256KiB", "--senders=2", "--congestionControl=dcqcn", "--samplePeriod=1us"],
            "hpcc": ["--bytes=256KiB", "--senders=2", "--congestionControl=hpcc", "--samplePeriod=1us"],
            "timely": ["--bytes=256KiB", "--senders=2", "--congestionControl=timely", "--samplePeriod=1us"],
            "patched": ["--bytes=256KiB", "--senders=2", "--congestionControl=timely", *PATCHED, "--samplePeriod=1us"],
            "outage": ["--bytes=16KiB", "--count=100", "--failAt=20us", "--repairAt=60us"]}.items():
        run_well("fabric-transport", f"--out={root / name}", *arguments)
    return root


@pytest.mark.parametrize("view, names", [
    ("loss", ["clean", "lossy"]), ("reordering", ["clean", "held", "gaps"]), ("incast", ["clean", "many"]), ("tails", ["lossy", "unordered"]), ("cam", ["clean", "small"]), ("entries", ["clean", "few", "lossy"]),
    ("timeline", ["traced"]), ("windows", ["delay", "marks"]), ("rates", ["dcqcn"]), ("rates", ["dcqcn", "hpcc"]), ("rates", ["timely", "patched"]), ("outage", ["outage", "clean"]),
])
def test_sc6_picture_is_drawn(view, names, results, tmp_path):
    picture = tmp_path / "picture.png"
    done = plot(view, *[results / name for name in names], "--output", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10000


@pytest.mark.parametrize("view, name, words", [
    ("timeline", "many", "a timeline needs 1"), ("timeline", "clean", "packets.csv: there is no such file"),
    ("loss", "none", "none: there is no such folder"), ("luck", "clean", "allowed is one of loss, reordering, incast, tails"),
    ("windows", "clean", "windows.csv: there is no such file"),
])
def test_runs_that_do_not_fit_end_in_one_sentence(view, name, words, results, tmp_path):
    done = plot(view, results / name, "--output", tmp_path / "picture.png")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("loss, least", [(0, 0.99), (0.001, 0.98), (0.01, 0.96)])
@pytest.mark.parametrize("k", [4, 8])
def test_fc12_sprayed_packets_lose_no_goodput(k, loss, least, tmp_path):
    # Packets of the incast come up to 20 us later by one way than by another. A transport that had to learn that lost 12 %.
    ordered = "--ns3::FabricSwitch::NoFlowClasses=65535"
    options = ["--topology=fat-tree", f"--k={k}", "--senders=8", "--bytes=4MiB", "--push=solicited", f"--loss={loss}", ordered]
    goodput = {"ordered": 0, "sprayed": 0}
    for seed in range(1, 6):
        run_of = {"ordered": options, "sprayed": [*options, "--ns3::FabricSwitch::UnorderedClasses=65535"]}
        for name, arguments in run_of.items():
            goodput[name] += transport(tmp_path / f"{name}-{seed}", f"--RngRun={seed}", *arguments)["goodput", ""]
    assert goodput["sprayed"] >= least * goodput["ordered"]


def test_rt14_only_who_is_told_of_several_ways_waits(tmp_path):
    # Packets of the host come in order. With Sprayed a loss in the first window is found 20 us later, and no loss is found as soon as in order.
    options = ["--bytes=400KiB", "--loss=0.02"]
    medians = {}
    for told in ("false", "true"):
        times = [transport(tmp_path / f"{told}-{seed}", f"--RngRun={seed}", f"--ns3::FabricTransport::Sprayed={told}", *options)["completion_time", ""]
                 for seed in range(1, 12)]
        medians[told] = statistics.median(times)
    assert medians["true"] > medians["false"] + 5e-6
