# SPDX-License-Identifier: GPL-2.0-only
"""SC-6: what all pictures of programs share: seeds, colours, axes, queues, and runs that are refused. The runs are made up."""
import pathlib

import matplotlib
import matplotlib.pyplot as plt
import pandas
import pytest

from fabric_sim import plots
from fabric_sim.plots import run as of_flows
from fabric_sim.plots import ack_overhead, allreduce, crossbar, incast, ingress_fairness, nic, permutation, reductions, shaping, style, transport, vl_arbitration
from fabric_sim.results import ResultError, Run, parameters, read_csv

matplotlib.use("Agg")
SHAPE = {"topology": "fat-tree", "k": 4, "levels": 3, "linkRate": 2e11, "hostRate": 0}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def made_up(options, *rows, folder="run"):
    """@return a run with rows of a summary: metric, value and the keys"""
    summary = pandas.DataFrame([{"metric": metric, "value": value, "unit": "1", **keys} for metric, value, keys in rows]).fillna("")
    return Run(pathlib.Path(folder), {"program": "made-up", "options": options}, summary)


def labels_of(axes):
    return axes.get_legend_handles_labels()[1]


def points_of(axes, which=0):
    """@return where the points of one of the lines with error bars are"""
    line = axes.containers[which][0]
    return list(zip(line.get_xdata(), line.get_ydata()))


def range_of(axes, which=0):
    """@return from where to where the first bar of a range goes"""
    return axes.containers[which][2][0].get_segments()[0][:, 1].tolist()


def crossbar_run(load, seed, value, **more):
    return made_up({"pattern": "uniform", "crossbar": "tiled", "load": load, "ports": 8, "frameBytes": 4096, "RngRun": seed, **more}, ("throughput", value, {}),
                   *[("latency", value * 1e-6, {"stat": stat}) for stat in crossbar.STATS])


def permutation_run(load, seed, value):
    return made_up({**SHAPE, "pattern": "uniform", "routing": "minimal", "load": load, "RngRun": seed}, ("accepted_load", value, {}), ("fct", 1e-6, {"stat": "mean"}))


def nic_run(load, seed, value):
    rows = [("latency", value * 1e-6, {"stat": "mean"}), ("command_rate", 1e6, {}), *[("pcie_bytes_per_command", 1, {"from": side}) for side in nic.SIDES]]
    return made_up({"policy": "memory", "operation": "put", "load": load, "bytes": 8, "batch": 1, "queues": 1, "entries": 0, "RngRun": seed}, *rows)


def loss_run(loss, seed, value):
    return made_up({"protocol": "tcp", "over": "ip", "loss": loss, "RngRun": seed}, ("goodput", value * 1e9, {}))


@pytest.mark.parametrize("make, draw, scale", [(crossbar_run, crossbar.draw, 1), (permutation_run, permutation.draw, 1), (nic_run, nic.draw, 1),
                                               (loss_run, transport.draw_loss, 100)])
def test_sc6_seeds_of_a_point_are_a_median_and_a_range(make, draw, scale):
    runs = [make(0.1, 1, 0.3), make(0.1, 2, 0.1), make(0.1, 3, 0.2), make(0.2, 1, 0.5)]
    axes = draw(*runs).axes[0]
    assert points_of(axes) == [(pytest.approx(0.1 * scale), pytest.approx(0.2)), (pytest.approx(0.2 * scale), pytest.approx(0.5))]
    assert range_of(axes) == pytest.approx([0.1, 0.3])


def test_sc6_what_is_no_seed_is_refused():
    with pytest.raises(ResultError, match="differ in --linkRate, and would be drawn as seeds"):
        crossbar.draw(crossbar_run(0.1, 1, 1, linkRate=1e11), crossbar_run(0.1, 2, 1, linkRate=2e11))


def test_sc6_bars_of_seeds_are_one_bar_with_a_range():
    def run(seed, share):
        return made_up({"load": "0.9", "linkRate": 1e11, "RngRun": seed}, ("share", share, {"class": "0"}), ("latency", 1e-6, {"class": "0", "stat": "p99"}))
    axes = shaping.draw(run(1, 0.1), run(2, 0.3), run(3, 0.2)).axes[0]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([20])
    assert labels_of(axes) == ["load 0.9"]


def test_sc6_ack_rates_of_seeds_are_one_point():
    def run(load, seed, rate, overhead):
        rows = [(metric, overhead, {}) for metric in ("ack_overhead", "ack_overhead_ideal", "acks_per_frame")]
        return made_up({"linkRate": 2e11, "reverse": False, "load": load, "RngRun": seed}, ("ack_rate", rate, {}), *rows)
    runs = [run(0.8, 1, 7e7, 0.03), run(0.8, 2, 5e7, 0.01), run(0.8, 3, 6e7, 0.02), run(0.1, 1, 1e7, 0.005)]
    overhead, aggregation = ack_overhead.draw(*runs).axes
    assert points_of(overhead) == [(10, pytest.approx(0.5)), (60, pytest.approx(2))]
    assert overhead.containers[0][2][0].get_segments()[1][:, 1].tolist() == pytest.approx([1, 3])
    assert points_of(aggregation) == [(10, 0.005), (60, 0.02)]


def test_sc6_applications_of_seeds_are_one_bar_each():
    def run(seed, goodputs, flows=(1, 20), **more):
        rows = [("goodput", goodput * 1e9, {"app": str(app), "phase": phase}) for app, goodput in enumerate(goodputs) for phase in ingress_fairness.PHASES]
        return made_up({"flows": list(flows), "grouping": True, "ratio": [1, 1], "RngRun": seed, **more}, *rows)
    axes = ingress_fairness.draw(run(1, (50, 60)), run(2, (52, 40)), run(3, (51, 50))).axes[0]
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([51, 50]) and labels_of(axes) == ["1 flow", "20 flows"]
    assert labels_of(ingress_fairness.draw(run(1, (50, 60), (3, 3))).axes[0]) == ["3 flows, number 0", "3 flows, number 1"]
    with pytest.raises(ResultError, match="differ in --limit, and would be drawn as seeds"):
        ingress_fairness.draw(run(1, (50, 60), limit=1), run(2, (50, 60), limit=2))


def test_sc6_lanes_of_seeds_are_one_bar_and_one_line_each(tmp_path):
    def run(seed, share, conforming):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "lanes.csv").write_text(f"time_s,lane,conforming_bytes,over_bandwidth_bytes\n1e-06,0,{conforming},1000\n2e-06,0,0,1000\n")
        rows = (("share", share, {"lane": "0"}), ("over_bandwidth_share", 0.5, {"lane": "0"}))
        return made_up({"meter": "m", "mode": "n", "over": "o", "samplePeriod": 1e-6, "RngRun": seed}, *rows, folder=folder)
    shares, meter = vl_arbitration.draw(run(1, 0.3, 1000), run(2, 0.1, 3000), run(3, 0.2, 2000)).axes
    assert [bar.get_height() for bar in shares.patches] == pytest.approx([20, 10])  # of which half is hatched
    assert range_of(shares) == pytest.approx([10, 30]) and labels_of(shares) == ["m, n, o"]
    assert [list(line.get_ydata()) for line in meter.lines] == [pytest.approx([16, 0]), pytest.approx([24, 8])]


def test_sc6_an_all_reduce_by_switches_is_called_so():
    runs = [made_up({"by": by, "interval": 5e-6}, ("allreduce_ranks", 16, {}), ("allreduce_time", 1e-6, {})) for by in ("switch", "host", "nic")]
    assert labels_of(allreduce.draw(*runs).axes[0]) == ["by NICs", "by software, every 5 us", "by switches"]


def test_sc6_every_control_is_drawn_against_the_round_trip():
    controls = ["dcqcn", "delay", "fixed", "hpcc", "marks", "timely"]
    runs = [made_up({"congestionControl": control, "linkRate": 1e11, "linkDelay": delay}, ("goodput", 9e10, {})) for control in controls for delay in (1e-6, 1e-3)]
    assert labels_of(transport.draw_round_trips(*runs).axes[0])[-6:] == controls


def test_sc6_every_transport_is_drawn_and_a_single_seed_has_no_range(tmp_path):
    (tmp_path / "messages.csv").write_text("bytes,slowdown\n64,1\n4096,2\n")
    controls = [f"control {i}" for i in range(9)]
    runs = [Run(tmp_path, {"options": {"transport": "rt", "congestionControl": control}, "run": 1}, pandas.DataFrame()) for control in controls]
    axes = of_flows.draw_transports(*runs).axes[0]
    assert labels_of(axes) == [f"reliable transport, {control}" for control in controls]
    assert axes.get_title() == "p50"


@pytest.mark.parametrize("look", [style.look, style.plain_look])
def test_sc6_twelve_lines_look_different(look):
    assert len({tuple(look(i).values()) for i in range(12)}) == 12


def reduction_run(folder, hosts, size, ranks=16):
    folder.mkdir(exist_ok=True)
    (folder / "ranks.csv").write_text("rank,time_s\n" + "0,1e-6\n" * ranks)
    return made_up({**SHAPE, "collective": "allreduce-ring", "transport": "raw", "hosts": hosts, "bytes": size}, ("completion_time", 1e-6, {}),
                   ("lower_bound", 5e-7, {}), folder=folder)


def test_sc6_all_hosts_are_as_many_as_there_are(tmp_path):
    everybody = reductions.draw(*[reduction_run(tmp_path / str(size), 0, size) for size in (8, 1024)])
    assert [axes.get_xlabel() for axes in everybody.axes] == ["bytes of each host's buffer, 16 hosts"]
    some = reductions.draw(reduction_run(tmp_path / "all", 0, 8), reduction_run(tmp_path / "4", 4, 8, 4))
    assert [x for x, _ in points_of(some.axes[1])] == [4, 16]


def test_sc6_a_bound_with_one_point_can_be_seen():
    axes = plt.figure().add_subplot()
    style.draw_bound(axes, [16], [2])
    style.draw_bound(axes, [1, 2], [2, 3])
    assert [line.get_marker() for line in axes.lines] == ["_", ""]


@pytest.mark.parametrize("low, high", [(2745, 2762), (0.9, 1.1), (1, 60), (1e-3, 1e3), (3, 3.0001)])
def test_sc6_logarithmic_axes_have_ticks_that_do_not_cover_each_other(low, high):
    figure = plt.figure(figsize=(3.4, 2.5))
    axes = figure.add_subplot()
    axes.plot([0, 1], [low, high])
    style.log_axis(axes.yaxis)
    figure.canvas.draw()
    bottom, top = sorted(axes.get_ylim())
    texts = [label for label in axes.get_yticklabels(which="both") if label.get_text() and bottom <= label.get_position()[1] <= top]
    boxes = [label.get_window_extent() for label in texts]
    assert len(boxes) >= 2
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_sc6_what_is_highest_is_not_cut_off():
    axes = plt.figure().add_subplot()
    axes.plot([1, 2], [1.05, 1.28], "D")
    style.from_zero(axes)
    assert axes.get_ylim() == (0, pytest.approx(1.28 * 1.05))


def test_sc6_an_axis_that_panels_share_cuts_off_none_of_them():
    _, (left, right) = plt.subplots(1, 2, sharey=True)
    left.plot([1, 2], [1.0, 1.65])
    style.from_zero(left)
    right.plot([1, 2], [1.0, 1.2])
    style.from_zero(right)
    assert left.get_ylim() == right.get_ylim() == (0, pytest.approx(1.65 * 1.05))


def test_sc6_texts_of_sizes_do_not_cover_each_other():
    figure, panels = plt.subplots(1, 2, figsize=(10.2, 4.2), layout="constrained")
    for axes, sizes in zip(panels, ((4096, 1 << 20), (8, 1 << 26))):
        axes.plot(sizes, [1, 2])
        style.size_axis(axes.xaxis)
    figure.canvas.draw()
    for axes in panels:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert len(boxes) >= 3
        assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_sc6_a_long_title_stays_within_the_picture():
    figure = plt.figure(figsize=(4, 3))
    style.title(figure, "dragonfly with 2 hosts and 2 global ports on each of 4 switches of a group, links of hosts 100 Gb/s")
    figure.canvas.draw()
    box = figure._suptitle.get_window_extent()  # pylint: disable=protected-access
    assert box.x0 >= 0 and box.x1 <= figure.bbox.width


def test_sc6_an_empty_queue_is_drawn_as_empty(tmp_path):
    (tmp_path / "ports.csv").write_text("time_s,switch,port,queued_bytes\n1e-6,0,2,1024\n1e-6,0,0,99\n5e-6,0,2,2048\n")
    (tmp_path / "windows.csv").write_text("time_s,host,window_packets\n" + "".join(f"{i}e-6,0,8\n" for i in range(1, 8)))
    run = Run(
        tmp_path, {"program": "made-up", "options": {"congestionControl": "delay", "senders": 2, "samplePeriod": 1e-6}}, pandas.DataFrame())
    line = transport.draw_windows(run).axes[1].lines[0]
    assert line.get_ydata().tolist() == [0, 1, 0, 0, 0, 2, 0, 0]
    assert line.get_xdata() == pytest.approx(range(8))


def test_sc6_nothing_that_waits_is_an_empty_queue(tmp_path):
    (tmp_path / "ports.csv").write_text("time_s,switch,queued_bytes\n")
    run = Run(tmp_path, {"options": {"samplePeriod": 1e-6}}, pandas.DataFrame({"metric": ["simulated_time"], "value": [3.5e-6], "unit": ["s"]}))
    for of_receiver in (True, False):
        depth = incast.occupancy(run, of_receiver)
        assert depth.tolist() == [0, 0, 0, 0] and list(depth.index) == pytest.approx([0, 1e-6, 2e-6, 3e-6])


def test_sc6_nothing_in_a_file_is_one_sentence(tmp_path):
    for name, header in (("windows", "time_s,host,window_packets,rate_bps"), ("packets", "time_s,host,direction,type,psn,sent_s")):
        (tmp_path / f"{name}.csv").write_text(header + "\n")
    run = Run(tmp_path, {"options": {"senders": 1, "congestionControl": "dcqcn"}}, pandas.DataFrame())
    for draw in (transport.draw_windows, transport.draw_rates, transport.draw_timeline):
        with pytest.raises(ResultError, match="there is no row, and so nothing to draw"):
            draw(run)
    nothing = pandas.DataFrame({"time_s": [], "queued_bytes": []})
    with pytest.raises(ResultError, match="nothing waits at any port"):
        plots.queue_depth({"one run": nothing})


@pytest.mark.parametrize("text, words", [("a,b\n1,2\n1,", "the last line has no end"), ("a,b\n1\n2,3,4\n", "cannot be read")])
def test_sc6_a_broken_table_is_one_line(tmp_path, text, words):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(ResultError, match=words) as caught:
        read_csv(tmp_path / "table.csv")
    assert "\n" not in str(caught.value)


def test_sc6_a_manifest_without_options_is_one_sentence():
    with pytest.raises(ResultError, match="manifest.json: there are no options"):
        parameters(Run(pathlib.Path("run"), {"program": "made-up"}, pandas.DataFrame()))


def overlap_of(axes):
    """@return whether the legend of axes covers something of what they show"""
    axes.figure.canvas.draw()
    return axes.get_legend().get_window_extent().overlaps(axes.get_window_extent())


def test_sc6_a_legend_above_axes_covers_neither_them_nor_their_title():
    axes = plt.figure(layout="constrained").add_subplot()
    for i in range(7):
        axes.plot([1, 2], [i, 1], label=f"line {i}")
    axes.set_title("a title", fontsize=10)
    style.legend_above(axes)
    assert not overlap_of(axes) and axes.title.get_fontsize() == 10
    legend, title = axes.get_legend().get_window_extent(), axes.title.get_window_extent()
    assert not legend.overlaps(title) and title.y1 <= axes.figure.bbox.y1 and legend.x0 >= 0 and legend.x1 <= axes.figure.bbox.x1


def test_sc6_a_legend_below_panels_covers_nothing_and_takes_nothing_from_them():
    figure, panels = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
    for i in range(7):
        panels[0].plot([1, 2], [i, 1], label=f"line {i} with a label of some length")
    figure.canvas.draw()
    height = panels[0].get_window_extent().height
    style.legend_below(panels[0])
    figure.canvas.draw()
    assert panels[0].get_window_extent().height == pytest.approx(height, rel=0.05)
    below = figure.legends[-1].get_window_extent()
    assert len(figure.legends) == 1 and below.y1 <= panels[0].get_tightbbox().y0 and below.x0 >= 0 and below.x1 <= figure.bbox.x1


def test_sc6_the_legend_of_flows_covers_no_point(tmp_path):
    (tmp_path / "messages.csv").write_text("bytes,slowdown\n64,1\n4096,2\n")
    runs = [Run(tmp_path, {"options": {"transport": "raw", "load": load}, "run": 1}, pandas.DataFrame()) for load in (0.1, 0.5, 0.9)]
    assert not overlap_of(of_flows.draw(*runs).axes[0])


def test_sc6_sixteen_lanes_look_different(tmp_path):
    (tmp_path / "lanes.csv").write_text("time_s,lane,conforming_bytes,over_bandwidth_bytes\n" + "".join(f"{t}e-06,{lane},1000,0\n" for t in (1, 2) for lane in range(16)))
    rows = [(metric, 0.06, {"lane": str(lane)}) for metric in ("share", "over_bandwidth_share") for lane in range(16)]
    run = made_up({"meter": "m", "mode": "n", "over": "o", "samplePeriod": 1e-6}, *rows, folder=tmp_path)
    shares, meter = vl_arbitration.draw(run).axes
    assert len({(line.get_color(), line.get_linestyle()) for line in meter.lines}) == 17 == len(labels_of(meter))
    assert not overlap_of(meter) and not overlap_of(shares)


def outage_run(folder, operations, rate=200e9):
    """@return a run whose operations were posted, were complete, and have bytes"""
    folder.mkdir(exist_ok=True)
    (folder / "messages.csv").write_text("start_s,end_s,bytes,status\n" + "".join(f"{start},{end},{size},ok\n" for start, end, size in operations))
    return made_up({"linkRate": rate, "failAt": 0}, folder=folder)


@pytest.mark.parametrize("operations", [
    [(0, 1e-5 + i * 2.7e-6, 65536) for i in range(64)],  # posted at once, one after the other
    [(0, 1e-3 + i * 1e-9, 65536) for i in range(64)],  # held up by one of them
    [(i * 1e-9, 3e-5, 131072) for i in range(4)],  # of senders that share the link
])
def test_sc6_goodput_around_an_outage_is_all_bytes_and_never_more_than_the_link(tmp_path, operations):
    stairs = transport.draw_outage(outage_run(tmp_path / "run", operations)).axes[0].patches[0].get_data()
    assert max(stairs.values) <= 200 * (1 + 1e-9)
    assert sum(stairs.values * (stairs.edges[1:] - stairs.edges[:-1])) * 1e3 / 8 == pytest.approx(sum(size for *_, size in operations))
    assert stairs.edges[-1] == pytest.approx(max(end for _, end, _ in operations) * 1e6)


def test_sc6_a_flow_of_operations_is_even(tmp_path):
    operations = [(0, (i + 1) * 5e-6, 62500) for i in range(7)]  # 100 Gb/s, of which 7 operations don't divide 100 slots
    values = transport.draw_outage(outage_run(tmp_path / "run", operations)).axes[0].patches[0].get_data().values
    assert values == pytest.approx([100] * 100)


def test_sc6_types_of_packets_look_different_and_each_looks_the_same():
    types = list(transport.TYPES)
    rows = [(i * 1e-6, host, "rx" if host else "tx", name, i, 0) for i, name in enumerate(types) for host in (0, 1)] + [(2e-6, 1, "rx", "pullReq", 1, 1e-6)]
    axes = plt.figure(layout="constrained").add_subplot()
    style.use()
    transport.draw_packets(axes, pandas.DataFrame(rows, columns=["time_s", "host", "direction", "type", "psn", "sent_s"]))
    sent, arrived = axes.lines[:-1:2], axes.lines[1:-1:2]
    assert len({line.get_marker() for line in sent}) == len(types)
    assert [line.get_marker() for line in sent] == [line.get_marker() for line in arrived]
    assert {line.get_fillstyle() for line in sent} == {"full"} and {line.get_fillstyle() for line in arrived} == {"none"}
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [*types, "sent", "arrived, without a time of sending", "from sending to arrival"] and not overlap_of(axes)


def test_sc6_rates_name_the_congestion_control(tmp_path):
    (tmp_path / "windows.csv").write_text("time_s,host,rate_bps\n1e-6,0,1e9\n2e-6,0,2e9\n")
    (tmp_path / "ports.csv").write_text("time_s,port,queued_bytes\n1e-6,4,1024\n")
    run = made_up({"congestionControl": "dcqcn", "senders": 4, "samplePeriod": 1e-6}, folder=tmp_path)
    assert labels_of(transport.draw_rates(run).axes[0]) == ["4 senders, DCQCN"]


@pytest.mark.parametrize("columns, count", [(2, 2), (4, 4), (12, 12)])
def test_sc6_numbers_of_a_heat_map_stay_in_their_cells(columns, count):
    cells = [[[1.234 + x, 1.111 * (x + 2) * 10**(y % 3), 24.68 * (x + 3)] for x in range(columns)] for y in range(count)]
    figure = plt.figure(figsize=(3.4, 2.5), layout="constrained")
    axes = figure.add_subplot()
    style.colour_bar(style.draw_heat_map(axes, cells, matplotlib.colors.LogNorm(1.1, 900)), axes, label="impact")
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
    assert len({text.get_fontsize() for text in axes.texts}) == 1 and all(("to" in text.get_text()) == (columns < 12) for text in axes.texts)
    ticks = [label.get_text() for label in figure.axes[1].get_yticklabels(which="both") if label.get_text()]
    assert len(ticks) >= 4 and set("".join(ticks)) <= set("0123456789.")


@pytest.mark.parametrize("value, digits, text", [(0, 3, "0"), (0.00001239, 3, "0.0000124"), (99.96, 3, "100"), (999.7, 3, "1000"), (123456789.1, 2, "123456789"), (1.26, 2, "1.3")])
def test_sc6_short_numbers_have_no_exponent(value, digits, text):
    assert style.short_number(value, digits) == text
