#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A topology and a flow list of ns-3's RDMA forks, and how long each flow took: as a native message, and over the reliable transport."""
import pathlib

from fabric_sim import Run, ns

fabric = ns.fabric
files = pathlib.Path(__file__).resolve().parents[1]
topology = str(files / "topologies/two-racks.txt")
with Run(topology=topology, check=True) as run:
    flows = fabric.FlowFile.Read(str(files / "flows/incast.txt"))
    nodes = fabric.GraphFile.Read(topology).nodes
    flow_list = fabric.FlowListMaker("incast.txt").Make(flows, nodes, [0] * 8)
    traffic = ns.FabricFlowTraffic(run.fabric, flow_list)
    run.until_delivered(len(flow_list.flows))
    for row in run.messages().itertuples():
        print(f"{row.src} -> {row.dst}: {row.bytes} B in {row.fct_s * 1e6:.1f} us, slowdown {row.slowdown:.2f}")
with Run(topology=topology, check=True) as run:
    helper = ns.FabricTransportHelper()
    helper.SetAttribute("CongestionControl", "delay")
    carrier = fabric.RdmaFlowCarrier(run.fabric, flow_list, helper)
    traffic = ns.FabricFlowTraffic(carrier, flow_list)
    run.run_for("1ms")
    carrier.CheckComplete()
    for flow in carrier.GetTimes():
        of = flow_list.flows[flow.flow]
        print(f"{of.src} -> {of.dst}: over the transport in {flow.fct / 1e6:.1f} us, slowdown {flow.fct / flow.ideal:.2f}")
