/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-draw.h"
#include "fabric-transport-endpoint.h"

#include "ns3/test.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// What the oracle knows of a request.
struct Known
{
    UlpOperation operation{UlpOperation::PUSH};
    uint32_t bytes{0};
    uint64_t tag{0};
    UlpAnswer answer{UlpAnswer::OK};
    bool isPresented{false};
    bool isPostponed{false};
    bool isComplete{false};
};

/// One direction of a connection, as the oracle sees it. Requests are known by their tag.
struct Direction
{
    std::map<uint32_t, Known> byRsn;
    uint32_t nextPresented{0};
    uint32_t nextCompleted{0};
    uint32_t completions{0};
};

/// An end of a connection.
struct End
{
    ConnectionId cid{0};
    bool isOver{false};
};

/// Everything that may vary from seed to seed.
class RandomRun : private TransportDraw
{
  public:
    RandomRun(uint64_t seed, bool breaks)
        : TransportDraw(seed),
          m_breaks(breaks),
          m_isOrdered(Chance(0.6)),
          m_bed(2, DrawSettings(), DrawAccepted(), DrawFaults(), seed + 1)
    {
        m_bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
    }

    /// @return what went wrong, empty if nothing did
    std::string Run()
    {
        const ConnectionSettings settings = DrawConnection();
        m_ends[0].cid = m_bed.Node(0).Connect(1, settings, 0);
        m_left[0] = 1 + m_random() % 40;
        m_left[1] = m_random() % 30;
        if (m_breaks)
        {
            const uint32_t who = m_random() % 2;
            m_bed.At(static_cast<TimePs>(m_random() % 300'000'000),
                     [this, who] { m_bed.Node(who).Reset(m_ends[who].cid, m_bed.Now()); });
        }
        Issue(0);
        const bool isIdle = m_bed.Run(LONG);
        Check(isIdle, "it does not come to an end");
        if (m_breaks)
        {
            CloseHalfOpen();
        }
        CheckEnd();
        return m_wrong.str();
    }

    uint64_t resends{0};
    uint64_t postponed{0};
    uint64_t refused{0};
    uint64_t lost{0};
    uint64_t solicited{0};

  private:
    static constexpr TimePs LONG = 4'000'000'000'000'000; // more than an hour

    TransportSettings DrawSettings()
    {
        TransportSettings s;
        s.retryLimit = 255;
        s.minRto = 50'000'000;
        s.maxRto = 400'000'000;
        s.notReadyLimit = 255;
        s.ackPackets = Draw(1, 12);
        s.ackDelay = Draw(0, 3'000'000);
        DrawTables(s);
        s.grantOrder = static_cast<GrantOrder>(Draw(0, 2));
        s.lossDetection = static_cast<LossDetection>(Draw(0, 2));
        s.sendsProbes = Chance(0.5);
        s.isSprayed = Chance(0.3);
        s.minReorderWindow = Chance(0.5) ? 0 : Draw(0, 5'000'000);
        s.maxReorderWindow = s.minReorderWindow + Draw(0, 50'000'000);
        s.reorderThreshold = Draw(1, 8);
        s.resendsByRsn = Chance(0.3);
        s.backsOff = Chance(0.7);
        s.congestionControl = static_cast<CongestionControlKind>(Draw(0, 3));
        s.isStrict = Chance(0.5);
        return s;
    }

    ConnectionSettings DrawAccepted()
    {
        ConnectionSettings c;
        c.firstRequestPsn = Chance(0.3) ? 0xFFFFFFF0U + Draw(0, 15) : Draw(0, 1000);
        c.firstDataPsn = Chance(0.3) ? 0xFFFFFFF0U + Draw(0, 15) : Draw(0, 1000);
        DrawWindows(c);
        return c;
    }

    ConnectionSettings DrawConnection()
    {
        ConnectionSettings c = DrawAccepted();
        c.isOrdered = m_isOrdered;
        return c;
    }

    NetworkFaults DrawFaults()
    {
        NetworkFaults f;
        f.loss = Chance(0.7) ? 0.3 * Draw(0, 100) / 100 : 0;
        f.duplicate = Chance(0.5) ? 0.3 * Draw(0, 100) / 100 : 0;
        f.corrupt = Chance(0.3) ? 0.1 : 0;
        f.delay = Draw(100'000, 3'000'000);
        f.marked = 0.1 * static_cast<double>(f.delay % 4);
        f.trimmed = f.delay % 3 == 0 ? 0.2 : 0;
        f.jitter = Chance(0.6) ? Draw(0, 30'000'000) : 0;
        return f;
    }

    void Check(bool ok, const std::string& what)
    {
        if (!ok && m_wrong.str().size() < 400)
        {
            m_wrong << what << "; ";
        }
    }

    /// If RESET was lost, an end that has nothing to do does not know: it finds out as it closes.
    void CloseHalfOpen()
    {
        for (uint32_t node = 0; node < 2; ++node)
        {
            if (m_bed.Node(node).Connections() > 0)
            {
                Check(m_bed.Node(node).Close(m_ends[node].cid, m_bed.Now()),
                      "an unknown connection");
            }
        }
        Check(m_bed.Run(2 * LONG), "half open for ever");
    }

    /// Makes requests until there is no room or none is left.
    void Issue(uint32_t node)
    {
        Direction& direction = m_directions[node];
        while (m_left[node] > 0 && m_bed.Node(node).CanRequest(m_ends[node].cid))
        {
            Known known;
            known.operation = Chance(0.6) ? UlpOperation::PUSH : UlpOperation::PULL;
            known.bytes = Chance(0.1) ? 0 : Chance(0.3) ? Draw(1, 40000) : Draw(1, 3000);
            known.tag = m_random();
            known.answer = Chance(0.1) ? UlpAnswer::ERROR : UlpAnswer::OK;
            const ConnectionId cid = m_ends[node].cid;
            const auto rsn = known.operation == UlpOperation::PUSH
                                 ? m_bed.Node(node).Push(cid, known.bytes, m_bed.Now(), known.tag)
                                 : m_bed.Node(node).Pull(cid, known.bytes, m_bed.Now(), known.tag);
            if (!rsn)
            {
                return; // ROOM follows
            }
            Check(direction.byRsn.count(*rsn) == 0, "an RSN twice");
            direction.byRsn[*rsn] = known;
            --m_left[node];
        }
        MayClose(node);
    }

    void MayClose(uint32_t node)
    {
        if (m_left[node] == 0 && node == 0 && !m_ends[0].isOver)
        {
            m_bed.Node(0).Close(m_ends[0].cid, m_bed.Now());
        }
    }

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        End& end = m_ends[node];
        if (event.type == UlpEventType::ROOM)
        {
            Issue(node);
            return;
        }
        Check(!end.isOver, "an event after the end");
        switch (event.type)
        {
        case UlpEventType::CONNECTED:
            Check(node == 0, "connected at the wrong end");
            break;
        case UlpEventType::ACCEPTED:
            Check(node == 1 && end.cid == 0, "accepted twice");
            end.cid = event.cid;
            Issue(1);
            break;
        case UlpEventType::COMPLETION:
            OnCompletion(node, event);
            break;
        case UlpEventType::REQUEST:
            OnRequest(node, event);
            break;
        case UlpEventType::CLOSED:
            end.isOver = true;
            break;
        case UlpEventType::FAILED:
            Check(m_breaks, "failed with " + std::to_string(static_cast<int>(event.status)));
            end.isOver = true;
            break;
        case UlpEventType::ROOM:
            break;
        }
    }

    void OnCompletion(uint32_t node, const UlpEvent& event)
    {
        Direction& direction = m_directions[node];
        Known& known = direction.byRsn[event.rsn];
        Check(!known.isComplete, "completed twice");
        Check(!m_isOrdered || event.rsn == direction.nextCompleted, "completed out of order");
        direction.nextCompleted = event.rsn + 1;
        known.isComplete = true;
        ++direction.completions;
        solicited += event.isSolicited;
        const bool isFlushed =
            event.status != TransportStatus::OK && event.status != TransportStatus::REMOTE_ERROR;
        Check(!isFlushed || m_breaks, "flushed");
        if (!isFlushed)
        {
            Check(known.isPresented && !known.isPostponed, "completed before it was accepted");
            Check((event.status == TransportStatus::OK) == (known.answer == UlpAnswer::OK),
                  "wrong status");
        }
        Check(known.bytes == event.bytes && known.tag == event.tag, "completion of another");
    }

    void OnRequest(uint32_t node, const UlpEvent& event)
    {
        Direction& direction = m_directions[1 - node];
        const auto found = direction.byRsn.find(event.rsn);
        Check(found != direction.byRsn.end(), "a request that nobody made");
        if (found == direction.byRsn.end())
        {
            return;
        }
        Known& known = found->second;
        Check(!known.isPresented || known.isPostponed, "presented twice");
        Check(!m_isOrdered || known.isPostponed || event.rsn == direction.nextPresented,
              "presented out of order");
        direction.nextPresented += !known.isPostponed;
        known.isPresented = true;
        known.isPostponed = false;
        Check(known.operation == event.operation && known.bytes == event.bytes &&
                  known.tag == event.tag,
              "another was presented");
        if (Chance(0.05))
        {
            known.isPostponed = true;
            ++postponed;
            Answer(node, event.rsn, UlpAnswer::NOT_READY);
        }
        else if (Chance(0.5))
        {
            Answer(node, event.rsn, known.answer);
        }
        else
        {
            const UlpAnswer answer = known.answer;
            m_bed.At(m_bed.Now() + Draw(1, 20'000'000),
                     [this, node, rsn = event.rsn, answer] { Answer(node, rsn, answer); });
        }
    }

    void Answer(uint32_t node, uint32_t rsn, UlpAnswer answer)
    {
        TransportEndpoint& endpoint = m_bed.Node(node);
        const ConnectionId cid = m_ends[node].cid;
        const bool isPull = m_directions[1 - node].byRsn[rsn].operation == UlpOperation::PULL;
        bool isValid;
        if (answer == UlpAnswer::OK && isPull)
        {
            isValid = endpoint.Respond(cid, rsn, m_bed.Now());
        }
        else
        {
            isValid = endpoint.AckRequest(cid, rsn, answer, m_bed.Now(), Draw(1, 5'000'000));
        }
        // It may be over though nothing has failed here: the peer was reset, and did not know it.
        Check(isValid != m_ends[node].isOver, "an answer was not taken");
    }

    void CheckEnd()
    {
        for (uint32_t node = 0; node < 2; ++node)
        {
            const TransportOccupancy o = m_bed.Node(node).Occupancy();
            Check(m_bed.Node(node).Connections() == 0, "a connection is left");
            Check(o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
                          o.sendPayload.used + o.receivePayload.used + o.granted.used ==
                      0,
                  "something is not given back at " + std::to_string(node));
            // Pulls may have the limit when a push gets its quantum all the same, which is at most
            // it.
            Check(o.granted.peak <= o.granted.limit + o.granted.limit,
                  "granted and asked for more than the limit");
            Check(o.receivePayload.peak <= o.receivePayload.limit, "payload memory overrun");
            Check(o.packetEntries.peak <= o.packetEntries.limit, "retransmission CAM overrun");
            Check(o.targetEntries.peak <= o.targetEntries.limit, "reorder CAM overrun");
            Check(o.sendPayload.peak <= o.sendPayload.limit, "send memory overrun");
            const Direction& direction = m_directions[node];
            Check(direction.completions == direction.byRsn.size(), "not all complete");
            Check(m_breaks || node == 1 || m_left[node] == 0, "not all issued");
            Check(m_bed.Node(node).Counters().malformed == 0, "malformed");
            Check(m_breaks || m_bed.Node(node).Counters().beyondWindow == 0, "beyond the window");
            resends += m_bed.Node(node).Counters().resends;
            refused += m_bed.Node(node).Counters().noResource;
        }
        lost += m_bed.lost;
    }

    bool m_breaks;
    bool m_isOrdered;
    TransportBed m_bed;
    End m_ends[2];
    Direction m_directions[2]; ///< By initiator.
    uint32_t m_left[2]{0, 0};
    std::ostringstream m_wrong;
};

void
RunSeeds(FunctionCase& test, uint64_t offset, uint32_t usual, bool breaks)
{
    const TestSeeds seeds(usual);
    uint64_t sums[5] = {};
    for (uint64_t seed = offset + seeds.first; seed < offset + seeds.end; ++seed)
    {
        RandomRun run(seed, breaks);
        const std::string wrong = run.Run();
        sums[0] += run.resends;
        sums[1] += run.postponed;
        sums[2] += run.refused;
        sums[3] += run.lost;
        sums[4] += run.solicited;
        if (!wrong.empty())
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + wrong);
            return;
        }
    }
    const char* const what[5] = {"resends", "answers 'not ready'", "refusals", "losses", "grants"};
    // Few runs have refusals, and these have many.
    const uint32_t runsForOne[5] = {10, 10, 40, 10, 10};
    for (uint32_t i = 0; i < 5; ++i)
    {
        test.Expect(sums[i] > seeds.count / runsForOne[i],
                    Text("there are ", sums[i], " ", what[i]));
    }
}

/// The suite.
class TransportPropertySuite : public TestSuite
{
  public:
    TransportPropertySuite()
        : TestSuite("fabric-transport-property", kUnit)
    {
        AddTestCase(new FunctionCase("RT-17 exactly once and in order under every mix of faults",
                                     [](FunctionCase& test) { RunSeeds(test, 0, 3000, false); }),
                    kQuick);
        AddTestCase(
            new FunctionCase("RT-18 nothing after an error, all is given back",
                             [](FunctionCase& test) { RunSeeds(test, 100000, 2000, true); }),
            kQuick);
    }
};

TransportPropertySuite g_transportPropertySuite; ///< Registers the suite.

} // namespace
