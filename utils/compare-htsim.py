#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs permutations on bench-fabric and on htsim in turn, and prints packet-hops per second of processor time side by side.

htsim is another project's simulator. Get and build it as its own documentation says; this script only runs its programs
htsim_uec and htsim_roce, which it looks for below the folder that is given.

The work is the same for all: in a fat tree of three levels each host sends to the one half the hosts further on, with the bytes,
link rate, link delay, switch latency and 4096 bytes of payload of bench-fabric. Every path has six links.

How hops are counted: one packet over one link is one hop. bench-fabric counts them in its switches. htsim counts packets, so
they are taken times six links: for htsim_uec new and resent data packets, and ACKs, NACKs and pulls that arrived; for htsim_roce the
packets of all flows and those resent, and one ACK for each packet, as its receiver sends them. PFC's pause frames are not
counted. A packet that was dropped or trimmed on its way is counted as if it had gone all of it, which is to htsim's favour.

Processor time is that of the process, user and system, without that of the same run ended at once (set-up). The memory is
the peak of the process. Before, each of htsim's programs runs once to find out when the last flow finishes, and that is
when the measured runs end.
"""
import argparse
import dataclasses
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import package  # noqa: F401  makes the next one importable
from fabric_sim.results import ResultError, read_csv

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINKS = 6  # of each path
SWITCH_LATENCY = 0.35  # us, default of ns3::FabricSwitch::Latency
LINK_DELAY = 1  # us
SETUP_END = 1  # us of simulated time, of a run that only sets up
PAYLOAD = 4096  # bytes in a packet
UEC_HEADER = 64  # bytes that htsim_uec counts into its MTU
END = 100_000  # us of simulated time, more than any of the runs takes


@dataclasses.dataclass(frozen=True)
class Workload:
    """A permutation, as bench-fabric has it."""

    hosts: int
    gbps: int
    bytes: int


WORKLOADS = {
    "P128": Workload(128, 100, 16_000_000),
    "P1024": Workload(1024, 200, 2_000_000),
    "P8192": Workload(8192, 200, 256_000),
}


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What one run took."""

    data_hops: int
    control_hops: int
    setup: float  # s of processor time
    run: float  # s of processor time
    memory: float  # bytes, peak of the process

    @property
    def rate(self):
        """@return hops per second of processor time"""
        return (self.data_hops + self.control_hops) / self.run


def peak_memory(pid):
    """@return bytes that a process has had at most since it began its program; 0 if it is gone"""
    try:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)[1]) * 1024
    except (OSError, TypeError):
        return 0


def run_process(command, folder):
    """@return what the process said, its processor time in s, and its peak of memory in bytes"""
    memory = 0
    with open(folder / "output.txt", "w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        # What the system tells at the end counts this script's memory too, of which the process began as a copy.
        while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
            memory = max(memory, peak_memory(process.pid))
            time.sleep(0.02)
        process.returncode = os.waitstatus_to_exitcode(ended[1])
        output.seek(0)
        text = output.read()
    if process.returncode != 0:
        last = text.strip().splitlines()[-1:] or ["it said nothing"]
        raise ResultError(f"{command[0]} ended with status {process.returncode}: {last[0]}")
    return text, ended[2].ru_utime + ended[2].ru_stime, memory


def write_matrix(path, workload):
    """Writes htsim's connection matrix of a workload."""
    rows = [f"Nodes {workload.hosts}", f"Connections {workload.hosts}"]
    rows += [f"{host}->{(host + workload.hosts // 2) % workload.hosts} start 0 size {workload.bytes}" for host in range(workload.hosts)]
    path.write_text("\n".join(rows) + "\n")


def totals_of(text, names):
    """@return numbers that htsim prints at the end: `New: 5 Rtx: 0 ...`"""
    found = re.findall(r"^New: .*$", text, re.M)
    numbers = dict(re.findall(r"(\w+): (\d+)", found[-1])) if found else {}
    missing = [name for name in names if name not in numbers]
    if missing:
        raise ResultError(f"htsim's last lines have no '{missing[0]}: NUMBER'; is it another version?")
    return [int(numbers[name]) for name in names]


def uec_packets(text):
    """@return data packets and control packets of htsim_uec"""
    new, resent, acks, nacks, pulls = totals_of(text, ["New", "Rtx", "ACKs", "NACKs", "Pulls"])
    return new + resent, acks + nacks + pulls


def roce_packets(text):
    """@return data packets and control packets of htsim_roce; what it calls bytes are packets"""
    resent, = totals_of(text, ["Rtx"])
    packets = sum(int(number) for number in re.findall(r"^Flow .* finished at \S+ total bytes (\d+)$", text, re.M))
    return packets + resent, packets


def finish_times(text):
    """@return when each flow finished, us"""
    return [float(time) for time in re.findall(r"^Flow .* finished at ([\d.e+]+)", text, re.M)]


PEERS = {
    # A path for each packet of 64, and congestion control at the sender.
    "htsim_uec": (uec_packets, ["-mtu", str(PAYLOAD + UEC_HEADER), "-sender_cc_only", "-strat", "ecmp_host", "-paths", "64"]),
    # One path a flow; queues that hold what arrives before a pause takes effect.
    "htsim_roce": (roce_packets, ["-mtu", str(PAYLOAD), "-strat", "ecmp_host", "-paths", "64", "-q", "1000"]),
}


class Peer:
    """A program of htsim with one workload."""

    def __init__(self, name, program, workload):
        self.name = name
        self.program = program
        self.workload = workload
        # Senders go on asking for their turn when they are done, so a run has to end when the last is.
        self.end = math.ceil(max(finish_times(self.run(END)[0]))) + 1

    def run(self, end):
        """@return what it said, its processor time and its memory; all flows finish if there is time, end is in us"""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            write_matrix(folder / "matrix.cm", self.workload)
            text, seconds, memory = run_process(
                [self.program, "-nodes", str(self.workload.hosts), "-tiers", "3", "-linkspeed", str(self.workload.gbps * 1000),
                 "-hop_latency", str(LINK_DELAY), "-switch_latency", str(SWITCH_LATENCY), "-tm", "matrix.cm", "-o", "log.dat",
                 "-end", str(end), *PEERS[self.name][1]], folder)
        finished = len(finish_times(text))
        if end > SETUP_END and finished != self.workload.hosts:
            raise ResultError(f"{self.name}: {finished} of {self.workload.hosts} flows finished within {end} us")
        return text, seconds, memory

    def measure(self):
        """@return one run"""
        _, setup, _ = self.run(SETUP_END)
        text, total, memory = self.run(self.end)
        if total <= setup:
            raise ResultError(f"{self.name}: the whole run took {total} s, and set-up alone {setup} s; nothing can be said")
        data, control = PEERS[self.name][0](text)
        return Measurement(LINKS * data, LINKS * control, setup, total - setup, memory)


def measure_fabric(bench, name):
    """@return one run of bench-fabric with flow channels"""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        _, _, memory = run_process([bench, f"--workload={name}", "--version=flow", "--repeat=1", f"--out={folder / 'out'}"], folder)
        row = read_csv(folder / "out/bench.csv", ["data_hops", "control_hops", "setup_s", "run_s"]).iloc[0]
    return Measurement(int(row["data_hops"]), int(row["control_hops"]), row["setup_s"], row["run_s"], memory)


def median(measurements):
    """@return the run of median speed"""
    rate = statistics.median_low([measurement.rate for measurement in measurements])
    return next(measurement for measurement in measurements if measurement.rate == rate)


def compare(name, bench, programs, repeat):
    """Runs one workload on all simulators in turn.

    @return their runs of median speed by the name of the simulator
    """
    peers = [Peer(peer, program, WORKLOADS[name]) for peer, program in programs.items()]
    runs = {"fabric": [], **{peer.name: [] for peer in peers}}
    for _ in range(repeat):
        runs["fabric"].append(measure_fabric(bench, name))
        for peer in peers:
            runs[peer.name].append(peer.measure())
    return {simulator: median(measurements) for simulator, measurements in runs.items()}


def print_rows(name, measurements):
    """Prints the rows of one workload."""
    for simulator, m in measurements.items():
        factor = measurements["fabric"].rate / m.rate
        print(f"{name:<9}{simulator:<11}{m.data_hops:>11}{m.control_hops:>11}{m.setup:>9.3f}{m.run:>9.3f}{m.rate / 1e6:>9.2f}"
              f"{m.memory / 1024 / WORKLOADS[name].hosts:>10.1f}{factor:>10.1f}", flush=True)


def find_program(folder, name):
    """@return the program of this name below a folder"""
    found = sorted(path for path in folder.rglob(name) if path.is_file() and os.access(path, os.X_OK))
    if not found:
        raise ResultError(f"{folder}: there is no program {name} in it; build htsim first, as its documentation says")
    return found[0].resolve()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="HTSIM", type=pathlib.Path, help="folder of htsim, built")
    parser.add_argument("--workload", default="P128,P1024", help=f"any of {','.join(WORKLOADS)} (P128,P1024)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each, of which the median counts (3)")
    parser.add_argument("--bench", type=pathlib.Path, default=ROOT / "build/bin/bench-fabric", help="the program (build/bin/bench-fabric)")
    return parser.parse_args()


def main():
    """@return exit code: 0, or 2 after one sentence on standard error"""
    arguments = parse_arguments()
    try:
        names = arguments.workload.split(",")
        unknown = [name for name in names if name not in WORKLOADS]
        if unknown:
            raise ResultError(f"--workload={arguments.workload}: allowed is any of {','.join(WORKLOADS)}")
        if arguments.repeat < 1:
            raise ResultError(f"--repeat={arguments.repeat}: allowed is a whole number from 1")
        if not arguments.bench.is_file():
            raise ResultError(f"--bench={arguments.bench}: there is no such program; utils/build.sh makes it")
        programs = {name: find_program(arguments.folder, name) for name in PEERS}
        print("workload simulator   data hops  ctrl hops  setup s    run s  Mhops/s  KiB/host  fabric x", flush=True)
        for name in names:
            print_rows(name, compare(name, arguments.bench.resolve(), programs, arguments.repeat))
    except ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
