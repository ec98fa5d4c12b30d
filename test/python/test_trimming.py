# SPDX-License-Identifier: GPL-2.0-only
"""FC-15: an incast on lossy Ethernet with short queues, where switches drop what finds no room or trim it to its header."""
import statistics

import pytest

from fabric_sim.plots.congestion import draw_completions
from fabric_sim.results import read_run
from programs import run_well, summary_of

SHORT = ("--k=4", "--senders=13", "--victimLoad=0.1", "--aloneTime=12us")
SEEDS = (1, 2, 3)
SIZES = {"16KiB": 16384, "64KiB": 65536}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("trimming")
    for kind in ("drop", "trim"):
        for size in SIZES:
            for seed in SEEDS:
                run_well("fabric-congestion", *SHORT, f"--fabric={kind}", f"--bytes={size}", f"--RngRun={seed}", f"--out={root / f'{kind}-{size}-{seed}'}")
    return root


def runs_of(results, kind, size):
    return [read_run(results / f"{kind}-{size}-{seed}", "fabric-congestion") for seed in SEEDS]


def test_fc15_short_writes_end_earlier_and_without_time_outs_where_packets_are_trimmed(results):
    for dropped, trimmed in zip(runs_of(results, "drop", "16KiB"), runs_of(results, "trim", "16KiB")):
        assert dropped.value("bytes_dropped", cause="tail-drop") > 0
        assert "tail-drop" not in trimmed.metric("bytes_dropped", "cause") and trimmed.value("time_outs") == 0
        assert 0 < trimmed.value("trimmed_packets") == trimmed.value("resends")
        # Each has lost all but 68 bytes of a packet, the last of a write perhaps less than a full one.
        assert 0 < trimmed.value("bytes_dropped", cause="trimmed") <= trimmed.value("trimmed_packets") * 4096
        assert trimmed.value("fct", stat="max") < 0.7 * dropped.value("fct", stat="max")


def test_dp5_trimming_does_not_depend_on_how_it_is_run(tmp_path):
    names = ("summary.csv", "messages.csv", "buffers.csv")
    ways = {"one": [], "step": ["--lookahead=off"], "two": ["--threads=2", "--ns3::FabricNetwork::LeastThreadedWork=0"]}
    for way, options in ways.items():
        summary_of(tmp_path / way, "fabric-congestion", *SHORT, "--fabric=trim", "--bytes=50000", *options)
    first, *others = [[(tmp_path / way / name).read_bytes() for name in names] for way in ways]
    assert all(other == first for other in others)


def test_sc6_completions_are_drawn_in_times_of_the_link(results):
    runs = [run for kind in ("drop", "trim") for size in SIZES for run in runs_of(results, kind, size)]
    (axes,) = draw_completions(*runs).axes
    assert axes.get_title() == "13 senders"
    for container, kind in zip(axes.containers, ("drop", "trim")):
        sizes, medians = container.lines[0].get_data()
        assert list(sizes) == list(SIZES.values())
        expected = [statistics.median(run.value("fct", stat="max") for run in runs_of(results, kind, size)) / (13 * bytes_ * 8 / 200e9)
                    for size, bytes_ in SIZES.items()]
        assert list(medians) == pytest.approx(expected)
