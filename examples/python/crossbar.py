#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Eight hosts of a switch send to each other at 90 % of their links: mean latency with both crossbars."""
import itertools
import statistics

from fabric_sim import connect, ns

for crossbar in "ideal", "tiled":
    helper, times = ns.FatTreeHelper(16), []
    helper.SetSwitchAttribute("Crossbar", crossbar)
    fabric = helper.Install()
    connect(fabric.network, "MessageDelivered", lambda message, now: times.append(now.GetPicoSeconds() - message.sentAt))
    sender = ns.FabricMessageSenderHelper(4096)
    sender.SendOnEvery(ns.NanoSeconds(1283))  # seven others make 90 % of the link
    for host, other in itertools.permutations(range(8), 2):  # those of the first switch
        sender.Install(fabric, host, other)
    ns.Simulator.Stop(ns.MicroSeconds(100))
    ns.Simulator.Run()
    print(f"{crossbar}: {statistics.mean(times) / 1e6:.2f} us")
    ns.Simulator.Destroy()
