#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A switch shapes its output to a host: applications of one traffic class, told apart by VNI, get a minimum, a maximum and the rest."""
import collections
import json
import pathlib

from fabric_sim import connect, ns

TABLE = {"classes": [{"class": i, "vni": i, "queue": i} for i in (1, 2)],
         "leaves": [{"queue": 0, "branch": 0}, {"queue": 1, "rate": "100Gbps", "branch": 1}, {"queue": 2, "rate": "20Gbps", "branch": 2}],
         "branches": [{"branch": 0, "rate": "unlimited"}], "head": {"rate": 0}}
pathlib.Path("shaping.json").write_text(json.dumps(TABLE))
helper, plan = ns.FabricHelper(), ns.fabric.MakeChainPlan([3])  # one switch, three hosts and the receiver
helper.SetSwitchAttribute("HostShapingTableFile", "shaping.json")
fabric, delivered = helper.Install(plan, ns.fabric.MakeShortestPathRouting(plan)), collections.Counter()
for host in range(3):
    sender = ns.FabricMessageSenderHelper(4096)
    sender.SetAttribute("Vni", host)
    sender.SendOnEvery(ns.NanoSeconds(200))  # more than its part of the link
    sender.Install(fabric, host, 3)
connect(fabric.network, "MessageDelivered", lambda message, now: delivered.update({message.vni: message.bytes}))
ns.Simulator.Stop(ns.MicroSeconds(400))
ns.Simulator.Run()
print({vni: f"{8 * size / 400e3:.0f} Gb/s" for vni, size in sorted(delivered.items())})
ns.Simulator.Destroy()
