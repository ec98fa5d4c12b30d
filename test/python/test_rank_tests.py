# SPDX-License-Identifier: GPL-2.0-only
"""utils/run-rank-tests.py, with shell scripts instead of mpirun and of a program."""
import pathlib
import time

import pytest
from programs import ROOT, load_script, run
from test_program_help import OPTIONS

ranks = load_script(ROOT / "utils/run-rank-tests.py")

# Starts a program once, as a rank that knows the others.
MPIRUN = '''#!/bin/sh
[ "$1" = -np ] || exit 9
RANKS=$2; export RANKS
shift 2
exec "$@"
'''

# Writes results into the folder of the last option. What several ranks do otherwise comes in the end.
PROGRAM = '''#!/bin/sh
for option; do :; done
folder=${{option#--out=}}
mkdir "$folder"
printf 'flow,time\\n1,20\\n2,40\\n' >"$folder/flows.csv"
printf '{{"program": "fabric-some", "events": %d, "options": {{"k": 4, "out": "%s"}}}}' "$$" "$folder" >"$folder/manifest.json"
[ -n "$RANKS" ] || exit 0
[ "$1" = --mpi ] || exit 8
{several}
'''


def make_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """@return a function that checks a build whose program does what it is given when there are several ranks"""
    monkeypatch.setattr(ranks, "CASES", [("fabric-some", 3, ["--k=4"])])
    monkeypatch.delenv("RANKS", raising=False)
    mpirun = make_script(tmp_path / "mpirun", MPIRUN)

    def run(several="", place="bin/fabric-some", timeout=30):
        make_script(tmp_path / "build" / place, PROGRAM.format(several=several))
        status = ranks.main([str(tmp_path / "build"), f"--mpirun={mpirun}", f"--timeout={timeout}"])
        return status, capsys.readouterr().out

    return run


def test_equal_results_pass(check):
    status, output = check()
    assert (status, output.splitlines()[-1]) == (0, "1 passed, 0 failed")
    assert output.startswith("PASS fabric-some --k=4 on 3 ranks")


@pytest.mark.parametrize("place", ["ns3.37-fabric-some-default", "ns3.37-fabric-some", "ns3.48-fabric-some-optimized",
                                   "ns3-dev-fabric-some-debug"])
def test_programs_of_a_tree_are_found(check, place):
    assert check(place=f"contrib/fabric/examples/{place}")[0] == 0


@pytest.mark.parametrize("several, sentence", [
    ('sed -i s/40/41/ "$folder/flows.csv"', "flows.csv differs in line 3:"),
    ('echo 3,60 >>"$folder/flows.csv"', "flows.csv has 3 lines of one process and 4 of several ranks"),
    ('rm "$folder/flows.csv"', "flows.csv is missing in the results of several ranks"),
    ('touch "$folder/more.csv"', "more.csv is missing in the results of one process"),
    ('sed -i s/:.4,/:5,/ "$folder/manifest.json"', "manifest.json differs in line"),
    ("echo no link between ranks; exit 3", "ended with status 3\n    no link between ranks"),
])
def test_what_several_ranks_do_otherwise_fails(check, several, sentence):
    status, output = check(several)
    assert (status, output.splitlines()[-1]) == (1, "0 passed, 1 failed")
    assert output.startswith("FAIL fabric-some --k=4 on 3 ranks: ") and sentence in output


def test_a_program_that_hangs_is_stopped_with_what_it_started(check, tmp_path):
    start = time.monotonic()
    status, output = check(f"sleep 1000 & echo $! >{tmp_path}/sleeper; wait", timeout=1)
    assert status == 1 and "was stopped after 1 s" in output and time.monotonic() - start < 30
    state = pathlib.Path(f"/proc/{(tmp_path / 'sleeper').read_text().strip()}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_a_build_without_the_program_fails(check, tmp_path):
    status, output = check(place="bin/fabric-other")
    assert status == 1 and f"there is no program fabric-some in {tmp_path / 'build'}" in output
    status, output = check(place="contrib/fabric/examples/ns3.37-fabric-some-more-default")
    assert status == 1 and "there is no program" in output


def test_a_machine_without_mpi_runs_nothing(tmp_path, capsys):
    status = ranks.main([str(tmp_path), f"--mpirun={tmp_path / 'nothing'}"])
    output = capsys.readouterr().out
    assert status == 0 and output.startswith("SKIPPED: no two processes") and output.endswith("0 passed, 0 failed\n")


@pytest.mark.parametrize("program", [program for program in OPTIONS if program != "bench-fabric"])
def test_wl7_a_program_has_mpi_and_runs_on_ranks_or_refuses_it(program):
    if "mpi" in OPTIONS[program].split():
        assert program in {name for name, *_ in ranks.CASES}
        return
    done = run(program, "--mpi")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("unknown option --mpi: allowed are ") and done.stderr.count("\n") == 1
