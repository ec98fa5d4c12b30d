# SPDX-License-Identifier: GPL-2.0-only
"""SC-3: collectives of hosts, over every transport and on every topology, their closed forms, lower bounds and pictures."""
import subprocess

import pytest

from fabric_sim.plots import collective_times, interference, job_mix, placements
from fabric_sim.plots.collectives import draw
from fabric_sim.results import ResultError, read_run
from programs import DELAY, OVERHEAD, PICOSECOND, RATE, ROOT, SWITCH_LATENCY, python, read_csv, run, run_well, seconds, summary_of, wire_bytes

COLLECTIVES = ("allreduce-ring", "allreduce-tree", "allgather", "alltoall", "broadcast", "reduce", "halo3d", "allreduce-halving", "allreduce-doubling",
               "allreduce-double-tree", "allgather-bruck", "alltoall-bruck", "broadcast-chain")
TRANSPORTS = ("raw", "rt", "pio", "tcp")
TOPOLOGIES = {"fat-tree": ["--k=4"], "dragonfly": [], "torus": [], "hyperx": [], "switch": ["--k=11"]}
SHAPES = {8: (2, 2, 2), 16: (4, 2, 2), 5: (5, 1, 1), 12: (3, 2, 2)}  # of the halo


def collective(folder, name, *options):
    return summary_of(folder, "fabric-collectives", f"--collective={name}", *options)


def least_bytes(name, hosts, size):
    """@return bytes that some host's link has to carry one way (spec: lower bounds)"""
    if name.startswith("allreduce"):
        return 2 * (hosts - 1) / hosts * size
    if name.startswith(("allgather", "alltoall")):
        return (hosts - 1) / hosts * size
    if name in ("broadcast", "reduce", "broadcast-chain"):
        return size
    return size * 2 * sum(width > 1 for width in SHAPES[hosts])


def payload(name, hosts, size):
    """@return bytes of all messages, by hand"""
    if name in ("allreduce-doubling", "allreduce-halving"):
        levels = hosts.bit_length() - 1
        apart = 2 * (hosts - 2**levels) * size  # hand on before, get the result after
        return apart + (2**levels * levels if name == "allreduce-doubling" else 2 * (2**levels - 1)) * size
    if name.startswith("allreduce"):
        return 2 * (hosts - 1) * size
    if name == "alltoall":
        return hosts * (size - size // hosts)  # the last part is the smallest, and stays
    if name == "alltoall-bruck":  # part i - 1 goes as often as i has bits
        return hosts * sum((size // hosts + (i - 1 < size % hosts)) * bin(i).count("1") for i in range(1, hosts))
    if name in ("allgather", "allgather-bruck", "broadcast", "broadcast-chain", "reduce"):
        return (hosts - 1) * size
    return hosts * int(least_bytes(name, hosts, size))


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("name", COLLECTIVES)
def test_sc3_every_transport_carries_every_collective(name, transport, tmp_path):
    for hosts, size in ((5, 3), (5, 20001), (16, 40000)):
        summary = collective(tmp_path / f"{hosts}-{size}", name, "--k=4", f"--hosts={hosts}", f"--bytes={size}", f"--transport={transport}")
        time = summary["completion_time", ""]
        assert summary["lower_bound", ""] == pytest.approx(8 * least_bytes(name, hosts, size) / RATE)
        assert time > summary["lower_bound", ""]
        assert summary["algorithm_bandwidth", ""] == pytest.approx(8 * size / time)
        assert summary["bytes_offered", ""] == summary["bytes_delivered", ""] == payload(name, hosts, size)
        assert summary["bytes_in_flight", ""] == 0
        assert summary["rank_time", "stat=max"] == time
        opening = summary["simulated_time", ""] - time  # connections, before all begin
        assert 1e-6 < opening < 20e-6 if transport == "tcp" else opening == pytest.approx(0, abs=PICOSECOND)


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_sc3_every_topology_carries_collectives(topology, transport, tmp_path):
    for name in ("allreduce-ring", "alltoall", "halo3d"):
        summary = collective(tmp_path / name, name, f"--topology={topology}", *TOPOLOGIES[topology], "--hosts=8", "--bytes=10000",
                             f"--transport={transport}")
        assert summary["completion_time", ""] > summary["lower_bound", ""] == pytest.approx(8 * least_bytes(name, 8, 10000) / RATE)
        assert summary["bytes_delivered", ""] == payload(name, 8, 10000)


@pytest.mark.parametrize("name, rest", [("allreduce-ring", 1), ("alltoall", 0.75), ("broadcast", 1), ("reduce", 1), ("allgather", 0.75)])
@pytest.mark.parametrize("transport", ["raw", "switch"])
def test_sc3_the_lower_bound_knows_slow_hosts(name, rest, transport, tmp_path):
    """What the host with 25 Gb/s has to send or take itself: no other host can do it."""
    if transport == "switch" and name != "reduce":
        pytest.skip("switches make reductions")
    (tmp_path / "topology.txt").write_text("5 1 4\n4\n0 4 25Gbps 100ns 0\n1 4 100Gbps 100ns 0\n2 4 200Gbps 100ns 0\n3 4 200Gbps 100ns 0\n")
    summary = collective(tmp_path / "out", name, f"--topology={tmp_path / 'topology.txt'}", "--bytes=1000000", f"--transport={transport}")
    assert summary["lower_bound", ""] == pytest.approx(8e6 * rest / 25e9)
    assert summary["completion_time", ""] > summary["lower_bound", ""]


@pytest.mark.parametrize("hosts, levels", [(2, 1), (8, 3), (16, 4)])
def test_sc3_closed_forms_on_one_switch(hosts, levels, tmp_path):
    """The frames of a message follow each other on both links, of which the second waits for the first frame's head only."""
    size = 4096 * hosts * 10
    alpha = 2 * DELAY + SWITCH_LATENCY
    part, whole = (alpha + seconds(wire_bytes(each)) for each in (size // hosts, size))
    halves = sum(alpha + seconds(wire_bytes(size >> (level + 1))) for level in range(levels))
    expected = {"allreduce-ring": 2 * (hosts - 1) * part, "allgather": (hosts - 1) * part, "allgather-bruck": halves,
                "alltoall-bruck": levels * (alpha + seconds(wire_bytes(size // 2))), "allreduce-halving": 2 * halves, "allreduce-doubling": levels * whole,
                "alltoall": alpha + (hosts - 1) * seconds(wire_bytes(size // hosts)), "broadcast": levels * whole, "reduce": levels * whole, "allreduce-tree": 2 * levels * whole}
    for name, time in expected.items():
        summary = collective(tmp_path / name, name, "--topology=switch", f"--k={hosts}", f"--bytes={size}")
        assert summary["completion_time", ""] == pytest.approx(time, abs=10 * hosts * PICOSECOND), name
        # 2 (n - 1) alpha + 2 (n - 1) / n S / B of the ring, and so on, but for the headers of frames.
        rounds = round(time / part) if name in ("allreduce-ring", "allgather") else 0
        if rounds:
            assert time == pytest.approx(rounds * alpha + summary["lower_bound", ""] * (1 + OVERHEAD / 4096))


@pytest.mark.parametrize("pieces", [1, 10, 40])
def test_sc3_pieces_of_a_chain_follow_each_other(pieces, tmp_path):
    hosts, size = 8, 40 * 4096
    summary = collective(tmp_path, "broadcast-chain", "--topology=switch", f"--k={hosts}", f"--bytes={size}", f"--pieces={pieces}")
    alpha = 2 * DELAY + SWITCH_LATENCY
    piece = seconds(wire_bytes(size // pieces))
    assert summary["completion_time", ""] == pytest.approx((hosts - 1) * (alpha + piece) + (pieces - 1) * piece, abs=100 * PICOSECOND)
    assert summary["messages", ""] == (hosts - 1) * pieces


def test_sc3_pieces_have_16_kib_at_most_unless_it_is_said(tmp_path):
    for name, cut in (("broadcast-chain", 100000), ("allreduce-double-tree", 50000)):
        usual = collective(tmp_path / f"usual-{name}", name, "--k=4", "--bytes=100000")
        said = collective(tmp_path / f"said-{name}", name, "--k=4", "--bytes=100000", f"--pieces={-(-cut // 16384)}")
        assert usual == said
        one = collective(tmp_path / f"one-{name}", name, "--k=4", "--bytes=100000", "--pieces=1")
        assert one["completion_time", ""] > 1.2 * usual["completion_time", ""] and one["bytes_delivered", ""] == usual["bytes_delivered", ""]


def test_sc3_long_buffers_are_best_in_parts_or_pieces_and_short_ones_in_few_steps(tmp_path):
    times = {(name, size): collective(tmp_path / f"{name}-{size}", name, "--k=4", f"--bytes={size}")["completion_time", ""]
             for name in ("allreduce-ring", "allreduce-tree", "allreduce-halving", "allreduce-doubling", "allreduce-double-tree") for size in (64, 1 << 22)}
    order = {size: sorted((name for name, each in times if each == size), key=lambda name: times[name, size]) for size in (64, 1 << 22)}
    assert order[64][0] == "allreduce-doubling" and order[64][-1] == "allreduce-ring"
    assert set(order[1 << 22][:3]) == {"allreduce-halving", "allreduce-ring", "allreduce-double-tree"} and order[1 << 22][-1] == "allreduce-tree"


def ranks_of(folder):
    return [(int(row["rank"]), int(row["host"]), int(row["switch"]), row["group"]) for row in read_csv(folder / "ranks.csv")]


def test_sc3_ranks_are_on_the_first_hosts_or_any_or_spread_over_groups(tmp_path):
    dragonfly = ["--topology=dragonfly", "--hosts=20", "--bytes=20000"]
    for placement in ("first", "random", "spread"):
        for seed in (1, 2):
            summary = collective(tmp_path / f"{placement}-{seed}", "alltoall", *dragonfly, f"--placement={placement}", f"--RngRun={seed}")
            assert summary["bytes_delivered", ""] == payload("alltoall", 20, 20000)
    first, again = (ranks_of(tmp_path / f"first-{seed}") for seed in (1, 2))
    assert first == again == [(rank, rank, rank // 2, str(rank // 8)) for rank in range(20)]
    spread, again = (ranks_of(tmp_path / f"spread-{seed}") for seed in (1, 2))
    assert spread == again
    assert [group for *_, group in spread] == [str(rank % 9) for rank in range(20)]  # of nine groups
    assert [host for _, host, *_ in spread[:2]] == [0, 8] and spread[9][1:3] == (2, 1)
    drawn, other = (ranks_of(tmp_path / f"random-{seed}") for seed in (1, 2))
    hosts = [host for _, host, *_ in drawn]
    assert drawn != other and len(set(hosts)) == 20 and max(hosts) < 72 and hosts != sorted(hosts)
    for folder, ranks in (("spread-1", spread), ("random-2", other)):
        messages = read_csv(tmp_path / folder / "messages.csv")
        assert {int(row["src"]) for row in messages} == {int(row["dst"]) for row in messages} == {host for _, host, *_ in ranks}
        times = [float(row["time_s"]) for row in read_csv(tmp_path / folder / "ranks.csv")]
        assert max(times) == max(float(row["end_s"]) for row in messages)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_sc3_jobs_are_at_the_same_time_on_hosts_of_their_own(transport, tmp_path):
    options = ["--k=4", "--hosts=4", "--bytes=50000", f"--transport={transport}"]
    alone = collective(tmp_path / "alone", "allreduce-double-tree", *options)
    jobs = collective(tmp_path / "jobs", "allreduce-double-tree", *options, "--jobs=4")
    assert ("job_time", "stat=max") not in alone
    # A pod each: no two jobs share a link.
    for stat in ("min", "p50", "max"):
        assert jobs["job_time", f"stat={stat}"] == pytest.approx(alone["completion_time", ""], rel=0.02)
    assert jobs["job_time", "stat=max"] == jobs["completion_time", ""] == jobs["rank_time", "stat=max"]
    for metric in ("messages", "bytes_delivered"):
        assert jobs[metric, ""] == 4 * alone[metric, ""]
    assert jobs["lower_bound", ""] == alone["lower_bound", ""]
    rows = read_csv(tmp_path / "jobs/ranks.csv")
    assert [(int(row["job"]), int(row["rank"]), int(row["host"])) for row in rows] == [(host // 4, host % 4, host) for host in range(16)]
    times = [max(float(row["time_s"]) for row in rows if row["job"] == str(job)) for job in range(4)]
    assert max(times) == jobs["job_time", "stat=max"] and min(times) == jobs["job_time", "stat=min"]


def test_sc3_jobs_that_share_links_slow_each_other_down(tmp_path):
    options = ["--topology=dragonfly", "--hosts=16", "--bytes=200000", "--placement=random"]
    alone, jobs = (collective(tmp_path / str(number), "alltoall", *options, f"--jobs={number}") for number in (1, 4))
    assert jobs["job_time", "stat=max"] > jobs["job_time", "stat=min"] > 1.1 * alone["completion_time", ""]
    ranks = read_csv(tmp_path / "4/ranks.csv")
    assert [row["host"] for row in ranks[:16]] == [row["host"] for row in read_csv(tmp_path / "1/ranks.csv")]  # the first job is where it was alone
    jobs_of = {row["host"]: row["job"] for row in ranks}
    assert len(jobs_of) == 64 and all(jobs_of[row["src"]] == jobs_of[row["dst"]] for row in read_csv(tmp_path / "4/messages.csv"))


MIX = """# of different kinds
allreduce-double-tree 5 60kB
alltoall 3 9000 2us   # later
broadcast 4 5000
"""


@pytest.fixture
def mix(tmp_path):
    file = tmp_path / "jobs.txt"
    file.write_text(MIX)
    return f"--jobFile={file}"


def jobs_of(folder):
    """@return what each job was, and its time"""
    return [(int(row["job"]), row["collective"], int(row["hosts"]), int(row["bytes"]), float(row["start_s"]), float(row["time_s"])) for row in read_csv(folder / "jobs.csv")]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_sc3_jobs_of_different_kinds_do_not_wait_for_each_other(transport, mix, tmp_path):
    options = ["--topology=switch", "--k=12", f"--transport={transport}"]  # where no link is shared
    summary = summary_of(tmp_path / "mix", "fabric-collectives", *options, mix)
    together = jobs_of(tmp_path / "mix")
    assert [job[:5] for job in together] == [(0, "allreduce-double-tree", 5, 60000, 0), (1, "alltoall", 3, 9000, 2e-6), (2, "broadcast", 4, 5000, 0)]
    messages = bytes_delivered = 0
    for number, (_, name, hosts, size, start, time) in enumerate(together):
        only = summary_of(tmp_path / f"only-{number}", "fabric-collectives", *options, mix, f"--onlyJobs={number}")
        (job,) = jobs_of(tmp_path / f"only-{number}")
        # TCP's connections open in another order, and its segments have other sequence numbers.
        assert job[:5] == together[number][:5] and job[5] == pytest.approx(time, rel=0.02 if transport == "tcp" else 1e-9)
        alone = collective(tmp_path / f"alone-{number}", name, *options, f"--hosts={hosts}", f"--bytes={size}")
        assert alone["completion_time", ""] == pytest.approx(time, rel=0.02 if transport == "tcp" else 1e-9)
        assert only["completion_time", ""] == pytest.approx(start + job[5])
        messages += alone["messages", ""]
        bytes_delivered += alone["bytes_delivered", ""]
    assert summary["messages", ""] == messages and summary["bytes_delivered", ""] == bytes_delivered
    assert summary["completion_time", ""] == pytest.approx(max(job[4] + job[5] for job in together))
    assert summary["job_time", "stat=max"] == pytest.approx(max(job[5] for job in together))
    assert ("algorithm_bandwidth", "") not in summary


@pytest.mark.parametrize("placement", ["first", "random", "spread"])
def test_sc3_jobs_alone_have_the_hosts_that_they_have_beside_others(placement, mix, tmp_path):
    options = ["--topology=dragonfly", mix, f"--placement={placement}", "--RngRun=4"]
    run_well("fabric-collectives", *options, f"--out={tmp_path / 'all'}")
    rows = read_csv(tmp_path / "all/ranks.csv")
    assert [(int(row["job"]), int(row["rank"])) for row in rows] == [(job, rank) for job, hosts in enumerate((5, 3, 4)) for rank in range(hosts)]
    assert len({row["host"] for row in rows}) == 12
    for only in ("0", "1", "2", "0,2"):
        run_well("fabric-collectives", *options, f"--onlyJobs={only}", f"--out={tmp_path / only}")
        hosts = [(row["job"], row["rank"], row["host"]) for row in read_csv(tmp_path / only / "ranks.csv")]
        assert hosts == [(row["job"], row["rank"], row["host"]) for row in rows if row["job"] in only.split(",")]
        assert [str(job[0]) for job in jobs_of(tmp_path / only)] == only.split(",")


def test_sc3_equal_jobs_are_a_mix_of_one_kind(tmp_path):
    (tmp_path / "jobs.txt").write_text("allreduce-halving 4 30000\n" * 3)
    options = ["--k=4", "--placement=random", "--check"]
    collective(tmp_path / "jobs", "allreduce-halving", *options, "--hosts=4", "--bytes=30000", "--jobs=3")
    run_well("fabric-collectives", *options, f"--jobFile={tmp_path / 'jobs.txt'}", f"--out={tmp_path / 'mix'}")
    for name in ("messages.csv", "ranks.csv", "jobs.csv"):
        assert (tmp_path / "jobs" / name).read_bytes() == (tmp_path / "mix" / name).read_bytes()


@pytest.mark.parametrize("options", [["--k=4"], ["--topology=switch", "--k=12"], ["--topology=dragonfly", "--transport=rt"]])
def test_sc3_hosts_of_a_file_are_those_of_ranks(options, mix, tmp_path):
    hosts = [7, 6, 11, 0, 1, 2, 3, 10, 9, 8, 5, 4]
    (tmp_path / "hosts.txt").write_text("7 6 # both\n11 0-3 10\n\n9 8 5 4\n")
    run_well("fabric-collectives", *options, mix, f"--placement={tmp_path / 'hosts.txt'}", f"--out={tmp_path / 'out'}")
    rows = read_csv(tmp_path / "out/ranks.csv")
    assert [int(row["host"]) for row in rows] == hosts
    # Those of another run are the same run.
    for number, placement in enumerate(["first"] if "--k=12" in options else ["random", "spread"]):
        run_well("fabric-collectives", *options, mix, f"--placement={placement}", f"--out={tmp_path / placement}")
        list_file = tmp_path / f"{number}.txt"
        list_file.write_text("\n".join(row["host"] for row in read_csv(tmp_path / placement / "ranks.csv")))
        run_well("fabric-collectives", *options, mix, f"--placement={list_file}", f"--out={tmp_path / 'again'}", "--force")
        for name in ("summary.csv", "ranks.csv", "jobs.csv"):
            assert (tmp_path / placement / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_sc3_without_hosts_all_of_a_file_take_part(tmp_path):
    (tmp_path / "hosts.txt").write_text("9-14")
    for jobs, job_hosts in ((1, 6), (2, 3), (3, 2)):
        run_well("fabric-collectives", "--k=4", f"--jobs={jobs}", f"--placement={tmp_path / 'hosts.txt'}", f"--out={tmp_path / str(jobs)}")
        rows = read_csv(tmp_path / str(jobs) / "ranks.csv")
        assert [(int(row["host"]), int(row["job"]), int(row["rank"])) for row in rows] == [(9 + i, i // job_hosts, i % job_hosts) for i in range(6)]


@pytest.mark.parametrize("text, options, words", [
    ("0-4", ["--hosts=4"], "hosts.txt: it has 5 hosts; allowed are 4, one for each rank of the jobs"),
    ("0-4", ["--hosts=6"], "hosts.txt: it has 5 hosts; allowed are 6, one for each rank of the jobs"),
    ("0-4", ["--jobs=2"], "hosts.txt: it has 5 hosts; allowed are 4, one for each rank of the jobs"),
    ("0-4", ["--jobs=3"], "--jobs=3: allowed is 1 to 2 with 5 hosts"),
    ("0-4 16", [], "hosts.txt:1: host=16: allowed is a host from 0 to 15, or a range of them as 4-7"),
    ("0-4\n4", [], "hosts.txt:2: host=4: allowed is each host once"),
    ("3", [], "hosts.txt:1: there is one host; allowed are two at least"),
    ("", [], "hosts.txt:1: the file ends; allowed is a line with hosts"),
])
def test_pr4_files_of_hosts_that_can_not_be(text, options, words, tmp_path):
    (tmp_path / "hosts.txt").write_text(text)
    done = run("fabric-collectives", "--k=4", f"--placement={tmp_path / 'hosts.txt'}", *options)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


@pytest.mark.parametrize("text, options, words", [
    (MIX, ["--bytes=5"], ": allowed is only one of --jobFile and --bytes"),
    (MIX, ["--jobs=2"], ": allowed is only one of --jobFile and --jobs"),
    (MIX, ["--k=2"], ": its jobs have 12 hosts; allowed are up to 2, the hosts of the fabric"),
    (MIX, ["--transport=switch"], "--transport=switch: allowed is raw, rt, pio or tcp with --jobFile, since switches make one reduction"),
    (MIX, ["--onlyJobs=1,3"], "--onlyJobs=3: allowed is numbers below 3, as many as there are jobs"),
    (MIX, ["--mpi"], "a job is broadcast; allowed is any but allreduce-tree and broadcast with --mpi"),
    ("alltoall 4000 1\nallreduce-ring 3000 1", ["--k=32"], ": its hosts send up to 5998 messages each; allowed are jobs whose 7000 hosts send 8388608 at most"),
    ("alltoall 5", ["--k=4"], "jobs.txt:1: the line has no bytes; allowed are lines that have one"),
])
def test_pr4_files_of_jobs_that_can_not_be(text, options, words, tmp_path):
    (tmp_path / "jobs.txt").write_text(text)
    done = run("fabric-collectives", "--k=4", f"--jobFile={tmp_path / 'jobs.txt'}", *options)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""


@pytest.mark.parametrize("transport", (*TRANSPORTS, "switch"))
def test_sc3_every_transport_has_placements(transport, tmp_path):
    name = "reduce" if transport == "switch" else "allreduce-double-tree"
    times = {placement: collective(tmp_path / placement, name, "--k=4", "--hosts=4", "--bytes=100000", f"--transport={transport}", f"--placement={placement}")
             for placement in ("first", "spread")}
    # In a tree of three levels the first four hosts are in one pod, and spread ones in four.
    assert times["spread"]["completion_time", ""] > times["first"]["completion_time", ""]
    assert [host for _, host, *_ in ranks_of(tmp_path / "spread")] == [0, 4, 8, 12]


def test_sc3_messages_are_numbered_and_none_goes_before_what_it_waits_for(tmp_path):
    collective(tmp_path, "allreduce-ring", "--k=4", "--hosts=6", "--bytes=6000")
    messages = read_csv(tmp_path / "messages.csv")
    assert len(messages) == 2 * 5 * 6
    for host in range(6):
        sent = sorted(float(row["start_s"]) for row in messages if int(row["src"]) == host)
        came = sorted(float(row["end_s"]) for row in messages if int(row["dst"]) == host)
        assert sent[0] == 0 and sent[1:] == came[:-1]  # a part goes on when it has come


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_dp5_collectives_do_not_depend_on_how_they_are_run(transport, tmp_path):
    names = ("summary.csv", "messages.csv") if transport in ("raw", "pio") else ("summary.csv",)
    ways = {"one": [], "off": ["--lookahead=off"], "threads": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0"]}
    for folder, more in ways.items():
        collective(tmp_path / folder, "alltoall", "--k=4", "--hosts=9", "--bytes=50000", f"--transport={transport}", *more)
    for folder in ("off", "threads"):
        assert [(tmp_path / folder / name).read_bytes() for name in names] == [(tmp_path / "one" / name).read_bytes() for name in names]


@pytest.mark.parametrize("name", ["allreduce-ring", "alltoall", "broadcast-chain", "allreduce-doubling", "allreduce-tree"])
@pytest.mark.parametrize("transport", ["raw", "rt"])
def test_sc3_a_straggler_holds_up_who_needs_it(name, transport, tmp_path):
    options = ["--topology=switch", "--k=4", f"--transport={transport}", "--bytes=64KiB"]
    usual = collective(tmp_path / "usual", name, *options)["completion_time", ""]
    late = collective(tmp_path / "late", name, *options, "--straggler=2", "--late=500us")["completion_time", ""]
    assert 500e-6 < late < 500e-6 + 2 * usual  # what it sends, and what waits for that, maybe beside what others send already
    skewed = collective(tmp_path / "skew", name, *options, "--skew=5us")["completion_time", ""]
    assert usual < skewed < usual + 5e-6 * 4
    assert collective(tmp_path / "seed", name, *options, "--skew=5us", "--RngRun=2")["completion_time", ""] != skewed


@pytest.mark.parametrize("name, options, late", [
    ("reduce", ["--hosts=2", "--straggler=0", "--late=1ms"], {0: 1e-3}),
    ("reduce", ["--hosts=4", "--straggler=0", "--late=1ms"], {0: 1e-3}),
    ("reduce", ["--hosts=4", "--jobs=2", "--straggler=4", "--late=1ms"], {4: 1e-3}),
    ("broadcast-chain", ["--hosts=2", "--straggler=1", "--late=1ms"], {1: 1e-3}),
    ("broadcast-chain", ["--hosts=2", "--straggler=1", "--late=20us"], {1: 20e-6}),
    ("allgather", ["--hosts=2", "--bytes=1", "--straggler=1", "--late=1ms"], {1: 1e-3}),
    ("allreduce-doubling", ["--hosts=2", "--straggler=0", "--late=1000ps"], {0: 1e-9}),
])
def test_sc3_a_job_is_done_when_its_last_rank_is_through_also_a_late_one(name, options, late, tmp_path):
    collective(tmp_path, name, "--topology=switch", "--k=8", *options)
    ranks = [(int(row["job"]), float(row["time_s"])) for row in read_csv(tmp_path / "ranks.csv")]
    for rank, (_, time) in enumerate(ranks):
        assert time >= late.get(rank, 0)
    last = {}  # message of each job; hosts are those of ranks
    hosts = len(ranks) // (ranks[-1][0] + 1)
    for row in read_csv(tmp_path / "messages.csv"):
        job = int(row["dst"]) // hosts
        last[job] = max(last.get(job, 0), float(row["end_s"]))
    for job, *_, time in jobs_of(tmp_path):
        assert time == max(seconds for number, seconds in ranks if number == job)
        ends = [last[job], *(begin for rank, begin in late.items() if rank // hosts == job)]
        assert time == pytest.approx(max(ends), abs=2 * PICOSECOND)


def test_sc3_with_skew_no_job_is_done_before_its_ranks_begin(tmp_path):
    for seed in range(1, 9):
        summary = collective(tmp_path / str(seed), "reduce", "--topology=switch", "--k=4", "--hosts=2", "--skew=1ms", "--bytes=64", f"--RngRun={seed}")
        (job,) = jobs_of(tmp_path / str(seed))
        assert job[-1] == summary["rank_time", "stat=max"] >= summary["lower_bound", ""]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_sc3_seeds_change_nothing_where_routes_have_no_choice(transport, tmp_path):
    for seed in (1, 2):
        collective(tmp_path / str(seed), "alltoall", "--topology=switch", "--k=9", "--bytes=50000", f"--transport={transport}", f"--RngRun={seed}")
    assert (tmp_path / "1/summary.csv").read_bytes() == (tmp_path / "2/summary.csv").read_bytes()


@pytest.mark.parametrize("arguments, code, words", [
    (["--k=26", "--hosts=4000"], 2, "--hosts=4000: allowed is as many as send 8388608 messages at most with --collective=allreduce-ring"),
    (["--k=4", "--jobs=2", "--hosts=9"], 2, "--hosts=9: allowed is 0 (all) or 2 to 8, as there are 16 hosts and 2 jobs"),
    (["--k=4", "--jobs=2", "--transport=switch", "--collective=reduce"], 2, "--jobs=2: allowed is 1 with --transport=switch, which makes one reduction"),
    (["--topology=switch", "--k=8", "--placement=spread"], 2, "--placement: allowed is first or a file where there is one switch, whose hosts are all alike"),
    (["--k=4", "--collective=broadcast-chain", "--pieces=1000000"], 2,
     "--pieces=1000000: allowed is as many as 16 hosts send 8388608 messages at most with --collective=broadcast-chain"),
    (["--k=4", "--transport=rt", "--collective=alltoall", "--ns3::FabricTransport::MaxConnections=1"], 2,
     "host 0 can't connect to host 2; allowed are as many connections of a host as ns3::FabricTransport::MaxConnections says"),
    (["--k=4", "--transport=rt", "--ns3::FabricTransport::Loss=0.6", "--ns3::FabricTransport::RetryLimit=1"], 1,
     " % of the messages delivered; an operation of host "),
    (["--k=4", "--transport=tcp", "--ns3::TcpSocket::ConnCount=1", "--ns3::TcpSocket::ConnTimeout=1ns"], 1, "can't connect to host "),
])
def test_pr4_collectives_that_can_not_be_or_fail(arguments, code, words):
    done = run("fabric-collectives", *arguments)
    assert done.returncode == code and words in done.stderr and done.stdout == ""


def test_sc3_losses_delay_collectives_and_nothing_is_lost(tmp_path):
    lossless, lossy = (collective(tmp_path / loss, "allreduce-tree", "--k=4", "--bytes=100000", "--transport=rt", f"--ns3::FabricTransport::Loss={loss}")
                       for loss in ("0", "0.02"))
    assert lossy["completion_time", ""] > lossless["completion_time", ""]
    assert lossy["bytes_delivered", ""] == lossless["bytes_delivered", ""] == payload("allreduce-tree", 16, 100000)


def test_sc3_threads_of_pio_share_receivers(tmp_path):
    one, four = (collective(tmp_path / threads, "halo3d", "--k=4", "--bytes=100000", "--transport=pio", f"--ns3::FabricPio::Threads={threads}",
                            f"--ns3::FabricPio::Contexts={threads}") for threads in ("1", "4"))
    assert four["completion_time", ""] < 0.7 * one["completion_time", ""]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("collectives")
    for name in ("allreduce-ring", "broadcast"):
        for size in (1000, 100000):
            run_well("fabric-collectives", "--k=4", f"--collective={name}", f"--bytes={size}", f"--out={root / f'{name}-{size}'}")
    run_well("fabric-collectives", "--k=4", "--hosts=4", "--bytes=100", f"--out={root / 'fewer'}")
    return root


def test_sc6_bandwidths_are_drawn_by_size_with_their_bounds(results, tmp_path):
    runs = [read_run(results / f"{name}-{size}", "fabric-collectives") for name in ("allreduce-ring", "broadcast") for size in (1000, 100000)]
    axes = draw(*runs).axes[0]
    drawn = [list(line.get_ydata()) for line in axes.lines if list(line.get_xdata()) == [1000, 100000]]
    for i, name in enumerate(("allreduce-ring", "broadcast")):
        expected = [each.value("algorithm_bandwidth") / 1e9 for each in runs[2 * i:2 * i + 2]]
        assert any(values == pytest.approx(expected) for values in drawn), name
    bounds = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == ":" and len(line.get_ydata()) == 2]
    assert bounds == pytest.approx([200 * 16 / 30, 200])
    with pytest.raises(ResultError, match="differ in more than"):
        draw(*runs, read_run(results / "fewer", "fabric-collectives"))
    done = subprocess.run([python(), ROOT / "utils/plot-collectives.py", *sorted(results.glob("*0")), "--output", tmp_path / "p.png"],
                          capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000


def test_sc6_times_are_drawn_by_size_for_each_topology(results, tmp_path):
    for seed in (1, 2):
        run_well("fabric-collectives", "--topology=torus", "--hosts=16", "--collective=allreduce-halving", "--bytes=1000", f"--RngRun={seed}", f"--out={tmp_path / str(seed)}")
    folders = [results / "allreduce-ring-1000", results / "allreduce-ring-100000", tmp_path / "1", tmp_path / "2"]
    runs = [read_run(folder, "fabric-collectives") for folder in folders]
    figure = collective_times.draw(*runs)
    tree, torus = figure.axes
    shown = [list(line.get_ydata()) for line in tree.lines]
    assert any(values == pytest.approx([run.value("completion_time") * 1e6 for run in runs[:2]]) for values in shown)
    assert any(values == pytest.approx([run.value("lower_bound") * 1e6 for run in runs[:2]]) for values in shown)
    assert "fat-tree" in tree.get_title() and "16 hosts, torus" in torus.get_title()
    with pytest.raises(ResultError, match="runs on one topology differ in more than --collective, --bytes and --RngRun"):
        collective_times.draw(*runs, read_run(results / "fewer", "fabric-collectives"))
    done = subprocess.run([python(), ROOT / "utils/plot-collective-times.py", *folders, "--output", tmp_path / "p.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000


def test_sc6_placements_are_drawn_as_multiples_of_the_bound(tmp_path):
    folders = [tmp_path / name for name in ("first", "random-1", "random-2", "other")]
    run_well("fabric-collectives", "--k=4", "--hosts=5", "--bytes=9000", f"--out={folders[0]}")
    for seed in (1, 2):
        run_well("fabric-collectives", "--k=4", "--hosts=5", "--bytes=9000", "--placement=random", f"--RngRun={seed}", f"--out={folders[seed]}")
    run_well("fabric-collectives", "--k=4", "--hosts=5", "--bytes=9001", f"--out={folders[3]}")
    for name, hosts in (("left", "3-6 11"), ("right", "0-2 4 9")):
        (tmp_path / f"{name}.txt").write_text(hosts)
        run_well("fabric-collectives", "--k=4", "--hosts=5", "--bytes=9000", f"--placement={tmp_path / name}.txt", f"--out={tmp_path / name}")
    runs = [read_run(folder, "fabric-collectives") for folder in folders]
    axes = placements.draw(*runs[:3]).axes[0]
    drawn = [line.get_ydata()[0] for line in axes.lines if len(line.get_ydata()) == 1]
    stretches = [run.value("completion_time") / run.value("lower_bound") for run in runs]
    for expected in (stretches[0], (stretches[1] + stretches[2]) / 2):  # the median of two
        assert any(value == pytest.approx(expected) for value in drawn)
    assert [label.get_text() for label in axes.figure.legends[0].get_texts()] == ["first", "random"]
    files = [read_run(tmp_path / name, "fabric-collectives") for name in ("right", "left")]
    axes = placements.draw(*runs[:3], *files).axes[0]
    assert [label.get_text() for label in axes.figure.legends[0].get_texts()] == ["first", "random", "right.txt", "left.txt"]
    assert len({line.get_color() for line in axes.lines if len(line.get_ydata()) == 1}) == 4
    with pytest.raises(ResultError, match="differ in more than --collective, --placement and --RngRun"):
        placements.draw(*runs)
    done = subprocess.run([python(), ROOT / "utils/plot-placements.py", *folders[:3], "--output", tmp_path / "p.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000


def test_sc6_times_of_jobs_are_drawn_by_their_number(tmp_path):
    folders = [tmp_path / name for name in ("one", "two-1", "two-2", "other")]
    options = ["--k=4", "--hosts=4", "--bytes=9000", "--placement=random", "--collective=alltoall"]
    run_well("fabric-collectives", *options, f"--out={folders[0]}")
    for seed in (1, 2):
        run_well("fabric-collectives", *options, "--jobs=2", f"--RngRun={seed}", f"--out={folders[seed]}")
    run_well("fabric-collectives", *options, "--flowChannels=off", f"--out={folders[3]}")
    runs = [read_run(folder, "fabric-collectives") for folder in folders]
    axes = interference.draw(*runs[:3]).axes[0]
    shown = [list(line.get_ydata()) for line in axes.lines if list(line.get_xdata()) == [1, 2]]
    for stat in ("p50", "max"):
        two = [run.value("job_time", stat=stat) * 1e6 for run in runs[1:3]]
        assert any(values == pytest.approx([runs[0].value("completion_time") * 1e6, sum(two) / 2]) for values in shown), stat
    with pytest.raises(ResultError, match="differ in more than --jobs, --placement and --RngRun"):
        interference.draw(*runs)
    done = subprocess.run([python(), ROOT / "utils/plot-interference.py", *folders[:3], "--output", tmp_path / "p.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000


def test_sc6_slowdowns_of_jobs_of_different_kinds_are_drawn(mix, tmp_path):
    options = ["--k=4", mix]
    folders = {}
    for placement, seed, only in [("first", 1, ""), ("first", 1, "0"), ("first", 1, "1"), ("first", 1, "2"), ("random", 1, ""), ("random", 2, ""),
                                  *(("random", seed, only) for seed in (1, 2) for only in "012")]:
        folders[placement, seed, only] = tmp_path / f"{placement}-{seed}-{only}"
        run_well("fabric-collectives", *options, f"--placement={placement}", f"--RngRun={seed}", *([f"--onlyJobs={only}"] if only else []),
                 f"--out={folders[placement, seed, only]}")
    runs = {key: read_run(folder, "fabric-collectives") for key, folder in folders.items()}
    axes = job_mix.draw(*runs.values()).axes[0]
    drawn = [value for line in axes.lines for value in line.get_ydata()]

    def slowdown(placement, seed, job):
        return jobs_of(folders[placement, seed, ""])[job][5] / jobs_of(folders[placement, seed, str(job)])[0][5]

    for job in range(3):
        for expected in (slowdown("first", 1, job), (slowdown("random", 1, job) + slowdown("random", 2, job)) / 2):
            assert any(value == pytest.approx(expected) for value in drawn)
    assert [label.get_text().split("\n")[-1] for label in axes.get_xticklabels()] == ["5 hosts, 58.6 KiB", "3 hosts, 8.79 KiB", "4 hosts, 4.88 KiB"]
    with pytest.raises(ResultError, match="there is no run with --onlyJobs=2 and its --placement and --RngRun"):
        job_mix.draw(*(run for key, run in runs.items() if key != ("random", 2, "2")))
    with pytest.raises(ResultError, match="there is no run of all jobs, without --onlyJobs"):
        job_mix.draw(runs["first", 1, "0"])
    done = subprocess.run([python(), ROOT / "utils/plot-job-mix.py", *folders.values(), "--output", tmp_path / "p.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "p.png").stat().st_size > 10000
