#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A sweep over senders, flow channels and seeds, with a picture of the goodput of the victim."""
from fabric_sim import Sweep, plots

sweep = Sweep("build/bin/fabric-incast", {"k": 4, "senders": [2, 4, 8, 12], "bytes": "64KiB", "flowChannels": [True, False]},
              repetitions=5, folder="results/incast-sweep", time_limit=60)
states = sweep.run()
print(states["status"].value_counts().to_string())
table = sweep.table()
print(sweep.summary().query("metric == 'victim_goodput' and phase == 'incast'")[["senders", "flowChannels", "median", "ci95_low", "ci95_high"]])
axes = plots.against(table, "victim_goodput", "senders", by="flowChannels", phase="incast")
axes.figure.savefig("results/incast-sweep.pdf")
