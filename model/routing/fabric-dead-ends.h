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
 *
 * All of that is what others are told. The switch itself sees its links fail and come up, maybe
 * long before it hears of that, so that it goes by HasBeyond().
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

    /// @param dst a destination that stands for itself @param port does not lead there
    void Add(LocationId dst, uint16_t port)
    {
        m_ports[dst].push_back(port);
    }

    /// @param dst a destination that stands for itself @param port was added for it
    void Remove(LocationId dst, uint16_t port)
    {
        std::vector<uint16_t>& ports = m_ports[dst];
        ports.erase(std::find(ports.begin(), ports.end(), port));
        if (ports.empty())
        {
            m_ports.erase(dst);
        }
    }

    /// @param closed ports whose links are down
    void SetClosed(std::vector<uint16_t> closed)
    {
        m_closed = std::move(closed);
    }

    /**
     * Sets destinations to which no port leads, each list in ascending order.
     *
     * @param lost hosts of other switches; null for none
     * @param own hosts of this switch
     */
    void SetLost(std::shared_ptr<const std::vector<LocationId>> lost, std::vector<LocationId> own)
    {
        m_lost = std::move(lost);
        m_ownLost = std::move(own);
    }

    /// @return ports whose links are down
    const std::vector<uint16_t>& Closed() const
    {
        return m_closed;
    }

    /// @param dst a destination that stands for itself
    /// @return other ports that do not lead there; null for none
    const std::vector<uint16_t>* PortsFor(LocationId dst) const
    {
        const auto found = m_ports.find(dst);
        return found == m_ports.end() ? nullptr : &found->second;
    }

    /**
     * @param dst a destination
     * @return whether the port is known not to lead there
     */
    bool Has(LocationId dst, uint32_t port) const
    {
        return Contains(m_closed, port) ||
               std::binary_search(m_ownLost.begin(), m_ownLost.end(), dst) || HasBeyond(dst, port);
    }

    /**
     * @param dst a destination
     * @return whether the port is known not to lead there for what is beyond the switch's own link
     */
    bool HasBeyond(LocationId dst, uint32_t port) const
    {
        if (m_lost && std::binary_search(m_lost->begin(), m_lost->end(), dst))
        {
            return true;
        }
        const std::vector<uint16_t>* ports = PortsFor(StandInOf(dst));
        return ports && Contains(*ports, port);
    }

  private:
    static bool Contains(const std::vector<uint16_t>& ports, uint32_t port)
    {
        return std::find(ports.begin(), ports.end(), port) != ports.end();
    }

    /// @return the destination that stands for one
    LocationId StandInOf(LocationId dst) const
    {
        return m_standIns && dst < m_standIns->size() ? (*m_standIns)[dst] : dst;
    }

    std::shared_ptr<const StandIns> m_standIns;            ///< Null if each stands for itself.
    std::shared_ptr<const std::vector<LocationId>> m_lost; ///< See SetLost().
    std::vector<LocationId> m_ownLost;                     ///< See SetLost().
    std::vector<uint16_t> m_closed;                        ///< See SetClosed().
    std::unordered_map<LocationId, std::vector<uint16_t>> m_ports; ///< By what stands for it.
};

} // namespace ns3::fabric

#endif // FABRIC_DEAD_ENDS_H
