# SPDX-License-Identifier: GPL-2.0-only
"""fabric-nic against Cassini's published latencies, its policies against load, and its plot (NQ-17)."""
import json
import subprocess

import pandas
import pytest

from fabric_sim import read_run
from fabric_sim.plots.allreduce import draw as draw_reductions
from fabric_sim.plots.nic import PUBLISHED
from programs import ROOT, python, run, run_well, summary_of

PROGRAM = "fabric-nic"
MARGIN = 1.1  # of the dynamic policy's latency
MARGIN_WITH_DATA = 1.15  # as above, of more than a slot


def latency(folder, *options):
    return summary_of(folder, PROGRAM, "--linkDelay=10ns", *options)["latency", "stat=mean"]


@pytest.mark.parametrize("operation", PUBLISHED)
def test_nq17_latencies_are_those_published(tmp_path, operation):
    found = {size: latency(tmp_path / str(size), f"--operation={operation}", f"--bytes={size}", "--duration=30us") * 1e6
             for size in PUBLISHED[operation]}
    for size, published in PUBLISHED[operation].items():
        assert found[size] == pytest.approx(published, rel=0.1), size
    step = found[128] - found[64]
    assert step < 0.03 if operation == "get" else step == pytest.approx(0.6, rel=0.1)


@pytest.mark.parametrize("operation, published", [("put", 22.1), ("send", 23.8), ("get", 21.5)])
def test_nq10_bandwidth_is_that_published(tmp_path, operation, published):
    found = summary_of(tmp_path, PROGRAM, "--linkDelay=10ns", f"--operation={operation}", "--bytes=64KiB", "--load=1", "--duration=400us")
    assert found["goodput", ""] / 8e9 == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize("options, seconds_of_one", [
    (["--operation=tagged", "--entries=999"], 1000 * 2e-9),  # MatchTime of each entry
    (["--operation=send", "--ns3::FabricCommandQueues::EventTime=3us"], 3e-6)])
def test_nq12_a_rate_is_what_the_target_can_do_and_no_more(tmp_path, options, seconds_of_one):
    found = summary_of(tmp_path, PROGRAM, *options, "--load=5", "--duration=1ms")
    measured = 1e-3 - (2e-6 if "--entries=999" in options else 0)
    assert found["command_rate", ""] == pytest.approx(1 / seconds_of_one, rel=0.02)
    assert found["latency", "stat=max"] <= measured


def test_nq14_long_messages_are_fetched(tmp_path):
    found = {(size, limit): latency(tmp_path / f"{size}-{limit}", "--operation=tagged", f"--bytes={size}KiB", f"--rendezvous={limit}KiB",
                                    "--duration=50us") for size in (8, 32) for limit in (16, 64)}
    assert found[8, 16] == found[8, 64]
    assert 1.5e-6 < found[32, 16] - found[32, 64] < 3e-6  # a request and a read over PCIe


def test_nq12_each_entry_that_is_passed_takes_its_time(tmp_path):
    none, many = (latency(tmp_path / str(entries), "--operation=tagged", f"--entries={entries}") for entries in (0, 500))
    assert many - none == pytest.approx(500 * 2e-9, rel=0.01)


def test_nq5_the_step_is_the_size_of_the_buffer(tmp_path):
    slots = "--ns3::FabricCommandQueues::LowLatencySlots="
    found = {(size, slot): latency(tmp_path / f"{size}-{slot}", f"--bytes={size}", slots + str(slot), "--duration=30us")
             for size in (8, 64, 128) for slot in (0, 1, 2, 4)}
    step = 0.5e-6
    assert found[64, 0] - found[8, 0] < step / 5
    assert found[64, 1] - found[8, 1] > step
    assert found[128, 2] - found[64, 2] > step
    assert found[128, 4] - found[64, 4] < step / 5


@pytest.mark.parametrize("load", [1, 10, 14, 18])
def test_nq17_dynamic_is_nearly_the_better_of_both(tmp_path, load):
    found = {policy: latency(tmp_path / policy, f"--policy={policy}", f"--load={load}")
             for policy in ("memory", "low-latency", "dynamic")}
    assert (found["low-latency"] < found["memory"]) == (load < 15)
    assert found["dynamic"] < MARGIN * min(found["memory"], found["low-latency"])


@pytest.mark.parametrize("size", [200, 1024])
@pytest.mark.parametrize("load", [13, 14, 15])
def test_nq17_dynamic_is_worst_with_data_before_the_crossing(tmp_path, load, size):
    found = {policy: latency(tmp_path / policy, f"--policy={policy}", f"--load={load}", f"--bytes={size}") for policy in ("memory", "low-latency", "dynamic")}
    assert found["dynamic"] < MARGIN_WITH_DATA * min(found["memory"], found["low-latency"])


@pytest.mark.parametrize("operation, size, batch", [("put", 8, 8), ("put", 8, 64), ("put", 1024, 8), ("send", 1024, 8), ("tagged", 1024, 16)])
@pytest.mark.parametrize("load", [12, 14, 16, 20, 25])
def test_nq17_dynamic_is_nearly_the_better_of_both_with_batches(tmp_path, load, operation, size, batch):
    found = {policy: latency(tmp_path / policy, f"--policy={policy}", f"--load={load}", f"--operation={operation}", f"--bytes={size}", f"--batch={batch}")
             for policy in ("memory", "low-latency", "dynamic")}
    assert found["dynamic"] < (MARGIN if size <= 64 else MARGIN_WITH_DATA) * min(found["memory"], found["low-latency"])


@pytest.mark.parametrize("ring", [64, 128, 256, 512])
@pytest.mark.parametrize("load, size", [(13, 8), (14, 8), (15, 64), (17, 8), (14, 200)])
def test_nq17_dynamic_is_nearly_the_better_of_both_with_short_rings(tmp_path, ring, load, size):
    found = {policy: latency(tmp_path / policy, f"--policy={policy}", f"--load={load}", f"--bytes={size}", f"--ringSlots={ring}")
             for policy in ("memory", "low-latency", "dynamic")}
    assert found["dynamic"] < (MARGIN if size <= 64 else MARGIN_WITH_DATA) * min(found["memory"], found["low-latency"])


def test_nq4_batches_cost_less_on_pcie(tmp_path):
    one, eight = (summary_of(tmp_path / str(batch), PROGRAM, "--policy=memory", "--load=18", f"--batch={batch}") for batch in (1, 8))
    for side in ("from=host", "from=nic"):
        assert eight["pcie_bytes_per_command", side] < 0.9 * one["pcie_bytes_per_command", side]
    assert one["doorbells", ""] == pytest.approx(one["commands", ""], rel=0.01)  # the last ones are on their way
    assert eight["doorbells", ""] < 0.5 * one["doorbells", ""]


@pytest.mark.parametrize("ring", [64, 256, 1024, 2048])
@pytest.mark.parametrize("every, on_empty", [(1, False), (16, True), (256, True), (256, False)])
def test_nq4_read_pointers_come_back_by_each_policy_of_cassini(tmp_path, ring, every, on_empty):
    """A core that always has commands, each of one slot, and never waits for ever."""
    found = summary_of(tmp_path, PROGRAM, "--policy=memory", "--load=100", "--batch=4", "--duration=100us", f"--ringSlots={ring}",
                       f"--ns3::FabricCommandQueues::WriteBackEvery={every}", f"--ns3::FabricCommandQueues::WriteBackOnEmpty={str(on_empty).lower()}")
    least = found["commands", ""] // min(every, ring // 4)
    assert found["commands", ""] > 100e-6 / 60e-9
    assert least <= found["ring_write_backs", ""] <= (found["commands", ""] if on_empty else least)


def test_sc2_figures_by_command_need_a_command(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--duration=2us", "--ns3::FabricCommandQueues::CommandTime=3us")
    assert found["commands", ""] == 0
    assert not [metric for metric, _ in found if metric.endswith("_per_command")]


@pytest.mark.parametrize("operation, size", [("put", 8), ("put", 192), ("put", 1000), ("send", 5000), ("get", 4033)])
@pytest.mark.parametrize("mps, mrrs", [(128, 128), (256, 4096), (4096, 512)])
def test_nq10_bytes_and_tlps_of_a_command_are_those_by_hand(tmp_path, operation, size, mps, mrrs):
    found = summary_of(tmp_path, PROGRAM, "--policy=memory", f"--operation={operation}", f"--bytes={size}", "--duration=1ms",
                       f"--ns3::FabricCommandQueues::PcieMps={mps}", f"--ns3::FabricCommandQueues::PcieMrrs={mrrs}")
    is_inline = operation != "get" and size <= 192
    packets = [] if is_inline else [min(4032, size - sent) for sent in range(0, size, 4032)]
    ring = next(slots for slots in (1, 2, 4) if 32 + size * is_inline <= 64 * slots) * 64
    reads = [min(mrrs, whole - asked) for whole in [ring, *(packets if operation != "get" else [])] for asked in range(0, whole, mrrs)]
    written = sum(-(-data // mps) for data in packets) if operation == "get" else 0
    answers = sum(-(-read // mps) for read in reads)
    backs = found["ring_write_backs", ""] / found["commands", ""]
    expected = {("tlps", "host"): 1 + answers, ("bytes", "host"): 8 + 24 + sum(reads) + 20 * answers,
                ("tlps", "nic"): len(reads) + written + 1 + backs,
                ("bytes", "nic"): 24 * len(reads) + written * 24 + (sum(packets) if operation == "get" else 0) + 32 + 24 + backs * (8 + 24)}
    for (unit, side), value in expected.items():
        assert found[f"pcie_{unit}_per_command", f"from={side}"] == pytest.approx(value, rel=2 / found["commands", ""]), (unit, side)


class Pcie:
    """Times of a PCIe link by hand, ns."""

    def __init__(self, generation=4, lanes=16, mps=256, mrrs=512, share=0.90216, latency=220, memory=92):
        rate = {1: 2.5 * 8 / 10, 2: 5 * 8 / 10, 3: 8 * 128 / 130, 4: 16 * 128 / 130, 5: 32 * 128 / 130}[generation] * lanes * share  # Gb/s of TLPs
        self.options = [f"--pcie={generation}x{lanes}", *(f"--ns3::FabricCommandQueues::Pcie{name}={value}" for name, value in (
            ("Mps", mps), ("Mrrs", mrrs), ("TlpShare", share), ("Latency", f"{latency}ns"), ("MemoryLatency", f"{memory}ns")))]
        self.mrrs, self.latency, self.memory = mrrs, latency, memory
        self.time = lambda size: 8 * size / rate
        self.parts = lambda size: -(-size // mps)

    def write(self, size):
        return self.time(size + 24 * self.parts(size)) + self.latency

    def read(self, size):
        asked = free = 0
        for part in (min(self.mrrs, size - begun) for begun in range(0, size, self.mrrs)):
            asked += self.time(24)
            free = max(free, asked + self.latency + self.memory) + self.time(part + 20 * self.parts(part))
        return free + self.latency


def latency_by_hand(operation, size, pcie):
    """@return ns from the application to the event that software sees, by the memory path, of a command of one packet"""
    is_inline = operation != "get" and size <= 192
    slots = next(slots for slots in (1, 2, 4) if 32 + size * is_inline <= 64 * slots)
    told = 30 + 5 * slots + 10 + 10 + pcie.write(8) + 100 + pcie.read(64 * slots)
    fetched = 0 if is_inline else 100 + pcie.read(size)
    here = pcie.time(size + 24 * pcie.parts(size)) if operation != "put" else 0  # before its event, which follows on the link
    seen = here + pcie.write(32) + 25
    there = 352 + 550 + 352  # outbound, two links and a switch, inbound
    if operation == "get":
        return told + there + 8 * 80 / 200 + fetched + 20 + 8 * (size + 76) / 200 + 550 + 57 + seen
    data = told + fetched + there + 8 * (size + 88) / 200
    return data + seen if operation == "send" else data + 8 * 92 / 200 + 550 + 57 + seen


@pytest.mark.parametrize("operation", ["put", "send", "get"])
@pytest.mark.parametrize("settings", [{}, *({"generation": each} for each in (1, 2, 3, 5)), *({"lanes": each} for each in (1, 2, 4, 8)),
                                      *({name: each} for name in ("mps", "mrrs") for each in (128, 1024, 4096)), {"share": 0.3}, {"share": 1},
                                      {"latency": 0}, {"latency": 5000}, {"memory": 0}, {"memory": 3000},
                                      {"generation": 1, "lanes": 2, "mps": 128, "mrrs": 256, "memory": 1000}], ids=str)
def test_nq1_latencies_by_hand_over_any_pcie(tmp_path, operation, settings):
    pcie = Pcie(**settings)
    for size in (97, 193, 4032):
        found = summary_of(tmp_path / str(size), PROGRAM, "--policy=memory", f"--operation={operation}", f"--bytes={size}", "--duration=100us", *pcie.options)
        assert found["latency", "stat=min"] * 1e9 == pytest.approx(latency_by_hand(operation, size, pcie), abs=0.06), size  # ps are rounded up, TLP by TLP


@pytest.mark.parametrize("operation, least", [("put", 19), ("send", 22), ("get", 18)])
def test_nq11_what_is_lost_is_sent_again(tmp_path, operation, least):
    found = summary_of(tmp_path, PROGRAM, "--linkDelay=10ns", f"--operation={operation}", "--bytes=64KiB", "--load=1", "--duration=1ms",
                       "--loss=0.001", "--retryTimeout=20us")
    assert found["goodput", ""] / 8e9 > least
    assert found["packets_resent", ""] >= 5 and found["commands_failed", ""] == 0


def test_nq11_without_loss_tracking_takes_no_time(tmp_path):
    for size in (8, 128, 5000):
        found = [latency(tmp_path / f"{size}-{timeout}", "--operation=send", f"--bytes={size}", f"--retryTimeout={timeout}") for timeout in ("0", "20us")]
        assert found[0] == found[1]


def test_nq11_commands_fail_where_nothing_comes(tmp_path):
    found = summary_of(tmp_path, PROGRAM, "--loss=1", "--retryTimeout=1us", "--duration=5ms")
    # One at a time: 1 + 2 + 4 + ... + 64 us and 64 us more with its path, then the next one.
    assert found["commands_failed", ""] == pytest.approx(5e-3 / 192e-6, rel=0.1)
    assert found["packets_resent", ""] == pytest.approx(7 * found["commands_failed", ""], abs=8)


def test_nq13_nics_reduce_as_fast_as_idle_software_and_faster_than_busy_software(tmp_path):
    def taken(name, *options):
        return summary_of(tmp_path / name, "fabric-allreduce", "--k=4", *options)["allreduce_time", ""]
    nic, host, busy = taken("nic"), taken("host", "--by=host"), taken("busy", "--by=host", "--interval=5us")
    assert nic == pytest.approx(host, rel=0.2)
    assert busy > 1.4 * nic
    assert taken("one", "--ranks=1") == taken("one-host", "--ranks=1", "--by=host") == 0


@pytest.mark.parametrize("options", [
    ["--k=4", "--linkDelay=171ns"],
    ["--k=2", "--linkDelay=200ns"],
    ["--k=4", "--linkDelay=1us"],
    ["--k=4", "--ns3::FabricSwitch::ControlLatency=170ns"],
    ["--k=2", "--linkDelay=20ns", "--ns3::FabricCommandQueues::PcieLatency=50ns"],
])
def test_dp15_nics_reduce_on_threads_also_where_windows_are_longer_than_pcie_takes(options, tmp_path):
    ways = {"one": [], "off": ["--lookahead=off"], "threads": ["--threads=2"], "forced": ["--threads=3", "--ns3::FabricNetwork::LeastThreadedWork=0ns"]}
    for folder, more in ways.items():
        run_well("fabric-allreduce", "--by=nic", *options, *more, f"--out={tmp_path / folder}")
    assert len({(tmp_path / folder / "summary.csv").read_bytes() for folder in ways}) == 1


def test_nq13_reductions_are_drawn(tmp_path):
    folders = []
    for k in (4, 8):
        for name, *options in (("nic",), ("host", "--by=host"), ("1", "--by=host", "--interval=5us"), ("2", "--by=host", "--interval=5us", "--RngRun=2")):
            folders.append(tmp_path / f"{name}-{k}")
            run_well("fabric-allreduce", f"--k={k}", f"--out={folders[-1]}", *options)
    figure = draw_reductions(*(read_run(folder, "fabric-allreduce") for folder in folders))
    lines = {text.get_text(): handle for text, handle in zip(figure.axes[0].get_legend().get_texts(), figure.axes[0].containers)}
    assert list(lines) == ["by NICs", "by software", "by software, every 5 us"]
    assert all(list(line[0].get_xdata()) == [16, 128] for line in lines.values())
    done = subprocess.run([python(), ROOT / "utils/plot-allreduce.py", *folders, "--output", tmp_path / "picture.png"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "picture.png").stat().st_size > 10000


def stages_of(folder, *options):
    """@return rows of stages.csv, and the latency that the program says"""
    found = latency(folder, "--trace", "--duration=20us", *options)
    return pandas.read_csv(folder / "stages.csv"), found


@pytest.mark.parametrize("operation, size", [("put", 8), ("put", 64), ("put", 128), ("put", 1024), ("send", 8), ("send", 128), ("send", 1024), ("get", 8), ("get", 1024)])
def test_nq17_stages_add_up_to_the_published_latency(tmp_path, operation, size):
    table, measured = stages_of(tmp_path, f"--operation={operation}", f"--bytes={size}")
    sums = []
    for _, command in table[table["stage"] != "write"].groupby("command"):
        if operation == "send":  # its latency ends when software at the target sees it, while the acknowledgement goes back
            command = command[(command["packet"] != "ack") & ((command["stage"] != "event") | (command["host"] == 1))]
        if command["stage"].iloc[-1] == "event":
            assert list(command["begin_s"])[1:] == list(command["end_s"])[:-1]
            sums.append((command["end_s"] - command["begin_s"]).sum())
    assert len(sums) > 5 and sum(sums) / len(sums) == pytest.approx(measured, rel=1e-9)
    assert measured * 1e6 == pytest.approx(PUBLISHED[operation][size], rel=0.1)
    fetched = table[table["stage"] == "fetch"]
    assert len(fetched) == (len(table[table["stage"] == "driver"]) if size == 128 and operation != "get" else 0)
    assert ((fetched["end_s"] - fetched["begin_s"]) > 0.6e-6).all()  # which is the step


def test_nq17_links_carry_one_packet_of_a_stream_at_a_time(tmp_path):
    table, _ = stages_of(tmp_path, "--bytes=20000", "--load=1", "--queues=3")
    for stage, keys in (("link", ["host"]), ("driver", ["queue"])):
        for _, rows in table[table["stage"] == stage].sort_values("end_s").groupby(keys):
            assert (rows["begin_s"].iloc[1:].to_numpy() >= rows["end_s"].iloc[:-1].to_numpy() - 1e-15).all()
    sent = table[(table["packet"] == "data") & (table["stage"] == "link")].groupby(["queue", "command"])["packet_bytes"].sum()
    whole = table[(table["stage"] == "event") & (table["host"] == 0)].set_index(["queue", "command"])
    assert len(whole) > 10 and (sent.loc[whole.index] == 20000).all()


def test_sc8_stages_are_events_of_a_trace_viewer(tmp_path):
    table, _ = stages_of(tmp_path, "--operation=get", "--bytes=8KiB")
    done = subprocess.run([python(), ROOT / "utils/trace-events.py", tmp_path, "--output", tmp_path / "run.json"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert set(names.values()) == {"host 0", "host 1"}
    begun = {(event["cat"], event["id"]): event for event in events if event["ph"] == "b"}
    ended = {(event["cat"], event["id"]): event for event in events if event["ph"] == "e"}
    found = sorted((names[event["pid"]], event["name"], round(event["ts"], 6), round(ended[key]["ts"], 6)) for key, event in begun.items())
    lasting = table[table["end_s"] > table["begin_s"]]
    assert found == sorted((f"host {row.host}", row.stage, round(row.begin_s * 1e6, 6), round(row.end_s * 1e6, 6)) for row in lasting.itertuples())
    assert {event["args"].get("packet") for event in begun.values()} == {None, "request", "reply"}
    assert {event["args"]["offset"] for event in begun.values() if event["args"].get("packet") == "reply"} == set(table["offset"].dropna().astype(int)) != {0}


def test_nq17_tracing_changes_no_result(tmp_path):
    for way, options in (("traced", ["--trace"]), ("plain", [])):
        run_well(PROGRAM, "--load=3", "--bytes=3000", "--duration=30us", f"--out={tmp_path / way}", *options)
    assert (tmp_path / "traced/summary.csv").read_bytes() == (tmp_path / "plain/summary.csv").read_bytes()
    assert not (tmp_path / "plain/stages.csv").exists()
    run_well(PROGRAM, "--load=3", "--bytes=3000", "--duration=30us", "--trace", "--lookahead=off", f"--out={tmp_path / 'steps'}")
    assert (tmp_path / "traced/stages.csv").read_bytes() == (tmp_path / "steps/stages.csv").read_bytes()


@pytest.mark.parametrize("options, words", [(["--threads=2"], "--trace=true: allowed is false, or --threads=1"),
                                            (["--load=10", "--duration=1s"], "allowed are 100000 with --trace")])
def test_nq17_what_cannot_be_traced_is_one_sentence(options, words):
    done = run(PROGRAM, "--trace", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and words in done.stderr


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-nic.py", *arguments], capture_output=True, text=True, timeout=60)


def test_sc6_picture_is_drawn_or_one_sentence_says_why_not(tmp_path):
    folders = [tmp_path / str(size) for size in (64, 128)]
    for folder in folders:
        run_well(PROGRAM, f"--bytes={folder.name}", "--duration=20us", f"--out={folder}")
    done = plot(*folders, "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "picture.png").stat().st_size > 10000
    done = plot(folders[0], "--output", tmp_path / "no.png")
    assert done.returncode == 2
    assert "the runs differ in nothing; allowed is one of load, bytes, batch, queues, entries" in done.stderr
