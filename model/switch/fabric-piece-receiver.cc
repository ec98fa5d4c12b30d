/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-piece-receiver.h"

#include <algorithm>

namespace ns3::fabric
{

void
PieceReceiver::Connect(uint32_t port,
                       LinkRate rate,
                       const PreemptionSettings& settings,
                       bool storesFrames)
{
    InputPort& input = m_ports.inputs[port];
    // A table that changes may have as many levels as any.
    const uint32_t levels = settings.levels != 0 ? settings.levels : PreemptionRules::MOST_LEVELS;
    const LaneAssembler::Link link{rate, DEFAULT_LANES, levels, settings.flitBytes};
    input.assembly = std::make_unique<PortAssembly>(link, storesFrames);
    input.unusual |= InputPort::IN_PIECES;
    input.link.Frames().ShareTask(); // with tails of frames
}

void
PieceReceiver::TakeEntryIn(uint32_t port, TimePs now)
{
    InputPort& input = m_ports.inputs[port];
    FrameRing& entries = input.link.Frames();
    if (!TakeStored(port, now))
    {
        const Frame& entry = entries.Front();
        if (!input.assembly->isCut)
        {
            HandleEntry(port, entry, now);
        }
        else if (entry.kind < FrameKind::STOPS)
        {
            LoseStored(port, entry, DropCause::LINK_DOWN, now);
        }
        entries.Pop();
    }
    m_clock.PlanData(port, NextEntryIn(port));
}

TimePs
PieceReceiver::NextEntryIn(uint32_t port) const
{
    const InputPort& input = m_ports.inputs[port];
    const FrameRing& entries = input.link.Frames();
    return std::min(entries.IsEmpty() ? NEVER : entries.Front().time, input.assembly->NextTail());
}

bool
PieceReceiver::TakeStored(uint32_t port, TimePs now)
{
    PortAssembly& assembly = *m_ports.inputs[port].assembly;
    const std::optional<AssembledFrame> whole = assembly.assembler.TakeWhole(now);
    if (!whole || !assembly.storesFrames)
    {
        return false;
    }
    Frame frame = assembly.frames[whole->lane];
    frame.time = now;
    m_receiver.Receive(port, frame, now);
    return true;
}

void
PieceReceiver::HandleEntry(uint32_t port, const Frame& entry, TimePs now)
{
    PortAssembly& assembly = *m_ports.inputs[port].assembly;
    if (entry.kind == FrameKind::BREAKS)
    {
        LoseRest(port, entry.lane, DropCause::CORRUPT, now);
        return;
    }
    const bool stops = entry.kind == FrameKind::STOPS;
    if (!stops && entry.kind != FrameKind::GOES_ON)
    {
        Start(port, entry, now);
        return;
    }
    const uint32_t byte = entry.handle;
    const uint32_t frame = stops ? assembly.assembler.Stop(now, entry.lane, byte)
                                 : assembly.assembler.GoOn(now, entry.lane, byte);
    if (frame != NO_FRAME && frame != WAITING_FRAME) // else it was dropped, or is used later
    {
        m_sender.Follow(assembly.outputs[entry.lane],
                        frame,
                        stops ? std::optional<uint32_t>(byte) : std::nullopt,
                        now);
    }
}

void
PieceReceiver::Start(uint32_t port, const Frame& frame, TimePs now)
{
    PortAssembly& assembly = *m_ports.inputs[port].assembly;
    uint32_t handle = NO_FRAME;
    if (assembly.storesFrames)
    {
        assembly.frames[frame.lane] = frame;
    }
    else
    {
        const EdgePort* edge = m_ports.inputs[port].edge.get();
        const uint32_t waiting = edge ? edge->waiting.Size() : 0;
        const uint32_t index = m_ports.frames->NextIndex();
        const uint16_t output = m_receiver.Receive(port, frame, now);
        assembly.outputs[frame.lane] = Hop::IsOutput(output) ? output : Hop::NO_OUTPUT;
        const bool waits = edge && edge->waiting.Size() != waiting;
        handle = Hop::IsOutput(output) ? index : (waits ? WAITING_FRAME : NO_FRAME);
    }
    assembly.assembler.Start(now, frame.lane, WireBytes(frame.payload), handle);
}

void
PieceReceiver::Cut(uint32_t port, TimePs now)
{
    PortAssembly& assembly = *m_ports.inputs[port].assembly;
    TakeStored(port, now); // its tail was just in
    assembly.isCut = true;
    for (LaneMask open = assembly.assembler.OpenLanes(); open != 0; open &= open - 1)
    {
        LoseRest(port, static_cast<uint8_t>(LowestBit(open)), DropCause::LINK_DOWN, now);
    }
    m_clock.SetData(port, NextEntryIn(port));
}

void
PieceReceiver::LoseRest(uint32_t port, uint8_t lane, DropCause cause, TimePs now)
{
    PortAssembly& assembly = *m_ports.inputs[port].assembly;
    const uint32_t handle = assembly.assembler.Break(lane);
    if (assembly.storesFrames)
    {
        LoseStored(port, assembly.frames[lane], cause, now);
    }
    else if (handle == WAITING_FRAME)
    {
        m_edge.DropBroken(port, lane, now);
    }
    else if (handle != NO_FRAME && !m_sender.EndBroken(assembly.outputs[lane], handle, now))
    {
        DropBroken(port, handle, cause, now);
    }
}

void
PieceReceiver::LoseStored(uint32_t port, Frame frame, DropCause cause, TimePs now)
{
    if (cause == DropCause::LINK_DOWN)
    {
        // It was in no buffer, and the sender has given its flow channel up.
        m_buffers.Lose(port, frame, DropCause::LINK_DOWN, now);
        return;
    }
    frame.time = now;
    frame.corrupt = 1;
    m_receiver.Receive(port, frame, now);
}

QueueRef
PieceReceiver::QueueOf(uint32_t port, const Frame& frame) const
{
    InputPort& input = m_ports.inputs[port];
    // A switch that sends frames on in pieces has lanes, and so a virtual output queue a class.
    const uint16_t number =
        frame.flow != NO_FLOW ? frame.flow
                              : input.flows.VirtualOutputQueue(input.assembly->outputs[frame.lane],
                                                               frame.trafficClass);
    return {static_cast<uint16_t>(port), number};
}

void
PieceReceiver::DropBroken(uint32_t port, uint32_t handle, DropCause cause, TimePs now)
{
    const Frame frame = m_ports.frames->At(handle);
    const QueuePlace place = m_ports.Find(QueueOf(port, frame));
    std::vector<QueueRef> waiting;
    m_sender.Withdraw(place.queue->output, waiting);
    m_queues.Remove(*place.queue, handle, now);
    m_buffers.Drop(port, frame, cause, now);
    if (place.record)
    {
        // It neither waits here nor was it sent on; the counter passes over it.
        const uint32_t units = FlowUnits(frame.payload);
        place.record->dataFlow += units;
        m_congestion.Left(place, units, now);
        m_acknowledgement.Acknowledge(place.ref, units, true, now);
    }
    m_queues.Offer(waiting, now);
}

} // namespace ns3::fabric
