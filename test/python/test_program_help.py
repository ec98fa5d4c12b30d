# SPDX-License-Identifier: GPL-2.0-only
"""PR-1: every program lists its options, attributes and global values."""
import json
import re

import pytest

from programs import run, run_well

SHAPES = "hostsPerSwitch switchesPerGroup globalPorts groups globalLinks globalDelay routing widths trunks"
OPTIONS = {
    "fabric-incast": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi senders bytes jitter "
                     "victim aloneTime " + SHAPES,
    "fabric-congestion": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi senders bytes jitter "
                         "victimAt victimTo victims victimLoad aloneTime duration tools fabric " + SHAPES,
    "fabric-permutation": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi bytes "
                          "pattern shift load warmUp duration linkErrors transport connections push window congestionControl loss reorder duplicate corrupt " + SHAPES,
    "fabric-switch-latency": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues bytes crossbar",
    "fabric-crossbar": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues crossbar pattern load frameBytes ports warmUp duration",
    "fabric-ingress-fairness": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate flows ratio "
                               "grouping limit stop duration " + SHAPES,
    "fabric-shaping": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues table load via frameBytes duration",
    "fabric-chain": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues mpi sources arbitration frameBytes processes duration",
    "fabric-ack-overhead": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues hosts frameBytes load reverse duration",
    "fabric-transport": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues mpi over protocol loss reorder duplicate corrupt senders bytes "
                        "initiators jitter count outstanding operations push ordered window congestionControl mtu queue trace "
                        "topology k tools failAt repairAt failLink",
    "fabric-gpcnet": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi victims aggressors placement "
                     "pattern bytes outstanding rings iterations bandwidthIterations noticeDelay warmUp timeLimit tools " + SHAPES,
    "fabric-pio": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues blocks returnLatency threshold scheme wait earlyReturn "
                  "loseEvery packetBytes messageBytes messageGap contexts senders sdma pcie duration",
    "fabric-nic": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues policy operation bytes rendezvous entries load queues batch ringSlots pcie loss retryTimeout trace duration",
    "fabric-allreduce": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi by ranks interval duration " + SHAPES,
    "fabric-multicast": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi by members stride bytes " + SHAPES,
    "fabric-collectives": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi collective hosts bytes transport pieces placement jobs jobFile onlyJobs skew straggler late " + SHAPES,
    "fabric-run": "linkRate linkDelay flowChannels channels pcap samplePeriod sampleQueues topology k levels oversubscription hostRate mpi flows format classes cdf load "
                  "arrivalTime duration transport connections push window congestionControl loss reorder duplicate corrupt " + SHAPES,
    "bench-fabric": "workload version scheduler repeat bytes",
    "fabric-preemption": "linkRate preempt interleave victimBytes urgentBytes urgentGap victimLoad bulkBytes "
                         "bulkLoad oneHost hops hopDelay duration",
    "fabric-vl-arbitration": "table mode meter over chargeOver load laterLoad via frameBytes linkRate linkDelay samplePeriod duration",
}
COMMON = "out force progress lookahead threads check"
UNITS = {
    "linkRate": "200Gbps", "hostRate": "200Gbps", "linkDelay": "1ns", "samplePeriod": "1s", "jitter": "1s", "skew": "1s", "late": "1s", "aloneTime": "0ps to 1s", "duration": "1ns",
    "bytes": "4KiB", "oversubscription": "ports", "k": "ports", "senders": "hosts", "members": "hosts", "victims": "", "victimLoad": "fraction", "aggressors": "hosts", "warmUp": "0ps to 1s", "arrivalTime": "1ns", "timeLimit": "1us",
    "window": "packets", "repeat": "runs", "frameBytes": "in bytes", "load": "of the link", "sources": "hosts",
}
OWN_UNITS = {("fabric-nic", "load"): "in millions per second", ("fabric-run", "load"): "of its link", ("fabric-run", "duration"): "1000s", ("fabric-congestion", "duration"): "1000s",
             ("fabric-permutation", "duration"): "0ps to 1s", ("fabric-crossbar", "duration"): "0ps to 1s",
             **{(program, "duration"): "0ps to 1000s" for program in ("fabric-ack-overhead", "fabric-shaping", "fabric-ingress-fairness")}}


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The manifest of a short run."""
    folder = tmp_path_factory.mktemp("build")
    run_well("fabric-incast", "--k=4", "--senders=1", "--bytes=64", f"--out={folder}")
    return json.loads((folder / "manifest.json").read_text())


@pytest.mark.parametrize("program", OPTIONS)
def test_pr1_help_lists_every_option_with_unit_and_default(program):
    done = run(program, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    section = done.stdout.split("Program Options:\n")[1].split("\n\n")[0]
    lines = dict(re.fullmatch(r" +--(\w+): +(.+)", line).groups() for line in section.splitlines())
    assert set(lines) == set(OPTIONS[program].split() + COMMON.split())
    for name, line in lines.items():
        assert name in ("out", "pcap", "flows", "cdf", "jobFile", "onlyJobs") or re.search(r" \[[^\]]+\]$", line), f"--{name} has no default: {line}"
        assert OWN_UNITS.get((program, name), UNITS.get(name, "")) in line


@pytest.mark.parametrize("program", OPTIONS)
def test_pr1_attributes_and_globals_are_listed(program):
    attributes = run(program, "--PrintAttributes=ns3::FabricSwitch")
    assert attributes.returncode == 0
    for name in ("ns3::FabricSwitch::BufferBytes=[524288]", "ns3::FabricSwitch::Latency=[", "ns3::FabricSwitch::ClassToVc=["):
        assert name in attributes.stdout
    for name in ("SchedulerType", "RngRun"):
        assert name in run(program, "--PrintGlobals").stdout
    assert "ns3::FabricNetDevice" in run(program, "--PrintGroup=Fabric").stdout


@pytest.mark.parametrize("program", OPTIONS)
def test_pr1_help_goes_before_mistakes_and_runs_nothing(program, tmp_path):
    done = run(program, f"--out={tmp_path / 'out'}", "--check=nonsense", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "out").exists()


def test_pr1_help_of_a_program_without_options():
    done = run("fabric-first", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--PrintAttributes" in done.stdout


@pytest.mark.parametrize("program", [*OPTIONS, "fabric-first", "fabric-tcp"])
def test_pr1_help_says_how_to_set_random_numbers_and_attributes(program):
    shown = run(program, "--help").stdout
    for name in ("--RngRun=", "--RngSeed=", "--ns3::TYPE::ATTRIBUTE=", "--version:"):
        assert re.search(rf"^ +{name}", shown, re.M), f"{program} does not tell of {name}"


@pytest.mark.parametrize("program", [*OPTIONS, "fabric-first", "fabric-tcp"])
def test_pr1_version_names_module_ns3_and_build_as_the_manifest_does(program, build):
    for option in ("--version", "--PrintVersion"):
        done = run(program, option)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"fabric {build['version']}, ns-3 {build['ns3_version']}, {build['compiler']}, {build['build_type']}\n"
