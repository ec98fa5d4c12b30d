/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-tiled-crossbar.h"
#include "support/fabric-function-case.h"
#include "support/fabric-test-seeds.h"

#include "ns3/test.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t WORD = 40;                  ///< Bytes of a word; a largest frame is 103 of them.
constexpr TimePs WORD_TIME = 1'600;            ///< Of a word at 200 Gb/s, ps.
constexpr uint64_t BUS_RATE = 200'000'000'000; ///< Of the buses, bit/s.

/// When things happen to a frame, ticks of a word.
struct CrossingTimes
{
    int64_t leaves{-1};  ///< Its tail leaves the input buffer.
    int64_t headOut{-1}; ///< Its head is at the output.
    int64_t tailOut{-1}; ///< Its tail is.
};

/// A frame of a pattern, in words and ticks.
struct PatternFrame
{
    uint16_t input;  ///< Where it comes in.
    uint16_t output; ///< Where it leaves.
    uint32_t words;  ///< Its length.
    int64_t granted; ///< When it is.
    int64_t tailIn;  ///< When its tail is in the input buffer.
};

/// What is granted when.
struct GrantPattern
{
    uint32_t ports;                   ///< Of the switch.
    CrossbarSettings settings;        ///< Of the crossbar.
    int64_t toTile;                   ///< From the row bus to the tile, ticks.
    int64_t toOutput;                 ///< From the tile to the output, ticks.
    std::vector<PatternFrame> frames; ///< By the time of their grants.

    /// @return what it is, for messages
    std::string Describe() const
    {
        return std::to_string(ports) + " ports, " + std::to_string(settings.rows) + " rows, " +
               std::to_string(settings.portsPerTile) + " ports a tile, tile buffer " +
               std::to_string(settings.tileBufferBytes) + ", " + std::to_string(toTile) + " + " +
               std::to_string(toOutput) + " ticks, " + std::to_string(frames.size()) + " frames";
    }
};

/**
 * A crossbar of tiles that moves each word by itself (SW-5, SW-6), tick by tick: a row bus moves a
 * word of its frame if the word is there and the tile has room; a column bus moves a word if it has
 * come to the tile.
 */
class WordByWord
{
  public:
    explicit WordByWord(const GrantPattern& pattern)
        : m_pattern(pattern),
          m_states(pattern.frames.size()),
          m_rowBus(pattern.ports, NONE)
    {
    }

    /// @return what happened to each frame
    std::vector<CrossingTimes> Run()
    {
        for (m_now = 0; m_done < m_states.size(); ++m_now)
        {
            EndColumns();
            EndRows();
            Join();
            TakeGrants();
            DecideRows();
            Join(); // where a tile is reached in no time
            DecideColumns();
            Move();
        }
        std::vector<CrossingTimes> times;
        for (const State& state : m_states)
        {
            times.push_back(state.times);
        }
        return times;
    }

  private:
    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No frame.

    /// How far a frame is.
    struct State
    {
        std::vector<int64_t> in; ///< When each word was put on the row bus.
        uint32_t out{0};         ///< Words that have left the tile.
        uint32_t room{0};        ///< Words of room that it has in its tile.
        bool inColumn{false};    ///< Whether a column bus has taken it.
        bool hasJoined{false};   ///< Whether its head has come to its tile.
        int64_t rowStart{-1};    ///< When the row bus took it.
        int64_t lastMove{-1};    ///< When its last word was moved on the row bus.
        CrossingTimes times;     ///< What happened.
    };

    using Key = std::pair<uint32_t, uint32_t>; ///< An input and an output, or a column.

    uint32_t Row(uint32_t port) const
    {
        return port / m_pattern.settings.portsPerTile % m_pattern.settings.rows;
    }

    uint32_t Column(uint32_t port) const
    {
        return port / m_pattern.settings.portsPerTile / m_pattern.settings.rows;
    }

    uint32_t& Room(uint32_t frame)
    {
        const PatternFrame& f = m_pattern.frames[frame];
        const uint32_t all = m_pattern.settings.tileBufferBytes / WORD;
        return m_room.try_emplace({f.input, Column(f.output)}, all).first->second;
    }

    void EndColumns()
    {
        for (auto& [bus, frame] : m_columnBus)
        {
            if (frame != NONE && m_states[frame].out == m_pattern.frames[frame].words)
            {
                State& state = m_states[frame];
                state.times.tailOut = m_now + m_pattern.toOutput;
                ++m_done;
                Room(frame) += state.room;
                frame = NONE;
            }
        }
        for (uint32_t frame : m_rowBus)
        {
            if (frame != NONE && !m_states[frame].inColumn)
            {
                TakeRoom(frame);
            }
        }
    }

    /// A frame on a row bus takes what room there is.
    void TakeRoom(uint32_t frame)
    {
        State& state = m_states[frame];
        const uint32_t more = std::min(m_pattern.frames[frame].words - state.room, Room(frame));
        state.room += more;
        Room(frame) -= more;
    }

    void EndRows()
    {
        for (uint32_t& frame : m_rowBus)
        {
            if (frame != NONE && m_states[frame].in.size() == m_pattern.frames[frame].words &&
                m_states[frame].in.back() < m_now)
            {
                m_states[frame].times.leaves = m_now;
                frame = NONE;
            }
        }
    }

    /// Heads come to their tiles; of those that come together the lowest input is first.
    void Join()
    {
        for (uint32_t input = 0; input < m_pattern.ports; ++input)
        {
            for (uint32_t frame = 0; frame < m_states.size(); ++frame)
            {
                const State& state = m_states[frame];
                if (m_pattern.frames[frame].input == input && !state.hasJoined &&
                    state.rowStart >= 0 && state.rowStart + m_pattern.toTile <= m_now)
                {
                    JoinTile(frame);
                }
            }
        }
    }

    void JoinTile(uint32_t frame)
    {
        m_states[frame].hasJoined = true;
        const PatternFrame& f = m_pattern.frames[frame];
        std::deque<uint32_t>& queue = m_inTile[{f.input, f.output}];
        if (queue.empty())
        {
            m_inputs[{Row(f.input), f.output}].push_back(f.input);
        }
        queue.push_back(frame);
    }

    void TakeGrants()
    {
        for (; m_next < m_states.size() && m_pattern.frames[m_next].granted == m_now; ++m_next)
        {
            const PatternFrame& f = m_pattern.frames[m_next];
            std::deque<uint32_t>& queue = m_atInput[{f.input, f.output}];
            std::deque<uint32_t>& outputs = m_outputs[{f.input, Column(f.output)}];
            if (queue.empty() && outputs.empty())
            {
                m_columns[f.input].push_back(Column(f.output));
            }
            if (queue.empty())
            {
                outputs.push_back(f.output);
            }
            queue.push_back(m_next);
        }
    }

    void DecideRows()
    {
        for (uint32_t input = 0; input < m_pattern.ports; ++input)
        {
            std::deque<uint32_t>& columns = m_columns[input];
            const auto found =
                m_rowBus[input] != NONE
                    ? columns.end()
                    : std::find_if(columns.begin(), columns.end(), [&](uint32_t column) {
                          return MayStart(input, column);
                      });
            if (found != columns.end())
            {
                const uint32_t column = *found;
                columns.erase(found);
                StartRow(input, column);
            }
        }
    }

    bool MayStart(uint32_t input, uint32_t column)
    {
        const std::deque<uint32_t>& outputs = m_outputs[{input, column}];
        const uint32_t frame = m_atInput[{input, outputs.front()}].front();
        const uint32_t largest = CrossbarSettings::LARGEST_FRAME / WORD;
        const uint32_t words = m_pattern.frames[frame].words;
        return Room(frame) >= (outputs.size() > 1 || words > largest ? largest : words);
    }

    void StartRow(uint32_t input, uint32_t column)
    {
        std::deque<uint32_t>& outputs = m_outputs[{input, column}];
        const uint32_t output = outputs.front();
        outputs.pop_front();
        std::deque<uint32_t>& queue = m_atInput[{input, output}];
        m_rowBus[input] = queue.front();
        queue.pop_front();
        if (!queue.empty())
        {
            outputs.push_back(output);
        }
        if (!outputs.empty())
        {
            m_columns[input].push_back(column);
        }
        m_states[m_rowBus[input]].rowStart = m_now;
        TakeRoom(m_rowBus[input]);
    }

    void DecideColumns()
    {
        for (auto& [bus, inputs] : m_inputs)
        {
            uint32_t& frame = m_columnBus.try_emplace(bus, NONE).first->second;
            if (frame != NONE || inputs.empty())
            {
                continue;
            }
            const uint32_t input = inputs.front();
            inputs.pop_front();
            std::deque<uint32_t>& queue = m_inTile[{input, bus.second}];
            frame = queue.front();
            queue.pop_front();
            if (!queue.empty())
            {
                inputs.push_back(input);
            }
            m_states[frame].inColumn = true;
            m_states[frame].times.headOut = m_now + m_pattern.toOutput;
        }
    }

    /// @return when a word may be put on the row bus, which the link brings no faster than the bus
    int64_t WordIn(const PatternFrame& frame, uint32_t word) const
    {
        if (frame.words == 1)
        {
            return frame.tailIn - 1;
        }
        const int64_t last = std::max(frame.tailIn - 1 - frame.granted, int64_t{0});
        return frame.granted + (last * word + frame.words - 2) / (frame.words - 1);
    }

    void Move()
    {
        MoveRows();
        for (auto& [bus, frame] : m_columnBus)
        {
            if (frame == NONE)
            {
                continue;
            }
            State& state = m_states[frame];
            if (state.out < state.in.size() && state.in[state.out] + m_pattern.toTile <= m_now)
            {
                ++state.out;
            }
        }
        MoveRows(); // where a column has made room
    }

    void MoveRows()
    {
        for (const uint32_t frame : m_rowBus)
        {
            if (frame == NONE)
            {
                continue;
            }
            const PatternFrame& f = m_pattern.frames[frame];
            State& state = m_states[frame];
            const auto moved = static_cast<uint32_t>(state.in.size());
            if (state.lastMove < m_now && moved < f.words && moved - state.out < state.room &&
                WordIn(f, moved) <= m_now)
            {
                state.in.push_back(m_now);
                state.lastMove = m_now;
            }
        }
    }

    const GrantPattern& m_pattern;                 ///< What is granted.
    std::vector<State> m_states;                   ///< By frame.
    std::vector<uint32_t> m_rowBus;                ///< Frames on row buses, by input.
    std::map<Key, uint32_t> m_columnBus;           ///< Frames on column buses, by row and output.
    std::map<Key, uint32_t> m_room;                ///< By input and column, words.
    std::map<Key, std::deque<uint32_t>> m_atInput; ///< By input and output.
    std::map<Key, std::deque<uint32_t>> m_inTile;  ///< By input and output.
    std::map<Key, std::deque<uint32_t>> m_outputs; ///< Turns at the input, by input and column.
    std::map<uint32_t, std::deque<uint32_t>> m_columns; ///< Turns of row buses, by input.
    std::map<Key, std::deque<uint32_t>> m_inputs;       ///< Turns of column buses.
    int64_t m_now{0};                                   ///< Tick.
    uint32_t m_next{0};                                 ///< Next frame to be granted.
    std::size_t m_done{0};                              ///< Frames whose tails have left.
};

/// Writes down what a TiledCrossbar tells.
class CrossingJournal
{
  public:
    explicit CrossingJournal(std::size_t frames)
        : times(frames)
    {
    }

    void LeavesInput(uint32_t tag, TimePs end)
    {
        Note(times[tag].leaves, end);
    }

    void HeadIsOut(uint32_t tag, TimePs now)
    {
        Note(times[tag].headOut, now);
    }

    void TailIsOut(uint32_t tag, TimePs now)
    {
        Note(times[tag].tailOut, now);
    }

    std::vector<CrossingTimes> times; ///< By frame.
    bool isRepeated{false};           ///< Whether anything was told twice, or between ticks.

  private:
    void Note(int64_t& time, TimePs told)
    {
        isRepeated = isRepeated || time >= 0 || told % WORD_TIME != 0;
        time = told / WORD_TIME;
    }
};

/// @return what a TiledCrossbar makes of a pattern
std::vector<CrossingTimes>
RunTiles(FunctionCase& test, const GrantPattern& pattern)
{
    TiledCrossbar crossbar(pattern.ports, pattern.settings);
    crossbar.AddLink(LinkRate(BUS_RATE));
    CrossingJournal journal(pattern.frames.size());
    for (uint32_t i = 0; i < pattern.frames.size(); ++i)
    {
        const PatternFrame& frame = pattern.frames[i];
        const TimePs now = frame.granted * WORD_TIME;
        crossbar.Advance(now - 1, journal); // grants come before decisions
        crossbar.Start({i, frame.input, frame.output, frame.words * WORD, frame.tailIn * WORD_TIME},
                       now);
    }
    while (crossbar.NextTime() != NEVER)
    {
        crossbar.Advance(crossbar.NextTime(), journal);
    }
    test.ExpectEqual(crossbar.Frames(), 0, "no frame is left, " + pattern.Describe());
    for (uint32_t port = 0; port < pattern.ports; ++port)
    {
        for (uint32_t column = 0; column < crossbar.Map().Columns(); ++column)
        {
            test.ExpectEqual(crossbar.FreeBytes(port, column),
                             pattern.settings.tileBufferBytes,
                             "tiles are empty, " + pattern.Describe());
        }
    }
    test.Expect(!journal.isRepeated, "each thing is told once, " + pattern.Describe());
    return journal.times;
}

/// @return a random pattern; its sizes and times are whole words
GrantPattern
DrawGrants(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t low, uint32_t high) {
        return low + static_cast<uint32_t>(random() % (high - low + 1));
    };
    GrantPattern pattern;
    pattern.ports = draw(1, 12);
    pattern.settings.model = CROSSBAR_TILED;
    pattern.settings.rows = draw(1, 4);
    pattern.settings.portsPerTile = draw(1, 3);
    pattern.settings.speedup = 1;
    pattern.settings.tileBufferBytes = (103 + draw(0, seed % 3 == 0 ? 200 : 20)) * WORD;
    pattern.toTile = draw(0, 30);
    pattern.toOutput = pattern.toTile + draw(0, 1);
    pattern.settings.transit = (pattern.toTile + pattern.toOutput) * WORD_TIME;
    pattern.toTile = pattern.settings.transit / 2 / WORD_TIME;
    if (pattern.settings.transit / 2 % WORD_TIME != 0)
    {
        pattern.toOutput = pattern.toTile;
        pattern.settings.transit = 2 * pattern.toTile * WORD_TIME;
    }
    const uint32_t sources = draw(1, pattern.ports);
    const uint32_t sinks = draw(1, pattern.ports);
    const uint32_t gap = draw(0, 60);
    const uint32_t kind = draw(0, 3);
    int64_t now = 0;
    const uint32_t frames = draw(1, 60);
    for (uint32_t i = 0; i < frames; ++i)
    {
        now += draw(0, gap);
        const uint32_t words = kind == 0   ? draw(1, 4)
                               : kind == 1 ? draw(1, 103)
                               : kind == 2 ? draw(1, 225)
                                           : (draw(0, 1) == 0 ? draw(1, 3) : draw(100, 225));
        // The link is at most as fast as the bus, and may have brought some of it before.
        const int64_t slow = draw(0, 2) == 0 ? words + draw(0, 200) : 0;
        pattern.frames.push_back({static_cast<uint16_t>(draw(0, sources - 1)),
                                  static_cast<uint16_t>(draw(0, sinks - 1)),
                                  words,
                                  now,
                                  slow == 0 ? 0 : now + slow});
    }
    return pattern;
}

/// Frames go by tiles as they do word by word.
void
TestTilesByWords(FunctionCase& test)
{
    const TestSeeds seeds(3000);
    for (uint32_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const GrantPattern pattern = DrawGrants(seed);
        const std::vector<CrossingTimes> expected = WordByWord(pattern).Run();
        const std::vector<CrossingTimes> got = RunTiles(test, pattern);
        for (uint32_t i = 0; i < expected.size(); ++i)
        {
            const bool isSame = expected[i].leaves == got[i].leaves &&
                                expected[i].headOut == got[i].headOut &&
                                expected[i].tailOut == got[i].tailOut;
            test.Expect(isSame,
                        Text("seed ",
                             seed,
                             ", frame ",
                             i,
                             " of ",
                             pattern.frames[i].words,
                             " words: ",
                             got[i].leaves,
                             " ",
                             got[i].headOut,
                             " ",
                             got[i].tailOut,
                             ", word by word ",
                             expected[i].leaves,
                             " ",
                             expected[i].headOut,
                             " ",
                             expected[i].tailOut,
                             "; ",
                             pattern.Describe()));
            if (!isSame)
            {
                return;
            }
        }
    }
}

/// Ports are in tiles as in the chip.
void
TestTileMap(FunctionCase& test)
{
    const TileMap chip(64, CrossbarSettings());
    test.ExpectEqual(chip.Rows(), 4, "rows");
    test.ExpectEqual(chip.Columns(), 8, "columns");
    std::map<uint32_t, uint32_t> inRow;
    std::map<uint32_t, uint32_t> inColumn;
    for (uint32_t port = 0; port < 64; ++port)
    {
        ++inRow[chip.RowOf(port)];
        ++inColumn[chip.ColumnOf(port)];
    }
    for (uint32_t row = 0; row < 4; ++row)
    {
        test.ExpectEqual(inRow[row], 16, "inputs of a tile");
    }
    for (uint32_t column = 0; column < 8; ++column)
    {
        test.ExpectEqual(inColumn[column], 8, "outputs of a tile");
    }
    test.ExpectEqual(TileMap(1, CrossbarSettings()).Columns(), 1, "a port has a tile");
    test.ExpectEqual(TileMap(65, CrossbarSettings()).Columns(), 9, "one port more, one tile more");
}

/// Small frames do not lock out large ones, and nobody starves.
void
TestSmallAndLarge(FunctionCase& test)
{
    CrossbarSettings settings;
    settings.model = CROSSBAR_TILED;
    settings.speedup = 1;
    settings.transit = 0;
    settings.tileBufferBytes = CrossbarSettings::LARGEST_FRAME;
    GrantPattern pattern{4, settings, 0, 0, {}};
    // Output 1 is busy with frames of another input of the row; small ones to 0 always wait.
    for (int64_t i = 0; i < 300; ++i)
    {
        pattern.frames.push_back({0, 0, 2, i, 0});
        if (i == 20)
        {
            pattern.frames.push_back({0, 1, 103, i, 0});
        }
    }
    const std::vector<CrossingTimes> times = RunTiles(test, pattern);
    test.Expect(times[21].headOut > 20 && times[21].headOut < 30,
                Text("a large frame has its turn at ", times[21].headOut));
}

/// @return how many rounds of frames of all inputs to all outputs take, by rounds of one frame each
double
RoundsPerRound(FunctionCase& test, double speedup)
{
    CrossbarSettings settings;
    settings.model = CROSSBAR_TILED;
    settings.speedup = speedup;
    settings.transit = 0;
    constexpr uint32_t PORTS = 64;
    constexpr uint32_t ROUNDS = 20;
    TiledCrossbar crossbar(PORTS, settings);
    crossbar.AddLink(LinkRate(BUS_RATE));
    CrossingJournal journal(0);
    std::mt19937 random(1);
    std::vector<uint16_t> outputs(PORTS);
    for (uint32_t i = 0; i < PORTS; ++i)
    {
        outputs[i] = static_cast<uint16_t>(i);
    }

    /// Counts tails.
    struct Last
    {
        void LeavesInput(uint32_t, TimePs)
        {
        }

        void HeadIsOut(uint32_t, TimePs)
        {
        }

        void TailIsOut(uint32_t, TimePs now)
        {
            end = now;
            ++count;
        }

        TimePs end{0};     ///< When the last tail was out, ps.
        uint32_t count{0}; ///< Tails.
    } last;

    const uint32_t bytes = 100 * WORD;
    const TimePs length = LinkRate(BUS_RATE).TxTime(bytes);
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        std::shuffle(outputs.begin(), outputs.end(), random);
        crossbar.Advance(round * length, last);
        for (uint16_t input = 0; input < PORTS; ++input)
        {
            crossbar.Start({0, input, outputs[input], bytes, 0}, round * length);
        }
    }
    while (crossbar.NextTime() != NEVER)
    {
        crossbar.Advance(crossbar.NextTime(), last);
    }
    test.ExpectEqual(last.count, PORTS * ROUNDS, "all come through");
    return static_cast<double>(last.end) / static_cast<double>(ROUNDS * length);
}

/// Permutations get the full rate, and a faster bus is faster.
void
TestPermutations(FunctionCase& test)
{
    test.ExpectEqual(RoundsPerRound(test, 1), 1, "permutations go at the rate of the links");
    test.Expect(RoundsPerRound(test, 2) < 1, "faster buses end earlier");
}

/// Suite of the tiled crossbar.
class TiledCrossbarTestSuite : public FunctionSuite
{
  public:
    TiledCrossbarTestSuite()
        : FunctionSuite("fabric-tiled-crossbar", kUnit)
    {
        Add("SW-5 ports are in tiles", TestTileMap);
        Add("SW-5 SW-6 frames go by tiles as they do word by word", TestTilesByWords);
        Add("SW-6 small frames do not lock out large ones", TestSmallAndLarge);
        Add("SW-5 permutations have the full rate", TestPermutations);
    }
};

TiledCrossbarTestSuite g_tiledCrossbarTestSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
