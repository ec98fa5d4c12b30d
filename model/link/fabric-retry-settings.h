/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_RETRY_SETTINGS_H
#define FABRIC_RETRY_SETTINGS_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// Link-level retry of a link (WL-6), for both directions.
struct RetrySettings
{
    /// Whether damaged frames are repeated by the link.
    bool enabled{false};
    /// Of both ends together, from a tail's arrival until the repeat starts less the propagation,
    /// ps. Not published; chosen: about what two decoders of forward error correction take.
    TimePs latency{200'000};
    /// Size of the replay buffer, bytes; 0 for as much as the link needs.
    uint32_t bufferBytes{0};
    /// From a tail's departure until the frame is repeated though nobody asked, ps; 0 for twice the
    /// time in which it is confirmed.
    TimePs timeout{0};
    /// Most repeats of a frame. After them it is given up, as on a link without retry.
    uint32_t limit{16};
    /// What is repeated on a link that sends frames in pieces, bytes; on others it is whole frames.
    /// As the link transfer packets of Omni-Path, of 16 flits.
    uint32_t unitBytes{128};
};

} // namespace ns3::fabric

#endif // FABRIC_RETRY_SETTINGS_H
