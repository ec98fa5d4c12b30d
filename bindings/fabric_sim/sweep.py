# SPDX-License-Identifier: GPL-2.0-only
"""
Sweeps: a program or a Python function over a grid of parameters and seeds, in parallel, resumed after an interruption, ending in one
tidy table.

    sweep = Sweep("build/bin/fabric-incast", {"k": [4, 8], "flowChannels": [True, False]}, repetitions=5, folder="results/incast")
    sweep.run()
    sweep.table()       # a row for each figure of each run
    sweep.summary()     # median, range and confidence interval over the seeds

Results of different code are kept apart: FOLDER/CODE/RUN/, where CODE is a digest of the program or function and of the module's library; and
RUN is one of the parameters and of the files that they name.
"""
import contextlib
import fcntl
import itertools
import json
import math
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas

from . import figures, results, sweep_workers
from .digests import complaint_of_change, short_digest
from .sweep_code import Function, Program, SweepError, check_count, checked_grid, files_named, with_files
from .sweep_run import DONE, RESULTS, execute, interruptible, keep_failure, keep_sources, read_state
from .values import argument_text

DECLARATION = "sweep.json"
LOCK = ".lock"
UNITS = {"_s": "s", "_bps": "bit/s", "bytes": "B"}  # by how the name of a column ends
GRAPHS = "graphs"  # folder of files of graphs that parameters are


class Sweep:
    """Grids of parameters, seeds, the code that runs it, and the folder of its results."""

    def __init__(self, code: str | os.PathLike | Callable, parameters: dict[str, Any] | Sequence[dict[str, Any]], repetitions: int = 1,
                 folder: str | os.PathLike = "results/sweep", time_limit: float = 3600, ranks: int = 1) -> None:
        """
        @param code a program, by its path, or a Python function that takes the parameters and `seed` by name
        @param parameters one value or a list of values for each, or a list of such dictionaries, whose grids are run one after the other; a
            graph of networkx becomes a file in the folder of results, whose path is the value that the code gets and the table has
        @param repetitions runs of each point of the grid, with the seeds 1, 2, ...
        @param folder where results are kept
        @param time_limit of a run, s
        @param ranks processes of MPI that share each run (`mpirun -np`), for large ones; results are the same with any number
        """
        self.code: Function | Program = Function(code) if callable(code) else Program(code)
        if not isinstance(folder, (str, os.PathLike)):
            raise SweepError(f"folder={folder}: allowed is the path of a folder")
        grids = parameters if isinstance(parameters, (list, tuple)) and parameters else [parameters]
        self.grids = [checked_grid(with_files(grid, pathlib.Path(folder) / GRAPHS)) for grid in grids]
        for grid in self.grids:
            self.code.check(list(grid))
        check_count("repetitions", repetitions)
        check_count("ranks", ranks)
        if ranks > 1:
            self.code.on_ranks(ranks)
        if not isinstance(time_limit, (int, float)) or not time_limit > 0:
            raise SweepError(f"time_limit={time_limit}: allowed is a number of seconds above 0")
        self.repetitions = repetitions
        self.time_limit = time_limit
        self.ranks = ranks
        self.root = pathlib.Path(folder).absolute()
        self.folder = self.root / self.code.code
        self._directory = os.getcwd()
        self._inputs = {argument_text(value): files_named(value) for grid in self.grids for values in grid.values() for value in values}

    def tasks(self) -> list[dict]:
        """@return what there is to run, in the order of the grid: the seeds of a point one after the other"""
        tasks: dict[pathlib.Path, dict] = {}
        for parameters in (dict(zip(grid, values)) for grid in self.grids for values in itertools.product(*grid.values())):
            for seed in range(1, self.repetitions + 1):
                asked = {"parameters": parameters, "seed": seed}
                inputs = [(name, word, file) for name in sorted(parameters) for word, file in self._inputs[argument_text(parameters[name])].items()]
                key = [sorted((name, argument_text(value)) for name, value in parameters.items()), seed]
                if inputs:
                    key.append([(name, word, file.digest) for name, word, file in inputs])
                folder = self.folder / short_digest(json.dumps(key).encode())
                tasks.setdefault(folder, {"folder": str(folder), "asked": asked, "time_limit": self.time_limit, "directory": self._directory,
                                          "inputs": [file for *_, file in inputs], "command": self.code.command(self.folder, parameters, seed)})
        return list(tasks.values())

    def run(self, scheduler: str | None = None, workers: int | None = None, progress: bool | None = None,
            again: bool = False, job: dict | None = None) -> pandas.DataFrame:
        """
        Runs what has not been run yet; runs that failed are not tried again unless that is asked for.

        @param scheduler address of a Dask scheduler, or a batch system (slurm, pbs), whose workers see the same folders; without one the
            cores of this machine are used
        @param workers how many run at once on this machine, one for each core (divided by ranks) if not given; or how many jobs of a batch system, 1 if not given
        @param progress whether it is shown; without it, if standard error is a terminal
        @param again whether runs that failed or took too long are repeated
        @param job what a job of a batch system asks for, in dask-jobqueue's words: {"queue": "normal", "walltime": "01:00:00", "cores": 8}
        @return states()
        """
        changed = complaint_of_change([*self.code.sources, *(file for files in self._inputs.values() for file in files.values())])
        if changed:
            raise SweepError(changed)
        with self._locked():
            self._declare()
            for leftover in self.folder.glob(".*.*"):  # of runs that were interrupted
                shutil.rmtree(leftover, ignore_errors=True)
            tasks = self.tasks()
            if self.ranks > 1 and not scheduler:
                workers = workers or max(1, (os.cpu_count() or 1) // self.ranks)
            if again:
                for task in tasks:
                    if (read_state(task["folder"]) or {}).get("status", DONE) != DONE:
                        shutil.rmtree(task["folder"])
            to_do = [task for task in tasks if read_state(task["folder"]) is None]
            if to_do:
                with contextlib.ExitStack() as stack:
                    client = sweep_workers.client(stack, scheduler, workers, job)
                    stack.enter_context(interruptible())
                    _run_tasks(client, to_do, len(tasks), sys.stderr.isatty() if progress is None else progress)
            self.table().to_parquet(self.folder / "table.parquet", index=False)
        return self.states()

    def states(self) -> pandas.DataFrame:
        """@return a row for each run: its parameters and seed, status (done, failed, stopped or missing), seconds, message, folder"""
        rows = []
        for task in self.tasks():
            state = read_state(task["folder"]) or {"status": "missing", "message": ""}
            rows.append({**task["asked"]["parameters"], "seed": task["asked"]["seed"], "status": state["status"],
                         "wall_s": state.get("wall_s"), "message": state["message"], "folder": task["folder"]})
        return pandas.DataFrame(rows)

    def table(self) -> pandas.DataFrame:
        """@return a row for each figure of each run that is done: run, parameters with their units, seed, metric, its keys, value, unit; a parameter that
        a run's grid does not have is an empty text, or missing among numbers"""
        return self._rows("summary.csv", ["metric", "value", "unit"], lambda rows: rows.assign(**{key: rows[key].astype(str) for key in rows if key != "value"}))

    def column(self, name: str, column: str, keys: Sequence[str] = ()) -> pandas.DataFrame:
        """
        @param name of a file of the runs, such as "jobs.csv"
        @param column of numbers that it has, such as "time_s", which is the metric
        @param keys columns that tell its rows apart, such as ["job"]
        @return its values in the form of table(), for figures.over_seeds() and the plots
        """
        unit = next((unit for ending, unit in UNITS.items() if column.endswith(ending)), "1")
        return self._rows(name, [column, *keys], lambda rows: rows[[*keys]].assign(metric=column, value=rows[column], unit=unit).dropna(subset=["value"]))

    def _rows(self, name, needed, as_figures):
        """
        @param name of a file of the runs
        @param needed columns of it
        @param as_figures gives them metric, value and unit
        @return rows of the file of each run that is done, with its parameters and seed
        """
        tables = []
        parameters = dict.fromkeys(parameter for grid in self.grids for parameter in grid)
        for task, values in self._done():
            folder = pathlib.Path(task["folder"])
            rows = as_figures(results.read_csv(folder / RESULTS / name, needed))
            columns = {"run": folder.name, **{self.code.column(parameter): values.get(parameter, math.nan) for parameter in parameters}, "seed": task["asked"]["seed"]}
            clash = [name for name in columns if name in rows]
            if clash:
                raise SweepError(f"{folder / RESULTS / name}: there is a column {clash[0]}, which is a parameter of the sweep as well")
            keys = [key for key in rows if key not in ("metric", "value", "unit")]
            tables.append(rows.assign(**columns)[[*columns, "metric", *keys, "value", "unit"]])
        return _joined(tables)

    def summary(self) -> pandas.DataFrame:
        """@return figures.over_seeds() of the table"""
        return figures.over_seeds(self.table())

    def _done(self):
        """@return task and parameters of each run that is done; what was asked for in two words, such as "64KiB" and 65536, counts once"""
        found = {}
        for task in self.tasks():
            folder = pathlib.Path(task["folder"])
            if (read_state(folder) or {}).get("status") == DONE:
                values = self.code.values(folder / RESULTS, task["asked"]["parameters"])
                found.setdefault(repr((values, task["asked"]["seed"])), (task, values))
        return list(found.values())

    def run_folders(self) -> list[pathlib.Path]:
        """@return the results of the runs that are done, as the programs wrote them, for read_run() and the plots"""
        return [pathlib.Path(task["folder"]) / RESULTS for task, _ in self._done()]

    def files(self, name: str, columns: Iterable[str] = ()) -> dict[str, list[pandas.DataFrame]]:
        """
        @param name of a file of the runs, such as "messages.csv"
        @param columns that it must have
        @return the tables of all seeds by what sets the runs apart, for the plots
        """
        done = self._done()
        runs = [results.read_run(pathlib.Path(task["folder"]) / RESULTS, self.code.name) for task, _ in done]
        groups = results.by_parameters(runs, [values for _, values in done])
        return {label: [run.table(name, columns) for run in group] for label, group in groups.items()}

    @contextlib.contextmanager
    def _locked(self):
        """Keeps a second sweep out of the folder; a killed one leaves nothing locked."""
        with contextlib.ExitStack() as stack:
            try:
                self._check_folder()
                self.root.mkdir(parents=True, exist_ok=True)
                lock = stack.enter_context(open(self.root / LOCK, "w", encoding="utf-8"))
            except OSError as error:
                raise SweepError(f"{self.root}: results can't be kept in this folder ({error.strerror})") from None
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise SweepError(f"{self.root}: another sweep runs in this folder") from None
            yield

    def _check_folder(self):
        """Refuses a folder of something else."""
        declared = self.root / DECLARATION
        if not declared.exists():
            if self.root.exists() and any(entry.name not in (LOCK, GRAPHS) for entry in self.root.iterdir()):
                raise SweepError(f"{self.root}: the folder holds something else than a sweep; allowed is a new one or that of a sweep")
            return
        try:
            other = json.loads(declared.read_text(encoding="utf-8"))["program"]
        except (KeyError, TypeError, ValueError) as error:
            raise SweepError(f"{declared}: cannot be read ({error})") from None
        if other != self.code.name:
            raise SweepError(f"{self.root}: the folder holds a sweep of {other}; one of {self.code.name} needs another folder")

    def _declare(self):
        """Says for people, and for the next sweep in this folder, what is kept here."""
        self.folder.mkdir(exist_ok=True)
        self.code.prepare(self.folder)
        keep_sources(self.folder, self.code.sources)
        declared = {"program": self.code.name, "parameters": self.grids if len(self.grids) > 1 else self.grids[0], "repetitions": self.repetitions, "code": self.code.code}
        temporary = self.root / f".{DECLARATION}"
        temporary.write_text(json.dumps(declared, indent=2), encoding="utf-8")
        temporary.rename(self.root / DECLARATION)


def _joined(tables):
    """@return tables of runs as one: what a key does not apply to is an empty text"""
    if not tables:
        return pandas.DataFrame(columns=["run", "seed", "metric", "value", "unit"])
    table = pandas.concat(tables, ignore_index=True)
    first = list(tables[0].columns[:list(tables[0].columns).index("metric") + 1])
    keys = sorted(set(table.columns) - set(first) - {"value", "unit"})
    texts = [name for name in first if table[name].dtype == object and table[name].dropna().map(type).eq(str).all()]
    table[keys + texts] = table[keys + texts].fillna("")
    return table[[*first, *keys, "value", "unit"]]


def _run_tasks(client, tasks, total, show):
    """Gives tasks to Dask and waits for them; a task whose workers were killed counts as failed."""
    import distributed
    from tqdm import tqdm
    futures = dict(zip(client.map(execute, tasks, pure=False), tasks))
    with tqdm(total=total, initial=total - len(tasks), disable=not show, unit="run") as bar:
        failed = 0
        for future in distributed.as_completed(list(futures)):
            if future.status not in ("finished", "error"):  # nothing is known of it, and it may still run
                raise SweepError(f"the scheduler is lost, with {bar.n} of {total} runs that have ended; the sweep goes on where it stopped when it is run again")
            if future.status == "error":
                keep_failure(futures[future], str(future.exception()))
            failed += (read_state(futures[future]["folder"]) or {}).get("status") != DONE  # not from a scheduler that may be gone
            bar.set_postfix(failed=failed)
            bar.update()


def read_table(folder: str | os.PathLike, code: str | None = None) -> pandas.DataFrame:
    """
    @param folder of a sweep
    @param code which version of the code, if it holds results of several
    @return the table of the sweep, as its last run left it
    """
    folder = pathlib.Path(folder)
    versions = sorted(table.parent.name for table in folder.glob("*/table.parquet"))
    if not versions:
        raise SweepError(f"{folder}: there are no results of a sweep that has ended")
    if code is None and len(versions) > 1:
        raise SweepError(f"{folder}: there are results of {len(versions)} versions of the code, {', '.join(versions)}; say which one is wanted")
    if code is not None and code not in versions:
        raise SweepError(f"{folder}: there are no results of version {code}; allowed is {', '.join(versions)}")
    path = folder / (code or versions[0]) / "table.parquet"
    try:
        return pandas.read_parquet(path)
    except (OSError, ValueError) as error:
        raise SweepError(f"{path}: cannot be read ({error})") from None
