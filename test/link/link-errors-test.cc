/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-link-errors.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "fabric-time-units.h"

#include "ns3/test.h"

#include <cmath>
#include <deque>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

const LinkRate RATE(200'000'000'000); ///< 40 ps a byte.

/// Damages what a list says, then nothing.
class Listed : public LossModel
{
  public:
    Listed(std::initializer_list<bool> damages)
        : m_damages(damages)
    {
    }

    bool Corrupts(uint32_t bytes) override
    {
        m_asked.push_back(bytes);
        const bool damages = !m_damages.empty() && m_damages.front();
        if (!m_damages.empty())
        {
            m_damages.pop_front();
        }
        return damages;
    }

    /// @return sizes of the frames that it was asked for, which are forgotten
    std::string TakeAsked()
    {
        std::string text;
        for (const uint32_t bytes : m_asked)
        {
            text += " " + std::to_string(bytes);
        }
        m_asked.clear();
        return text;
    }

  private:
    std::deque<bool> m_damages;
    std::deque<uint32_t> m_asked;
};

/// A part of all frames, at random.
class Part : public LossModel
{
  public:
    Part(double part, uint64_t seed)
        : m_random(seed),
          m_part(part)
    {
    }

    bool Corrupts(uint32_t) override
    {
        return m_part(m_random);
    }

  private:
    std::mt19937_64 m_random;
    std::bernoulli_distribution m_part;
};

/// @return the settings of a link with retry
RetrySettings
Repeating(TimePs latency)
{
    RetrySettings settings;
    settings.enabled = true;
    settings.latency = latency;
    return settings;
}

/// What is tried, when, and what comes of it, for a frame of 1000 bytes: 40 ns.
void
TestOneFrame(FunctionCase& test)
{
    //           frame, request; frame, request; frame
    Listed loss{true, false, true, true, false};
    LinkErrors link(&loss, Repeating(70 * NS), RATE, 15 * NS);
    TimePs freeAt = 0;
    test.Expect(link.Try(1000, 500 * NS, freeAt) == Attempt::LATER, "damaged");
    test.ExpectEqual(freeAt, 640 * NS, "its own 40 ns, twice the delay, the latency");
    test.Expect(link.Try(1000, freeAt, freeAt) == Attempt::LATER, "damaged again");
    test.ExpectEqual(freeAt, 880 * NS, "the request is lost: 40 ns and twice 100 ns");
    test.ExpectEqual(loss.TakeAsked(), std::string(" 1000 8 1000 8"), "what may be damaged");
    test.Expect(link.Try(1000, freeAt, freeAt) == Attempt::CLEAN, "it comes through");
    test.ExpectEqual(freeAt, 880 * NS, "who sends it says when the wire is free");
    test.ExpectEqual(link.Counts().repeats, 2, "repeats");
    test.ExpectEqual(link.Counts().repeatedBytes, 2000, "bytes");
    test.ExpectEqual(link.Counts().timeouts, 1, "time-outs");
    test.ExpectEqual(link.Counts().givenUp, 0, "nothing given up");
}

/// A frame is given up after so many repeats, and the next one has as many again.
void
TestLimit(FunctionCase& test)
{
    Part all(1, 1);
    RetrySettings settings = Repeating(1);
    settings.limit = 3;
    LinkErrors link(&all, settings, RATE, 1);
    TimePs freeAt = 0;
    for (int frame = 0; frame < 2; ++frame)
    {
        for (int i = 0; i < 3; ++i)
        {
            test.Expect(link.Try(100, freeAt, freeAt) == Attempt::LATER, "a repeat");
        }
        test.Expect(link.Try(100, freeAt, freeAt) == Attempt::DAMAGED, "one too many");
    }
    test.ExpectEqual(link.Counts().givenUp, 2, "given up");

    link.Try(100, freeAt, freeAt);
    link.Forget();
    for (int i = 0; i < 3; ++i)
    {
        test.Expect(link.Try(100, freeAt, freeAt) == Attempt::LATER, "counted anew after Forget()");
    }

    LinkErrors without(&all);
    test.Expect(without.Try(100, 0, freeAt) == Attempt::DAMAGED, "no retry, no repeat");
    test.ExpectEqual(without.Counts().givenUp, 0, "nobody has tried");
}

/// @return bytes per ps of equal frames that are sent as fast as a link takes them
double
ThroughputOf(LinkErrors& link, uint32_t bytes, uint32_t frames)
{
    TimePs now = 0;
    for (uint32_t sent = 0; sent < frames;)
    {
        TimePs freeAt = now;
        if (link.Try(bytes, now, freeAt) == Attempt::LATER)
        {
            now = freeAt;
            continue;
        }
        ++sent;
        now += RATE.TxTime(bytes);
    }
    return static_cast<double>(bytes) * frames / static_cast<double>(now);
}

/**
 * With room for n frames there are n in every time in which one is sent and confirmed, unless the
 * wire is full before.
 */
void
TestReplayBuffer(FunctionCase& test)
{
    constexpr uint32_t BYTES = 2000; // 80 ns
    for (const TimePs roundTrip : {1 * NS, 100 * NS, 790 * NS, 5000 * NS})
    {
        for (const uint32_t room : {10'000U, 13'999U, 14'000U, 40'000U, 1'000'000U, 0U})
        {
            RetrySettings settings = Repeating(roundTrip - 2);
            settings.bufferBytes = room;
            LinkErrors link(nullptr, settings, RATE, 1);
            const double full = static_cast<double>(BYTES) / RATE.TxTime(BYTES);
            const double byRoom = room == 0
                                      ? full
                                      : static_cast<double>(room / BYTES) * BYTES /
                                            static_cast<double>(RATE.TxTime(BYTES) + roundTrip);
            const double ratio = ThroughputOf(link, BYTES, 10'000) / std::min(full, byRoom);
            test.Expect(std::abs(ratio - 1) < 0.01,
                        "round trip " + std::to_string(roundTrip) + " ps, room " +
                            std::to_string(room) + ": " + std::to_string(ratio));
        }
    }
}

/// A frame that is damaged with p takes p / (1 - p) attempts more, each of its own time and of the
/// round trip, or of the time-out with p.
void
TestGoodput(FunctionCase& test)
{
    constexpr uint32_t BYTES = 4120;
    const TestSeeds seeds(10);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const double p : {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5})
        {
            RetrySettings settings = Repeating(200 * NS);
            settings.timeout = 2 * US;
            settings.limit = 65535;
            Part part(p, seed);
            LinkErrors link(&part, settings, RATE, 30 * NS);
            const auto own = static_cast<double>(RATE.TxTime(BYTES));
            const double lost = own + (1 - p) * 260e3 + p * 2e6;
            constexpr uint32_t FRAMES = 50'000;
            const double mean = own + p / (1 - p) * lost;
            const double actual = BYTES / ThroughputOf(link, BYTES, FRAMES);
            // Six times the deviation of such a mean: attempts are geometric, each up to a
            // time-out.
            const double deviation = std::sqrt(p / (1 - p) / (1 - p) / FRAMES) * (own + 2e6);
            test.Expect(std::abs(actual - mean) < 6 * deviation + 1e-3,
                        "p " + std::to_string(p) + ": " + std::to_string(actual) +
                            " ps a frame, expected are " + std::to_string(mean) + " +- " +
                            std::to_string(deviation));
        }
    }
}

/// Units of a frame of 300 bytes: which are repeated, and how long that takes the wire.
void
TestUnits(FunctionCase& test)
{
    RetrySettings settings = Repeating(70 * NS);
    settings.unitBytes = 100; // 4 ns
    std::vector<UnitRepeat> repeats;
    TimePs freeAt = 0;
    //           unit 0, request; unit 0; unit 1, request, unit 1, request, unit 1; unit 2
    Listed loss{true, false, false, true, false, true, true, false, false};
    LinkErrors link(&loss, settings, RATE, 15 * NS);
    test.Expect(link.TryInUnits(300, 500 * NS, freeAt, repeats) == Attempt::LATER, "unit 0");
    test.ExpectEqual(freeAt, 604 * NS, "its own 4 ns, twice the delay, the latency");
    test.Expect(link.TryInUnits(300, freeAt, freeAt, repeats) == Attempt::CLEAN, "it goes");
    test.ExpectEqual(loss.TakeAsked(), std::string(" 100 8 100 100 8 100 8 100 100"), "asked");
    test.Expect(repeats.size() == 1 && repeats[0].byte == 100, "unit 1");
    test.ExpectEqual(repeats[0].taken, 308 * NS, "104 ns, and 204 ns with the time-out");
    test.ExpectEqual(link.Counts().repeatedBytes, 300, "bytes");

    settings.limit = 2;
    Listed often{false, true, false, true, false, true};
    LinkErrors patient(&often, settings, RATE, 15 * NS);
    repeats.clear();
    test.Expect(patient.TryInUnits(300, 0, freeAt, repeats) == Attempt::DAMAGED, "given up");
    test.ExpectEqual(patient.Counts().givenUp, 1, "unit 1");
}

/// A frame of n units of which each is damaged with p takes n p / (1 - p) times more the time of a
/// unit and of the round trip, or of the time-out with p.
void
TestUnitsTime(FunctionCase& test)
{
    constexpr uint32_t BYTES = 4120; // 32 units and a short one
    const TestSeeds seeds(5);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const double p : {1e-4, 1e-3, 1e-2, 0.1, 0.5})
        {
            RetrySettings settings = Repeating(200 * NS);
            settings.timeout = 2 * US;
            settings.limit = 65535;
            Part part(p, seed);
            LinkErrors link(&part, settings, RATE, 30 * NS);
            constexpr uint32_t FRAMES = 5'000;
            TimePs taken = 0;
            std::vector<UnitRepeat> repeats;
            for (uint32_t sent = 0; sent < FRAMES;)
            {
                TimePs freeAt = 0;
                sent += link.TryInUnits(BYTES, 0, freeAt, repeats) == Attempt::CLEAN ? 1 : 0;
                taken += freeAt;
            }
            for (const UnitRepeat& repeat : repeats)
            {
                taken += repeat.taken;
            }
            const auto own = static_cast<double>(RATE.TxTime(BYTES));
            const double waits = (1 - p) * 260e3 + p * 2e6;
            const double units = 33.0;
            const double mean = p / (1 - p) * (own + units * waits);
            const double actual = static_cast<double>(taken) / FRAMES;
            const double deviation =
                std::sqrt(p / (1 - p) / (1 - p) * units / FRAMES) * (own / units + 2e6);
            test.Expect(std::abs(actual - mean) < 6 * deviation,
                        "p " + std::to_string(p) + ": " + std::to_string(actual) +
                            " ps a frame, expected are " + std::to_string(mean) + " +- " +
                            std::to_string(deviation));
        }
    }
}

/// Settings that make no sense for a link.
void
TestRefusals(FunctionCase& test)
{
    RetrySettings settings = Repeating(200 * NS);
    settings.timeout = 259'999;
    const auto make = [&settings] { LinkErrors(nullptr, settings, RATE, 30 * NS); };
    const auto isRefusedFor = [&](const std::string& text) {
        test.Expect(Refusal(make).find(text) != std::string::npos, Refusal(make));
    };
    isRefusedFor("RetryTimeout is 259999 ps");
    settings.timeout = 260'000;
    make();
    settings.bufferBytes = WireBytes(JUMBO_PAYLOAD) - 1;
    isRefusedFor("RetryBuffer is 9023 bytes");
    ++settings.bufferBytes;
    make();
}

/// Suite of errors on links.
class LinkErrorsTestSuite : public FunctionSuite
{
  public:
    LinkErrorsTestSuite()
        : FunctionSuite("fabric-link-errors", kUnit)
    {
        Add("WL-6 when a damaged frame is repeated", TestOneFrame);
        Add("WL-6 how often a frame is repeated", TestLimit);
        Add("WL-6 how many frames a replay buffer lets through", TestReplayBuffer);
        Add("WL-6 the time that a frame takes is the closed form's", TestGoodput);
        Add("WL-6 which units of a frame are repeated", TestUnits);
        Add("WL-6 the time that units take is the closed form's", TestUnitsTime);
        Add("WL-6 settings that make no sense are refused", TestRefusals);
    }
};

LinkErrorsTestSuite g_linkErrorsTestSuite; ///< Registers the suite.

} // namespace
