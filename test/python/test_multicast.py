# SPDX-License-Identifier: GPL-2.0-only
"""FC-16: broadcasts by groups, whose frames switches copy, beside those by hosts that send on."""
import subprocess

import pytest

from fabric_sim.plots.multicast import draw
from fabric_sim.results import ResultError, read_run
from programs import DELAY, OVERHEAD, RATE, ROOT, SWITCH_LATENCY, python, python_with_headers, run, run_well, summary_of

BYTES = 40960
FRAME = (4096 + OVERHEAD) * 8 / RATE


def broadcast(folder, *options):
    return summary_of(folder, "fabric-multicast", "--k=4", f"--bytes={BYTES}", *options)


@pytest.mark.parametrize("members", [2, 3, 8, 16])
def test_fc16_a_group_takes_as_long_as_one_message(tmp_path, members):
    summary = broadcast(tmp_path / "group", f"--members={members}")
    switches = 1 if members == 2 else 3 if members <= 4 else 5
    whole = BYTES / 4096 * FRAME + (switches + 1) * DELAY + switches * SWITCH_LATENCY
    assert summary["completion_time", ""] == pytest.approx(whole, abs=2e-12)
    assert summary["expected_time", ""] == summary["completion_time", ""]
    assert summary["bytes_offered", ""] == BYTES
    assert summary.get(("bytes_copied", ""), 0) == (members - 2) * BYTES
    assert summary["bytes_delivered", ""] == (members - 1) * BYTES


TOPOLOGIES = [f"--topology=dragonfly --routing={way}" for way in ("minimal", "valiant", "ugal-l")] + \
             [f"--topology=torus --widths=3,4 --routing={way}" for way in ("dimension-order", "adaptive")] + \
             [f"--topology=hyperx --widths=3,4 --routing={way}" for way in ("by-dimension", "adaptive")]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_fc16_groups_of_dragonflies_tori_and_hyperx_take_as_long_as_their_trees_say(tmp_path, topology):
    options = ["fabric-multicast", *topology.split(), f"--bytes={BYTES}"]
    summary = summary_of(tmp_path / "group", *options)
    members = 72 if "dragonfly" in topology else 24
    assert summary["expected_time", ""] == summary["completion_time", ""]
    assert summary["bytes_copied", ""] == (members - 2) * BYTES and summary["bytes_delivered", ""] == (members - 1) * BYTES
    # A link to each host, and one to each switch but the first; the source's own link.
    assert summary["data_hops", ""] == (members - 1 + members // 2 - 1 + 1) * BYTES / 4096
    alone = summary_of(tmp_path / "source", *options, "--by=source")
    assert alone["completion_time", ""] > 5 * summary["completion_time", ""] and alone["data_hops", ""] > summary["data_hops", ""]


@pytest.mark.parametrize("way, least", [("tree", 4), ("source", 15)])
def test_fc16_hosts_that_send_take_longer_by_the_closed_form(tmp_path, way, least):
    group = broadcast(tmp_path / "group")
    summary = broadcast(tmp_path / way, f"--by={way}")
    assert summary["completion_time", ""] == summary["expected_time", ""]  # nothing else is in the way
    assert summary["expected_time", ""] >= max(least * BYTES / 4096 * FRAME, group["completion_time", ""])
    assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == 15 * BYTES
    assert summary["data_hops", ""] > group["data_hops", ""]


@pytest.mark.parametrize("way", ["tree", "source"])
@pytest.mark.parametrize("options, waits", [
    (["--ns3::FabricDevice::Mtu=9000", "--bytes=8192"], False),
    (["--ns3::FabricDevice::Mtu=1000", "--bytes=8192"], False),
    (["--ns3::FabricSwitch::Forwarding=store-and-forward", "--bytes=50001"], False),
    (["--hostRate=100Gbps", "--linkRate=400Gbps", "--bytes=50001"], False),
    (["--hostRate=400Gbps", "--linkRate=100Gbps", "--bytes=50001"], True),  # a source's messages share its switch's links
])
def test_fc16_the_closed_form_knows_frames_forwarding_and_rates(options, waits, way, tmp_path):
    summary = summary_of(tmp_path, "fabric-multicast", "--k=4", f"--by={way}", *options)
    completion, expected = summary["completion_time", ""], summary["expected_time", ""]
    assert completion > expected if waits and way == "source" else completion == expected


@pytest.mark.parametrize("options", [["--lookahead=off"], ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0"]])
def test_dp5_results_of_a_group_do_not_depend_on_how_it_is_run(tmp_path, options):
    names = ("summary.csv", "messages.csv")
    for folder, more in (("one", []), ("other", options)):
        broadcast(tmp_path / folder, "--members=5", "--stride=3", *more)
    assert [(tmp_path / "one" / name).read_bytes() for name in names] == [(tmp_path / "other" / name).read_bytes() for name in names]


def test_wl9_frames_to_a_group_and_trimmed_ones_are_captured(tmp_path):
    (tmp_path / "group").mkdir()
    run_well("fabric-multicast", "--k=4", "--members=3", "--bytes=10000", f"--pcap={tmp_path / 'group/p'}", "--ns3::PcapFileWrapper::CaptureSize=28")
    frames = b"".join(file.read_bytes() for file in sorted((tmp_path / "group").iterdir()))
    # Lead of 4 bytes; source, destination, lane, channel, class, flow, data_flow: all of native frames without a flow.
    assert frames.count(bytes.fromhex("0001c000000000000000")) == 3 + 3 + 3  # from host 0, to host 1, and up


PROGRAM = """
from fabric_sim import connect, ns
fabric, got = ns.FatTreeHelper(4).Install(), []
group = ns.FabricGroupHelper(fabric).Create([0, 3, 9])
connect(fabric.network, "MessageDelivered", lambda message, now: got.append((message.dst, message.src, message.group, message.bytes)))
fabric.GetDevice(3).SendMessage(group, 5000)
ns.Simulator.Run()
print(sorted(got) == [(1, 4, group, 5000), (10, 4, group, 5000)], group)
"""


def test_fc16_python_makes_groups(tmp_path):
    (tmp_path / "groups.py").write_text(PROGRAM)
    done = subprocess.run([python_with_headers(), tmp_path / "groups.py"], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("True 49152\n", 0), done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["--k=4", "--members=1"], "--members=1: allowed is 0, or 2 to 16, with 16 hosts and --stride=1"),
    (["--k=4", "--members=9", "--stride=2"], "--members=9: allowed is 0, or 2 to 8"),
    (["--k=4", "--ns3::FabricSwitch::LossyClasses=65535"], "LossyClasses is 65535; allowed is 0"),
    (["--k=4", "--ns3::FabricSwitch::LinkFlowControl=pause"], "links have no credits; allowed are EdgeFlowControl=credits"),
    (["--topology=dragonfly", "--routing=minimal", "--ns3::FabricSwitch::ClassToVc=0,1", "--ns3::FabricNetDevice::ClassToVc=0,1"],
     "take 4 virtual channels, and routes of a class 2; allowed are as many VirtualChannels and ClassToVc=0 for all classes"),
])
def test_pr4_broadcasts_that_can_not_be(arguments, words):
    done = run("fabric-multicast", *arguments)
    assert done.returncode == 2 and words in done.stderr


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("multicast")
    for way in ("group", "tree", "source"):
        for members in (4, 16):
            run_well("fabric-multicast", "--k=4", f"--by={way}", f"--members={members}", f"--out={root / f'{way}-{members}'}")
    run_well("fabric-multicast", "--k=4", "--bytes=100", f"--out={root / 'short'}")
    return root


def test_sc6_broadcasts_are_drawn_with_their_closed_form(results, tmp_path):
    runs = [read_run(results / f"{way}-{members}", "fabric-multicast") for way in ("group", "tree", "source") for members in (4, 16)]
    axes = draw(*runs).axes[0]
    for way, line in zip(("group", "tree", "source"), (line for line in axes.lines if line.get_linestyle() == ":")):
        expected = [read_run(results / f"{way}-{members}", "fabric-multicast").value("expected_time") * 1e6 for members in (4, 16)]
        assert list(line.get_ydata()) == pytest.approx(expected)
    with pytest.raises(ResultError, match="differ in more than"):
        draw(*runs, read_run(results / "short", "fabric-multicast"))
    done = subprocess.run([python(), ROOT / "utils/plot-multicast.py", results / "group-4", results / "tree-4", "--output", tmp_path / "p.png"],
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000
