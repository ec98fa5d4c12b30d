#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The same random traffic over a fat tree, a dragonfly, a torus and a HyperX."""
from fabric_sim import Run, ns, percentiles

SHAPES = {"fat-tree": {"k": 4}, "dragonfly": {"hostsPerSwitch": 2, "switchesPerGroup": 2, "globalPorts": 1},
          "torus": {"widths": "4,4", "hostsPerSwitch": 1}, "hyperx": {"widths": "4,4", "hostsPerSwitch": 1}}
for shape, options in SHAPES.items():
    with Run(topology=shape, stream=1, check=True, **options) as run:
        pattern = ns.FabricPattern()
        pattern.name, pattern.bytes = "random", 256 << 10
        traffic = ns.FabricPatternTraffic(run.fabric, pattern)
        traffic.SendOnce()
        run.until_delivered(traffic.CountOnce())
        print(f"{shape}, {traffic.Hosts()} hosts: slowdown")
        print(percentiles(run.messages(), "slowdown", which=(50, 99)).to_string(index=False))
