#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Percentiles and the CDF of flow completion times: plot-cdf.py PICTURE FOLDER..."""
import sys

import matplotlib
import pandas

matplotlib.use("Agg")  # draws to files, also where there is no display
from matplotlib import pyplot

picture, *folders = sys.argv[1:]
pyplot.style.use("tableau-colorblind10")
figure, axes = pyplot.subplots(layout="constrained")
for folder in folders:
    times = pandas.read_csv(f"{folder}/messages.csv")["fct_s"] * 1e6
    print(folder, *(f"p{100 * q:g}: {times.quantile(q, 'higher'):.1f} us" for q in (0.5, 0.99)))
    axes.ecdf(times, label=folder)
axes.set_xlabel("flow completion time, us")
axes.set_ylabel("fraction of flows (CDF)")
axes.set_xlim(left=0)
axes.set_ylim(0, 1)
axes.legend()
figure.savefig(picture)
