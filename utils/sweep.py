#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the sweep that a file declares: fabric_sim.sweep_file."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.sweep_file import main

if __name__ == "__main__":
    sys.exit(main())
