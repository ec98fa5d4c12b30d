/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-uplink-wire.h"

namespace ns3::fabric
{

WireStep
UplinkWire::Step(LaneSender& lanes, Frame* frame, TimePs now)
{
    if (!frame)
    {
        const WireStep step = ArbitratedWire::Step(lanes, nullptr, now);
        Note(step, now);
        return step;
    }
    const uint32_t bytes = WireBytes(frame->payload);
    // Of a lane one frame is partly sent at a time, so its number names it.
    const WireFrame waiting = Waiting(lanes, bytes, FrameArrival(bytes), frame->lane);
    const WireStep step = ArbitratedWire::Step(lanes, &waiting, now);
    Note(step, now);
    if (step.takes.event == WireEvent::STARTS)
    {
        frame->corrupt = step.isDamaged;
        m_frames[frame->lane] = *frame;
        m_uplink.BeginData(*frame, now);
    }
    return step;
}

void
UplinkWire::Note(const WireStep& step, TimePs now)
{
    if (step.leaves.event != WireEvent::NONE)
    {
        Report(step.segment, now);
    }
    Tell(m_uplink, step, now);
}

bool
UplinkWire::IsPartlySent(uint8_t trafficClass, LocationId destination) const
{
    for (LaneMask open = wire.OpenLanes(); open != 0; open &= open - 1)
    {
        const Frame& frame = m_frames[LowestBit(open)];
        if (frame.dst == destination && frame.trafficClass == trafficClass)
        {
            return true;
        }
    }
    return false;
}

void
UplinkWire::Clear(LaneSender& lanes, TimePs now)
{
    while (wire.OpenLanes() != 0)
    {
        const std::optional<WireSegment> segment = Break(lanes, now, LowestBit(wire.OpenLanes()));
        if (segment)
        {
            Report(*segment, now);
        }
    }
    wire.Restart(now);
}

} // namespace ns3::fabric
