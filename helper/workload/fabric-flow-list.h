/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_FLOW_LIST_H
#define FABRIC_FLOW_LIST_H

#include "fabric-connection-matrix.h"
#include "fabric-types.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::fabric
{

/// The flows of a run, whatever file they are from: each is one message between two hosts.
struct FlowList
{
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max(); ///< No trigger.
    /// Flows between two hosts that do not wait for each other; the next ones wait for the first.
    static constexpr uint32_t PARALLEL = 256;

    /// A flow.
    struct Flow
    {
        uint32_t src;               ///< Host that sends.
        uint32_t dst;               ///< Host that receives.
        uint8_t trafficClass{0};    ///< Traffic class.
        uint32_t port{0};           ///< Port of the destination, for fct.txt.
        uint32_t ofPair{0};         ///< Number among the flows between both hosts, from 0.
        uint64_t bytes{0};          ///< How many are sent.
        bool hasEnd{true};          ///< Whether it is done when these are sent, or has no end.
        TimePs start{NEVER};        ///< When it starts, ps; NEVER if a trigger starts it.
        uint32_t sendDone{NONE};    ///< Trigger that is activated when all is sent.
        uint32_t receiveDone{NONE}; ///< Trigger that is activated when all is received.
        uint32_t line{0};           ///< Where it stands in the file.
    };

    /// A trigger of a connection matrix.
    struct Trigger
    {
        ConnectionMatrix::TriggerKind kind; ///< What it does.
        uint32_t count;                     ///< Of a barrier: activations that it waits for.
        std::vector<uint32_t> flows;        ///< Those that it starts.
        uint32_t id;                        ///< In the file.
    };

    std::vector<Flow> flows;       ///< All flows.
    std::vector<Trigger> triggers; ///< All triggers.
};

} // namespace ns3::fabric

#endif // FABRIC_FLOW_LIST_H
