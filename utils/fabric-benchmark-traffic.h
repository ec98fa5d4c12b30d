/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_TRAFFIC_H
#define FABRIC_BENCHMARK_TRAFFIC_H

#include "fabric-benchmark-workload.h"

#include "ns3/fabric-message-recorder.h"
#include "ns3/fabric-transport-recorder.h"
#include "ns3/fabric-transport.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace ns3
{
namespace fabric
{

/// What sends a workload through a fabric, and what has become of it.
class BenchmarkTraffic
{
  public:
    virtual ~BenchmarkTraffic() = default;

    /// @return what will be sent
    const BenchmarkLoad& GetLoad() const
    {
        return m_load;
    }

    /// @param callback is called after each message
    virtual void SetCallback(std::function<void()> callback) = 0;

    /// @return when the first message was delivered, ps
    virtual TimePs GetFirst() const = 0;

    /// @return when the last message was delivered, ps
    virtual TimePs GetLast() const = 0;

  protected:
    BenchmarkLoad m_load; ///< What will be sent.
};

/// The fabric's own messages: the versions raw and flow.
class BenchmarkMessages : public BenchmarkTraffic
{
  public:
    /**
     * @param workload what to send
     * @param fabric through which
     */
    BenchmarkMessages(const BenchmarkWorkload& workload, const FabricContainer& fabric)
        : m_recorder(fabric.network)
    {
        BenchmarkMessageSenders senders(fabric);
        m_load = InstallSenders(workload, fabric, senders);
    }

    void SetCallback(std::function<void()> callback) override
    {
        m_recorder.SetCallback([callback](const auto&) { callback(); });
    }

    TimePs GetFirst() const override
    {
        return m_recorder.GetRecords().front().deliveredAt;
    }

    TimePs GetLast() const override
    {
        return m_recorder.GetRecords().back().deliveredAt;
    }

  private:
    FabricMessageRecorder m_recorder; ///< What was delivered.
};

/// Pushes over the reliable transport: the version transport.
class BenchmarkPushes : public BenchmarkTraffic
{
  public:
    /**
     * @param workload what to send
     * @param fabric through which
     */
    BenchmarkPushes(const BenchmarkWorkload& workload, const FabricContainer& fabric)
    {
        BenchmarkPushSenders senders(fabric);
        m_load = InstallSenders(workload, fabric, senders);
        for (const Ptr<FabricInitiatorApplication>& initiator : senders.GetInitiators())
        {
            m_recorder.Add(initiator->GetNode()->GetId(), initiator);
        }
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

  private:
    FabricTransportRecorder m_recorder; ///< What is complete.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BENCHMARK_TRAFFIC_H
