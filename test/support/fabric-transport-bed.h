/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TRANSPORT_BED_H
#define FABRIC_TRANSPORT_BED_H

#include "fabric-transport-endpoint.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// What the network of a test does to packets.
struct NetworkFaults
{
    double loss{0};         ///< Part of the packets that never come.
    double duplicate{0};    ///< Part that comes twice.
    double corrupt{0};      ///< Part that comes damaged.
    double marked{0};       ///< Part that comes with a mark.
    double trimmed{0};      ///< Part of those with payload of which only the header comes.
    TimePs delay{1000000};  ///< Of each packet, ps.
    TimePs jitter{0};       ///< Random addition to it, ps: so far are packets reordered.
    TimePs spacing{100000}; ///< Time that a packet takes on its sender's wire, ps.
};

/// Endpoints 0, 1, ... and a network between them, without a simulator. Addresses are their
/// numbers.
class TransportBed
{
  public:
    using OnEvent = std::function<void(uint32_t node, const UlpEvent& event)>; ///< A ULP.
    /// Sees each packet before the network does. @return whether it goes on
    using OnSend = std::function<bool(uint32_t from, const OutgoingPacket& out)>;

    /**
     * @param nodes how many
     * @param seed of its random numbers
     */
    TransportBed(uint32_t nodes,
                 const TransportSettings& settings,
                 const ConnectionSettings& accepted,
                 const NetworkFaults& faults,
                 uint64_t seed)
        : m_faults(faults),
          m_random(seed),
          m_wireFreeAt(nodes, 0)
    {
        for (uint32_t i = 0; i < nodes; ++i)
        {
            m_nodes.push_back(std::make_unique<TransportEndpoint>(settings, accepted));
        }
    }

    /// @param i number of an endpoint
    TransportEndpoint& Node(uint32_t i)
    {
        return *m_nodes[i];
    }

    TimePs Now() const
    {
        return m_now;
    }

    /// @return random numbers, for ULPs too
    std::mt19937_64& Random()
    {
        return m_random;
    }

    /// @return a random number from 0 to below 1
    double Draw()
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random);
    }

    /// @param action what is done then
    void At(TimePs time, std::function<void()> action)
    {
        m_actions.push({time, m_order++, std::move(action)});
    }

    /// @param packet put into the network as if it had come from somewhere @param from whom @param
    /// to whom
    void Inject(const TransportPacket& packet, uint32_t from, uint32_t to, TimePs delay)
    {
        m_flying.push({m_now + delay, m_order++, from, to, packet});
    }

    /// As Inject(), for a header without its payload.
    void InjectHeader(const TransportPacket& packet, uint32_t from, uint32_t to, TimePs delay)
    {
        m_flying.push({m_now + delay, m_order++, from, to, packet, true});
    }

    /// @return whether nothing was left to do before that time
    bool Run(TimePs until)
    {
        for (;;)
        {
            Settle();
            const TimePs next = NextTime();
            if (next > until)
            {
                m_now = next == NEVER ? m_now : std::max(m_now, until);
                return next == NEVER;
            }
            m_now = std::max(m_now, next);
        }
    }

    OnEvent onEvent;     ///< The ULPs.
    OnSend onSend;       ///< A test's own faults.
    uint64_t lost{0};    ///< Packets that the network has lost.
    uint64_t trimmed{0}; ///< Packets whose payload the network has cut off.

  private:
    /// A packet under way.
    struct Flying
    {
        TimePs at;
        uint64_t order;
        uint32_t from;
        uint32_t to;
        TransportPacket packet;
        bool isHeader{false}; ///< Its payload was cut off.

        bool operator<(const Flying& other) const
        {
            return std::make_pair(at, order) > std::make_pair(other.at, other.order);
        }
    };

    /// Something to be done.
    struct Action
    {
        TimePs at;
        uint64_t order;
        std::function<void()> what;

        bool operator<(const Action& other) const
        {
            return std::make_pair(at, order) > std::make_pair(other.at, other.order);
        }
    };

    /// Does all that is due.
    void Settle()
    {
        for (bool isBusy = true; isBusy;)
        {
            isBusy = false;
            while (!m_flying.empty() && m_flying.top().at <= m_now)
            {
                const Flying flying = m_flying.top();
                m_flying.pop();
                TransportEndpoint& node = *m_nodes[flying.to];
                flying.isHeader ? node.ReceiveHeader(flying.packet, flying.from, m_now)
                                : node.Receive(flying.packet, flying.from, m_now);
                isBusy = true;
            }
            while (!m_actions.empty() && m_actions.top().at <= m_now)
            {
                const std::function<void()> what = m_actions.top().what;
                m_actions.pop();
                what();
                isBusy = true;
            }
            for (uint32_t i = 0; i < m_nodes.size(); ++i)
            {
                m_nodes[i]->RunUntil(m_now);
                isBusy = SendFrom(i) || isBusy;
                while (const auto event = m_nodes[i]->NextEvent())
                {
                    isBusy = true;
                    if (onEvent)
                    {
                        onEvent(i, *event);
                    }
                }
            }
        }
    }

    bool SendFrom(uint32_t i)
    {
        bool isBusy = false;
        while (m_wireFreeAt[i] <= m_now && m_nodes[i]->HasPacket())
        {
            const auto out = m_nodes[i]->NextPacket(m_now);
            if (!out)
            {
                break;
            }
            isBusy = true;
            m_wireFreeAt[i] = m_now + m_faults.spacing;
            if (!onSend || onSend(i, *out))
            {
                Fly(i, *out);
            }
        }
        return isBusy;
    }

    void Fly(uint32_t from, const OutgoingPacket& out)
    {
        const uint32_t copies = Draw() < m_faults.duplicate ? 2 : 1;
        for (uint32_t i = 0; i < copies; ++i)
        {
            if (Draw() < m_faults.loss || out.peer >= m_nodes.size())
            {
                ++lost;
                continue;
            }
            Flying flying{0, m_order++, from, static_cast<uint32_t>(out.peer), out.packet};
            flying.isHeader =
                out.packet.PayloadBytes() > 0 && m_faults.trimmed > 0 && Draw() < m_faults.trimmed;
            trimmed += flying.isHeader;
            flying.packet.isCorrupt = Draw() < m_faults.corrupt;
            flying.packet.isMarked = m_faults.marked > 0 && Draw() < m_faults.marked;
            flying.at = m_now + m_faults.spacing + m_faults.delay +
                        static_cast<TimePs>(Draw() * static_cast<double>(m_faults.jitter));
            m_flying.push(flying);
        }
    }

    TimePs NextTime() const
    {
        TimePs next = m_flying.empty() ? NEVER : m_flying.top().at;
        next = m_actions.empty() ? next : std::min(next, m_actions.top().at);
        for (uint32_t i = 0; i < m_nodes.size(); ++i)
        {
            next = std::min(next, m_nodes[i]->NextTime());
            next =
                m_nodes[i]->HasPacket() ? std::min(next, std::max(m_wireFreeAt[i], m_now)) : next;
        }
        return next;
    }

    NetworkFaults m_faults;
    std::mt19937_64 m_random;
    TimePs m_now{0};
    uint64_t m_order{0};
    std::vector<TimePs> m_wireFreeAt;
    std::vector<std::unique_ptr<TransportEndpoint>> m_nodes;
    std::priority_queue<Flying> m_flying;
    std::priority_queue<Action> m_actions;
};

} // namespace ns3::fabric

#endif // FABRIC_TRANSPORT_BED_H
