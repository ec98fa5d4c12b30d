/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-receive-buffer.h"
#include "fabric-receive-settings.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/test.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t LINE_RATE = 200'000'000'000; ///< bit/s; 40 ps a byte.
constexpr uint32_t LINE_FRAME = WireBytes(MAX_PAYLOAD);
constexpr TimePs LINE_TX = TimePs{LINE_FRAME} * 40; ///< Of a full frame, ps.
constexpr TimePs CREDIT_DELAY = 1'000;              ///< ps.

/// A receive buffer, and the switch's count of it.
struct SlowEnd
{
    explicit SlowEnd(uint64_t drain)
        : buffer(LinkRate(LINE_RATE), LinkRate(drain))
    {
        room.Configure({1 << 20, 0, 2});
        agenda.Resize(1);
        const CreditEnd credits(&room, &agenda, 0);
        buffer.UseCredits(room, CreditPath(credits, CREDIT_DELAY));
    }

    /// @param tail of a frame with so much payload @return when it has left the buffer, ps
    TimePs Take(uint16_t payload, TimePs tail, uint8_t vc = 0)
    {
        Frame frame{};
        frame.payload = payload;
        frame.time = tail;
        frame.vc = vc & 1;
        buffer.Reserve(frame);
        buffer.Take(frame, 0);
        return frame.time;
    }

    LinkCredits room;
    Agenda agenda; ///< Of the switch.
    ReceiveBuffer buffer;
};

void
TestDrain(FunctionCase& test)
{
    SlowEnd quarter(LINE_RATE / 4);
    for (TimePs n = 1; n <= 5; ++n)
    {
        test.ExpectEqual(quarter.Take(MAX_PAYLOAD, n * LINE_TX),
                         n * 4 * LINE_TX,
                         "the buffer drains from the first byte on, without a pause");
    }
    const TimePs late = 100 * LINE_TX;
    test.ExpectEqual(quarter.Take(MAX_PAYLOAD, late), late + 3 * LINE_TX, "it was empty");
    for (const uint64_t rate : {LINE_RATE, 3 * LINE_RATE})
    {
        SlowEnd fast(rate);
        for (TimePs n = 1; n <= 5; ++n)
        {
            test.ExpectEqual(fast.Take(MAX_PAYLOAD, n * LINE_TX),
                             n * LINE_TX,
                             "no frame leaves before its last byte is in, nor later");
        }
    }
}

/// Byte by byte: each drains for its time, after the one before it and once it comes in.
void
TestBytes(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const TimePs perByte = TimePs{20} << random() % 5; // 400 to 25 Gb/s
        SlowEnd end(8'000'000'000'000 / perByte);
        TimePs free = 0;
        TimePs drained = 0;
        for (uint32_t i = 0; i < 40; ++i)
        {
            const TimePs head = free + (random() % 3 == 0 ? random() % 500'000 : 0);
            const auto payload = static_cast<uint16_t>(random() % (JUMBO_PAYLOAD + 1));
            free = head;
            for (uint32_t byte = 0; byte < WireBytes(payload); ++byte)
            {
                const TimePs begins = free;
                free += 40;
                drained = std::max(free, std::max(drained, begins) + perByte);
            }
            test.ExpectEqual(end.Take(payload, free), drained, Text("seed ", seed, ", frame ", i));
        }
    }
}

void
TestRoom(FunctionCase& test)
{
    SlowEnd end(LINE_RATE / 4);
    const TimePs left = end.Take(MAX_PAYLOAD, LINE_TX, 1);
    test.Expect(end.room.Used(1) == LINE_FRAME && end.room.OnTheWay(1) == LINE_FRAME,
                "room is taken, and will be given back");
    test.ExpectEqual(end.room.NextReturn(), left + CREDIT_DELAY, "when the frame has left");
    end.room.Collect(left + CREDIT_DELAY);
    test.ExpectEqual(end.room.Used(1), 0U, "it is given back");

    Frame damaged{};
    damaged.payload = MAX_PAYLOAD;
    damaged.time = 9 * LINE_TX;
    end.buffer.Reserve(damaged);
    end.buffer.GiveBack(damaged, 0);
    test.ExpectEqual(end.room.NextReturn(),
                     9 * LINE_TX + CREDIT_DELAY,
                     "a damaged frame leaves when its tail is in");
    test.ExpectEqual(end.Take(MAX_PAYLOAD, 10 * LINE_TX), 13 * LINE_TX, "and drains for no time");
}

void
TestReceiveSettings(FunctionCase& test)
{
    test.Expect(!ReceiveSettings{}.HoldBack() && ReceiveSettings{1, 0}.HoldBack() &&
                    ReceiveSettings{0, 1}.HoldBack(),
                "either of the two makes a host hold the switch back");
    test.Expect(ReceiveSettings{1, 0}.Room() == ReceiveSettings::USUAL_BUFFER &&
                    ReceiveSettings{1, 77}.Room() == 77,
                "the room");
    const auto refusal = [](uint64_t rate) {
        return Refusal([rate] { ReceiveSettings{rate, 0}.Validate(); });
    };
    for (const uint64_t rate : {uint64_t{0}, LinkRate::LOWEST, LinkRate::HIGHEST})
    {
        test.ExpectEqual(refusal(rate), "", Text(rate));
    }
    for (const uint64_t rate : {LinkRate::LOWEST - 1, LinkRate::HIGHEST + 1})
    {
        test.ExpectEqual(refusal(rate),
                         "ReceiveRate is " + std::to_string(rate) +
                             " bit/s; allowed are 0, for the rate of the link, and 10000 to "
                             "1000000000000000",
                         Text(rate));
    }
}

/// The suite.
class ReceiveBufferSuite : public FunctionSuite
{
  public:
    ReceiveBufferSuite()
        : FunctionSuite("fabric-receive-buffer", kUnit)
    {
        Add("WL-5 a receive buffer drains at its rate, and no frame leaves before it is in",
            TestDrain);
        Add("WL-5 frames leave as byte by byte, at any rate and with any gaps", TestBytes);
        Add("WL-5 room goes back when a frame has left, or was found damaged", TestRoom);
        Add("WL-5 settings of a receive buffer", TestReceiveSettings);
    }
};

ReceiveBufferSuite g_receiveBufferSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
