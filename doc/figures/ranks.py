# SPDX-License-Identifier: GPL-2.0-only
"""Draws how what a window sends gets to another rank before the window that needs it."""
from sketch import BLACK, GREEN, GREY, ORANGE, SKY, SMALL, arrow, box, canvas, save, text

LEFT, STEP, HEIGHT = 1.6, 1.9, 0.55  # where windows begin, and their size, inches
ROWS = (("rank 0", 2.15), ("rank 1", 0.75))
WINDOWS = 4


def start(window):
    """@return where a window begins"""
    return LEFT + window * STEP


def draw():
    axes = canvas(10.1, 3.6)
    for name, y in ROWS:
        text(axes, 0.8, y + HEIGHT / 2, name)
        for window in range(WINDOWS):
            isSender = y == ROWS[0][1] and window == 0
            isReceiver = y == ROWS[1][1] and window == 2
            colour = ORANGE if isSender else GREEN if isReceiver else SKY
            box(axes, start(window) + 0.04, y, STEP - 0.08, HEIGHT, "window" if isSender or isReceiver else "", colour, SMALL)
    for window, label in ((0, "t"), (1, "t + W/2"), (2, "t + W"), (3, "t + 3W/2")):
        axes.plot([start(window)] * 2, [0.55, 2.9], color=GREY, linewidth=0.8, linestyle=":", zorder=0)
        text(axes, start(window), 0.35, label, SMALL)
    top, bottom = ROWS[0][1], ROWS[1][1] + HEIGHT
    arrow(axes, (start(0) + 0.1, top), (start(1), bottom), BLACK, width=1.6)
    text(axes, start(1) - 0.35, (top + bottom) / 2 + 0.15, "bytes by MPI", SMALL)
    arrow(axes, (start(1) + 0.05, bottom - 0.15), (start(2) + 0.1, bottom - 0.15), BLACK, width=1.6)
    text(axes, start(2) + 1.0, bottom + 0.28, "takes effect here at the earliest", SMALL, GREEN)
    text(axes, 5.05, 3.25, "W is how long what is sent on a link needs at least until it matters: propagation and the pipeline of the next switch", SMALL)
    text(axes, start(WINDOWS) + 0.4, 0.35, "time", SMALL)
    return axes


if __name__ == "__main__":
    save(draw(), "ranks")
