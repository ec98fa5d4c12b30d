# SPDX-License-Identifier: GPL-2.0-only
"""Runs a Python function of a sweep in a process of its own: FUNCTION-FILE PARAMETERS --out=FOLDER."""
import json
import math
import numbers
import pathlib
import pickle
import sys

import pandas


NEEDED = "it has to return a dictionary of figures, or rows of a summary"


def summary_of(figures, parameters=()) -> pandas.DataFrame:
    """
    @param figures what a function returned
    @param parameters names that its rows can't have
    @return it as summary.csv has it
    """
    if not isinstance(figures, (dict, list, pandas.DataFrame)):
        raise ValueError(f"the function returned {figures!r}; {NEEDED}")
    if isinstance(figures, dict):
        figures = [{"metric": name, "value": value} for name, value in figures.items()]
    summary = pandas.DataFrame(figures, dtype=object)  # whole numbers stay such where other rows have no such key
    missing = [column for column in ("metric", "value") if column not in summary]
    if missing:
        raise ValueError(f"the function returned rows without {missing[0]}; {NEEDED}")
    clash = [column for column in summary if column in parameters]
    if clash:
        raise ValueError(f"the function returned rows with a column {clash[0]}, which is a parameter as well; another name is needed")
    for metric, value in zip(summary["metric"], summary["value"]):
        if not isinstance(value, numbers.Real) or math.isnan(value):
            raise ValueError(f"the function returned {metric}={value}; allowed is a number")
    summary["value"] = [int(value) if isinstance(value, bool) else value for value in summary["value"]]
    summary["unit"] = summary["unit"].fillna("1") if "unit" in summary else "1"
    return summary


def function_of(file) -> bytes:
    """Looks for modules where the sweep did. @return the function, as cloudpickle wrote it"""
    paths, function = pickle.loads(pathlib.Path(file).read_bytes())
    sys.path[:] = dict.fromkeys([*paths, *sys.path])
    return function


def main() -> None:
    """Calls the function and writes its figures."""
    import cloudpickle
    file, parameters, out = sys.argv[1:]
    function = cloudpickle.loads(function_of(file))
    given = json.loads(parameters)
    summary = summary_of(function(**given), given)
    folder = pathlib.Path(out.removeprefix("--out="))
    folder.mkdir()
    summary.to_csv(folder / "summary.csv", index=False)


if __name__ == "__main__":
    main()
