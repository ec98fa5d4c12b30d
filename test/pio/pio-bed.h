/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PIO_BED_H
#define FABRIC_PIO_BED_H

#include "fabric-link-rate.h"
#include "fabric-pio-engine.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3::fabric
{

/// @return settings of one thread whose packets take so many blocks of a context
inline PioSettings
SettingsOf(uint32_t blocks, uint32_t packetBlocks)
{
    PioSettings settings;
    settings.context.blocks = blocks;
    settings.context.threshold = 0;
    settings.packetBytes = packetBlocks * BLOCK_BYTES - CONTROL_WORD_BYTES;
    return settings;
}

/// PIO with a NIC that has a wire and queues of flows, and without a simulator.
class PioBed
{
  public:
    static constexpr uint64_t RATE = 200'000'000'000; ///< Of the wire if nobody says, bit/s.

    explicit PioBed(const PioSettings& settings,
                    const PcieSettings& pcieSettings = {},
                    uint64_t rate = RATE)
        : pcie(pcieSettings),
          engine(settings, pcie),
          wire(rate)
    {
        engine.Settings().Validate(4096);
    }

    /// A thread has messages to send, one after the other.
    void Post(uint32_t thread, uint32_t messages, uint64_t bytes, uint32_t queue = 0)
    {
        for (uint32_t i = 0; i < messages; ++i)
        {
            engine.Host().Post(thread, {posted, queue, bytes, now, true}, now);
            left[posted++] = bytes;
        }
    }

    /// Does everything before a time, or until nothing is left to do.
    void Run(TimePs until = NEVER)
    {
        for (;;)
        {
            while (const std::optional<EnginePacket> packet = engine.NextPacket(now))
            {
                queues[packet->queue].push_back(*packet);
            }
            const uint32_t ready = ReadyQueue();
            const TimePs sends = ready == NONE ? NEVER : std::max(now, freeAt);
            const TimePs next = std::min(engine.NextTime(), sends);
            if (next >= until)
            {
                now = until == NEVER ? now : until;
                return;
            }
            now = next;
            if (engine.NextTime() <= now)
            {
                engine.Handle(now);
                continue;
            }
            Send(ready);
        }
    }

    PcieLink pcie;
    PioEngine engine;
    LinkRate wire;
    TimePs now{0};
    TimePs freeAt{0};
    uint32_t posted{0};                                  ///< Messages.
    uint64_t sent{0};                                    ///< Packets.
    uint32_t blocked{0};                                 ///< Bit mask of queues that may not go.
    std::map<uint32_t, uint64_t> left;                   ///< Bytes of messages that have not left.
    std::vector<uint32_t> done;                          ///< Messages that have left, in order.
    std::map<uint32_t, TimePs> doneAt;                   ///< When.
    std::map<uint32_t, std::deque<EnginePacket>> queues; ///< Packets that wait, by queue.

  private:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No queue.

    uint32_t ReadyQueue()
    {
        uint32_t first = NONE;
        for (const auto& [queue, packets] : queues)
        {
            if (packets.empty() || (blocked >> queue & 1) != 0)
            {
                continue;
            }
            if (queue > m_turn)
            {
                return queue;
            }
            first = std::min(first, queue);
        }
        return first;
    }

    void Send(uint32_t queue)
    {
        const EnginePacket packet = queues[queue].front();
        queues[queue].pop_front();
        m_turn = queue;
        freeAt = now + wire.TxTime(WireBytes(packet.bytes));
        ++sent;
        engine.PacketGoes(queue, now, freeAt);
        left[packet.handle] -= packet.bytes;
        if (left[packet.handle] == 0)
        {
            left.erase(packet.handle);
            done.push_back(packet.handle);
            doneAt[packet.handle] = freeAt;
        }
    }

    uint32_t m_turn{0}; ///< Queue that was served last.
};

} // namespace ns3::fabric

#endif // FABRIC_PIO_BED_H
