# SPDX-License-Identifier: GPL-2.0-only
"""SC-3, CM-10: the load test of GPCNeT, its figures and files."""
import pytest

from programs import PICOSECOND, RATE, path_time, read_csv, run, seconds, summary_of, wire_bytes

TESTS = ("latency", "bandwidth", "allreduce")
STATS = ("min", "max", "mean", "mean_of_worst", "p99", "p99.9")
PATTERNS = ("alltoall", "incast", "put-incast", "get-broadcast", "all")
SHORT = ("--rings=1", "--iterations=4", "--bandwidthIterations=1")


def impacts_of(summary):
    return {(test, stat): summary["impact", f"stat={stat};test={test}"] for test in TESTS for stat in STATS}


def gpcnet(folder, *arguments):
    """@return summary.csv with the keys of each subject in alphabetical order"""
    summary = summary_of(folder, "fabric-gpcnet", *arguments)
    return {(metric, ";".join(sorted(subject.split(";")))): value for (metric, subject), value in summary.items()}


@pytest.mark.parametrize("flow_channels", ["on", "off"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_cm10_one_switch_shows_no_impact(pattern, flow_channels, tmp_path):
    impacts = impacts_of(gpcnet(tmp_path, "--topology=switch", "--k=40", f"--pattern={pattern}", f"--flowChannels={flow_channels}", *SHORT))
    assert impacts == pytest.approx({key: 1 for key in impacts}, abs=1e-6)


def test_sc3_figures_on_one_switch_are_those_by_hand(tmp_path):
    summary = gpcnet(tmp_path, "--topology=switch", "--k=40", *SHORT)
    assert summary["aggressor_goodput", ""] == pytest.approx(RATE * 4096 / 4120, rel=0.01)
    message = seconds(wire_bytes(8))
    for stat in STATS:
        # Both neighbours' messages, of which one comes behind the other's.
        assert summary["latency", f"phase=isolated;stat={stat};test=latency"] == pytest.approx(path_time(2) + 2 * message, abs=2 * PICOSECOND)
        # Of the 8 victims each waits for one message in three rounds.
        assert summary["latency", f"phase=isolated;stat={stat};test=allreduce"] == pytest.approx(3 * (path_time(2) + message), abs=5 * PICOSECOND)
        # 16 messages fill the link but for the way of the last and the barrier.
        time = seconds(16 * wire_bytes(128 << 10)) + path_time(2) + 3 * (path_time(2) + message)
        assert summary["bandwidth", f"phase=isolated;stat={stat};test=bandwidth"] == pytest.approx(8 * 16 * (128 << 10) / time, rel=0.01)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("pattern", ["incast", "put-incast"])
def test_cm10_hop_credits_keep_an_incast_away_from_others(pattern, seed, tmp_path):
    arguments = (f"--pattern={pattern}", f"--RngRun={seed}", *SHORT)
    without = impacts_of(gpcnet(tmp_path / "off", "--flowChannels=off", *arguments))
    managed = impacts_of(gpcnet(tmp_path / "on", "--tools=hop-credits", *arguments))
    none = impacts_of(gpcnet(tmp_path / "none", "--tools=none", *arguments))
    for test in ("latency", "allreduce"):
        assert managed[test, "mean"] < 1.1
        assert managed[test, "p99"] < 1.5
        assert none[test, "mean"] > 1.5
        assert without[test, "mean"] > 30
    assert managed["bandwidth", "mean"] < 1.3 and none["bandwidth", "mean"] > 5 and without["bandwidth", "mean"] > 20


@pytest.mark.parametrize("seed", [1, 2])
def test_cm9_all_to_all_keeps_its_throughput_where_slow_flows_leave(seed, tmp_path):
    arguments = ("--pattern=alltoall", f"--RngRun={seed}", "--rings=2", "--iterations=10", "--bandwidthIterations=1")
    stay = gpcnet(tmp_path / "stay", "--tools=endpoint,fgfc,hop-credits,injection-limit,pacing", *arguments)
    leave = gpcnet(tmp_path / "leave", *arguments)
    # 102 aggressors could have 20.4 Tb/s.
    assert stay["aggressor_goodput", ""] < 12e12
    assert leave["aggressor_goodput", ""] > 17e12
    assert impacts_of(leave)["latency", "mean"] < 1.35


def test_sc3_an_impact_is_the_quotient_of_the_figures(tmp_path):
    summary = gpcnet(tmp_path, "--k=4", "--pattern=all", "--flowChannels=off", *SHORT)
    for (test, stat), impact in impacts_of(summary).items():
        metric = "bandwidth" if test == "bandwidth" else "latency"
        alone, beside = (summary[metric, f"phase={phase};stat={stat};test={test}"] for phase in ("isolated", "congested"))
        assert impact == pytest.approx(alone / beside if test == "bandwidth" else beside / alone, rel=1e-9)
        assert 0 < alone and 0 < beside
    assert summary["bytes_in_flight", ""] > 0
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] + summary["bytes_in_flight", ""]


@pytest.mark.parametrize("placement, hosts", [("linear", [0, 1, 2]), ("interleaved", [4, 9, 14])])
def test_sc3_messages_are_those_of_the_victims(placement, hosts, tmp_path):
    gpcnet(tmp_path, "--k=4", "--victims=3", "--aggressors=12", f"--placement={placement}", *SHORT)
    messages = read_csv(tmp_path / "messages.csv")
    assert {int(row["src"]) for row in messages} == {int(row["dst"]) for row in messages} == set(hosts)
    # Twice: 5 iterations of 6 messages; 2 of 48 and a barrier of 4; 5 allreduces of 4.
    assert len(messages) == 2 * (5 * 6 + 2 * (48 + 4) + 5 * 4)
    assert {int(row["bytes"]) for row in messages} == {8, 128 << 10}


def test_sc3_random_numbers_choose_other_hosts(tmp_path):
    chosen = []
    for seed in (1, 2):
        gpcnet(tmp_path / str(seed), "--k=4", f"--RngRun={seed}", *SHORT)
        chosen.append({row["src"] for row in read_csv(tmp_path / str(seed) / "messages.csv")})
    assert [len(hosts) for hosts in chosen] == [4, 4]  # a fifth, rounded up
    assert chosen[0] != chosen[1]


def test_pr4_tests_that_do_not_end_are_an_error():
    done = run("fabric-gpcnet", "--k=4", "--timeLimit=20us")
    assert (done.returncode, done.stdout) == (1, "")
    assert "the run ended with " in done.stderr and "messages delivered within --timeLimit=20us" in done.stderr
