/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_TARGET_H
#define FABRIC_COMMAND_TARGET_H

#include "fabric-command-arguments.h"
#include "fabric-command-packet.h"
#include "fabric-command-sender.h"
#include "fabric-command-settings.h"
#include "fabric-command-steps.h"
#include "fabric-event-writer.h"
#include "fabric-handle-table.h"
#include "fabric-matcher.h"
#include "fabric-pcie-link.h"

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ns3::fabric
{

/// What has become of messages so far.
struct CommandMatchCounts
{
    uint64_t matched{0};    ///< Somebody waited for them.
    uint64_t unexpected{0}; ///< Nobody did.
    uint64_t refused{0};    ///< And there was no room for them.
    uint64_t found{0};      ///< Unexpected ones that an entry has taken.
    uint64_t truncated{0};  ///< Of all that software got.
    uint64_t fetched{0};    ///< Rendezvous: the rest was asked for.
    uint64_t bytes{0};      ///< That software got.
    uint64_t disabled{0};   ///< Times that messages were refused from then on.
    uint64_t lost{0};       ///< Their connection failed before all was there.
};

/**
 * Messages with match bits at their target (NQ-12, NQ-14): commands of target queues, the lists,
 * and the state of each message until software has it.
 *
 *     data -> match -> its entry's buffer -> fetch the rest (rendezvous) -> acknowledge, event
 *               |                                 ^
 *               +--> an overflow buffer --> append
 */
class CommandTarget
{
  public:
    /// @param settings that are valid; stay where they are
    CommandTarget(const CommandSettings& settings,
                  PcieLink& pcie,
                  CommandSender& sender,
                  EventWriter& events,
                  CounterTable& counters,
                  const CommandSteps& steps)
        : m_settings(settings),
          m_pcie(pcie),
          m_sender(sender),
          m_events(events),
          m_counters(counters),
          m_steps(steps),
          m_matcher(settings.matching.entries, settings.matching.unexpected)
    {
    }

    /// Does a command. @param queue of it, for targets
    void Do(uint32_t queue, const Command& command, const CommandArguments& arguments, TimePs now);

    /**
     * Data of a message comes to the lists.
     *
     * @param back flow to who has sent it
     * @param connection tracked: on which it comes
     * @return whether it is taken; not with flow control and without room, and then it comes again
     */
    bool TakeData(const CommandPacket& packet,
                  const MessageFlow& back,
                  uint32_t connection,
                  TimePs now);

    /// A message begins. @return whether it may, as far as flow control and its event go
    bool Admits(TimePs now);

    /// A message that was admitted does not come.
    void Release();

    /// Software gets the event of a message. @param copy it copies so long, ps
    /// @return when it sees it, NEVER if the event is lost, ps
    TimePs Tell(PcieStream& order, const CommandReport& report, TimePs at, TimePs copy = 0);

    /// A connection has failed, and with it all messages of which something has not come.
    void Fail(uint32_t connection, TimePs now);

    /// Data comes that was asked for. @param packet for a message here
    void TakeReply(const CommandPacket& packet, TimePs at);

    const CommandMatchCounts& Counts() const
    {
        return m_counts;
    }

    /// @return messages that software does not have yet
    std::size_t Open() const
    {
        return m_messages.UnderWay();
    }

    /// @return the lists
    const Matcher& Lists() const
    {
        return m_matcher;
    }

  private:
    /// A message that software does not have yet.
    struct Message
    {
        MessageFlow back;         ///< To who has sent it.
        uint32_t id{0};           ///< There.
        uint32_t connection{0};   ///< Tracked: on which it comes.
        uint16_t peerTurn{0};     ///< There, see CommandPacket::turn.
        uint16_t turn{0};         ///< Here.
        bool isOpen{false};       ///< Whether it is one.
        uint64_t bits{0};         ///< Match bits.
        TimePs postedAt{0};       ///< When its initiator asked for it, ps.
        uint64_t length{0};       ///< That was sent, bytes.
        uint64_t eager{0};        ///< Of these, come by themselves.
        uint64_t got{0};          ///< Of these, have come.
        uint64_t kept{0};         ///< Bytes that the first buffer has room for.
        uint64_t want{0};         ///< Bytes that its entry has room for.
        uint64_t fetching{0};     ///< Bytes that were asked for and have not come.
        uint64_t tag{0};          ///< Of its entry.
        uint64_t offset{0};       ///< In the buffer of its entry.
        uint16_t counter{0};      ///< Of its entry.
        bool hasEntry{false};     ///< Whether software has waited for it, or does so now.
        bool isUnexpected{false}; ///< Whether that was later.
        bool isUnlinked{false};   ///< Whether its entry has left its list.
        bool isDropped{false};    ///< Whether nobody gets it.

        /// @return whether all has come that comes by itself
        bool IsThere() const
        {
            return got == eager;
        }

        /// @return whether the target fetches what does not come by itself
        bool IsRendezvous() const
        {
            return eager < length;
        }
    };

    /// @return when the lists have looked at as many entries as the last call says, ps
    TimePs Pass(TimePs now);
    /// @return number of a message whose first packet this is; nothing if it comes again
    std::optional<uint32_t> Begin(const CommandPacket& packet,
                                  const MessageFlow& back,
                                  uint32_t connection,
                                  TimePs& at);

    /// @return what a message is called by its initiator
    static CommandName NameOf(const Message& message)
    {
        return {message.back.dst, message.peerTurn, message.id, false};
    }

    /// @return what software learns of a message
    static CommandReport ReportOf(const Message& message);
    /// No message is taken until software says so.
    void Disable(TimePs at);
    /// They are taken again.
    void Enable(CommandReport report, TimePs now);
    /// A message does not come any more.
    void Lose(uint32_t number, TimePs at);
    /// All of a message is there that comes by itself.
    void Settle(uint32_t number, TimePs at);
    /// A message has an entry and is there: the rest is fetched, or software gets it.
    void Finish(uint32_t number, TimePs at);
    /// Software gets a message.
    void Give(uint32_t number, TimePs at);
    /// Tells the initiator how it ended.
    void Acknowledge(const Message& message, bool isRefused, TimePs at);
    /// A message meets the entry of a command.
    void Claim(const FoundMessage& found, const MatchEntry& entry, bool isUnlinked, TimePs at);
    /// Adds an entry.
    void Append(CommandReport report, const CommandArguments& arguments, TimePs now);
    /// Looks for messages.
    void Search(CommandReport report, const CommandArguments& arguments, TimePs now);
    /// Takes an entry out of its list.
    void Unlink(CommandReport report, TimePs now);
    /// A message that a search has taken out.
    void Drop(uint32_t number, TimePs at);

    const CommandSettings& m_settings;                ///< The settings.
    PcieLink& m_pcie;                                 ///< To the host.
    CommandSender& m_sender;                          ///< Sends requests and acknowledgements.
    EventWriter& m_events;                            ///< To software.
    CounterTable& m_counters;                         ///< Of messages.
    const CommandSteps& m_steps;                      ///< Are told.
    Matcher m_matcher;                                ///< The lists.
    TimePs m_freeAt{0};                               ///< The lists are busy until then, ps.
    PcieStream m_order;                               ///< Of data and its events.
    HandleTable<Message, HANDLES_OF_HOST> m_messages; ///< By number.
    uint32_t m_mostNumber{0};                         ///< Of all so far.
    uint16_t m_turn{0};                               ///< Of the last message.
    bool m_isDisabled{false};                         ///< Whether messages are refused.
    std::pmr::unsynchronized_pool_resource m_pool; ///< So that parts allocate nothing in the end.
    std::pmr::unordered_map<uint64_t, uint32_t> m_numbers{&m_pool}; ///< By CommandKey().
    std::vector<FoundMessage> m_found;                              ///< Of a command.
    CommandMatchCounts m_counts;                                    ///< So far.
};

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_TARGET_H
