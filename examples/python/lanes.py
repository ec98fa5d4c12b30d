#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Virtual lanes at a port of a switch: three hosts send in traffic classes of their own, whose lanes have levels and bandwidths."""
import collections
import json
import pathlib

from fabric_sim import connect, ns

LANES = {"lanes": [{"lane": i, "level": level, "group": i, "trafficClass": i} for i, level in enumerate(("high", "low", "low"))],
         "groups": [{"group": 0, "share": 20}, {"group": 1, "share": 50}, {"group": 2, "share": 30}]}
pathlib.Path("lanes.json").write_text(json.dumps(LANES))
helper, plan = ns.FabricHelper(), ns.fabric.MakeChainPlan([3])  # one switch, three hosts and the receiver
helper.SetSwitchAttribute("LaneTableFile", "lanes.json")
fabric, delivered = helper.Install(plan, ns.fabric.MakeShortestPathRouting(plan)), collections.Counter()
for host in range(3):
    sender = ns.FabricMessageSenderHelper(8 << 10)
    sender.SetAttribute("TrafficClass", host)
    sender.SendOnEvery(ns.NanoSeconds(400))  # more than its part of the link
    sender.Install(fabric, host, 3)
connect(fabric.network, "MessageDelivered", lambda message, now: delivered.update({message.src: message.bytes}))
ns.Simulator.Stop(ns.MicroSeconds(200))
ns.Simulator.Run()
print({ns.fabric.HostOf(source): f"{100 * size / delivered.total():.0f} %" for source, size in sorted(delivered.items())})
ns.Simulator.Destroy()
