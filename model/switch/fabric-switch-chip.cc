/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-chip.h"

#include "fabric-switch-units.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3::fabric
{

SwitchChip::SwitchChip(const SwitchConfig& config)
    : m_units(std::make_unique<SwitchUnits>(config)),
      m_agenda(m_units->clock.GetAgenda())
{
}

SwitchChip::~SwitchChip() = default;

// ---- windows ----

TimePs
SwitchChip::Advance(TimePs now, TimePs until)
{
    SwitchUnits& units = *m_units;
    units.clock.BeginWindow(now);
    if (m_agenda.FirstHost() < now)
    {
        RunHosts(now);
    }
    for (TimePs from = now;;)
    {
        const bool changes = units.changes.First() < until;
        const TimePs at = changes ? std::max(units.changes.First(), from) : until;
        Run(from, at);
        if (!changes)
        {
            break;
        }
        units.changes.Take().apply(at); // may plan others
        from = at;
    }
#ifdef NS3_ASSERT_ENABLE
    constexpr TimePs WINDOWS = 64; // one of so many is audited (FC-17), since that takes long
    if (now / Lookahead() % WINDOWS == 0)
    {
        CheckInvariants();
    }
#endif
    return NextTime();
}

void
SwitchChip::Run(TimePs from, TimePs until)
{
    SwitchUnits& units = *m_units;
    const uint32_t ports = units.ports.count;
    const auto handle =
        [ this, &units, ports ](uint32_t entry, TimePs now) __attribute__((always_inline))
    {
        CatchUp(now);
        if (entry < ports)
        {
            units.receiver.TakeAcksIn(entry, now);
        }
        else if (entry < 2 * ports)
        {
            TakeFrameIn(units, entry - ports, now);
        }
        else if (entry < 3 * ports)
        {
            units.clock.EndTask(entry, NEVER);
            Decide(units, entry - 2 * ports, now);
        }
        else
        {
            DoOwnTask(units, entry, now);
        }
    };
    units.clock.Run(from, until, handle);
}

inline void
SwitchChip::DoOwnTask(SwitchUnits& units, uint32_t entry, TimePs now)
{
    if (units.tileSender && units.tileSender->Task() == entry)
    {
        units.tileSender->MoveFrames(now);
    }
    else
    {
        units.reductions->SendResults(now);
    }
}

inline void
SwitchChip::TakeFrameIn(SwitchUnits& units, uint32_t port, TimePs now)
{
    if (units.ports.inputs[port].Is(InputPort::IN_PIECES))
    {
        units.pieceReceiver.TakeEntryIn(port, now);
    }
    else
    {
        units.receiver.TakeFrameIn(port, now);
    }
}

inline void
SwitchChip::Decide(SwitchUnits& units, uint32_t port, TimePs now)
{
    const OutputPort& output = units.ports.outputs[port];
    if (output.Is(OutputPort::HAS_TILES))
    {
        units.tileSender->Decide(port, now);
        return;
    }
    if (now < output.transmitter.FreeAt())
    {
        units.clock.PlanDecision(port, output.transmitter.FreeAt());
        return;
    }
    output.Is(OutputPort::IN_PIECES) ? units.pieceSender.Decide(port, now)
                                     : units.sender.Decide(port, now);
}

void
SwitchChip::RunHosts(TimePs until)
{
    for (uint32_t port = 0, ports = m_agenda.HostPorts(); port < ports; ++port)
    {
        if (m_agenda.HostTime(port) < until)
        {
            m_units->ports.outputs[port].nic->RunUntil(until);
        }
    }
    m_agenda.FindFirstHost();
}

TimePs
SwitchChip::NextTime() const
{
    TimePs next = m_agenda.Earliest();
    if (m_agenda.FirstHost() < next)
    {
        for (uint32_t port = 0, ports = m_agenda.HostPorts(); port < ports; ++port)
        {
            if (m_agenda.HostTime(port) < next)
            {
                next = std::min(next, m_units->ports.outputs[port].nic->NextEffect());
            }
        }
    }
    return std::min(next, m_units->changes.FirstWaking());
}

void
SwitchChip::FetchFirst() const
{
    const SwitchPorts& ports = m_units->ports;
    const uint32_t entry = m_agenda.FirstEntry();
    if (entry < 2 * ports.count)
    {
        const uint32_t port = entry < ports.count ? entry : entry - ports.count;
        FetchMemory(&ports.inputs[port], InputPort::HOT);
    }
    else if (entry < 3 * ports.count)
    {
        FetchMemory(&ports.outputs[entry - 2 * ports.count], OutputPort::HOT);
    }
}

void
SwitchChip::Fetch(FetchStep step) const
{
    if (!m_units->prefetch.IsWorthwhile())
    {
        return;
    }
    if (step == FetchStep::PORTS)
    {
        m_units->FetchHot();
    }
    m_units->prefetch.Fetch(step, Lookahead());
}

void
SwitchChip::AddSampler(TimePs period, std::function<void(TimePs)> sample)
{
    m_samplers.push_back({period, period, std::move(sample)});
    m_nextSample = std::min(m_nextSample, period);
}

void
SwitchChip::TakeSamples()
{
    const TimePs now = m_nextSample;
    m_nextSample = NEVER;
    for (Sampler& sampler : m_samplers)
    {
        if (sampler.next == now)
        {
            sampler.sample(now);
            sampler.next += sampler.period;
        }
        m_nextSample = std::min(m_nextSample, sampler.next);
    }
}

// ---- what changes ----

void
SwitchChip::ChangeCongestionAt(TimePs at, const CongestionSettings& settings)
{
    m_units->changes.Plan({at, PlannedChanges::Kind::SETTINGS, 0, false, [this, settings](TimePs) {
                               m_units->config.congestion = settings;
                               m_units->congestion.Set(settings);
                           }});
}

void
SwitchChip::ChangeGroupsAt(TimePs at, const GroupRules& groups)
{
    const SwitchConfig& config = m_units->config;
    const GroupRules present = config.injection ? config.injection->groups : GroupRules();
    for (uint8_t c = 0; c < TRAFFIC_CLASSES; ++c)
    {
        if (groups[c] == present[c])
        {
            continue;
        }
        const bool isDiscarded = (config.hostDiscards >> c & 1) != 0;
        const uint32_t flows = CountFlows(c);
        if (!config.injection || !isDiscarded || flows != 0)
        {
            throw std::invalid_argument(
                "AppGroups: " +
                (config.injection
                     ? "class " + std::to_string(c) +
                           (isDiscarded ? " still has " + std::to_string(flows) + " flows"
                                        : " is not in DiscardClasses")
                     : "nothing is limited") +
                "; allowed in the run is to change groups of a class of DiscardClasses that has no "
                "flows, at a switch with injection limits");
        }
    }
    if (config.injection)
    {
        auto changed = std::make_shared<InjectionSettings>(*config.injection);
        changed->groups = groups;
        m_units->changes.Plan(
            {at, PlannedChanges::Kind::SETTINGS, 0, false, [this, changed](TimePs) {
                 m_units->config.injection = changed;
             }});
    }
}

void
SwitchChip::ChangeDiscardsAt(TimePs at, uint16_t classes)
{
    const SwitchPorts& ports = m_units->ports;
    const auto hasGroups = [](const InputPort& input) { return input.Is(InputPort::HAS_GROUPS); };
    if (classes != 0 && std::any_of(ports.inputs, ports.inputs + ports.count, hasGroups))
    {
        throw std::invalid_argument("DiscardClasses: is " + std::to_string(classes) +
                                    ", and groups or reductions have trees through this switch, of "
                                    "which no frame may be lost; allowed is 0");
    }
    m_units->changes.Plan({at, PlannedChanges::Kind::SETTINGS, 0, false, [this, classes](TimePs) {
                               m_units->config.hostDiscards = classes;
                           }});
}

uint32_t
SwitchChip::CountFlows(uint8_t trafficClass) const
{
    uint32_t flows = 0;
    for (const InputPort& input : m_units->inputs)
    {
        for (const FlowRecord& record : input.flows.Records())
        {
            const bool isOf = input.edge && record.Is(FlowRecord::OPEN);
            flows += isOf && record.trafficClass == trafficClass ? 1 : 0;
        }
    }
    return flows;
}

void
SwitchChip::ChangeAckTimersAt(TimePs at, const AckTimers& timers)
{
    m_units->changes.Plan({at, PlannedChanges::Kind::SETTINGS, 0, false, [this, timers](TimePs) {
                               m_units->config.ackTimers = timers;
                           }});
}

void
SwitchChip::ChangeLanesAt(TimePs at, const LaneTable& table)
{
    m_units->laneChanges.ChangeAt(at, table, Lookahead() != NEVER);
}

void
SwitchChip::CheckLanes(const LaneTable& table) const
{
    m_units->lanes.PlansFor(table);
}

void
SwitchChip::FailLinkAt(uint32_t port, TimePs at, TimePs known)
{
    m_units->failures.FailAt(port, at, known);
}

void
SwitchChip::RepairLinkAt(uint32_t port, TimePs at)
{
    m_units->failures.RepairAt(port, at);
}

void
SwitchChip::ResetPortAt(uint32_t port, TimePs at)
{
    m_units->changes.Plan(
        {at, PlannedChanges::Kind::SETTINGS, port, true, [this, port](TimePs now) {
             if (m_units->containment.IsBlocked(port))
             {
                 m_units->receiver.Reset(port, now);
             }
         }});
    m_agenda.Wake(at);
}

bool
SwitchChip::IsPortBlocked(uint32_t port) const
{
    return m_units->containment.IsBlocked(port);
}

void
SwitchChip::UpdateWaysAt(TimePs at, std::shared_ptr<Reachability> ways, uint32_t number)
{
    m_units->failures.UpdateWaysAt(at, std::move(ways), number);
}

void
SwitchChip::ShareCalendar(std::shared_ptr<Calendar> calendar)
{
    m_units->clock.ShareCalendar(std::move(calendar));
}

void
SwitchChip::SetRouting(Routing routing)
{
    m_units->config.ValidateRouting(routing);
    m_units->routing.SetRoutes(std::move(routing));
}

void
SwitchChip::SetRoutingRule(RoutingRule rule)
{
    m_units->routing.SetRule(std::move(rule));
}

void
SwitchChip::SetObserver(SwitchObserver* observer)
{
    m_units->SetObserver(observer);
}

FlowStatistics*
SwitchChip::Statistics()
{
    return m_units->statistics ? &*m_units->statistics : nullptr;
}

const FlowStatistics*
SwitchChip::Statistics() const
{
    return m_units->statistics ? &*m_units->statistics : nullptr;
}

void
SwitchChip::SetDropHandler(std::function<void(const Frame&)> handler)
{
    m_units->buffers.SetDropHandler(std::move(handler));
}

// ---- what others may ask ----

void
SwitchChip::SetGroupPorts(LocationId group, TreePorts ports)
{
    m_units->groups.SetPorts(group, std::move(ports));
}

uint32_t
SwitchChip::FreeReductionSlots() const
{
    const SwitchUnits& units = *m_units;
    return units.reductions ? units.reductions->FreeSlots() : units.config.reductions.slots;
}

void
SwitchChip::AddReduction(const ReductionDescriptor& descriptor, ReductionOperands& operands)
{
    SwitchUnits& units = *m_units;
    if (!units.reductions)
    {
        units.reductions = std::make_unique<ReductionEngine>(units.ports,
                                                             units.clock,
                                                             units.buffers,
                                                             units.entry,
                                                             units.routing,
                                                             units.config.reductions);
    }
    units.reductions->Add(descriptor, operands);
}

const Routing&
SwitchChip::GetRouting() const
{
    return m_units->routing.Routes();
}

bool
SwitchChip::IsDown(uint32_t port) const
{
    return m_units->routing.IsDown(port);
}

const Nic*
SwitchChip::Host(uint32_t port) const
{
    return m_units->outputs[port].nic;
}

const SwitchConfig&
SwitchChip::Config() const
{
    return m_units->config;
}

const SwitchCounts&
SwitchChip::Counts() const
{
    return m_units->buffers.Counts();
}

const Transmitter&
SwitchChip::Output(uint32_t port) const
{
    return m_units->outputs[port].transmitter;
}

const Transmitter*
SwitchChip::Sender(uint32_t port) const
{
    return m_units->inputs[port].sender;
}

Handover
SwitchChip::HandoverAt(uint32_t port) const
{
    return m_units->inputs[port].HandsOver();
}

TimePs
SwitchChip::FirstBitIn(uint32_t port, const Frame& frame) const
{
    return m_units->inputs[port].FirstBitIn(frame);
}

TimePs
SwitchChip::OldestFirstBitIn(uint32_t port) const
{
    return m_units->inputs[port].OldestFirstBitIn();
}

const OutputFlowTable&
SwitchChip::OutputFlows(uint32_t port) const
{
    return m_units->outputs[port].flows;
}

const InputFlowTable&
SwitchChip::InputFlows(uint32_t port) const
{
    return m_units->inputs[port].flows;
}

uint32_t
SwitchChip::HeldBytes(uint32_t port) const
{
    return m_units->inputs[port].heldBytes;
}

uint32_t
SwitchChip::PeakHeldBytes(uint32_t port) const
{
    return m_units->inputs[port].peakHeldBytes;
}

const PauseController*
SwitchChip::Pauses(uint32_t port) const
{
    return m_units->inputs[port].pause.get();
}

uint64_t
SwitchChip::FgfcFramesTo(uint32_t port) const
{
    const auto& edge = m_units->inputs[port].edge;
    return edge && edge->fgfc ? edge->fgfc->Told() : 0;
}

uint64_t
SwitchChip::FlowMoves() const
{
    return m_units->rerouting.Moves();
}

uint64_t
SwitchChip::SlowPathsLeft() const
{
    return m_units->edge.SlowPathsLeft();
}

const CreditReturn*
SwitchChip::CreditsToTell(uint32_t port) const
{
    return m_units->inputs[port].creditReturn.get();
}

const LaneSender*
SwitchChip::Lanes(uint32_t port) const
{
    return m_units->outputs[port].lanes;
}

const SharedMemory*
SwitchChip::Memory() const
{
    return m_units->memory.get();
}

const Shaper*
SwitchChip::GetShaper(uint32_t port) const
{
    return m_units->outputs[port].lists.GetShaper();
}

bool
SwitchChip::SendsPieces() const
{
    const SwitchPorts& ports = m_units->ports;
    return std::any_of(ports.outputs, ports.outputs + ports.count, [](const OutputPort& output) {
        return output.wire != nullptr;
    });
}

const PortWire*
SwitchChip::Wire(uint32_t port) const
{
    return m_units->outputs[port].wire.get();
}

const CongestionMarker*
SwitchChip::Marker() const
{
    return m_units->loads.Marker();
}

uint8_t
SwitchChip::LaneOfFlow(uint8_t trafficClass, LocationId src, LocationId dst) const
{
    return m_units->lanes.LaneOfFlow(trafficClass, src, dst);
}

uint32_t
SwitchChip::QueuedBytes(uint32_t port) const
{
    return m_units->loads.QueuedBytes(port);
}

uint32_t
SwitchChip::OutputBufferBytes(uint32_t port, TimePs now) const
{
    return m_units->ports.tiles ? m_units->ports.tiles[port].buffer.BytesAt(now) : 0;
}

uint64_t
SwitchChip::InFlightPayload() const
{
    return m_units->audit.InFlightPayload();
}

void
SwitchChip::CheckInvariants() const
{
    m_units->audit.CheckInvariants();
}

bool
SwitchChip::IsEmpty() const
{
    return m_units->audit.IsEmpty() && (!m_units->reductions || m_units->reductions->IsIdle());
}

bool
SwitchChip::IsAtRest() const
{
    return m_units->changes.FirstWaking() == NEVER &&
           (NextTime() == NEVER || fabric::IsAtRest(m_units->ports, m_agenda));
}

std::vector<SwitchWait>
SwitchChip::FindWaits() const
{
    return fabric::FindWaits(m_units->ports);
}

std::vector<WaitingQueue>
SwitchChip::WaitingQueues() const
{
    return FindWaitingQueues(m_units->ports);
}

} // namespace ns3::fabric
