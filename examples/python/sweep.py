#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A sweep over senders, flow channels and seeds, and a picture of it."""
from fabric_sim import Sweep, plots

sweep = Sweep("build/bin/fabric-incast", {"k": 8, "senders": [8, 16, 32, 64], "bytes": "256KiB", "flowChannels": [True, False]},
              repetitions=5, folder="results/incast-sweep", time_limit=60)
print(sweep.run()["status"].value_counts().to_string())
goodput = sweep.summary().query("metric == 'victim_goodput' and phase == 'incast'")
print(goodput[["senders", "flowChannels", "runs", "median", "min", "max"]].to_string(index=False))

left, right = plots.panels(2)
plots.against(sweep.table(), "victim_goodput", "senders", by="flowChannels", phase="incast", axes=left)
largest = {label: seeds for label, seeds in sweep.files("messages.csv").items() if "senders=64" in label}
plots.completion_cdf({label.split(", ")[0]: [table[table["dst"] == 0] for table in seeds] for label, seeds in largest.items()}, axes=right)
left.figure.savefig("results/incast-sweep.png")
