# SPDX-License-Identifier: GPL-2.0-only
"""Draws how loads of links go back through a fat tree, to the switches that choose."""
from sketch import BLACK, GREEN, GREY, NORMAL, RED, SKY, SMALL, arrow, box, canvas, save, text

WIDTH, HEIGHT = 1.5, 0.5  # of a switch, inches
# Switches on the two ways from A to B: name, place.
SWITCHES = (("edge A", 0.2, 1.6), ("aggregation", 2.2, 2.7), ("core", 4.3, 2.7), ("aggregation", 6.4, 2.7),
            ("aggregation", 2.2, 0.5), ("core", 4.3, 0.5), ("aggregation", 6.4, 0.5), ("edge B", 8.4, 1.6))
# Links: ends, flows on the link, what is told back for the hosts of B.
LINKS = ((0, 1, "1", "4"), (1, 2, "1", "3"), (2, 3, "1", "2"), (3, 7, "2", ""),
         (0, 4, "1", "2"), (4, 5, "1", "1"), (5, 6, "1", "0"), (6, 7, "0", ""))


def end(number, right):
    """@return where a link leaves a switch"""
    _, x, y = SWITCHES[number]
    return x + (WIDTH if right else 0), y + HEIGHT / 2


def draw():
    axes = canvas(10.1, 3.8)
    for name, x, y in SWITCHES:
        box(axes, x, y, WIDTH, HEIGHT, name, SKY, SMALL)
    for first, second, flows, told in LINKS:
        start, stop = end(first, True), end(second, False)
        colour = RED if flows == "2" else BLACK if flows == "1" else GREY
        arrow(axes, start, stop, colour, width=2 if flows == "2" else 1.3)
        x, y = (start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2
        text(axes, x, y + 0.22, flows, NORMAL, colour, weight="bold")
        if told:
            left = 0 if start[1] == stop[1] else 0.55 if stop[1] > start[1] else -0.6
            text(axes, x + left, y - 0.24, "says " + told, SMALL, GREEN)
    text(axes, 5.05, 3.5, "flows on each link, and what the switch behind it says of the rest of the way to the hosts of B", SMALL)
    text(axes, 5.05, 0.15, "A flow of A to B costs 5 by the upper way, 3 by the lower one", SMALL, GREEN)
    return axes


if __name__ == "__main__":
    save(draw(), "neighbour-loads")
