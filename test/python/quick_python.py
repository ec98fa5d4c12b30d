# SPDX-License-Identifier: GPL-2.0-only
"""Runs Python scripts in copies of a process that has pandas and matplotlib loaded, since loading them takes longer than drawing.

`Python` is the server; its commands take a script and arguments as `python` does, in a process with its own environment, folder and
files. What the module itself consists of is loaded by each script anew, but for the headers of C++ with one of the commands.
"""
import contextlib
import functools
import json
import os
import pathlib
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile

BINDINGS = str(pathlib.Path(__file__).resolve().parents[2] / "bindings")
LONGEST = 120  # seconds that a script may take
CLIENT = """#!{python} -ISs
import json, os, socket, sys
if len(sys.argv) < 2 or not sys.argv[1].endswith(".py"):
    os.execv("{python}", ["{python}", *sys.argv[1:]])
server = socket.socket(socket.AF_UNIX)
server.connect("{path}")
told = json.dumps([os.getcwd(), sys.argv[1:], dict(os.environ), {with_headers}]).encode()
socket.send_fds(server, [len(told).to_bytes(8, "little")], [0, 1, 2])
server.sendall(told)
sys.exit(int.from_bytes(server.recv(1), "little"))
"""


def load_libraries():
    """Loads what takes long, also what is loaded only when something is drawn."""
    import matplotlib
    import pandas  # noqa: F401
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(layout="constrained")
    axes.plot([1, 2], label="a")
    axes.legend()
    figure.savefig(os.devnull, format="png")
    pyplot.close(figure)


@functools.cache
def read_headers():
    """Lets cppyy read the headers that a fabric needs, which takes longer than most simulations; the Python modules are forgotten again."""
    sys.path.insert(0, BINDINGS)
    with contextlib.suppress(ImportError):  # a script says itself what is missing
        from fabric_sim import ns
        ns.FatTreeHelper
    sys.path.remove(BINDINGS)
    for name in [name for name in sys.modules if name.partition(".")[0] == "fabric_sim"]:
        del sys.modules[name]


def run_script(files, folder, arguments, environment):
    """Becomes a process that runs a script, and ends."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    signal.alarm(LONGEST)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.realpath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")


def answer(connection):
    """Runs what a client asks for, and tells it the exit code."""
    size, files, *_ = socket.recv_fds(connection, 8, 3)
    *script, with_headers = json.loads(connection.recv(int.from_bytes(size, "little"), socket.MSG_WAITALL))
    if with_headers:
        read_headers()
    child = os.fork()
    if child == 0:
        run_script(files, *script)
        sys.exit()
    for file in files:
        os.close(file)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(BrokenPipeError):  # whoever waited too long has gone
        connection.sendall(bytes([code & 0xFF]))


def serve(path):
    """Answers clients until standard input ends."""
    load_libraries()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        connection, _ = listener.accept()
        with connection:
            answer(connection)


class Python:
    """A server, and the commands that ask it to run a script, also with headers that have been read."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self._folder.name) / "socket"
        self.command, self.command_with_headers = (self._write_client(path, with_headers) for with_headers in (False, True))
        self._server = subprocess.Popen([sys.executable, __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._server.stdout.readline() == b"ready\n"

    def _write_client(self, path, with_headers):
        command = pathlib.Path(self._folder.name) / ("python-with-headers" if with_headers else "python")
        command.write_text(CLIENT.format(python=sys.executable, path=path, with_headers=with_headers))
        command.chmod(0o755)
        return command

    def stop(self):
        """Ends the server, as the end of this process does."""
        self._server.communicate()
        self._folder.cleanup()


if __name__ == "__main__":
    serve(sys.argv[1])
