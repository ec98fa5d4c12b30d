#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes doc/attributes.rst and doc/traces.rst: what the types of the module say of themselves.

Names, defaults, bounds, help and Config paths come from build/bin/fabric-types-program; names and meanings of the arguments of
trace sinks come from the typedefs in the headers, which the types name.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("FABRIC_BIN") or ROOT / os.environ.get("FABRIC_BUILD", "build") / "bin") / "fabric-types-program"
NS3_SIGNATURES = {"ns3::Packet::TracedCallback": ("Ptr<const Packet> packet", {"packet": "the packet"})}
TIME_UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))
FOREVER = 2**62  # ps; times beyond are as good as without a bound


# ---- reStructuredText ----

def heading(title, mark):
    return f"{title}\n{mark * len(title)}\n"


def code(text):
    return f"``{text}``" if text else ""


def prose(text):
    """@return help as text of a page: names in backticks become code, numbers of requirements are left out"""
    text = re.sub(r" \([A-Z]{2}-\d+\)", "", re.sub(r"\s+", " ", text))
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text.replace("*", r"\*"))


def table(columns, widths, rows):
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {' '.join(map(str, widths))}", ""]
    for row in [columns, *rows]:
        for i, cell in enumerate(row):
            lines.append(f"   {'* -' if i == 0 else '  -'} {cell}".rstrip())
    return "\n".join(lines) + "\n"


def page(title, introduction, sections):
    return "\n".join([".. SPDX-License-Identifier: GPL-2.0-only\n.. Written by utils/make-reference.py: change the sources instead.\n",
                      heading(title, "-"), introduction, *sections])


# ---- attributes ----

def time_text(text):
    """@return a time as ns-3 writes it (+4e+08ps) in a unit that suits it"""
    value = float(text.removesuffix("ps"))
    if value == 0:
        return "0"
    scale, unit = next((scale, unit) for scale, unit in TIME_UNITS if abs(value) >= scale)
    return f"{value / scale:g} {unit}"


def rate_text(rate):
    return f"{rate / 1e9:g} Gb/s" if rate else "0"


def is_any_integer(kind, low, high):
    """@return whether bounds are those of the type of integers itself"""
    bits = int(re.search(r"\d+", kind)[0])
    return (int(low), int(high)) == (0, 2**bits - 1)


def allowed(attribute):
    """@return what an attribute may be, in words"""
    kind, _, bounds = attribute["bounds"].partition(" ")
    if "Enum" in attribute["type"]:
        return ", ".join(map(code, attribute["bounds"].split("|")))
    if kind in ("bool", "DataRate", "Address", "QueueSize"):
        return {"bool": "``true``, ``false``", "DataRate": "rate", "Address": "address", "QueueSize": "size of a queue"}[kind]
    if kind.startswith("ns3::Ptr<"):
        return code(re.search(r"ns3::(\w+) >", attribute["bounds"])[1])
    if ":" not in bounds:
        return "text"
    low, high = bounds.split(":")
    if kind == "Time":
        return f"time from {time_text(low)}" + ("" if float(high.removesuffix("ps")) >= FOREVER else f" to {time_text(high)}")
    if kind == "double":
        return f"from {low}" + ("" if float(high) > 1e300 else f" to {high}")
    if is_any_integer(kind, low, high):
        return "whole number"
    return f"from {low}" + ("" if int(high) in (2**32 - 1, 2**64 - 1) else f" to {high}")


def initial(attribute):
    if attribute["bounds"].startswith("Time"):
        return time_text(attribute["initial"])
    if "DataRate" in attribute["type"]:
        return rate_text(int(attribute["initial"].removesuffix("bps")))
    if "Pointer" in attribute["type"] or "Address" in attribute["type"]:
        return "none"
    return code(attribute["initial"]) or "empty"


def attribute_section(type_):
    rows = [(code(a["name"]), initial(a), allowed(a), prose(a["help"])) for a in type_["attributes"]]
    fixed = [a["name"] for a in type_["attributes"] if not a["settable"]]
    changeable = [a["name"] for a in type_["attributes"] if a["settable"]]
    when = "All may be set in the run."
    if not changeable:
        when = "All are fixed when the object is installed."
    elif fixed:
        when = f"Of these {', '.join(map(code, changeable))} may be set in the run; the others are fixed when the object is installed."
    return "\n".join([heading(type_["name"].removeprefix("ns3::"), "*"),
                      f"A kind of ``{type_['parent']}``. {when}\n",
                      table(("attribute", "default", "allowed", "meaning"), (20, 12, 18, 50), rows)])


# ---- trace sources ----

def headers():
    return {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "model").rglob("*.h"))}


def signature(callback, sources):
    """@return arguments of a callback as they are written, and the meaning of each"""
    if callback in NS3_SIGNATURES:
        return NS3_SIGNATURES[callback]
    _, owner, name = callback.rsplit("::", 2)
    pattern = re.compile(r"/\*\*((?:(?!\*/).)*?)\*/\s*typedef void \(\*%s\)\(([^)]*)\);" % name, re.S)
    # A type may inherit its trace sources, and the typedefs with them.
    found = [match for text in sources.values() for match in pattern.finditer(text)
             if re.search(rf"class {owner}\b(?!;)", text) or f"class {owner}Traces" in text]
    if len(found) != 1:
        sys.exit(f"{callback}: there are {len(found)} typedefs of it in the headers; there should be one")
    comment = re.sub(r"\s*\n\s*\*\s?", " ", found[0][1])
    meanings = {match[1]: match[2].strip() for match in re.finditer(r"@param (?:\[in\] )?(\w+) ((?:(?!@param).)*)", comment)}
    arguments = re.sub(r"\s+", " ", found[0][2])
    names = [argument.split()[-1] for argument in arguments.split(",")]
    if set(names) != set(meanings):
        sys.exit(f"{callback}: its arguments are {names}, and documented are {[*meanings]}")
    return arguments, meanings


def members(name, sources):
    """@return (member, meaning) of a struct or enumeration of the namespace fabric, as the header has them"""
    pattern = re.compile(r"^(?:struct|enum class|class) %s\b[^;{]*\{(.*?)^\};" % name, re.M | re.S)
    body = next(match[1] for text in sources.values() if (match := pattern.search(text)))
    rows = []
    for line in body.splitlines():
        found = re.match(r"    (?:    )?(?! |static)(?:.*?\s)??(\w+)(?:\[\w+\])?(?:\{.*\}| : \d+| = [^,]*)?[;,]? +///< (.*)", line)
        more = re.match(r"\s+///< (.*)", line)
        if found and found[1] != "COUNT":
            rows.append([found[1], found[2]])
        elif more and rows:
            rows[-1][1] += " " + more[1]
    return rows


def explanation(by_words):
    """@return what an argument means, by trace source where that differs"""
    if len(by_words) == 1:
        return prose(*by_words)
    return "; ".join(f"{prose(words)} ({', '.join(names)})" for words, names in by_words.items())


def trace_section(type_, sources):
    rows, meanings = [], {}
    for trace in type_["traces"]:
        arguments, meant = signature(trace["callback"], sources)
        rows.append((code(trace["name"]), prose(trace["help"]), code(f"void ({arguments})")))
        for name, words in meant.items():
            meanings.setdefault(name, {}).setdefault(words, []).append(code(trace["name"]))
    explained = [(code(name), explanation(by_words)) for name, by_words in meanings.items()]
    name = type_["name"].removeprefix("ns3::")
    path = f"Config path: ``{type_['path']}/`` and the name of the trace source.\n"
    return "\n".join([heading(name, "*"), path, table(("trace source", "is called when", "signature of the sink"), (18, 42, 40), rows),
                      table(("argument", "meaning"), (18, 82), explained)])


def argument_section(name, sources):
    rows = [(code(member), prose(meaning)) for member, meaning in members(name, sources)]
    return heading(f"fabric::{name}", "=") + "\n" + table(("member", "meaning"), (25, 75), rows) if rows else None


def traces_page(types, sources):
    traced = [type_ for type_ in types if type_["traces"]]
    sections = [trace_section(type_, sources) for type_ in traced]
    used = "".join(signature(trace["callback"], sources)[0] for type_ in traced for trace in type_["traces"])
    names = sorted(set(re.findall(r"fabric::(\w+)", used)))
    sections.append(heading("What sinks get", "*"))
    sections += filter(None, (argument_section(name, sources) for name in names))
    return page("Trace sources", """\
``Config::Connect(path, MakeCallback(&Sink))`` calls ``Sink`` with the path of the object as its first argument, a ``std::string``;
``Config::ConnectWithoutContext()`` and ``object->TraceConnectWithoutContext(name, MakeCallback(&Sink))`` call it without. A ``*`` in a
path stands for all; a number picks one, as in ``/NodeList/3/...``. The first node is the first host. Connect after ``Install()``. :doc:`tutorial` has a program.

A switch whose trace source has a sink is advanced instant by instant, which takes longer; the results are the same (:doc:`data-path`).
Times ending in ``Ps`` or said to be ps are whole picoseconds; ``fabric::HostOf()`` turns a location into the number of a host.
Where ``FabricTransport``, ``FabricPio`` and ``FabricCommandQueues`` tell of what their NIC does, ``Simulator::GetContext()`` may be the node of a switch; the path has that of the host.
""", sections)


def attributes_page(types):
    sections = [attribute_section(type_) for type_ in types if type_["attributes"]]
    return page("Attributes", """\
A program sets the default of an attribute by ``Config::SetDefault("ns3::FabricSwitch::Latency", StringValue("100ns"))`` or by a helper, and a
command line by ``--ns3::FabricSwitch::Latency=100ns``. Names of types are those below with ``ns3::`` before. A type also has the
attributes of the type that it is a kind of.
""", sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", metavar="FOLDER", type=pathlib.Path, default=ROOT / "doc", help="where the pages go")
    folder = parser.parse_args().output
    types = json.loads(subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout)
    types.sort(key=lambda type_: type_["name"])
    (folder / "attributes.rst").write_text(attributes_page(types), encoding="utf-8")
    (folder / "traces.rst").write_text(traces_page(types, headers()), encoding="utf-8")


if __name__ == "__main__":
    main()
