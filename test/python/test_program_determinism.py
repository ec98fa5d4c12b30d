# SPDX-License-Identifier: GPL-2.0-only
"""DP-5, DP-15: the results of a run are the same bytes with and without look-ahead, on any number of threads, with every
scheduler of ns-3, every time.

The command lines are random; the number in a test's name is the seed that makes its line again.
"""
import json
import random
import re

import pytest

from programs import run_well

SCHEDULERS = ["Map", "Heap", "List", "Calendar", "PriorityQueue"]
SEEDS = 100
SWITCH = "--ns3::FabricSwitch::"


def tree(rng, least_hosts):
    """@return options of a fat tree, and its number of hosts"""
    while True:
        k, levels = rng.randint(2, 6), rng.choice([2, 3])
        down, up = rng.choice([(1, 1), (1, 1), (2, 1), (3, 1), (1, 2)])
        hosts_per_edge = down * (k // (down + up))
        hosts = hosts_per_edge * (k if levels == 2 else k * (k // 2))
        if least_hosts <= hosts <= 40:
            return [f"--k={k}", f"--levels={levels}", f"--oversubscription={down}:{up}"], hosts


def without(option, idle, options):
    """@return options, of which one is left out where another makes it idle, since that is refused; the others stay as they are drawn"""
    return [given for given in options if idle not in options or not given.startswith(f"{option}=")]


def incast(rng, folder):
    options, hosts = tree(rng, 4)
    return options + [f"--senders={rng.randint(1, hosts - 3)}", f"--bytes={rng.choice([1, 4096, 4097, rng.randint(1, 30000)])}",
                      f"--jitter={rng.choice([0, 0, 100, rng.randint(1, 5000)])}ns",
                      *without("--aloneTime", "--victim=off", [f"--victim={rng.choice(['on', 'off'])}", f"--aloneTime={rng.randint(50000, 70000)}ns"])]


def congestion(rng, folder):
    tools = rng.choice(["none", "all", "fgfc", "endpoint", "endpoint,pacing", "endpoint,injection-limit,hop-credits",
                        "hop-credits,reroute", "slow-paths", "hop-credits,slow-paths"])
    kind = rng.choice([f"--tools={tools}", f"--tools={tools}", "--fabric=pfc", "--fabric=ecn", "--fabric=int"])
    return [f"--senders={rng.randint(1, 10)}", "--k=4", f"--bytes={rng.choice([1, 4097, rng.randint(1, 200000)])}",
            f"--victimAt={rng.choice(['own-host', 'sender-host'])}", f"--victimLoad={rng.choice([0.1, 0.7, 1])}", kind,
            f"--aloneTime={rng.randint(11000, 13000)}ns", *([] if kind in ("--fabric=ecn", "--fabric=int") else rng.choice([[], [], ["--duration=15us"], ["--duration=30us"]]))]


def permutation(rng, folder):
    options, hosts = tree(rng, 2)
    return options + [f"--shift={rng.randint(1, hosts - 1)}", f"--bytes={rng.choice([1, 4096, 4097, rng.randint(1, 60000)])}"]


def chain(rng, folder):
    sources = [rng.randint(1, 4)] + [rng.randint(0, 3) for _ in range(rng.randint(0, 4))]
    return [f"--sources={','.join(map(str, sources))}", f"--arbitration={rng.choice(['flow', 'port'])}",
            f"--frameBytes={rng.choice(['4096', '4096,256,64', '256,999'])}", f"--duration={rng.randint(100, 130)}us"]


def ingress_fairness(rng, folder):
    flows = [rng.randint(1, 12) for _ in range(rng.randint(2, 4))]
    ratio = [rng.randint(2, 4) for _ in flows]
    frames = -(-16 * sum(ratio) // min(ratio))  # units of which each application has a frame
    how, limits = rng.choice([("--grouping=false", [1, 20, 64, 120]), (f"--ratio={','.join(map(str, ratio))}", [frames, 115, 120])])
    return ["--k=4", f"--flows={','.join(map(str, flows))}", how, f"--limit={rng.choice(limits) * 256}", f"--stop={rng.randint(10, 40)}us",
            "--duration=20ms"]


def samples(rng):
    """@return whether and how often ports and queues are looked at"""
    period = rng.choice([0, 1000, rng.randint(100, 5000)])
    return [f"--samplePeriod={period}ns"] + ([f"--sampleQueues={rng.choice(['true', 'false'])}"] if period else [])


def rate(rng):
    """@return the rate of a bucket, in words or as a number"""
    return rng.choice([0, "unlimited", f"{rng.randint(1, 99)}Gbps", f"{rng.randint(100, 9999) / 10}Mbps", rng.randint(10**8, 10**11)])


def bucket(rng, given=None):
    """@return settings of a bucket, of a rate if one is given"""
    found = {"rate": rate(rng) if given is None else given}
    if found["rate"] != 0 and rng.random() < 0.5:
        found["priority"] = rng.randrange(8)
    if found["rate"] not in (0, "unlimited") and rng.random() < 0.7:
        found["burst"] = rng.choice([0, 1, 1500, "16KiB", "1MiB", rng.randint(0, 60000)])
    return found


def shaping(rng, folder):
    via = rng.choice(["host", "link"])
    queues = sorted({0, *rng.sample(range(32 if via == "host" else 8), rng.randint(0, 6))})
    head = rng.choice([0, "unlimited", "5Gbps", "37Gbps"])
    leaves = [{"queue": queue, "branch": rng.randrange(4), **bucket(rng, None if head else rng.choice(["1Gbps", "9.5Gbps", "40Gbps"]))} for queue in queues]
    branches = [{"branch": branch, **bucket(rng)} for branch in sorted({leaf["branch"] for leaf in leaves}) if rng.random() < 0.5]
    classes = [{"class": number, "vni": number, "queue": queue, **({"trafficClass": number % 16} if rng.random() < 0.5 else {})}
               for number, queue in enumerate(queues)]
    table = folder / "shaping.json"
    table.write_text(json.dumps({"classes": classes, "leaves": leaves, "branches": branches, "head": {"rate": head}}))
    size, link = rng.choice([64, 1500, 4120, rng.randint(64, 4120)]), rng.choice([25, 100, 400])
    return [f"--table={rng.choice([table, table, 'worked-example'])}", f"--via={via}", f"--load={rng.randint(0, 100) / 100}", f"--frameBytes={size}", f"--linkRate={link}Gbps",
            f"--linkDelay={rng.choice([1, 100, rng.randint(1, 3000)])}ns", f"--duration={rng.randint(100, 400) * size * 8 // link + 20009}ns",
            *samples(rng), f"--RngRun={rng.randint(0, 1000)}",
            f"--flowChannels={rng.choice(['on', 'off'])}", f"{SWITCH}Turns={rng.choice(['frames', 'bytes'])}",
            f"{SWITCH}Arbitration={rng.choice(['flow', 'port'])}", f"{SWITCH}UnorderedClasses={rng.choice([0, 65535])}"]


def crossbar(rng, folder):
    latency = rng.choice([0, 20, 350])
    tiles = [f"{SWITCH}CrossbarRows={rng.choice([1, 2, 4, 64])}", f"{SWITCH}CrossbarTilePorts={rng.choice([1, 2, 5])}",
             f"{SWITCH}CrossbarSpeedup={rng.choice([1, 1.3, 4])}", f"{SWITCH}CrossbarTransit={rng.choice([0, latency, latency // 2])}ns",
             f"{SWITCH}CrossbarTileBuffer={rng.choice([4120, 7000, 50000])}", f"{SWITCH}CrossbarOutputBuffer={rng.choice([9024, 15000, 50000])}",
             f"{SWITCH}AgeQueueFixedPlaces={rng.choice([1, 3])}", f"{SWITCH}AgeQueuePlaces={rng.choice([60, 100, 8192])}",
             f"{SWITCH}AgeQueueSharedFraction={rng.choice([0.1, 0.5, 1])}"]
    return [f"--ports={rng.randint(2, 20)}", f"--pattern={rng.choice(['uniform', 'permutation', 'hotspot'])}", f"--load={rng.choice([0.2, 0.8, 1])}",
            f"--frameBytes={rng.choice([1, 64, 1000, 4096])}", f"--warmUp={rng.randint(1, 3000)}ns", f"--duration={rng.randint(2000, 6000)}ns",
            f"{SWITCH}Latency={latency}ns", *rng.choice([tiles, tiles, ["--crossbar=ideal"]])]


def ack_overhead(rng, folder):
    return [f"--hosts={rng.randint(1, 12)}", f"--frameBytes={rng.randint(64, 4096)}", f"--load={rng.randint(1, 100) / 100}",
            f"--reverse={rng.choice(['on', 'off'])}", f"--duration={rng.randint(17000, 30000)}ns"]


def transport(rng, folder):
    options = [f"--senders={rng.randint(1, 6)}", f"--count={rng.randint(1, 8)}", f"--bytes={rng.choice([1, 4096, rng.randint(1, 40000)])}",
               f"--operations={rng.choice(['push', 'pull', 'push,pull'])}", f"--push={rng.choice(['solicited', 'unsolicited', 'auto'])}",
               f"--ordered={rng.choice(['on', 'off'])}", f"--window={rng.randint(1, 128)}", f"--outstanding={rng.randint(1, 8)}",
               f"--congestionControl={rng.choice(['fixed', 'delay', 'dcqcn'])}"]
    for fault in ("loss", "reorder", "duplicate", "corrupt"):
        options.append(f"--{fault}={rng.choice([0, 0, 0.02, 0.1])}")
    return without("--push", "--operations=pull", options)


def gpcnet(rng, folder):
    options, hosts = tree(rng, 4)
    if rng.random() < 0.2:
        hosts = rng.randint(4, 20)
        options = ["--topology=switch", f"--k={hosts}"]
    patterns = ["alltoall", "incast", "put-incast", "get-broadcast"] + (["all"] if hosts >= 10 else [])
    pattern = rng.choice(patterns)
    least = 8 if pattern == "all" else 2
    victims = rng.randint(2, min(hosts - least, 6))
    # Threads need a completion latency above the look-ahead.
    return options + [f"--pattern={pattern}", f"--victims={victims}", f"--aggressors={rng.choice([0, rng.randint(least, hosts - victims)])}",
                      f"--placement={rng.choice(['random', 'interleaved', 'linear'])}", f"--bytes={rng.choice([1, 4096, rng.randint(1, 9000)])}",
                      f"--outstanding={rng.randint(1, 8)}", f"--rings={rng.randint(1, 2)}", f"--iterations={rng.randint(1, 4)}",
                      "--bandwidthIterations=1", f"--warmUp={rng.randint(1, 5000)}ns", f"--noticeDelay={rng.choice([0, rng.randint(1, 3000)])}ns",
                      "--ns3::FabricNicTransport::CompletionLatency=2us"] + (["--tools=none"] if rng.random() < 0.3 else [])


def collectives(rng, folder):
    options, hosts = tree(rng, 2)
    if rng.random() < 0.3:
        options, hosts = rng.choice([(["--topology=dragonfly"], 8), (["--topology=torus", "--widths=3,2"], 12), (["--topology=switch", "--k=9"], 9)])
    names = ["allreduce-ring", "allreduce-tree", "allgather", "alltoall", "broadcast", "reduce", "halo3d", "allreduce-halving",
             "allreduce-doubling", "allreduce-double-tree", "allgather-bruck", "alltoall-bruck", "broadcast-chain"]
    name = rng.choice(names)
    pieces = [f"--pieces={rng.choice([1, 2, rng.randint(1, 40)])}"] if name.endswith(("chain", "double-tree")) and rng.random() < 0.7 else []
    placement = [] if "--topology=switch" in options else [f"--placement={rng.choice(['first', 'random', 'spread'])}"]
    jobs = rng.randint(1, min(3, hosts // 2))
    if rng.random() < 0.2:
        file = folder / "hosts.txt"
        ranks = jobs * rng.randint(2, hosts // jobs)
        file.write_text(" ".join(map(str, rng.sample(range(hosts), ranks))))
        return options + pieces + [f"--collective={name}", f"--jobs={jobs}", f"--bytes={rng.randint(1, 60000)}", f"--placement={file}"]
    what = pieces + [f"--collective={name}", f"--jobs={jobs}", f"--hosts={rng.choice([0, rng.randint(2, hosts // jobs)])}",
                     f"--bytes={rng.choice([1, 4096, rng.randint(1, 100), rng.randint(1, 60000)])}"]
    if rng.random() < 0.3:
        file = folder / "jobs.txt"
        file.write_text("".join(f"{rng.choice(names)} {rng.randint(2, hosts // jobs)} {rng.randint(1, 60000)} {rng.choice([0, rng.randint(1, 9000)])}ns\n"
                                for _ in range(jobs)))
        what = [f"--jobFile={file}"] + ([f"--onlyJobs={rng.randrange(jobs)}"] if rng.random() < 0.3 else [])
    late = [f"--skew={rng.randint(0, 20000)}ns"] + ([f"--straggler={rng.randint(0, 1)}", f"--late={rng.randint(1, 90)}us"] if rng.random() < 0.5 else [])
    return options + placement + what + (late if rng.random() < 0.4 else []) + [
                      f"--transport={rng.choice(['raw', 'rt', 'pio', 'tcp'])}", f"--flowChannels={rng.choice(['on', 'off'])}",
                      f"--linkRate={rng.choice(['25Gbps', '100Gbps', '333.3Gbps'])}", f"--linkDelay={rng.choice([1, 100, rng.randint(1, 300)])}ns",
                      *samples(rng), f"--RngRun={rng.randint(0, 1000)}",
                      "--ns3::FabricNicTransport::CompletionLatency=2us"]  # threads need one above the look-ahead


def lane_table(rng, folder, classes=range(16)):
    """Writes a table in JSON or CSV.

    @return its file
    """
    lanes = sorted(rng.sample(range(16), rng.randint(1, 16)))
    groups = rng.sample(range(32), rng.randint(1, 5))
    levels = rng.choice([["high", "medium", "low"], ["a"], ["1", "2"]])
    carried = [0] + [rng.choice(classes) for _ in lanes[1:]]  # a table needs a lane for class 0
    rows = [{"lane": lane, "level": rng.choice(levels), "group": rng.choice(groups), "trafficClass": carried[i],
             "latencySensitive": rng.random() < 0.5} for i, lane in enumerate(lanes)]
    shares = [{"group": group, "share": rng.choice([0, 5, 12.5, 33.33, 100, rng.randint(1, 100)])} for group in groups]
    if rng.random() < 0.5:
        file = folder / "lanes.json"
        file.write_text(json.dumps({"levels": levels, "lanes": rows, "groups": shares}))
        return file
    file = folder / "lanes.csv"
    sections = [[{"level": level} for level in levels], rows, shares]
    file.write_text("\n".join("\n".join([",".join(section[0])] + [",".join(str(value).lower() for value in row.values()) for row in section])
                              + "\n" for section in sections))
    return file


def lane_settings(rng, prefix):
    """@return values of an arbiter's attributes, each given with a chance of a third"""
    attributes = {"Turns": rng.choice(["round-robin", "least-recently-used"]), "Burst": rng.choice([1, 5000, 100_000]),
                  "Tolerance": rng.choice([0, 3000]), "Debt": rng.choice([0, 10_000]), "Window": rng.choice(["5us", "777ns"])}
    return [f"--ns3::{prefix}{name}={value}" for name, value in attributes.items() if rng.random() < 1 / 3]


def of_meter(options):
    """@return options without settings of another meter than theirs, and of its debt where it has none, which are refused; the others stay as they are drawn"""
    kind = next(option.partition("=")[2] for option in options if re.search("[mM]eter=", option))
    has_debt = kind != "sliding-window" and any(re.search("chargeOver=on|ChargeOverBandwidth=true", option) for option in options)
    unread = {"Burst": kind != "token-bucket", "Tolerance": kind != "leaky-bucket", "Window": kind != "sliding-window", "Debt": not has_debt}
    return [option for option in options if not any(is_unread and re.search(f"[:e]{name}=", option) for name, is_unread in unread.items())]


def vl_arbitration(rng, folder):
    size, rate, via = rng.choice([64, 1024, 9000, rng.randint(64, 9000)]), rng.choice([10, 100, 400]), rng.choice(["link", "uplink", "queue-disc"])
    table = rng.choice(["worked-example", lane_table(rng, folder)])
    options = [f"--table={table}", f"--via={via}", f"--mode={rng.choice(['lane', 'group'])}", f"--over={rng.choice(['demote', 'disqualify'])}",
            f"--meter={rng.choice(['token-bucket', 'leaky-bucket', 'sliding-window'])}", f"--chargeOver={rng.choice(['on', 'off'])}",
            f"--load={rng.randint(0, 100) / 100}", f"--laterLoad={rng.choice(['same', rng.randint(0, 100) / 100])}", f"--frameBytes={size}", f"--linkRate={rate}Gbps",
            f"--linkDelay={rng.choice([1, 100, rng.randint(1, 3000)])}ns", f"--duration={rng.randint(100, 400) * size * 8 // rate + 9}ns",
            f"--samplePeriod={rng.choice([0, 1000, rng.randint(100, 5000)])}ns", f"--RngRun={rng.randint(0, 1000)}",
            *lane_settings(rng, "VlArbiterQueueDisc::" if via == "queue-disc" else "FabricSwitch::Lane")]
    return without("--chargeOver", "--over=disqualify", of_meter(options))


def preemption(rng, folder):
    return [f"--preempt={rng.choice(['on', 'off'])}", f"--interleave={rng.choice(['on', 'off'])}",
            f"--oneHost={rng.choice(['on', 'off'])}", f"--victimBytes={rng.choice([256, 4096, 8192, rng.randint(256, 9024)])}", f"--urgentBytes={rng.choice([25, 256, rng.randint(25, 2000)])}",
            f"--urgentGap={rng.randint(100, 5000)}ns",
            f"--victimLoad={rng.randint(1, 60) / 100}", f"--bulkBytes={rng.choice([64, 1024, rng.randint(25, 9000)])}",
            f"--bulkLoad={rng.randint(0, 60) / 100}", f"--hops={rng.randint(1, 5)}", f"--linkRate={rng.choice(['25Gbps', '100Gbps', '333.3Gbps'])}",
            f"--hopDelay={rng.choice([1000, 450_000, rng.randint(1000, 2_000_000)])}ps", f"--duration={rng.randint(1, 60)}us",
            f"--RngRun={rng.randint(0, 1000)}"]


def pio(rng, folder):
    blocks = rng.choice([8, 64, 1024, rng.randint(4, 1024)])
    packet = rng.randint(1, min(64 * blocks - 8, 4096))
    options = [f"--blocks={blocks}", f"--packetBytes={packet}", f"--messageBytes={rng.choice([0, rng.randint(1, 20000)])}",
            f"--messageGap={rng.choice([0, rng.randint(1, 3000)])}ns", f"--contexts={rng.randint(1, 8)}",
            f"--senders={rng.randint(0, 12)}", f"--sdma={rng.choice([0, rng.randint(1, 5000)])}",
            f"--scheme={rng.choice(['absolute', 'relative', 'egress-order'])}", f"--wait={rng.choice(['poll', 'sleep'])}",
            f"--threshold={rng.randint(0, 100)}%", f"--returnLatency={rng.choice([0, rng.randint(1, 2000)])}ns",
            f"--loseEvery={rng.choice([0, rng.randint(1, 20)])}", f"--earlyReturn={rng.choice(['on', 'off'])}",
            f"--pcie={rng.choice(['4x16', '3x8', '1x1', '5x16'])}", f"--duration={rng.randint(10, 60)}us"]
    return without("--threshold", "--scheme=relative", without("--threshold", "--scheme=egress-order", options))


def nic(rng, folder):
    options = [f"--policy={rng.choice(['memory', 'low-latency', 'dynamic'])}", f"--operation={rng.choice(['put', 'send', 'tagged', 'get'])}",
            f"--bytes={rng.choice([0, 8, rng.randint(1, 300), rng.randint(1, 20000)])}", f"--load={rng.choice([0, rng.randint(1, 60)])}",
            f"--queues={rng.randint(1, 12)}", f"--batch={rng.choice([1, rng.randint(1, 40)])}",
            f"--ringSlots={rng.choice([64, 128, 1024])}", f"--pcie={rng.choice(['4x16', '3x8', '1x1', '5x16'])}",
            f"--loss={rng.choice([0, 0.01, 0.1])}", f"--retryTimeout={rng.choice([0, rng.randint(3, 20)])}us",
            f"--duration={rng.randint(10, 60)}us", f"--RngRun={rng.randint(0, 1000)}"]
    return without("--batch", "--load=0", options)


def over_transport(rng, has_classes):
    """@return options of the reliable transport, in three tenths of the runs, of programmed I/O or of TCP"""
    way = rng.random()
    if way < 0.4:
        return []
    if way < 0.55:
        return ["--transport=pio", f"--ns3::FabricPio::Threads={rng.choice([1, 3])}", f"--ns3::FabricPio::SdmaBytes={rng.choice([0, 20_000])}"]
    if way < 0.7:
        flavour = rng.choice([["TcpCubic", "Off"], ["TcpVegas", "Off"], ["TcpCubic", "On"], ["TcpDctcp", "Off"]])
        marks = [] if flavour in (["TcpCubic", "Off"], ["TcpVegas", "Off"]) or not has_classes else ["--classes=0,0,0,0,0,0,0,0"]
        return ["--transport=tcp", f"--ns3::TcpL4Protocol::SocketType=ns3::{flavour[0]}", f"--ns3::TcpSocketBase::UseEcn={flavour[1]}", *marks]
    return ["--transport=rt", f"--congestionControl={rng.choice(['fixed', 'delay', 'marks', 'dcqcn', 'hpcc', 'timely'])}", f"--connections={rng.choice([1, 3, 256])}",
            f"--push={rng.choice(['solicited', 'unsolicited', 'auto'])}", f"--window={rng.choice([128, rng.randint(1, 128)])}",
            *(f"--{fault}={rng.choice([0, 0, 0.02, 0.1])}" for fault in ("loss", "reorder", "duplicate", "corrupt"))]


def flow_files(rng, folder):
    """@return a list of flows, a matrix with triggers, a trace, or flows that are drawn, over a fat tree, as messages or over a transport"""
    arguments = flows_of_files(rng, folder)
    has_classes = not any(argument.startswith(("--cdf", "--format")) for argument in arguments)
    return arguments + over_transport(rng, has_classes)  # drawn last, so that the others stay as they are


def flows_of_files(rng, folder):
    """@return a list of flows, a matrix with triggers, a trace, or flows that are drawn, over a fat tree"""
    options, hosts = tree(rng, 3)
    pairs = [rng.sample(range(hosts), 2) for _ in range(rng.randint(2, 40))]
    sizes = [rng.choice([1, 4096, rng.randint(1, 200_000)]) for _ in pairs]
    starts = [rng.choice([0, 1000, rng.randint(0, 20_000)]) for _ in pairs]  # ns
    path = folder / "flows"
    options += [f"--samplePeriod={rng.choice([0, 1, 3])}us", f"--flowChannels={rng.choice(['on', 'on', 'off'])}"]
    if rng.random() < 0.3:
        return options + [f"--cdf={rng.choice(['hadoop', 'alistorage'])}", f"--load={rng.choice([0.1, 0.8])}", f"--arrivalTime={rng.randint(3, 20)}us",
                          f"--RngRun={rng.randint(0, 1000)}"]
    if rng.random() < 0.5:
        flows = [f"{src} {dst} {rng.randrange(8)} 100 {size} {start / 1e9}" for (src, dst), size, start in zip(pairs, sizes, starts)]
        path.write_text("\n".join([str(len(flows)), *flows]))
        return options + [f"--flows={path}", f"--duration={rng.choice([0, 5, 30])}us"]
    if rng.random() < 0.5:
        # Each sends as soon as it has got what is for it, or at once; calculations end together.
        lines = [f"num_ranks {hosts}"]
        for rank in range(hosts):
            lines.append(f"rank {rank} {{")
            lines += [f"s{i}: send {size}b to {dst} tag {i % 3}" for i, ((src, dst), size) in enumerate(zip(pairs, sizes)) if src == rank]
            lines += [f"r{i}: recv {size}b from {src} tag {i % 3}\nc{i}: calc {rng.choice([0, 1000, 2000])} cpu {i % 2}\nc{i} requires r{i}"
                      for i, ((src, dst), size) in enumerate(zip(pairs, sizes)) if dst == rank]
            lines += [f"s{j} requires c{i}" for i, (_, dst) in enumerate(pairs) for j, (src, _) in enumerate(pairs) if i < j and src == dst == rank]
            lines.append("}")
        path.write_text("\n".join(lines))
        return options + [f"--flows={path}", "--format=goal"]
    # Each connection starts one or two others, as they are listed; many of them have equal times.
    lines = [f"{src}->{dst} id {i + 1} {f'trigger {(i + 1) // 2}' if i else 'start 0'} size {size} recv_done_trigger {i + 1}"
             for i, ((src, dst), size) in enumerate(zip(pairs, sizes))]
    lines += [f"trigger id {i + 1} oneshot" for i in range(len(pairs))]
    path.write_text("\n".join([f"Nodes {hosts}", f"Connections {len(pairs)}", f"Triggers {len(pairs)}", *lines]))
    return options + [f"--flows={path}", "--format=htsim"]


# With the options that all programs with switches have, and the others.
PROGRAMS = {"fabric-incast": incast, "fabric-permutation": permutation, "fabric-chain": chain,
            "fabric-ack-overhead": ack_overhead, "fabric-transport": transport, "fabric-gpcnet": gpcnet, "fabric-pio": pio,
            "fabric-nic": nic}
OTHERS = {"fabric-congestion": congestion, "fabric-collectives": collectives, "fabric-vl-arbitration": vl_arbitration,
          "fabric-preemption": preemption, "fabric-run": flow_files, "fabric-ingress-fairness": ingress_fairness, "fabric-shaping": shaping,
          "fabric-crossbar": crossbar}


def switch_attributes(rng, program):
    """@return values of attributes, each given with a chance of a third"""
    nanoseconds = rng.choice([0, 1, 30, 350, rng.randint(0, 2000)])
    attributes = {
        "Forwarding": rng.choice(["cut-through", "store-and-forward"]),
        "HopCredits": rng.choice(["true", "false"]),
        "Latency": f"{nanoseconds}ns",
        "ControlLatency": f"{rng.choice([0, 1, 50, 77])}ns",
        "AckIdleTimer": f"{rng.choice([0, 1, 30, 200])}ns",
        "AckBusyTimer": f"{rng.choice([0, 60, 500])}ns",
        "AckLongestTimer": f"{rng.choice([0, 90, 1000])}ns",
        # A sender that never stops can hold the ids of a link for ever.
        "FlowIds": str(rng.choice([1, 2, 3, 8, 100] if program not in ("fabric-incast", "fabric-gpcnet") else [50, 100])),
        "NoFlowClasses": str(rng.choice([0, 1, 2, 65535])),
        "UnorderedClasses": str(rng.choice([0, 1, 65535])),
        "FlowFields": str(rng.randint(0, 127)),
        "RoomDivisor": str(rng.choice([0, 1, 16])),
        "Turns": rng.choice(["frames", "bytes"]),
    }
    if program != "fabric-chain":
        attributes["Arbitration"] = rng.choice(["flow", "port"])
    chosen = {name: value for name, value in attributes.items() if rng.random() < 1 / 3}
    if program in ("fabric-gpcnet", "fabric-transport"):
        chosen.pop("HopCredits", None)  # --tools says it
    unordered = int(chosen.get("UnorderedClasses", 0))
    if unordered and not unordered & int(chosen.get("NoFlowClasses", 0)):
        chosen["NoFlowClasses"] = str(unordered)  # with_ways() has others
    if chosen.get("Turns") == "bytes":
        chosen["TurnQuantum"] = str(rng.choice([64, 1000, 9024, 65536]))
    given = [f"{SWITCH}{name}={value}" for name, value in chosen.items()]
    # Without any flow channels tools are refused.
    return given + (["--tools=none"] if program == "fabric-gpcnet" and chosen.get("NoFlowClasses") == "65535" else [])


def with_ways(rng, arguments):
    """@return the arguments; in every second run whose frames need no order and go in one piece these have flow channels"""
    has_lanes = any("LaneTableFile" in argument for argument in arguments)
    if has_lanes or rng.random() < 0.5 or not any("UnorderedClasses" in argument for argument in arguments):
        return arguments
    return [argument for argument in arguments if "NoFlowClasses" not in argument]


def of_flows(arguments):
    """@return the arguments without settings of flows where no class has flow channels, which refuses them"""
    if "--flowChannels=off" in arguments:
        arguments = [argument for argument in arguments if "NoFlowClasses" not in argument]
    elif f"{SWITCH}NoFlowClasses=65535" not in arguments:
        return arguments
    return [argument for argument in arguments if not re.search("Watermark=|RoomDivisor=|FlowIds=|FlowFields=|Ack(Idle|Busy|Longest)Timer=", argument)]


def buffers(rng):
    """@return attributes of buffers, virtual channels and pauses that agree with each other"""
    if rng.random() < 0.5:
        return []
    if rng.random() < 0.3:
        mode = rng.choice(["pause", "priority-pause"])
        return [f"{SWITCH}EdgeFlowControl={mode}", f"{SWITCH}BufferBytes={rng.choice([2_000_000, 3_000_000])}"]
    channels = rng.randint(1, 4)
    reserved = rng.choice([4120, 9024, 36096])
    size = channels * reserved + rng.choice([0, 1, 5000, 100_000])
    classes = ",".join(str(rng.randrange(channels)) for _ in range(rng.randint(1, 16)))
    return [f"{SWITCH}BufferBytes={size}", f"{SWITCH}ReservedBytes={reserved}", f"{SWITCH}VirtualChannels={channels}",
            f"{SWITCH}ClassToVc={classes}", f"--ns3::FabricNetDevice::ClassToVc={classes}"]


def watermarks(rng):
    if rng.random() < 0.7:
        return []
    drop, target, high = sorted(rng.sample(range(0, 60), 3))
    return [f"{SWITCH}DropWatermark={drop}", f"{SWITCH}TargetWatermark={target}", f"{SWITCH}HighWatermark={high}"]


def lanes(rng, folder):
    """@return attributes of virtual lanes at the ports of switches"""
    if rng.random() < 0.6:
        return []
    return of_meter([f"{SWITCH}LaneTableFile={lane_table(rng, folder)}", f"{SWITCH}LaneMode={rng.choice(['lane', 'group'])}",
                     f"{SWITCH}LaneMeter={rng.choice(['token-bucket', 'leaky-bucket', 'sliding-window'])}",
                     f"{SWITCH}LaneChargeOverBandwidth={rng.choice(['true', 'false'])}", *lane_settings(rng, "FabricSwitch::Lane")])


def shaped(rng, folder, others):
    """@return attributes of outputs that are shaped, where there are no lanes; nobody waits for long, since the head is unlimited"""
    if rng.random() < 0.6 or any("LaneTableFile" in argument for argument in others):
        return []
    arguments = []
    for kind, most in rng.choice([[("Link", 8)], [("Host", 32)], [("Link", 8), ("Host", 32)]]):
        queues = sorted({0, *rng.sample(range(most), rng.randint(0, 6))})
        table = folder / f"{kind}.json"
        table.write_text(json.dumps({"leaves": [{"queue": queue, "branch": rng.randrange(4), **bucket(rng)} for queue in queues],
                                     "classes": [{"class": queue, "trafficClass": number, "queue": queue} for number, queue in enumerate(queues)]}))
        arguments.append(f"{SWITCH}{kind}ShapingTableFile={table}")
    return arguments


def links(rng, program, others):
    """@return attributes of channels, and flow rules of switches, as far as they go with the other arguments"""
    arguments = []
    if rng.random() < 0.3:
        arguments += ["--ns3::FabricChannel::CreditFrames=true", f"--ns3::FabricChannel::CreditThreshold={rng.choice([1, 500, 4096, 30000])}",
                      f"--ns3::FabricChannel::CreditTimer={rng.choice([0, 1, 200, rng.randint(0, 5000)])}ns"]
    if rng.random() < 0.3 and program == "fabric-permutation":
        arguments += [f"--linkErrors={rng.choice([0.001, 0.01, 0.3])}", f"--ns3::FabricChannel::RetryLatency={rng.choice([1, 200, 3000])}ns"]
    unfit = ["--flowChannels=off", f"{SWITCH}NoFlowClasses", f"{SWITCH}FlowFields"]
    if rng.random() < 0.5 and not any(argument.startswith(tuple(unfit)) for argument in others):
        rules = rng.choice(["-> none", "-> all", "dst=1 -> process; -> none", "process=1/1 -> process; dst=2/2 -> all", "class=0 -> mac,ip"])
        arguments.append(f"{SWITCH}FlowRules={rules}")
    return arguments


def command_line(seed, folder):
    """@return a program and its arguments"""
    rng = random.Random(seed)
    program = rng.choice(list(PROGRAMS))
    arguments = PROGRAMS[program](rng, folder)
    arguments += [f"--linkRate={rng.choice(['25Gbps', '100Gbps', '200Gbps', '333.3Gbps', '1600Gbps'])}",
                  f"--linkDelay={rng.choice(['1ns', '100ns', '1234567ps', f'{rng.randint(1000, 300000)}ps'])}",
                  f"--flowChannels={rng.choice(['on', 'on', 'off'])}",
                  f"--samplePeriod={rng.choice([0, 500, 1000, rng.randint(100, 5000)])}ns",
                  f"--RngRun={rng.randint(0, 1000)}",
                  f"--ns3::FabricMessageSender::TrafficClass={rng.randrange(16)}"]
    channels = buffers(rng)
    arguments += switch_attributes(rng, program) + channels + watermarks(rng)
    if not any("VirtualChannels" in argument for argument in channels):
        arguments += lanes(rng, folder)  # a class without a lane has to have the virtual channel of class 0
    arguments += shaped(random.Random(seed + 2), folder, arguments)
    arguments = of_flows(with_ways(random.Random(seed + 1), arguments))
    return program, arguments + links(random.Random(~seed), program, arguments)  # drawn apart, so that the others stay as they are


def results(folder, program, arguments):
    """@return what a run printed, and its result files by name but the manifest, which tells how it was run"""
    printed = run_well(program, *arguments, f"--out={folder}")
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}
    expected = {"fabric-transport": {"summary.csv", "messages.csv"}, **{other: {"summary.csv"} for other in OTHERS}}
    assert expected.get(program, {"summary.csv", "messages.csv", "flows.csv"}) <= set(files)
    return {"standard output": printed, **files}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_dp5_results_do_not_depend_on_how_they_are_computed(seed, tmp_path):
    program, arguments = command_line(seed, tmp_path)
    # However little there is for threads to do.
    threads = [f"--threads={2 + seed % 3}", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    check_ways(seed, program, arguments, threads, tmp_path)


@pytest.mark.parametrize("seed", range(SEEDS // 4))
def test_sw4_results_with_tiles_do_not_depend_on_that_either(seed, tmp_path):
    program, arguments = command_line(seed, tmp_path)
    rng = random.Random(seed)
    arguments = [argument for argument in arguments if not any(word in argument for word in ("Preemption", "Interleaving", "LaneCheck", "Latency="))]
    tiles = [f"{SWITCH}Crossbar=tiled", f"{SWITCH}CrossbarTransit={rng.choice([0, 20, 350])}ns", f"{SWITCH}CrossbarOutputBuffer={rng.choice([9024, 30000])}",
             f"{SWITCH}CrossbarSpeedup={rng.choice([1, 2])}"]
    threads = [f"--threads={2 + seed % 3}", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]
    check_ways(seed, program, arguments + tiles, threads, tmp_path)


def check_ways(seed, program, arguments, threads, folder):
    """Fails if results depend on look-ahead, scheduler or options that say the number of threads."""
    expected = results(folder / "on", program, arguments + ["--lookahead=on"])
    rotated = [SCHEDULERS[(seed + i) % len(SCHEDULERS)] for i in range(2)]
    lookaheads = ["off", "on"] if "--via=queue-disc" not in arguments else ["on", "on"]  # there is none
    for lookahead, scheduler in zip(lookaheads, rotated):
        how = [f"--lookahead={lookahead}", f"--SchedulerType=ns3::{scheduler}Scheduler"] + (threads if lookahead == "on" else [])
        found = results(folder / lookahead / scheduler, program, arguments + how)
        assert found.keys() == expected.keys()
        different = [name for name in expected if found[name] != expected[name]]
        assert not different, f"seed {seed}: {different} differ with {' '.join(how)}: {program} {' '.join(arguments)}"


@pytest.mark.parametrize("program", OTHERS)
@pytest.mark.parametrize("seed", range(30))
def test_dp5_programs_of_single_links_too(program, seed, tmp_path):
    arguments = OTHERS[program](random.Random(seed), tmp_path)
    check_ways(seed, program, arguments, ["--threads=2"] if "--via=queue-disc" not in arguments else [], tmp_path)


@pytest.mark.parametrize("lookahead", ["on", "off"])
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_dp5_every_scheduler(lookahead, scheduler, tmp_path):
    arguments = ["--k=4", "--senders=12", "--bytes=20000", "--jitter=2us", "--samplePeriod=1us", "--aloneTime=6us"]
    how = [f"--lookahead={lookahead}", f"--SchedulerType=ns3::{scheduler}Scheduler"]
    assert (results(tmp_path / "a", "fabric-incast", arguments + how) ==
            results(tmp_path / "b", "fabric-incast", arguments))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("threads", [2, 3, 16])
def test_dp15_any_number_of_threads(program, threads, tmp_path):
    how = [f"--threads={threads}"]
    assert results(tmp_path / "a", program, how + ["--check=true"]) == results(tmp_path / "b", program, ["--check=true"])
    assert json.loads((tmp_path / "a/manifest.json").read_text())["threads"] == threads


def test_dp5_repeated_runs_are_equal_and_other_random_numbers_give_other_results(tmp_path):
    arguments = ["--k=4", "--senders=12", "--bytes=20000", "--jitter=2us"]
    runs = [results(tmp_path / str(i), "fabric-incast", arguments + [f"--RngRun={number}"])
            for i, number in enumerate([1, 1, 2])]
    assert runs[0] == runs[1]
    for name in ("summary.csv", "messages.csv", "flows.csv", "standard output"):
        assert runs[0][name] != runs[2][name]


def test_dp5_seed_counts_as_the_run_number_does(tmp_path):
    arguments = ["--k=4", "--senders=12", "--bytes=20000", "--jitter=2us"]
    one, other = (results(tmp_path / str(seed), "fabric-incast", arguments + [f"--RngSeed={seed}"]) for seed in (1, 2))
    assert one["messages.csv"] != other["messages.csv"]
