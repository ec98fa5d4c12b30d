# SPDX-License-Identifier: GPL-2.0-only
"""fabric-vl-arbitration against closed forms (VA-6, VA-13), its tables (VA-14, PR-5) and its plot."""
import json
import re
import subprocess

import pytest

from programs import ROOT, python, read_csv, run, run_well, subject_of, summary_of

PROGRAM = "fabric-vl-arbitration"
TABLES = ROOT / "examples/tables"
DISC = "--ns3::VlArbiterQueueDisc::"
LANE = "--ns3::FabricSwitch::Lane"
VIA = pytest.mark.parametrize("via", ["queue-disc", "link", "uplink"])


def shares(folder, *arguments):
    """@return the share of each lane, by number"""
    found = summary_of(folder, PROGRAM, *arguments)
    return {int(subject.removeprefix("lane=")): value for (metric, subject), value in found.items() if metric == "share"}


@pytest.mark.parametrize("meter", ["token-bucket", "leaky-bucket", "sliding-window"])
@pytest.mark.parametrize("mode, expected", [("lane", [1 / 6] * 6), ("group", [1 / 8] * 4 + [1 / 4] * 2)])
@VIA
def test_va6_worked_example(via, meter, mode, expected, tmp_path):
    arguments = [f"--via={via}", f"--mode={mode}", f"--meter={meter}", "--load=0.4"]
    found = shares(tmp_path / "built-in", *arguments)
    assert list(found.values()) == pytest.approx(expected, abs=1e-3)
    table = "worked-example.csv" if via == "link" else "worked-example.json"
    assert found == shares(tmp_path / table, f"--table={TABLES / table}", *arguments)


@pytest.mark.parametrize("mode, expected", [("lane", [1 / 6] * 6), ("group", [0.15] * 4 + [0.2] * 2)])
@VIA
def test_va8_what_is_not_charged_leaves_the_share_and_an_equal_part_of_the_rest(via, mode, expected, tmp_path):
    found = shares(tmp_path, f"--via={via}", f"--mode={mode}", "--chargeOver=off")
    assert list(found.values()) == pytest.approx(expected, abs=2e-3)


@VIA
def test_va4_disqualified_lanes_get_their_share_and_no_more(via, tmp_path):
    assert list(shares(tmp_path, f"--via={via}", "--over=disqualify").values()) == pytest.approx([0.1] * 6, abs=2e-3)


@pytest.mark.parametrize("arguments", [
    ["--chargeOver=off", "--mode=group"],
    ["--over=disqualify", "--meter=leaky-bucket", "--load=0.3,0.05,0.3,0.02,0.3,0.3"],
    ["--meter=sliding-window", "--load=0.3,0.05,0.3,0.02,0.3,0.3", "--mode=group"],
    ["--table=SHARED", "--load=0.2,0.3,0.3,0.3,0.3"],
])
def test_va12_queue_disc_link_and_uplink_give_the_same_shares(arguments, tmp_path):
    table = json.loads((TABLES / "guarantee.json").read_text())
    for lane in table["lanes"]:
        lane["trafficClass"] = lane["lane"] % 2  # several lanes carry a class
    (tmp_path / "table.json").write_text(json.dumps(table))
    arguments = [argument.replace("SHARED", str(tmp_path / "table.json")) for argument in arguments]
    disc = shares(tmp_path / "disc", "--via=queue-disc", *arguments)
    link = shares(tmp_path / "link", "--via=link", *arguments)
    uplink = shares(tmp_path / "uplink", "--via=uplink", *arguments)
    assert link == pytest.approx(disc, abs=2e-3)
    assert uplink == pytest.approx(disc, abs=2e-3)


@VIA
def test_va13_a_high_class_that_misbehaves_starves_nobody(via, tmp_path):
    table = f"--table={TABLES / 'guarantee.json'}"
    behaves = summary_of(tmp_path / "behaves", PROGRAM, f"--via={via}", table, "--load=0.08,0.4,0.2,0.2,0.01")
    misbehaves = summary_of(tmp_path / "misbehaves", PROGRAM, f"--via={via}", table, "--load=0.9,0.4,0.2,0.2,0.01")
    for lane, load in ((1, 0.4), (2, 0.2), (3, 0.2), (15, 0.01)):
        assert misbehaves["share", f"lane={lane}"] == pytest.approx(behaves["share", f"lane={lane}"], abs=5e-3), lane
        assert misbehaves["share", f"lane={lane}"] == pytest.approx(load, abs=0.01), lane
    assert behaves["over_bandwidth_share", "lane=0"] < 0.15
    assert misbehaves["over_bandwidth_share", "lane=0"] > 0.99
    assert misbehaves["share", "lane=0"] == pytest.approx(1 - 0.81, abs=0.01)
    # Within its guarantee it waits for little more than the packet on the link, and the one in the device or the switch's latency.
    assert behaves["latency", "lane=0;stat=p50"] < 1e-6 < 100e-6 < misbehaves["latency", "lane=0;stat=p50"]


@pytest.mark.parametrize("charge", ["on", "off"])
@VIA
def test_va13_a_high_class_that_behaves_again_returns(via, charge, tmp_path):
    run_well(PROGRAM, f"--out={tmp_path}", f"--via={via}", f"--table={TABLES / 'guarantee.csv'}", f"--chargeOver={charge}",
             "--load=0.9,0.4,0.2,0.2,0.01", "--laterLoad=0.05,0.4,0.2,0.2,0.01", "--duration=4800us", "--samplePeriod=400us")
    rows = [row for row in read_csv(tmp_path / "lanes.csv") if row["lane"] == "0"]
    over = [int(row["over_bandwidth_bytes"]) for row in rows]
    assert len(over) == 12
    sent = [over[i] + int(row["conforming_bytes"]) for i, row in enumerate(rows)]
    # It has what the others leave, 19 %, mostly as Over-Bandwidth, ...
    assert sum(sent[1:6]) == pytest.approx(5 * 0.19 * 5e6, rel=0.1), sent
    assert sum(over[1:6]) > 0.35 * sum(sent[1:6]), over
    # ... until what waits in its queue has gone, and then all of its packets are of the highest level but one.
    assert sum(over[-2:]) < 0.1 * sum(sent[-2:]), over


@pytest.mark.parametrize("via, payload", [("queue-disc", 994), ("link", 1000), ("uplink", 1000)])
def test_va2_samples_are_what_was_sent(via, payload, tmp_path):
    run_well(PROGRAM, f"--out={tmp_path}", f"--via={via}", "--duration=300us", "--samplePeriod=10us", "--load=0.05")
    rows = read_csv(tmp_path / "lanes.csv")
    assert len(rows) == 30 * 6 and rows[-1]["time_s"] == "3e-04"
    assert {row["lane"] for row in rows} == set("012345")
    sent = sum(int(row["conforming_bytes"]) + int(row["over_bandwidth_bytes"]) for row in rows)
    totals = {row["metric"]: float(row["value"]) for row in read_csv(tmp_path / "summary.csv") if not subject_of(row)}
    assert sent == pytest.approx(totals["bytes_offered"] * 1024 / payload, rel=0.005)


@VIA
def test_dp5_results_do_not_depend_on_the_scheduler(via, tmp_path):
    texts = []
    for scheduler in ("Map", "Heap", "Calendar"):
        folder = tmp_path / scheduler
        run_well(PROGRAM, f"--out={folder}", f"--via={via}", "--duration=100us", "--samplePeriod=10us", f"--SchedulerType=ns3::{scheduler}Scheduler")
        texts.append([(folder / name).read_bytes() for name in ("summary.csv", "lanes.csv")])
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize("arguments", [
    ["--frameBytes=64", "--duration=50us"],
    ["--frameBytes=9000"],
    ["--linkRate=1Gbps", "--duration=20ms", DISC + "Burst=1", "--ns3::VlArbiterQueueDisc::Debt=0"],
    ["--load=0", "--duration=50us"],
    ["--meter=sliding-window", DISC + "Window=1us", DISC + "Turns=round-robin", DISC + "LaneQueueSize=1p"],
    ["--via=link", "--frameBytes=64", "--duration=50us"],
    ["--via=link", "--frameBytes=9000"],
    ["--via=link", "--linkRate=1Gbps", "--duration=20ms", LANE + "Burst=1", LANE + "Debt=0", LANE + "Turns=round-robin"],
    ["--via=link", "--load=0", "--duration=50us"],
    ["--via=uplink", "--load=0", "--laterLoad=1", "--duration=50us"],
    ["--via=uplink", "--frameBytes=64", "--duration=50us", "--over=disqualify"],
    ["--via=uplink", "--frameBytes=9000", "--laterLoad=0", "--ns3::FabricSwitch::EdgeFlowControl=pause",
     "--ns3::FabricSwitch::BufferBytes=4000000"],
    ["--via=link", "--meter=sliding-window", LANE + "Window=1us", "--ns3::FabricSwitch::Arbitration=port"],
    ["--via=link", "--over=disqualify", "--ns3::FabricSwitch::FlowChannels=false", "--ns3::FabricSwitch::BufferBytes=36108"],
    ["--meter=leaky-bucket", DISC + "Tolerance=9000", "--RngRun=9", "--over=disqualify"],
])
def test_pr3_bytes_add_up(arguments):
    run_well(PROGRAM, *arguments)


def good_table():
    return json.loads((TABLES / "worked-example.json").read_text())


def spoil(path, value):
    """@return the worked example's table with a value changed, or a key removed"""
    table = good_table()
    place = table
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(table)


def spoil_csv(line, text):
    """@return the same in CSV with another text in a line, which is counted from 1"""
    lines = (TABLES / "worked-example.csv").read_text().splitlines()
    return "\n".join(lines[:line - 1] + [text] + lines[line:])


@pytest.mark.parametrize("text, words", [
    (spoil_csv(4, "16,high,0,2"), "line 4: lane is 16, allowed is a whole number from 0 to 15"),
    (spoil_csv(4, "5,high,0,2"), "lane 5 is in groups 0 and 1, allowed is exactly one"),
    (spoil_csv(4, "2,high,,2"), "lane 2 is in no bandwidth group, allowed is exactly one"),
    (spoil_csv(4, "2,high,7,2"), "lane 2 is in group 7, allowed are the groups of the table"),
    (spoil_csv(4, "2,urgent,0,2"), 'line 4: level is "urgent", allowed is one of high, medium, low'),
    (spoil_csv(4, "2,high,0"), "line 4: there are 3 values, allowed are 4, one for each of lane, level, group, trafficClass"),
    (spoil_csv(1, "lane,level,group,class"), 'line 1: a section begins with \'lane\' and has the column "class", allowed are lane,'),
    (spoil_csv(11, "1,101"), "line 11: share is 101, allowed is a number of percent from 0 to 100"),
    (spoil_csv(9, "grp,share"), 'line 9: a section begins with the column "grp", allowed is one of lane, group, level, laneCount'),
    (spoil_csv(11, "1,20\n\nlevel\nhigh\n" + "\n".join(f"level{i}" for i in range(17))), "there are 18 levels, allowed are 1 to 16"),
])
def test_va14_bad_tables_in_csv(text, words, tmp_path):
    check_bad_table(tmp_path / "table.csv", text, words)


@pytest.mark.parametrize("text, words", [
    (spoil(["lanes", 2, "lane"], 16), "lanes[2].lane is 16, allowed is a whole number from 0 to 15"),
    (spoil(["lanes", 2, "lane"], 5), "lane 5 is in groups 0 and 1, allowed is exactly one"),
    (spoil(["lanes", 2, "group"], None), "lane 2 is in no bandwidth group, allowed is exactly one"),
    (spoil(["lanes", 2, "group"], 7), "lane 2 is in group 7, allowed are the groups of the table"),
    (spoil(["lanes", 2, "group"], 99), "lanes[2].group is 99, allowed is a whole number from 0 to 31"),
    (spoil(["lanes", 2, "level"], "urgent"), 'lanes[2].level is "urgent", allowed is one of high, medium, low'),
    (spoil(["groups", 1, "share"], 101), "groups[1].share is 101, allowed is a number of percent from 0 to 100"),
    (spoil(["groups", 1, "share"], -1), "groups[1].share is -1, allowed is"),
    (spoil(["levels"], [f"level{i}" for i in range(17)] + ["high"]), "there are 18 levels, allowed are 1 to 16"),
    (spoil(["lane"], 1), "has the key 'lane', allowed are lanes, groups, levels, laneCount"),
    ("{\n  lanes: []\n}", "this is not JSON, parse error at line 2"),
])
def test_va14_bad_tables(text, words, tmp_path):
    check_bad_table(tmp_path / "table.json", text, words)


def check_bad_table(table, text, words):
    table.write_text(text)
    done = run(PROGRAM, "--duration=1000s", f"--table={table}", timeout=20)
    assert f"{table}: " in done.stderr
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert re.fullmatch(r"[^\n]+\n", done.stderr), done.stderr
    assert words in done.stderr


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-vl-arbitration.py", *arguments], capture_output=True, text=True,
                          timeout=60)


def test_sc6_plot(tmp_path):
    for meter in ("token-bucket", "leaky-bucket", "sliding-window"):
        run_well(PROGRAM, f"--out={tmp_path / meter}", f"--meter={meter}", "--duration=300us", "--samplePeriod=5us")
    run_well(PROGRAM, f"--out={tmp_path / 'plain'}", "--duration=100us")
    picture = tmp_path / "new/picture.png"
    done = plot(*(tmp_path / name for name in ("token-bucket", "leaky-bucket", "sliding-window")), "--output", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10000
    done = plot(tmp_path / "plain", "--output", picture)
    assert (done.returncode, done.stdout) == (2, "")
    assert "lanes.csv: there is no such file" in done.stderr
    done = plot(tmp_path / "none", "--output", picture)
    assert done.returncode == 2 and "there is no such folder; fabric-vl-arbitration --out=" in done.stderr
