/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_PORTS_H
#define FABRIC_SWITCH_PORTS_H

#include "fabric-frame-pool.h"
#include "fabric-input-port.h"
#include "fabric-output-port.h"
#include "fabric-tiled-output.h"

namespace ns3::fabric
{

/// An input queue with its place looked up, for all that is done with it.
struct QueuePlace
{
    QueueRef ref{NO_QUEUE};      ///< Its name.
    InputPort* input{nullptr};   ///< Where it is.
    InputQueue* queue{nullptr};  ///< The queue.
    FlowRecord* record{nullptr}; ///< Of its flow channel; null for a virtual output queue.

    /// @return whether it is one of several ways of its flow
    bool IsWay() const
    {
        return __builtin_expect(ref.queue >= FIRST_WAY_QUEUE, 0) != 0; // most flows have one
    }

    /// @return the way whose queue it is, if IsWay()
    FlowWay& Way() const
    {
        return input->flows.WayOf(ref.queue);
    }

    /// @return name of its flow channel, if it is of one
    QueueRef Flow() const
    {
        return IsWay() ? QueueRef{ref.input, Way().flow} : ref;
    }

    /// @return the place of its flow channel's own queue
    QueuePlace OfFlow() const
    {
        return IsWay() ? QueuePlace{Flow(), input, &record->queue, record} : *this;
    }

    /// @return flow_id of its flow on the outgoing link, NO_FLOW if it has none
    FlowId& Outgoing() const
    {
        return IsWay() ? Way().id : record->outgoing;
    }

    /// @return units of 256 bytes that have left by its output and are not acknowledged
    uint32_t UnderWay() const
    {
        return IsWay() ? Way().units : record->FlowExtent();
    }

    /// @return whether its flow takes several ways at a time
    bool HasWays() const
    {
        const FlowWays* ways = input->flows.Ways();
        return ways && record && ways->AreOf(record->trafficClass);
    }
};

/// The ports of a switch and the frames in its buffers: what its units share (SU-2). A view.
struct SwitchPorts
{
    InputPort* inputs;   ///< By port.
    OutputPort* outputs; ///< By port.
    FramePool* frames;   ///< In the input buffers.
    uint32_t count;      ///< Number of ports.
    TiledOutput* tiles;  ///< What outputs have more, by port; null if the crossbar is ideal.

    /// Ports of one side, for loops over all.
    template <typename Port>
    struct Side
    {
        Port* first;    ///< Of port 0.
        uint32_t count; ///< Number of ports.

        /// @return the first port
        Port* begin() const
        {
            return first;
        }

        /// @return behind the last port
        Port* end() const
        {
            return first + count;
        }
    };

    /// @return all receiving sides
    Side<InputPort> Inputs() const
    {
        return {inputs, count};
    }

    /// @return all sending sides
    Side<OutputPort> Outputs() const
    {
        return {outputs, count};
    }

    /// @param ref names a queue
    QueuePlace Find(QueueRef ref) const
    {
        InputPort& input = inputs[ref.input];
        if (InputFlowTable::IsFlow(ref.queue))
        {
            FlowRecord& record = input.flows.At(ref.queue);
            return {ref, &input, &record.queue, &record};
        }
        if (__builtin_expect(ref.queue >= FIRST_WAY_QUEUE, 0) != 0)
        {
            FlowWay& way = input.flows.WayOf(ref.queue);
            return {ref, &input, &way.queue, &input.flows.At(way.flow)};
        }
        return {ref, &input, &input.flows.VirtualOutputQueueAt(ref.queue), nullptr};
    }

    /// @return what finds queues, for the lists of an output
    auto Queues() const
    {
        return [inputs = inputs](QueueRef ref) -> InputQueue& {
            return inputs[ref.input].flows.Queue(ref.queue);
        };
    }
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_PORTS_H
