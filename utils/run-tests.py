#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Builds the module on its platforms and runs all of its tests; test.sh starts it.

The last line is 'N passed, N failed', counting test cases of the C++ suites and of pytest, and one for each
build and for the check inside an ns-3 tree. The exit status is 1 if anything failed or nothing ran.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOBS = os.cpu_count() or 1
SUITE_TIMEOUT = 600  # seconds; a suite that takes longer hangs
CLANG = "-DCMAKE_CXX_COMPILER=clang++-14"
LONG_SUITES = ("fabric-threads", "fabric-flit-oracle")


class Tally:
    """Counts what passed, what failed and what was left out, and says so as it happens."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = 0

    def add(self, what, passed, failures, seconds, skipped=()):
        """
        @param failures one text per failure
        @param skipped one text per test that was not run
        """
        self.passed += passed
        self.failed += len(failures)
        self.skipped += len(skipped)
        for failure in failures:
            print(f"FAIL {what}: {failure}")
        for test in skipped:
            print(f"SKIPPED {what}: {test}")
        counts = f"{passed} passed, {len(failures)} failed" + (f", {len(skipped)} skipped" if skipped else "")
        print(f"{what}: {counts}, {seconds:.1f} s", flush=True)


def run(command, timeout=None, environment=None):
    """@return the exit status, what was printed, and the seconds that it took"""
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout,
                              env={**os.environ, **(environment or {})})
        return done.returncode, done.stdout, time.monotonic() - start
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        return -1, f"{output}\nstopped after {timeout} s", time.monotonic() - start


def tail(text, lines=30):
    return "\n".join(text.splitlines()[-lines:])


def build(tally, folder, options):
    """@return whether it was built"""
    configure = ["cmake", "-G", "Ninja", "-S", ".", "-B", folder, "-DFABRIC_WERROR=ON", *options]
    status, output, seconds = run(configure)
    if status == 0:
        status, output, more = run(["cmake", "--build", folder, "-j", str(JOBS)])
        seconds += more
    tally.add(f"build in {folder}", int(status == 0), [tail(output)] if status else [], seconds)
    return status == 0


def leaf_cases(test, path=""):
    """@return (name, passed, details) for every test case that holds no others"""
    name = (test.findtext("Name") or "").strip()
    path = f"{path} / {name}" if path else name
    children = test.findall("Test")
    if children:
        return [leaf for child in children for leaf in leaf_cases(child, path)]
    details = [" ".join(" ".join(failure.itertext()).split()) for failure in test.findall("FailureDetails")]
    return [(path, test.findtext("Result") == "PASS", "; ".join(details))]


def run_suite(runner, suite, environment):
    """@return the number of test cases that passed, a text per failure, and the seconds"""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.xml"
        status, output, seconds = run([runner, f"--suite={suite}", "--xml", f"--out={result}"], SUITE_TIMEOUT,
                                      environment)
        try:
            leaves = leaf_cases(ElementTree.fromstring(result.read_text()))
        except (OSError, ElementTree.ParseError):
            return 0, [f"{suite} ended with status {status} and without a result\n{tail(output)}"], seconds
    failures = [f"{name}: {details}" for name, passed, details in leaves if not passed]
    if status != 0 and not failures:
        failures = [f"{suite} ended with status {status}\n{tail(output)}"]
    return sum(passed for _, passed, _ in leaves), failures, seconds


def run_suites(tally, folder, environment=None):
    """Runs every suite of a build in a process of its own, since a crash must not hide the others."""
    runner = str(ROOT / folder / "bin/fabric-test-runner")
    status, listing, _ = run([runner, "--list"], 60, environment)
    suites = listing.split()
    if status != 0 or not suites:
        tally.add(f"suites of {folder}", 0, [f"the runner lists no suites\n{tail(listing)}"], 0)
        return
    # The longest first, so that no core waits for it in the end.
    suites.sort(key=lambda suite: suite not in LONG_SUITES)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for suite, result in zip(suites, pool.map(lambda name: run_suite(runner, name, environment), suites)):
            tally.add(f"{folder} {suite}", *result)


def run_pytest(tally, folder, selection=()):
    """Runs the tests of test/python with the programs of a build, as many at once as there are cores."""
    with tempfile.TemporaryDirectory() as scratch:
        result = pathlib.Path(scratch) / "result.xml"
        status, output, seconds = run([sys.executable, "-m", "pytest", "-q", "-n", str(JOBS), "--dist=worksteal",
                                       f"--junitxml={result}", "test/python", *selection],
                                      3 * SUITE_TIMEOUT, {"FABRIC_BUILD": folder})
        try:
            cases = list(ElementTree.fromstring(result.read_text()).iter("testcase"))
        except (OSError, ElementTree.ParseError):
            cases = []
    failures = [f"{case.get('classname')}.{case.get('name')}" for case in cases
                if case.find("failure") is not None or case.find("error") is not None]
    skipped = [f"{case.get('classname')}.{case.get('name')}: {case.find('skipped').get('message')}" for case in cases
               if case.find("skipped") is not None]
    if failures or status not in (0, 5):
        print(output)
        failures = failures or [f"pytest ended with status {status}"]
    tally.add(f"pytest {folder}", len(cases) - len(failures) - len(skipped), failures, seconds, skipped)


def run_thread_sanitizer(tally, folder):
    """Runs the suites of a build with the thread sanitizer, and a program in it on two threads."""
    environment = {"TSAN_OPTIONS": "halt_on_error=1", "FABRIC_TEST_EFFORT": "0.1"}
    run_suites(tally, folder, environment)
    command = [str(ROOT / folder / "bin/fabric-incast"), "--k=8", "--senders=100", "--bytes=64KiB", "--threads=2",
               "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    status, output, seconds = run(command, SUITE_TIMEOUT, environment)
    tally.add(f"{folder} fabric-incast on two threads", int(status == 0), [tail(output)] if status else [], seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only Debian's ns-3, without sanitizers and ns-3's tree")
    options = parser.parse_args()
    start = time.monotonic()
    tally = Tally()

    if build(tally, "build", []):
        run_suites(tally, "build")
        run_pytest(tally, "build")
    if not options.quick:
        ns3 = next((ROOT / ".venv-pypi/lib").glob("python3*/site-packages/ns3/lib64/cmake/ns3"))
        # The other build is optimized as users have it; these take less time to compile, and with another compiler.
        if build(tally, "build-pypi", [f"-Dns3_DIR={ns3}", "-DFABRIC_QUICK_BUILD=ON", CLANG]):
            run_suites(tally, "build-pypi", {"FABRIC_TEST_EFFORT": "0.3"})
            # What may differ with the version of ns-3. Other tests look at the sources, or compare runs of one build.
            run_pytest(tally, "build-pypi", ["-k", "test_program_fingerprints or test_program_help or test_program_bad_input or "
                                                   "test_program_figures or test_results or test_bindings or test_notebooks or test_report or "
                                                   "installed"])
        if build(tally, "build-threads", ["-DFABRIC_SANITIZE=thread", CLANG]):
            run_thread_sanitizer(tally, "build-threads")
        status, output, seconds = run(["utils/check-in-tree.sh"], environment={"FABRIC_TEST_EFFORT": "0.1"})
        print(output, end="")
        tally.add("inside an ns-3 tree", int(status == 0), [f"status {status}"] if status else [], seconds)

    print(f"{time.monotonic() - start:.0f} s, {tally.skipped} skipped")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main())
