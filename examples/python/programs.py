#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs in sweeps, a picture of each: congestion impact by GPCNeT, latency with preemption, what ACKs take of a link, all-reduces."""
from fabric_sim import Sweep, plots

RUNS = {"repetitions": 2, "time_limit": 60}
impact = Sweep("build/bin/fabric-gpcnet", {"k": 4, "flowChannels": [True, False], "iterations": 4, "rings": 1}, folder="results/gpcnet", **RUNS)
urgent = Sweep("build/bin/fabric-preemption", {"preempt": [True, False], "hops": [1, 2, 4], "duration": "200us"}, folder="results/urgent", **RUNS)
acks = Sweep("build/bin/fabric-ack-overhead", {"hosts": 8, "frameBytes": [64, 1024, 4096], "duration": "20us"}, folder="results/acks", **RUNS)
reduce = Sweep("build/bin/fabric-allreduce", {"k": 4, "by": ["nic", "host"], "ranks": [4, 8, 16]}, folder="results/allreduce", **RUNS)
for sweep in (impact, urgent, acks, reduce):
    print(sweep.code.name + ":", len(sweep.run().query("status == 'done'")), "runs are done")
left, middle, right, last = plots.panels(4)
plots.congestion_impact(impact.table(), "flowChannels", "test", stat="p99", axes=left)
plots.against(urgent.table(), "urgent_total", "hops", by="preempt", stat="p99", axes=middle)
plots.against(acks.table(), "ack_overhead", "frameBytes_B", axes=right)
plots.against(reduce.table(), "allreduce_time", "ranks", by="by", axes=last)
left.figure.savefig("results/programs.png")
