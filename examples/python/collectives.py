#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""All-reduces of a fat tree by several algorithms, with native messages: which is sooner depends on their size."""
from fabric_sim import Run, ns

RANKS = 16
for size in (1 << 10, 1 << 20):
    for way in ("RING", "TREE", "HALVING", "DOUBLE_TREE"):
        collective = getattr(ns.fabric.Collective, f"ALLREDUCE_{way}")
        pieces = 32 if ns.fabric.HasPieces(collective) else 1  # of each half
        plan = ns.fabric.PlanCollective(collective, RANKS, size, pieces)
        with Run(k=4, stream=1) as run:
            transport = ns.fabric.RawCollectiveTransport(run.fabric, RANKS)
            player = ns.fabric.CollectivePlayer(plan, transport)
            player.Start()
            run.until_delivered(player.GetMessages())
            print(f"{size} bytes by {way.lower()}: {player.GetCompletionTime() / 1e6:.1f} us, {player.GetMessages()} messages")
