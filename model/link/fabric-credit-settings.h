/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CREDIT_SETTINGS_H
#define FABRIC_CREDIT_SETTINGS_H

#include "fabric-types.h"

namespace ns3::fabric
{

/// How the receiver of a link tells its sender of room in its buffer (WL-5), for both directions.
struct CreditSettings
{
    /// Whether in credit frames, which take time on the wire and may be lost; else as a part of the
    /// link's coding, as Omni-Path does, which the rate of the link leaves out.
    bool inFrames{false};
    /// A frame goes when so much room is to be told of, bytes. Chosen: about one full data frame.
    uint32_t thresholdBytes{4096};
    /// Room is told of so long after it became free at the latest, ps, if the wire is free.
    TimePs longest{200'000};
    /// What a lost frame said is repeated so long after it, ps, unless another frame goes before.
    TimePs refresh{10'000'000};
};

} // namespace ns3::fabric

#endif // FABRIC_CREDIT_SETTINGS_H
