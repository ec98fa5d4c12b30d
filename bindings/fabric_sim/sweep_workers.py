# SPDX-License-Identifier: GPL-2.0-only
"""Who runs a sweep: the cores of this machine, the workers of a Dask scheduler, or jobs of a batch system."""
import asyncio
import concurrent.futures
import logging
import os
import shlex
import shutil
import sys

from .sweep_code import SweepError, check_count
from .sweep_run import PACKAGES

BATCH_SYSTEMS = {"slurm": ("SLURMCluster", "sbatch"), "pbs": ("PBSCluster", "qsub")}  # what dask-jobqueue has, and what it calls
LONGEST_GREETING = 10  # seconds until a scheduler has to answer
JOB = {"cores": 1, "memory": "2GB"}  # of a job, if nobody says anything else


def client(stack, scheduler: str | None, workers: int | None, job: dict | None):
    """
    @param stack that ends what is started here
    @param scheduler address of one, a batch system, or None for this machine
    @param workers runs at once on this machine, or jobs of a batch system
    @param job what a job asks for, in dask-jobqueue's words
    @return a client of Dask
    """
    if workers is not None:
        check_count("workers", workers)
    if job and scheduler not in BATCH_SYSTEMS:
        raise SweepError(f"job={job}: this is for a batch system only; allowed as scheduler are then {', '.join(BATCH_SYSTEMS)}")
    made = _client(stack, scheduler, workers, job)
    # What Dask still waits for where it is closed would be told of at the end of the process.
    made.loop.asyncio_loop.set_exception_handler(lambda *_: None)
    return made


def _client(stack, scheduler, workers, job):
    """@return a client of Dask"""
    import distributed
    if scheduler is None:
        return stack.enter_context(distributed.Client(_this_machine(stack, workers)))
    if scheduler in BATCH_SYSTEMS:
        return stack.enter_context(distributed.Client(_jobs(stack, scheduler, workers or 1, job or {})))
    try:
        # The client would wait for ever for one that takes the connection and says nothing.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:  # as there may be a running event loop here, in a notebook
            thread.submit(asyncio.run, _greet(scheduler)).result()
        _quieten(stack)  # would tell at length of a scheduler that is lost
        return stack.enter_context(distributed.Client(scheduler, timeout=LONGEST_GREETING))
    except Exception as error:  # what something else says may be anything for Dask
        raise SweepError(f"{scheduler}: there is no Dask scheduler ({_reason(error)}); allowed is the address of one, such as tcp://HOST:8786, or "
                         f"{', '.join(BATCH_SYSTEMS)}") from None


def _quieten(stack):
    """Lets Dask say nothing: what concerns a sweep is said by it."""
    for name in ("distributed", "distributed.client"):
        log = logging.getLogger(name)
        stack.callback(log.setLevel, log.level)
        log.setLevel(logging.CRITICAL)


async def _greet(address):
    """Speaks to a scheduler, or raises what hinders."""
    from distributed.core import connect
    try:
        comm = await asyncio.wait_for(connect(address, timeout=LONGEST_GREETING), LONGEST_GREETING)
    except asyncio.TimeoutError:
        raise OSError(f"no answer in {LONGEST_GREETING} s") from None
    await comm.close()


def _this_machine(stack, workers):
    """@return a cluster in this process"""
    import distributed
    _quieten(stack)  # would tell of runs that are interrupted
    # A run is a process of its own, so a thread that waits for it is all that is needed.
    return stack.enter_context(distributed.LocalCluster(n_workers=1, threads_per_worker=workers or os.cpu_count(), processes=False,
                                                        dashboard_address="127.0.0.1:0"))


def _jobs(stack, system, count, job):
    """@return a cluster of as many jobs of a batch system, all of them submitted"""
    import dask.config
    try:
        import dask_jobqueue
    except ImportError:
        raise SweepError(f"{system}: dask-jobqueue is not installed; pip install dask-jobqueue brings it") from None
    kind, submit = BATCH_SYSTEMS[system]
    if not shutil.which(submit):
        raise SweepError(f"{system}: there is no {submit} on this machine; the sweep has to be started where jobs are submitted")
    stack.enter_context(dask.config.set({"logging.distributed": "error"}))
    configured = {name: dask.config.get(f"jobqueue.{system}.{name}", None) or value for name, value in JOB.items()}
    options = {**configured, "processes": 1, **job}
    options["scheduler_options"] = {"dashboard_address": ":0", **options.get("scheduler_options", {})}
    path = os.pathsep.join([str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])])  # not every batch system hands it on
    options["job_script_prologue"] = [f"export PYTHONPATH={shlex.quote(path)}", *options.get("job_script_prologue", [])]
    try:
        cluster = stack.enter_context(getattr(dask_jobqueue, kind)(**options))
        cluster.sync(_submit, cluster, count)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise SweepError(f"{system}: no job can be submitted ({_reason(error)})") from None
    cluster.adapt(minimum_jobs=count, maximum_jobs=count, interval="1s")  # a job that ends early is submitted again
    return cluster


async def _submit(cluster, count):
    """Submits jobs as scale() does, which would keep errors to itself."""
    from distributed.core import Status
    while len(cluster.worker_spec) < count:
        cluster.worker_spec.update(cluster.new_worker_spec())
    try:
        await cluster
    finally:
        for job in cluster.workers.values():
            if job.job_id is None:
                job.status = Status.failed  # there is nothing to close


def _reason(error):
    """@return what a command said on standard error, if an error is of one, in one line"""
    text = str(error)
    said = text.rpartition("stderr:\n")[2].strip() or text
    return " ".join(said.split())
