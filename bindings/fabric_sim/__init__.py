# SPDX-License-Identifier: GPL-2.0-only
"""
Fabrics of supercomputers from Python: the C++ classes of the module, tables of runs, sweeps and pictures.

Nothing heavy is loaded before it is used: `fabric_sim.ns` loads ns-3, `fabric_sim.plots` matplotlib, `fabric_sim.Sweep` pandas.
"""
import importlib
import typing

if typing.TYPE_CHECKING:  # for type checkers and editors, which do not run __getattr__
    from . import figures, plots, results, sweep
    from .calls import BadInput, as_address, attributes_of, connect, connect_path, schedule, schedule_at, set_attributes, set_default
    from .figures import over_seeds, percentiles, slowdowns
    from .graphs import write_topology
    from .model import ns
    from .report import write_report
    from .results import ResultError, read_run
    from .run import InvariantError, Run
    from .command_stages import CommandStages
    from .stages import Stages
    from .sweep import Sweep, SweepError, read_table
    from .trace_events import write_trace_events

_PLACES = {
    "ResultError": "results", "read_run": "results",
    "percentiles": "figures", "slowdowns": "figures", "over_seeds": "figures",
    "Sweep": "sweep", "SweepError": "sweep", "read_table": "sweep",
    "ns": "model",
    "BadInput": "calls", "as_address": "calls", "attributes_of": "calls", "connect": "calls", "connect_path": "calls", "schedule": "calls", "schedule_at": "calls", "set_attributes": "calls", "set_default": "calls",
    "Run": "run", "InvariantError": "run", "Stages": "stages", "CommandStages": "command_stages", "write_report": "report", "write_trace_events": "trace_events",
    "write_topology": "graphs",
}
_MODULES = ("figures", "plots", "results", "sweep")

__all__ = [*_PLACES, *_MODULES]


def __getattr__(name: str) -> typing.Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
