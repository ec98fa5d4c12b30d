#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares two runs of bench-fabric (PF-8): how many times what it was before each figure is now.

Above 1 is better for hops per second, below 1 for the others.
"""
import argparse
import pathlib
import sys

import pandas
import package  # noqa: F401  makes the next one importable
from fabric_sim.results import ResultError, read_csv

HOPS = ["data_hops", "control_hops"]
FIGURES = {"hops/s x": "hops_per_s", "ev/hop x": "events_per_data_hop", "KiB x": "kib_per_host",
           "alloc x": "allocations_per_data_hop", "setup x": "setup_s"}


def read_bench(folder):
    """@return the numbers of bench.csv, by workload and version"""
    path = pathlib.Path(folder) / "bench.csv"
    columns = HOPS + list(FIGURES.values())
    table = read_csv(path, ["workload", "version", *columns])
    table.index = table["workload"].astype(str) + " " + table["version"].astype(str)
    if table.empty or table.index.has_duplicates:
        raise ResultError(f"{path}: allowed is one row for each workload and version, and at least one")
    numbers = table[columns].apply(pandas.to_numeric, errors="coerce")
    for column in columns:
        for row in numbers.index[~(numbers[column] >= 0)]:
            raise ResultError(f"{path}: {column} of {row} is {table.at[row, column]}, allowed is a number from 0")
    return numbers


def ratio(now, before):
    return f"{now / before:.2f}" if before else "from 0" if now else "="


def differences(before, now, folder):
    """@return sentences about what only one of both has, and about what was other work"""
    both = now.index.intersection(before.index, sort=False)
    lines = [f"{row} is not the same work: {before.at[row, HOPS[0]]} data and {before.at[row, HOPS[1]]} control hops in {folder}"
             for row in both if list(before.loc[row, HOPS]) != list(now.loc[row, HOPS])]
    for where, rows in ((f"not in {folder}", now.index.difference(both, sort=False)),
                        (f"only in {folder}", before.index.difference(both, sort=False))):
        lines += [f"{where}: {', '.join(rows)}"] if len(rows) else []
    return lines


def main():
    """@return exit code: 0, or 2 after one sentence on standard error"""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", metavar="BEFORE", help="results of bench-fabric --out=BEFORE")
    parser.add_argument("now", metavar="NOW", help="results of bench-fabric --out=NOW")
    arguments = parser.parse_args()
    try:
        before, now = read_bench(arguments.before), read_bench(arguments.now)
    except ResultError as error:
        print(error, file=sys.stderr)
        return 2
    both = now.index.intersection(before.index, sort=False)
    print(pandas.DataFrame({title: [ratio(now.at[row, column], before.at[row, column]) for row in both]
                            for title, column in FIGURES.items()}, index=both).to_string(col_space=10))
    for line in differences(before, now, arguments.before):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
