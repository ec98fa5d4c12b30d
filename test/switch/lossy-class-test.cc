/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-function-case.h"
#include "fabric-lossy-bed.h"
#include "fabric-refusal.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t LOSSY_FRAME = WireBytes(MAX_PAYLOAD); ///< Bytes on the wire.
constexpr auto LOST = static_cast<std::size_t>(DropCause::TAIL_DROP);

/// @param frames that a lossy channel has room for
SwitchConfig
LossyConfig(uint32_t frames)
{
    SwitchConfig config = LossyClassConfig();
    config.buffer.lossyBytes = frames * LOSSY_FRAME;
    return config;
}

/// Credits of a lossy channel are counted and never waited for; other channels do not notice.
void
TestLossyCredits(FunctionCase& test)
{
    const SwitchConfig config = LossyConfig(10);
    LinkCredits credits;
    credits.Configure(config.buffer.CreditShares());
    const uint32_t room = config.buffer.shares.totalBytes - 10 * LOSSY_FRAME;
    test.ExpectEqual(credits.Shares().SharedBytes(),
                     room - config.buffer.shares.reservedBytesPerVc,
                     "all but the lossy part, and what is reserved for the other channel");
    credits.Consume(1, 1 << 29);
    test.Expect(credits.CanSend(1, 1 << 20), "it never waits");
    test.Expect(credits.CanSend(0, room) && !credits.CanSend(0, room + 1), "the other has its own");
    test.ExpectEqual(credits.Used(1), 1U << 29, "it is counted");
    credits.Return(5, 1, 1 << 29);
    credits.Collect(5);
    test.ExpectEqual(credits.Used(1), 0, "it comes back");
}

/// An incast of both kinds of classes: the lossy one loses frames at the depth and its senders
/// never wait, the other loses none.
void
TestLossyIncast(FunctionCase& test)
{
    for (const bool hasChannels : {false, true})
    {
        SwitchConfig config = LossyConfig(10);
        config.flowChannels.enabled = hasChannels;
        config.congestion.hopCredits = false;
        const auto bed = MakeLossyBed({3, 1}, config);
        constexpr uint32_t FRAMES = 400;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (uint32_t i = 0; i < FRAMES; ++i)
            {
                bed->Send(host, 4, MAX_PAYLOAD, 1, 0);
            }
        }
        const TimePs sendTime = LinkRate(200'000'000'000).TxTime(LOSSY_FRAME);
        const TimePs at = FRAMES * sendTime + US;
        bed->RunUntil(at);
        for (uint32_t host = 0; host < 3; ++host)
        {
            test.ExpectEqual(bed->GetNic(host).Backlog(), 0, "senders never wait");
        }
        bed->Check();
        bed->Send(3, 4, 1'000'000, 0, at);
        bed->Send(0, 4, 1'000'000, 0, at);
        bed->RunToEnd();
        bed->Check();
        test.Expect(bed->IsEmpty(), "nothing is left");
        const SwitchCounts& first = bed->Chip(0).Counts();
        const SwitchCounts& second = bed->Chip(1).Counts();
        test.Expect(first.droppedPayload[LOST] > 700 * MAX_PAYLOAD,
                    "most is dropped at the inputs");
        test.ExpectEqual(second.droppedPayload[LOST], 0, "behind one link there is room");
        uint64_t lossless = 0;
        uint64_t lossy = 0;
        for (const TestBed::Delivery& delivery : bed->Deliveries())
        {
            lossless += delivery.trafficClass == 0;
            lossy += delivery.trafficClass == 1;
        }
        test.ExpectEqual(lossless, 2, "lossless");
        test.ExpectEqual(lossy * MAX_PAYLOAD + first.droppedPayload[LOST],
                         uint64_t{3} * FRAMES * MAX_PAYLOAD,
                         "each frame arrives or is counted");
        test.Expect(bed->Chip(0).PeakHeldBytes(0) <= config.buffer.shares.totalBytes, "room");
    }
}

/// The depth is kept to the byte: with lossy traffic alone no input holds more.
void
TestLossyDepth(FunctionCase& test)
{
    for (const uint32_t frames : {1U, 2U, 7U})
    {
        const SwitchConfig config = LossyConfig(frames);
        const auto bed = MakeLossyBed({4}, config);
        for (uint32_t host = 0; host < 4; ++host)
        {
            bed->Send(host, 4, 100 * MAX_PAYLOAD, 1, 0);
        }
        bed->RunToEnd();
        bed->Check();
        for (uint32_t port = 0; port < 4; ++port)
        {
            test.ExpectEqual(bed->Chip(0).PeakHeldBytes(port), frames * LOSSY_FRAME, "held");
        }
        test.Expect(bed->Chip(0).Counts().droppedPayload[LOST] > 0, "dropped");
    }
}

/// Any traffic of both kinds: lossless messages all arrive, and look-ahead changes nothing.
void
TestLossyRandom(FunctionCase& test)
{
    const TestSeeds seeds(40);
    uint64_t dropped = 0;
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::string told[2];
        for (const bool lookahead : {true, false})
        {
            std::minstd_rand random(seed);
            SwitchConfig config = LossyConfig(1 + random() % 20);
            config.flowChannels.enabled = random() % 2 == 0;
            config.congestion.hopCredits = random() % 2 == 0;
            config.timing.forwarding = random() % 2 == 0 ? CUT_THROUGH : STORE_AND_FORWARD;
            const ChainSources sources{static_cast<uint32_t>(1 + random() % 3),
                                       static_cast<uint32_t>(1 + random() % 3),
                                       1};
            const auto bed = MakeLossyBed(sources, config, lookahead);
            const uint32_t hosts = sources[0] + sources[1] + sources[2];
            uint32_t lossless = 0;
            for (uint32_t i = 0; i < 60; ++i)
            {
                const uint32_t from = random() % hosts;
                const uint8_t trafficClass = random() % 2;
                lossless += trafficClass == 0;
                const uint32_t to = random() % 2 == 0 || from == hosts ? (from + 1) % hosts : hosts;
                bed->Send(from, to, 1 + random() % 60'000, trafficClass, random() % (10 * US));
            }
            bed->RunToEnd();
            bed->Check();
            test.Expect(bed->IsEmpty(), Text("seed ", seed, ": something is left"));
            std::ostringstream text;
            uint32_t arrived = 0;
            for (const TestBed::Delivery& each : bed->Deliveries())
            {
                text << each.at << " " << each.src << " " << each.sequence << "\n";
                arrived += each.trafficClass == 0;
            }
            for (std::size_t chip = 0; chip < sources.size(); ++chip)
            {
                text << bed->Chip(chip).Counts().droppedPayload[LOST] << "\n";
                dropped += bed->Chip(chip).Counts().droppedPayload[LOST];
            }
            test.ExpectEqual(arrived, lossless, Text("seed ", seed, ": lossless messages"));
            told[lookahead] = text.str();
        }
        test.ExpectSame(told[0], told[1], "seed " + std::to_string(seed));
    }
    test.Expect(dropped > 0, "frames are dropped");
}

/// Lossy classes next to others on a channel, and more than the buffer.
void
TestLossyRefusals(FunctionCase& test)
{
    SwitchConfig config = LossyConfig(10);
    config.buffer.vcOfClass[2] = 1;
    const std::string mixed = Refusal([&] { config.Validate(); });
    test.Expect(mixed.find("LossyClasses: class 2 is lossless, and others on its virtual channel 1 "
                           "are not; allowed are channels of their own") == 0,
                mixed);
    config = LossyConfig(10);
    config.buffer.lossyBytes = config.buffer.shares.totalBytes;
    const std::string large = Refusal([&] { config.Validate(); });
    test.Expect(large.find("LossyDropBytes: ") == 0 && large.find("BufferBytes") != large.npos,
                large);

    BufferSettings buffer;
    buffer.shares.reservedBytesPerVc = buffer.shares.totalBytes;
    buffer.shares.virtualChannels = 2;
    const std::string kept = Refusal([&] { buffer.Validate(); });
    test.Expect(kept.find("ReservedBytes: ") == 0, "without lossy classes: " + kept);
    buffer = {};
    buffer.shares.virtualChannels = 2;
    buffer.vcOfClass[3] = 2;
    const std::string beyond = Refusal([&] { buffer.Validate(); });
    test.Expect(
        beyond.find("ClassToVc: class 3 uses virtual channel 2, but VirtualChannels is 2") == 0,
        beyond);
}

} // namespace

/// Lossy classes.
class LossyClassTestSuite : public TestSuite
{
  public:
    LossyClassTestSuite()
        : TestSuite("fabric-lossy-class", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("FC-15 WL-5 a lossy channel never waits for credits", TestLossyCredits);
        add("FC-15 an incast loses frames of the lossy class alone", TestLossyIncast);
        add("FC-15 the depth is kept", TestLossyDepth);
        add("FC-15 DP-5 random traffic of both kinds", TestLossyRandom);
        add("FC-15 settings that contradict each other are refused", TestLossyRefusals);
    }
};

static LossyClassTestSuite g_lossyClassTestSuite; ///< Registers the suite.

} // namespace ns3::fabric
