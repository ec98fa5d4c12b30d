/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ORACLE_PORT_H
#define FABRIC_ORACLE_PORT_H

#include "fabric-oracle-credits.h"
#include "fabric-oracle-fgfc.h"
#include "fabric-oracle-queue.h"
#include "fabric-switch-config.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Turns of the queues that ask an output of FlowOracle, in one virtual channel (FC-18). Turns are
 * between parties: each flow channel or virtual output queue is one, or each input port with all
 * that came in by it. Inside a party the queue whose first frame came first is served.
 *
 * A turn is one frame, or by bytes as in Shreedhar and Varghese: when it begins, a quantum is added
 * to what the party may send, and it is over when the next frame is larger than that.
 */
class OracleTurns
{
  public:
    /// @param config of the switch
    explicit OracleTurns(const SwitchConfig& config)
        : m_byPort(config.arbitration == ARBITRATE_BY_PORT),
          m_byBytes(config.turns.unit == TURNS_BY_BYTES),
          m_quantum(m_byBytes ? config.turns.quantum : 1)
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
            return m_byPort && p.names.front().input == name.input;
        });
        if (party == m_parties.end())
        {
            m_parties.push_back({{name}, 0, false});
        }
        else
        {
            party->names.push_back(name);
        }
    }

    /// @param first finds the first frame of a queue: `const OracleFrame& first(name)`
    /// @return the queue whose turn it is; one must ask
    template <typename First>
    OracleQueueName Next(First&& first)
    {
        while (true)
        {
            Party& party = m_parties.front();
            const OracleQueueName name =
                *std::min_element(party.names.begin(),
                                  party.names.end(),
                                  [&](const auto& a, const auto& b) {
                                      return first(a).arrivedAt < first(b).arrivedAt;
                                  });
            if (!party.hasTurn)
            {
                party.hasTurn = true;
                party.deficit += m_quantum;
            }
            if (CostOf(first(name)) <= party.deficit)
            {
                return name;
            }
            EndTurn();
        }
    }

    /// The queue whose turn it is has sent a frame. If nothing is left to its party, or nobody of
    /// it asks any more, its turn is over.
    void Serve(const OracleQueueName& name, bool stillAsks, const OracleFrame& sent)
    {
        Party& party = m_parties.front();
        if (!stillAsks)
        {
            party.names.erase(std::find(party.names.begin(), party.names.end(), name));
        }
        party.deficit -= CostOf(sent);
        if (party.names.empty() || party.deficit == 0)
        {
            EndTurn();
        }
    }

    /// The queue whose turn it is asks no more, and was not served. Its party keeps the turn if it
    /// has others.
    void Remove(const OracleQueueName& name)
    {
        Party& party = m_parties.front();
        party.names.erase(std::find(party.names.begin(), party.names.end(), name));
        if (party.names.empty())
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
            const Party& party = m_parties.front();
            names.insert(names.end(), party.names.begin(), party.names.end());
        }
        return names;
    }

  private:
    /// Queues that share a turn.
    struct Party
    {
        std::vector<OracleQueueName> names; ///< Of the queues.
        uint32_t deficit; ///< What they may send, without the next turn's quantum.
        bool hasTurn;     ///< Whether their turn has begun.
    };

    /// @return what a frame takes of a turn
    uint32_t CostOf(const OracleFrame& frame) const
    {
        return m_byBytes ? frame.Bytes() : 1;
    }

    /// The turn of the first party is over; its next one comes last, if it still asks.
    void EndTurn()
    {
        Party party = m_parties.front();
        party.hasTurn = false;
        m_parties.pop_front();
        if (!party.names.empty())
        {
            m_parties.push_back(party);
        }
    }

    bool m_byPort;               ///< Whether input ports are the parties.
    bool m_byBytes;              ///< Whether turns are counted in bytes.
    uint32_t m_quantum;          ///< Of a turn: bytes, or one frame.
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
        : wayNumbers(0xFFFF),
          turns(VIRTUAL_CHANNELS, OracleTurns(config)),
          ids(config.flowChannels.ids),
          edgeIds(config.flowChannels.ids),
          teller(config.congestion.fgfc.pauseTime, config.congestion.fgfc.repeats)
    {
    }

    // What comes in.

    OracleWire* incoming{nullptr};        ///< What it receives from.
    OracleTask creditTask{};              ///< What a credit is to the sender there.
    std::size_t sender{0};                ///< Number of the sender there.
    uint32_t senderPort{0};               ///< Its port.
    uint32_t heldBytes{0};                ///< In the input buffer.
    uint32_t peakHeldBytes{0};            ///< Most that were there at a time.
    std::optional<OracleCredits> credits; ///< That go in frames; nothing if they do not.
    OracleIds wayNumbers;                 ///< Numbers of the ways of its flows.

    // Of a host whose data has a limit (CM-8).

    uint32_t lastLimit{INJECTION_LIMITS};       ///< Injection limit that had the last turn.
    std::map<uint32_t, uint32_t> lastGroupOf{}; ///< The same of groups, by limit.

    // What goes out.

    OracleWire wire;                ///< What it sends on.
    uint32_t waitingBytes{0};       ///< For this output, in queues of all inputs.
    std::vector<OracleTurns> turns; ///< Queues that ask this output, by virtual channel.
    uint32_t turn{0};               ///< Virtual channel whose turn it is.
    bool starves{false};            ///< Whether it waits for a credit.
    TimePs look{NEVER};             ///< When it looks next, ps.

    std::multiset<TimePs> paceTimes;           ///< When paced flows may go on there, ps.
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
    OracleTeller teller;                                   ///< Of restrained flows of the host.

    /// @return whether any queue asks it
    bool IsAsked() const
    {
        return std::any_of(turns.begin(), turns.end(), [](const OracleTurns& channel) {
            return !channel.IsEmpty();
        });
    }

    /// @return whether a queue has a flow_id on the outgoing link, or now gets one
    bool HasId(const OracleQueueName& name, OraclePath& queue, TimePs now)
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
