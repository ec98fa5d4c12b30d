/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_NIC_UPLINK_H
#define FABRIC_NIC_UPLINK_H

#include "fabric-send-scheduler.h"
#include "support/fabric-time-units.h"

#include <string>

namespace ns3::fabric
{

constexpr LocationId HERE = FIRST_UNICAST;             ///< Whose NIC it is.
constexpr uint32_t ROOM = 64 * WireBytes(MAX_PAYLOAD); ///< More than is sent.

/**
 * @param destination endpoint
 * @param trafficClass FTAG
 * @return a flow of messages
 */
inline FlowKey
FlowTo(LocationId destination, uint8_t trafficClass = 0)
{
    FlowKey key;
    key.destination = destination;
    key.trafficClass = trafficClass;
    return key;
}

/// A scheduler with its uplink of 100 Gb/s, and the switch's end of that.
struct Uplink
{
    explicit Uplink(uint32_t room = ROOM, const NicConfig& config = {}, LocationId host = HERE)
        : scheduler(host, config, transmitter)
    {
        agenda.Resize(1);
        link.Attach(&agenda, 0);
        transmitter.Connect(LinkRate(100'000'000'000), {10 * NS, 0, 0, false}, &link);
        transmitter.Credits().Configure({room, 0, static_cast<uint16_t>(config.vcOfClass[1] + 1)});
    }

    /// Something to send, in frames of full size.
    void Add(const FlowKey& key, uint32_t frames, FrameKind kind = FrameKind::MESSAGE)
    {
        scheduler.Append(scheduler.OpenQueue(key), {uint64_t{frames} * MAX_PAYLOAD, 7, kind});
    }

    /// @return destinations of frames sent, in order, while there is something to decide
    std::string SendAll()
    {
        TimePs now = 0;
        while (now != NEVER)
        {
            now = scheduler.Send(now).next;
        }
        std::string sent;
        for (FrameRing& frames = link.Frames(); !frames.IsEmpty(); frames.Pop())
        {
            sent += std::to_string(frames.Front().dst) + " ";
        }
        return sent;
    }

    Agenda agenda;
    InputLink link;
    Transmitter transmitter;
    SendScheduler scheduler;
};

} // namespace ns3::fabric

#endif // FABRIC_NIC_UPLINK_H
