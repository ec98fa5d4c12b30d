# SPDX-License-Identifier: GPL-2.0-only
"""Runs the sweep that a file in TOML declares, and prints its figures over the seeds."""
import argparse
import signal
import sys
import tomllib

from . import results
from .sweep import Sweep, SweepError
from .sweep_run import DONE
from .sweep_workers import BATCH_SYSTEMS

KEYS = ("program", "parameters", "repetitions", "folder", "time_limit", "ranks", "job")


def read_sweep(file: str) -> tuple[Sweep, dict]:
    """@return the sweep that a file declares, and what a job of a batch system asks for"""
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
    job = declared.pop("job", {})
    if not isinstance(job, dict):
        raise SweepError(f"{file}: job={job}: allowed is a table of what a job asks for, [job]")
    return Sweep(declared.pop("program"), declared.pop("parameters", {}), **declared), job


def main() -> int:
    """The script. @return its exit code: 1 if some runs failed, 2 for bad input"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE", help=f"declares {', '.join(KEYS)}")
    parser.add_argument("--scheduler", help="address of a Dask scheduler, slurm or pbs; without it the runs are on this machine")
    parser.add_argument("--workers", type=int, help="runs at once on this machine (one for each core), or jobs of a batch system (1)")
    parser.add_argument("--again", action="store_true", help="repeat the runs that failed")
    parser.add_argument("--metrics", help="print only these, with commas between them")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, so that no run goes on alone
    try:
        sweep, job = read_sweep(arguments.file)
        states = sweep.run(arguments.scheduler, arguments.workers, again=arguments.again, job=job if arguments.scheduler in BATCH_SYSTEMS else None)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{arguments.file}: interrupted; the sweep goes on where it stopped when it is run again", file=sys.stderr)
        return 130
    for row in states[states["status"] != DONE].to_dict("records"):
        print(f"{row['status']}: {row['folder']}: {row['message']}", file=sys.stderr)
    table = sweep.summary()
    if arguments.metrics and not table.empty:
        try:
            table = table[table["metric"].isin(results.check_metrics(arguments.metrics, set(table["metric"])))]
        except results.ResultError as error:
            print(error, file=sys.stderr)
            return 2
    if not table.empty:
        print(table.to_string(index=False, float_format="{:.6g}".format))
    return int((states["status"] != DONE).any())
