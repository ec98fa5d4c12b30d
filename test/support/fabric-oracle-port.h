/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_PORT_H
#define FABRIC_ORACLE_PORT_H

#include "fabric-oracle-queue.h"
#include "fabric-switch-config.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Turns of the queues that ask an output of FlowOracle, in one virtual channel (FC-18). Turns are
 * between parties: each flow channel or virtual output queue is one, or each input port with all
 * that came in by it. Inside a party the queue whose first frame came first is served.
 */
class OracleTurns
{
  public:
    /// @param byPort whether input ports are the parties
    explicit OracleTurns(bool byPort)
        : m_byPort(byPort)
    {
    }

    /// @return whether nobody asks
    bool IsEmpty() const
    {
        return m_parties.empty();
    }

    /// A queue begins to ask. A party that did not ask before has its turn last.
    void Add(const OracleQueueName& name)
    {
        const auto party = std::find_if(m_parties.begin(), m_parties.end(), [&](const Party& p) {
            return m_byPort && p.front().input == name.input;
        });
        if (party == m_parties.end())
        {
            m_parties.push_back({name});
        }
        else
        {
            party->push_back(name);
        }
    }

    /// @param arrival tells when the first frame of a queue came: `TimePs arrival(name)`
    /// @return the queue whose turn it is; one must ask
    template <typename Arrival>
    OracleQueueName First(Arrival&& arrival) const
    {
        const Party& party = m_parties.front();
        return *std::min_element(party.begin(), party.end(), [&](const auto& a, const auto& b) {
            return arrival(a) < arrival(b);
        });
    }

    /// The queue whose turn it is has been served. The turn of its party comes last.
    void Serve(const OracleQueueName& name, bool stillAsks)
    {
        Party party = m_parties.front();
        m_parties.pop_front();
        if (!stillAsks)
        {
            party.erase(std::find(party.begin(), party.end(), name));
        }
        if (!party.empty())
        {
            m_parties.push_back(party);
        }
    }

    /// The queue whose turn it is asks no more, and was not served. Its party keeps the turn if it
    /// has others.
    void Remove(const OracleQueueName& name)
    {
        Party& party = m_parties.front();
        party.erase(std::find(party.begin(), party.end(), name));
        if (party.empty())
        {
            m_parties.pop_front();
        }
    }

    /// @return all that ask, in the order of their turns; nobody asks any more
    std::vector<OracleQueueName> TakeAll()
    {
        std::vector<OracleQueueName> names;
        for (; !m_parties.empty(); m_parties.pop_front())
        {
            names.insert(names.end(), m_parties.front().begin(), m_parties.front().end());
        }
        return names;
    }

  private:
    /// Queues that share a turn.
    using Party = std::vector<OracleQueueName>;

    bool m_byPort;               ///< Whether input ports are the parties.
    std::deque<Party> m_parties; ///< That ask, whose turn it is first.
};

/// flow_ids of a link or of an edge port: the one that became free last is given first, else the
/// lowest that was never used.
class OracleIds
{
  public:
    /// @param most ids in use at a time
    explicit OracleIds(uint32_t most)
        : m_most(most)
    {
    }

    /// @return an id, 0 if all are in use
    FlowId Take()
    {
        if (!m_free.empty())
        {
            const FlowId id = m_free.back();
            m_free.pop_back();
            return id;
        }
        return m_used < m_most ? static_cast<FlowId>(++m_used) : 0;
    }

    /// @param id in use, which is free now
    void Free(FlowId id)
    {
        m_free.push_back(id);
    }

    /// @return ids in use at a time at most
    uint32_t Most() const
    {
        return m_most;
    }

  private:
    uint32_t m_most;            ///< Ids in use at a time.
    uint32_t m_used{0};         ///< Ids that were ever used.
    std::vector<FlowId> m_free; ///< Of these, the free ones.
};

/// A port of a switch of FlowOracle, both directions.
struct OraclePort
{
    static constexpr std::size_t MOST_ACKS = 48; ///< In a frame (WL-2).

    explicit OraclePort(const SwitchConfig& config)
        : turns(VIRTUAL_CHANNELS, OracleTurns(config.arbitration == ARBITRATE_BY_PORT)),
          ids(config.flowChannels.ids),
          edgeIds(config.flowChannels.ids)
    {
    }

    // What comes in.

    OracleWire* incoming{nullptr}; ///< What it receives from.
    OracleTask creditTask{};       ///< What a credit is to the sender there.
    std::size_t sender{0};         ///< Number of the sender there.
    uint32_t senderPort{0};        ///< Its port.
    uint32_t heldBytes{0};         ///< In the input buffer.
    uint32_t peakHeldBytes{0};     ///< Most that were there at a time.

    // What goes out.

    OracleWire wire;                ///< What it sends on.
    uint32_t waitingBytes{0};       ///< For this output, in queues of all inputs.
    std::vector<OracleTurns> turns; ///< Queues that ask this output, by virtual channel.
    uint32_t turn{0};               ///< Virtual channel whose turn it is.
    bool starves{false};            ///< Whether it waits for a credit.
    TimePs look{NEVER};             ///< When it looks next, ps.

    OracleIds ids;                             ///< flow_ids of the outgoing link.
    std::map<FlowId, OracleQueueName> sources; ///< Whose ids they are (OFCT).
    std::deque<OracleQueueName> lackingId;     ///< Who waits for one.
    std::size_t mostIds{0};                    ///< Most that were in use at a time.
    uint64_t idsGiven{0};                      ///< How often one was given.
    TimePs idTime{0};                          ///< Ids in use, summed over time, ps.
    TimePs idsCountedAt{0};                    ///< Until when idTime is, ps.

    std::deque<FlowId> owing; ///< Flows that came in here and owe ACKs.
    TimePs owingSince{0};     ///< When the timers of ACKs started, ps.

    // Of a link that fails (WL-8).

    bool isDown{false};     ///< Whether nothing may be sent.
    bool isCut{false};      ///< Whether what was sent before the failure still comes in.
    bool isRepaired{false}; ///< Whether it was repaired since it failed.
    bool isOrphaned{false}; ///< Whether flows that came in before it failed are not over.
    bool isGreeted{true};   ///< Whether the receiver is ready for new flows.
    TimePs failedAt{0};     ///< When it failed last, ps.

    // Of an edge port.

    bool isEdge{false};                                    ///< Whether a host is there.
    OracleIds edgeIds;                                     ///< flow_ids of its flows.
    std::map<std::pair<LocationId, uint8_t>, FlowId> idOf; ///< By destination, class (EFCT).
    std::map<FlowId, uint32_t> positions;                  ///< Of the next frame of each, units.
    std::deque<OracleFrame> waiting;                       ///< Frames that wait for an id (EIQ).

    /// @return whether any queue asks it
    bool IsAsked() const
    {
        return std::any_of(turns.begin(), turns.end(), [](const OracleTurns& channel) {
            return !channel.IsEmpty();
        });
    }

    /// @return whether a queue has a flow_id on the outgoing link, or now gets one
    bool HasId(const OracleQueueName& name, OracleQueue& queue, TimePs now)
    {
        if (queue.outgoing == NO_FLOW && isGreeted)
        {
            queue.outgoing = ids.Take();
            if (queue.outgoing != NO_FLOW)
            {
                CountIds(now);
                sources[queue.outgoing] = name;
                mostIds = std::max(mostIds, sources.size());
                ++idsGiven;
            }
        }
        return queue.outgoing != NO_FLOW;
    }

    /// Counts how long ids have been in use, before one is given or freed.
    void CountIds(TimePs now)
    {
        idTime += static_cast<TimePs>(sources.size()) * (now - idsCountedAt);
        idsCountedAt = now;
    }

    /// @return whether ACKs go before a frame that could be sent, or now that there is none (WL-3)
    bool AreAcksDue(const AckTimers& timers, bool hasFrame, TimePs now) const
    {
        if (owing.empty())
        {
            return false;
        }
        const TimePs age = now - owingSince;
        const bool isDue = hasFrame ? age >= timers.busy && AcksFillWords() : age >= timers.idle;
        return isDue || age >= timers.longest || owing.size() >= MOST_ACKS;
    }

    /// @return when ACKs go if nothing else does, ps
    TimePs AcksDueAt(const AckTimers& timers) const
    {
        return owingSince + std::min(timers.idle, timers.longest);
    }

    /// The channel of a flow of the host here is over: its id is free (FC-8).
    void EndFlow(FlowId id)
    {
        positions.erase(id);
        idOf.erase(std::find_if(idOf.begin(), idOf.end(), [id](const auto& entry) {
            return entry.second == id;
        }));
        edgeIds.Free(id);
    }

  private:
    /// WL-3: a count frames efficiently if the last word of 64 bits has no room for one ACK more.
    bool AcksFillWords() const
    {
        const std::size_t bits = 72 + 25 * owing.size();
        const std::size_t words = (bits + 63) / 64;
        return words * 64 < bits + 25;
    }
};

} // namespace ns3::fabric

#endif // FABRIC_ORACLE_PORT_H
