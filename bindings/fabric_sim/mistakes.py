# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes that end a C++ program of ns-3 and are an exception in Python."""
import functools
import numbers
import re

from .values import argument_text, is_plain, plain

CONTAINERS = ("ApplicationContainer", "Ipv4InterfaceContainer", "NetDeviceContainer", "NodeContainer")
# Functions in which ns-3 ends the process where it is told nonsense, and whose they are; None for those of any class.
FATAL = {"SetAttribute": None, "SetTypeId": None, "SetDefault": ("Config",), "Bind": ("GlobalValue",), "Set": ("Config", "ObjectFactory"),
         "__init__": ("DataRate", "ObjectFactory", "Time"), "LookupByName": ("TypeId",), "Get": CONTAINERS}
# Functions that refuse mistakes by an exception and have overloads, or take numbers of numpy, and whose they are; besides those of helpers.
OVERLOADED = {"SendMessage": ("FabricNetDevice",), "__init__": ("FabricPatternTraffic", "IntegerValue", "UintegerValue")}
# Functions whose last argument is the value of an attribute.
ATTRIBUTE_SETTERS = re.compile(r"Set\w*Attribute|SetDefault|Set|Bind")
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
            guarded = _guarded(cppyy, function, kind)
            isolated = kind.__name__ in ("Config", "GlobalValue") or (function.__doc__ or "").startswith("static ")
            setattr(kind, name, staticmethod(guarded) if isolated else guarded)


def _names(kind, called):
    """@return names of the functions of a class that are guarded: all that set up something, of helpers"""
    if called.endswith("Helper"):
        return [name for name in vars(kind) if name == "__init__" or (name[:1].isupper() and not name.startswith("Get"))]
    return list(dict.fromkeys(name for functions in (FATAL, OVERLOADED) for name, owners in functions.items() if owners is None or called in owners))


def as_value(cppyy, value):
    """@return ns-3's AttributeValue of a text, a number, True, False or a list of them; anything else as it is"""
    return cppyy.gbl.ns3.StringValue(argument_text(value)) if is_plain(value) else value


def _guarded(cppyy, function, kind):
    sets_attribute = ATTRIBUTE_SETTERS.fullmatch(function.__name__)
    is_of_module = kind.__name__.startswith("Fabric")

    @functools.wraps(function)
    def guarded(*arguments, **named):
        if sets_attribute and arguments:
            arguments = (*arguments[:-1], as_value(cppyy, arguments[-1]))
            if is_of_module:
                cppyy.gbl.ns3.fabric.RequirePicoseconds()  # or times would have the bounds of ns-3's nanoseconds
        watch = cppyy.gbl.ns3.fabric.python.FatalWatch()
        try:
            return function(*(plain(value) if isinstance(value, numbers.Number) else value for value in arguments), **named)
        except (SystemError, TypeError) as error:  # where there are overloads, cppyy makes one TypeError of all their errors
            found = re.search(r'msg="(.*?)", ', str(watch.Said())) or REFUSED.search(str(error))
            if not found:
                raise
            said = found[1]
        finally:
            watch.__destruct__()
        raise cppyy.gbl.std.invalid_argument(said)
    return guarded
