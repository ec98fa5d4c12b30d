# SPDX-License-Identifier: GPL-2.0-only
"""SC-6, PY-4: each plot of a sweep's tables is one call, and shows what the tables say."""
import pathlib
import statistics

import matplotlib
import numpy
import pandas
import pytest

from fabric_sim import figures, plots
from fabric_sim.plots import allreduce
from fabric_sim.results import ResultError, Run, table_of
from fabric_sim.sweep import Sweep
from programs import BIN

matplotlib.use("Agg")
LABELS = ["flowChannels=True", "flowChannels=False"]


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    options = {"k": 4, "senders": 8, "bytes": "64KiB", "jitter": "5us", "samplePeriod": "1us", "flowChannels": [True, False]}
    made = Sweep(BIN / "fabric-incast", options, repetitions=3, folder=tmp_path_factory.mktemp("plots") / "sweep")
    made.run()
    return made


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


def test_sc6_completion_times_have_median_and_range(sweep):
    messages = sweep.files("messages.csv")
    assert list(messages) == LABELS
    incast = {label: [table[table["dst"] == 0] for table in seeds] for label, seeds in messages.items()}
    axes = plots.completion_cdf(incast)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("completion time, us", "CDF")
    assert tuple(axes.figure.get_size_inches()) == plots.COLUMN and axes.xaxis.label.get_size() == 8
    longest = [max(table["fct_s"]) * 1e6 for table in incast[LABELS[0]]]
    assert max(axes.lines[0].get_xdata()) == pytest.approx(statistics.median(longest))
    assert max(axes.collections[0].get_paths()[0].vertices[:, 0]) == pytest.approx(max(longest))
    assert len(axes.lines) == 2


@pytest.mark.parametrize("column, quantity, scale", [("fct_s", "completion time, us", 1e6), ("latency_s", "latency, us", 1e6), ("slowdown", "slowdown", 1)])
@pytest.mark.parametrize("largest, axis", [(99, "linear"), (101, "log")])
def test_sc6_a_cdf_of_values_that_differ_much_has_a_logarithmic_axis(column, quantity, scale, largest, axis):
    axes = plots.completion_cdf({"all": pandas.DataFrame({column: [1 / scale, 2 / scale, largest / scale]})}, column=column)
    assert (axes.get_xlabel(), axes.get_xscale()) == (quantity, axis)
    assert axes.lines[0].get_xdata().tolist() == pytest.approx([0, 1, 2, largest])
    if axis == "linear":
        assert axes.get_xlim()[0] == 0
    with pytest.raises(ResultError, match="column=bytes: allowed is one of fct_s, latency_s, slowdown"):
        plots.completion_cdf({"all": pandas.DataFrame({"bytes": [1]})}, column="bytes")


@pytest.mark.parametrize("sizes, times, scales", [([8, 801], [1e-6, 2e-6], ("log", "linear")), ([8, 800], [1e-6, 101e-6], ("linear", "log")),
                                                  ([0, 8 << 20], [0, 1], ("linear", "linear")), ([8, 8 << 20], [1e-6, 1e-3], ("log", "log"))])
def test_sc6_axes_of_a_sweep_are_logarithmic_where_values_differ_much(sizes, times, scales):
    table = pandas.DataFrame({"metric": "fct", "bytes_B": sizes, "value": times, "unit": "s"})
    axes = plots.against(table, "fct", "bytes_B")
    assert (axes.get_xscale(), axes.get_yscale()) == scales
    low, high = axes.get_ylim()
    assert low <= min(times) * 1e6 and high >= max(times) * 1e6
    assert scales[1] == "log" or low == 0


def test_sc6_slowdowns_and_queues_are_drawn(sweep):
    axes = plots.slowdown_by_size(sweep.files("messages.csv"))
    assert axes.get_xlabel() == "message size, B" and len(axes.containers) == 4
    ports = sweep.files("ports.csv")
    axes = plots.queue_depth(ports)
    highest = max(ports[LABELS[1]][0].groupby("time_s")["queued_bytes"].sum()) / 2**10
    assert max(axes.collections[1].get_paths()[0].vertices[:, 1]) >= highest
    assert axes.get_ylabel() == "queued bytes, KiB"


def test_sc6_queues_of_a_switch_are_drawn_by_what_they_hold():
    queues = pandas.DataFrame({"time_s": [1e-6, 1e-6, 3e-6, 3e-6, 2e-6], "switch": [0, 0, 0, 0, 1], "port": [0, 1, 1, 2, 0], "output": 3,
                               "queue": ["flow", "flow", "flow", "output", "flow"], "src": [4, 5, 5, 6, 4], "dst": 7, "queued_bytes": [1024, 2048, 4096, 512, 9999]})
    axes = plots.switch_queues(queues, 0)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["in 2 out 3", "in 0 out 3: 4-7", "in 1 out 3: 5-7"]
    drawn = axes.collections[0].get_array()
    assert numpy.ma.filled(drawn, -1).reshape(3, 3).tolist() == [[-1, -1, 0.5], [1, -1, -1], [2, -1, 4]]
    assert plots.switch_queues(queues).get_ylabel() == "queues of switch 1"  # the fullest
    assert len(plots.switch_queues(queues, 0, most=1).get_yticks()) == 1
    for switch, where in ((5, "switch 5"), (None, "any switch")):
        with pytest.raises(ResultError, match=f"nothing waits in {where}"):
            plots.switch_queues(queues if switch else queues[:0], switch)


def test_sc6_use_of_links_is_in_percent_of_the_rate():
    ports = pandas.DataFrame({"time_s": [1e-6, 2e-6, 3e-6] * 2, "switch": [0] * 3 + [1] * 3, "port": 2,
                              "sent_bytes": [0, 25000, 37500, 0, 0, 25000]})
    axes = plots.link_use(ports, 200e9)
    assert axes.collections[0].get_array().ravel().tolist() == pytest.approx([100, 50, 0, 100])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0.2", "1.2"]
    with pytest.raises(ResultError, match="fewer than two samples at which anything waits"):
        plots.link_use(ports[ports["time_s"] == 1e-6], 200e9)


def test_sc6_a_metric_against_a_parameter_has_the_range_of_the_seeds():
    table = pandas.DataFrame({"senders": [2, 2, 2, 4], "seed": [1, 2, 3, 1], "metric": "goodput", "stat": "", "unit": "bit/s",
                              "value": [1e9, 4e9, 2e9, 5e9]})
    axes = plots.against(table, "goodput", "senders")
    line = axes.containers[0]
    assert line[0].get_ydata().tolist() == [2, 5]
    assert line[2][0].get_segments()[0][:, 1].tolist() == [1, 4]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("senders", "goodput, Gb/s")
    for arguments, words in ((("latency", "senders"), "the table has no latency; it has goodput"), (("goodput", "k"), "no column k")):
        with pytest.raises(ResultError, match=words):
            plots.against(table, *arguments)


MIXED = pandas.DataFrame([{"run": f"{load}{bytes_}{seed}", "load": load, "bytes_B": bytes_, "ns3::FabricSwitch::Latency_s": 1e-7, "seed": seed, "metric": metric, "stat": stat,
                           "source": source, "value": load * bytes_ + seed, "unit": "s"}
                          for load in (0.2, 0.8) for bytes_ in (64, 4096) for seed in (1, 2)
                          for metric, stat, source in (("fct", "p50", ""), ("fct", "p99", ""), ("share", "", "0"), ("share", "", "1"))])


@pytest.mark.parametrize("draw, differ", [
    (lambda keys: plots.against(MIXED, "fct", "load", **keys), "stat, bytes_B"),
    (lambda keys: plots.against(MIXED, "fct", "load", by="bytes_B", **keys), "stat"),
    (lambda keys: plots.heat_map(MIXED, "fct", "load", "stat", **keys), "bytes_B"),
    (lambda keys: plots.congestion_impact(MIXED.assign(metric="impact"), "load", "stat", source="", **keys), "bytes_B"),
    (lambda keys: plots.bandwidth_share(MIXED, "source", by="load", **keys), "bytes_B"),
])
def test_py4_rows_that_differ_in_more_than_the_seed_are_not_drawn_as_seeds(draw, differ):
    names = differ.split(", ")
    with pytest.raises(ResultError) as caught:
        draw({})
    assert "\n" not in str(caught.value) and f"differ in {', '.join(sorted(names, key=list(MIXED).index))}, and not in the seed alone" in str(caught.value)
    draw({name: {"stat": "p99", "bytes_B": 64}[name] for name in names})
    if "stat" in names:
        with pytest.raises(ResultError, match="the table has no fct with stat=p98; it has p50, p99"):
            draw({"stat": "p98"})


def test_py4_a_value_that_a_keyword_cannot_name_is_written_with_stars():
    table = MIXED[MIXED["stat"] == "p99"].assign(**{"ns3::FabricSwitch::Latency_s": lambda rows: rows["bytes_B"] * 1e-9}).drop(columns="bytes_B")
    with pytest.raises(ResultError) as caught:
        plots.against(table, "fct", "load")
    assert "such as **{'ns3::FabricSwitch::Latency_s': 6.4e-08}" in str(caught.value)


def run_of(folder, options, value):
    return Run(pathlib.Path(folder), {"program": "fabric-allreduce", "options": options, "run": 1},
               pandas.DataFrame({"metric": ["allreduce_time", "allreduce_ranks"], "value": [value, 16], "unit": ["s", "1"]}))


def test_sc6_runs_of_programs_that_differ_in_more_than_the_seed_are_not_drawn_as_seeds():
    options = {"by": "nic", "k": 4, "linkRate": 2e11}
    first, seed, other = run_of("a", {**options, "RngRun": 1}, 1e-6), run_of("b", {**options, "RngRun": 2}, 2e-6), run_of("c", {**options, "linkRate": 1e11}, 3e-6)
    assert allreduce.draw(first, seed).axes[0].containers[0][0].get_ydata().tolist() == pytest.approx([1.5])
    with pytest.raises(ResultError, match="a and c: the runs differ in --linkRate, and would be drawn as seeds of one point"):
        allreduce.draw(first, seed, other)


def test_sc6_the_table_of_a_single_seed_needs_no_list():
    messages = pandas.DataFrame({"fct_s": [1e-6, 2e-6], "bytes": [64, 4096], "slowdown": [1, 2]})
    ports = pandas.DataFrame({"time_s": [1e-6, 2e-6], "queued_bytes": 2048})
    for draw, table in ((plots.completion_cdf, messages), (plots.slowdown_by_size, messages), (plots.queue_depth, ports)):
        alone, listed = draw({"a": table}), draw({"a": [table]})
        assert [line.get_ydata().tolist() for line in alone.lines] == [line.get_ydata().tolist() for line in listed.lines]
        with pytest.raises(ResultError, match="tables are drawn by what sets them apart"):
            draw(table)


def test_sc5_many_sizes_are_put_together_in_groups():
    few = pandas.DataFrame({"bytes": [64 * (i % 30) for i in range(300)], "slowdown": range(300)})
    assert list(figures.slowdowns(few).index) == [64 * i for i in range(30)]
    many = pandas.DataFrame({"bytes": range(1000), "slowdown": range(1000)})
    found = figures.slowdowns(many)
    assert list(found.index) == [24.5 + 50 * i for i in range(20)] and set(found["count"]) == {50}
    assert found["p50"].tolist() == [24 + 50 * i for i in range(20)]  # the 25th of 50
    equal = pandas.DataFrame({"bytes": [0] * 500 + list(range(1, 501)), "slowdown": 1})  # equal sizes are in one group
    assert figures.slowdowns(equal)["count"].iloc[0] == 500 and figures.slowdowns(equal).index[0] == 0
    other = many.assign(bytes=many["bytes"] + 0.5)
    axes = plots.slowdown_by_size({"one": many, "other": [other, many]})
    assert all(len(container[0].get_xdata()) == 20 for container in axes.containers)
    with pytest.raises(ValueError, match="the table has no column slowdown; it has bytes"):
        figures.slowdowns(many[["bytes"]])


def test_sc6_long_labels_stand_above_what_is_drawn():
    messages = pandas.DataFrame({"fct_s": [1e-6, 2e-6], "bytes": [64, 4096], "slowdown": [1, 2]})
    axes = plots.completion_cdf({f"linkRate=200000000000, flowChannels={on}, senders=8, jitter=5e-06": messages for on in (True, False)})
    axes.figure.canvas.draw()
    legend = axes.get_legend().get_window_extent()
    assert legend.y0 >= axes.get_window_extent().y1 and legend.x0 >= 0 and legend.x1 <= axes.figure.bbox.x1


@pytest.mark.parametrize("count", [1, 3])
def test_sc6_many_long_labels_leave_room_for_what_is_drawn(count):
    messages = pandas.DataFrame({"fct_s": [1e-6, 2e-6], "bytes": [64, 4096], "slowdown": [1, 2]})
    panels = plots.panels(count)
    for axes in panels:
        plots.completion_cdf({f"linkRate=200000000000, flowChannels={i}, senders=8, jitter=5e-06": messages for i in range(8)}, axes=axes)
    few = plots.completion_cdf({f"flowChannels={i}": messages for i in range(2)})
    for axes in (*panels, few):
        axes.figure.canvas.draw()
        legend = axes.get_legend().get_window_extent()
        assert legend.y0 >= axes.get_window_extent().y1 and legend.y1 <= axes.figure.bbox.y1
    assert all(axes.get_window_extent().height >= 0.8 * few.get_window_extent().height for axes in panels)
    assert few.figure.get_figheight() == plots.COLUMN[1]


def test_sc6_parameters_with_units_are_drawn_in_those_that_people_use():
    table = pandas.DataFrame({"ns3::FabricSwitch::Latency_s": [1e-6, 5e-8], "linkRate_bps": [2e11, 4e11], "seed": 1, "metric": "fct", "unit": "s", "value": [1e-6, 2e-6]})
    axes = plots.against(table.drop(columns="linkRate_bps"), "fct", "ns3::FabricSwitch::Latency_s")
    assert axes.get_xlabel() == "FabricSwitch::Latency, us" and axes.containers[0][0].get_xdata().tolist() == [0.05, 1]
    axes = plots.heat_map(table, "fct", "linkRate_bps", "ns3::FabricSwitch::Latency_s")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["200", "400"] and axes.get_xlabel() == "linkRate, Gb/s"
    assert {text.get_text(): text.get_color() for text in axes.texts} == {"1": "black", "2": "white"}  # on yellow and on dark red


def test_sc6_shares_and_heat_maps():
    table = pandas.DataFrame({"tools": ["all", "all", "none"] * 2, "source": ["0"] * 3 + ["1"] * 3, "seed": [1, 2, 1] * 2, "metric": "share",
                              "unit": "1", "value": [0.5, 0.4, 0.1, 0.5, 0.6, 0.9]})
    axes = plots.bandwidth_share(table, "source", "tools")
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([45, 55, 10, 90])
    axes = plots.congestion_impact(table.assign(metric="impact"), "tools", "source")
    texts = {text.get_position(): text.get_text() for text in axes.texts}
    assert texts == {(0, 0): "0.45\n0.4 to 0.5", (1, 0): "0.1", (0, 1): "0.55\n0.5 to 0.6", (1, 1): "0.9"}


def test_sc6_packets_of_one_message_are_lines_from_sending_to_arrival(tmp_path):
    options = {"senders": 1, "bytes": "16KiB", "count": 1, "trace": True}
    sweep = Sweep(BIN / "fabric-transport", options, folder=tmp_path / "sweep")
    assert list(sweep.run()["status"]) == ["done"]
    (packets,), = sweep.files("packets.csv").values()
    axes = plots.message_timeline(packets)
    assert len(axes.lines) == len(packets)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["initiator", "target"]


def test_lines_of_many_cdfs_look_different():
    axes = plots.completion_cdf({str(i): pandas.DataFrame({"fct_s": [1e-6, 2e-6]}) for i in range(16)})
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.get_lines()}) == 16


def test_sc6_seeds_may_have_different_numbers_of_messages():
    axes = plots.completion_cdf({"all": [pandas.DataFrame({"fct_s": values}) for values in ([1e-6, 2e-6, 3e-6, 4e-6], [1e-6, 3e-6])]})
    assert axes.lines[0].get_xdata().tolist() == pytest.approx([0, 1, 1.5, 3, 3.5])  # 1, 1, 3, 3 of the second
    with pytest.raises(ResultError, match="all: a seed has no values"):
        plots.completion_cdf({"all": [pandas.DataFrame({"fct_s": []})]})


def test_sc6_where_nothing_waits_the_queue_is_empty():
    tables = {label: [pandas.DataFrame({"time_s": times, "queued_bytes": 2048})] for label, times in (("long", [2e-6, 5e-6, 6e-6]), ("short", [2e-6]))}
    lines = plots.queue_depth(tables).lines
    assert [line.get_ydata().tolist() for line in lines] == [[0, 0, 2, 0, 0, 2, 2], [0, 0, 2, 0, 0, 0, 0]]
    assert lines[0].get_xdata().tolist() == pytest.approx(range(7))


def test_sc6_nothing_is_clipped_and_legends_cover_nothing(sweep):
    table = sweep.table()
    impact = table[table["metric"] == "fct"].assign(value=lambda rows: rows["value"] / 1e-7, unit="B")
    slowdown = plots.slowdown_by_size(sweep.files("messages.csv"))
    drawn = [slowdown, plots.heat_map(impact, "fct", "stat", "flowChannels"), plots.against(table, "victim_goodput", "flowChannels", phase="incast"),
             plots.queue_depth(sweep.files("ports.csv")), plots.link_use(sweep.files("ports.csv")[LABELS[0]][0], 200e9)]
    for axes in drawn:
        axes.figure.canvas.draw()
        whole, picture = axes.figure.get_tightbbox(), axes.figure.get_size_inches()
        assert min(whole.x0, whole.y0) >= 0 and (whole.x1, whole.y1) <= tuple(picture)
        assert all("," in label or label in ("switch.port", "slowdown", "flowChannels", "stat") for label in (axes.get_xlabel(), axes.get_ylabel()))
    assert slowdown.get_legend().get_window_extent().y0 >= slowdown.get_window_extent().y1


def test_sc6_four_series_have_a_legend_that_covers_no_error_bar():
    table = pandas.DataFrame([{"senders": senders, "tools": tools, "seed": seed, "metric": "fct", "unit": "s", "value": 1e-6 * senders * seed}
                              for senders in (2, 4, 8) for tools in ("all", "none", "pacing", "hop-credits") for seed in (1, 2, 3)])
    share = table.assign(metric="share", unit="1")
    for axes in (plots.against(table, "fct", "senders", by="tools"), plots.bandwidth_share(share, "senders", by="tools")):
        axes.figure.canvas.draw()
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1


def test_sc6_nothing_to_draw_is_refused():
    with pytest.raises(ResultError, match="nothing to draw"):
        plots.completion_cdf({})
    with pytest.raises(ResultError, match="nothing to draw; no message has a slowdown"):
        plots.slowdown_by_size({"by SDMA": table_of("bytes,slowdown\n64,\n128,\n")})


def test_sc5_what_a_message_does_not_have_is_no_value(tmp_path):
    text = "bytes,status,fct_s,slowdown\n64,ok,2e-05,1.5\n64,flushed,,\n64,ok,9.5e-06,1\n64,flushed,,\n64,flushed,,\n"  # as texts 2e-05 is the least
    table = table_of(text)
    assert table["fct_s"].dtype == table["slowdown"].dtype == float and list(table["status"][:2]) == ["ok", "flushed"]
    assert figures.percentiles(table).to_dict("records") == [{"count": 2, "p50": 9.5e-6, "p90": 2e-5, "p99": 2e-5, "p99.9": 2e-5}]
    assert figures.slowdowns(table).loc[64, "p50"] == 1
    assert plots.completion_cdf({"all": table}).lines[0].get_xdata().tolist() == pytest.approx([0, 9.5, 20])
    axes = plots.slowdown_by_size({"all": table, "none": table_of("bytes,slowdown\n64,\n")})
    assert axes.containers[1].lines[0].get_ydata().tolist() == [1.5]
    assert table_of("fct_s,status,group\n,flushed,\n").isna().iloc[0].tolist() == [True, False, False]
    none, whole = table_of("src,fct_s,goodput_bps\n"), table_of("src,fct_s,goodput_bps\n1,0,200\n")
    assert [list(each.dtypes)[1:] for each in (none, whole)] == [[float, float]] * 2 and whole["src"].dtype == int
    (tmp_path / "messages.csv").write_text(text)
    pandas.testing.assert_frame_equal(Run(tmp_path, {}, None).table("messages.csv"), table)
    summary = table_of("metric,lane,value,unit\nshare,0,1,1\ngoodput,,1,bit/s\n")
    assert Run(tmp_path, {}, summary).metric("share", "lane") == {"0": 1}
