# SPDX-License-Identifier: GPL-2.0-only
"""Lets the scripts of this folder import the Python package of this checkout, installed or not."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bindings"))
