#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Command queues of a NIC: latency of a write of 8 bytes by the path that the driver chooses."""
from fabric_sim import ns

for policy in ("memory", "low-latency"):
    plan = ns.fabric.MakeChainPlan([1])
    fabric = ns.FabricHelper().Install(plan, ns.fabric.MakeShortestPathRouting(plan))
    commands = ns.FabricCommandHelper()
    commands.SetAttribute("Policy", policy)
    initiator, target = commands.Install(fabric, 0), commands.Install(fabric, 1)
    for name, value in {"Bytes": 8, "Count": 100, "Outstanding": 1}.items():
        commands.SetApplicationAttribute(name, value)
    commands.InstallInitiator(fabric, 0, 1)
    ns.Simulator.Run()
    print(f"{policy}: {min(initiator.GetLatencies()) / 1000} ns")
    ns.Simulator.Destroy()
