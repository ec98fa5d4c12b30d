/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REDUCTION_PORT_H
#define FABRIC_REDUCTION_PORT_H

#include "fabric-reduction-windows.h"
#include "fabric-reductions.h"
#include "fabric-ring.h"

#include <cstdint>

namespace ns3
{

class FabricNetDevice;
class FabricNetwork;

namespace fabric
{

/// A device's part in reductions: what it has begun, and what has come of that.
class ReductionPort : private ReductionListener
{
  public:
    /// @param device whose NIC takes an engine
    explicit ReductionPort(FabricNetDevice& device);

    /// The device becomes a member of a reduction.
    void Join(const ReductionMembership& membership)
    {
        m_windows.Join(membership);
        m_begun.resize(membership.reduction - FIRST_REDUCTION + 1);
    }

    /**
     * Begins an operation of a reduction of which the device is a member.
     *
     * @param bits of the value
     * @return its number
     */
    uint32_t Start(LocationId reduction, uint64_t bytes, uint64_t bits, TimePs now);

    /// @return the first result of which nobody was told; its time has come
    ReductionResult TakeDone();

  private:
    /// An operation that has begun.
    struct Begun
    {
        uint64_t bytes; ///< Size.
        TimePs at;      ///< When, ps.
    };

    void OperationDone(const ReducedOperation& operation, TimePs at) override;

    FabricNetDevice& m_device;        ///< Whose NIC it is in.
    FabricNetwork* m_network;         ///< Of the device; threads must not count pointers to it.
    ReductionWindows m_windows;       ///< In the NIC.
    std::vector<Ring<Begun>> m_begun; ///< Not told, by reduction, in order.
    Ring<ReducedOperation> m_done;    ///< Not told, by time.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_REDUCTION_PORT_H
