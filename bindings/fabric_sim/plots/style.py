# SPDX-License-Identifier: GPL-2.0-only
"""What all pictures share: colours, error bars, heat maps, and the command line of the scripts that draw."""
import argparse
import math
import pathlib
import statistics
import sys
import textwrap
import weakref

import matplotlib
import matplotlib.pyplot as plt
import numpy
from matplotlib.colors import LogNorm
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from .. import results

# Okabe and Ito's colours, which colour-blind people can tell apart, without the yellow that is hard to see on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

LINE = 45  # characters of a legend
MOST_OF_HEIGHT = 0.2  # of a figure that a legend above axes takes
MANY_POWERS = 1000  # how many times as much as the least the most is, from which on an axis has no room for more than powers of ten
MOST_SIZES = 6  # texts of sizes for which a panel has room
CHARACTER = 0.6  # width of a character of a title, of its height
FILLS = ("full", "none", "left")  # of markers whose colours are the same
_heights: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # of figures, before legends made them higher
DASHES = ("-", "--", ":", "-.")  # of lines without markers whose colours are the same


def use():
    """Sets matplotlib for a script: pictures go to files, also where there is no display, in our colours."""
    matplotlib.use("Agg")
    matplotlib.rcParams["axes.prop_cycle"] = matplotlib.cycler(fillstyle=FILLS) * matplotlib.cycler(color=PALETTE)


def look(i):
    """@return colour and fill of the markers of the i-th of any number of lines"""
    return {"color": PALETTE[i % len(PALETTE)], "fillstyle": FILLS[i // len(PALETTE) % len(FILLS)]}


def plain_look(i):
    """@return colour and dashes of the i-th of any number of lines without markers"""
    return {"color": PALETTE[i % len(PALETTE)], "linestyle": DASHES[i // len(PALETTE) % len(DASHES)]}


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


def by_label(runs, label_of):
    """@return lists of runs by their labels, in the order of the first of each"""
    groups = {}
    for run in runs:
        groups.setdefault(label_of(run), []).append(run)
    return groups


def seeds_by_label(runs, label_of):
    """@return runs by their labels, each drawn as one point; see seeds()"""
    return {label: seeds(group) for label, group in by_label(runs, label_of).items()}


def varied_option(runs, options, value_of=lambda run, option: run.option(option)):
    """
    @param options of which runs differ in one
    @param value_of the value of an option in a run, None where it has no effect
    @return the option in which they differ; refuses runs that differ in none or several
    """
    varied = [name for name in options if len({value_of(run, name) for run in runs} - {None}) > 1]
    if len(varied) != 1:
        raise results.ResultError(f"{runs[0].folder} and others: the runs differ in {' and '.join(varied) or 'nothing'}; "
                                  f"allowed is one of {', '.join(options)}")
    return varied[0]


def _legend(owner, handles, width, place):
    """@return a legend of an owner in as few rows as a width has room for, in inches, which are about equally full"""
    labels = [textwrap.fill(handle.get_label(), LINE) for handle in handles]
    for columns in dict.fromkeys(math.ceil(len(labels) / rows) for rows in range(1, len(labels) + 1)):
        legend = owner.legend(handles, labels, ncols=columns, **place)
        if columns == 1 or legend.get_window_extent().width <= width * legend.figure.dpi:
            return legend
        legend.remove()


def _height(legend):
    """@return height of a legend, inches"""
    return legend.get_window_extent().height / legend.figure.dpi


def legend_above(axes, handles=None, **options):
    """
    Puts a legend above axes, where it covers nothing of what is drawn, and their title above it. The figure becomes higher where it would take too much of it.

    @param handles of its entries; of what is drawn if there are none
    @param options of legend()
    @return the legend
    """
    handles = handles or axes.get_legend_handles_labels()[0]
    width = axes.get_window_extent().width / axes.figure.dpi
    legend = _legend(axes, handles, width, {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "frameon": False, **options})
    if axes.get_title():
        gap = matplotlib.rcParams["legend.borderaxespad"] * legend.get_texts()[0].get_fontsize()
        axes.set_title(axes.get_title(), fontsize=axes.title.get_fontsize(), pad=72 * _height(legend) + gap + matplotlib.rcParams["axes.titlepad"])
    rows = axes.get_gridspec().nrows if axes.get_gridspec() else 1
    height = _heights.setdefault(axes.figure, axes.figure.get_figheight())
    axes.figure.set_figheight(max(axes.figure.get_figheight(), (1 - MOST_OF_HEIGHT) * height + rows * _height(legend)))
    return legend


def legend_below(axes, **options):
    """
    Puts the legend of axes below all axes of a figure, which becomes higher for it.

    @param options of legend()
    """
    figure = axes.figure
    legend = _legend(figure, axes.get_legend_handles_labels()[0], 0.95 * figure.get_figwidth(), {"loc": "outside lower center", "fontsize": 9, **options})
    make_room(legend)


def row_of_panels(groups, draw_panel, size, quantity, **options):
    """
    @param groups lists of runs, of which each has a panel
    @param draw_panel called with axes and runs
    @param size of a panel, inches
    @param quantity on the vertical axis that the panels share
    @param options of the legend, which is that of the first panel
    @return the figure
    """
    figure, panels = plt.subplots(1, len(groups), figsize=(size[0] * len(groups), size[1]), layout="constrained", sharey=True, squeeze=False)
    for axes, group in zip(panels[0], groups):
        draw_panel(axes, group)
    panels[0][0].set_ylabel(quantity)
    legend_below(panels[0][0], **options)
    return figure


def make_room(legend):
    """Makes a figure higher by the height of a legend."""
    legend.figure.set_figheight(legend.figure.get_figheight() + _height(legend))


def error_bars(values):
    """@return medians of some lists of values, and how far down and up from them these reach, for matplotlib"""
    medians = [statistics.median(each) for each in values]
    return medians, [[median - min(each) for median, each in zip(medians, values)],
                     [max(each) - median for median, each in zip(medians, values)]]


def draw_points(axes, runs, x_of, y_of, fmt="o-", **options):
    """
    Draws runs by one of their values: the median of the seeds of each, with their range; runs that differ in more than their seeds are refused.

    @param x_of the value of a run by which it is drawn
    @param y_of what is drawn of a run
    @param options of errorbar()
    """
    places = sorted(set(map(x_of, runs)))
    points = [seeds([run for run in runs if x_of(run) == place]) for place in places]
    medians, ranges = error_bars([[y_of(run) for run in point] for point in points])
    axes.errorbar(places, medians, ranges if max(map(len, points), default=0) > 1 else None, fmt=fmt, capsize=3, **options)


def draw_bars(axes, groups):
    """
    Draws bars beside each other: medians of seeds, with their range.

    @param groups lists of values by label and by place on the axis
    @return the bars, by label
    """
    width = 0.8 / len(groups)
    drawn = {}
    for i, (label, group) in enumerate(groups.items()):
        places = [place + (i - (len(groups) - 1) / 2) * width for place in group]
        medians, ranges = error_bars(group.values())
        several = any(len(values) > 1 for values in group.values())
        drawn[label] = axes.bar(places, medians, width * 0.95, yerr=ranges if several else None, color=PALETTE[i % len(PALETTE)], label=label, capsize=3)
    return drawn


def draw_bound(axes, places, values, **options):
    """Draws what a formula says: a line, and a short one where there is a single point."""
    axes.plot(places, values, marker="_" if len(places) == 1 else "", markersize=18, **options)


class _PlainTicks(LogLocator):
    """1, 2 and 5 of each power of ten, of many powers 1 alone; where these are less than two, round numbers at equal distances."""

    def __init__(self):
        super().__init__(subs=(1, 2, 5))

    def tick_values(self, vmin, vmax):
        """@return where ticks are"""
        self.set_params(subs=(1, 2, 5) if vmax < MANY_POWERS * vmin else (1,))
        ticks = [tick for tick in super().tick_values(vmin, vmax) if vmin <= tick <= vmax]
        return ticks if len(ticks) > 1 else [tick for tick in MaxNLocator(5).tick_values(vmin, vmax) if vmin <= tick <= vmax]


def log_axis(axis):
    """Makes an axis logarithmic, with plain numbers that don't cover each other."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    axis.set_major_locator(_PlainTicks())
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def size_axis(axis):
    """Makes an axis of sizes logarithmic, with ticks at powers of two that have room for their texts."""
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log", base=2)
    axis.set_major_locator(LogLocator(base=2, numticks=MOST_SIZES))
    axis.set_major_formatter(FuncFormatter(lambda size, _: results.size_text(int(size))))
    axis.set_minor_formatter(NullFormatter())


def is_wide(values, times=100):
    """@return whether values differ by more than so many times, so that the small ones are lost on a linear axis; 0 or a text is on no other"""
    values = numpy.asarray(values)
    return bool(len(values)) and numpy.issubdtype(values.dtype, numpy.number) and values.min() > 0 and values.max() > times * values.min()


def from_zero(axes, room=0.05):
    """
    Lets the vertical axis begin at 0, with room above what is drawn; one that panels share, above what is drawn on any of them.

    @param room part of the height
    """
    top = max(each.dataLim.y1 for each in axes.get_shared_y_axes().get_siblings(axes))
    axes.set_ylim(0, (1 + room) * top if numpy.isfinite(top) and top > 0 else 1)


def title(figure, text, size=12):
    """Puts a title above a figure, in as many lines as its width needs."""
    characters = int(72 * figure.get_figwidth() / (CHARACTER * size))
    figure.suptitle(textwrap.fill(text, characters), fontsize=size)


def queued(ports, period, end):
    """
    @param ports rows of ports.csv, which has none for a port where nothing waits
    @param period between samples, s
    @param end of the last one, s
    @return the bytes that wait at these ports in each sample, by time
    """
    found = ports["queued_bytes"].astype(float).groupby((ports["time_s"].astype(float) / period).round().astype(int)).sum().reindex(range(round(end / period) + 1), fill_value=0)
    found.index = found.index * period
    return found


def draw_cdf(axes, seeds, label, color, linestyle="-"):
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
    axes.step(middle, fractions, where="post", color=color, linestyle=linestyle, label=label)
    axes.fill_betweenx(fractions, low, high, step="pre", color=color, alpha=0.2)


def short_number(value, digits=3):
    """@return it with some digits, or all before the point, and never with an exponent"""
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return numpy.format_float_positional(value, precision=digits, unique=False, fractional=False, trim="-")


def contrast(colour):
    """@return the colour of a text on red, green and blue of 0 to 1"""
    return "white" if numpy.dot(colour[:3], (0.299, 0.587, 0.114)) < 0.5 else "black"


def draw_heat_map(axes, cells, norm):
    """
    Draws the medians of each cell as colours and numbers, with the range below where its values differ and there is room.

    @param cells rows of columns of lists of values; an empty list leaves its cell blank
    @param norm of the colours
    @return the image, for colour_bar()
    """
    medians = [[statistics.median(cell) if cell else float("nan") for cell in row] for row in cells]
    image = axes.imshow(medians, norm=norm, cmap="YlOrRd", aspect="auto")
    texts = [(axes.text(x, y, "", ha="center", va="center", color=contrast(image.to_rgba(medians[y][x])), in_layout=False), cell)
             for y, row in enumerate(cells) for x, cell in enumerate(row) if cell]
    numbers = _Numbers(texts)
    axes.add_artist(numbers)
    numbers.fit()
    return image


class _Numbers(matplotlib.artist.Artist):
    """Fits the numbers of a heat map into its cells whenever it is drawn: before that nobody knows how large these are."""

    # Size of the type, digits, and whether there is a range, from the best for large cells to the last for small ones.
    KINDS = (*((size, 3, True) for size in (8, 7, 6)), *((size, 2, True) for size in (8, 7, 6, 5)), *((size, 3, False) for size in (8, 7, 6)),
             *((size, 2, False) for size in (6, 5)))

    def __init__(self, texts):
        """@param texts and the values of the cell of each"""
        super().__init__()
        self.set_in_layout(False)
        self._texts = texts

    def draw(self, renderer):
        """Is called before the texts are drawn, as its zorder is less."""
        self.fit()

    def fit(self):
        """Sets texts and their sizes."""
        # A cell has room for them, with a gap to its neighbours.
        corners = self.axes.transData.transform([(0, 0), (1, 1)])
        width, height = abs(corners[1] - corners[0]) * 0.92
        for size, digits, has_range in self.KINDS:
            for text, cell in self._texts:
                text.set(text=_cell_text(cell, digits, has_range), fontsize=size)
            extents = [text.get_window_extent() for text, _ in self._texts]
            if all(each.width <= width and each.height <= height for each in extents):
                break


def _cell_text(cell, digits, has_range):
    """@return the median of values, and their range below it if there is room for one"""
    text, least, most = (short_number(of(cell), digits) for of in (statistics.median, min, max))
    return f"{text}\n{least} to {most}" if has_range and least != most else text


def colour_bar(image, axes, **options):
    """Draws a colour bar with plain numbers. @param axes beside which it stands @param options of colorbar()"""
    bar = image.figure.colorbar(image, ax=axes, format="%g", ticks=_PlainTicks() if isinstance(image.norm, LogNorm) else None, **options)
    bar.minorticks_off()


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
