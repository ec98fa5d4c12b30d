/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-mailbox.h"

#include "fabric-credit-end.h"
#include "fabric-input-link.h"
#include "fabric-pause-end.h"

namespace ns3::fabric
{

void
Mailbox::Deliver(TimePs known)
{
    for (const Letter<Frame>& letter : m_frames)
    {
        letter.link->Push(letter.entry);
    }
    for (const Letter<AckBatch>& letter : m_acks)
    {
        letter.link->Push(letter.entry);
    }
    for (const CreditLetter& letter : m_credits)
    {
        letter.end->Deliver(letter.when, letter.vc, letter.bytes, known);
    }
    for (const PauseLetter& letter : m_pauses)
    {
        letter.end->TakePause(letter.port, letter.order, Attempt::CLEAN);
    }
    Clear();
}

void
Mailbox::Clear()
{
    m_frames.clear();
    m_acks.clear();
    m_credits.clear();
    m_pauses.clear();
}

} // namespace ns3::fabric
