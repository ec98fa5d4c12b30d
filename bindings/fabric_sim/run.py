# SPDX-License-Identifier: GPL-2.0-only
"""A simulation with a fabric in this process, with the options of the programs, and its results as pandas tables."""
import os
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any, Self

import pandas

from . import results
from .calls import BadInput, as_time, in_python
from .graph_values import topology_or_none
from .model import cppyy, ns
from .values import argument_text

cppyy.cppdef("""
#include "ns3/fabric-flow-channel-table.h"
#include "ns3/fabric-csv-writer.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-switch-port.h"
#include <csignal>
#include <map>
#include <optional>
#include <sstream>
namespace ns3::fabric::python
{
// While it exists, Ctrl-C stops the simulator: Python itself looks at signals when C++ has returned only.
class Interruption
{
  public:
    Interruption()
    {
        s_hasCome = 0;
        m_before = std::signal(SIGINT, [](int) {
            s_hasCome = 1;
            Simulator::Stop();
        });
    }
    ~Interruption() { std::signal(SIGINT, m_before); }
    static bool HasCome() { return s_hasCome != 0; }
    // Before a run: what has stopped the simulator before it runs is forgotten, so the first event looks again.
    // @return whether it may begin
    static bool Watch()
    {
        Simulator::ScheduleNow([] {
            if (HasCome())
            {
                Simulator::Stop();
            }
        });
        return !HasCome();
    }

  private:
    static inline volatile std::sig_atomic_t s_hasCome = 0;
    void (*m_before)(int);
};
inline void Parse(FabricRun& run, std::vector<std::string> arguments)
{
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
    {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    run.Parse(static_cast<int>(arguments.size()), pointers.data());
}
// Each call fills the gaps of the heap after cppyy has compiled what it takes to make the call.
inline FabricContainer Install(FabricRun& run, HeapFiller& filler)
{
    filler.Fill();
    return run.InstallTree();
}
inline void RunUntilDelivered(FabricRun& run, HeapFiller& filler, uint64_t tag, uint64_t messages)
{
    filler.Fill();
    if (Interruption::Watch())
    {
        run.RunUntilDelivered(tag, messages);
    }
}
inline void RunFor(FabricRun& run, HeapFiller& filler, Time duration)
{
    filler.Fill();
    if (Interruption::Watch())
    {
        run.RunFor(duration);
    }
}
template <typename Write>
std::string Text(const Write& write)
{
    std::ostringstream os;
    write(os);
    return os.str();
}
inline std::string Messages(FabricRun& run) { return Text([&](std::ostream& os) { run.GetRecorder().WriteMessages(os); }); }
inline std::string Flows(FabricRun& run) { return Text([&](std::ostream& os) { run.GetRecorder().WriteFlows(os); }); }
inline std::string Ports(FabricRun& run) { return Text([&](std::ostream& os) { run.WritePorts(os); }); }
inline std::string Queues(FabricRun& run) { return Text([&](std::ostream& os) { run.WriteQueues(os); }); }
inline std::string Channels(FabricRun& run, const FabricContainer& fabric)
{
    if (!run.HasChannels())
    {
        throw std::invalid_argument("there are no figures of flow channels without the option --channels");
    }
    return Text([&](std::ostream& os) { WriteFlowChannels(os, *fabric.network); });
}
// What each direction of each link has carried: of each switch what its ports send, and what its hosts send to it.
inline std::string Links(const FabricContainer& fabric)
{
    const auto seconds = Simulator::Now().GetSeconds();
    std::map<Ptr<Node>, std::string> names;
    for (uint32_t i = 0; i < fabric.hosts.GetN(); ++i)
    {
        names[fabric.hosts.Get(i)] = "host " + std::to_string(i);
    }
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        names[fabric.switches.Get(i)] = "switch " + std::to_string(i);
    }
    return Text([&](std::ostream& os) {
        CsvWriter csv(os, {"from", "to", "port", "rate_bps", "sent_bytes", "use"});
        const auto write = [&](const Ptr<NetDevice>& from, const Ptr<NetDevice>& to, const std::optional<uint32_t>& port, const Transmitter& transmitter) {
            const uint64_t rate = transmitter.Rate().BitsPerSecond();
            const uint64_t sent = transmitter.Counts().bytes;
            csv.Row(names.at(from->GetNode()), names.at(to->GetNode()), port, rate, sent, 8 * sent / (rate * seconds));
        };
        for (const Ptr<FabricSwitch>& fabricSwitch : fabric.network->GetSwitches())
        {
            for (uint32_t port = 0; port < fabricSwitch->GetChip().Config().ports; ++port)
            {
                const Ptr<NetDevice> own = fabricSwitch->GetPort(port);
                if (!own->GetChannel())
                {
                    continue;
                }
                const Ptr<NetDevice> other = own->GetChannel()->GetDevice(own->GetChannel()->GetDevice(0) == own ? 1 : 0);
                write(own, other, port, fabricSwitch->GetChip().Output(port));
                if (const Ptr<FabricNetDevice> host = DynamicCast<FabricNetDevice>(other))
                {
                    write(other, own, std::nullopt, host->GetNic().Uplink());
                }
            }
        }
    });
}
// The common figures of the run so far, and completion times of the messages of a tag if they are wanted.
inline Summary FiguresOf(const FabricRun& run, bool hasTimes, uint64_t tag)
{
    Summary summary;
    summary.AddTotals(run.Conclude());
    if (hasTimes)
    {
        summary.AddDistribution("fct", {}, run.GetCompletionTimes(tag), "s");
    }
    return summary;
}
inline std::string Figures(const FabricRun& run, bool hasTimes, uint64_t tag) { return Text([&](std::ostream& os) { FiguresOf(run, hasTimes, tag).WriteCsv(os); }); }
inline void WriteFiles(FabricRun& run, bool hasTimes, uint64_t tag)
{
    const Summary summary = FiguresOf(run, hasTimes, tag);
    run.WriteResults(Simulator::GetEventCount(), [&](RunDirectory& directory) {
        run.WriteTables(directory);
        summary.WriteCsv(directory.Open("summary.csv"));
    });
}
}
""")
_bridge = ns.fabric.python
InvariantError: Any = ns.fabric.InvariantError
InvariantError.__str__ = lambda error: in_python(str(error.what()))


class Run:
    """
    One simulation of a fabric, a fat tree if the option `topology` says nothing else:

        with Run(k=4, linkRate="200Gbps") as run:
            ns.IncastHelper(8, 1 << 16).Install(run.fabric)
            run.until_delivered(8)
            print(run.messages(), run.summary())

    Others are Run(topology="dragonfly", hostsPerSwitch=2, switchesPerGroup=4, globalPorts=2), "torus", "hyperx", "switch", and a file with a
    topology: Run(topology="examples/topologies/ring.txt"), or a graph of networkx, as graphs.topology_of() takes it. With
    the option `out` its file is topology.txt there.

    At its end, or that of the `with`, the simulator is destroyed, and the next one can be made. With the option `out` the results are written
    then, as those of a program: Run(k=4, out="results/mine").
    """

    _open: "Run | None" = None  # ns-3 has one simulator a process

    def __init__(self, seed: int | None = None, stream: int = -1, prepare: Callable[[Any], None] | None = None, **options: Any) -> None:
        """
        Attributes, global values and the seed that are given here hold for this run; at its end they are what they were before it.

        @param seed for other random numbers, as --RngRun; without it ns-3's own, which is 1 where set_default("RngRun", ...) has not set another
        @param stream of the switches' random numbers; without it ns-3 before 3.41 counts streams through all runs of the process, so
            that only the first one has the random numbers of a program
        @param prepare called with the FabricHelper before it installs, for what only some hosts or links have:
            lambda helper: helper.SetDeviceAttribute(3, "ReceiveRate", "50Gbps")
        @param options those of programs with a choice of topologies, such as topology, k, levels, linkRate, flowChannels, samplePeriod, check, threads, out, force;
            attributes and their values, such as {"ns3::FabricSwitch::Latency": "100ns"}. Numbers are seconds, bytes and bit/s, a list is one with
            commas
        """
        if not isinstance(stream, int):
            raise TypeError(f"stream={stream}: allowed is a whole number")
        _refuse_options_of_programs(options)
        if Run._open:
            raise RuntimeError("there is another run in this process; close() ends it")
        ns.fabric.RequirePicoseconds()
        _ = ns.FabricNetDevice  # asked for by its name, so that its mistakes are BadInput
        self._graph = topology_or_none(options.get("topology"), BadInput)
        if self._graph:
            options["topology"] = self._graph.kept_in(pathlib.Path(tempfile.gettempdir()) / f"fabric-graphs-{os.getuid()}")
        self._folder = options.get("out")
        self._cpp = ns.FabricRun("fabric_sim", "A run from Python.")
        self._cpp.AddTreeOptions(True)
        self._concluded = self._has_end = False
        self._completion_tag = None  # of the messages whose completion times are in the summary
        self.fabric = self._filler = None
        if seed is not None:
            options["RngRun"] = seed
        if hasattr(ns.RngSeedManager, "ResetNextStreamIndex"):  # of newer releases of ns-3
            ns.RngSeedManager.ResetNextStreamIndex()
        try:
            _bridge.Parse(self._cpp, ["fabric_sim", *(f"--{name}={argument_text(value)}" for name, value in options.items())])
            self._cpp.GetHelper().SetStream(stream)
            if prepare:
                prepare(self._cpp.GetHelper())
        except BaseException as error:
            self._let_go()
            self._raise_named(error, options)
        Run._open = self
        self._filler = _bridge.HeapFiller()
        try:
            self.fabric = _bridge.Install(self._cpp, self._filler)
        except BaseException as error:
            self._close(write=False)
            self._raise_named(error, options)

    def _raise_named(self, error, options):
        """Raises an exception again; one about the file of a graph as one about the graph, and with what Run has in the place of options of programs."""
        if not isinstance(error, BadInput):
            raise error
        sentence = str(error)
        if sentence.startswith("RngRun="):
            sentence = "seed" + sentence.removeprefix("RngRun")
        elif sentence.startswith("unknown option "):
            sentence = sentence.replace(",RngRun, help and attributes", ", seed and attributes")
        raise BadInput(self._graph.named(sentence, options["topology"]) if self._graph else sentence) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        self._close(write=kind is None)

    def until_delivered(self, messages: int, tag: int = 0) -> None:
        """
        Runs until messages are delivered.

        @param messages how many, from now on
        @param tag of the messages that count, 0 for all
        """
        self._check_open()
        if self._has_end:
            raise RuntimeError("the run has come to the end of run_for(); allowed is another run_for()")
        self._go_on(_bridge.RunUntilDelivered, tag, messages)

    def run_for(self, duration: Any) -> None:
        """Runs for a time, from now on. @param duration ns-3's Time, a text such as "1ms", or a number of seconds"""
        self._check_open()
        self._has_end = True
        self._go_on(_bridge.RunFor, as_time(duration))

    def messages(self) -> pandas.DataFrame:
        """@return a row for each message that was delivered, as messages.csv"""
        return results.table_of(self.csv("messages"))

    def flows(self) -> pandas.DataFrame:
        """@return a row for each flow, as flows.csv"""
        return results.table_of(self.csv("flows"))

    def ports(self) -> pandas.DataFrame:
        """@return what waits at ports over time, as ports.csv; needs the option samplePeriod"""
        return results.table_of(self.csv("ports"))

    def links(self) -> pandas.DataFrame:
        """
        @return a row for each direction of each link, idle ones too: from and to (host or switch), port of a switch that sends, rate_bps,
            sent_bytes of data frames since the start, with headers, and use, their part of what the link can carry until now
        """
        return results.table_of(self.csv("links"))

    def queues(self) -> pandas.DataFrame:
        """@return what waits in each queue of the switches over time, as queues.csv; needs the options samplePeriod and sampleQueues"""
        return results.table_of(self.csv("queues"))

    def channels(self) -> pandas.DataFrame:
        """@return what each flow channel did at each switch, as channels.csv; needs the option channels"""
        return results.table_of(self.csv("channels"))

    def summary(self) -> pandas.DataFrame:
        """@return the common figures, as summary.csv"""
        return results.table_of(self.csv("summary"))

    def csv(self, table: str) -> str:
        """@param table messages, flows, ports, links, queues, channels or summary. @return the bytes that a program would write to a file"""
        write = {"messages": _bridge.Messages, "flows": _bridge.Flows, "ports": _bridge.Ports, "links": lambda _: _bridge.Links(self.fabric), "queues": _bridge.Queues, "summary": lambda cpp: _bridge.Figures(cpp, *self._times()),
                 "channels": lambda cpp: _bridge.Channels(cpp, self.fabric)}
        if table not in write:
            raise ValueError(f"{table}: allowed are {', '.join(write)}")
        self._check_results()
        return str(write[table](self._cpp))

    def add_completion_times(self, tag: int = 0) -> None:
        """Adds the distribution of completion times to the summary. @param tag of the messages, 0 for all"""
        self._check_results()
        if self._completion_tag is not None:
            raise RuntimeError("the summary has completion times already; they are added once")
        self._completion_tag = tag

    def close(self) -> None:
        """Ends the run and writes the files of `out`; tables are gone then."""
        self._close(write=True)

    def _close(self, write):
        if Run._open is not self:
            return
        try:
            if write and self._concluded:
                _bridge.WriteFiles(self._cpp, *self._times())
                if self._graph and self._folder:
                    self._graph.write(pathlib.Path(self._folder) / "topology.txt")
        finally:
            Run._open = self.fabric = None
            self._let_go()
            ns.Simulator.Destroy()
            self._filler = None

    def _times(self):
        """@return whether the summary has completion times, and the tag of their messages"""
        return self._completion_tag is not None, self._completion_tag or 0

    def _let_go(self):
        """Attributes and global values are again what they were before the run."""
        self._cpp.GetOptions().PutBack()
        self._cpp.__destruct__()

    def _check_open(self):
        if Run._open is not self:
            raise RuntimeError("the run has ended, and its tables are gone; read them before close() or the end of `with`")

    def _check_results(self):
        self._check_open()
        if not self._concluded:
            raise RuntimeError("the run has no results yet; until_delivered() or run_for() runs it")

    def _go_on(self, run: Any, *how: Any) -> None:
        interruption = _bridge.Interruption()  # before cppyy compiles what it takes to make the call
        try:
            run(self._cpp, self._filler, *how)
        finally:
            has_come = interruption.HasCome()
            interruption.__destruct__()
            if has_come:
                raise KeyboardInterrupt
        self._cpp.Conclude()
        self._concluded = True


def _refuse_options_of_programs(options):
    """Refuses what would have no effect, or would end Python's process."""
    if "RngRun" in options:
        raise BadInput(f"RngRun={options['RngRun']}: Run sets it by itself; allowed is seed={options['RngRun']}")
    printing = next(filter(ns.fabric.ProgramOptions.IsPrinting, options), None)
    if printing:
        raise BadInput(f"{printing}: it prints and ends the process; a program has it, such as fabric-incast")
