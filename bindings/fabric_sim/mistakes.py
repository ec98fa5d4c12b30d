# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes that end a C++ program of ns-3 and are an exception in Python."""
import functools
import re

SETTERS = {"SetAttribute": None, "SetTypeId": None, "SetDefault": None, "Bind": None, "Set": ("Config", "ObjectFactory")}  # and whose


def guard(cppyy, kind) -> None:
    """
    Lets functions in which ns-3 ends the process raise BadInput instead, with what ns-3 says.

    @param kind a class or a namespace of ns-3
    """
    for base in getattr(kind, "__mro__", (kind,)):  # newer helpers inherit SetAttribute()
        _guard_own(cppyy, base)


def _guard_own(cppyy, kind):
    for name, owners in SETTERS.items():
        if owners is None or getattr(kind, "__name__", "") in owners:
            function = getattr(kind, name, None)
            if hasattr(function, "__sig2exc__") and name in vars(kind):
                function.__sig2exc__ = True
                guarded = _guarded(cppyy, function)
                setattr(kind, name, staticmethod(guarded) if kind.__name__ in ("Config", "GlobalValue") else guarded)


def _guarded(cppyy, function):
    @functools.wraps(function)
    def guarded(*arguments):
        watch = cppyy.gbl.ns3.fabric.python.FatalWatch()
        try:
            return function(*arguments)
        except SystemError:
            found = re.search(r'msg="(.*?)", ', str(watch.Said()))
            if not found:
                raise
            said = found[1]
        finally:
            watch.__destruct__()
        raise cppyy.gbl.std.invalid_argument(said)
    return guarded
