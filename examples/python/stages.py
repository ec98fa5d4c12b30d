# SPDX-License-Identifier: GPL-2.0-only
"""Draws where the frames of a message are over time, and writes the run for a trace viewer."""

from fabric_sim import Run, Stages, ns, plots, write_trace_events

with Run(k=4, samplePeriod="1us", stream=1) as run:
    stages = Stages(run.fabric, src=10)
    ns.IncastHelper(8, 1 << 15).Install(run.fabric)
    run.until_delivered(8)
    table = stages.table()
    write_trace_events("results/message-stages.json", run.messages(), run.ports(), table)

waiting = table[table["stage"] == "queue"].assign(us=lambda rows: (rows["end_s"] - rows["begin_s"]) * 1e6)
print(waiting.groupby("place", sort=False)["us"].max().map("waits up to {:.3g} us".format).to_string(header=False))
plots.message_stages(table).figure.savefig("results/message-stages.png")
