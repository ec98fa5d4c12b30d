# SPDX-License-Identifier: GPL-2.0-only
"""SC-5: the result files of each example at fixed options are those in fingerprints/, byte for byte.

A change in them is a commit of its own that says why: pytest test/python --refresh-fingerprints
"""
import pathlib

import pytest

from programs import run_well

FINGERPRINTS = pathlib.Path(__file__).parent / "fingerprints"

INCAST = ["fabric-incast", "--k=4", "--senders=6", "--bytes=20000", "--aloneTime=6us", "--samplePeriod=1us"]
PERMUTATION = ["fabric-permutation", "--k=4", "--bytes=20000", "--samplePeriod=500ns"]
DRAGONFLY = ["fabric-permutation", "--topology=dragonfly"]
CHAIN = ["fabric-chain", "--sources=2,1,1", "--duration=20us", "--samplePeriod=5us"]
TRANSPORT = ["fabric-transport", "--senders=3", "--count=4", "--bytes=20000", "--operations=push,pull"]
ACK_OVERHEAD = ["fabric-ack-overhead", "--hosts=2", "--frameBytes=1000", "--duration=3us", "--samplePeriod=1us"]
SHAPING = ["fabric-shaping", "--duration=12us", "--samplePeriod=3us"]
VL_ARBITRATION = ["fabric-vl-arbitration", "--duration=30us", "--samplePeriod=10us"]

GPCNET = ["fabric-gpcnet", "--k=4", "--victims=3", "--rings=2", "--iterations=3", "--bandwidthIterations=1", "--warmUp=5us"]
PREEMPTION = ["fabric-preemption", "--duration=60us", "--urgentGap=500ns"]

PIO = ["fabric-pio", "--duration=15us"]
COLLECTIVES = ["fabric-collectives", "--bytes=30000"]
NIC = ["fabric-nic", "--duration=15us"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
TWO_RACKS = ["fabric-run", f"--topology={ROOT}/examples/topologies/two-racks.txt"]

RUNS = {
    "incast": INCAST,
    "incast-without-flow-channels": INCAST + ["--flowChannels=off"],
    "congestion": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=60000", "--aloneTime=6us", "--samplePeriod=1us"],
    "congestion-at-senders": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=60000", "--victimAt=sender-host",
                              "--victimTo=elsewhere", "--victimLoad=0.2", "--tools=fgfc", "--RngRun=3"],
    "congestion-pfc": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=400000", "--fabric=pfc", "--jitter=1us"],
    "congestion-trim": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=100000", "--fabric=trim", "--victimLoad=0.1"],
    "congestion-ecn": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=400000", "--fabric=ecn", "--victimAt=sender-host",
                       "--victimTo=elsewhere", "--jitter=1us"],
    "congestion-int": ["fabric-congestion", "--k=4", "--senders=6", "--bytes=400000", "--fabric=int", "--jitter=1us"],
    "incast-with-jitter": [option for option in INCAST if not option.startswith("--aloneTime")] + ["--jitter=2us", "--RngRun=7", "--victim=off"],
    "gpcnet": GPCNET + ["--outstanding=8", "--tools=hop-credits"],
    "gpcnet-all-patterns": GPCNET + ["--pattern=all", "--placement=interleaved", "--RngRun=2", "--outstanding=8", "--tools=none"],
    "gpcnet-without-flow-channels": GPCNET + ["--pattern=put-incast", "--flowChannels=off", "--outstanding=8", "--samplePeriod=100us"],
    "gpcnet-on-one-switch": GPCNET + ["--topology=switch", "--k=9", "--pattern=alltoall", "--placement=linear", "--aggressors=4",
                                       "--tools=hop-credits"],
    "permutation": PERMUTATION,
    "permutation-without-flow-channels": PERMUTATION + ["--flowChannels=off"],
    "permutation-two-levels": PERMUTATION + ["--levels=2", "--oversubscription=3:1", "--shift=5", "--linkRate=100Gbps"],
    "permutation-store-and-forward": PERMUTATION + ["--ns3::FabricSwitch::Forwarding=store-and-forward", "--RngRun=3"],
    "permutation-few-ids": PERMUTATION + ["--ns3::FabricSwitch::FlowIds=1", "--linkDelay=1us"],
    "dragonfly": DRAGONFLY + ["--bytes=20000", "--samplePeriod=500ns"],
    "dragonfly-adversarial": DRAGONFLY + ["--pattern=adversarial", "--load=0.3", "--bytes=4096", "--warmUp=5us", "--duration=5us"],
    "dragonfly-valiant-sprayed": DRAGONFLY + ["--routing=valiant", "--pattern=uniform", "--bytes=9000", "--globalDelay=500ns", "--groups=4",
                                              "--ns3::FabricSwitch::NoFlowClasses=1", "--ns3::FabricSwitch::UnorderedClasses=1"],
    "dragonfly-incast": INCAST[:1] + INCAST[2:] + ["--topology=dragonfly", "--routing=minimal"],
    **{f"permutation-{transport}": ["fabric-permutation", "--k=4", "--pattern=uniform", "--bytes=20000", "--load=0.5", "--warmUp=5us", "--duration=15us",
                                    f"--transport={transport}"] for transport in ("rt", "pio", "tcp")},
    "torus": ["fabric-permutation", "--topology=torus", "--widths=4,3,2", "--bytes=20000", "--samplePeriod=500ns"],
    "torus-tornado": ["fabric-permutation", "--topology=torus", "--widths=5,4", "--pattern=tornado", "--load=0.4", "--bytes=4096", "--warmUp=5us",
                      "--duration=5us", "--ns3::FabricSwitch::NoFlowClasses=1", "--ns3::FabricSwitch::UnorderedClasses=1"],
    "hyperx": ["fabric-permutation", "--topology=hyperx", "--widths=4,3", "--trunks=1,2", "--hostsPerSwitch=3", "--pattern=adversarial",
               "--bytes=20000"],
    "hyperx-by-dimension": ["fabric-permutation", "--topology=hyperx", "--widths=3,2,2,2,2", "--hostsPerSwitch=1", "--routing=by-dimension", "--pattern=uniform",
                            "--load=0.6", "--bytes=4096", "--warmUp=3us", "--duration=4us"],
    "switch-latency": ["fabric-switch-latency"],
    "crossbar": ["fabric-crossbar", "--ports=16", "--duration=10us"],
    "crossbar-ideal": ["fabric-crossbar", "--crossbar=ideal", "--ports=16", "--duration=10us"],
    "crossbar-hotspot": ["fabric-crossbar", "--pattern=hotspot", "--warmUp=1us", "--duration=3us", "--ports=16", "--frameBytes=1000", "--ns3::FabricSwitch::CrossbarTileBuffer=4120"],
    "ingress-fairness": ["fabric-ingress-fairness", "--k=4", "--flows=1,10", "--stop=30us", "--duration=400us"],
    "ingress-fairness-by-flow": ["fabric-ingress-fairness", "--k=4", "--flows=1,10", "--grouping=false", "--stop=30us", "--duration=400us"],
    "chain": CHAIN,
    "chain-by-port": CHAIN + ["--arbitration=port"],
    "chain-without-flow-channels": CHAIN + ["--flowChannels=off"],
    "transport": TRANSPORT + ["--trace"],
    "transport-with-faults": TRANSPORT + ["--loss=0.05", "--reorder=0.1", "--duplicate=0.1", "--corrupt=0.02", "--RngRun=5"],
    "transport-over-ip": TRANSPORT + ["--over=ip", "--loss=0.05", "--ordered=off"],
    "transport-with-marks": ["fabric-transport", "--senders=4", "--bytes=300000", "--push=unsolicited", "--samplePeriod=5us",
                             "--congestionControl=marks", "--ns3::FabricSwitch::MarkMinBytes=20000",
                             "--ns3::FabricSwitch::MarkProbability=0.5"],
    "transport-with-dcqcn": ["fabric-transport", "--senders=4", "--bytes=1000000", "--push=unsolicited", "--samplePeriod=5us",
                             "--congestionControl=dcqcn", "--ns3::FabricSwitch::MarkMinBytes=4000",
                             "--ns3::FabricSwitch::MarkMaxBytes=100000", "--ns3::FabricTransport::RateTimer=20us"],
    "transport-with-hpcc": ["fabric-transport", "--senders=4", "--bytes=1000000", "--push=unsolicited", "--samplePeriod=5us",
                            "--congestionControl=hpcc", "--ns3::FabricTransport::HpccFlows=10"],
    "transport-link-failure": TRANSPORT + ["--topology=fat-tree", "--bytes=200000", "--failAt=20us", "--repairAt=60us",
                                           "--failLink=0-8", "--RngRun=2"],
    "transport-host-link-failure": TRANSPORT + ["--failAt=5us", "--repairAt=25us"],
    "transport-tcp": ["fabric-transport", "--over=ip", "--protocol=tcp", "--bytes=100000", "--linkRate=10Gbps"],
    "ack-overhead": ACK_OVERHEAD,
    "ack-overhead-both-ways": ACK_OVERHEAD + ["--reverse"],
    "preemption": PREEMPTION,
    "preemption-off": PREEMPTION + ["--preempt=off", "--interleave=off"],
    "preemption-without-interleaving": PREEMPTION + ["--interleave=off", "--hops=4"],
    "nic": NIC + ["--queues=3", "--load=30", "--samplePeriod=5us"],
    "nic-one": NIC + ["--bytes=128", "--operation=send", "--policy=low-latency"],
    "nic-memory": NIC + ["--policy=memory", "--batch=4", "--ringSlots=64", "--load=25", "--pcie=3x8"],
    "nic-tagged": NIC + ["--bytes=30000", "--operation=tagged", "--load=0.5", "--entries=20"],
    "nic-get": NIC + ["--bytes=5000", "--operation=get", "--load=1"],
    "nic-lossy": NIC + ["--duration=150us", "--operation=send", "--bytes=5000", "--load=1", "--loss=0.02", "--retryTimeout=8us"],
    "multicast": ["fabric-multicast", "--k=4", "--members=11", "--bytes=50000"],
    "multicast-by-hosts": ["fabric-multicast", "--k=4", "--by=tree", "--bytes=50000"],
    "multicast-dragonfly": ["fabric-multicast", "--topology=dragonfly", "--routing=valiant", "--members=23", "--stride=3", "--bytes=50000"],
    "multicast-torus": ["fabric-multicast", "--topology=torus", "--widths=5,2,3", "--members=23", "--stride=2", "--bytes=50000"],
    "allreduce": ["fabric-allreduce", "--k=4", "--duration=40us"],
    "allreduce-by-switches": ["fabric-allreduce", "--k=4", "--ranks=13", "--by=switch", "--duration=40us"],
    "allreduce-by-hosts": ["fabric-allreduce", "--k=4", "--ranks=13", "--by=host", "--interval=3us", "--duration=80us"],
    **{f"collectives-{collective}": COLLECTIVES + ["--k=4", "--hosts=11", f"--collective={collective}"] for collective in
       ("allreduce-ring", "allreduce-tree", "allgather", "alltoall", "broadcast", "reduce", "halo3d", "allreduce-halving", "allreduce-doubling",
        "allreduce-double-tree", "allgather-bruck", "alltoall-bruck", "broadcast-chain")},
    "collectives-jobs": COLLECTIVES + ["--topology=dragonfly", "--hosts=9", "--jobs=3", "--placement=random", "--collective=allreduce-halving"],
    "collectives-mixed": ["fabric-collectives", "--topology=dragonfly", "--jobFile=examples/jobs/mixed.txt", "--placement=random", "--onlyJobs=1,2"],
    "collectives-spread": COLLECTIVES + ["--k=4", "--hosts=7", "--placement=spread", "--transport=pio"],
    "collectives-random": COLLECTIVES + ["--topology=dragonfly", "--hosts=12", "--placement=random", "--collective=alltoall", "--RngRun=3"],
    "collectives-pieces": COLLECTIVES + ["--k=4", "--collective=allreduce-double-tree", "--pieces=5", "--transport=rt"],
    "collectives-rt": COLLECTIVES + ["--transport=rt", "--collective=halo3d", "--topology=torus", "--hosts=12"],
    "collectives-pio": COLLECTIVES + ["--transport=pio", "--collective=alltoall", "--topology=dragonfly", "--hosts=9"],
    "collectives-switch": COLLECTIVES + ["--k=4", "--hosts=11", "--transport=switch", "--collective=reduce"],
    "collectives-switch-dragonfly": COLLECTIVES + ["--topology=dragonfly", "--hosts=31", "--placement=spread", "--transport=switch", "--collective=allreduce-tree"],
    "collectives-switch-hyperx": COLLECTIVES + ["--topology=hyperx", "--widths=3,2,3", "--trunks=2", "--transport=switch", "--collective=reduce"],
    "collectives-tcp": COLLECTIVES + ["--k=4", "--transport=tcp", "--hosts=7"],
    "nic-large": NIC + ["--bytes=10000", "--load=1", "--ns3::FabricCommandQueues::ReadAhead=2"],
    "run": TWO_RACKS + [f"--flows={ROOT}/examples/flows/incast.txt", "--samplePeriod=20us"],
    "run-htsim": TWO_RACKS + [f"--flows={ROOT}/examples/flows/ring-allreduce.cm", "--format=htsim"],
    "run-goal": ["fabric-run", "--k=4", f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal"],
    "run-rt": TWO_RACKS + [f"--flows={ROOT}/examples/flows/incast.txt", "--transport=rt", "--samplePeriod=20us"],
    "run-rt-dcqcn": ["fabric-run", "--k=4", "--cdf=hadoop", "--load=0.6", "--arrivalTime=50us", "--transport=rt", "--push=unsolicited", "--connections=4",
                     "--congestionControl=dcqcn", "--loss=0.01"],
    "run-rt-hpcc": ["fabric-run", "--k=4", "--cdf=hadoop", "--load=0.6", "--arrivalTime=50us", "--transport=rt", "--push=unsolicited", "--connections=4",
                    "--congestionControl=hpcc", "--loss=0.01"],
    "run-rt-htsim": TWO_RACKS + [f"--flows={ROOT}/examples/flows/ring-allreduce.cm", "--format=htsim", "--transport=rt", "--congestionControl=delay"],
    "run-rt-goal": ["fabric-run", "--k=4", f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal", "--transport=rt"],
    "run-pio": TWO_RACKS + [f"--flows={ROOT}/examples/flows/incast.txt", "--transport=pio", "--samplePeriod=20us"],
    "run-pio-goal": ["fabric-run", "--k=4", f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal", "--transport=pio", "--ns3::FabricPio::Threads=2"],
    "run-tcp": TWO_RACKS + [f"--flows={ROOT}/examples/flows/incast.txt", "--transport=tcp", "--samplePeriod=20us"],
    # DCTCP's last ACKs are not at the same time with each version of ns-3.
    "run-tcp-cdf": ["fabric-run", "--k=4", "--cdf=hadoop", "--load=0.6", "--arrivalTime=50us", "--transport=tcp"],
    "run-tcp-htsim": TWO_RACKS + [f"--flows={ROOT}/examples/flows/ring-allreduce.cm", "--format=htsim", "--transport=tcp"],
    "run-tcp-goal": ["fabric-run", "--k=4", f"--flows={ROOT}/examples/flows/ring.goal", "--format=goal", "--transport=tcp"],
    "run-drawn": ["fabric-run", "--k=4", "--cdf=hadoop", "--load=0.4", "--arrivalTime=20us", "--RngRun=3"],
    "pio": PIO + ["--blocks=24", "--senders=3", "--contexts=2", "--samplePeriod=5us"],
    "pio-relative": PIO + ["--scheme=relative", "--blocks=16", "--returnLatency=200ns", "--loseEvery=50"],
    "pio-by-egress": PIO + ["--scheme=egress-order", "--blocks=12", "--wait=sleep", "--pcie=3x8"],
    "pio-and-sdma": PIO + ["--sdma=4KiB", "--messageBytes=10000", "--messageGap=700ns", "--earlyReturn"],
    "shaping": SHAPING,
    "shaping-by-link": SHAPING + ["--via=link", f"--table={ROOT}/examples/tables/shaping.csv", "--load=0.3,0.9,0.9,0", "--frameBytes=900", "--flowChannels=off"],
    "vl-arbitration": VL_ARBITRATION,
    "vl-arbitration-by-group": VL_ARBITRATION + ["--mode=group", "--meter=leaky-bucket", "--chargeOver=off"],
    "vl-arbitration-by-link": VL_ARBITRATION + ["--via=link"],
    "vl-arbitration-by-link-disqualified": VL_ARBITRATION + ["--via=link", "--over=disqualify", "--mode=group"],
    "vl-arbitration-by-uplink": VL_ARBITRATION + ["--via=uplink", "--mode=group", "--laterLoad=0.1"],
    "vl-arbitration-disqualified": VL_ARBITRATION + ["--over=disqualify", "--meter=sliding-window", "--RngRun=3",
                                                     "--ns3::VlArbiterQueueDisc::Window=5us",
                                                     "--ns3::VlArbiterQueueDisc::Turns=round-robin"],
}


@pytest.mark.parametrize("name", RUNS)
def test_sc5_results_are_those_of_the_fingerprint(name, tmp_path, request):
    program, *arguments = RUNS[name]
    run_well(program, f"--out={tmp_path}", *arguments)
    files = {path.name: path.read_text() for path in sorted(tmp_path.glob("*.csv"))}
    folder = FINGERPRINTS / name
    if request.config.getoption("--refresh-fingerprints", default=False):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob("*.csv"):
            path.unlink()
        for file, text in files.items():
            (folder / file).write_text(text)
    assert sorted(path.name for path in folder.glob("*.csv")) == sorted(files)
    for file, text in files.items():
        assert text == (folder / file).read_text(), f"{name}/{file} has changed: see the top of this test"


def test_sc5_there_is_no_fingerprint_without_a_run():
    assert sorted(path.name for path in FINGERPRINTS.iterdir()) == sorted(RUNS)
