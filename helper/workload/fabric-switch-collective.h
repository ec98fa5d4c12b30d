/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_COLLECTIVE_H
#define FABRIC_SWITCH_COLLECTIVE_H

#include "fabric-group-helper.h"
#include "fabric-helper.h"
#include "fabric-rank-placement.h"
#include "fabric-reduction-helper.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::fabric
{

/**
 * An all-reduce or a reduce of hosts of a fabric that its switches carry out (SW-14).
 *
 * @code
 * SwitchCollective collective(fabric, 16, true);
 * Simulator::ScheduleNow([&collective] { collective.Start(1 << 20); });
 * Simulator::Run();
 * collective.AddRanks();
 * const TimePs time = collective.GetCompletionTime(); // if IsDone()
 * @endcode
 */
class SwitchCollective
{
  public:
    /**
     * @param hosts by rank, another one each
     * @param isToAll whether all get the result, or rank 0
     * @param window frames that a host has under way at most; 0 for as many as usual
     * @throws std::invalid_argument with a sentence if there can be no such reduction
     */
    SwitchCollective(const FabricContainer& fabric,
                     const std::vector<uint32_t>& hosts,
                     bool isToAll,
                     uint32_t window = 0);

    /// The same with rank r at host r. @param ranks hosts that take part
    SwitchCollective(const FabricContainer& fabric,
                     uint32_t ranks,
                     bool isToAll,
                     uint32_t window = 0)
        : SwitchCollective(fabric, FirstHosts(ranks), isToAll, window)
    {
    }

    ~SwitchCollective();

    SwitchCollective(const SwitchCollective&) = delete;
    SwitchCollective& operator=(const SwitchCollective&) = delete;

    /// All ranks begin at the present time, once. @param bytes of the buffer of each
    void Start(uint64_t bytes);

    /// Adds what other MPI ranks have seen, when the run is over; all of them call it, once.
    void AddRanks();

    /// @return part of the ranks that are through, 0 to 1
    double GetDone() const;

    /// @return whether all are
    bool IsDone() const
    {
        return m_done == m_devices.size();
    }

    /// @return when the last rank was through so far, ps
    TimePs GetEnd() const
    {
        return m_end;
    }

    /// @return from the beginning until all are through, if IsDone(), ps
    TimePs GetCompletionTime() const
    {
        return m_end - m_begin;
    }

    /// @return the same of each rank, if IsDone(), ps
    const std::vector<TimePs>& GetRankTimes() const
    {
        return m_rankTimes;
    }

    /// @return what an all-reduce takes in an empty fabric @param bytes of the buffer of each
    Time GetIdealTime(uint64_t bytes) const
    {
        return m_reductions.GetIdealTime(m_reduction, bytes);
    }

    /// @return whether all who get the result have got the right one
    bool IsRight() const
    {
        return m_isRight;
    }

  private:
    /// A rank is through.
    void Take(uint32_t rank, const ReductionResult& result);

    FabricGroupHelper m_groups;                  ///< Knows the tree.
    FabricReductionHelper m_reductions;          ///< Makes the reduction.
    std::vector<Ptr<FabricNetDevice>> m_devices; ///< By rank.
    LocationId m_reduction{0};                   ///< Location of the reduction.
    std::size_t m_done{0};                       ///< Ranks that are through.
    bool m_isRight{true};                        ///< See IsRight().
    TimePs m_begin{0};                           ///< When all began, ps.
    TimePs m_end{0};                             ///< See GetEnd().
    std::vector<TimePs> m_rankTimes;             ///< See GetRankTimes().
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_COLLECTIVE_H
