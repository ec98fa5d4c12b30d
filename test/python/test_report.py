# SPDX-License-Identifier: GPL-2.0-only
"""SC-6, SC-8: a page with what runs say, and runs for the trace viewer of a browser."""
import base64
import html.parser
import json
import re
import subprocess

import pandas
import pytest

from fabric_sim.report import MOST_GROUPS, write_report
from fabric_sim.results import ResultError, read_run
from fabric_sim.trace_events import write_trace_events
from programs import ROOT, python, run_well


class Page(html.parser.HTMLParser):
    """What a page consists of; every element has to be closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.pictures, self.rows, self.text = [], [], [], ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            kind, _, data = dict(attributes)["src"].partition(",")
            assert kind == "data:image/png;base64" and base64.b64decode(data).startswith(b"\x89PNG")
            self.pictures.append(dict(attributes)["alt"])
        elif tag != "meta":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("report")
    incast = ("fabric-incast", "--k=4", "--senders=8", "--bytes=64KiB", "--jitter=5us", "--samplePeriod=1us")
    for seed in (1, 2, 3):
        run_well(*incast, f"--RngRun={seed}", f"--out={root}/on-{seed}")
        run_well(*incast, f"--RngRun={seed}", "--flowChannels=off", f"--out={root}/off-{seed}")
    run_well("fabric-transport", "--senders=1", "--bytes=64KiB", "--count=1", "--trace", f"--out={root}/packets")
    return root


def script(name, *arguments):
    return subprocess.run([python(), ROOT / "utils" / name, *arguments], capture_output=True, text=True, timeout=60)


def test_sc6_a_page_holds_the_pictures_and_figures_of_runs(runs, tmp_path):
    folders = sorted(runs.glob("o*"))
    done = script("report.py", *folders, "--output", tmp_path / "new/page.html")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = Page((tmp_path / "new/page.html").read_text())
    assert page.pictures == ["completion times of messages", "bytes that wait at all ports", "use of the links, flowChannels=False",
                             "use of the links, flowChannels=True", "view of fabric-incast"]
    assert "6 runs; median and range of 3 seeds" in page.text
    goodputs = sorted(read_run(runs / f"on-{seed}", "fabric-incast").value("goodput") / 1e9 for seed in (1, 2, 3))
    low, middle, high = (f"{value:.3g} Gb/s" for value in goodputs)
    assert ["goodput", "", f"{middle} [{low}, {high}]"] in [[*row[:2], row[3]] for row in page.rows if len(row) == 4]
    assert ["k", "4", "4"] in page.rows and ["bytes", "65536", "65536"] in page.rows
    assert {str(folder) for folder in folders} == {row[0] for row in page.rows if len(row) == 7} - {"folder"}


def test_sc6_a_page_says_what_it_leaves_out(runs, tmp_path):
    write_report(runs / "on-1", tmp_path / "page.html")
    page = Page((tmp_path / "page.html").read_text())
    assert read_run(runs / "on-1", "fabric-incast").table("messages.csv").columns[0] == "src"
    assert len(page.pictures) == 3 and "view of fabric-incast: " in page.text and "some runs have to be with flow channels and some without" in page.text
    write_report([runs / "packets"], tmp_path / "packets.html")
    assert Page((tmp_path / "packets.html").read_text()).pictures == ["completion times of messages", "packets between initiator and target"]
    many = [tmp_path / f"k{k}" for k in range(MOST_GROUPS + 1)]
    for k, folder in enumerate(many):
        run_well("fabric-incast", f"--k={2 * k + 4}", "--levels=2", "--senders=2", "--bytes=4KiB", "--victim=off", f"--out={folder}")
    write_report(many, tmp_path / "many.html")
    assert "there are 8 kinds of runs, and colours tell 7 apart" in Page((tmp_path / "many.html").read_text()).text


SHORT = {"fabric-congestion": ["--k=4", "--senders=8", "--bytes=64KiB"], "fabric-shaping": ["--duration=50us", "--load=0"],
         "fabric-gpcnet": ["--k=4", "--rings=1", "--iterations=1", "--bandwidthIterations=1"], "fabric-run": ["--k=4", "--cdf=hadoop", "--load=0.3", "--arrivalTime=20us"]}


@pytest.mark.parametrize("program", SHORT)
def test_sc6_a_page_of_each_program_with_a_view(program, tmp_path, recwarn):
    run_well(program, *SHORT[program], f"--out={tmp_path}/run")
    write_report([tmp_path / "run"], tmp_path / "page.html")
    assert f"view of {program}" in Page((tmp_path / "page.html").read_text()).pictures and not recwarn.list


def test_sc6_use_of_links_is_drawn_where_all_have_one_rate(tmp_path):
    incast = ("fabric-incast", "--k=4", "--senders=8", "--bytes=64KiB", "--samplePeriod=1us")
    topology = tmp_path / "two-rates.txt"
    topology.write_text("5 1 4\n4\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 400Gbps 1us 0\n")
    options = {"one": [], "hosts": ["--hostRate=100Gbps"], "same": ["--hostRate=200Gbps"], "file": [f"--topology={topology}", "--senders=1"]}
    for name, more in options.items():
        given = [option for option in incast if option != "--k=4" and option != "--senders=8" or name != "file"]
        run_well(*given, *more, f"--out={tmp_path}/{name}")
        write_report([tmp_path / name], tmp_path / "page.html")
        page = Page((tmp_path / "page.html").read_text())
        assert ("use of the links" in page.pictures) == (name in ("one", "same"))
        assert ("not all links have one rate" in page.text) == (name in ("hosts", "file"))


def test_sc6_operations_that_failed_have_no_completion_time(tmp_path):
    run_well("fabric-transport", "--senders=2", "--count=8", "--bytes=64KiB", "--failAt=20us", f"--out={tmp_path}/fails")
    write_report([tmp_path / "fails"], tmp_path / "page.html")
    assert Page((tmp_path / "page.html").read_text()).pictures == ["completion times of messages"]


def test_sc6_runs_that_differ_in_much_have_short_names_and_whole_pictures(runs, tmp_path, recwarn):
    run_well("fabric-incast", "--k=6", "--levels=2", "--senders=12", "--bytes=16KiB", "--samplePeriod=1us", "--flowChannels=off", "--linkRate=100Gbps", "--jitter=5us",
             "--victim=off", f"--out={tmp_path / 'other'}")
    write_report([runs / "on-1", tmp_path / "other"], tmp_path / "page.html")
    page = Page((tmp_path / "page.html").read_text())
    assert page.pictures[-2:] == ["use of the links, A", "use of the links, B"] and len(page.pictures) == 5
    names = {row[0]: row[1] for row in page.rows if len(row) == 2}
    assert "linkRate=200000000000" in names["A"] and "linkRate=100000000000, flowChannels=False" in names["B"]
    assert ["option", "A", "B"] in page.rows and not [str(warning.message) for warning in recwarn if "layout" in str(warning.message)]


def test_sc8_messages_queues_and_packets_are_events_of_a_trace_viewer(runs, tmp_path):
    for folder in ("on-1", "packets"):
        done = script("trace-events.py", runs / folder, "--output", tmp_path / f"new/{folder}.json")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    events = json.loads((tmp_path / "new/on-1.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert {event["pid"] for event in events} == set(names)
    spans = {(event["cat"], event["id"]): event for event in events if event["ph"] == "e"}
    messages = pandas.read_csv(runs / "on-1/messages.csv")
    begun = [event for event in events if event["ph"] == "b"]
    assert len(begun) == len(spans) == len(messages)
    found = sorted((names[event["pid"]], event["name"], round(event["ts"], 6), round(spans[event["cat"], event["id"]]["ts"], 6)) for event in begun)
    assert found == sorted((f"host {row.src}", f"to host {row.dst}", round(row.start_s * 1e6, 6), round(row.end_s * 1e6, 6)) for row in messages.itertuples())
    ports = pandas.read_csv(runs / "on-1/ports.csv")
    levels = [event for event in events if event["ph"] == "C"]
    assert sum(sum(event["args"].values()) for event in levels) == ports["queued_bytes"].sum()
    switch = names[levels[0]["pid"]].removeprefix("switch ")
    times = sorted(event["ts"] for event in levels if event["pid"] == levels[0]["pid"])
    assert len(times) == ports["time_s"].nunique() and int(switch) in set(ports["switch"])
    packets = pandas.read_csv(runs / "packets/packets.csv")
    arrived = packets[(packets["direction"] == "rx") & (packets["sent_s"] > 0)]
    events = json.loads((tmp_path / "new/packets.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "b" and event["cat"] == "packet" for event in events) == len(arrived) > 10


@pytest.mark.parametrize("name, folder, output, words", [
    ("report.py", "none", "page.html", "none: there is no such folder"), ("report.py", "on-1", "page.pdf", "page.pdf: allowed is a name that ends with .html"),
    ("report.py", "on-1", "/proc/none/page.html", "/proc/none/page.html: cannot be written (No such file or directory)"),
    ("trace-events.py", "none", "run.json", "none: there is no such folder"),
    ("trace-events.py", "on-1", "/proc/none/run.json", "/proc/none/run.json: cannot be written (No such file or directory)"),
])
def test_sc6_bad_input_of_a_page_is_one_sentence(runs, tmp_path, name, folder, output, words):
    done = script(name, runs / folder, "--output", tmp_path / output)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr and not list(tmp_path.iterdir())


def test_sc6_nothing_to_write_is_refused(runs, tmp_path):
    with pytest.raises(ResultError, match="the folder of a run is needed"):
        write_report([], tmp_path / "page.html")
    with pytest.raises(ResultError, match="the results are of fabric-transport; fabric-incast is needed"):
        write_report([runs / "on-1", runs / "packets"], tmp_path / "page.html")
    with pytest.raises(ResultError, match="a table with rows is needed"):
        write_trace_events(tmp_path / "run.json", pandas.DataFrame(columns=["src", "dst", "bytes", "start_s", "end_s"]))
    with pytest.raises(ResultError, match="the table has no column start_s; it has src"):
        write_trace_events(tmp_path / "run.json", pandas.DataFrame({"src": [1], "bytes": [1]}))
    run_well("fabric-chain", "--sources=2,1", "--duration=20us", f"--out={tmp_path / 'chain'}")
    for path in (tmp_path / "chain").glob("messages.csv"):
        path.unlink()
    done = script("trace-events.py", tmp_path / "chain", "--output", tmp_path / "run.json")
    assert done.returncode == 2 and re.search("there is none of messages.csv, ports.csv, packets.csv and stages.csv", done.stderr)
    assert not list(tmp_path.glob("*.json")) and not list(tmp_path.glob("*.html"))
