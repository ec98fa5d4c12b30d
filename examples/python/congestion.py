#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A victim beside an incast, with and without flow channels and the tools that manage congestion."""
from fabric_sim import Run, ns, percentiles

TOOLS = ("EndpointCongestion", "Fgfc", "FlowLimits", "Pacing")  # attributes of switches
SETTINGS = {"no flow channels": {"flowChannels": False}, "all tools": {},
            "flow channels and hop credits": {f"ns3::FabricSwitch::{tool}": False for tool in TOOLS}}
for name, options in SETTINGS.items():
    with Run(k=4, stream=1, **options) as run:
        incast = ns.IncastHelper(8, 512 << 10)
        incast.SetStream(1)
        senders = incast.GetSenders(run.fabric)
        incast.Install(run.fabric)
        free = next(host for host in range(2, 16) if host not in senders)
        victim = ns.FabricMessageSenderHelper(16 << 10)
        victim.SetAttribute("Tag", ns.VictimHelper.TAG)
        victim.SetAttribute("Interval", "2us")
        victim.SetAttribute("Count", 50)
        victim.Install(run.fabric, free, 1)  # host 1 is beside the receiver of the incast
        run.until_delivered(8 + 50)
        messages = run.messages()
        print(f"{name}: the victim's slowdown")
        print(percentiles(messages[messages["dst"] == 1], "slowdown", which=(50, 99)).to_string(index=False))
