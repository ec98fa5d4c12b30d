# SPDX-License-Identifier: GPL-2.0-only
"""utils/plant-faults.py: its list of faults fits the sources, and what ends a suite is told apart."""
import concurrent.futures
import importlib.util
import pathlib
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Stands in for the runner of suites. Without a fault all of them pass, and reach fault 7.
RUNNER = """#!{python}
import os, sys, time
suite = sys.argv[1].removeprefix("--suite=")
if suite == "--list":
    print("passes fails spins waits eats writes")
elif "FABRIC_FAULT" not in os.environ:
    with open(os.environ["FABRIC_FAULTS_REACHED"], "a") as reached:
        print(7, file=reached)
elif suite == "writes":
    os.mkdir(os.environ["TMP"] + "/of-this-second")
    open("of-any-time", "x").close()
    time.sleep(1)
elif suite == "fails":
    sys.exit(1)
elif suite == "spins":
    while True:
        pass
elif suite == "waits":
    time.sleep(60)
elif suite == "eats":
    bytearray(16 << 30)
"""


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


@pytest.fixture
def tool():
    """The script, as a module"""
    spec = importlib.util.spec_from_file_location("plant_faults", ROOT / "utils/plant-faults.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("find, plant", [("here + 1)", "here)"), ("isOne ? one", "isOne ? two"), ("one(); two", "two"), ("one", "one; two"), ("} one(); {", ";")])
def test_what_would_not_compile_is_refused(tool, find, plant):
    with pytest.raises(SystemExit, match="'odd': .* is no expression and no whole statements"):
        tool.plant(f"({find} : 0));", 3, {"name": "odd", "file": "f", "find": find, "plant": plant})


@pytest.mark.parametrize("code", ["all.end(), [](int i) { return i; }", "a ? b : c", "ns::F(x);", "f(); while (g()) { h(); }", "is('(')", 'is("?")'])
def test_whole_code_may_be_planted(tool, code):
    assert tool.is_whole(code)


@pytest.fixture
def suites(tmp_path, monkeypatch, tool):
    """The suites of RUNNER, and limits that are soon reached"""
    monkeypatch.setattr(tool, "LEAST_TIMEOUT", 1)
    monkeypatch.setattr(tool, "SLOWER", 0)
    monkeypatch.setattr(tool, "WAITS", 10)
    runner = tmp_path / "build/bin/fabric-test-runner"
    runner.parent.mkdir(parents=True)
    runner.write_text(RUNNER.format(python=sys.executable))
    runner.chmod(0o755)
    return tool.Suites(tmp_path)


@pytest.mark.parametrize("suite", ["fails", "spins", "waits", "eats"])
def test_a_suite_that_fails_or_does_not_end_finds_a_fault(suites, suite):
    suites.names = ["passes", suite]
    suites.measure(1)
    suites.seconds = {"passes": 0, suite: 1}  # the faster one is asked first
    begin = time.monotonic()
    assert suites.judge(7) == (suite, 2)
    assert time.monotonic() - begin < 40, "it was not killed"


def test_a_fault_that_no_suite_reaches_or_finds_survives(suites):
    suites.names = ["passes"]
    suites.measure(1)
    assert suites.judge(7) == (None, 1)
    assert suites.judge(8) == (None, 0)


def test_a_suite_that_runs_twice_at_once_does_not_meet_its_own_files(suites, tmp_path):
    suites.names = ["writes"]
    suites.measure(1)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(suites.judge, [7, 7])) == [(None, 1), (None, 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "reached-writes"], "files are left"
