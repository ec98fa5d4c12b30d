/* SPDX-License-Identifier: GPL-2.0-only */

// A broadcast from one host to others: by a group, whose frames the switches copy (FC-16), by a
// binomial tree of messages that hosts send on, or by messages of the source to each.

#include "ns3/fabric-binomial-tree.h"
#include "ns3/fabric-group-helper.h"
#include "ns3/fabric-ideal-paths.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// How a broadcast is made.
enum class By
{
    GROUP,  ///< Switches copy frames.
    TREE,   ///< Hosts send on, in a binomial tree.
    SOURCE, ///< The source sends to each.
};

/// What the options say.
struct Choice
{
    By by{By::GROUP};       ///< `--by`
    uint32_t members{0};    ///< `--members`
    uint32_t stride{1};     ///< `--stride`
    uint64_t bytes{65'536}; ///< `--bytes`
};

/// Adds the options of the program.
void
AddOptions(FabricRun& run, Choice& choice)
{
    run.AddTreeOptions();
    fabric::ProgramOptions& options = run.GetOptions();
    options.AddRanks();
    options.Add(
        "by",
        "group: switches copy frames; tree: hosts send on, in a binomial tree; source: the "
        "source sends to each",
        choice.by,
        fabric::EnumType<By>({{"group", By::GROUP}, {"tree", By::TREE}, {"source", By::SOURCE}}));
    options.Add("members",
                "hosts that take part, with the source, which is host 0; 0 for all",
                choice.members,
                fabric::CountType(0U, uint32_t{fabric::MAX_HOSTS}));
    options.Add("stride",
                "each so many hosts one takes part",
                choice.stride,
                fabric::CountType(1U, uint32_t{fabric::MAX_HOSTS}));
    options.Add("bytes",
                "size of the message",
                choice.bytes,
                fabric::SizeType(1, uint64_t{1} << 40));
}

/// @return the hosts that take part, the source first
std::vector<uint32_t>
MembersOf(const FabricContainer& fabric, const Choice& choice)
{
    const uint32_t most = (fabric.hosts.GetN() - 1) / choice.stride + 1;
    const uint32_t count = choice.members == 0 ? most : choice.members;
    if (most < 2)
    {
        throw fabric::BadInput("--stride=" + std::to_string(choice.stride) + ": of " +
                               std::to_string(fabric.hosts.GetN()) +
                               " hosts that leaves the source alone; allowed is a smaller one, or "
                               "more hosts");
    }
    if (count < 2 || count > most)
    {
        throw fabric::BadInput("--members=" + std::to_string(choice.members) +
                               ": allowed is 0, or "
                               "2 to " +
                               std::to_string(most) + ", with " +
                               std::to_string(fabric.hosts.GetN()) +
                               " hosts and --stride=" + std::to_string(choice.stride));
    }
    std::vector<uint32_t> members(count);
    for (uint32_t i = 0; i < count; ++i)
    {
        members[i] = i * choice.stride;
    }
    return members;
}

/// A broadcast, and when it should end in an empty fabric.
class Broadcast
{
  public:
    Broadcast(const FabricContainer& fabric,
              const std::vector<uint32_t>& members,
              const Choice& choice)
        : m_fabric(fabric),
          m_members(members),
          m_choice(choice),
          m_tree(static_cast<uint32_t>(members.size())),
          m_paths(fabric.network)
    {
        if (choice.by == By::TREE)
        {
            for (uint32_t rank = 1; rank < members.size(); ++rank)
            {
                fabric.GetDevice(members[rank])
                    ->SetMessageCallback(Callback<void, const fabric::Message&>(
                        [this, rank](const fabric::Message&) { SendOn(rank); }));
            }
        }
        else if (choice.by == By::GROUP)
        {
            m_groups.emplace(fabric);
            m_group = m_groups->Create(members);
        }
    }

    /// The source sends.
    void Start()
    {
        if (m_fabric.GetDevice(m_members[0])->IsElsewhere())
        {
            return; // the rank of the source does it
        }
        switch (m_choice.by)
        {
        case By::GROUP:
            m_fabric.GetDevice(m_members[0])->SendMessage(m_group, m_choice.bytes);
            break;
        case By::TREE:
            SendOn(0);
            break;
        case By::SOURCE:
            for (std::size_t i = 1; i < m_members.size(); ++i)
            {
                Send(0, i);
            }
            break;
        }
    }

    /// @return when the last member has it if no message waits for those of others
    Time GetExpected() const
    {
        fabric::TimePs last = 0;
        switch (m_choice.by)
        {
        case By::GROUP:
            return m_groups->GetIdealTime(m_group, m_members[0], m_choice.bytes);
        case By::TREE:
            last = LastBelow(0, 0);
            break;
        case By::SOURCE:
            for (std::size_t i = 1; i < m_members.size(); ++i)
            {
                last = std::max(last, EndOf(0, i, i - 1, m_members.size() - 1, 0));
            }
            break;
        }
        return PicoSeconds(last);
    }

  private:
    /**
     * @param from a rank, which sends messages to others at the same time: their frames have turns
     * @param to rank of the receiver
     * @param place of this message among them
     * @param count of them
     * @param at when they are sent, ps
     * @return when this message has arrived, if it waits for others on the sender's link alone, ps
     */
    fabric::TimePs EndOf(std::size_t from,
                         std::size_t to,
                         std::size_t place,
                         std::size_t count,
                         fabric::TimePs at) const
    {
        fabric::EmptyPath path =
            m_paths.Find(fabric::LocationOf(m_members[from]), fabric::LocationOf(m_members[to]));
        const uint32_t payload = path.Payload();
        const fabric::LinkRate& rate = path.Links().front().rate;
        const auto last = static_cast<uint32_t>((m_choice.bytes - 1) % payload + 1);
        const uint64_t before = (m_choice.bytes - last) / payload;
        const fabric::TimePs full = rate.TxTime(fabric::WireBytes(payload));
        for (uint64_t frame = 0; frame < before; ++frame)
        {
            path.Send(at + static_cast<fabric::TimePs>(frame * count + place) * full, payload);
        }
        const fabric::TimePs rest = rate.TxTime(fabric::WireBytes(last));
        return path.Send(at + static_cast<fabric::TimePs>(before * count) * full +
                             static_cast<fabric::TimePs>(place) * rest,
                         last);
    }

    /// @return when the last rank below one has it, which has it itself at a time, ps
    fabric::TimePs LastBelow(uint32_t rank, fabric::TimePs at) const
    {
        fabric::TimePs last = at;
        const std::vector<uint32_t> children = m_tree.ChildrenOf(rank);
        for (std::size_t i = 0; i < children.size(); ++i)
        {
            const fabric::TimePs arrival = EndOf(rank, children[i], i, children.size(), at);
            last = std::max(last, LastBelow(children[i], arrival));
        }
        return last;
    }

    /// A rank sends to its children in the tree.
    void SendOn(uint32_t rank)
    {
        for (const uint32_t child : m_tree.ChildrenOf(rank))
        {
            Send(rank, child);
        }
    }

    /// A rank sends to another.
    void Send(std::size_t from, std::size_t to)
    {
        m_fabric.GetDevice(m_members[from])
            ->SendMessage(fabric::LocationOf(m_members[to]), m_choice.bytes);
    }

    const FabricContainer& m_fabric;           ///< Of the run.
    const std::vector<uint32_t>& m_members;    ///< Hosts, by rank.
    const Choice& m_choice;                    ///< Of the user.
    fabric::BinomialTree m_tree;               ///< Of the ranks.
    FabricIdealPaths m_paths;                  ///< Of the fabric.
    std::optional<FabricGroupHelper> m_groups; ///< Makes the group, if there is one.
    fabric::LocationId m_group{0};             ///< Of the members, if there is one.
};

/// Runs the program.
void
Run(FabricRun& run, const Choice& choice)
{
    const FabricContainer& fabric = run.InstallTree();
    const std::vector<uint32_t> members = MembersOf(fabric, choice);
    Broadcast broadcast(fabric, members, choice);
    Simulator::ScheduleNow(&Broadcast::Start, &broadcast);
    run.RunUntilDelivered(0, members.size() - 1);
    fabric::Summary& summary = run.GetSummary();
    summary.AddTime("completion_time", {}, run.GetLastDelivery().GetPicoSeconds());
    summary.AddTime("expected_time", {}, broadcast.GetExpected().GetPicoSeconds());
    summary.AddDistribution("fct", {}, run.GetCompletionTimes(0), "s");
    summary.Add("members", {}, members.size(), "1");
    run.Finish();
}

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        Choice choice;
        FabricRun run("fabric-multicast.cc",
                      "A broadcast: by switches that copy frames, by hosts that send on, or by its "
                      "source alone.");
        AddOptions(run, choice);
        run.Parse(argc, argv);
        Run(run, choice);
        return fabric::EXIT_DONE;
    });
}
