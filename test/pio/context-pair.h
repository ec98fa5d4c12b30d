/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONTEXT_PAIR_H
#define FABRIC_CONTEXT_PAIR_H

#include "fabric-context-writer.h"
#include "fabric-send-context.h"

#include <cstdint>
#include <optional>

namespace ns3::fabric
{

/// @return a control word of a packet
inline ControlWord
WordOf(uint32_t blocks, bool asksForCredit = false)
{
    ControlWord word;
    word.blocks = static_cast<uint16_t>(blocks);
    word.asksForCredit = asksForCredit;
    return word;
}

/// @return settings of a context that returns every change
inline SendContextSettings
EveryChange(uint32_t blocks, CreditScheme scheme = CREDITS_ABSOLUTE)
{
    SendContextSettings settings;
    settings.blocks = blocks;
    settings.scheme = scheme;
    settings.threshold = 0;
    return settings;
}

/// Both sides of a context, and what lies between them.
struct ContextPair
{
    explicit ContextPair(const SendContextSettings& settings)
        : adaptor(settings),
          software(settings)
    {
    }

    /// The adaptor writes what is due. @return how many updates
    uint32_t Return(TimePs at)
    {
        uint32_t writes = 0;
        while (std::optional<CreditUpdate> update = adaptor.Returner().Take())
        {
            ++writes;
            ++updates;
            update->at = at;
            if (loseEvery == 0 || updates % loseEvery != 0)
            {
                line.Write(*update);
            }
        }
        return writes;
    }

    SendContext adaptor;
    ContextWriter software;
    CreditLine line;
    uint32_t loseEvery{0};
    uint32_t updates{0};
};

} // namespace ns3::fabric

#endif // FABRIC_CONTEXT_PAIR_H
