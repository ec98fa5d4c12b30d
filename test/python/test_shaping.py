# SPDX-License-Identifier: GPL-2.0-only
"""SW-11, SW-12: fabric-shaping against closed forms, its tables (PR-5) and its picture."""
import json

import matplotlib.pyplot as plt
import pytest

from fabric_sim import read_run
from fabric_sim.plots.shaping import draw
from programs import ROOT, run, run_well, summary_of

PROGRAM = "fabric-shaping"
LINK = 200  # Gb/s


def throughputs(folder, *options):
    """@return Gb/s of each class"""
    summary = summary_of(folder, PROGRAM, "--check=true", *options)
    return {int(key[1].removeprefix("class=")): LINK * value for key, value in summary.items() if key[0] == "share"}


def test_pr5_the_worked_example_is_in_json_and_in_csv(tmp_path):
    found = [summary_of(tmp_path / name, PROGRAM, "--duration=100us", f"--table={table}")
             for name, table in {"built-in": "worked-example", "json": ROOT / "examples/tables/shaping.json",
                                 "csv": ROOT / "examples/tables/shaping.csv"}.items()]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("via", ["host", "link"])
@pytest.mark.parametrize("flow_channels", ["on", "off"])
@pytest.mark.parametrize("load, expected", [
    ("0.9", [120, 20, 30, 30]),  # 80 and 40; at most 20; the rest
    ("0,0.9,0.9,0.9", [0, 20, 90, 90]),  # what it leaves is shared
    ("0.9,0,0.9,0", [120, 0, 80, 0]),  # who is alone on a branch has it
    ("0.9,0.05,0.1,0.02", [120, 10, 20, 4]),  # a maximum, though the link has room
    ("0.3,0.9,0.9,0.9", [60, 20, 60, 60]),  # less than its minimum
])
def test_sw11_minimum_maximum_and_shared_bandwidth(via, flow_channels, load, expected, tmp_path):
    options = ["--duration=2ms", f"--load={load}", f"--via={via}", f"--flowChannels={flow_channels}"]
    found = throughputs(tmp_path, *options)
    # Loads are drawn: 0.1 of a link are 13,000 frames in the part that counts.
    assert list(found.values()) == pytest.approx(expected, abs=1.5, rel=0.03)


@pytest.mark.parametrize("size", [64, 256, 1500, 4120])
def test_sw11_it_is_so_with_frames_of_any_size(size, tmp_path):
    assert list(throughputs(tmp_path, "--duration=2ms", f"--frameBytes={size}").values()) == pytest.approx([120, 20, 30, 30], abs=1.5)


def test_sw12_applications_of_a_class_are_told_apart_by_vni(tmp_path):
    table = tmp_path / "table.json"
    table.write_text(json.dumps({
        "classes": [{"class": 5, "trafficClass": 2, "vni": 16, "vniMask": 240, "queue": 1}, {"class": 6, "trafficClass": 2, "queue": 2}, {"class": 9, "queue": 0}],
        "leaves": [{"queue": 0, "rate": "10Gbps"}, {"queue": 1, "rate": "50Gbps"}, {"queue": 2, "rate": "100Gbps"}], "head": {"rate": 0}}))
    assert throughputs(tmp_path / "out", "--duration=1ms", f"--table={table}") == pytest.approx({5: 50, 6: 100, 9: 10}, abs=1)


def test_sw11_what_each_bucket_has_paid(tmp_path):
    summary = summary_of(tmp_path, PROGRAM, "--duration=1ms")
    paid = {key[1]: value * 8 / 1e6 for key, value in summary.items() if key[0] == "bytes_paid"}  # Gb/s over 1 ms
    assert paid == pytest.approx({"queue=0;bucket=leaf": 80, "queue=0;bucket=branch": 40, "queue=1;bucket=leaf": 20, "queue=2;bucket=branch": 30,
                                  "queue=3;bucket=branch": 30}, rel=0.05)


@pytest.mark.parametrize("table, words", [
    ({"leaves": [{"queue": 0}]}, "has no classes; allowed is at least one, as each is a host here"),
    ({"leaves": [{"queue": 40}]}, "leaves[0].queue is 40, allowed is a whole number from 0 to 31"),
    ({"classes": [{"class": 1, "vni": 0, "vniMask": 1, "queue": 0}, {"class": 2, "vni": 1, "vniMask": 1, "queue": 0}, {"class": 3, "vni": 3, "vniMask": 3, "queue": 0}],
      "leaves": [{"queue": 0}]}, "class 3 is never used"),
    ({"classes": [{"class": 1, "trafficClass": c, "queue": 0} for c in (1, 1)], "leaves": [{"queue": 0}]}, "class 1 stands there twice"),
])
def test_pr5_a_bad_table_is_one_sentence(table, words, tmp_path):
    (tmp_path / "table.json").write_text(json.dumps(table))
    done = run(PROGRAM, f"--table={tmp_path / 'table.json'}", "--duration=1000s", timeout=20)
    assert done.returncode == 2 and words in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_pr5_a_class_that_those_before_it_leave_nothing_is_refused(tmp_path):
    classes = [{"class": number, "vni": number, "vniMask": 1, "queue": 0} for number in (0, 1)] + [{"class": 2, "trafficClass": 3, "queue": 0}]
    (tmp_path / "table.json").write_text(json.dumps({"classes": classes, "leaves": [{"queue": 0}]}))
    done = run(PROGRAM, f"--table={tmp_path / 'table.json'}", timeout=20)
    assert done.returncode == 2 and "--table: class 2 is never used, as those before it are for all of its frames" in done.stderr, done.stderr


def test_pf9_the_picture(tmp_path):
    runs = []
    for load in ("0.9", "0,0.9,0.9,0.9"):
        run_well(PROGRAM, "--duration=100us", f"--load={load}", f"--out={tmp_path / load}")
        runs.append(read_run(tmp_path / load, PROGRAM))
    figure = draw(*runs)
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == pytest.approx([share * LINK for each in runs for share in each.metric("share", "class").values()])
    assert len(figure.axes[1].patches) == 7  # of a class that sends nothing there is no latency
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["load 0.9", "load 0,0.9,0.9,0.9"]
    plt.close(figure)
