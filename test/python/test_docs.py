# SPDX-License-Identifier: GPL-2.0-only
"""The pages in doc/ build without a warning, and what they and the README say of the programs is so."""
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from programs import BUILD, ROOT, python

README = (ROOT / "README.md").read_text()


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def programs_of(list_name, prefix):
    text = (ROOT / "CMakeLists.txt").read_text()
    return [prefix + name for name in re.search(rf"^set\({list_name}\n(.*?)^\)", text, re.M | re.S)[1].split()]


PROGRAMS = programs_of("FABRIC_EXAMPLES", "fabric-") + programs_of("FABRIC_BENCHMARKS", "")


def readme_block(language, containing=""):
    """@return the README's only block of a language that contains a text"""
    blocks = [block for block in re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S) if containing in block]
    assert len(blocks) == 1
    return blocks[0]


def test_pages_build_without_warnings(tmp_path):
    done = run(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", tmp_path / "doctrees", "doc", tmp_path / "html",
               cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


def documented_options():
    """@return the first column of the tables of options in programs.rst; those of other things have another title there"""
    page = (ROOT / "doc/programs.rst").read_text()
    paragraphs = page[page.index("\nOptions\n***"):page.index("\nFiles\n***")].split("\n\n")
    tables = [paragraph.splitlines() for paragraph in paragraphs if re.match("=+ =", paragraph)]
    tables = [table for table in tables if table[1].startswith("option ") or not table[2].startswith("=")]
    return {line.split()[0] for table in tables for line in table if line[0] not in " ="} - {"option"}


def options_of(program):
    own = run(BUILD / "bin" / program, "--help").stdout.split("\nGeneral Arguments:")[0]
    return set(re.findall(r"^ +--(\w+):", own, re.M))


def test_every_option_is_documented_and_no_other():
    assert documented_options() == set().union(*(options_of(program) for program in PROGRAMS))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_is_documented(program):
    assert f"\n{program}\n====" in (ROOT / "doc/programs.rst").read_text()
    assert f"`{program}`" in README


def test_every_page_of_doc_is_linked():
    for document in [*ROOT.glob("doc/*.md"), *ROOT.glob("doc/*.rst")]:
        index = README if document.suffix == ".md" else README + (ROOT / "doc/fabric.rst").read_text()
        assert document.stem in index, document


def test_readme_shows_the_program_verbatim():
    source = (ROOT / "examples/fabric-first.cc").read_text()
    assert readme_block("cpp") == source.split("\n\n", 2)[2]


def test_readme_shows_what_the_program_prints():
    flow_channels_off = "--ns3::FabricSwitch::FlowChannels=false"
    printed = [run(BUILD / "bin/fabric-first", *options).stdout for options in ([], [flow_channels_off])]
    for output in printed:
        assert output in README


def test_readme_shows_what_the_demo_prints(tmp_path):
    rows = re.findall(r"^\| `(\w+)(?: ([\w=.]+))?` \| (.*?) \| (.*?) \|$", README, re.M)
    assert len(rows) > 5
    folders = []
    for seed in range(1, 11):
        for flow_channels in ("on", "off"):
            folders.append(tmp_path / f"{flow_channels}-{seed}")
            assert run(BUILD / "bin/fabric-incast", f"--flowChannels={flow_channels}", f"--RngRun={seed}",
                       f"--out={folders[-1]}").returncode == 0
    table = [line.split() for line in run(python(), ROOT / "utils/summarize-runs.py", *folders).stdout.splitlines()]
    for row in rows:
        assert [word for cell in row for word in cell.split()] in table, row


# Names the module's types by strings only, so that nothing in it refers to a symbol of the library.
NAMES_TYPES_BY_STRINGS = """
#include "ns3/core-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>

using namespace ns3;

int main()
{
    TrafficControlHelper helper;
    helper.SetRootQueueDisc("ns3::VlArbiterQueueDisc");
    for (const char* name : {"ns3::VlArbiterQueueDisc", "ns3::FabricSwitch"})
    {
        std::cout << ObjectFactory(name).Create<Object>()->GetInstanceTypeId().GetName() << "\\n";
    }
    return 0;
}
"""


def test_readme_shows_how_to_use_the_installed_package(tmp_path):
    assert run("cmake", "--install", BUILD, "--prefix", tmp_path / "prefix").returncode == 0
    recipe = readme_block("cmake")
    by_strings = "".join(line + "\n" for line in recipe.replace("my-program", "by-strings").splitlines()
                         if line.startswith(("add_executable", "target_link")))
    (tmp_path / "CMakeLists.txt").write_text(recipe + by_strings)
    (tmp_path / "my-program.cc").write_text(readme_block("cpp"))
    (tmp_path / "by-strings.cc").write_text(NAMES_TYPES_BY_STRINGS)
    configured = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    assert configured.returncode == 0, configured.stderr
    built = run("cmake", "--build", tmp_path / "build", "--parallel", "2")
    assert built.returncode == 0, built.stdout + built.stderr
    done = run(tmp_path / "build/my-program")
    assert done.returncode == 0, done.stderr
    assert done.stdout in README
    done = run(tmp_path / "build/by-strings")
    assert (done.returncode, done.stdout) == (0, "ns3::VlArbiterQueueDisc\nns3::FabricSwitch\n"), done.stderr


def test_installing_without_programs_and_a_project_of_ones_own(tmp_path):
    """The recipe of doc/install.rst; the library, which takes minutes, is taken from the build as it is."""
    page = (ROOT / "doc/install.rst").read_text()
    build = tmp_path / "library"
    cache = (BUILD / "CMakeCache.txt").read_text()
    ns3_folder = re.search(r"^ns3_DIR:\w+=(.*)$", cache, re.M)[1]
    configured = run("cmake", "-S", ROOT, "-B", build, "-DFABRIC_PROGRAMS=OFF", "-DFABRIC_TESTS=OFF", f"-Dns3_DIR={ns3_folder}")
    assert configured.returncode == 0, configured.stderr
    assert "-Werror" not in (build / "compile_commands.json").read_text()  # a newer compiler has other warnings
    shutil.copytree(BUILD / "lib", build / "lib", symlinks=True, dirs_exist_ok=True)
    installed = run("cmake", "--install", build, "--prefix", tmp_path / "fabric")
    assert installed.returncode == 0, installed.stderr
    assert not (tmp_path / "fabric/bin").exists()
    project = tmp_path / "project"
    project.mkdir()
    for language, name in (("cmake", "CMakeLists.txt"), ("cpp", "one-message.cc")):
        block = re.search(rf"code-block:: {language}\n\n((?:   .*\n|\n)+)", page)[1]
        (project / name).write_text(textwrap.dedent(block))
    configured = run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={tmp_path / 'fabric'}")
    assert configured.returncode == 0, configured.stderr
    built = run("cmake", "--build", project / "build")
    assert built.returncode == 0, built.stdout + built.stderr
    done = run(project / "build/one-message")
    assert done.returncode == 0, done.stderr
    assert f"   {done.stdout}" in page


def test_an_ns3_that_is_named_and_not_there_is_refused(tmp_path):
    """CMake alone would take any other one, and build the module without what was asked for."""
    done = run("cmake", "-S", ROOT, "-B", tmp_path / "build", f"-Dns3_DIR={tmp_path}")
    assert done.returncode == 1
    assert f"ns3_DIR={tmp_path}: there is no ns3Config.cmake" in re.sub(r"\n +", " ", done.stderr)


def test_demo_shows_tables_and_a_plot(tmp_path):
    """demo.sh with the programs as they are built, without installing and building."""
    (tmp_path / "build").symlink_to(BUILD)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "demo.sh").write_text((ROOT / "demo.sh").read_text())
    (tmp_path / "utils").mkdir()
    for script in ("setup.sh", "build.sh"):
        (tmp_path / "utils" / script).write_text("#!/bin/sh\n")
        (tmp_path / "utils" / script).chmod(0o755)
    for script in ("plot-incast.py", "summarize-runs.py"):
        (tmp_path / "utils" / script).symlink_to(ROOT / "utils" / script)
    done = run("bash", tmp_path / "demo.sh", "--k=4", "--senders=8", "--bytes=64KiB")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nvictim_goodput") == 2 and done.stdout.count("(10 runs)") == 2
    assert (tmp_path / "results/demo/incast.png").stat().st_size > 10000


def test_each_measured_table_has_its_place_in_one_page():
    """doc/figures/tables.py finds a table by the line before it; the runs that it reads take long."""
    names = sorted(re.findall(r'^    "([a-z-]+)": table_of_', (ROOT / "doc/figures/tables.py").read_text(), re.M))
    pages = "\n".join(page.read_text() for page in sorted((ROOT / "doc").glob("*.rst")))
    marked = re.findall(r"^\.\. measured: ([a-z-]+)\n\n=", pages, re.M)
    assert sorted(marked) == names and len(names) > 5
    listed = re.search(r'^tables="(.*)"$', (ROOT / "doc/figures/measured.sh").read_text(), re.M)[1].split()
    assert sorted(listed) == names
