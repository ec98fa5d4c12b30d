/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_EVENT_WRITER_H
#define FABRIC_EVENT_WRITER_H

#include "fabric-command-report.h"
#include "fabric-command-settings.h"
#include "fabric-event-queue.h"
#include "fabric-pcie-link.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * The NIC's event engine (NQ-13): it writes events into host memory and says what software sees of
 * them. Those of own commands have a queue of as many slots as a driver has commands under way, so
 * that none is lost; those of messages share one with an end.
 */
class EventWriter
{
  public:
    static constexpr uint32_t EVENT_BYTES = 32; ///< Of an event (Cassini: 16, 32 or 64).

    /// @param settings that are valid; stay where they are
    EventWriter(const CommandSettings& settings, PcieLink& pcie, CommandListener& listener)
        : m_look(settings.driver.look),
          m_pcie(pcie),
          m_listener(listener),
          m_messages(settings.eventSlots,
                     {settings.driver.look, settings.driver.event, pcie.Settings().latency})
    {
    }

    /// An event of an own command. @param order behind what it comes @param report its time is set
    /// @return when software sees it, ps
    TimePs TellOwn(PcieStream& order, CommandReport report, TimePs at)
    {
        report.isOwn = true;
        report.at = m_pcie.Write(PcieSide::NIC, order, EVENT_BYTES, at) + m_look;
        m_listener.Learn(report);
        return report.at;
    }

    /**
     * An event of a message, which is lost if its queue is full.
     *
     * @param order behind what it comes
     * @param report its time is set
     * @param copy software copies so long, ps
     * @return when software sees it, NEVER if it is lost, ps
     */
    TimePs TellMessage(PcieStream& order, CommandReport report, TimePs at, TimePs copy = 0)
    {
        return m_messages.TakeSlot(at) ? TellReserved(order, report, at, copy) : NEVER;
    }

    /// A slot is taken for the event of a message that has begun. @return whether there is one
    bool Reserve(TimePs now)
    {
        return m_messages.Reserve(now);
    }

    /// A slot that was reserved is not needed.
    void Release()
    {
        m_messages.Release();
    }

    /// As TellMessage(), of a message that has a slot.
    TimePs TellReserved(PcieStream& order, CommandReport report, TimePs at, TimePs copy = 0)
    {
        const TimePs there = m_pcie.Write(PcieSide::NIC, order, EVENT_BYTES, at);
        report.at = m_messages.Write(there, copy);
        report.lost = m_messages.Lost();
        m_listener.Learn(report);
        return report.at;
    }

    /// @return messages whose event was lost so far
    uint32_t Lost() const
    {
        return m_messages.Lost();
    }

  private:
    TimePs m_look;               ///< Of software, ps.
    PcieLink& m_pcie;            ///< To the host.
    CommandListener& m_listener; ///< Is told what software learns.
    EventQueue m_messages;       ///< Of messages.
};

} // namespace ns3::fabric

#endif // FABRIC_EVENT_WRITER_H
