/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CONGESTION_MARKER_H
#define FABRIC_CONGESTION_MARKER_H

#include "fabric-types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * When the outputs of a switch mark the frames of a traffic class (RT-14): by the bytes of the
 * class that wait for the output when a frame begins to wait, without that frame.
 *
 * | bytes that wait         | part that is marked                                              |
 * |-------------------------|------------------------------------------------------------------|
 * | up to minBytes          | none                                                             |
 * | up to maxBytes          | rises from 0 to `probability`, as with RED (Floyd, Jacobson 1993) |
 * | above                   | all                                                              |
 *
 * With minBytes = maxBytes it is DCTCP's single threshold (RFC 8257, section 3.1).
 */
struct MarkRule
{
    bool isOn{false}; ///< Whether frames of the class are marked at all.
    /// Bytes, 0 to maxBytes. Chosen: 64 KiB, 2.6 us at 200 Gb/s, about the round trip through one
    /// switch; DCTCP wants more than a seventh of it (Alizadeh et al., SIGCOMM'10, 3.3).
    uint32_t minBytes{64 * 1024};
    uint32_t maxBytes{64 * 1024}; ///< Bytes, to 1 GiB.
    double probability{1};        ///< At maxBytes, above 0 to 1.
};

/// The rule of each traffic class.
using MarkRules = std::array<MarkRule, TRAFFIC_CLASSES>;

/**
 * @param text rules of single classes as `class:minBytes:maxBytes:probability`, with commas between
 * @param rules gets them; the other classes keep theirs
 * @throw std::invalid_argument with a sentence if the text is anything else
 */
void ParseMarkRules(const std::string& text, MarkRules& rules);

/// @return whether frames of any class are marked
bool IsAnyMarked(const MarkRules& rules);

/// @throw std::invalid_argument with a sentence if one of them is out of its range
void ValidateMarkRules(const MarkRules& rules);

/**
 * Decides in a switch which frames are marked on their way as having met congestion.
 *
 * The draw between two thresholds is a hash of the number of draws so far. A switch handles its
 * frames in one order (DP-7), so that look-ahead and threads do not change what is marked.
 */
class CongestionMarker
{
  public:
    /**
     * @param rules valid
     * @param seed of the draws
     */
    CongestionMarker(const MarkRules& rules, uint32_t ports, uint32_t seed);

    /**
     * A frame begins to wait for an output.
     *
     * @param bytes of the frame on the wire
     */
    bool Join(uint32_t output, uint32_t trafficClass, uint32_t bytes)
    {
        uint32_t& queued = m_queued[output * TRAFFIC_CLASSES + trafficClass];
        const bool isMarked = Decide(m_rules[trafficClass], queued);
        queued += bytes;
        m_marked += isMarked;
        return isMarked;
    }

    /**
     * A frame does not wait any more.
     *
     * @param bytes of the frame on the wire
     */
    void Leave(uint32_t output, uint32_t trafficClass, uint32_t bytes)
    {
        m_queued[output * TRAFFIC_CLASSES + trafficClass] -= bytes;
    }

    /// @return its bytes that wait for the output
    uint32_t QueuedBytes(uint32_t output, uint32_t trafficClass) const
    {
        return m_queued[output * TRAFFIC_CLASSES + trafficClass];
    }

    /// @return frames marked so far
    uint64_t MarkedFrames() const
    {
        return m_marked;
    }

  private:
    /// A rule as it is looked at.
    struct Thresholds
    {
        bool isOn;       ///< As MarkRule::isOn.
        uint32_t none;   ///< Up to so many bytes none is marked.
        uint32_t all;    ///< Above so many all are.
        uint64_t atMost; ///< Part that is marked at `all`, of 2^32.
    };

    /// @return whether a frame is marked @param queued bytes before it
    bool Decide(const Thresholds& rule, uint32_t queued);

    std::array<Thresholds, TRAFFIC_CLASSES> m_rules; ///< By class.
    std::vector<uint32_t> m_queued;                  ///< Bytes, by output and class.
    uint64_t m_seed;                                 ///< Of the draws.
    uint64_t m_draws{0};                             ///< So far.
    uint64_t m_marked{0};                            ///< Frames.
};

} // namespace ns3::fabric

#endif // FABRIC_CONGESTION_MARKER_H
