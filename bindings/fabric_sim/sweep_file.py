# SPDX-License-Identifier: GPL-2.0-only
"""Runs the sweep that a file in TOML declares, and prints its figures over the seeds."""
import argparse
import sys
import tomllib

from . import results
from .sweep import Sweep, SweepError
from .sweep_run import DONE

KEYS = ("program", "parameters", "repetitions", "folder", "time_limit")


def read_sweep(file) -> Sweep:
    """@return the sweep that a file declares"""
    try:
        with open(file, "rb") as opened:
            declared = tomllib.load(opened)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SweepError(f"{file}: cannot be read ({error})") from None
    unknown = [key for key in declared if key not in KEYS]
    if unknown:
        raise SweepError(f"{file}: there is no {unknown[0]}; allowed are {', '.join(KEYS)}")
    if "program" not in declared:
        raise SweepError(f"{file}: there is no program")
    return Sweep(declared.pop("program"), declared.pop("parameters", {}), **declared)


def main():
    """The script. @return its exit code: 1 if some runs failed, 2 for bad input"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE", help="declares program, parameters, repetitions, folder, time_limit")
    parser.add_argument("--scheduler", help="address of a Dask scheduler; without it the runs are on this machine")
    parser.add_argument("--workers", type=int, help="runs at once on this machine (one for each core)")
    parser.add_argument("--again", action="store_true", help="repeat the runs that failed")
    parser.add_argument("--metrics", help="print only these, with commas between them")
    arguments = parser.parse_args()
    try:
        sweep = read_sweep(arguments.file)
        states = sweep.run(arguments.scheduler, arguments.workers, again=arguments.again)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    for row in states[states["status"] != DONE].to_dict("records"):
        print(f"{row['status']}: {row['folder']}: {row['message']}", file=sys.stderr)
    table = sweep.summary()
    if arguments.metrics:
        table = table[table["metric"].isin(arguments.metrics.split(","))]
    print(table.to_string(index=False, float_format="{:.6g}".format))
    return int((states["status"] != DONE).any())
