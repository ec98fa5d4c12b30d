/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-bed-state.h"
#include "fabric-function-case.h"
#include "fabric-refusal.h"
#include "fabric-small-dragonfly.h"
#include "fabric-test-bed.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// All modes deliver all frames, the same with look-ahead and without, and leave nothing.
void
TestAllModes(FunctionCase& test)
{
    const TestSeeds seeds(2);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (const auto mode : {DRAGONFLY_MINIMAL, DRAGONFLY_VALIANT, DRAGONFLY_UGAL})
        {
            for (const bool isSprayed : {false, true})
            {
                const std::string name = "seed " + std::to_string(seed) + ", mode " +
                                         std::to_string(mode) + (isSprayed ? ", sprayed" : "");
                SmallDragonfly dragonfly(mode);
                if (isSprayed)
                {
                    dragonfly.Spray();
                }
                TestBed bed = dragonfly.Build();
                TestBed slow = dragonfly.Build(false);
                for (TestBed* one : {&bed, &slow})
                {
                    SendAnything(*one, seed);
                    one->RunToEnd();
                    one->Check();
                }
                test.ExpectEqual(bed.Deliveries().size(), std::size_t{400}, name + ": all arrive");
                test.Expect(bed.IsEmpty(), name + ": nothing is left");
                test.ExpectEqual(Difference(StateOf(bed), StateOf(slow)), std::string(), name);
            }
        }
    }
}

/// Frames of a flow stay in their order, though flows choose anew.
void
TestOrderOfFlows(FunctionCase& test)
{
    SmallDragonfly dragonfly(DRAGONFLY_UGAL);
    TestBed bed = dragonfly.Build();
    for (uint32_t n = 0; n < 60; ++n)
    {
        for (uint32_t host = 0; host < 72; ++host)
        {
            bed.Send(host, (host + 8) % 72, 6000, 0, n * TimePs{700'000});
        }
    }
    bed.RunToEnd();
    std::map<LocationId, uint32_t> next;
    for (const TestBed::Delivery& delivery : bed.Deliveries())
    {
        test.ExpectEqual(delivery.sequence, next[delivery.src]++, "order of a flow");
    }
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{72 * 60}, "all arrive");
}

/// @return bytes that each host has got of those that it is sent by the next group at a load, of
/// the link's rate; what comes in the first part of the run does not count
double
AdversarialLoad(DragonflyMode mode, double load, bool tells = false)
{
    constexpr TimePs BEGIN = 20'000'000;
    constexpr TimePs END = 60'000'000;
    constexpr uint32_t BYTES = 4096;
    SmallDragonfly dragonfly(mode);
    dragonfly.config.congestion.neighbourLoads.isOn = tells;
    TestBed bed = dragonfly.Build();
    std::minstd_rand random(11);
    const auto gap =
        static_cast<TimePs>(BYTES * 8e12 / (static_cast<double>(DRAGONFLY_RATE) * load));
    for (uint32_t host = 0; host < 72; ++host)
    {
        for (TimePs at = static_cast<TimePs>(random() % gap); at < END; at += gap)
        {
            bed.Send(host, (host / 8 * 8 + 8 + random() % 8) % 72, BYTES, 0, at);
        }
    }
    bed.RunUntil(END);
    uint64_t bytes = 0;
    for (const TestBed::Delivery& delivery : bed.RawDeliveries())
    {
        bytes += delivery.at >= BEGIN ? delivery.bytes : 0;
    }
    return static_cast<double>(bytes) * 8e12 /
           (static_cast<double>(END - BEGIN) * static_cast<double>(DRAGONFLY_RATE) * 72);
}

/// Adversarial traffic: all hosts of a group send to the next (Kim et al., ISCA 2008, figure 8b).
void
TestAdversarial(FunctionCase& test)
{
    // One link for the 8 hosts of a group.
    const double minimal = AdversarialLoad(DRAGONFLY_MINIMAL, 0.4);
    test.Expect(minimal > 0.11 && minimal < 0.126, "minimal: " + std::to_string(minimal));
    // Two global links for each frame, 7 of the 8 of a group: 7 / 16 at most.
    const double valiant = AdversarialLoad(DRAGONFLY_VALIANT, 0.4);
    test.Expect(valiant > 0.37 && valiant < 0.4376, "Valiant: " + std::to_string(valiant));
    for (const double load : {0.1, 0.4})
    {
        for (const bool tells : {false, true})
        {
            const double ugal = AdversarialLoad(DRAGONFLY_UGAL, load, tells);
            test.Expect(ugal > 0.93 * load, Text("UGAL, ", tells, ": ", ugal));
        }
    }
}

/// Settings with which paths could deadlock are refused.
void
TestSettingsOfHops(FunctionCase& test)
{
    const auto refusal = [](const std::function<void(SwitchConfig&)>& change, DragonflyMode mode) {
        SmallDragonfly dragonfly(mode);
        change(dragonfly.config);
        return Refusal([&dragonfly] { dragonfly.Build(); });
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    const auto two = [](SwitchConfig& c) { c.buffer.shares.virtualChannels = 2; };
    test.Expect(has(refusal(two, DRAGONFLY_UGAL), "more than VirtualChannels (2)"), "channels");
    test.Expect(refusal(two, DRAGONFLY_MINIMAL).empty(), "minimal needs two");
    const auto classes = [](SwitchConfig& c) { c.buffer.vcOfClass[3] = 1; };
    test.Expect(refusal(classes, DRAGONFLY_MINIMAL).empty(), "two sets of two");
    test.Expect(has(refusal(classes, DRAGONFLY_VALIANT), "4 for each of the 2"), "two of four");
    const auto pauses = [](SwitchConfig& c) { c.linkControl.flowControl = LINK_PRIORITY_PAUSE; };
    test.Expect(has(refusal(pauses, DRAGONFLY_UGAL), "LinkFlowControl=credits"), "pauses");
}

/// Two classes of minimal routing have channels of their own.
void
TestClassesOfMinimal(FunctionCase& test)
{
    SmallDragonfly dragonfly(DRAGONFLY_MINIMAL);
    dragonfly.config.buffer.vcOfClass[1] = 1;
    TestBed bed = dragonfly.Build();
    for (uint32_t host = 0; host < 72; ++host)
    {
        bed.Send(host, (host + 8) % 72, 40'000, host % 2, 0);
    }
    bed.RunToEnd();
    bed.Check();
    test.ExpectEqual(bed.Deliveries().size(), std::size_t{72}, "all arrive");
}

/// A failed link is routed around as far as the mode has other ways, and used again.
void
TestFailedLinks(FunctionCase& test)
{
    const TestSeeds seeds(6);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::minstd_rand random(seed);
        SmallDragonfly dragonfly(random() % 2 == 0 ? DRAGONFLY_UGAL : DRAGONFLY_VALIANT);
        if (random() % 2 == 0)
        {
            dragonfly.Spray();
        }
        const std::size_t links = Dragonfly(dragonfly.shape).GetPlan().links.size();
        const std::size_t failed = random() % links;
        TestBed bed = dragonfly.Build();
        TestBed slow = dragonfly.Build(false);
        for (TestBed* one : {&bed, &slow})
        {
            // All know of it before the first frame: none is lost.
            one->FailLink(failed, 1'000, NEVER, 1'000);
            for (uint32_t host = 0; host < 72; ++host)
            {
                for (uint32_t n = 1; n < 72; ++n)
                {
                    one->Send(host, (host + n) % 72, 500, 0, 10'000'000);
                }
            }
            one->RunToEnd();
            one->Check();
        }
        const std::string name =
            "seed " + std::to_string(seed) + ", link " + std::to_string(failed);
        test.ExpectEqual(bed.Deliveries().size(), std::size_t{72 * 71}, name + ": all arrive");
        test.ExpectEqual(Difference(StateOf(bed), StateOf(slow)), std::string(), name);
    }
}

/// A flow whose link fails goes on by the channels of its new way: from the last link inside a
/// group, which is left, to a detour. Frames that waited go there too.
void
TestChannelOfNewPath(FunctionCase& test)
{
    SmallDragonfly dragonfly(DRAGONFLY_UGAL);
    const Dragonfly shape(dragonfly.shape);
    const std::vector<LinkPlan>& links = shape.GetPlan().links;
    const auto isDirect = [](const LinkPlan& link) {
        return link.switchA == 0 && link.switchB == 1;
    };
    const auto link = std::find_if(links.begin(), links.end(), isDirect) - links.begin();
    TestBed bed = dragonfly.Build();
    constexpr uint64_t MESSAGES = 600;
    for (uint64_t n = 0; n < MESSAGES; ++n)
    {
        // From switch 0 to switch 1, twice as much as the link between them takes: frames wait.
        bed.Send(n % 2, 2 + n % 2, MAX_PAYLOAD, 0, 0);
    }
    bed.FailLink(static_cast<std::size_t>(link), 30'000'000, NEVER, 1'000'000);
    bed.RunUntil(34'000'000);
    uint32_t flows = 0;
    for (const std::size_t between : {2, 3})
    {
        for (uint32_t port = 0; port < bed.Chip(between).Config().ports; ++port)
        {
            for (const FlowRecord& record : bed.Chip(between).InputFlows(port).Records())
            {
                flows += record.Is(FlowRecord::OPEN);
                test.Expect(!record.Is(FlowRecord::OPEN) || record.arrivedOn == 1,
                            Text("came on channel ", uint32_t{record.arrivedOn}));
            }
        }
    }
    test.ExpectEqual(flows, 2, "flows on detours");
    bed.RunToEnd();
    bed.Check();
    uint64_t noRoute = 0;
    uint64_t linkDown = 0;
    for (std::size_t chip = 0; chip < bed.Chips(); ++chip)
    {
        const auto& dropped = bed.Chip(chip).Counts().droppedPayload;
        noRoute += dropped[static_cast<std::size_t>(DropCause::NO_ROUTE)];
        linkDown += dropped[static_cast<std::size_t>(DropCause::LINK_DOWN)];
    }
    test.ExpectEqual(noRoute, 0, "bytes that find no way");
    test.Expect(linkDown > 0 && linkDown < 40 * MAX_PAYLOAD, Text("lost: ", linkDown));
    test.ExpectEqual(bed.Deliveries().size() * MAX_PAYLOAD + linkDown,
                     MESSAGES * MAX_PAYLOAD,
                     "all others arrive");
    test.Expect(bed.IsEmpty(), "nothing is left");
}

/// Suite of traffic through a dragonfly.
class DragonflyTrafficSuite : public FunctionSuite
{
  public:
    DragonflyTrafficSuite()
        : FunctionSuite("fabric-dragonfly-traffic", kUnit)
    {
        Add("FC-13 DP-5 a dragonfly delivers all, with and without look-ahead", TestAllModes);
        Add("FC-10 FC-11 order of flows in a dragonfly", TestOrderOfFlows);
        Add("FC-12 adversarial traffic", TestAdversarial);
        Add("FC-13 settings that do not go with hops by channel", TestSettingsOfHops);
        Add("SU-6 two classes, each with its channels", TestClassesOfMinimal);
        Add("WL-8 failed links of a dragonfly", TestFailedLinks);
        Add("WL-8 SU-6 a flow takes the channels of its new path", TestChannelOfNewPath);
    }
};

DragonflyTrafficSuite g_dragonflyTrafficSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
