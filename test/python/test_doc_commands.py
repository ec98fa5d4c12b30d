# SPDX-License-Identifier: GPL-2.0-only
"""PR-6: every command line in README.md and doc/ that starts a program or a plot is run.

The commands of one block share a folder, so that a plot finds what the programs before it wrote. What sets up, builds
or tests (./demo.sh, ./test.sh, cmake, ./ns3 build) is run by other tests or is the running of the tests itself.
"""
import re
import subprocess

import pytest

from programs import BUILD, ROOT, python, python_with_headers

TIMEOUT = 60  # seconds that a command in the documentation may take
OTHERS = ("./demo.sh", "./test.sh", "./ns3 configure", "./ns3 build", "./test.py", "cmake ", "build/one-message",
          "utils/build-ns3-mpi.sh", "mpirun ",  # utils/run-rank-tests.py runs programs on several ranks
          "utils/check-doxygen.sh ")  # test_manual.py looks at what it writes, too


def fenced_blocks(text):
    """@return the shell blocks of Markdown"""
    return re.findall(r"^```(?:console|shell|bash|sh)\n(.*?)^```", text, re.M | re.S)


def directive_blocks(text):
    """@return the shell blocks of reStructuredText: the indented lines after the directive"""
    return re.findall(r"^\.\. (?:code-block|sourcecode):: (?:console|shell|bash|sh)\n((?:[ \t]+.*\n|\n)+)", text + "\n",
                      re.M)


def scripts(text):
    """@return the command lines of each shell block of a document, continued lines joined"""
    found = []
    for block in fenced_blocks(text) + directive_blocks(text):
        lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
        found.append([re.sub(r"\s+", " ", line.removeprefix("$ ")) for line in lines if line.startswith("$ ")])
    return found


def runnable(command):
    """@return the command as it is run outside an ns-3 tree, None for those that are not run here"""
    in_tree = re.fullmatch(r'\./ns3 run "(.*)"', command)
    if in_tree:
        return f"build/bin/{in_tree[1]}"
    return None if command.startswith(OTHERS) else command


def all_scripts():
    documents = [ROOT / "README.md", *sorted((ROOT / "doc").rglob("*.md")), *sorted((ROOT / "doc").rglob("*.rst"))]
    return [pytest.param(commands, id=f"{document.name}: {commands[0]}") for document in documents
            for script in scripts(document.read_text()) if (commands := [*filter(None, map(runnable, script))])]


@pytest.mark.parametrize("commands", all_scripts())
def test_commands_of_the_documentation_run(commands, tmp_path):
    # Relative paths work as in the project's folder, and what is written there is thrown away.
    for entry in ROOT.iterdir():
        if not entry.name.startswith((".", "build", "results")):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "build").symlink_to(BUILD)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    # Each example is also run by test_bindings.py, where nothing has been read before.
    has_example = any("/python examples/python/" in command for command in commands)
    (tmp_path / ".venv/bin/python").symlink_to(python_with_headers() if has_example else python())
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=TIMEOUT)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_commands_are_found_in_both_kinds_of_documents():
    markdown = "```console\n$ build/bin/fabric-a --x=1 \\\n    --y=2\noutput\n$ b\n```\n```cpp\n$ no\n```\n"
    restructured = ".. code-block:: console\n\n    $ build/bin/fabric-b\n    output\n\n$ no\n"
    assert scripts(markdown) == [["build/bin/fabric-a --x=1 --y=2", "b"]]
    assert scripts(restructured) == [["build/bin/fabric-b"]]


def test_commands_of_an_ns3_tree_are_run_outside():
    assert runnable('./ns3 run "fabric-a --x=1"') == "build/bin/fabric-a --x=1"
    assert runnable("./ns3 build") is None
    assert runnable("build/bin/fabric-a") == "build/bin/fabric-a"
