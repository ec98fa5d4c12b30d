# SPDX-License-Identifier: GPL-2.0-only
"""PR-6: every command line in README.md and doc/ that starts a program of the build is run."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = "build/bin/"
TIMEOUT = 60  # seconds that a command in the documentation may take


def fenced_blocks(text):
    """@return the shell blocks of Markdown"""
    return re.findall(r"^```(?:console|shell|bash|sh)\n(.*?)^```", text, re.M | re.S)


def directive_blocks(text):
    """@return the shell blocks of reStructuredText: the indented lines after the directive"""
    return re.findall(r"^\.\. (?:code-block|sourcecode):: (?:console|shell|bash|sh)\n((?:[ \t]+.*\n|\n)+)", text + "\n",
                      re.M)


def commands(text):
    """@return the command lines of a document that start a program of the build, continued lines joined"""
    found = []
    for block in fenced_blocks(text) + directive_blocks(text):
        for line in block.replace("\\\n", " ").splitlines():
            command = re.sub(r"\s+", " ", line.strip().removeprefix("$ "))
            if command.startswith(PROGRAMS):
                found.append(command)
    return found


def all_commands():
    documents = [ROOT / "README.md", *sorted((ROOT / "doc").rglob("*.md")), *sorted((ROOT / "doc").rglob("*.rst"))]
    return [pytest.param(command, id=f"{document.name}: {command}")
            for document in documents if document.exists() for command in commands(document.read_text())]


@pytest.mark.parametrize("command", all_commands())
def test_command_of_the_documentation_runs(command, tmp_path):
    # Relative paths work as in the project's folder, and what is written there is thrown away.
    for entry in ROOT.iterdir():
        if not entry.name.startswith((".", "build", "results")):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "build").symlink_to(ROOT / os.environ.get("FABRIC_BUILD", "build"))
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr


def test_commands_are_found_in_both_kinds_of_documents():
    markdown = "```console\n$ build/bin/fabric-a --x=1 \\\n    --y=2\nbuild/lib\n```\n```cpp\nbuild/bin/no\n```\n"
    restructured = ".. code-block:: console\n\n    $ build/bin/fabric-b\n    output\n\nbuild/bin/no\n"
    assert commands(markdown) == ["build/bin/fabric-a --x=1 --y=2"]
    assert commands(restructured) == ["build/bin/fabric-b"]
