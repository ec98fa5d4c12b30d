# SPDX-License-Identifier: GPL-2.0-only
"""Draws the ring of a send context: blocks in every state, both counters, and the word in host memory."""
from sketch import BLACK, BLUE, GREEN, GREY, NORMAL, ORANGE, RED, SKY, SMALL, Ring, arrow, box, canvas, save, text

LEFT, ROW, SLOTS = 1.0, 2.05, 16  # where slot 0 is, height of the ring, inches
# Packets by first slot and length: name, colour, part of the colour.
PACKETS = ((0, 2, "A", GREY, 0.15), (2, 3, "B", GREY, 0.15), (5, 2, "C", ORANGE, 0.6), (7, 1, "D", GREY, 0.15),
           (8, 2, "E", SKY, 0.6), (10, 3, "F", SKY, 0.25))


def draw():
    axes = canvas(9.2, 4.3)
    ring = Ring(axes, LEFT, ROW, SLOTS)
    slot = ring.slot
    for number in range(SLOTS):
        text(axes, slot(number + 0.5), ROW - 0.13, str(number), SMALL, GREY)
    for first, length, name, colour, part in PACKETS:
        ring.bar(first, length, colour, part)
        ring.text(first, length, name, weight="bold")
    ring.bar(12, 1, SKY, 0.0, hatch="//")

    for x, words in ((slot(2.5), "A, B have left"), (slot(6), "C waits\nfor its lane"), (slot(7.5), ""), (slot(9), "E is\ncomplete"),
                     (slot(10.9), "F: a block\nis missing")):
        text(axes, x, ROW + 0.78, words, SMALL)
    arrow(axes, (slot(7.5), ROW + 1.28), (slot(7.5), ROW + 0.5), GREY)
    text(axes, slot(7.5), ROW + 1.4, "D has left before C", SMALL, GREY)

    arrow(axes, (slot(5), ROW - 0.78), (slot(5), ROW - 0.25), RED)
    text(axes, slot(4.9), ROW - 0.93, "freed: the unbroken run ends here", SMALL, RED)
    arrow(axes, (slot(13), ROW - 0.78), (slot(13), ROW - 0.25), BLUE)
    text(axes, slot(13), ROW - 0.93, "sent: the next packet", SMALL, BLUE)

    box(axes, 0.35, 3.55, 2.6, 0.55, "core: stores of 64 B, any order", BLUE, SMALL)
    arrow(axes, (2.95, 3.82), (slot(12.5), ROW + 0.5), BLUE, bend=-0.34)
    box(axes, 0.35, 0.2, 3.6, 0.55, "word in host memory: freed = 5, threshold", RED, SMALL)
    arrow(axes, (slot(4.2), ROW - 1.05), (2.6, 0.77), RED)
    text(axes, 3.25, 0.93, "DMA write", SMALL, RED, ha="left")
    box(axes, 5.2, 0.2, 3.6, 0.55, "software: free = 16 - (13 - 5) = 8", BLUE, SMALL)
    arrow(axes, (3.97, 0.47), (5.18, 0.47), BLACK)
    text(axes, 8.75, 3.82, "adaptor's send memory", NORMAL, GREEN, ha="right", weight="bold")
    return axes


if __name__ == "__main__":
    save(draw(), "pio-context")
