# SPDX-License-Identifier: GPL-2.0-only
"""SC-6: the heat map of congestion impacts shows what runs of fabric-gpcnet say."""
import subprocess

import pytest

from fabric_sim.plots.gpcnet import draw
from fabric_sim.results import read_run
from programs import ROOT, python, run_well

SCRIPT = ROOT / "utils/plot-gpcnet.py"
SHORT = ("--k=4", "--rings=1", "--iterations=2", "--bandwidthIterations=1")
RUNS = {"on-incast": ["--tools=all"], "on-incast-2": ["--tools=all", "--RngRun=2"], "on-alltoall": ["--tools=all", "--pattern=alltoall"],
        "off-incast": ["--flowChannels=off"], "none-all": ["--tools=none", "--pattern=all"], "other": ["--tools=all", "--victims=3"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    root = tmp_path_factory.mktemp("gpcnet")
    for name, options in RUNS.items():
        run_well("fabric-gpcnet", *SHORT, *options, f"--out={root / name}")
    return root


def plot(*arguments):
    return subprocess.run([python(), SCRIPT, *arguments], capture_output=True, text=True, timeout=60)


def test_sc6_a_map_of_each_setting_is_drawn(results, tmp_path):
    done = plot(*(results / name for name in RUNS if name != "other"), "--output", tmp_path / "impact.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "impact.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "impact.png").stat().st_size > 10000


def test_sc6_cells_are_medians_with_the_range_of_the_seeds(results):
    figure = draw(*(read_run(results / name, "fabric-gpcnet") for name in ("on-incast", "on-incast-2", "on-alltoall", "off-incast")))
    maps = {axes.get_title(): axes for axes in figure.axes if axes.get_title()}
    assert len(maps) == 4  # two settings, two statistics
    managed = maps[next(title for title in maps if title.startswith("flow channels, ") and title.endswith(": mean"))]
    assert [label.get_text() for label in managed.get_yticklabels()] == ["alltoall", "incast"]
    seeds = sorted(read_run(results / name, "fabric-gpcnet").value("impact", test="bandwidth", stat="mean") for name in ("on-incast", "on-incast-2"))
    cell = next(text.get_text() for text in managed.texts if text.get_position() == (1, 1))
    assert cell == f"{sum(seeds) / 2:.3g}\n{seeds[0]:.3g} to {seeds[1]:.3g}"
    assert [label.get_text() for label in maps["no flow channels: 99 %"].get_yticklabels()] == ["incast"]


@pytest.mark.parametrize("first, second, words", [
    ("on-incast", "other", "the runs differ in more than --flowChannels, --tools, --pattern, --RngRun and UnorderedClasses"),
    ("on-incast", "none", "none: there is no such folder; fabric-gpcnet --out="),
])
def test_sc6_runs_that_do_not_fit_end_in_one_sentence(results, tmp_path, first, second, words):
    done = plot(results / first, results / second, "--output", tmp_path / "impact.png")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
