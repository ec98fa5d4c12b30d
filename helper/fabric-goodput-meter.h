/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_GOODPUT_METER_H
#define FABRIC_GOODPUT_METER_H

#include "fabric-net-device.h"
#include "fabric-rank-link.h"
#include "fabric-seconds.h"

#include "ns3/simulator.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::fabric
{

/// What hosts receive during a phase of a run.
class GoodputMeter
{
  public:
    /// What of frames counts.
    enum Counting : uint8_t
    {
        WHOLE_FRAMES, ///< Those that are in.
        PARTS,        ///< Of one that is coming in its part by time, too: for short phases.
    };

    /// @param counting what of frames counts
    explicit GoodputMeter(Counting counting = WHOLE_FRAMES)
        : m_counting(counting)
    {
    }

    /// @param receiver is measured, too, from the next phase on
    void Add(Ptr<FabricNetDevice> receiver)
    {
        m_receivers.push_back(receiver);
    }

    /// A phase begins at the present.
    void Begin()
    {
        m_begin = Look();
        m_end.reset();
    }

    /// The phase ends at the present, and not only when it is measured.
    void End()
    {
        m_end = Look();
    }

    /// @return goodput of all receivers together in the phase, bit/s; on several ranks all have to
    /// call it, when the simulation is over
    double Measure() const
    {
        const Reading end = m_end ? *m_end : Look();
        const uint64_t bytes = SumOverRanks({end.bytes - m_begin.bytes}).front();
        return static_cast<double>(bytes) * 8 / ToSeconds(end.at - m_begin.at);
    }

  private:
    /// What the receivers of this rank have at a time.
    struct Reading
    {
        TimePs at{0};      ///< When, ps.
        uint64_t bytes{0}; ///< Received by then.
    };

    /// @return what they have now
    Reading Look() const
    {
        return {Simulator::Now().GetPicoSeconds(), Delivered()};
    }

    /// @return bytes that they have received by now
    uint64_t Delivered() const
    {
        uint64_t bytes = 0;
        for (const Ptr<FabricNetDevice>& receiver : m_receivers)
        {
            const TimePs now = Simulator::Now().GetPicoSeconds();
            const Nic& nic = receiver->GetNic();
            bytes += m_counting == PARTS ? nic.ArrivedBy(now) : nic.DeliveredBy(now);
        }
        return bytes;
    }

    Counting m_counting;                           ///< What of frames counts.
    std::vector<Ptr<FabricNetDevice>> m_receivers; ///< Are measured.
    Reading m_begin;                               ///< When the phase began.
    std::optional<Reading> m_end;                  ///< When it ended; none if it still lasts.
};

} // namespace ns3::fabric

#endif // FABRIC_GOODPUT_METER_H
