# SPDX-License-Identifier: GPL-2.0-only
"""Draws the stages of commands between two NICs, and writes them for a trace viewer."""

from fabric_sim import CommandStages, ns, plots, write_trace_events

plan = ns.fabric.MakeChainPlan([1])
helper = ns.FabricHelper()
helper.SetHostChannelAttribute("Delay", "10ns")
fabric = helper.Install(plan, ns.fabric.MakeShortestPathRouting(plan))
commands = ns.FabricCommandHelper()
stages = CommandStages([commands.Install(fabric, host) for host in (0, 1)])
for number, (operation, size) in enumerate([("put", 8), ("put", 128), ("put", 8192), ("get", 8192)]):
    commands.SetApplicationAttribute("Operation", operation)
    commands.SetApplicationAttribute("Bytes", size)
    commands.SetApplicationAttribute("Count", 1)
    commands.InstallInitiator(fabric, 0, 1).SetStartTime(ns.MicroSeconds(10 * number))
ns.Simulator.Run()

table = stages.table()
write_trace_events("results/command-stages.json", commands=table)
panels = plots.panels(4)
panels[0].figure.set_size_inches(13, 4)
titles = ["write of 8 B", "write of 128 B", "write of 8 KiB", "read of 8 KiB"]
for (number, command), axes, title in zip(table.groupby("command"), panels, titles):
    plots.command_stages(command, axes=axes)
    axes.set_title(title)
    print(f"{title}: {(command['end_s'].max() - command['begin_s'].min()) * 1e6:.2f} us")
panels[0].legend(loc="lower left")
panels[0].figure.savefig("results/command-stages.png")
