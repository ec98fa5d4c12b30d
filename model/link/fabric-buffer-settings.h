/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BUFFER_SETTINGS_H
#define FABRIC_BUFFER_SETTINGS_H

#include "fabric-class-map.h"
#include "fabric-link-credits.h"
#include "fabric-shared-memory.h"
#include "fabric-trim-settings.h"
#include "fabric-types.h"

namespace ns3::fabric
{

/// The input buffers of a switch, and what shares them.
struct BufferSettings
{
    /// Input buffer of each port. Sizes are not published; chosen: 8 times the bytes that
    /// 200 Gb/s carry in the round trip of a link of 1 us, and room for four largest frames per
    /// channel.
    BufferShares shares{512 * 1024, 4 * (JUMBO_PAYLOAD + HEADER_BYTES + FCS_BYTES), 1};
    ClassMap vcOfClass{};     ///< Virtual channel of each traffic class.
    uint16_t lossyClasses{0}; ///< Traffic classes that may lose frames (FC-15), bit i is class i.
    /// Bytes of each lossy virtual channel in a buffer, which no other channel gets. Chosen.
    uint32_t lossyBytes{128 * 1024};
    TrimSettings trim;           ///< Of lossy classes.
    SharedMemorySettings shared; ///< Instead of a buffer of each port, if there is one.
    /// Largest frame on the wire; a larger one blocks its port until a reset (SW-15).
    uint32_t maxFrameBytes{WireBytes(JUMBO_PAYLOAD)};

    /// @return whether there may be larger frames
    bool LimitsFrames() const
    {
        return maxFrameBytes < WireBytes(JUMBO_PAYLOAD);
    }

    /// Makes the virtual channels of lossy classes lossy.
    void SetLossyChannels();

    /// @return bytes of a buffer that single channels have for themselves
    uint64_t KeptBytes() const
    {
        const uint32_t lossy = shares.LossyChannels();
        return uint64_t{shares.reservedBytesPerVc} * (shares.virtualChannels - lossy) +
               uint64_t{lossyBytes} * lossy;
    }

    /// @return what senders divide by credits: all but the part of lossy channels
    BufferShares CreditShares() const
    {
        BufferShares credited = shares;
        credited.totalBytes -= lossyBytes * shares.LossyChannels();
        return credited;
    }

    /// @throws std::invalid_argument if settings contradict each other
    void Validate() const;

  private:
    /// Those of `trim`.
    void ValidateTrimming() const;
};

} // namespace ns3::fabric

#endif // FABRIC_BUFFER_SETTINGS_H
