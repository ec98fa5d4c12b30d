# SPDX-License-Identifier: GPL-2.0-only
"""SC-6: the pictures of congestion show what runs of fabric-congestion say."""
import statistics
import subprocess

import pytest

from fabric_sim.plots.congestion import draw_buffer_timelines, draw_impact, label_of
from fabric_sim.plots.style import short_number
from fabric_sim.results import read_run
from programs import ROOT, python, run_well

SCRIPT = ROOT / "utils/plot-congestion.py"
SHORT = ("--k=4", "--senders=8", "--bytes=200000", "--aloneTime=20us")
LIGHT = ("--victimLoad=0.1",)
GREEDY = ("--victimAt=sender-host", "--victimTo=elsewhere")
RUNS = {"all": LIGHT, "all-2": (*LIGHT, "--RngRun=2"), "none": (*LIGHT, "--tools=none"), "pfc": (*LIGHT, "--fabric=pfc"),
        "ecn": (*LIGHT, "--fabric=ecn"), "off": (*LIGHT, "--flowChannels=off"), "greedy-all": GREEDY, "greedy-pfc": (*GREEDY, "--fabric=pfc")}
VIEWS = ["latency", "buffers", "impact"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("congestion")
    for name, options in RUNS.items():
        run_well("fabric-congestion", *SHORT, *options, f"--out={root / name}")
    return root


@pytest.fixture
def read(results):
    return lambda *names: [read_run(results / name, "fabric-congestion") for name in names]


def plot(*arguments):
    return subprocess.run([python(), SCRIPT, *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("view", [None, *VIEWS])
def test_sc6_each_view_is_drawn(results, tmp_path, view):
    names = RUNS if view in ("buffers", "impact") else [name for name in RUNS if not name.startswith("greedy")]
    done = plot(*([view] if view else []), *(results / name for name in names), "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "picture.png").stat().st_size > 10000


def test_sc6_victims_of_two_kinds_are_not_drawn_as_seeds(results, tmp_path):
    done = plot("latency", *(results / name for name in RUNS), "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "greedy-all: the runs differ in --victimAt, --victimTo, --victimLoad, and would be drawn as seeds of one point" in done.stderr


def test_sc6_cells_of_the_map_are_medians_with_the_range_of_the_seeds(read):
    figure = draw_impact(*read(*RUNS))
    axes = figure.axes[0]
    labels = [label.get_text().replace(",\n", ", ") for label in axes.get_xticklabels()]
    assert labels == ["all tools but reroute", "no tools", "lossless Ethernet, PFC", "lossy Ethernet, DCQCN", "no flow channels"]
    places = [label.get_text() for label in axes.get_yticklabels()]
    assert places == ["an idle host to the receiver's neighbour,\nload 0.1: 99 % latency", "a sender to an idle host,\ngreedy: goodput"]
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    seeds = sorted(run.value("impact", test="latency", stat="p99") for run in read("all", "all-2"))
    assert texts[0, 0] == f"{short_number(statistics.median(seeds))}\n{short_number(seeds[0])} to {short_number(seeds[1])}"
    (greedy,) = read("greedy-pfc")
    assert texts[2, 1] == short_number(greedy.value("impact", test="goodput"))
    assert (1, 1) not in texts  # there is no such run


@pytest.mark.parametrize("options, words", [
    ((), "all tools but reroute"), (("--tools=all",), "all tools"), (("--tools=endpoint,fgfc",), "endpoint, fgfc"), (("--tools=none",), "no tools"),
    (("--fabric=ecn", "--ns3::FabricSwitch::SharedBufferBytes=1000000"), "lossy Ethernet, DCQCN, shared memory"),
    (("--fabric=int",), "lossless Ethernet, HPCC"),
])
def test_sc6_labels_say_the_tools_or_the_network(tmp_path, options, words):
    run_well("fabric-congestion", *SHORT, *LIGHT, *options, f"--out={tmp_path}")
    assert label_of(read_run(tmp_path, "fabric-congestion")) == words


def test_sc6_time_lines_have_the_tiers_and_the_end_of_the_containment(read):
    (run,) = read("pfc")
    figure = draw_buffer_timelines(run, *read("none"))
    above, below = figure.axes[0], figure.axes[2]
    for axes in (above, below):
        (line,) = axes.lines
        assert line.get_xdata()[0] == pytest.approx(run.value("containment_time") * 1e6)
        samples = run.table("buffers.csv", ["time_s", "tier", "held_bytes"])
        incast = run.option("aloneTime")
        low, high = (limit * 1e-6 + incast for limit in axes.get_xlim())
        seen = samples[(samples["time_s"] >= low) & (samples["time_s"] <= high)]
        highest = seen.groupby("time_s")["held_bytes"].sum().max() / 2**20
        tops = [path.vertices[:, 1].max() for collection in axes.collections for path in collection.get_paths()]
        assert max(tops) == pytest.approx(highest)
        assert len(axes.collections) == samples["tier"].nunique()


def test_sc6_a_run_without_time_line_ends_in_one_sentence(results, tmp_path):
    (tmp_path / "run").mkdir()
    for name in ("manifest.json", "summary.csv"):
        (tmp_path / "run" / name).write_bytes((results / "all" / name).read_bytes())
    done = plot("buffers", tmp_path / "run", "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (2, f"{tmp_path}/run/buffers.csv: there is no such file\n")
