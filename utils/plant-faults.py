#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plants small faults in the model, one at a time, and says which of them no C++ suite finds.

  utils/plant-faults.py                     every fault of utils/planted-faults.toml
  utils/plant-faults.py --only hop-,agenda- --list    which faults have names like these

All faults stand in one build of a copy of the sources; which one acts is chosen when a suite starts. A first
run without a fault finds which suites reach which fault. Then each fault is judged by these suites, the
fastest first, until one of them fails. The exit status is 1 if fewer than 95 % of the faults are found.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "utils/planted-faults.toml"
COPY = "source"  # of the project's files, in the folder of the build
LEAST_FOUND = 0.95  # of the faults
# A suite that takes so much longer than without a fault hangs, which is found as well. Time of the processor counts,
# since others may keep the machine busy; a suite that waits for ever uses none, and has to wait for longer.
SLOWER = 10
LEAST_TIMEOUT = 30  # seconds
WAITS = 20  # times the time of the processor
MOST_MEMORY = 8 << 30  # bytes; a suite that hangs may take ever more

# Every file with a fault includes this. Which faults a run reaches is written down when it ends.
HEADER = """
#pragma once
#include <cstdio>
#include <cstdlib>
namespace fabric_planted
{{
struct Plan
{{
    int number = std::getenv("FABRIC_FAULT") ? std::atoi(std::getenv("FABRIC_FAULT")) : -1;
    unsigned char reached[{count}] = {{}};
    ~Plan()
    {{
        if (const char* name = std::getenv("FABRIC_FAULTS_REACHED"))
        {{
            std::FILE* file = std::fopen(name, "a");
            for (int i = 0; i < {count}; ++i)
            {{
                if (__atomic_load_n(&reached[i], __ATOMIC_RELAXED) != 0)
                {{
                    std::fprintf(file, "%d\\n", i);
                }}
            }}
            std::fclose(file);
        }}
    }}
}};
inline Plan plan;
inline bool
Acts(int fault)
{{
    __atomic_store_n(&plan.reached[fault], 1, __ATOMIC_RELAXED);
    return plan.number == fault;
}}
}} // namespace fabric_planted
"""


def fail(sentence):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {sentence}")


def read_faults():
    """@return the faults of the list, each with 'name', 'file', 'find' and 'plant'"""
    faults = tomllib.loads(LIST.read_text())["fault"]
    names = [fault["name"] for fault in faults]
    for name in names:
        if names.count(name) > 1:
            fail(f"two faults are called '{name}' in {LIST.name}, names must differ")
    return faults


def is_whole(code):
    """@return whether all that begins in a piece of code ends there: an expression, or statements"""
    plain = re.sub(r"'.'|\"[^\"]*\"", "", code).replace("::", "")
    is_open = any(plain.count(begin) != plain.count(end) for begin, end in ("()", "[]", "{}")) or plain.count("?") > plain.count(":")
    while (outside := re.sub(r"\{[^{}]*\}", "", plain)) != plain:
        plain = outside  # a lambda's statements are its own
    ends = code.endswith((";", "}")) if ";" in plain else not re.search(r"([*/%&|^<>=!?:,(]|(?<!\+)\+|(?<!-)-|^)\s*$", code)
    return not is_open and ends


def plant(text, number, fault):
    """@return the text of a file with a fault that acts where its number is chosen"""
    place = fault.get("within", fault["find"])
    if text.count(place) != 1 or place.count(fault["find"]) != 1:
        fail(f"fault '{fault['name']}': its place occurs {text.count(place)} times in {fault['file']}, "
             "allowed is once; give more of the text around it as 'within'")
    original = fault["find"]
    before = text[:text.index(place) + place.index(original)]
    is_part = re.search(r"(\w|\.|->|::)$", before) and re.match(r"\w", original)
    if is_part or not is_whole(original) or not is_whole(fault["plant"]) or re.match(r"(if|for|while)\b|\s*(&&|\|\||[<>=!]=|[?:<>=])", original):
        fail(f"fault '{fault['name']}': '{original.splitlines()[0]}' is no expression and no whole statements; "
             "allowed are those, from their first word on")
    acts = f"fabric_planted::Acts({number})"
    if original.endswith(";"):
        planted = f"if ({acts}) {{ {fault['plant']} }} else {{ {original} }}"
    else:
        planted = f"({acts} ? ({fault['plant']}) : ({original}))"
    return text.replace(place, place.replace(original, planted))


def plant_all(faults, header):
    """@return the texts of all files with faults, by name; `header` is what they include"""
    planted = {}
    for number, fault in enumerate(faults):
        text = planted.get(fault["file"])
        if text is None:
            text = f'#include "{header}"\n' + (ROOT / fault["file"]).read_text()
        planted[fault["file"]] = plant(text, number, fault)
    return planted


def write_copy(folder, faults):
    """Writes the project's files with all faults in them, where they differ from what is there."""
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    planted = plant_all(faults, folder / COPY / "planted.h")
    planted["planted.h"] = HEADER.format(count=len(faults))
    for name in [*files, "planted.h"]:
        if name not in planted and not (ROOT / name).is_file():
            continue  # removed, and git does not know it yet
        content = planted[name].encode() if name in planted else (ROOT / name).read_bytes()
        target = folder / COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != content:
            target.write_bytes(content)


def build(folder, jobs):
    for command in (["cmake", "-G", "Ninja", "-S", folder / COPY, "-B", folder / "build", "-DFABRIC_PROGRAMS=OFF"],
                    ["cmake", "--build", folder / "build", "-j", str(jobs), "--", "-k0"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            fail("the copy with the faults was not built\n" + "\n".join(done.stdout.splitlines()[-40:]))


def passes_within_limits(process, timeout):
    """@param timeout seconds of the processor, None for any @return whether a suite ends without a failure"""
    # Without a fault memory is bounded as well: else a suite that needs more would seem to find every fault.
    limits = {resource.RLIMIT_AS: MOST_MEMORY, resource.RLIMIT_CORE: 0}
    if timeout is not None:
        limits[resource.RLIMIT_CPU] = math.ceil(timeout)
    for limit, most in limits.items():
        resource.prlimit(process.pid, limit, (most, most))
    try:
        return process.wait(None if timeout is None else WAITS * timeout) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False


class Suites:
    """The suites of the build: how long they take, and which faults they reach."""

    def __init__(self, folder):
        self.runner = folder / "build/bin/fabric-test-runner"
        self.folder = folder
        listing = subprocess.run([self.runner, "--list"], check=True, stdout=subprocess.PIPE, text=True)
        self.names = listing.stdout.split()
        self.seconds = {}
        self.reaches = {}

    def run(self, suite, fault=None, timeout=None):
        """@param timeout seconds of the processor @return whether it passed, and the seconds that it took"""
        environment = dict(os.environ)
        reached = self.folder / f"reached-{suite}"
        if fault is None:
            reached.unlink(missing_ok=True)
            environment["FABRIC_FAULTS_REACHED"] = str(reached)
        else:
            environment["FABRIC_FAULT"] = str(fault)
        # ns-3 names a suite's temporary folder after the second: of two runs at once one would break the other's files,
        # and seem to find its fault. What is killed leaves files, too.
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="run-") as own:
            environment.update(TMP=own, TEMP=own, TMPDIR=own)
            start = time.monotonic()
            process = subprocess.Popen([self.runner, f"--suite={suite}"], stdout=subprocess.DEVNULL, cwd=own,
                                       stderr=subprocess.DEVNULL, env=environment)
            passed = passes_within_limits(process, timeout)
            return passed, time.monotonic() - start

    def measure(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for suite, (passed, seconds) in zip(self.names, pool.map(self.run, self.names)):
                if not passed:
                    fail(f"suite {suite} fails without any fault; it has to pass first")
                self.seconds[suite] = seconds
                numbers = (self.folder / f"reached-{suite}").read_text().split()
                self.reaches[suite] = {int(number) for number in numbers}

    def judge(self, number):
        """@return the suite that finds a fault, or None, and how many suites reach it"""
        reaching = sorted((suite for suite in self.names if number in self.reaches[suite]), key=self.seconds.get)
        for suite in reaching:
            timeout = max(LEAST_TIMEOUT, SLOWER * self.seconds[suite])
            if not self.run(suite, number, timeout)[0]:
                return suite, len(reaching)
        return None, len(reaching)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the faults, check that their places are there, and end")
    parser.add_argument("--only", default="", help="judge only faults whose name or file contains this, or one of these, separated by commas")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-faults",
                        help="where the copy is built (default: build-faults)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how much runs at once (default: all cores)")
    parser.add_argument("--fresh", action="store_true", help="copy and build anew")
    options = parser.parse_args()

    faults = read_faults()
    wanted = options.only.split(",")
    chosen = [i for i, fault in enumerate(faults) if any(text in fault["name"] or text in fault["file"] for text in wanted)]
    if not chosen:
        fail(f"no fault's name or file contains '{options.only}'; --list shows all")
    if options.list:
        plant_all(faults, "planted.h")
        for i in chosen:
            print(f"{faults[i]['name']}: {faults[i]['file']}")
        return 0

    folder = options.folder.resolve()
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    write_copy(folder, faults)
    print(f"building {len(faults)} faults", flush=True)
    build(folder, options.jobs)
    suites = Suites(folder)
    suites.measure(options.jobs)

    survivors = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for i, (suite, reaching) in zip(chosen, pool.map(suites.judge, chosen)):
            verdict = f"found by {suite}" if suite else f"SURVIVES {reaching} suites that reach it"
            print(f"{faults[i]['name']}: {verdict}", flush=True)
            if not suite:
                survivors.append(faults[i]["name"])
    found = len(chosen) - len(survivors)
    print(f"{found} of {len(chosen)} faults found ({100 * found / len(chosen):.1f} %)")
    if survivors:
        print("survivors: " + ", ".join(survivors))
    return 0 if found >= LEAST_FOUND * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
