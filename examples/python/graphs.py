#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""All hosts of a switch send to those of the next one, in a Slim Fly and a Jellyfish: shortest paths, and detours."""
import networkx

from fabric_sim import Run, ns, percentiles, write_topology

GRAPHS = {"slim-fly": networkx.hoffman_singleton_graph(), "jellyfish": networkx.random_regular_graph(7, 50, seed=1)}
FRAMES = {"ns3::FabricSwitch::NoFlowClasses": 1, "ns3::FabricSwitch::UnorderedClasses": 1}  # each chooses its way for itself
for name, graph in GRAPHS.items():
    graph.graph.update(name=name, hosts=4)  # of each switch
    write_topology(graph, f"results/graphs/{name}.txt")  # for the programs
    for routing in "up-down", "minimal", "adaptive":
        with Run(topology=graph, routing=routing, stream=1, check=True, **FRAMES) as run:
            pattern = ns.FabricPattern()
            pattern.name, pattern.shift, pattern.bytes = "shift", 4, 256 << 10  # to the next switch of the file
            traffic = ns.FabricPatternTraffic(run.fabric, pattern)
            traffic.SendOnce()
            run.until_delivered(traffic.CountOnce())
            print(f"{name}, {routing}: slowdown")
            print(percentiles(run.messages(), "slowdown", which=(50, 99)).to_string(index=False))
