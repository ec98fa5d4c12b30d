# SPDX-License-Identifier: GPL-2.0-only
"""fabric-pio against its closed form, what credits cost by scheme, the crossing of PIO and SDMA (PC-8, PC-9, PC-11), and its plot."""
import random
import re
import subprocess

import pytest

from programs import BIN, ROOT, python, read_csv, run_well, summary_of

PROGRAM = "fabric-pio"


def drawn_shapes(count):
    """@return settings from the whole range: blocks of a context, those of a packet, and the time of a return"""
    rng = random.Random(1)
    for _ in range(count):
        blocks = round(2 ** rng.uniform(4, 10))
        yield blocks, rng.randint(1, min(33, blocks)), f"{rng.choice([0, round(10 ** rng.uniform(2, 4))])}ns"


SHAPES = [(16, 1, "0ns"), (16, 16, "300ns"), (64, 4, "1us"), (256, 33, "0ns"), (1024, 1, "20us"), (1024, 33, "2us"), *drawn_shapes(14)]


@pytest.mark.parametrize("blocks, packet, latency", SHAPES)
def test_pc11_the_message_rate_is_that_of_the_closed_form(tmp_path, blocks, packet, latency):
    found = summary_of(tmp_path, PROGRAM, f"--blocks={blocks}", f"--packetBytes={packet * 64 - 8}", f"--returnLatency={latency}",
                       "--threshold=0", "--duration=1ms")
    assert found["message_rate", ""] == pytest.approx(found["closed_form_rate", ""], rel=0.03)


def drawn_bottlenecks(count):
    """@return options of core, PCIe and wire, each of which is the slowest now and then, many close to where credits begin to be short"""
    rng = random.Random(2)
    for _ in range(count):
        yield (f"--blocks={rng.choice([8, 16, 24, 33, 64])}", f"--packetBytes={rng.choice([8, 56, 57, 120, 248])}", f"--threshold={rng.choice(['0', '25%'])}",
               f"--earlyReturn={rng.choice(['true', 'false'])}", f"--linkRate={rng.choice([10, 20, 50, 200])}Gbps", f"--pcie={rng.choice(['1x1', '4x1', '3x8', '5x16'])}",
               f"--ns3::FabricPio::WriteCombining={rng.choice(['true', 'false'])}", f"--ns3::FabricPio::MemoryLookTime={rng.choice([0, 92, 300, 1000])}ns")


BOTTLENECKS = [("--pcie=1x1", "--packetBytes=120", "--ns3::FabricPio::WriteCombining=false"), ("--blocks=24", "--threshold=0", "--linkRate=20Gbps"),
               ("--blocks=16", "--packetBytes=57", "--threshold=0", "--earlyReturn=true", "--linkRate=10Gbps", "--pcie=5x16",
                "--ns3::FabricPio::MemoryLookTime=1us"), *drawn_bottlenecks(25)]


@pytest.mark.parametrize("options", BOTTLENECKS, ids=" ".join)
def test_pc11_the_message_rate_is_that_of_the_closed_form_whatever_is_slowest(tmp_path, options):
    found = summary_of(tmp_path, PROGRAM, "--duration=1ms", *options)
    assert found["message_rate", ""] == pytest.approx(found["closed_form_rate", ""], rel=0.03)


def test_pc11_no_closed_form_where_a_thread_waits_now_and_then(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--blocks=33", "--packetBytes=55", "--threshold=0", "--linkRate=20Gbps", "--pcie=5x16",
                       "--ns3::FabricPio::MemoryLookTime=1us", "--duration=100us")
    assert ("closed_form_rate", "") not in found


@pytest.mark.parametrize("size", [8, 248, 249, 5000])
@pytest.mark.parametrize("pcie", ["1x1", "4x16"])
def test_sc5_a_message_alone_has_a_slowdown_of_1(tmp_path, size, pcie):
    run_well(PROGRAM, f"--messageBytes={size}", "--blocks=1024", "--threshold=0", "--messageGap=100us", f"--pcie={pcie}", "--duration=1ms", f"--out={tmp_path}")
    for file in ("messages.csv", "flows.csv"):
        rows = read_csv(tmp_path / file)
        assert rows and {row["slowdown"] for row in rows} == {"1"}


def test_sc5_a_message_by_sdma_has_no_ideal_time(tmp_path):
    run_well(PROGRAM, "--messageBytes=4KiB", "--sdma=1", "--messageGap=100us", "--duration=1ms", f"--out={tmp_path}")
    for file in ("messages.csv", "flows.csv"):
        assert {(row["ideal_s"], row["slowdown"]) for row in read_csv(tmp_path / file)} == {("", "")}


def test_pc11_shapes_are_short_of_credits_and_not(tmp_path):
    stalls = [summary_of(tmp_path / str(i), PROGRAM, f"--blocks={blocks}", f"--packetBytes={packet * 64 - 8}",
                         f"--returnLatency={latency}", "--threshold=0", "--duration=50us")["stalls", ""]
              for i, (blocks, packet, latency) in enumerate(SHAPES)]
    assert min(stalls.count(0), len(stalls) - stalls.count(0)) >= 5


@pytest.mark.parametrize("options, least", [
    (["--scheme=egress-order", "--loseEvery=10"], 190e-6),  # stuck behind the lost packet, as the next but one
    (["--scheme=relative", "--loseEvery=10"], 170e-6),      # until no credit is left
    (["--blocks=16", "--returnLatency=150us"], 198e-6),     # the second return comes after the end
])
def test_pc11_a_stall_that_outlasts_the_run_counts_as_stall_time(options, least, tmp_path):
    found = summary_of(tmp_path, PROGRAM, *options)
    assert least < found["stall_time", ""] < 200e-6


def test_sc2_figures_by_packet_need_a_packet(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--duration=2us", "--ns3::FabricPio::PacketTime=3us")
    assert found["packets", "via=pio"] == 0
    assert not [metric for metric, _ in found if metric.endswith("_per_packet")]


def test_pc8_writes_of_the_schemes(tmp_path):
    writes = {scheme: summary_of(tmp_path / scheme, PROGRAM, f"--scheme={scheme}", *(["--threshold=25%"] if scheme == "absolute" else []))
              for scheme in ("absolute", "egress-order", "relative")}
    assert writes["relative"]["return_writes_per_packet", ""] == pytest.approx(4, rel=0.01)
    assert writes["egress-order"]["return_writes_per_packet", ""] == pytest.approx(1, rel=0.01)
    assert writes["absolute"]["return_writes_per_packet", ""] == pytest.approx(1 / 4, rel=0.01)
    rates = {found["message_rate", ""] for found in writes.values()}
    assert len(rates) == 1


@pytest.mark.parametrize("latency", ["0", "500ns", "2us"])
def test_pc8_thresholds_of_the_schemes(tmp_path, latency):
    """Thresholds save writes, at first for nothing and then at the cost of stalls; the other schemes know none."""
    def measure(scheme, *options):
        return summary_of(tmp_path / "-".join((scheme, *options)), PROGRAM, f"--scheme={scheme}", *options,
                          f"--returnLatency={latency}", "--duration=600us")
    blocks, packet = 64, 4
    rates, stall_times = [], []
    for percent in (0, 12, 25, 33, 50, 60, 75, 100):
        found = measure("absolute", f"--threshold={percent}%")
        in_one_return = max(1, -(-(blocks * percent // 100) // packet))
        assert found["return_writes_per_packet", ""] == pytest.approx(1 / in_one_return, rel=0.02)
        assert found["return_bytes_per_packet", ""] == pytest.approx(32 / in_one_return, rel=0.02)
        assert found["message_rate", ""] == pytest.approx(found["closed_form_rate", ""], rel=0.03)
        rates.append(found["message_rate", ""])
        stall_times.append(found["stall_time", ""])
    assert rates[-1] < 0.8 * rates[0] and stall_times[-1] > stall_times[0]
    for scheme, writes in (("relative", packet), ("egress-order", 1)):
        other = measure(scheme)
        assert other["return_writes_per_packet", ""] == pytest.approx(writes, rel=0.01)
        assert other["return_bytes_per_packet", ""] == pytest.approx(32 * writes, rel=0.01)
        assert other["message_rate", ""] == pytest.approx(rates[0], rel=0.01)


def test_pc5_lost_returns_leak_relative_credits_only(tmp_path):
    whole = summary_of(tmp_path / "whole", PROGRAM, "--threshold=0")
    absolute = summary_of(tmp_path / "absolute", PROGRAM, "--threshold=0", "--loseEvery=10")
    relative = summary_of(tmp_path / "relative", PROGRAM, "--scheme=relative", "--loseEvery=10")
    assert absolute["lost_returns", ""] > 100
    assert absolute["message_rate", ""] == pytest.approx(whole["message_rate", ""], rel=0.01)
    assert relative["message_rate", ""] == 0


def test_pc9_pio_and_sdma_cross(tmp_path):
    def latency(size, sdma):
        return summary_of(tmp_path / f"{size}-{sdma}", PROGRAM, "--blocks=1024", "--packetBytes=2040", f"--messageBytes={size}",
                          "--messageGap=40us", f"--sdma={sdma}")["latency", "stat=mean"]
    assert latency("4KiB", 0) < latency("4KiB", 1)
    assert latency("8KiB", 0) > latency("8KiB", 1)


def test_pc7_a_thread_that_sleeps_is_slower_and_needs_interrupts(tmp_path):
    polls = summary_of(tmp_path / "polls", PROGRAM, "--blocks=16")
    sleeps = summary_of(tmp_path / "sleeps", PROGRAM, "--blocks=16", "--wait=sleep")
    assert polls["interrupts", ""] == 0 < sleeps["interrupts", ""]
    assert sleeps["message_rate", ""] < polls["message_rate", ""]


# An attribute and a value, options with which it counts, and a metric that gets larger or smaller by it.
SDMA = "--sdma=1 --senders=4"
SLEEP = "--wait=sleep --blocks=16 --senders=2"
EFFECTS = [
    ("SdmaEngines=1", SDMA, "message_rate", "<"),
    ("SdmaPackets=1", SDMA, "message_rate", "<"),
    ("SdmaReads=1", SDMA, "message_rate", "<"),
    ("SdmaDescriptors=64", "--sdma=1 --messageBytes=64KiB --ns3::FabricPio::DescriptorTime=10ns", "stalls", ">"),
    ("DescriptorTime=1us", SDMA, "message_rate", "<"),
    ("WordsPerLine=1", "--contexts=8 --blocks=16 --threshold=0", "message_rate", ">"),
    ("RequestEvery=1", "--threshold=100%", "return_writes_per_packet", ">"),
    ("RequestEvery=2", "--threshold=100%", "return_writes_per_packet", ">"),
    ("ForceAfter=1us", "--returnLatency=5us", "forced_returns", ">"),
    ("ContextBlocks=16,64", "--contexts=2", "stalls", ">"),
    ("ReturnInterval=500ns", "--threshold=100%", "return_writes_per_packet", ">"),
    ("BlockTime=60ns", "", "message_rate", "<"),
    ("PacketTime=100ns", "", "message_rate", "<"),
    ("SharedLookTime=500ns", SLEEP, "message_rate", "<"),
    ("InterruptTime=9us", SLEEP, "message_rate", "<"),
    ("MemoryLookTime=900ns", "--blocks=16", "message_rate", "<"),
    ("PcieMps=128", SDMA + " --packetBytes=2040", "message_rate", "<"),
    ("PcieMrrs=128", SDMA + " --packetBytes=2040 --pcie=3x4", "message_rate", "<"),
    ("PcieTlpShare=0.1", "", "message_rate", "<"),
    ("PcieOutstandingReads=1", SDMA, "message_rate", "<"),
    ("PcieLatency=2us", "", "latency", ">"),
    ("PcieMemoryLatency=2us", SDMA, "latency", ">"),
    ("WriteCombining=false", "", "pcie_bytes_per_packet", ">"),
]


def test_every_attribute_is_tried():
    done = subprocess.run([BIN / PROGRAM, "--PrintAttributes=ns3::FabricPio"], capture_output=True, text=True, check=True)
    attributes = set(re.findall(r"ns3::FabricPio::(\w+)", done.stdout))
    by_option = {"Contexts", "Threads", "PacketBytes", "SdmaBytes", "Wait", "ReturnDelay", "LoseEvery", "Threshold", "Blocks", "Scheme",
                 "EarlyReturn", "PcieGeneration", "PcieLanes"}
    bounds = {"CounterBits"}  # which only says how many blocks there may be
    assert attributes == {row[0].split("=")[0] for row in EFFECTS} | by_option | bounds


@pytest.mark.parametrize("attribute, options, metric, relation", EFFECTS)
def test_pc11_each_attribute_counts(tmp_path, attribute, options, metric, relation):
    def measure(name, *more):
        found = summary_of(tmp_path / name, PROGRAM, *options.split(), *more)
        key = {"latency": "stat=mean", "pcie_bytes_per_packet": "from=host"}.get(metric, "")
        return found[metric, key]
    usual, changed = measure("usual"), measure("changed", f"--ns3::FabricPio::{attribute}")
    assert usual < changed if relation == ">" else changed < usual


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-pio.py", *arguments], capture_output=True, text=True, timeout=60)


def test_sc6_picture_is_drawn_or_one_sentence_says_why_not(tmp_path):
    folders = [tmp_path / str(blocks) for blocks in (16, 64)]
    for folder in folders:
        run_well(PROGRAM, f"--blocks={folder.name}", "--duration=20us", f"--out={folder}")
    done = plot(*folders, "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "picture.png").stat().st_size > 10000
    # Schemes without a threshold are a line across, whatever the others have.
    thresholds = [tmp_path / f"threshold-{percent}" for percent in (0, 50)]
    for folder in thresholds:
        run_well(PROGRAM, f"--threshold={folder.name.split('-')[1]}%", "--duration=20us", f"--out={folder}")
    run_well(PROGRAM, "--scheme=relative", "--duration=20us", f"--out={tmp_path / 'relative'}")
    done = plot(*thresholds, tmp_path / "relative", "--output", tmp_path / "thresholds.png")
    assert (done.returncode, done.stderr) == (0, "")
    run_well(PROGRAM, "--threshold=50%", "--duration=20us", f"--out={tmp_path / 'other'}")
    for runs, words in (([folders[0], tmp_path / "other"], "the runs differ in blocks and threshold; allowed is one of blocks,"),
                        ([folders[0]], "the runs differ in nothing; allowed is one of blocks,")):
        done = plot(*runs, "--output", tmp_path / "no.png")
        assert done.returncode == 2
        assert words in done.stderr


@pytest.mark.parametrize("delay, duration", [("10us", "2ms"), ("100us", "20ms"), ("300us", "60ms")])
def test_pc11_the_closed_form_knows_the_credits_of_a_long_link(tmp_path, delay, duration):
    found = summary_of(tmp_path, PROGRAM, f"--linkDelay={delay}", f"--duration={duration}")
    assert found["message_rate", ""] == pytest.approx(found["closed_form_rate", ""], rel=0.02)
