/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tiled-crossbar.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

namespace
{

/// Frames of each port that there is room for at first; more make it grow.
constexpr uint32_t FRAMES_PER_PORT = 16;

} // namespace

TiledCrossbar::TiledCrossbar(uint32_t ports, const CrossbarSettings& settings)
    : m_map(ports, settings),
      m_ports(ports),
      m_tileBytes(settings.tileBufferBytes),
      m_speedup(settings.speedup),
      m_toTile(settings.transit / 2),
      m_toOutput(settings.transit - settings.transit / 2),
      m_rows(ports),
      m_tiles(std::size_t{ports} * m_map.Columns()),
      m_columns(std::size_t{ports} * m_map.Rows()),
      m_atInput(std::size_t{ports} * ports),
      m_inTile(std::size_t{ports} * ports)
{
    for (Tile& tile : m_tiles)
    {
        tile.room = m_tileBytes;
    }
    m_transfers.reserve(std::size_t{FRAMES_PER_PORT} * ports);
    m_free.reserve(std::size_t{FRAMES_PER_PORT} * ports);
    m_events.reserve(std::size_t{FRAMES_PER_PORT} * ports);
}

void
TiledCrossbar::AddLink(const LinkRate& rate)
{
    const auto bitsPerSecond =
        static_cast<uint64_t>(std::llround(m_speedup * static_cast<double>(rate.BitsPerSecond())));
    if (bitsPerSecond > m_rate.BitsPerSecond())
    {
        m_rate = LinkRate(std::min(bitsPerSecond, LinkRate::HIGHEST));
    }
}

// ---- events ----

TiledCrossbar::Event
TiledCrossbar::TakeEvent()
{
    std::pop_heap(m_events.begin(), m_events.end());
    const Event event = m_events.back();
    m_events.pop_back();
    return event;
}

void
TiledCrossbar::AddEvent(TimePs time, Event::Kind kind, uint32_t place, uint32_t transfer)
{
    m_events.push_back({time, kind, place, transfer});
    std::push_heap(m_events.begin(), m_events.end());
}

void
TiledCrossbar::PlanRow(uint32_t input, TimePs time)
{
    RowBus& row = m_rows[input];
    if (!row.decides && row.transfer == NONE && !row.columns.IsEmpty())
    {
        row.decides = true;
        AddEvent(time, Event::ROW_DECIDES, input, NONE);
    }
}

void
TiledCrossbar::PlanColumn(uint32_t bus, TimePs time)
{
    ColumnBus& column = m_columns[bus];
    if (!column.decides && column.transfer == NONE && !column.inputs.IsEmpty())
    {
        column.decides = true;
        AddEvent(time, Event::COLUMN_DECIDES, bus, NONE);
    }
}

// ---- queues ----

bool
TiledCrossbar::Append(Queue& queue, uint32_t transfer)
{
    const bool wasEmpty = queue.head == NONE;
    (wasEmpty ? queue.head : m_transfers[queue.tail].next) = transfer;
    queue.tail = transfer;
    m_transfers[transfer].next = NONE;
    return wasEmpty;
}

uint32_t
TiledCrossbar::TakeFirst(Queue& queue)
{
    const uint32_t first = queue.head;
    queue.head = m_transfers[first].next;
    return first;
}

void
TiledCrossbar::PassTurn(Ring<uint32_t>& turns, bool stays)
{
    const uint32_t first = turns.Front();
    turns.Pop();
    if (stays)
    {
        turns.Push(first);
    }
}

// ---- the way of a frame ----

void
TiledCrossbar::Start(const CrossbarFrame& frame, TimePs now)
{
    uint32_t number = static_cast<uint32_t>(m_transfers.size());
    if (m_free.empty())
    {
        m_transfers.emplace_back();
    }
    else
    {
        number = m_free.back();
        m_free.pop_back();
    }
    m_transfers[number] = Transfer();
    m_transfers[number].frame = frame;
    if (Append(m_atInput[frame.input * m_ports + frame.output], number))
    {
        const uint32_t column = m_map.ColumnOf(frame.output);
        Tile& tile = TileAt(frame.input, column);
        if (tile.outputs.IsEmpty())
        {
            m_rows[frame.input].columns.Push(column);
        }
        tile.outputs.Push(frame.output);
    }
    PlanRow(frame.input, now);
}

bool
TiledCrossbar::HasRoom(uint32_t input, const Tile& tile) const
{
    const uint32_t first = m_atInput[input * m_ports + tile.outputs.Front()].head;
    const uint32_t bytes = m_transfers[first].frame.bytes;
    const bool isAlone = tile.outputs.Size() == 1;
    return tile.room >= std::min(isAlone ? bytes : CrossbarSettings::LARGEST_FRAME,
                                 CrossbarSettings::LARGEST_FRAME);
}

uint32_t
TiledCrossbar::FindColumn(const RowBus& row, uint32_t input) const
{
    uint32_t turn = 0;
    while (turn < row.columns.Size() &&
           !HasRoom(input, m_tiles[input * m_map.Columns() + row.columns.At(turn)]))
    {
        ++turn;
    }
    return turn;
}

bool
TiledCrossbar::DecideRow(const Event& event)
{
    const uint32_t input = event.place;
    RowBus& row = m_rows[input];
    row.decides = false;
    const uint32_t turn = FindColumn(row, input);
    if (turn == row.columns.Size())
    {
        return false; // until there is room
    }
    // Who was passed over keeps its turn.
    const uint32_t column = row.columns.At(turn);
    row.columns.Remove([column](uint32_t other) { return other == column; });
    return StartRow(input, column, event.time);
}

bool
TiledCrossbar::StartRow(uint32_t input, uint32_t column, TimePs now)
{
    RowBus& row = m_rows[input];
    Tile& tile = TileAt(input, column);
    Queue& queue = m_atInput[input * m_ports + tile.outputs.Front()];
    const uint32_t number = TakeFirst(queue);
    PassTurn(tile.outputs, queue.head != NONE);
    if (!tile.outputs.IsEmpty())
    {
        row.columns.Push(column);
    }
    row.transfer = number;
    m_transfers[number].movedAt = now;
    AddEvent(now + m_toTile, Event::HEAD_IN_TILE, input, number);
    return GiveRoom(number, tile, now);
}

bool
TiledCrossbar::GiveRoom(uint32_t number, Tile& tile, TimePs now)
{
    Transfer& transfer = m_transfers[number];
    const uint32_t bytes = transfer.frame.bytes;
    transfer.moved = MovedBy(transfer, now);
    transfer.movedAt = now;
    const uint32_t more = std::min(bytes - transfer.room, tile.room);
    transfer.room += more;
    tile.room -= more;
    if (transfer.room != bytes)
    {
        return false;
    }
    EndsRow(number, now + m_rate.TxTime(bytes) - transfer.moved);
    return true;
}

TimePs
TiledCrossbar::MovedBy(const Transfer& transfer, TimePs now) const
{
    return std::min(transfer.moved + now - transfer.movedAt, m_rate.TxTime(transfer.room));
}

void
TiledCrossbar::EndsRow(uint32_t number, TimePs end)
{
    Transfer& transfer = m_transfers[number];
    transfer.rowEnd = std::max(end, transfer.frame.tailIn);
    AddEvent(transfer.rowEnd, Event::ROW_ENDS, transfer.frame.input, number);
    m_left = number;
}

void
TiledCrossbar::EndRow(const Event& event)
{
    m_rows[event.place].transfer = NONE;
    PlanRow(event.place, event.time);
}

void
TiledCrossbar::JoinTile(const Event& event)
{
    const CrossbarFrame& frame = m_transfers[event.transfer].frame;
    const uint32_t bus = BusOf(frame);
    if (Append(m_inTile[frame.input * m_ports + frame.output], event.transfer))
    {
        m_columns[bus].inputs.Push(frame.input);
        PlanColumn(bus, event.time);
    }
}

bool
TiledCrossbar::DecideColumn(const Event& event)
{
    const uint32_t bus = event.place;
    ColumnBus& column = m_columns[bus];
    column.decides = false;
    Queue& queue = m_inTile[column.inputs.Front() * m_ports + bus % m_ports];
    const uint32_t number = TakeFirst(queue);
    PassTurn(column.inputs, queue.head != NONE);
    column.transfer = number;
    Transfer& transfer = m_transfers[number];
    const TimePs now = event.time;
    const TimePs length = m_rate.TxTime(transfer.frame.bytes);
    // From now on a byte leaves the tile for each that comes, so that the row bus waits no more.
    const bool wasStuck = transfer.rowEnd == NEVER;
    if (wasStuck)
    {
        EndsRow(number, now + length - MovedBy(transfer, now));
    }
    const TimePs end = std::max(now + length, transfer.rowEnd + m_toTile);
    AddEvent(now + m_toOutput, Event::HEAD_OUT, bus, number);
    AddEvent(end, Event::COLUMN_ENDS, bus, number);
    AddEvent(end + m_toOutput, Event::TAIL_OUT, bus, number);
    return wasStuck;
}

bool
TiledCrossbar::EndColumn(const Event& event)
{
    const Transfer& transfer = m_transfers[event.transfer];
    const uint32_t input = transfer.frame.input;
    const uint32_t column = m_map.ColumnOf(transfer.frame.output);
    Tile& tile = TileAt(input, column);
    tile.room += transfer.room;
    m_columns[event.place].transfer = NONE;
    PlanColumn(event.place, event.time);
    const uint32_t onBus = m_rows[input].transfer;
    if (onBus == NONE)
    {
        PlanRow(input, event.time);
        return false;
    }
    const Transfer& other = m_transfers[onBus];
    const bool waits = other.rowEnd == NEVER && m_map.ColumnOf(other.frame.output) == column;
    return waits && GiveRoom(onBus, tile, event.time);
}

} // namespace ns3::fabric
