/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_SAMPLER_H
#define FABRIC_SWITCH_SAMPLER_H

#include "fabric-network.h"
#include "fabric-rank-link.h"
#include "fabric-switch.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * Looks at all switches at equal distances of time (SC-5). The switches take the samples
 * themselves, at exact times, however far they run ahead.
 *
 * @tparam S a sample, without pointers, with the time `at` (ps) and the switch's number
 * `switchIndex`
 */
template <typename S>
class SwitchSampler
{
  public:
    /// What is seen.
    using Sample = S;

    SwitchSampler(const SwitchSampler&) = delete;
    SwitchSampler& operator=(const SwitchSampler&) = delete;

    /**
     * Gets the samples of other ranks; all ranks have to call it, when the simulation is over.
     *
     * @param end of the run
     */
    void AddRanks(Time end)
    {
        if (RankCount() == 1)
        {
            return;
        }
        CatchUp(end);
        const std::vector<Sample> all = CollectFromRanks(Collect());
        m_samples.assign(m_samples.size(), {});
        for (const Sample& sample : all) // of a switch one rank has any
        {
            m_samples[sample.switchIndex].push_back(sample);
        }
    }

    /**
     * @param end of the run
     * @return samples up to it, not included, by time, then switch
     */
    std::vector<Sample> GetSamples(Time end)
    {
        CatchUp(end);
        std::vector<Sample> samples = Collect();
        const auto late = std::remove_if(
            samples.begin(),
            samples.end(),
            [end = end.GetPicoSeconds()](const Sample& sample) { return sample.at >= end; });
        samples.erase(late, samples.end());
        std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
            return std::tie(a.at, a.switchIndex) < std::tie(b.at, b.switchIndex);
        });
        return samples;
    }

  protected:
    /// Adds what is seen of a switch. @param at when @param samples get it, in the order of files
    using Look = std::function<
        void(const SwitchChip&, uint32_t switchIndex, TimePs at, std::vector<Sample>& samples)>;

    /**
     * @param network whose switches are looked at
     * @param period between samples, above 0
     * @param look sees them; of several switches at a time, if they run on several threads
     */
    SwitchSampler(Ptr<FabricNetwork> network, Time period, Look look)
        : m_network(std::move(network)),
          m_look(std::move(look)),
          m_samples(m_network->GetSwitches().size())
    {
        for (uint32_t i = 0; i < m_samples.size(); ++i)
        {
            SwitchChip& chip = m_network->GetSwitches()[i]->GetChip();
            chip.AddSampler(period.GetPicoSeconds(),
                            [this, i, &chip](TimePs at) { m_look(chip, i, at, m_samples[i]); });
        }
    }

    ~SwitchSampler() = default;

    /// @return the fabric
    FabricNetwork& GetNetwork() const
    {
        return *m_network;
    }

  private:
    /// Switches take samples up to the end of the run.
    void CatchUp(Time end)
    {
        for (const Ptr<FabricSwitch>& fabricSwitch : m_network->GetSwitches())
        {
            fabricSwitch->GetChip().CatchUp(end.GetPicoSeconds());
        }
    }

    /// @return the samples of all switches, one switch after the other
    std::vector<Sample> Collect() const
    {
        std::vector<Sample> samples;
        for (const std::vector<Sample>& some : m_samples)
        {
            samples.insert(samples.end(), some.begin(), some.end());
        }
        return samples;
    }

    Ptr<FabricNetwork> m_network; ///< The fabric.
    Look m_look;                  ///< Sees a switch.
    /// By switch, then by time; what a switch writes is its own, since switches run on several
    /// threads.
    std::vector<std::vector<Sample>> m_samples;
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_SAMPLER_H
