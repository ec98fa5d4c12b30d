/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PCIE_SETTINGS_H
#define FABRIC_PCIE_SETTINGS_H

#include "fabric-types.h"

#include <cstdint>

namespace ns3::fabric
{

/// Longest time of one step of a host, of its PCIe link or of its NIC, ps: sums of some of them do
/// not overflow. Chosen.
constexpr TimePs LONGEST_STEP = 10'000'000'000'000;

/// Least part of a PCIe link that may be left to TLPs. Chosen.
constexpr double LEAST_TLP_SHARE = 0.001;

/// Settings of the PCIe link between a host and its NIC (NQ-1).
struct PcieSettings
{
    uint32_t generation{4}; ///< 1 to 5.
    uint32_t lanes{16};     ///< 1, 2, 4, 8 or 16.
    uint32_t mps{256};      ///< Maximum payload size of a TLP, bytes; 128 to 4096, a power of 2.
    uint32_t mrrs{512};     ///< Maximum read request size, bytes; 128 to 4096, a power of 2.

    /// Bytes of a memory write or of a read request besides its data: framing 2, sequence number 2,
    /// header of 64-bit addresses 16, LCRC 4 (PCI Express Base Specification).
    uint32_t writeOverhead{24};
    uint32_t requestOverhead{24};    ///< As above.
    uint32_t completionOverhead{20}; ///< As above, with the header of a completion, 12.

    /// What acknowledgements and flow control of the data link layer leave to TLPs, of the link:
    /// 227.40 of 252.06 Gb/s on Gen 4 x16 with an MPS of 256 (pcie-model of Neugebauer et al.,
    /// SIGCOMM'18).
    double tlpShare{0.90216};

    uint32_t outstandingReads{511}; ///< Most at a time; 511 of Cassini's command queues (libcxi).

    /// From the end of a TLP on the link to its effect at the other side, each way, ps. With
    /// memoryLatency a DMA read of 64 bytes takes the 547 ns of Neugebauer et al., SIGCOMM'18 (Gen
    /// 3 x8): 15 ns on the link, twice this, and the memory. How they divide the rest is chosen.
    TimePs latency{220'000};
    TimePs memoryLatency{92'000}; ///< Of a read of the host's memory: a cache miss. See above, ps.

    /// Whether the processor joins its stores to the NIC into writes of 64 bytes.
    bool combinesWrites{true};

    /// @return what the lanes carry without their line code, bit/s
    uint64_t RawBitsPerSecond() const;

    /// @return what is left for TLPs, bit/s
    uint64_t TlpBitsPerSecond() const
    {
        return static_cast<uint64_t>(static_cast<double>(RawBitsPerSecond()) * tlpShare);
    }

    /// @return whether all settings are the same
    bool operator==(const PcieSettings& other) const;

    /// @throws std::invalid_argument with a sentence if PCIe knows no such link
    void Validate() const;
};

} // namespace ns3::fabric

#endif // FABRIC_PCIE_SETTINGS_H
