# SPDX-License-Identifier: GPL-2.0-only
"""
Prints the figures of runs of a program side by side: runs that differ in --RngRun alone share a column, with the median and the
range of the seeds.
"""
import argparse
import statistics
import sys

from . import results

KEYS = ("metric", "value", "unit")
TEXTS = {"s": results.time_text, "B": results.size_text, "bit/s": results.rate_text}


def figures(run):
    """@return the figures of a run: {("fct", "stat=p99", "s"): 1e-3, ...}"""
    found = {}
    for row in run.summary.to_dict("records"):
        subject = ", ".join(f"{key}={value}" for key, value in row.items() if key not in KEYS and str(value) != "")
        found[row["metric"], subject, row["unit"]] = float(row["value"])
    return found


def text(values, unit):
    """@return median and range of some values for people"""
    show = TEXTS.get(unit, lambda value: f"{value:.3g}" + ("" if unit == "1" else f" {unit}"))
    values = sorted(values)
    if not values:
        return "-"
    least, middle, most = show(values[0]), show(statistics.median(values)), show(values[-1])
    return middle if least == most else f"{middle} [{least}, {most}]"


def table(groups, metrics):
    """@return rows of texts, the first one with the titles"""
    found = {label: [figures(run) for run in runs] for label, runs in groups.items()}
    rows = [["metric", "of", *(f"{label} ({len(runs)} {'run' if len(runs) == 1 else 'runs'})" for label, runs in groups.items())]]
    for figure in dict.fromkeys(figure for each in found.values() for run in each for figure in run):
        metric, subject, unit = figure
        if not metrics or metric in metrics:
            rows.append([metric, subject, *(text([run[figure] for run in each if figure in run], unit) for each in found.values())])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", metavar="DIR", nargs="+", help="results of a program, --out=DIR")
    parser.add_argument("--metrics", help="only these, with commas between them, such as fct,goodput")
    arguments = parser.parse_args()
    try:
        program = results.program_of(arguments.folders[0])
        runs = [results.read_run(folder, program) for folder in arguments.folders]
        known = {metric for run in runs for metric in run.summary["metric"]}
        rows = table(results.by_parameters(runs), results.check_metrics(arguments.metrics, known) if arguments.metrics else [])
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0
