# SPDX-License-Identifier: GPL-2.0-only
"""The list of examples for ns-3's test.py names every example, and each of its lines runs (SC-9)."""
import re
import runpy
import subprocess

import pytest

from programs import BIN, ROOT

LIST = runpy.run_path(str(ROOT / "test/examples-to-run.py"))


def listed(name):
    """@return the entries of a list in CMakeLists.txt"""
    return re.search(rf"^set\({name}\n(.*?)^\)", (ROOT / "CMakeLists.txt").read_text(), re.M | re.S)[1].split()


def test_every_example_is_listed_and_no_line_twice():
    programs = [f"fabric-{name}" for name in listed("FABRIC_EXAMPLES")]
    programs += [f"fabric-tutorial-{name}" for name in listed("FABRIC_TUTORIAL")]
    lines = [line for line, _, _ in LIST["cpp_examples"]]
    assert sorted({line.split()[0] for line in lines}) == sorted(programs)
    assert len(set(lines)) == len(lines)
    assert LIST["python_examples"] == []


@pytest.mark.parametrize("line", [line for line, _, _ in LIST["cpp_examples"]])
def test_line_runs(line):
    done = subprocess.run([BIN / line.split()[0], *line.split()[1:]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
