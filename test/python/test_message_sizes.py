# SPDX-License-Identifier: GPL-2.0-only
"""CM-9: permutations over the size of messages, and their picture."""
import matplotlib.pyplot as plt
import pytest

from fabric_sim import ResultError, read_run
from fabric_sim.plots.message_sizes import draw, stretch_of
from programs import run_well

PROGRAM = "fabric-permutation"
TOOLS = {"neither": (), "told": ("Reroute", "NeighbourLoads")}


def runs_of(folder):
    """@return runs of a shift in which two flows share each link unless switches hear of it, by tools, sizes and seeds"""
    runs = []
    for tools, names in TOOLS.items():
        attributes = [f"--ns3::FabricSwitch::{name}={str(name in names).lower()}" for name in TOOLS["told"]]
        for size in (1 << 20, 4 << 20):
            for seed in (1, 2):
                where = folder / f"{tools}-{size}-{seed}"
                run_well(PROGRAM, "--k=4", "--shift=9", f"--bytes={size}", f"--RngRun={seed}", f"--out={where}", *attributes)
                runs.append(read_run(where, PROGRAM))
    return runs


def test_cm9_the_picture_has_a_curve_for_each_setting(tmp_path):
    figure = draw(*runs_of(tmp_path))
    axes = figure.axes[0]
    curves = {bars.get_label(): dict(bars.lines[0].get_xydata()) for bars in axes.containers}
    assert list(curves) == ["neither", "Reroute, NeighbourLoads"]
    assert curves["neither"] == pytest.approx({1 << 20: 2, 4 << 20: 2}, rel=0.05)
    assert curves["Reroute, NeighbourLoads"] == pytest.approx({1 << 20: 1, 4 << 20: 1}, rel=0.02)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1 MiB", "4 MiB"]
    plt.close(figure)


def test_cm9_runs_at_a_load_are_refused(tmp_path):
    run_well(PROGRAM, "--k=4", "--bytes=4KiB", "--load=0.1", f"--out={tmp_path}")
    with pytest.raises(ResultError, match="the run has --load=0.1; runs that begin together"):
        stretch_of(read_run(tmp_path, PROGRAM))
