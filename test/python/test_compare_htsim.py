# SPDX-License-Identifier: GPL-2.0-only
"""PF-1: compare-htsim.py counts hops as it says and tells what is wrong in one sentence. Stand-ins take htsim's place."""
import pathlib
import re
import subprocess
import sys

import pytest

from programs import BIN, ROOT, python

SCRIPT = ROOT / "utils/compare-htsim.py"

# Prints what htsim's programs print at the end, for the connection matrix that it is given; it computes for a while: a whole run has to take longer than one that only sets up, on a busy machine too.
STAND_IN = """#!{python}
import re, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
matrix = open(options["-tm"]).read()
flows = re.findall(r"^(\\d+)->(\\d+) start 0 size (\\d+)$", matrix, re.M)
assert matrix.startswith(f"Nodes {{len(flows)}}\\nConnections {{len(flows)}}\\n")
assert all((int(src) + 64) % 128 == int(dst) for src, dst, size in flows)
assert {{size for src, dst, size in flows}} == {{"16000000"}}
assert (options["-nodes"], options["-linkspeed"], options["-tiers"]) == ("128", "100000", "3")
is_whole = float(options["-end"]) > 2345.6
sum(range(40_000_000 if is_whole else 1))
for src, dst, size in flows[{skip}:] if is_whole else []:
    print(f"Flow X_{{src}}_{{dst}} 7 finished at 2345.6 total {last}")
print("Done")
print("{totals}")
"""


def make_program(folder, name, last, totals, skip=0):
    path = folder / "sim" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(STAND_IN.format(python=sys.executable, last=last, totals=totals, skip=skip))
    path.chmod(0o755)


@pytest.fixture
def htsim(tmp_path):
    """A folder with stand-ins of both programs."""
    make_program(tmp_path, "htsim_uec", "messages 1 total packets 3907", "New: 500096 Rtx: 4 RTS: 9 Bounced: 9 ACKs: 1000 NACKs: 4 Pulls: 20")
    make_program(tmp_path, "htsim_roce", "bytes 3907", "New: 0 Rtx: 10")
    return tmp_path


def compare(folder, *arguments):
    return subprocess.run([python(), SCRIPT, folder, "--workload=P128", "--repeat=1", f"--bench={BIN / 'bench-fabric'}", *arguments],
                          capture_output=True, text=True, timeout=60)


def test_pf1_hops_are_packets_times_links(htsim):
    done = compare(htsim)
    assert (done.returncode, done.stderr) == (0, "")
    header, *lines = done.stdout.splitlines()
    assert header.split()[:2] == ["workload", "simulator"]
    rows = {line.split()[1]: line.split() for line in lines}
    assert {line.split()[0] for line in lines} == {"P128"}
    packets = 128 * 3907
    assert rows["fabric"][2] == str(6 * packets)
    assert rows["htsim_uec"][2:4] == [str(6 * (packets + 4)), str(6 * 1024)]
    assert rows["htsim_roce"][2:4] == [str(6 * (packets + 10)), str(6 * packets)]
    for row in rows.values():
        data, control, _, run, rate, memory, factor = map(float, row[2:])
        # The time is printed to the millisecond, and the stand-ins take only a few.
        slowest, fastest = ((data + control) / (run + rounding) / 1e6 for rounding in (0.0005, -0.0005))
        assert slowest - 0.01 <= rate <= fastest + 0.01
        assert memory > 0
        assert factor == pytest.approx(float(rows["fabric"][6]) / rate, rel=0.01, abs=0.06)


def check_refusal(done, words):
    assert done.returncode == 2
    assert re.fullmatch(r"[^\n]+\n", done.stderr), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["--workload=P1"], "--workload=P1: allowed is any of P128,P1024,P8192"),
    (["--repeat=0"], "--repeat=0: allowed is a whole number from 1"),
    (["--bench=/dev/nothing"], "--bench=/dev/nothing: there is no such program"),
])
def test_pr4_bad_options(htsim, arguments, words):
    check_refusal(compare(htsim, *arguments), words)


def test_pr4_a_folder_without_the_programs(tmp_path):
    check_refusal(compare(tmp_path), "there is no program htsim_uec in it; build htsim first")


def test_pr4_flows_that_do_not_finish(htsim):
    make_program(htsim, "htsim_roce", "bytes 3907", "New: 0 Rtx: 10", skip=1)
    check_refusal(compare(htsim), "htsim_roce: 127 of 128 flows finished")


def test_pr4_another_version_that_prints_other_totals(htsim):
    make_program(htsim, "htsim_uec", "bytes 3907", "Sent: 5")
    check_refusal(compare(htsim), "have no 'New: NUMBER'; is it another version?")


def test_pr4_a_program_that_fails(htsim):
    pathlib.Path(htsim / "sim/htsim_uec").write_text("#!/bin/sh\necho out of luck\nexit 3\n")
    check_refusal(compare(htsim), "ended with status 3: out of luck")
