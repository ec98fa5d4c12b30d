/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PAYLOADS_H
#define FABRIC_PAYLOADS_H

#include "fabric-frame.h"
#include "fabric-handle-table.h"
#include "fabric-hop-stack.h"
#include "fabric-message-post.h"
#include "fabric-message-table.h"
#include "fabric-packet-table.h"
#include "fabric-side-table.h"
#include "fabric-transport-packet.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3::fabric
{

/// Packets of the reliable transport, by handle.
using TransportTable = HandleTable<TransportPacket>;

/// What switches have written on them, by the same handle.
using HopTable = SideTable<HopStack>;

/**
 * What the frames of a fabric carry, from its sender until its receiver takes it or it is lost: a
 * frame has a handle, and its kind tells of which table.
 */
class Payloads : public HopStackSource
{
  public:
    /// Is told of a message, before it is forgotten.
    using Listener = std::function<void(const Message&)>;

    /// @param lost is told of each message that is lost @param ended of each of which nothing is
    /// under way any more, at its sender's rank
    Payloads(Listener lost, Listener ended);

    /// @return native messages
    MessageTable& Messages()
    {
        return m_messages;
    }

    /// @return users' packets
    PacketTable& Packets()
    {
        return m_packets;
    }

    /**
     * Only the thread of the sender's part puts packets there; whoever a frame has come to reads
     * its packet and frees it.
     *
     * @param sender location of an endpoint
     * @return the packets of its part
     */
    TransportTable& TransportOf(LocationId sender)
    {
        return m_transport.size() == 1 ? *m_transport.front() : *m_transport[m_partOf[sender]];
    }

    /// Switches write on packets of the transport, before there are any.
    void AddTelemetry();

    /**
     * @param sender location of an endpoint
     * @return what switches write on the packets of its part, by handle; null if they don't. Who
     * puts a packet there begins its handle here
     */
    HopTable* HopsOf(LocationId sender)
    {
        if (m_hops.empty())
        {
            return nullptr;
        }
        return m_hops.size() == 1 ? m_hops.front().get() : m_hops[m_partOf[sender]].get();
    }

    HopStack& StackOf(const Frame& frame) override
    {
        return HopsOf(frame.src)->At(frame.handle);
    }

    /// @param parts of the fabric, each of which has a thread; more than one
    void Divide(uint32_t parts);

    /**
     * @param sender location of an endpoint; nothing of it is under way
     * @param part of the fabric, by whose thread it is run
     */
    void SetPart(LocationId sender, uint32_t part);

    /// @param post tells other ranks of messages, from now on
    void Join(MessagePost& post)
    {
        m_post = &post;
    }

    /// @param frame is lost: frees what it carries, a message when nothing of it is under way
    void Free(const Frame& frame);

    /**
     * A part of a message is lost; frees it when nothing of it is under way.
     *
     * @param handle of the message
     * @param bytes of the part
     */
    void LosePart(uint32_t handle, uint32_t bytes);

    /// @param handle of a message of which nothing is under way, and a part lost
    void FreeLost(uint32_t handle);

    /// @param handle of a message that all of this rank have who get it. One from or to another
    /// rank ends only when that has been told
    void FreeMessage(uint32_t handle);

    /// A message is over: its listeners are told, and the handle is free. @param handle of a
    /// message of which no other rank has to be asked any more
    void EndMessage(uint32_t handle);

    /// @return whether nothing is under way
    bool IsEmpty() const;

  private:
    MessagePost* m_post{nullptr};                             ///< Between ranks; null for one.
    Listener m_lost;                                          ///< Is told of lost messages.
    Listener m_ended;                                         ///< Is told of all.
    MessageTable m_messages;                                  ///< Native messages.
    PacketTable m_packets;                                    ///< Users' packets.
    std::vector<std::unique_ptr<TransportTable>> m_transport; ///< By the part of the sender.
    std::vector<std::unique_ptr<HopTable>> m_hops;            ///< Also; empty without telemetry.
    std::vector<uint32_t> m_partOf;                           ///< By location of the sender.
};

} // namespace ns3::fabric

#endif // FABRIC_PAYLOADS_H
