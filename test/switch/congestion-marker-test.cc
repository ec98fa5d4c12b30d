/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-chain.h"
#include "fabric-congestion-marker.h"
#include "fabric-header.h"
#include "fabric-refusal.h"
#include "fabric-shortest-path-routing.h"
#include "fabric-test-compat.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-bed.h"

#include "ns3/packet.h"

#include <cmath>
#include <map>
#include <string>

namespace ns3::fabric
{

namespace
{

MarkRules
OnlyClass(uint32_t trafficClass, const MarkRule& rule)
{
    MarkRules rules;
    rules[trafficClass] = rule;
    return rules;
}

/**
 * @param marker with an empty output 1
 * @param queued bytes that wait for output 1
 * @param frames how many
 * @return how many of the frames that find so many bytes are marked
 */
uint32_t
CountMarked(CongestionMarker& marker, uint32_t trafficClass, uint32_t queued, uint32_t frames)
{
    marker.Join(1, trafficClass, queued);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < frames; ++i)
    {
        marked += marker.Join(1, trafficClass, 100);
        marker.Leave(1, trafficClass, 100);
    }
    marker.Leave(1, trafficClass, queued);
    return marked;
}

/// Equal thresholds are DCTCP's one.
void
TestThreshold(FunctionCase& test)
{
    CongestionMarker marker(OnlyClass(0, {true, 5000, 5000, 1}), 2, 1);
    test.Expect(CountMarked(marker, 0, 5000, 100) == 0, "none at the threshold");
    test.Expect(CountMarked(marker, 0, 5001, 100) == 100, "all above");
    test.Expect(marker.MarkedFrames() == 100, "counted");
    CongestionMarker always(OnlyClass(0, {true, 0, 0, 1}), 2, 1);
    test.Expect(!always.Join(0, 0, 1) && always.Join(0, 0, 1), "any that does not come first");
}

/// Between the thresholds the part rises in a line.
void
TestRamp(FunctionCase& test)
{
    constexpr uint32_t DRAWS = 100000;
    for (const uint32_t seed : {1U, 2U, 77U})
    {
        CongestionMarker marker(OnlyClass(3, {true, 10000, 30000, 0.4}), 4, seed);
        for (uint32_t queued = 0; queued <= 40000; queued += 2500)
        {
            const double part = queued <= 10000   ? 0
                                : queued <= 30000 ? 0.4 * (queued - 10000) / 20000
                                                  : 1;
            const double marked = CountMarked(marker, 3, queued, DRAWS);
            const double deviation = std::sqrt(DRAWS * part * (1 - part));
            test.Expect(std::abs(marked - part * DRAWS) <= 5 * deviation,
                        "seed " + std::to_string(seed) + ", " + std::to_string(queued) +
                            " bytes: " + std::to_string(marked) + " of " + std::to_string(DRAWS));
        }
    }
}

/// What waits for other outputs and of other classes does not count, and others are not marked.
void
TestClasses(FunctionCase& test)
{
    MarkRules rules = OnlyClass(2, {true, 1000, 1000, 1});
    rules[5] = {true, 9000, 9000, 1};
    CongestionMarker marker(rules, 3, 1);
    marker.Join(0, 2, 100000);
    marker.Join(1, 0, 100000);
    test.Expect(CountMarked(marker, 2, 0, 10) == 0, "other outputs and classes");
    test.Expect(CountMarked(marker, 2, 5000, 10) == 10, "its own rule");
    test.Expect(CountMarked(marker, 5, 5000, 10) == 0, "another's");
    test.Expect(CountMarked(marker, 0, 1 << 20, 10) == 0, "a class without marks");
    test.Expect(marker.QueuedBytes(1, 2) == 0 && marker.QueuedBytes(1, 0) == 100000, "bytes");
}

/// The same frames are marked whenever they are asked about in the same order.
void
TestDraws(FunctionCase& test)
{
    const MarkRules rules = OnlyClass(0, {true, 0, 1000, 1});
    CongestionMarker a(rules, 2, 9);
    CongestionMarker b(rules, 2, 9);
    CongestionMarker c(rules, 2, 10);
    uint32_t differ = 0;
    for (CongestionMarker* marker : {&a, &b, &c})
    {
        marker->Join(0, 0, 500);
    }
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const bool isMarked = a.Join(0, 0, 0);
        test.Expect(isMarked == b.Join(0, 0, 0), "equal seeds");
        differ += isMarked != c.Join(0, 0, 0);
    }
    test.Expect(differ > 400 && differ < 600, "another seed: " + std::to_string(differ));
}

/// Rules that contradict themselves.
void
TestBadRules(FunctionCase& test)
{
    const auto says = [&test](const MarkRule& rule, const std::string& words) {
        const std::string sentence = Refusal([&] { ValidateMarkRules(OnlyClass(4, rule)); });
        test.Expect(sentence.find("marks of class 4") == 0 &&
                        sentence.find(words) != std::string::npos &&
                        sentence.find("allowed is") != std::string::npos,
                    "'" + sentence + "' says '" + words + "'");
    };
    says({true, 2000, 1000, 1}, "MarkMinBytes is 2000 and MarkMaxBytes 1000");
    says({true, 0, (1U << 30) + 1, 1}, "MarkMaxBytes 1073741825");
    says({true, 0, 1, 0}, "MarkProbability is 0");
    says({true, 0, 1, 1.01}, "MarkProbability is 1.01");
    says({true, 0, 1, std::nan("")}, "MarkProbability is nan");
    says({true, 7, 7, 0.5}, "MarkProbability is 0.500000, and no queue is between");
    test.ExpectSame(Refusal([] { ValidateMarkRules({}); }), "", "none are marked");
    test.ExpectSame(Refusal([] {
                        ValidateMarkRules(OnlyClass(4, {true, 7, 7, 1}));
                    }),
                    "",
                    "one threshold");
    for (const char* text :
         {"0", "16:1:2:1", "0:1:2", "0:1:2:x", "0:1:2:1:", "0;1:2:1", "0:-1:2:1", ",", "a:1:2:1"})
    {
        MarkRules rules;
        const std::string sentence = Refusal([&] { ParseMarkRules(text, rules); });
        test.Expect(sentence.find("MarkRules: '") == 0, std::string(text) + ": " + sentence);
    }
}

/// Rules of single classes as text.
void
TestText(FunctionCase& test)
{
    MarkRules rules = OnlyClass(2, {true, 1, 2, 1});
    ParseMarkRules("", rules);
    test.Expect(rules[2].isOn && rules[2].maxBytes == 2, "nothing changes nothing");
    ParseMarkRules("0:65536:65536:1,3:20000:80000:0.1", rules);
    test.Expect(rules[0].isOn && rules[0].minBytes == 65536 && rules[0].maxBytes == 65536 &&
                    rules[0].probability == 1,
                "class 0");
    test.Expect(rules[3].isOn && rules[3].minBytes == 20000 && rules[3].maxBytes == 80000 &&
                    rules[3].probability == 0.1,
                "class 3");
    test.Expect(!rules[1].isOn && rules[2].isOn && IsAnyMarked(rules), "the others");
}

/// Counts the frames that leave a switch.
class MarkWatch : public SwitchObserver
{
  public:
    /// Frames of a port and class.
    struct Seen
    {
        uint64_t marked{0}; ///< With a mark.
        uint64_t all{0};    ///< In all.
    };

    std::map<std::pair<uint32_t, uint32_t>, Seen> sent; ///< By output and class.

  private:
    void Arrived(uint32_t, const Frame&, TimePs) override
    {
    }

    void Dropped(uint32_t, const Frame&, DropCause, TimePs) override
    {
    }

    void Sent(uint32_t port, const Frame& frame, TimePs) override
    {
        Seen& seen = sent[{port, frame.trafficClass}];
        seen.marked += frame.marked;
        ++seen.all;
    }
};

/// In a switch it is the congested output's frames that are marked, and their marks stay.
void
TestSwitch(FunctionCase& test)
{
    for (const bool flowChannels : {true, false})
    {
        const TopologyPlan plan = MakeChainPlan({3, 1});
        SwitchConfig config;
        config.flowChannels.enabled = flowChannels;
        config.marks = OnlyClass(1, {true, 20000, 20000, 1});
        const auto linkOf = [](std::size_t) {
            return std::make_pair(LinkRate(200'000'000'000), TimePs{100'000});
        };
        TestBed bed(plan, MakeShortestPathRouting(plan), config, {}, linkOf, true);
        MarkWatch watches[2];
        bed.Chip(0).SetObserver(&watches[0]);
        bed.Chip(1).SetObserver(&watches[1]);
        const uint32_t target = 4;
        for (uint32_t host = 0; host < 3; ++host)
        {
            for (uint8_t c = 0; c < 2; ++c)
            {
                bed.Send(host, target, 200000, c, 0);
            }
        }
        bed.Send(target, 0, 200000, 1, 0);
        for (TimePs time = 5'000'000; time < 60'000'000; time += 5'000'000)
        {
            bed.RunUntil(time);
            bed.Chip(0).CheckInvariants(); // counts by class are what waits
        }
        test.Expect(bed.Chip(0).Marker()->MarkedFrames() > 0, "some have waited by then");
        bed.RunToEnd();
        uint64_t marked[2] = {};
        for (uint32_t i = 0; i < 2; ++i)
        {
            for (const auto& [key, seen] : watches[i].sent)
            {
                marked[i] += seen.marked;
                test.Expect(key.second == 1 || seen.marked == 0, "class 0 is not marked");
            }
        }
        // All frames of class 1 but the first few find a queue at the link that three hosts share.
        test.Expect(marked[0] > 100 && marked[0] < 3 * 49 + 49, "first switch");
        test.Expect(marked[1] == marked[0], "marks stay, and the second is not congested");
        test.Expect(bed.Chip(0).Marker()->MarkedFrames() == marked[0], "counted once");
        bed.Chip(0).CheckInvariants();
    }
}

/// The mark is in the header on the wire.
void
TestHeader(FunctionCase& test)
{
    for (const bool isMarked : {false, true})
    {
        for (const bool isLast : {false, true})
        {
            Frame frame{};
            frame.src = 1;
            frame.dst = 2;
            frame.payload = 100;
            frame.kind = FrameKind::TRANSPORT;
            frame.lane = 15;
            frame.marked = isMarked;
            frame.last = isLast;
            const FabricHeader header = FabricHeader::FromFrame(frame);
            test.Expect(header.GetFlags() == (isMarked ? 2 : 0) + (isLast ? 1 : 0), "flags");
            auto packet = Create<Packet>();
            packet->AddHeader(header);
            FabricHeader read;
            packet->RemoveHeader(read);
            const Frame back = read.ToFrame();
            test.Expect(back.marked == isMarked && back.last == isLast && back.lane == 15 &&
                            back.kind == FrameKind::TRANSPORT,
                        "read back");
        }
    }
}

/// The suite.
class CongestionMarkerSuite : public TestSuite
{
  public:
    CongestionMarkerSuite()
        : TestSuite("fabric-congestion-marker", kUnit)
    {
        const auto add = [this](const std::string& name, const FunctionCase::Body& body) {
            AddTestCase(new FunctionCase(name, body), kQuick);
        };
        add("RT-14 equal thresholds mark all frames above them", TestThreshold);
        add("RT-14 between the thresholds the marked part rises in a line", TestRamp);
        add("RT-14 outputs and classes are marked by what waits of their own", TestClasses);
        add("RT-14 draws follow from the seed and their number", TestDraws);
        add("RT-14 rules out of range are refused with a sentence", TestBadRules);
        add("RT-14 classes have rules of their own", TestText);
        add("RT-14 a switch marks at the congested output, and marks stay", TestSwitch);
        add("WL-1 the header has the mark", TestHeader);
    }
};

CongestionMarkerSuite g_congestionMarkerSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
