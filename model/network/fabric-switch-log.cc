/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-log.h"

#include "fabric-ack-batch.h"
#include "fabric-drop-causes.h"
#include "fabric-flow-statistics.h"
#include "fabric-is-logged.h"
#include "fabric-switch.h"

#include "ns3/callback.h"
#include "ns3/nstime.h"

#include <ostream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");

namespace fabric
{

namespace
{

/// Writes what tells a frame from others.
std::ostream&
operator<<(std::ostream& os, const Frame& frame)
{
    os << frame.payload << " bytes from " << frame.src << " to " << frame.dst << " class "
       << +frame.trafficClass << " vc " << +frame.vc;
    return frame.flow == NO_FLOW ? os : os << " flow " << frame.flow;
}

/// Writes ACKs.
std::ostream&
operator<<(std::ostream& os, const AckBatch& acks)
{
    for (uint32_t i = 0; i < acks.count; ++i)
    {
        const Ack& ack = acks.acks[i];
        os << (i == 0 ? "" : ", ") << "flow " << ack.flow << " type "
           << +static_cast<uint8_t>(ack.type) << " value " << +ack.ackFlow;
    }
    return os;
}

/// Writes a credit frame.
std::ostream&
operator<<(std::ostream& os, const CreditOrder& order)
{
    for (uint32_t channel = 0; channel < order.channels; ++channel)
    {
        os << (channel == 0 ? "" : ", ") << "vc " << channel << " " << order.freed[channel];
    }
    return os << (order.damaged ? ", damaged" : "");
}

/// Writes a pause frame.
std::ostream&
operator<<(std::ostream& os, const PauseOrder& order)
{
    return os << "stops priorities " << +order.stop << " for " << order.lasts
              << " ps, lets go priorities " << +order.go << " (bit masks)";
}

// ---- sinks of trace sources ----

void
LogArrive(uint32_t port, const Frame& frame, Time)
{
    NS_LOG_LOGIC("port " << port << " gets " << frame);
}

void
LogSend(uint32_t port, const Frame& frame, Time)
{
    NS_LOG_LOGIC("port " << port << " sends " << frame);
}

void
LogDrop(uint32_t port, const Frame& frame, DropCause cause, Time)
{
    NS_LOG_WARN("port " << port << " drops " << frame << ": " << NameOf(cause));
}

void
LogTrim(uint32_t port, const Frame& frame, const Frame& header, Time)
{
    NS_LOG_INFO("port " << port << " trims " << frame << " to " << header);
}

void
LogSendAcks(uint32_t port, const AckBatch& acks, Time)
{
    NS_LOG_LOGIC("port " << port << " sends ACKs: " << acks);
}

void
LogArriveAcks(uint32_t port, const AckBatch& acks, Time)
{
    NS_LOG_LOGIC("port " << port << " gets ACKs: " << acks);
}

void
LogSendCredits(uint32_t port, const CreditOrder& order, Time)
{
    NS_LOG_LOGIC("port " << port << " sends credits: " << order);
}

void
LogHostCredits(uint32_t port, const CreditOrder& order, Time)
{
    NS_LOG_LOGIC("port " << port << ": host sends credits: " << order);
}

void
LogPause(uint32_t port, const PauseOrder& order, Time)
{
    NS_LOG_INFO("port " << port << " sends a pause: " << order);
}

void
LogHostPause(uint32_t port, const PauseOrder& order)
{
    NS_LOG_INFO("port " << port << ": host sends a pause: " << order);
}

void
LogFgfc(uint32_t port, const FgfcOrder& order, Time)
{
    NS_LOG_INFO("port " << port << " restrains flow " << order.flow << " of its host for "
                        << order.lasts << " ps, but for " << order.credit << " units");
}

void
LogGrant(uint32_t port, const Frame& frame, const Grant& grant, Time)
{
    NS_LOG_LOGIC("port " << port << " grants lane " << +grant.lane << " at level " << +grant.level
                         << ": " << frame);
}

void
LogShape(uint32_t port, const Frame& frame, const ShapingGrant& grant, Time)
{
    NS_LOG_LOGIC("port " << port << " grants shaping queue " << +grant.queue << ": " << frame);
}

void
LogSegment(uint32_t port, const Frame& frame, const WireSegment& segment, Time)
{
    NS_LOG_LOGIC("port " << port << " has sent bytes " << segment.first << " to "
                         << segment.first + segment.bytes << " of " << frame);
}

void
LogFlowClosed(const FlowFigures& figures, Time)
{
    NS_LOG_INFO("port " << figures.port << " ends flow " << figures.flow << " from " << figures.src
                        << " to " << figures.dst << ": " << figures.frames << " frames, "
                        << figures.bytes << " bytes");
}

} // namespace

void
LogSwitch(FabricSwitch& fabricSwitch)
{
    const auto connect = [&fabricSwitch](const char* source, const CallbackBase& sink) {
        fabricSwitch.TraceConnectWithoutContext(source, sink);
    };
    if (IsLogged(g_log, LOG_WARN))
    {
        connect("Drop", MakeCallback(&LogDrop));
    }
    if (IsLogged(g_log, LOG_INFO))
    {
        connect("Trim", MakeCallback(&LogTrim));
        connect("Pause", MakeCallback(&LogPause));
        connect("HostPause", MakeCallback(&LogHostPause));
        connect("Fgfc", MakeCallback(&LogFgfc));
        if (fabricSwitch.GetChip().Statistics())
        {
            connect("FlowClosed", MakeCallback(&LogFlowClosed));
        }
    }
    if (IsLogged(g_log, LOG_LOGIC))
    {
        connect("Arrive", MakeCallback(&LogArrive));
        connect("Send", MakeCallback(&LogSend));
        connect("SendAcks", MakeCallback(&LogSendAcks));
        connect("ArriveAcks", MakeCallback(&LogArriveAcks));
        connect("SendCredits", MakeCallback(&LogSendCredits));
        connect("HostCredits", MakeCallback(&LogHostCredits));
        connect("Grant", MakeCallback(&LogGrant));
        connect("Shape", MakeCallback(&LogShape));
        connect("Segment", MakeCallback(&LogSegment));
    }
}

} // namespace fabric

} // namespace ns3
