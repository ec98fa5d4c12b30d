#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a graph as a file for --topology of the programs: fabric_sim.graphs."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.graphs import main

if __name__ == "__main__":
    sys.exit(main())
