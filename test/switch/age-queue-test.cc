/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-age-queue-places.h"
#include "fabric-output-buffer.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/test.h"

#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// The table has the published numbers (SW-9).
void
TestSharedSpaceTable(FunctionCase& test)
{
    const SharedSpaceTable half(0.5);
    test.ExpectEqual(half.Each(1), 0.5, "one input");
    test.ExpectEqual(half.Each(2), 0.375, "each of two");
    test.ExpectEqual(half.Total(2), 0.75, "two");
    test.ExpectEqual(half.Total(3), 0.875, "three");
    test.Expect(std::abs(half.Each(3) - 0.2917) < 1e-4, "each of three");
    for (const double fraction : {0.001, 0.3, 0.5, 0.9, 1.0})
    {
        const SharedSpaceTable table(fraction);
        for (uint32_t n = 1; n <= 70; ++n)
        {
            const double total = 1 - std::pow(1 - fraction, std::min(n, 64U));
            test.Expect(std::abs(table.Total(n) - total) < 1e-12 &&
                            std::abs(table.Each(n) * n - total) < 1e-12,
                        Text(fraction, " for ", n, " inputs"));
        }
    }
}

/// One, two and three inputs take what the limits allow, and their fixed places beside.
void
TestLimits(FunctionCase& test)
{
    // 4 inputs x 1 list x 8 fixed places; 960 are shared.
    AgeQueueSettings settings;
    settings.places = 992;
    settings.fixedPlaces = 8;
    AgeQueuePlaces places(4, 1, settings);
    const auto fill = [&places](uint32_t input) {
        while (places.Take(input, 0))
        {
        }
    };
    fill(0);
    test.ExpectEqual(places.TakenBy(0), 480 + 8, "one input has half of the shared space");
    fill(1);
    test.ExpectEqual(places.SharedBy(1), 240, "the second finds a quarter, up to three in all");
    for (uint32_t i = 0; i < 300; ++i)
    {
        places.Give(0, 0);
    }
    test.Expect(!places.Take(1, 0), "but requests of the second have its fixed places");
    places.Give(1, 0);
    fill(1);
    test.ExpectEqual(places.SharedBy(1), 360, "each of two may have three eighths");
    fill(0);
    test.ExpectEqual(places.TakenBy(0), 360 + 8, "so has the first then");
    fill(2);
    test.ExpectEqual(places.SharedBy(2), 120, "the third finds an eighth");
    test.ExpectEqual(places.Active(), 3, "active inputs");
    places.Clear();
    test.ExpectEqual(places.Taken() + places.Active(), 0, "nothing is left");
}

/// What an input has in one list keeps it out of no other.
void
TestLists(FunctionCase& test)
{
    AgeQueueSettings settings;
    settings.places = 3 * 2 * 4;
    settings.fixedPlaces = 4;
    AgeQueuePlaces places(3, 2, settings);
    for (uint32_t i = 0; i < 4; ++i)
    {
        test.Expect(places.Take(1, 0), "a fixed place");
    }
    test.Expect(!places.Take(1, 0), "no more, and nothing is shared");
    test.Expect(places.Take(1, 1), "but of another list");
    test.Expect(places.Take(2, 0), "and of another input");
    places.Give(1, 0);
    test.Expect(places.Take(1, 0), "a place comes back with the grant");
}

/// Random requests: places are neither lost nor made, and no limit is passed.
void
TestRandomRequests(FunctionCase& test)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t inputs = 1 + random() % 6;
        const uint32_t lists = 1 + random() % 4;
        AgeQueueSettings settings;
        settings.fixedPlaces = 1 + random() % 4;
        settings.places = inputs * lists * settings.fixedPlaces + random() % 100;
        settings.sharedFraction = (1 + random() % 100) / 100.0;
        AgeQueuePlaces places(inputs, lists, settings);
        const uint32_t shared = settings.places - inputs * lists * settings.fixedPlaces;
        std::vector<std::vector<uint32_t>> asks(inputs, std::vector<uint32_t>(lists));
        uint32_t all = 0;
        for (uint32_t step = 0; step < 500; ++step)
        {
            const uint32_t input = random() % inputs;
            const uint32_t list = random() % lists;
            if (random() % 3 != 0)
            {
                const bool hasTaken = places.Take(input, list);
                test.Expect(hasTaken || asks[input][list] >= settings.fixedPlaces,
                            Text("seed ", seed, ": fixed places are kept"));
                asks[input][list] += hasTaken;
                all += hasTaken;
            }
            else if (asks[input][list] != 0)
            {
                places.Give(input, list);
                --asks[input][list];
                --all;
            }
            uint32_t active = 0;
            uint32_t sharedTaken = 0;
            for (uint32_t i = 0; i < inputs; ++i)
            {
                uint32_t own = 0;
                for (const uint32_t ask : asks[i])
                {
                    own += ask;
                }
                active += own != 0;
                sharedTaken += places.SharedBy(i);
                test.ExpectEqual(places.TakenBy(i), own, Text("seed ", seed, ": of an input"));
            }
            test.ExpectEqual(places.Taken(), all, Text("seed ", seed, ": of all"));
            test.ExpectEqual(places.Active(), active, Text("seed ", seed, ": active inputs"));
            test.Expect(sharedTaken <= shared && all <= settings.places,
                        Text("seed ", seed, ": no more than there are"));
        }
    }
}

/// The FIFO that was used least recently goes next (SW-7), and room is free when a tail has left.
void
TestOutputBuffer(FunctionCase& test)
{
    OutputBuffer buffer(1000, 3);
    for (uint32_t frame = 0; frame < 6; ++frame)
    {
        test.Expect(buffer.HasRoom(150), "there is room");
        buffer.Reserve(150);
        buffer.Arrive(frame < 4 ? 0 : frame - 3, frame); // 0 to 3 in row 0, 4 in row 1, 5 in row 2
    }
    test.Expect(!buffer.HasRoom(150) && buffer.HasRoom(100), "it is nearly full");
    std::string order;
    TimePs now = 0;
    while (buffer.Waiting() != 0)
    {
        order += std::to_string(buffer.Front());
        buffer.Start(150, now + 10);
        buffer.Settle(now + 9);
        test.ExpectEqual(buffer.LeavingBytes(), 150, "it is on the wire");
        test.ExpectEqual(buffer.BytesAt(now + 9) - buffer.BytesAt(now + 10), 150, "it leaves");
        now += 10;
        buffer.Settle(now);
    }
    test.ExpectEqual(order, "045123", "the rows have turns, and each is a FIFO");
    test.ExpectEqual(buffer.UsedBytes(), 0, "all have left");
    test.ExpectEqual(buffer.PeakBytes(), 900, "the most that there was");
}

/// Suite of age queues and output buffers.
class AgeQueueTestSuite : public FunctionSuite
{
  public:
    AgeQueueTestSuite()
        : FunctionSuite("fabric-age-queue", kUnit)
    {
        Add("SW-9 limits of the shared space", TestSharedSpaceTable);
        Add("SW-8 SW-9 inputs take what the limits allow", TestLimits);
        Add("SW-8 lists keep their fixed places", TestLists);
        Add("SW-8 SW-9 random requests", TestRandomRequests);
        Add("SW-7 SW-13 FIFOs of an output", TestOutputBuffer);
    }
};

AgeQueueTestSuite g_ageQueueTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
