# SPDX-License-Identifier: GPL-2.0-only
"""Exit codes and result files of programs (PR-2, PR-3, PR-4, SC-5), as other programs see them.

FABRIC_BIN or FABRIC_BUILD name the programs, see programs.py.
"""

import csv
import json
import pathlib
import re
import subprocess

import pytest

from programs import BIN, subject_of

PROGRAM = BIN / "fabric-results-program"


def run(*arguments, **kwargs):
    """Runs the program and returns what it said and its exit code."""
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, **kwargs)


@pytest.mark.parametrize(
    "argument, words",
    [
        ("--bytes=0", "--bytes=0: allowed is a size from 1 to 1GiB"),
        ("--byte=1", "unknown option --byte=1"),
        ("extra", "unexpected argument 'extra'"),
        ("--RngRun=x", "--RngRun=x"),
        ("--SchedulerType=ns3::Nope", "ns3::Scheduler"),
        ("--ns3::Nope::A=1", "no type ns3::Nope"),
        ("--PrintAttributes=ns3::Nope", "--PrintTypeIds"),
        # ns-3 itself aborts or crashes on these two.
        ("--ns3::RandomVariableStream::Stream=1.5", "Stream=1.5"),
        ("--ns3::SequentialRandomVariable::Increment=ns3::Nope", "Increment=ns3::Nope"),
        ("--out=/proc/none", "--out=/proc/none"),
    ],
)
def test_pr4_mistakes_end_in_one_sentence_and_exit_code_2(argument, words):
    result = run(argument)
    assert result.returncode == 2, result.stderr
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_pr4_a_breach_ends_in_exit_code_1(tmp_path):
    result = run("--note=lost", "--check", f"--out={tmp_path / 'run'}")
    assert result.returncode == 1
    assert result.stderr.startswith("conservation: 1048576 bytes were offered")
    assert list((tmp_path / "run").iterdir()) == []


def test_pr1_help_and_lists():
    assert "[1MiB]" in run("--help").stdout
    assert "RngRun" in run("--PrintGlobals").stdout
    assert run("--bytes=nonsense", "--help").returncode == 0


def test_pr3_sc5_files_read_back(tmp_path):
    note = 'a "quoted", é\n☃ \x01 \\'
    out = tmp_path / "run"
    result = run(
        f"--out={out}",
        f"--note={note}",
        "--bytes=4KiB",
        "--RngRun=3",
        "--ns3::RandomVariableStream::Stream=5",
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert sorted(p.name for p in out.iterdir()) == ["flows.csv", "manifest.json", "summary.csv"]

    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["program"] == "fabric-results-program"
    assert manifest["options"]["note"] == note
    assert manifest["options"]["bytes"] == 4096
    assert manifest["attributes"] == {"RngRun": 3, "ns3::RandomVariableStream::Stream": 5}
    assert manifest["run"] == 3 and manifest["seed"] == 1
    assert manifest["threads"] == 1 and manifest["lookahead"] is True
    assert manifest["events"] == 1
    assert manifest["peak_memory_bytes"] > 1e6
    assert re.fullmatch(r"(GCC|Clang) \d+\.\d+\.\d+", manifest["compiler"])
    assert re.fullmatch(r"\w+(, asserts)?(, logging)?", manifest["build_type"])
    assert 0 < manifest["wall_seconds"] < 60
    assert manifest["started"].endswith("Z")

    with open(out / "summary.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["metric", "stat", "cause", "value", "unit"]
    summary = {(row["metric"], subject_of(row)): (float(row["value"]), row["unit"]) for row in rows}
    assert summary["bytes_offered", ""] == (4096, "B")
    assert summary["fct", "stat=min"] == (1 / 3e6, "s")
    assert summary["fct", "stat=max"] == (10e-6, "s")
    assert summary["simulated_time", ""] == (10e-6, "s")
    assert summary["data_hops", ""][1] == "1"
    for metric in ("bytes_delivered", "bytes_in_flight", "data_hops", "control_hops"):
        assert (metric, "") in summary
    assert ("bytes_dropped", "cause=none") in summary
    for metric, _ in summary:
        assert metric in result.stdout

    with open(out / "flows.csv", newline="", encoding="utf-8") as file:
        flows = list(csv.DictReader(file))
    assert flows[0] == {"flow": "0", "note": note, "bytes": "4096", "end": "1e-05"}
    assert flows[1]["end"] == ""


def test_sc5_the_manifest_names_the_ns3_that_was_built_against(tmp_path):
    cache = (PROGRAM.parent.parent / "CMakeCache.txt").read_text()
    config = pathlib.Path(re.search(r"^ns3_DIR:\w+=(.*)$", cache, re.M)[1]) / "ns3ConfigVersion.cmake"
    assert run(f"--out={tmp_path}").returncode == 0
    version = json.loads((tmp_path / "manifest.json").read_text())["ns3_version"]
    assert version == re.search(r'^set\(PACKAGE_VERSION "(.*)"\)', config.read_text(), re.M)[1]


def test_pr2_results_are_not_overwritten_without_force(tmp_path):
    assert run(f"--out={tmp_path}").returncode == 0
    refused = run(f"--out={tmp_path}", "--bytes=1")
    assert refused.returncode == 2
    assert "holds results of another run" in refused.stderr
    before = (tmp_path / "summary.csv").read_bytes()
    assert run(f"--out={tmp_path}", "--bytes=1", "--force").returncode == 0
    assert (tmp_path / "summary.csv").read_bytes() != before


def test_pr3_the_summary_does_not_depend_on_how_it_was_run(tmp_path):
    for name, arguments in {"a": ["--progress=on"], "b": ["--lookahead=off", "--check=true"]}.items():
        assert run(f"--out={tmp_path / name}", *arguments).returncode == 0
    assert (tmp_path / "a/summary.csv").read_bytes() == (tmp_path / "b/summary.csv").read_bytes()


def test_pr2_leftovers_of_a_killed_run_are_removed_and_not_followed(tmp_path):
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "manifest.json.partial").symlink_to(tmp_path / "victim")
    assert run(f"--out={tmp_path}").returncode == 0
    assert (tmp_path / "victim").read_text() == "mine"


def test_a_disk_that_fills_up_is_reported(tmp_path):
    limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "-", PROGRAM, f"--out={tmp_path}"]
    result = subprocess.run(limited, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert "cannot write into this folder" in result.stderr
    limited[2] = limited[2].replace("-f 0", "-f 1")
    result = subprocess.run([*limited, "--note=" + "x" * 3000], capture_output=True, text=True, timeout=60)
    assert result.returncode == 1
    assert "is the disk full?" in result.stderr
    assert list(tmp_path.iterdir()) == []
