# SPDX-License-Identifier: GPL-2.0-only
"""CM-11: Ethernet whose switches have a memory that ports share, divided by dynamic thresholds."""
import statistics

import pytest

from fabric_sim.results import read_run
from programs import run_well

INCAST = ("--k=4", "--senders=8", "--bytes=400000", "--aloneTime=20us")
MEMORY = 4 * 512 * 1024  # as much as four inputs have by themselves
SHARED = f"--ns3::FabricSwitch::SharedBufferBytes={MEMORY}"


@pytest.fixture
def summary(tmp_path):
    def read(*options):
        out = tmp_path / "-".join(o.replace("/", "").replace(":", "") for o in options)
        run_well("fabric-congestion", *INCAST, *options, f"--out={out}")
        return read_run(out, "fabric-congestion"), (out / "summary.csv").read_bytes()
    return read


def lost(run):
    return sum(run.metric("bytes_dropped", "cause").values())


@pytest.mark.parametrize("fabric", ["pfc", "ecn"])
def test_dp5_look_ahead_changes_nothing(summary, fabric):
    _, ahead = summary(f"--fabric={fabric}", SHARED)
    _, single = summary(f"--fabric={fabric}", SHARED, "--lookahead=false")
    assert ahead == single


@pytest.mark.parametrize("alpha", [1 / 64, 1 / 8, 1, 8])
def test_wl5_pauses_lose_nothing_whatever_alpha_is(summary, alpha):
    run, _ = summary("--fabric=pfc", SHARED, f"--ns3::FabricSwitch::SharedPauseAlpha={alpha}")
    assert lost(run) == 0


def test_wl5_headroom_is_beside_the_memory(summary):
    """Links of 10 us need more headroom than an input buffer of its own has."""
    run, _ = summary("--fabric=pfc", SHARED, "--linkDelay=10us", "--aloneTime=140us")
    assert lost(run) == 0


def test_cm11_a_shared_memory_loses_less(summary):
    """Of four seeds, the same memory divided by inputs and shared."""
    def losses(*options):
        return statistics.mean(lost(summary("--fabric=ecn", f"--RngRun={seed}", *options)[0]) for seed in range(1, 5))
    own = losses()
    assert own > 0
    assert losses(SHARED) < own / 2
