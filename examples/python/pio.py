#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programmed I/O: the rate of messages of 256 bytes by the credits of a send context."""
from fabric_sim import connect, ns

for blocks in (32, 64, 128):
    plan = ns.fabric.MakeChainPlan([1])
    fabric = ns.FabricHelper().Install(plan, ns.fabric.MakeShortestPathRouting(plan))
    pio = ns.FabricPioHelper()
    pio.SetAttribute("Blocks", blocks)
    pio.Install(fabric, 0)
    pio.SetApplicationAttribute("Bytes", 256)
    pio.SetApplicationAttribute("Count", 1000)
    pio.InstallSender(fabric, 0, 1)
    times = []
    connect(fabric.network, "MessageDelivered", lambda message, now: times.append(now.GetSeconds()))
    ns.Simulator.Run()
    print(f"{blocks} blocks: {len(times) / times[-1] / 1e6:.1f} million messages/s")
    ns.Simulator.Destroy()
