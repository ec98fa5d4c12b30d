# SPDX-License-Identifier: GPL-2.0-only
"""fabric-pio against its closed form, what credits cost by scheme, the crossing of PIO and SDMA (PC-8, PC-9, PC-11), and its plot."""
import subprocess

import pytest

from programs import ROOT, python, run_well, summary_of

PROGRAM = "fabric-pio"


@pytest.mark.parametrize("blocks, packet, latency", [(16, 56, "0"), (16, 1016, "300ns"), (64, 248, "1us"), (256, 2104, "0"),
                                                     (1024, 56, "20us"), (1024, 2104, "2us")])
def test_pc11_the_message_rate_is_that_of_the_closed_form(tmp_path, blocks, packet, latency):
    found = summary_of(tmp_path, PROGRAM, f"--blocks={blocks}", f"--packetBytes={packet}", f"--returnLatency={latency}",
                       "--threshold=0", "--duration=600us")
    assert found["message_rate", ""] == pytest.approx(found["closed_form_rate", ""], rel=0.03)


def test_pc8_writes_of_the_schemes(tmp_path):
    writes = {scheme: summary_of(tmp_path / scheme, PROGRAM, f"--scheme={scheme}", "--threshold=25%")
              for scheme in ("absolute", "egress-order", "relative")}
    assert writes["relative"]["return_writes_per_packet", ""] == pytest.approx(4, rel=0.01)
    assert writes["egress-order"]["return_writes_per_packet", ""] == pytest.approx(1, rel=0.01)
    assert writes["absolute"]["return_writes_per_packet", ""] == pytest.approx(1 / 4, rel=0.01)
    rates = {found["message_rate", ""] for found in writes.values()}
    assert len(rates) == 1


def test_pc5_lost_returns_leak_relative_credits_only(tmp_path):
    whole = summary_of(tmp_path / "whole", PROGRAM, "--threshold=0")
    absolute = summary_of(tmp_path / "absolute", PROGRAM, "--threshold=0", "--loseEvery=10")
    relative = summary_of(tmp_path / "relative", PROGRAM, "--scheme=relative", "--loseEvery=10")
    assert absolute["lost_returns", ""] > 100
    assert absolute["message_rate", ""] == pytest.approx(whole["message_rate", ""], rel=0.01)
    assert relative["message_rate", ""] == 0


def test_pc9_pio_and_sdma_cross(tmp_path):
    def latency(size, sdma):
        return summary_of(tmp_path / f"{size}-{sdma}", PROGRAM, "--blocks=1024", "--packetBytes=2040", f"--messageBytes={size}",
                          "--messageGap=40us", f"--sdma={sdma}")["latency", "stat=mean"]
    assert latency("4KiB", 0) < latency("4KiB", 1)
    assert latency("8KiB", 0) > latency("8KiB", 1)


def test_pc7_a_thread_that_sleeps_is_slower_and_needs_interrupts(tmp_path):
    polls = summary_of(tmp_path / "polls", PROGRAM, "--blocks=16")
    sleeps = summary_of(tmp_path / "sleeps", PROGRAM, "--blocks=16", "--wait=sleep")
    assert polls["interrupts", ""] == 0 < sleeps["interrupts", ""]
    assert sleeps["message_rate", ""] < polls["message_rate", ""]


def plot(*arguments):
    return subprocess.run([python(), ROOT / "utils/plot-pio.py", *arguments], capture_output=True, text=True, timeout=60)


def test_sc6_picture_is_drawn_or_one_sentence_says_why_not(tmp_path):
    folders = [tmp_path / str(blocks) for blocks in (16, 64)]
    for folder in folders:
        run_well(PROGRAM, f"--blocks={folder.name}", "--duration=20us", f"--out={folder}")
    done = plot(*folders, "--output", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "picture.png").stat().st_size > 10000
    run_well(PROGRAM, "--threshold=50%", "--duration=20us", f"--out={tmp_path / 'other'}")
    for runs, words in (([folders[0], tmp_path / "other"], "the runs differ in blocks and threshold; allowed is one of blocks,"),
                        ([folders[0]], "the runs differ in nothing; allowed is one of blocks,")):
        done = plot(*runs, "--output", tmp_path / "no.png")
        assert done.returncode == 2
        assert words in done.stderr
