/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-send-context.h"

namespace ns3::fabric
{

SendContext::SendContext(const SendContextSettings& settings)
    : m_size(settings.blocks),
      m_scheme(settings.scheme),
      m_isFull(settings.blocks, 0),
      m_starts(settings.blocks, NO_SLOT),
      m_missing(settings.blocks, 0),
      m_words(settings.blocks),
      m_run(settings.blocks),
      m_returner(settings)
{
}

bool
SendContext::Occupy(uint32_t slot)
{
    if (m_isFull[slot] != 0 && !m_isHalted)
    {
        m_isHalted = true;
        m_returner.Halt();
    }
    m_isFull[slot] = 1;
    return !m_isHalted;
}

uint32_t
SendContext::Start(uint32_t slot, const ControlWord& word)
{
    if (!Occupy(slot))
    {
        return NO_SLOT;
    }
    m_words[slot] = word;
    uint32_t missing = 0;
    for (uint32_t i = 1; i < word.blocks; ++i)
    {
        const uint32_t other = After(slot, i);
        m_starts[other] = slot;
        missing += m_isFull[other] == 0 ? 1 : 0;
    }
    m_missing[slot] = missing;
    return missing == 0 ? slot : NO_SLOT;
}

uint32_t
SendContext::Fill(uint32_t slot)
{
    if (!Occupy(slot) || m_starts[slot] == NO_SLOT)
    {
        return NO_SLOT;
    }
    const uint32_t start = m_starts[slot];
    --m_missing[start];
    return m_missing[start] == 0 ? start : NO_SLOT;
}

bool
SendContext::Store(uint32_t slot, const ControlWord& word)
{
    for (uint32_t i = 0; i < word.blocks; ++i)
    {
        Occupy(After(slot, i));
    }
    m_words[slot] = word;
    return !m_isHalted;
}

void
SendContext::Free(uint32_t slot, TimePs now)
{
    const ControlWord& word = m_words[slot];
    for (uint32_t i = 0; i < word.blocks; ++i)
    {
        const uint32_t other = After(slot, i);
        m_isFull[other] = 0;
        m_starts[other] = NO_SLOT;
    }
    if (m_scheme == CREDITS_BY_EGRESS)
    {
        m_returner.Leave(slot, word.blocks);
        return;
    }
    m_returner.Grow(m_run.Free(slot, word.blocks, word.asksForCredit), now);
}

} // namespace ns3::fabric
