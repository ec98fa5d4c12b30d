# SPDX-License-Identifier: GPL-2.0-only
"""What all pictures share: colours, error bars, heat maps, and the command line of the scripts that draw."""
import argparse
import pathlib
import statistics
import sys
import textwrap

import matplotlib
import numpy

from .. import results

# Okabe and Ito's colours, which colour-blind people can tell apart, without the yellow that is hard to see on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

LONG_LABEL = 30  # characters, above which a legend would cover what is drawn
LINE = 45  # characters of a legend


def use():
    """Sets matplotlib for a script: pictures go to files, also where there is no display, in our colours."""
    matplotlib.use("Agg")
    matplotlib.rcParams["axes.prop_cycle"] = matplotlib.cycler(color=PALETTE)


def seeds(runs):
    """@return runs that are drawn as one point, with the range of their seeds; refuses those that differ in anything else"""
    first = results.parameters(runs[0]) if runs else {}
    for run in runs:
        other = results.parameters(run)
        differ = [name for name in {**first, **other} if first.get(name) != other.get(name)]
        if differ:
            raise results.ResultError(f"{runs[0].folder} and {run.folder}: the runs differ in {', '.join(f'--{name}' for name in differ)}, and would be "
                                      "drawn as seeds of one point")
    return runs


def are_long(labels):
    """@return whether some labels are too long for a legend that stands within a picture"""
    return max(map(len, labels), default=0) > LONG_LABEL


def wrapped(label):
    """@return a label in as many lines as fit below or above a picture of a column"""
    return textwrap.fill(label, LINE)


def error_bars(values):
    """@return medians of some lists of values, and how far down and up from them these reach, for matplotlib"""
    medians = [statistics.median(each) for each in values]
    return medians, [[median - min(each) for median, each in zip(medians, values)],
                     [max(each) - median for median, each in zip(medians, values)]]


def draw_cdf(axes, seeds, colour, label):
    """
    Draws the CDF of the values of some seeds: the median over the seeds of each rank, and its range.

    @param seeds lists of values; of one that has fewer, the nearest rank at the same fraction is taken
    """
    if not all(len(values) for values in seeds):
        raise results.ResultError(f"{label}: a seed has no values to draw")
    count = max(map(len, seeds))
    ranks = numpy.arange(1, count + 1)
    values = numpy.array([numpy.sort(each)[-(-ranks * len(each) // count) - 1] for each in seeds])
    fractions = numpy.arange(count + 1) / count
    low, middle, high = (numpy.append(0, line) for line in (values.min(0), numpy.median(values, 0), values.max(0)))
    axes.step(middle, fractions, where="post", color=colour, label=label)
    axes.fill_betweenx(fractions, low, high, step="pre", color=colour, alpha=0.2)


def short_number(value):
    """@return it with three digits, and never with an exponent"""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def contrast(colour):
    """@return the colour of a text on red, green and blue of 0 to 1"""
    return "white" if numpy.dot(colour[:3], (0.299, 0.587, 0.114)) < 0.5 else "black"


def draw_heat_map(axes, cells, norm):
    """
    Draws the medians of each cell as colours and numbers, with the range below where its values differ.

    @param cells rows of columns of lists of values; an empty list leaves its cell blank
    @param norm of the colours
    @return the image, for a colour bar
    """
    medians = [[statistics.median(cell) if cell else float("nan") for cell in row] for row in cells]
    image = axes.imshow(medians, norm=norm, cmap="YlOrRd", aspect="auto")
    for y, row in enumerate(cells):
        for x, cell in enumerate(row):
            if cell:
                least, most = short_number(min(cell)), short_number(max(cell))
                text = short_number(medians[y][x]) + (f"\n{least} to {most}" if least != most else "")
                axes.text(x, y, text, ha="center", va="center", fontsize=8, color=contrast(image.to_rgba(medians[y][x])))
    return image


def save(figure, path):
    """
    @param figure a plot
    @param path where it goes; the ending tells the format
    """
    try:
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise results.ResultError(f"--output {path}: cannot be written ({error})") from None


def topology_text(run):
    """@return the topology of a run, and the rate of its hosts' links if that is another, for a title"""
    host_rate = run.option("hostRate")
    return shape_text(run) + (f", links of hosts {results.rate_text(host_rate)}" if host_rate else "")


def shape_text(run):
    """@return what a topology consists of"""
    topology = run.option("topology")
    if topology == "switch":
        return f"one switch of {run.option('k')} ports"
    if topology == "dragonfly":
        return (f"dragonfly with {run.option('hostsPerSwitch')} hosts and {run.option('globalPorts')} global ports on each of "
                f"{run.option('switchesPerGroup')} switches of a group")
    if topology in ("torus", "hyperx"):
        widths = " x ".join(str(width) for width in run.option("widths"))
        return f"{topology} of {widths} switches with {run.option('hostsPerSwitch')} hosts each"
    if topology != "fat-tree":
        return f"topology of {topology}"
    return f"fat tree of {run.option('levels')} levels with switches of {run.option('k')} ports"


def plot_runs(program, draw, description, count="+"):
    """
    The main function of a script that draws runs of a program and takes DIR... --output FILE.

    @param program name of the program
    @param draw makes the figure of the runs
    @param description of the script
    @param count how many runs it draws, "+" for any number
    @return exit code: 0, or 2 after one sentence on standard error
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folders", metavar="DIR", nargs=count, help=f"results of {program} --out=DIR")
    parser.add_argument("--output", metavar="FILE", required=True, help="picture to write (.png, .pdf, .svg)")
    arguments = parser.parse_args()
    use()
    try:
        save(draw(*(results.read_run(folder, program) for folder in arguments.folders)), arguments.output)
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
