# SPDX-License-Identifier: GPL-2.0-only
"""SC-6, PY-4: each plot of a sweep's tables is one call, and shows what the tables say."""
import statistics

import matplotlib
import pandas
import pytest

from fabric_sim import plots
from fabric_sim.results import ResultError
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


def test_sc6_slowdowns_and_queues_are_drawn(sweep):
    axes = plots.slowdown_by_size(sweep.files("messages.csv"))
    assert axes.get_xlabel() == "message size, B" and len(axes.containers) == 4
    ports = sweep.files("ports.csv")
    axes = plots.queue_depth(ports)
    highest = max(ports[LABELS[1]][0].groupby("time_s")["queued_bytes"].sum()) / 2**10
    assert max(axes.collections[1].get_paths()[0].vertices[:, 1]) >= highest
    assert axes.get_ylabel() == "queued bytes, KiB"


def test_sc6_use_of_links_is_in_percent_of_the_rate():
    ports = pandas.DataFrame({"time_s": [1e-6, 2e-6, 3e-6] * 2, "switch": [0] * 3 + [1] * 3, "port": 2,
                              "sent_bytes": [0, 25000, 37500, 0, 0, 25000]})
    axes = plots.link_use(ports, 200e9)
    assert axes.collections[0].get_array().ravel().tolist() == pytest.approx([100, 50, 0, 100])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0.2", "1.2"]
    with pytest.raises(ResultError, match="fewer than two samples"):
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


def test_sc6_parameters_with_units_are_drawn_in_those_that_people_use():
    table = pandas.DataFrame({"ns3::FabricSwitch::Latency_s": [1e-6, 5e-8], "linkRate_bps": [2e11, 4e11], "seed": 1, "metric": "fct", "unit": "s", "value": [1e-6, 2e-6]})
    axes = plots.against(table, "fct", "ns3::FabricSwitch::Latency_s")
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


def test_sc6_nothing_to_draw_is_refused():
    with pytest.raises(ResultError, match="nothing to draw"):
        plots.completion_cdf({})
