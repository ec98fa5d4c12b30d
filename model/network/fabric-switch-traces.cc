/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-traces.h"

#include "ns3/object-base.h"
#include "ns3/trace-source-accessor.h"

namespace ns3
{

TypeId
FabricSwitchTraces::AddTraceSources(TypeId tid)
{
    return tid
        .AddTraceSource("Arrive",
                        "A frame takes effect at an input port.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_arrive),
                        "ns3::FabricSwitch::FrameTracedCallback")
        .AddTraceSource("Send",
                        "The first bit of a frame is put on the wire.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_send),
                        "ns3::FabricSwitch::FrameTracedCallback")
        .AddTraceSource("Drop",
                        "A frame is dropped; fabric::NameOf() names the cause.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_drop),
                        "ns3::FabricSwitch::DropTracedCallback")
        .AddTraceSource("Trim",
                        "A frame of TrimClasses has found no room, and its header goes on without "
                        "its payload.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_trim),
                        "ns3::FabricSwitch::TrimTracedCallback")
        .AddTraceSource("SendAcks",
                        "ACKs are put on the wire, in a frame that begins now.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_sendAcks),
                        "ns3::FabricSwitch::AcksTracedCallback")
        .AddTraceSource("ArriveAcks",
                        "ACKs take effect at a port.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_arriveAcks),
                        "ns3::FabricSwitch::AcksTracedCallback")
        .AddTraceSource(
            "Pause",
            "The first bit of a pause frame to a host, or to another switch, is put on the "
            "wire.",
            MakeTraceSourceAccessor(&FabricSwitchTraces::m_pause),
            "ns3::FabricSwitch::PauseTracedCallback")
        .AddTraceSource("Fgfc",
                        "The first bit of a frame of fine-grain flow control to a host is put on "
                        "the wire.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_fgfc),
                        "ns3::FabricSwitch::FgfcTracedCallback")
        .AddTraceSource("SendCredits",
                        "The first bit of a credit frame is put on the wire.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_sendCredits),
                        "ns3::FabricSwitch::CreditsTracedCallback")
        .AddTraceSource("HostCredits",
                        "The first bit of a credit frame of a host is put on the wire.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_hostCredits),
                        "ns3::FabricSwitch::CreditsTracedCallback")
        .AddTraceSource("HostPause",
                        "A host has sent a pause frame, which the switch will obey.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_hostPause),
                        "ns3::FabricSwitch::HostPauseTracedCallback")
        .AddTraceSource("Grant",
                        "The arbiter of an output's virtual lanes has chosen a frame.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_grant),
                        "ns3::FabricSwitch::GrantTracedCallback")
        .AddTraceSource("Shape",
                        "The shaper of an output has chosen a frame, and one of its buckets pays "
                        "for it.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_shape),
                        "ns3::FabricSwitch::ShapeTracedCallback")
        .AddTraceSource("Segment",
                        "A frame leaves the wire of an output with LanePreemption, "
                        "LaneInterleaving or LaneCheck=flit: it has ended, was interrupted, or "
                        "its next flit is not there.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_segment),
                        "ns3::FabricSwitch::SegmentTracedCallback")
        .AddTraceSource("FlowClosed",
                        "A flow channel has ended at an input port: frames, bytes and largest "
                        "extents since it was opened. Needs FlowStatistics.",
                        MakeTraceSourceAccessor(&FabricSwitchTraces::m_flowClosed),
                        "ns3::FabricSwitch::FlowTracedCallback");
}

void
FabricSwitchTraces::Arrived(uint32_t port, const fabric::Frame& frame, fabric::TimePs now)
{
    m_arrive(port, frame, PicoSeconds(now));
}

void
FabricSwitchTraces::Sent(uint32_t port, const fabric::Frame& frame, fabric::TimePs now)
{
    m_send(port, frame, PicoSeconds(now));
}

void
FabricSwitchTraces::Dropped(uint32_t port,
                            const fabric::Frame& frame,
                            fabric::DropCause cause,
                            fabric::TimePs now)
{
    m_drop(port, frame, cause, PicoSeconds(now));
}

void
FabricSwitchTraces::Trimmed(uint32_t port,
                            const fabric::Frame& frame,
                            const fabric::Frame& header,
                            fabric::TimePs now)
{
    m_trim(port, frame, header, PicoSeconds(now));
}

void
FabricSwitchTraces::AcksSent(uint32_t port, const fabric::AckBatch& acks, fabric::TimePs now)
{
    m_sendAcks(port, acks, PicoSeconds(now));
}

void
FabricSwitchTraces::Acknowledged(uint32_t port, const fabric::AckBatch& acks, fabric::TimePs now)
{
    m_arriveAcks(port, acks, PicoSeconds(now));
}

void
FabricSwitchTraces::Paused(uint32_t port, const fabric::PauseOrder& order, fabric::TimePs now)
{
    m_pause(port, order, PicoSeconds(now));
}

void
FabricSwitchTraces::CreditsSent(uint32_t port, const fabric::CreditOrder& order, fabric::TimePs now)
{
    m_sendCredits(port, order, PicoSeconds(now));
}

void
FabricSwitchTraces::HostCredits(uint32_t port,
                                const fabric::CreditOrder& order,
                                fabric::TimePs start)
{
    m_hostCredits(port, order, PicoSeconds(start));
}

void
FabricSwitchTraces::FlowRestrained(uint32_t port,
                                   const fabric::FgfcOrder& order,
                                   fabric::TimePs now)
{
    m_fgfc(port, order, PicoSeconds(now));
}

void
FabricSwitchTraces::HostPaused(uint32_t port, const fabric::PauseOrder& order)
{
    m_hostPause(port, order);
}

void
FabricSwitchTraces::Granted(uint32_t port,
                            const fabric::Frame& frame,
                            const fabric::Grant& grant,
                            fabric::TimePs now)
{
    m_grant(port, frame, grant, PicoSeconds(now));
}

void
FabricSwitchTraces::Shaped(uint32_t port,
                           const fabric::Frame& frame,
                           const fabric::ShapingGrant& grant,
                           fabric::TimePs now)
{
    m_shape(port, frame, grant, PicoSeconds(now));
}

void
FabricSwitchTraces::SegmentSent(uint32_t port,
                                const fabric::Frame& frame,
                                const fabric::WireSegment& segment,
                                fabric::TimePs now)
{
    m_segment(port, frame, segment, PicoSeconds(now));
}

} // namespace ns3
