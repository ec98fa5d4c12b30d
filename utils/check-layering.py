#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares the #include lines of the module with the table in doc/layers.md, finds circles of files, and compares the units of a switch that know
each other with the map in doc/design/013-rooms-of-the-switch.md (--map prints the map as it is).

A mechanism that calls another includes it, so where no includes go in a circle no calls do. A header and its source
count as one file. Prints one line per forbidden include and per circle, and exits with 1 if there is any.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNIT_MAP = "doc/design/013-rooms-of-the-switch.md"
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def table_rows(text, first_header):
    """@return the cells of the rows of the Markdown table whose first column has this title"""
    match = re.search(rf"^\| {re.escape(first_header)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M)
    if match is None:
        sys.exit(f"doc/layers.md has no table with the column '{first_header}'")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in match[1].splitlines()]


def split(cell):
    return {entry.strip() for entry in cell.split(",") if entry.strip()}


def sources(folder):
    return sorted(path for path in (ROOT / folder).glob("*") if path.suffix in (".h", ".cc"))


def is_ns3_class(path):
    """A class is split over a header and a source: either shows what it is."""
    pair = (path.with_suffix(suffix) for suffix in (".h", ".cc"))
    return any(part.exists() and "GetTypeId" in part.read_text() for part in pair)


def check_file(path, folder, allowed_folders, homes, mechanism_headers):
    """@return a sentence per include of the file that the table does not allow

    @param mechanism_headers the only ns-3 headers that the file may include, None if it may include any
    """
    where = path.relative_to(ROOT).as_posix()
    for quote, name in INCLUDE.findall(path.read_text()):
        if name.startswith("ns3/fabric-"):
            yield f'{where}: "{name}" is one of our own headers: include it by its plain name'
        elif name.startswith("ns3/") and name.endswith("-module.h"):
            yield f"{where}: {name} is an umbrella header: include the headers that are needed"
        elif name.startswith("ns3/"):
            if mechanism_headers is not None and name not in mechanism_headers:
                yield f"{where}: {name} is not open to mechanisms (this file has no GetTypeId)"
        elif quote == '"':
            if name not in homes:
                yield f'{where}: "{name}" is no header of the module'
            elif homes[name] != folder and homes[name] not in allowed_folders:
                yield f"{where}: {folder} may not include {name} of {homes[name]}"


def find_circle(uses):
    """@return names that use each other in a circle, the first also last; empty if there is no circle

    @param uses the set of names that each name uses
    """
    done = set()
    path = []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return []
        path.append(name)
        circle = next(filter(None, map(visit, sorted(uses.get(name, ())))), [])
        path.pop()
        done.add(name)
        return circle

    return next(filter(None, map(visit, sorted(uses))), [])


def includes_by_stem(folders):
    """@return for each mechanism, without .h or .cc, the other files of the module that it includes

    ns-3 classes are left out: a device and its channel know each other, as ns-3 has it.
    """
    uses = {}
    for folder in folders:
        for path in filter(lambda path: not is_ns3_class(path), sources(folder)):
            names = {pathlib.PurePath(name).stem for quote, name in INCLUDE.findall(path.read_text()) if quote == '"'}
            uses.setdefault(path.stem, set()).update(names - {path.stem})
    return uses


def unit_map():
    """@return for each unit of a switch the names of those that it has a reference or a pointer to, without what all may call"""
    units = set(re.findall(r"^    (?:std::(?:unique_ptr|optional)<)?(\w+)>? \w+(?:\{[^}]*\})?;", (ROOT / "model/switch/fabric-switch-units.h").read_text(), re.M))
    used = {}
    for path in sorted((ROOT / "model").rglob("*.h")):
        for name, body in re.findall(r"^class (\w+)[^;{]*\{(.*?)^\};", path.read_text(), re.S | re.M):
            if name in units:
                others = set(re.findall(r"^    (?:const )?(\w+)(?: const)?[&*]+ (?:const )?m_\w+", body, re.M))
                used[name] = others & units - {"SwitchClock", "PlannedChanges", "SwitchPorts", "FramePool", "SwitchConfig", name}
    return {name: sorted(others) for name, others in sorted(used.items()) if others}


def map_lines():
    return [f"    {name} --> {' & '.join(others)}" for name, others in unit_map().items()]


def map_errors():
    """@return a sentence if the map of the units is another one than that of the headers"""
    circle = find_circle(unit_map())
    if circle:
        return [f"units of a switch know each other in a circle: {' -> '.join(circle)}"]
    text = (ROOT / UNIT_MAP).read_text()
    drawn = re.search(r"Which unit calls which now.*?```mermaid\ngraph TD\n(.*?)\n```", text, re.S)
    if drawn and drawn[1].split("\n") == map_lines():
        return []
    return [f"{UNIT_MAP}: the map of units is not that of the headers; check-layering.py --map prints it"]


def main():
    if sys.argv[1:] == ["--map"]:
        print("\n".join(map_lines()))
        return 0
    text = (ROOT / "doc/layers.md").read_text()
    layers = {row[0]: (split(row[1]), row[2]) for row in table_rows(text, "folder")}
    mechanism_headers = split(table_rows(text, "ns-3 headers open to mechanisms")[0][0])
    homes = {path.name: folder for folder in layers for path in sources(folder) if path.suffix == ".h"}

    errors = []
    present = {path.parent.relative_to(ROOT).as_posix() for top in ("model", "helper")
               for path in (ROOT / top).rglob("*") if path.suffix in (".h", ".cc")}
    for folder in sorted(present - layers.keys()):
        errors.append(f"{folder} is not in the table of doc/layers.md")
    for folder, (allowed, ns3) in layers.items():
        for name in sorted(allowed - layers.keys()):
            errors.append(f"doc/layers.md: {folder} may include {name}, which is not in the table")
        for path in sources(folder):
            restricted = ns3 != "everywhere" and not is_ns3_class(path)
            errors += check_file(path, folder, allowed, homes, mechanism_headers if restricted else None)

    circle = find_circle(includes_by_stem(layers))
    if circle:
        errors.append(f"files include each other in a circle: {' -> '.join(circle)}")

    errors += map_errors()
    print("\n".join(errors) or "every include is one that doc/layers.md allows")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
