/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SLOT_RUN_H
#define FABRIC_SLOT_RUN_H

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * The slots of a FIFO ring that become free in any order (PC-4). What counts is the unbroken run of
 * free slots from the lowest one that was not counted yet: if that one is among the free, the run
 * grows up to its highest, else nothing happens.
 */
class SlotRun
{
  public:
    /// By how much the run has grown.
    struct Growth
    {
        uint32_t blocks{0};      ///< Slots.
        bool isRequested{false}; ///< One of their packets has asked for a return.
    };

    explicit SlotRun(uint32_t slots)
        : m_packets(slots)
    {
    }

    /**
     * The slots of a packet are free.
     *
     * @param slot its first one
     * @param blocks how many it has
     * @param isRequested whether it asks for a return
     */
    Growth Free(uint32_t slot, uint32_t blocks, bool isRequested)
    {
        m_packets[slot] = {blocks, isRequested};
        Growth growth;
        while (m_packets[m_lowest].blocks != 0)
        {
            const Growth packet = m_packets[m_lowest];
            m_packets[m_lowest] = {};
            growth.blocks += packet.blocks;
            growth.isRequested |= packet.isRequested;
            m_lowest += packet.blocks;
            m_lowest -= m_lowest >= m_packets.size() ? static_cast<uint32_t>(m_packets.size()) : 0;
        }
        return growth;
    }

  private:
    std::vector<Growth> m_packets; ///< Free and not counted, by first slot; no blocks for none.
    uint32_t m_lowest{0};          ///< The lowest slot that was not counted.
};

} // namespace ns3::fabric

#endif // FABRIC_SLOT_RUN_H
