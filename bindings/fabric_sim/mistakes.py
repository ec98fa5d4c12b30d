# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes that end a C++ program of ns-3 and are an exception in Python."""
import functools
import numbers
import re

CONTAINERS = ("ApplicationContainer", "Ipv4InterfaceContainer", "NetDeviceContainer", "NodeContainer")
# Functions in which ns-3 ends the process where it is told nonsense, and whose they are; None for those of any class.
FATAL = {"SetAttribute": None, "SetTypeId": None, "SetDefault": ("Config",), "Bind": ("GlobalValue",), "Set": ("Config", "ObjectFactory"),
         "__init__": ("DataRate", "ObjectFactory", "Time"), "LookupByName": ("TypeId",), "Get": CONTAINERS}
# Functions that refuse mistakes by an exception and have overloads, or take numbers of numpy, and whose they are; besides those of helpers.
OVERLOADED = {"SendMessage": ("FabricNetDevice",), "__init__": ("FabricPatternTraffic", "IntegerValue", "UintegerValue")}
# What C++ has said, in a TypeError that cppyy makes of the errors of all overloads: it does so once a call has been right.
REFUSED = re.compile(r"^  (?=\S)(?!.*=>$)(.+)$", re.M)


def guard(cppyy, kind) -> None:
    """
    Lets functions in which ns-3 ends the process raise BadInput instead, with what ns-3 says.

    @param kind a class or a namespace of ns-3
    """
    for base in getattr(kind, "__mro__", (kind,)):  # newer helpers inherit SetAttribute()
        _guard_own(cppyy, base)


def _guard_own(cppyy, kind):
    for name in _names(kind, getattr(kind, "__name__", "")):
        function = getattr(kind, name, None)  # makes it known in a namespace
        if hasattr(function, "__sig2exc__") and name in vars(kind):
            function.__sig2exc__ = True
            guarded = _guarded(cppyy, function)
            isolated = kind.__name__ in ("Config", "GlobalValue") or (function.__doc__ or "").startswith("static ")
            setattr(kind, name, staticmethod(guarded) if isolated else guarded)


def _names(kind, called):
    """@return names of the functions of a class that are guarded: all that set up something, of helpers"""
    if called.endswith("Helper"):
        return [name for name in vars(kind) if name == "__init__" or (name[:1].isupper() and not name.startswith("Get"))]
    return list(dict.fromkeys(name for functions in (FATAL, OVERLOADED) for name, owners in functions.items() if owners is None or called in owners))


def plain(value):
    """@return a whole number of numpy or pandas as one of Python, which C++ takes; anything else as it is"""
    return int(value) if isinstance(value, numbers.Integral) and not isinstance(value, int) else value


def _guarded(cppyy, function):
    @functools.wraps(function)
    def guarded(*arguments, **named):
        watch = cppyy.gbl.ns3.fabric.python.FatalWatch()
        try:
            return function(*map(plain, arguments), **named)
        except (SystemError, TypeError) as error:  # where there are overloads, cppyy makes one TypeError of all their errors
            found = re.search(r'msg="(.*?)", ', str(watch.Said())) or REFUSED.search(str(error))
            if not found:
                raise
            said = found[1]
        finally:
            watch.__destruct__()
        raise cppyy.gbl.std.invalid_argument(said)
    return guarded
