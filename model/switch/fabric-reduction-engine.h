/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_ENGINE_H
#define FABRIC_REDUCTION_ENGINE_H

#include "fabric-flow-entry.h"
#include "fabric-input-buffers.h"
#include "fabric-reduction-descriptor.h"
#include "fabric-reduction-operands.h"
#include "fabric-reduction-settings.h"
#include "fabric-reduction-slots.h"
#include "fabric-ring.h"
#include "fabric-routing-function.h"
#include "fabric-switch-clock.h"
#include "fabric-switch-ports.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * RED, the reduction engine of a switch (SW-14): combines the frames that members of a reduction
 * send, and sends one result up the tree; at its root down, by copies.
 *
 * A contribution goes into the slot of its piece and leaves the input buffer at once. The last one
 * of a piece becomes the result: with the combined value it waits in the virtual output queue of
 * the way up, and holds its room of the input buffer until it leaves, as any frame. Nothing waits
 * for a slot (ReductionSlots), so contributions that are late hold up nobody else.
 */
class ReductionEngine
{
  public:
    /// @param routing tells virtual channels of classes
    ReductionEngine(const SwitchPorts& ports,
                    SwitchClock& clock,
                    InputBuffers& buffers,
                    FlowEntry& entry,
                    const RoutingFunction& routing,
                    const ReductionSettings& settings)
        : m_ports(ports),
          m_clock(clock),
          m_buffers(buffers),
          m_entry(entry),
          m_routing(routing),
          m_settings(settings)
    {
    }

    /// @return slots of which no reduction has any
    uint32_t FreeSlots() const
    {
        return m_settings.slots - m_slotsTaken;
    }

    /**
     * The switch is in the tree of a reduction from now on.
     *
     * @param descriptor what it does there; its window is not above FreeSlots()
     * @param operands that frames carry
     */
    void Add(const ReductionDescriptor& descriptor, ReductionOperands& operands);

    /**
     * A frame to a reduction has come, and is held.
     *
     * @param port where it has come in
     */
    void Take(uint32_t port, const Frame& frame, TimePs now);

    /// Results whose time has come leave.
    void SendResults(TimePs now);

    /// @return whether no piece is being combined, and no result waits for its time
    bool IsIdle() const;

    /// @param visit is called with each result that waits for its time, and the port whose room it
    /// has: `void visit(uint32_t, const Frame&)`
    template <typename Visit>
    void ForEachResult(Visit&& visit) const
    {
        for (uint32_t i = 0; i < m_results.Size(); ++i)
        {
            visit(m_results.At(i).port, m_results.At(i).frame);
        }
    }

  private:
    /// A reduction in whose tree the switch is.
    struct Reduction
    {
        ReductionDescriptor descriptor; ///< What is done.
        ReductionSlots slots;           ///< What has come.
        uint32_t resultCopies;          ///< Of a result: those that carry it on.
    };

    /// A result that waits for its time.
    struct Result
    {
        TimePs time;   ///< When it asks its output, ps.
        uint32_t port; ///< Whose room it has.
        Frame frame;   ///< The last contribution, with the value of all.
    };

    /// @return the reduction @param location where a frame goes that has come
    Reduction& Find(LocationId location);
    /// A contribution of a child has come.
    void Contribute(Reduction& reduction, uint32_t port, const Frame& frame, TimePs now);
    /// A result leaves for the switch above, or from the root for members.
    void SendResult(const Reduction& reduction, uint32_t port, const Frame& frame, TimePs now);
    /// A result waits for a port.
    void Join(uint32_t port, const Frame& result, const TreePort& output, TimePs now);
    /// A result leaves by all children.
    void SendDown(const Reduction& reduction, uint32_t port, const Frame& frame, TimePs now);

    static constexpr uint32_t NONE = 0xFFFFFFFF; ///< No entry.

    const SwitchPorts& m_ports;             ///< Of the switch.
    SwitchClock& m_clock;                   ///< Of the switch.
    InputBuffers& m_buffers;                ///< Of the switch.
    FlowEntry& m_entry;                     ///< Of the switch.
    const RoutingFunction& m_routing;       ///< Of the switch.
    const ReductionSettings& m_settings;    ///< Of the engine.
    ReductionOperands* m_operands{nullptr}; ///< Null before the first reduction.
    uint32_t m_slotsTaken{0};               ///< By reductions.
    uint32_t m_task{NONE};                  ///< Of SendResults(), on the agenda.
    std::vector<Reduction> m_reductions;    ///< In the order of their creation.
    std::vector<uint32_t> m_numberOf;       ///< By location, from FIRST_REDUCTION on.
    Ring<Result> m_results;                 ///< By time.
};

} // namespace ns3::fabric

#endif // FABRIC_REDUCTION_ENGINE_H
