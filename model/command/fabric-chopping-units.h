/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CHOPPING_UNITS_H
#define FABRIC_CHOPPING_UNITS_H

#include "fabric-command.h"
#include "fabric-link-rate.h"
#include "fabric-ring.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// Of the units that cut messages into packets (NQ-10).
struct ChoppingSettings
{
    uint32_t units{48}; ///< As many as queues with reads under way; chosen.
    /// Of the data of a write, by one unit; 0 for no limit. Fitted to the 22.1 GB/s that libcxi's
    /// documentation has of writes of 64 KiB, bit/s.
    uint64_t putRate{177'200'000'000};
    /// Of the data that another NIC reads, by one unit; 0 for no limit. Fitted to the 21.5 GB/s of
    /// reads of 64 KiB, bit/s.
    uint64_t getRate{172'000'000'000};
};

/**
 * Units of the NIC that cut messages into packets (NQ-10). Each has one message at a time, and goes
 * on to the next one when the last packet is cut; queues that find none wait in order.
 */
class ChoppingUnits
{
  public:
    static constexpr uint32_t NO_UNIT = 0xFFFFFFFF; ///< Number of none.

    /// @param settings that are valid
    explicit ChoppingUnits(const ChoppingSettings& settings)
        : m_freeAt(settings.units, 0)
    {
        for (uint32_t unit = 0; unit < settings.units; ++unit)
        {
            m_free.push_back(unit);
        }
        if (settings.putRate != 0)
        {
            m_putRate.emplace(settings.putRate);
        }
        if (settings.getRate != 0)
        {
            m_getRate.emplace(settings.getRate);
        }
    }

    /// @param queue that has a message @return its unit, or NO_UNIT: it waits, see Release()
    uint32_t Take(uint32_t queue)
    {
        if (m_free.empty())
        {
            m_waiting.Push(queue);
            return NO_UNIT;
        }
        const auto first =
            std::min_element(m_free.begin(), m_free.end(), [this](uint32_t a, uint32_t b) {
                return m_freeAt[a] < m_freeAt[b];
            });
        const uint32_t unit = *first;
        *first = m_free.back();
        m_free.pop_back();
        return unit;
    }

    /// @param unit whose message is cut @return a queue that has it from now on, if one has waited
    std::optional<uint32_t> Release(uint32_t unit)
    {
        if (m_waiting.IsEmpty())
        {
            m_free.push_back(unit);
            return std::nullopt;
        }
        const uint32_t queue = m_waiting.Front();
        m_waiting.Pop();
        return queue;
    }

    /**
     * A unit cuts a packet.
     *
     * @param op of the message @param isReply whether it answers one @param bytes of data
     * @param cutAt when the packet before it is cut; then of this one, ps
     * @return when the unit begins, ps
     */
    TimePs Cut(uint32_t unit, CommandOp op, bool isReply, uint32_t bytes, TimePs now, TimePs& cutAt)
    {
        const TimePs start = std::max({now, m_freeAt[unit], cutAt});
        const std::optional<LinkRate>& rate = isReply ? m_getRate : m_putRate;
        const bool isLimited = rate && (isReply || op == CommandOp::PUT);
        m_freeAt[unit] = cutAt = start + (isLimited ? rate->TxTime(bytes) : 0);
        return start;
    }

  private:
    std::vector<TimePs> m_freeAt;      ///< By unit: when it is done with what it has cut, ps.
    std::vector<uint32_t> m_free;      ///< Units without a message.
    Ring<uint32_t> m_waiting;          ///< Queues with a message and without a unit.
    std::optional<LinkRate> m_putRate; ///< See the settings.
    std::optional<LinkRate> m_getRate; ///< See the settings.
};

} // namespace ns3::fabric

#endif // FABRIC_CHOPPING_UNITS_H
