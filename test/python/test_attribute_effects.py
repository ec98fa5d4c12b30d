# SPDX-License-Identifier: GPL-2.0-only
"""SU-8: an attribute that is set alone changes the run, or is refused; none is taken and then not read."""
import hashlib
import re
import subprocess

import pytest

from programs import BIN

TIMEOUT = 60  # s

# Runs short enough for one of each attribute, in which as many of them as possible matter.
INCAST = ["fabric-incast", "--k=4", "--senders=12", "--bytes=150KiB", "--jitter=1us", "--aloneTime=8us"]
ONE_FLOW_TO_ALL = ["fabric-permutation", "--k=4", "--pattern=all-to-all", "--bytes=20000"]
PROCESSES = ["fabric-chain", "--sources=2,1", "--processes=3", "--duration=30us"]
DRAGONFLY = ["fabric-permutation", "--topology=dragonfly", "--pattern=adversarial", "--load=0.6", "--bytes=4096", "--warmUp=5us", "--duration=5us"]
LONG_LINKS = INCAST + ["--linkDelay=2us", "--aloneTime=60us"]
LONG_LINKS_OF_HOSTS = ["fabric-chain", "--sources=1,0", "--linkDelay=5us", "--duration=200us"]
TRANSPORT = ["fabric-transport", "--senders=3", "--count=4", "--bytes=100000", "--push=unsolicited"]
REDUCTION = ["fabric-collectives", "--k=4", "--hosts=8", "--transport=switch", "--collective=allreduce-tree", "--bytes=300000"]

# What each attribute is set to, and in which run.
SWITCH = {
    "Arbitration": ("port", INCAST),
    "DetourBias": ("0", DRAGONFLY),
    "Turns": ("bytes", INCAST),
    "TurnQuantum": ("1000", INCAST),
    "NoFlowClasses": ("1", INCAST),
    "UnorderedClasses": ("1", INCAST),
    "FlowFields": ("0", PROCESSES),
    "FlowRules": ("-> none", PROCESSES),
    "FlowIds": ("2", INCAST),
    "Forwarding": ("store-and-forward", INCAST),
    "Latency": ("100ns", INCAST),
    "ControlLatency": ("500ns", INCAST),
    "AckIdleTimer": ("0", INCAST),
    "AckBusyTimer": ("0", INCAST),
    "AckLongestTimer": ("0", INCAST),
    "BufferBytes": ("60000", INCAST),
    "VirtualChannels": ("2", INCAST),
    "ClassToVc": ("1", INCAST),
    "LossyClasses": ("65535", INCAST + ["--flowChannels=off", "--victim=off"]),
    "LossyDropBytes": ("50000", INCAST),
    "MaxFrameBytes": ("2000", INCAST),
    "SharedBufferBytes": ("1000000", INCAST),
    "SharedPauseAlpha": ("2", INCAST),
    "SharedLossyAlpha": ("2", INCAST),
    "SharedXonGap": ("0", INCAST),
    "Crossbar": ("tiled", INCAST),
    "CrossbarRows": ("2", INCAST),
    "CrossbarTilePorts": ("4", INCAST),
    "CrossbarSpeedup": ("2", INCAST),
    "CrossbarTransit": ("20ns", INCAST),
    "CrossbarTileBuffer": ("9000", INCAST),
    "CrossbarOutputBuffer": ("10000", INCAST),
    "AgeQueuePlaces": ("100", INCAST),
    "AgeQueueFixedPlaces": ("1", INCAST),
    "AgeQueueSharedFraction": ("0.1", INCAST),
    "HopCredits": ("false", INCAST),
    "Fgfc": ("false", INCAST),
    "FgfcPauseTime": ("300ns", INCAST),
    "FgfcResponseTime": ("700ns", INCAST),
    "FgfcRepeats": ("1", INCAST + [f"--ns3::FabricSwitch::FgfcPauseTime=2ns"]),
    "FgfcCredit": ("1", INCAST),
    "EndpointCongestion": ("false", INCAST),
    "EndpointBytes": ("3000", INCAST),
    "EndpointFrames": ("1", INCAST),
    "EndpointGrowth": ("0", INCAST),
    "EndpointGrowthTime": ("3us", INCAST),
    "EndpointTarget": ("66000", INCAST),
    "EndpointRoundTrip": ("200ns", INCAST),
    "EndpointDecayTime": ("300ns", INCAST),
    "FirstFlowLimit": ("20", INCAST),
    "FlowLimitSteps": ("1", INCAST),
    "FirstPacingDelay": ("9us", INCAST),
    "PacingSteps": ("1", INCAST),
    "Reroute": ("true", ONE_FLOW_TO_ALL),
    "RerouteBytes": ("1", INCAST),
    "RerouteTime": ("3us", INCAST),
    "RerouteSpread": ("9", INCAST),
    "RerouteHold": ("1us", INCAST),
    "NeighbourLoads": ("true", INCAST),
    "NeighbourLoadTime": ("3us", INCAST),
    "AppGroups": ("0:0:4", INCAST),
    "DiscardClasses": ("1", PROCESSES),
    "PortLimit": ("20", INCAST),
    "GroupLimitIds": ("0:1", INCAST),
    "LimitRatios": ("3,1", INCAST),
    "LimitUnits": ("20", INCAST),
    "ForceInjection": ("true", INCAST),
    "FlowLimits": ("false", INCAST),
    "FirstFlight": ("16", INCAST),
    "SlowPathTime": ("1us", INCAST),
    "Pacing": ("false", INCAST),
    "PacingSpread": ("0", INCAST),
    "RoomDivisor": ("1000", INCAST),
    "WayDivisor": ("2", INCAST),
    "WatermarksCoverLinks": ("false", LONG_LINKS_OF_HOSTS + ["--linkRate=800Gbps"]),
    "HighWatermark": ("100", INCAST),
    "TargetWatermark": ("20", INCAST),
    "DropWatermark": ("80", INCAST),
    "EdgeFlowControl": ("pause", INCAST),
    "EiqPauseBytes": ("1", INCAST),
    "PauseQuanta": ("1", INCAST),
    "PauseResponseQuanta": ("1", INCAST),
    "PauseXoffBytes": ("1", INCAST),
    "PauseXonBytes": ("1", INCAST),
    "LinkFlowControl": ("pause", INCAST),
    "LinkPauseXoffBytes": ("10000", INCAST),
    "LinkPauseXonBytes": ("1", INCAST),
    "TrimClasses": ("1", INCAST),
    "TrimHeaderClass": ("2", INCAST),
    "TrimBytes": ("50000", INCAST),
    "TrimmedPayload": ("100", INCAST),
    "MarkClasses": ("1", TRANSPORT + ["--congestionControl=fixed"]),
    "MarkMinBytes": ("1", INCAST),
    "MarkMaxBytes": ("100000", INCAST),
    "MarkProbability": ("0.5", INCAST),
    "Telemetry": ("true", TRANSPORT),
    "ReductionSlots": ("1", REDUCTION),
    "ReductionLatency": ("1us", REDUCTION),
    "LaneMode": ("group", INCAST),
    "LaneOverBandwidth": ("disqualify", INCAST),
    "LaneTurns": ("round-robin", INCAST),
    "LaneChargeOverBandwidth": ("true", INCAST),
    "LaneMeter": ("leaky-bucket", INCAST),
    "LaneBurst": ("1", INCAST),
    "LaneTolerance": ("1", INCAST),
    "LaneDebt": ("1", INCAST),
    "LaneWindow": ("1us", INCAST),
    "LaneFlitBytes": ("1", INCAST),
    "LaneMostUrgentBytes": ("1", INCAST),
    "LaneLeastVictimBytes": ("1", INCAST),
    "LaneMostBytesPerVictim": ("1", INCAST),
    "LaneLeastSentBytes": ("1", INCAST),
    "LaneLeastLeftBytes": ("1", INCAST),
    "LaneOpenFrames": ("3", INCAST),
    "LanePreemption": ("true", INCAST),
    "LaneInterleaving": ("true", INCAST),
    "LaneCheck": ("flit", INCAST),
}

# What it can't be seen by: each needs something that is no attribute of the switch.
ELSEWHERE = {
    "Ports": "programs set it by the topology",
    "FlowChannels": "programs have --flowChannels",
    "FlowStatistics": "programs have --channels",
    "FlowCheckInterval": "links with error models that lose ACKs",
    "ReservedBytes": "several virtual channels",
    "LaneTableFile": "a file",
    "LinkShapingTableFile": "a file",
    "HostShapingTableFile": "a file",
    "MarkRules": "as MarkClasses",
}


def names_of(kind):
    """@return the attributes of a type"""
    text = subprocess.run([BIN / "fabric-incast", f"--PrintAttributes={kind}"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    return set(re.findall(rf"--{kind}::(\w+)=", text))


def outcome(folder, command, *arguments):
    """@return the sentence that refuses a run, or a digest of what came of it"""
    program, *options = command
    done = subprocess.run([BIN / program, *options, "--progress=off", f"--out={folder}", *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 0:
        return done.stderr
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.csv")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What comes of each run without the attribute."""
    outcomes = {}

    def find(command):
        key = tuple(command)
        if key not in outcomes:
            outcomes[key] = outcome(tmp_path_factory.mktemp("usual"), command)
            assert re.fullmatch("[0-9a-f]{64}", outcomes[key]), outcomes[key]
        return outcomes[key]
    return find


def test_su8_every_attribute_of_a_switch_is_known_here():
    assert names_of("ns3::FabricSwitch") == SWITCH.keys() | ELSEWHERE.keys()
    assert not SWITCH.keys() & ELSEWHERE.keys()


@pytest.mark.parametrize("name", SWITCH)
def test_su8_an_attribute_alone_changes_the_run_or_is_refused(name, usual, tmp_path):
    value, command = SWITCH[name]
    found = outcome(tmp_path, command, f"--ns3::FabricSwitch::{name}={value}")
    assert found != usual(command), f"{name}={value} changes nothing"
