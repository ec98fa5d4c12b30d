/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-engine-group.h"

#include <algorithm>

namespace ns3::fabric
{

EngineGroup::EngineGroup(const EngineSlot& first)
{
    m_slots.push_back(std::make_unique<EngineSlot>(first));
}

void
EngineGroup::Add(NicEngine& engine, Alarm* alarm, TimePs sendDelay)
{
    m_slots.push_back(std::make_unique<EngineSlot>());
    m_slots.back()->Put(engine, alarm, sendDelay);
}

void
EngineGroup::TakeAlarm(TimePs now)
{
    // Whose alarm it was is not known; the others say the same again.
    for (const auto& slot : m_slots)
    {
        slot->TakeAlarm(now);
    }
}

TimePs
EngineGroup::NextTime() const
{
    TimePs next = NEVER;
    for (const auto& slot : m_slots)
    {
        slot->Plan(); // somebody may have called that engine
        next = std::min(next, slot->Next());
    }
    return next;
}

void
EngineGroup::Handle(TimePs at)
{
    for (const auto& slot : m_slots)
    {
        if (slot->Next() <= at)
        {
            slot->Handle();
        }
    }
}

std::optional<EnginePacket>
EngineGroup::NextPacket(TimePs now)
{
    for (std::size_t i = 0; i < m_slots.size(); ++i)
    {
        if (!m_slots[i]->MayBeAsked())
        {
            continue;
        }
        if (const std::optional<EnginePacket> packet = m_slots[i]->Pull(now))
        {
            m_ownerOf.resize(std::max<std::size_t>(m_ownerOf.size(), packet->queue + 1));
            m_ownerOf[packet->queue] = static_cast<uint8_t>(i);
            return packet;
        }
    }
    return std::nullopt;
}

bool
EngineGroup::OffersAll() const
{
    return true;
}

bool
EngineGroup::HasPacket() const
{
    return std::any_of(m_slots.begin(), m_slots.end(), [](const auto& slot) {
        return slot->MayBeAsked();
    });
}

void
EngineGroup::PacketGoes(uint32_t queue, TimePs now, TimePs end)
{
    EngineSlot& slot = *m_slots[m_ownerOf[queue]];
    if (slot.OffersAll())
    {
        slot.PacketGoes(queue, now, end);
        return;
    }
    slot.Sent(FrameKind::TRANSPORT, queue);
}

void
EngineGroup::StopQueue(uint32_t queue)
{
    for (const auto& slot : m_slots)
    {
        slot->QueueHeld(queue);
    }
}

void
EngineGroup::ResumeQueue(uint32_t queue)
{
    for (const auto& slot : m_slots)
    {
        slot->QueueReleased(queue);
    }
}

FrameKinds
EngineGroup::Takes() const
{
    FrameKinds kinds = 0;
    for (const auto& slot : m_slots)
    {
        kinds |= slot->Kinds();
    }
    return kinds;
}

void
EngineGroup::Arrive(const Frame& frame)
{
    for (const auto& slot : m_slots)
    {
        if (slot->Takes(frame.kind))
        {
            slot->Arrive(frame);
            return;
        }
    }
}

TimePs
EngineGroup::NextReport(TimePs next) const
{
    return next; // nobody asks: alarms are those of the slots
}

TimePs
EngineGroup::ReportDelay() const
{
    TimePs delay = NEVER;
    for (const auto& slot : m_slots)
    {
        delay = std::min(delay, slot->EffectDelay());
    }
    return delay;
}

void
EngineGroup::Fetch(uint32_t step) const
{
    for (const auto& slot : m_slots)
    {
        slot->Fetch(step);
    }
}

} // namespace ns3::fabric
