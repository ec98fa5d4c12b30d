#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Trace sinks: each frame that a switch sends, and each message that is delivered."""
from fabric_sim import connect, connect_path, ns


def frame_sent(path, port, frame, now):
    print(f"{now.GetSeconds() * 1e9:+g}ns {path}: port {port}, {frame.payload} bytes to host {ns.fabric.HostOf(frame.dst)}")


def delivered(message, now):
    now = now.GetSeconds()
    print(f"{now * 1e9:+g}ns message of {message.bytes} bytes delivered after {(now - message.sentAt * 1e-12) * 1e9:+g}ns")


helper, chain = ns.FabricHelper(), ns.fabric.MakeChainPlan([1, 0])  # two switches, two hosts
fabric = helper.Install(chain, ns.fabric.MakeShortestPathRouting(chain))
connect_path("/NodeList/*/$ns3::FabricSwitch/Send", frame_sent)
connect(fabric.network, "MessageDelivered", delivered)
ns.FabricMessageSenderHelper(10000).Install(fabric, 0, 1)
ns.Simulator.Run()
ns.Simulator.Destroy()
