/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PCIE_LINK_H
#define FABRIC_PCIE_LINK_H

#include "fabric-link-rate.h"
#include "fabric-pcie-direction.h"
#include "fabric-pcie-settings.h"

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace ns3::fabric
{

/// Who sends on a PCIe link.
enum class PcieSide : uint8_t
{
    HOST, ///< Processor and memory.
    NIC,  ///< The device.
};

/// Posted writes of one processor core or one engine, which stay in order (PCIe's rule for them).
struct PcieStream
{
    TimePs lastBegin{0}; ///< When the last one has begun to leave, ps.
    TimePs lastEnd{0};   ///< When it has left, ps.
};

/// What has gone over one direction of a PCIe link.
struct PcieCounts
{
    uint64_t tlps{0};    ///< Packets of the transaction layer.
    uint64_t bytes{0};   ///< Bytes of them, with what goes around their data.
    uint64_t payload{0}; ///< Bytes of data in them.
};

/**
 * A PCIe link in the clock of whoever uses it (NQ-1, DP-4): it is told when something is asked for,
 * and says when it is done. Each direction carries one TLP at a time.
 *
 * | transaction     | from its side             | back                                  |
 * |-----------------|---------------------------|---------------------------------------|
 * | write of n B    | ceil(n / MPS) x 24 B + n  |                                       |
 * | DMA read of n B | ceil(n / MRRS) x 24 B     | for each request ceil(m / MPS) x 20 B + m |
 */
class PcieLink
{
  public:
    /// @throws std::invalid_argument see PcieSettings::Validate()
    explicit PcieLink(const PcieSettings& settings);

    /// @return the settings
    const PcieSettings& Settings() const
    {
        return m_settings;
    }

    /// @param now nothing will be asked for at a time before this, ps
    void Advance(TimePs now)
    {
        if (now >= m_forgetAt)
        {
            Forget(now);
        }
    }

    /**
     * Posted writes to the other side: one, or several if it is larger than the MPS.
     *
     * @param from who writes
     * @param order the writer's
     * @param bytes of data, at least 1
     * @param at when it is ready, ps
     * @return when all of it is there, ps
     */
    TimePs Write(PcieSide from, PcieStream& order, uint32_t bytes, TimePs at);

    /**
     * Stores of a processor core to the NIC's memory, of 8 bytes each, to successive addresses from
     * the begin of a line of 64 bytes.
     *
     * @param bytes of data, a multiple of 8; a line that is not full is sent as it is
     * @return as Write()
     */
    TimePs Store(PcieStream& core, uint32_t bytes, TimePs at);

    /**
     * The NIC reads memory of the host. Reads are asked for in the order of their times.
     *
     * @param bytes of data, at least 1
     * @param at when it is asked for; it begins later if too many are outstanding, ps
     * @return when all of it is there, ps
     */
    TimePs Read(uint32_t bytes, TimePs at);

    /// @return what has gone so far @param from the side that has sent it
    const PcieCounts& Counts(PcieSide from) const
    {
        return m_counts[static_cast<std::size_t>(from)];
    }

  private:
    using Times = std::priority_queue<TimePs, std::vector<TimePs>, std::greater<>>;

    /// What is over by now needs no memory any more.
    void Forget(TimePs now);

    /// Times of TLPs on the link.
    struct Sent
    {
        TimePs begin; ///< ps.
        TimePs end;   ///< ps.
    };

    /// @param data bytes of data @param tlps that carry them @param overhead of each, bytes
    Sent Send(PcieSide from, uint32_t data, uint32_t tlps, uint32_t overhead, TimePs at);

    /// A read of at most MRRS. @copydetails Read()
    TimePs ReadOnce(uint32_t bytes, TimePs at);

    PcieSettings m_settings;                   ///< The settings.
    LinkRate m_rate;                           ///< Of TLPs.
    std::array<PcieDirection, 2> m_directions; ///< By who sends.
    std::array<PcieCounts, 2> m_counts;        ///< By who sends.
    TimePs m_forgetAt{0};                      ///< Next call of Forget(), ps.
    Times m_reads;                             ///< When those under way are done.
};

} // namespace ns3::fabric

#endif // FABRIC_PCIE_LINK_H
