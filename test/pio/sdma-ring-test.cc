/* SPDX-License-Identifier: GPL-2.0-only */
#include "pio/pio-bed.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"
#include "support/fabric-time-units.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return settings by which all messages go by SDMA, in packets of 64 bytes
PioSettings
SdmaSettings(uint32_t descriptors, uint32_t threads = 1)
{
    PioSettings settings;
    settings.packetBytes = 64;
    settings.sdmaBytes = 1;
    settings.sdmaDescriptors = descriptors;
    settings.threads = threads;
    settings.sdmaEngines = threads;
    return settings;
}

/// One slot stays free; an old head or tail is none.
void
TestRing(FunctionCase& self)
{
    SdmaRing ring(64);
    PcieSettings pcieSettings;
    PcieLink pcie(pcieSettings);
    SdmaEngine engine(ring, 64);
    for (uint32_t i = 0; i < 63; ++i)
    {
        self.Expect(!ring.IsFull(), Text(i, " descriptors"));
        SdmaDescriptor packet;
        packet.bytes = 64;
        packet.message = i;
        ring.Write(packet);
    }
    self.Expect(ring.IsFull(), "one slot stays free");
    engine.Doorbell(2, pcie, 0);
    engine.Doorbell(1, pcie, 0);
    uint32_t reads = 0;
    for (TimePs now = engine.NextTime(); now != NEVER; now = engine.NextTime())
    {
        engine.TakeDescriptors(now);
        while (engine.CanRead())
        {
            engine.ReadData(pcie, now);
            ++reads;
        }
        engine.TakeData(now);
    }
    self.ExpectEqual(reads, 2, "descriptors that the first doorbell has told, and no more");
    self.ExpectEqual(engine.Go(1, pcie, 10 * US), NEVER, "the first packet has not gone");
    const TimePs there = engine.Go(0, pcie, 11 * US);
    self.Expect(there > 11 * US && there == ring.NextArrival(), "the head is on its way");
    ring.Refresh(there - 1);
    self.Expect(ring.IsFull(), "it has not come");
    ring.Refresh(there);
    ring.Write({});
    self.Expect(!ring.IsFull(), "both are free");
    ring.Write({});
    self.Expect(ring.IsFull(), "and no more");
    self.ExpectEqual(ring.At(64).bytes, 0, "the second time around");
    self.ExpectEqual(ring.At(2).message, 2, "what was not told stays");
}

/// A message that is longer than the ring; who waits is a stall, and a large ring has none.
void
TestFull(FunctionCase& self)
{
    const auto stalls = [&self](uint32_t descriptors) {
        PioBed bed(SdmaSettings(descriptors));
        bed.blocked = 1;
        bed.Post(0, 1, 1000 * 64);
        bed.Run(400 * US);
        self.ExpectEqual(bed.sent, 0, "the lane is blocked");
        self.ExpectEqual(bed.engine.Host().Queued(0), descriptors < 1000 ? 1 : 0, "not written");
        bed.blocked = 0;
        bed.Run();
        self.ExpectEqual(bed.sent, 1000, "all is sent");
        return bed.engine.Host().Counts().stalls;
    };
    self.Expect(stalls(64) > 0, "63 descriptors are written, then it waits");
    self.ExpectEqual(stalls(1024), 0, "1023 are enough");
}

/// Heads come back by PCIe, one for each packet that goes.
void
TestHeads(FunctionCase& self)
{
    PioBed bed(SdmaSettings(64));
    bed.Post(0, 100, 64);
    bed.Run();
    const PcieCounts& nic = bed.engine.Pcie().Counts(PcieSide::NIC);
    self.ExpectEqual(nic.payload, 100 * SdmaEngine::HEAD_BYTES, "words of the head");
    self.ExpectEqual(bed.engine.Adaptor().Counts().returns, 0, "and no credits");
}

/// Engines take turns: who has one packet is not behind all of those who have many.
void
TestTurns(FunctionCase& self)
{
    PioSettings settings = SdmaSettings(2048, 2);
    settings.packetBytes = 4032;
    settings.sdmaPackets = 64;
    settings.descriptorTime = NS;
    settings.sdmaReads = 1;
    PioBed bed(settings);
    bed.Post(0, 1, 64 * 4032, 0);
    bed.Post(1, 1, 8 * 4032, 1);
    bed.Run();
    self.Expect(bed.doneAt[1] < bed.doneAt[0] / 3, "one of each in turn, 16 of 72 packets");
    settings.sdmaReads = 64;
    PioBed more(settings);
    more.Post(0, 1, 64 * 4032, 0);
    more.Run();
    self.Expect(more.doneAt[0] < bed.doneAt[0] / 2, "more at a time are faster");
}

/// Doorbells of many threads leave room on PCIe for the data that they tell of.
void
TestDoorbells(FunctionCase& self)
{
    PioSettings settings = SdmaSettings(2048, 64);
    settings.packetBytes = 1000;
    settings.sdmaEngines = 16;
    settings.descriptorTime = NS;
    PcieSettings narrow;
    narrow.generation = 2;
    narrow.lanes = 4;
    PioBed bed(settings, narrow);
    for (uint32_t i = 0; i < 64 * 100; ++i)
    {
        bed.Post(i % 64, 1, 1000);
    }
    bed.Run();
    self.ExpectEqual(bed.done.size(), 64 * 100, "all is sent");
    const TimePs first = bed.doneAt[bed.done.front()];
    const TimePs half = bed.doneAt[bed.done[bed.done.size() / 2]];
    self.Expect(
        first < bed.now / 100 && half < bed.now * 6 / 10,
        Text("the first message at ", first, " ps, half of them at ", half, " of ", bed.now));
}

/// Any ring, any messages, by SDMA and by PIO: all is sent.
void
TestDrawn(FunctionCase& self, uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    PioSettings settings = SdmaSettings(64U << draw(0, 2), draw(1, 6));
    settings.sdmaEngines = draw(1, 4);
    settings.sdmaBytes = draw(1, 500);
    settings.sdmaPackets = draw(1, 100);
    settings.sdmaReads = draw(1, 8);
    settings.descriptorTime = draw(1, 100) * NS;
    settings.wait = draw(0, 1) == 0 ? WAIT_SLEEPS : WAIT_POLLS;
    PioBed bed(settings);
    uint64_t packets = 0;
    for (uint32_t i = 0; i < 20; ++i)
    {
        const uint32_t thread = draw(0, settings.threads - 1);
        const uint32_t bytes = draw(1, draw(0, 3) == 0 ? 30000 : 1000);
        packets += (bytes + 63) / 64;
        bed.Post(thread, 1, bytes, draw(0, 3));
        bed.blocked = draw(0, 15);
        bed.Run(bed.now + draw(0, 20) * US);
    }
    bed.blocked = 0;
    bed.Run();
    self.ExpectEqual(bed.sent, packets, Text("packets, seed ", seed));
    self.ExpectEqual(bed.done.size(), 20, Text("messages, seed ", seed));
}

void
TestManyRings(FunctionCase& self)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        TestDrawn(self, seed);
    }
}

/// Rings that can't be.
void
TestNoRings(FunctionCase& self)
{
    for (const uint32_t slots : {0U, 32U, 63U, 65U, 100U, 65536U})
    {
        PioSettings settings;
        settings.sdmaDescriptors = slots;
        self.ExpectSame(Refusal([&settings] { settings.Validate(4096); }),
                        "PIO: the number of descriptors of an SDMA engine's ring is " +
                            std::to_string(slots) + "; allowed is a power of two from 64 to 32768",
                        "refusal");
    }
    PioSettings settings;
    settings.sdmaReads = 0;
    self.ExpectSame(Refusal([&settings] { settings.Validate(4096); }),
                    "PIO: the number of packets that SDMA engines read at a time is 0; allowed is "
                    "1 to 65536",
                    "refusal");
}

/// The suite.
class SdmaRingSuite : public FunctionSuite
{
  public:
    SdmaRingSuite()
        : FunctionSuite("fabric-sdma-ring", kUnit)
    {
        Add("PC-9 head and tail", TestRing);
        Add("PC-7 PC-9 a ring that is full", TestFull);
        Add("PC-9 heads come back", TestHeads);
        Add("PC-9 engines take turns", TestTurns);
        Add("PC-9 doorbells leave room for data", TestDoorbells);
        Add("PC-9 PC-11 all is sent, many seeds", TestManyRings);
        Add("PC-9 what is refused", TestNoRings);
    }
};

SdmaRingSuite g_sdmaRingSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
