# SPDX-License-Identifier: GPL-2.0-only
"""Writes a page in HTML with what runs of a program say: pictures, figures with median and range of the seeds, options, versions."""
import argparse
import base64
import functools
import html
import importlib.util
import io
import os
import pathlib
import string
import sys
from collections.abc import Callable, Sequence

from . import results, summaries

MOST_GROUPS = 7  # that colours tell apart
LONGEST_LABEL = 30  # characters; where some of runs are longer, the page calls the runs A, B, ...
MOST_MAPS = 4  # of a run each
MOST_PACKETS = 2000  # lines that can be told apart
TOPOLOGIES = ("fat-tree", "dragonfly", "torus", "hyperx", "switch")  # of links of one rate, but for --hostRate; others are files
OPTIONS_OF_FILES = {"out", "force", "progress"}
STYLE = """
body { font-family: sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; color: #222; }
figure { display: inline-block; margin: 0 1em 1.5em 0; break-inside: avoid; vertical-align: top; }
figure img { max-width: 100%; }
table { border-collapse: collapse; font-size: 85%; margin-bottom: 1.5em; }
th, td { border-bottom: 1px solid #ccc; padding: 0.2em 0.8em 0.2em 0; text-align: left; }
figcaption, .missing { font-size: 85%; color: #555; }
"""


def write_report(folders: Sequence[str | os.PathLike], file: str | os.PathLike) -> None:
    """
    Writes a page that needs no other file.

    @param folders results of one program: one run, or several, of which those that differ in their seeds alone are put together
    @param file to write (.html)
    """
    if isinstance(folders, (str, os.PathLike)):
        folders = [folders]
    if not folders:
        raise results.ResultError("there is nothing to report; the folder of a run is needed")
    file = pathlib.Path(file)
    if file.suffix not in (".html", ".htm"):
        raise results.ResultError(f"{file}: allowed is a name that ends with .html; browsers print it to PDF")
    program = results.program_of(folders[0])
    runs = [results.read_run(folder, program) for folder in folders]
    page = _page(program, runs)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page, encoding="utf-8")
    except OSError as error:
        raise results.ResultError(f"{file}: cannot be written ({error.strerror})") from None


def _page(program, runs):
    """@return the text of the page"""
    groups, names = _named(results.by_parameters(runs))
    seeds = min(map(len, groups.values()))
    drawn, missing = _pictures(program, runs, groups)
    rows = summaries.table(groups, [])
    told = f"{len(runs)} run{'s' * (len(runs) > 1)}" + (f"; median and range of {seeds} seeds" if seeds > 1 else "")
    parts = [f"<h1>{html.escape(program)}</h1>", f"<p>{told}</p>", *names, *drawn, *(f'<p class="missing">{html.escape(text)}</p>' for text in missing),
             "<h2>Figures</h2>", _html_table(rows), "<h2>Options</h2>", _html_table(_options(groups)), "<h2>Runs</h2>", _html_table(_provenance(runs))]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(program)}</title><style>{STYLE}</style></head>\n<body>\n'
            + "\n".join(parts) + "\n</body></html>\n")


def _named(groups):
    """@return the groups of runs by names that fit into a legend, and the table of what these stand for, if they are others than they had"""
    if len(groups) > len(string.ascii_uppercase) or max(map(len, groups)) <= LONGEST_LABEL:
        return groups, []
    named = dict(zip(string.ascii_uppercase, groups.values()))
    return named, [_html_table([["runs", "differ in"], *zip(named, groups)])]


def _html_table(rows):
    """@return a table; the first row has the titles"""
    lines = ["<table>", "<tr>" + "".join(f"<th>{html.escape(str(cell))}</th>" for cell in rows[0]) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows[1:]]
    return "\n".join([*lines, "</table>"])


def _options(groups):
    """@return the options of each group, in s, B and bit/s, and attributes"""
    found = {label: {name: value for name, value in {**runs[0].manifest["options"], **runs[0].manifest.get("attributes", {})}.items()
                     if name not in OPTIONS_OF_FILES | {"RngRun", "RngSeed"}} for label, runs in groups.items()}
    names = dict.fromkeys(name for options in found.values() for name in options)
    return [["option", *found], *([name, *(options.get(name, "") for options in found.values())] for name in names)]


def _provenance(runs):
    """@return how each run was made"""
    titles = {"folder": lambda run: run.folder, "started": lambda run: run.manifest.get("started", ""), "seed": lambda run: run.manifest.get("run", ""),
              "version": lambda run: run.manifest.get("version", ""), "ns-3": lambda run: run.manifest.get("ns3_version", ""),
              "wall time, s": lambda run: f"{run.manifest.get('wall_seconds', 0):.3g}", "ns-3 events": lambda run: run.manifest.get("events", "")}
    return [list(titles), *([of(run) for of in titles.values()] for run in runs)]


def _pictures(program, runs, groups):
    """@return what goes onto the page for each picture, and why others are missing"""
    from . import plots
    from .plots import style
    style.use()
    drawn, missing, common = [], [], {}
    if len(groups) <= MOST_GROUPS:
        common = _common_pictures(plots, groups)
    else:
        missing.append(f"No pictures of messages and ports: there are {len(groups)} kinds of runs, and colours tell {MOST_GROUPS} apart.")
    for caption, draw in {**common, **_own_picture(program, runs)}.items():
        try:
            figure = draw()
        except results.ResultError as error:
            missing.append(f"{caption}: {error}")
            continue
        finally:
            plots.plt.close("all")
        if figure is not None:
            drawn.append(_picture(figure, caption))
    return drawn, missing


def _picture(figure, caption):
    """@return a picture within the page"""
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=150)
    width = round(figure.get_size_inches()[0] * 120)
    source = base64.b64encode(data.getvalue()).decode("ascii")
    return (f'<figure><img width="{width}" alt="{html.escape(caption)}" src="data:image/png;base64,{source}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>")


def _own_picture(program, runs):
    """@return the picture that the package has for a program, if it does"""
    module = f"fabric_sim.plots.{str(program).removeprefix('fabric-').replace('-', '_')}"
    if program in ("fabric-tcp", "fabric-transport") or not importlib.util.find_spec(module):
        return {}

    def draw():
        try:
            return importlib.import_module(module).draw(*runs)
        except TypeError:  # it takes another number of runs
            return None
    return {f"view of {program}": draw}


def _tables(groups, name, columns):
    """@return the tables of all groups of runs, None if a run has no such file, or not these columns"""
    if not all((run.folder / name).exists() for runs in groups.values() for run in runs):
        return None
    tables = {label: [run.table(name) for run in runs] for label, runs in groups.items()}
    return tables if all(set(columns) <= set(table) and len(table) for each in tables.values() for table in each) else None


def _common_pictures(plots, groups) -> dict[str, Callable]:
    """@return what draws the pictures that the files of the runs allow, by their captions"""
    found: dict[str, Callable] = {}
    messages = _tables(groups, "messages.csv", ["fct_s"])
    if messages:
        found["completion times of messages"] = lambda: plots.completion_cdf(messages).figure
    sized = _tables(groups, "messages.csv", ["bytes", "slowdown"])
    # Messages by SDMA have no slowdown.
    if sized and not any(table["slowdown"].isna().any() for tables in sized.values() for table in tables) and len({size for tables in sized.values() for table in tables for size in table["bytes"]}) > 1:
        found["slowdown by the size of messages"] = lambda: plots.slowdown_by_size(sized).figure
    ports = _tables(groups, "ports.csv", ["time_s", "switch", "port", "queued_bytes", "sent_bytes"])
    if ports:
        found["bytes that wait at all ports"] = lambda: plots.queue_depth(ports).figure
        for label, tables in list(ports.items())[:MOST_MAPS]:
            found[f"use of the links, {label}" if len(groups) > 1 else "use of the links"] = functools.partial(_link_use, plots, tables[0], groups[label][0])
    packets = _tables(groups, "packets.csv", ["time_s", "host", "direction", "type", "psn", "sent_s"])
    if packets and len(groups) == 1:
        table = next(iter(packets.values()))[0]
        if set(table["host"]) == {0, 1} and len(table) <= MOST_PACKETS:
            found["packets between initiator and target"] = lambda: plots.message_timeline(table).figure
    return found


def _link_use(plots, table, run):
    """@return the picture of links that all have the same rate"""
    rate, options = run.option("linkRate"), run.manifest["options"]
    if options.get("hostRate", 0) not in (0, rate) or options.get("topology", TOPOLOGIES[0]) not in TOPOLOGIES:
        raise results.ResultError("not all links have one rate, or it is not known; plots.link_use() draws those of one")
    return plots.link_use(table, rate).figure


def main() -> int:
    """The script. @return its exit code"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", metavar="DIR", nargs="+", help="results of one program, --out=DIR")
    parser.add_argument("--output", metavar="FILE", required=True, help="page to write (.html)")
    arguments = parser.parse_args()
    try:
        write_report(arguments.folders, arguments.output)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
