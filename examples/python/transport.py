#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The packets of one write over the reliable transport, and how losses of packets slow it down."""
from fabric_sim import Sweep, plots

sweep = Sweep("build/bin/fabric-transport", {"senders": 1, "bytes": "64KiB", "count": 1, "trace": True, "loss": [0, 0.05]},
              repetitions=3, folder="results/transport-sweep", time_limit=60)
sweep.run()
print(sweep.summary().query("metric == 'completion_time'")[["loss", "median", "min", "max", "unit"]])
axes = plots.message_timeline(sweep.files("packets.csv")["loss=0.05"][0])
axes.figure.savefig("results/transport-sweep.pdf")
