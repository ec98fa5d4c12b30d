# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's log: what the components tell, and that they change nothing."""
import os
import re
import subprocess

import pytest

from programs import BIN

PREFIX = "|prefix_time|prefix_node"
COMPONENTS = [
    ("FabricSwitch=level_all", ["fabric-switch-latency"], r"port 0 gets 8 bytes from 1 to 2 class 0 vc 0"),
    ("FabricSwitch=level_info", ["fabric-congestion", "--k=4", "--senders=12", "--bytes=300KiB", "--duration=100us"], r"port \d restrains flow \d+ of its host for \d+ ps"),
    ("FabricSwitch=level_info", ["fabric-transport", "--senders=2", "--ns3::FabricSwitch::EdgeFlowControl=pause", "--ns3::FabricSwitch::PauseXoffBytes=5000",
                                 "--ns3::FabricSwitch::PauseXonBytes=4000", "--bytes=100000"], r"port \d sends a pause: stops priorities 255 for [1-9]\d+ ps"),
    ("FabricNetDevice", ["fabric-permutation", "--k=4", "--transport=tcp", "--bytes=20000"], r"location 2 gets a packet of \d+ bytes from 02:00:00:00:00:"),
    ("FabricNetwork", ["fabric-switch-latency"], r"a message of 8 bytes from 1 to 2 is delivered, 551280 ps after its begin"),
    ("FabricChannel", ["fabric-transport", "--failAt=5us", "--repairAt=25us"], r"the link of nodes \d and \d is repaired"),
    ("FabricTransport", ["fabric-transport", "--count=2"], r"node 0 at \+[\d.]+ns sends pushSlctdReq to 02-06-02:00:00:00:00:02: type=1 cid=1 psn=0 rsn=0 "),
    ("FabricTransport=level_info", ["fabric-transport", "--count=2"], r"node 1: connection 1 is accepted"),
    ("FabricTransport", ["fabric-transport", "--count=2", "--over=ip"], r"node 1 at \+[\d.]+ns takes connect from "),
    ("FabricInitiatorApplication", ["fabric-transport", "--count=2"], r"node 0 is done: 2 operations, and 0 that failed"),
    ("FabricTargetApplication", ["fabric-transport", "--count=2"], r"node 1 has 1024 receive buffers"),
    ("FabricPio", ["fabric-pio", "--duration=5us"], r"node 0 at \+[\d.]+ns: context 0 has back \d+ blocks"),
    ("FabricPioApplication", ["fabric-pio", "--duration=5us"], r"node 0 sends \d+ messages of 248 bytes to location 2"),
    ("FabricCommandQueues", ["fabric-nic", "--duration=5us"], r"node 0 at \+[\d.]+ns: outbound ends for command 0 of location 1, queue 0, 8 bytes from 0"),
    ("FabricCommandQueues=level_info", ["fabric-nic", "--duration=100us", "--operation=send", "--bytes=5000", "--load=1", "--loss=0.05", "--retryTimeout=8us"],
     r"node 0 at \+[\d.]+ns sends \d+ bytes to location 2 again"),
    ("FabricCommandApplication", ["fabric-nic", "--duration=5us"], r"node 0 posts \d+ commands of 8 bytes to location 2"),
]


def run_logged(command, log):
    return subprocess.run([BIN / command[0], *command[1:]], env={**os.environ, "NS_LOG": log}, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("log, command, line", COMPONENTS)
def test_dp5_a_log_shows_what_happens_and_changes_nothing(log, command, line):
    plain, logged = run_logged(command, ""), run_logged(command, (log if "=" in log else log + "=level_all") + PREFIX)
    assert (plain.returncode, plain.stderr) == (0, "")
    assert (logged.returncode, logged.stdout) == (0, plain.stdout)
    assert re.search(line, logged.stderr), logged.stderr[:2000]


@pytest.mark.parametrize("component, command", [("FabricTransport", ["fabric-transport", "--topology=fat-tree", "--senders=4"]),
                                                ("FabricPio", ["fabric-permutation", "--k=4", "--bytes=20000", "--transport=pio"]),
                                                ("FabricCommandQueues", ["fabric-allreduce", "--k=4", "--duration=40us"])])
def test_dp5_what_only_one_thread_can_log_is_refused(component, command):
    done = run_logged([*command, "--threads=2"], component + "=level_all")
    assert done.returncode == 2
    assert "traced or logged, but there are 2 threads; allowed is 1" in done.stderr
