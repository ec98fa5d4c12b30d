# SPDX-License-Identifier: GPL-2.0-only
"""What a sweep runs: a program or a Python function, the parameters it has, and a mark of its code."""
import difflib
import inspect
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys

from . import digests, module_sources, results
from .graph_values import topology_or_none
from .sweep_run import FUNCTION
from .values import argument_text, is_plain, plain

FUNCTION_FILE = "function.pickle"
UNITS = {"a time": "s", "a rate": "bps", "a size": "B"}  # how --help says of what kind an option is, and its unit in a column's name
ATTRIBUTE_UNITS = {r"\+?[-\d.e]+[pnum]?s": "s", r"\d+bps": "bps"}  # of attributes, by how --PrintAttributes writes their defaults
OWN_COLUMNS = {"run", "metric", "value", "unit"}
OWN_OPTIONS = {"out", "force", "progress", "RngRun", "help", "mpi"}  # a sweep sets these by itself


class SweepError(results.ResultError):
    """Bad input of a sweep: one sentence."""


def check_count(name: str, value: object) -> None:
    """Refuses what is no whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SweepError(f"{name}={value}: allowed is a whole number from 1")


def checked_grid(parameters) -> dict[str, list]:
    """@return the values of each parameter, which have to be such as fit into a table"""
    if not isinstance(parameters, dict) or not parameters:
        raise SweepError("the sweep has no parameters; a dictionary with the values of each is needed")
    grid = {}
    for name, values in parameters.items():
        if not isinstance(name, str):
            raise SweepError(f"{name}: allowed as the name of a parameter is a text")
        if name in OWN_COLUMNS:
            raise SweepError(f"{name}: the table has a column of this name by itself; another name is needed")
        values = plain(values)
        grid[name] = [plain(value) for value in values] if isinstance(values, (list, tuple, range)) else [values]
        if not grid[name]:
            raise SweepError(f"{name}: the list is empty, so there is nothing to run")
        for value in grid[name]:
            if not is_plain(value):
                raise SweepError(f"{name}={value}: allowed are numbers, texts, True, False and lists of them")
    return grid


def with_files(parameters, folder: pathlib.Path):
    """@return parameters whose graphs of networkx are files in a folder, by names that tell their contents"""
    if not isinstance(parameters, dict):
        return parameters

    def as_file(value):
        topology = topology_or_none(value, SweepError)
        return topology.kept_in(folder) if topology else value

    return {name: [as_file(value) for value in values] if isinstance(values, (list, tuple)) else as_file(values) for name, values in parameters.items()}


def files_named(value) -> dict[str, digests.Content]:
    """@return the files that the value of a parameter names, by its words; a text may name several, with commas between them"""
    if isinstance(value, (list, tuple)):
        return {name: file for part in value for name, file in files_named(part).items()}
    names = [name for name in (value, *value.split(",")) if os.path.isfile(name)] if isinstance(value, str) else []
    try:
        return {name: digests.content_of(name) for name in names}
    except OSError as error:
        raise SweepError(f"{value}: this file cannot be read ({error.strerror})") from None


def without_lists(values: dict) -> dict:
    """@return values of parameters that fit into a column"""
    return {name: argument_text(value) if isinstance(value, (list, tuple)) else value for name, value in values.items()}


class Program:
    """A program of the module, or any that takes --NAME=VALUE, --RngRun and --out and writes summary.csv there."""

    def __init__(self, program):
        found = shutil.which(str(program))
        if not found:
            raise SweepError(f"{program}: there is no such program; utils/build.sh builds those of the module in build/bin")
        self.path = pathlib.Path(found).resolve()
        self.name = self.path.name
        self._start = [str(self.path)]
        self.sources = [digests.content_of(path) for path in (self.path, *module_sources.libraries_of(self.path))]
        self.code = digests.code_of(self.sources)
        self._units = self._options()

    def _options(self):
        """@return the units of the options that --help lists, "" for those without"""
        text = self._ask("--help")
        self._tells_attributes = "--PrintAttributes" in text
        lines = re.findall(r"^ +--(\w+): +(.*)$", text.partition("\nGeneral Arguments:")[0], re.M)  # those are ns-3's, which print and end
        return {name: next((unit for kind, unit in UNITS.items() if f"({kind} " in text), "") for name, text in lines}

    def _ask(self, option):
        """@return what the program prints"""
        try:
            return subprocess.run([self.path, option], capture_output=True, text=True, check=False, timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SweepError(f"{self.path}: cannot be run ({error})") from None

    def _check_attribute(self, name):
        """Refuses an attribute that there is not, and notes its unit."""
        kind = name.rpartition("::")[0]
        listed = dict(re.findall(r"^ +--(\S+)=\[(.*)\]$", self._ask(f"--PrintAttributes={kind}"), re.M))
        if not listed:
            raise SweepError(f"{self.name} knows no type {kind} with attributes; {self.name} --PrintTypeIds lists all types")
        if name not in listed:
            alike = difflib.get_close_matches(name, listed, 3, 0)
            raise SweepError(f"{self.name} has no attribute {name}; the names most like it are {', '.join(alike)}, and --PrintAttributes={kind} lists all")
        self._units[name] = next((unit for text, unit in ATTRIBUTE_UNITS.items() if re.fullmatch(text, listed[name])), "")

    def check(self, names):
        """Refuses parameters that are neither options nor attributes of the program."""
        for name in names:
            if name in OWN_OPTIONS:
                raise SweepError(f"{name}: the sweep sets --{name} by itself; allowed are the other options of {self.name}")
            if "::" not in name and name not in self._units:
                allowed = sorted(name for name in set(self._units) - OWN_OPTIONS if "::" not in name)
                raise SweepError(f"{self.name} has no option --{name}; allowed are {', '.join(allowed)} and attributes (ns3::TYPE::ATTRIBUTE)")
            if "::" in name and self._tells_attributes:
                self._check_attribute(name)

    def on_ranks(self, ranks):
        """Each run is one of several ranks of MPI, which ns-3's distributed simulator divides it among."""
        if "mpi" not in self._units:
            raise SweepError(f"ranks={ranks}: {self.name} has no option --mpi; allowed is 1")
        mpirun = shutil.which("mpirun")
        if not mpirun:
            raise SweepError(f"ranks={ranks}: there is no mpirun on this machine; allowed is 1")
        self._start = [mpirun, "-np", str(ranks), str(self.path), "--mpi"]

    def column(self, name):
        """@return the name of a parameter's column, with its unit"""
        unit = self._units.get(name)
        return f"{name}_{unit}" if unit else name

    def prepare(self, folder):
        """Nothing is needed beside the program."""

    def command(self, folder, parameters, seed):
        """@return the command line of a run, without where its results go"""
        return [*self._start, *(f"--{name}={argument_text(value)}" for name, value in parameters.items()), f"--RngRun={seed}"]

    @staticmethod
    def values(folder, parameters):
        """@return the parameters as the run understood them: numbers in s, B and bit/s"""
        if not (folder / "manifest.json").exists():  # a program of somebody else
            return without_lists(parameters)
        manifest = results.read_manifest(folder, "a program")
        known = {**manifest.get("attributes", {}), **manifest.get("options", {})}
        return without_lists({name: known.get(name, value) for name, value in parameters.items()})


class Function:
    """A Python function that gets the parameters and `seed` by name, and returns figures: {"goodput": 1e9} or rows of a summary."""

    def __init__(self, function):
        self._function = function
        self.name = getattr(function, "__qualname__", "function")
        if not hasattr(inspect.unwrap(function), "__code__"):
            raise SweepError(f"{self.name}: its code is not known; allowed is a function that is written in Python")
        import cloudpickle
        from . import function_digest
        try:
            self._pickled = cloudpickle.dumps(function)
            self.code, self.sources = function_digest.digest_of(function)
        except Exception as error:  # whatever the objects that the function uses say
            raise SweepError(f"{self.name}: it can't be given to other processes ({error}); allowed is a function whose variables can be copied") from None

    def on_ranks(self, ranks):
        """Python and MPI can't be in one process of ns-3."""
        raise SweepError(f"ranks={ranks}: allowed is 1 for a Python function, or a program")

    def check(self, names):
        """Refuses parameters that the function does not take."""
        if "seed" in names:
            raise SweepError("seed: the sweep sets it by itself; repetitions says how many there are")
        try:
            inspect.signature(self._function).bind(**dict.fromkeys([*names, "seed"]))
        except TypeError as error:
            raise SweepError(f"{self.name}: {error}; it is called with {', '.join(names)} and seed") from None

    @staticmethod
    def column(name):
        """@return the name of a parameter's column, which says its unit if its author wants it to"""
        return name

    def prepare(self, folder):
        """Keeps the function for the processes that run it, and where modules are that it imports."""
        (folder / FUNCTION_FILE).write_bytes(pickle.dumps(([os.path.abspath(path) for path in map(str, sys.path)], self._pickled)))

    @staticmethod
    def command(folder, parameters, seed):
        """@return the command line of a run, without where its results go"""
        return [*FUNCTION, str(folder / FUNCTION_FILE), json.dumps({**parameters, "seed": seed})]

    @staticmethod
    def values(folder, parameters):
        """@return the parameters"""
        return without_lists(parameters)
