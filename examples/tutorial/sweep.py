#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sweeps message sizes and seeds, and reads all runs as one table: sweep.py PROGRAM FOLDER"""
import itertools
import subprocess
import sys

import pandas

program, folder = sys.argv[1:]
runs = []
for size, seed in itertools.product(("4KiB", "16KiB", "64KiB"), range(1, 11)):
    out = f"{folder}/{size}-{seed}"
    subprocess.run([program, "--k=4", f"--bytes={size}", f"--RngRun={seed}", f"--out={out}"], check=True,
                   stdout=subprocess.DEVNULL)
    runs.append(pandas.read_csv(f"{out}/summary.csv").assign(bytes=size, seed=seed))
results = pandas.concat(runs)
results.to_csv(f"{folder}/all.csv", index=False)
p99 = results[(results["metric"] == "fct") & (results["stat"] == "p99")]
print(p99.groupby("bytes", sort=False)["value"].agg(["median", "min", "max"]) * 1e6)
