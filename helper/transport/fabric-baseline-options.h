/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BASELINE_OPTIONS_H
#define FABRIC_BASELINE_OPTIONS_H

#include "fabric-program-options.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

class FabricHelper;

namespace fabric
{

/// What kind of a network a fabric is.
enum class Baseline : uint8_t
{
    LOSSLESS, ///< Links with credits.
    PFC,      ///< Lossless Ethernet: pauses by priority, no congestion control.
    INT,      ///< The same whose switches write on packets, and the reliable transport with HPCC.
    ECN,      ///< Lossy Ethernet with marks, and the reliable transport with DCQCN.
    DROP,     ///< Lossy Ethernet with short queues, and the reliable transport.
    TRIM,     ///< As DROP, but switches trim what finds no room.
};

/**
 * The option of a program that compares its fabric with Ethernet on the same topology and with the
 * same workload (CM-11).
 *
 * @code
 * fabric::BaselineOptions baseline;
 * baseline.AddTo(run.GetOptions());
 * run.Parse(argc, argv, [&] { baseline.Check(run.GetOptions()); });
 * baseline.SetSwitches(run.GetOptions(), run.GetLinkRate(), run.GetLinkDelay());
 * baseline.SetLanes(run.GetHelper());
 * run.InstallTree();
 * baseline.SetTransport(run.GetOptions(), run.GetLinkRate(), roundTrip);
 * @endcode
 */
struct BaselineOptions
{
    Baseline fabric{Baseline::LOSSLESS}; ///< What is asked for.

    /// Adds fabric. @param options of the program; refer to this object
    void AddTo(ProgramOptions& options);

    /// @return whether switches are those of Ethernet, which have no flow channels
    bool IsEthernet() const
    {
        return fabric != Baseline::LOSSLESS;
    }

    /// @return whether what is sent goes by the reliable transport
    bool UsesTransport() const
    {
        return fabric >= Baseline::INT;
    }

    /**
     * @throws std::invalid_argument with a sentence if an option is given that Ethernet has not, or
     * an attribute that makes it
     */
    void Check(const ProgramOptions& options) const;

    /**
     * Sets the defaults of attributes for switches and hosts that are made later.
     *
     * @param options of the program, when its command line has been read
     * @param rate of the links
     * @param delay of the links
     */
    void SetSwitches(const ProgramOptions& options, DataRate rate, Time delay) const;

    /// Sets the virtual lanes that switches have, if they have any. @param helper installs them
    void SetLanes(FabricHelper& helper) const;

    /**
     * Sets the defaults of attributes for transports that are made later.
     *
     * @param options of the program, when its command line has been read
     * @param rate of the links
     * @param roundTrip of the longest way, in an empty fabric
     */
    void SetTransport(const ProgramOptions& options, DataRate rate, Time roundTrip) const;

  private:
    /// Refuses a memory that ports share where queues are short.
    void CheckMemory(const ProgramOptions& options) const;
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BASELINE_OPTIONS_H
