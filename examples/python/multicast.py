#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A broadcast of 64 KiB to 15 hosts: one message to a group, which switches copy, or a message to each."""
from fabric_sim import Run, connect, ns

for way in ("group", "one by one"):
    with Run(k=4) as run:
        ends = []
        connect(run.fabric.network, "MessageDelivered", lambda message, time: ends.append(time.GetNanoSeconds() / 1000))
        device = run.fabric.GetDevice(0)
        if way == "group":
            device.SendMessage(ns.FabricGroupHelper(run.fabric).Create(list(range(16))), 64 << 10)
        else:
            for host in range(1, 16):
                device.SendMessage(run.fabric.GetDevice(host).GetLocation(), 64 << 10)
        run.until_delivered(15)
        print(f"{way}: {ends[-1]:.2f} us")
