/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-pipeline-plan.h"

#include "fabric-double-binary-tree.h"

#include <algorithm>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t TREE_STRANDS = 4; ///< Of a rank: two trees, up and down.

/// A part of a buffer, in pieces.
struct PieceCut
{
    uint64_t begin;  ///< First byte of it.
    uint64_t bytes;  ///< Of it.
    uint32_t pieces; ///< That it is cut into.

    /// @param adds whether the receiver adds it @return the message with a piece
    ExchangeMessage Piece(uint32_t piece, uint32_t to, bool adds) const
    {
        const uint64_t first = PartBegin(bytes, pieces, piece);
        return {to, PartBegin(bytes, pieces, piece + 1) - first, begin + first, adds};
    }
};

/// @return by rank, steps up to the root of one of both trees
std::vector<uint32_t>
DepthsOf(const DoubleBinaryTree& trees, uint32_t tree, uint32_t ranks)
{
    std::vector<uint32_t> depths(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        depths[rank] = trees.DepthOf(tree, rank);
    }
    return depths;
}

/**
 * A half goes up one of both trees and down again. So that nobody waits for more than the piece
 * that it sends on, piece p goes up from a rank of depth d in round p + height - d and comes down
 * to it in round p + height - 1 + d.
 *
 * @param plan gets messages, and rounds if it has too few
 */
void
AddTree(ExchangePlan& plan, uint32_t ranks, uint32_t tree, const PieceCut& half)
{
    const DoubleBinaryTree trees(ranks);
    const std::vector<uint32_t> depths = DepthsOf(trees, tree, ranks);
    const uint32_t height = *std::max_element(depths.begin(), depths.end());
    const std::size_t rounds = std::size_t{half.pieces} + 2 * height - 1;
    plan.resize(std::max(plan.size(), rounds), EmptyRound(ranks, TREE_STRANDS));
    const uint32_t up = 2 * tree * ranks; // number of rank 0 in the strand
    const uint32_t down = up + ranks;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        if (rank == trees.RootOf(tree))
        {
            continue;
        }
        const uint32_t parent = trees.ParentOf(tree, rank);
        const uint32_t turning = parent == trees.RootOf(tree) ? up : down;
        for (uint32_t piece = 0; piece < half.pieces; ++piece)
        {
            plan[piece + height - depths[rank]].Add(up + rank,
                                                    half.Piece(piece, up + parent, true));
            plan[piece + height - 1 + depths[rank]].Add(turning + parent,
                                                        half.Piece(piece, down + rank, false));
        }
    }
}

} // namespace

ExchangePlan
PlanChainBroadcast(uint32_t ranks, uint64_t bytes, uint32_t pieces)
{
    const PieceCut all{0, bytes, pieces};
    ExchangePlan plan;
    for (uint32_t round = 0; ranks > 1 && round < pieces + ranks - 2; ++round)
    {
        plan.push_back(EmptyRound(ranks));
        // A rank sends a piece in the round after the one in which it has come.
        for (uint32_t rank = 0; rank + 1 < ranks && rank <= round; ++rank)
        {
            if (round - rank < pieces)
            {
                plan.back().Add(rank, all.Piece(round - rank, rank + 1, false));
            }
        }
    }
    return plan;
}

ExchangePlan
PlanDoubleTreeAllreduce(uint32_t ranks, uint64_t bytes, uint32_t pieces)
{
    ExchangePlan plan;
    for (uint32_t tree = 0; tree < 2 && ranks > 1; ++tree)
    {
        const uint64_t begin = PartBegin(bytes, 2, tree);
        AddTree(plan, ranks, tree, {begin, PartBegin(bytes, 2, tree + 1) - begin, pieces});
    }
    return plan;
}

} // namespace ns3::fabric
