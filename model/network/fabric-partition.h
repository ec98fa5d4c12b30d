/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PARTITION_H
#define FABRIC_PARTITION_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// The switches of a fabric and what links them, as far as it matters for dividing them.
struct SwitchGraph
{
    /// One switch.
    struct Vertex
    {
        uint32_t hosts{0};                ///< Hosts linked to it.
        uint32_t fabricPorts{0};          ///< Ports linked to other switches.
        std::optional<uint32_t> pinnedTo; ///< Part in which it has to be.
    };

    std::vector<Vertex> switches;                     ///< By number.
    std::vector<std::pair<uint32_t, uint32_t>> links; ///< Both ends of each link of switches.
};

/**
 * Divides the switches of a fabric into parts of about equal work, with neighbours together as far
 * as that allows.
 *
 * A switch's work goes with its ports; a port with a host counts twice, since the part runs the
 * host's NIC too. Switches with hosts are divided into ranges of numbers, by which neighbours in a
 * tree, a chain and a dragonfly are together. The others follow, those next to hosts first: each
 * joins the part to which it has the most links, as long as that part is not full. So a fat tree
 * is divided into groups of pods, and the core is shared evenly.
 */
class Partition
{
  public:
    /// @param parts how many, 1 or more; some are empty if there are fewer switches
    Partition(const SwitchGraph& graph, uint32_t parts);

    /// @return its part
    uint32_t PartOf(uint32_t number) const
    {
        return m_partOf[number];
    }

    /// @return its work, in ports
    uint64_t WeightOf(uint32_t part) const
    {
        return m_weights[part];
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; ///< Part of a switch that has none yet.

    /// Puts switches that have to be in a part there.
    void PlacePinned(const SwitchGraph& graph);
    /// Divides the switches that have hosts, or all if none has.
    void PlaceHosts(const SwitchGraph& graph);
    /// Places the switches that are next to those placed, until there are none.
    void PlaceOthers(const SwitchGraph& graph);
    /// @return the part for a switch that has so many links to each part
    uint32_t ChoosePart(const std::vector<uint32_t>& links, uint64_t weight) const;
    /// Puts a switch into a part.
    void Place(uint32_t number, uint32_t part, const SwitchGraph& graph);

    std::vector<uint32_t> m_partOf;  ///< By switch.
    std::vector<uint64_t> m_weights; ///< By part.
    uint64_t m_fullWeight{0};        ///< Of a part that has its share.
};

} // namespace ns3::fabric

#endif // FABRIC_PARTITION_H
