# SPDX-License-Identifier: GPL-2.0-only
"""The scripts that plot draw what the programs write, and say in one sentence what is wrong with their input (SC-6)."""
import json
import pathlib
import re
import shutil
import subprocess
from fractions import Fraction

import pytest

from fabric_sim.plots.chain import ideal_shares
from fabric_sim.results import rate_text, read_run
from programs import BIN, ROOT, python



def run_program(folder, *arguments):
    subprocess.run([BIN / arguments[0], *arguments[1:], f"--out={folder}"], stdout=subprocess.DEVNULL, timeout=60,
                   check=True)
    return folder


def plot(script, *arguments):
    return subprocess.run([python(), ROOT / "utils" / script, *arguments], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Small runs of both programs, not to be written to."""
    root = tmp_path_factory.mktemp("results")
    incast = ("fabric-incast", "--k=4", "--senders=8", "--bytes=64KiB")
    run_program(root / "on", *incast, "--samplePeriod=1us")
    run_program(root / "off", *incast, "--samplePeriod=1us", "--flowChannels=off")
    run_program(root / "on-again", *incast, "--samplePeriod=1us", "--RngRun=2")
    run_program(root / "off-again", *incast, "--samplePeriod=1us", "--flowChannels=off", "--RngRun=2")
    run_program(root / "novictim-on", *incast, "--victim=off")
    run_program(root / "novictim-off", *incast, "--victim=off", "--flowChannels=off")
    run_program(root / "two-levels-on", *incast, "--levels=2", "--senders=4")
    run_program(root / "two-levels-off", *incast, "--levels=2", "--senders=4", "--flowChannels=off")
    run_program(root / "by-flow", "fabric-chain", "--duration=1ms")
    run_program(root / "by-port", "fabric-chain", "--duration=1ms", "--arbitration=port")
    run_program(root / "no-flow-channels", "fabric-chain", "--duration=1ms", "--flowChannels=off")
    run_program(root / "other-chain", "fabric-chain", "--duration=100us", "--sources=2,0,1")
    return root


@pytest.mark.parametrize("script, first, second", [
    ("plot-incast.py", "on", "off"),
    ("plot-incast.py", "off", "on"),
    ("plot-incast.py", "novictim-on", "novictim-off"),
    ("plot-incast.py", "two-levels-on", "two-levels-off"),
    ("plot-chain.py", "by-port", "by-flow"),
    ("plot-chain.py", "other-chain", "other-chain"),
])
def test_sc6_picture_is_drawn(results, tmp_path, script, first, second):
    picture = tmp_path / "new" / "picture.png"
    done = plot(script, results / first, results / second, "--output", picture)
    assert (done.returncode, done.stderr) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 10000


def test_median_and_range_of_seeds_are_drawn(results, tmp_path):
    done = plot("plot-incast.py", *(results / name for name in ("on", "on-again", "off", "off-again")), "--output", tmp_path / "p.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "p.png").stat().st_size > 10000
    done = plot("plot-incast.py", *(results / name for name in ("on", "off", "novictim-on")), "--output", tmp_path / "p.png")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "the runs differ in more than --flowChannels and --RngRun" in done.stderr


def value_of(folder, metric, **keys):
    """@return a figure of a run for people"""
    return rate_text(read_run(folder, "fabric-incast").value(metric, **keys))


def test_runs_are_summarized_by_seeds(results):
    done = plot("summarize-runs.py", *(results / name for name in ("on", "on-again", "off")), "--metrics=victim_goodput,fct")
    assert (done.returncode, done.stderr) == (0, "")
    title, *lines = [re.split("  +", line) for line in done.stdout.splitlines()]
    assert title == ["metric", "of", "flowChannels=True (2 runs)", "flowChannels=False (1 run)"]
    assert {line[0] for line in lines} == {"victim_goodput", "fct"}
    both = sorted((results / name for name in ("on", "on-again")), key=lambda folder: float(
        value_of(folder, "victim_goodput", phase="incast").split()[0]))
    incast = next(line for line in lines if line[1] == "phase=incast")
    assert incast[2].endswith("[" + ", ".join(value_of(folder, "victim_goodput", phase="incast") for folder in both) + "]")
    assert incast[3] == value_of(results / "off", "victim_goodput", phase="incast")


@pytest.mark.parametrize("first, more, words", [
    ("none", [], "none: there is no such folder; a program --out="),
    ("on", ["by-flow"], "the results are of fabric-chain; fabric-incast is needed"),
    ("on", ["--metrics=fct,foo"], "--metrics=fct,foo: there is no foo; allowed are some of"),
])
def test_runs_that_cannot_be_summarized_end_in_one_sentence(results, first, more, words):
    done = plot("summarize-runs.py", results / first, *(name if name[0] == "-" else results / name for name in more))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


def copy_of(results, name, tmp_path):
    return pathlib.Path(shutil.copytree(results / name, tmp_path / name))


@pytest.mark.parametrize("name, content, words", [
    ("manifest.json", None, "manifest.json: there is no such file"),
    ("manifest.json", "{", "manifest.json: cannot be read"),
    ("manifest.json", "[]", "the results are of None; fabric-incast is needed"),
    ("manifest.json", '{"program": "fabric-incast"}', "manifest.json: there is no option flowChannels"),
    ("summary.csv", None, "summary.csv: there is no such file"),
    ("summary.csv", "", "summary.csv: cannot be read"),
    ("summary.csv", "metric,value,unit\n", "summary.csv: there is no victim_goodput phase=alone"),
    ("messages.csv", None, "messages.csv: there is no such file"),
    ("messages.csv", "a,b\n1,2\n", "messages.csv: there is no column dst"),
    ("ports.csv", "time_s,switch\n", "ports.csv: there is no column queued_bytes"),
])
def test_bad_file_ends_in_one_sentence(results, tmp_path, name, content, words):
    folder = copy_of(results, "on", tmp_path)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content)
    done = plot("plot-incast.py", folder, results / "off", "--output", tmp_path / "picture.png")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "picture.png").exists()


@pytest.mark.parametrize("script, first, second, words", [
    ("plot-incast.py", "none", "off", "none: there is no such folder; fabric-incast --out="),
    ("plot-incast.py", "on", "by-flow", "the results are of fabric-chain; fabric-incast is needed"),
    ("plot-incast.py", "on", "on", "some runs have to be with flow channels and some without"),
    ("plot-chain.py", "on", "by-flow", "the results are of fabric-incast; fabric-chain is needed"),
    ("plot-chain.py", "by-flow", "other-chain", "the runs have different --sources"),
])
def test_runs_that_do_not_fit_end_in_one_sentence(results, tmp_path, script, first, second, words):
    done = plot(script, results / first, results / second, "--output", tmp_path / "picture.png")
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("output", ["/proc/none/picture.png", "picture.nonsense"])
def test_output_that_cannot_be_written_ends_in_one_sentence(results, output):
    done = plot("plot-chain.py", results / "by-port", results / "by-flow", "--output", output)
    assert done.returncode == 2
    assert f"--output {output}: cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1


def test_shares_that_do_not_fit_the_sources_are_refused(results, tmp_path):
    folder = copy_of(results, "by-flow", tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["options"]["sources"] = [3, 3]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    done = plot("plot-chain.py", folder, folder, "--output", tmp_path / "picture.png")
    assert done.returncode == 2
    assert "there are 11 shares for the 6 sources of --sources=3,3" in done.stderr


@pytest.mark.parametrize("arbitration, flow_channels, sources, shares", [
    ("flow", True, [3, 3, 3, 2], ["1/11"] * 11),
    ("port", False, [3, 3, 3, 2], ["1/144"] * 3 + ["1/48"] * 3 + ["1/12"] * 3 + ["1/3"] * 2),
    ("flow", False, [3, 3, 3, 2], ["1/144"] * 3 + ["1/48"] * 3 + ["1/12"] * 3 + ["1/3"] * 2),
    ("port", True, [3, 3, 3, 2], ["1/144"] * 3 + ["1/48"] * 3 + ["1/12"] * 3 + ["1/3"] * 2),
    ("port", False, [2, 0, 1], ["1/4"] * 2 + ["1/2"]),
    ("port", False, [4], ["1/4"] * 4),
])
def test_fc18_shares_in_theory(arbitration, flow_channels, sources, shares):
    class Run:
        def option(self, name):
            return {"arbitration": arbitration, "flowChannels": flow_channels, "sources": sources}[name]
    assert ideal_shares(Run()) == pytest.approx([float(Fraction(share)) for share in shares])


@pytest.mark.parametrize("name", ["by-flow", "by-port", "no-flow-channels"])
def test_fc18_measured_shares_are_those_of_theory(results, name):
    run = read_run(results / name, "fabric-chain")
    assert list(run.metric("share", "source").values()) == pytest.approx(ideal_shares(run), rel=0.05)
