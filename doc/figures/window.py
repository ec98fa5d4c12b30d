# SPDX-License-Identifier: GPL-2.0-only
"""Draws a look-ahead window: what is advanced when, and why all that arrives in it is known."""
from sketch import BLACK, BLUE, GREEN, GREY, NORMAL, RED, SMALL, arrow, bar, canvas, save, text

LEFT, W, STEP = 1.5, 2.4, 1.05  # where w - W is, length of a window, distance of rows, inches
ROWS = {"switch A": 3.1, "switch B": 2.1, "host's NIC": 1.1}


def draw():
    axes = canvas(7.6, 4.2)
    start, now, end = LEFT, LEFT + W, LEFT + 2 * W
    for name, y in ROWS.items():
        text(axes, 1.35, y, name, NORMAL, ha="right", weight="bold")
        bar(axes, start, y - 0.16, W, 0.32, GREY, 0.25)
        text(axes, start + 0.08, y, "done", SMALL, ha="left")
    for name, side in (("switch A", 0.3), ("switch B", -0.3)):
        bar(axes, now, ROWS[name] - 0.16, W, 0.32, BLUE, 0.45)
        text(axes, end - 0.06, ROWS[name] + side, "advanced at once", SMALL, BLUE, ha="right")
    bar(axes, now, ROWS["host's NIC"] - 0.16, W, 0.32, BLACK, 0.0, linestyle=":")
    text(axes, now + W / 2, ROWS["host's NIC"] - 0.3, "not before its time has come", SMALL, GREY)

    for x, words in ((start, "w - W"), (now, "w = Simulator::Now()"), (end, "w + W")):
        axes.plot((x, x), (0.62, 3.5), color=BLACK, linewidth=1, linestyle="--")
        text(axes, x, 3.65, words, NORMAL)
    arrow(axes, (now, 3.93), (end, 3.93), BLUE, "<|-|>")
    text(axes, now + W / 2, 4.07, "window W", SMALL, BLUE)

    # Frames: sent before w, in effect within the window; and one that is sent within it.
    arrow(axes, (start + 1.0, ROWS["switch A"]), (now + 0.95, ROWS["switch B"] + 0.05), RED)
    arrow(axes, (start + 1.6, ROWS["host's NIC"]), (now + 1.6, ROWS["switch B"] - 0.05), RED)
    arrow(axes, (now + 0.55, ROWS["switch A"]), (end + 0.45, ROWS["switch B"] + 0.05), GREEN)
    text(axes, start + 0.08, 2.6, "link delay + switch\nlatency, at least W", SMALL, RED, ha="left")
    text(axes, end + 0.08, 2.82, "in effect in\na later window", SMALL, GREEN, ha="left")
    arrow(axes, (start, 0.45), (end + 0.7, 0.45))
    text(axes, end + 0.7, 0.27, "simulated time", SMALL, ha="right")
    return axes


if __name__ == "__main__":
    save(draw(), "window")
