# SPDX-License-Identifier: GPL-2.0-only
"""Options of the tests."""


def pytest_addoption(parser):
    parser.addoption("--refresh-fingerprints", action="store_true",
                     help="write what the programs say now to test/python/fingerprints, instead of comparing")
    parser.addoption("--refresh-instructions", action="store_true",
                     help="write the instructions per hop of this platform to test/python/instructions.json, instead of comparing")
