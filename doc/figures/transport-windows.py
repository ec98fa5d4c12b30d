# SPDX-License-Identifier: GPL-2.0-only
"""Draws the two sliding windows that a connection of the reliable transport has in each direction."""
from sketch import BLACK, BLUE, GREEN, GREY, NORMAL, ORANGE, SMALL, arrow, bar, canvas, save, text

CELL = 0.36
ACKED, IN_FLIGHT, SACKED, FREE, OUTSIDE = range(5)
LOOKS = {ACKED: (GREY, 0.35), IN_FLIGHT: (ORANGE, 0.8), SACKED: (BLUE, 0.6), FREE: (GREEN, 0.15), OUTSIDE: (GREY, 0.0)}
WORDS = {ACKED: "acknowledged", IN_FLIGHT: "in flight", SACKED: "acknowledged in the bitmap",
         FREE: "may be sent", OUTSIDE: "outside the window"}


def draw_window(axes, x, y, name, kinds, first, cells, size):
    """Draws a window as cells with PSNs, the first not acknowledged is its base."""
    text(axes, 0.1, y + CELL / 2 + 0.1, name, NORMAL, ha="left", weight="bold")
    text(axes, 0.1, y + CELL / 2 - 0.16, kinds, SMALL, GREY, ha="left")
    base = cells.index(IN_FLIGHT)
    following = cells.index(FREE)
    for i, state in enumerate(cells):
        bar(axes, x + i * CELL, y, CELL, CELL, *LOOKS[state])
        text(axes, x + (i + 0.5) * CELL, y + CELL / 2, str(first + i), SMALL)
    for i, words in ((base, "base"), (following, "next")):
        arrow(axes, (x + (i + 0.5) * CELL, y - 0.3), (x + (i + 0.5) * CELL, y))
        text(axes, x + (i + 0.5) * CELL, y - 0.41, words, SMALL)
    end = cells.index(OUTSIDE)
    arrow(axes, (x + base * CELL, y + CELL + 0.13), (x + end * CELL, y + CELL + 0.13), BLACK, "<|-|>")
    text(axes, x + (base + end) / 2 * CELL, y + CELL + 0.27, f"window, at most {size} packets", SMALL)


def draw():
    axes = canvas(7.8, 3.5)
    draw_window(axes, 2.3, 2.6, "Request window", "pullReq, pushSlctdReq", 40,
                [ACKED] * 2 + [IN_FLIGHT] * 3 + [FREE] * 6 + [OUTSIDE] * 4, 64)
    draw_window(axes, 2.3, 1.2, "Data window", "push and pull data,\ngrants", 70,
                [ACKED] * 3 + [IN_FLIGHT, SACKED, SACKED, IN_FLIGHT, IN_FLIGHT] + [FREE] * 5 + [OUTSIDE] * 2, 128)
    x = 0.15
    for state, width in ((ACKED, 1.35), (IN_FLIGHT, 1.05), (SACKED, 2.2), (FREE, 1.3), (OUTSIDE, 1.5)):
        bar(axes, x, 0.2, 0.22, 0.22, *LOOKS[state])
        text(axes, x + 0.3, 0.31, WORDS[state], SMALL, ha="left")
        x += width
    return axes


if __name__ == "__main__":
    save(draw(), "transport-windows")
