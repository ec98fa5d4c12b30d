/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-byte-stream.h"
#include "fabric-foreign-messages.h"
#include "fabric-group-ranks.h"
#include "fabric-message-pieces.h"
#include "fabric-rank-link.h"
#include "fabric-rank-packet.h"
#include "fabric-rank-plan.h"
#include "fabric-test-compat.h"
#include "fabric-topology.h"
#include "support/fabric-function-case.h"

#include "ns3/flow-id-tag.h"
#include "ns3/socket.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

namespace
{

/// @return whether a call throws an exception of a type
template <typename Exception, typename Call>
bool
Throws(const Call& call)
{
    try
    {
        call();
    }
    catch (const Exception&)
    {
        return true;
    }
    return false;
}

void
TestByteStream(FunctionCase& test)
{
    ByteWriter writer;
    writer.Put(uint8_t{7});
    writer.PutAll(std::vector<uint32_t>{});
    writer.Put(std::pair<int64_t, double>(-3, 0.5).first);
    writer.PutAll(std::vector<uint16_t>{1, 2, 65535});
    const RankBytes one{5};
    test.Expect(!ByteReader(one).IsAtEnd(), "one byte is left");
    ByteReader reader(writer.Written());
    test.ExpectEqual(uint32_t{reader.Get<uint8_t>()}, 7U, "a byte");
    test.Expect(reader.GetAll<uint32_t>().empty(), "no values");
    test.ExpectEqual(reader.Get<int64_t>(), int64_t{-3}, "a number that is not aligned");
    test.Expect(reader.GetAll<uint16_t>() == std::vector<uint16_t>{1, 2, 65535}, "some values");
    test.Expect(reader.IsAtEnd(), "all is read");
    test.Expect(Throws<std::logic_error>([&] { reader.Get<uint8_t>(); }), "nothing is left");
}

/// @return a message of random bytes
RankBytes
MakeMessage(std::minstd_rand& random)
{
    // Pieces have 1900 bytes; the last one may have a single byte, or all.
    const bool isNearWhole = random() % 4 == 0;
    RankBytes message(isNearWhole ? 1'900 * (1 + random() % 3) + random() % 3 - 1
                                  : 1 + random() % 6'000);
    for (uint8_t& byte : message)
    {
        byte = static_cast<uint8_t>(random());
    }
    return message;
}

void
TestPieces(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        std::minstd_rand random(seed);
        MessageCutter cutter(seed);
        MessageJoiner joiner;
        std::vector<RankBytes> sent;
        std::vector<RankBytes> joined;
        for (uint32_t round = 0; round < 5; ++round)
        {
            std::vector<RankBytes> pieces;
            for (uint32_t messages = random() % 4; messages > 0; --messages)
            {
                sent.push_back(MakeMessage(random));
                cutter.Cut(sent.back(),
                           [&pieces](const RankBytes& piece) { pieces.push_back(piece); });
            }
            std::shuffle(pieces.begin(), pieces.end(), random); // those of one time
            for (const RankBytes& piece : pieces)
            {
                test.Expect(piece.size() < 2'000, "ns-3 takes no more");
                test.ExpectEqual(MessageCutter::SenderOf(piece), seed, "who has sent it");
                joiner.Take(piece, [&joined](const RankBytes& m) { joined.push_back(m); });
            }
            test.Expect(joined == sent, "all have come, in order, seed " + std::to_string(seed));
        }
    }
}

/// The same as ForeignMessages, by maps.
struct PlainRegister
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> handles;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> origins;
};

void
TestForeignMessages(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 50; ++seed)
    {
        std::minstd_rand random(seed);
        ForeignMessages foreign(3);
        PlainRegister plain;
        for (uint32_t step = 0; step < 300; ++step)
        {
            const std::pair<uint32_t, uint32_t> origin(random() % 3, random() % 20);
            const uint32_t handle = random() % 60;
            if (plain.handles.count(origin) == 0 && plain.origins.count(handle) == 0)
            {
                foreign.Begin({origin.first, origin.second}, handle);
                plain.handles[origin] = handle;
                plain.origins[handle] = origin;
            }
            const uint32_t ending = random() % 60;
            const ForeignMessages::Origin ended = foreign.End(ending);
            const auto expected = plain.origins.find(ending);
            const bool isForeign = expected != plain.origins.end();
            test.ExpectEqual(ended.rank != ForeignMessages::NO_RANK, isForeign, "is foreign");
            if (isForeign)
            {
                test.Expect(std::pair(ended.rank, ended.handle) == expected->second, "its origin");
                plain.handles.erase(expected->second);
                plain.origins.erase(expected);
            }
            for (const auto& [at, local] : plain.handles)
            {
                test.ExpectEqual(foreign.HandleOf({at.first, at.second}), local, "its handle here");
                test.ExpectEqual(foreign.OriginOf(local).handle, at.second, "its handle there");
            }
        }
    }
}

/// Each rank counts the members that it has, and the ranks that have others, as a list tells.
void
TestGroupRanks(FunctionCase& test)
{
    for (uint32_t seed = 1; seed <= 50; ++seed)
    {
        std::minstd_rand random(seed);
        const uint32_t ranks = 1 + random() % 4;
        std::vector<GroupRanks> views;
        for (uint32_t own = 0; own < ranks; ++own)
        {
            views.emplace_back(own);
        }
        for (uint32_t number = 0; number < 5; ++number)
        {
            std::vector<uint32_t> members(2 + random() % 6);
            for (uint32_t& rank : members)
            {
                rank = random() % ranks;
            }
            const auto group = static_cast<LocationId>(FIRST_GROUP + number);
            for (uint32_t own = 0; own < ranks; ++own)
            {
                views[own].Add(members);
                const auto here =
                    static_cast<uint32_t>(std::count(members.begin(), members.end(), own));
                std::set<uint32_t> others(members.begin(), members.end());
                others.erase(own);
                const std::vector<uint32_t>& found = views[own].OthersOf(group);
                test.ExpectEqual(uint32_t{views[own].MembersHere(group)}, here, "members here");
                test.Expect(std::set<uint32_t>(found.begin(), found.end()) == others &&
                                found.size() == others.size(),
                            "other ranks, each once");
                if (here > 0)
                {
                    test.ExpectEqual(std::size_t{views[own].CountTellers(group)},
                                     here - 1 + others.size(),
                                     "who tells of the end");
                }
            }
        }
    }
}

/// @return a packet of a few bytes with tags, written
RankBytes
WriteTagged()
{
    const std::array<uint8_t, 3> bytes{7, 8, 9};
    const auto packet = Create<Packet>(bytes.data(), bytes.size());
    SocketPriorityTag priority;
    priority.SetPriority(5);
    packet->AddPacketTag(priority);
    packet->AddByteTag(FlowIdTag(77));
    ByteWriter writer;
    writer.Put(uint8_t{0}); // so that the rest is not aligned
    WritePacket({packet, Mac48Address("02:00:00:00:00:01"), Mac48Address::GetBroadcast(), 0x0800},
                writer);
    return writer.Written();
}

void
TestPackets(FunctionCase& test)
{
    const RankBytes written = WriteTagged();
    ByteReader reader(written);
    reader.Get<uint8_t>();
    const CarriedPacket read = ReadPacket(reader);
    test.Expect(reader.IsAtEnd(), "all is read");
    test.Expect(read.source == Mac48Address("02:00:00:00:00:01"), "who sent it");
    test.Expect(read.destination.IsBroadcast(), "to whom");
    test.ExpectEqual(uint32_t{read.protocol}, 0x0800U, "its protocol");
    std::array<uint8_t, 3> bytes{};
    test.ExpectEqual(read.packet->CopyData(bytes.data(), bytes.size()), 3U, "its size");
    test.Expect(bytes == std::array<uint8_t, 3>{7, 8, 9}, "its bytes");
    SocketPriorityTag priority;
    FlowIdTag flow;
    test.Expect(read.packet->PeekPacketTag(priority), "its packet tag");
    test.ExpectEqual(uint32_t{priority.GetPriority()}, 5U, "what that says");
    test.Expect(read.packet->FindFirstMatchingByteTag(flow), "its byte tag");
    test.ExpectEqual(flow.GetFlowId(), 77U, "what that says");
}

/// @return bytes in which the number of a type, as ns-3 writes it, is that of none
RankBytes
WithoutType(RankBytes bytes, const TypeId& type)
{
    const TypeId::hash_t hash = type.GetHash();
    const auto* first = reinterpret_cast<const uint8_t*>(&hash);
    const auto found = std::search(bytes.begin(), bytes.end(), first, first + sizeof(hash));
    std::fill(found, found + sizeof(hash), uint8_t{0x5A});
    return bytes;
}

void
TestUnknownTags(FunctionCase& test)
{
    for (const TypeId& type : {SocketPriorityTag::GetTypeId(), FlowIdTag::GetTypeId()})
    {
        const RankBytes written = WithoutType(WriteTagged(), type);
        ByteReader reader(written);
        reader.Get<uint8_t>();
        test.Expect(Throws<std::invalid_argument>([&] { ReadPacket(reader); }),
                    type.GetName() + " is known");
    }
}

void
TestOneRank(FunctionCase& test)
{
    test.ExpectEqual(RankCount(), 1U, "nobody has enabled ranks");
    test.ExpectEqual(OwnRank(), 0U, "the only one");
    test.Expect(GatherFromRanks({1, 2}) == std::vector<RankBytes>{{1, 2}}, "its own bytes");
    test.Expect(SumOverRanks({5, 0}) == std::vector<uint64_t>{5, 0}, "its own numbers");
    test.Expect(MostOfRanks({5, 0}) == std::vector<uint64_t>{5, 0}, "its own numbers");
    test.Expect(CollectFromRanks(std::vector<int>{3, 4}) == std::vector<int>{3, 4},
                "its own records");
    if (!HasMpi())
    {
        test.Expect(Throws<std::invalid_argument>(EnableRanks), "there is no MPI");
    }
}

void
TestPlanOfOneRank(FunctionCase& test)
{
    TopologyPlan plan;
    plan.switches.resize(2);
    plan.hosts = {{0, 0}, {1, 0}, {1, 1}};
    const RankPlan ranks(plan);
    const NodeContainer hosts = ranks.MakeHosts();
    const NodeContainer switches = ranks.MakeSwitches();
    test.ExpectEqual(hosts.GetN(), 3U, "a node for each host");
    test.ExpectEqual(switches.GetN(), 2U, "a node for each switch");
    test.ExpectEqual(hosts.Get(2)->GetSystemId(), 0U, "on the one rank");
}

/// Tests of what is sent between ranks, as far as it goes with one; utils/run-rank-tests.py
/// compares runs on several.
class RanksTestSuite : public FunctionSuite
{
  public:
    RanksTestSuite()
        : FunctionSuite("fabric-ranks", kUnit)
    {
        Add("WL-7 values are read as they were written", TestByteStream);
        Add("WL-7 pieces that come in any order are put together again", TestPieces);
        Add("WL-7 handles of messages from other ranks", TestForeignMessages);
        Add("WL-7 FC-16 which ranks have members of groups", TestGroupRanks);
        Add("WL-7 packets keep their bytes and tags", TestPackets);
        Add("WL-7 a packet with an unknown tag is refused", TestUnknownTags);
        Add("WL-7 one rank is all ranks", TestOneRank);
        Add("WL-7 one rank runs all nodes", TestPlanOfOneRank);
    }
};

RanksTestSuite g_ranksTestSuite; ///< Registers itself.

} // namespace

} // namespace ns3::fabric
