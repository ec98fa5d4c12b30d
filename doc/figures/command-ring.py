# SPDX-License-Identifier: GPL-2.0-only
"""Draws the ring of a command queue: its pointers, the low-latency buffer on the NIC, and both paths of a command."""
from sketch import BLACK, BLUE, GREEN, GREY, NORMAL, ORANGE, RED, SKY, SMALL, Ring, arrow, box, canvas, save, text

LEFT, ROW = 0.6, 3.0  # where slot 0 is, height of the ring, inches
SLOTS = 17
# Slots by first one and length: words, colour, part of the colour.
PARTS = ((0, 4, "status", GREY, 0.35), (4, 3, "free", GREY, 0.0), (7, 2, "A", ORANGE, 0.6), (9, 1, "B", ORANGE, 0.6), (10, 2, "C", SKY, 0.6),
         (12, 1, "D", SKY, 0.6), (13, 4, "free", GREY, 0.0))
POINTERS = ((7, "read", RED), (10, "prefetch", GREEN), (13, "write", BLUE))


def draw():
    axes = canvas(9.2, 4.6)
    ring = Ring(axes, LEFT, ROW, SLOTS)
    slot = ring.slot
    for first, length, name, colour, part in PARTS:
        ring.bar(first, length, colour, part)
        ring.text(first, length, name, weight="bold" if len(name) == 1 else "normal")
    for where, name, colour in POINTERS:
        arrow(axes, (slot(where), ROW - 0.45), (slot(where), ROW - 0.04), colour)
        text(axes, slot(where), ROW - 0.58, name, SMALL, colour)
    text(axes, slot(8.5), ROW + 0.62, "on their way to the NIC", SMALL, ORANGE)
    text(axes, slot(11.9), ROW + 0.62, "not fetched", SMALL, BLUE)
    text(axes, slot(0), ROW + 1.3, "ring in host memory, slots of 64 B", NORMAL, BLACK, ha="left", weight="bold")
    text(axes, slot(0), ROW - 0.25, "read pointer, accepted,\ndropped, error", SMALL, GREY, ha="left")

    box(axes, 0.35, 0.3, 2.3, 0.62, "driver: policy of the queue", BLUE, SMALL)
    box(axes, 3.9, 0.98, 2.2, 0.55, "low-latency buffer, 2 slots", GREEN, SMALL)
    box(axes, 3.9, 0.15, 2.2, 0.55, "doorbell: write pointer", GREEN, SMALL)
    box(axes, 6.9, 0.55, 1.9, 0.62, "arbiter, parser,\nflow queues", GREEN, SMALL)
    text(axes, 8.8, 1.42, "NIC", NORMAL, GREEN, ha="right", weight="bold")
    arrow(axes, (2.65, 0.75), (3.88, 1.2), BLUE)
    arrow(axes, (2.65, 0.45), (3.88, 0.42), BLUE)
    text(axes, 2.0, 1.3, "2. pieces of 8 to 64 B", SMALL, BLUE, ha="left")
    text(axes, 2.72, 0.2, "2. or this", SMALL, BLUE, ha="left")
    arrow(axes, (6.1, 1.25), (6.88, 0.95), GREEN)
    arrow(axes, (6.1, 0.42), (6.88, 0.7), GREEN)
    arrow(axes, (slot(11.5), ROW - 0.04), (7.2, 1.2), GREEN)
    text(axes, 7.2, 1.85, "reads over PCIe, if it is\nnot in the buffer", SMALL, GREEN, ha="left")
    arrow(axes, (1.2, 0.94), (1.2, ROW - 0.62), BLUE)
    text(axes, 1.3, 1.85, "1. always into the ring", SMALL, BLUE, ha="left")
    return axes


if __name__ == "__main__":
    save(draw(), "command-ring")
