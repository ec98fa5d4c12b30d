# SPDX-License-Identifier: GPL-2.0-only
"""Options of the tests, and the Python package of this checkout."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings"))


def pytest_addoption(parser):
    parser.addoption("--refresh-fingerprints", action="store_true",
                     help="write what the programs say now to test/python/fingerprints, instead of comparing")
    parser.addoption("--refresh-instructions", action="store_true",
                     help="write the instructions per hop of this platform to test/python/instructions.json, instead of comparing")
