/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-chip.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace ns3
{
namespace fabric
{

namespace
{

/// Frames that the pool has room for at first, for each port: what waits where no link is
/// congested.
constexpr uint32_t FRAMES_PER_PORT = 8;

/// Longest link, ps: windows are as long as the delay, and the calendar has 46 bits for them (70
/// s).
constexpr TimePs LONGEST_DELAY = 10'000'000'000'000;

} // namespace

SwitchChip::SwitchChip(const SwitchConfig& config)
    : m_config(config),
      m_inputs(config.ports),
      m_outputs(config.ports),
      m_queuedBytes(config.ports, 0),
      m_marker(IsAnyMarked(config.marks)
                   ? std::make_unique<CongestionMarker>(config.marks, config.ports, config.seed)
                   : nullptr),
      m_frames(FRAMES_PER_PORT * config.ports),
      m_meter(config.congestion.watermarks, config.congestion.roomDivisor),
      m_random(config.seed)
{
    m_agenda.Resize(config.ports);
    for (uint32_t port = 0; port < config.ports; ++port)
    {
        m_inputs[port].link.Attach(&m_agenda, port);
        m_outputs[port].lists.Configure(config.arbitration, config.ports);
        m_outputs[port].flows = OutputFlowTable(config.flowChannels.ids);
        if (config.lanes)
        {
            m_inputs[port].flows.SeparateClasses();
        }
    }
    if (config.lanes)
    {
        ApplyLanePlans(LanePlans::Of(config.lanes->table), 0);
    }
}

LinkTiming
SwitchChip::ReceiveTiming(TimePs delay)
{
    if (delay < 1 || delay > LONGEST_DELAY)
    {
        throw std::invalid_argument("link: a delay of " + std::to_string(delay) +
                                    " ps is not possible; allowed are 1 ps to 10 s");
    }
    m_lookahead =
        std::min(m_lookahead,
                 delay + std::min(m_config.timing.latency, m_config.timing.controlLatency));
    LinkTiming timing;
    timing.delay = delay;
    timing.dataLatency = m_config.timing.latency;
    timing.controlLatency = m_config.timing.controlLatency;
    timing.storeAndForward = m_config.timing.forwarding == STORE_AND_FORWARD;
    return timing;
}

void
SwitchChip::ConnectSwitch(uint32_t port,
                          SwitchChip& peer,
                          uint32_t peerPort,
                          LinkRate rate,
                          TimePs delay)
{
    OutputPort& output = m_outputs[port];
    InputPort& input = peer.m_inputs[peerPort];
    output.transmitter.Connect(rate, peer.ReceiveTiming(delay), &input.link);
    MakeLanes(port);
    if (output.wire)
    {
        peer.MakeAssembly(peerPort, rate, m_config.lanes->preemption);
    }
    output.transmitter.Credits().Configure(peer.m_config.buffer.shares);
    input.sender = &output.transmitter;
    input.credits = CreditPath(&output.transmitter.Credits(),
                               &output.starves,
                               &m_agenda,
                               port,
                               delay + m_config.timing.controlLatency);
    // Credits are an outside cause too, also where the other direction's link is longer.
    m_lookahead = std::min(m_lookahead, delay + m_config.timing.controlLatency);
}

void
SwitchChip::ConnectNic(uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    const uint32_t frame = WireBytes(nic.Config().mtu);
    if (frame > m_config.buffer.shares.reservedBytesPerVc)
    {
        throw std::invalid_argument(
            "port " + std::to_string(port) + ": a frame of " + std::to_string(frame) +
            " bytes does not fit into the " +
            std::to_string(m_config.buffer.shares.reservedBytesPerVc) +
            " bytes reserved for each virtual channel (ReservedBytes); it might wait for ever");
    }
    SetEdgeFlowControl(port, nic, rate, delay);
    InputPort& input = m_inputs[port];
    nic.Connect(rate, ReceiveTiming(delay), &input.link, &m_agenda, port);
    input.sender = &nic.Uplink();
    input.credits = nic.MakeCreditPath(delay + m_config.timing.controlLatency);
    input.edge.reset(
        new EdgePort{nic,
                     EdgeFlowTable(m_config.flowChannels.fields, m_config.flowChannels.ids),
                     {}});

    OutputPort& output = m_outputs[port];
    output.nic = &nic;
    LinkTiming timing;
    timing.delay = delay;
    timing.controlLatency =
        output.pause ? QuantaToTime(m_config.hostControl.pause.responseQuanta, rate.BitsPerSecond())
                     : 0;
    output.transmitter.Connect(rate, timing, nullptr);
    MakeLanes(port);
    if (m_config.lanes)
    {
        nic.UseLanes(ArbiterSettings(port), *m_lanePlans);
    }
    // A host takes what comes; its receiver has room for everything.
    output.transmitter.Credits().Configure({NO_LIMIT, 0, 1});
}

void
SwitchChip::FinishLinks()
{
    uint64_t fastest = 0;
    for (const OutputPort& output : m_outputs)
    {
        fastest = std::max(fastest, output.transmitter.Rate().BitsPerSecond());
    }
    for (const InputPort& input : m_inputs)
    {
        if (input.sender && input.sender->Rate().BitsPerSecond() < fastest)
        {
            input.sender->StoreAndForwardAtPeer();
        }
    }
}

void
SwitchChip::Divert(uint32_t port, Mailbox& mailbox)
{
    m_outputs[port].transmitter.SetMailbox(&mailbox);
    m_inputs[port].credits.SetMailbox(&mailbox);
}

void
SwitchChip::Advance(TimePs now, TimePs until)
{
    m_now = now;
    const std::vector<TimePs>& hosts = m_agenda.Hosts();
    for (std::size_t port = 0, ports = hosts.size(); port < ports; ++port)
    {
        if (hosts[port] < now)
        {
            m_outputs[port].nic->RunUntil(now);
        }
    }
    TimePs from = now;
    while (!m_changes.empty() && m_changes.front().at < until)
    {
        const TimePs at = std::max(m_changes.front().at, from);
        Run(from, at);
        const Change change = std::move(m_changes.front());
        m_changes.erase(m_changes.begin());
        change.apply(at); // may insert others
        from = at;
    }
    Run(from, until);
}

void
SwitchChip::ChangeCongestionAt(TimePs at, const CongestionSettings& settings)
{
    Insert({at, ChangeKind::SETTINGS, 0, false, [this, settings](TimePs) {
                m_config.congestion = settings;
                m_meter = HopMeter(settings.watermarks, settings.roomDivisor);
            }});
}

void
SwitchChip::ChangeAckTimersAt(TimePs at, const AckTimers& timers)
{
    Insert({at, ChangeKind::SETTINGS, 0, false, [this, timers](TimePs) {
                m_config.ackTimers = timers;
            }});
}

void
SwitchChip::Insert(Change change)
{
    const auto order = [](const Change& c) { return std::tie(c.at, c.kind, c.port); };
    const auto later = std::find_if(m_changes.begin(), m_changes.end(), [&](const Change& other) {
        return order(other) > order(change);
    });
    m_changes.insert(later, std::move(change));
}

void
SwitchChip::SetSampler(TimePs period, std::function<void(TimePs)> sample)
{
    m_samplePeriod = m_nextSample = period;
    m_sample = std::move(sample);
}

void
SwitchChip::Handle(uint32_t entry, TimePs now)
{
    const uint32_t ports = m_config.ports;
    if (entry < ports)
    {
        TakeAcksIn(entry, now);
    }
    else if (entry < 2 * ports)
    {
        TakeFrameIn(entry - ports, now);
    }
    else
    {
        Decide(entry - 2 * ports, now);
    }
}

void
SwitchChip::Run(TimePs from, TimePs until)
{
    if (from >= until)
    {
        return;
    }
    if (!m_calendar)
    {
        m_calendar = std::make_shared<Calendar>();
    }
    m_until = until;
    m_calendar->Begin(from, until, m_agenda.Entries());
    m_agenda.ForEachBefore(until,
                           [this](uint32_t entry, TimePs time) { m_calendar->Add(entry, time); });
    uint32_t tasks = 0;
    for (Calendar::Due due = m_calendar->Take(); due.entry != Calendar::NONE;
         due = m_calendar->Take(), ++tasks)
    {
        CatchUp(due.time);
        Handle(due.entry, due.time);
    }
    m_tasks = tasks;
}

void
SwitchChip::BringForward(uint32_t port, TimePs time)
{
    const uint32_t entry = m_agenda.EntryOf(Task::DECIDE, port);
    if (m_agenda.At(entry) < m_until)
    {
        m_calendar->Remove(entry);
    }
    m_agenda.Set(entry, time);
    if (time < m_until)
    {
        m_calendar->Add(entry, time);
    }
}

TimePs
SwitchChip::NextTime() const
{
    TimePs next = m_agenda.Earliest();
    const std::vector<TimePs>& hosts = m_agenda.Hosts();
    for (std::size_t port = 0, ports = hosts.size(); port < ports; ++port)
    {
        if (hosts[port] < next)
        {
            next = std::min(next, m_outputs[port].nic->NextEffect());
        }
    }
    return m_changes.empty() ? next : std::min(next, NextWakingChange());
}

TimePs
SwitchChip::NextWakingChange() const
{
    const auto waking = std::find_if(m_changes.begin(), m_changes.end(), [](const Change& change) {
        return change.wakes;
    });
    return waking == m_changes.end() ? NEVER : waking->at;
}

} // namespace fabric
} // namespace ns3
