# SPDX-License-Identifier: GPL-2.0-only
"""The pages in doc/ build without a warning, and what they and the README say of the programs is so."""
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

from programs import BIN, BUILD, ROOT, python, read_csv

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


PAGE = (ROOT / "doc/programs.rst").read_text()


def cells_of(table):
    """@return the rows of a table as lists of cells, line by line"""
    lines = table.splitlines()
    columns = [match.span() for match in re.finditer("=+", lines[0])]
    ends = [begin for begin, _ in columns[1:]] + [None]
    return [[line[begin:end].strip() for (begin, _), end in zip(columns, ends)] for line in lines if not line.startswith("=")]


def option_tables(text):
    """@return the tables of options of a text, each with the paragraph before it; those of other things have another title"""
    paragraphs = text.split("\n\n")
    for before, table in zip(paragraphs, paragraphs[1:]):
        lines = table.splitlines()
        if re.match("=+ =", table) and (lines[1].startswith("option ") or not lines[2].startswith("=")):
            yield before, {row[0]: row[1] for row in cells_of(table) if row[0] not in ("", "option")}


def section_of(program):
    return re.split(r"\n\n[\w-]+\n===+\n", PAGE.split(f"\n{program}\n====", 1)[1], maxsplit=1)[0]


def documented_options(program):
    """@return the options of a program and their defaults, as programs.rst has them: for several programs, and in its section"""
    options = {}
    for before, table in option_tables(PAGE[PAGE.index("\nOptions\n***"):PAGE.index("\nfabric-incast\n===")]):
        named = re.findall(r"(?:fabric|bench)-[\w-]*\w", before)
        if (program in named) != before.startswith("All programs but"):
            options.update(table)
    for _, table in option_tables(section_of(program)):
        options.update(table)
    for names, other in re.findall(r"it has ((?:``\w+``(?:, | and )?)+) as (fabric-[\w-]*\w) has them", section_of(program)):
        options.update({name: documented_options(other)[name] for name in re.findall(r"\w+", names) if name != "and"})
    return options


def options_of(program):
    """@return the options of a program and their defaults, as its --help has them"""
    own = run(BIN / program, "--help").stdout.split("\nGeneral Arguments:")[0]
    return {name: default or "" for name, default in re.findall(r"^ +--(\w+):.*?(?: \[([^\[\]]*)\])?$", own, re.M)}


def is_said(said, default):
    """@return whether the manual says a default: sizes in any unit, words for lists, or that the text says it"""
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

    def number(text):
        size = re.fullmatch(r"(\d+)([KMG]iB)?", text)
        return int(size[1]) * units.get(size[2], 1) if size else text
    default = "0" if default == "0ps" else default
    words = {"none": "", "all but reroute": "endpoint,fgfc,hop-credits,injection-limit,pacing,slow-paths"}
    pattern = re.escape(said).replace(re.escape("..."), ".*")
    return said == "see text" or number(words.get(said, said)) == number(default) or re.fullmatch(pattern, default) is not None


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_option_is_documented_with_its_default_and_no_other(program):
    documented, options = documented_options(program), options_of(program)
    assert sorted(documented) == sorted(options)
    assert {name: said for name, said in documented.items() if not is_said(said, options[name])} == {}


def test_defaults_are_told_apart():
    assert is_said("1MiB", "1MiB") and is_said("4096", "4KiB") and is_said("none", "") and is_said("0", "0ps")
    assert is_said("0,1,2,...,7", "0,1,2,3,4,5,6,7") and is_said("all but reroute", "endpoint,fgfc,hop-credits,injection-limit,pacing,slow-paths")
    assert not is_said("1MiB", "1MB") and not is_said("4095", "4KiB") and not is_said("0", "50us") and not is_said("100ns", "1us")


def documented_metrics():
    """@return what the tables of summary.csv say of the keys of each metric"""
    metrics = {}
    for table in PAGE[PAGE.index("\nsummary.csv\n==="):PAGE.index("\nmessages.csv\n===")].split("\n\n"):
        if not re.match("=+ =", table):
            continue
        groups, is_open = [], False
        for name, keys, _ in cells_of(table):
            if name and not is_open:
                groups.append(["", ""])
            groups[-1] = [groups[-1][0] + " " + name, groups[-1][1] + " " + keys]
            is_open = name.endswith(",")
        for names, keys in groups:
            for name in re.findall(r"\w+", names):
                metrics[name] = metrics.get(name, "") + keys
    return metrics


def test_every_figure_is_documented():
    """What the programs say in test/python/fingerprints: metrics, their keys, and causes of drops."""
    documented = documented_metrics()
    missing = set()
    for file in (ROOT / "test/python/fingerprints").glob("*/summary.csv"):
        for row in read_csv(file):
            said = documented.get(row["metric"])
            if said is None:
                missing.add(row["metric"])
                continue
            keys = [key for key in row if key not in ("metric", "value", "unit") and row[key]]
            missing |= {f"{row['metric']} by {key}" for key in keys if not re.search(rf"\b{key}\b", said)}
            if row["metric"] == "bytes_dropped" and not re.search(rf"[=, ]{row['cause']}\b(?!-)", said):
                missing.add(f"bytes_dropped by cause={row['cause']}")
    assert missing == set()


def test_every_cause_of_drops_is_documented():
    names = (ROOT / "model/network/fabric-drop-causes.h").read_text()
    causes = re.findall(r'"([\w-]+)"', names[names.index("DROPS{"):names.index("/// @param")])
    assert len(causes) == 12
    assert [cause for cause in causes if not re.search(rf"[=, ]{cause}\b(?!-)", documented_metrics()["bytes_dropped"])] == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_is_documented(program):
    assert f"\n{program}\n====" in PAGE
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
