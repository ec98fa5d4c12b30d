# SPDX-License-Identifier: GPL-2.0-only
"""One run of a sweep, where Dask puts it: a process with a time limit, whose folder appears when it is complete."""
import contextlib
import dataclasses
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid

from .digests import Content, complaint_of_change
from .results import ResultError

STATE = "run.json"  # in the folder of a run, with its results beside it
RESULTS = "results"
OUTPUT = "output.txt"
SOURCES = "sources.json"  # in the folder of a version of the code: the files that it is
FUNCTION = [sys.executable, "-m", "fabric_sim.sweep_function"]  # how the command of a Python function begins
LAST_OUTPUT = 2000  # characters of what a run said that are kept in its state
DONE, FAILED, STOPPED = "done", "failed", "stopped"
STOPPING_TIME = 5  # seconds that a process has to end what it started
_under_way: set[subprocess.Popen] = set()  # processes of the runs that this process waits for
_interrupted = threading.Event()
_own = threading.local()  # the Server of a thread
PACKAGES = pathlib.Path(__file__).resolve().parent.parent


def read_state(folder):
    """@return how a run ended, None if it has not yet"""
    try:
        return json.loads((pathlib.Path(folder) / STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ResultError(f"{folder}/{STATE}: cannot be read ({error}); without this folder the run is repeated") from None


class Server:
    """A process that runs Python functions in copies of itself, one after the other (sweep_server)."""

    servers: "set[Server]" = set()

    def __init__(self, directory, environment):
        self.started = directory, environment
        self._process = subprocess.Popen([sys.executable, "-m", "fabric_sim.sweep_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         start_new_session=True, cwd=directory, env=environment)
        Server.servers.add(self)

    def ask(self, **told):
        """@param told what is run"""
        self._process.stdin.write(json.dumps(told).encode() + b"\n")
        self._process.stdin.flush()

    def answer(self, timeout=None):
        """@return the next number that it says, None if it has none in time; the negative of a signal where it was ended"""
        if not select.select([self._process.stdout], [], [], timeout)[0]:
            return None
        line = self._process.stdout.readline()
        return int(line) if line else -signal.SIGTERM

    def close(self):
        """Ends it."""
        Server.servers.discard(self)
        self._process.terminate()
        self._process.wait()
        self._process.stdin.close()  # and not stdout, which another thread may read


class Copy:
    """A run in a copy of a server, as subprocess.Popen."""

    def __init__(self, command, output, directory, environment):
        server = getattr(_own, "server", None)
        if server not in Server.servers or server.started != (directory, environment):
            if server in Server.servers:
                server.close()
            server = _own.server = Server(directory, environment)
        self._server = server
        server.ask(command=command, output=output, directory=directory or os.getcwd())
        self.pid = server.answer()
        if self.pid < 0:
            server.close()
            raise OSError("its process can't be started")
        self._code = None

    def wait(self, timeout=None):
        """@return the exit code"""
        if self._code is None:
            self._code = self._server.answer(timeout)
        if self._code is None:
            raise subprocess.TimeoutExpired("a function", timeout)
        return self._code


def wait_for(process, time_limit):
    """@return exit code of a process, None if it took too long and was killed with all that it started"""
    try:
        return process.wait(time_limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # mpirun alone knows the processes of its ranks
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOPPING_TIME)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


class Interrupted(Exception):
    """A run was ended from outside: nothing is known of it."""


@contextlib.contextmanager
def interruptible():
    """Where this is left, the runs that this process still waits for end; nothing is kept of them, so that they are repeated."""
    _interrupted.clear()
    try:
        yield
    finally:
        _interrupted.set()
        for process in list(_under_way):
            _end(process)
        for server in list(Server.servers):
            server.close()


def _end(process):
    """Ends a process with all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)


def keep_sources(folder, sources):
    """Notes the files that the code is."""
    (folder / SOURCES).write_text(json.dumps([dataclasses.asdict(content) for content in sources], indent=2), encoding="utf-8")


def read_sources(folder):
    """@return the files that the code of a folder is"""
    return [Content(**noted) for noted in json.loads((folder / SOURCES).read_text(encoding="utf-8"))]


def run_of_same_code(task, own):
    """@return how a run ended; it failed if the code or a file that it reads was changed meanwhile, so that nobody knows what ran"""
    contents = [*read_sources(own.parent), *task["inputs"]]
    changed = complaint_of_change(contents)
    state = {"exit_code": None, "wall_s": 0.0} if changed else run_process(task["command"], own, task["time_limit"], task["directory"])
    changed = changed or complaint_of_change(contents)
    return state | {"status": FAILED, "message": changed} if changed else state


def run_process(command, folder, time_limit, directory):
    """@return how a process ended, with what it said last"""
    begin = time.monotonic()
    paths = [str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    with open(folder / OUTPUT, "wb") as output:
        try:
            process = _started([*command, f"--out={folder / RESULTS}"], output, directory if os.path.isdir(directory) else None,
                               {**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
        except OSError as error:
            return {"status": FAILED, "exit_code": None, "wall_s": 0.0, "message": f"{command[0]}: cannot be run ({error})"}
        _under_way.add(process)
        if _interrupted.is_set():  # before the process was known
            _end(process)
        code = wait_for(process, time_limit)
        _under_way.remove(process)
        if _interrupted.is_set():
            raise Interrupted(f"{command[0]}: ended with the sweep")
    said = (folder / OUTPUT).read_text(encoding="utf-8", errors="replace")[-LAST_OUTPUT:].strip()
    state = {"exit_code": code, "wall_s": time.monotonic() - begin}
    if code is None:
        return state | {"status": STOPPED, "message": f"stopped after the time limit of {time_limit:g} s" + (f"; it said: {said}" if said else "")}
    if code == 0 and (folder / RESULTS / "summary.csv").exists():
        return state | {"status": DONE, "message": ""}
    return state | {"status": FAILED, "message": said or f"ended with exit code {code} and without results"}


def _started(command, output, directory, environment):
    """@return the process of a run"""
    if command[:3] == FUNCTION:
        return Copy(command, output.name, directory, environment)
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, cwd=directory, env=environment)


def execute(task):
    """
    @param task its folder, command, what it was asked for, the files that this names, the working directory, and the time limit
    @return how it ended
    """
    folder = pathlib.Path(task["folder"])
    if read_state(folder) is None:
        # Two that do the same work can't get into each other's way: who is first gives the folder its name.
        own = folder.parent / f".{folder.name}.{uuid.uuid4().hex}"
        own.mkdir(parents=True)
        keep_state(task, own, run_of_same_code(task, own))
    return read_state(folder)["status"]


def keep_state(task, own, state):
    """Gives the folder of a run that has ended its name, unless another has done the same work."""
    (own / STATE).write_text(json.dumps({**task["asked"], "command": task["command"], **state}, indent=2), encoding="utf-8")
    try:
        own.rename(task["folder"])
    except OSError:
        shutil.rmtree(own, ignore_errors=True)


def keep_failure(task, message):
    """A run failed without any process that could say so: its worker was killed again and again."""
    own = pathlib.Path(task["folder"]).parent / f".{uuid.uuid4().hex}.failure"
    own.mkdir()
    keep_state(task, own, {"status": FAILED, "exit_code": None, "wall_s": None, "message": message})
