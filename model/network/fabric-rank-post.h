/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RANK_POST_H
#define FABRIC_RANK_POST_H

#include "fabric-byte-stream.h"
#include "fabric-foreign-messages.h"
#include "fabric-group-ranks.h"
#include "fabric-mailbox.h"
#include "fabric-message-post.h"
#include "fabric-payloads.h"
#include "fabric-rank-link.h"
#include "fabric-reductions.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// One direction of a link between ranks, by its sending end.
struct RankCrossing
{
    uint32_t number;   ///< Of the sending switch.
    uint32_t port;     ///< Of it.
    uint32_t peerPort; ///< Of the receiving switch.
    uint32_t rank;     ///< That runs the receiving switch.
};

/**
 * Carries what crosses the ranks of a fabric (WL-7, DP-15): what is sent on links between them, and
 * what belongs to frames there.
 *
 * | what                      | goes                                                          |
 * |---------------------------|---------------------------------------------------------------|
 * | frames, ACKs, credits and pauses | after each window, to the rank at the other end of the link
 * | | packets                   | with their frame, which is the only one that has it           |
 * | values of reductions      | with their frame, into the entry of its sender here           |
 * | a message                 | ahead of its frames, from the sender's rank to the receiver's;
 * |                           | to each rank with members, if it is to a group                |
 * | that a message is over    | back, and the sender's rank forgets it when all have told so; |
 * |                           | ranks with members of a group do when it tells them           |
 * | that a frame is lost      | to the receiver's rank                                        |
 * | which size an operation of a reduction has | to the ranks of its members                  |
 */
class RankPost : public MessagePost
{
  public:
    /// @return where at a local switch comes in what a switch sends @param crossing that way
    using FindEnds = std::function<LinkEnds(const RankCrossing& crossing)>;

    /**
     * @param payloads of this rank
     * @param reductions of the fabric, whose operands have the same entries on all ranks
     * @param doors see RankLink
     * @param rankOf which rank runs a host, by location
     * @param lookahead what is sent reaches the other rank after this, ps
     */
    RankPost(Payloads& payloads,
             Reductions& reductions,
             const std::vector<Ptr<Node>>& doors,
             std::vector<uint32_t> rankOf,
             TimePs lookahead);

    RankPost(const RankPost&) = delete;
    RankPost& operator=(const RankPost&) = delete;

    /// @param findEnds finds the ends of links
    void SetEnds(FindEnds findEnds)
    {
        m_findEnds = std::move(findEnds);
    }

    /// Adds the next group, from FIRST_GROUP on. @param members of it
    void AddGroup(const std::vector<LocationId>& members);

    /// @return which ranks have members of groups
    const GroupRanks& GetGroups() const
    {
        return m_groups;
    }

    /// @param crossing from this rank @return takes what is sent there
    Mailbox& Open(const RankCrossing& crossing);

    bool IsElsewhere(LocationId location) const override
    {
        return m_rankOf[location] != m_own;
    }

    void Lose(const Frame& frame) override;
    bool EndMessage(uint32_t handle) override;

    /// Sends all that has gathered, so that it arrives before the next windows that need it.
    void Send();

    /// @return payload that was sent to other ranks, less what came from them; negative if more
    /// came, bytes
    int64_t SentPayload() const
    {
        return m_sentPayload;
    }

  private:
    class LinkWriter;

    /// A way out of this rank.
    struct Way
    {
        RankCrossing crossing;            ///< Which.
        std::unique_ptr<Mailbox> mailbox; ///< What is sent there.
    };

    /// A message that begins.
    struct Beginning
    {
        uint32_t handle; ///< At its sender.
        Message message; ///< As it is then.
    };

    /// A frame that is lost.
    struct Loss
    {
        uint32_t rank;    ///< Of its sender.
        uint32_t handle;  ///< Of its message, there.
        uint32_t payload; ///< Of it, bytes.
    };

    /// What goes to another rank.
    struct Outbox
    {
        std::vector<uint32_t> begun; ///< Handles of messages.
        std::vector<uint32_t> ended; ///< Handles there.
        std::vector<uint32_t> over;  ///< Handles here of messages to groups.
        std::vector<Loss> lost;      ///< Frames to its hosts.
        /// Operations of reductions with members there.
        std::vector<BegunOperation> operations;
        ByteWriter links; ///< What is sent on links, written.
    };

    /// Tells of operations of reductions that members here have begun.
    void AnnounceOperations();
    /// Writes what has gathered on the ways out.
    void WriteLinks();
    /// Writes a frame and its packet.
    void WriteFrame(const Frame& frame, ByteWriter& writer);

    /// @return whether a host of this rank gets what a frame of a message carries
    bool IsForHere(const Frame& frame) const
    {
        return frame.kind == FrameKind::GROUP ? m_groups.MembersHere(frame.dst) != 0
                                              : !IsElsewhere(frame.dst);
    }

    /// Tells the receivers' ranks of a message from here, before the first of its frames leaves.
    void Announce(const Frame& frame);
    /// A rank that runs receivers of a message has told that it is over there.
    void Forget(uint32_t handle);
    /// A message from here is over on all ranks.
    void EndAnnouncement(uint32_t handle);
    /// A message to a group is over on all ranks. @param from rank of its sender @param handle
    /// there
    void ForgetForeign(uint32_t from, uint32_t handle);
    /// A frame of a message to a local host was lost elsewhere.
    void TakeLoss(const Loss& loss);
    /// Sends an outbox.
    void SendTo(uint32_t rank);
    /// Something has come.
    void Take(const RankBytes& bytes);
    /// Frames, ACKs, credits and pauses have come.
    void TakeLink(ByteReader& reader, TimePs now);
    /// @return what switches have written on the packet of a frame is there; null if it has none
    HopTable* HopsWith(const Frame& frame) const;
    /// @return a frame that has come, with its packet
    Frame ReadFrame(ByteReader& reader);
    /// @return the handle of its message in this rank's table, of a frame to a local host
    uint32_t HandleHere(const Frame& frame) const;
    /// @return the handle of its message at its sender
    uint32_t HandleAtSender(const Frame& frame) const;

    Payloads& m_payloads;           ///< Of this rank.
    Reductions& m_reductions;       ///< Of the fabric.
    std::vector<uint32_t> m_rankOf; ///< By location.
    uint32_t m_own;                 ///< This rank.
    ForeignMessages m_foreign;      ///< Messages to local hosts.
    GroupRanks m_groups;            ///< Where members of groups are.
    std::vector<bool> m_announced;  ///< Which messages to hosts elsewhere, by handle.
    std::vector<Outbox> m_outboxes; ///< By rank.
    std::vector<Way> m_ways;        ///< Out of this rank.
    FindEnds m_findEnds;            ///< Finds the ends of links.
    RankLink m_link;                ///< To the other ranks.
    ByteWriter m_writer;            ///< Of what is sent.
    int64_t m_sentPayload{0};       ///< See SentPayload().
};

} // namespace ns3::fabric

#endif // FABRIC_RANK_POST_H
