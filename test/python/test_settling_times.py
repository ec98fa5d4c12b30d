# SPDX-License-Identifier: GPL-2.0-only
"""PR-2: figures are right over slow and long links without a word about times, and a time in which nothing arrives is refused."""
import json

import pytest

from programs import complaints, run, summary_of

CONGESTION = ("fabric-congestion", "--k=4", "--senders=8", "--bytes=64KiB")


def figure(summary, metric, subject=""):
    return summary[metric, subject]


@pytest.mark.parametrize("options, rate", [
    (("--linkDelay=20us", "--ns3::FabricSwitch::BufferBytes=2097152"), 200e9),
    (("--linkDelay=10ms", "--linkRate=100Mbps"), 100e6),
    (("--linkRate=1Gbps",), 1e9),
    (("--linkRate=1Mbps",), 1e6),
    (("--linkDelay=5us",), 200e9),
])
def test_pr2_a_victim_alone_has_its_link(options, rate, tmp_path):
    summary = summary_of(tmp_path, *CONGESTION, *options)
    assert figure(summary, "victim_goodput", "phase=alone") == pytest.approx(rate * 4096 / 4120, rel=0.06)
    assert figure(summary, "victim_goodput", "phase=alone") < rate


@pytest.mark.parametrize("kind", ["ecn", "int"])
def test_pr2_a_victim_alone_has_its_window_over_connections(kind, tmp_path):
    summary = summary_of(tmp_path, *CONGESTION, f"--fabric={kind}", "--linkDelay=5us")
    round_trip = 66e-6  # s: a window of 128 packets of 4 KiB
    assert figure(summary, "victim_goodput", "phase=alone") == pytest.approx(128 * 4096 * 8 / round_trip, rel=0.06)


def test_pr2_a_victim_of_a_tenth_has_it(tmp_path):
    summary = summary_of(tmp_path, *CONGESTION, "--linkRate=1Gbps", "--victimLoad=0.1")
    assert figure(summary, "victim_goodput", "phase=alone") == pytest.approx(0.1e9, rel=0.35)  # a few frames


@pytest.mark.parametrize("options, rate", [(("--linkDelay=5us",), 200e9), (("--linkRate=1Gbps",), 1e9)])
def test_pr2_the_victim_of_an_incast_has_its_link_alone(options, rate, tmp_path):
    summary = summary_of(tmp_path, "fabric-incast", "--k=4", "--senders=8", "--bytes=64KiB", *options)
    assert figure(summary, "victim_goodput", "phase=alone") == pytest.approx(rate * 4096 / 4120, rel=0.06)


@pytest.mark.parametrize("options", [(), ("--linkDelay=20us",), ("--linkRate=100Mbps",)])
def test_pr2_uniform_traffic_is_accepted(options, tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--k=4", "--load=0.5", "--pattern=uniform", "--bytes=4096", *options)
    assert figure(summary, "accepted_load") == pytest.approx(0.5, rel=0.2)


@pytest.mark.parametrize("options", [("--linkDelay=2us",), ("--linkRate=1Gbps",)])
def test_pr2_a_crossbar_carries_what_it_is_offered(options, tmp_path):
    summary = summary_of(tmp_path, "fabric-crossbar", "--ports=8", "--load=0.6", *options)
    assert figure(summary, "throughput") == pytest.approx(0.6, rel=0.15)


def test_pr2_classes_have_the_shares_of_a_longer_run(tmp_path):
    short, long = (summary_of(tmp_path / name, "fabric-shaping", "--linkDelay=1ms", *options) for name, options in {"short": (), "long": ("--duration=60ms",)}.items())
    shares = [key for key in short if key[0] == "share"]
    assert len(shares) == 4
    for key in shares:
        assert short[key] > 0.005 and short[key] == pytest.approx(long[key], rel=0.1), key


@pytest.mark.parametrize("command, times", [
    (("fabric-incast", "--k=4", "--senders=4", "--bytes=10000"), {"aloneTime": 50e-6}),
    (("fabric-permutation", "--k=4", "--load=0.1", "--bytes=1000"), {"warmUp": 50e-6, "duration": 50e-6}),
    (("fabric-crossbar", "--ports=4"), {"warmUp": 10e-6, "duration": 40e-6}),
    (("fabric-ack-overhead", "--hosts=2"), {"duration": 200e-6}),
    (("fabric-shaping",), {"duration": 1e-3}),
    (("fabric-ingress-fairness", "--k=4", "--flows=1,5"), {"stop": 400e-6, "duration": 2e-3}),
])
def test_pr2_usual_links_have_the_usual_times_and_the_manifest_says_them(command, times, tmp_path):
    summary_of(tmp_path, *command)
    options = json.loads((tmp_path / "manifest.json").read_text())["options"]
    assert {name: options[name] for name in times} == pytest.approx(times)


@pytest.mark.parametrize("command, words", [
    ((*CONGESTION, "--linkDelay=20us", "--aloneTime=50us"), "--aloneTime=50us: allowed is at least 1"),
    ((*CONGESTION, "--fabric=ecn", "--linkDelay=3us", "--aloneTime=50us"), "--aloneTime=50us: allowed is at least "),
    (("fabric-permutation", "--k=4", "--load=0.5", "--linkDelay=20us", "--warmUp=50us", "--duration=50us"), "--warmUp and --duration=100us: allowed is at least 1"),
    (("fabric-crossbar", "--ports=4", "--linkDelay=1ms", "--warmUp=1us", "--duration=1ms"), "--warmUp and --duration=1001us: allowed is at least 2"),
    (("fabric-ingress-fairness", "--k=4", "--linkDelay=100us", "--stop=400us"), "--stop=400us: allowed is at least "),
    (("fabric-ack-overhead", "--linkDelay=50us", "--duration=100us"), "--duration=100us: allowed is at least 1"),
    (("fabric-shaping", "--linkDelay=1ms", "--duration=1ms"), "--duration=1ms: allowed is at least 2"),
])
def test_pr4_a_time_in_which_nothing_arrives_is_refused(command, words):
    done = run(*command)
    assert done.returncode == 2 and done.stdout == ""
    refusal = complaints(done.stderr)
    assert len(refusal) == 1 and words in refusal[0]


@pytest.mark.parametrize("rate", [1, 10, 25])
def test_pr2_uniform_traffic_is_accepted_at_any_rate(rate, tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--topology=dragonfly", "--pattern=uniform", "--load=0.95", "--bytes=4KiB", f"--linkRate={rate}Gbps")
    assert figure(summary, "accepted_load") == pytest.approx(0.938, abs=0.012)


def test_pr2_long_messages_come_often_enough(tmp_path):
    summary_of(tmp_path, "fabric-permutation", "--k=4", "--load=0.5", "--bytes=64KiB", "--linkRate=10Gbps")
    duration = json.loads((tmp_path / "manifest.json").read_text())["options"]["duration"]
    assert duration == pytest.approx(30 * 65536 * 8 / 10e9 / 0.5)


@pytest.mark.parametrize("options, rate", [
    (("--hosts=1", "--load=0.001"), 30.34),
    (("--hosts=64", "--load=0.5"), 15170),
])
def test_pr2_enough_frames_cross_a_slow_link(options, rate, tmp_path):
    summary = summary_of(tmp_path, "fabric-ack-overhead", "--frameBytes=4096", "--linkRate=1Gbps", *options)
    assert figure(summary, "ack_rate") == pytest.approx(rate, rel=0.15)


def test_pr4_a_link_that_its_buffer_holds_back_is_told_of():
    command = ("fabric-congestion", "--linkRate=400Gbps", "--linkDelay=20us", "--k=4", "--senders=2", "--bytes=64KiB")
    short = run(*command).stderr
    assert short.count("\n") == 1
    assert "(400 Gb/s, 20 us) carry at most 103.4 Gb/s on a virtual channel" in short and short.endswith("enough for it is 2027040\n")
    assert run(*command, "--ns3::FabricSwitch::BufferBytes=2027040").stderr == ""


@pytest.mark.parametrize("mtu", [1000, 4096, 9000])
def test_pr4_a_round_trip_is_that_of_a_full_frame(mtu, tmp_path):
    summary = summary_of(tmp_path, "fabric-congestion", "--k=4", "--senders=6", "--bytes=20000", "--victimLoad=0.5", f"--ns3::FabricDevice::Mtu={mtu}")
    one_way = (mtu + 24) * 8 / 200e9 + 6 * 100e-9 + 5 * 350e-9
    assert summary["round_trip", ""] == pytest.approx(2 * one_way, rel=1e-9)


@pytest.mark.parametrize("rate, words", [("200Gbps", ""), ("400Gbps", "a connection of the transport has at most 128 packets under way")])
def test_pr4_a_window_that_limits_ethernet_is_told_of(rate, words):
    done = run("fabric-congestion", "--k=4", "--senders=3", "--bytes=20000", "--fabric=ecn", "--linkDelay=1us", f"--linkRate={rate}", "--aloneTime=40us")
    assert done.returncode == 0 and (words in done.stderr if words else "under way" not in done.stderr)
