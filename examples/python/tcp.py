#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's TCP over a fabric: eight hosts send 1 MiB each to one."""
from fabric_sim import as_address, connect, ns, set_default

fabric, times = ns.FatTreeHelper(4).Install(), []
for name, value in {"SegmentSize": 4096 - 60, "SndBufSize": 4 << 20, "RcvBufSize": 4 << 20}.items():
    set_default(f"ns3::TcpSocket::{name}", value)  # what ns-3 sets is meant for slow links
set_default("ns3::BulkSendApplication::MaxBytes", 1 << 20)
ns.InternetStackHelper().Install(fabric.hosts)
receiver = as_address(ns.InetSocketAddress(ns.Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(fabric.devices).GetAddress(0), 5001))
sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(fabric.hosts.Get(0)).Get(0)
bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", receiver)
for host in range(1, 9):
    bulk.Install(fabric.hosts.Get(host))
connect(sink, "Rx", lambda packet, address: times.append((ns.Simulator.Now().GetSeconds(), packet.GetSize())))
ns.Simulator.Run()
print(f"{(total := sum(size for _, size in times))} bytes in {times[-1][0] * 1e6:+g}us, {8e-9 * total / times[-1][0]:g} Gb/s")
ns.Simulator.Destroy()
