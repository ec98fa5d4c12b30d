/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_LOOP_H
#define FABRIC_CREDIT_LOOP_H

#include "fabric-transmitter.h"

#include <cstdint>

namespace ns3::fabric
{

/**
 * How fast credits let a link be (WL-5): as many frames as the receiver has room for go in the time
 * from the start of one until its credit is back.
 *
 *     sender     |=frame=|=frame=|=frame=|    waits for room     |=frame=|
 *     receiver            |=frame=|  goes on, its credit --------+
 *                |<---------------- round trip ----------------->|
 *
 * It is that of one virtual channel, to which the others leave all of the shared part of the buffer
 * (fabric-link-credits.h), and of frames of one size that leave the receiver as they come.
 */
struct CreditLoop
{
    /**
     * @param sender of the link, to a switch
     * @param frameBytes of each frame on the wire
     * @param fastest output of the switch at the other end
     * @param creditTime of a credit on the wire, 0 if it takes none, ps
     */
    CreditLoop(const Transmitter& sender,
               uint32_t frameBytes,
               const LinkRate& fastest,
               TimePs creditTime)
        : frameBytes(frameBytes),
          frameTime(sender.Rate().TxTime(frameBytes)),
          roundTrip(2 * sender.Timing().delay + sender.Timing().dataLatency +
                    sender.Timing().controlLatency + fastest.TxTime(frameBytes) + creditTime)
    {
        const BufferShares shares = sender.Credits().Shares();
        const uint32_t lossless = shares.virtualChannels - shares.LossyChannels();
        if (sender.Timing().storeAndForward)
        {
            roundTrip += frameTime;
        }
        isLossless = lossless != 0;
        othersBytes = isLossless ? shares.reservedBytesPerVc * (lossless - 1) : 0;
        frames = (shares.totalBytes - othersBytes) / frameBytes;
    }

    /// @return whether the sender waits for credits although the receiver sends on what comes
    bool IsShort() const
    {
        return isLossless && frames * frameTime < roundTrip;
    }

    /// @return most frames per second on the link
    double FramesPerSecond() const
    {
        constexpr double PS_PER_SECOND = 1e12;
        return PS_PER_SECOND * (IsShort() ? frames / static_cast<double>(roundTrip)
                                          : 1 / static_cast<double>(frameTime));
    }

    /// @return bytes that the credits have to be for, so that the link is not short
    uint64_t EnoughBytes() const
    {
        const TimePs enough = (roundTrip + frameTime - 1) / frameTime;
        return othersBytes + static_cast<uint64_t>(enough) * frameBytes;
    }

    uint32_t frameBytes;  ///< Of a frame on the wire.
    TimePs frameTime;     ///< Of a frame on the wire, ps.
    TimePs roundTrip;     ///< From the start of a frame until its credit is back, ps.
    bool isLossless;      ///< Whether there are channels that wait for credits.
    uint32_t othersBytes; ///< Of the buffer, kept for other channels.
    TimePs frames;        ///< That a channel has room for.
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_LOOP_H
