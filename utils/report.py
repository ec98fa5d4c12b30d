#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a page with the pictures and figures of runs: fabric_sim.report."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.report import main

if __name__ == "__main__":
    sys.exit(main())
