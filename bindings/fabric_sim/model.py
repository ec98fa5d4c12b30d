# SPDX-License-Identifier: GPL-2.0-only
"""
The C++ classes of the module and of ns-3, in one namespace:

    from fabric_sim import ns
    tree = ns.FatTreeHelper(8)

A header is read when the first name in it is asked for. Where ns-3's own bindings are loaded already (`from ns import ns`), all of the
module's are read at once, and both names mean the same namespace.
"""
import functools
import importlib
import os
import pathlib
import re
import sys
from typing import Any

from .mistakes import guard
from .place import find_place

FIRST_HEADERS = ("nstime.h", "simulator.h", "string.h", "uinteger.h", "double.h", "boolean.h", "data-rate.h", "config.h", "object-factory.h")
# What a class that has been read returns objects of, while its header only names their class.
COMPLETED = """
#if defined(FABRIC_SWITCH_H) && !defined(FABRIC_SWITCH_PORT_H)
#include "ns3/fabric-switch-port.h"
#endif
"""
# A class that a header defines, and not only names: a pointer to one that is named alone can't be used.
DEFINITION = re.compile(r"^(?:class|struct)\s+(?:alignas\(\w+\)\s+)?(\w+)\b(?!.*;)", re.M)
DECLARATION = r"^(?:class|struct|enum(?: class)?)\s+{0}\b(?!.*;)|^(?:[\w:<>,&* ]+\s)?{0}\(|^using {0} =|^(?:inline )?constexpr .*\b{0}\b"


def _load():
    """Loads cppyy, the library and what every program needs. @return cppyy and the folders of headers"""
    place = find_place()
    if "cppyy" not in sys.modules:
        os.environ.setdefault("EXTRA_CLING_ARGS", f"-std=c++{place.standard}")
    cppyy = importlib.import_module("cppyy")
    cppyy.add_include_path(str(place.include))
    if place.ns3_include != pathlib.Path("/usr/include"):
        cppyy.add_include_path(str(place.ns3_include))
    cppyy.load_library(str(place.library))
    for header in FIRST_HEADERS:
        cppyy.include(f"ns3/{header}")
    cppyy.include("ns3/fabric-resolution.h")
    for header in ("bridge.h", "fatal.h"):
        cppyy.include(str(pathlib.Path(__file__).with_name(header)))
    if "ns" in sys.modules or "ns3.ns" in sys.modules:
        cppyy.include("ns3/fabric-module.h")
    return cppyy, (place.include / "ns3", place.ns3_include / "ns3"), place


cppyy, _folders, place = _load()
_ns3 = cppyy.gbl.ns3
guard(cppyy, _ns3.ObjectBase)


def _headers():
    """@return names and texts of all headers, those of this module first"""
    for folder in _folders:
        for path in sorted(folder.glob("*.h")):
            if not path.name.endswith("-module.h"):
                yield path.name, path.read_text(encoding="utf-8", errors="replace")


@functools.cache
def _definitions():
    """@return the headers that define classes, by class"""
    headers = {}
    for header, text in _headers():
        for name in DEFINITION.findall(text):
            headers.setdefault(name, header)
    return headers


def _headers_with(name):
    """@return the headers that say a name at the start of a line, those of this module first"""
    declared = re.compile(DECLARATION.format(re.escape(name)), re.M)
    return (header for header, text in _headers() if name in text and declared.search(text))


def _read(header):
    """Reads a header, and what completes it."""
    cppyy.include(f"ns3/{header}")
    cppyy.cppdef(COMPLETED)


class Namespace:
    """A C++ namespace whose headers are read when a name is asked for."""

    def __init__(self, name: str, cpp: Any) -> None:
        self._name = name
        self._cpp = cpp

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _definitions():
            _read(_definitions()[name])
        if not hasattr(self._cpp, name):
            for header in _headers_with(name):
                _read(header)
                if hasattr(self._cpp, name):
                    break
            else:
                raise AttributeError(f"{self._name} has no {name}: no header of ns-3 or of the module declares it")
        value = getattr(self._cpp, name)
        guard(cppyy, value)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *dir(self._cpp)})


ns: Any = Namespace("ns", _ns3)
ns.fabric = Namespace("ns.fabric", _ns3.fabric)
