#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A topology of one's own: four switches in a ring, and the check whether its routes can deadlock."""
from fabric_sim import connect, ns

plan = ns.fabric.TopologyPlan()
for i in range(4):
    plan.switches.push_back(ns.fabric.SwitchPlan(ns.fabric.NO_GROUP, 4, ns.fabric.Tier.EDGE))  # 4 ports each
    plan.links.push_back(ns.fabric.LinkPlan(i, (i + 1) % 4, 0, 1, ns.fabric.LinkClass.FABRIC))  # port 0 to port 1 of the next
    for port in (2, 3): plan.hosts.push_back(ns.fabric.HostPlan(i, port))
for name, routing in ("shortest paths", ns.fabric.MakeShortestPathRouting(plan)), ("up*/down*", ns.fabric.MakeUpDownRouting(plan)):
    print(f"{name}:", ns.fabric.CheckRoutes(plan, routing).Describe(), end="")
fabric, ends = ns.FabricHelper().Install(plan, routing), []  # the second one
for host in range(8):
    ns.FabricMessageSenderHelper(1 << 20).Install(fabric, host, (host + 4) % 8)  # to the opposite switch
connect(fabric.network, "MessageDelivered", lambda message, now: ends.append(now.GetSeconds()))
ns.Simulator.Run()
print(fabric.network.GetTotals().delivered, "bytes in", f"{ends[-1] * 1e6:+g}us")
ns.Simulator.Destroy()
