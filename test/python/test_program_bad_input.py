# SPDX-License-Identifier: GPL-2.0-only
"""PR-3, PR-4: bad input of every program ends in one sentence and exit code 2, before any event is run."""
import re

import pytest

from programs import run, run_well

# Runs that would take hours, so that a program that begins one is stopped.
ENDLESS = {
    "fabric-incast": ["--k=4", "--senders=4", "--bytes=1024GiB"],
    "fabric-congestion": ["--k=4", "--senders=4", "--bytes=1024GiB"],
    "fabric-permutation": ["--k=4", "--bytes=1024GiB"],
    "fabric-chain": ["--duration=1000s"],
    "fabric-ack-overhead": ["--duration=1000s"],
    "fabric-transport": ["--bytes=1GiB", "--count=16777216"],
    "fabric-gpcnet": ["--k=4", "--iterations=100000", "--rings=1000"],
    "fabric-vl-arbitration": ["--duration=1000s"],
    "fabric-shaping": ["--duration=1000s"],
    "fabric-preemption": ["--duration=100ms", "--hops=16"],
    "fabric-pio": ["--duration=100ms", "--packetBytes=1", "--threshold=0"],
    "fabric-nic": ["--duration=100ms"],
    "fabric-allreduce": ["--k=4"],  # this one ends soon
    "fabric-switch-latency": [],  # it ends soon
    "fabric-crossbar": ["--duration=1s"],
    "fabric-ingress-fairness": ["--k=4", "--flows=1,20", "--duration=100s", "--ns3::FabricSwitch::BufferBytes=524288"],
    "fabric-multicast": ["--k=4", "--bytes=1024GiB"],
    "fabric-collectives": ["--k=4", "--bytes=2GB", "--transport=tcp"],
    "fabric-run": ["--k=4", "--cdf=websearch", "--load=0.9", "--arrivalTime=1s"],
    "bench-fabric": ["--workload=P8192", "--repeat=99"],
}
TIMEOUT = 20  # s

SWITCH = "--ns3::FabricSwitch::"
DEVICE = "--ns3::FabricNetDevice::"
CHANNEL = "--ns3::FabricChannel::"
PIO = "--ns3::FabricPio::"
COMMANDS = "--ns3::FabricCommandQueues::"
SENDER = "--ns3::FabricMessageSender::"
DISC = "--ns3::VlArbiterQueueDisc::"
LANE = SWITCH + "Lane"

# Arguments, and what the sentence must say besides the name of the (last) option: what is allowed.
COMMON = [  # of all programs
    ("--nonsense=1", "unknown option --nonsense=1: allowed are --out"),
    ("--Check=true", "unknown option --Check=true: allowed are --out"),
    ("--", "unknown option"),
    ("-", "unknown option"),
    ("--=3", "unknown option"),
    ("word", "unexpected argument 'word': allowed are options only"),
    ("", "unexpected argument '': allowed are options only"),
    ("--out", "has no value"),
    ("--out=/proc/none", "cannot make this folder"),
    ("--out=/dev/null", "cannot make this folder"),
    ("--force=maybe", "allowed is true, on,"),
    ("--progress=perhaps", "allowed is one of auto, on, off"),
    ("--progress", "has no value"),
    ("--lookahead=3", "allowed is true, on,"),
    ("--threads=0", "allowed is a whole number from 1 to 256"),
    ("--lookahead", "has no value"),
    ("--check=yes", "allowed is true, on,"),
    ("--RngRun=-1", "allowed is"),
    ("--RngRun=1.5", "allowed is"),
    ("--RngRun=", "allowed is"),
    ("--RngSeed=0", "allowed is a whole number from 1"),
    ("--RngSeed=4294967295", "allowed is a whole number from 1"),
    ("--SimulatorImplementationType=ns3::Nothing", "allowed is the name of a type derived from ns3::SimulatorImpl"),
    ("--PrintAttributes=ns3::Nothing", "--PrintTypeIds lists all"),
    ("--ns3::Nothing::Ports=1", "there is no type ns3::Nothing"),
]

COMMON_ATTRIBUTES = [  # of programs that make a fabric in any case
    (SWITCH + "Nothing=1", "--PrintAttributes=ns3::FabricSwitch lists all"),
    (SWITCH + "ReservedBytes=1MB", "allowed is a whole number from 4120 to 268435456"),
    (SWITCH + "ReservedBytes=10", "from 4120 to"),
    (SWITCH + "BufferBytes=0", "allowed is"),
    (SWITCH + "VirtualChannels=0", "1 to 4"),
    (SWITCH + "VirtualChannels=5", "1 to 4"),
    (SWITCH + "FlowIds=0", "1 to 2047"),
    (SWITCH + "FlowIds=2048", "1 to 2047"),
    (SWITCH + "FlowFields=128", "0 to 127"),
    (SWITCH + "NoFlowClasses=65536", "0 to 65535"),
    (SWITCH + "Forwarding=fast", "allowed is one of cut-through, store-and-forward"),
    (SWITCH + "HopCredits=maybe", "allowed is one of true, t, 1,"),
    (SWITCH + "Latency=-1ns", "allowed is a time from 0ps to 1s, such as"),
    (SWITCH + "Latency=fast", "allowed is a time"),
    (SWITCH + "ControlLatency=2s", "allowed is a time from 0ps to 1s, such as"),
    (SWITCH + "AckIdleTimer=-1ns", "allowed is a time from 0ps to 1s, such as"),
    (SWITCH + "AckIdleTimer=10km", "allowed is a time"),
    (DEVICE + "QueueBytes=0", "allowed is"),
    (DEVICE + "Mtu=9000", "has the attribute from ns3::FabricDevice; allowed is --ns3::FabricDevice::Mtu"),
    ("--ns3::FabricDevice::Mtu=20000", "68 to 9000"),
    (CHANNEL + "ErrorModel=ns3::Nothing", "allowed is a value of type PointerValue"),
    # What the program sets itself would be lost.
    (SWITCH + "FlowChannels=false", "the program sets it, allowed is --"),
    (SWITCH + "Ports=2", "the program sets it"),
    (CHANNEL + "DataRate=0Gbps", "the program sets it, allowed is"),
    (CHANNEL + "Delay=0", "the program sets it, allowed is"),
    ("--ns3::FabricNetwork::Lookahead=false", "the program sets it, allowed is --lookahead"),
    ("--ns3::FabricNetwork::Threads=2", "the program sets it, allowed is --threads"),
    (SENDER + "Remote=3", "the program sets it"),
    (SENDER + "Bytes=3", "the program sets it"),
    (SENDER + "Count=0", "the program sets it"),
    (SENDER + "TrafficClass=16", "0 to 15"),
]

# Each attribute is allowed by itself, but not together with the others.
CONTRADICTORY = [
    ([SWITCH + "ReservedBytes=600000"], "ReservedBytes: 600000 bytes for each of 1 virtual channels are more than BufferBytes"),
    ([SWITCH + "BufferBytes=5000"], "are more than BufferBytes (5000)"),
    ([SWITCH + "VirtualChannels=4", SWITCH + "BufferBytes=100000"], "are more than BufferBytes (100000)"),
    ([SWITCH + "ClassToVc=0,1"], "ClassToVc: class 1 uses virtual channel 1, but VirtualChannels is 1"),
    ([SWITCH + "ClassToVc=x"], "ClassToVc: 'x' is not a list of at most 16 virtual channels from 0 to 3"),
    ([SWITCH + "ClassToVc=4"], "ClassToVc: '4' is not a list"),
    ([SWITCH + "ClassToVc=" + ",".join("0" * 17)], "is not a list of at most 16"),
    ([DEVICE + "ClassToVc=x"], "ns3::FabricNetDevice on node 0: ClassToVc: 'x' is not a list"),
    ([DEVICE + "DscpToClass=64:1"], "DscpToClass"),
    ([DEVICE + "DscpToClass=1:16"], "DscpToClass"),
    ([DEVICE + "DscpToClass=EF"], "DscpToClass"),
    ([DEVICE + "ClassToVc=1"], "differ in ClassToVc; the two ends of a link must have the same"),
    ([SWITCH + "VirtualChannels=2", SWITCH + "ClassToVc=0,1"], "differ in ClassToVc"),
    ([SWITCH + "FlowRules=dst=5"], "FlowRules: rule 1: 'dst=5' has no arrow"),
    ([SWITCH + "FlowRules=dst=5 -> none; dst=5 vni=3 -> all"], "FlowRules: rule 2: it is never used"),
    ([SWITCH + "FlowRules=dst=5 -> none", SWITCH + "NoFlowClasses=65535"], "FlowRules: rule 1 is for frames of classes without flow"),
    ([SWITCH + "FlowRules=-> none", SWITCH + "FlowFields=3"], "FlowFields is 3, and rule 1 of FlowRules is for all frames"),
    ([SWITCH + "HighWatermark=50"], "TargetWatermark (96), and that below HighWatermark (50)"),
    ([SWITCH + "TargetWatermark=10"], "DropWatermark (16) must be below TargetWatermark (10)"),
    ([SWITCH + "DropWatermark=96"], "DropWatermark (96) must be below TargetWatermark (96)"),
    ([SWITCH + "ReservedBytes=4120", "--ns3::FabricDevice::Mtu=9000"], "a frame of 9024 bytes does not fit into the 4120 bytes reserved"),
    ([CHANNEL + "ErrorModel=ns3::RateErrorModel"], "each ErrorModel and ReverseErrorModel of a FabricChannel must be one of its own"),
    ([SWITCH + "EdgeFlowControl=pause", SWITCH + "PauseXonBytes=200000", SWITCH + "PauseXoffBytes=100000"],
     "port 0: PauseXonBytes is 200000, allowed is at most PauseXoffBytes (100000)"),
    ([SWITCH + "LinkFlowControl=pause", SWITCH + "LinkPauseXoffBytes=524288"],
     " bytes can arrive after it is passed; allowed is a sum of at most BufferBytes (524288)"),
]

FABRIC = [
    (SWITCH + "FlowStatistics=all", "the program sets it, allowed is --channels"),
    ("--linkRate=0", "allowed is a rate from 1Mbps to 100000Gbps"),
    ("--linkRate=200", "allowed is a rate"),
    ("--linkRate=200GB", "allowed is a rate"),
    ("--linkRate=-1Gbps", "allowed is a rate"),
    ("--linkRate=200Tbps", "allowed is a rate"),
    ("--linkDelay=0", "allowed is a time from 1ns to 10ms"),
    ("--linkDelay=999ps", "allowed is a time"),
    ("--linkDelay=11ms", "allowed is a time"),
    ("--linkDelay=-1us", "allowed is a time"),
    ("--linkDelay=6m", "allowed is a time"),
    ("--flowChannels=2", "allowed is true, on,"),
    ("--flowChannels", "has no value"),
    ("--samplePeriod=-1us", "allowed is a time from 0ps to 1s"),
    ("--samplePeriod=2s", "allowed is a time"),
    ("--sampleQueues=true", "--sampleQueues=true: allowed is false without --samplePeriod"),
    ("--pcap=no-such-folder/x", "--pcap=no-such-folder/x: the file no-such-folder/x-"),
    ("--SchedulerType=ns3::Nothing", "allowed is the name of a type derived from ns3::Scheduler"),
    ("--thread=2", "unknown option"),
    (SENDER + "Interval=1us", "the program sets it"),
    (SENDER + "Tag=1", "the program sets it"),
]

TREE = [
    ("--hostRate=1", "allowed is 0 or a rate from 1Mbps to 100000Gbps"),
    ("--hostRate=-1Gbps", "allowed is 0 or a rate"),
    ("--topology=ring", "allowed is one of fat-tree, dragonfly, torus, hyperx"),
    ("--groups=3", "--groups=3: allowed is only --topology=dragonfly with it"),
    ("--routing=minimal", "--routing=minimal: allowed is only --topology=dragonfly, torus, hyperx or a file with it"),
    ("--widths=3,3", "--widths=3,3: allowed is only --topology=torus or hyperx with it"),
    ("--widths=3,1", "allowed is a list of 1 to 8 numbers with commas, each a whole number from 2 to 49151"),
    ("--trunks=2", "--trunks=2: allowed is only --topology=hyperx with it"),
    ("--routing=west", "allowed is one of adaptive, minimal, dimension-order, by-dimension, valiant, ugal-l, up-down"),
    ("--hostsPerSwitch=0", "allowed is a whole number from 1 to 4096"),
    ("--k=0", "allowed is a whole number from 2 to 1024"),
    ("--k=1", "allowed is a whole number from 2 to 1024"),
    ("--k=1025", "allowed is a whole number from 2 to 1024"),
    ("--k=-4", "allowed is a whole number"),
    ("--k=four", "allowed is a whole number"),
    ("--k=4.0", "allowed is a whole number"),
    ("--k=65", "66560 hosts are more than there are unicast locations; at most 49151 are allowed"),
    ("--levels=1", "allowed is a whole number from 2 to 3"),
    ("--levels=4", "allowed is a whole number from 2 to 3"),
    ("--oversubscription=", "allowed is down:up"),
    ("--oversubscription=x", "allowed is down:up"),
    ("--oversubscription=0:1", "allowed is down:up"),
    ("--oversubscription=1:0", "allowed is down:up"),
    ("--oversubscription=-1:1", "allowed is down:up"),
    ("--oversubscription=1:1:1", "allowed is down:up"),
    ("--oversubscription=1.5:1", "allowed is down:up"),
    ("--oversubscription=4:1", "the two parts together may be at most 4"),
    ("--oversubscription=1:9", "the two parts together may be at most 4"),
    ("--bytes=0", "allowed is a size from 1 to 1TiB"),
    ("--bytes=1025GiB", "allowed is a size"),
    ("--bytes=1.5", "allowed is a size"),
    ("--bytes=4kib", "allowed is a size"),
    ("--bytes=-1", "allowed is a size"),
]

OWN = {
    "fabric-incast": FABRIC + TREE + [
        ("--senders=0", "allowed is a whole number from 1"),
        ("--senders=-1", "allowed is a whole number from 1"),
        ("--senders=14", "of the 16 hosts the receiver and the victim's two ends do not send, with --victim=off either; allowed is at most 13"),
        ("--senders=4294967295", "allowed is at most 13"),
        ("--senders=4294967296", "allowed is a whole number"),
        ("--jitter=-1ns", "allowed is a time from 0ps to 1s"),
        ("--jitter=2s", "allowed is a time"),
        ("--victim=maybe", "allowed is true, on,"),
        ("--aloneTime=2s", "allowed is a time from 0ps to 1s"),
        ("--aloneTime=999ns", "--aloneTime=999ns: allowed is at least 5"),
        ("--ns3::Application::StartTime=1us", "the program sets it, allowed is --aloneTime and --jitter"),
        (SWITCH + "FlowIds=1", "keeps the only flow channel of links that the incast needs too; allowed is at least 2, or --victim=off"),
    ],
    "fabric-congestion": FABRIC + TREE + [
        ("--senders=0", "allowed is a whole number from 1"),
        ("--senders=14", "--senders, --victims: senders is 14; a fabric of 16 hosts allows 1 to 13"),
        ("--victims=0", "allowed is a whole number from 1"),
        ("--victims=9", "--senders, --victims: victims is 9, and the fabric has 5 hosts to send them from, outside of the receiver's switch"),
        ("--victimAt=host", "allowed is one of own-host, sender-host"),
        ("--victimTo=host", "allowed is one of receiver-switch, elsewhere"),
        ("--victimLoad=0", "allowed is a number from 0.001 to 1"),
        ("--victimLoad=1.1", "allowed is a number from 0.001 to 1"),
        ("--tools=pacing", "--tools=pacing: allowed is endpoint besides, whose severity injection-limit and pacing act by"),
        ("--tools=hop-credits,injection-limit", "allowed is endpoint besides"),
        (SWITCH + "Pacing=true", "the program sets it, allowed is --tools"),
        (SWITCH + "HopCredits=false", "the program sets it, allowed is --tools"),
        ("--tools=everything", "allowed"),
        ("--aloneTime=2s", "allowed is a time from 0ps to 1s"),
        ("--fabric=ethernet", "allowed is one of lossless, pfc, int, ecn"),
        ("--duration=50us", "--duration=50us: allowed is 0, or more than --aloneTime (50us)"),
        (SWITCH + "FlowIds=1", "keep the only flow channel of links that the incast needs too; allowed is at least 2, or a --duration"),
        ("--duration=1001s", "allowed is a time from 0ps to 1000s"),
    ],
    "fabric-gpcnet": FABRIC + [row for row in TREE if row[0] not in ("--bytes=0", "--bytes=1025GiB")] + [
        ("--topology=ring", "allowed is one of fat-tree, dragonfly, torus, hyperx, switch"),
        ("--topology=", "allowed is one of fat-tree, dragonfly, torus, hyperx, switch, or a file with a topology"),
        ("--victims=1", "allowed is 0 or 2 to 14; the fabric has 16 hosts"),
        ("--victims=15", "allowed is 0 or 2 to 14; the fabric has 16 hosts"),
        ("--victims=-1", "allowed is a whole number from 0"),
        ("--aggressors=1", "allowed is 0 or 2 to 12; the fabric has 16 hosts"),
        ("--aggressors=13", "allowed is 0 or 2 to 12; the fabric has 16 hosts"),
        ("--aggressors=49152", "allowed is a whole number from 0 to 49151"),
        ("--placement=near", "allowed is one of random, interleaved, linear"),
        ("--pattern=put", "allowed is one of alltoall, incast, put-incast, get-broadcast, all"),
        ("--bytes=0", "allowed is a size from 1 to"),
        ("--bytes=2GiB", "allowed is a size from 1 to"),
        ("--outstanding=0", "allowed is a whole number from 1 to 4096"),
        ("--noticeDelay=-1ns", "allowed is a time from 0ps to 1ms"),
        ("--noticeDelay=1001us", "allowed is a time from 0ps to 1ms"),
        ("--rings=0", "allowed is a whole number from 1 to 1000"),
        ("--iterations=0", "allowed is a whole number from 1 to 100000"),
        ("--bandwidthIterations=0", "allowed is a whole number from 1 to 100000"),
        ("--warmUp=2s", "allowed is a time from 0ps to 1s"),
        ("--timeLimit=0", "allowed is a time from 1us to 1000s"),
        ("--tools=", "allowed is none, all or any of"),
        ("--tools=hop-credits,none", "allowed is none, all or any of"),
        (SWITCH + "HopCredits=false", "the program sets it, allowed is --tools"),
        (SWITCH + "FlowIds=1", "keep the only flow channel of links that the victims need too; allowed is at least 2"),
        ("--ns3::FabricInitiatorApplication::Count=1", "the program sets it, allowed is what --pattern"),
        ("--ns3::Application::StartTime=1us", "the program sets it, allowed is --warmUp"),
    ],
    "fabric-permutation": FABRIC + TREE + [
        ("--transport=udp", "allowed is one of raw, rt, pio, tcp"),
        *[(f"--{option}", f"--{option}: allowed is only --transport=rt with it") for option in
          ("connections=2", "push=solicited", "window=3", "congestionControl=delay", "loss=0.1", "reorder=0.1", "duplicate=0.1", "corrupt=0.1")],
        ("--ns3::FabricNicTransport::TrafficClass=3", "the program sets it, allowed is ns3::FabricMessageSender::TrafficClass"),
        ("--shift=16", "each of the 16 hosts would send to itself; allowed is what is no multiple"),
        ("--shift=48", "each of the 16 hosts would send to itself; allowed is what is no multiple"),
        ("--shift=49152", "allowed is a whole number from 0 to 49151"),
        ("--shift=-1", "allowed is a whole number"),
        ("--shift=1.5", "allowed is a whole number"),
        ("--pattern=ring", "allowed is one of shift, random, bit-complement, uniform, adversarial, tornado, all-to-all"),
        ("--pattern=adversarial", "allowed is only --topology=dragonfly with several groups"),
        ("--pattern=tornado", "allowed is only --topology=torus with a ring of 3 switches or more"),
        ("--load=1.1", "allowed is a number from 0 to 1"),
        ("--load=1e-10", "--load=1e-10: allowed is at least 1.2582912e-09, with which 30 messages of a host take 1e+06s"),
        ("--load=1e-300", "--load=1e-300: allowed is at least 1.2582912e-09"),
        ("--warmUp=1us", "--warmUp=1us: allowed is only --load above 0 with it"),
        ("--duration=1us", "--duration=1us: allowed is only --load above 0 with it"),
    ],
    "fabric-chain": FABRIC + [
        ("--sources=", "allowed is a list of 1 to 64 numbers with commas"),
        ("--sources=,", "allowed is a list"),
        ("--sources=1,,2", "allowed is a list"),
        ("--sources=1.5", "allowed is a list"),
        ("--sources=1;2", "allowed is a list"),
        ("--sources=-1", "allowed is a list"),
        ("--sources=1025", "each a whole number from 0 to 1024"),
        ("--sources=" + ",".join("1" * 65), "allowed is a list of 1 to 64"),
        ("--sources=" + ",".join(["1024"] * 64), "at most 49151 are allowed"),
        ("--sources=0", "the first switch has no host that sends; it needs at least 1"),
        ("--sources=0,0,0", "the first switch has no host that sends; it needs at least 1"),
        ("--sources=0,3", "the first switch has no host that sends; it needs at least 1"),
        ("--arbitration=lottery", "allowed is one of flow, port"),
        ("--arbitration", "has no value"),
        (SWITCH + "Arbitration=port", "the program sets it, allowed is --arbitration"),
        ("--frameBytes=0", "each a whole number from 1 to 4096"),
        ("--frameBytes=4096,4097", "each a whole number from 1 to 4096"),
        ("--duration=0", "allowed is a time from 1ns to 1000s"),
        ("--duration=1001s", "allowed is a time"),
        ("--duration=1us", "allowed is at least"),
        ("--k=4", "unknown option"),
    ],
    "fabric-ack-overhead": FABRIC + [
        ("--ns3::FabricDevice::Mtu=9000", "the program sets it, allowed is --frameBytes"),
        ("--hosts=0", "allowed is a whole number from 1 to 64"),
        ("--hosts=65", "allowed is a whole number from 1 to 64"),
        ("--frameBytes=63", "allowed is a size from 64 to 4KiB"),
        ("--frameBytes=4097", "allowed is a size"),
        ("--load=0", "allowed is a number from 0.001 to 1"),
        ("--load=1.1", "allowed is a number"),
        ("--load=80%", "allowed is a number"),
        ("--reverse=2", "allowed is true, on,"),
        ("--duration=2000s", "allowed is a time from 0ps to 1000s"),
        ("--sources=3", "unknown option"),
        ("--ns3::Application::StartTime=1us", "the program sets it"),
    ],
    "fabric-transport": FABRIC + [
        (SWITCH + "HopCredits=false", "the program sets it, allowed is --tools"),
        ("--tools=hop-credits,pacing", "allowed is endpoint besides"),
        ("--tools=slow", "allowed"),
        ("--over=air", "allowed is one of fabric, ip"),
        ("--senders=0", "allowed is a whole number from 1 to 2048"),
        ("--senders=2049", "allowed is a whole number from 1 to 2048"),
        ("--count=0", "allowed is a whole number from 1"),
        ("--outstanding=0", "allowed is a whole number from 1"),
        ("--window=0", "allowed is a whole number from 1 to 128"),
        ("--reorder=-1", "allowed is a number from 0 to 0.9"),
        ("--queue=9999", "allowed is a size"),
        ("--queue=64KiB", "allowed is only --over=ip with it"),
        ("--k=8", "allowed is only --topology=fat-tree with it"),
        ("--topology=ring", "allowed is one of switch, fat-tree"),
        ("--k=1", "allowed is a whole number from 2 to 48"),
        ("--failAt=20s", "allowed is a time"),
        ("--failLink=", "allowed is only --failAt with it"),
        ("--ordered=2", "allowed is true, on,"),
        ("--ns3::FabricInitiatorApplication::Bytes=1", "the program sets it"),
        ("--duration=1ms", "unknown option"),
    ],
    "fabric-vl-arbitration": [
        ("--table=nowhere.json", "nowhere.json: this file cannot be read"),
        ("--table=nowhere.csv", "nowhere.csv: this file cannot be read"),
        ("--table=", "cannot be read"),
        ("--mode=lanes", "allowed is one of lane, group"),
        ("--mode", "has no value"),
        ("--meter=bucket", "allowed is one of token-bucket, leaky-bucket, sliding-window"),
        ("--over=drop", "allowed is one of demote, disqualify"),
        ("--chargeOver=maybe", "allowed is true, on,"),
        ("--via=switch", "allowed is one of queue-disc, link, uplink"),
        ("--lookahead=off", "allowed is true with --via=queue-disc, where there is no switch"),
        ("--threads=2", "allowed is 1 with --via=queue-disc"),
        ("--ns3::FabricNetwork::Threads=2", "the program sets it, allowed is --threads"),
        ("--laterLoad=1,1", "allowed is one number for all lanes, or 6 with commas"),
        ("--laterLoad=2", "allowed is a number from 0 to 1"),
        ("--load=", "allowed is one number for all lanes, or 6 with commas"),
        ("--load=1,1", "allowed is one number for all lanes, or 6 with commas"),
        ("--load=1,1,1,1,1,x", "allowed is a number from 0 to 1"),
        ("--load=1.5", "allowed is a number from 0 to 1"),
        ("--load=-1", "allowed is a number from 0 to 1"),
        ("--frameBytes=63", "allowed is a size from 64 to 9000"),
        ("--frameBytes=9001", "allowed is a size from 64 to 9000"),
        ("--linkRate=0", "allowed is a rate"),
        ("--linkDelay=0", "allowed is a time"),
        ("--samplePeriod=-1us", "allowed is a time"),
        ("--samplePeriod=2s", "allowed is a time"),
        ("--duration=0", "allowed is a time from 1ns to 1000s"),
        ("--duration=1us", "allowed is at least 8192ns, in which the link carries 100 packets"),
        ("--k=4", "unknown option"),
        (DISC + "Burst=0", "1 to 1073741824"),
        (DISC + "Nothing=0", "--PrintAttributes=ns3::VlArbiterQueueDisc lists all"),
        (DISC + "Turns=lottery", "allowed is one of least-recently-used, round-robin"),
        (DISC + "Window=-1ns", "allowed is a time from 0ps to 1000s, such as"),
        (DISC + "Mode=group", "the program sets it, allowed is --mode"),
        (DISC + "TableFile=x", "the program sets it, allowed is --table"),
        (DISC + "LinkRate=1Gbps", "the program sets it, allowed is --linkRate"),
        ("--ns3::PointToPointNetDevice::DataRate=1Gbps", "the program sets it, allowed is --linkRate"),
        (LANE + "Burst=0", "1 to 1073741824"),
        (LANE + "Mode=group", "the program sets it, allowed is --mode"),
        (LANE + "TableFile=x", "the program sets it, allowed is --table"),
        (CHANNEL + "DataRate=1Gbps", "the program sets it, allowed is --linkRate"),
        ("--ns3::FabricDevice::Mtu=100", "the program sets it, allowed is what frames of any size need"),
    ],
    "fabric-preemption": [
        ("--preempt=maybe", "allowed is true, on,"),
        ("--interleave=2", "allowed is true, on,"),
        ("--victimBytes=255", "allowed is a size from 256 to 9024"),
        ("--victimBytes=9025", "allowed is a size from 256 to 9024"),
        ("--urgentBytes=24", "allowed is a size from 25 to 9024"),
        ("--urgentGap=0", "allowed is a time from 1ns to 1s"),
        ("--victimLoad=0", "allowed is a number from 0.001 to 0.95"),
        ("--bulkBytes=10000", "allowed is a size from 25 to 9024"),
        ("--bulkLoad=1", "allowed is a number from 0 to 0.95"),
        ("--hops=0", "allowed is a whole number from 1 to 16"),
        ("--hops=17", "allowed is a whole number from 1 to 16"),
        ("--linkRate=0", "allowed is a rate from 1Mbps"),
        ("--hopDelay=999ps", "allowed is a time from 1ns to 10ms"),
        ("--duration=0", "allowed is a time from 1ns to 1000s"),
        ("--duration=1000s", "frames would come in that time, allowed are 5000000"),
        ("--k=4", "unknown option"),
        (SWITCH + "Latency=1us", "the program sets it, allowed is --hopDelay"),
        ("--via=switches", "unknown option"),
        (DEVICE + "QueueBytes=0", "a whole number of at least 1"),
    ],
    "fabric-nic": [
        ("--ringSlots=100", "the number of slots of a ring is 100; allowed is a power of two from 64 to 65536"),
        ("--ringSlots=63", "--ringSlots=63: allowed is a whole number from 64 to 65536"),
        ("--ringSlots=65537", "allowed is a whole number from 64 to 65536"),
        ("--policy=fast", "allowed is one of memory, low-latency, dynamic"),
        ("--operation=fetch", "allowed is one of put, send, tagged, get"),
        ("--rendezvous=2047", "allowed is a size from 2KiB to 1GiB"),
        ("--entries=10001", "allowed is a whole number from 0 to 10000"),
        ("--queues=0", "allowed is a whole number from 1 to 64"),
        ("--batch=0", "allowed is a whole number from 1 to 65536"),
        ("--load=-1", "allowed is a number from 0 to 1000"),
        ("--pcie=4", "allowed is a generation, x and a number of lanes, as 4x16"),
        ("--pcie=", "allowed is a generation, x and a number of lanes, as 4x16"),
        ("--pcie=6x16", "the generation is 6; allowed is 1 to 5"),
        ("--loss=1.1", "allowed is a number from 0 to 1"),
        ("--retryTimeout=11s", "allowed is a time from 0ps to 10s"),
        (COMMANDS + "Batch=2", "the program sets it, allowed is --batch"),
        (COMMANDS + "RetryTimeout=1us", "the program sets it, allowed is --retryTimeout"),
        (COMMANDS + "GrantTime=0", "allowed is a time from 1ns to 10s"),
    ],
    "fabric-collectives": FABRIC + [row for row in TREE if row[0] not in ("--bytes=0", "--bytes=1025GiB")] + [
        ("--topology=ring", "allowed is one of fat-tree, dragonfly, torus, hyperx, switch"),
        ("--collective=scan", "allowed is one of allreduce-ring, allreduce-tree, allgather, alltoall, broadcast, reduce, halo3d, allreduce-halving, "
         "allreduce-doubling, allreduce-double-tree, allgather-bruck, alltoall-bruck, broadcast-chain"),
        ("--collective=", "allowed is one of allreduce-ring"),
        ("--transport=udp", "allowed is one of raw, rt, pio, tcp, switch"),
        ("--transport=switch", "--collective=allreduce-ring: allowed is allreduce-tree or reduce with --transport=switch"),
        ("--hosts=1", "--hosts=1: allowed is 0 (all) or 2 to 16, the hosts of the fabric"),
        ("--hosts=17", "--hosts=17: allowed is 0 (all) or 2 to 16, the hosts of the fabric"),
        ("--hosts=49152", "allowed is a whole number from 0 to 49151"),
        ("--bytes=0", "allowed is a size from 1 to 2147483647 in bytes"),
        ("--bytes=2GiB", "allowed is a size from 1 to 2147483647 in bytes"),
        ("--pieces=2", "--pieces=2: allowed is 0 with --collective=allreduce-ring, which sends no pieces"),
        ("--jobs=9", "--jobs=9: allowed is 1 to 8 with 16 hosts"),
        ("--jobs=0", "allowed is a whole number from 1 to 24575"),
        ("--skew=2s", "allowed is a time from 0ps to 1s"),
        ("--straggler=2", "--straggler=2: allowed is only --late above 0"),
        ("--placement=last", "--placement=last: allowed is one of first, random, spread, or a file with hosts by rank"),
        ("--pieces=8388609", "allowed is a whole number from 0 to 8388608"),
        ("--duration=1us", "unknown option"),
    ],
    "fabric-multicast": FABRIC + TREE + [
        ("--by=switch", "allowed is one of group, tree, source"),
        ("--members=17", "allowed is 0, or 2 to 16, with 16 hosts and --stride=1"),
        ("--members=1", "allowed is 0, or 2 to 16"),
        ("--members=49152", "allowed is a whole number from 0 to 49151"),
        ("--stride=0", "allowed is a whole number from 1 to 49151"),
    ],
    "fabric-allreduce": FABRIC + [row for row in TREE if not row[0].startswith("--bytes")] + [
        ("--by=tree", "allowed is one of nic, host, switch"),
        ("--ranks=1025", "there are 16 hosts; allowed is 0 to 16"),
        ("--interval=2s", "allowed is a time from 0ps to 1s"),
        ("--interval=1us", "allowed is only --by=host with it"),
        ("--duration=1us", "--duration=1us: not all hosts have the result then; allowed is a longer time"),
    ],
    "fabric-switch-latency": FABRIC + [
        ("--bytes=0", "allowed is a size from 1 to 4KiB"),
        ("--bytes=4097", "allowed is a size from 1 to 4KiB"),
        ("--crossbar=bus", "allowed is one of ideal, tiled"),
        (SWITCH + "Crossbar=tiled", "the program sets it, allowed is --crossbar"),
    ],
    "fabric-crossbar": FABRIC + [
        ("--ns3::FabricDevice::Mtu=9000", "the program sets it, allowed is --frameBytes"),
        ("--crossbar=bus", "allowed is one of ideal, tiled"),
        ("--pattern=shift", "allowed is one of uniform, permutation, hotspot"),
        ("--load=0", "allowed is a number from 0.001 to 1"),
        ("--load=1.01", "allowed is a number from 0.001 to 1"),
        ("--frameBytes=0", "allowed is a size from 1 to 4KiB"),
        ("--ports=1", "allowed is a whole number from 2 to 256"),
        ("--warmUp=2s", "allowed is a time from 0ps to 1s"),
        ("--duration=2s", "allowed is a time from 0ps to 1s"),
        (SWITCH + "Crossbar=tiled", "the program sets it, allowed is --crossbar"),
        (SWITCH + "CrossbarRows=0", "Rows"),
        (SWITCH + "CrossbarOutputBuffer=9023", "OutputBuffer"),
    ],
    "fabric-shaping": FABRIC + [
        ("--table=nowhere.json", "nowhere.json: this file cannot be read"),
        ("--table=nowhere.csv", "nowhere.csv: this file cannot be read"),
        ("--table=", "cannot be read"),
        ("--load=", "allowed is one number for all classes, or 4 with commas"),
        ("--load=1,1", "allowed is one number for all classes, or 4 with commas"),
        ("--load=1,1,1,x", "allowed is a number from 0 to 1"),
        ("--load=1.5", "allowed is a number from 0 to 1"),
        ("--via=switch", "allowed is one of host, link"),
        ("--frameBytes=63", "allowed is a size from 64 to 4120"),
        ("--frameBytes=4121", "allowed is a size from 64 to 4120"),
        ("--duration=1us", "in which the link carries 100 frames"),
        (SWITCH + "HostShapingTableFile=x.json", "the program sets it, allowed is --table"),
        (SWITCH + "LinkShapingTableFile=x.json", "the program sets it, allowed is --table"),
        ("--ns3::FabricDevice::Mtu=9000", "the program sets it, allowed is --frameBytes"),
    ],
    "fabric-ingress-fairness": FABRIC + [row for row in TREE if not row[0].startswith("--bytes")] + [
        ("--flows=1", "allowed is a list of 2 to 8 numbers"),
        ("--flows=1,0", "from 1 to 1000"),
        ("--flows=1,2,3", "--ratio has 2 numbers; allowed are 3, as in --flows"),
        ("--ratio=1", "allowed is a list of 2 to 8 numbers"),
        ("--ratio=1,1,1", "--ratio has 3 numbers; allowed are 2, as in --flows"),
        ("--limit=100", "allowed is a size from 256"),
        ("--limit=8191", "at least 8192, of which the application with the smallest part of --ratio has a frame"),
        ("--ratio=1,9", "--limit=32768: allowed is at least 40960, of which"),
        ("--stop=1us", "in which messages arrive over the longest way of the fabric"),
        ("--limit=64KiB", "which the host sends in 0.35 of the shortest round trip; with more it would not be held back"),
        (SWITCH + "NoFlowClasses=1", "allowed is a mask without 1"),
        (SWITCH + "BufferBytes=100000", "allowed is at least 173040, so that each flow has frames at the host's switch"),
        ("--duration=400us", "allowed is less than --duration (400us)"),
        ("--duration=450us", "comes in the last tenth of that, or later; allowed is a longer time"),
        (SWITCH + "PortLimit=1", "the program sets it, allowed is --limit"),
        (SWITCH + "AppGroups=0:0:1", "the program sets it, allowed is --grouping"),
        (SWITCH + "FlowChannels=false", "the program sets it, allowed is --flowChannels"),
    ],
    "fabric-pio": [
        ("--blocks=0", "allowed is a whole number from 1 to 1024"),
        ("--blocks=1025", "allowed is a whole number from 1 to 1024"),
        ("--packetBytes=4096", "the number of blocks of a packet is 65; allowed is 1 to 64, the blocks of the context"),
        ("--packetBytes=0", "allowed is a size from 1 to 4KiB"),
        ("--threshold=65", "the threshold of credit returns is 65; allowed is 0 to 64, the blocks of the context"),
        ("--threshold=101%", "allowed is a number of blocks, or a percentage from 0% to 100%"),
        ("--threshold=", "allowed is a number of blocks, or a percentage from 0% to 100%"),
        ("--contexts=161", "allowed is a whole number from 1 to 160"),
        (PIO + "BlockTime=0", "allowed is a time from 1ns to 10s"),
        ("--pcie=4", "allowed is a generation, x and a number of lanes, as 4x16"),
        ("--pcie=", "allowed is a generation, x and a number of lanes, as 4x16"),
        ("--pcie=6x16", "the generation is 6; allowed is 1 to 5"),
        ("--pcie=4x3", "the number of lanes is 3; allowed is a power of two from 1 to 16"),
        ("--scheme=total", "allowed is one of absolute, relative"),
        ("--wait=spin", "allowed is one of poll"),
        ("--loseEvery=-1", "allowed is a whole number from 0"),
        ("--returnLatency=2ms", "allowed is a time from 0"),
        ("--messageGap=-1ns", "allowed is a time from 0"),
        ("--messageBytes=2GiB", "allowed is a size from 0 to 1GiB"),
        ("--sdma=2GiB", "allowed is a size from 0 to 1GiB"),
        ("--senders=4097", "allowed is a whole number from 0 to 4096"),
        ("--earlyReturn=2", "allowed is true, on,"),
        ("--duration=1000s", "messages would be sent in that time, allowed are 4000000"),
        (PIO + "Blocks=8", "the program sets it, allowed is --blocks"),
        ("--k=4", "unknown option"),
    ],
    "fabric-run": FABRIC + [row for row in TREE if not row[0].startswith(("--bytes", "--topology"))] + [
        ("--topology=ring", "allowed is one of fat-tree, dragonfly, torus, hyperx, switch, or a file with a topology"),
        ("--flows=flow.txt", "--flows=flow.txt: allowed is only one of --flows and --cdf"),
        ("--cdf=nowhere", "--cdf=nowhere: can't be read; allowed is a file with a distribution, or one of alistorage, hadoop, websearch"),
        ("--cdf=", "--flows=: allowed is a file of flows, or --cdf and --load"),
        ("--format=ns3", "allowed is one of rdma, htsim, goal"),
        ("--format=goal", "--format=goal: allowed is only --flows with it"),
        ("--format=htsim", "--format=htsim: allowed is only --flows with it"),
        ("--classes=0,1", "--classes=0,1: allowed is only --flows with it"),
        ("--classes=16", "each a whole number from 0 to 15"),
        ("--load=0", "--load=0: allowed is a number above 0 with --cdf"),
        ("--load=1.1", "allowed is a number from 0 to 1"),
        ("--arrivalTime=0", "allowed is a time from 1ns to 1000s"),
        ("--arrivalTime=1000s", "flows would begin; allowed are at most 10000000"),
        ("--arrivalTime=1ns", "no flow begins in it; allowed are times in which some do, on average one in"),
        ("--duration=1001s", "allowed is a time from 0ps to 1000s"),
        (SENDER + "TrafficClass=3", "the program sets it, allowed is what --flows and --classes say"),
        (SENDER + "Process=3", "the program sets it"),
        (SENDER + "Vni=3", "the program sets it"),
        ("--transport=udp", "allowed is one of raw, rt, pio, tcp"),
        *[(f"--{option}", f"--{option}: allowed is only --transport=rt with it") for option in
          ("connections=2", "push=solicited", "window=3", "congestionControl=delay", "loss=0.1", "reorder=0.1", "duplicate=0.1", "corrupt=0.1")],
        ("--connections=0", "allowed is a whole number from 1 to 256"),
        ("--connections=257", "allowed is a whole number from 1 to 256"),
        ("--congestionControl=pint", "allowed is one of fixed, delay, marks, dcqcn, hpcc, timely"),
        ("--window=129", "allowed is a whole number from 1 to 128"),
        ("--ns3::FabricNicTransport::TrafficClass=3", "the program sets it, allowed is what --flows and --classes say"),
        ("--ns3::FabricTransport::ReportsOneSided=true", "the program sets it"),
        ("--ns3::FabricTransport::CongestionControl=delay", "the program sets it, allowed is what its own options say"),
        ("--ns3::FabricTransport::Loss=0.1", "the program sets it, allowed is what its own options say"),
    ],
    "bench-fabric": [
        ("--workload=", "any of P128,P1024,P8192,I32,I100,I1000,P128W100"),
        ("--workload=P1", "any of P128,P1024,P8192,I32,I100,I1000,P128W100"),
        ("--workload=P128,", "any of P128,P1024,P8192,I32,I100,I1000,P128W100"),
        ("--workload=none", "allowed is all or any of P128,"),
        ("--version=none", "allowed is all or any of raw,flow,transport"),
        ("--version=cooked", "any of raw,flow,transport"),
        ("--scheduler=ns3::Nothing", "allowed is one of ns3::HeapScheduler"),
        ("--SchedulerType=ns3::MapScheduler", "the program sets it, allowed is --scheduler"),
        ("--repeat=0", "allowed is a whole number from 1 to 99"),
        ("--repeat=100", "allowed is a whole number from 1 to 99"),
        ("--bytes=1025GiB", "allowed is a size from 0 to 1TiB"),
        ("--bytes=-1", "allowed is a size"),
        ("--compare=bench.csv", "unknown option"),
        (SENDER + "Bytes=1", "the program sets it, allowed is --bytes"),
        ("--linkRate=1Gbps", "unknown option"),
    ],
}


WITHOUT_FABRIC = {"fabric-vl-arbitration", "fabric-preemption"}  # or with one that they make themselves


def refusals(program):
    """@return arguments that a program refuses, and words of the sentence"""
    set_by_program = {argument.split("=")[0] for argument, words in OWN[program] if "the program sets it" in words}
    common = COMMON + ([] if program in WITHOUT_FABRIC else COMMON_ATTRIBUTES)
    return [row for row in common if row[0].split("=")[0] not in set_by_program] + OWN[program]


def check_refusal(done, words):
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"[^\n]+\n", done.stderr), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize("program, argument, words",
                         [(program, *row) for program in OWN for row in refusals(program)])
def test_pr4_a_bad_option_is_named_with_what_is_allowed(program, argument, words, tmp_path):
    out = tmp_path / "out"
    done = run(program, *ENDLESS[program], f"--out={out}", argument, timeout=TIMEOUT)
    check_refusal(done, words)
    assert argument.split("=")[0] in done.stderr
    assert not out.exists() or not list(out.iterdir())


@pytest.mark.parametrize("program, arguments, words", [
    (program, *row) for program in ENDLESS if program not in WITHOUT_FABRIC | {"bench-fabric"} for row in CONTRADICTORY
    if program not in {"fabric-pio", "fabric-nic", "fabric-shaping", "fabric-switch-latency", "fabric-crossbar"} or "LinkFlowControl" not in row[0][0]  # their one switch has no links to others
    if program not in {"fabric-shaping", "fabric-crossbar", "fabric-ack-overhead"} or "Mtu" not in " ".join(row[0])  # they set that themselves
    if program != "fabric-ingress-fairness" or SWITCH + "NoFlowClasses=65535" not in row[0]  # its limit needs flow channels
], ids=lambda value: " ".join(value) if isinstance(value, list) else None if value.startswith("fabric-") else "")
def test_pr4_attributes_that_contradict_each_other(program, arguments, words, tmp_path):
    out = tmp_path / "out"
    if program == "fabric-transport" and "LinkFlowControl" in arguments[0]:
        arguments = [*arguments, "--topology=fat-tree"]  # one switch has no links to others
    check_refusal(run(program, *ENDLESS[program], f"--out={out}", *arguments, timeout=TIMEOUT), words)
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("program, arguments, words", [
    ("fabric-multicast", "DiscardClasses=1", "a group can't be made, since DiscardClasses is 1; allowed is 0"),
    ("fabric-multicast", "MaxFrameBytes=4119", "MaxFrameBytes is 4119, and hosts have frames of 4120; allowed is no less"),
    ("fabric-allreduce", "DiscardClasses=65535",
     "bytes of commands were dropped; allowed is a longer time with --ns3::FabricCommandQueues::RetryTimeout"),
])
def test_pr4_frames_that_switches_drop_where_they_are_waited_for(program, arguments, words):
    check_refusal(run(program, *ENDLESS[program], SWITCH + arguments, timeout=TIMEOUT), words)


@pytest.mark.parametrize("program, arguments, words", [
    ("fabric-incast", [], "--victim=true: allowed is false with --mpi"),
    ("fabric-congestion", [], "--duration=0ps: allowed is a time with --mpi, since the end of the incast ends the victims"),
    ("fabric-congestion", ["--duration=1ms", "--fabric=ecn"], "--duration=1ms: allowed is only --fabric=lossless or pfc with it"),
    ("fabric-congestion", ["--fabric=int"], "--mpi=true: allowed is only --fabric=lossless or pfc with it"),
    ("fabric-allreduce", ["--by=host"], "--by=host: allowed is nic or switch with --mpi"),
    ("fabric-gpcnet", [], "--noticeDelay=0ps: allowed is 1 ns or more with --mpi, since no rank knows at once what hosts of others have got"),
    ("fabric-gpcnet", ["--noticeDelay=999ps"], "--noticeDelay=999ps: allowed is 1 ns or more with --mpi"),
    ("fabric-transport", [], "--topology=switch: allowed is fat-tree with --mpi, since one switch is on one rank"),
    ("fabric-transport", ["--over=ip"], "--over=ip: allowed is fabric with --mpi, since one router is on one rank"),
    ("fabric-transport", ["--topology=fat-tree", "--protocol=tcp"],
     "--protocol=tcp: allowed is rt with --mpi, since both ends of a connection are counted together"),
    ("fabric-transport", ["--topology=fat-tree", "--trace"], "--trace=true: allowed is only --mpi=false with it"),
    ("fabric-transport", ["--topology=fat-tree", "--samplePeriod=1us"], "--samplePeriod=1us: allowed is only --mpi=false with it"),
    ("fabric-collectives", ["--transport=tcp"],
     "--transport=tcp: allowed is raw, rt, pio or switch with --mpi, since all hosts begin when the last connection of any rank is open"),
    ("fabric-run", ["--cdf=hadoop", "--load=0.5", "--transport=tcp"],
     "--transport=tcp: allowed is raw, rt or pio with --mpi, since both ends of a connection are counted together"),
    ("fabric-collectives", ["--collective=broadcast"],
     "--collective=broadcast: allowed is any but allreduce-tree and broadcast with --mpi, since a host of a broadcast sends on when another has"),
    ("fabric-collectives", ["--collective=allreduce-tree"], "--collective=allreduce-tree: allowed is any but allreduce-tree and broadcast with --mpi"),
])
def test_wl7_what_ranks_can_not_know_at_once(program, arguments, words, tmp_path):
    out = tmp_path / "out"
    check_refusal(run(program, "--mpi", f"--out={out}", *arguments, timeout=TIMEOUT), words)
    assert not out.exists()


@pytest.mark.parametrize("transport", ["pio", "tcp"])
@pytest.mark.parametrize("option", ["connections=2", "push=solicited", "window=3", "congestionControl=delay", "loss=0.1", "reorder=0.1", "duplicate=0.1",
                                    "corrupt=0.1"])
def test_pr4_options_of_the_reliable_transport_with_another(transport, option):
    check_refusal(run("fabric-run", *ENDLESS["fabric-run"], f"--transport={transport}", f"--{option}", timeout=TIMEOUT),
                  f"--{option}: allowed is only --transport=rt with it")


def test_pr4_more_connections_of_tcp_than_a_host_has_ports(tmp_path):
    flows = tmp_path / "flow.txt"
    flows.write_text("64513\n" + "0 1 0 100 1 0\n" * 64513)
    check_refusal(run("fabric-run", "--k=4", f"--flows={flows}", "--transport=tcp", timeout=TIMEOUT),
                  f"--transport=tcp: {flows}: host 0 starts more flows than it has ports; allowed are up to 64512")


# One host, or two, on a switch: what can't be said with so many hosts is said of them, and not that "1 to 0" are allowed.
ALONE = "the fabric has one host, "


@pytest.mark.parametrize("hosts, delay, program, arguments, words", [
    (1, "100ns", "fabric-permutation", ["--pattern=shift"], "--pattern=shift: " + ALONE + "which has nobody to send to; allowed are two or more"),
    (1, "100ns", "fabric-permutation", ["--pattern=random"], "--pattern=random: " + ALONE),
    (1, "100ns", "fabric-permutation", ["--pattern=uniform", "--load=0.1"], "--pattern=uniform: " + ALONE),
    (1, "100ns", "fabric-permutation", ["--pattern=all-to-all"], "--pattern=all-to-all: " + ALONE),
    (1, "100ns", "fabric-collectives", [], ALONE + "and a collective needs two ranks; allowed are two hosts or more"),
    (1, "100ns", "fabric-multicast", [], "--stride=1: of 1 hosts that leaves the source alone; allowed is a smaller one, or more hosts"),
    (2, "100ns", "fabric-multicast", ["--stride=2"], "--stride=2: of 2 hosts that leaves the source alone"),
    (1, "100ns", "fabric-congestion", ["--senders=1"], "the fabric has 1 hosts, and none that sends beside the receiver and the victim's ends; allowed are 4 hosts"),
    (3, "100ns", "fabric-congestion", ["--senders=1"], "the fabric has 3 hosts, and none that sends"),
    (1, "10us", "fabric-ingress-fairness", [], ALONE + "which has nobody to send to; allowed are two or more"),
    (2, "100ns", "fabric-ingress-fairness", [], "the way from host 0 to its nearest receiver is too short for a limit: of at most "),
    # A long link of the receiver is not on the way that a limit counts: shares were 0.005 and 0.995.
    (2, "10us", "fabric-ingress-fairness", [], "the way from host 0 to its nearest receiver is too short for a limit: of at most "),
])
def test_pr4_a_switch_with_few_hosts(hosts, delay, program, arguments, words, tmp_path):
    graph = tmp_path / "graph.txt"
    links = "".join(f"{host} {hosts} 200Gbps {delay}\n" for host in range(hosts))
    graph.write_text(f"{hosts + 1} 1 {hosts}\n{hosts}\n{links}")
    check_refusal(run(program, f"--topology={graph}", *arguments, timeout=TIMEOUT), words)


def test_wl7_a_trigger_that_another_rank_would_have_to_know_of(tmp_path):
    matrix = tmp_path / "flows.cm"
    matrix.write_text("Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 9 recv_done_trigger 1\n2->3 id 2 trigger 1 size 9\ntrigger id 1 oneshot\n")
    check_refusal(run("fabric-run", "--mpi", "--k=4", f"--flows={matrix}", "--format=htsim", timeout=TIMEOUT),
                  f"--mpi: {matrix}: trigger 1 starts a flow of host 2 when one to host 1 is done; allowed on several ranks are triggers that start flows of the host")


@pytest.mark.parametrize("arguments, words", [
    ([DISC + "Window=1ps", "--meter=sliding-window"], "allowed is a longer window"),
    ([LANE + "Window=1ps", "--meter=sliding-window", "--via=link"], "allowed is a longer window"),
    ([SWITCH + "VirtualChannels=4", SWITCH + "BufferBytes=100000", "--via=link"], "are more than BufferBytes (100000)"),
])
def test_pr4_settings_of_lanes_that_contradict_each_other(arguments, words):
    program = "fabric-vl-arbitration"
    check_refusal(run(program, *ENDLESS[program], *arguments, timeout=TIMEOUT), words)


@pytest.mark.parametrize("program", ENDLESS)
def test_pr2_results_of_another_run_are_kept(program, tmp_path):
    (tmp_path / "summary.csv").write_text("mine")
    check_refusal(run(program, *ENDLESS[program], f"--out={tmp_path}", timeout=TIMEOUT),
                  f"--out={tmp_path}: holds results of another run (summary.csv): take another folder, or --force")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("summary.csv", "mine")]


@pytest.mark.parametrize("argument, words", [
    (PIO + "CounterBits=6", "the number of blocks of a context is 64; allowed is 1 to 63, which the credit counter can tell apart"),
    (PIO + "ForceAfter=99ns", "the time after which a return is forced is 99000 ps; allowed is 0, or 100000 to 10000000000000"),
    (PIO + "ContextBlocks=8,x", "ContextBlocks is '8,x', allowed are numbers of blocks, such as 32,64,64"),
    (PIO + "ContextBlocks=8,16", "ContextBlocks is '8,16', allowed is a number for each of the 1 contexts"),
    (PIO + "ContextBlocks=3", "the number of blocks of a packet is 4; allowed is 1 to 3, the blocks of the context"),
    (PIO + "SdmaDescriptors=100", "the number of descriptors of an SDMA engine's ring is 100; allowed is a power of two from 64 to 32768"),
    (PIO + "SdmaReads=0", "the number of packets that SDMA engines read at a time is 0; allowed is 1 to 65536"),
    (PIO + "CounterBits=33", "the width of the credit counter is 33; allowed is 1 to 32"),
    (PIO + "PcieMps=100", "the maximum payload size (MPS) is 100; allowed is a power of two from 128 to 4096"),
    (PIO + "PcieMrrs=8192", "the maximum read request size (MRRS) is 8192; allowed is a power of two from 128 to 4096"),
    (PIO + "PcieTlpShare=0", "PcieTlpShare=0: allowed is a number from 0.001 to 1"),
    (PIO + "MemoryLookTime=2000h", "MemoryLookTime=2000h: allowed is a time from 0ps to 10s"),
    (PIO + "PcieLatency=10.1s", "PcieLatency=10.1s: allowed is a time from 0ps to 10s"),
    ("--contexts=17", "--contexts=17"),
    ("--contexts=1 " + PIO + "ContextBlocks=8", "Blocks is set, and ContextBlocks tells those of each context; allowed is its default, or ContextBlocks empty"),
])
def test_pr4_settings_of_pio_that_can_not_be(argument, words):
    check_refusal(run("fabric-pio", "--blocks=" + ("1024" if "contexts" in argument else "64"), *argument.split(), timeout=TIMEOUT), words)


@pytest.mark.parametrize("argument, words", [
    (COMMANDS + "InlineBytes=193", "the limit of inline data is 193; allowed is 0 to 192"),
    (COMMANDS + "LowLatencySlots=17", "the number of slots of the low-latency buffer is 17; allowed is 0 to 16"),
    (COMMANDS + "EagerBytes=16385", "the eager part of a rendezvous message is 16385; allowed is 0 to 16384, the threshold"),
    (COMMANDS + "TargetQueues=513", "the number of target queues is 513; allowed is 0 to 512"),
    (COMMANDS + "EventSlots=24", "the number of slots of an event queue is 24; allowed is a power of two from 4 to 1048576"),
    (COMMANDS + "MatchEntries=0", "the number of list entries is 0; allowed is 1 to 1048576"),
    (COMMANDS + "QueueClasses=1", "the class of a queue is 1; allowed is 0 to 0, for which there are weights"),
    (COMMANDS + "ClassWeights=1,x", "ClassWeights is '1,x'; allowed are whole numbers with commas between them"),
    (COMMANDS + "PcieMps=100", "the maximum payload size (MPS) is 100; allowed is a power of two from 128 to 4096"),
    (COMMANDS + "PcieMrrs=8192", "the maximum read request size (MRRS) is 8192; allowed is a power of two from 128 to 4096"),
    (COMMANDS + "RetryWindow=65", "the number of packets of a connection under way is 65; allowed is 1 to 64"),
    (COMMANDS + "FlowControl=true", "allowed is flow control with a time-out, since its messages are sent again"),
])
def test_pr4_settings_of_command_queues_that_can_not_be(argument, words):
    check_refusal(run("fabric-nic", argument, timeout=TIMEOUT), words)


@pytest.mark.parametrize("arguments, sentence", [
    (["fabric-nic", "--ringSlots=100"], "--ringSlots=100: ns3::FabricCommandQueues on node 0: command queues: the number of slots of a ring is 100; "
                                        "allowed is a power of two from 64 to 65536"),
    (["fabric-nic", "--load=5", COMMANDS + "WriteBackEvery=0", COMMANDS + "WriteBackOnEmpty=false"],
     "ns3::FabricCommandQueues on node 0: command queues: read pointers are written back neither by number, nor on empty, nor on time; "
     "allowed is one of these at least, so that no driver waits for ever"),
    (["fabric-pio", "--packetBytes=4096", "--blocks=8"], "--blocks=8 --packetBytes=4KiB: ns3::FabricPio on node 0: PIO: the number of blocks of a packet is 65; "
                                                         "allowed is 1 to 8, the blocks of the context"),
    (["fabric-pio", PIO + "CounterBits=33"], "ns3::FabricPio on node 0: PIO: the width of the credit counter is 33; allowed is 1 to 32"),
])
def test_pr4_no_option_is_named_that_nobody_gave(arguments, sentence):
    assert run(*arguments, timeout=TIMEOUT).stderr == sentence + "\n"


@pytest.mark.parametrize("arguments, words", [
    (["--k=2"], "--k: the fabric has 2 hosts; 2 victims and 2 aggressors for --pattern=incast need a larger one"),
    (["--topology=switch", "--k=9", "--pattern=all"], "2 victims and 8 aggressors for --pattern=all need a larger one"),
    (["--victims=3", "--aggressors=7", "--pattern=all"], "--aggressors=7: allowed is 0 or 8 to 13"),
    (["--topology=switch", "--levels=2"], "--levels=2: allowed is only --topology=fat-tree with it"),
    (["--topology=switch", "--oversubscription=1:1"], "--oversubscription=1:1: allowed is only --topology=fat-tree with it"),
    (["--flowChannels=off", "--tools=all"], "allowed is none where --flowChannels is off"),
])
def test_pr4_options_of_gpcnet_that_do_not_go_together(arguments, words):
    check_refusal(run("fabric-gpcnet", "--k=4", *arguments, timeout=TIMEOUT), words)


@pytest.mark.parametrize("program, arguments, words", [
    ("fabric-gpcnet", ["--topology=torus", "--widths=2", "--hostsPerSwitch=1"],
     "--hostsPerSwitch or --widths: the fabric has 2 hosts; 2 victims and 2 aggressors"),
    ("fabric-gpcnet", ["--topology=hyperx", "--widths=3", "--hostsPerSwitch=1"], "--hostsPerSwitch or --widths: the fabric has 3 hosts"),
    ("fabric-gpcnet", ["--topology=dragonfly", "--hostsPerSwitch=1", "--switchesPerGroup=1", "--globalPorts=1"],
     "--hostsPerSwitch, --switchesPerGroup, --globalPorts or --groups: the fabric has 2 hosts"),
    ("fabric-incast", ["--senders=2"], "and more with more hosts (--k)"),
    ("fabric-incast", ["--topology=torus", "--widths=2", "--senders=2"], "and more with more hosts (--hostsPerSwitch or --widths)"),
])
def test_pr4_hosts_that_are_too_few_name_the_options_of_the_shape(program, arguments, words):
    check_refusal(run(program, *([] if "--topology" in arguments[0] else ["--k=2"]), *arguments, timeout=TIMEOUT), words)


def test_pr4_hosts_of_a_file_that_are_too_few_name_the_file(tmp_path):
    file = tmp_path / "two.txt"
    file.write_text("3 1 2\n2\n0 2 100Gbps 100ns\n1 2 100Gbps 100ns\n")
    check_refusal(run("fabric-gpcnet", f"--topology={file}", timeout=TIMEOUT), f"--topology={file}: the fabric has 2 hosts")


@pytest.mark.parametrize("program, arguments, words", [
    ("fabric-nic", ["--operation=get", "--rendezvous=16KiB"], "--rendezvous=16KiB: allowed is only --operation=tagged with it"),
    ("fabric-nic", ["--entries=0"], "--entries=0: allowed is only --operation=tagged with it"),
    ("fabric-nic", ["--operation=tagged", "--entries=5", "--ns3::FabricCommandQueues::MatchEntries=5"],
     "--entries=5: allowed is at most 4, one less than MatchEntries of ns3::FabricCommandQueues"),
    ("fabric-nic", ["--batch=7", "--load=0"], "--batch=7: allowed is only --load above 0 with it"),
    ("fabric-pio", ["--linkDelay=1ms", "--ns3::FabricSwitch::BufferBytes=60000000"], "--duration=200us: allowed is at least 2.0005"),
    ("fabric-nic", ["--bytes=64MiB"], "--duration=200us: allowed is at least 2.68"),
    ("fabric-pio", ["--threshold=33%", "--scheme=relative"], "--threshold=33%: allowed is only --scheme=absolute with it"),
    ("fabric-pio", ["--threshold=0", "--scheme=egress-order"], "--threshold=0: allowed is only --scheme=absolute with it"),
    ("fabric-transport", ["--failLink=target"], "--failLink=target: allowed is only --failAt with it"),
    ("fabric-transport", ["--push=auto", "--operations=pull"], "--push=auto: allowed is only push among --operations with it"),
    ("fabric-incast", ["--k=4", "--aloneTime=50us", "--victim=off"], "--aloneTime=50us: allowed is only --victim=on with it"),
    ("fabric-vl-arbitration", ["--chargeOver=on", "--over=disqualify"], "--chargeOver=true: allowed is only --over=demote with it"),
    ("fabric-vl-arbitration", ["--via=uplink", "--ns3::FabricNetDevice::ArbitrateLanes=false"], "ArbitrateLanes is false: allowed is true"),
])
def test_pr4_options_without_an_effect_are_refused(program, arguments, words):
    """Whatever their values are, the default, too: who gives one expects that it does something."""
    check_refusal(run(program, *arguments, timeout=TIMEOUT), words)


@pytest.mark.parametrize("arguments, words", [
    (["--fabric=pfc", "--tools=none"], "--tools=none: allowed is only --fabric=lossless with it"),
    (["--fabric=ecn", "--flowChannels=on"], "--flowChannels=true: allowed is only --fabric=lossless with it"),
    (["--fabric=pfc", "--channels"], "--channels=true: allowed is only --fabric=lossless with it"),
    (["--fabric=trim", "--duration=1ms"], "--duration=1ms: allowed is only --fabric=lossless or pfc with it"),
    (["--fabric=ecn", "--hostRate=100Gbps"], "--hostRate=100Gbps: allowed is only --fabric=lossless with it"),
    (["--fabric=ecn", "--bytes=2GiB"], "--bytes=2147483648: allowed is at most 2147483647 with --fabric=int, ecn, drop and trim"),
    (["--fabric=trim", "--bytes=2GiB"], "--bytes=2147483648: allowed is at most 2147483647 with --fabric=int, ecn, drop and trim"),
    (["--fabric=trim", SWITCH + "TrimClasses=2"], "--fabric sets it, allowed is only --fabric=lossless with it"),
    (["--fabric=trim", SWITCH + "TrimBytes=70000"], "TrimBytes: 70000 bytes, and a header of 92, are more than LossyDropBytes (67008)"),
    (["--fabric=trim", SWITCH + "TrimHeaderClass=2"], "TrimHeaderClass: class 2 has the virtual channel of class 0, whose frames are trimmed"),
    (["--fabric=pfc", "--linkDelay=10us"], "LinkPauseXoffBytes is 0, and up to 537156 bytes can arrive after it is passed"),
    (["--fabric=pfc", SWITCH + "LinkFlowControl=pause"], "--fabric sets it, allowed is only --fabric=lossless with it"),
    (["--fabric=ecn", SWITCH + "LossyClasses=1"], "--fabric sets it, allowed is only --fabric=lossless with it"),
    (["--fabric=ecn", "--ns3::FabricTransport::CongestionControl=marks"], "--fabric sets it, allowed is only --fabric=lossless with it"),
    (["--fabric=int", SWITCH + "Telemetry=false"], "--fabric sets it, allowed is only --fabric=lossless with it"),
    (["--fabric=int", "--ns3::FabricTransport::HpccHops=4"], "switches away, and HpccHops is 4; allowed is as much as all switches on the way need, at most 8"),
    (["--fabric=ecn", SWITCH + "LossyDropBytes=600000"], "are more than BufferBytes (524288)"),
    (["--fabric=drop", SWITCH + "SharedBufferBytes=1000000"], "queues of 8 packets have room of their own; allowed is --fabric=pfc, int or ecn with it"),
    (["--fabric=lossless", SWITCH + "SharedBufferBytes=1000000"], "SharedBufferBytes is 1000000, and senders have credits for buffers of their own; allowed is 0, or"),
    (["--fabric=pfc", SWITCH + "SharedBufferBytes=1000000", SWITCH + "LinkPauseXonBytes=1"],
     "its limits are dynamic; allowed is LinkPauseXonBytes with its default, or SharedBufferBytes 0"),
    (["--fabric=ecn", SWITCH + "SharedBufferBytes=1000000", SWITCH + "LossyDropBytes=70000"],
     "its limits are dynamic; allowed is LossyDropBytes with its default, or SharedBufferBytes 0"),
    (["--fabric=pfc", SWITCH + "SharedPauseAlpha=0.5"], "SharedPauseAlpha is of a memory that ports share, and SharedBufferBytes is 0; allowed is its default, or"),
    (["--fabric=ecn", SWITCH + "SharedLossyAlpha=0.5"], "SharedLossyAlpha is of a memory that ports share, and SharedBufferBytes is 0; allowed is its default, or"),
    (["--fabric=pfc", SWITCH + "SharedXonGap=0"], "SharedXonGap is of a memory that ports share, and SharedBufferBytes is 0; allowed is its default, or"),
    ([SWITCH + "SharedBufferBytes=1000000", SWITCH + "LossyClasses=65535"], "lossy classes have flow channels; allowed is 0, or NoFlowClasses with all LossyClasses"),
    (["--flowChannels=off", SWITCH + "SharedBufferBytes=1000000", SWITCH + "LossyClasses=65535", SWITCH + "VirtualChannels=2", SWITCH + "ClassToVc=0,1",
      "--ns3::FabricNetDevice::ClassToVc=0,1", SWITCH + "TrimClasses=1"], "TrimClasses is 1; allowed is one of them"),
])
def test_pr4_options_of_congestion_that_do_not_go_together(arguments, words):
    check_refusal(run("fabric-congestion", "--k=4", "--senders=4", *arguments, timeout=TIMEOUT), words)


@pytest.mark.parametrize("topology", ["dragonfly", "torus", "hyperx"])
@pytest.mark.parametrize("fabric", ["pfc", "int", "ecn", "drop", "trim"])
def test_pr4_ethernet_has_no_topologies_with_a_channel_for_each_hop(topology, fabric):
    check_refusal(run("fabric-congestion", f"--topology={topology}", "--senders=4", f"--fabric={fabric}", timeout=TIMEOUT),
                  f"--fabric={fabric}: allowed is only --topology=fat-tree or a file with it")


@pytest.mark.parametrize("program, argument, words", [
    ("fabric-collectives", "--hosts=3", "0 (all) or 2, the hosts of the fabric"),
    ("fabric-collectives", "--jobs=2", "1 with 2 hosts"),
    ("fabric-gpcnet", "--victims=3", "0 or 2; the fabric has 4 hosts"),
])
def test_pr4_a_range_of_one_number_is_that_number(program, argument, words):
    k = 4 if program == "fabric-gpcnet" else 2
    check_refusal(run(program, "--topology=switch", f"--k={k}", argument, timeout=TIMEOUT), f"{argument}: allowed is {words}\n")


@pytest.mark.parametrize("program, arguments", [
    ("fabric-incast", ["--k=3", "--senders=1"]),
    ("fabric-incast", ["--k=2", "--senders=1"]),
    ("fabric-incast", ["--k=4", "--levels=2", "--senders=6"]),
])
def test_pr4_senders_that_a_small_tree_has_no_room_for(program, arguments):
    check_refusal(run(program, *arguments, timeout=TIMEOUT), f"{arguments[-1]}: of the ")


@pytest.mark.parametrize("program, arguments", [
    ("fabric-incast", ["--k=4", "--senders=13", "--bytes=1"]),
    ("fabric-incast", ["--k=5", "--senders=17", "--bytes=1", "--aloneTime=6us"]),
    ("fabric-incast", ["--k=4", "--senders=4", "--bytes=1KiB", SWITCH + "FlowIds=2"]),
    ("fabric-incast", ["--k=4", "--senders=4", "--bytes=1KiB", SWITCH + "FlowIds=1", "--victim=off"]),
    ("fabric-congestion", ["--k=4", "--senders=4", "--bytes=1KiB", SWITCH + "FlowIds=1", "--victimLoad=0.01"]),
    ("fabric-congestion", ["--k=4", "--senders=4", "--bytes=1KiB", SWITCH + "FlowIds=1", "--duration=60us"]),
    ("fabric-gpcnet", ["--topology=switch", "--k=4", "--iterations=1", "--rings=1", SWITCH + "FlowIds=1"]),
    ("fabric-gpcnet", ["--topology=switch", "--k=4", "--iterations=1", "--rings=1"]),
    ("fabric-gpcnet", ["--topology=switch", "--k=10", "--pattern=all", "--iterations=1", "--rings=1"]),
    ("fabric-gpcnet", ["--k=4", "--victims=14", "--flowChannels=off", "--tools=none", "--iterations=1", "--rings=1"]),
    ("fabric-permutation", ["--k=2", "--bytes=1", "--shift=1"]),
    ("fabric-permutation", ["--k=2", "--load=1e-300", "--warmUp=10us", "--duration=10us"]),
    ("fabric-preemption", ["--bulkLoad=1e-300", "--duration=10us"]),
    ("fabric-nic", ["--load=1e-300", "--duration=10us"]),
    ("fabric-permutation", ["--k=3", "--bytes=1B", "--shift=5"]),
    ("fabric-permutation", ["--k=4", "--bytes=1", "--oversubscription=3", "--linkDelay=1ns", "--linkRate=100000Gbps"]),
    ("fabric-permutation", ["--k=4", "--levels=2", "--bytes=1", "--oversubscription=1:3", "--linkDelay=10ms", "--linkRate=1Mbps"]),
    ("fabric-chain", ["--sources=1", "--duration=10us"]),
    ("fabric-chain", ["--sources=1,0,0", "--duration=10us"]),
])
def test_pr4_what_is_just_allowed_runs(program, arguments):
    run_well(program, *arguments)


@pytest.mark.parametrize("argument, words", [
    ("--k=4", "unknown option --k=4: allowed are --RngRun, --help and attributes"),
    ("--out=results", "unknown option --out=results"),
    ("word", "unexpected argument 'word'"),
    (SWITCH + "Nothing=1", "--PrintAttributes=ns3::FabricSwitch lists all"),
    (SWITCH + "FlowIds=0", "1 to 2047"),
    ("--RngRun=-1", "allowed is"),
])
def test_pr4_a_mistake_in_the_first_program(argument, words):
    check_refusal(run("fabric-first", argument, timeout=TIMEOUT), words)


def test_pr4_an_empty_topology_file_is_named(tmp_path):
    (tmp_path / "empty.txt").write_text("")
    done = run("fabric-incast", f"--topology={tmp_path / 'empty.txt'}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path / 'empty.txt'}:1: the file ends; allowed is a line with the numbers of nodes, switches and links\n"
