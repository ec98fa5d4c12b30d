# SPDX-License-Identifier: GPL-2.0-only
"""Draws the records of one flow channel at three switches, and the way of its frames and ACKs."""
from sketch import BLUE, GREEN, GREY, NORMAL, ORANGE, RED, SKY, SMALL, arrow, bar, box, canvas, save, text

SWITCHES = ((1.35, "ingress edge switch"), (3.3, "core switch"), (5.25, "egress edge switch"))
WIDTH = 1.5
LINKS = (17, 4)  # flow_id on the links between switches


def draw_switch(axes, x, name, first, last, waiting):
    bar(axes, x, 0.75, WIDTH, 2.5, GREY, 0.08)
    text(axes, x + WIDTH / 2, 3.42, name, NORMAL, weight="bold")
    if first:
        box(axes, x + 0.1, 2.72, WIDTH - 0.2, 0.42, "EFCT: header\nto flow_id", ORANGE, SMALL)
    box(axes, x + 0.1, 2.2, WIDTH - 0.2, 0.42, "IFCT: queue,\nextents, output", BLUE, SMALL)
    for i in range(4):
        bar(axes, x + 0.35 + 0.2 * i, 1.75, 0.2, 0.26, BLUE, 0.6 if i >= 4 - waiting else 0.0)
    text(axes, x + WIDTH / 2, 1.52, f"queue_extent: {waiting}", SMALL, BLUE)
    box(axes, x + 0.1, 0.85, WIDTH - 0.2, 0.42, "makes the ACKs" if last else "OFCT: way back\nof the ACKs",
        RED if last else GREEN, SMALL)


def draw():
    axes = canvas(8.1, 3.65)
    box(axes, 0.1, 1.65, 0.75, 0.5, "host A", SKY)
    box(axes, 7.25, 1.65, 0.75, 0.5, "host B", SKY)
    for i, (x, name) in enumerate(SWITCHES):
        draw_switch(axes, x, name, i == 0, i == 2, (3, 2, 1)[i])
    for start, end in ((0.85, 1.7), (2.5, 3.65), (4.45, 5.6), (6.4, 7.25)):
        arrow(axes, (start, 1.88), (end, 1.88), BLUE, width=1.8)
    for i, flow in enumerate(LINKS):
        x = SWITCHES[i][0] + WIDTH + 0.225
        text(axes, x, 2.12, f"id {flow}", SMALL, BLUE)
    for start, end in ((5.35, 4.7), (3.4, 2.75)):
        arrow(axes, (start, 1.06), (end, 1.06), RED, line="--", width=1.5)
        text(axes, (start + end) / 2, 0.9, "ACK", SMALL, RED)
    arrow(axes, (2.6, 0.5), (6.75, 0.5), GREY, "|-|,widthA=0.25,widthB=0.25", width=1)
    text(axes, 4.67, 0.27, "flow_extent of the first switch: sent on from here and not acknowledged", SMALL, GREY)
    return axes


if __name__ == "__main__":
    save(draw(), "flow-channel")
