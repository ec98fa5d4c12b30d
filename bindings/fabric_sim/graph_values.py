# SPDX-License-Identifier: GPL-2.0-only
"""Values that may be graphs of networkx, which is loaded by who has one."""
import sys
from typing import Any

from . import results


def topology_or_none(value: Any, mistake: type[Exception]) -> Any:
    """
    @param mistake what is raised, with the sentence, where a graph is no topology
    @return the graphs.Topology of a graph of networkx; None of anything else
    """
    if "networkx" not in sys.modules:
        return None
    from . import graphs
    try:
        return graphs.topology_of(value) if graphs.is_graph(value) else None
    except results.ResultError as error:
        raise mistake(str(error)) from None
