/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-packet-format.h"
#include "fabric-function-case.h"
#include "fabric-test-compat.h"
#include "fabric-test-seeds.h"

#include "ns3/test.h"

#include <random>
#include <string>

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// @return a packet of a kind with random values in all fields that it has
CommandPacket
DrawPacket(CommandPacketKind kind, CommandOp op, std::mt19937_64& random)
{
    CommandPacket packet;
    packet.kind = kind;
    packet.id = static_cast<uint32_t>(random());
    packet.turn = static_cast<uint16_t>(random());
    packet.track = {static_cast<uint32_t>(random()),
                    static_cast<uint8_t>(random()),
                    static_cast<TrackClass>(random() % TRACK_CLASSES)};
    if (kind == CommandPacketKind::ACK || kind == CommandPacketKind::TRACK)
    {
        packet.isRefused = random() % 2 == 0;
        packet.acks = {random(),
                       static_cast<uint32_t>(random()),
                       static_cast<uint32_t>(random()),
                       static_cast<uint8_t>(random()),
                       random() % 2 == 0,
                       random() % 2 == 0,
                       static_cast<uint8_t>(random())};
        return packet;
    }
    packet.op = op;
    packet.isPacket = random() % 2 == 0;
    packet.bytes = static_cast<uint32_t>(random() % 65536);
    packet.length = static_cast<uint32_t>(random());
    packet.eager = static_cast<uint32_t>(random());
    packet.counter = static_cast<uint16_t>(random());
    packet.postedAt = static_cast<TimePs>(random() >> 1);
    if (op == CommandOp::ATOMIC)
    {
        packet.atomic.operand = random();
        packet.atomic.compare = random();
        packet.atomic.address = static_cast<uint32_t>(random());
        packet.atomic.op = static_cast<AtomicOp>(random() % ATOMIC_OPS);
        packet.atomic.isWide = random() % 2 == 0;
        packet.atomic.isSigned = random() % 2 == 0;
        packet.atomic.fetches = random() % 2 == 0;
    }
    else
    {
        packet.offset = static_cast<uint32_t>(random());
        packet.bits = random();
    }
    return packet;
}

/// What a packet says of those that have come.
void
ExpectSameAcks(FunctionCase& test, const CommandPacket& is, const CommandPacket& was)
{
    test.ExpectEqual(is.isRefused, was.isRefused, "refused");
    test.ExpectEqual(is.acks.singles, was.acks.singles, "singles");
    test.ExpectEqual(is.acks.singleBase, was.acks.singleBase, "base of singles");
    test.ExpectEqual(is.acks.orderedBase, was.acks.orderedBase, "base of ordered ones");
    test.ExpectEqual(is.acks.epoch, was.acks.epoch, "epoch of ACKs");
    test.ExpectEqual(is.acks.isNotReady, was.acks.isNotReady, "not ready");
    test.ExpectEqual(is.acks.isMissing, was.acks.isMissing, "missing");
    test.ExpectEqual(is.acks.taken, was.acks.taken, "taken");
}

/// What a packet says of its command.
void
ExpectSameCommand(FunctionCase& test, const CommandPacket& is, const CommandPacket& was)
{
    test.Expect(is.op == was.op, "operation");
    test.ExpectEqual(is.isPacket, was.isPacket, "whether it carries a packet");
    test.ExpectEqual(is.bytes, was.bytes, "bytes");
    test.ExpectEqual(is.length, was.length, "length");
    test.ExpectEqual(is.eager, was.eager, "eager bytes");
    test.ExpectEqual(is.counter, was.counter, "counter");
    test.ExpectEqual(is.postedAt, was.postedAt, "when it was asked for");
    if (was.op != CommandOp::ATOMIC)
    {
        test.ExpectEqual(is.offset, was.offset, "offset");
        test.ExpectEqual(is.bits, was.bits, "match bits");
        return;
    }
    test.ExpectEqual(is.atomic.operand, was.atomic.operand, "operand");
    test.ExpectEqual(is.atomic.compare, was.atomic.compare, "what it is compared with");
    test.ExpectEqual(is.atomic.address, was.atomic.address, "address");
    test.Expect(is.atomic.op == was.atomic.op, "atomic operation");
    test.ExpectEqual(is.atomic.isWide, was.atomic.isWide, "width");
    test.ExpectEqual(is.atomic.isSigned, was.atomic.isSigned, "sign");
    test.ExpectEqual(is.atomic.fetches, was.atomic.fetches, "whether the word comes back");
}

/// A packet, there and back.
void
ExpectSamePacket(FunctionCase& test, const CommandPacket& was)
{
    const CommandPacket is = FromTransport(ToTransport(was));
    test.Expect(is.kind == was.kind, "kind");
    test.ExpectEqual(is.id, was.id, "id");
    test.ExpectEqual(is.turn, was.turn, "turn");
    test.ExpectEqual(is.track.sequence, was.track.sequence, "sequence");
    test.ExpectEqual(is.track.epoch, was.track.epoch, "epoch");
    test.Expect(is.track.kind == was.track.kind, "class of tracking");
    if (was.kind == CommandPacketKind::ACK || was.kind == CommandPacketKind::TRACK)
    {
        ExpectSameAcks(test, is, was);
    }
    else
    {
        ExpectSameCommand(test, is, was);
    }
}

/// All kinds of packets, with any values.
void
PacketsThereAndBack(FunctionCase& test)
{
    const TestSeeds seeds(100);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        std::mt19937_64 random(seed);
        for (const auto kind : {CommandPacketKind::DATA,
                                CommandPacketKind::ACK,
                                CommandPacketKind::REQUEST,
                                CommandPacketKind::REPLY,
                                CommandPacketKind::TRACK})
        {
            for (const auto op : {CommandOp::PUT,
                                  CommandOp::SEND,
                                  CommandOp::TAGGED,
                                  CommandOp::GET,
                                  CommandOp::ATOMIC})
            {
                ExpectSamePacket(test, DrawPacket(kind, op, random));
            }
        }
    }
}

/// Suite of the format of commands' packets.
class CommandPacketFormatSuite : public FunctionSuite
{
  public:
    CommandPacketFormatSuite()
        : FunctionSuite("fabric-command-packet-format", kUnit)
    {
        Add("NQ-1 packets of commands in headers of the transport, there and back",
            PacketsThereAndBack);
    }
};

CommandPacketFormatSuite g_commandPacketFormatSuite; ///< Registers the suite.

} // namespace
