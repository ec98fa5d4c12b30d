/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-command-target.h"

#include <algorithm>

namespace ns3::fabric
{

TimePs
CommandTarget::Pass(TimePs now)
{
    m_freeAt = std::max(m_freeAt, now) + m_matcher.Passed() * m_settings.matching.entryTime;
    return m_freeAt;
}

bool
CommandTarget::Admits(TimePs now)
{
    if (!m_settings.tracking.hasFlowControl)
    {
        return true;
    }
    if (!m_isDisabled && m_events.Reserve(now))
    {
        return true;
    }
    Disable(now);
    return false;
}

void
CommandTarget::Release()
{
    if (m_settings.tracking.hasFlowControl)
    {
        m_events.Release();
    }
}

TimePs
CommandTarget::Tell(PcieStream& order, const CommandReport& report, TimePs at, TimePs copy)
{
    return m_settings.tracking.hasFlowControl ? m_events.TellReserved(order, report, at, copy)
                                              : m_events.TellMessage(order, report, at, copy);
}

void
CommandTarget::Disable(TimePs at)
{
    if (m_isDisabled)
    {
        return; // software knows
    }
    m_isDisabled = true;
    ++m_counts.disabled;
    CommandReport report;
    report.event = CommandEvent::DISABLED;
    report.queue = m_settings.queues; // the first one for targets
    report.postedAt = at;
    m_events.TellOwn(m_order, report, at);
}

void
CommandTarget::Enable(CommandReport report, TimePs now)
{
    m_isDisabled = false;
    m_sender.Tracker().Allow(now);
    report.event = CommandEvent::ENABLED;
    m_events.TellOwn(m_order, report, now);
}

bool
CommandTarget::TakeData(const CommandPacket& packet,
                        const MessageFlow& back,
                        uint32_t connection,
                        TimePs now)
{
    const bool isWhole = packet.bytes == packet.eager;
    const uint64_t key = CommandKey(back.dst, packet.id, packet.turn);
    const auto known = isWhole ? m_numbers.end() : m_numbers.find(key);
    TimePs at = now;
    const bool isFirst = known == m_numbers.end();
    const std::optional<uint32_t> place =
        isFirst ? Begin(packet, back, connection, at) : known->second;
    if (!place)
    {
        return false;
    }
    const uint32_t number = *place;
    Message& message = m_messages.At(number);
    const uint64_t room = message.kept - std::min(message.kept, message.got);
    const auto written = static_cast<uint32_t>(std::min<uint64_t>(packet.bytes, room));
    if (written != 0)
    {
        const TimePs there = m_pcie.Write(PcieSide::NIC, m_order, written, at);
        if (m_steps.IsOn())
        {
            m_steps.Comes(CommandStage::WRITE, packet, back.dst, there);
        }
    }
    message.got += packet.bytes;
    if (!message.IsThere())
    {
        if (isFirst)
        {
            m_numbers.emplace(key, number);
        }
        return true;
    }
    if (!isFirst)
    {
        m_numbers.erase(known);
    }
    Settle(number, at);
    return true;
}

std::optional<uint32_t>
CommandTarget::Begin(const CommandPacket& packet,
                     const MessageFlow& back,
                     uint32_t connection,
                     TimePs& at)
{
    if (!Admits(at))
    {
        return std::nullopt;
    }
    Message made;
    made.back = back;
    made.id = packet.id;
    made.peerTurn = packet.turn;
    made.connection = connection;
    made.turn = ++m_turn;
    made.isOpen = true;
    made.bits = packet.bits;
    made.postedAt = packet.postedAt;
    made.length = packet.length;
    made.eager = packet.eager;
    const uint32_t number = m_messages.Put(made);
    m_mostNumber = std::max(m_mostNumber, number);
    Message& message = m_messages.At(number);
    const MatchOutcome outcome =
        m_matcher.Arrive({packet.bits, packet.length, packet.eager, number, back.dst});
    at = Pass(at);
    if (m_steps.IsOn())
    {
        m_steps.Matched(packet, back.dst, {0, message.turn, number, true}, at);
    }
    if (outcome.place == MatchPlace::NOWHERE && m_settings.tracking.hasFlowControl)
    {
        m_messages.Take(number);
        Release();
        Disable(at);
        return std::nullopt;
    }
    message.kept = std::min(outcome.bytes, packet.eager);
    message.want = outcome.bytes;
    message.tag = outcome.tag;
    message.offset = outcome.offset;
    message.counter = outcome.counter;
    message.isUnlinked = outcome.isUnlinked;
    message.hasEntry = outcome.place == MatchPlace::PRIORITY;
    message.isUnexpected = outcome.place == MatchPlace::SPARE;
    message.isDropped = outcome.place == MatchPlace::NOWHERE;
    ++(message.hasEntry       ? m_counts.matched
       : message.isUnexpected ? m_counts.unexpected
                              : m_counts.refused);
    return number;
}

void
CommandTarget::Settle(uint32_t number, TimePs at)
{
    const Message& message = m_messages.At(number);
    if (message.isDropped)
    {
        Acknowledge(message, message.IsRendezvous() || !message.isUnexpected, at);
        Release();
        m_messages.Take(number);
        return;
    }
    if (!message.IsRendezvous() && message.isUnexpected)
    {
        Acknowledge(message, false, at); // it is kept, whoever wants it
    }
    if (message.hasEntry)
    {
        Finish(number, at);
    }
}

void
CommandTarget::Finish(uint32_t number, TimePs at)
{
    Message& message = m_messages.At(number);
    const uint64_t have = std::min(message.kept, message.want);
    if (!message.IsRendezvous() || have == message.want)
    {
        message.want = have;
        Give(number, at);
        return;
    }
    message.fetching = message.want - have;
    ++m_counts.fetched;
    CommandPacket request;
    request.kind = CommandPacketKind::REQUEST;
    request.op = CommandOp::TAGGED;
    request.id = number;
    request.turn = message.turn;
    request.length = message.fetching;
    const TimePs ready = at + m_settings.stages.outbound;
    if (m_steps.IsOn())
    {
        m_steps.Goes(CommandStage::OUTBOUND, request, message.back.dst, ready);
    }
    m_sender.Send(message.back, request, ready);
}

void
CommandTarget::TakeReply(const CommandPacket& packet, TimePs at)
{
    const bool isHere = !m_messages.IsUnused() && packet.id <= m_mostNumber &&
                        m_messages.At(packet.id).isOpen &&
                        m_messages.At(packet.id).turn == packet.turn;
    if (!isHere)
    {
        return; // its connection has failed
    }
    const TimePs there = m_pcie.Write(PcieSide::NIC, m_order, packet.bytes, at);
    Message& message = m_messages.At(packet.id);
    if (m_steps.IsOn())
    {
        m_steps.Comes(CommandStage::WRITE, packet, message.back.dst, there);
    }
    message.fetching -= packet.bytes;
    if (message.fetching == 0)
    {
        Give(packet.id, at);
    }
}

void
CommandTarget::Give(uint32_t number, TimePs at)
{
    const Message message = m_messages.Take(number);
    if (message.IsRendezvous() || !message.isUnexpected)
    {
        Acknowledge(message, false, at);
    }
    const CommandReport report = ReportOf(message);
    m_counts.truncated += message.want < message.length ? 1 : 0;
    m_counts.bytes += message.want;
    m_counters.Advance(message.counter, at);
    // Software copies an eager message itself; of a long one it does so while the rest is fetched.
    const bool isCopied = message.isUnexpected && !message.IsRendezvous();
    const uint64_t lines = (message.want + COMMAND_SLOT_BYTES - 1) / COMMAND_SLOT_BYTES;
    const auto copy = static_cast<TimePs>(isCopied ? lines : 0) * m_settings.driver.copy;
    const TimePs seen = Tell(m_order, report, at, copy);
    if (m_steps.IsOn() && seen != NEVER)
    {
        m_steps.Whole(CommandStage::EVENT, NameOf(message), seen);
    }
}

CommandReport
CommandTarget::ReportOf(const Message& message)
{
    CommandReport report;
    report.event = CommandEvent::MESSAGE;
    report.postedAt = message.postedAt;
    report.bytes = message.want;
    report.source = message.back.dst;
    report.isUnexpected = message.isUnexpected;
    report.isUnlinked = message.isUnlinked;
    report.sent = message.length;
    report.bits = message.bits;
    report.tag = message.tag;
    report.offset = message.offset;
    return report;
}

void
CommandTarget::Fail(uint32_t connection, TimePs now)
{
    for (uint32_t number = 0; number <= m_mostNumber && !m_messages.IsUnused(); ++number)
    {
        const Message& message = m_messages.At(number);
        const bool isHere = message.IsThere() && !message.IsRendezvous();
        if (message.isOpen && message.connection == connection && !isHere)
        {
            Lose(number, now);
        }
    }
}

void
CommandTarget::Lose(uint32_t number, TimePs at)
{
    const Message message = m_messages.Take(number);
    ++m_counts.lost;
    m_numbers.erase(CommandKey(message.back.dst, message.id, message.peerTurn));
    if (message.isUnexpected && !message.hasEntry && !message.isDropped)
    {
        m_matcher.Forget(number);
    }
    if (message.hasEntry)
    {
        CommandReport report = ReportOf(message);
        report.event = CommandEvent::FAILED;
        report.bytes = 0;
        Tell(m_order, report, at);
    }
    else
    {
        Release();
    }
}

void
CommandTarget::Acknowledge(const Message& message, bool isRefused, TimePs at)
{
    CommandPacket packet;
    packet.kind = CommandPacketKind::ACK;
    packet.id = message.id;
    packet.turn = message.peerTurn;
    packet.isRefused = isRefused;
    m_sender.Send(message.back, packet, at);
}

void
CommandTarget::Do(uint32_t queue,
                  const Command& command,
                  const CommandArguments& arguments,
                  TimePs now)
{
    CommandReport report;
    report.queue = queue;
    report.postedAt = command.postedAt;
    report.tag = arguments.entry.tag;
    switch (command.op)
    {
    case CommandOp::APPEND:
        Append(report, arguments, now);
        break;
    case CommandOp::SEARCH:
        Search(report, arguments, now);
        break;
    case CommandOp::ENABLE:
        Enable(report, now);
        break;
    default:
        Unlink(report, now);
        break;
    }
}

void
CommandTarget::Append(CommandReport report, const CommandArguments& arguments, TimePs now)
{
    m_found.clear();
    const auto handle = m_matcher.Append(arguments.entry, arguments.place, m_found);
    const TimePs at = Pass(now);
    if (!handle)
    {
        report.event = CommandEvent::REFUSED;
        m_events.TellOwn(m_order, report, at);
        return;
    }
    for (const FoundMessage& found : m_found)
    {
        Claim(found, arguments.entry, *handle == NO_ENTRY && &found == &m_found.back(), at);
    }
}

void
CommandTarget::Claim(const FoundMessage& found, const MatchEntry& entry, bool isUnlinked, TimePs at)
{
    ++m_counts.found;
    const auto number = static_cast<uint32_t>(found.header.message);
    Message& message = m_messages.At(number);
    message.hasEntry = true;
    message.tag = entry.tag;
    message.counter = entry.counter;
    message.offset = found.offset;
    message.want = found.bytes;
    message.isUnlinked = isUnlinked;
    if (m_steps.IsOn())
    {
        m_steps.Whole(CommandStage::LIST, NameOf(message), at);
    }
    if (message.IsThere())
    {
        Finish(number, at);
    }
}

void
CommandTarget::Search(CommandReport report, const CommandArguments& arguments, TimePs now)
{
    m_found.clear();
    m_matcher.Search(arguments.entry, arguments.search, m_found);
    const TimePs at = Pass(now);
    report.event = m_found.empty() ? CommandEvent::NOT_FOUND : CommandEvent::FOUND;
    if (m_found.empty())
    {
        m_events.TellOwn(m_order, report, at);
    }
    for (const FoundMessage& found : m_found)
    {
        report.source = found.header.source;
        report.bits = found.header.bits;
        report.sent = found.header.bytes;
        report.bytes = found.kept;
        m_events.TellOwn(m_order, report, at);
        if (arguments.search == MatchSearch::DELETE)
        {
            Drop(static_cast<uint32_t>(found.header.message), at);
        }
    }
}

void
CommandTarget::Drop(uint32_t number, TimePs at)
{
    Message& message = m_messages.At(number);
    message.isDropped = true;
    if (!message.IsThere())
    {
        return; // the rest of it is on its way
    }
    if (message.IsRendezvous())
    {
        Acknowledge(message, true, at);
    }
    Release();
    m_messages.Take(number);
}

void
CommandTarget::Unlink(CommandReport report, TimePs now)
{
    const bool isDone = m_matcher.Unlink(m_matcher.FindTag(report.tag));
    report.event = isDone ? CommandEvent::UNLINKED : CommandEvent::REFUSED;
    m_events.TellOwn(m_order, report, Pass(now));
}

} // namespace ns3::fabric
