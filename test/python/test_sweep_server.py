# SPDX-License-Identifier: GPL-2.0-only
"""PY-2: Python functions run in copies of one process, with the results of a fresh process each."""
import os
import signal
import subprocess

import pytest

from fabric_sim.sweep import Sweep
from fabric_sim.sweep_run import PACKAGES, RESULTS, Server
from programs import BUILD

pytest.importorskip("cppyy", reason="cppyy is not installed")


def simulated(latency, senders, seed):
    """What it sets, and random streams that ns-3 hands out, must not get into the next run."""
    from fabric_sim import Run, ns, set_default
    set_default("ns3::FabricSwitch::Latency", latency)
    ns.RngSeedManager.SetRun(seed)
    with Run(k=4) as run:
        incast = ns.IncastHelper(senders, 1 << 14)
        incast.SetStart(ns.Time(0), ns.MicroSeconds(1))
        incast.Install(run.fabric)
        run.until_delivered(senders)
        times, names = run.messages()["fct_s"], ns.Names.FindName(run.fabric.hosts.Get(0))
    assert str(names) == ""
    ns.Names.Add("taken", ns.CreateObject[ns.Node]())  # a second time it would end the process
    return {"first": times.min(), "last": times.max()}


def told(mode, seed):
    """Says what process it is, and ends as it is told."""
    import sys
    print("process", os.getppid())
    if mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if mode == "leaving":
        sys.exit("it leaves")
    if mode == "failing":
        raise ValueError("it can't be done")
    return {"server": os.getppid(), "model": "fabric_sim.model" in sys.modules}


def test_py2_copies_of_a_process_have_the_results_of_fresh_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("FABRIC_BUILD", str(BUILD))
    sweep = Sweep(simulated, {"latency": ["100ns", "350ns"], "senders": [2, 8]}, repetitions=2, folder=tmp_path / "sweep")
    states = sweep.run(workers=1)
    assert set(states["message"]) == {""} and not Server.servers
    for task in sweep.tasks()[::3]:
        fresh = tmp_path / os.path.basename(task["folder"])
        subprocess.run([*task["command"], f"--out={fresh}"], check=True, timeout=300, env={**os.environ, "PYTHONPATH": str(PACKAGES)})
        with open(f"{task['folder']}/{RESULTS}/summary.csv", "rb") as copied:
            assert (fresh / "summary.csv").read_bytes() == copied.read()


def test_py2_a_process_serves_one_run_after_the_other_whatever_their_ends(tmp_path):
    sweep = Sweep(told, {"mode": ["well", "failing", "leaving", "killed", "better"]}, folder=tmp_path / "sweep")
    states = sweep.run(workers=1)
    assert list(states["status"]) == ["done", "failed", "failed", "failed", "done"]
    assert "it can't be done" in states["message"][1] and states["message"][2].endswith("it leaves")
    found = sweep.table().set_index(["mode", "metric"])["value"]
    assert found["well", "server"] == found["better", "server"] != os.getpid()
    assert found["better", "model"] == 0  # what no run needs is not loaded
