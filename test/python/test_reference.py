# SPDX-License-Identifier: GPL-2.0-only
"""The pages of attributes and trace sources are what the types of the built module say."""
import json
import subprocess

import pytest

from programs import BIN, ROOT, python


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """@return a folder with the pages as they are made now"""
    folder = tmp_path_factory.mktemp("pages")
    done = subprocess.run([python(), ROOT / "utils/make-reference.py", "--output", folder], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("page", ["attributes.rst", "traces.rst"])
def test_page_is_what_the_types_say(made, page):
    assert (ROOT / "doc" / page).read_text() == (made / page).read_text(), "utils/make-reference.py writes it again"


def test_pages_have_every_attribute_and_trace_source(made):
    types = json.loads(subprocess.run([BIN / "fabric-types-program"], check=True, capture_output=True, text=True).stdout)
    assert len(types) > 15
    for kind, page in (("attributes", "attributes.rst"), ("traces", "traces.rst")):
        text = (made / page).read_text()
        for type_ in types:
            for entry in type_[kind]:
                assert f"``{entry['name']}``" in text, f"{type_['name']}::{entry['name']}"


def test_a_path_leads_to_every_trace_source():
    types = json.loads(subprocess.run([BIN / "fabric-types-program"], check=True, capture_output=True, text=True).stdout)
    assert not [type_["name"] for type_ in types if type_["traces"] and type_["path"] is None]
