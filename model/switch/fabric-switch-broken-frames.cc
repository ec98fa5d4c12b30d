/* SPDX-License-Identifier: GPL-2.0-only */

// Frames in pieces (VA-9, VA-10) on links that fail (WL-8).
//
// A frame of which only a part was in when its link failed is broken: the rest never comes.
//
// | a frame that breaks, at the receiver of the link | what becomes of it                         |
// |--------------------------------------------------|--------------------------------------------|
// | is stored until it is whole                      | dropped, link-down                         |
// | waits                                            | dropped, link-down                         |
// | is partly sent on to a switch                    | ends there with a wrong check: BREAKS      |
// | is partly sent on to a host                      | ends there with a wrong check: corrupt     |
//
// BREAKS does the same at the next switch, where what is dropped counts as corrupt. So a frame that
// is partly in several switches is dropped once, by the last of them or by the host.
//
// What is in when the link fails takes effect a pipeline later, so that is when frames are found
// broken; what takes effect after that is lost. What the sender has partly sent is gone at once: it
// counts at the receiver, which knows of each frame from its start on, or at the host.

#include "fabric-switch-chip.h"

namespace ns3
{
namespace fabric
{

// ---- the end that sends ----

void
SwitchChip::ClearWire(uint32_t port, TimePs now)
{
    OutputPort& output = m_outputs[port];
    output.owesGreeting = false;
    if (!output.wire)
    {
        return;
    }
    PortWire& wire = *output.wire;
    while (wire.wire.OpenLanes() != 0)
    {
        const PortWire::Sending& sending = wire.sending[__builtin_ctz(wire.wire.OpenLanes())];
        BreakOffRun(port, sending.handle, now);
        if (output.nic)
        {
            output.nic->Lose(m_frames.At(sending.handle));
        }
        FreeSent(sending, now);
    }
    wire.wire.Restart(now);
}

void
SwitchChip::BreakOffRun(uint32_t port, uint32_t handle, TimePs now)
{
    OutputPort& output = m_outputs[port];
    const std::optional<WireSegment> segment = output.wire->wire.Break(now, handle);
    if (!segment)
    {
        return; // it was interrupted
    }
    output.lanes->arbiter.End(now);
    if (m_observer)
    {
        m_observer->SegmentSent(port, m_frames.At(handle), *segment, now);
    }
}

// ---- the end that receives ----

void
SwitchChip::CutAssembly(uint32_t port, TimePs now)
{
    PortAssembly& assembly = *m_inputs[port].assembly;
    TakeStored(port, now); // its tail was just in
    assembly.isCut = true;
    for (LaneMask open = assembly.assembler.OpenLanes(); open != 0; open &= open - 1)
    {
        LoseRest(port, static_cast<uint8_t>(__builtin_ctz(open)), DropCause::LINK_DOWN, now);
    }
    m_agenda.Set(m_agenda.EntryOf(Task::DATA, port), NextEntryIn(port));
}

void
SwitchChip::LoseCutEntry(uint32_t port, const Frame& entry, TimePs now)
{
    if (entry.kind < FrameKind::STOPS)
    {
        LoseStored(port, entry, DropCause::LINK_DOWN, now);
    }
}

void
SwitchChip::LoseRest(uint32_t port, uint8_t lane, DropCause cause, TimePs now)
{
    PortAssembly& assembly = *m_inputs[port].assembly;
    const uint32_t handle = assembly.assembler.Break(lane);
    if (assembly.storesFrames)
    {
        LoseStored(port, assembly.frames[lane], cause, now);
    }
    else if (handle != NO_FRAME && !EndBroken(assembly.outputs[lane], handle, now))
    {
        DropBroken(port, handle, cause, now);
    }
}

bool
SwitchChip::ForgetRest(uint32_t port, uint32_t handle)
{
    PortAssembly* assembly = m_inputs[port].assembly.get();
    return assembly && assembly->Forget(m_frames.At(handle).lane, handle);
}

void
SwitchChip::LoseStored(uint32_t port, Frame frame, DropCause cause, TimePs now)
{
    if (cause == DropCause::LINK_DOWN)
    {
        // It was in no buffer, and the sender has given its flow channel up.
        CountDrop(port, frame, cause, now);
        m_inputs[port].credits.Return(frame.vc, WireBytes(frame.payload), now, m_now);
        return;
    }
    frame.time = now;
    frame.corrupt = 1;
    JoinAssembled(port, frame, now);
}

bool
SwitchChip::EndBroken(uint16_t output, uint32_t handle, TimePs now)
{
    OutputPort& port = m_outputs[output];
    PortWire& wire = *port.wire;
    LaneMask open = wire.wire.OpenLanes();
    while (open != 0 && wire.sending[__builtin_ctz(open)].handle != handle)
    {
        open &= open - 1;
    }
    if (open == 0)
    {
        return false;
    }
    if (wire.wire.HasEnded(now, handle))
    {
        return true; // a faster link has sent its last flit while that came in
    }
    const auto lane = static_cast<uint8_t>(__builtin_ctz(open));
    m_frames.At(handle).corrupt = 1;
    BreakOffRun(output, handle, now);
    if (!port.nic)
    {
        port.transmitter.PushChange(FrameKind::BREAKS, lane, 0, now);
    }
    EndFrame(port, lane, now);
    PlanDecision(output, now);
    return true;
}

QueueRef
SwitchChip::QueueOf(uint32_t port, const Frame& frame, uint16_t output)
{
    const auto input = static_cast<uint16_t>(port);
    if (frame.flow != NO_FLOW)
    {
        return {input, frame.flow};
    }
    const uint8_t vc = m_config.buffer.vcOfClass[frame.trafficClass];
    const uint8_t number = m_config.lanes ? frame.trafficClass : vc;
    return {input, m_inputs[port].flows.VirtualOutputQueue(output, number)};
}

void
SwitchChip::DropBroken(uint32_t port, uint32_t handle, DropCause cause, TimePs now)
{
    const Frame frame = m_frames.At(handle);
    const uint16_t output = m_inputs[port].assembly->outputs[frame.lane];
    const QueueRef ref = QueueOf(port, frame, output);
    std::vector<QueueRef> unlisted;
    Unlist(output, unlisted);
    const QueuePlace place = Find(ref);
    place.queue.Remove(m_frames, handle);
    m_frames.Free(handle);
    EndWait(output, frame);
    DropHeld(port, frame, cause, now);
    if (place.record)
    {
        // It neither waits here nor was it sent on; the counter passes over it.
        FlowRecord& record = *place.record;
        const uint32_t units = FlowUnits(frame.payload);
        record.dataFlow += units;
        if (m_meter.Left(record, units, FreeBytes(place.input)))
        {
            record.creditDue = true;
            QueueAck(port, ref.queue, record, now);
        }
        Acknowledge(ref, units, true, now);
    }
    Relist(unlisted, now);
}

} // namespace fabric
} // namespace ns3
