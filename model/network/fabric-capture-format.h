/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CAPTURE_FORMAT_H
#define FABRIC_CAPTURE_FORMAT_H

#include "fabric-ack-header.h"
#include "fabric-capture-order.h"
#include "fabric-credit-header.h"
#include "fabric-fgfc-header.h"
#include "fabric-frame.h"
#include "fabric-pause-header.h"

#include "ns3/mac48-address.h"

#include <cstdint>
#include <vector>

namespace ns3
{
class FabricNetwork;
}

namespace ns3::fabric
{

/// Link type of the files, LINKTYPE_USER0: kept free for private use (tcpdump.org/linktypes.html).
inline constexpr uint32_t CAPTURE_LINK_TYPE = 147;

/**
 * What stands before each frame in a file, since a capture of a port has both directions and a
 * Ethernet frame begins like a data frame:
 *
 * | bytes | field     | values                                                      |
 * |-------|-----------|-------------------------------------------------------------|
 * | 0     | version   | 1                                                           |
 * | 1     | flags     | 0x01 the port sends it, 0x02 an Ethernet frame              |
 * | 2-3   | EtherType | of the user's packet that the frame carries, or of an       |
 * |       |           | Ethernet frame; 0 for none                                  |
 */
inline constexpr uint32_t CAPTURE_LEAD_BYTES = 4;
inline constexpr uint8_t CAPTURE_VERSION = 1;          ///< Of the format.
inline constexpr uint8_t CAPTURE_FLAG_SENT = 0x01;     ///< The port sends it.
inline constexpr uint8_t CAPTURE_FLAG_ETHERNET = 0x02; ///< Else a frame of the fabric.

/**
 * A data frame with its FCS: header, what it carries, zeros for bytes that the simulation does not
 * have.
 *
 * @param network has what it carries
 */
CaptureOrder::Bytes CaptureDataFrame(const Frame& frame, FabricNetwork& network);

/// An ACK frame with its FCS.
CaptureOrder::Bytes CaptureAckFrame(const FabricAckHeader& acks);

/// A credit frame with its FCS.
CaptureOrder::Bytes CaptureCreditFrame(const FabricCreditHeader& credits);

/**
 * The Ethernet frame of a pause with its FCS.
 *
 * @param source of the port that sends it
 */
CaptureOrder::Bytes CapturePauseFrame(const FabricPauseHeader& pause, Mac48Address source);

/**
 * The Ethernet frame of fine-grain flow control with its FCS.
 *
 * @param source of the port that sends it
 * @param destination of the host that it is for
 */
CaptureOrder::Bytes CaptureFgfcFrame(const FabricFgfcHeader& fgfc,
                                     Mac48Address source,
                                     Mac48Address destination);

/// Says in a record which way its frame goes.
inline void
SetCaptureDirection(CaptureOrder::Bytes& bytes, CaptureDirection direction)
{
    bytes[1] = static_cast<uint8_t>((bytes[1] & ~CAPTURE_FLAG_SENT) |
                                    (direction == CaptureDirection::SENT ? CAPTURE_FLAG_SENT : 0));
}

} // namespace ns3::fabric

#endif // FABRIC_CAPTURE_FORMAT_H
