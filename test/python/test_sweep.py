# SPDX-License-Identifier: GPL-2.0-only
"""PY-2, PY-3: sweeps run in parallel, go on after failures, resume after kill -9, and end in the same table."""
import contextlib
import json
import math
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import dask.config
import distributed
import numpy
import pandas
import pytest

from fabric_sim import figures, plots, sweep_workers
from fabric_sim.results import ResultError
from fabric_sim.sweep import Sweep, SweepError, read_table
from fabric_sim.sweep_function import summary_of
from programs import BIN, ROOT, python

# Stands for a program of the module where only its end matters: it waits, fails or hangs as it is told, and counts its runs. When
# it is held, its first two runs end at once, and others when there is a file.
PROGRAM = """#!/bin/sh
for argument in "$@"; do case $argument in
    --help) echo "    --mode:   well, slow, held, failing or hanging [well]"; echo "    --size:  bytes (a size from 1 to 9) [1]"; exit 0;;
    --mode=*) mode=${argument#*=};;
    --size=*) size=${argument#*=};;
    --RngRun=*) seed=${argument#*=};;
    --out=*) out=${argument#*=};;
esac; done
echo "$mode $size $seed" >> "$0.log"
case $mode in
    slow) sleep 0.1;;
    held) [ "$(grep -nx "$mode $size $seed" "$0.log" | tail -n 1 | cut -d: -f1)" -le 2 ] || until [ -e "$0.go" ]; do sleep 0.02; done;;
    failing) echo "it can't be done" >&2; exit 3;;
    hanging) sleep 60;;
esac
mkdir "$out" && printf 'metric,value,unit\\nproduct,%s,B\\n' $((size * seed)) > "$out/summary.csv"
"""

HANG = 600  # seconds that nothing takes that comes to an end, however busy the machine is


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.sh"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return path


def runs_of(program):
    """@return what the program was asked for, one entry for each of its runs"""
    log = pathlib.Path(f"{program}.log")
    return log.read_text().splitlines() if log.exists() else []


def values_of(table):
    return table.drop(columns="run").to_dict("records")


def test_py2_one_tidy_table_with_units_in_the_columns(tmp_path):
    options = {"k": 4, "senders": [2, 4], "bytes": "4KiB", "jitter": "1us", "victim": False, "ns3::FabricSwitch::Latency": "100ns"}
    sweep = Sweep(BIN / "fabric-incast", options, repetitions=3, folder=tmp_path / "sweep")
    assert set(sweep.run()["status"]) == {"done"}
    table = sweep.table()
    assert list(table.columns[:9]) == ["run", "k", "senders", "bytes_B", "jitter_s", "victim", "ns3::FabricSwitch::Latency_s", "seed", "metric"]
    assert set(table["bytes_B"]) == {4096} and set(table["jitter_s"]) == {1e-6} and set(table["ns3::FabricSwitch::Latency_s"]) == {1e-7}
    assert set(table["seed"]) == {1, 2, 3}
    pandas.testing.assert_frame_equal(read_table(tmp_path / "sweep"), table, check_dtype=False)
    goodput = table[(table["metric"] == "goodput") & (table["senders"] == 4)]["value"]
    row = sweep.summary().query("metric == 'goodput' and senders == 4").iloc[0]
    assert (row["runs"], row["median"], row["min"], row["max"]) == (3, goodput.median(), goodput.min(), goodput.max())
    # Three values: the mean and 4.3027 standard errors on each side.
    assert row["ci95_high"] - row["mean"] == pytest.approx(4.3027 * goodput.std() / 3**0.5)
    assert (sweep.run_folders()[0] / "manifest.json").exists()


def test_py2_grids_with_different_parameters_are_one_sweep(tmp_path):
    common = {"k": 4, "cdf": "hadoop", "load": 0.3, "arrivalTime": "20us"}
    grids = [{**common, "transport": "raw"}, {**common, "transport": "rt", "congestionControl": ["delay", "fixed"], "loss": 0.01}]
    sweep = Sweep(BIN / "fabric-run", grids, repetitions=2, folder=tmp_path / "sweep")
    states = sweep.run()
    assert list(states["status"]) == ["done"] * 6
    alone = Sweep(BIN / "fabric-run", grids[1], repetitions=2, folder=tmp_path / "sweep")  # the same runs: nothing is left to do
    assert list(alone.states()["folder"]) == list(states["folder"][2:]) and set(alone.states()["status"]) == {"done"}
    for table in (sweep.table(), read_table(tmp_path / "sweep")):
        goodput = table[table["metric"] == "goodput"]
        assert list(goodput["transport"]) == ["raw"] * 2 + ["rt"] * 4
        assert list(goodput["congestionControl"]) == [""] * 2 + ["delay"] * 2 + ["fixed"] * 2
        assert list(goodput["loss"].isna()) == [True] * 2 + [False] * 4
    assert sweep.summary().query("metric == 'goodput'")["runs"].tolist() == [2, 2, 2]
    axes = plots.against(sweep.table(), "goodput", "load", by="congestionControl")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["no congestionControl", "congestionControl=delay", "congestionControl=fixed"]
    assert list(sweep.files("messages.csv")) == ["transport=raw", "transport=rt, congestionControl=delay, loss=0.01", "transport=rt, congestionControl=fixed, loss=0.01"]
    for parameters, words in (([{"k": 4}, {}], "the sweep has no parameters"), ([], "the sweep has no parameters"), ([{"k": 4}, {"kk": 4}], "has no option --kk")):
        with pytest.raises(SweepError, match=words):
            Sweep(BIN / "fabric-run", parameters)


def test_py2_times_of_jobs_are_chosen_by_their_numbers(tmp_path):
    (tmp_path / "jobs.txt").write_text("allreduce-ring 4 100KiB\nalltoall 4 100KiB 50us\n")
    sweep = Sweep(BIN / "fabric-collectives", {"k": 4, "jobFile": str(tmp_path / "jobs.txt"), "onlyJobs": ["", 1]}, folder=tmp_path / "sweep")
    sweep.run()
    table = sweep.column("jobs.csv", "time_s", ["job"])
    assert table[["onlyJobs", "seed", "metric", "job", "unit"]].values.tolist() == [["", 1, "time_s", 0, "s"], ["", 1, "time_s", 1, "s"], ["1", 1, "time_s", 1, "s"]]
    # A pod each: job 1 takes as long alone, from its own beginning, while completion_time counts from that of the run.
    assert table["value"].tolist()[1] == table["value"].tolist()[2] < 50e-6 < sweep.table().query("metric == 'completion_time'")["value"].min()
    axes = plots.against(table, "time_s", "onlyJobs", job=1)
    assert len(axes.containers[0][0].get_ydata()) == 2
    with pytest.raises(ResultError, match="jobs.csv: there is no column tme_s"):
        sweep.column("jobs.csv", "tme_s")


def test_py2_numbers_of_numpy_are_such_of_a_grid(tmp_path):
    sweep = Sweep(BIN / "fabric-incast", {"k": list(numpy.array([4, 6])), "senders": numpy.int64(2)}, folder=tmp_path / "sweep")
    assert [task["command"][1:] for task in sweep.tasks()] == [[f"--k={k}", "--senders=2", "--RngRun=1"] for k in (4, 6)]


def test_py2_failing_and_hanging_runs_are_recorded_and_the_others_go_on(program, tmp_path):
    def sweep(limit):
        return Sweep(program, {"mode": ["failing", "hanging", "well"], "size": 2}, repetitions=2, folder=tmp_path / "sweep", time_limit=limit)
    states = sweep(0.3).run(workers=6)
    assert list(states["status"]) == ["failed"] * 2 + ["stopped"] * 2 + ["done"] * 2
    assert "it can't be done" in states["message"][0] and states["message"][2] == "stopped after the time limit of 0.3 s"
    assert values_of(sweep(0.3).table()) == [{"mode": "well", "size_B": 2, "seed": seed, "metric": "product", "value": 2 * seed, "unit": "B"}
                                             for seed in (1, 2)]
    count = len(runs_of(program))
    sweep(0.3).run()
    assert len(runs_of(program)) == count == 6
    sweep(0.3).run(again=True, workers=4)
    assert sorted(runs_of(program)[6:]) == ["failing 2 1", "failing 2 2", "hanging 2 1", "hanging 2 2"]


RESUMED = """
import sys
from fabric_sim.sweep import Sweep
Sweep(sys.argv[1], {"mode": "slow", "size": list(range(1, 7))}, repetitions=2, folder=sys.argv[2]).run(workers=2)
"""


def start_sweep(program, folder):
    return subprocess.Popen([sys.executable, "-c", RESUMED, program, folder], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")})


def wait_until(condition):
    """Waits for what is bound to happen; a hang fails the test."""
    deadline = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_py2_a_killed_sweep_resumes_to_the_same_table(program, tmp_path):
    killed = start_sweep(program, tmp_path / "killed")
    wait_until(lambda: len(list((tmp_path / "killed").glob("*/*/run.json"))) >= 3)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    states = [json.loads(path.read_text()) for path in (tmp_path / "killed").glob("*/[!.]*/run.json")]
    assert 3 <= len(states) < 12
    assert start_sweep(program, tmp_path / "killed").wait(60) == 0
    for done in states:  # others may have begun before
        assert runs_of(program).count(f"slow {done['parameters']['size']} {done['seed']}") == 1
    assert start_sweep(program, tmp_path / "whole").wait(60) == 0
    pandas.testing.assert_frame_equal(read_table(tmp_path / "killed"), read_table(tmp_path / "whole"))
    assert len(read_table(tmp_path / "whole")) == 12


@contextlib.contextmanager
def started(*arguments):
    """A process of Dask, ended at the end."""
    process = subprocess.Popen([sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]], stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")}, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


SCHEDULED = """
import sys
from fabric_sim.sweep import Sweep, SweepError
try:
    Sweep(sys.argv[1], {"mode": "held", "size": list(range(1, 8))}, repetitions=2, folder=sys.argv[2]).run(scheduler=sys.argv[3])
except SweepError as error:
    sys.exit(str(error))
"""


@contextlib.contextmanager
def scheduler_with_two_workers():
    """@return processes of a scheduler and a worker, and the address, when both workers have come"""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    worker = ("dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
    with started("dask_scheduler", "--host", "127.0.0.1", "--port", address.split(":")[1], "--no-dashboard") as scheduler, \
            started(*worker) as first, started(*worker):
        with distributed.Client(address, timeout=HANG) as client:
            client.wait_for_workers(2, timeout=HANG)
        yield scheduler, first, address


def kill_in_the_middle(program, folder, address, killed):
    """Runs a sweep, and kills a process when two of its runs are done and each worker has begun another. @return its exit code and what it said"""
    with subprocess.Popen([sys.executable, "-c", SCHEDULED, program, folder, address], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")},
                          stderr=subprocess.PIPE, text=True) as running:
        try:
            wait_until(lambda: running.poll() is not None or (len(list(folder.glob("*/*/run.json"))), len(runs_of(program))) == (2, 4))
            os.killpg(killed.pid, signal.SIGKILL)
            pathlib.Path(f"{program}.go").touch()
            said = running.communicate(timeout=HANG)[1]
        finally:
            running.kill()
    return running.returncode, said


def test_py3_a_scheduler_with_two_workers_of_which_one_is_killed(program, tmp_path):
    with scheduler_with_two_workers() as (_, worker, address):
        assert kill_in_the_middle(program, tmp_path / "sweep", address, worker) == (0, "")
    sweep = Sweep(program, {"mode": "held", "size": list(range(1, 8))}, repetitions=2, folder=tmp_path / "sweep")
    assert set(sweep.states()["status"]) == {"done"}
    assert [row["value"] for row in values_of(sweep.table())] == [size * seed for size in range(1, 8) for seed in (1, 2)]


def test_py3_a_scheduler_that_is_killed_is_one_sentence_and_the_sweep_goes_on_later(program, tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")  # as long it would wait for it to come back
    with scheduler_with_two_workers() as (scheduler, _, address):
        code, said = kill_in_the_middle(program, tmp_path / "sweep", address, scheduler)
    assert code == 1 and said.count("\n") == 1 and "the scheduler is lost, with " in said
    sweep = Sweep(program, {"mode": "held", "size": list(range(1, 8))}, repetitions=2, folder=tmp_path / "sweep")
    assert {"done", "missing"} == set(sweep.states()["status"])
    assert sum(sweep.states()["status"] == "done") >= 2
    assert set(sweep.run(workers=4)["status"]) == {"done"}
    assert [row["value"] for row in values_of(sweep.table())] == [size * seed for size in range(1, 8) for seed in (1, 2)]


# What stands for a batch system: jobs run at once. As a real one, it keeps a copy of the script, which is deleted after the call.
SUBMIT = """#!/bin/bash
cp "$1" "$0.script"
[ -n "$REFUSED" ] && { echo "error: $REFUSED" >&2; exit 1; }
script=$(mktemp "$0.XXXXXX") && cp "$1" "$script"
PYTHONPATH= setsid bash "$script" > "$script.log" 2>&1 < /dev/null &
echo $! >> "$0.jobs"
echo Submitted batch job $!
"""
CANCEL = "#!/bin/bash\nkill -9 -- -$1\n"


@pytest.fixture
def batch_system(tmp_path, monkeypatch):
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    folder = tmp_path / "batch"
    folder.mkdir()
    for name, script in (("sbatch", SUBMIT), ("scancel", CANCEL), ("qsub", SUBMIT), ("qdel", CANCEL)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def kill_the_first_job(jobs, folder):
    """Kills a job that has done some runs, as a batch system does after its time."""
    wait_until(lambda: list(folder.glob("*/*/run.json")))
    os.killpg(int(jobs.read_text().split()[0]), signal.SIGKILL)


def test_py3_a_job_that_ends_early_is_submitted_again(program, tmp_path, batch_system):
    jobs = batch_system / "qsub.jobs"
    sweep = Sweep(program, {"mode": "slow", "size": list(range(1, 8))}, repetitions=2, folder=tmp_path / "sweep")
    killer = threading.Thread(target=kill_the_first_job, args=(jobs, tmp_path / "sweep"))
    killer.start()
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1ms"}):  # else Dask waits for 15 s for it to come back
        states = sweep.run(scheduler="pbs", workers=1, job={"scheduler_options": {"host": "127.0.0.1"}})
    killer.join()
    assert set(states["status"]) == {"done"}
    assert len(jobs.read_text().split()) == 2


@pytest.mark.parametrize("system, submit, asked", [("slurm", "sbatch", "#SBATCH -p normal"), ("pbs", "qsub", "#PBS -q normal")])
def test_py3_jobs_of_a_batch_system_run_a_sweep(program, tmp_path, batch_system, system, submit, asked):
    sweep = Sweep(program, {"mode": "well", "size": [1, 2, 3]}, repetitions=2, folder=tmp_path / "sweep")
    job = {"queue": "normal", "walltime": "00:10:00", "scheduler_options": {"host": "127.0.0.1"}}
    assert set(sweep.run(scheduler=system, workers=2, job=job)["status"]) == {"done"}
    assert [row["value"] for row in values_of(sweep.table())] == [1, 2, 2, 4, 3, 6]
    assert asked in (batch_system / f"{submit}.script").read_text()
    jobs = [int(job) for job in (batch_system / f"{submit}.jobs").read_text().split()]
    assert len(jobs) == 2
    wait_until(lambda: not any(pathlib.Path(f"/proc/{job}").exists() for job in jobs))  # they are ended with the sweep


def test_py3_what_no_batch_system_takes_is_one_sentence(program, tmp_path, batch_system, monkeypatch):
    sweep = Sweep(program, {"size": 1}, folder=tmp_path / "sweep")
    monkeypatch.setenv("REFUSED", "invalid partition specified: nowhere")
    for options, words in (
            ({"scheduler": "slurm"}, r"slurm: no job can be submitted \(error: invalid partition specified: nowhere\)"),
            ({"scheduler": "slurm", "job": {"qeue": "x"}}, "slurm: no job can be submitted .*unexpected keyword argument 'qeue'"),
            ({"job": {"queue": "x"}}, "this is for a batch system only; allowed as scheduler are then slurm, pbs"),
            ({"scheduler": "slrum"}, "slrum: there is no Dask scheduler .*; allowed is the address of one, such as tcp://HOST:8786, or slurm, pbs"),
            ({"workers": 0}, "workers=0: allowed is a whole number from 1")):
        with pytest.raises(SweepError, match=words) as caught:
            sweep.run(**options)
        assert "\n" not in str(caught.value)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SweepError, match="slurm: there is no sbatch on this machine"):
        sweep.run(scheduler="slurm")
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(SweepError, match="slurm: dask-jobqueue is not installed; pip install dask-jobqueue brings it"):
        sweep.run(scheduler="slurm")
    assert set(sweep.states()["status"]) == {"missing"} and not runs_of(program)


MPIRUN = """#!/bin/sh
[ "$1" = -np ] || exit 9
echo "$2 $4" >> "$0.log"
shift 2
exec "$@"
"""


@pytest.fixture
def mpirun(tmp_path, monkeypatch):
    path = tmp_path / "bin/mpirun"
    path.parent.mkdir()
    path.write_text(MPIRUN)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}{os.pathsep}{os.environ['PATH']}")
    return path


def test_py3_each_run_of_a_sweep_is_shared_by_ranks(program, mpirun, tmp_path):
    program.write_text(PROGRAM.replace('echo "    --size', 'echo "    --mpi:    a rank [false]"; echo "    --size'))
    several = Sweep(program, {"mode": "well", "size": [1, 2]}, 2, tmp_path / "several", ranks=3)
    several.run(progress=False)
    assert pathlib.Path(f"{mpirun}.log").read_text().splitlines() == 4 * ["3 --mpi"]
    alone = Sweep(program, {"mode": "well", "size": [1, 2]}, 2, tmp_path / "alone")
    alone.run(progress=False)
    assert values_of(several.table()) == values_of(alone.table())


def test_py3_ranks_that_there_cannot_be_are_one_sentence(program, mpirun, tmp_path, monkeypatch):
    for code, ranks, words in [(program, 2, "has no option --mpi; allowed is 1"), (program, 0, "ranks=0: allowed is a whole number from 1"),
                               (lambda size, seed: {}, 2, "allowed is 1 for a Python function")]:
        with pytest.raises(SweepError, match=words):
            Sweep(code, {"size": 1}, folder=tmp_path / "sweep", ranks=ranks)
    program.write_text(PROGRAM.replace('echo "    --size', 'echo "    --mpi:    a rank [false]"; echo "    --size'))
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "mpirun" else which(name))
    with pytest.raises(SweepError, match="there is no mpirun"):
        Sweep(program, {"size": 1}, folder=tmp_path / "sweep", ranks=2)
    assert not (tmp_path / "sweep").exists()


def test_py2_a_function_is_swept_as_a_program_is(tmp_path):
    def product(size, seed):
        if size == 3:
            raise RuntimeError("three is too much")
        return {"product": size * seed}
    sweep = Sweep(product, {"size": [2, 3]}, folder=tmp_path / "sweep")
    states = sweep.run()
    assert list(states["status"]) == ["done", "failed"]
    assert states["message"][1].endswith("RuntimeError: three is too much")
    assert values_of(sweep.table()) == [{"size": 2, "seed": 1, "metric": "product", "value": 2, "unit": "1"}]


@pytest.mark.parametrize("returned, words", [
    (None, "the function returned None; it has to return"), (5, "the function returned 5; it has to return"), ([{"metric": "x"}], "rows without value"),
    ({"x": "abc"}, "the function returned x=abc; allowed is a number"), ({"x": math.nan}, "the function returned x=nan; allowed is a number"),
    ([{"metric": "x", "value": 1, "size": 9}], "a column size, which is a parameter as well"),
])
def test_py2_what_a_function_returns_is_checked(returned, words):
    with pytest.raises(ValueError, match=words):
        summary_of(returned, {"size": 1})


def test_py2_a_function_that_cannot_be_copied_and_broken_files_are_one_sentence(program, tmp_path):
    lock = threading.Lock()
    with pytest.raises(SweepError, match="it can't be given to other processes .*lock"):
        Sweep(lambda size, seed: {"x": lock.locked()}, {"size": 1}, folder=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()
    sweep = Sweep(program, {"size": 1}, folder=tmp_path / "sweep")
    sweep.run()
    for name, read in (("table.parquet", lambda: read_table(tmp_path / "sweep")), ("run.json", sweep.run)):
        (file,) = (tmp_path / "sweep").rglob(name)
        file.write_text("x")
        with pytest.raises(ResultError, match=f"{name}: cannot be read") as caught:
            read()
        assert "\n" not in str(caught.value) and file.read_text() == "x"


def test_py3_an_address_that_takes_connections_and_says_nothing_is_refused(program, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_workers, "LONGEST_GREETING", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(SweepError, match="there is no Dask scheduler"):
        Sweep(program, {"size": 1}, folder=tmp_path / "sweep").run(scheduler=f"tcp://127.0.0.1:{silent.getsockname()[1]}")


def test_py2_results_of_other_code_are_kept_apart(program, tmp_path):
    Sweep(program, {"size": 2}, folder=tmp_path / "sweep").run()
    program.write_text(PROGRAM.replace("size * seed", "size * seed + 100"))
    changed = Sweep(program, {"size": 2}, folder=tmp_path / "sweep")
    assert list(changed.states()["status"]) == ["missing"]
    changed.run()
    assert list(changed.table()["value"]) == [102]
    with pytest.raises(SweepError, match="results of 2 versions of the code, .*; say which one is wanted"):
        read_table(tmp_path / "sweep")
    with pytest.raises(SweepError, match="no results of version nonsense; allowed is "):
        read_table(tmp_path / "sweep", "nonsense")
    assert list(read_table(tmp_path / "sweep", changed.code.code)["value"]) == [102]


@pytest.mark.parametrize("parameters, more, words", [
    ({"sise": 1}, {}, "program.sh has no option --sise; allowed are mode, size and attributes"),
    ({"RngRun": [1, 2]}, {}, "RngRun: the sweep sets --RngRun by itself"),
    ({}, {}, "the sweep has no parameters"),
    ({"size": []}, {}, "size: the list is empty"),
    ({"size": 1}, {"repetitions": 0}, "repetitions=0: allowed is"),
    ({"size": 1}, {"time_limit": 0}, "time_limit=0: allowed is"),
    ({"size": 1}, {"time_limit": float("nan")}, "time_limit=nan: allowed is"),
    ({"size": 1}, {"repetitions": "3"}, "repetitions=3: allowed is a whole number"),
    ({"size": 1}, {"repetitions": 1.5}, "repetitions=1.5: allowed is a whole number"),
    (["size"], {}, "the sweep has no parameters"),
    ({1: 1}, {}, "1: allowed as the name of a parameter is a text"),
    ({"size": {1, 2}}, {}, "size={1, 2}: allowed are numbers, texts"),
    ({"run": 1}, {}, "run: the table has a column of this name by itself"),
    ({"size": [1, None]}, {}, "size=None: allowed are numbers, texts"),
])
def test_py2_bad_input_is_one_sentence_and_nothing_is_written(program, tmp_path, parameters, more, words):
    with pytest.raises(SweepError, match=words.replace("(", r"\(")) as caught:
        Sweep(program, parameters, folder=tmp_path / "sweep", **more)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "sweep").exists()


@pytest.mark.parametrize("name, words", [
    ("ns3::FabricSwitch::Latncy", "no attribute ns3::FabricSwitch::Latncy; the names most like it are ns3::FabricSwitch::Latency, .*PrintAttributes=ns3::FabricSwitch lists all"),
    ("ns3::Nope::Latency", "knows no type ns3::Nope with attributes; fabric-incast --PrintTypeIds lists all types"),
    ("version", "no option --version; allowed are aloneTime, "),
])
def test_py2_attributes_that_there_are_not_are_refused_before_the_first_run(name, words, tmp_path):
    with pytest.raises(SweepError, match=words) as caught:
        Sweep(BIN / "fabric-incast", {"k": 4, name: 1}, folder=tmp_path / "sweep")
    assert "\n" not in str(caught.value) and not (tmp_path / "sweep").exists()


def test_py2_what_does_not_fit_the_folder_is_refused_and_nothing_overwritten(program, tmp_path):
    with pytest.raises(SweepError, match="none: there is no such program"):
        Sweep(tmp_path / "none", {"size": 1})
    with pytest.raises(SweepError, match="there are no results of a sweep that has ended"):
        read_table(tmp_path)
    with pytest.raises(SweepError, match="the folder holds something else than a sweep"):
        Sweep(program, {"size": 1}, folder=tmp_path).run()
    for folder, words in ((program, "Not a directory"), (program / "sweep", "Not a directory"), ("/proc/none", "No such file or directory")):
        with pytest.raises(SweepError, match=rf"results can't be kept in this folder \({words}\)"):
            Sweep(program, {"size": 1}, folder=folder).run()
    with pytest.raises(SweepError, match="folder=None: allowed is the path of a folder"):
        Sweep(program, {"size": 1}, folder=None)
    with pytest.raises(SweepError, match="print: its code is not known"):
        Sweep(print, {"size": 1})
    with pytest.raises(SweepError, match="seed: the sweep sets it by itself"):
        Sweep(lambda size, seed: {}, {"size": 1, "seed": [-1]})
    Sweep(program, {"size": 1}, folder=tmp_path / "sweep").run()
    files = sorted((tmp_path / "sweep").rglob("*"))
    with pytest.raises(SweepError, match="the folder holds a sweep of program.sh; one of .* needs another folder"):
        Sweep(lambda size, seed: {}, {"size": 1}, folder=tmp_path / "sweep").run()
    with pytest.raises(SweepError, match="missing a required argument: 'other'"):
        Sweep(lambda size, other, seed: {}, {"size": 1})
    assert sorted((tmp_path / "sweep").rglob("*")) == files


def test_py2_a_file_declares_a_sweep(program, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(f'program = "{program}"\nrepetitions = 2\nfolder = "{tmp_path / "sweep"}"\n[parameters]\nsize = [1, 2]\n')
    def sweep_file():
        return subprocess.run([python(), ROOT / "utils/sweep.py", file], capture_output=True, text=True, timeout=60)
    done = sweep_file()
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3
    done = subprocess.run([python(), ROOT / "utils/sweep.py", file, "--metrics=nope"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "--metrics=nope: there is no nope; allowed are some of product\n")
    for job, code in (("job = 3", 2), ("[job]", 0)):
        file.write_text(f'program = "{program}"\nfolder = "{tmp_path / "sweep"}"\n{job}\n[parameters]\nsize = 1\n')
        assert sweep_file().returncode == code
    file.write_text(f'program = "{program}"\nfolder = "{tmp_path / "sweep"}"\n[parameters]\nmode = "failing"\n')
    done = sweep_file()
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith("failed: ") and done.stderr.endswith("it can't be done\n")
    file.write_text('programm = "x"\n')
    done = sweep_file()
    assert (done.returncode, done.stderr) == (2, f"{file}: there is no programm; allowed are program, parameters, repetitions, folder, time_limit, ranks, job\n")


LEAVES_FUTURES = """
import asyncio, sys
sys.path.insert(0, sys.argv.pop(1))
from distributed.batched import BatchedSend
start = BatchedSend.start
def leaves_one(self, comm):
    start(self, comm)
    self.left = asyncio.Future()
    self.left.set_exception(TimeoutError("Timeout"))
BatchedSend.start = leaves_one
from fabric_sim.sweep_file import main
sys.exit(main())
"""


def test_py2_what_dask_leaves_behind_is_not_told(program, tmp_path):
    # A busy machine's Dask may be closed while it waits for the time of its next message.
    file = tmp_path / "sweep.toml"
    file.write_text(f'program = "{program}"\nfolder = "{tmp_path / "sweep"}"\n[parameters]\nsize = 1\n')
    done = subprocess.run([python(), "-c", LEAVES_FUTURES, ROOT / "bindings", file], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_py2_rows_of_a_function_keep_their_keys_and_units():
    rows = summary_of([{"metric": "share", "value": 0.5, "lane": 0}, {"metric": "time", "value": 2, "unit": "s"}, {"metric": "met", "value": True}])
    assert rows.to_csv(index=False) == "metric,value,lane,unit\nshare,0.5,0,1\ntime,2.0,,s\nmet,1.0,,1\n"


def test_sc5_percentiles_and_slowdowns_are_one_call():
    messages = pandas.DataFrame({"bytes": [64] * 10 + [4096] * 1000, "fct_s": range(1010), "slowdown": [*range(10), *range(1000)]})
    assert figures.percentiles(messages)["p99"].item() == 999  # the ceil(0.99 * 1010) = 1000th
    assert figures.slowdowns(messages).loc[64].to_dict() == {"count": 10, "p50": 4, "p90": 8, "p99": 9, "p99.9": 9}
    for none in (lambda: figures.percentiles(messages[:0]), lambda: figures.percentiles(messages[:0], by="bytes"), lambda: figures.slowdowns(messages[:0])):
        with pytest.raises(ValueError, match="^there are no values to take a percentile of$"):
            none()
    assert figures.slowdowns(messages).loc[4096].to_dict() == {"count": 1000, "p50": 499, "p90": 899, "p99": 989, "p99.9": 998}


def test_py2_confidence_intervals_are_those_of_students_t():
    # Published: t for 95 % is 2.0395 for 31 degrees of freedom and 1.9840 for 100.
    for count, factor in ((32, 2.0395), (101, 1.9840)):
        values = pandas.Series(range(count), dtype=float)
        assert figures.half_width_95(list(values)) == pytest.approx(factor * values.std() / count**0.5, rel=1e-4)


def test_py2_the_median_has_an_interval_without_any_distribution():
    # Published: the ranks are 1 and 6 of 6 values, 2 and 9 of 10, 6 and 15 of 20, 40 and 61 of 100.
    for count, low, high in ((6, 1, 6), (10, 2, 9), (20, 6, 15), (100, 40, 61)):
        assert figures.median_interval_95(range(count, 0, -1)) == (low, high)
    assert all(map(math.isnan, figures.median_interval_95([1, 2, 3, 4, 5])))
    # It covers the median of a skewed distribution as often as it says, and never leaves the values.
    draws, runs = random.Random(1), 2000
    samples = [[draws.expovariate(1) for _ in range(10)] for _ in range(runs)]
    covered = sum(low <= math.log(2) <= high for low, high in map(figures.median_interval_95, samples))
    assert 0.95 <= covered / runs <= 0.99


def test_py2_a_size_that_is_written_in_two_ways_is_one_point(tmp_path):
    sweep = Sweep(BIN / "fabric-incast", {"k": 4, "senders": 4, "bytes": ["4KiB", "4096", 8192]}, repetitions=2, folder=tmp_path / "sweep")
    sweep.run()
    rows = sweep.summary().query("metric == 'completion_time'")
    assert rows["bytes_B"].tolist() == [4096, 8192]
    assert rows["runs"].tolist() == [2, 2]
    assert len(sweep.run_folders()) == 4
    assert [len(tables) for tables in sweep.files("messages.csv").values()] == [2, 2]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_py2_an_interrupted_sweep_says_so_and_leaves_no_run_behind(program, tmp_path, sent):
    declared = tmp_path / "sweep.toml"
    declared.write_text(f'program = "{program}"\nfolder = "{tmp_path / "sweep"}"\nrepetitions = 6\n[parameters]\nmode = "hanging"\n')
    own = tmp_path.name  # part of the command of each run
    with subprocess.Popen([sys.executable, ROOT / "utils/sweep.py", declared, "--workers=2"], stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler)) as running:
        deadline = time.monotonic() + 60
        while len(runs_of(program)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(sent)
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 130
    assert said == f"{declared}: interrupted; the sweep goes on where it stopped when it is run again\n"
    time.sleep(0.5)
    alive = [path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if own in command_of(path) and "program.sh" in command_of(path)]
    assert not alive
    assert len(runs_of(program)) == 2  # none has begun since
    assert not list((tmp_path / "sweep").rglob("run.json"))  # nothing is kept, and so all is repeated


def command_of(path):
    """@return the command of a process, which may be gone, of /proc"""
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""
