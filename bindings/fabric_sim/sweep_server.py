# SPDX-License-Identifier: GPL-2.0-only
"""
Runs Python functions of a sweep one after the other, each in a copy of this process. What the first one has loaded of the package, which takes
cppyy seconds, this process loads for the copies that follow; it runs no simulation itself, so that each begins as in a fresh process.

Reads a line of JSON for each run: command, output, and directory; answers with the number of the process, and with its exit code at its end.
"""
import atexit
import contextlib
import importlib
import json
import os
import sys
import threading
import traceback
import warnings

from . import sweep_function

KEPT = ("fabric_sim", "numpy", "pandas", "networkx")  # packages that are loaded for the runs that follow
BUILD = "FABRIC_BUILD"  # in the environment: which library is loaded


def _run(told, loaded):
    """Runs a function in this copy, which ends. @param loaded pipe to which it writes what it has loaded"""
    code, build = 1, os.environ.get(BUILD)
    try:
        os.setpgid(0, 0)
        os.chdir(told["directory"])
        output = os.open(told["output"], os.O_WRONLY | os.O_APPEND)
        os.dup2(output, 1)
        os.dup2(output, 2)
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed()  # as a fresh process has it; Python's own `random` does so by itself
        sys.argv = told["command"][2:]
        sweep_function.main()
        code = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    if os.environ.get(BUILD) == build:
        os.write(loaded, " ".join(name for name in sys.modules if name in KEPT or name.startswith("fabric_sim.")).encode())
    with contextlib.suppress(BaseException):
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def main() -> None:
    """Serves until nobody asks any more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # of copies of a process with threads, which are those of libraries and wait
    for line in requests:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            _run(json.loads(line), write)
        os.close(write)
        with contextlib.suppress(OSError):  # it has done so itself, and may have ended
            os.setpgid(pid, pid)
        print(pid, file=answers, flush=True)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(code, file=answers, flush=True)
        os.set_blocking(read, False)
        with contextlib.suppress(OSError), os.fdopen(read, "rb") as loaded:
            for name in (loaded.read() or b"").decode().split():
                with contextlib.suppress(Exception):  # the run that needs it says so
                    importlib.import_module(name)


if __name__ == "__main__":
    main()
