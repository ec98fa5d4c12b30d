# SPDX-License-Identifier: GPL-2.0-only
"""Draws the layers of the module and what calls what."""
from sketch import BLUE, GREEN, GREY, LARGE, ORANGE, PURPLE, RED, SMALL, arrow, bar, box, canvas, save, text


def layer(axes, y, height, name, words, colour):
    """Draws the ground of a layer with its name at the left."""
    bar(axes, 0.1, y, 7.4, height, colour, 0.08)
    text(axes, 0.2, y + height - 0.08, name, LARGE, ha="left", va="top", weight="bold")
    text(axes, 0.2, y + height - 0.34, words, SMALL, GREY, ha="left", va="top")


def draw():
    axes = canvas(7.6, 6.0)
    layer(axes, 5.2, 0.7, "Program", "", ORANGE)
    box(axes, 1.9, 5.3, 5.4, 0.5, "topology, traffic, trace sinks; options and result files", ORANGE)

    layer(axes, 4.0, 0.9, "Helpers", "install, collect\nresults", GREEN)
    for x, width, words in ((1.9, 1.7, "FabricHelper\nFatTreeHelper"), (3.75, 1.7, "FabricTransport-\nHelper"),
                            (5.6, 1.7, "FabricRun\nrecorders")):
        box(axes, x, 4.12, width, 0.66, words, GREEN)

    layer(axes, 2.3, 1.35, "ns-3 objects", "attributes,\ntrace sources,\nevents", BLUE)
    for x, width, y, words in ((1.9, 1.7, 3.05, "applications,\nIP stack"), (1.9, 1.7, 2.4, "FabricNetDevice"),
                               (3.75, 1.7, 3.05, "FabricNetwork"), (3.75, 1.7, 2.4, "FabricSwitch"),
                               (5.6, 1.7, 2.4, "FabricTransport"), (5.6, 1.7, 3.05, "FabricChannel")):
        box(axes, x, y, width, 0.5, words, BLUE)
    arrow(axes, (2.75, 3.05), (2.75, 2.9))
    arrow(axes, (4.6, 3.05), (4.6, 2.9))

    layer(axes, 0.1, 1.75, "Mechanisms", "plain classes;\ntime is an\nargument", PURPLE)
    box(axes, 1.9, 1.15, 1.4, 0.5, "Nic", PURPLE)
    box(axes, 4.05, 1.15, 1.4, 0.5, "SwitchChip", PURPLE)
    box(axes, 5.6, 1.15, 1.7, 0.5, "TransportEndpoint", PURPLE)
    box(axes, 1.9, 0.2, 5.4, 0.5, "flow tables, routing, arbiters, credits, windows; rings of frames", PURPLE)
    for x in (2.75, 4.6, 6.45):
        arrow(axes, (x, 1.15), (x, 0.7))

    arrow(axes, (4.6, 5.2), (4.6, 4.9))
    text(axes, 4.75, 5.05, "sets up", SMALL, ha="left")
    arrow(axes, (4.6, 4.0), (4.6, 3.65))
    text(axes, 4.75, 3.83, "makes and connects", SMALL, ha="left")
    arrow(axes, (4.5, 2.4), (4.5, 1.65))
    text(axes, 4.62, 2.04, "Advance(now, until)", SMALL, ha="left")
    arrow(axes, (2.65, 2.4), (2.65, 1.65))
    arrow(axes, (2.85, 1.65), (2.85, 2.4), RED)
    text(axes, 2.95, 2.02, "complete at t", SMALL, RED, ha="left")
    arrow(axes, (6.45, 2.4), (6.45, 1.65))
    text(axes, 6.57, 2.02, "packets", SMALL, ha="left")
    arrow(axes, (3.3, 1.4), (4.05, 1.4), style="<|-|>")
    text(axes, 3.67, 1.54, "frames", SMALL)
    arrow(axes, (1.7, 3.65), (1.7, 5.2), RED)
    text(axes, 1.8, 3.83, "callbacks, trace sinks", SMALL, RED, ha="left")
    return axes


if __name__ == "__main__":
    save(draw(), "architecture")
