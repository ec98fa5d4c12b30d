/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TX_SCHEDULER_H
#define FABRIC_TX_SCHEDULER_H

#include "fabric-ring.h"
#include "fabric-transport-settings.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/**
 * Which connection sends next, and what (RT-13). A class is chosen first, in strict priority or by
 * weights; within a class connections take turns, one packet each. A connection whose packets can't
 * go for now is stopped: it keeps its place in no class, and comes last when it is resumed.
 */
class TxScheduler
{
  public:
    /// Who may send what.
    struct Choice
    {
        TxClass txClass{TxClass::CONTROL}; ///< What.
        uint32_t connection{0};            ///< Who.
    };

    /**
     * @param isStrict whether classes have strict priority, CONTROL first
     * @param weights packets of each class in a round, at least 1; used if not strict
     */
    TxScheduler(bool isStrict, const std::array<uint32_t, TX_CLASSES>& weights)
        : m_isStrict(isStrict),
          m_weights(weights),
          m_credits(weights)
    {
    }

    /**
     * @param txClass what a connection has to send
     * @param connection its number; a connection is at most once in a class
     */
    void Add(TxClass txClass, uint32_t connection)
    {
        if (connection >= m_listed.size())
        {
            m_listed.resize(connection + 1, 0);
        }
        const uint8_t bit = Bit(txClass);
        if ((m_listed[connection] & bit) == 0)
        {
            m_listed[connection] |= bit;
            m_lists[static_cast<uint32_t>(txClass)].Push(connection);
            m_waiting |= bit;
        }
    }

    /// A connection does not send until Resume().
    void Stop(uint32_t connection)
    {
        if (connection >= m_parked.size())
        {
            m_parked.resize(connection + 1);
        }
        m_stopped += !m_parked[connection].isStopped;
        m_parked[connection].isStopped = true;
    }

    /// A connection sends again, or is another one from now on.
    void Resume(uint32_t connection)
    {
        if (connection >= m_parked.size() || !m_parked[connection].isStopped)
        {
            return;
        }
        --m_stopped;
        const uint8_t classes = m_parked[connection].classes;
        m_parked[connection] = {};
        m_parkedWithWork -= classes != 0;
        for (uint32_t left = classes; left != 0; left &= left - 1)
        {
            m_lists[static_cast<uint32_t>(__builtin_ctz(left))].Push(connection);
        }
        m_waiting |= classes;
    }

    /// @return whether a connection is in a class of these; bit i is class i
    uint8_t Waiting() const
    {
        return m_waiting;
    }

    /// @return whether nobody has something to send, nor would have if it were resumed
    bool IsIdle() const
    {
        return m_waiting == 0 && m_parkedWithWork == 0;
    }

    /**
     * @param allowed classes that may send now, bit i is class i
     * @return who is next; it is taken off its class and comes back with Add()
     */
    std::optional<Choice> Next(uint8_t allowed)
    {
        if (m_stopped != 0)
        {
            ParkStopped();
        }
        const uint8_t candidates = m_waiting & allowed;
        if (candidates == 0)
        {
            return std::nullopt;
        }
        const uint32_t chosen =
            m_isStrict ? static_cast<uint32_t>(__builtin_ctz(candidates)) : Weighted(candidates);
        Ring<uint32_t>& list = m_lists[chosen];
        const Choice choice{static_cast<TxClass>(chosen), list.Front()};
        PopFrom(chosen);
        m_listed[choice.connection] &= static_cast<uint8_t>(~Bit(choice.txClass));
        return choice;
    }

    /// @return its bit in Waiting() and Next()
    static constexpr uint8_t Bit(TxClass txClass)
    {
        return static_cast<uint8_t>(1U << static_cast<uint32_t>(txClass));
    }

  private:
    /// What is kept of a connection that is stopped.
    struct Parked
    {
        bool isStopped{false}; ///< Whether it is.
        uint8_t classes{0};    ///< Classes whose lists it has left; bit i is class i.
    };

    /// The first of a list leaves it.
    void PopFrom(uint32_t txClass)
    {
        m_lists[txClass].Pop();
        if (m_lists[txClass].IsEmpty())
        {
            m_waiting &= static_cast<uint8_t>(~(1U << txClass));
        }
    }

    /// The first of each list is none that is stopped.
    void ParkStopped()
    {
        for (uint32_t left = m_waiting; left != 0; left &= left - 1)
        {
            const auto txClass = static_cast<uint32_t>(__builtin_ctz(left));
            const Ring<uint32_t>& list = m_lists[txClass];
            while (!list.IsEmpty() && list.Front() < m_parked.size() &&
                   m_parked[list.Front()].isStopped)
            {
                uint8_t& classes = m_parked[list.Front()].classes;
                m_parkedWithWork += classes == 0;
                classes |= static_cast<uint8_t>(1U << txClass);
                PopFrom(txClass);
            }
        }
    }

    /// @return the first of the candidates that has credits left; a new round if none has
    uint32_t Weighted(uint8_t candidates)
    {
        for (;;)
        {
            for (uint32_t left = candidates; left != 0; left &= left - 1)
            {
                const auto i = static_cast<uint32_t>(__builtin_ctz(left));
                if (m_credits[i] > 0)
                {
                    --m_credits[i];
                    return i;
                }
            }
            m_credits = m_weights;
        }
    }

    bool m_isStrict;                                ///< Priority instead of weights.
    uint8_t m_waiting{0};                           ///< Classes with a connection.
    std::array<uint32_t, TX_CLASSES> m_weights;     ///< Packets in a round.
    std::array<uint32_t, TX_CLASSES> m_credits;     ///< Left in this round.
    std::array<Ring<uint32_t>, TX_CLASSES> m_lists; ///< Connections, in turn.
    std::vector<uint8_t> m_listed;                  ///< By connection: classes it is in.
    std::vector<Parked> m_parked;                   ///< By connection; may be shorter.
    uint32_t m_stopped{0};                          ///< Connections that are stopped.
    uint32_t m_parkedWithWork{0};                   ///< Of these, those that have left a list.
};

} // namespace ns3::fabric

#endif // FABRIC_TX_SCHEDULER_H
