# SPDX-License-Identifier: GPL-2.0-only
"""PF-3, PF-8: guards of the speed, of what does not depend on how fast the machine is and on what else it does.

Events, allocations and memory have limits a little above what they are. Instructions per hop are those in
instructions.json within 10 %, for each platform that has figures there; after a change that is meant:
pytest test/python -k instructions --refresh-instructions

What is asked for is what a hop costs. Events are the difference between two runs, one with twice the bytes, so that what is done
once for a run cancels out; instructions are counted where the benchmark says that it runs, without what builds the fabric.
"""
import functools
import json
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

from programs import BIN, read_csv, run_well

FIGURES = pathlib.Path(__file__).parent / "instructions.json"
TOLERANCE = 0.1

# The workload with its bytes per sender, which are doubled for the second run.
BYTES = {"P128": 2_000_000, "I32": 1_000_000}
LIGHT_BYTES = {"P128": 500_000, "I32": 500_000, "SPARSE": 4_000 * 4096}  # under valgrind, thirty times slower

# Most ns-3 events that one more data hop may cost, and most KiB per host. An incast has few hosts that share windows.
# Memory is what the heap set aside, which chance moves by half a percent: limits are 2 % above what it was.
LIMITS = {
    ("P128", "raw"): (0.0025, 23.8),
    ("P128", "flow"): (0.0006, 23.3),
    ("P128", "transport"): (0.0045, 44.2),
    ("I32", "raw"): (0.06, 18.8),
    ("I32", "flow"): (0.06, 17.6),
}


def each_limit():
    """Parametrizes a test with the workloads and versions that have limits."""
    return pytest.mark.parametrize("workload, version", LIMITS, ids=[" ".join(row) for row in LIMITS])


def measure(folder, workload, version, size, *options):
    """@return the row of bench.csv of one run"""
    run_well("bench-fabric", f"--workload={workload}", f"--version={version}", f"--bytes={size}", "--repeat=1", f"--out={folder}",
             *options)
    row, = read_csv(folder / "bench.csv")
    return row


def data_hops(row):
    return int(row["data_hops"])


def all_hops(row):
    return int(row["data_hops"]) + int(row["control_hops"])


@each_limit()
def test_pf3_events_allocations_and_memory_keep_within_limits(workload, version, tmp_path):
    once = measure(tmp_path / "once", workload, version, BYTES[workload])
    twice = measure(tmp_path / "twice", workload, version, 2 * BYTES[workload])
    events, memory = LIMITS[workload, version]
    more_hops = data_hops(twice) - data_hops(once)
    assert more_hops == pytest.approx(data_hops(once), rel=0.01)
    assert (int(twice["events"]) - int(once["events"])) / more_hops <= events
    # Heaps of paced flows grow with the flows that wait at a time, which chance decides: three times in all.
    assert float(twice["allocations_per_data_hop"]) <= (3 / data_hops(twice) if (workload, version) == ("I32", "flow") else 0)
    assert 0 < float(twice["kib_per_host"]) <= memory
    # What is held does not grow with what has been sent, but for queues that grow while links are full.
    assert float(twice["kib_per_host"]) <= 1.2 * float(once["kib_per_host"])


def test_pf3_hosts_that_receive_slowly_allocate_nothing_for_a_frame(tmp_path):
    row = measure(tmp_path, "I32", "flow", BYTES["I32"], "--ns3::FabricNetDevice::ReceiveRate=50Gbps")
    assert float(row["allocations_per_data_hop"]) == 0


@pytest.mark.parametrize("version", ["raw", "flow"])
def test_pf3_windows_of_a_host_that_sends_now_and_then_are_no_dearer_than_plain_events(version, tmp_path):
    ahead = measure(tmp_path / "on", "SPARSE", version, 8_000_000)
    plain = measure(tmp_path / "off", "SPARSE", version, 8_000_000, "--lookahead=off")
    assert data_hops(ahead) == data_hops(plain) == 6 * -(-8_000_000 // 4096)
    assert int(ahead["events"]) <= int(plain["events"])


# ---- instructions ----


@pytest.fixture(scope="module")
def platform_name(tmp_path_factory):
    """What instructions depend on: machine, compiler, version of ns-3 and type of build."""
    folder = tmp_path_factory.mktemp("platform")
    run_well("bench-fabric", "--workload=I32", "--version=raw", "--bytes=1", "--repeat=1", f"--out={folder}")
    manifest = json.loads((folder / "manifest.json").read_text())
    return ", ".join([platform.machine(), manifest["compiler"], f"ns-3 {manifest['ns3_version']}", manifest["build_type"]])


@pytest.fixture(scope="module")
def instructions_per_hop(tmp_path_factory):
    """A function that returns the instructions of a hop, data or ACK. It measures each workload once."""
    if shutil.which("valgrind") is None:
        pytest.skip("there is no valgrind here; utils/setup.sh installs it")

    @functools.lru_cache(maxsize=None)
    def of_a_hop(workload, version, *options):
        folder = tmp_path_factory.mktemp("count")
        collected = count_instructions("--instr-atstart=no", BIN / "bench-fabric", f"--workload={workload}", f"--version={version}",
                                       "--repeat=1", f"--bytes={LIGHT_BYTES[workload]}", f"--out={folder}", *options)
        row, = read_csv(folder / "bench.csv")
        runs = 2  # the one of --repeat=1, and the one that counts allocations
        return collected / runs / all_hops(row)

    return of_a_hop


def count_instructions(*command):
    """@return instructions that a command of callgrind, its options first, has counted"""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@pytest.fixture
def compare_with_known(platform_name, request):
    """A function that compares instructions, which a function counts, with those that are known by a name, or keeps them."""
    def compare(name, count):
        figures = json.loads(FIGURES.read_text())
        is_refreshing = request.config.getoption("--refresh-instructions", default=False)
        if name not in figures.get(platform_name, {}) and not is_refreshing:
            pytest.skip(f"{FIGURES.name} has no figure of {name} for {platform_name}; --refresh-instructions writes it")
        measured = count()
        if is_refreshing:
            figures.setdefault(platform_name, {})[name] = round(measured, 1)
            FIGURES.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n")
        assert measured == pytest.approx(figures[platform_name][name], rel=TOLERANCE), "see the top of this test"

    return compare


@each_limit()
def test_pf3_instructions_of_a_hop_are_those_known(workload, version, instructions_per_hop, compare_with_known):
    compare_with_known(f"{workload} {version}", lambda: instructions_per_hop(workload, version))


PIO_MESSAGES = {
    "of one block": ["--packetBytes=56"],
    "of one block, looked for each us": ["--packetBytes=56", "--ns3::FabricNetDevice::PollInterval=1us"],
    "of four blocks": ["--packetBytes=248"],
    "of one block, 16 in a message": ["--packetBytes=56", "--messageBytes=896"],
}


@pytest.mark.parametrize("messages", PIO_MESSAGES)
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind here; utils/setup.sh installs it")
def test_pc11_instructions_of_a_packet_by_pio_are_those_known(messages, compare_with_known, tmp_path):
    """From host to host over one switch; what is done once for a run cancels out."""
    def count():
        found = []
        for duration in ("100us", "300us"):
            out = tmp_path / duration
            command = [BIN / "fabric-pio", *PIO_MESSAGES[messages], f"--duration={duration}", "--progress=off"]
            run_well("fabric-pio", *command[1:], f"--out={out}")
            packets = next(float(row["value"]) for row in read_csv(out / "summary.csv") if row["metric"] == "packets" and row["via"] == "pio")
            found.append((count_instructions(*command), packets))
        (few, once), (many, thrice) = found
        return (many - few) / (thrice - once)

    compare_with_known(f"PIO, packet {messages}", count)


@pytest.fixture
def eight_lanes(tmp_path):
    """@return the option for a table of eight lanes in four groups, for switches and uplinks of hosts"""
    lanes = [{"lane": i, "level": ("high", "medium", "low")[i % 3], "group": i // 2, "trafficClass": 0} for i in range(8)]
    table = tmp_path / "lanes.json"
    table.write_text(json.dumps({"lanes": lanes, "groups": [{"group": i, "share": 25} for i in range(4)]}))
    return f"--ns3::FabricSwitch::LaneTableFile={table}"


def test_wl5_hosts_that_are_paused_allocate_nothing(tmp_path):
    paused = measure(tmp_path, "I32", "flow", 4 * BYTES["I32"], "--ns3::FabricSwitch::EdgeFlowControl=priority-pause")
    assert float(paused["allocations_per_data_hop"]) == 0


def test_va12_eight_lanes_take_at_most_a_tenth_more_instructions(instructions_per_hop, eight_lanes):
    plain = instructions_per_hop("P128", "flow")
    arbitrated = instructions_per_hop("P128", "flow", eight_lanes)
    assert arbitrated <= 1.1 * plain  # it was 1.084, with uplinks of hosts that arbitrate too


def test_va12_eight_lanes_take_memory_by_their_table(eight_lanes, tmp_path):
    plain = measure(tmp_path / "plain", "P128", "flow", BYTES["P128"])
    arbitrated = measure(tmp_path / "lanes", "P128", "flow", BYTES["P128"], eight_lanes)
    assert float(arbitrated["allocations_per_data_hop"]) == 0
    # It was 6.4 more, of which 2.1 look for congestion of each lane to a host; by the largest table
    # that is allowed it would be more than 20.
    assert float(arbitrated["kib_per_host"]) <= float(plain["kib_per_host"]) + 7.2


def test_pf3_a_host_that_sends_now_and_then_takes_no_more_instructions_with_windows(instructions_per_hop):
    ahead = instructions_per_hop("SPARSE", "flow")
    plain = instructions_per_hop("SPARSE", "flow", "--lookahead=off")
    assert ahead <= plain * (1 + TOLERANCE)
