/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-empty-path.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"
#include "support/fabric-test-seeds.h"

#include <algorithm>
#include <random>

namespace ns3::fabric
{

namespace
{

/// The obvious model: every frame at every link, one after the other.
class FrameByFrame
{
  public:
    FrameByFrame(std::vector<PathLink> links, uint32_t payload)
        : m_links(std::move(links)),
          m_payload(payload),
          m_free(m_links.size())
    {
    }

    /// @return when a message's last byte arrives
    TimePs Send(TimePs at, uint64_t bytes)
    {
        TimePs in = 0;
        do
        {
            const auto payload = static_cast<uint32_t>(std::min<uint64_t>(bytes, m_payload));
            bytes -= payload;
            in = SendFrame(at, WireBytes(payload));
        } while (bytes != 0);
        return in;
    }

  private:
    /// @return when a frame's last byte arrives
    TimePs SendFrame(TimePs ready, uint32_t bytes)
    {
        for (std::size_t i = 0; i < m_links.size(); ++i)
        {
            const PathLink& link = m_links[i];
            const TimePs start = std::max(ready, m_free[i]);
            m_free[i] = start + link.rate.TxTime(bytes);
            const bool isLast = i + 1 == m_links.size();
            const bool ofTail = isLast || link.handover == Handover::TAIL;
            ready = (ofTail ? m_free[i] : start) + link.delay;
            if (!isLast && link.handover == Handover::PACED)
            {
                // The last flit goes no earlier than it comes.
                const uint32_t last = (bytes - 1) / link.flitBytes * link.flitBytes;
                ready += std::max(TimePs{0}, link.rate.LongerThan(last, m_links[i + 1].rate, last));
            }
        }
        return ready;
    }

    std::vector<PathLink> m_links; ///< Of the path.
    uint32_t m_payload;            ///< Of a full frame.
    std::vector<TimePs> m_free;    ///< When each link is free.
};

/// @return links by chance
std::vector<PathLink>
RandomLinks(std::minstd_rand& random)
{
    std::vector<PathLink> links(1 + random() % 8);
    for (PathLink& link : links)
    {
        constexpr std::array<uint64_t, 6> RATES{1, 3, 25, 100, 200, 800};
        link.rate = LinkRate(RATES[random() % RATES.size()] * 1'000'000'000);
        link.delay = static_cast<TimePs>(random() % 3'000'000);
        link.handover = static_cast<Handover>(random() % 3);
        link.flitBytes = 1 + static_cast<uint32_t>(random() % 64);
    }
    return links;
}

/// Many messages over many paths.
void
TestModel(FunctionCase& self)
{
    const TestSeeds seeds(300);
    for (uint32_t seed = seeds.first; seed != seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        const std::vector<PathLink> links = RandomLinks(random);
        const auto payload = static_cast<uint32_t>(1 + random() % JUMBO_PAYLOAD);
        EmptyPath path(links, payload);
        FrameByFrame model(links, payload);
        TimePs at = 0;
        for (uint32_t message = 0; message < 20; ++message)
        {
            const uint64_t frames = random() % 4 == 0 ? random() % 300 : random() % 3;
            const uint64_t bytes = frames * payload + (random() % 2 == 0 ? 0 : random() % payload);
            const TimePs alone = FrameByFrame(links, payload).Send(0, bytes);
            self.ExpectEqual(path.CompletionTime(bytes), alone, Text("alone, seed ", seed));
            const TimePs expected = model.Send(at, bytes);
            self.ExpectEqual(path.Send(at, bytes), expected, Text("seed ", seed));
            at += random() % 3 == 0 ? static_cast<TimePs>(random() % 100'000'000) : 0;
        }
    }
}

/// By hand: 1000 B on the wire take 80 ns at 100 Gb/s and 20 ns at 400 Gb/s.
void
TestByHand(FunctionCase& self)
{
    const LinkRate slow(100'000'000'000);
    const LinkRate fast(400'000'000'000);
    const PathLink host{slow, 1'000'000, Handover::HEAD, 0};
    const PathLink between{slow, 1'350'000, Handover::HEAD, 0};
    const PathLink storing{slow, 1'350'000, Handover::TAIL, 0};
    const PathLink faster{fast, 1'000'000, Handover::TAIL, 0};
    const PathLink paced{slow, 1'350'000, Handover::PACED, 8};
    const auto time = [](std::vector<PathLink> links, uint64_t bytes) {
        return EmptyPath(std::move(links), 976).CompletionTime(bytes);
    };
    self.ExpectEqual(time({host}, 976), 1'080'000, "one link");
    self.ExpectEqual(time({between, host}, 976), 2'430'000, "cut-through");
    self.ExpectEqual(time({storing, host}, 976), 2'510'000, "store and forward");
    self.ExpectEqual(time({storing, faster}, 976), 2'450'000, "store and forward, faster");
    // The last flit of 8 bytes leaves as it comes, 992 bytes after the first: 79.36 - 19.84 ns.
    self.ExpectEqual(time({paced, faster}, 976), 2'429'520, "cut-through to a faster link");
    self.ExpectEqual(time({between, host}, 2 * 976), 2'510'000, "two frames");
    self.ExpectEqual(time({between, host}, 976 + 1), 2'432'000, "a short last frame");
    self.ExpectEqual(time({between, host}, 0), 2'351'920, "an empty message");
    // A million frames are counted, not made: 1 GB, and a day at 100 Gb/s.
    self.ExpectEqual(time({between, host}, 976'000'000), 80'002'350'000, "1 GB");
    self.ExpectEqual(time({between, host}, 976'000'000'000'000),
                     80'000'000'002'350'000,
                     "a thousand TB");
    EmptyPath path({between, host}, 976);
    self.ExpectEqual(path.Send(0, 976), 2'430'000, "the first");
    self.ExpectEqual(path.Send(10'000, 976), 2'510'000, "it waits for the first");
    self.ExpectEqual(path.Send(500'000, 976), 2'930'000, "after a pause");
    self.Expect(!Refusal([] { EmptyPath({}, 1); }).empty(), "no links");
    self.Expect(!Refusal([&host] { EmptyPath({host}, 0); }).empty(), "no payload");
}

/// The suite.
class FabricEmptyPathSuite : public FunctionSuite
{
  public:
    FabricEmptyPathSuite()
        : FunctionSuite("fabric-empty-path", kUnit)
    {
        Add("SC-5 the ideal time is that of each frame at each link, worked out one by one",
            TestModel);
        Add("SC-5 ideal times by hand", TestByHand);
    }
};

const FabricEmptyPathSuite g_fabricEmptyPathSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
