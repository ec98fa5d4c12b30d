# SPDX-License-Identifier: GPL-2.0-only
"""The tutorial shows programs that are built, and what it says that they print is so."""
import re
import subprocess
import sys

import pytest

from fabric_sim.place import place_of_build
from programs import BUILD, ROOT

PAGE = (ROOT / "doc/tutorial.rst").read_text()
FOLDER = ROOT / "examples/tutorial"
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
# The page is of Debian's ns-3; other releases have another TCP and draw other random numbers.
TOLERANCE = 1e-6 if place_of_build(BUILD).ns3_version == (3, 37) else 0.05


def blocks():
    """@return (command, output lines) of each console block, of which the last command prints something"""
    found = []
    for block in re.findall(r"^\.\. code-block:: console\n\n((?:   .*\n|\n)+)", PAGE, re.M):
        lines = [line[3:] for line in block.rstrip().splitlines()]
        commands = [line[2:] for line in lines if line.startswith("$ ")]
        found.append(pytest.param(commands, [line for line in lines if not line.startswith("$ ")], id=commands[-1].split()[0]))
    return found


@pytest.fixture
def place(tmp_path):
    """@return a folder in which the commands work as in the project's"""
    for entry in ROOT.iterdir():
        if not entry.name.startswith((".", "build", "results")):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "build").symlink_to(BUILD)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_same(printed, shown):
    """Texts are equal but for numbers, which are near."""
    assert [NUMBER.sub("#", line).split() for line in printed] == [NUMBER.sub("#", line).split() for line in shown]
    numbers = [[float(number) for line in lines for number in NUMBER.findall(line)] for lines in (printed, shown)]
    assert numbers[0] == pytest.approx(numbers[1], rel=TOLERANCE)


@pytest.mark.parametrize("commands, output", blocks())
def test_commands_print_what_the_page_shows(place, commands, output):
    for command in commands:
        printed = run(command, place)
    assert_same(printed.splitlines(), output)


def test_the_plot_is_what_the_page_shows(place):
    from matplotlib.image import imread
    commands = next(block.values[0] for block in blocks() if "plot-cdf.py" in block.values[0][-1])
    for command in commands:
        run(command, place)
    drawn, shown = imread(place / "results/cdf.png"), imread(ROOT / "doc/tutorial-cdf.png")
    assert drawn.shape == shown.shape
    assert abs(drawn - shown).mean() < 0.02


def test_every_file_of_the_tutorial_stands_on_the_page():
    included = re.findall(r"^\.\. literalinclude:: \.\./examples/tutorial/(\S+)", PAGE, re.M)
    assert sorted(included) == sorted(path.name for path in FOLDER.iterdir() if path.is_file())


def test_the_project_outside_builds_with_the_installed_module(tmp_path):
    def cmake(*arguments):
        done = subprocess.run(["cmake", *arguments], capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    cmake("--install", BUILD, "--prefix", tmp_path / "prefix")
    cmake("-S", FOLDER, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    cmake("--build", tmp_path / "build", "--parallel", "2", "--target", "ring")
    printed = run(tmp_path / "build/ring", tmp_path)
    assert printed in "\n".join(line.removeprefix("   ") for line in PAGE.splitlines()) + "\n"


@pytest.mark.parametrize("lookahead", ["true", "false"])
def test_the_ring_ends_with_its_last_delivery_however_it_is_simulated(place, lookahead):
    printed = run(f"build/bin/fabric-tutorial-ring --ns3::FabricNetwork::Lookahead={lookahead}", place)
    assert printed.splitlines()[-1] == "8388608 bytes in +127.745us"
