#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's TCP over a fabric: eight hosts send 1 MiB each to one."""
from fabric_sim import as_address, connect, ns, set_default

helper = ns.FatTreeHelper(4)
for name, value in {"SegmentSize": 4096 - 60, "SndBufSize": 4 << 20, "RcvBufSize": 4 << 20}.items():
    set_default(f"ns3::TcpSocket::{name}", value)  # what ns-3 sets is meant for slow links
fabric, times = helper.Install(), []
ns.InternetStackHelper().Install(fabric.hosts)
addresses = ns.Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(fabric.devices)
receiver = as_address(ns.InetSocketAddress(addresses.GetAddress(0), 5001))
sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", receiver).Install(fabric.hosts.Get(0)).Get(0)
bulk = ns.BulkSendHelper("ns3::TcpSocketFactory", receiver)
bulk.SetAttribute("MaxBytes", ns.UintegerValue(1 << 20))
for host in range(1, 9):
    bulk.Install(fabric.hosts.Get(host))
connect(sink, "Rx", lambda packet, address: times.append((ns.Simulator.Now().GetSeconds(), packet.GetSize())))
ns.Simulator.Run()
bytes_received = sum(size for _, size in times)
print(f"{bytes_received} bytes in {times[-1][0] * 1e6:+g}us, {8e-9 * bytes_received / times[-1][0]:g} Gb/s")
ns.Simulator.Destroy()
