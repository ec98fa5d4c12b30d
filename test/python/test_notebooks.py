# SPDX-License-Identifier: GPL-2.0-only
"""PY-1, PY-4: the notebooks run from the first cell to the last, and draw."""
import os

import pytest

from programs import BUILD, ROOT

nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
NOTEBOOKS = sorted((ROOT / "examples/python").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_py4_a_notebook_runs_and_draws(path, tmp_path, monkeypatch):
    import nbformat
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "bindings"))
    monkeypatch.setenv("FABRIC_BUILD", str(BUILD))
    (tmp_path / "build").symlink_to(BUILD)
    notebook = nbformat.read(path, 4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "keep notebooks without outputs"
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": os.fspath(tmp_path)}}).execute()
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert len(pictures) == sum("plots." in cell.source for cell in notebook.cells)
