#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the figures of runs side by side: fabric_sim.summaries."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.summaries import main

if __name__ == "__main__":
    sys.exit(main())
