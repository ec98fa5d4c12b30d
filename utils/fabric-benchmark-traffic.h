/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_TRAFFIC_H
#define FABRIC_BENCHMARK_TRAFFIC_H

#include "fabric-benchmark-workload.h"

#include "ns3/fabric-command-helper.h"
#include "ns3/fabric-helper.h"
#include "ns3/fabric-incast-helper.h"
#include "ns3/fabric-initiator-application.h"
#include "ns3/fabric-message-recorder.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-transport-helper.h"
#include "ns3/fabric-transport-recorder.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

namespace ns3::fabric
{

/// What sends a workload through a fabric, and what has become of it.
class BenchmarkTraffic
{
  public:
    /// @param fabric through which; must stay
    explicit BenchmarkTraffic(const FabricContainer& fabric)
        : m_fabric(fabric)
    {
    }

    virtual ~BenchmarkTraffic() = default;

    /// Installs the senders of a workload; the NIC of a permutation's host serves its flows in
    /// turn.
    virtual void Install(const BenchmarkWorkload& workload)
    {
        const uint32_t hosts = m_fabric.hosts.GetN();
        switch (workload.pattern)
        {
        case BenchmarkPattern::PERMUTATION:
            for (uint32_t i = 0; i < hosts * workload.fan; ++i)
            {
                const uint32_t host = i / workload.fan;
                const uint64_t bytes = std::max<uint64_t>(1, workload.bytes / workload.fan);
                Add(host, (host + hosts / 2 + i % workload.fan) % hosts, bytes, 1);
            }
            break;
        case BenchmarkPattern::INCAST:
            for (const uint32_t host :
                 IncastHelper(workload.fan, workload.bytes).GetSenders(m_fabric))
            {
                Add(host, IncastHelper::RECEIVER, workload.bytes, 1);
            }
            break;
        case BenchmarkPattern::PAIR:
            Add(0, hosts / 2, MAX_PAYLOAD, FramesOf(workload.bytes));
            break;
        case BenchmarkPattern::UNIFORM:
            throw std::logic_error("random messages have a class of their own");
        }
    }

    /// @return messages of which the callback is called
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /// @return payload that will be sent, bytes
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /// @return messages of which nobody is told as they come, and that have not come
    virtual uint64_t GetUntold() const
    {
        return 0;
    }

    /// @param callback is called after each message
    virtual void SetCallback(std::function<void()> callback) = 0;

    /// @return when the first message was delivered, ps
    virtual TimePs GetFirst() const = 0;

    /// @return when the last message was delivered, ps
    virtual TimePs GetLast() const = 0;

  protected:
    /**
     * Installs what sends messages.
     *
     * @param from host that sends
     * @param to host that receives
     * @param bytes of each message
     * @param count of messages
     * @param interval between them
     * @return messages of which somebody is told
     */
    virtual uint64_t AddSender(uint32_t from,
                               uint32_t to,
                               uint64_t bytes,
                               uint64_t count,
                               Time interval) = 0;

    /// @return frames that so many bytes fill
    static uint64_t FramesOf(uint64_t bytes)
    {
        return (bytes + MAX_PAYLOAD - 1) / MAX_PAYLOAD;
    }

    /// Messages of a size will be sent, of so many of which somebody is told.
    void Announce(uint64_t told, uint64_t count, uint64_t bytes)
    {
        m_messages += told;
        m_bytes += count * bytes;
    }

    const FabricContainer& m_fabric; ///< Through which.

  private:
    /// Installs what sends messages, several SPARSE_INTERVAL apart.
    void Add(uint32_t from, uint32_t to, uint64_t bytes, uint64_t count)
    {
        const Time interval = PicoSeconds(count > 1 ? SPARSE_INTERVAL : 0);
        Announce(AddSender(from, to, bytes, count, interval), count, bytes);
    }

    uint64_t m_messages{0}; ///< That will be sent.
    uint64_t m_bytes{0};    ///< That will be sent.
};

/// The fabric's own messages: the versions raw and flow.
class BenchmarkMessages : public BenchmarkTraffic
{
  public:
    /// @param fabric through which; must stay
    explicit BenchmarkMessages(const FabricContainer& fabric)
        : BenchmarkTraffic(fabric),
          m_recorder(fabric.network)
    {
        // Many messages would take more memory than the fabric.
        m_recorder.SetFilter([](const Message&) { return false; });
    }

    void SetCallback(std::function<void()> callback) override
    {
        m_recorder.SetCallback([this, callback](const FabricMessageRecorder::Record& record) {
            m_first = std::min(m_first, record.deliveredAt);
            m_last = std::max(m_last, record.deliveredAt);
            callback();
        });
    }

    TimePs GetFirst() const override
    {
        return m_first;
    }

    TimePs GetLast() const override
    {
        return m_last;
    }

  private:
    uint64_t AddSender(uint32_t from,
                       uint32_t to,
                       uint64_t bytes,
                       uint64_t count,
                       Time interval) override
    {
        FabricMessageSenderHelper sender(bytes);
        sender.SetAttribute("Count", UintegerValue(count));
        sender.SetAttribute("Interval", TimeValue(interval));
        sender.Install(m_fabric, from, to);
        return count;
    }

    FabricMessageRecorder m_recorder; ///< Tells what was delivered.
    TimePs m_first{NEVER};            ///< When the first message was, ps.
    TimePs m_last{0};                 ///< When the last message was, ps.
};

/// Draws when hosts send, and to whom: the same in each run, and with every standard library.
class BenchmarkDraw
{
  public:
    BenchmarkDraw() = default;

    /// @param workload with messages at random times
    explicit BenchmarkDraw(const BenchmarkWorkload& workload)
        : m_gap(8.0 * static_cast<double>(workload.message) /
                (UNIFORM_LOAD * static_cast<double>(workload.gbps) * 1e9) * 1e12)
    {
    }

    /// @return time until a host's next message
    Time Gap()
    {
        const double drawn = (static_cast<double>(m_random()) + 0.5) / 4294967296.0;
        return PicoSeconds(static_cast<int64_t>(-std::log(drawn) * m_gap));
    }

    /// @return who receives from a host, of so many
    uint32_t Receiver(uint32_t host, uint32_t hosts)
    {
        return static_cast<uint32_t>((host + 1 + m_random() % (hosts - 1)) % hosts);
    }

    /// @return messages of each host
    static uint64_t CountOf(const BenchmarkWorkload& workload)
    {
        return std::max<uint64_t>(1, workload.bytes / workload.message);
    }

  private:
    double m_gap{0};       ///< Mean time between messages of a host, ps.
    std::mt19937 m_random; ///< Draws gaps and receivers.
};

/// Messages of all hosts at random times, each to another host that is drawn.
class BenchmarkRandomMessages : public BenchmarkMessages
{
  public:
    using BenchmarkMessages::BenchmarkMessages;

    void Install(const BenchmarkWorkload& workload) override
    {
        m_size = workload.message;
        m_draw = BenchmarkDraw(workload);
        const uint64_t count = BenchmarkDraw::CountOf(workload);
        m_left.assign(m_fabric.hosts.GetN(), count);
        Announce(count * m_left.size(), count * m_left.size(), m_size);
        for (uint32_t host = 0; host < m_left.size(); ++host)
        {
            PlanNext(host);
        }
    }

  private:
    /// A host plans its next message, if there is one.
    void PlanNext(uint32_t host)
    {
        if (m_left[host]-- == 0)
        {
            return;
        }
        Simulator::Schedule(m_draw.Gap(), [this, host] { SendNext(host); });
    }

    /// A host sends a message and plans the next.
    void SendNext(uint32_t host)
    {
        MessageFlow flow;
        flow.dst = LocationOf(m_draw.Receiver(host, static_cast<uint32_t>(m_left.size())));
        m_fabric.GetDevice(host)->SendMessage(flow, m_size);
        PlanNext(host);
    }

    uint64_t m_size{0};           ///< Of each message, bytes.
    BenchmarkDraw m_draw;         ///< When, and to whom.
    std::vector<uint64_t> m_left; ///< Messages still to be planned, by host.
};

/// Pushes over the reliable transport in the NICs, one for each message: the version transport.
class BenchmarkPushes : public BenchmarkTraffic
{
  public:
    /// @param fabric through which; all its hosts get a transport; must stay
    explicit BenchmarkPushes(const FabricContainer& fabric)
        : BenchmarkTraffic(fabric)
    {
        m_helper.InstallNic(fabric.hosts);
        m_helper.SetInitiatorAttribute("Operations", StringValue("write"));
    }

    void SetCallback(std::function<void()> callback) override
    {
        m_recorder.SetCallback(std::move(callback));
    }

    TimePs GetFirst() const override
    {
        return m_recorder.GetOperations().front().end;
    }

    TimePs GetLast() const override
    {
        return m_recorder.GetEnd();
    }

  protected:
    uint64_t AddSender(uint32_t from,
                       uint32_t to,
                       uint64_t bytes,
                       uint64_t count,
                       Time interval) override
    {
        m_helper.SetInitiatorAttribute("Bytes", UintegerValue(bytes));
        m_helper.SetInitiatorAttribute("Count", UintegerValue(count));
        m_helper.SetInitiatorAttribute("Interval", TimeValue(interval));
        const Ptr<Node> host = m_fabric.hosts.Get(from);
        const ApplicationContainer initiator =
            m_helper.InstallInitiator(host, m_fabric.GetDevice(to)->GetAddress());
        m_recorder.Add(host->GetId(), DynamicCast<FabricInitiatorApplication>(initiator.Get(0)));
        return count;
    }

    /// Senders that are installed from now on begin then.
    void StartAt(Time time)
    {
        m_helper.SetInitiatorAttribute("StartTime", TimeValue(time));
    }

  private:
    FabricTransportHelper m_helper;     ///< Installs initiators.
    FabricTransportRecorder m_recorder; ///< What is complete.
};

/// Pushes of all hosts at random times, each over a connection of its own to another host that is
/// drawn.
class BenchmarkRandomPushes : public BenchmarkPushes
{
  public:
    using BenchmarkPushes::BenchmarkPushes;

    void Install(const BenchmarkWorkload& workload) override
    {
        BenchmarkDraw draw(workload);
        const uint32_t hosts = m_fabric.hosts.GetN();
        for (uint32_t host = 0; host < hosts; ++host)
        {
            Time at;
            for (uint64_t left = BenchmarkDraw::CountOf(workload); left > 0; --left)
            {
                at += draw.Gap();
                StartAt(at);
                const uint32_t receiver = draw.Receiver(host, hosts);
                Announce(AddSender(host, receiver, workload.message, 1, Time(0)),
                         1,
                         workload.message);
            }
        }
    }
};

/**
 * Half of it pushes over the reliable transport, the other half writes by command queues over PCIe,
 * in a traffic class of their own: the version full.
 */
class BenchmarkEngines : public BenchmarkPushes
{
  public:
    static constexpr uint8_t WRITES = 1;          ///< Traffic class of writes; pushes have 0.
    static constexpr uint64_t MOST_WRITE = 65536; ///< Of a command, bytes.

    /// @param fabric through which; all its hosts get transport and command queues; must stay
    explicit BenchmarkEngines(const FabricContainer& fabric)
        : BenchmarkPushes(fabric)
    {
        m_commands.SetApplicationAttribute("TrafficClass", UintegerValue(WRITES));
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            m_queues.push_back(m_commands.Install(fabric, host));
        }
    }

    TimePs GetLast() const override
    {
        TimePs last = BenchmarkPushes::GetLast();
        for (const Ptr<FabricCommandQueues>& queues : m_queues)
        {
            last = std::max(last, queues->GetLastCompletion());
        }
        return last;
    }

    uint64_t GetUntold() const override
    {
        uint64_t left = m_writes;
        for (const Ptr<FabricCommandQueues>& queues : m_queues)
        {
            left -= queues->GetLatencies().size();
        }
        return left;
    }

  protected:
    uint64_t AddSender(uint32_t from,
                       uint32_t to,
                       uint64_t bytes,
                       uint64_t count,
                       Time interval) override
    {
        const bool isOne = count == 1;
        const uint64_t half = isOne ? bytes / 2 : count / 2;
        const uint64_t writes = isOne ? (half + MOST_WRITE - 1) / MOST_WRITE : half;
        if (writes != 0)
        {
            m_commands.SetApplicationAttribute("Bytes",
                                               UintegerValue(isOne ? half / writes : bytes));
            m_commands.SetApplicationAttribute("Count", UintegerValue(writes));
            m_commands.SetApplicationAttribute("Interval", TimeValue(interval));
            m_commands.InstallInitiator(m_fabric, from, to);
        }
        m_writes += writes;
        return isOne ? BenchmarkPushes::AddSender(from, to, bytes - half, 1, interval)
                     : BenchmarkPushes::AddSender(from, to, bytes, count - half, interval);
    }

  private:
    FabricCommandHelper m_commands;                 ///< Installs queues and what writes.
    std::vector<Ptr<FabricCommandQueues>> m_queues; ///< By host.
    uint64_t m_writes{0};                           ///< That will be issued.
};

} // namespace ns3::fabric

#endif // FABRIC_BENCHMARK_TRAFFIC_H
