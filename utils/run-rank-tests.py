#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs of a build on several MPI ranks, and compares their result files with those of one process.

The folder is a build of this project, which has programs in bin, or that of an ns-3 tree; ns-3 must have MPI in it.
The last line is 'N passed, N failed'. The exit status is 1 if anything failed or nothing ran.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

FLOWS = pathlib.Path(__file__).resolve().parents[1] / "examples/flows"
LANES = FLOWS.parent / "tables/guarantee.json"
SHAPING = FLOWS.parent / "tables/shaping.json"

# A program, the number of ranks, and the options that both runs have.
CASES = [
    ("fabric-permutation", 2, ["--k=4", "--bytes=1MiB", "--linkDelay=1us", "--check"]),
    ("fabric-permutation", 4, ["--k=6", "--pattern=random", "--bytes=64KiB", "--samplePeriod=5us", "--check"]),
    ("fabric-permutation", 4, ["--k=6", "--pattern=random", "--bytes=256KiB", "--ns3::FabricSwitch::UnorderedClasses=65535", "--check"]),
    ("fabric-permutation", 3, ["--k=4", "--pattern=all-to-all", "--bytes=10kB", "--flowChannels=off", "--lookahead=off"]),
    ("fabric-permutation", 2, ["--k=4", "--pattern=uniform", "--load=0.8", "--bytes=4KiB", "--samplePeriod=3us"]),
    ("fabric-permutation", 3, ["--k=4", "--pattern=uniform", "--load=0.5", "--bytes=16KiB", "--transport=rt", "--check"]),
    ("fabric-permutation", 2, ["--k=4", "--pattern=random", "--bytes=64KiB", "--transport=pio", "--check"]),
    ("fabric-permutation", 2, ["--k=4", "--pattern=random", "--bytes=256KiB", "--ns3::FabricSwitch::Reroute=true",
                               "--ns3::FabricSwitch::NeighbourLoads=true"]),
    ("fabric-permutation", 2, ["--k=4", "--bytes=64KiB", "--linkErrors=0.01"]),
    ("fabric-permutation", 2, ["--k=4", "--bytes=64KiB", "--flowChannels=off", "--ns3::FabricSwitch::LinkFlowControl=pause"]),
    # A single rank is told of no end, and nobody looks for deadlocks for ever.
    ("fabric-permutation", 1, ["--k=4", "--bytes=64KiB", "--ns3::FabricSwitch::LinkFlowControl=pause"]),
    # Hosts wait for credits.
    ("fabric-permutation", 2, ["--k=4", "--flowChannels=off", "--pattern=random", "--bytes=256KiB", "--linkDelay=1us",
                               "--ns3::FabricSwitch::BufferBytes=40000"]),
    ("fabric-permutation", 2, ["--topology=dragonfly", "--pattern=uniform", "--load=0.9", "--bytes=4KiB", "--check"]),
    ("fabric-permutation", 3, ["--topology=torus", "--pattern=tornado", "--load=0.6", "--bytes=4KiB"]),
    ("fabric-permutation", 2, ["--topology=hyperx", "--pattern=uniform", "--bytes=64KiB"]),
    ("fabric-permutation", 3, [f"--topology={FLOWS.parent / 'topologies/slim-fly.txt'}", "--pattern=uniform", "--load=0.7", "--bytes=4KiB"]),
    # Credits of more bytes than a frame has.
    ("fabric-permutation", 2, ["--k=2", "--levels=2", "--bytes=40MiB", "--linkDelay=5us", "--ns3::FabricChannel::CreditFrames=true",
                               "--ns3::FabricChannel::CreditThreshold=16777216", "--ns3::FabricChannel::CreditTimer=10ms",
                               "--ns3::FabricSwitch::BufferBytes=20000000"]),
    ("fabric-incast", 3, ["--k=4", "--senders=8", "--bytes=64KiB", "--victim=off"]),
    ("fabric-incast", 2, ["--topology=dragonfly", "--senders=9", "--bytes=20000", "--jitter=500ns", "--victim=off", "--check"]),
    ("fabric-allreduce", 4, ["--k=6", "--by=nic", "--duration=100us"]),
    ("fabric-chain", 4, ["--sources=3,3,3,2", "--duration=100us", "--samplePeriod=3us"]),
    ("fabric-congestion", 3, ["--k=4", "--senders=6", "--bytes=1MB", "--aloneTime=6us", "--duration=40us", "--samplePeriod=1us", "--check"]),
    ("fabric-congestion", 3, ["--k=4", "--senders=6", "--bytes=1MB", "--aloneTime=6us", "--duration=40us", "--fabric=pfc"]),
    ("fabric-congestion", 2, ["--topology=dragonfly", "--senders=20", "--bytes=20kB", "--aloneTime=9us", "--duration=20us", "--victimAt=sender-host",
                              "--victimTo=elsewhere", "--victims=3", "--victimLoad=0.3", "--tools=none"]),
    ("fabric-collectives", 2, ["--k=4", "--collective=allreduce-ring", "--bytes=20000", "--check"]),
    ("fabric-collectives", 3, ["--k=4", "--collective=alltoall", "--transport=pio", "--bytes=20000", "--ns3::FabricPio::Threads=3"]),
    ("fabric-collectives", 2, ["--topology=dragonfly", "--collective=halo3d", "--hosts=50", "--skew=3us", "--straggler=7", "--late=20us", "--bytes=100kB", "--samplePeriod=2us"]),
    ("fabric-collectives", 3, ["--k=4", "--collective=reduce", "--hosts=13", "--bytes=20kB", "--flowChannels=off", "--lookahead=off"]),
    ("fabric-collectives", 3, ["--k=4", "--collective=allreduce-double-tree", "--pieces=4", "--bytes=50kB", "--check"]),
    ("fabric-collectives", 2, ["--k=4", "--collective=allreduce-halving", "--hosts=11", "--transport=pio", "--bytes=20kB", "--placement=random"]),
    ("fabric-collectives", 3, ["--k=4", "--collective=allreduce-ring", "--transport=rt", "--bytes=200kB", "--check"]),
    ("fabric-collectives", 2, ["--topology=dragonfly", "--collective=halo3d", "--transport=rt", "--hosts=40", "--bytes=30kB", "--placement=random"]),
    ("fabric-collectives", 3, ["--k=8", f"--jobFile={FLOWS.parent / 'jobs/mixed.txt'}", "--placement=random", "--transport=rt"]),
    ("fabric-collectives", 3, ["--k=4", "--collective=alltoall", "--jobs=3", "--placement=spread", "--bytes=30kB"]),
    ("fabric-collectives", 3, ["--k=6", "--collective=reduce", "--transport=switch", "--bytes=300kB", "--check"]),
    ("fabric-allreduce", 2, ["--k=4", "--by=switch"]),
    ("fabric-run", 2, ["--k=4", "--cdf=hadoop", "--load=0.8", "--arrivalTime=20us", "--samplePeriod=1us", "--sampleQueues=true", "--check"]),
    ("fabric-run", 3, ["--k=4", "--cdf=websearch", "--load=0.9", "--arrivalTime=50us", "--flowChannels=off", "--duration=60us",
                       "--ns3::FabricSwitch::LinkFlowControl=pause", "--ns3::FabricSwitch::EdgeFlowControl=pause"]),
    ("fabric-run", 2, ["--k=4", f"--flows={FLOWS / 'incast.txt'}", "--lookahead=off"]),
    ("fabric-run", 3, ["--k=4", f"--flows={FLOWS / 'ring.goal'}", "--format=goal", "--check"]),
    ("fabric-run", 2, ["--k=4", f"--flows={FLOWS / 'ring-allreduce.cm'}", "--format=htsim"]),
    ("fabric-run", 3, ["--k=4", "--cdf=websearch", "--load=0.9", "--arrivalTime=50us", "--transport=rt", "--congestionControl=dcqcn", "--check"]),
    ("fabric-run", 2, ["--k=4", "--cdf=websearch", "--load=0.9", "--arrivalTime=50us", "--duration=70us", "--transport=rt", "--connections=2",
                       "--push=auto", "--loss=0.01", "--lookahead=off"]),
    ("fabric-run", 2, ["--k=4", f"--flows={FLOWS / 'ring.goal'}", "--format=goal", "--transport=rt", "--congestionControl=delay"]),
    ("fabric-run", 4, ["--k=4", f"--flows={FLOWS / 'ring-allreduce.cm'}", "--format=htsim", "--transport=rt"]),
    ("fabric-run", 2, ["--k=4", f"--flows={FLOWS / 'ring.goal'}", "--format=goal", "--transport=pio", "--check"]),
    ("fabric-run", 3, ["--k=4", "--cdf=websearch", "--load=0.3", "--arrivalTime=50us", "--transport=pio", "--check"]),
    ("fabric-gpcnet", 3, ["--k=4", "--pattern=all", "--noticeDelay=500ns", "--iterations=2", "--bandwidthIterations=1", "--rings=2", "--outstanding=6", "--check"]),
    # The second rank has no victims.
    ("fabric-gpcnet", 2, ["--k=4", "--pattern=incast", "--placement=linear", "--noticeDelay=300ns", "--iterations=2", "--rings=1", "--flowChannels=off",
                          "--samplePeriod=5us"]),
    ("fabric-gpcnet", 2, ["--topology=dragonfly", "--pattern=alltoall", "--noticeDelay=2us", "--iterations=2", "--rings=1", "--bandwidthIterations=1",
                          "--outstanding=8", "--warmUp=5us"]),
    ("fabric-multicast", 2, ["--topology=dragonfly", "--stride=2", "--bytes=20kB", "--check"]),
    ("fabric-multicast", 3, ["--k=4", "--by=tree", "--members=9", "--bytes=20kB"]),
    ("fabric-transport", 3, ["--topology=fat-tree", "--senders=13", "--count=5", "--bytes=30kB", "--operations=push,pull", "--loss=0.02", "--jitter=3us"]),
    ("fabric-transport", 2, ["--topology=fat-tree", "--senders=9", "--count=4", "--bytes=50kB", "--operations=pull", "--initiators=target",
                             "--congestionControl=dcqcn", "--failAt=5us", "--repairAt=40us", "--failLink=8-16", "--check"]),
    ("fabric-ranks-program", 3, ["--traffic=messages", "--seed=1", "--outages"]),
    ("fabric-ranks-program", 2, ["--traffic=messages", "--seed=3", "--outages", "--loss=0.02"]),
    # Switches that go by single instants send at any time to others that run ahead.
    ("fabric-ranks-program", 2, ["--traffic=messages", "--seed=2", "--watched"]),
    ("fabric-ranks-program", 4, ["--traffic=packets", "--seed=11", "--watched"]),  # fails if messages take more than W/2
    # Members have a message while copies wait to go on to other ranks.
    ("fabric-ranks-program", 4, ["--traffic=groups", "--seed=12"]),
    ("fabric-ranks-program", 3, ["--traffic=groups", "--seed=16", "--watched"]),
    ("fabric-ranks-program", 4, ["--traffic=reductions", "--seed=1"]),
    ("fabric-ranks-program", 3, ["--traffic=reductions", "--seed=2", "--watched"]),
    ("fabric-ranks-program", 3, ["--traffic=packets", "--seed=1", "--outages"]),
    ("fabric-ranks-program", 4, ["--traffic=packets", "--seed=4", "--loss=0.02"]),
    ("fabric-ranks-program", 3, ["--traffic=transport", "--seed=1", "--outages"]),
    ("fabric-ranks-program", 4, ["--traffic=transport", "--seed=2"]),
    ("fabric-ranks-program", 2, ["--traffic=hpcc", "--seed=1"]),
    ("fabric-ranks-program", 3, ["--traffic=hpcc", "--seed=2", "--outages"]),
    ("fabric-ranks-program", 4, ["--traffic=hpcc", "--seed=3", "--loss=0.02"]),
    ("fabric-ranks-program", 3, ["--traffic=commands", "--seed=1", "--outages"]),
    ("fabric-ranks-program", 4, ["--traffic=commands", "--seed=2"]),
    ("fabric-ranks-program", 3, ["--traffic=pio", "--seed=1", "--outages"]),
    ("fabric-ranks-program", 4, ["--traffic=pio", "--seed=2"]),
    # Classes with lanes, preemption, shapers, virtual channels, losses and pauses; what changes in the run.
    ("fabric-ranks-program", 3, ["--traffic=messages", "--seed=5", "--classes=3", "--changes", f"--ns3::FabricSwitch::LaneTableFile={LANES}",
                                 "--ns3::FabricSwitch::LanePreemption=true", "--ns3::FabricSwitch::LaneInterleaving=true"]),
    ("fabric-ranks-program", 4, ["--traffic=commands", "--seed=6", "--classes=4", f"--ns3::FabricSwitch::LinkShapingTableFile={SHAPING}",
                                 f"--ns3::FabricSwitch::HostShapingTableFile={SHAPING}"]),
    ("fabric-ranks-program", 2, ["--traffic=messages", "--seed=13", "--classes=4", "--changes", "--outages", "--ns3::FabricSwitch::VirtualChannels=2",
                                 "--ns3::FabricSwitch::ClassToVc=0,1,0,1", "--ns3::FabricNetDevice::ClassToVc=0,1,0,1",
                                 "--ns3::FabricSwitch::LossyClasses=10", "--ns3::FabricSwitch::LossyDropBytes=20000"]),
    ("fabric-ranks-program", 4, ["--traffic=messages", "--seed=11", "--classes=4", "--flowChannels=off", "--loss=0.02",
                                 "--ns3::FabricSwitch::LinkFlowControl=priority-pause", "--ns3::FabricSwitch::EdgeFlowControl=priority-pause",
                                 "--ns3::FabricSwitch::PauseXoffBytes=30000", "--ns3::FabricSwitch::PauseXonBytes=5000"]),
    # Other topologies, of which single switches are ranks.
    ("fabric-ranks-program", 3, ["--traffic=reductions", "--seed=8", "--topology=dragonfly", "--hostsPerSwitch=1"]),
    ("fabric-ranks-program", 4, ["--traffic=groups", "--seed=9", "--classes=2", "--topology=hyperx", "--widths=3,3", "--hostsPerSwitch=1",
                                 "--ns3::FabricSwitch::Crossbar=tiled"]),
    ("fabric-ranks-program", 4, ["--traffic=transport", "--seed=10", f"--topology={FLOWS.parent / 'topologies/ring.txt'}", "--outages", "--changes"]),
    ("fabric-ranks-program", 3, ["--traffic=packets", "--seed=12", "--changes", "--topology=torus", "--widths=3,3", "--hostsPerSwitch=1",
                                 "--samplePeriod=1us", "--sampleQueues=true"]),
]
RANK_OPTIONS = ["--mpi"]  # what a program is told besides under mpirun

# What of manifest.json tells of time, memory and ranks, and not of what was simulated.
OWN_FIELDS = ("started", "wall_seconds", "events", "peak_memory_bytes", "ranks")
OWN_OPTIONS = ("out", "mpi", "ranks")

# Names with PRTE are those of Open MPI 5. Other MPIs read none of them.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # More ranks than cores, which are not tied to cores that another run may have.
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    # Containers often forbid a process to read another's memory.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl_sm_single_copy_mechanism": "none",
    # What MPI and ns-3 keep until the end is no leak of ours.
    "ASAN_OPTIONS": "detect_leaks=0",
}
STOPPING_TIME = 5  # seconds that mpirun has to end its ranks

# What an ns-3 tree puts around the name of a program: ns3.37-NAME-default.
TREE_NAME = r"ns3[.\w-]*?-{}(-(default|debug|release|optimized|minsizerel|relwithdebinfo))?"


class RankError(Exception):
    """A sentence that says why a case failed."""


def find_program(folder, name):
    """@return the path of a program in a build of this project, or in one of an ns-3 tree"""
    if (folder / "bin" / name).is_file():
        return folder / "bin" / name
    pattern = re.compile(TREE_NAME.format(re.escape(name)))
    for path in sorted((folder / "contrib/fabric").rglob(f"*-{name}*")):
        if path.is_file() and pattern.fullmatch(path.name):
            return path
    raise RankError(f"there is no program {name} in {folder}")


def stop(process):
    """Ends a process with all that it started. Ranks have process groups of their own, which mpirun alone knows."""
    process.terminate()
    try:
        process.wait(STOPPING_TIME)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # all of it has ended
    process.wait()


def run(command, timeout):
    """Runs a command to its end; raises RankError if it fails or takes too long."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   env={**ENVIRONMENT, **os.environ}, start_new_session=True)
        try:
            status = process.wait(timeout)
            ending = f"ended with status {status}"
        except subprocess.TimeoutExpired:
            status = None
            ending = f"was stopped after {timeout:g} s"
        finally:
            if process.returncode is None:
                stop(process)
        if status != 0:
            output.seek(0)
            said = "".join(f"\n    {line}" for line in output.read().splitlines()[-20:])
            raise RankError(f"{' '.join(map(str, command))} {ending}{said}")


def comparable(path):
    """@return the lines of a result file that several ranks must write as one process does"""
    if path.name != "manifest.json":
        return path.read_bytes().splitlines(keepends=True)
    manifest = json.loads(path.read_text())
    kept = {name: value for name, value in manifest.items() if name not in OWN_FIELDS}
    kept["options"] = {name: value for name, value in manifest.get("options", {}).items() if name not in OWN_OPTIONS}
    return json.dumps(kept, indent=1).encode().splitlines(keepends=True)


def files_of(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


def difference(one, many):
    """@return a sentence about the first difference of two folders, or None"""
    for name in sorted({*files_of(one), *files_of(many)}):
        for folder, writer in ((one, "one process"), (many, "several ranks")):
            if not (folder / name).is_file():
                return f"{name} is missing in the results of {writer}"
        lines, others = comparable(one / name), comparable(many / name)
        for number, (line, other) in enumerate(zip(lines, others), 1):
            if line != other:
                return f"{name} differs in line {number}:\n    one process   {line!r}\n    several ranks {other!r}"
        if len(lines) != len(others):
            return f"{name} has {len(lines)} lines of one process and {len(others)} of several ranks"
    return None


def check(folder, case, mpirun, timeout):
    """Runs a program in both ways; raises RankError if the results differ."""
    name, ranks, options = case
    program = find_program(folder, name)
    with tempfile.TemporaryDirectory() as scratch:
        one, many = (pathlib.Path(scratch) / which for which in ("one", "many"))
        run([program, *options, f"--out={one}"], timeout)
        run([mpirun, "-np", str(ranks), program, *RANK_OPTIONS, *options, f"--out={many}"], timeout)
        if not one.is_dir() or not files_of(one):
            raise RankError("one process wrote no results")
        found = difference(one, many)
    if found:
        raise RankError(found)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path, help="a build of this project or of an ns-3 tree")
    parser.add_argument("--mpirun", default="mpirun", help="the program that starts ranks")
    parser.add_argument("--timeout", type=float, default=300, help="seconds after which a run counts as hanging")
    chosen = parser.parse_args(arguments)
    try:
        run([chosen.mpirun, "-np", "2", "true"], chosen.timeout)
    except (RankError, OSError) as error:
        print(f"SKIPPED: no two processes can be started here: {error}\n0 passed, 0 failed")
        return 0
    passed = failed = 0
    for case in CASES:
        name, ranks, options = case
        what = f"{name} {' '.join(options)} on {ranks} ranks"
        start = time.monotonic()
        try:
            check(chosen.folder.resolve(), case, chosen.mpirun, chosen.timeout)
        except (RankError, OSError, ValueError) as error:
            failed += 1
            print(f"FAIL {what}: {error}", flush=True)
        else:
            passed += 1
            print(f"PASS {what}, {time.monotonic() - start:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
