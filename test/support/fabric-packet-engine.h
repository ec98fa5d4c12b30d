/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PACKET_ENGINE_H
#define FABRIC_PACKET_ENGINE_H

#include "fabric-nic-engine.h"
#include "fabric-nic.h"

#include <optional>
#include <vector>

namespace ns3::fabric
{

/// An engine that sends packets of one size, as fast as they go, and notes the frames that come.
class PacketEngine : public NicEngine
{
  public:
    /// @param nic gets it
    explicit PacketEngine(Nic& nic)
        : m_nic(nic)
    {
        nic.SetEngine(this, nullptr);
    }

    PacketEngine(const PacketEngine&) = delete;
    PacketEngine& operator=(const PacketEngine&) = delete;

    /**
     * Sends from time 0 on.
     *
     * @param dst destination
     * @param trafficClass FTAG
     * @param packets how many
     * @param bytes payload of each frame
     * @param handle of the first packet; they are counted up
     */
    void Send(LocationId dst,
              uint8_t trafficClass,
              uint32_t packets,
              uint32_t bytes,
              uint32_t handle)
    {
        FlowKey key;
        key.destination = dst;
        key.trafficClass = trafficClass;
        m_next = {m_nic.OpenQueue(key), bytes, handle};
        m_left = packets;
        m_nic.EngineHasWork(0);
    }

    TimePs NextTime() const override
    {
        return NEVER;
    }

    void Handle(TimePs) override
    {
    }

    std::optional<EnginePacket> NextPacket(TimePs) override
    {
        if (m_left == 0)
        {
            return std::nullopt;
        }
        --m_left;
        const EnginePacket packet = m_next;
        ++m_next.handle;
        return packet;
    }

    void StopQueue(uint32_t) override
    {
    }

    void ResumeQueue(uint32_t) override
    {
    }

    void Arrive(const Frame& frame) override
    {
        arrivals.push_back(frame);
    }

    TimePs NextReport(TimePs next) const override
    {
        return next;
    }

    TimePs ReportDelay() const override
    {
        return 1;
    }

    std::vector<Frame> arrivals; ///< In the order in which they were announced.

  private:
    Nic& m_nic;            ///< In which it is.
    EnginePacket m_next{}; ///< To be sent.
    uint32_t m_left{0};    ///< Packets to be sent.
};

} // namespace ns3::fabric

#endif // FABRIC_PACKET_ENGINE_H
