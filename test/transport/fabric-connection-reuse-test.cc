/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-draw.h"
#include "fabric-transport-endpoint.h"

#include "ns3/test.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// A request, known by its tag, which is its number.
struct ReuseRequest
{
    uint32_t connection; ///< Number of its connection.
    bool isOfOpener;     ///< Whether the end that has opened the connection made it.
    bool isPresented{false};
    bool isComplete{false};
};

/// A connection from its opening to its end, however often its CIDs are used.
struct ReuseConnection
{
    std::array<uint32_t, 2> nodes{}; ///< Who has opened it, who is to accept.
    bool isConnected{false};
    bool isAccepted{false};
    bool isWeak{false};             ///< It may fail: somebody has reset it.
    std::array<uint32_t, 2> open{}; ///< Requests of each end that are not complete.
    std::array<bool, 2> isOver{};   ///< By end.
};

/// Connections that are opened and closed all the time at few places, in a network in which copies
/// of packets are late by many lives of a connection.
class ReuseRun : private TransportDraw
{
  public:
    ReuseRun(uint64_t seed, bool breaks)
        : TransportDraw(seed),
          m_breaks(breaks),
          m_late(Chance(0.8) ? 0.2 * Unit() : 0),
          m_lateBy(Draw(1, 500) * 1'000'000),
          m_bed(NODES, DrawSettings(), DrawAccepted(), DrawFaults(), seed + 1)
    {
        m_bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
        m_bed.onSend = [this](uint32_t from, const OutgoingPacket& out) {
            const auto to = static_cast<uint32_t>(out.peer);
            if (out.packet.type == TransportPacketType::ACCEPT)
            {
                const auto opener = m_ofEnd.find(End(to, out.packet.cid));
                const End accepting(from, out.packet.offer.sourceCid);
                m_accepting.emplace(accepting, opener == m_ofEnd.end() ? NOBODY : opener->second);
            }
            if (Chance(m_late))
            {
                m_bed.Inject(out.packet, from, to, Draw(0, m_lateBy));
                ++lateCopies;
            }
            return true;
        };
    }

    /// @return what went wrong, empty if nothing did
    std::string Run()
    {
        m_left = Draw(10, 60);
        for (uint32_t node = 0; node < NODES; ++node)
        {
            m_bed.At(0, [this, node] { Open(node); });
        }
        Check(m_bed.Run(LONG), "it does not come to an end");
        if (m_breaks)
        {
            CloseHalfOpen();
        }
        CheckEnd();
        return m_wrong.str();
    }

    uint64_t lateCopies{0};
    uint64_t refused{0};
    uint64_t strangers{0}; ///< Packets for connections that are not there.
    uint64_t again{0};     ///< Connections at a place that another one had.

  private:
    static constexpr uint32_t NODES = 3;
    static constexpr uint32_t NOBODY = UINT32_MAX;        ///< Number of no connection.
    static constexpr TimePs LONG = 4'000'000'000'000'000; // more than an hour

    using End = std::pair<uint32_t, ConnectionId>; ///< Of a node, by its CID.

    TransportSettings DrawSettings()
    {
        TransportSettings s;
        s.retryLimit = 255;
        s.minRto = Draw(2, 50) * 1'000'000; // most are shorter than late round trips
        s.maxRto = 8 * s.minRto;
        s.initialRtt = Draw(1, 20) * 1'000'000;
        s.ackPackets = Draw(1, 8);
        s.ackDelay = Draw(0, 3'000'000);
        s.maxConnections = Draw(1, 5);
        DrawTables(s);
        // A peer whose RESET is lost keeps the entries that it was given, maybe all of few.
        s.targetEntries = m_breaks ? 1000 : s.targetEntries;
        s.lossDetection = static_cast<LossDetection>(Draw(0, 2));
        s.sendsProbes = Chance(0.5);
        s.congestionControl = static_cast<CongestionControlKind>(Draw(0, 3));
        return s;
    }

    ConnectionSettings DrawAccepted()
    {
        ConnectionSettings c;
        DrawWindows(c);
        return c;
    }

    NetworkFaults DrawFaults()
    {
        NetworkFaults f;
        f.loss = Chance(0.6) ? 0.2 * Unit() : 0;
        f.duplicate = Chance(0.5) ? 0.2 * Unit() : 0;
        f.delay = Draw(100'000, 3'000'000);
        f.jitter = Chance(0.6) ? Draw(0, 60'000'000) : 0;
        f.trimmed = Chance(0.2) ? 0.2 : 0;
        return f;
    }

    void Check(bool ok, const std::string& what)
    {
        if (!ok && m_wrong.str().size() < 400)
        {
            m_wrong << what << "; ";
        }
    }

    /// A node opens its next connection.
    void Open(uint32_t node)
    {
        if (m_left == 0)
        {
            return;
        }
        const uint32_t peer = (node + Draw(1, NODES - 1)) % NODES;
        ConnectionSettings settings = DrawAccepted();
        settings.isOrdered = Chance(0.6);
        const ConnectionId cid = m_bed.Node(node).Connect(peer, settings, m_bed.Now());
        if (cid == NO_CONNECTION)
        {
            OpenLater(node); // others have all places
            return;
        }
        --m_left;
        const auto number = static_cast<uint32_t>(m_connections.size());
        m_connections.push_back({{node, peer}});
        Check(m_ofEnd.emplace(End(node, cid), number).second, "a CID twice");
        again += PlaceOf(cid) != cid;
        Issue(number, 0, cid);
        if (m_breaks && Chance(0.3))
        {
            m_bed.At(m_bed.Now() + Draw(0, 40'000'000), [this, node, cid, number] {
                const auto known = m_ofEnd.find(End(node, cid));
                if (known != m_ofEnd.end() && known->second == number)
                {
                    m_connections[number].isWeak = true;
                    m_bed.Node(node).Reset(cid, m_bed.Now());
                }
            });
        }
    }

    void OpenLater(uint32_t node)
    {
        const TimePs wait = Chance(0.5) ? 1 : Draw(1, 20'000'000);
        m_bed.At(m_bed.Now() + wait, [this, node] { Open(node); });
    }

    /// An end makes its requests, and wants to leave after them.
    void Issue(uint32_t number, uint32_t end, ConnectionId cid)
    {
        TransportEndpoint& endpoint = m_bed.Node(m_connections[number].nodes[end]);
        for (uint32_t left = Draw(0, 4); left > 0; --left)
        {
            const uint32_t bytes = Chance(0.2) ? 0 : Draw(1, 9000);
            const uint64_t tag = m_requests.size();
            const auto rsn = Chance(0.6) ? endpoint.Push(cid, bytes, m_bed.Now(), tag)
                                         : endpoint.Pull(cid, bytes, m_bed.Now(), tag);
            if (!rsn)
            {
                break; // no room
            }
            m_requests.push_back({number, end == 0});
            ++m_connections[number].open[end];
        }
        if (end == 0)
        {
            endpoint.Close(cid, m_bed.Now());
        }
    }

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        if (event.type == UlpEventType::ROOM)
        {
            return;
        }
        if (event.type == UlpEventType::ACCEPTED)
        {
            OnAccepted(node, event);
            return;
        }
        const auto known = m_ofEnd.find(End(node, event.cid));
        Check(known != m_ofEnd.end(), "an event of no connection");
        if (known == m_ofEnd.end())
        {
            return;
        }
        const uint32_t number = known->second;
        ReuseConnection& connection = m_connections[number];
        const uint32_t end = connection.nodes[0] == node ? 0 : 1;
        switch (event.type)
        {
        case UlpEventType::CONNECTED:
            Check(end == 0 && !connection.isConnected, "connected twice");
            connection.isConnected = true;
            break;
        case UlpEventType::COMPLETION:
            OnCompletion(number, end, event);
            break;
        case UlpEventType::REQUEST:
            OnRequest(number, end, node, event);
            break;
        case UlpEventType::CLOSED:
            Check(connection.open[end] == 0, "closed before its requests were complete");
            OnEnd(known, connection, end);
            break;
        case UlpEventType::FAILED:
            Check(m_breaks || event.status == TransportStatus::REFUSED,
                  "failed with " + std::to_string(static_cast<int>(event.status)));
            refused += event.status == TransportStatus::REFUSED;
            connection.isWeak = true;
            OnEnd(known, connection, end);
            break;
        default:
            break;
        }
    }

    /// Which connection that is, is what ACCEPT has said to whom.
    void OnAccepted(uint32_t node, const UlpEvent& event)
    {
        const auto accepting = m_accepting.find(End(node, event.cid));
        Check(accepting != m_accepting.end() && accepting->second != NOBODY,
              "accepted what nobody has opened");
        if (accepting == m_accepting.end() || accepting->second == NOBODY)
        {
            return;
        }
        const uint32_t number = accepting->second;
        m_accepting.erase(accepting);
        Check(m_connections[number].nodes[1] == node && !m_connections[number].isAccepted,
              "accepted twice, or by another");
        m_connections[number].isAccepted = true;
        Check(m_ofEnd.emplace(End(node, event.cid), number).second, "a CID twice");
        Issue(number, 1, event.cid);
    }

    void OnEnd(std::map<End, uint32_t>::iterator known, ReuseConnection& connection, uint32_t end)
    {
        Check(!connection.isOver[end], "over twice");
        connection.isOver[end] = true;
        const uint32_t node = known->first.first;
        m_ofEnd.erase(known);
        if (end == 0)
        {
            OpenLater(node);
        }
    }

    void OnCompletion(uint32_t number, uint32_t end, const UlpEvent& event)
    {
        ReuseRequest& request = m_requests[event.tag];
        Check(request.connection == number && request.isOfOpener == (end == 0),
              "a completion of another connection");
        Check(!request.isComplete, "completed twice");
        request.isComplete = true;
        --m_connections[number].open[end];
        Check(event.status != TransportStatus::OK || request.isPresented,
              "completed before it was accepted");
        Check(event.status == TransportStatus::OK || m_breaks ||
                  event.status == TransportStatus::REFUSED,
              "flushed");
    }

    void OnRequest(uint32_t number, uint32_t end, uint32_t node, const UlpEvent& event)
    {
        ReuseRequest& request = m_requests[event.tag];
        Check(request.connection == number && request.isOfOpener == (end == 1),
              "presented to another connection");
        Check(!request.isPresented, "presented twice");
        request.isPresented = true;
        const TimePs wait = Chance(0.5) ? 0 : Draw(0, 5'000'000);
        const bool isPull = event.operation == UlpOperation::PULL;
        m_bed.At(m_bed.Now() + wait, [this, node, isPull, cid = event.cid, rsn = event.rsn] {
            TransportEndpoint& endpoint = m_bed.Node(node);
            isPull ? endpoint.Respond(cid, rsn, m_bed.Now())
                   : endpoint.AckRequest(cid, rsn, UlpAnswer::OK, m_bed.Now());
        });
    }

    /// If RESET was lost, an end that has nothing to do does not know: it finds out as it closes.
    void CloseHalfOpen()
    {
        for (const auto& [end, number] : m_ofEnd)
        {
            m_bed.Node(end.first).Close(end.second, m_bed.Now());
        }
        Check(m_bed.Run(2 * LONG), "half open for ever");
    }

    void CheckEnd()
    {
        Check(m_left == 0, "not all opened");
        for (const ReuseConnection& connection : m_connections)
        {
            Check(connection.isOver[0], "not over");
            Check(connection.isOver[1] || !connection.isAccepted, "not over at its target");
            Check(connection.isWeak || (connection.isConnected && connection.isAccepted),
                  "never open");
            Check(connection.open[0] + connection.open[1] == 0, "not all complete");
        }
        for (uint32_t node = 0; node < NODES; ++node)
        {
            const TransportOccupancy o = m_bed.Node(node).Occupancy();
            Check(m_bed.Node(node).Connections() == 0, "a connection is left");
            Check(o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
                          o.sendPayload.used + o.receivePayload.used + o.granted.used ==
                      0,
                  "something is not given back at " + std::to_string(node));
            strangers += m_bed.Node(node).Counters().badCid;
        }
    }

    bool m_breaks;
    double m_late;     ///< Part of the packets of which a copy is late.
    uint32_t m_lateBy; ///< By how much at most, ps.
    TransportBed m_bed;
    uint32_t m_left{0}; ///< Connections that are still to be opened.
    std::vector<ReuseConnection> m_connections;
    std::vector<ReuseRequest> m_requests;
    std::map<End, uint32_t> m_ofEnd;     ///< Numbers of connections that an ULP knows.
    std::map<End, uint32_t> m_accepting; ///< Of those for which ACCEPT has gone.
    std::ostringstream m_wrong;
};

void
RunReuse(FunctionCase& test, uint64_t offset, bool breaks)
{
    const TestSeeds seeds(1500);
    std::array<uint64_t, 4> sums{};
    for (uint64_t seed = offset + seeds.first; seed < offset + seeds.end; ++seed)
    {
        ReuseRun run(seed, breaks);
        const std::string wrong = run.Run();
        sums[0] += run.lateCopies;
        sums[1] += run.refused;
        sums[2] += run.strangers;
        sums[3] += run.again;
        if (!wrong.empty())
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + wrong);
            return;
        }
    }
    const std::array what{"late copies", "refusals", "strangers", "places used again"};
    for (std::size_t i = 0; i < sums.size(); ++i)
    {
        test.Expect(!seeds.AreMany() || sums[i] > seeds.count / 4,
                    Text("there are ", sums[i], " ", what[i]));
    }
}

/// Connections one after the other, so that each has the place of the one before it.
class LivesOfAPlace
{
  public:
    LivesOfAPlace()
        : m_bed(2, TransportSettings(), ConnectionSettings(), NetworkFaults(), 1)
    {
        m_bed.onSend = [this](uint32_t from, const OutgoingPacket& out) {
            if (m_life == 0)
            {
                m_old.push_back({from, static_cast<uint32_t>(out.peer), out.packet});
            }
            return true;
        };
        m_bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
    }

    /**
     * A connection lives.
     *
     * @param number of the packet of the first one of which a copy comes meanwhile
     * @return its type, nothing if there is no such packet
     */
    std::optional<TransportPacketType> Live(std::size_t number)
    {
        m_told.clear();
        const ConnectionId cid = m_bed.Node(0).Connect(1, ConnectionSettings(), m_bed.Now());
        m_bed.Run(m_bed.Now() + 10'000'000);
        m_bed.Node(0).Push(cid, 9'000, m_bed.Now(), m_life);
        std::optional<TransportPacketType> type;
        if (number < m_old.size())
        {
            type = TransportPacketType{m_old[number].packet.type};
            m_bed.Inject(m_old[number].packet, m_old[number].from, m_old[number].to, 500'000);
        }
        m_bed.Run(m_bed.Now() + 20'000'000);
        m_bed.Node(0).Pull(cid, 9'000, m_bed.Now(), m_life);
        m_bed.Run(m_bed.Now() + 20'000'000);
        m_bed.Node(0).Close(cid, m_bed.Now());
        m_bed.Run(m_bed.Now() + 20'000'000);
        const std::string id = std::to_string(m_life++);
        m_isRight = m_told == " accepted has-" + id + " done has-" + id + " done closed closed" &&
                    m_bed.Node(0).Connections() + m_bed.Node(1).Connections() == 0;
        return type;
    }

    /// @return whether all was right in the last life
    bool IsRight() const
    {
        return m_isRight;
    }

    /// @return what was told in the last life
    const std::string& Told() const
    {
        return m_told;
    }

  private:
    /// A packet of the first life.
    struct OldPacket
    {
        uint32_t from;
        uint32_t to;
        TransportPacket packet;
    };

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        TransportEndpoint& endpoint = m_bed.Node(node);
        switch (event.type)
        {
        case UlpEventType::ACCEPTED:
            m_told += " accepted";
            break;
        case UlpEventType::REQUEST:
            m_told += " has-" + std::to_string(event.tag);
            event.operation == UlpOperation::PULL
                ? endpoint.Respond(event.cid, event.rsn, m_bed.Now())
                : endpoint.AckRequest(event.cid, event.rsn, UlpAnswer::OK, m_bed.Now());
            break;
        case UlpEventType::COMPLETION:
            m_told += event.status == TransportStatus::OK ? " done" : " undone";
            break;
        case UlpEventType::CLOSED:
            m_told += " closed";
            break;
        case UlpEventType::FAILED:
            m_told += " failed";
            break;
        default:
            break;
        }
    }

    TransportBed m_bed;
    uint64_t m_life{0}; ///< Number of the connection.
    std::vector<OldPacket> m_old;
    std::string m_told; ///< Of the connection that lives.
    bool m_isRight{true};
};

/// A copy of each packet of a connection comes while a later one at its place lives.
void
TestOldPackets(FunctionCase& test, uint32_t later)
{
    constexpr std::size_t NONE = SIZE_MAX;
    std::size_t packets = 0;
    for (;; ++packets)
    {
        LivesOfAPlace lives;
        for (uint32_t life = 0; life < later; ++life)
        {
            lives.Live(NONE);
            test.Expect(lives.IsRight(), "undisturbed: " + lives.Told());
        }
        const auto type = lives.Live(packets);
        if (!type)
        {
            break;
        }
        test.Expect(lives.IsRight(),
                    Text("a packet of type ", static_cast<uint32_t>(*type), ":", lives.Told()));
    }
    test.Expect(packets > 10, Text("packets: ", packets));
}

/// @return CIDs of connections that live one after the other before one of them comes again
uint32_t
LivesOfCids(uint32_t maxConnections, uint32_t most)
{
    TransportSettings settings;
    settings.maxConnections = maxConnections;
    TransportEndpoint endpoint(settings);
    std::set<ConnectionId> used;
    for (uint32_t lives = 0; lives < most; ++lives)
    {
        const ConnectionId cid = endpoint.Connect(1, ConnectionSettings(), 0);
        if (!used.insert(cid).second)
        {
            return lives;
        }
        endpoint.Reset(cid, 0);
        while (endpoint.NextEvent() || endpoint.NextPacket(0))
        {
        }
    }
    return most;
}

/// A CID comes again as late as the places allow.
void
TestCidsAgain(FunctionCase& test)
{
    test.ExpectEqual(LivesOfCids(65535, 100'000), 256U * 64, "of 64 places that rest");
    test.ExpectEqual(LivesOfCids(3, 100'000), 256U * 3, "of few places");
    TransportEndpoint endpoint{TransportSettings()};
    for (uint32_t i = 0; i < 100; ++i)
    {
        test.ExpectEqual(endpoint.Connect(1, ConnectionSettings(), 0), i + 1, "dense at first");
    }
}

/// The suite.
class ConnectionReuseSuite : public TestSuite
{
  public:
    ConnectionReuseSuite()
        : TestSuite("fabric-connection-reuse", kUnit)
    {
        AddTestCase(new FunctionCase("RT-17 late copies of connections whose places are used again",
                                     [](FunctionCase& test) { RunReuse(test, 0, false); }),
                    kQuick);
        AddTestCase(new FunctionCase("RT-18 the same where connections are reset",
                                     [](FunctionCase& test) { RunReuse(test, 100000, true); }),
                    kQuick);
        AddTestCase(new FunctionCase("RT-17 packets of the connection before it",
                                     [](FunctionCase& test) { TestOldPackets(test, 1); }),
                    kQuick);
        AddTestCase(new FunctionCase("RT-17 packets of a connection 256 lives before it",
                                     [](FunctionCase& test) { TestOldPackets(test, 256); }),
                    kQuick);
        AddTestCase(new FunctionCase("RT-1 CIDs come again late", TestCidsAgain), kQuick);
    }
};

ConnectionReuseSuite g_connectionReuseSuite; ///< Registers the suite.

} // namespace
