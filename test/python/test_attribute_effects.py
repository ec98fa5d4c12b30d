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
PROCESSES = ["fabric-chain", "--sources=2,1", "--processes=3", "--duration=30us"]
DRAGONFLY = ["fabric-permutation", "--topology=dragonfly", "--pattern=adversarial", "--load=0.6", "--bytes=4096", "--warmUp=5us", "--duration=5us"]
FAST_LINKS = ["fabric-incast", "--k=4", "--senders=12", "--bytes=150KiB", "--aloneTime=20us", "--linkRate=800Gbps", "--linkDelay=1us"]
SMALL_BUFFERS = INCAST + ["--ns3::FabricSwitch::BufferBytes=80000"]
RANDOM_PAIRS = ["fabric-permutation", "--k=4", "--pattern=random", "--bytes=500000"]
UNIFORM = ["fabric-permutation", "--k=4", "--pattern=uniform", "--bytes=4096", "--load=0.95", "--warmUp=20us", "--duration=100us"]
MANY = ["fabric-incast", "--k=6", "--senders=50", "--bytes=30000", "--jitter=1us", "--victim=off"]
BUSY_ACKS = ["fabric-ack-overhead", "--hosts=8", "--reverse", "--duration=20us"]
SEVERE = ["fabric-incast", "--k=4", "--senders=13", "--bytes=60000", "--jitter=1us", "--aloneTime=8us", *(f"--ns3::FabricSwitch::{setting}" for setting in (
    "FlowLimitSteps=1", "FirstFlowLimit=16", "EndpointBytes=5000", "EndpointTarget=10000", "EndpointRoundTrip=500ns"))]
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
    "AckBusyTimer": ("0", BUSY_ACKS),
    "AckLongestTimer": ("0", INCAST),
    "BufferBytes": ("60000", INCAST),
    "VirtualChannels": ("2", SMALL_BUFFERS),
    "ClassToVc": ("1", INCAST),
    "LossyClasses": ("65535", ["fabric-incast", "--k=4", "--senders=12", "--bytes=150KiB", "--jitter=1us", "--flowChannels=off", "--victim=off"]),
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
    "FgfcRepeats": ("1", INCAST + ["--ns3::FabricSwitch::FgfcPauseTime=2ns"]),
    "FgfcCredit": ("1", INCAST),
    "EndpointCongestion": ("false", INCAST),
    "EndpointBytes": ("3000", INCAST),
    "EndpointFrames": ("1", INCAST),
    "EndpointGrowth": ("0", INCAST),
    "EndpointGrowthTime": ("100ns", MANY),
    "EndpointTarget": ("66000", INCAST),
    "EndpointRoundTrip": ("200ns", INCAST),
    "EndpointDecayTime": ("300ns", SEVERE),
    "FirstFlowLimit": ("20", INCAST),
    "FlowLimitSteps": ("1", INCAST),
    "FirstPacingDelay": ("9us", SEVERE),
    "PacingSteps": ("1", SEVERE),
    "Reroute": ("true", RANDOM_PAIRS),
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
    "SlowPaths": ("false", UNIFORM),
    "SlowPathTime": ("1us", INCAST),
    "Pacing": ("false", SEVERE),
    "PacingSpread": ("0", SEVERE),
    "RoomDivisor": ("1000", INCAST),
    "WayDivisor": ("2", INCAST),
    "WatermarksCoverLinks": ("false", FAST_LINKS),
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

CHANNEL = {
    "CreditFrames": ("true", INCAST),
    "CreditThreshold": ("8000", INCAST),
    "CreditTimer": ("1us", INCAST),
    "CreditRefresh": ("1us", INCAST),
    "RetryLatency": ("1us", INCAST),
    "RetryBuffer": ("50000", INCAST),
    "RetryTimeout": ("9us", INCAST),
    "RetryLimit": ("1", INCAST),
    "RetryUnit": ("256", INCAST),
}
DEVICE = {
    "ClassToVc": ("1", INCAST),
    "ReceiveRate": ("50Gbps", INCAST),
    "ReceiveBuffer": ("9024", INCAST + ["--senders=13"]),
    "ReceiveXoffBytes": ("5000", INCAST),
    "ReceiveXonBytes": ("5000", INCAST),
    "PollInterval": ("1us", INCAST),
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
    "Telemetry": "CongestionControl=hpcc of the transport",
}


ELSEWHERE_OF_CHANNEL = {
    "DataRate": "programs have --linkRate",
    "Delay": "programs have --linkDelay",
    "ErrorModel": "one of each link's own",
    "ReverseErrorModel": "one of each link's own",
    "ControlErrors": "error models of some links",
    "Retry": "error models of some links",
}
ELSEWHERE_OF_DEVICE = {
    "QueueBytes": "packets of IP",
    "DscpToClass": "packets of IP",
    "ArpJitter": "packets of IP",
    "ArbitrateLanes": "a lane table",
    "Network": "to be read only",
}

# Of the reliable transport, over which 100 KB go unsolicited: what is read with one congestion control or one way to find losses is
# refused with the others.
LOSSES = TRANSPORT + ["--loss=0.05"]
GRANTS = TRANSPORT[:-1] + ["--push=solicited", "--senders=8"]
REQUESTS = TRANSPORT[:-1] + ["--operations=pull", "--count=100", "--bytes=4096"]
TIMELY = ["fabric-transport", "--congestionControl=timely", "--senders=4", "--linkRate=10Gbps", "--linkDelay=1us", "--bytes=6000000", "--push=unsolicited"]
TRANSPORTS = {
    "AckDelay": ("100ns", TRANSPORT),
    "AckPackets": ("1", TRANSPORT),
    "AdditiveIncrease": ("2", TRANSPORT),
    "AdmitsPulls": ("false", REQUESTS + ["--senders=12", "--bytes=200000", "--count=4"]),
    "AlphaGain": ("0.5", TRANSPORT),
    "AlphaTimer": ("99us", TRANSPORT),
    "BacksOff": ("false", TRANSPORT + ["--loss=0.4"]),
    "BaseDelay": ("9us", TRANSPORT),
    "BaseDelayPeriod": ("9us", TRANSPORT),
    "CamLookupLatency": ("1us", TRANSPORT),
    "CamLookupRate": ("1e6", TRANSPORT),
    "CnpInterval": ("9us", TRANSPORT),
    "Corrupt": ("0.1", TRANSPORT),
    "DelayBeta": ("0.1", TRANSPORT),
    "FaultSeed": ("2", LOSSES),
    "FlowScaling": ("1", TRANSPORT),
    "GrantLimitBytes": ("20000", GRANTS),
    "GrantOrder": ("round-robin", GRANTS + ["--senders=12", "--jitter=5us", "--bytes=300000"]),
    "GrantQuantumBytes": ("20000", GRANTS),
    "HopDelay": ("1us", TRANSPORT),
    "HpccBaseRtt": ("9us", TRANSPORT),
    "HpccFlows": ("9", TRANSPORT),
    "HpccHops": ("6", TRANSPORT),
    "HpccMaxStage": ("1", TRANSPORT),
    "HpccMinRate": ("1Mbps", TRANSPORT),
    "HpccUtilization": ("0.5", TRANSPORT),
    "HyperIncrease": ("1Gbps", TRANSPORT),
    "InitialRtt": ("1ms", TRANSPORT + ["--loss=0.5", "--count=1", "--bytes=2000"]),
    "InitialWindow": ("9", TRANSPORT),
    "InitiatorEntries": ("30", REQUESTS),
    "LeastScaledWindow": ("0.5", TRANSPORT),
    "LineRate": ("1Gbps", TRANSPORT),
    "LossDetection": ("none", LOSSES),
    "MarkGain": ("0.5", TRANSPORT),
    "MaxConnections": ("1", TRANSPORT),
    "MaxDecrease": ("0.1", TRANSPORT),
    "MaxReorderWindow": ("0", TRANSPORT + ["--loss=0.05", "--reorder=0.2"]),
    "MaxRto": ("400us", TRANSPORT + ["--loss=0.4"]),
    "MemoryBytes": ("10", TRANSPORT),
    "MemoryLatency": ("9us", TRANSPORT),
    "MinRate": ("1Mbps", TRANSPORT),
    "MinReorderWindow": ("99us", LOSSES),
    "MinRto": ("20us", LOSSES),
    "MinWindow": ("0.5", TRANSPORT),
    "MostScaledWindow": ("50", TRANSPORT),
    "Mtu": ("1000", TRANSPORT),
    "NoResourceDelay": ("1us", TRANSPORT + ["--senders=20", "--count=20", "--bytes=3000", "--ns3::FabricTransport::MemoryLatency=20us",
                                            "--ns3::FabricTransport::TargetEntries=16"]),
    "PacketEntries": ("9", TRANSPORT),
    "RateBytes": ("9", TRANSPORT),
    "RateIncrease": ("1Gbps", TRANSPORT),
    "RateTimer": ("9us", TRANSPORT),
    "RecoveryRounds": ("1", TRANSPORT),
    "ReorderDelay": ("1us", TRANSPORT + ["--reorder=0.2"]),
    "ReorderThreshold": ("9", TRANSPORT),
    "RequestSpan": ("1", REQUESTS),
    "RequestWindow": ("1", REQUESTS),
    "ResendsByRsn": ("true", TRANSPORT + ["--operations=push,pull", "--loss=0.1", "--count=40"]),
    "RetryLimit": ("0", TRANSPORT + ["--loss=0.4"]),
    "RtoScale": ("90", TRANSPORT + ["--loss=0.4", "--ns3::FabricTransport::MinRto=20us"]),
    "SendPayloadBytes": ("16384", TRANSPORT),
    "SolicitAbove": ("9", TRANSPORT),
    "SolicitBelowWindow": ("0.9", TRANSPORT),
    "Sprayed": ("true", LOSSES),
    "StrictPriority": ("false", TRANSPORT + ["--operations=push,pull", "--senders=8", "--count=20"]),
    "TailProbes": ("false", LOSSES),
    "TargetDelay": ("9us", TRANSPORT),
    "TargetEntries": ("9", TRANSPORT),
    "TargetQuota": ("9", TRANSPORT),
    "TimelyBeta": ("0.1", TIMELY),
    "TimelyGain": ("0.1", TIMELY),
    "TimelyHigh": ("30us", TIMELY),
    "TimelyHyperEvents": ("1", TIMELY),
    "TimelyHyperFactor": ("50", TIMELY + ["--ns3::FabricTransport::TimelySegment=0"]),
    "TimelyIncrease": ("5Gbps", TIMELY),
    "TimelyLow": ("10us", TIMELY),
    "TimelyMaxDecrease": ("0.01", TIMELY),
    "TimelyMinRate": ("5Gbps", TIMELY),
    "TimelyMinRtt": ("2us", TIMELY),
    "TimelyPatched": ("true", TIMELY),
    "TimelySegment": ("0", TIMELY),
    "TxWeights": ("1,1,1,1,1,9", TRANSPORT),
}
NICS = {
    "CompletionLatency": ("9us", TRANSPORT),
    "HoldTimeOuts": ("false", TRANSPORT + ["--tools=none"]),
    "TrafficClass": ("1", TRANSPORT + ["--ns3::FabricSwitch::NoFlowClasses=2"]),
}
ELSEWHERE_OF_TRANSPORT = {
    "AcceptsConnections": "connections that are asked for",
    "CongestionControl": "programs have --congestionControl",
    "DataWindow": "programs have --window",
    "Duplicate": "programs have --duplicate",
    "FirstDataPsn": "a name, which results do not show",
    "FirstRequestPsn": "a name, which results do not show",
    "Loss": "programs have --loss",
    "NotReadyDelay": "sends, which no program has",
    "NotReadyLimit": "sends, which no program has",
    "ProbeInterval": "peers that are gone",
    "ReceivePayloadBytes": "memory that few packets fill",
    "Receives": "sends, which no program has",
    "Reorder": "programs have --reorder",
    "ReportsOneSided": "traces",
    "Solicitation": "programs have --push",
    "TargetRedZone": "memory that few packets fill",
}
TYPES = {"ns3::FabricSwitch": (SWITCH, ELSEWHERE), "ns3::FabricChannel": (CHANNEL, ELSEWHERE_OF_CHANNEL), "ns3::FabricNetDevice": (DEVICE, ELSEWHERE_OF_DEVICE),
         "ns3::FabricTransport": (TRANSPORTS, ELSEWHERE_OF_TRANSPORT), "ns3::FabricNicTransport": (NICS, {})}


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


@pytest.mark.parametrize("kind", TYPES)
def test_su8_every_attribute_is_known_here(kind):
    table, elsewhere = TYPES[kind]
    assert names_of(kind) == table.keys() | elsewhere.keys()
    assert not table.keys() & elsewhere.keys()


@pytest.mark.parametrize("kind, name", [(kind, name) for kind, (table, _) in TYPES.items() for name in table])
def test_su8_an_attribute_alone_changes_the_run_or_is_refused(kind, name, usual, tmp_path):
    value, command = TYPES[kind][0][name]
    found = outcome(tmp_path, command, f"--{kind}::{name}={value}")
    assert found != usual(command), f"{name}={value} changes nothing"


CONGESTED = ["fabric-incast", "--k=4", "--senders=12", "--bytes=20KiB", "--victim=off"]
SEVERITY = ["FirstFlowLimit=20", "FlowLimitSteps=1", "FirstPacingDelay=9us", "PacingSteps=1", "PacingSpread=0"]
ENDPOINT = ["EndpointBytes=3000", "EndpointFrames=1", "EndpointGrowth=0", "EndpointGrowthTime=100ns", "EndpointTarget=66000", "EndpointRoundTrip=200ns",
            "EndpointDecayTime=300ns", *SEVERITY]
FGFC = ["FgfcPauseTime=300ns", "FgfcResponseTime=700ns", "FgfcRepeats=1", "FgfcCredit=1"]
CHANNELS = ["AckIdleTimer=0", "AckBusyTimer=61ns", "AckLongestTimer=1us", "FlowIds=1", "FlowFields=0", "FlowCheckInterval=50us", "WatermarksCoverLinks=false"]
SPECULATION = ["SpeculateAbove=0.99", "SpeculateUntil=0.1", "SpeculationPause=2", "BacklogTime=1ns", "SpeculationWindow=2"]
SHARED = ["--ns3::FabricSwitch::SharedBufferBytes=1000000"]
LANES = ["fabric-vl-arbitration", "--duration=20us"]
PREEMPTION = ["fabric-preemption", "--duration=20us"]
PIO = ["fabric-pio", "--duration=20us"]
COMMANDS = ["fabric-nic", "--duration=20us"]
PIO_OF = "--ns3::FabricPio::"
COMMANDS_OF = "--ns3::FabricCommandQueues::"
TRANSPORT_OF = "--ns3::FabricTransport::"
SWITCH_OF = "--ns3::FabricSwitch::"
# What there is not, in the words of the refusal, the options that say so, and settings that nobody reads then.
IDLE = [
    (CONGESTED, "EndpointCongestion is false", [f"{SWITCH_OF}EndpointCongestion=false"], SWITCH_OF, ENDPOINT),
    (CONGESTED, "Fgfc is false", [f"{SWITCH_OF}Fgfc=false"], SWITCH_OF, FGFC),
    (CONGESTED, "Pacing is false", [f"{SWITCH_OF}Pacing=false"], SWITCH_OF, ["PacingSpread=0"]),
    (CONGESTED, "no class has flow channels", ["--flowChannels=off"], SWITCH_OF,
     [*ENDPOINT, *FGFC, *CHANNELS, "Reroute=true", "RoomDivisor=9", "HighWatermark=100", "TargetWatermark=20", "DropWatermark=10"]),
    (CONGESTED, "no class has flow channels", [f"{SWITCH_OF}NoFlowClasses=65535"], SWITCH_OF, CHANNELS),
    (CONGESTED, "FlowChannels is false", ["--flowChannels=off"], SWITCH_OF, ["NoFlowClasses=1", "NoFlowClasses=65535"]),
    (CONGESTED, "ReductionSlots is 0", [f"{SWITCH_OF}ReductionSlots=0"], SWITCH_OF, ["ReductionLatency=1us"]),
    (CONGESTED + SHARED, "LossyClasses is 0", [f"{SWITCH_OF}EdgeFlowControl=pause", f"{SWITCH_OF}LinkFlowControl=pause"], SWITCH_OF, ["SharedLossyAlpha=2"]),
    (CONGESTED + SHARED, "nobody is paused", ["--flowChannels=off", f"{SWITCH_OF}LossyClasses=65535"], SWITCH_OF, ["SharedPauseAlpha=2", "SharedXonGap=0"]),
    *((LANES + [f"--via={via}"], lack.format(lane), options, kind, settings)
      for via, kind, lane in (("link", f"{SWITCH_OF}Lane", "Lane"), ("queue-disc", "--ns3::VlArbiterQueueDisc::", "")) for lack, options, settings in (
          ("{}Meter is no token-bucket", ["--meter=leaky-bucket"], ["Burst=1"]),
          ("{}Meter is no leaky-bucket", [], ["Tolerance=1"]),
          ("{}Meter is no sliding-window", [], ["Window=1us"]),
          ("{}Meter is sliding-window", ["--meter=sliding-window"], ["Debt=1"]),
          ("{}ChargeOverBandwidth is false", ["--chargeOver=off"], ["Debt=1"]))),
    (PREEMPTION, "LanePreemption is false", ["--preempt=off"], f"{SWITCH_OF}Lane",
     ["MostUrgentBytes=1", "LeastVictimBytes=1", "MostBytesPerVictim=1", "LeastSentBytes=1", "LeastLeftBytes=1"]),
    (PREEMPTION, "frames go in one piece", ["--preempt=off", "--interleave=off"], f"{SWITCH_OF}Lane", ["FlitBytes=1", "OpenFrames=3"]),
    (PIO, "SdmaBytes is 0", [], PIO_OF, ["SdmaEngines=1", "SdmaPackets=1", "SdmaReads=1", "SdmaDescriptors=64", "DescriptorTime=1us"]),
    (PIO, "Scheme is not absolute", ["--scheme=relative"], PIO_OF, ["RequestEvery=2", "ReturnInterval=1us"]),
    (PIO, "Wait is poll", [], PIO_OF, ["InterruptTime=1us", "SharedLookTime=1us"]),
    (PIO, "Wait is poll", ["--loseEvery=9"], PIO_OF, ["InterruptTime=1us", "SharedLookTime=1us"]),
    (PIO, "Wait is sleep", ["--wait=sleep", "--sdma=1000"], PIO_OF, ["WordsPerLine=1"]),
    (PIO, "Wait is sleep and SdmaBytes is 0", ["--wait=sleep"], PIO_OF, ["MemoryLookTime=1us"]),
    (COMMANDS, "Policy is memory", ["--policy=memory"], COMMANDS_OF, ["LowLatencySlots=4", "TargetLowLatencySlots=4", "LowLatencySlotTime=1us"]),
    (COMMANDS, "Policy is not dynamic", ["--policy=low-latency"], COMMANDS_OF, SPECULATION),
    (COMMANDS, "no queue has a low-latency buffer", [f"{COMMANDS_OF}LowLatencySlots=0"], COMMANDS_OF, ["LowLatencySlotTime=1us", *SPECULATION]),
    (COMMANDS, "TargetQueues is 0", [f"{COMMANDS_OF}TargetQueues=0"], COMMANDS_OF, ["TargetLowLatencySlots=4"]),
    (COMMANDS, "CarriesPackets is false", ["--queues=2"], COMMANDS_OF, ["PacketQueue=1"]),
    (COMMANDS, "QueueClasses is empty", ["--queues=2"], COMMANDS_OF, ["ClassWeights=1,3"]),
    (COMMANDS, "ShaperRates limits no class", [f"{COMMANDS_OF}ShaperRates=0,0"], COMMANDS_OF, ["ShaperBurst=1000"]),
    (COMMANDS, "TranslationHitRatio is 1", [], COMMANDS_OF, ["TranslationTime=1us"]),
    (COMMANDS, "RetryTimeout is 0", [], COMMANDS_OF, ["RetryLimit=1", "RetryWindow=1", "AckEvery=1", "AckDelay=1us"]),
    (COMMANDS, "AckEvery is 1", ["--retryTimeout=10us", f"{COMMANDS_OF}AckEvery=1"], COMMANDS_OF, ["AckDelay=1us"]),
    (COMMANDS, "FlowControl is false", ["--retryTimeout=10us"], COMMANDS_OF, ["NotReadyTime=1us"]),
    (TRANSPORT, "no packet has a fault", [], TRANSPORT_OF, ["FaultSeed=2"]),
    (TRANSPORT, "Reorder is 0", ["--loss=0.01"], TRANSPORT_OF, ["ReorderDelay=1us"]),
    (TRANSPORT, "CongestionControl is fixed", ["--push=congestion"], TRANSPORT_OF, ["SolicitBelowWindow=0.9"]),
    (TRANSPORT, "Solicitation is never", [], TRANSPORT_OF, ["SolicitAbove=9", "SolicitBelowWindow=0.9"]),
    (TRANSPORT, "LossDetection is time", [], TRANSPORT_OF, ["ReorderThreshold=9"]),
    (TRANSPORT, "LossDetection is gaps", [f"{TRANSPORT_OF}LossDetection=gaps"], TRANSPORT_OF, ["MinReorderWindow=9us", "MaxReorderWindow=9us", "Sprayed=true"]),
    (TRANSPORT, "StrictPriority is true", [], TRANSPORT_OF, ["TxWeights=1,1,1,1,1,9"]),
    (TRANSPORT, "BaseDelay is not measured", ["--congestionControl=delay", f"{TRANSPORT_OF}BaseDelay=9us"], TRANSPORT_OF, ["BaseDelayPeriod=9us"]),
    (TRANSPORT, "FlowScaling is 0", ["--congestionControl=delay", f"{TRANSPORT_OF}FlowScaling=0"], TRANSPORT_OF, ["LeastScaledWindow=0.5", "MostScaledWindow=50"]),
    (TRANSPORT, "TimelyPatched is true", ["--congestionControl=timely", f"{TRANSPORT_OF}TimelyPatched=true"], TRANSPORT_OF, ["TimelyHyperEvents=9", "TimelyHyperFactor=9"]),
    (TRANSPORT, "TimelyHyperFactor is 1", ["--congestionControl=timely", f"{TRANSPORT_OF}TimelyHyperFactor=1"], TRANSPORT_OF, ["TimelyHyperEvents=9"]),
    (TRANSPORT, "no switch restrains flows", ["--tools=none"], "--ns3::FabricNicTransport::", ["HoldTimeOuts=false"]),
    *((TRANSPORT, f"CongestionControl is {control}", [f"--congestionControl={control}"], TRANSPORT_OF, settings) for control, settings in (
        ("fixed", ["TargetDelay=9us", "MinWindow=0.5", "MarkGain=0.5", "RateTimer=9us", "HpccFlows=9", "HpccBaseRtt=9us", "TimelyLow=9us", "TimelyIncrease=1Gbps", "LineRate=1Gbps"]),
        ("delay", ["MarkGain=0.5", "RateTimer=9us", "HpccFlows=9", "LineRate=1Gbps"]),
        ("dcqcn", ["TargetDelay=9us", "MarkGain=0.5", "HpccFlows=9", "TimelyBeta=0.5"]),
        ("timely", ["TargetDelay=9us", "MarkGain=0.5", "RateTimer=9us", "HpccFlows=9", "HpccBaseRtt=9us"]))),
]


@pytest.mark.parametrize("command, lack, options, kind, settings", IDLE, ids=[lack for _, lack, *_ in IDLE])
def test_su8_settings_of_what_is_off_are_refused(command, lack, options, kind, settings, tmp_path):
    for number, setting in enumerate(settings):
        found = outcome(tmp_path / str(number), command, *options, f"{kind}{setting}")
        name = setting.partition("=")[0]
        assert f"{name} is " in found and lack in found and "; allowed is " in found and found.count("\n") == 1, (setting, found)


@pytest.mark.parametrize("command, options, settings", [
    (CONGESTED, ["--flowChannels=off"], ["AckIdleTimer=30ns", "AckBusyTimer=60ns", "AckLongestTimer=90ns", "FlowIds=2047", "FlowFields=127",
                                         "FlowCheckInterval=100us", "WatermarksCoverLinks=true", "NoFlowClasses=0"]),
    (TRANSPORT, [], ["FaultSeed=1", "ReorderDelay=10us"])])
def test_su8_their_defaults_are_taken(command, options, settings, usual, tmp_path):
    kind = SWITCH_OF if command is CONGESTED else TRANSPORT_OF
    assert outcome(tmp_path, command, *options, *(kind + setting for setting in settings)) == usual(command + options)


def test_su8_what_severities_ask_for_is_read_where_nobody_does_it(usual, tmp_path):
    # Severity is for so many flows as the limits and delays let through, and the watermarks of a flow follow it.
    unlimited = INCAST + [f"{SWITCH_OF}FlowLimits=false", f"{SWITCH_OF}Pacing=false"]
    unpaced = SEVERE + [f"{SWITCH_OF}Pacing=false"]
    for off, setting in ((unlimited, "FirstFlowLimit=20"), (unlimited, "FlowLimitSteps=1"), (unpaced, "FirstPacingDelay=9us"), (unpaced, "PacingSteps=1")):
        found = outcome(tmp_path / setting, off, SWITCH_OF + setting)
        assert re.fullmatch("[0-9a-f]{64}", found) and found != usual(off), (setting, found)
