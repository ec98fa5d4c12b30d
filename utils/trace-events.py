#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a run for the trace viewer of a browser: fabric_sim.trace_events."""
import sys

import package  # noqa: F401  makes the next one importable
from fabric_sim.trace_events import main

if __name__ == "__main__":
    sys.exit(main())
