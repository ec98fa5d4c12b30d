# SPDX-License-Identifier: GPL-2.0-only
"""PY-1: the module's classes from Python, in the same process: callbacks, tables, and mistakes as exceptions."""
import ast
import inspect
import json
import os
import re
import signal
import subprocess
import sys

import numpy
import pandas
import pytest

from programs import BUILD, OVERHEAD, ROOT, run_well

pytest.importorskip("cppyy", reason="cppyy is not installed")
os.environ["FABRIC_BUILD"] = str(BUILD)
from fabric_sim.model import cppyy  # noqa: E402
from fabric_sim import BadInput, CommandStages, InvariantError, Run, Stages, as_address, attributes_of, connect, connect_path, ns, place, plots, read_run, schedule  # noqa: E402
from fabric_sim import ResultError, schedule_at, set_attributes, set_default, write_trace_events  # noqa: E402

EXAMPLES = sorted(path.stem for path in (ROOT / "examples/python").glob("*.py"))
SAME = ["ring", "trace", "tcp"]  # those that print what the programs of the tutorial do
SHOWN = {  # what the others print, among other things
    "all_to_all": r"^flow channels, us:\n +p50 +p99\nmedian +42.\d +5\d.\d\nmin .*\nmax .*\nno flow channels, us:\n", "command_stages": r"write of 8 B: 2\.0\d us\nwrite of 128 B: 2\.7\d us\n", "collectives": r"1024 bytes by ring: 37\.\d us, 480 messages\n1024 bytes by tree: 13\.\d us, 30 messages\n1024 bytes by halving: ",
    "chain": r"by port: (1\d % ){4}50 %\nby flow:( 20 %){5}\n",
    "congestion": r"no flow channels: the victim's slowdown\n count +p50 +p99\n  50.0 +\d+\.\d+ +\d\d\.\d+\n",
    "crossbar": r"ideal: \d\.\d\d us\ntiled: \d\.\d\d us\n",
    "flow_files": r"2 -> 1: 20000 B in 4\.3 us, slowdown 1\.00\n(. -> 0: 1000000 B in 327\.\d us, slowdown 3\.81\n){4}2 -> 1: over the transport in 9\.0 us, slowdown 1\.00\n(. -> 0: over the transport in [1-3]..\.. us, slowdown [1-3]\...\n){4}",
    "incast": r"simulated_time", "ingress_fairness": r"by flow: \d+ % \d+ %\nby application: 7\d % 2\d %\n", "lanes": r"\{0: '20 %', 1: '50 %', 2: '30 %'\}\n", "nic": r"memory: \d{4}\.\d* ns\nlow-latency: \d{4}\.",
    "reductions": r"all-reduce: 16 hosts have the sum after \d\.\d+ us\nreduce: the maximum is 1500\n",
    "multicast": r"group: 4\.99 us\none by one: 41\.\d+ us\n",
    "pio": r"32 blocks: 7\.\d million messages/s\n64 blocks: 9", "topologies": r"torus, 16 hosts: slowdown",
    "graphs": r"slim-fly, adaptive: slowdown\n *count *p50 *p99\n *200\.0 *1\.",
    "shaping": r"\{0: '7\d Gb/s', 1: '(9\d|100) Gb/s', 2: '20 Gb/s'\}\n",
    "programs": r"fabric-gpcnet: 4 runs are done\nfabric-preemption: 12 runs are done\nfabric-ack-overhead: 6 runs are done\n",
    "stages": r"switch 9 +waits up to \d\.\d+ us\nswitch 0 +waits up to \d\.\d+ us\n", "transport": r"loss +median"}
FRESH = """
import pathlib, runpy, sys
from fabric_sim import Run, ns
folder, examples = pathlib.Path(sys.argv[1]), sys.argv[2:]
with Run(k=4, samplePeriod="2us", sampleQueues=True, seed=3) as run:
    assert run.fabric.GetSwitch(0).GetPort(0).GetChannel().GetNDevices() == 2  # what a header names only is known, too
    incast = ns.IncastHelper(8, 1 << 16)
    incast.SetStart(ns.Time(0), ns.MicroSeconds(1))
    incast.SetStream(1)
    incast.Install(run.fabric)
    run.until_delivered(8, ns.IncastHelper.INCAST_TAG)
    for name in ("messages", "flows", "ports", "queues", "summary"):
        (folder / f"{name}.csv").write_text(run.csv(name))
for example in examples:
    print(f"== {pathlib.Path(example).stem}", flush=True)
    runpy.run_path(example, run_name="__main__")
"""


@pytest.fixture
def run():
    with Run(k=4, stream=1) as made:
        yield made


def install_incast(run, senders=8, size=1 << 14):
    incast = ns.IncastHelper(senders, size)
    incast.SetStream(1)
    incast.Install(run.fabric)


def test_sc3_python_places_ranks_and_jobs(run):
    fabric = run.fabric
    places = [ns.fabric.HostPlace(fabric.groups[number], number) for number in fabric.edgeSwitches]
    hosts = ns.fabric.PlaceRanks(ns.fabric.RankPlacement.SPREAD, places, 6, lambda n: 0)
    assert list(hosts) == [0, 4, 8, 12, 2, 6]  # of four pods in turn
    one = ns.fabric.PlanCollective(ns.fabric.Collective.ALLREDUCE_DOUBLE_TREE, 3, 30000, 2)
    assert one[0].Ranks() == 3 and one[0].strands == 4
    transport = ns.fabric.RawCollectiveTransport(fabric, hosts)
    player = ns.fabric.CollectivePlayer(ns.fabric.PlanJobs(one, 2), transport)
    player.Start()
    run.until_delivered(player.GetMessages())
    messages = run.messages()
    assert len(messages) == player.GetMessages() == 2 * 2 * 2 * 2 * 2  # jobs, trees, pieces, edges, both ways
    jobs = [{0, 4, 8}, {12, 2, 6}]
    assert all(any({src, dst} <= job for job in jobs) for src, dst in zip(messages["src"], messages["dst"]))
    assert len(player.GetRankTimes()) == 6


def test_py1_python_has_the_same_bytes_as_the_programs_and_all_examples_run(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings")}
    (tmp_path / "build").symlink_to(BUILD)
    examples = [ROOT / f"examples/python/{name}.py" for name in EXAMPLES if name != "sweep"]  # which the manual's commands run
    done = subprocess.run([sys.executable, "-c", FRESH, tmp_path, *examples], env=environment, cwd=tmp_path, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    run_well("fabric-incast", "--k=4", "--senders=8", "--bytes=64KiB", "--victim=off", "--jitter=1us", "--samplePeriod=2us", "--sampleQueues=true", "--RngRun=3",
             f"--out={tmp_path / 'program'}")
    for name in ("messages.csv", "flows.csv", "ports.csv", "queues.csv"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    common = [re.sub(",+", ",", line) for line in (tmp_path / "program/summary.csv").read_text().splitlines()]
    own = [re.sub(",+", ",", line) for line in (tmp_path / "summary.csv").read_text().splitlines()]
    assert len(own) == 9 and own[1:] == common[-8:]
    printed = dict(text.split("\n", 1) for text in done.stdout.split("== ")[1:])
    for name in SAME:
        program = subprocess.run([BUILD / f"bin/fabric-tutorial-{name}"], capture_output=True, text=True, timeout=60, check=True)
        assert printed.pop(name) == program.stdout
    assert sorted(printed) == sorted(SHOWN)
    for name, shown in SHOWN.items():
        assert re.search(shown, printed[name]), f"{name}: {printed[name]}"


def test_py1_every_family_of_programs_has_an_example():
    table = (ROOT / "doc/python.rst").read_text().split("Examples\n***", 1)[1]
    families = set(re.findall(r"``(fabric-[\w-]+)``", table))
    assert families == {path.stem for path in (ROOT / "examples").glob("fabric-*.cc")}
    assert set(re.findall(r"``(\w+)\.py``", table)) == set(EXAMPLES)


@pytest.mark.parametrize("task", ["all_to_all", "ring", "trace", "tcp", "sweep"])  # the first is two tasks of the tutorial
def test_py1_a_task_of_the_tutorial_has_at_most_15_lines(task):
    text = (ROOT / f"examples/python/{task}.py").read_text()
    lines = {number for node in ast.walk(ast.parse(text)) if hasattr(node, "lineno") for number in range(node.lineno, node.end_lineno + 1)}
    docstring = ast.parse(text).body[0]
    assert len([number for number in lines if text.splitlines()[number - 1].strip()]) - (docstring.end_lineno - docstring.lineno + 1) <= 15


@pytest.mark.parametrize("module", ["calls", "figures", "plots/__init__", "report", "results", "run", "stages", "sweep", "trace_events", "graphs"])
def test_py1_what_people_call_has_type_hints_and_a_docstring(module):
    tree = ast.parse((ROOT / f"bindings/fabric_sim/{module}.py").read_text())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    functions = [node for owner in [tree, *classes] for node in owner.body if isinstance(node, ast.FunctionDef)]
    public = [function for function in functions if not function.name.startswith("_")]
    assert public
    for function in public:
        arguments = [each for each in (*function.args.args, *function.args.kwonlyargs, function.args.kwarg) if each and each.arg != "self"]
        assert function.returns is not None and all(each.annotation for each in arguments), function.name
    assert not [node.name for node in [*classes, *public] if not ast.get_docstring(node)]


def test_py4_help_of_a_plot_is_how_it_is_called():
    shown = str(inspect.signature(plots.against)).replace("pandas.core.frame.", "pandas.")
    assert re.fullmatch(r"\(table: .*, metric: str, x: str, by: .*= None, \*, axes: .* = None, \*\*keys: .*\) -> .*Axes'?>?", shown)


def test_py1_runs_follow_each_other_with_the_same_bytes():
    texts = []
    for _ in range(2):
        with Run(k=4, seed=2, stream=1, samplePeriod="1us") as run:
            install_incast(run)
            run.until_delivered(8)
            texts.append([run.csv(name) for name in ("messages", "flows", "ports", "summary")])
    assert texts[0] == texts[1]


LATENCY, CONTROL_LATENCY = "ns3::FabricSwitch::Latency", "ns3::FabricSwitch::ControlLatency"


def completion_time(**options):
    """@return s that one message takes through five switches of a fat tree"""
    with Run(k=4, stream=1, **options) as run:
        ns.FabricMessageSenderHelper(4096).Install(run.fabric, 0, 15)
        run.until_delivered(1)
        return run.messages().fct_s[0]


def attribute_of(name):
    """@return the default of an attribute as text"""
    kind, _, short = name.rpartition("::")
    kind = ns.TypeId.LookupByName(kind)
    found = next(each for each in map(kind.GetAttribute, range(kind.GetAttributeN())) if str(each.name) == short)
    return str(found.initialValue.SerializeToString(found.checker))


def nanoseconds_of(name):
    """@return the default of an attribute that is a time, in ns"""
    return ns.Time(attribute_of(name)).GetNanoSeconds()


@pytest.fixture
def clean():
    """Whatever a test sets is reset at its end."""
    yield
    ns.Config.Reset()


@pytest.mark.parametrize("mistake", [{"ns3::FabricSwitch::Bogus": 1}, {"samplePeriod": "abc"}, {"bogus": 1}, {"linkRate": "abc"}, {"topology": "no/such/file"},
                                     {"ns3::FabricSwitch::SharedBufferBytes": 100}, {"topology": "torus"}, {"channels": True, "flowChannels": False},
                                     {"flowChannels": False, "ns3::FabricSwitch::FlowIds": 9}, {"flowChannels": False, "ns3::FabricSwitch::AckIdleTimer": "1us"}])
def test_py1_a_run_that_is_refused_leaves_nothing_behind(mistake, clean):
    set_default("RngSeed", 3)
    before = completion_time()
    with pytest.raises(BadInput):
        Run(**{"k": 4, LATENCY: "1us", "RngSeed": 5, **mistake}, seed=7)
    assert completion_time() == before
    assert (nanoseconds_of(LATENCY), ns.RngSeedManager.GetSeed(), ns.RngSeedManager.GetRun()) == (350, 3, 1)


def test_py1_what_a_refused_run_finds_stays(clean):
    ran = []
    schedule("1us", lambda: ran.append("before the run"))
    with pytest.raises(BadInput):
        Run(k=4, bogus=1)
    with Run(k=4) as run:
        run.run_for("2us")
    assert ran == ["before the run"]


def test_py1_the_end_of_a_run_puts_back_what_it_changed_and_nothing_else(clean):
    set_default(LATENCY, "2us")
    set_default("ns3::TcpSocket::SegmentSize", 4036)
    set_default("RngSeed", 7)
    set_default("RngRun", 9)
    slow = completion_time()
    assert slow > 5 * 2e-6
    assert completion_time(**{CONTROL_LATENCY: "60ns"}) == slow
    fast = completion_time(**{LATENCY: "350ns", "RngSeed": 4}, seed=2)
    assert fast < 3e-6
    for _ in range(2):
        assert completion_time() == slow
        assert attribute_of("ns3::TcpSocket::SegmentSize") == "4036"
        assert (ns.RngSeedManager.GetSeed(), ns.RngSeedManager.GetRun()) == (7, 9)
    with Run(k=4, **{LATENCY: "1us"}):
        set_default(CONTROL_LATENCY, "70ns")  # is the user's, and stays
        with pytest.raises(RuntimeError, match="another run"):
            Run(k=4, **{LATENCY: "3us"})
        assert nanoseconds_of(LATENCY) == 1000
    assert (nanoseconds_of(LATENCY), nanoseconds_of(CONTROL_LATENCY)) == (2000, 70)


def test_py1_defaults_that_a_topology_sets_end_with_its_run(clean):
    before = attribute_of("ns3::FabricSwitch::VirtualChannels")
    with Run(topology="dragonfly", hostsPerSwitch=2, switchesPerGroup=4, globalPorts=2):
        assert attribute_of("ns3::FabricSwitch::VirtualChannels") != before
    assert attribute_of("ns3::FabricSwitch::VirtualChannels") == before


def drawn(**options):
    """@return messages.csv of an incast whose senders are drawn"""
    with Run(k=4, stream=5, **options) as run:
        install_incast(run, 6)
        run.until_delivered(6)
        return run.csv("messages")


def test_py1_seeds_hold_for_a_run(clean):
    first = drawn()
    others = {drawn(seed=9), drawn(RngSeed=5), drawn(RngSeed=5, seed=9)}
    assert len(others | {first}) == 4 and drawn() == first == drawn(seed=1)
    set_default("RngRun", 9)
    assert drawn() == drawn(seed=9) and drawn(seed=1) == first


def test_py1_tables_are_of_pandas(run):
    install_incast(run)
    run.until_delivered(8)
    run.add_completion_times()
    messages, summary = run.messages(), run.summary()
    assert len(messages) == len(run.flows()) == 8 and set(messages["dst"]) == {0}
    longest = summary[(summary["metric"] == "fct") & (summary["stat"] == "max")]["value"].item()
    assert longest == messages["fct_s"].max()


def test_py1_functions_are_called_by_traces_and_events(run):
    install_incast(run)
    seen, ticks, paths, at_node = [], [], set(), []
    connection = connect(run.fabric.network, "MessageDelivered", lambda message, now: seen.append((message.src, now.GetPicoSeconds())))
    connect_path("/NodeList/*/$ns3::FabricSwitch/Send", lambda path, port, frame, now: paths.add(path))

    def tick():
        ticks.append(ns.Simulator.Now().GetNanoSeconds())
        if len(ticks) == 3:
            connection.disconnect()
        elif len(ticks) < 3:
            schedule("1us", tick)
    event = schedule(ns.MicroSeconds(1), lambda: ticks.append("cancelled"))
    schedule("1us", tick)
    schedule_at(5, ns.MicroSeconds(2), lambda: at_node.append(ns.Simulator.GetContext()))
    event.Cancel()
    run.until_delivered(8)
    assert ticks == [1000, 2000, 3000] and at_node == [5]
    messages = run.messages()
    assert seen == [(row.src + 1, round(row.end_s * 1e12)) for row in messages.itertuples() if row.end_s < 3e-6]
    assert 0 < len(seen) < 8
    assert len(paths) > 5 and all(re.fullmatch(r"/NodeList/\d+/\$ns3::FabricSwitch/Send", path) for path in paths)


def test_py1_an_exception_in_a_function_ends_the_run_and_not_python(run):
    install_incast(run)

    def fail(message, now):
        raise KeyError("a mistake of mine")
    connect(run.fabric.network, "MessageDelivered", fail)
    with pytest.raises(KeyError, match="a mistake of mine"):
        run.until_delivered(8)
    run.close()
    with Run(k=4) as other:
        install_incast(other)
        other.until_delivered(8)
        assert len(other.messages()) == 8


@pytest.mark.parametrize("mistake, error, words", [
    (lambda: Run(kk=4), BadInput, ", seed and attributes"),
    (lambda: Run(k=1), BadInput, "k=1: allowed is a whole number from 2 to 1024"),
    (lambda: Run(k=4, levels=3, oversubscription="x"), BadInput, "oversubscription=x: allowed is"),
    (lambda: ns.FatTreeHelper(1), BadInput, "fat tree: a radix of 1 ports per switch is not possible"),
    (lambda: ns.FatTreeHelper(4).SetSwitchAttribute("Nope", ns.StringValue("1")), BadInput, "ns3::FabricSwitch has no attribute Nope"),
    (lambda: ns.FatTreeHelper(4).SetSwitchAttribute("Latency", ns.StringValue("1x")), BadInput, "ns3::FabricSwitch::Latency=1x: allowed is a time"),
    (lambda: ns.FatTreeHelper(4).SetDeviceAttribute(0, "Nope", ns.StringValue("1")), BadInput, "ns3::FabricNetDevice has no attribute Nope"),
    (lambda: set_default("ns3::FabricSwitch::Latency", "1x"), BadInput, "ns3::FabricSwitch::Latency=1x: allowed is a time"),
    (lambda: set_default("ns3::FabricSwitch::Nope", 1), BadInput, "ns3::FabricSwitch has no attribute Nope; attributes_of(\"ns3::FabricSwitch\") lists all"),
    (lambda: schedule("soon", print), ValueError, "soon: allowed is a time such as"),
    (lambda: schedule("-1us", print), ValueError, "-1us: allowed is a time such as"),
    (lambda: schedule(float("nan"), print), ValueError, "nan: allowed is a time such as"),
    (lambda: Run(k=4, seed=-1), BadInput, "seed=-1: allowed is"),
    (lambda: schedule(-1e-6, print), ValueError, "-1e-06: allowed is a time such as"),
    (lambda: schedule("1 us", print), ValueError, "1 us: allowed is a time such as 350ns or 1.5us, or a number of seconds"),
    (lambda: Run(k=4, RngRun=9), BadInput, "RngRun=9: Run sets it by itself; allowed is seed=9"),
    (lambda: Run(k=4, help=True), BadInput, "help: it prints and ends the process; a program has it"),
    (lambda: Run(k=4, sampleQueues=True), BadInput, "sampleQueues=true: allowed is false without samplePeriod"),
    (lambda: Run(topology="torus", k=4), BadInput, "k=4: allowed is only topology=fat-tree with it"),
    (lambda: Run(topology="torus", widths=[4, 1]), BadInput, "widths=4,1: allowed is a list of"),
    (lambda: Run(k=4, prepare=lambda helper: helper.SetDeviceAttribute(16, "Mtu", 1000)), BadInput, "Mtu of host 16 is set; allowed are the hosts 0 to 15"),
    (lambda: set_default("ns3::Nope::Nope", 1), BadInput, "ns3::Nope::Nope: there is no type ns3::Nope"),
    (lambda: attributes_of("ns3::Nope"), BadInput, "there is no type ns3::Nope"),
    (lambda: ns.FabricMessageSenderHelper(64).SetAttribute("Vni", -1), BadInput, "ns3::FabricMessageSender::Vni=-1: allowed is"),
    (lambda: set_attributes(ns.FabricMessageSenderHelper(64), Nope=1), BadInput, "ns3::FabricMessageSender has no attribute Nope"),
    (lambda: set_attributes(ns.FatTreeHelper(4), Latency="1us"), TypeError, "FatTreeHelper has no SetAttribute(); it has SetChannelAttribute, SetDeviceAttribute, "),
    (lambda: set_attributes("device", Mtu=1000), TypeError, "str has no SetAttribute(); it has no attributes"),
    (lambda: Run(k=4, PrintAttributes="ns3::FabricSwitch"), BadInput, "PrintAttributes: it prints and ends the process"),
    (lambda: Run(k=4, stream="x"), TypeError, "stream=x: allowed is a whole number"),
    (lambda: schedule("1us", 3), TypeError, "3 is no function"),
    (lambda: connect_path("/NodeList/77/Nope", print), ValueError, "there is no such object"),
    (lambda: ns.NoSuchThing, AttributeError, "ns has no NoSuchThing: no header"),
])
def test_py1_mistakes_are_exceptions_of_one_sentence(mistake, error, words):
    with pytest.raises(error) as caught:
        mistake()
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert "--" not in str(caught.value)


def test_py1_mistakes_with_a_fabric_are_exceptions_too(run):
    switch = run.fabric.GetSwitch(0)
    for mistake, error, words in (
            (lambda: set_attributes(switch, Latency="1us"), BadInput, "ns3::FabricSwitch::Latency can't be set any more"),
            (lambda: connect(switch, "Nope", print), ValueError, "ns3::FabricSwitch has no trace source Nope; it has "),
            (lambda: run.fabric.GetDevice(99), BadInput, "host is 99, allowed is 0 to 15"),
            (lambda: Run(k=4), RuntimeError, "another run in this process"),
            (run.messages, RuntimeError, "the run has no results yet"),
            (lambda: run.until_delivered(1), InvariantError, "the run ended with 0 of 1 messages delivered")):
        with pytest.raises(error) as caught:
            mistake()
        assert words in str(caught.value)


def test_py1_mistakes_are_the_same_after_a_call_that_was_right(run):
    tree, device = ns.FatTreeHelper(4), run.fabric.GetDevice(0)
    tree.SetDeviceAttribute(0, "Mtu", ns.UintegerValue(1000))
    device.SendMessage(16, 100, 0, 1)
    for mistake, words in ((lambda: tree.SetDeviceAttribute(0, "Mtu", ns.UintegerValue(67)), "ns3::FabricNetDevice::Mtu=67: allowed is"),
                           (lambda: device.SendMessage(1, 100, 0, 1), "a message to 1 in class 0 can't be sent; allowed are")):
        with pytest.raises(BadInput, match=words) as caught:
            mistake()
        assert "\n" not in str(caught.value)


def test_py1_none_of_several_attributes_is_set_if_one_is_refused(run):
    sender = ns.FabricMessageSenderHelper(4096).Install(run.fabric, 0, 15)
    sender = sender.Get(0) if hasattr(sender, "Get") else sender
    with pytest.raises(BadInput, match="ns3::FabricMessageSender has no attribute Nope"):
        set_attributes(sender, Count=5, Nope=1)
    value = ns.UintegerValue()
    sender.GetAttribute("Count", value)
    assert value.Get() == 1
    set_attributes(sender, Count=5)
    sender.GetAttribute("Count", value)
    assert value.Get() == 5


def value_of(thing, name, kind):
    value = getattr(ns, f"{kind}Value")()
    thing.GetAttribute(name, value)
    return value.Get()


@pytest.mark.parametrize("widths", [[2, 4], (2, 4), numpy.array([2, 4]), pandas.Series([2, 4]), "2,4"])
def test_py1_a_list_is_one_with_commas(widths):
    with Run(topology="torus", widths=widths, hostsPerSwitch=numpy.int64(1), check=numpy.bool_(True), **{"ns3::FabricSwitch::PortLimit": 128, "ns3::FabricSwitch::LimitRatios": [3, 1]}) as run:
        assert run.fabric.hosts.GetN() == 8 and str(value_of(run.fabric.GetSwitch(0), "LimitRatios", "String")) == "3,1"


@pytest.mark.parametrize("second, delay", [(1e-6, 3e-7), (numpy.float64(1e-6), numpy.float32(3e-7)), ("1us", "300ns"), (ns.MicroSeconds(1), "0.3us")])
def test_py1_a_number_is_one_of_seconds(second, delay):
    times = []
    with Run(k=4, linkDelay=delay) as run:
        schedule(second, lambda: times.append(ns.Simulator.Now().GetPicoSeconds()))
        run.run_for(second)
        run.run_for(1)
        assert ns.Simulator.Now().GetPicoSeconds() == 10**12 + 10**6
        assert value_of(run.fabric.GetLink(0, 8), "Delay", "Time").GetPicoSeconds() == 300_000
    assert times == [10**6]


def test_py1_one_host_has_an_attribute_of_its_own():
    def slow(helper):
        helper.SetDeviceAttribute(3, "ReceiveRate", 50e9)
        helper.SetHostLinkAttribute(5, "Delay", 2e-6)
    with Run(k=4, prepare=slow) as run:
        rates = [value_of(run.fabric.GetDevice(host), "ReceiveRate", "DataRate").GetBitRate() for host in range(16)]
        delays = [value_of(link, "Delay", "Time").GetNanoSeconds() for link in run.fabric.hostLinks]
    assert [(host, rate) for host, rate in enumerate(rates) if rate] == [(3, 50_000_000_000)]
    assert delays == [2000 if host == 5 else 100 for host in range(16)]


def test_py1_attributes_are_plain_values_of_python(run):
    helper = ns.FabricMessageSenderHelper(4096)
    helper.SetAttribute("TrafficClass", 2)
    set_attributes(helper, Count=numpy.int64(3), Interval="5us")
    sender = helper.Install(run.fabric, 1, 0)
    assert (value_of(sender, "TrafficClass", "Uinteger"), value_of(sender, "Count", "Uinteger"), value_of(sender, "Interval", "Time").GetNanoSeconds()) == (2, 3, 5000)
    sender.SetAttribute("Interval", 6e-6)
    assert value_of(sender, "Interval", "Time").GetNanoSeconds() == 6000
    model = ns.CreateObject[ns.RateErrorModel]()
    model.SetAttribute("IsEnabled", False)
    assert value_of(model, "IsEnabled", "Boolean") is False
    ns.Config.SetDefault("ns3::RateErrorModel::ErrorRate", 0.25)
    assert value_of(ns.CreateObject[ns.RateErrorModel](), "ErrorRate", "Double") == 0.25
    set_default("ns3::RateErrorModel::ErrorRate", 0)


def test_py1_attributes_of_a_type_are_listed_with_those_of_its_parents():
    table = attributes_of("ns3::FabricMessageSender").set_index("attribute")
    assert table.loc["ns3::FabricMessageSender::Count", "value"] == "1" and "ns3::Application::StartTime" in table.index
    assert table["help"].str.len().min() > 0


def test_py1_a_run_goes_on_and_is_looked_at_between():
    with Run(k=4, stream=1, samplePeriod="1us") as run:
        install_incast(run, size=1 << 16)
        seen = []
        for _ in range(4):
            run.run_for("8us")
            figures = run.summary().set_index("metric")["value"]
            assert figures["simulated_time"] == pytest.approx(8e-6 * (len(seen) + 1))
            assert figures["bytes_delivered"] >= run.messages()["bytes"].sum()  # of some messages a part has come
            assert run.ports()["time_s"].max() < figures["simulated_time"]
            seen.append(run.messages()["start_s"].count())
        with pytest.raises(RuntimeError, match="the end of run_for"):
            run.until_delivered(1)
        whole = run.messages()
    assert sorted(seen) == seen and seen[0] < seen[-1] == 8
    with Run(k=4, stream=1) as run:
        install_incast(run, size=1 << 16)
        run.run_for("32us")
        assert run.messages().equals(whole)  # as without a look
    with Run(k=4, stream=1) as run:
        for count in (1, 2):
            run.fabric.GetDevice(0).SendMessage(16, 100, 0, count)
            run.until_delivered(1)
            assert len(run.messages()) == count


def test_py1_links_have_what_each_direction_has_carried():
    with Run(k=4, stream=1, samplePeriod="1us", linkRate="100Gbps", check=True) as run:
        run.fabric.GetDevice(0).SendMessage(16, 1 << 20, 0, 1)  # alone: nothing waits anywhere
        run.until_delivered(1)
        assert run.ports().empty
        with pytest.raises(ResultError, match=r"fewer than two samples at which anything waits at a port, and others have no rows; .*Run.links\(\) has the use of all links"):
            plots.link_use(run.ports(), 100e9)
        links, hops = run.links(), run.summary().set_index("metric")["value"]["data_hops"]
        now = ns.Simulator.Now().GetSeconds()
    assert len(links) == 96 and len(links[["from", "to"]].drop_duplicates()) == 96  # 16 hosts and 32 links between switches, both directions
    used = links[links["sent_bytes"] > 0]
    assert used["sent_bytes"].tolist() == [(1 << 20) + 256 * OVERHEAD] * 6 and hops == 6 * 256
    assert used["use"].tolist() == pytest.approx([8 * ((1 << 20) + 256 * OVERHEAD) / (100e9 * now)] * 6) and set(links["rate_bps"]) == {100e9}
    following = dict(zip(used["from"], used["to"]))
    way = ["host 0"]
    while way[-1] in following:
        way.append(following[way[-1]])
    assert len(way) == 7 and way[-1] == "host 15" and way[1] == "switch 0"
    assert used["port"].isna().tolist() == used["from"].str.startswith("host").tolist()


def test_py1_links_and_samples_of_ports_agree():
    with Run(k=4, stream=1, samplePeriod="1us") as run:
        install_incast(run, size=1 << 18)
        run.until_delivered(8)
        ports, links = run.ports(), run.links()
    last = ports[ports["time_s"] == ports["time_s"].max()]
    links = links.dropna(subset=["port"]).assign(switch=lambda rows: rows["from"].str.removeprefix("switch ").astype(int))
    both = last.merge(links, on=["switch", "port"], suffixes=("", "_at_end"))
    assert len(both) == len(last) and (both["sent_bytes_at_end"] >= both["sent_bytes"]).all()
    busiest = links.loc[links["sent_bytes"].idxmax()]
    assert (busiest["from"], busiest["to"]) == ("switch 0", "host 0") and 0.9 < busiest["use"] <= 1


LONG = """
import signal
from fabric_sim import Run, ns
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
try:
    with Run(k=4, stream=1) as run:
        ns.IncastHelper(8, 1 << 40).Install(run.fabric)
        print("it runs", flush=True)
        run.until_delivered(8)
except KeyboardInterrupt:
    print("interrupted")
with Run(k=4, stream=1) as run:
    run.run_for("1us")
    print("and on")
"""


def test_py1_ctrl_c_ends_a_run():
    with subprocess.Popen([sys.executable, "-c", LONG], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")}, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "it runs\n"
        process.send_signal(signal.SIGINT)
        try:
            assert process.communicate(timeout=60)[0] == "interrupted\nand on\n"
        finally:
            process.kill()
        assert process.returncode == 0


def test_py1_what_is_asked_of_a_run_that_has_ended_is_one_sentence():
    with Run(k=4) as run:
        with pytest.raises(RuntimeError, match="the run has no results yet"):
            run.add_completion_times()
        install_incast(run)
        run.until_delivered(8)
        run.add_completion_times()
        with pytest.raises(RuntimeError, match="has completion times already"):
            run.add_completion_times()
    for late in (run.messages, run.summary, run.add_completion_times, lambda: run.run_for("1us"), lambda: run.until_delivered(1)):
        with pytest.raises(RuntimeError, match="the run has ended, and its tables are gone"):
            late()
    run.close()  # once more is nothing


@pytest.mark.parametrize("mistake, words", [
    (lambda: ns.PacketSinkHelper("ns3::TcpSocketFactory", ns.Address()).SetAttribute("Nope", ns.UintegerValue(1)), "(Nope) on ns3::PacketSink"),
    (lambda: ns.RateErrorModel().SetAttribute("Nope", ns.UintegerValue(1)), "Attribute name=Nope does not exist for this object"),
    (lambda: ns.Config.SetDefault("ns3::Nope::X", ns.UintegerValue(1)), "Could not set default value for ns3::Nope::X"),
    (lambda: ns.GlobalValue.Bind("Nope", ns.UintegerValue(1)), "global value: Nope"),
    (lambda: ns.Time("soon"), "Can't Parse Time soon"),
    (lambda: ns.DataRate("fast"), "Could not parse rate: fast"),
    (lambda: ns.PointToPointHelper().SetDeviceAttribute("Nope", ns.StringValue("1")), "(Nope) on ns3::PointToPointNetDevice"),
    (lambda: ns.OnOffHelper("Nope", ns.Address()).Install(ns.NodeContainer(1)), "Invalid value for attribute set (Protocol) on ns3::OnOffApplication"),
])
def test_py1_what_ends_a_program_of_ns3_is_an_exception(mistake, words, capfd):
    with pytest.raises(BadInput) as caught:
        mistake()
    assert words in str(caught.value) and "\n" not in str(caught.value)
    assert words not in capfd.readouterr().err
    ns.Config.SetDefault("ns3::FabricSwitch::Latency", ns.TimeValue(ns.NanoSeconds(350)))  # is well again


def test_py1_applications_of_ns3_tell_functions_of_what_they_do(run):
    ns.InternetStackHelper().Install(run.fabric.hosts)
    interfaces = ns.Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(run.fabric.devices)
    here = as_address(ns.InetSocketAddress(ns.Ipv4Address.GetAny(), 9))
    sinks = ns.PacketSinkHelper("ns3::UdpSocketFactory", here).Install(run.fabric.hosts.Get(0))
    received = []
    connect(sinks.Get(0), "Rx", lambda packet, sender: received.append((packet.GetSize(), ns.Simulator.Now().GetSeconds())))
    socket = ns.Socket.CreateSocket(run.fabric.hosts.Get(3), ns.TypeId.LookupByName("ns3::UdpSocketFactory"))
    assert socket.Bind() == 0
    socket.Connect(as_address(ns.InetSocketAddress(interfaces.GetAddress(0), 9)))
    schedule("1us", lambda: socket.Send(ns.Packet(1000)))
    run.run_for("1ms")
    assert [size for size, _ in received] == [1000] and 1e-6 < received[0][1] < 1e-3


def test_py1_a_run_writes_the_files_of_a_program_if_it_is_asked_to(tmp_path):
    def incast(folder, **options):
        with Run(k=4, stream=1, out=folder, samplePeriod="1us", channels=True, **options) as run:
            install_incast(run)
            run.until_delivered(8)
            run.add_completion_times()
            return {name: run.csv(name) for name in ("messages", "flows", "ports", "channels", "summary")}
    tables = incast(tmp_path / "made")
    assert {path.name for path in (tmp_path / "made").iterdir()} == {*(f"{name}.csv" for name in tables), "manifest.json"}
    assert {name: (tmp_path / f"made/{name}.csv").read_text() for name in tables} == tables
    found = read_run(tmp_path / "made", "fabric_sim")
    assert found.option("k") == 4 and found.value("fct", stat="max") > 0
    with pytest.raises(BadInput, match="holds results of another run"):
        incast(tmp_path / "made")
    incast(tmp_path / "made", force=True, seed=2)
    assert json.loads((tmp_path / "made/manifest.json").read_text())["run"] == 2
    with pytest.raises(KeyError), Run(k=4, out=tmp_path / "broken") as run:
        install_incast(run)
        run.until_delivered(8)
        with pytest.raises(BadInput, match="no figures of flow channels without the option channels"):
            run.channels()
        raise KeyError
    assert not list((tmp_path / "broken").iterdir())


@pytest.mark.parametrize("flow_channels", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sc6_the_stages_of_a_message_follow_each_other_from_send_to_delivery(flow_channels, seed):
    with Run(k=4, seed=seed, stream=1, flowChannels=flow_channels) as run:
        stages = Stages(run.fabric)
        install_incast(run, senders=8, size=40000)
        run.until_delivered(8)
        messages, table = run.messages(), stages.table()
    assert len(messages) == 8
    for message in messages.itertuples():
        own = table[(table["src"] == message.src) & (table["message"] == message.message)]
        assert own["begin_s"].min() == message.start_s and own["end_s"].max() == pytest.approx(message.end_s, abs=1e-15)
        assert own.drop_duplicates("frame")["bytes"].sum() == 40000
        for _, frame in own.sort_values(["begin_s", "end_s"]).groupby("frame"):
            assert list(frame["begin_s"])[1:] == list(frame["end_s"])[:-1]
            assert list(frame["stage"]) == ["host", *["queue", "link"] * (len(frame) // 2)]
            assert frame["place"].iloc[-1].endswith("to host 0")


def test_sc6_stages_of_a_message_are_drawn(tmp_path):
    with Run(k=4, stream=1) as run:
        of_one, to_other = Stages(run.fabric, src=10), Stages(run.fabric, dst=5)
        install_incast(run, size=1 << 15)
        run.until_delivered(8)
        messages = run.messages()
    table = of_one.table()
    assert len(to_other.table()) == 0 and set(table["src"]) == {10}
    axes = plots.message_stages(table)
    assert len(axes.patches) == len(table) and axes.get_yticklabels()[0].get_text() == "host 10"
    assert max(bar.get_x() + bar.get_width() for bar in axes.patches) == pytest.approx(messages[messages["src"] == 10]["end_s"].item() * 1e6)
    axes.figure.canvas.draw()
    whole, picture = axes.figure.get_tightbbox(), axes.figure.get_size_inches()
    assert min(whole.x0, whole.y0) >= 0 and (whole.x1, whole.y1) <= tuple(picture)
    for stages, words in ((to_other.table(), "no stage of a frame was recorded"), (pandas.concat([table, table.assign(src=3)]), "there are 2 messages, one is needed")):
        with pytest.raises(ResultError, match=words):
            plots.message_stages(stages)
    write_trace_events(tmp_path / "run.json", messages, stages=table)
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert sum(event["ph"] == "b" for event in events) == 8 + (table["end_s"] > table["begin_s"]).sum()


def test_sc6_stages_of_a_command_are_those_of_the_program_and_are_drawn(tmp_path):
    plan = ns.fabric.MakeChainPlan([1])
    helper = ns.FabricHelper()
    helper.SetHostChannelAttribute("Delay", ns.TimeValue(ns.NanoSeconds(10)))
    fabric = helper.Install(plan, ns.fabric.MakeShortestPathRouting(plan))
    commands = ns.FabricCommandHelper()
    stages = CommandStages([commands.Install(fabric, host) for host in (0, 1)])
    assert len(stages.table()) == 0
    for name, value in {"Bytes": 5000, "Count": 3, "Outstanding": 1}.items():
        commands.SetApplicationAttribute(name, ns.UintegerValue(value))
    commands.InstallInitiator(fabric, 0, 1)
    ns.Simulator.Run()
    ns.Simulator.Destroy()
    table = stages.table()
    run_well("fabric-nic", "--bytes=5000", "--linkDelay=10ns", "--trace", "--duration=20us", f"--out={tmp_path}")
    written = pandas.read_csv(tmp_path / "stages.csv")
    pandas.testing.assert_frame_equal(table, written[written["command"] < 3])
    first = table[table["command"] == 0]
    axes = plots.command_stages(first)
    assert len(axes.patches) == (first["end_s"] > first["begin_s"]).sum() and axes.get_yticklabels()[0].get_text() == "driver 0"
    assert max(bar.get_x() + bar.get_width() for bar in axes.patches) == pytest.approx(first["end_s"].max() * 1e6)
    for rows, words in ((first.iloc[:0], "no stage of a command was recorded"), (table, "there are 3 commands, one is needed")):
        with pytest.raises(ResultError, match=words):
            plots.command_stages(rows)


def test_nq4_queues_have_read_pointers_of_their_own_policies():
    plan = ns.fabric.MakeChainPlan([1])
    fabric = ns.FabricHelper().Install(plan, ns.fabric.MakeShortestPathRouting(plan))
    commands = ns.FabricCommandHelper()
    commands.SetAttribute("Queues", ns.UintegerValue(2))
    queues = [commands.Install(fabric, host) for host in (0, 1)][0]
    every = ns.fabric.WriteBackSettings()
    every.every, every.onEmpty = 1, False
    queues.SetWriteBack(0, every)
    every.every = 10
    queues.SetWriteBack(1, every)
    commands.SetApplicationAttribute("Count", ns.UintegerValue(100))
    for queue in (0, 1):
        commands.InstallInitiator(fabric, 0, 1, queue)
    ns.Simulator.Run()
    assert queues.GetEngine().Processor().Counts().writeBacks == 100 + 10
    every.every = 0
    with pytest.raises(BadInput, match="allowed is one of these at least"):
        queues.SetWriteBack(0, every)
    ns.Simulator.Destroy()


def test_sc6_frames_that_are_lost_have_no_last_stage():
    tree, errors = ns.FatTreeHelper(4), ns.ObjectFactory("ns3::RateErrorModel")
    errors.Set("ErrorRate", ns.DoubleValue(2e-5))
    tree.SetErrorModel(errors)
    fabric = tree.Install()
    stages = Stages(fabric)
    incast = ns.IncastHelper(8, 40000)
    incast.SetStream(1)
    incast.Install(fabric)
    ns.Simulator.Run()
    table, delivered = stages.table(), fabric.network.GetTotals().delivered
    ns.Simulator.Destroy()
    assert fabric.network.GetTotals().delivered == delivered  # though time begins at 0 again
    ended = table[table["place"].str.endswith("to host 0")]
    assert 0 < ended["bytes"].sum() < 8 * 40000
    assert ended["bytes"].sum() >= delivered
    assert not table[["src", "message", "frame", "stage", "place"]].duplicated().any()


@pytest.mark.parametrize("before", ["ns.Simulator.Run(); ns.Simulator.Destroy()", "ns.Time.SetResolution(ns.Time.US)", "ns.Time.SetResolution(ns.Time.NS)"])
@pytest.mark.parametrize("make", ["Run(k=4)", "ns.FatTreeHelper(4)", "ns.fabric.ParseAttributes('x', 0, cppyy.nullptr)"])
def test_py1_a_resolution_that_is_too_late_is_one_sentence(before, make):
    code = f"""
from fabric_sim import BadInput, Run, ns
from fabric_sim.model import cppyy
{before}
try:
    {make}
except BadInput as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")}, capture_output=True, text=True, timeout=120)
    told = done.stderr if "Parse" in make else done.stdout
    assert told.startswith("a fabric needs picoseconds, and it is too late to let ns-3 count in them: ") and told.count("\n") == 1, done.stdout + done.stderr
    assert done.returncode == (2 if "Parse" in make else 0)


@pytest.mark.parametrize("first", ["set_default('ns3::FabricSwitch::Latency', '350ns')", "ns.FabricMessageSenderHelper(64).SetAttribute('Interval', '2500ps')"])
def test_py1_times_are_set_before_there_is_a_fabric(first):
    code = f"from fabric_sim import ns, set_default\n{first}\nprint(ns.Time.GetResolution() == ns.Time.PS)"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")}, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_py1_whole_numbers_of_numpy_are_taken_as_those_of_python(run):
    for number in (numpy.int64(4096), numpy.uint16(4096), pandas.Series([4096]).iloc[0]):
        sender = ns.FabricMessageSenderHelper(number).Install(run.fabric, numpy.int32(1), 0)
        assert ns.UintegerValue(number).Get() == 4096
        set_attributes(sender, Count=numpy.int64(2))
    run.until_delivered(6)
    assert run.messages()["bytes"].tolist() == [4096] * 6


def test_py1_a_pattern_that_is_refused_is_one_sentence_also_after_one_that_was_right(run):
    pattern = ns.FabricPattern()
    for name in ("random", "Random", "unifrm"):
        pattern.name = name
        if name == "random":
            ns.FabricPatternTraffic(run.fabric, pattern)
        else:
            with pytest.raises(BadInput, match=f"^pattern={name}: allowed is one of shift, random, bit-complement, uniform, adversarial, tornado, all-to-all$"):
                ns.FabricPatternTraffic(run.fabric, pattern)


def test_py1_classes_that_others_only_name_are_read_when_they_are_needed():
    """In a process of its own: once a class has been asked for, it is known."""
    code = """
from fabric_sim import BadInput, Run, connect, ns
called = []
helper = ns.FabricTransportHelper()
with Run(topology="switch", k=3) as run:
    helper.InstallNic(run.fabric.hosts)
    target = helper.InstallTarget(run.fabric.hosts.Get(1)).Get(0)
    initiator = helper.InstallInitiator(run.fabric.hosts.Get(0), run.fabric.GetDevice(1).GetAddress()).Get(0)
    connect(target, "Presented", lambda *arguments: None)
    connect(initiator, "Completed", lambda *arguments: called.append("Completed"))
    run.run_for("1ms")
    transport = run.fabric.hosts.Get(2).GetObject[ns.FabricTransport]()
    assert transport.GetObject[ns.FabricNicTransport]().GetEndpoint()
pattern = ns.FabricPattern()
pattern.name = "Random"
with Run(topology="switch", k=3) as run:
    try:
        ns.FabricPatternTraffic(run.fabric, pattern)
    except BadInput as error:
        called.append(str(error))
print(sorted(set(called)))
"""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "bindings")}, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    refusal = "pattern=Random: allowed is one of shift, random, bit-complement, uniform, adversarial, tornado, all-to-all"
    assert done.stdout == f"{['Completed', refusal]}\n"


def test_py1_an_ns3_that_is_gone_is_one_sentence(tmp_path):
    with pytest.raises(ImportError, match="the ns-3 that the library was built against is not there any more") as caught:
        place.ns3_of(tmp_path / "lib/cmake/ns3")
    assert "\n" not in str(caught.value)


def test_py1_what_is_built_lies_together_in_memory():
    bridge, blocks, count = ns.fabric.python, [], 4000
    allocate, free = cppyy.gbl.malloc, cppyy.gbl.free
    holes = [allocate(200) for _ in range(4 * count)]
    for hole in holes[::2]:
        free(hole)
    filler = bridge.HeapFiller()
    filler.Fill()
    blocks = [allocate(200) for _ in range(count)]
    addresses = sorted(map(cppyy.addressof, blocks))
    assert addresses[-1] - addresses[0] < 2 * 208 * count  # some are of what Python allocates meanwhile
    for block in [*blocks, *holes[1::2]]:
        free(block)


def test_py1_all_public_classes_are_there():
    headers = re.findall(r"^    ((?:model|helper)/\S+\.h)$", (ROOT / "CMakeLists.txt").read_text(), re.M)
    texts = [(ROOT / header).read_text() for header in headers]
    names = {name for text in texts for name in re.findall(r"^class ((?:Fabric|Incast|Victim|FatTree|VlArbiter)\w*)\b(?!.*;)", text, re.M)
             if f"namespace ns3\n{{" in text}
    assert len(names) > 25
    for name in names:
        assert getattr(ns, name).__name__ == name


@pytest.mark.skipif(not list((ROOT / ".venv-pypi").glob("lib/python3*/site-packages/ns3")) or "pypi" not in BUILD.name,
                    reason="only with the ns-3 of PyPI, which has bindings of its own")
def test_py1_the_classes_are_in_the_namespace_of_ns3s_own_bindings():
    code = """
from ns import ns as own
from fabric_sim import Run, ns
assert own.FatTreeHelper is ns.FatTreeHelper and own.Simulator is ns.Simulator
with Run(k=4) as run:
    own.IncastHelper(8, 1 << 14).Install(run.fabric)
    run.until_delivered(8)
    print(len(run.messages()))
"""
    (packages,) = (ROOT / ".venv-pypi").glob("lib/python3*/site-packages")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'bindings'}:{packages}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr
