/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-rank-post.h"

#include "fabric-credit-end.h"
#include "fabric-input-link.h"
#include "fabric-pause-end.h"
#include "fabric-rank-packet.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Stands before what is sent on a link.
struct LinkHeader
{
    RankCrossing crossing; ///< The link.
    MailCounts counts;     ///< What follows.
};

/// Bits of the number of ACKs in a batch, below its time.
constexpr uint32_t COUNT_BITS = 3;
static_assert(AckBatch::CAPACITY < 1U << COUNT_BITS, "the number has room");

/// A credit on its way. A credit frame can have all of a buffer.
struct CreditRecord
{
    TimePs when;    ///< When the sender has it, ps.
    uint32_t vc;    ///< Virtual channel.
    uint32_t bytes; ///< How much.
};

/// Writes ACKs: those that there are.
void
WriteAcks(const AckBatch& batch, ByteWriter& writer)
{
    writer.Put(static_cast<uint64_t>(batch.time) << COUNT_BITS | batch.count);
    writer.Put(reinterpret_cast<const uint8_t*>(batch.acks.data()), batch.count * sizeof(Ack));
}

/// @return whether its handle is that of a native message
bool
HasMessage(const Frame& frame)
{
    return frame.kind == FrameKind::MESSAGE ||
           (frame.kind == FrameKind::GROUP && !IsOfReduction(frame));
}

/// @return what WriteAcks() wrote
AckBatch
ReadAcks(ByteReader& reader)
{
    const auto start = reader.Get<uint64_t>();
    AckBatch batch;
    batch.time = static_cast<TimePs>(start >> COUNT_BITS);
    batch.count = start & ((1U << COUNT_BITS) - 1);
    const std::size_t size = batch.count * sizeof(Ack);
    std::memcpy(batch.acks.data(), reader.Get(size), size);
    return batch;
}

} // namespace

/// Writes what is sent on a link.
class RankPost::LinkWriter
{
  public:
    LinkWriter(RankPost& post, ByteWriter& writer)
        : m_post(post),
          m_writer(writer)
    {
    }

    void Take(const Frame& frame)
    {
        m_post.WriteFrame(frame, m_writer);
    }

    void Take(const AckBatch& batch)
    {
        WriteAcks(batch, m_writer);
    }

    void Take(TimePs when, uint32_t vc, uint32_t bytes)
    {
        m_writer.Put(CreditRecord{when, vc, bytes});
    }

    void Take(const PauseOrder& order)
    {
        m_writer.Put(order);
    }

  private:
    RankPost& m_post;     ///< Knows what belongs to frames.
    ByteWriter& m_writer; ///< To the other rank.
};

RankPost::RankPost(Payloads& payloads,
                   Reductions& reductions,
                   const std::vector<Ptr<Node>>& doors,
                   std::vector<uint32_t> rankOf,
                   TimePs lookahead)
    : m_payloads(payloads),
      m_reductions(reductions),
      m_rankOf(std::move(rankOf)),
      m_own(OwnRank()),
      m_foreign(RankCount()),
      m_groups(OwnRank()),
      m_outboxes(RankCount()),
      m_link(doors, PicoSeconds(lookahead), MakeCallback(&RankPost::Take, this))
{
    RegisterTags();
}

void
RankPost::AddGroup(const std::vector<LocationId>& members)
{
    std::vector<uint32_t> ranks;
    for (const LocationId member : members)
    {
        ranks.push_back(m_rankOf[member]);
    }
    m_groups.Add(ranks);
}

Mailbox&
RankPost::Open(const RankCrossing& crossing)
{
    m_ways.push_back({crossing, std::make_unique<Mailbox>()});
    return *m_ways.back().mailbox;
}

void
RankPost::Send()
{
    AnnounceOperations();
    WriteLinks();
    for (uint32_t rank = 0; rank < m_outboxes.size(); ++rank)
    {
        SendTo(rank);
    }
}

void
RankPost::AnnounceOperations()
{
    for (const BegunOperation& operation : m_reductions.TakeBegun())
    {
        for (const uint32_t rank : m_reductions.OthersOf(operation.reduction))
        {
            m_outboxes[rank].operations.push_back(operation);
        }
    }
}

void
RankPost::WriteLinks()
{
    for (const Way& way : m_ways)
    {
        if (way.mailbox->IsEmpty())
        {
            continue;
        }
        ByteWriter& writer = m_outboxes[way.crossing.rank].links;
        writer.Put(LinkHeader{way.crossing, way.mailbox->Counts()});
        LinkWriter link(*this, writer);
        way.mailbox->Empty(link);
    }
}

void
RankPost::SendTo(uint32_t rank)
{
    Outbox& box = m_outboxes[rank];
    const ByteWriter& links = box.links;
    if (box.over.empty() && box.begun.empty() && box.ended.empty() && box.lost.empty() &&
        box.operations.empty() && links.Written().empty())
    {
        return;
    }
    m_writer.Clear();
    m_writer.Put(m_own);
    std::vector<Beginning> begun;
    for (const uint32_t handle : box.begun)
    {
        begun.push_back({handle, m_payloads.Messages().At(handle)});
    }
    m_writer.PutAll(box.over);
    m_writer.PutAll(begun);
    m_writer.PutAll(box.lost);
    m_writer.PutAll(box.ended);
    m_writer.PutAll(box.operations);
    m_writer.Put(links.Written().data(), links.Written().size());
    m_link.Send(rank, m_writer.Written());
    box.over.clear();
    box.begun.clear();
    box.lost.clear();
    box.ended.clear();
    box.operations.clear();
    box.links.Clear();
}

void
RankPost::WriteFrame(const Frame& frame, ByteWriter& writer)
{
    Frame sent = frame;
    if (HasMessage(frame))
    {
        Announce(frame);
        sent.handle = HandleAtSender(frame);
    }
    m_sentPayload += frame.payload;
    writer.Put(sent);
    if (IsOfReduction(frame))
    {
        writer.Put(m_reductions.Operands().At(frame.handle));
    }
    else if (frame.kind == FrameKind::PACKET)
    {
        WritePacket(m_payloads.Packets().Take(frame.handle), writer);
    }
    else if (frame.kind == FrameKind::TRANSPORT || frame.kind == FrameKind::COMMAND)
    {
        TransportTable& table = m_payloads.TransportOf(frame.src);
        writer.Put(table.At(frame.handle));
        table.Free(frame.handle);
        if (HopTable* const hops = HopsWith(frame))
        {
            writer.Put(hops->At(frame.handle));
        }
    }
}

void
RankPost::Announce(const Frame& frame)
{
    const bool isToGroup = frame.kind == FrameKind::GROUP;
    if (m_rankOf[frame.src] != m_own || (!isToGroup && !IsElsewhere(frame.dst)))
    {
        return;
    }
    m_announced.resize(std::max<std::size_t>(m_announced.size(), frame.handle + 1));
    if (m_announced[frame.handle])
    {
        return;
    }
    m_announced[frame.handle] = true;
    if (!isToGroup)
    {
        m_outboxes[m_rankOf[frame.dst]].begun.push_back(frame.handle);
        return;
    }
    for (const uint32_t rank : m_groups.OthersOf(frame.dst))
    {
        m_outboxes[rank].begun.push_back(frame.handle);
    }
}

void
RankPost::Lose(const Frame& frame)
{
    Announce(frame);
    m_outboxes[m_rankOf[frame.dst]].lost.push_back(
        {m_rankOf[frame.src], frame.handle, frame.payload});
}

bool
RankPost::EndMessage(uint32_t handle)
{
    const ForeignMessages::Origin origin = m_foreign.OriginOf(handle);
    if (origin.rank != ForeignMessages::NO_RANK)
    {
        m_outboxes[origin.rank].ended.push_back(origin.handle);
        if (m_payloads.Messages().At(handle).dst >= FIRST_GROUP)
        {
            return false; // frames with its handle may wait here to go on to other members
        }
        m_foreign.End(handle);
    }
    else if (handle < m_announced.size() && m_announced[handle])
    {
        EndAnnouncement(handle); // of a group, whose last member to get it was here
    }
    return true;
}

void
RankPost::EndAnnouncement(uint32_t handle)
{
    m_announced[handle] = false;
    const LocationId receiver = m_payloads.Messages().At(handle).dst;
    if (receiver >= FIRST_GROUP)
    {
        for (const uint32_t rank : m_groups.OthersOf(receiver))
        {
            m_outboxes[rank].over.push_back(handle);
        }
    }
}

void
RankPost::ForgetForeign(uint32_t from, uint32_t handle)
{
    const uint32_t own = m_foreign.HandleOf({from, handle});
    m_foreign.End(own);
    m_payloads.EndMessage(own);
}

void
RankPost::Take(const RankBytes& bytes)
{
    const TimePs now = Simulator::Now().GetPicoSeconds();
    ByteReader reader(bytes);
    const auto from = reader.Get<uint32_t>();
    for (const uint32_t handle : reader.GetAll<uint32_t>())
    {
        ForgetForeign(from, handle);
    }
    for (const Beginning& beginning : reader.GetAll<Beginning>())
    {
        Message message = beginning.message;
        message.queue = NO_SEND_QUEUE; // its sender's queue is not here
        message.copies = message.dst >= FIRST_GROUP ? m_groups.MembersHere(message.dst) : 1;
        m_foreign.Begin({from, beginning.handle}, m_payloads.Messages().Put(message));
    }
    for (const Loss& loss : reader.GetAll<Loss>())
    {
        TakeLoss(loss);
    }
    for (const uint32_t handle : reader.GetAll<uint32_t>())
    {
        Forget(handle);
    }
    for (const BegunOperation& operation : reader.GetAll<BegunOperation>())
    {
        m_reductions.Hear(operation);
    }
    while (!reader.IsAtEnd())
    {
        TakeLink(reader, now);
    }
    Send(); // that a message is over
}

void
RankPost::TakeLoss(const Loss& loss)
{
    const bool isOwn = loss.rank == m_own;
    m_payloads.LosePart(isOwn ? loss.handle : m_foreign.HandleOf({loss.rank, loss.handle}),
                        loss.payload);
}

void
RankPost::Forget(uint32_t handle)
{
    if (--m_payloads.Messages().At(handle).copies == 0)
    {
        EndAnnouncement(handle);
        m_payloads.EndMessage(handle);
    }
}

void
RankPost::TakeLink(ByteReader& reader, TimePs now)
{
    const auto header = reader.Get<LinkHeader>();
    const LinkEnds ends = m_findEnds(header.crossing);
    for (uint32_t i = 0; i < header.counts.frames; ++i)
    {
        ends.link->Push(ReadFrame(reader));
    }
    for (uint32_t i = 0; i < header.counts.acks; ++i)
    {
        ends.link->Push(ReadAcks(reader));
    }
    for (uint32_t i = 0; i < header.counts.credits; ++i)
    {
        const auto record = reader.Get<CreditRecord>();
        ends.credits->Deliver(record.when, record.vc, record.bytes, now);
    }
    for (uint32_t i = 0; i < header.counts.pauses; ++i)
    {
        ends.pauses->TakePause(ends.port, reader.Get<PauseOrder>(), Attempt::CLEAN);
    }
}

HopTable*
RankPost::HopsWith(const Frame& frame) const
{
    return frame.kind == FrameKind::TRANSPORT ? m_payloads.HopsOf(frame.src) : nullptr;
}

Frame
RankPost::ReadFrame(ByteReader& reader)
{
    auto frame = reader.Get<Frame>();
    m_sentPayload -= frame.payload;
    switch (frame.kind)
    {
    case FrameKind::MESSAGE:
        frame.handle = HandleHere(frame);
        break;
    case FrameKind::GROUP:
        if (IsOfReduction(frame))
        {
            m_reductions.Operands().At(frame.handle) = reader.Get<uint64_t>();
        }
        else
        {
            frame.handle = HandleHere(frame);
        }
        break;
    case FrameKind::PACKET:
        frame.handle = m_payloads.Packets().Put(ReadPacket(reader));
        break;
    case FrameKind::TRANSPORT:
    case FrameKind::COMMAND:
        frame.handle = m_payloads.TransportOf(frame.src).Put(reader.Get<TransportPacket>());
        if (HopTable* const hops = HopsWith(frame))
        {
            hops->Begin(frame.handle) = reader.Get<HopStack>();
        }
        break;
    default:
        break;
    }
    return frame;
}

uint32_t
RankPost::HandleHere(const Frame& frame) const
{
    const uint32_t sender = m_rankOf[frame.src];
    const bool isForeign = sender != m_own && IsForHere(frame);
    return isForeign ? m_foreign.HandleOf({sender, frame.handle}) : frame.handle;
}

uint32_t
RankPost::HandleAtSender(const Frame& frame) const
{
    const bool isForeign = m_rankOf[frame.src] != m_own && IsForHere(frame);
    return isForeign ? m_foreign.OriginOf(frame.handle).handle : frame.handle;
}

} // namespace ns3::fabric
