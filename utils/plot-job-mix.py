#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws runs of fabric-collectives with jobs of different kinds: fabric_sim.plots.job_mix."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.plots.job_mix import main

if __name__ == "__main__":
    sys.exit(main())
