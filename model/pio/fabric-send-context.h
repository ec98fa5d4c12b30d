/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SEND_CONTEXT_H
#define FABRIC_SEND_CONTEXT_H

#include "fabric-credit-returner.h"
#include "fabric-pio-settings.h"
#include "fabric-slot-run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

inline constexpr uint32_t NO_SLOT = 0xFFFFFFFF; ///< Number of no slot of a context.

/// What software says of a packet in the first 8 bytes of its first block (hfi1's PBC).
struct ControlWord
{
    uint32_t message{0};       ///< Handle of its message.
    uint32_t queue{0};         ///< NIC queue of its flow, by which it finds its lane.
    uint16_t bytes{0};         ///< Payload of its frame.
    uint16_t blocks{0};        ///< That it takes.
    bool asksForCredit{false}; ///< Credits are to be returned with it.
};

/**
 * The adaptor's side of a send context (PC-1 to PC-4): its blocks as a FIFO ring.
 *
 *     slot    0   1   2   3   4   5   6   7
 *           [ A | A | B |   | C | D | D |   ]   A has left, B waits for its lane, C and D are full
 *             ^ lowest slot that was not returned
 *
 * Blocks are filled in any order; a packet is complete when all of its blocks are, and leaves when
 * its lane lets it. Its first block is told apart by where it is stored (start-of-packet window),
 * so the others may come first.
 */
class SendContext
{
  public:
    /// @param settings that are valid
    explicit SendContext(const SendContextSettings& settings);

    /**
     * The first block of a packet was stored.
     *
     * @param word that it begins with
     * @return the first slot of a packet that is complete by it, NO_SLOT for none
     */
    uint32_t Start(uint32_t slot, const ControlWord& word);

    /// Another block of a packet was stored. @return as Start()
    uint32_t Fill(uint32_t slot);

    /**
     * All blocks of a packet were stored, at once as far as anybody sees.
     *
     * @param slot its first one
     * @param word that it begins with
     * @return whether it is complete; it is not where the context has halted
     */
    bool Store(uint32_t slot, const ControlWord& word);

    /// @return what software has said of the packet that begins there
    const ControlWord& WordAt(uint32_t slot) const
    {
        return m_words[slot];
    }

    /// The blocks of a packet are needed no longer. @param slot its first one
    void Free(uint32_t slot, TimePs now);

    /// @return when it returns credits, and what it says
    CreditReturner& Returner()
    {
        return m_returner;
    }

    /// @return whether software has stored into a block that was full: nothing more is taken
    bool IsHalted() const
    {
        return m_isHalted;
    }

  private:
    /// A block is stored. @return whether it was free
    bool Occupy(uint32_t slot);

    /// @return slot that comes so many after another
    uint32_t After(uint32_t slot, uint32_t blocks) const
    {
        const uint32_t sum = slot + blocks;
        return sum < m_size ? sum : sum - m_size;
    }

    uint32_t m_size;                  ///< Blocks.
    CreditScheme m_scheme;            ///< How credits come back.
    bool m_isHalted{false};           ///< See IsHalted().
    std::vector<uint8_t> m_isFull;    ///< By slot.
    std::vector<uint32_t> m_starts;   ///< First slot of its packet, NO_SLOT if not known, by slot.
    std::vector<uint32_t> m_missing;  ///< Blocks that are not stored yet, by first slot.
    std::vector<ControlWord> m_words; ///< By first slot.
    SlotRun m_run;                    ///< What has left.
    CreditReturner m_returner;        ///< See Returner().
};

} // namespace ns3::fabric

#endif // FABRIC_SEND_CONTEXT_H
