#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every host of a fat tree sends a message to every other one: percentiles of the completion times over ten seeds, and their CDF."""
import pandas

from fabric_sim import Run, ns, percentiles, plots

found = {"flow channels": [], "no flow channels": []}
for label, seeds in found.items():
    for seed in range(1, 11):
        with Run(k=4, flowChannels=label == "flow channels", stream=1, seed=seed) as run:
            sender, hosts = ns.FabricMessageSenderHelper(64 << 10), run.fabric.hosts.GetN()
            for host in range(hosts):
                for i in range(1, hosts):
                    sender.Install(run.fabric, host, (host + i) % hosts)
            run.until_delivered(hosts * (hosts - 1))
            seeds.append(run.messages().assign(seed=seed))
    of_seeds = percentiles(pandas.concat(seeds), by=["seed"])[["p50", "p99"]] * 1e6
    print(f"{label}, us:", of_seeds.agg(["median", "min", "max"]).round(1).to_string(), sep="\n")
plots.completion_cdf(found).figure.savefig("all-to-all.pdf")
