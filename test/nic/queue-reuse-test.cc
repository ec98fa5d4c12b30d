/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-edge-flow-table.h"
#include "fabric-flow-restraints.h"
#include "nic-uplink.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A host that talks to many others, one after the other, has a few queues.
void
TestManyFlows(FunctionCase& test)
{
    Uplink uplink;
    std::vector<uint32_t> reused;
    uplink.scheduler.SetReuse([&reused](uint32_t queue) { reused.push_back(queue); });
    for (LocationId destination = 1; destination <= 1000; ++destination)
    {
        const uint32_t queue = uplink.scheduler.BeginMessage(FlowTo(destination));
        test.Expect(uplink.scheduler.Key(queue) == FlowTo(destination), "whose queue it is");
        uplink.scheduler.EndMessage(queue);
    }
    test.ExpectEqual(uplink.scheduler.Queues(), SendQueues::KEPT_IDLE + 1, "queues");
    test.ExpectEqual(reused.size(), 1000 - uplink.scheduler.Queues(), "who knew them was told");
    const uint32_t last = uplink.scheduler.BeginMessage(FlowTo(1000));
    test.ExpectEqual(last, reused.back(), "the last flows have kept their queues");
    test.ExpectEqual(reused.size(), 1000 - uplink.scheduler.Queues(), "and nobody is told");
}

/// What somebody has the number of stays, and so does what has a message under way.
void
TestKeptQueues(FunctionCase& test)
{
    Uplink uplink;
    const uint32_t kept = uplink.scheduler.OpenQueue(FlowTo(1));
    const uint32_t added = uplink.scheduler.AddQueue(FlowTo(1));
    const uint32_t busy = uplink.scheduler.BeginMessage(FlowTo(2));
    uplink.scheduler.EndMessage(uplink.scheduler.BeginMessage(FlowTo(1)));
    for (LocationId destination = 3; destination < 200; ++destination)
    {
        uplink.scheduler.EndMessage(uplink.scheduler.BeginMessage(FlowTo(destination)));
    }
    test.Expect(uplink.scheduler.Key(kept) == FlowTo(1), "the flow of a queue that is kept");
    test.Expect(uplink.scheduler.OpenQueue(FlowTo(1)) == kept, "a queue that is kept");
    test.Expect(uplink.scheduler.Key(added) == FlowTo(1), "one that is somebody's own");
    test.Expect(uplink.scheduler.BeginMessage(FlowTo(2)) == busy, "one with a message");
}

/// A hint of the switch for a queue that serves another flow now does not count.
void
TestForgottenHint(FunctionCase& test)
{
    EdgeFlowTable table;
    table.ForgetHint(7); // there is none
    const FlowId first = *table.Classify(FlowTo(1), 7);
    table.Send(first, 1);
    table.ForgetHint(7);
    test.Expect(*table.Classify(FlowTo(2), 7) != first, "the next flow has a channel of its own");
    test.Expect(*table.Classify(FlowTo(1), 8) == first, "the one before still has its channel");
}

/// A flow has a record from its first restraint on, which all of its queues have in common.
void
TestRestrainedFlows(FunctionCase& test)
{
    Uplink uplink;
    SendScheduler& scheduler = uplink.scheduler;
    scheduler.UseRestraints([](const FlowKey& key) { return key & FlowKey::MaskOf(0); });
    const auto queueOf = [&scheduler](uint32_t process) {
        FlowKey key = FlowTo(5);
        key.process = process;
        return scheduler.BeginMessage(key);
    };
    const uint32_t before = queueOf(1);
    const uint32_t told = queueOf(2);
    const uint32_t other = scheduler.BeginMessage(FlowTo(6));
    const uint32_t flow = scheduler.OpenFlow(told);
    const uint32_t after = queueOf(3);
    scheduler.Restrain({10 * NS, 100 * NS, flow, 0});
    for (const uint32_t queue : {before, told, after})
    {
        test.ExpectEqual(scheduler.RestrainedUntil(queue, 10 * NS), 110 * NS, "of the flow");
        test.ExpectEqual(scheduler.OpenFlow(queue), flow, "its number");
    }
    test.ExpectEqual(scheduler.RestrainedUntil(other, 10 * NS), 0, "another flow");
    test.Expect(scheduler.OpenFlow(other) != flow, "has a number of its own");
}

/// A NIC whose queues serve many flows beside one with a queue for each flow.
class ReuseProperty
{
  public:
    explicit ReuseProperty(uint32_t seed)
        : m_random(seed)
    {
        m_apart.scheduler.UseRestraints([](const FlowKey& key) { return key; });
        m_shared.scheduler.UseRestraints([](const FlowKey& key) { return key; });
    }

    /// @return what differed, empty if nothing did
    std::string Run()
    {
        for (m_step = 0; m_step < 2000; ++m_step)
        {
            const uint32_t what = Draw(10);
            if (what < 4)
            {
                Begin(FlowTo(static_cast<LocationId>(1 + Draw(150))));
            }
            else if (what < 8 || !End())
            {
                Send();
            }
            if (Draw(20) == 0 && !m_messages.empty())
            {
                Restrain(m_messages[Draw(static_cast<uint32_t>(m_messages.size()))]);
            }
            if (!m_fault.empty())
            {
                return Text("step ", m_step, ": ", m_fault).Str();
            }
        }
        const uint32_t most = SendQueues::KEPT_IDLE + m_mostFlows + 1;
        return m_shared.scheduler.Queues() <= most ? "" : "too many queues";
    }

  private:
    /// A message under way.
    struct Sent
    {
        FlowKey key;         ///< Of its flow.
        uint32_t queue;      ///< Where queues are shared.
        bool hasLeft{false}; ///< Whether its frame has left.
    };

    uint32_t Draw(uint32_t count)
    {
        return static_cast<uint32_t>(m_random() % count);
    }

    /// A message of one frame is sent.
    void Begin(const FlowKey& key)
    {
        const SendJob job{1 + Draw(MAX_PAYLOAD), m_step, FrameKind::MESSAGE};
        const uint32_t queue = m_shared.scheduler.BeginMessage(key);
        m_shared.scheduler.Append(queue, job);
        m_apart.scheduler.Append(m_apart.scheduler.OpenQueue(key), job);
        for (const Sent& message : m_messages)
        {
            if ((message.queue == queue) != (message.key == key))
            {
                m_fault = "two flows have a queue, or one has two";
            }
        }
        m_messages.push_back({key, queue});
        std::map<uint32_t, uint32_t> flows;
        for (const Sent& message : m_messages)
        {
            ++flows[message.queue];
        }
        m_mostFlows = std::max(m_mostFlows, static_cast<uint32_t>(flows.size()));
    }

    /// The next frame leaves, if one may.
    void Send()
    {
        m_now += FULL_FRAME;
        const SendOutcome shared = m_shared.scheduler.Send(m_now);
        const SendOutcome apart = m_apart.scheduler.Send(m_now);
        if (shared.sent != apart.sent || shared.next != apart.next)
        {
            m_fault = "another time";
            return;
        }
        if (!shared.sent)
        {
            return;
        }
        const Frame sent = m_shared.link.Frames().Front();
        const Frame expected = m_apart.link.Frames().Front();
        m_shared.link.Frames().Pop();
        m_apart.link.Frames().Pop();
        if (sent.dst != expected.dst || sent.handle != expected.handle ||
            sent.dataFlow != expected.dataFlow)
        {
            m_fault = "another frame";
        }
        for (Sent& message : m_messages)
        {
            if (message.queue == sent.next && !message.hasLeft)
            {
                message.hasLeft = true;
                break; // in order
            }
        }
    }

    /// A message whose frame has left is delivered. @return whether there was one
    bool End()
    {
        std::shuffle(m_messages.begin(), m_messages.end(), m_random);
        const auto left = std::find_if(m_messages.begin(), m_messages.end(), [](const Sent& sent) {
            return sent.hasLeft;
        });
        if (left == m_messages.end())
        {
            return false;
        }
        m_shared.scheduler.EndMessage(left->queue);
        m_messages.erase(left);
        return true;
    }

    /// The switch restrains a flow, from now on.
    void Restrain(const Sent& message)
    {
        FgfcOrder order;
        order.time = m_now;
        order.lasts = FULL_FRAME * Draw(40);
        order.credit = Draw(3) * 16;
        order.flow = m_shared.scheduler.OpenFlow(message.queue);
        m_shared.scheduler.Restrain(order);
        order.flow = m_apart.scheduler.OpenFlow(m_apart.scheduler.OpenQueue(message.key));
        m_apart.scheduler.Restrain(order);
    }

    static constexpr TimePs FULL_FRAME = TimePs{WireBytes(MAX_PAYLOAD)} * 80; ///< On the wire, ps.
    std::mt19937 m_random;                                                    ///< Decides.
    Uplink m_apart{1U << 30};     ///< A queue for each flow.
    Uplink m_shared{1U << 30};    ///< Queues that serve one flow after the other.
    std::vector<Sent> m_messages; ///< Under way.
    TimePs m_now{0};              ///< Time, ps.
    uint32_t m_step{0};           ///< Number of the step.
    uint32_t m_mostFlows{0};      ///< Most flows under way at a time.
    std::string m_fault;          ///< What differed.
};

void
TestReuseProperty(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const std::string fault = ReuseProperty(seed).Run();
        test.ExpectEqual(fault, "", Text("seed ", seed));
    }
}

/// The suite.
class QueueReuseSuite : public FunctionSuite
{
  public:
    QueueReuseSuite()
        : FunctionSuite("fabric-queue-reuse", kUnit)
    {
        Add("SU-1 a host that talks to 1000 others one by one has five queues", TestManyFlows);
        Add("SU-1 a queue that is kept, or has a message, serves no other flow", TestKeptQueues);
        Add("FC-8 a hint of a queue that serves another flow is forgotten", TestForgottenHint);
        Add("CM-4 queues of a flow have its restraint, before and after the first",
            TestRestrainedFlows);
        Add("SU-1 queues that serve many flows send what one for each sends", TestReuseProperty);
    }
};

QueueReuseSuite g_queueReuseSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
