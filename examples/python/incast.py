#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""64 of 128 hosts send 1 MiB each to one: tables in this process, without a file."""
from fabric_sim import Run, ns, percentiles

with Run(k=8, linkRate="200Gbps", samplePeriod="50us") as run:
    incast = ns.IncastHelper(64, 1 << 20)
    incast.SetStream(1)
    incast.Install(run.fabric)
    run.until_delivered(64)
    print(run.summary().to_string(index=False))
    print(percentiles(run.messages()).to_string(index=False))
    print(run.ports().groupby("time_s")["queued_bytes"].sum().head(3))
