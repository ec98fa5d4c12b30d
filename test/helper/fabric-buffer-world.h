/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_WORLD_H
#define FABRIC_BUFFER_WORLD_H

#include "fabric-exchange.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// What a byte of a buffer has: how often the one of each rank was added.
using ByteSum = std::vector<uint16_t>;

/// Bytes of a buffer.
using ByteSums = std::vector<ByteSum>;

/// @return a byte of one rank, unchanged
inline ByteSum
ByteOf(uint32_t rank, uint32_t ranks)
{
    ByteSum byte(ranks, 0);
    byte[rank] = 1;
    return byte;
}

/**
 * The parts of an all-gather: those of all have the same size but for the remainder.
 *
 * @param own is what each rank has at the start: its own part, where that belongs
 * @return what all have in the end
 */
inline ByteSums
PartsOfAll(uint32_t ranks, uint64_t bytes, std::vector<ByteSums>& own)
{
    ByteSums all;
    own.assign(ranks, ByteSums(bytes, ByteSum(ranks, 0)));
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        for (uint64_t i = 0; i < bytes / ranks + (rank < bytes % ranks ? 1 : 0); ++i)
        {
            own[rank][all.size()] = ByteOf(rank, ranks);
            all.push_back(ByteOf(rank, ranks));
        }
    }
    return all;
}

/// @return a buffer of one rank, unchanged
inline ByteSums
BufferOf(uint32_t rank, uint32_t ranks, uint64_t bytes)
{
    return ByteSums(bytes, ByteOf(rank, ranks));
}

/**
 * Carries out a plan byte by byte. It knows nothing of collectives: what a rank sends is copied
 * from its buffer at that time, and is added to or put into the receiver's at the same place when
 * it goes on to its next round. Nothing earlier counts: what has come too soon, or comes in the
 * round in which something is sent, is not in that. Messages come in any order.
 */
class BufferWorld
{
  public:
    /// @param buffers of the ranks at the start
    BufferWorld(const ExchangePlan& plan, std::vector<ByteSums> buffers, uint32_t seed)
        : m_plan(plan),
          m_exchange(plan, 1),
          m_buffers(std::move(buffers)),
          m_random(seed)
    {
        Take(m_exchange.Start(0));
        while (!m_underWay.empty())
        {
            const std::size_t chosen = m_random() % m_underWay.size();
            const UnderWay message = m_underWay[chosen];
            m_underWay.erase(m_underWay.begin() + static_cast<std::ptrdiff_t>(chosen));
            m_come[message.send.to][message.send.round].push_back(message);
            Take(m_exchange.Receive(message.send.to, message.send.round, 0));
            --m_ofSender[message.send.from];
            Take(m_exchange.Deliver(message.send.from, message.send.round, 0));
        }
        for (const auto& [strand, rounds] : std::map(m_come))
        {
            PutBefore(strand, plan.size());
        }
    }

    /// @return what a rank has
    const ByteSums& BufferAt(uint32_t rank) const
    {
        return m_buffers[rank];
    }

    /// @return whether all ranks are through with the plan
    bool IsDone() const
    {
        return m_exchange.IsDone();
    }

    /// @return messages that a rank, or a strand of one, had under way at a time at most
    uint32_t MostUnderWay() const
    {
        return m_mostUnderWay;
    }

  private:
    /// A message on its way.
    struct UnderWay
    {
        Exchange::Send send; ///< The message.
        ByteSums content;    ///< What it carries.
    };

    /// @return the buffer of the rank that has a strand
    ByteSums& BufferOfStrand(uint32_t strand)
    {
        return m_buffers[strand % m_buffers.size()];
    }

    /// @return places in a buffer that a message carries
    std::vector<uint64_t> PlacesOf(const Exchange::Send& send) const
    {
        std::vector<uint64_t> places;
        for (const ByteRange& range : m_plan[send.round].carried)
        {
            for (uint64_t place = range.begin; place < range.end; ++place)
            {
                places.push_back(place);
            }
        }
        for (uint64_t i = 0; m_plan[send.round].carried.empty() && i < send.bytes; ++i)
        {
            places.push_back((send.begin + i) % m_buffers.front().size());
        }
        if (places.size() != send.bytes)
        {
            throw std::logic_error("a message has another size than what it carries");
        }
        return places;
    }

    /// Messages are sent.
    void Take(const std::vector<Exchange::Send>& sends)
    {
        for (const Exchange::Send& send : sends)
        {
            PutBefore(send.from, send.round);
            UnderWay message{send, {}};
            for (const uint64_t place : PlacesOf(send))
            {
                message.content.push_back(BufferOfStrand(send.from)[place]);
            }
            m_underWay.push_back(std::move(message));
            m_mostUnderWay = std::max(m_mostUnderWay, ++m_ofSender[send.from]);
        }
    }

    /// A strand has done all rounds before one, and has what has come in them.
    void PutBefore(uint32_t strand, uint64_t round)
    {
        std::map<uint64_t, std::vector<UnderWay>>& come = m_come[strand];
        while (!come.empty() && come.begin()->first < round)
        {
            for (const UnderWay& message : come.begin()->second)
            {
                Put(message);
            }
            come.erase(come.begin());
        }
    }

    /// A message is put into the receiver's buffer.
    void Put(const UnderWay& message)
    {
        const std::vector<uint64_t> places = PlacesOf(message.send);
        for (std::size_t i = 0; i < places.size(); ++i)
        {
            ByteSum& byte = BufferOfStrand(message.send.to)[places[i]];
            for (std::size_t rank = 0; rank < byte.size(); ++rank)
            {
                byte[rank] = static_cast<uint16_t>((message.send.adds ? byte[rank] : 0) +
                                                   message.content[i][rank]);
            }
        }
    }

    ExchangePlan m_plan;                     ///< What is carried out.
    Exchange m_exchange;                     ///< Says what is sent when.
    std::vector<ByteSums> m_buffers;         ///< By rank.
    std::mt19937 m_random;                   ///< Order of arrivals.
    std::vector<UnderWay> m_underWay;        ///< Messages.
    std::map<uint32_t, uint32_t> m_ofSender; ///< How many of each strand.
    uint32_t m_mostUnderWay{0};              ///< Of a strand.
    /// By strand and round, what has come and is not in the buffer yet.
    std::map<uint32_t, std::map<uint64_t, std::vector<UnderWay>>> m_come;
};

/// Calls a function with numbers of ranks and sizes of buffers, small ones, odd ones, fewer bytes
/// than ranks, remainders.
template <typename Body>
void
ForSizes(Body&& body)
{
    for (uint32_t ranks = 1; ranks <= 34; ++ranks)
    {
        for (const uint64_t bytes :
             std::set<uint64_t>{1, 2, std::max(ranks, 2U) - 1, ranks, ranks + 1, 2 * ranks + 3, 40})
        {
            body(ranks, bytes);
        }
    }
    body(64, 65);
    body(61, 7);
}

/// @return a whole buffer of each rank
inline std::vector<ByteSums>
WholeBuffers(uint32_t ranks, uint64_t bytes)
{
    std::vector<ByteSums> buffers;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        buffers.push_back(BufferOf(rank, ranks, bytes));
    }
    return buffers;
}

} // namespace ns3::fabric

#endif // FABRIC_BUFFER_WORLD_H
