/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-draw.h"
#include "fabric-transport-endpoint.h"

#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// What runs have in common that must not be empty for the test to mean anything.
struct CamSums
{
    uint64_t waits{0};     ///< Askings that found no entry.
    uint64_t lost{0};      ///< Packets.
    uint64_t solicited{0}; ///< Pushes.
    uint64_t pulls{0};     ///< Requests.
    uint64_t metered{0};   ///< Connections that were told that they need credits.
    uint64_t sums{0};      ///< Times that tables were added up.
};

/**
 * Two ends with small CAMs, many connections between them, and requests of all kinds both ways on
 * each. Pulls may take more packets than a window has: an end whose window is held up by what the
 * other one has no room for could never answer them.
 */
class CamRun : private TransportDraw
{
  public:
    explicit CamRun(uint64_t seed)
        : TransportDraw(seed),
          m_settings(DrawSettings()),
          m_bed(2, m_settings, DrawConnection(), DrawFaults(), seed + 1)
    {
        m_bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
        m_bed.onSend = [this](uint32_t, const OutgoingPacket& out) {
            m_sums.metered += out.packet.nack == NackCode::CREDIT_HEARD;
            return true;
        };
    }

    /// @param sums are added to @return what went wrong, empty if nothing did
    std::string Run(CamSums& sums)
    {
        const uint32_t connections = Draw(1, 12);
        m_most = 60 / connections;
        for (uint32_t i = 0; i < connections; ++i)
        {
            const uint32_t node = Draw(0, 1);
            const ConnectionSettings settings = DrawConnection();
            End& end = m_ends[node][m_bed.Node(node).Connect(1 - node, settings, 0)];
            end.left = Draw(0, m_most);
        }
        for (uint32_t node = 0; node < 2; ++node)
        {
            IssueAll(node);
        }
        Check(m_bed.Run(LONG), "two ends wait for each other");
        CheckEnd();
        sums.lost += m_bed.lost;
        sums.waits += m_sums.waits;
        sums.sums += m_sums.sums;
        sums.solicited += m_sums.solicited;
        sums.pulls += m_sums.pulls;
        sums.metered += m_sums.metered;
        return m_wrong.str();
    }

  private:
    static constexpr TimePs LONG = 100'000'000'000'000; // 100 s

    /// An end of a connection.
    struct End
    {
        uint32_t left{0};                       ///< Requests to make.
        uint32_t made{0};                       ///< Requests made.
        uint32_t completions{0};                ///< Of these.
        std::map<uint32_t, UlpOperation> asked; ///< The peer's requests that were presented.
        std::map<uint32_t, bool> presented;     ///< By RSN: whether it was put off.
    };

    TransportSettings DrawSettings()
    {
        TransportSettings s;
        s.retryLimit = 255;
        s.notReadyLimit = 255;
        s.minRto = 50'000'000;
        s.maxRto = 200'000'000;
        s.ackPackets = Draw(1, 12);
        s.targetEntries = Draw(1, Chance(0.7) ? 4 : 20);
        s.targetQuota = Chance(0.3) ? Draw(1, 4) : 0;
        s.targetRedZone = Chance(0.3) ? Draw(0, s.targetEntries) : 0;
        s.packetEntries = Chance(0.2) ? Draw(1, 5) : 1000;
        s.receivePayloadBytes = Chance(0.3) ? 16 * 1024 : 1 << 20;
        s.grantLimitBytes = s.grantQuantumBytes = 16 * 1024;
        s.lookupTime = Chance(0.2) ? Draw(1, 300'000) : 0;
        s.lookupLatency = Chance(0.2) ? Draw(1, 2'000'000) : 0;
        s.isStrict = Chance(0.5);
        return s;
    }

    ConnectionSettings DrawConnection()
    {
        ConnectionSettings c;
        DrawWindows(c);
        c.isOrdered = Chance(0.6);
        c.mtu = Draw(64, 256);
        return c;
    }

    NetworkFaults DrawFaults()
    {
        NetworkFaults f;
        f.loss = Chance(0.5) ? 0.2 * Unit() : 0;
        f.duplicate = Chance(0.3) ? 0.2 * Unit() : 0;
        f.delay = Draw(100'000, 3'000'000);
        f.jitter = Chance(0.5) ? Draw(0, 20'000'000) : 0;
        return f;
    }

    void Check(bool ok, const std::string& what)
    {
        if (!ok && m_wrong.str().size() < 200)
        {
            m_wrong << what << "; ";
        }
    }

    void IssueAll(uint32_t node)
    {
        for (auto& [cid, end] : m_ends[node])
        {
            Issue(node, cid, end);
        }
    }

    void Issue(uint32_t node, ConnectionId cid, End& end)
    {
        TransportEndpoint& endpoint = m_bed.Node(node);
        while (end.left > 0)
        {
            const bool isPull = Chance(0.4);
            const uint32_t bytes = Chance(0.2) ? Draw(0, 20'000) : Draw(0, 1000);
            if (!(isPull ? endpoint.Pull(cid, bytes, m_bed.Now())
                         : endpoint.Push(cid, bytes, m_bed.Now())))
            {
                return; // ROOM follows
            }
            m_sums.pulls += isPull;
            --end.left;
            ++end.made;
        }
    }

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        if (event.type != UlpEventType::FAILED)
        {
            CheckTables(node);
        }
        switch (event.type)
        {
        case UlpEventType::ROOM:
            IssueAll(node);
            return;
        case UlpEventType::ACCEPTED:
            m_ends[node][event.cid].left = Draw(0, m_most);
            Issue(node, event.cid, m_ends[node][event.cid]);
            return;
        case UlpEventType::COMPLETION:
            ++m_ends[node][event.cid].completions;
            m_sums.solicited += event.isSolicited;
            Check(event.status == TransportStatus::OK, "completed in error");
            return;
        case UlpEventType::REQUEST:
            OnRequest(node, event);
            return;
        case UlpEventType::FAILED:
            Check(false,
                  "a connection has failed with " + std::to_string(static_cast<int>(event.status)) +
                      " at " + std::to_string(m_bed.Now()));
            return;
        default:
            return;
        }
    }

    void OnRequest(uint32_t node, const UlpEvent& event)
    {
        End& end = m_ends[node][event.cid];
        const auto [known, isNew] = end.presented.emplace(event.rsn, false);
        Check(isNew || known->second, "presented twice");
        known->second = Chance(0.03);
        const bool isPostponed = known->second;
        const auto answer = [this, node, event, isPostponed] {
            TransportEndpoint& endpoint = m_bed.Node(node);
            if (isPostponed)
            {
                endpoint.AckRequest(event.cid,
                                    event.rsn,
                                    UlpAnswer::NOT_READY,
                                    m_bed.Now(),
                                    3'000'000);
            }
            else if (event.operation == UlpOperation::PULL)
            {
                endpoint.Respond(event.cid, event.rsn, m_bed.Now());
            }
            else
            {
                endpoint.AckRequest(event.cid, event.rsn, UlpAnswer::OK, m_bed.Now());
            }
        };
        Chance(0.3) ? answer() : m_bed.At(m_bed.Now() + Draw(1, 10'000'000), answer);
    }

    /// At any time: the sum over the connections is what the table says, within its limits.
    void CheckTables(uint32_t node)
    {
        const TransportEndpoint& endpoint = m_bed.Node(node);
        const TransportOccupancy o = endpoint.Occupancy();
        uint64_t requests = 0;
        uint64_t kept = 0;
        for (const auto& [cid, end] : m_ends[node])
        {
            const std::optional<ConnectionView> view = endpoint.View(cid);
            Check(view.has_value(), "a connection is gone");
            requests += view->peerRequests;
            kept += view->peerEntries;
            Check(view->peerRequests <= view->peerEntries, "more requests than entries");
            Check(m_settings.targetQuota == 0 || view->peerEntries <= m_settings.targetQuota,
                  "more than the quota");
        }
        // One that has just been accepted is not known here yet.
        if (m_ends[node].size() == endpoint.Connections())
        {
            Check(o.targetEntries.used == requests, "occupants are not counted");
            Check(o.targetKept == kept, "entries are not kept");
            ++m_sums.sums;
        }
        Check(o.targetKept <= m_settings.targetEntries, "more is kept than there is");
        Check(o.targetEntries.peak <= m_settings.targetEntries, "reorder CAM overrun");
    }

    void CheckEnd()
    {
        std::array<uint64_t, 2> made{};
        std::array<uint64_t, 2> presented{};
        for (uint32_t node = 0; node < 2; ++node)
        {
            for (const auto& [cid, end] : m_ends[node])
            {
                Check(end.left == 0 && end.made == end.completions, "not all complete");
                made[node] += end.made;
                presented[1 - node] += end.presented.size();
            }
            const TransportOccupancy o = m_bed.Node(node).Occupancy();
            Check(o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
                          o.sendPayload.used + o.receivePayload.used + o.granted.used ==
                      0,
                  "something is not given back");
            const TransportCounters& counters = m_bed.Node(node).Counters();
            Check(counters.malformed == 0, "malformed");
            m_sums.waits += counters.creditWaits;
        }
        Check(made == presented, "not all presented");
        m_bed.onEvent = [](uint32_t, const UlpEvent&) {};
        for (uint32_t node = 0; node < 2; ++node)
        {
            for (const auto& [cid, end] : m_ends[node])
            {
                m_bed.Node(node).Reset(cid, m_bed.Now());
            }
        }
        m_bed.Run(2 * LONG);
        Check(m_bed.Node(0).Occupancy().targetKept + m_bed.Node(1).Occupancy().targetKept == 0 ||
                  m_bed.Node(0).Connections() + m_bed.Node(1).Connections() > 0,
              "entries are kept for nobody");
    }

    CamSums m_sums; ///< Of this run.
    TransportSettings m_settings;
    TransportBed m_bed;
    std::array<std::map<ConnectionId, End>, 2> m_ends;
    uint32_t m_most{0}; ///< Requests of an end of a connection.
    std::ostringstream m_wrong;
};

/// RT-11: many seeds.
void
TwoFullEnds(FunctionCase& test)
{
    const TestSeeds seeds(1500);
    CamSums sums;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        CamRun run(seed);
        const std::string wrong = run.Run(sums);
        if (!wrong.empty())
        {
            test.Expect(false, "seed " + std::to_string(seed) + ": " + wrong);
            return;
        }
    }
    for (const uint64_t sum : {sums.waits, sums.lost, sums.solicited, sums.pulls, sums.sums})
    {
        test.Expect(sum > seeds.count, "something of all: " + std::to_string(sum));
    }
    test.Expect(sums.metered > seeds.count / 50, "some are told: " + std::to_string(sums.metered));
}

} // namespace

/// The suite.
class CamPropertySuite : public FunctionSuite
{
  public:
    CamPropertySuite()
        : FunctionSuite("fabric-cam-property", kUnit)
    {
        Add("RT-11 two ends with full tables never wait for each other", TwoFullEnds);
    }
};

static CamPropertySuite g_camPropertySuite; ///< Registers the suite.

} // namespace ns3::fabric
