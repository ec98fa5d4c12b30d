/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_DEAD_ENDS_H
#define FABRIC_DEAD_ENDS_H

#include "fabric-types.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// By location the destination that stands for it and others to which the same ports lead; those
/// beyond stand for themselves.
using StandIns = std::vector<LocationId>;

/**
 * Ports of a switch that would lead to a destination if no link had failed, and do not (WL-8):
 * their own link is down, or the switch behind it has no way left. Where ways depend on how a frame
 * came (PathRule), each virtual channel of a port counts for itself, and NumberOf() stands for it.
 */
class DeadEnds
{
  public:
    /// @param standIns of the destinations; null if each stands for itself
    explicit DeadEnds(std::shared_ptr<const StandIns> standIns = nullptr)
        : m_standIns(std::move(standIns))
    {
    }

    /// @param vc virtual channel of a class by which a frame leaves @return what stands for both
    static constexpr uint32_t NumberOf(uint32_t port, uint32_t vc)
    {
        return port * VIRTUAL_CHANNELS + vc;
    }

    /**
     * @param dst a destination that stands for itself
     * @param port does not lead there
     * @return how many ports do not, or 0 if it was known of this one
     */
    std::size_t Add(LocationId dst, uint16_t port)
    {
        std::vector<uint16_t>& ports = m_ports[dst];
        if (std::find(ports.begin(), ports.end(), port) != ports.end())
        {
            return 0;
        }
        ports.push_back(port);
        return ports.size();
    }

    /**
     * @param dst a destination
     * @return whether it is known not to lead there
     */
    bool Has(LocationId dst, uint32_t port) const
    {
        const auto found = m_ports.find(StandInOf(dst));
        return found != m_ports.end() &&
               std::find(found->second.begin(), found->second.end(), port) != found->second.end();
    }

    /// @return whether all ports lead where they should
    bool IsEmpty() const
    {
        return m_ports.empty();
    }

  private:
    /// @return the destination that stands for one
    LocationId StandInOf(LocationId dst) const
    {
        return m_standIns && dst < m_standIns->size() ? (*m_standIns)[dst] : dst;
    }

    std::shared_ptr<const StandIns> m_standIns; ///< Null if each stands for itself.
    std::unordered_map<LocationId, std::vector<uint16_t>> m_ports; ///< By what stands for it.
};

} // namespace ns3::fabric

#endif // FABRIC_DEAD_ENDS_H
