#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A parking lot: hosts near to and far from a receiver share a link by port or by flow."""
import collections

from fabric_sim import connect, ns

for arbitration in ("port", "flow"):
    helper, plan = ns.FabricHelper(), ns.fabric.MakeChainPlan([2, 2, 1])  # five hosts on three switches, the receiver on the last one
    helper.SetSwitchAttribute("Arbitration", arbitration)
    fabric, delivered = helper.Install(plan, ns.fabric.MakeShortestPathRouting(plan)), collections.Counter()
    sender = ns.FabricMessageSenderHelper(4096)
    sender.SendOnEvery(ns.NanoSeconds(165))  # all that a link of 200 Gb/s takes
    for host in range(5):
        sender.Install(fabric, host, 5)
    connect(fabric.network, "MessageDelivered", lambda message, now: delivered.update({message.src: message.bytes}))
    ns.Simulator.Stop(ns.MicroSeconds(200))
    ns.Simulator.Run()
    print(f"by {arbitration}:", *(f"{100 * size / delivered.total():.0f} %" for _, size in sorted(delivered.items())))
    ns.Simulator.Destroy()
