# SPDX-License-Identifier: GPL-2.0-only
"""SC-3: fabric-permutation sends by any of its patterns over native messages, the reliable transport, programmed I/O and TCP."""
import pytest

from programs import read_csv, run, run_well, summary_of

OTHERS = ["rt", "pio", "tcp"]
LOADED = ["--k=4", "--pattern=uniform", "--bytes=16384", "--load=0.3", "--warmUp=20us", "--duration=30us"]
THREADS = ["--ns3::FabricPio::Threads=16", "--ns3::FabricPio::Contexts=16"]


def messages(folder):
    """@return source, destination, size, class and start of the messages of a run"""
    return sorted((row["src"], row["dst"], row["bytes"], row["traffic_class"], row["start_s"]) for row in read_csv(folder / "messages.csv"))


@pytest.mark.parametrize("pattern", ["shift", "random", "bit-complement", "uniform", "all-to-all"])
def test_sc3_the_same_messages_once(tmp_path, pattern):
    options = ["--k=4", f"--pattern={pattern}", "--bytes=20000", "--ns3::FabricMessageSender::TrafficClass=3", "--check"]
    summaries = {transport: summary_of(tmp_path / transport, "fabric-permutation", *options, f"--transport={transport}") for transport in ["raw", *OTHERS]}
    count = 240 if pattern == "all-to-all" else 16
    for transport, summary in summaries.items():
        assert len(read_csv(tmp_path / transport / "messages.csv")) == count
        assert messages(tmp_path / transport) == messages(tmp_path / "raw")
        assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == 20000 * count
        assert len([key for key in summary if key[0] == "host_goodput"]) == 16
        assert summary["completion_time", ""] >= summary["fct", "stat=max"] - 1e-12
        assert summary["goodput", ""] == pytest.approx(8 * 20000 * count / summary["completion_time", ""])
    assert summaries["tcp"]["operations", "status=ok"] == summaries["rt"]["operations", "status=ok"] == count
    assert summaries["raw"]["completion_time", ""] < min(summaries[transport]["completion_time", ""] for transport in ("pio", "tcp"))


def test_sc3_the_same_messages_at_a_load(tmp_path):
    raw = summary_of(tmp_path / "raw", "fabric-permutation", *LOADED)
    for transport in OTHERS:
        summary = summary_of(tmp_path / transport, "fabric-permutation", *LOADED, f"--transport={transport}", "--check", *THREADS)
        assert summary["simulated_time", ""] == 50e-6
        assert summary["accepted_load", ""] == pytest.approx(raw["accepted_load", ""], rel=0.15)
        assert summary["goodput", ""] == pytest.approx(summary["accepted_load", ""] * 16 * 200e9)
        assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] + summary["bytes_in_flight", ""]
        found, all_of_raw = messages(tmp_path / transport), set(messages(tmp_path / "raw"))
        assert len(found) > 0.75 * len(all_of_raw)  # the last ones are under way longer
        starts = [float(message[-1]) for message in found]
        assert min(starts) >= 20e-6 and max(starts) < 50e-6
        assert len(set(found) - all_of_raw) < 0.02 * len(found)  # of the same messages


@pytest.mark.parametrize("transport", OTHERS)
@pytest.mark.parametrize("options", [["--k=4", "--pattern=all-to-all", "--bytes=9000"], LOADED, ["--topology=dragonfly", "--pattern=adversarial", *LOADED[2:]],
                                     ["--k=4", "--bytes=50000", "--linkErrors=0.01"]], ids=lambda options: options[1])
def test_dp5_results_do_not_depend_on_windows(tmp_path, transport, options):
    files = set()
    more = ["--samplePeriod=1us", f"--transport={transport}", "--ns3::FabricNicTransport::CompletionLatency=2us"]
    for name, how in {"on": [], "off": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}.items():
        run_well("fabric-permutation", *options, *more, *how, f"--out={tmp_path / name}")
        files.add(b"".join((tmp_path / name / file).read_bytes() for file in ("messages.csv", "summary.csv", "ports.csv")))
    assert len(files) == 1


def test_sc3_congestion_control_and_marks(tmp_path):
    options = ["--k=4", "--pattern=uniform", "--bytes=200000", "--load=0.9", "--flowChannels=off"]
    dcqcn = summary_of(tmp_path / "dcqcn", "fabric-permutation", *options, "--transport=rt", "--congestionControl=dcqcn")
    dctcp = summary_of(tmp_path / "dctcp", "fabric-permutation", *options, "--transport=tcp", "--ns3::TcpL4Protocol::SocketType=ns3::TcpDctcp")
    assert dcqcn["marked_frames", ""] > 0 < dctcp["marked_frames", ""]


@pytest.mark.parametrize("arguments, words", [
    (["--transport=tcp", "--ns3::TcpSocketBase::UseEcn=On", "--ns3::FabricMessageSender::TrafficClass=3"],
     "--transport=tcp: --pattern=shift: a flow has traffic class 3; allowed is class 0 where TCP goes by marks"),
    (["--transport=rt", "--bytes=3GB"], "--transport=rt: --pattern=shift: a flow has 3000000000 bytes; allowed are up to 2147483647"),
    (["--transport=pio", "--bytes=1", "--load=1", "--duration=1s"], "messages would be sent in --warmUp and --duration; allowed are at most 10000000"),
    (["--transport=pio", "--bytes=1024GiB", "--load=0.0001"], "--load: no message begins in --warmUp and --duration; allowed are times in which some do"),
    (["--transport=tcp", "--mpi"], "--transport=tcp: allowed is raw, rt or pio with --mpi, since both ends of a connection are counted together"),
])
def test_pr4_what_a_transport_can_not_carry(arguments, words):
    done = run("fabric-permutation", "--k=4", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and done.stderr.count("\n") == 1


def test_rt13_first_flights_over_long_links_are_sent_once(tmp_path):
    options = ["fabric-permutation", "--k=4", "--bytes=1MiB", "--linkRate=10Gbps", "--linkDelay=100us", "--transport=rt"]
    summary = summary_of(tmp_path / "chosen", *options)
    assert summary["resends", ""] == summary["time_outs", ""] == 0
    early = summary_of(tmp_path / "early", *options, "--ns3::FabricTransport::InitialRtt=10us")
    assert early["resends", ""] > 1000 and early["completion_time", ""] > 1.05 * summary["completion_time", ""]


@pytest.mark.parametrize("rate", [1, 5, 50, 500, 5000])
def test_sc3_tcp_keeps_its_connections_on_links_of_any_rate(rate, tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--k=4", "--pattern=shift", "--shift=4", "--bytes=300kB", "--transport=tcp", f"--linkRate={rate}Mbps")
    assert summary["operations", "status=ok"] == 16
    assert summary["completion_time", ""] == pytest.approx(300e3 * 8 / (rate * 1e6), rel=0.06)


def test_pr3_where_nothing_arrives_there_is_no_completion_time(tmp_path):
    summary = summary_of(tmp_path, "fabric-permutation", "--k=2", "--levels=2", "--transport=rt", "--bytes=64KiB", "--loss=0.9", "--ns3::FabricTransport::RetryLimit=1")
    assert summary["operations", "status=ok"] == 0 and summary["operations", "status=retry-limit"] == 2
    assert not {"completion_time", "goodput", "fct"} & {metric for metric, _ in summary}  # a time of 0 would be a fast one
