#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two applications of a host, with 1 and 20 flows: what each gets by flow, and by application."""
import collections

from fabric_sim import connect, ns

GROUPS = {"AppGroups": "0:0:2", "GroupLimitIds": "1:0,2:1", "LimitRatios": "3,1"}  # group = VNI mod 4, three to one

for how, attributes in ("flow", {}), ("application", GROUPS):
    helper = ns.FatTreeHelper(4)
    helper.SetSwitchAttribute("PortLimit", 128)  # 32 KiB of a host in the fabric
    for name, value in attributes.items():
        helper.SetSwitchAttribute(name, value)
    fabric, delivered = helper.Install(), collections.Counter()
    for vni, flows in (1, 1), (2, 20):
        sender = ns.FabricMessageSenderHelper(4096)
        sender.SendOnEvery(ns.NanoSeconds(330 * flows))  # each application could take half the link
        sender.SetAttribute("Vni", vni)
        for flow in range(flows):
            sender.SetAttribute("Process", flow)
            sender.Install(fabric, 0, 8 + flow % 8)
    connect(fabric.network, "MessageDelivered", lambda message, now: delivered.update({message.vni: message.bytes}))
    ns.Simulator.Stop(ns.MicroSeconds(600))
    ns.Simulator.Run()
    print(f"by {how}:", *(f"{100 * size / delivered.total():.0f} %" for _, size in sorted(delivered.items())))
    ns.Simulator.Destroy()
