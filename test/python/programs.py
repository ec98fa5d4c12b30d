# SPDX-License-Identifier: GPL-2.0-only
"""Runs the built programs and reads what they write, for the tests.

FABRIC_BIN names the folder of the programs; without it they are those of the build in FABRIC_BUILD (build).
"""
import atexit
import csv
import functools
import importlib.util
import os
import pathlib
import subprocess
import sys

import quick_python

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("FABRIC_BUILD", "build")
BIN = pathlib.Path(os.environ.get("FABRIC_BIN") or BUILD / "bin")

MAX_PAYLOAD = 4096  # bytes of a message in a frame
OVERHEAD = 24  # bytes on the wire around them
SWITCH_LATENCY = 350e-9  # s, default of ns3::FabricSwitch::Latency
RATE = 200e9  # bit/s, default of --linkRate
DELAY = 100e-9  # s, default of --linkDelay
PICOSECOND = 1e-12  # s


def run(program, *arguments, timeout=60):
    """@return what a program said, and its exit code"""
    return subprocess.run([BIN / program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout)


@functools.cache
def quick():
    """@return what runs Python scripts in less time than `python` does"""
    server = quick_python.Python()
    atexit.register(server.stop)
    return server


def python():
    """@return a command that runs a Python script and arguments as `python` does"""
    return quick().command


def python_with_headers():
    """@return the same for scripts with ns-3, where cppyy has read the headers that a fabric needs"""
    return quick().command_with_headers


def load_script(script):
    """@return the module of a script, which may import what stands beside it"""
    sys.path.insert(0, str(script.parent))
    spec = importlib.util.spec_from_file_location(script.stem.replace("-", "_"), script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def complaints(stderr):
    """@return lines that a program wrote to standard error, but for the warnings of links that their buffers or a window hold back"""
    warnings = ("FabricHelper: BufferBytes ", "warning: a connection of the transport has at most 128 packets under way")
    return [line for line in stderr.splitlines() if not line.startswith(warnings)]


def run_well(program, *arguments):
    """@return what a program said on standard output; it must end well"""
    done = run(program, "--check=true", *arguments)
    assert (done.returncode, complaints(done.stderr)) == (0, []), f"{program} {' '.join(arguments)}: {done.stderr}"
    return done.stdout


def read_csv(path):
    """@return the rows of a file, each a dictionary of texts"""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary_of(folder, program, *arguments):
    """Runs a program with its results in a new folder.

    @return the values of summary.csv by metric and subject
    """
    run_well(program, f"--out={folder}", *arguments)
    return {(row["metric"], subject_of(row)): float(row["value"]) for row in read_csv(folder / "summary.csv")}


def subject_of(row):
    """@return what a row of summary.csv is about, `lane=0;stat=p50`; empty for the whole run"""
    return ";".join(f"{key}={text}" for key, text in row.items() if key not in ("metric", "value", "unit") and text)


def wire_bytes(payload):
    """@return bytes on the wire of a message: full frames and one with the rest"""
    return payload + -(-payload // MAX_PAYLOAD) * OVERHEAD


def seconds(size, rate=RATE):
    """@return time that bytes take on a link"""
    return size * 8 / rate


def path_time(links):
    """@return time from the first bit sent to the same bit received over links with idle switches between them"""
    return links * DELAY + (links - 1) * SWITCH_LATENCY
