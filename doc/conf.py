# SPDX-License-Identifier: GPL-2.0-only
"""Builds the pages of this folder: sphinx-build -W doc build/doc."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "fabric"
copyright = "the authors of fabric"
release = re.search(r"^set\(FABRIC_VERSION (.*)\)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
root_doc = "fabric"
html_theme = "alabaster"
html_theme_options = {"description": "Fabrics of supercomputers for ns-3", "page_width": "1100px"}
