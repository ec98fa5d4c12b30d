/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ENGINE_SLOT_H
#define FABRIC_ENGINE_SLOT_H

#include "fabric-agenda.h"
#include "fabric-fetch.h"
#include "fabric-nic-engine.h"
#include "fabric-restraint-listener.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The place in a NIC where an engine is put (NicEngine), or nothing: when the engine is due next,
 * when that shows outside the NIC, and whether a packet of it waits for the wire.
 *
 * Whoever has called the engine may have changed its next time; it is asked anew after each call.
 *
 * Its clock never goes back: who is early for one engine would be early for the wire, too, and for
 * the others of the NIC.
 *
 * One packet waits at a time, so that the engine decides as late as it can what comes next. Packets
 * in queues that the switch restrains do not count: the engine is asked for others meanwhile.
 */
class EngineSlot : public RestraintListener
{
  public:
    /**
     * @param engine outlives the NIC's use
     * @param alarm is told by when the NIC has to be run, where the switch's windows are too long
     *        for the engine's reports; may be null
     * @param sendDelay from a decision of the NIC to its effect at the switch, ps
     */
    void Put(NicEngine& engine, Alarm* alarm, TimePs sendDelay)
    {
        m_engine = &engine;
        m_offersAll = engine.OffersAll();
        m_kinds = engine.Takes();
        m_alarm = alarm;
        m_reportDelay = engine.ReportDelay();
        m_effectDelay = alarm ? sendDelay : std::min(sendDelay, m_reportDelay);
        Plan();
    }

    bool IsUsed() const
    {
        return m_engine != nullptr;
    }

    /// @return when the engine has something to handle, NEVER for nothing, ps
    TimePs Next() const
    {
        return m_next;
    }

    /// @return kinds of the frames that are for the engine
    FrameKinds Kinds() const
    {
        return m_kinds;
    }

    /// @return whether a frame of a kind is for the engine
    bool Takes(FrameKind kind) const
    {
        return (m_kinds & KindBit(kind)) != 0;
    }

    /// @return time from what the engine handles to the first effect that needs the switch, ps
    TimePs EffectDelay() const
    {
        return m_effectDelay;
    }

    /// @return when that has an effect that needs the switch, at the earliest; NEVER for none, ps
    TimePs NextEffect() const
    {
        return m_next == NEVER ? NEVER : m_next + m_effectDelay;
    }

    /// @return whether a packet of the engine waits in a queue that may go, so that it is asked for
    /// no other
    bool Waits() const
    {
        return m_waiting != 0;
    }

    /// @return whether the NIC should ask for a packet when the wire is free
    bool MayBeAsked() const
    {
        return m_offersAll ? m_engine->HasPacket() : !Waits();
    }

    /// The engine's next time may have changed.
    void Plan()
    {
        m_next = m_engine->NextTime();
        if (m_alarm && m_next != NEVER)
        {
            PlanAlarm(0);
        }
    }

    /// The alarm has come, and the NIC was run. @param now no earlier than it was asked to come, ps
    void TakeAlarm(TimePs now)
    {
        m_alarmAt = NEVER;
        if (m_alarm && m_next != NEVER)
        {
            PlanAlarm(now + 1);
        }
    }

    /// The engine handles what is due at Next().
    void Handle()
    {
        Advance(m_next);
        m_engine->Handle(m_next);
        Plan();
    }

    /**
     * @param now time, the wire is free and no packet waits, ps
     * @return the engine's next packet, if there is one; it waits until Sent()
     */
    std::optional<EnginePacket> Pull(TimePs now)
    {
        Advance(now);
        const std::optional<EnginePacket> packet = m_engine->NextPacket(now);
        Plan();
        if (packet && !m_offersAll)
        {
            ++m_waiting;
            ++At(packet->queue).packets;
        }
        return packet;
    }

    /// @param kind of a frame that was put on the wire @param queue that it was in
    void Sent(FrameKind kind, uint32_t queue)
    {
        if (kind != FrameKind::TRANSPORT)
        {
            return;
        }
        Queue& from = m_queues[queue];
        --from.packets;
        if (from.held > from.packets)
        {
            // Others wait behind it, and the queue was held as it left: it was counted among these.
            --from.held;
        }
        else
        {
            --m_waiting;
        }
    }

    /// @copydoc NicEngine::PacketGoes()
    void PacketGoes(uint32_t queue, TimePs now, TimePs end)
    {
        Advance(now);
        m_engine->PacketGoes(queue, now, end);
        Plan();
    }

    /// @return whether the engine is told of each packet that goes
    bool OffersAll() const
    {
        return m_offersAll;
    }

    void QueueHeld(uint32_t queue) override
    {
        if (m_offersAll)
        {
            m_wasHeld = true;
            m_engine->StopQueue(queue);
            return;
        }
        Queue& held = At(queue);
        if (held.packets != held.held)
        {
            m_waiting -= held.packets - held.held;
            held.held = held.packets;
            held.isStopped = true;
            m_wasHeld = true;
            m_engine->StopQueue(queue);
        }
    }

    void QueueReleased(uint32_t queue) override
    {
        if (m_offersAll)
        {
            m_engine->ResumeQueue(queue);
            return;
        }
        Queue& held = At(queue);
        if (held.isStopped)
        {
            m_waiting += held.held;
            held.held = 0;
            held.isStopped = false;
            m_engine->ResumeQueue(queue);
        }
    }

    /// @return whether a queue with a packet of the engine was held since this was last asked
    bool TakeHeld()
    {
        return std::exchange(m_wasHeld, false);
    }

    /// @param frame for the engine, put on the link to this NIC
    void Arrive(const Frame& frame)
    {
        m_engine->Arrive(frame);
        Plan();
    }

    /// Fetches the front of the engine, where its own members stand.
    void FetchFront() const
    {
        constexpr std::size_t FRONT = 256; // bytes
        FetchMemory(m_engine, m_engine ? FRONT : 0);
    }

    /// Fetches what the engine touches. @param step see NicEngine::Fetch()
    void Fetch(uint32_t step) const
    {
        if (m_engine)
        {
            m_engine->Fetch(step);
        }
    }

  private:
    /// Packets of the engine in a queue of the NIC.
    struct Queue
    {
        uint32_t packets{0};   ///< All of them.
        uint32_t held{0};      ///< Those that wait for the end of a restraint.
        bool isStopped{false}; ///< Whether the engine was told to give no more.
    };

    /**
     * The engine's clock goes on.
     *
     * @throws std::logic_error with both times if it would go back
     */
    void Advance(TimePs now)
    {
        if (now < m_now)
        {
            RefuseTime(now);
        }
        m_now = now;
    }

    /// @throws std::logic_error with the time and that of Advance()
    [[noreturn]] void RefuseTime(TimePs now) const;

    /// @return what is known of a queue
    Queue& At(uint32_t queue)
    {
        if (queue >= m_queues.size())
        {
            m_queues.resize(queue + 1);
        }
        return m_queues[queue];
    }

    /// The alarm comes in time for the next report. @param earliest not before this, ps
    void PlanAlarm(TimePs earliest)
    {
        const TimePs at = std::max(m_engine->NextReport(m_next) + m_reportDelay, earliest);
        if (at < m_alarmAt)
        {
            m_alarmAt = at;
            m_alarm->WakeBy(at);
        }
    }

    NicEngine* m_engine{nullptr}; ///< The transport, if there is one.
    TimePs m_next{NEVER};         ///< When it has something to handle, ps.
    TimePs m_now{0};              ///< When the engine was last called, ps.
    TimePs m_effectDelay{0};      ///< From then to the first effect that needs the switch, ps.
    TimePs m_reportDelay{0};      ///< From then to the first call of an application, ps.
    TimePs m_alarmAt{NEVER};      ///< The alarm was asked to come then, ps.
    Alarm* m_alarm{nullptr};      ///< Runs the NIC where windows are longer than m_reportDelay.
    uint32_t m_waiting{0};        ///< Packets in queues that are not held.
    bool m_wasHeld{false};        ///< See TakeHeld().
    bool m_offersAll{false};      ///< See NicEngine::OffersAll().
    FrameKinds m_kinds{0};        ///< See NicEngine::Takes().
    std::vector<Queue> m_queues;  ///< By number.
};

} // namespace ns3::fabric

#endif // FABRIC_ENGINE_SLOT_H
