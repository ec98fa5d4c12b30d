/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_BED_H
#define FABRIC_COMMAND_BED_H

#include "fabric-command-engine.h"
#include "fabric-command-timeline.h"
#include "fabric-link-rate.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Two hosts with command queues and a wire between them, without a simulator.
class CommandBed
{
  public:
    static constexpr TimePs DELAY = 370'000; ///< Of the wire: a switch and two cables of 2 m.

    explicit CommandBed(const CommandSettings& settings = {}, const PcieSettings& pcie = {})
    {
        settings.Validate();
        for (uint32_t i = 0; i < 2; ++i)
        {
            m_hosts.push_back(std::make_unique<Host>(*this, i, settings, pcie));
        }
    }

    CommandEngine& Engine(uint32_t host)
    {
        return *m_hosts[host]->engine;
    }

    /// @return what software of a host has learnt
    const std::vector<CommandReport>& Reports(uint32_t host) const
    {
        return m_hosts[host]->reports;
    }

    /// @return data packets that a host has sent, in order
    const std::vector<CommandPacket>& Sent(uint32_t host) const
    {
        return m_hosts[host]->sent;
    }

    /// Host 0, or another one, issues commands to the other one.
    void Post(uint32_t queue, CommandStream stream, uint32_t from = 0)
    {
        stream.flow.dst = AddressOf(1 - from);
        Engine(from).Host().Post(queue, stream, m_now);
    }

    /// Does everything before a time, or until nothing is left to do.
    void Run(TimePs until = NEVER)
    {
        for (;;)
        {
            TimePs next = NEVER;
            for (const auto& host : m_hosts)
            {
                next = std::min({next, host->engine->NextTime(), host->SendsAt(m_now)});
            }
            if (next >= until)
            {
                m_now = until == NEVER ? m_now : until;
                return;
            }
            if (next < m_now)
            {
                throw std::logic_error("a step at " + std::to_string(next) + " ps after " +
                                       std::to_string(m_now));
            }
            m_now = next;
            for (const auto& host : m_hosts)
            {
                host->Step(m_now);
            }
        }
    }

    /// Stages are written down from now on.
    void Watch()
    {
        m_watchers = 1;
    }

    /// @return stages so far
    const CommandTimeline& Timeline() const
    {
        return m_timeline;
    }

    TimePs Now() const
    {
        return m_now;
    }

    /// What happens to a packet: when each of its copies arrives, after its time, ps.
    using Fate = std::function<std::vector<TimePs>(uint32_t from)>;

    /// @param fate of packets from now on; each arrives once, and in time, without
    void SetFate(Fate fate)
    {
        m_fate = std::move(fate);
    }

  private:
    /// @return address of a host
    static LocationId AddressOf(uint32_t host)
    {
        return static_cast<LocationId>(host + 1);
    }

    /// A host with its NIC.
    struct Host : public CommandNetwork, public CommandListener, public CommandStepListener
    {
        Host(CommandBed& itsBed,
             uint32_t itsNumber,
             const CommandSettings& settings,
             const PcieSettings& pcieSettings)
            : bed(itsBed),
              number(itsNumber),
              pcie(pcieSettings),
              engine(std::make_unique<CommandEngine>(settings, pcie, *this, *this))
        {
            engine->Watch(*this, bed.m_watchers);
        }

        uint32_t QueueOf(const MessageFlow& flow) override
        {
            return flow.trafficClass;
        }

        uint32_t MostBytes() const override
        {
            return 2048;
        }

        uint32_t FrameBytes(const CommandPacket& packet) const override
        {
            return 64 + packet.bytes;
        }

        uint32_t Put(const CommandPacket& packet) override
        {
            kept.push_back(packet);
            if (packet.kind != CommandPacketKind::ACK && packet.kind != CommandPacketKind::TRACK)
            {
                sent.push_back(packet);
            }
            return static_cast<uint32_t>(kept.size() - 1);
        }

        CommandPacket At(uint32_t handle) override
        {
            return kept[handle];
        }

        LocationId DestinationOf(uint32_t) const override
        {
            return AddressOf(1 - number);
        }

        CommandPacket Take(LocationId source, uint32_t handle) override
        {
            return bed.m_hosts[source - 1]->kept[handle];
        }

        void Learn(const CommandReport& report) override
        {
            reports.push_back(report);
        }

        void Passed(const CommandStep& step) override
        {
            CommandStep told = step;
            told.place = told.message.host = AddressOf(number);
            told.name.host = step.name.host == 0 ? told.place : step.name.host;
            bed.m_timeline.Add(told);
        }

        /// @return when it puts something on the wire, NEVER for not at all
        TimePs SendsAt(TimePs now) const
        {
            return waiting.empty() ? NEVER : std::max(now, freeAt);
        }

        /// It does what is due.
        void Step(TimePs now)
        {
            if (engine->NextTime() <= now)
            {
                engine->Handle(now);
            }
            while (const std::optional<EnginePacket> packet = engine->NextPacket(now))
            {
                waiting.push_back(*packet);
            }
            if (SendsAt(now) <= now)
            {
                const EnginePacket packet = waiting.front();
                waiting.pop_front();
                freeAt = now + wire.TxTime(WireBytes(packet.bytes));
                engine->PacketGoes(packet.queue, now, freeAt);
                Frame frame{};
                frame.src = AddressOf(number);
                frame.dst = AddressOf(1 - number);
                frame.handle = packet.handle;
                frame.trafficClass = static_cast<uint8_t>(packet.queue); // see QueueOf()
                const TimePs there = freeAt + DELAY;
                for (const TimePs delay : bed.m_fate ? bed.m_fate(number) : std::vector<TimePs>{0})
                {
                    frame.time = there + delay;
                    bed.m_hosts[1 - number]->engine->Arrive(frame);
                }
            }
        }

        CommandBed& bed;
        uint32_t number;
        std::vector<CommandPacket> kept;
        std::vector<CommandPacket> sent;
        std::vector<CommandReport> reports;
        std::deque<EnginePacket> waiting;
        LinkRate wire{200'000'000'000};
        TimePs freeAt{0};
        PcieLink pcie;
        std::unique_ptr<CommandEngine> engine;
    };

    CommandTimeline m_timeline;
    uint32_t m_watchers{0};
    std::vector<std::unique_ptr<Host>> m_hosts;
    Fate m_fate;
    TimePs m_now{0};
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_BED_H
