# SPDX-License-Identifier: GPL-2.0-only
"""Python functions as trace sinks and events, and mistakes as Python exceptions."""
import functools
import itertools
import re
from collections.abc import Callable
from typing import Any

import pandas

from .mistakes import as_value
from .model import cppyy, ns
from .values import argument_text, is_plain, plain, seconds_text


def in_python(sentence: str) -> str:
    """@return a sentence of C++ with what Python has in the place of options: `k=1: allowed is ...` for `--k=1: allowed is ...`"""
    sentence = re.sub(r"--PrintAttributes=([\w:]+)", r'attributes_of("\1")', sentence)
    sentence = re.sub(r"; --Print\w+ lists all", "", sentence)
    return re.sub(r"(?<![^\s,(])--(?=[a-zA-Z])", "", sentence)


BadInput: Any = cppyy.gbl.std.invalid_argument  # what the C++ classes throw for a mistake of the user
BadInput.__str__ = lambda error: in_python(str(error.what()))

_bridge = ns.fabric.python
_functions: dict[int, Callable] = {}
_numbers = itertools.count(1)


def _call_once(number):
    """An event happens."""
    function = _functions.pop(number, None)
    if function:
        function()


def _call(number, *arguments):
    """A trace source tells something."""
    function = _functions.get(number)
    if function:
        function(*arguments)


def _keep(function):
    """@return the number by which C++ calls a function"""
    if not callable(function):
        raise TypeError(f"{function!r} is no function")
    number = next(_numbers)
    _functions[number] = function
    return number


class Connection:
    """A Python function that is called by a trace source."""

    def __init__(self, number: int) -> None:
        self._number = number

    def disconnect(self) -> None:
        """The function is not called any more."""
        _functions.pop(self._number, None)


def schedule(delay: Any, function: Callable[[], None]) -> Any:
    """
    Calls a function later in the simulation.

    @param delay ns-3's Time, a text such as "10us", or a number of seconds
    @return ns-3's EventId
    """
    return _bridge.Schedule(as_time(delay), _call_once, _keep(function))


def schedule_at(node: int, delay: Any, function: Callable[[], None]) -> None:
    """As schedule(), for something that happens at a node, such as what an application does."""
    _bridge.ScheduleAt(node, as_time(delay), _call_once, _keep(function))


def connect(thing: Any, source: str, function: Callable) -> Connection:
    """
    Calls a function for each that a trace source tells. What it is given lives as long as the call: keep numbers, not the objects.

    @param thing an ns-3 object
    @param source name of the trace source, such as "MessageDelivered"
    """
    thing = _object(thing)
    sink = _sink(_signature_of(thing, source))
    number = _keep(function)
    sink.Connect(thing, source, _call, number)
    return Connection(number)


def connect_path(path: str, function: Callable) -> list[Connection]:
    """
    Calls a function for each that trace sources tell, with the path of the source as its first argument, as Config::Connect().

    @param path of the sources, such as "/NodeList/*/$ns3::FabricSwitch/Send"
    @return a connection for each object that was found
    """
    objects, _, source = path.rpartition("/")
    found = ns.Config.LookupMatches(objects)
    if found.GetN() == 0:
        raise ValueError(f"{path}: there is no such object")
    return [connect(found.Get(i), source, functools.partial(function, f"{str(found.GetMatchedPath(i)).rstrip('/')}/{source}"))
            for i in range(found.GetN())]


def set_attributes(thing: Any, **values: Any) -> None:
    """
    Sets attributes of an object: set_attributes(channel, DataRate="100Gbps"). All are checked before the first is set. Of a helper
    with SetAttribute() it sets those of what the helper makes, one after the other.

    @param values texts as on a command line, numbers, lists, or ns-3's values
    """
    thing = _object(thing)
    if not hasattr(thing, "GetInstanceTypeId"):
        _set_by_helper(thing, values)
        return
    checked = {name: as_value(cppyy, value) for name, value in values.items()}
    check = ns.fabric.CheckAttribute.__overload__("ns3::TypeId,const std::string&,const ns3::AttributeValue&")
    for name, value in checked.items():
        check(thing.GetInstanceTypeId(), name, value)
    for name, value in checked.items():
        ns.fabric.SetChecked(thing, name, value)


def _set_by_helper(helper, values):
    """Sets attributes of what a helper makes."""
    if not hasattr(helper, "SetAttribute"):
        setters = [name for name in dir(helper) if re.fullmatch(r"Set\w+Attribute", name)]
        raise TypeError(f"{type(helper).__name__} has no SetAttribute(); it has {', '.join(setters) or 'no attributes'}")
    for name, value in values.items():
        helper.SetAttribute(name, value)


def set_default(name: str, value: Any) -> None:
    """
    @param name of an attribute, "ns3::FabricSwitch::Latency", or of a global value, "RngRun"
    @param value a text as on a command line, a number, or a list
    """
    if name.startswith("ns3::Fabric"):
        ns.fabric.RequirePicoseconds()  # or times would have the bounds of ns-3's nanoseconds
    ns.fabric.SetDefaultChecked(name, argument_text(value))


def attributes_of(kind: str) -> pandas.DataFrame:
    """
    @param kind name of a type, such as "ns3::FabricSwitch"
    @return a row for each attribute that its objects have: full name, the value that new ones get, and help
    """
    type_of = ns.TypeId()
    if not ns.TypeId.LookupByNameFailSafe(kind, type_of):
        raise BadInput(f"there is no type {kind}")
    rows = []
    while True:
        for i in range(type_of.GetAttributeN()):
            attribute = type_of.GetAttribute(i)
            rows.append([type_of.GetAttributeFullName(i), attribute.initialValue.SerializeToString(attribute.checker), attribute.help])
        if not type_of.HasParent() or type_of.GetParent() == type_of:
            return pandas.DataFrame(rows, columns=["attribute", "value", "help"]).map(str)
        type_of = type_of.GetParent()


def as_time(value: Any) -> Any:
    """@return ns-3's Time of a text such as "1.5us", or of a number of seconds"""
    if isinstance(value, bool) or not is_plain(value):
        return value
    text = value if isinstance(value, str) else seconds_text(plain(value))
    if not re.fullmatch(r"(\d+\.?\d*|\.\d+)(e[+-]?\d+)?(ps|ns|us|ms|s|min|h|d|y)", text):
        raise ValueError(f"{value}: allowed is a time such as 350ns or 1.5us, or a number of seconds")
    return ns.Time(text)


def as_address(address: Any) -> Any:
    """@return ns-3's Address of one of a kind, such as an InetSocketAddress, which C++ converts by itself"""
    return _bridge.AddressOf(address)


def _object(thing):
    """@return the object that an ns-3 Ptr points to, or the object itself"""
    return thing.__deref__() if hasattr(thing, "__deref__") else thing


def _signature_of(thing, source):
    """@return the type of the functions that a trace source calls, as the source names it"""
    kind = type_of = thing.GetInstanceTypeId()
    known = []
    while True:
        for i in range(kind.GetTraceSourceN()):
            information = kind.GetTraceSource(i)
            known.append(str(information.name))
            if known[-1] == source:
                return str(information.callback)
        if not kind.HasParent() or kind.GetParent() == kind:
            break
        kind = kind.GetParent()
    raise ValueError(f"{type_of.GetName()} has no trace source {source}; it has {', '.join(sorted(known)) or 'none'}")


@functools.cache
def _sink(signature):
    """@return the class that connects sources of a kind"""
    for inside, kind in re.findall(r"\bns3::(fabric::)?(\w+)", signature):
        getattr(ns.fabric if inside else ns, kind, None)  # reads its header
    name = f"SinkOf{_sink.cache_info().currsize}"
    # As a template argument in Python, cppyy would lose the types in the signature.
    if not cppyy.cppdef(f"namespace ns3::fabric::python {{ struct {name} : Sink<{signature}> {{}}; }}"):
        raise ValueError(f"{signature}: there is no such signature of a trace source")
    return getattr(_bridge, name)
