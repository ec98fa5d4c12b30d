/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SDMA_ENGINE_H
#define FABRIC_SDMA_ENGINE_H

#include "fabric-pcie-link.h"
#include "fabric-sdma-ring.h"
#include "fabric-slot-run.h"
#include "fabric-timed-ring.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/**
 * An SDMA engine of the adaptor (PC-9): after a doorbell it reads descriptors over PCIe, then the
 * data of each, some packets ahead of the wire. When packets have gone it writes its head back, up
 * to the first one that has not.
 */
class SdmaEngine
{
  public:
    static constexpr uint32_t DESCRIPTOR_BYTES = 16; ///< hfi1.
    static constexpr uint32_t READ_AT_ONCE = 4;      ///< Descriptors: a line of 64 bytes. Chosen.
    static constexpr uint32_t HEAD_BYTES = 8;        ///< Of the word in host memory (hfi1).

    /**
     * @param ring in host memory
     * @param ahead packets that it reads ahead at most
     */
    SdmaEngine(SdmaRing& ring, uint32_t ahead)
        : m_ring(&ring),
          m_room(ahead),
          m_gone(ring.Slots())
    {
    }

    /// More descriptors are in the ring. @param tail of software; one that is old says nothing
    void Doorbell(uint32_t tail, PcieLink& pcie, TimePs now)
    {
        m_tail = static_cast<int32_t>(tail - m_tail) > 0 ? tail : m_tail;
        ReadDescriptors(pcie, now);
    }

    /// @return when it has something to do, NEVER for nothing, ps
    TimePs NextTime() const
    {
        return std::min(m_descriptorsAt, m_data.Earliest());
    }

    /// @param now descriptors that come by then have come, ps
    void TakeDescriptors(TimePs now)
    {
        m_descriptorsAt = m_descriptorsAt <= now ? NEVER : m_descriptorsAt;
    }

    /// @return the number of a packet whose data is there, nothing for none
    std::optional<uint32_t> TakeData(TimePs now)
    {
        if (m_data.Earliest() > now)
        {
            return std::nullopt;
        }
        const uint32_t number = m_data.Front().number;
        m_data.Pop();
        return number;
    }

    /// @return whether it has a descriptor, and room for its data
    bool CanRead() const
    {
        return m_descriptorsAt == NEVER && m_room != 0 && m_read != m_known;
    }

    /// Reads the data of the next descriptor; it CanRead().
    void ReadData(PcieLink& pcie, TimePs now)
    {
        --m_room;
        m_lastData = std::max(m_lastData, pcie.Read(m_ring->At(m_read).bytes, now));
        m_data.Push({m_lastData, m_read});
        ++m_read;
        ReadDescriptors(pcie, now);
    }

    /**
     * A packet has gone, so that there is room for another one.
     *
     * @param number of it
     * @return when a new head is in host memory, NEVER if the head stays as it is, ps
     */
    TimePs Go(uint32_t number, PcieLink& pcie, TimePs now)
    {
        ++m_room;
        const uint32_t done = m_gone.Free(number % m_ring->Slots(), 1, false).blocks;
        if (done == 0)
        {
            return NEVER;
        }
        m_head += done;
        const TimePs there = pcie.Write(PcieSide::NIC, m_heads, HEAD_BYTES, now);
        m_ring->WriteHead(m_head, there);
        return there;
    }

  private:
    /// Data on its way.
    struct Data
    {
        TimePs at;       ///< When it is there, ps.
        uint32_t number; ///< Of its descriptor.
    };

    /// Reads descriptors if it has none, no further than to the end of the ring.
    void ReadDescriptors(PcieLink& pcie, TimePs now)
    {
        if (m_read == m_known && m_descriptorsAt == NEVER && m_known != m_tail)
        {
            const uint32_t untilEnd = m_ring->Slots() - m_known % m_ring->Slots();
            const uint32_t count = std::min({READ_AT_ONCE, untilEnd, m_tail - m_known});
            m_known += count;
            m_descriptorsAt = pcie.Read(count * DESCRIPTOR_BYTES, now);
        }
    }

    SdmaRing* m_ring;              ///< In host memory.
    uint32_t m_room;               ///< Packets that it may read ahead still.
    uint32_t m_tail{0};            ///< Descriptors that software has told of.
    uint32_t m_known{0};           ///< Descriptors that it has, or will have at m_descriptorsAt.
    uint32_t m_read{0};            ///< Descriptors whose data it has asked for.
    uint32_t m_head{0};            ///< Descriptors that are done.
    TimePs m_descriptorsAt{NEVER}; ///< When they are there, ps.
    TimePs m_lastData{0};          ///< When the last data is there, ps: packets keep their order.
    TimedRing<Data> m_data;        ///< On its way.
    SlotRun m_gone;                ///< Packets that have gone.
    PcieStream m_heads;            ///< Its writes of the head.
};

} // namespace ns3::fabric

#endif // FABRIC_SDMA_ENGINE_H
