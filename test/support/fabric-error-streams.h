/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ERROR_STREAMS_H
#define FABRIC_ERROR_STREAMS_H

#include "fabric-channel.h"
#include "fabric-helper.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"

#include <cstdint>

namespace ns3::fabric
{

/// @return an error model for each link, which damages frames @param rate part of all frames
inline ObjectFactory
FrameErrors(double rate)
{
    ObjectFactory errors("ns3::RateErrorModel");
    errors.Set("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    errors.Set("ErrorRate", DoubleValue(rate));
    return errors;
}

/// Gives the error models of all links random streams, so that runs of one process are alike.
/// @param stream the first one
inline void
AssignErrorStreams(const FabricContainer& fabric, int64_t stream)
{
    for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
    {
        const Ptr<Node> node = fabric.switches.Get(i);
        for (uint32_t d = 0; d < node->GetNDevices(); ++d)
        {
            const auto channel = DynamicCast<FabricChannel>(node->GetDevice(d)->GetChannel());
            for (const Ptr<ErrorModel>& model : channel->GetErrorModels())
            {
                DynamicCast<RateErrorModel>(model)->AssignStreams(stream++);
            }
        }
    }
}

} // namespace ns3::fabric

#endif // FABRIC_ERROR_STREAMS_H
