# SPDX-License-Identifier: GPL-2.0-only
"""Reads the folders that the programs write with --out, for the scripts that plot them."""
import argparse
import dataclasses
import json
import pathlib
import sys

import matplotlib
import pandas

matplotlib.use("Agg")  # plots go to files, also where there is no display


class ResultError(Exception):
    """Bad input: one sentence that says what is wrong and where."""


@dataclasses.dataclass(frozen=True)
class Run:
    """The results of one run of a program."""

    folder: pathlib.Path
    manifest: dict
    summary: pandas.DataFrame

    def option(self, name):
        """@return the text of an option that the run had"""
        try:
            return self.manifest["options"][name]
        except (KeyError, TypeError):
            raise ResultError(f"{self.folder}/manifest.json: there is no option {name}") from None

    def metric(self, metric):
        """@return the values of a metric by subject, in the order of the summary: {"phase=alone": 1.2e11, ...}"""
        rows = self.summary[self.summary["metric"] == metric]
        return dict(zip(rows["subject"], rows["value"]))

    def value(self, metric, subject):
        """@return one value of the summary"""
        try:
            return self.metric(metric)[subject]
        except KeyError:
            raise ResultError(f"{self.folder}/summary.csv: there is no {metric} {subject}") from None

    def table(self, name, columns):
        """@return a file of the run with at least these columns"""
        return read_csv(self.folder / name, columns)


def read_csv(path, columns):
    """@return a CSV file with at least these columns"""
    try:
        table = pandas.read_csv(path, keep_default_na=False)
    except FileNotFoundError:
        raise ResultError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:  # pandas' errors of content are ValueErrors
        raise ResultError(f"{path}: cannot be read ({error})") from None
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise ResultError(f"{path}: there is no column {missing[0]}")
    return table


def read_run(folder, program):
    """
    @param folder that a program wrote with --out
    @param program its name
    @return its results
    """
    folder = pathlib.Path(folder)
    if not folder.is_dir():
        raise ResultError(f"{folder}: there is no such folder; {program} --out={folder} makes it")
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultError(f"{path}: there is no such file; is the run complete?") from None
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read ({error})") from None
    found = manifest.get("program") if isinstance(manifest, dict) else None
    if found != program:
        raise ResultError(f"{path}: the results are of {found}; {program} is needed")
    return Run(folder, manifest, read_csv(folder / "summary.csv", ["metric", "subject", "value", "unit"]))


def save(figure, path):
    """
    @param figure a plot
    @param path where it goes; the ending tells the format
    """
    try:
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise ResultError(f"--output {path}: cannot be written ({error})") from None


def plot_runs(program, draw, description, count="+"):
    """
    The main function of a script that draws runs of a program and takes DIR... --output FILE.

    @param program name of the program
    @param draw makes the figure of the runs
    @param description of the script
    @param count how many runs it draws, "+" for any number
    @return exit code: 0, or 2 after one sentence on standard error
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", metavar="DIR", nargs=count, help=f"results of {program} --out=DIR")
    parser.add_argument("--output", metavar="FILE", required=True, help="picture to write (.png, .pdf, .svg)")
    arguments = parser.parse_args()
    try:
        save(draw(*(read_run(folder, program) for folder in arguments.folders)), arguments.output)
    except ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def plot_two_runs(program, draw, description):
    """As plot_runs(), for two runs."""
    return plot_runs(program, draw, description, 2)
