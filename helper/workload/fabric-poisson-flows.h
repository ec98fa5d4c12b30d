/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_POISSON_FLOWS_H
#define FABRIC_POISSON_FLOWS_H

#include "fabric-flow-file.h"
#include "fabric-node-numbers.h"
#include "fabric-size-cdf.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * Draws flows that begin at random times, of random sizes, each to any other host. The flows of a
 * host are a Poisson process with a mean gap of mean size x 8 / (rate of its link x load).
 */
class FabricPoissonFlows
{
  public:
    static constexpr double MOST_FLOWS = 1e7; ///< Flows that are drawn at most.

    /**
     * @param cdf sizes
     * @param load part of the rate of its link that each host sends, above 0
     */
    FabricPoissonFlows(const fabric::SizeCdf& cdf, double load);

    /// @return mean time between the flows of a host, ps. @param rate of its link, bit/s
    double MeanGap(uint64_t rate) const;

    /// As of ns-3's objects. @param stream the first that is used @return how many are
    int64_t AssignStreams(int64_t stream);

    /**
     * @param nodes the hosts, at least two
     * @param rates of their links, bit/s
     * @param until flows begin before this time
     * @return the flows, by start; of priority 0
     * @throws std::invalid_argument with a sentence if there would be none, or too many
     */
    fabric::FlowFile Draw(const fabric::NodeNumbers& nodes,
                          const std::vector<uint64_t>& rates,
                          Time until);

  private:
    /// Draws the flows of one host.
    void DrawHost(fabric::FlowFile& file,
                  const fabric::NodeNumbers& nodes,
                  uint32_t host,
                  double gap,
                  Time until);

    fabric::SizeCdf m_cdf;                 ///< Sizes.
    double m_load;                         ///< Part of the rate.
    Ptr<ExponentialRandomVariable> m_gaps; ///< Times between flows, in mean gaps.
    Ptr<UniformRandomVariable> m_sizes;    ///< Parts of the distribution of sizes.
    Ptr<UniformRandomVariable> m_others;   ///< Receivers.
};

} // namespace ns3

#endif // FABRIC_POISSON_FLOWS_H
