#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An all-reduce of 64 KiB of 16 hosts in the switches, and a maximum that one host gets."""
from fabric_sim import Run, connect, ns

hosts = list(range(16))
with Run(k=4) as run:
    results = []
    connect(run.fabric.network, "ReductionDone", lambda result, time: results.append((result.reduction, result.Value(), time.GetNanoSeconds() / 1000)))
    groups = ns.FabricGroupHelper(run.fabric)
    reductions = ns.FabricReductionHelper(groups)
    total = reductions.Create(hosts, ns.fabric.ReductionOperation.SUM)
    largest = reductions.CreateTo(5, hosts, ns.fabric.ReductionOperation.MAX)
    for host in hosts:
        run.fabric.GetDevice(host).Reduce(total, 64 << 10, host + 1)
        run.fabric.GetDevice(host).Reduce(largest, 8, 100 * host)
    ns.Simulator.Run()
    sums = [time for reduction, value, time in results if reduction == total and value == 136]
    print(f"all-reduce: {len(sums)} hosts have the sum after {max(sums):.2f} us")
    print(f"reduce: the maximum is {max(value for reduction, value, _ in results if reduction == largest)}")
