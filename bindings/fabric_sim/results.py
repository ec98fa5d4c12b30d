# SPDX-License-Identifier: GPL-2.0-only
"""Reads the folders that the programs write with --out."""
import dataclasses
import io
import json
import os
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

import pandas


REAL = ("_s", "_bps", "slowdown")  # how the names of columns end that are real numbers, also where all fields are whole ones, empty, or none


class ResultError(Exception):
    """Bad input: one sentence that says what is wrong and where."""


@dataclasses.dataclass(frozen=True)
class Run:
    """The results of one run of a program."""

    folder: pathlib.Path
    manifest: dict
    summary: pandas.DataFrame

    def option(self, name: str) -> Any:
        """@return the value of an option that the run had: a number in s, B or bit/s, True or False, a list, or a text"""
        try:
            return self.manifest["options"][name]
        except (KeyError, TypeError):
            raise ResultError(f"{self.folder}/manifest.json: there is no option {name}") from None

    def attribute(self, name: str, default: Any) -> Any:
        """@return the value of an attribute if it was given, else its default"""
        return self.manifest.get("attributes", {}).get(name, default)

    def metric(self, metric: str, key: str) -> dict[str, float]:
        """@return the values of a metric by a key, in the order of the summary: metric("share", "lane") is {"0": 0.5, ...}"""
        rows = self.summary[self.summary["metric"] == metric]
        return dict(zip(rows[key].astype(str), rows["value"].astype(float))) if key in rows else {}

    def value(self, metric: str, **keys: str) -> float:
        """@return one value of the summary, such as value("fct", stat="p99")"""
        rows = self.summary[self.summary["metric"] == metric]
        for key, value in keys.items():
            rows = rows[rows[key].astype(str) == value] if key in rows else rows[:0]
        if len(rows) != 1:
            subject = "".join(f" {key}={value}" for key, value in keys.items())
            raise ResultError(f"{self.folder}/summary.csv: there is no {metric}{subject}")
        return float(rows["value"].iloc[0])

    def table(self, name: str, columns: Iterable[str] = ()) -> pandas.DataFrame:
        """@return a file of the run, such as "messages.csv", with at least these columns"""
        return read_csv(self.folder / name, columns)

    def filled_table(self, name: str, columns: Iterable[str] = ()) -> pandas.DataFrame:
        """@return a file of the run as table() does; refuses one without a row"""
        table = self.table(name, columns)
        if table.empty:
            raise ResultError(f"{self.folder / name}: there is no row, and so nothing to draw")
        return table


def table_of(text: str) -> pandas.DataFrame:
    """
    @param text of a CSV file
    @return the table: times, rates and slowdowns are real numbers; a field of a column of numbers that is empty, such as the time of an operation that failed, is NaN; one of texts, and of
        the keys of a summary, is an empty text
    """
    table = pandas.read_csv(io.StringIO(text), keep_default_na=False)
    for column in table if "metric" not in table else []:
        is_real = column.endswith(REAL)
        empty = table[column] == ""
        if is_real or empty.any():
            numbers = pandas.to_numeric(table[column], errors="coerce")
            if (numbers.isna() == empty).all() and (is_real or numbers.notna().any()):
                table[column] = numbers.astype(float)
    return table


def read_csv(path: str | os.PathLike, columns: Iterable[str] = ()) -> pandas.DataFrame:
    """@return a CSV file with at least these columns"""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        table = table_of(text)
    except FileNotFoundError:
        raise ResultError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:  # pandas' errors of content are ValueErrors
        raise ResultError(f"{path}: cannot be read ({' '.join(str(error).split())})") from None
    if not text.endswith("\n"):
        raise ResultError(f"{path}: the last line has no end; is the file complete?")
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise ResultError(f"{path}: there is no column {missing[0]}")
    return table


def read_manifest(folder: pathlib.Path, program: str) -> dict[str, Any]:
    """
    @param folder that a program wrote with --out
    @param program its name, for the sentence if there is no such folder
    @return what is in manifest.json
    """
    if not folder.is_dir():
        raise ResultError(f"{folder}: there is no such folder; {program} --out={folder} makes it")
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultError(f"{path}: there is no such file; is the run complete?") from None
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read ({error})") from None
    return manifest if isinstance(manifest, dict) else {}


def program_of(folder: str | os.PathLike) -> Any:
    """@return the name of the program that wrote a folder"""
    return read_manifest(pathlib.Path(folder), "a program").get("program")


def read_run(folder: str | os.PathLike, program: str) -> Run:
    """
    @param folder that a program wrote with --out
    @param program its name
    @return its results
    """
    folder = pathlib.Path(folder)
    manifest = read_manifest(folder, program)
    if manifest.get("program") != program:
        raise ResultError(f"{folder}/manifest.json: the results are of {manifest.get('program')}; {program} is needed")
    return Run(folder, manifest, read_csv(folder / "summary.csv", ["metric", "value", "unit"]))


# Options that say how a run was made and kept, and not what it was.
NO_PARAMETERS = {"out", "force", "progress", "lookahead", "threads", "check"}


def parameters(run: Run) -> dict[str, Any]:
    """@return the options and attributes of a run that its results depend on, apart from random numbers"""
    options = run.manifest.get("options")
    if not isinstance(options, dict):
        raise ResultError(f"{run.folder}/manifest.json: there are no options")
    found = {**run.manifest.get("attributes", {}), **options}
    return {name: value for name, value in found.items() if name not in NO_PARAMETERS | {"RngRun", "RngSeed"}}


def check_metrics(asked: str, known: Iterable[str]) -> list[str]:
    """
    @param asked metrics as --metrics names them, with commas between them
    @param known metrics that there are
    @return those that are asked for; refuses one that there is not
    """
    metrics = asked.split(",")
    unknown = [metric for metric in metrics if metric not in known]
    if unknown:
        raise ResultError(f"--metrics={asked}: there is no {unknown[0]}; allowed are some of {', '.join(sorted(known))}")
    return metrics


def by_parameters(runs: Sequence[Run], found: Sequence[dict[str, Any]] | None = None) -> dict[str, list[Run]]:
    """
    Puts runs together that differ in their random numbers alone.

    @param found parameters of each run; without them all options and attributes that its results depend on
    @return lists of runs by what sets them apart, in the order of the first of each: {"flowChannels=True": [...], ...}
    """
    found = [parameters(run) for run in runs] if found is None else found
    names = [name for name in dict.fromkeys(name for each in found for name in each)
             if any(each.get(name) != found[0].get(name) for each in found)]
    groups: dict[str, list[Run]] = {}
    for run, each in zip(runs, found):
        label = ", ".join(f"{name.removeprefix('ns3::')}={each[name]}" for name in names if name in each)
        groups.setdefault(label or "all runs", []).append(run)
    return groups


def in_unit(value: float, units: Sequence[tuple[float, str]]) -> str:
    """@return a number with three digits, in the largest unit of which it has one"""
    scale, unit = next(((scale, unit) for scale, unit in units if abs(value) >= 0.9995 * scale), units[-1])
    return f"{value / scale:.3g} {unit}" if abs(value) < 999.5 * scale else f"{value / scale:.0f} {unit}"


def rate_text(rate: float) -> str:
    """@return a rate in bit/s for people"""
    return in_unit(rate, ((1e12, "Tb/s"), (1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s"), (1, "b/s")))


def size_text(size: float) -> str:
    """@return a size in bytes for people"""
    return in_unit(size, ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")))


def time_text(time: float) -> str:
    """@return a time in seconds for people"""
    return in_unit(time, ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")))
