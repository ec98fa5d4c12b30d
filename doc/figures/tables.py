#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Writes the measured tables of the manual anew, from the runs that doc/figures/measured.sh keeps in results/manual: medians of the seeds, and the
range where they differ by more than 1 %. In a page such a table stands after a line `.. measured: NAME`.

    doc/figures/tables.py placements interference ...
"""
import argparse
import collections
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ROOT / "results/manual"
sys.path.insert(0, str(ROOT / "bindings"))

from fabric_sim import results  # noqa: E402  found by the line above
from fabric_sim.plots import transport  # noqa: E402

TOPOLOGIES = ("fat-tree", "dragonfly")
PLACEMENTS = ("first", "random", "spread")
COLLECTIVES = ("allreduce-ring", "allreduce-tree", "allreduce-halving", "allreduce-doubling", "allreduce-double-tree", "allgather", "allgather-bruck",
               "alltoall", "alltoall-bruck", "broadcast", "broadcast-chain", "reduce", "halo3d")
PLACED = ("allreduce-ring", "allreduce-halving", "allreduce-double-tree", "alltoall", "halo3d")
BY_SIZE = ("allreduce-ring", "allreduce-tree", "allgather", "alltoall", "broadcast", "reduce", "halo3d")
CHOICES = (("flow channels", "flows"), ("frames", "frames"))
US = 1e-6  # s


# ---- figures ----

def runs_of(name, key_of):
    """@return the runs of a picture by a key of each"""
    found = collections.defaultdict(list)
    for folder in sorted((RUNS / name).iterdir()):
        run = results.read_run(folder, results.program_of(folder))
        found[key_of(run)].append(run)
    return found


def runs_by(name, *options):
    """@return the runs of a picture by the values of some of their options"""
    return runs_of(name, lambda run: tuple(value_of(run, option) for option in options))


def runs_by_folder(name):
    """@return the runs of a picture by what the names of their folders say before the seed"""
    return runs_of(name, lambda run: run.folder.name.rpartition("-")[0])


def value_of(run, option):
    """@return the value of an option, as a text or number that can be a key"""
    value = run.option(option)
    return tuple(value) if isinstance(value, list) else value


def number(value):
    """@return three significant digits, or all before the point"""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}" if value < 10 else f"{value:.1f}"


def text(values, show=number):
    """@return the median of some values, and their range where they differ by more than 1 %"""
    middle, least, most = statistics.median(values), min(values), max(values)
    return show(middle) if most - least <= 0.01 * middle else f"{show(middle)} [{show(least)}, {show(most)}]"


def median(values):
    """@return the median of some values as a text"""
    return number(statistics.median(values))


def slowdowns(runs):
    """@return texts of mean, median and 99th percentile of the slowdowns of flows of all sizes"""
    return [text([run.value("slowdown", stat=stat, size="") for run in runs]) for stat in ("mean", "p50", "p99")]


def times(runs, metric="completion_time", **keys):
    """@return a time of each run, us"""
    return [run.value(metric, **keys) / US for run in runs]


# ---- tables ----

def write(name, *rows, spans=()):
    """
    Writes a table.

    @param rows of texts, the first of which is the title
    @param spans of a line of titles above it: text and number of columns
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    bar = " ".join("=" * width for width in widths)
    lines = [bar]
    if spans:
        above, below, first = [], [], 0
        for title, columns in spans:
            width = sum(widths[first:first + columns]) + columns - 1
            above.append(title.ljust(width))
            below.append("-" * width)
            first += columns
        lines += [" ".join(above).rstrip(), " ".join(below)]
    padded = [" ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    put(name, "\n".join([*lines, padded[0], bar, *padded[1:], bar]))


def put(name, table):
    """Puts a table where the manual has that of this name."""
    mark = re.compile(rf"(?<=^\.\. measured: {name}\n\n)(.+\n)+", re.MULTILINE)
    pages = [page for page in (ROOT / "doc").glob("*.rst") if mark.search(page.read_text())]
    if len(pages) != 1:
        sys.exit(f"tables.py: {len(pages)} pages have `.. measured: {name}` before a table; needed is one")
    pages[0].write_text(mark.sub(lambda _: table + "\n", pages[0].read_text()))
    print(f"{pages[0].relative_to(ROOT)}: {name}")


def table_of_placements():
    runs = runs_by("placements", "collective", "topology", "placement")
    rows = [["collective", "bound", *PLACEMENTS * 2]]
    for collective in PLACED:
        bound = times(runs[collective, "fat-tree", "first"], "lower_bound")
        rows.append([collective, text(bound), *(text(times(runs[collective, topology, placement]))
                                                for topology in TOPOLOGIES for placement in PLACEMENTS)])
    write("placements", *rows, spans=(("on a", 1), ("", 1), ("fat tree", 3), ("dragonfly", 3)))


def table_of_stragglers():
    """The time of a straggler is what a collective takes beyond its delay."""
    runs = runs_by("stragglers", "collective", "skew", "late")
    rows = [["collective", "all begin at once", "within 0.5 us", "within 5 us", "rank 3 begins 100 us later"]]
    for collective in COLLECTIVES:
        cells = [text(times(runs[collective, *ways])) for ways in ((0, 0), (5e-7, 0), (5e-6, 0))]
        rows.append([collective, *cells, text([time - 100 for time in times(runs[collective, 0, 1e-4])])])
    write("stragglers", *rows)


def table_of_interference():
    """The jobs' median and the last job, which are one where there is one job."""
    runs = runs_by("interference", "topology", "collective", "placement", "jobs")
    rows = [["topology", "collective", "placement", "1 job", *("median", "last") * 3]]
    for topology in TOPOLOGIES:
        for collective in ("allreduce-ring", "alltoall"):
            for placement in PLACEMENTS:
                cells = [median(times(runs[topology, collective, placement, 1]))]
                for jobs in (2, 4, 8):
                    found = runs.get((topology, collective, placement, jobs), [])
                    cells += [median(times(found, "job_time", stat="p50")), median(times(found))] if found else ["", ""]
                rows.append([topology.replace("-", " "), collective.split("-")[-1], placement, *cells])
    write("interference", *rows, spans=(("", 1), ("", 1), ("", 1), ("", 1), ("2 jobs", 2), ("4 jobs", 2), ("8 jobs", 2)))


def table_of_job_mix():
    """Each job alone and beside the others, on the same hosts."""
    runs = runs_by("job-mix", "topology", "placement", "onlyJobs")
    rows = [["topology", "job", "placement", "alone", "beside", "slowdown"]]
    for topology in TOPOLOGIES:
        for job in range(3):
            for placement in PLACEMENTS:
                beside = job_times(runs[topology, placement, ()], job)
                alone = job_times(runs[topology, placement, (job,)], job)
                slowdowns = [time / alone[seed] for seed, time in beside.items()]
                rows.append([topology.replace("-", " "), ("allreduce-ring", "alltoall", "halo3d")[job], placement, median(alone.values()),
                             median(beside.values()), text(slowdowns, "{:.2f}".format)])
    write("job-mix", *rows)


def job_times(runs, job):
    """@return the time of a job by seed, us"""
    tables = {run.manifest["run"]: run.table("jobs.csv") for run in runs}
    return {seed: float(table[table["job"] == job]["time_s"].iloc[0]) / US for seed, table in tables.items()}


def table_of_collectives():
    """Bounds and times by size."""
    sizes = (1 << 10, 1 << 20, 1 << 26)
    runs = runs_by("collectives", "collective", "bytes")
    rows = [["collective", *("bound", "measured") * 3]]
    for collective in BY_SIZE:
        cells = []
        for size in sizes:
            found = runs[collective, size]
            cells += [median(times(found, "lower_bound")), text(times(found))]
        rows.append([collective, *cells])
    write("collectives", *rows, spans=(("", 1), ("1 KiB", 2), ("1 MiB", 2), ("64 MiB", 2)))


def table_of_collective_times():
    """Algorithms of an all-reduce by the size of buffers."""
    sizes = (64, 64 << 10, 512 << 10, 4 << 20, 32 << 20)
    runs = runs_by("collective-times", "topology", "collective", "bytes")
    rows = [["all-reduce", *("64 B", "64 KiB", "512 KiB", "4 MiB", "32 MiB") * 2],
            ["(bound)", *(median(times(runs[topology, "allreduce-ring", size], "lower_bound")) for topology in TOPOLOGIES for size in sizes)]]
    for way in ("ring", "tree", "halving", "doubling", "double-tree"):
        rows.append([way, *(text(times(runs[topology, f"allreduce-{way}", size])) for topology in TOPOLOGIES for size in sizes)])
    write("collective-times", *rows, spans=(("", 1), ("fat tree", 5), ("dragonfly", 5)))


def table_of_collective_transports():
    runs = runs_by("collective-transports", "collective", "transport")
    ways = ("raw", "rt", "pio", "tcp")
    rows = [["collective", "bound", *ways]]
    for collective in COLLECTIVES:
        rows.append([collective, median(times(runs[collective, "raw"], "lower_bound")), *(text(times(runs[collective, way])) for way in ways)])
    write("collective-transports", *rows)


def table_of_collective_topologies():
    titles = {"switch": "one switch", "fat-tree": "fat tree, k = 4", "dragonfly": "dragonfly", "torus": "torus 4 x 4", "hyperx": "HyperX 4 x 4"}
    runs = runs_by("collective-topologies", "collective", "topology")
    rows = [["collective", *titles.values()]]
    for collective in COLLECTIVES:
        rows.append([collective, *(text(times(runs[collective, topology])) for topology in titles)])
    write("collective-topologies", *rows)


def table_of_flow_transports():
    runs = runs_by_folder("flow-transports")
    rows = [["transport", "mean", "p50", "p99", "packets sent again"], ["native messages", *slowdowns(runs["1-raw"]), "none"]]
    for control in ("fixed", "delay", "dcqcn"):
        found = runs[f"2-{control}"]
        rows.append([control, *slowdowns(found), text([run.value("resends") for run in found], "{:.0f}".format)])
    write("flow-transports", *rows)


def table_of_flow_carriers():
    titles = {"1-raw": "native messages", "2-rt": "``rt``, fixed", "3-cubic": "``tcp``, CUBIC", "4-dctcp": "``tcp``, DCTCP", "5-pio": "``pio``",
              "6-sdma": "``pio`` and SDMA above 16 KiB"}
    runs = runs_by_folder("flow-carriers")
    rows = [["over", "slowdown, mean", "p50", "p99", "mean time, us", "median time, us"]]
    for way, title in titles.items():
        rows.append([title, *slowdowns(runs[way]), *(text(times(runs[way], "fct", stat=stat, size="")) for stat in ("mean", "p50"))])
    write("flow-carriers", *rows)


def write_loads(name, titles, rows, loads):
    """
    Writes the loads that are accepted, by those that are offered.

    @param titles of the columns before the loads
    @param rows what stands in these columns, and how the names of the folders of its runs begin
    """
    runs = runs_of(name, lambda run: run.folder.name)
    write(name, [*titles, *loads], *([*words, *(f"{runs[f'{folder}-{load}'][0].value('accepted_load'):.3f}" for load in loads)] for *words, folder in rows))


def table_of_dragonfly():
    write_loads("dragonfly", ("pattern", "paths"),
                [(pattern, paths, f"{pattern}-{paths}") for pattern in ("adversarial", "uniform") for paths in ("minimal", "valiant", "ugal-l", "told")],
                ("0.03", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.8", "0.95"))


def table_of_torus():
    write_loads("torus", ("choice by", "pattern", "paths"),
                [(choice, pattern, paths, f"{folder}-{pattern}-{paths}") for choice, folder in CHOICES for pattern in ("uniform", "tornado")
                 for paths in ("dimension-order", "minimal", "adaptive")], ("0.1", "0.2", "0.25", "0.3", "0.4", "0.5", "0.95"))


def table_of_hyperx():
    write_loads("hyperx", ("choice by", "pattern", "paths"),
                [("flow channels", "uniform", paths, f"flows-uniform-{paths}") for paths in ("dimension-order", "adaptive")] +
                [("flow channels", "adversarial", paths, f"flows-adversarial-{paths}") for paths in ("dimension-order", "by-dimension", "minimal", "adaptive")] +
                [("frames", "adversarial", paths, f"frames-adversarial-{paths}") for paths in ("by-dimension", "adaptive")],
                ("0.1", "0.15", "0.25", "0.4", "0.5", "0.8", "0.95"))


def table_of_congestion_tools():
    """The light victim's latency, the greedy one's goodput, and peaks beside the light one."""
    runs = runs_of("congestion-tools", lambda run: (run.option("victimLoad") == 1, tools_of(run)))
    rows = [["``--tools``", "light, p99", "greedy, Gb/s", "outside", "receiver's"]]
    for tools in ("none", "fgfc", "hop-credits", "endpoint, injection-limit, pacing", "fgfc, hop-credits", "all"):
        light, greedy = runs[False, tools], runs[True, tools]
        rows.append([tools, text(impacts(light)), text([run.value("victim_goodput", phase="incast") / 1e9 for run in greedy]),
                     text(peaks(light)), text([run.value("peak_buffer", tier="receiver") / 1024 for run in light])])
    write("congestion-tools", *rows, spans=(("", 1), ("victim", 2), ("peak of a switch, KiB", 2)))


def table_of_congestion_senders():
    runs = runs_of("congestion-senders", lambda run: (run.option("senders"), tools_of(run)))
    rows = [["senders", "hop-credits", "all tools", "peak outside, KiB", "goodput, Gb/s"]]
    for senders in (8, 512, 1000, 2000):
        found = runs[senders, "all"]
        rows.append([str(senders), text(impacts(runs[senders, "hop-credits"])), text(impacts(found)), text(peaks(found)),
                     text([run.value("goodput") / 1e9 for run in found], "{:.1f}".format)])
    write("congestion-senders", *rows, spans=(("", 1), ("p99 of the victim", 2), ("all tools", 2)))


def table_of_incast():
    """The victim, and the peaks of each tier."""
    runs = {**runs_by_folder("incast-senders"), **{f"64-{way}": found for way, found in runs_by_folder("incast").items()}}
    rows = [["senders", "flow channels", "victim, Gb/s", "edge", "aggregation", "core"]]
    for senders in ("8", "64", "512"):
        for way in ("on", "off"):
            found = runs[f"{senders}-{way}"]
            rows.append([senders, way, text(victims(found)), *(text(values(found, "peak_buffer", 1024, tier=tier)) for tier in ("edge", "aggregation", "core"))])
    write("incast", *rows, spans=(("", 1), ("", 1), ("", 1), ("peak of a tier's switches, KiB", 3)))


def table_of_link_pauses():
    """Without flow channels there are no ACKs, so that all control frames are pauses."""
    runs = runs_by_folder("link-pauses")
    rows = [["LinkFlowControl", "victim, Gb/s", "pause frames", "victim, Gb/s"]]
    for control in ("credits", "pause", "priority-pause"):
        plain, flows = runs[f"{control}-off"], runs[f"{control}-on"]
        rows.append([f"``{control}``", text(victims(plain)), text(values(plain, "control_hops"), "{:.0f}".format), text(victims(flows))])
    write("link-pauses", *rows, spans=(("", 1), ("no flow channels", 2), ("flow channels", 1)))


def victims(runs):
    """@return the goodput of the victim beside the incast, Gb/s"""
    return values(runs, "victim_goodput", 1e9, phase="incast")


def table_of_link_errors():
    runs = runs_by_folder("link-errors")
    rows = [["linkErrors", "fct p50, us", "fct p99, us", "repeats"]]
    for errors in ("0", "0.0001", "0.001", "0.01", "0.1"):
        found = runs[errors]
        rows.append([errors, *(text(times(found, "fct", stat=stat)) for stat in ("p50", "p99")), "0" if errors == "0" else text(values(found, "link_repeats"), "{:.0f}".format)])
    write("link-errors", *rows)


def table_of_outages():
    whys = {"none": ("none fails", ""), "0-8": ("``0-8``", "the transfer goes up by this link"), "0-9": ("``0-9``", "grants and acknowledgements come down by it"),
            "target": ("``target``", "what comes meanwhile has no route"), "sender": ("``sender``", "packets wait in the NIC")}
    runs = runs_of("outages", lambda run: run.folder.name)
    rows = [["``--failLink``", "completion time, us", "resends", "what is lost"]]
    for link, (title, why) in whys.items():
        rows.append([title, text(times(runs[link])), text(values(runs[link], "resends"), "{:.0f}".format), why])
    write("outages", *rows)


def table_of_permutation_transports():
    runs = runs_by_folder("permutation-transports")
    rows = [["transport", *(f"{load}{figure}" for load in ("load=0.5: ", "load=0.9: ") for figure in ("accepted", "mean fct, us", "p99, us"))]]
    for way in ("raw", "rt", "tcp", "pio"):
        cells = []
        for load in ("0.5", "0.9"):
            found = runs[f"{way}-{load}"]
            cells += [text(values(found, "accepted_load"), "{:.3f}".format), *(text(times(found, "fct", stat=stat)) for stat in ("mean", "p99"))]
        rows.append([f"``{way}``", *cells])
    write("permutation-transports", *rows)


def table_of_losses():
    """Beside the part of the goodput without losses that selective repeat has: each packet is sent 1 / (1 - loss) times."""
    runs = runs_by_folder("losses")
    lossless = statistics.median(goodputs(runs["0"]))
    rows = [["loss", "goodput, Gb/s", "selective repeat, Gb/s", "resends"]]
    for loss in ("0", "0.01", "0.02", "0.05", "0.1"):
        found = runs[loss]
        rows.append([f"{100 * float(loss):.0f} %", text(goodputs(found), "{:.1f}".format), f"{lossless * (1 - float(loss)):.1f}",
                     text(values(found, "resends"), "{:.0f}".format)])
    write("losses", *rows)


def table_of_loss_windows():
    runs = runs_by_folder("loss-windows")
    rows = [["window", "no loss", "2 % lost"]]
    for window in ("8", "16", "32", "64", "128"):
        rows.append([window, *(text(goodputs(runs[f"{window}-{loss}"])) for loss in ("0", "0.02"))])
    write("loss-windows", *rows, spans=(("", 1), ("goodput, Gb/s", 2)))


def goodputs(runs):
    """@return goodputs, Gb/s"""
    return values(runs, "goodput", 1e9)


def table_of_write_incasts():
    runs = runs_of("write-incasts", lambda run: run.folder.name)
    rows = [["N", *("time, us", "peak queue, KiB") * 2, "resends"]]
    for senders in ("2", "8", "32", "128", "512"):
        cells = []
        for push in ("solicited", "unsolicited"):
            found = runs[f"{push}-{senders}"]
            cells += [text(times(found)), text(values(found, "peak_queue", 1024))]
        rows.append([senders, *cells, text(values(found, "resends"), "{:.0f}".format)])
    write("write-incasts", *rows, spans=(("", 1), ("solicited", 2), ("unsolicited", 3)))


def table_of_control_set_ups():
    """Goodput of the same incast by what acts besides the congestion control."""
    titles = {"auto": "A", "unsolicited": "B", "rates": "C", "window": "D", "tree": "E", "plain": "F", "ethernet": "G"}
    runs = runs_by_folder("control-set-ups")
    controls = ("dcqcn", "hpcc", "timely")
    rows = [["set-up", *(f"``{control}``" for control in controls)]]
    for kind, title in titles.items():
        rows.append([title, *(text(goodputs(runs[f"{kind}-{control}"]), "{:.1f}".format) if f"{kind}-{control}" in runs else "" for control in controls)])
    write("control-set-ups", *rows, spans=(("", 1), ("goodput, Gb/s", 3)))


def table_of_dcqcn():
    """Rates and the queue in the second half of each run."""
    rows = [["N", "bytes of each", "sum of rates, Gb/s", "Jain index of their means", "queue, KB: mean, largest", "goodput, Gb/s"]]
    runs = runs_of("dcqcn", lambda run: run.option("senders"))
    for senders in sorted(runs):
        run, = runs[senders]
        means, queue, _ = second_half(run)
        rows.append([str(senders), f"{run.option('bytes') >> 20} MiB", f"{sum(means) / 1e9:.1f}", f"{jain(means):.4f}",
                     f"{statistics.mean(queue) / 1e3:.0f}, {max(queue) / 1e3:.0f}", text(goodputs([run]))])
    write("dcqcn", *rows)


def table_of_timely():
    """Goodput, and round trips and rates in the second half of each run."""
    titles = {"timely": "..", "once": "``TimelySegment`` 0", "patched": "patched, ``TimelyBeta`` 0.008"}
    runs = runs_of("timely-senders", lambda run: run.folder.name)
    rows = [["N", "parameters", "goodput, Gb/s", "round trip, us: mean, largest", "Jain index"]]
    for senders in ("2", "4", "16"):
        for kind, title in titles.items():
            run, = runs[f"{kind}-{senders}"]
            means, _, trips = second_half(run)
            rows.append([senders, title, text(goodputs([run])), f"{statistics.mean(trips) / US:.1f}, {max(trips) / US:.1f}", f"{jain(means):.3f}"])
    write("timely", *rows)


def second_half(run):
    """@return the mean rates of senders, bit/s, samples of the receiver's queue, B, and of round trips, s, in the second half of a run"""
    windows = run.table("windows.csv", ["time_s", "host", "rate_bps", "round_trip_s"])
    start, end = run.value("completion_time") / 2, windows["time_s"].max()
    windows = windows[windows["time_s"] >= start]
    queue = transport.receivers_queue(run, end)
    return windows.groupby("host")["rate_bps"].mean().tolist(), queue[queue.index >= start].tolist(), windows["round_trip_s"].tolist()


def jain(shares):
    """@return Jain's index of fairness, 1 if all are equal"""
    return sum(shares) ** 2 / (len(shares) * sum(share * share for share in shares))


def values(runs, metric, unit=1, **keys):
    """@return a figure of each run in a unit"""
    return [run.value(metric, **keys) / unit for run in runs]
def tools_of(run):
    """@return the tools of a run; those of doc/figures/measured.sh with more than three are all but one"""
    tools = run.option("tools")
    return "all" if len(tools) > 3 else ", ".join(tools) or "none"


def impacts(runs):
    """@return the victim's 99 % latency as a multiple of that alone"""
    return [run.value("impact", test="latency", stat="p99") for run in runs]


def peaks(runs):
    """@return the most that a switch held that is not the receiver's, KiB"""
    return [run.value("peak_fabric_buffer") / 1024 for run in runs]


TABLES = {
    "collectives": table_of_collectives,
    "collective-times": table_of_collective_times,
    "collective-transports": table_of_collective_transports,
    "collective-topologies": table_of_collective_topologies,
    "placements": table_of_placements,
    "stragglers": table_of_stragglers,
    "interference": table_of_interference,
    "job-mix": table_of_job_mix,
    "flow-transports": table_of_flow_transports,
    "flow-carriers": table_of_flow_carriers,
    "dragonfly": table_of_dragonfly,
    "torus": table_of_torus,
    "hyperx": table_of_hyperx,
    "congestion-tools": table_of_congestion_tools,
    "congestion-senders": table_of_congestion_senders,
    "incast": table_of_incast,
    "link-pauses": table_of_link_pauses,
    "link-errors": table_of_link_errors,
    "outages": table_of_outages,
    "permutation-transports": table_of_permutation_transports,
    "losses": table_of_losses,
    "loss-windows": table_of_loss_windows,
    "write-incasts": table_of_write_incasts,
    "dcqcn": table_of_dcqcn,
    "control-set-ups": table_of_control_set_ups,
    "timely": table_of_timely,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="+", choices=TABLES, help="a table: " + ", ".join(TABLES))
    for name in parser.parse_args().names:
        TABLES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
