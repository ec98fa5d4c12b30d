# SPDX-License-Identifier: GPL-2.0-only
"""PY-2: results of other code or of other input files never get into the table of a sweep."""
import importlib
import os
import pathlib
import subprocess
import sys

import pytest

from fabric_sim import module_sources
from fabric_sim.function_digest import digest_of
from fabric_sim.sweep import Sweep, SweepError
from programs import ROOT

SCRIPT = """
import dataclasses, enum, functools, math, re, statistics
RATE = 1
NAMES = {"leaf", "spine", "core", "group"}
TABLE = {"b": 1, "a": 2}
class Kind(enum.Enum):
    FIRST = 1
class Base:
    def twice(self, value): return 2 * value
@dataclasses.dataclass
class Plan(Base):
    links: int = 4
    notes: list = dataclasses.field(default_factory=list)
PLAN = Plan()
def inner(value): return value + 1
def helper(value): return inner(value) * math.pi
cut = functools.partial(min, 9)
def make(n):
    def scaled(size, seed): return {"x": n * size}
    return scaled
def function(size, seed, more=1):
    "What it is."
    named = {"x", "y", "z"}
    def within(): return RATE
    return {"x": helper(size) + within() + len(NAMES) + TABLE["a"] + PLAN.twice(PLAN.links) + Kind.FIRST.value + cut(size) + (size in {"p", "q", "r"})}
"""


def defined(text=SCRIPT):
    """@return what a script that is run defines"""
    names = {"__name__": "__main__"}
    exec(compile(text, "script.py", "exec", dont_inherit=True), names)
    return names


def code_of(text=SCRIPT, name="function"):
    names = defined(text)
    kept = dict(vars(sys.modules["__main__"]))
    vars(sys.modules["__main__"]).update(names)  # as where the script is run; classes look there for their modules
    try:
        return digest_of(names[name])[0]
    finally:
        vars(sys.modules["__main__"]).clear()
        vars(sys.modules["__main__"]).update(kept)


@pytest.mark.parametrize("before, after", [
    ("RATE = 1", "RATE = 2"), ("value + 1", "value + 2"), ("* math.pi", "* math.e"), ('"a": 2', '"a": 3'), ('"core"', '"cores"'), ("FIRST = 1", "FIRST = 7"),
    ("links: int = 4", "links: int = 5"), ("2 * value", "3 * value"), ("PLAN = Plan()", "PLAN = Plan(9)"), ("min, 9", "min, 8"), ("partial(min", "partial(max"),
    ("more=1", "more=2"), ("return RATE", "return -RATE"), ('"r"}', '"s"}'), ("RATE = 1", "RATE = True"), ("RATE = 1", "RATE = 1.0"),
    ("RATE = 1", "import random as RATE"),
])
def test_py2_what_a_function_uses_is_part_of_its_code(before, after):
    assert before in SCRIPT
    assert code_of(SCRIPT.replace(before, after)) != code_of()


@pytest.mark.parametrize("before, after", [
    ("RATE = 1", "# A comment.\n\nRATE = 1"), ("value + 1", "(value + 1)  # or more"), ("def make(n):", "UNUSED = 3\ndef make(n):"), ("", "")])
def test_py2_what_it_does_not_use_is_none_of_it(before, after):
    assert code_of(SCRIPT.replace(before, after, 1)) == code_of()


def test_py2_closures_are_told_apart():
    make = defined()["make"]
    assert digest_of(make(1))[0] == digest_of(make(1))[0] != digest_of(make(10))[0]


def test_py2_things_that_refer_to_each_other_have_a_digest():
    names = defined("def even(n): return n == 0 or odd(n - 1)\ndef odd(n): return n > 0 and even(n - 1)\n"
                    "loop = []\nloop.append(loop)\ndef function(size, seed): return {'x': even(size) + len(loop)}")
    assert digest_of(names["function"])[0] == digest_of(names["function"])[0]


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """@return a folder that modules are imported from"""
    monkeypatch.syspath_prepend(str(tmp_path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


USING = {
    "as a module": "import own_rates\ndef function(size, seed): return {'x': own_rates.rate(size)}",
    "by its name": "from own_rates import rate\ndef function(size, seed): return {'x': rate(size)}",
    "within the function": "def function(size, seed):\n    import own_rates\n    return {'x': own_rates.rate(size)}",
    "by a class": "from own_rates import Rates\nclass Mine(Rates): pass\ndef function(size, seed): return {'x': Mine().rate(size)}",
    "by an object": "from own_rates import Rates\nrates = Rates()\ndef function(size, seed): return {'x': rates.rate(size)}",
}


@pytest.mark.parametrize("text", USING.values(), ids=USING)
def test_py2_a_module_beside_the_script_is_part_of_the_code_with_all_that_it_imports(beside, text):
    (beside / "own_rates.py").write_text("import own_package.deep\ndef rate(size): return own_package.deep.RATE * size\nclass Rates:\n    rate = staticmethod(rate)\n")
    (beside / "own_package").mkdir()
    (beside / "own_package/__init__.py").write_text("")
    (beside / "own_package/deep.py").write_text("RATE = 1\n")
    importlib.invalidate_caches()
    first = code_of(text)
    assert code_of(text) == first
    (beside / "own_package/deep.py").write_text("RATE = 2\n")
    second = code_of(text)
    (beside / "own_rates.py").write_text((beside / "own_rates.py").read_text() + "# changed\n")
    assert len({first, second, code_of(text)}) == 3


def test_py2_the_simulator_and_versions_of_packages_are_part_of_the_code(tmp_path, monkeypatch):
    text = "import pandas\ndef function(size, seed): return {'x': len(pandas.DataFrame())}"
    found = [code_of(text)]
    libraries = module_sources.simulator_files()
    assert any(path.name.startswith("libfabric-sim") for path in libraries) and any(path.name == "run.py" for path in libraries)
    (tmp_path / "libfabric-sim.so").write_text("other")
    monkeypatch.setattr(module_sources, "simulator_files", lambda: [*libraries, tmp_path / "libfabric-sim.so"])
    found.append(code_of(text))
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.0" if name == "numpy" else version(name))  # which pandas needs
    found.append(code_of(text))
    assert len(set(found)) == 3
    assert code_of("def function(size, seed): return {'x': size}") == code_of("def function(size, seed): return {'x': size}")


PRINTED = """
import sys
sys.path.insert(0, {bindings!r})
{script}
class Odd:
    def __init__(self): self.names = {{"a", "b", "c"}}
    def __reduce__(self): return Odd, ()
odd = Odd()
def swept(size, seed): return function(size, seed), odd
if __name__ == "__main__":
    from fabric_sim.function_digest import digest_of
    print(digest_of(swept)[0])
"""


def test_py2_the_code_is_the_same_in_each_process(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PRINTED.format(bindings=str(ROOT / "bindings"), script=SCRIPT))
    found = {subprocess.run([sys.executable, script], check=True, capture_output=True, text=True, timeout=120,
                            env={**os.environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(found) == 1 and len(found.pop().strip()) == 12


SWEEP = """
import sys
import own_rates
from fabric_sim.sweep import Sweep
from own_rates import rate
sweep = Sweep(rate if "imported" in sys.argv else lambda size, seed: own_rates.rate(size, seed), {"size": 3}, folder=sys.argv[1])
print(*sweep.run()["message"])
print(*sweep.table()["value"])
"""


@pytest.mark.parametrize("way", ["imported", "named"])
def test_py2_a_function_imports_what_stands_beside_its_script(tmp_path, way):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "scripts/own_rates.py").write_text("def rate(size, seed): return {'x': 5 * size}\n")
    (tmp_path / "scripts/run.py").write_text(SWEEP)
    done = subprocess.run([sys.executable, "../scripts/run.py", tmp_path / "sweep", way], cwd=tmp_path / "elsewhere", capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")})
    assert (done.returncode, done.stdout) == (0, "\n15\n")


PROGRAM = """#!/bin/sh
for argument in "$@"; do case $argument in
    --help) echo "    --flows:   a file [x]"; exit 0;;
    --flows=*) flows=${argument#*=};;
    --out=*) out=${argument#*=};;
esac; done
mkdir "$out" && printf 'metric,value,unit\\nwords,%s,1\\n' $(cat $(echo $flows | tr , ' ') | wc -w) > "$out/summary.csv"
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.sh"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return path


def words_of(flows, seed):
    names = flows if isinstance(flows, list) else [flows]
    return {"words": sum(len(pathlib.Path(name).read_text().split()) for name in names)}


@pytest.mark.parametrize("kind", ["program", "function"])
def test_py2_a_changed_input_file_is_another_run(program, tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("flows.txt").write_text("one two\n")
    pathlib.Path("more.txt").write_text("three\n")

    def sweep(flows):
        return Sweep(program if kind == "program" else words_of, {"flows": flows}, folder=tmp_path / "sweep")

    def values(flows):
        made = sweep(flows)
        made.run(progress=False)
        assert list(made.states()["status"]) == ["done"] * len(made.tasks())
        return list(made.table()["value"])
    several = [["flows.txt", "more.txt"]]
    assert values("flows.txt") == [2] and values(several) == [3]
    made = sweep("flows.txt")
    pathlib.Path("flows.txt").write_text("one two three four\n")
    with pytest.raises(SweepError, match="flows.txt: the file is not what it was when the sweep was made"):
        made.run()
    assert list(made.table()["value"]) == [2]  # its results are of the file as it was
    assert list(sweep("flows.txt").states()["status"]) == ["missing"]
    assert values(str(tmp_path / "flows.txt")) == [4] and values("flows.txt") == [4] and values(several) == [5]
    pathlib.Path("flows.txt").write_text("one two\n")
    assert list(sweep("flows.txt").states()["status"]) == ["done"] and values("flows.txt") == [2]


def test_py2_a_file_counts_by_the_parameter_that_names_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = set()
    for name in ("p.txt", "q.txt"):
        pathlib.Path(name).write_text("the same")
        (task,) = Sweep(lambda a, b, seed: {"x": seed}, {"a": "p.txt", "b": "q.txt"}, folder=tmp_path / "sweep").tasks()
        found.add(pathlib.Path(task["folder"]).name)
        pathlib.Path(name).unlink()
    assert len(found) == 2


def test_py2_runs_without_files_keep_the_folders_that_they_had(program, tmp_path):
    made = Sweep(program, {"flows": ["a", "b"]}, folder=tmp_path / "sweep")
    assert [pathlib.Path(task["folder"]).name for task in made.tasks()] == ["195fc962d2ca", "c994df1288a2"]


def test_py2_code_and_files_that_change_while_a_sweep_runs_fail_its_runs(program, tmp_path):
    def grows(flows, seed):
        with open(flows, "a", encoding="utf-8") as file:
            file.write("more ")
        return {"x": seed}
    flows = tmp_path / "flows.txt"
    flows.write_text("one")
    states = Sweep(grows, {"flows": str(flows)}, repetitions=2, folder=tmp_path / "sweep").run(workers=1, progress=False)
    assert list(states["status"]) == ["failed", "failed"]
    assert all(f"{flows}: the file is not what it was when the sweep was made" in message for message in states["message"])
    program.write_text(PROGRAM.replace("mkdir", 'echo "# changed" >> "$0"; mkdir'))
    states = Sweep(program, {"flows": str(flows)}, repetitions=2, folder=tmp_path / "other").run(workers=1, progress=False)
    assert list(states["status"]) == ["failed", "failed"] and "program.sh: the file is not what it was" in states["message"][1]
