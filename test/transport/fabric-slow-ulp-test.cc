/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"
#include "fabric-transport-bed.h"
#include "fabric-transport-draw.h"
#include "fabric-transport-endpoint.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// A request, and what the target ULP does with it.
struct ScriptedRequest
{
    UlpOperation operation{UlpOperation::PUSH};
    uint32_t bytes{100};
    uint32_t notReady{0};            ///< So often it is not ready.
    UlpAnswer answer{UlpAnswer::OK}; ///< Its last word.
    TimePs takes{0};                 ///< Until that, and between two presentations, ps.
};

/// An initiator whose requests are scripted, a target ULP that is slow, and packets that are lost.
class SlowUlpRun
{
  public:
    /// @return whether a packet is lost @param packet of both ends, counted from the first request
    using Loses = std::function<bool(uint32_t index, const TransportPacket& packet)>;

    SlowUlpRun(std::vector<ScriptedRequest> requests,
               const TransportSettings& settings,
               bool isOrdered,
               Loses loses,
               const NetworkFaults& faults = NetworkFaults(),
               uint64_t seed = 1)
        : m_requests(std::move(requests)),
          m_loses(std::move(loses)),
          m_isOrdered(isOrdered),
          m_states(m_requests.size()),
          m_bed(2, settings, ConnectionSettings(), faults, seed)
    {
        m_bed.onSend = [this](uint32_t, const OutgoingPacket& out) {
            return m_start == NEVER || !m_loses(packets++, out.packet);
        };
        m_bed.onEvent = [this](uint32_t node, const UlpEvent& event) { OnEvent(node, event); };
    }

    /// @return what went wrong, empty if nothing did
    std::string Run()
    {
        ConnectionSettings settings;
        settings.isOrdered = m_isOrdered;
        const ConnectionId cid = m_bed.Node(0).Connect(1, settings, 0);
        if (!losesSetUp)
        {
            m_bed.Run(2000 * US);
        }
        m_start = m_bed.Now();
        for (const ScriptedRequest& request : m_requests)
        {
            request.operation == UlpOperation::PULL
                ? m_bed.Node(0).Pull(cid, request.bytes, m_start)
                : m_bed.Node(0).Push(cid, request.bytes, m_start);
        }
        m_bed.Node(0).Close(cid, m_start);
        Check(m_bed.Run(TimePs{3'600'000'000} * US), "it does not come to an end");
        CheckEnd();
        return m_wrong;
    }

    bool losesSetUp{false}; ///< Requests are made at once, and packets of set-up may be lost, too.
    TimePs end{0};          ///< From the first request to the last completion, ps.
    uint32_t packets{0};    ///< Sent since then.

  private:
    /// What has become of a request.
    struct State
    {
        uint32_t presented{0};
        uint32_t completed{0};
    };

    void Check(bool ok, const std::string& what)
    {
        m_wrong += ok || m_wrong.size() > 300 ? "" : what + "; ";
    }

    void OnEvent(uint32_t node, const UlpEvent& event)
    {
        switch (event.type)
        {
        case UlpEventType::REQUEST:
            Check(node == 1, "a request at the wrong end");
            OnRequest(event);
            break;
        case UlpEventType::COMPLETION:
            OnCompletion(event);
            break;
        case UlpEventType::FAILED:
            Check(false, "failed with " + std::to_string(static_cast<int>(event.status)));
            break;
        default:
            break;
        }
    }

    void OnRequest(const UlpEvent& event)
    {
        const ScriptedRequest& request = m_requests.at(event.rsn);
        State& state = m_states[event.rsn];
        const uint32_t before = state.presented++;
        Check(before > 0 || !m_isOrdered || event.rsn == m_nextPresented++,
              "presented out of order");
        Check(before <= request.notReady, "presented after it was accepted");
        if (before < request.notReady)
        {
            m_bed.Node(1).AckRequest(event.cid,
                                     event.rsn,
                                     UlpAnswer::NOT_READY,
                                     m_bed.Now(),
                                     request.takes);
            return;
        }
        m_bed.At(m_bed.Now() + request.takes, [this, event] { Answer(event); });
    }

    void Answer(const UlpEvent& event)
    {
        const ScriptedRequest& request = m_requests[event.rsn];
        TransportEndpoint& target = m_bed.Node(1);
        const bool isTaken =
            request.operation == UlpOperation::PULL && request.answer == UlpAnswer::OK
                ? target.Respond(event.cid, event.rsn, m_bed.Now())
                : target.AckRequest(event.cid, event.rsn, request.answer, m_bed.Now());
        Check(isTaken, "an answer was not taken");
    }

    void OnCompletion(const UlpEvent& event)
    {
        const ScriptedRequest& request = m_requests.at(event.rsn);
        State& state = m_states[event.rsn];
        Check(state.completed++ == 0, "completed twice");
        Check(!m_isOrdered || event.rsn == m_nextCompleted++, "completed out of order");
        Check(state.presented == request.notReady + 1, "completed before it was accepted");
        const TransportStatus status =
            request.answer == UlpAnswer::OK ? TransportStatus::OK : TransportStatus::REMOTE_ERROR;
        Check(event.status == status,
              "completed with status " + std::to_string(static_cast<int>(event.status)));
        end = m_bed.Now() - m_start;
    }

    void CheckEnd()
    {
        for (const State& state : m_states)
        {
            Check(state.completed == 1, "incomplete");
        }
        for (uint32_t node = 0; node < 2; ++node)
        {
            const TransportOccupancy o = m_bed.Node(node).Occupancy();
            Check(o.initiatorEntries.used + o.targetEntries.used + o.packetEntries.used +
                          o.sendPayload.used + o.receivePayload.used + o.granted.used ==
                      0,
                  "something is not given back");
            Check(m_bed.Node(node).Connections() == 0, "a connection is left");
            Check(m_bed.Node(node).Counters().malformed == 0, "malformed");
        }
    }

    std::vector<ScriptedRequest> m_requests;
    Loses m_loses;
    bool m_isOrdered;
    std::vector<State> m_states;
    uint32_t m_nextPresented{0};
    uint32_t m_nextCompleted{0};
    TimePs m_start{NEVER};
    std::string m_wrong;
    TransportBed m_bed;
};

/// Runs a script without each packet and each two packets of those that are sent without losses,
/// and some more. @param latest completion, ps
void
LoseEachTwo(FunctionCase& test,
            const std::string& name,
            const std::vector<ScriptedRequest>& script,
            const TransportSettings& settings,
            TimePs latest)
{
    for (const bool isOrdered : {true, false})
    {
        const auto run = [&](std::set<uint32_t> lost) {
            SlowUlpRun slow(
                script,
                settings,
                isOrdered,
                [&lost](uint32_t i, const TransportPacket&) { return lost.count(i) > 0; });
            const std::string wrong = slow.Run();
            std::string what = name + (isOrdered ? ", ordered" : ", unordered") + ", without";
            for (const uint32_t i : lost)
            {
                what += " " + std::to_string(i);
            }
            test.Expect(wrong.empty(), what + ": " + wrong);
            test.Expect(slow.end <= latest, what + ": " + std::to_string(slow.end) + " ps");
            return slow.packets;
        };
        const uint32_t count = std::min(run({}) + 10, 36U);
        for (uint32_t i = 0; i < count; ++i)
        {
            for (uint32_t j = i; j < count; ++j)
            {
                run({i, j});
            }
        }
    }
}

/// Errors are told long before a time-out, whatever two packets are lost: after 41 us, the wait for
/// an answer before there was any, and 82 us more.
void
LostErrors(FunctionCase& test)
{
    using Script = std::vector<ScriptedRequest>;
    constexpr auto PUSH = UlpOperation::PUSH;
    constexpr auto PULL = UlpOperation::PULL;
    constexpr auto OK = UlpAnswer::OK;
    constexpr auto ERROR = UlpAnswer::ERROR;
    TransportSettings settings;
    settings.minRto = 10'000'000 * US; // never, that is
    settings.maxRto = settings.minRto;
    const Script atOnce{{PUSH, 100, 0, ERROR, 0}};
    LoseEachTwo(test, "at once", atOnce, settings, 180 * US);
    const Script later{{PUSH, 100, 3, ERROR, 10 * US}, {PUSH, 5000, 0, OK, 1 * US}};
    LoseEachTwo(test, "later", later, settings, 240 * US);
    const Script mix{{PUSH, 5000, 2, OK, 10 * US},
                     {PUSH, 100, 0, ERROR, 5 * US},
                     {PULL, 9000, 1, OK, 5 * US},
                     {PULL, 100, 0, ERROR, 0},
                     {PUSH, 20000, 1, ERROR, 5 * US}};
    LoseEachTwo(test, "mix", mix, settings, 400 * US);
    const Script slow{{PUSH, 100, 0, ERROR, 1000 * US}};
    // The ACK behind it is as that of any ULP that is slower than time-outs: one of them finds it.
    LoseEachTwo(test, "slow", slow, TransportSettings(), 1700 * US);
}

/// A peer that is gone when it should hear of an error does not keep the simulation going.
void
GoneBeforeError(FunctionCase& test)
{
    bool isGone = false;
    SlowUlpRun run({{UlpOperation::PUSH, 100, 0, UlpAnswer::ERROR, 5 * US}},
                   TransportSettings(),
                   true,
                   [&isGone](uint32_t, const TransportPacket& packet) {
                       isGone = isGone || packet.nack == NackCode::IN_ERROR;
                       return isGone;
                   });
    const std::string wrong = run.Run();
    test.Expect(wrong.find("failed with") != std::string::npos, wrong + ": its sender fails");
    test.Expect(wrong.find("come to an end") == std::string::npos, wrong);
}

/// A ULP that takes longer than time-outs is not taken for a peer that is gone.
void
FewRetries(FunctionCase& test)
{
    const std::vector<ScriptedRequest> slow{{UlpOperation::PUSH, 100, 0, UlpAnswer::OK, 3000 * US},
                                            {UlpOperation::PUSH, 100, 2, UlpAnswer::OK, 1000 * US}};
    TransportSettings settings;
    settings.retryLimit = 0;
    SlowUlpRun none(slow, settings, true, [](uint32_t, const TransportPacket&) { return false; });
    test.ExpectSame(none.Run(), "", "nothing is lost, no retries");
    settings.retryLimit = 1;
    uint32_t acks = 0;
    SlowUlpRun duplicates(slow, settings, true, [&acks](uint32_t, const TransportPacket& packet) {
        return packet.type == TransportPacketType::ACK && !packet.isProbe && acks++ < 30;
    });
    test.ExpectSame(duplicates.Run(),
                    "",
                    "that packets have come twice says that the peer is there");
    LoseEachTwo(test, "one retry", slow, settings, 20'000 * US);
}

/// What is lost, by type, and how slow the ULP is, at random.
class RandomSlowUlp : private TransportDraw
{
  public:
    explicit RandomSlowUlp(uint64_t seed)
        : TransportDraw(seed)
    {
        for (double& loss : m_loss)
        {
            loss = Chance(0.5) ? 0.5 * Unit() : 0;
        }
        m_faults.jitter = Chance(0.5) ? Draw(0, 20'000'000) : 0;
        m_faults.duplicate = Chance(0.3) ? 0.2 : 0;
        m_settings.retryLimit = 255;
        m_settings.notReadyLimit = 255;
        m_settings.minRto = Draw(20, 500) * US;
        m_settings.sendsProbes = Chance(0.7);
        m_settings.ackDelay = Draw(0, 5'000'000);
        m_settings.ackPackets = Draw(1, 8);
        m_isOrdered = Chance(0.5);
    }

    /// @return what went wrong, empty if nothing did
    std::string Run()
    {
        std::vector<ScriptedRequest> script(Draw(1, 12));
        for (ScriptedRequest& request : script)
        {
            request.operation = Chance(0.7) ? UlpOperation::PUSH : UlpOperation::PULL;
            request.bytes = Chance(0.3) ? Draw(0, 40000) : Draw(0, 3000);
            request.notReady = Chance(0.3) ? Draw(1, 5) : 0;
            request.answer = Chance(0.4) ? UlpAnswer::ERROR : UlpAnswer::OK;
            request.takes = static_cast<TimePs>(Draw(0, 1'000'000'000)) >> Draw(0, 20);
        }
        SlowUlpRun run(
            script,
            m_settings,
            m_isOrdered,
            [this](uint32_t, const TransportPacket& packet) { return Loses(packet); },
            m_faults,
            m_random());
        run.losesSetUp = Chance(0.5);
        return run.Run();
    }

    /// Packets lost: NACKs by code, others by type behind them.
    std::array<uint64_t, NACK_CODES + TRANSPORT_PACKET_TYPES> lost{};

  private:
    bool Loses(const TransportPacket& packet)
    {
        const uint32_t kind = packet.type == TransportPacketType::NACK
                                  ? static_cast<uint32_t>(packet.nack)
                                  : NACK_CODES + static_cast<uint32_t>(packet.type);
        const bool isLost = Chance(m_loss[kind]);
        lost[kind] += isLost;
        return isLost;
    }

    std::array<double, NACK_CODES + TRANSPORT_PACKET_TYPES> m_loss{}; ///< As `lost`.
    NetworkFaults m_faults;
    TransportSettings m_settings;
    bool m_isOrdered{true};
};

void
RandomLosses(FunctionCase& test)
{
    const TestSeeds seeds(2000);
    std::array<uint64_t, NACK_CODES + TRANSPORT_PACKET_TYPES> lost{};
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        RandomSlowUlp run(seed);
        const std::string wrong = run.Run();
        test.Expect(wrong.empty(), Text("seed ", seed, ": ", wrong));
        for (uint32_t i = 0; i < lost.size(); ++i)
        {
            lost[i] += run.lost[i];
        }
    }
    for (const NackCode code : {NackCode::NOT_READY, NackCode::IN_ERROR, NackCode::ERROR_HEARD})
    {
        test.Expect(!seeds.AreMany() || lost[static_cast<uint32_t>(code)] > 0,
                    Text("NACK ", static_cast<int>(code), " is lost"));
    }
    for (uint32_t type = 0; type <= static_cast<uint32_t>(TransportPacketType::ACK); ++type)
    {
        test.Expect(!seeds.AreMany() || lost[NACK_CODES + type] > 0,
                    Text("type ", type, " is lost"));
    }
}

/// Target ULPs that are slow, not ready or in error, while packets are lost.
class SlowUlpSuite : public FunctionSuite
{
  public:
    SlowUlpSuite()
        : FunctionSuite("fabric-slow-ulp", kUnit)
    {
        Add("RT-18 errors are told though any two packets are lost", LostErrors);
        Add("RT-18 a peer that is gone is not told for ever", GoneBeforeError);
        Add("RT-18 a slow ULP is not taken for a silent peer", FewRetries);
        Add("RT-17 exactly once with slow ULPs and losses of every type", RandomLosses);
    }
};

SlowUlpSuite g_slowUlpSuite; ///< Registers the suite.

} // namespace
