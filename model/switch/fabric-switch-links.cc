/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-chip.h"
#include "fabric-switch-units.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/**
 * Refuses settings of a link's retry that do not fit to what it sends.
 *
 * @param wire on which frames are sent in pieces; null for none
 */
void
CheckRepeatedUnits(const RetrySettings& retry, const PortWire* wire)
{
    if (!wire && retry.unitBytes != RetrySettings().unitBytes)
    {
        throw std::invalid_argument("RetryUnit has no effect on a link that sends frames in one "
                                    "piece; allowed is " +
                                    std::to_string(RetrySettings().unitBytes) + ", the default");
    }
    if (wire && retry.unitBytes % wire->FlitBytes() != 0)
    {
        throw std::invalid_argument("RetryUnit is " + std::to_string(retry.unitBytes) +
                                    "; allowed are multiples of LaneFlitBytes, " +
                                    std::to_string(wire->FlitBytes()));
    }
    if (wire && retry.bufferBytes != 0)
    {
        throw std::invalid_argument("RetryBuffer limits links that send frames in one piece; "
                                    "allowed is 0 with LanePreemption, LaneInterleaving or "
                                    "LaneCheck=flit");
    }
}

/// @return bytes of frames that may have interrupted one on a wire of the switch; 0 if none may
uint32_t
NestedBytes(const SwitchConfig& config)
{
    return config.lanes && config.lanes->HasWires() ? config.lanes->NestedBytes() : 0;
}

/// Refuses a host whose frames are larger than what the switch keeps for them.
void
RequireRoom(const SwitchConfig& config, const Nic& nic)
{
    const uint32_t frame = WireBytes(nic.Config().mtu);
    const uint32_t reserved = config.buffer.shares.reservedBytesPerVc;
    if (frame > reserved)
    {
        throw std::invalid_argument(
            "a frame of " + std::to_string(frame) + " bytes does not fit into the " +
            std::to_string(reserved) +
            " bytes reserved for each virtual channel, and might wait for ever; allowed is at "
            "least as much in ReservedBytes, or a smaller Mtu");
    }
}

/// Makes what an input has for the flows of its host.
void
MakeEdge(SwitchUnits& units, uint32_t port, Nic& nic)
{
    std::unique_ptr<EdgePort>& edge = units.inputs[port].edge;
    const FlowChannelSettings& channels = units.config.flowChannels;
    edge.reset(new EdgePort{nic, EdgeFlowTable(channels.fields, channels.ids), {}, nullptr});
    EdgeFlowTable& table = edge->table;
    nic.SetReuse([&table](uint32_t queue) { table.ForgetHint(queue); });
    for (const FlowRule& rule : channels.rules)
    {
        table.AddTernary(rule);
    }
    if (units.config.congestion.fgfc.isOn)
    {
        units.fgfc.Connect(port);
    }
    if (units.config.injection)
    {
        edge->turns = std::make_unique<IngressArbiter>(units.config.injection);
    }
}

/// Connects an output to a host.
void
ConnectOutput(SwitchUnits& units, uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    OutputPort& output = units.outputs[port];
    output.nic = &nic;
    LinkTiming timing;
    timing.delay = delay;
    timing.controlLatency = units.hosts.ResponseTime(rate);
    output.transmitter.Connect(rate, timing, nullptr);
    if (units.tileSender)
    {
        units.tileSender->AddLink(rate);
    }
    units.lanes.Connect(port);
    units.shapers.Connect(port);
    units.pieceSender.Connect(port);
}

/// Looks at congestion of a host from now on. @param roundTrip of control to the host and back, ps
void
WatchHost(SwitchUnits& units, uint32_t port, LinkRate rate, TimePs roundTrip)
{
    const bool arbitrates = units.lanes.Arbitrates() || units.config.hostShaping;
    units.congestion.Watch(port, rate, arbitrates ? units.config.Lists() : 1);
    const CongestionSettings& congestion = units.config.congestion;
    if (congestion.coversLinks)
    {
        const uint32_t heldBytes = congestion.fgfc.creditUnits * DATA_FLOW_UNIT;
        units.congestion.CoverLink(port, roundTrip, rate, heldBytes);
    }
}

/// Longest link, ps: windows are as long as the delay, and the calendar has 46 bits for them (70
/// s).
constexpr TimePs LONGEST_DELAY = 10'000'000'000'000;

} // namespace

LinkTiming
SwitchChip::ReceiveTiming(TimePs delay)
{
    if (delay < 1 || delay > LONGEST_DELAY)
    {
        throw std::invalid_argument("link: a delay of " + std::to_string(delay) +
                                    " ps is not possible; allowed are 1 ps to 10 s");
    }
    const SwitchTiming& own = m_units->config.timing;
    const TimePs dataLatency = m_units->config.DataLatency();
    m_windows.Limit(delay + std::min(dataLatency, own.controlLatency));
    LinkTiming timing;
    timing.delay = delay;
    timing.dataLatency = dataLatency;
    timing.controlLatency = own.controlLatency;
    timing.storeAndForward = own.forwarding == STORE_AND_FORWARD;
    return timing;
}

void
SwitchChip::ConnectSwitch(uint32_t port,
                          SwitchChip& peer,
                          uint32_t peerPort,
                          LinkRate rate,
                          TimePs delay)
{
    SwitchUnits& here = *m_units;
    SwitchUnits& there = *peer.m_units;
    OutputPort& output = here.outputs[port];
    output.transmitter.Connect(rate, peer.ReceiveTiming(delay), &there.inputs[peerPort].link);
    here.loads.SetCredits(port, output.transmitter.Credits());
    here.prefetch.AddLink(rate);
    if (here.tileSender)
    {
        here.tileSender->AddLink(rate);
    }
    here.lanes.Connect(port);
    here.shapers.Connect(port);
    here.pieceSender.Connect(port);
    if (output.wire)
    {
        // Only a wire of lanes can send on what may not come to its end.
        const bool mayForward = there.config.timing.forwarding == CUT_THROUGH &&
                                there.config.lanes && there.config.lanes->HasWires();
        there.pieceReceiver.Connect(peerPort, rate, here.config.lanes->preemption, !mayForward);
    }
    here.rerouting.Watch(port, rate);
    if (there.config.congestion.coversLinks)
    {
        const TimePs roundTrip =
            2 * delay + here.config.timing.controlLatency + there.config.timing.latency;
        there.congestion.CoverLink(peerPort, roundTrip, rate, 0);
    }
    const TimePs creditDelay = delay + here.config.timing.controlLatency;
    there.inputs[peerPort].sender = &output.transmitter;
    const CreditEnd creditEnd(&output.transmitter.Credits(), &here.clock.GetAgenda(), port);
    there.inputs[peerPort].credits = CreditPath(creditEnd, creditDelay);
    if (there.config.linkControl.flowControl == LINK_CREDITS)
    {
        output.transmitter.Credits().Configure(there.config.buffer.CreditShares());
    }
    else
    {
        PauseBySwitch(port, peer, peerPort);
    }
    // Credits and pauses are an outside cause too, also where the other direction's link is longer.
    m_windows.Limit(creditDelay);
}

void
SwitchChip::PauseBySwitch(uint32_t port, SwitchChip& peer, uint32_t peerPort)
{
    SwitchUnits& here = *m_units;
    SwitchUnits& there = *peer.m_units;
    Transmitter& link = here.outputs[port].transmitter;
    link.Credits().Configure(TAKES_EVERYTHING);
    PausedLink paused;
    paused.rate = link.Rate();
    paused.delay = link.Timing().delay;
    paused.dataLatency = link.Timing().dataLatency;
    paused.largestFrame = std::max(WireBytes(JUMBO_PAYLOAD), AckFrameBytes(MAX_ACKS_PER_FRAME));
    paused.bufferBytes = there.config.buffer.shares.totalBytes;
    paused.nestedBytes = NestedBytes(here.config) + NestedBytes(there.config);
    paused.response = here.config.timing.controlLatency;
    paused.grantedBytes = here.config.crossbar.GrantedBytes();
    const LinkControlSettings& control = there.config.linkControl;
    PauseSettings settings = there.config.hostControl.pause;
    settings.thresholds = LinkThresholds(control.flowControl, control.thresholds, paused);
    there.pauses.PauseSender(
        peerPort,
        MakePauseController(control.flowControl, settings, paused, "LinkPause", there.memory.get()),
        PausePath(&here.pauses, port));
    // After a repair nothing goes before the other end could pause it, maybe after its greeting.
    const uint32_t bytes = AckFrameBytes(0) + PAUSE_FRAME_BYTES;
    here.pauses.ObeyReceiver(port, paused.rate.TxTime(bytes) + paused.delay + paused.response);
}

void
SwitchChip::BeginTelemetry(HopStackSource& source, uint32_t number)
{
    PathTelemetry& telemetry = *m_units->loads.Telemetry();
    telemetry.Begin(source, static_cast<uint16_t>(number));
    for (uint32_t port = 0; port < m_units->config.ports; ++port)
    {
        telemetry.SetRate(port, m_units->outputs[port].transmitter.Rate().BitsPerSecond());
    }
}

void
SwitchChip::ConnectNic(uint32_t port, Nic& nic, LinkRate rate, TimePs delay)
{
    SwitchUnits& units = *m_units;
    const SwitchConfig& config = units.config;
    RequireRoom(config, nic);
    const std::optional<LaneArbitration>& lanes = config.lanes;
    const bool inPieces = lanes && lanes->HasWires() && nic.Config().arbitratesLanes;
    // Frames of who is paused may be interrupted, and those of who pauses before that can go.
    const uint32_t nested = NestedBytes(config) * (inPieces ? 2 : 1);
    const BufferShares& buffer = config.buffer.shares;
    const TimePs response = config.timing.controlLatency;
    const PausedLink toSwitch{rate, delay, config.DataLatency(), 0, buffer.totalBytes, nested, 0};
    units.hosts.Connect(port, nic, toSwitch, config.buffer.CreditShares());
    InputPort& input = units.inputs[port];
    nic.Connect(rate, ReceiveTiming(delay), &input.link, &units.clock.GetAgenda(), port);
    units.prefetch.AddLink(rate);
    input.sender = &nic.Uplink();
    input.credits = nic.MakeCreditPath(delay + response);
    MakeEdge(units, port, nic);

    ConnectOutput(units, port, nic, rate, delay);
    const FgfcSettings& fgfc = config.congestion.fgfc;
    const TimePs roundTrip = 2 * delay + fgfc.responseTime + config.timing.latency;
    WatchHost(units, port, rate, roundTrip);
    if (fgfc.isOn)
    {
        m_hostLoop = std::max(m_hostLoop, roundTrip + 2 * rate.TxTime(WireBytes(MAX_PAYLOAD)));
    }
    const uint32_t granted = config.crossbar.GrantedBytes();
    const PausedLink toHost{rate, delay, 0, 0, 0, nested, response, granted};
    units.hosts.ConnectReceiver(port, nic, toHost, buffer.virtualChannels);
    if (units.lanes.Arbitrates())
    {
        nic.UseLanes(units.lanes.ArbiterSettings(port), *units.lanes.Plans());
    }
    if (inPieces)
    {
        nic.UsePieces(lanes->preemption);
        const bool storesFrames = config.timing.forwarding == STORE_AND_FORWARD;
        units.pieceReceiver.Connect(port, rate, lanes->preemption, storesFrames);
    }
}

void
SwitchChip::SetRoundTrip(TimePs roundTrip)
{
    m_units->congestion.SetRoundTrip(roundTrip);
    m_units->config.congestion.reroute.roundTrip = roundTrip;
    m_units->config.congestion.slowPaths.roundTrip = roundTrip;
}

bool
SwitchChip::TellsOfGroups() const
{
    return m_units->config.congestion.neighbourLoads.isOn && !m_units->routing.Routes().Paths();
}

void
SwitchChip::TellLoads(std::shared_ptr<const DestinationGroups> groups, const LoadScale& scale)
{
    m_units->telling.Start(std::move(groups), scale);
}

uint64_t
SwitchChip::FastestToSwitch() const
{
    const std::vector<uint64_t> rates = m_units->RatesToSwitches();
    return *std::max_element(rates.begin(), rates.end());
}

void
SwitchChip::FinishLinks()
{
    uint64_t fastest = 0;
    for (const OutputPort& output : m_units->outputs)
    {
        fastest = std::max(fastest, output.transmitter.Rate().BitsPerSecond());
    }
    for (const InputPort& input : m_units->inputs)
    {
        if (input.sender && input.sender->Rate().BitsPerSecond() < fastest)
        {
            input.sender->StoreAndForwardAtPeer();
        }
    }
    m_units->routing.SetRates(m_units->RatesToSwitches());
}

void
SwitchChip::Divert(uint32_t port, Mailbox& mailbox)
{
    m_units->outputs[port].transmitter.SetMailbox(&mailbox);
    m_units->inputs[port].credits.SetMailbox(&mailbox);
    m_units->pauses.Divert(port, mailbox);
}

LinkEnds
SwitchChip::EndsBeyond(uint32_t port, uint32_t peerPort)
{
    return {m_units->outputs[port].transmitter.Peer(),
            &m_units->inputs[port].credits.End(),
            m_units->pauses.EndOf(port),
            peerPort};
}

void
SwitchChip::SetLinkErrors(uint32_t port, LinkErrors* errors)
{
    const OutputPort& output = m_units->outputs[port];
    if (errors && errors->Repeats())
    {
        CheckRepeatedUnits(errors->Settings(), output.wire.get());
    }
    m_units->outputs[port].transmitter.SetErrors(errors);
}

void
SwitchChip::SetCreditFrames(uint32_t port, const CreditSettings& settings)
{
    if (!m_units->inputs[port].Is(InputPort::PAUSES_SENDER))
    {
        m_units->credits.Connect(port, settings, m_units->config.buffer.shares.virtualChannels);
    }
}

void
SwitchChip::WatchAcks(uint32_t port)
{
    // What was sent before a check has come in, at whatever pace the other end handles it.
    const Transmitter& link = m_units->outputs[port].transmitter;
    const uint32_t granted = m_units->config.crossbar.GrantedBytes();
    // What was granted is on the way for as long as all frames that were granted at its input.
    const TimePs inside = (TimePs{m_units->ports.count} + 1) * link.Rate().TxTime(granted);
    const TimePs least = 4 * (link.Quiet() + link.Timing().controlLatency) + inside;
    m_units->repair.Watch(port, std::max(least, m_units->config.flowChannels.checkInterval));
}

} // namespace ns3::fabric
