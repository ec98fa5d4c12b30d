/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WINDOW_SAMPLER_H
#define FABRIC_WINDOW_SAMPLER_H

#include "fabric-initiator-application.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <ostream>
#include <vector>

namespace ns3
{

/**
 * Looks at the connections of initiators at equal distances of time, from their set-up to their
 * end: the congestion window, what is in flight, the round trip (RT-14). Each sample is one ns-3
 * event.
 */
class FabricWindowSampler
{
  public:
    /// @param period between samples, above 0; the first is after one period
    explicit FabricWindowSampler(Time period);
    ~FabricWindowSampler();

    FabricWindowSampler(const FabricWindowSampler&) = delete;
    FabricWindowSampler& operator=(const FabricWindowSampler&) = delete;

    /// @param initiator whose connection is looked at
    void Add(uint32_t host, Ptr<FabricInitiatorApplication> initiator);

    /// @param os where the samples go, by time and host: windows.csv
    void Write(std::ostream& os) const;

  private:
    /// An initiator.
    struct Watched
    {
        uint32_t host;                             ///< Number of its host.
        Ptr<FabricInitiatorApplication> initiator; ///< It.
    };

    /// What a connection had.
    struct Sample
    {
        fabric::TimePs at;           ///< When, ps.
        uint32_t host;               ///< Number of the initiator's host.
        fabric::ConnectionView view; ///< Of the connection.
    };

    /// Looks at all, and plans the next sample while any initiator is at work.
    void Take();

    Time m_period;                  ///< Between samples.
    std::vector<Watched> m_watched; ///< By host.
    std::vector<Sample> m_samples;  ///< By time.
    EventId m_next;                 ///< The next sample.
};

} // namespace ns3

#endif // FABRIC_WINDOW_SAMPLER_H
