# SPDX-License-Identifier: GPL-2.0-only
"""The sources keep the rules of the project: lists, layers, format, documentation."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("check", ["check-sources.py", "check-layering.py", "check-format.sh", "check-doxygen.sh"])
def test_check_passes(check):
    done = subprocess.run([ROOT / "utils" / check], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
