# SPDX-License-Identifier: GPL-2.0-only
"""The figures of the manual are what their scripts draw, can be read, and stand on a page."""
import itertools
import subprocess

import pytest

from programs import ROOT, load_script, python

FOLDER = ROOT / "doc/figures"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.name not in ("sketch.py", "tables.py"))
LEAST_POINTS = 9
MOST_BYTES = 150_000


def draw(script):
    """@return the figure of a script"""
    return load_script(script).draw().figure


@pytest.fixture(params=SCRIPTS, ids=lambda script: script.stem)
def script(request):
    return request.param


def test_picture_is_what_the_script_draws(script, tmp_path):
    drawn = tmp_path / "drawn.png"
    subprocess.run([python(), script, drawn], check=True, timeout=60)
    from matplotlib.image import imread
    now, kept = imread(drawn), imread(ROOT / f"doc/{script.stem}.png")
    assert now.shape == kept.shape, f"draw it again: {script}"
    assert abs(now - kept).mean() < 0.002, f"draw it again: {script}"


def test_texts_are_large_enough_and_apart(script):
    figure = draw(script)
    figure.canvas.draw()
    texts = [text for axes in figure.axes for text in axes.texts]
    for text in texts:
        assert text.get_fontsize() >= LEAST_POINTS, text.get_text()
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    for (words, box), (others, other) in itertools.combinations(boxes, 2):
        assert not box.overlaps(other), f"{words!r} and {others!r}"
    for words, box in boxes:
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, words
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, words


def test_picture_is_small_and_stands_on_a_page(script):
    assert (ROOT / f"doc/{script.stem}.png").stat().st_size < MOST_BYTES
    directive = f".. figure:: {script.stem}.png\n   :alt: "
    assert sum(page.read_text().count(directive) for page in ROOT.glob("doc/*.rst")) == 1
