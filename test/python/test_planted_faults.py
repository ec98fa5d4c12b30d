# SPDX-License-Identifier: GPL-2.0-only
"""utils/plant-faults.py: its list of faults fits the sources."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*options):
    return subprocess.run([sys.executable, ROOT / "utils/plant-faults.py", *options], capture_output=True, text=True)


def test_every_fault_has_its_place():
    listed = run("--list")
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) >= 100


def test_a_name_that_no_fault_has_is_refused():
    refused = run("--only", "no-such-fault")
    assert refused.returncode != 0
    assert refused.stderr.startswith("plant-faults.py: no fault's name or file contains 'no-such-fault'")
