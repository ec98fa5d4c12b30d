/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TILED_CROSSBAR_H
#define FABRIC_TILED_CROSSBAR_H

#include "fabric-crossbar-settings.h"
#include "fabric-link-rate.h"
#include "fabric-ring.h"

#include <vector>

namespace ns3::fabric
{

/// Where ports are in a crossbar of tiles (SW-5): ports fill tiles, and tiles fill columns. 64
/// ports with 2 in a tile and 4 rows make 8 columns.
class TileMap
{
  public:
    /// @param ports of the switch
    TileMap(uint32_t ports, const CrossbarSettings& settings)
        : m_portsPerTile(settings.portsPerTile),
          m_rows(settings.rows),
          m_columns(ColumnOf(ports - 1) + 1)
    {
    }

    /// @return row of tiles in which an input's bus is
    uint32_t RowOf(uint32_t port) const
    {
        return port / m_portsPerTile % m_rows;
    }

    /// @return column of tiles from which an output is fed
    uint32_t ColumnOf(uint32_t port) const
    {
        return port / m_portsPerTile / m_rows;
    }

    /// @return number of rows
    uint32_t Rows() const
    {
        return m_rows;
    }

    /// @return number of columns
    uint32_t Columns() const
    {
        return m_columns;
    }

  private:
    uint32_t m_portsPerTile; ///< Ports that share a tile.
    uint32_t m_rows;         ///< Number of rows.
    uint32_t m_columns;      ///< Number of columns.
};

/// A frame that goes through a crossbar.
struct CrossbarFrame
{
    uint32_t tag{0};    ///< Names it for who has granted it.
    uint16_t input{0};  ///< Where it comes in.
    uint16_t output{0}; ///< Where it leaves.
    uint32_t bytes{1};  ///< On the wire.
    TimePs tailIn{0};   ///< When its tail is in the input buffer, ps.
};

/**
 * The data crossbar of a switch, in tiles (SW-5, SW-6). It knows frames that were granted, which
 * have room where they go, and no flows.
 *
 * A row bus per input takes one frame at a time to a buffer that the input has in the tile of the
 * output's column. There it waits in the queue of its output. A column bus per row and output takes
 * one frame at a time from these queues to the output. Both serve their sources round-robin.
 * Heads pass at once: a bus that has taken a frame carries its bytes at its own rate, or as they
 * come if they come more slowly.
 *
 * A frame is put on its row bus when the buffer in the tile has room for it. If frames for several
 * outputs of the tile wait at the input, there has to be room for a largest frame, so that small
 * ones don't take what large ones wait for. Jumbo frames need no more room than that; the bus then
 * waits for room with the rest of the frame. Room is free again when a tail has left the tile.
 *
 * Everything that happens at an instant comes before what is decided then.
 */
class TiledCrossbar
{
  public:
    /**
     * @param ports of the switch
     * @param settings of which rows, portsPerTile, speedup, transit and tileBufferBytes count
     */
    TiledCrossbar(uint32_t ports, const CrossbarSettings& settings);

    /// The switch has a link, before any frame comes. @param rate of it
    void AddLink(const LinkRate& rate);

    /// @return where ports are
    const TileMap& Map() const
    {
        return m_map;
    }

    /// A frame is granted. @param now not before what Advance() has handled, ps
    void Start(const CrossbarFrame& frame, TimePs now);

    /// @return when something happens next, NEVER for not at all, ps
    TimePs NextTime() const
    {
        return m_events.empty() ? NEVER : m_events.front().time;
    }

    /// @return frames that were granted and whose tails are not out
    uint32_t Frames() const
    {
        return static_cast<uint32_t>(m_transfers.size() - m_free.size());
    }

    /// @return bytes that are free of the buffer of an input in a tile
    uint32_t FreeBytes(uint32_t input, uint32_t column) const
    {
        return m_tiles[input * m_map.Columns() + column].room;
    }

    /**
     * Handles everything up to a time.
     *
     * @param now after what was handled, or at the same time, ps
     * @param listener is told what happens, with the frame's tag:
     *   `void LeavesInput(uint32_t, TimePs)`: when its tail leaves the input buffer, ps;
     *   `void HeadIsOut(uint32_t, TimePs)`: its head is at the output, ps;
     *   `void TailIsOut(uint32_t, TimePs)`: its tail is, ps
     */
    template <typename Listener>
    void Advance(TimePs now, Listener&& listener)
    {
        while (NextTime() <= now)
        {
            const Event event = TakeEvent();
            bool leaves = false;
            switch (event.kind)
            {
            case Event::COLUMN_ENDS:
                leaves = EndColumn(event);
                break;
            case Event::ROW_ENDS:
                EndRow(event);
                break;
            case Event::HEAD_IN_TILE:
                JoinTile(event);
                break;
            case Event::HEAD_OUT:
                listener.HeadIsOut(m_transfers[event.transfer].frame.tag, event.time);
                break;
            case Event::TAIL_OUT:
                listener.TailIsOut(m_transfers[event.transfer].frame.tag, event.time);
                m_free.push_back(event.transfer);
                break;
            case Event::ROW_DECIDES:
                leaves = DecideRow(event);
                break;
            default:
                leaves = DecideColumn(event);
                break;
            }
            if (leaves)
            {
                const Transfer& left = m_transfers[m_left];
                listener.LeavesInput(left.frame.tag, left.rowEnd);
            }
        }
    }

  private:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No transfer.

    /// A frame on its way.
    struct Transfer
    {
        CrossbarFrame frame;  ///< The frame.
        uint32_t next{NONE};  ///< Next of its queue.
        uint32_t room{0};     ///< Bytes of room that it has in its tile.
        TimePs rowEnd{NEVER}; ///< When its tail leaves the input buffer, NEVER if unknown, ps.
        TimePs movedAt{0};    ///< `moved` is as of this time, ps.
        TimePs moved{0};      ///< How long its bytes have been on the row bus by then, ps.
    };

    /// Something that happens, in the order of equal times.
    struct Event
    {
        /// What it is.
        enum Kind : uint32_t
        {
            COLUMN_ENDS,    ///< The tail of a frame leaves its tile.
            ROW_ENDS,       ///< The tail of a frame leaves its input.
            HEAD_IN_TILE,   ///< The head of a frame comes to its tile.
            HEAD_OUT,       ///< The head of a frame is at its output.
            TAIL_OUT,       ///< The tail of a frame is at its output.
            ROW_DECIDES,    ///< A row bus may take a frame.
            COLUMN_DECIDES, ///< A column bus may take a frame.
        };

        TimePs time;       ///< When, ps.
        Kind kind;         ///< What.
        uint32_t place;    ///< Number of the bus.
        uint32_t transfer; ///< The frame.

        /// @return whether it comes after another
        bool operator<(const Event& other) const
        {
            if (time != other.time)
            {
                return time > other.time;
            }
            return kind != other.kind ? kind > other.kind : place > other.place;
        }
    };

    /// A queue of transfers.
    struct Queue
    {
        uint32_t head{NONE}; ///< First.
        uint32_t tail{NONE}; ///< Last, if there is any.
    };

    /// The row bus of an input.
    struct RowBus
    {
        uint32_t transfer{NONE}; ///< The frame that it carries.
        bool decides{false};     ///< Whether a decision is planned.
        Ring<uint32_t> columns;  ///< For which frames wait; the next one in turn first.
    };

    /// An input and a tile of its row.
    struct Tile
    {
        uint32_t room{0};       ///< Free bytes of the buffer.
        Ring<uint32_t> outputs; ///< For which frames wait at the input; the next one in turn first.
    };

    /// A column bus.
    struct ColumnBus
    {
        uint32_t transfer{NONE}; ///< The frame that it carries.
        bool decides{false};     ///< Whether a decision is planned.
        Ring<uint32_t> inputs;   ///< From which frames wait in the tile; the next one first.
    };

    /// @return the first event, removed
    Event TakeEvent();
    /// Something happens.
    void AddEvent(TimePs time, Event::Kind kind, uint32_t place, uint32_t transfer);
    /// A row bus may take a frame at a time.
    void PlanRow(uint32_t input, TimePs time);
    /// A column bus may take a frame at a time.
    void PlanColumn(uint32_t bus, TimePs time);
    /// The tail of a frame leaves its tile. @return whether it is known now when the frame m_left
    /// leaves its input
    bool EndColumn(const Event& event);
    /// The tail of a frame leaves its input.
    void EndRow(const Event& event);
    /// The head of a frame comes to its tile.
    void JoinTile(const Event& event);
    /// A row bus may take a frame. @return as EndColumn()
    bool DecideRow(const Event& event);
    /// A column bus may take a frame. @return as EndColumn()
    bool DecideColumn(const Event& event);
    /// @return place in the turns of a row bus of the first column to which a frame may go
    uint32_t FindColumn(const RowBus& row, uint32_t input) const;
    /// @return whether a tile has room for the frame whose turn it is there
    bool HasRoom(uint32_t input, const Tile& tile) const;
    /// A row bus takes the frame whose turn it is. @return as EndColumn()
    bool StartRow(uint32_t input, uint32_t column, TimePs now);
    /// The frame of a row bus that waits for room gets some. @return as EndColumn()
    bool GiveRoom(uint32_t transfer, Tile& tile, TimePs now);
    /// @return how long the bytes of a frame have been on its row bus by now, ps
    TimePs MovedBy(const Transfer& transfer, TimePs now) const;
    /// Nothing more holds up a frame on its row bus. @param end when its last byte can pass, ps
    void EndsRow(uint32_t transfer, TimePs end);
    /// Appends to a queue. @return whether it was empty
    bool Append(Queue& queue, uint32_t transfer);
    /// Removes the first of a queue. @return it
    uint32_t TakeFirst(Queue& queue);
    /// The first of a ring had its turn. @param stays whether it has another
    static void PassTurn(Ring<uint32_t>& turns, bool stays);

    /// @return the buffer of an input in the tile of a column
    Tile& TileAt(uint32_t input, uint32_t column)
    {
        return m_tiles[input * m_map.Columns() + column];
    }

    /// @return number of the column bus from an input's row to an output
    uint32_t BusOf(const CrossbarFrame& frame) const
    {
        return m_map.RowOf(frame.input) * m_ports + frame.output;
    }

    const TileMap m_map;              ///< Where ports are.
    const uint32_t m_ports;           ///< Number of ports.
    const uint32_t m_tileBytes;       ///< Buffer of an input in a tile.
    const double m_speedup;           ///< Of buses.
    const TimePs m_toTile;            ///< From the row bus to the tile, ps.
    const TimePs m_toOutput;          ///< From the tile to the output, ps.
    LinkRate m_rate;                  ///< Of each bus.
    std::vector<RowBus> m_rows;       ///< By input.
    std::vector<Tile> m_tiles;        ///< By input, then by column.
    std::vector<ColumnBus> m_columns; ///< By row, then by output.
    std::vector<Queue> m_atInput;     ///< Frames that wait for a row bus: by input, then by output.
    std::vector<Queue> m_inTile;      ///< Frames that wait for a column bus, likewise.
    std::vector<Transfer> m_transfers; ///< Frames on their way, by number.
    std::vector<uint32_t> m_free;      ///< Numbers that are free.
    std::vector<Event> m_events;       ///< A heap; the first comes next.
    uint32_t m_left{NONE};             ///< See EndColumn().
};

} // namespace ns3::fabric

#endif // FABRIC_TILED_CROSSBAR_H
