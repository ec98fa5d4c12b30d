#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every host of a fat tree sends a message to every other one: percentiles of the completion times, and their CDF."""
from fabric_sim import Run, ns, percentiles, plots

found = {}
for flow_channels in (True, False):
    with Run(k=4, flowChannels=flow_channels, stream=1) as run:
        sender, hosts = ns.FabricMessageSenderHelper(64 << 10), run.fabric.hosts.GetN()
        for host in range(hosts):
            for i in range(1, hosts):
                sender.Install(run.fabric, host, (host + i) % hosts)
        run.until_delivered(hosts * (hosts - 1))
        found["flow channels" if flow_channels else "no flow channels"] = [run.messages()]
        print(percentiles(run.messages()).to_string(index=False))
plots.completion_cdf(found).figure.savefig("all-to-all.pdf")
