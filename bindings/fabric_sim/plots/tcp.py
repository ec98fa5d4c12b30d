# SPDX-License-Identifier: GPL-2.0-only
"""
Runs fabric-tcp with one trap of TCP after the other removed, prints the flow completion times (median and range of the seeds)
and draws their CDFs.
"""
import argparse
import concurrent.futures
import io
import os
import statistics
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy
import pandas

from . import style
from .. import results

SEGMENTS = {"TcpSocket::SegmentSize": "4036"}
WINDOW = {"TcpSocket::InitialCwnd": "32"}
BUFFERS = {"TcpSocket::SndBufSize": "4194304", "TcpSocket::RcvBufSize": "4194304"}
LOSSES = {"RateErrorModel::ErrorRate": "1e-6"}
TIMERS = {"TcpSocketBase::MinRto": "1ms", "TcpSocketBase::ClockGranularity": "1us", "TcpSocket::ConnTimeout": "1ms"}
LONG = {"BulkSendApplication::MaxBytes": "2097152", "FabricChannel::Delay": "1us"} | SEGMENTS

# Title, scale of the axis, and the settings: label and attributes.
PANELS: tuple[tuple, ...] = (
    ("64 KiB flows", "log", (
        ("ns-3's ARP jitter", {"FabricNetDevice::ArpJitter": "true"}),
        ("without it", {}),
        ("segments of 4036 B", SEGMENTS),
        ("and initial window of 32", SEGMENTS | WINDOW))),
    ("64 KiB flows, one byte in a million damaged", "log", (
        ("MinRto of 1 s, ConnTimeout of 3 s", LOSSES | SEGMENTS | WINDOW),
        ("both of 1 ms, clock of 1 us", LOSSES | SEGMENTS | WINDOW | TIMERS))),
    ("2 MiB flows, links of 1 us, segments of 4036 B", "linear", (
        ("buffers of 128 KiB", LONG),
        ("and initial window of 32", LONG | WINDOW),
        ("and buffers of 4 MiB", LONG | WINDOW | BUFFERS))),
)
QUANTILES = {"p50": 0.5, "p99": 0.99, "max": 1}
STYLES = ("-", "--", "-.", ":")


def completion_times(program, attributes, seed):
    """@return completion times of the flows of a run, s, ascending"""
    arguments = [f"--ns3::{name}={value}" for name, value in attributes.items()]
    try:
        done = subprocess.run([program, f"--RngRun={seed}", *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise results.ResultError(f"--program {program}: cannot be run ({error})") from None
    if done.returncode != 0:
        raise results.ResultError(f"{program}: {done.stderr.strip()}")
    return numpy.sort(pandas.read_csv(io.StringIO(done.stdout))["fct_us"].to_numpy()) * 1e-6


def quantile(times, part):
    """@return the quantile by nearest rank"""
    return times[max(0, int(numpy.ceil(part * len(times))) - 1)]


def describe(runs):
    """@return quantiles of runs, each as the median of the runs with their range"""
    texts = []
    for name, part in QUANTILES.items():
        values = [quantile(times, part) for times in runs]
        low, high = (results.time_text(value) for value in (min(values), max(values)))
        texts.append(f"{name} {results.time_text(statistics.median(values))} ({low} to {high})")
    return ", ".join(texts)


def draw(found):
    """@return the figure of {(panel, label): times of each run}"""
    figure, grid = plt.subplots(1, len(PANELS), figsize=(15, 4.6), layout="constrained", sharey=True)
    for axes, (title, scale, settings) in zip(grid, PANELS):
        for (label, _), line in zip(settings, STYLES):
            times = numpy.sort(numpy.concatenate(found[title, label]))
            axes.step(numpy.concatenate(([times[0]], times)) * 1e6, numpy.linspace(0, 1, len(times) + 1), line, where="post", label=label)
        axes.set_title(title)
        axes.set_xscale(scale)
        axes.set_xlabel("flow completion time, us")
        axes.set_ylim(0, 1)
        axes.grid(alpha=0.3)
        style.legend_above(axes, fontsize=9)
    grid[0].set_ylabel("CDF: fraction of flows")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/bin/fabric-tcp", help="fabric-tcp (%(default)s)")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each setting, from --RngRun=1 on (%(default)s)")
    parser.add_argument("--output", metavar="FILE", required=True, help="picture to write (.png, .pdf, .svg)")
    arguments = parser.parse_args()
    style.use()
    try:
        if arguments.seeds < 1:
            raise results.ResultError(f"--seeds={arguments.seeds}: allowed is 1 or more")
        found = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for title, _, settings in PANELS:
                for label, attributes in settings:
                    runs = pool.map(lambda seed, given=attributes: completion_times(arguments.program, given, seed),
                                    range(1, arguments.seeds + 1))
                    found[title, label] = list(runs)
                    print(f"{title}, {label}: {describe(found[title, label])}", flush=True)
        style.save(draw(found), arguments.output)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
