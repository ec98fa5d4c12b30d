# SPDX-License-Identifier: GPL-2.0-only
"""Runs a Python function of a sweep in a process of its own: FUNCTION-FILE PARAMETERS --out=FOLDER."""
import json
import pathlib
import sys

import pandas


def summary_of(figures) -> pandas.DataFrame:
    """@return what a function returned, as summary.csv has it"""
    if isinstance(figures, dict):
        figures = [{"metric": name, "value": value} for name, value in figures.items()]
    summary = pandas.DataFrame(figures)
    missing = [column for column in ("metric", "value") if column not in summary]
    if missing:
        raise ValueError(f"the function returned rows without {missing[0]}; it has to return a dictionary of figures, or rows of a summary")
    if "unit" not in summary:
        summary["unit"] = "1"
    return summary


def main() -> None:
    """Calls the function and writes its figures."""
    import cloudpickle
    file, parameters, out = sys.argv[1:]
    function = cloudpickle.loads(pathlib.Path(file).read_bytes())
    summary = summary_of(function(**json.loads(parameters)))
    folder = pathlib.Path(out.removeprefix("--out="))
    folder.mkdir()
    summary.to_csv(folder / "summary.csv", index=False)


if __name__ == "__main__":
    main()
