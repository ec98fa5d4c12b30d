# SPDX-License-Identifier: GPL-2.0-only
"""Where commands of command queues and their packets are at each time, from the application's request to the event that software sees."""
import io
from typing import Any

import pandas

from .model import cppyy, ns


class CommandStages:
    """
    Records the stages of commands in a run:

        with Run(k=4) as run:
            stages = CommandStages([commands.Install(run.fabric, host) for host in (0, 3)])
            ...
            run.until(20e-6)
            plots.command_stages(stages.table().query("command == 0"))

    The queues of both ends are needed. doc/nic-commands.rst says what the stages are. It takes some hundred bytes and nanoseconds for each.
    """

    def __init__(self, queues: Any) -> None:
        """@param queues FabricCommandQueues of hosts"""
        self._recorder = ns.FabricCommandRecorder()
        for each in queues:
            self._recorder.Add(each)

    def table(self) -> pandas.DataFrame:
        """@return a row for each stage of each command and packet that has ended: the command, the packet if it is one's, host and times"""
        text = cppyy.gbl.std.ostringstream()
        self._recorder.WriteStages(text)
        return pandas.read_csv(io.StringIO(str(text.str())))
