#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A topology of one's own: four switches in a ring, and the check whether its routes can deadlock."""
from fabric_sim import ns

helper, plan = ns.FabricHelper(), ns.fabric.TopologyPlan()
for i in range(4):
    plan.switches.push_back(ns.fabric.SwitchPlan(ns.fabric.NO_GROUP, 4, ns.fabric.Tier.EDGE))  # 4 ports each
    plan.links.push_back(ns.fabric.LinkPlan(i, (i + 1) % 4, 0, 1, ns.fabric.LinkClass.FABRIC))  # port 0 to port 1 of the next
    for port in (2, 3):
        plan.hosts.push_back(ns.fabric.HostPlan(i, port))
shortest, up_down = ns.fabric.MakeShortestPathRouting(plan), ns.fabric.MakeUpDownRouting(plan)
print("shortest paths:", ns.fabric.CheckRoutes(plan, shortest).Describe(), end="")
print("up*/down*:", ns.fabric.CheckRoutes(plan, up_down).Describe(), end="")
fabric = helper.Install(plan, up_down)
for host in range(8):
    ns.FabricMessageSenderHelper(1 << 20).Install(fabric, host, (host + 4) % 8)  # to the opposite switch
ns.Simulator.Run()
print(fabric.network.GetTotals().delivered, "bytes in", f"{ns.Simulator.Now().GetSeconds() * 1e6:+g}us")
ns.Simulator.Destroy()
