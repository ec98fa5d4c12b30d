# SPDX-License-Identifier: GPL-2.0-only
"""IF-10: fabric-ingress-fairness, its figures and its picture."""
import matplotlib.pyplot as plt
import pytest

from fabric_sim import ResultError, read_run
from fabric_sim.plots.ingress_fairness import draw
from programs import run, run_well, summary_of

LATEST_TAKEOVER = 2.6e-6  # s: the longest round trip of the tree, for a full frame


def shares(folder, *options):
    """@return the share of each application in both phases, and the takeover time"""
    summary = summary_of(folder, "fabric-ingress-fairness", "--check=true", *options)
    apps = sorted({key[1].split(";")[0] for key in summary if key[0] == "share"})
    return ([summary["share", f"{app};phase=shared"] for app in apps], [summary["share", f"{app};phase=after"] for app in apps],
            summary["takeover_time", ""])


@pytest.mark.parametrize("flows", [(1, 200), (200, 1), (3, 7), (1, 1)])
@pytest.mark.parametrize("options, parts", [
    (["--grouping=false"], None),
    ([], (1, 1)),
    (["--ratio=3,1"], (3, 1)),
    (["--ratio=1,3"], (1, 3)),
])
def test_if10_applications_share_by_flow_or_by_ratio(flows, options, parts, tmp_path):
    if parts is None and flows == (200, 1):
        pytest.skip("messages of the second one would be under way for 17 ms")
    together, after, takeover = shares(tmp_path, "--flows=" + ",".join(map(str, flows)), *options)
    parts = parts or flows
    assert together == pytest.approx([part / sum(parts) for part in parts], abs=0.01)
    assert after == [1, 0]
    assert 0 <= takeover < LATEST_TAKEOVER


@pytest.mark.parametrize("options", [["--k=4"], ["--linkRate=100Gbps", "--limit=16KiB", "--stop=1ms", "--duration=4ms"], ["--limit=16KiB"], ["--limit=8KiB", "--duration=3ms"],
                                     ["--linkDelay=1us", "--duration=4ms", "--stop=1ms"],
                                     # Buffers and times as the program chooses them.
                                     ["--linkRate=100Gbps", "--limit=16KiB"], ["--k=4", "--levels=2", "--limit=16KiB"], ["--topology=torus", "--limit=8KiB"], ["--linkDelay=1us"], ["--flows=1,450"], ["--flows=1,1000"],
                                     ["--linkDelay=100us", "--flows=1,4"],
                                     ["--k=4", "--flows=1,20", "--ns3::FabricSwitch::EdgeFlowControl=pause", "--ns3::FabricSwitch::PauseXoffBytes=520000"], ["--k=4", "--levels=2", "--limit=8KiB", "--duration=3ms"]])
def test_if10_it_is_so_on_other_fabrics(options, tmp_path):
    together, _, _ = shares(tmp_path, *options)
    assert together == pytest.approx([0.5, 0.5], abs=0.02)


@pytest.mark.parametrize("options, words", [
    (["--linkRate=100Gbps"], "--limit=32768: allowed is at most 1"),
    (["--topology=hyperx"], "--limit=32768: allowed is at most 9216, "),
    (["--k=4", "--levels=2"], "--limit=32768: allowed is at most "),
    (["--topology=torus"], "--limit=32768: allowed is at most "),
    (["--k=4", "--ns3::FabricSwitch::EdgeFlowControl=pause"], "--ns3::FabricSwitch::PauseXoffBytes=131072: allowed is at least 1672576, so that each flow has frames"),
    (["--k=4", "--ns3::FabricSwitch::BufferBytes=900000"], "--ns3::FabricSwitch::BufferBytes=900000: allowed is at least 1656240"),
    (["--k=4", "--ns3::FabricSwitch::NoFlowClasses=1"], "--ns3::FabricSwitch::NoFlowClasses=1: allowed is a mask without 1"),
])
def test_if10_what_would_hold_nobody_back_is_refused(options, words):
    done = run("fabric-ingress-fairness", *options)
    assert done.returncode == 2
    assert words in done.stderr and done.stderr.count("\n") == 1


def test_if8_more_applications_share_too(tmp_path):
    together, after, _ = shares(tmp_path, "--flows=1,50,5,9", "--ratio=1,2,2,3", "--stop=600us", "--duration=3ms",
                                "--ns3::FabricSwitch::BufferBytes=4194304")
    # Shares are of whole frames: 1, 2, 2 and 3 of 8.
    assert together == pytest.approx([1 / 8, 1 / 4, 1 / 4, 3 / 8], abs=0.02)
    assert after[1] == 0 and after[0] < after[2] < after[3]


def test_pf9_the_picture(tmp_path):
    runs = []
    for name, options in {"flow": ["--grouping=false"], "group": [], "ratio": ["--ratio=3,1"]}.items():
        run_well("fabric-ingress-fairness", "--k=4", "--flows=1,20", f"--out={tmp_path / name}", *options)
        runs.append(read_run(tmp_path / name, "fabric-ingress-fairness"))
    figure = draw(*runs)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["by flow", "by application", "by application, 3:1"]
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == [run.value("goodput", app=str(app), phase="shared") / 1e9 for app in (0, 1) for run in runs]
    plt.close(figure)
    run_well("fabric-ingress-fairness", "--k=4", "--flows=1,30", f"--out={tmp_path / 'other'}")
    with pytest.raises(ResultError, match="the runs have different --flows"):
        draw(runs[0], read_run(tmp_path / "other", "fabric-ingress-fairness"))
