/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SDMA_ENGINE_H
#define FABRIC_SDMA_ENGINE_H

#include "fabric-pcie-link.h"
#include "fabric-pio-registers.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/**
 * An SDMA engine of the adaptor (PC-9): after a doorbell it reads descriptors over PCIe, then the
 * data of each, some packets ahead of the wire.
 */
class SdmaEngine
{
  public:
    static constexpr uint32_t DESCRIPTOR_BYTES = 16; ///< hfi1.
    static constexpr uint32_t READ_AT_ONCE = 4;      ///< Descriptors: a line of 64 bytes. Chosen.

    /**
     * @param ring in host memory
     * @param ahead packets that it reads ahead at most
     */
    SdmaEngine(SdmaRing& ring, uint32_t ahead)
        : m_ring(&ring),
          m_room(ahead)
    {
    }

    /// More descriptors are in the ring.
    void Doorbell(PcieLink& pcie, TimePs now)
    {
        ReadDescriptors(pcie, now);
    }

    /// @return when it has something to do, NEVER for nothing, ps
    TimePs NextTime() const
    {
        return std::min(m_descriptorsAt, m_data.Earliest());
    }

    /**
     * Does what is due.
     *
     * @return a packet whose data is there, nothing for none
     */
    std::optional<SdmaDescriptor> Handle(PcieLink& pcie, TimePs now)
    {
        if (m_descriptorsAt <= now)
        {
            m_descriptorsAt = NEVER;
            ReadData(pcie, now);
        }
        if (m_data.Earliest() > now)
        {
            return std::nullopt;
        }
        const SdmaDescriptor packet = m_data.Front().packet;
        m_data.Pop();
        return packet;
    }

    /// A packet has gone, so that there is room for another one.
    void Go(PcieLink& pcie, TimePs now)
    {
        ++m_room;
        ReadData(pcie, now);
    }

  private:
    /// Data on its way.
    struct Data
    {
        TimePs at;             ///< When it is there, ps.
        SdmaDescriptor packet; ///< Whose it is.
    };

    /// Reads descriptors if it has none.
    void ReadDescriptors(PcieLink& pcie, TimePs now)
    {
        if (m_known.IsEmpty() && m_descriptorsAt == NEVER && !m_ring->IsEmpty())
        {
            uint32_t bytes = 0;
            for (; bytes < READ_AT_ONCE * DESCRIPTOR_BYTES && !m_ring->IsEmpty();
                 bytes += DESCRIPTOR_BYTES)
            {
                m_known.Push(m_ring->Front());
                m_ring->Pop();
            }
            m_descriptorsAt = pcie.Read(bytes, now);
        }
    }

    /// Reads the data of descriptors, while there is room.
    void ReadData(PcieLink& pcie, TimePs now)
    {
        while (m_descriptorsAt == NEVER && m_room != 0 && !m_known.IsEmpty())
        {
            const SdmaDescriptor packet = m_known.Front();
            m_known.Pop();
            --m_room;
            m_lastData = std::max(m_lastData, pcie.Read(packet.bytes, now));
            m_data.Push({m_lastData, packet});
            ReadDescriptors(pcie, now);
        }
    }

    SdmaRing* m_ring;              ///< In host memory.
    uint32_t m_room;               ///< Packets that it may read ahead still.
    SdmaRing m_known;              ///< Descriptors that it has, or will have at m_descriptorsAt.
    TimePs m_descriptorsAt{NEVER}; ///< When they are there, ps.
    TimePs m_lastData{0};          ///< When the last data is there, ps: packets keep their order.
    TimedRing<Data> m_data;        ///< On its way.
};

} // namespace ns3::fabric

#endif // FABRIC_SDMA_ENGINE_H
