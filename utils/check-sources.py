#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the lists of sources in CMakeLists.txt, what the wscript makes of them, and the folders (PL-3).

Prints one line per difference and exits with 1 if there is any.
"""
import collections
import pathlib
import re
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent


def cmake_list(name):
    """@return the entries of set(NAME ...) in CMakeLists.txt, without the comments"""
    match = re.search(rf"^set\({name}\n(.*?)^\)", (ROOT / "CMakeLists.txt").read_text(), re.M | re.S)
    if match is None:
        sys.exit(f"CMakeLists.txt has no list set({name} ...) with one entry a line")
    return [entry for line in match[1].splitlines() for entry in line.split("#")[0].split()]


class RecordingBuild:
    """Stands in for waf's build context and keeps what the wscript declares."""

    def __init__(self):
        self.env = {"ENABLE_EXAMPLES": True}
        self.path = types.SimpleNamespace(abspath=lambda: str(ROOT))
        self.declared = []

    def _declare(self, kind, name=None):
        task = types.SimpleNamespace(kind=kind, name=name, source=[])
        self.declared.append(task)
        return task

    def create_ns3_module(self, name, _dependencies):
        return self._declare("FABRIC_SOURCES", name)

    def create_ns3_module_test_library(self, name):
        return self._declare("FABRIC_TEST_SOURCES", name)

    def create_ns3_program(self, name, _dependencies):
        return self._declare("programs", name)

    def __call__(self, features):
        return self._declare({"ns3header": "FABRIC_HEADERS"}[features])

    def sources(self, kind):
        return [source for task in self.declared if task.kind == kind for source in task.source]


def files(*patterns):
    found = (path for pattern in patterns for path in ROOT.glob(pattern))
    return [path.relative_to(ROOT).as_posix() for path in found]


def compare(errors, what, listed, folders, wscript):
    for entry, count in collections.Counter(listed).items():
        if count > 1:
            errors.append(f"{what}: {entry} is listed {count} times")
    for entry in sorted(set(folders) - set(listed)):
        errors.append(f"{what}: {entry} exists but is not in CMakeLists.txt")
    for entry in sorted(set(listed) - set(folders)):
        errors.append(f"{what}: {entry} is in CMakeLists.txt but does not exist")
    for entry in sorted(set(listed) ^ set(wscript)):
        errors.append(f"{what}: {entry} is in only one of CMakeLists.txt and wscript")


def check_header_names(errors, headers):
    """Headers are flattened to ns3/NAME.h, where the second of two equal names is skipped without a word."""
    by_name = collections.defaultdict(list)
    for header in headers:
        by_name[pathlib.PurePath(header).name].append(header)
    for name, paths in by_name.items():
        if len(paths) > 1:
            errors.append(f"headers: {' and '.join(paths)} have the same name")
        if not re.fullmatch(r"fabric-[a-z0-9-]+\.h", name):
            errors.append(f"headers: {paths[0]} must be named fabric-*.h in lower case with dashes")


def main():
    build = RecordingBuild()
    wscript = {}
    exec(compile((ROOT / "wscript").read_text(), "wscript", "exec"), wscript)
    wscript["build"](build)

    errors = []
    headers = cmake_list("FABRIC_HEADERS")
    compare(errors, "headers", headers, files("model/**/*.h", "helper/**/*.h"), build.sources("FABRIC_HEADERS"))
    compare(errors, "sources", cmake_list("FABRIC_SOURCES"), files("model/**/*.cc", "helper/**/*.cc"),
            build.sources("FABRIC_SOURCES"))
    programs_of_tests = ["test/fabric-test-runner.cc", "test/ranks/ranks-program.cc", "test/results/results-program.cc",
                         "test/results/types-program.cc"]
    tests = [path for path in files("test/**/*.cc") if path not in programs_of_tests]
    compare(errors, "tests", cmake_list("FABRIC_TEST_SOURCES"), tests, build.sources("FABRIC_TEST_SOURCES"))
    programs = [f"examples/fabric-{name}.cc" for name in cmake_list("FABRIC_EXAMPLES")]
    programs += [f"examples/tutorial/{name}.cc" for name in cmake_list("FABRIC_TUTORIAL")]
    programs += [f"utils/{name}.cc" for name in cmake_list("FABRIC_BENCHMARKS")]
    compare(errors, "programs", programs, files("examples/**/*.cc", "utils/*.cc"), build.sources("programs"))
    check_header_names(errors, headers)
    for test in tests:
        if not test.endswith("-test.cc"):
            errors.append(f"tests: {test} must be named *-test.cc")

    print("\n".join(errors) or "the lists, the wscript and the folders agree")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
