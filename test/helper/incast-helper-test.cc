/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fat-tree-helper.h"
#include "fabric-incast-helper.h"
#include "fabric-net-device.h"
#include "fabric-victim-helper.h"
#include "network/fabric-network-scenario.h"
#include "support/fabric-function-case.h"
#include "support/fabric-refusal.h"

#include "ns3/nstime.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return 32 hosts at eight switches
FabricContainer
InstallIncastTree()
{
    FatTreeConfig config;
    config.levels = 2;
    config.radix = 8;
    return FatTreeHelper(config).Install();
}

/// @return when an application begins
Time
StartOf(const Ptr<Application>& application)
{
    TimeValue start;
    application->GetAttribute("StartTime", start);
    return start.Get();
}

/// Of the first k candidates, whatever k is, so many are chosen as is their share, or one more or
/// less.
void
ExpectEvenlySpread(FunctionCase& self,
                   const std::vector<uint32_t>& candidates,
                   const std::vector<uint32_t>& chosen,
                   const std::string& what)
{
    uint64_t found = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k)
    {
        found += std::count(chosen.begin(), chosen.end(), candidates[k]);
        const double share =
            static_cast<double>(chosen.size() * (k + 1)) / static_cast<double>(candidates.size());
        self.ExpectNear(static_cast<double>(found), share, 1, what);
    }
    self.ExpectEqual(found, chosen.size(), what + ": candidates");
}

/// Any number of senders is spread over all hosts but the receivers and the victim's sender.
void
TestIncastSenders(FunctionCase& self)
{
    const Simulation simulation;
    const FabricContainer fabric = InstallIncastTree();
    const uint32_t hosts = fabric.hosts.GetN();
    std::vector<uint32_t> candidates;
    for (uint32_t host = IncastHelper::VICTIM_RECEIVER + 1; host + 1 < hosts; ++host)
    {
        candidates.push_back(host);
    }
    self.ExpectEqual(IncastHelper::GetMaxSenders(fabric), candidates.size(), "most");
    for (uint32_t count = 1; count <= candidates.size(); ++count)
    {
        const std::vector<uint32_t> senders = IncastHelper(count, 1000).GetSenders(fabric);
        ExpectEvenlySpread(self, candidates, senders, std::to_string(count) + " senders");
        self.Expect(std::is_sorted(senders.begin(), senders.end()), "rising");
    }
    for (const uint32_t count : {0U, hosts - 2})
    {
        self.Expect(!Refusal([&] { IncastHelper(count, 1000).GetSenders(fabric); }).empty(),
                    Text(count, " senders are refused"));
    }
}

/// Each sender begins at a time of its own: by five standard deviations at the middle on average.
void
TestIncastStarts(FunctionCase& self)
{
    const Simulation simulation;
    const FabricContainer fabric = InstallIncastTree();
    const Time begin = MicroSeconds(3);
    const Time jitter = MicroSeconds(10);
    IncastHelper incast(29, 1000);
    incast.SetStart(begin, jitter);
    incast.SetStream(7);
    const std::vector<Time> starts = incast.GetStarts();
    const ApplicationContainer applications = incast.Install(fabric);
    self.ExpectEqual(applications.GetN(), starts.size(), "senders");
    double later = 0;
    std::set<Time> different;
    for (uint32_t i = 0; i < starts.size(); ++i)
    {
        const Time start = StartOf(applications.Get(i));
        self.ExpectEqual(start, starts[i], "the same with the same stream");
        self.Expect(start >= begin && start <= begin + jitter, "within the jitter");
        later += (start - begin).GetSeconds();
        different.insert(start);
    }
    const double count = static_cast<double>(starts.size());
    self.ExpectNear(later / count,
                    jitter.GetSeconds() / 2,
                    5 * jitter.GetSeconds() / std::sqrt(12 * count),
                    "average");
    self.Expect(different.size() > starts.size() / 2, "not all at once");
}

/// Who is in which part of an incast.
struct IncastHosts
{
    IncastHosts(const FabricContainer& fabric, const std::vector<uint32_t>& itsSenders)
        : senders(itsSenders)
    {
        for (uint32_t host = 0; host < fabric.hosts.GetN(); ++host)
        {
            const bool isSender = std::binary_search(senders.begin(), senders.end(), host);
            const bool isNear = fabric.GetDevice(host)->GetSwitch() ==
                                fabric.GetDevice(IncastHelper::RECEIVER)->GetSwitch();
            if (isSender && !isNear)
            {
                farSenders.push_back(host);
            }
            if (!isSender && host != IncastHelper::RECEIVER)
            {
                (isNear ? neighbours : idle).push_back(host);
            }
        }
    }

    std::vector<uint32_t> senders;    ///< All.
    std::vector<uint32_t> farSenders; ///< At other switches than the receiver.
    std::vector<uint32_t> neighbours; ///< At the receiver's switch, without a part in it.
    std::vector<uint32_t> idle;       ///< At other switches, without a part in it.
};

/// Victims of each kind, as many as there may be, begin and end where they should.
void
TestVictims(FunctionCase& self)
{
    using From = VictimHelper::From;
    using To = VictimHelper::To;
    const Simulation simulation;
    const FabricContainer fabric = InstallIncastTree();
    const IncastHosts hosts(fabric, IncastHelper(9, 1000).GetSenders(fabric));
    const auto idleMiddle = hosts.idle.begin() + static_cast<std::ptrdiff_t>(hosts.idle.size() / 2);
    for (const auto& [from, to] : {std::pair(From::OWN_HOST, To::RECEIVER_SWITCH),
                                   std::pair(From::OWN_HOST, To::ELSEWHERE),
                                   std::pair(From::SENDER_HOST, To::RECEIVER_SWITCH),
                                   std::pair(From::SENDER_HOST, To::ELSEWHERE)})
    {
        const bool isOwn = from == From::OWN_HOST;
        const std::vector<uint32_t> sources =
            isOwn ? std::vector<uint32_t>(idleMiddle, hosts.idle.end()) : hosts.farSenders;
        const std::vector<uint32_t> idle =
            isOwn ? std::vector<uint32_t>(hosts.idle.begin(), idleMiddle) : hosts.idle;
        const std::vector<uint32_t>& sinks = to == To::ELSEWHERE ? idle : hosts.neighbours;
        const auto make = [&fabric, &hosts, kind = std::pair(from, to)](uint32_t count) {
            return VictimHelper(fabric,
                                IncastHelper::RECEIVER,
                                hosts.senders,
                                kind.first,
                                kind.second,
                                count);
        };
        const auto most = static_cast<uint32_t>(std::min(sources.size(), sinks.size()));
        for (uint32_t count = 1; count <= most; ++count)
        {
            std::vector<uint32_t> begins;
            std::vector<uint32_t> ends;
            const VictimHelper helper = make(count);
            for (const auto& [begin, end] : helper.GetVictims())
            {
                begins.push_back(begin);
                ends.push_back(end);
            }
            const std::string what = std::to_string(count) + " victims";
            ExpectEvenlySpread(self, sources, begins, what + ", begins");
            ExpectEvenlySpread(self, sinks, ends, what + ", ends");
            const uint32_t half = count / 2;
            for (uint32_t i = 0; i < half; ++i)
            {
                self.Expect(ends[i] > ends[count - 1 - i],
                            what + ": one half sends to the other one");
            }
        }
        self.Expect(!Refusal([&] { make(most + 1); }).empty(), "more than there are hosts");
    }
}

/// Victims take turns: all are at equal distances within an interval.
void
TestVictimStarts(FunctionCase& self)
{
    const Simulation simulation;
    const FabricContainer fabric = InstallIncastTree();
    const Time interval = MicroSeconds(20);
    const VictimHelper helper(fabric,
                              IncastHelper::RECEIVER,
                              IncastHelper(9, 1000).GetSenders(fabric),
                              VictimHelper::From::SENDER_HOST,
                              VictimHelper::To::ELSEWHERE,
                              8);
    const ApplicationContainer applications = helper.Install(1000, interval);
    self.ExpectEqual(applications.GetN(), 8, "victims");
    for (uint32_t i = 0; i < applications.GetN(); ++i)
    {
        self.ExpectEqual(StartOf(applications.Get(i)),
                         NanoSeconds(2500 * i),
                         Text("victim ", i, " of 8 in 20 us"));
    }
}

/// The suite.
class IncastHelperSuite : public FunctionSuite
{
  public:
    IncastHelperSuite()
        : FunctionSuite("fabric-incast-helper", kUnit)
    {
        Add("SC-2 senders are spread over the fabric", TestIncastSenders);
        Add("SC-2 senders begin at random times", TestIncastStarts);
        Add("SC-2 victims are spread over the fabric", TestVictims);
        Add("SC-2 victims begin in turn", TestVictimStarts);
    }
};

const IncastHelperSuite g_incastHelperSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
