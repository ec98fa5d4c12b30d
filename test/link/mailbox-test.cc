/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-credit-path.h"
#include "fabric-input-link.h"
#include "fabric-mailbox.h"
#include "fabric-pause-path.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"

#include "ns3/test.h"

#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// A switch's ends of a link: what it receives, and the credits and pauses that it gets back.
struct End : public Alarm, public PauseEnd
{
    End()
    {
        agenda.Resize(1);
        agenda.SetAlarm(this);
        link.Attach(&agenda, 0);
        credits.Configure({100'000, 10'000, 2});
    }

    void WakeBy(TimePs time) override
    {
        wokenBy = std::min(wokenBy, time);
    }

    void TakePause(uint32_t port, const PauseOrder& order, Attempt attempt) override
    {
        pauses += "pause at " + std::to_string(order.time) + " of " + std::to_string(port) + ": " +
                  std::to_string(order.stop) + (attempt == Attempt::CLEAN ? "\n" : "?\n");
    }

    CreditPath Path(TimePs delay)
    {
        return CreditPath(CreditEnd(&credits, &agenda, 0), delay);
    }

    Agenda agenda;
    InputLink link;
    LinkCredits credits;
    std::string pauses;
    TimePs wokenBy{NEVER};
};

Frame
MakeFrame(TimePs time, uint32_t handle)
{
    Frame frame{};
    frame.time = time;
    frame.handle = handle;
    return frame;
}

/// @return a part of an ACK frame
AckBatch
MakeBatch(TimePs time, FlowId flow)
{
    AckBatch batch;
    batch.time = time;
    batch.Add({flow, AckType::NORMAL, 1});
    return batch;
}

/// @return all that waits at an end, and when it is woken
std::string
Describe(End& end)
{
    std::string text =
        "woken by " + std::to_string(end.wokenBy) + ", decides at " +
        std::to_string(end.agenda.At(end.agenda.EntryOf(Task::DECIDE, 0))) + ", data at " +
        std::to_string(end.agenda.At(end.agenda.EntryOf(Task::DATA, 0))) + ", ACKs at " +
        std::to_string(end.agenda.At(end.agenda.EntryOf(Task::CONTROL, 0))) + "\n";
    for (uint32_t i = 0; i < end.link.Frames().Size(); ++i)
    {
        const Frame& frame = end.link.Frames().At(i);
        text +=
            "frame " + std::to_string(frame.handle) + " at " + std::to_string(frame.time) + "\n";
    }
    for (uint32_t i = 0; i < end.link.Acks().Size(); ++i)
    {
        const AckBatch& batch = end.link.Acks().At(i);
        text += "ack " + std::to_string(batch.acks[0].flow) + " at " + std::to_string(batch.time) +
                "\n";
    }
    for (; end.credits.NextReturn() != NEVER; end.credits.Collect(end.credits.NextReturn()))
    {
        text += "credit at " + std::to_string(end.credits.NextReturn()) + " of " +
                std::to_string(end.credits.OnTheWay(0)) + " and " +
                std::to_string(end.credits.OnTheWay(1)) + "\n";
    }
    return text + end.pauses;
}

void
TestSameAsDirect(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        std::minstd_rand random(seed);
        End direct;
        End remote;
        Mailbox mailbox;
        CreditPath directPath = direct.Path(700);
        CreditPath remotePath = remote.Path(700);
        remotePath.SetMailbox(&mailbox);
        PausePath directPause(&direct, 3);
        PausePath remotePause(&remote, 3);
        remotePause.SetMailbox(&mailbox);
        direct.credits.Consume(0, 20'000);
        remote.credits.Consume(0, 20'000);
        direct.credits.Consume(1, 20'000);
        remote.credits.Consume(1, 20'000);
        const uint32_t windows = 1 + random() % 4;
        TimePs time = 1'000;
        for (uint32_t window = 0; window < windows; ++window)
        {
            const bool isAwaited = random() % 2 == 0;
            direct.credits.SetAwaited(isAwaited);
            remote.credits.SetAwaited(isAwaited);
            const uint32_t things = random() % 12;
            for (uint32_t i = 0; i < things; ++i)
            {
                time += static_cast<TimePs>(random() % 3) * 100;
                const Frame frame = MakeFrame(time, i);
                const AckBatch batch = MakeBatch(time, static_cast<FlowId>(1 + i));
                const uint32_t vc = random() % 2;
                const TimePs end = time + static_cast<TimePs>(random() % 5) * 100;
                switch (random() % 4)
                {
                case 0:
                    direct.link.Push(frame);
                    mailbox.Put(&remote.link, frame);
                    break;
                case 1:
                    direct.link.Push(batch);
                    mailbox.Put(&remote.link, batch);
                    break;
                case 2:
                    directPause.Tell({time, 500, static_cast<uint8_t>(i + 1), 0});
                    remotePause.Tell({time, 500, static_cast<uint8_t>(i + 1), 0});
                    break;
                default:
                    directPath.Return(vc, 64 + i, end, 0);
                    remotePath.Return(vc, 64 + i, end, 0);
                }
            }
            mailbox.Deliver(0);
        }
        test.ExpectSame(Describe(remote), Describe(direct), "seed " + std::to_string(seed));
    }
}

void
TestNothingBeforeDelivery(FunctionCase& test)
{
    End end;
    Mailbox mailbox;
    CreditPath path = end.Path(10);
    path.SetMailbox(&mailbox);
    PausePath pauses(&end, 0);
    pauses.SetMailbox(&mailbox);
    path.Return(0, 100, 5, 0);
    pauses.Tell({30, 10, 1, 0});
    mailbox.Put(&end.link, MakeFrame(50, 1));
    test.Expect(end.link.Frames().IsEmpty() && end.credits.NextReturn() == NEVER &&
                    end.wokenBy == NEVER && end.pauses.empty(),
                "the receiver is touched before the delivery");
    mailbox.Deliver(0);
    test.Expect(end.link.Frames().Size() == 1 && end.credits.NextReturn() == 15 &&
                    end.pauses == "pause at 30 of 0: 1\n",
                "the contents are delivered");
    test.Expect(end.wokenBy == 50, "the receiver is woken by what came in");
}

/// Tests of Mailbox.
class MailboxTestSuite : public TestSuite
{
  public:
    MailboxTestSuite()
        : TestSuite("fabric-mailbox", kUnit)
    {
        AddTestCase(new FunctionCase("DP-15 what a mailbox delivers is as if it had come directly",
                                     TestSameAsDirect),
                    kQuick);
        AddTestCase(new FunctionCase("DP-15 the receiver sees nothing before the delivery",
                                     TestNothingBeforeDelivery),
                    kQuick);
    }
};

MailboxTestSuite g_mailboxTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
