# SPDX-License-Identifier: GPL-2.0-only
"""The programs' figures are those that can be worked out without a simulator (FC-10, FC-18, SC-2, WL-4)."""
import pytest

from programs import MAX_PAYLOAD, OVERHEAD, PICOSECOND, RATE, path_time, read_csv, run_well, seconds, summary_of, wire_bytes

# ---- fabric-chain ----

def port_shares(sources):
    """FC-18: each switch of a row shares its link evenly between its input ports that have something to send.

    @param sources hosts that send, per switch
    @return the share of each host in the last link
    """
    shares = []
    for index, hosts in enumerate(sources):
        ports = hosts + (index > 0)
        shares = [share / ports for share in shares] + [1 / ports] * hosts
    return shares


CHAINS = [[3, 3, 3, 2], [1, 1, 1, 1], [2, 0, 3], [4, 1], [1, 2, 3], [5], [3, 0]]


def chain_shares(folder, sources, *arguments):
    summary = summary_of(folder, "fabric-chain", f"--sources={','.join(map(str, sources))}", *arguments)
    return [summary["share", f"source={i}"] for i in range(sum(sources))]


def test_fc18_the_rule_gives_the_figures_of_the_specification():
    assert port_shares([3, 3, 3, 2]) == pytest.approx([1 / 144] * 3 + [1 / 48] * 3 + [1 / 12] * 3 + [1 / 3] * 2)
    assert port_shares([1, 1, 1, 1]) == [1 / 8, 1 / 8, 1 / 4, 1 / 2]


@pytest.mark.parametrize("how", ["--flowChannels=off", "--arbitration=port"])
@pytest.mark.parametrize("sources", CHAINS, ids=str)
def test_fc18_arbitration_between_ports(sources, how, tmp_path):
    assert chain_shares(tmp_path, sources, how) == pytest.approx(port_shares(sources), rel=0.02)


@pytest.mark.parametrize("sources", CHAINS, ids=str)
def test_fc18_arbitration_between_flows_gives_all_the_same(sources, tmp_path):
    assert chain_shares(tmp_path, sources) == pytest.approx([1 / sum(sources)] * sum(sources), rel=0.02)


def test_fc18_shares_do_not_depend_on_rate_and_delay(tmp_path):
    for i, (rate, delay) in enumerate([("25Gbps", "1us"), ("800Gbps", "1ns")]):
        for how, expected in (("port", port_shares([2, 1, 1])), ("flow", [1 / 4] * 4)):
            shares = chain_shares(tmp_path / f"{how}{i}", [2, 1, 1], f"--arbitration={how}", f"--linkRate={rate}",
                                  f"--linkDelay={delay}")
            assert shares == pytest.approx(expected, rel=0.02)


SIZES = [4096, 256, 64]


def payload_shares(wire_shares):
    """@return the hosts' shares of the payload, by their shares of the wire and their frames of SIZES"""
    payloads = [share * size / wire_bytes(size) for share, size in zip(wire_shares, SIZES)]
    return [payload / sum(payloads) for payload in payloads]


@pytest.mark.parametrize("sources, how, wire_shares", [
    ([3], [], [1 / 3] * 3),
    ([1, 1, 1], [], [1 / 3] * 3),
    ([1, 1, 1], ["--flowChannels=off"], port_shares([1, 1, 1])),
    ([1, 1, 1], ["--arbitration=port"], port_shares([1, 1, 1])),
    ([1, 1, 1], ["--ns3::FabricSwitch::TurnQuantum=64"], [1 / 3] * 3),
    # A queue that is held shorter than the quantum has nothing left before its turn is over.
    ([1, 1, 1], ["--ns3::FabricSwitch::TurnQuantum=65536", "--ns3::FabricSwitch::Fgfc=false"], [1 / 3] * 3),
], ids=str)
def test_fc18_turns_by_bytes_share_the_wire_whatever_the_sizes_of_frames(sources, how, wire_shares, tmp_path):
    shares = chain_shares(tmp_path, sources, "--frameBytes=4096,256,64", "--duration=1ms",
                          "--ns3::FabricSwitch::Turns=bytes", *how)
    assert shares == pytest.approx(payload_shares(wire_shares), rel=0.01)


def test_fc18_turns_by_frames_give_more_to_larger_frames(tmp_path):
    shares = chain_shares(tmp_path, [3], "--frameBytes=4096,256,64", "--duration=1ms")
    assert shares == pytest.approx([size / sum(SIZES) for size in SIZES], rel=0.01)


@pytest.mark.parametrize("rules, first", [
    ("", 3 / 4),  # each process is a flow
    ("-> none", 1 / 2),  # each host is one
    ("process=1 -> none; -> none", 2 / 3),  # three flows, two of them of the first host
    ("dst=2 -> none", 3 / 4),  # nobody sends there
])
def test_fc2_rules_decide_which_processes_share_a_flow_channel(rules, first, tmp_path):
    shares = chain_shares(tmp_path, [2], "--processes=3,1", "--duration=1ms", f"--ns3::FabricSwitch::FlowRules={rules}")
    assert shares == pytest.approx([first, 1 - first], rel=0.01)


def test_fc2_a_rule_for_what_holds_without_rules_changes_nothing(tmp_path):
    runs = []
    for rules in ("", "-> all"):
        run_well("fabric-permutation", "--k=4", "--pattern=all-to-all", "--bytes=100000", "--hostRate=400Gbps", f"--ns3::FabricSwitch::FlowRules={rules}", f"--out={tmp_path}/out", "--force=true")
        runs.append(((tmp_path / "out/summary.csv").read_bytes(), (tmp_path / "out/messages.csv").read_bytes()))
    assert runs[0] == runs[1]


# ---- fabric-permutation ----

def test_wl4_a_permutation_without_collisions_takes_the_closed_form(tmp_path):
    # One host per edge switch, one path between them.
    for size in (1, MAX_PAYLOAD, MAX_PAYLOAD + 1, 100_000):
        summary = summary_of(tmp_path / str(size), "fabric-permutation", "--k=2", f"--bytes={size}", "--flowChannels=off")
        expected = path_time(6) + seconds(wire_bytes(size))
        assert summary["completion_time", ""] == pytest.approx(expected, abs=PICOSECOND)
        assert summary["host_goodput", "host=0"] == pytest.approx(8 * size / expected, rel=1e-6)
        assert summary["data_hops", ""] == 2 * 6 * -(-size // MAX_PAYLOAD)
        assert summary["control_hops", ""] == 0


def test_wl4_each_switch_waits_for_the_whole_frame_when_it_stores_and_forwards(tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--k=2", "--bytes=100000", "--flowChannels=off",
                         "--ns3::FabricSwitch::Forwarding=store-and-forward")
    expected = path_time(6) + seconds(wire_bytes(100_000)) + 5 * seconds(MAX_PAYLOAD + OVERHEAD)
    assert summary["completion_time", ""] == pytest.approx(expected, abs=PICOSECOND)


def test_wl4_neighbours_of_a_tree_do_not_collide(tmp_path):
    # i to i + 1: one flow leaves each edge switch, so each has its links alone, whichever way it takes.
    summary = summary_of(tmp_path, "fabric-permutation", "--k=4", "--shift=1", "--bytes=100000", "--flowChannels=off")
    times = sorted(float(row["fct_s"]) for row in read_csv(tmp_path / "messages.csv"))
    expected = sorted(path_time(links) + seconds(wire_bytes(100_000)) for links in [2] * 8 + [4] * 4 + [6] * 4)
    assert times == pytest.approx(expected, abs=PICOSECOND)
    assert summary["completion_time", ""] == pytest.approx(expected[-1], abs=PICOSECOND)


@pytest.mark.parametrize("flow_channels", ["on", "off"])
@pytest.mark.parametrize("arguments", [["--k=4"], ["--k=8"], ["--k=6", "--levels=2", "--oversubscription=2:1"],
                                       ["--k=4", "--shift=5", "--oversubscription=3:1"]], ids=" ".join)
def test_sc2_no_permutation_is_faster_than_the_closed_form(arguments, flow_channels, tmp_path):
    size = 200_000
    summary = summary_of(tmp_path, "fabric-permutation", *arguments, f"--bytes={size}", f"--flowChannels={flow_channels}")
    rows = read_csv(tmp_path / "messages.csv")
    hosts = len(rows)
    for row in rows:  # at least the two links of hosts under one switch
        assert float(row["fct_s"]) >= path_time(2) + seconds(wire_bytes(size)) - PICOSECOND
    links = 4 if "--levels=2" in arguments else 6
    assert summary["completion_time", ""] >= path_time(links) + seconds(wire_bytes(size)) - PICOSECOND
    assert summary["goodput", ""] == pytest.approx(8 * size * hosts / summary["completion_time", ""], rel=1e-6)
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == size * hosts
    assert summary["bytes_in_flight", ""] == 0


# ---- fabric-incast ----

@pytest.mark.parametrize("flow_channels", ["on", "off"])
@pytest.mark.parametrize("senders", [1, 8, 64])
def test_sc2_an_incast_fills_the_receivers_link(senders, flow_channels, tmp_path):
    size = 1 << 18
    summary = summary_of(tmp_path, "fabric-incast", f"--senders={senders}", f"--bytes={size}", "--victim=off",
                         f"--flowChannels={flow_channels}")
    busy = senders * seconds(wire_bytes(size))
    # The first frame is of the sender under the same switch, and from then on the link is never idle.
    assert summary["completion_time", ""] == pytest.approx(busy + path_time(2), abs=PICOSECOND)
    assert summary["goodput", ""] <= RATE * MAX_PAYLOAD / (MAX_PAYLOAD + OVERHEAD)
    assert summary["goodput", ""] == pytest.approx(8 * size * senders / summary["completion_time", ""], rel=1e-6)
    assert summary["fct", "stat=max"] == pytest.approx(summary["completion_time", ""], abs=PICOSECOND)


def victim_goodputs(folder, *arguments):
    summary = summary_of(folder, "fabric-incast", *arguments)
    return [summary["victim_goodput", f"phase={phase}"] for phase in ("alone", "incast")]


def test_fc10_flow_channels_keep_the_victim_out_of_a_large_incast(tmp_path):
    alone, with_channels = victim_goodputs(tmp_path / "on", "--senders=64")
    alone_without, without = victim_goodputs(tmp_path / "off", "--senders=64", "--flowChannels=off")
    assert alone == alone_without == pytest.approx(RATE * MAX_PAYLOAD / (MAX_PAYLOAD + OVERHEAD), rel=0.01)
    assert with_channels >= 3 * without
    assert with_channels >= 0.7 * alone


def test_fc10_flow_channels_help_the_victim_of_a_small_incast(tmp_path):
    # Its links carry up to half of the 8 senders, whom the receiver's link allows 25 Gb/s each: 100 are left.
    _, with_channels = victim_goodputs(tmp_path / "on", "--senders=8")
    _, without = victim_goodputs(tmp_path / "off", "--senders=8", "--flowChannels=off")
    assert with_channels >= 1.2 * without
    assert with_channels >= 0.95 * (RATE - 4 * RATE / 8)


@pytest.mark.parametrize("rate", [1, 10, 25, 200])
@pytest.mark.parametrize("program", ["fabric-incast", "fabric-congestion"])
def test_sc2_a_victim_has_its_link_in_an_incast_of_a_few_of_its_frames(program, rate, tmp_path):
    summary = summary_of(tmp_path, program, "--k=4", "--senders=1", "--bytes=1", f"--linkRate={rate}Gbps")
    # The incast takes another link to its receiver, and is over within 0.7 to 9 frames of the victim's.
    payload = rate * 1e9 * MAX_PAYLOAD / (MAX_PAYLOAD + OVERHEAD)
    for phase in ("alone", "incast"):
        assert summary["victim_goodput", f"phase={phase}"] == pytest.approx(payload, rel=0.01), phase


@pytest.mark.parametrize("how", [[], ["--fabric=pfc"]], ids=str)
def test_wl7_a_time_that_ends_as_the_incast_does_changes_nothing(how, tmp_path):
    congestion = ["fabric-congestion", "--k=4", "--senders=6", "--bytes=600000", "--aloneTime=6us", *how]
    summary = summary_of(tmp_path / "incast", *congestion)
    end = round(summary["simulated_time", ""] / PICOSECOND)
    timed = summary_of(tmp_path / "time", *congestion, f"--duration={end}ps")
    # The run ends up to a look-ahead after the incast, with which goodputs are over, and else with the run.
    assert {metric for metric, subject in summary if timed[metric, subject] != summary[metric, subject]} <= {"victim_goodput", "goodput", "impact"}
    assert timed == pytest.approx(summary, rel=0.01)  # a look-ahead of 450 ns in 150 us
    longer = summary_of(tmp_path / "longer", *congestion, f"--duration={2 * end}ps")
    assert longer["simulated_time", ""] == pytest.approx(2 * end * PICOSECOND)
    assert longer["victim_goodput", "phase=alone"] == summary["victim_goodput", "phase=alone"]


def test_cm10_an_incast_too_short_for_victims_has_no_impact_on_them(tmp_path):
    summary = summary_of(tmp_path, "fabric-congestion", "--k=4", "--senders=1", "--bytes=1", "--victimLoad=0.001")
    assert summary["victim_goodput", "phase=incast"] == 0
    assert not [key for key in summary if key[0] == "impact"]


@pytest.mark.parametrize("jitter", [0, 3000])
def test_sc2_jitter_spreads_the_starts(jitter, tmp_path):
    summary_of(tmp_path, "fabric-incast", "--k=4", "--senders=12", "--bytes=1", "--victim=off", f"--jitter={jitter}ns")
    starts = [float(row["start_s"]) for row in read_csv(tmp_path / "messages.csv")]
    assert len(starts) == 12
    if jitter == 0:
        assert set(starts) == {0.0}
    else:
        assert 0 <= min(starts) < 1e-6 and 2e-6 < max(starts) <= jitter * 1e-9


# ---- ideal times and slowdown ----

@pytest.mark.parametrize("how", [["--k=8"], ["--k=4", "--levels=2"], ["--k=6", "--flowChannels=off"],
                                 ["--k=4", "--linkRate=1Gbps", "--linkDelay=1ns"],
                                 ["--k=8", "--linkRate=800Gbps", "--linkDelay=200ns"],
                                 ["--k=8", "--hostRate=100Gbps"], ["--k=4", "--linkRate=25Gbps", "--hostRate=400Gbps"],
                                 ["--topology=dragonfly", "--hostRate=50Gbps"],
                                 ["--k=4", "--ns3::FabricSwitch::Forwarding=store-and-forward"]], ids=" ".join)
@pytest.mark.parametrize("size", [1, 64, 4096, 4097, 65536, 1 << 20, 10_000_000])
def test_sc5_a_message_alone_has_a_slowdown_of_1(size, how, tmp_path):
    run_well("fabric-incast", "--senders=1", "--victim=off", f"--bytes={size}", f"--out={tmp_path}", *how)
    for file in ("messages.csv", "flows.csv"):
        [row] = read_csv(tmp_path / file)
        assert int(row["bytes"]) == size
        assert float(row["slowdown"]) == pytest.approx(1, rel=1e-9)


def test_sc5_a_frame_of_64_bytes_has_its_ideal_time_by_hand(tmp_path):
    run_well("fabric-incast", "--senders=1", "--victim=off", "--bytes=64", f"--out={tmp_path}", "--k=8")
    [row] = read_csv(tmp_path / "messages.csv")
    assert float(row["ideal_s"]) == pytest.approx(path_time(2) + seconds(wire_bytes(64)), abs=PICOSECOND)
    hpcc = 2 * path_time(2) + 2 * seconds(MAX_PAYLOAD) + seconds(wire_bytes(64))
    assert float(row["hpcc_ideal_s"]) == pytest.approx(hpcc, abs=PICOSECOND)


@pytest.mark.parametrize("host, fabric", [(100, 200), (200, 200), (400, 200), (25, 1600)])
def test_sc1_links_of_hosts_have_a_rate_of_their_own(host, fabric, tmp_path):
    """A frame over six links: it is stored where it comes from the slower link, and waits for its tail at the end."""
    summary = summary_of(tmp_path, "fabric-permutation", "--shift=64", "--bytes=4096", "--k=8", f"--linkRate={fabric}Gbps", f"--hostRate={host}Gbps")
    on_host_link, on_link = (8 * wire_bytes(4096) / (rate * 1e9) for rate in (host, fabric))
    alone = 6 * 100e-9 + 5 * 350e-9 + on_host_link + (on_host_link if host < fabric else on_link if host > fabric else 0)
    assert summary["fct", "stat=min"] == pytest.approx(alone, abs=20e-12)


@pytest.mark.parametrize("senders", [1, 7])
def test_sc1_a_receiver_takes_what_its_own_link_carries(senders, tmp_path):
    summary = summary_of(tmp_path, "fabric-incast", f"--senders={senders}", "--victim=off", "--bytes=4MB", "--k=8", "--hostRate=50Gbps")
    assert summary["goodput", ""] == pytest.approx(50e9 * MAX_PAYLOAD / wire_bytes(MAX_PAYLOAD), rel=0.01)


@pytest.mark.parametrize("size", [64, 65536, 1 << 20])
def test_sc5_nothing_is_faster_than_its_ideal(size, tmp_path):
    run_well("fabric-permutation", "--k=8", f"--bytes={size}", f"--out={tmp_path}")
    slowdowns = [float(row["slowdown"]) for row in read_csv(tmp_path / "messages.csv")]
    assert len(slowdowns) == 128
    # Of one frame each nobody waits for another, but for ACKs of 32 bytes or so.
    assert 1 <= min(slowdowns) < 1.02
    assert size > 64 or max(slowdowns) < 1.05


def test_sc5_two_messages_that_share_a_link_have_a_slowdown_of_2(tmp_path):
    run_well("fabric-incast", "--senders=2", "--victim=off", "--bytes=4MB", f"--out={tmp_path}", "--k=4")
    for row in read_csv(tmp_path / "messages.csv"):
        assert float(row["slowdown"]) == pytest.approx(2, rel=0.01)


# ---- fabric-switch-latency ----

@pytest.mark.parametrize("size", [1, 8, 256, 4096])
@pytest.mark.parametrize("forwarding", ["cut-through", "store-and-forward"])
@pytest.mark.parametrize("latency, rate, crossbar", [(350, 200, "ideal"), (0, 200, "ideal"), (100, 100, "ideal"), (350, 200, "tiled"), (50, 100, "tiled")])
def test_sw1_latency_through_an_idle_switch(size, forwarding, latency, rate, crossbar, tmp_path):
    """From port to port what is set, and with store-and-forward a frame's time on the link more."""
    summary = summary_of(tmp_path, "fabric-switch-latency", f"--bytes={size}", f"--crossbar={crossbar}", f"--linkRate={rate}Gbps", "--linkDelay=30ns",
                         f"--ns3::FabricSwitch::Latency={latency}ns", f"--ns3::FabricSwitch::Forwarding={forwarding}")
    on_link = 8 * (size + 24) / (rate * 1e9)  # header and check of 24 bytes
    stored = on_link if forwarding == "store-and-forward" else 0
    assert summary["port_to_port_latency", ""] == pytest.approx(latency * 1e-9 + stored, abs=2e-12)
    assert summary["latency", ""] == pytest.approx(latency * 1e-9 + stored + on_link + 2 * 30e-9, abs=4e-12)
