# SPDX-License-Identifier: GPL-2.0-only
"""What the manual cites has a reference, and the messages that it explains are those of the module."""
import re
import subprocess

import pytest

from programs import ROOT

PAGES = sorted(ROOT.glob("doc/*.rst"))
REFERENCES = (ROOT / "doc/references.rst").read_text()
REQUIREMENT = re.compile(r"\b(?:PL|WL|FC|SW|CM|IF|VA|NQ|RT|PC|SC|FF|PY|PR|PF|DP|SU)-\d+")
NOT_OURS = ("CMake does not look", "of ns-3 knows", "ns-3 says so", "ns-3 finds", "A call had a wrong argument")


def entries(page):
    """@return (message, explanation) of the entries of a page that begin with a message"""
    return re.findall(r"^``(.+)``\n((?:   .*\n)+)", page.read_text(), re.M)


def strings_of_the_sources():
    """@return the texts in the sources, put together where they are divided, and in CMake's files"""
    sources = [path for folder in ("model", "helper") for path in (ROOT / folder).rglob("*.cc")]
    texts = [re.sub(r'"\s*\n\s*"', "", path.read_text()) for path in sources]
    return "\n".join([*texts, (ROOT / "CMakeLists.txt").read_text()])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_cites_has_a_reference(page):
    text = re.sub(r"\s+", " ", page.read_text())
    for rfc in re.findall(r"RFC \d+", text):
        assert f"`{rfc} <" in REFERENCES
    for author, conference in re.findall(r"(\w+)(?: et al\.| and \w+), (\w+'\d\d)", text):
        assert re.search(rf"^- .*\b{author}\b.*{conference}: ", REFERENCES, re.M), f"{author}, {conference}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_for_users_have_no_numbers_of_requirements(page):
    assert not REQUIREMENT.findall(page.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_heading_has_its_underline_beside_it(page):
    assert not re.findall(r"^\w.* (?:\*{2,}|-{2,}|={2,})$", page.read_text(), re.M)


def test_messages_that_are_explained_are_those_of_the_module():
    sources = strings_of_the_sources()
    ours = [(message, why) for message, why in entries(ROOT / "doc/troubleshooting.rst")
            if not any(words in re.sub(r"\s+", " ", why) for words in NOT_OURS)]
    assert len(ours) >= 8
    for message, _ in ours:
        for part in message.split("..."):
            assert part.strip() in sources, message


def test_class_reference_is_written_as_html(tmp_path):
    done = subprocess.run([ROOT / "utils/check-doxygen.sh", tmp_path], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "html/classns3_1_1FabricHelper.html").exists()
