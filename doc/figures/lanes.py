# SPDX-License-Identifier: GPL-2.0-only
"""Draws the way of frames from flows to the wire at an output with virtual lanes."""
from sketch import BLUE, GREEN, GREY, NORMAL, ORANGE, PURPLE, RED, SKY, SMALL, arrow, bar, box, canvas, save, text

LANES = ((3.15, 0, 0), (2.35, 1, 0), (1.55, 2, 1), (0.75, 3, 1))  # y, lane, group
LEVELS = ((3.15, "high", GREEN), (2.35, "medium", SKY), (1.55, "low", BLUE), (0.75, "Over-Bandwidth", RED))


def draw_queue(axes, x, y, filled):
    for i in range(3):
        bar(axes, x + 0.16 * i, y - 0.08, 0.16, 0.16, BLUE, 0.6 if i >= 3 - filled else 0.0)


def draw():
    axes = canvas(7.8, 4.1)
    for x, words in ((0.5, "flows"), (1.62, "lane of\ntheir class"), (3.35, "meter of\nthe group"), (5.35, "level"),
                     (6.6, "arbiter"), (7.4, "wire")):
        text(axes, x, 3.85, words, NORMAL, weight="bold")
    for y, lane, group in LANES:
        draw_queue(axes, 0.2, y + 0.14, 3)
        draw_queue(axes, 0.2, y - 0.14, 2)
        for dy in (0.14, -0.14):
            arrow(axes, (0.7, y + dy), (1.25, y + dy / 3), GREY)
        box(axes, 1.25, y - 0.22, 0.75, 0.44, f"lane {lane}", SKY)
        arrow(axes, (2.0, y), (2.75, y - 0.2 if lane % 2 == 0 else y + 0.2))
    for y, group, share in ((2.75, 0, 60), (1.15, 1, 40)):
        box(axes, 2.75, y - 0.33, 1.2, 0.66, f"group {group}\nshare {share} %", ORANGE)
    arrow(axes, (3.95, 2.85), (4.75, 3.15), GREEN)
    arrow(axes, (3.95, 2.75), (4.75, 2.4), SKY)
    arrow(axes, (3.95, 1.25), (4.75, 1.55), BLUE)
    arrow(axes, (3.95, 2.6), (4.75, 0.85), RED, line="--")
    arrow(axes, (3.95, 1.05), (4.75, 0.75), RED, line="--")
    text(axes, 4.66, 3.3, "within its share", SMALL, ha="right")
    text(axes, 4.66, 0.55, "beyond its share", SMALL, RED, ha="right")
    for y, name, colour in LEVELS:
        box(axes, 4.75, y - 0.22, 1.2, 0.44, name, colour, SMALL if len(name) > 8 else NORMAL)
        arrow(axes, (5.95, y), (6.3, 1.95 + (y - 1.95) / 6), colour)
    box(axes, 6.3, 1.35, 0.62, 1.2, "highest\nlevel\nfirst", PURPLE, SMALL)
    arrow(axes, (6.92, 1.95), (7.7, 1.95), width=2.5)
    text(axes, 5.5, 0.2, "lanes of a level, or groups, are served in turn", SMALL, GREY)
    text(axes, 1.3, 0.2, "flows of a lane: round-robin", SMALL, GREY)
    return axes


if __name__ == "__main__":
    save(draw(), "lanes")
