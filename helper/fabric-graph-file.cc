/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-file.h"

#include "fabric-port-map.h"
#include "fabric-topology-file.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// Makes a fabric of what a file says.
class GraphMaker
{
  public:
    /// @param name of the file, for sentences
    GraphMaker(TopologyFile file, const std::string& name)
        : m_file(std::move(file)),
          m_name(name)
    {
    }

    /// @return the fabric
    GraphFile Make()
    {
        MakeNodes();
        for (const TopologyFile::Link& link : m_file.links)
        {
            AddLink(link);
        }
        RequireLinkedHosts();
        RequireOnePart();
        for (SwitchPlan& fabricSwitch : m_graph.plan.switches)
        {
            fabricSwitch.ports = std::max<uint16_t>(fabricSwitch.ports, 1);
        }
        m_graph.warnings = m_file.warnings;
        return std::move(m_graph);
    }

  private:
    /// What a node is.
    struct Node
    {
        bool isSwitch{false};
        bool isLinked{false};
        uint32_t number{0}; ///< Among hosts or switches.
        uint32_t node{0};   ///< In the file.
    };

    [[noreturn]] void Refuse(uint32_t line, const std::string& what) const
    {
        throw std::invalid_argument(m_name + ":" + std::to_string(line) + ": " + what);
    }

    void MakeNodes()
    {
        const auto switches = static_cast<uint32_t>(m_file.switches.size());
        if (switches == 0)
        {
            Refuse(1, "number of switches=0: allowed is at least 1, to which hosts are linked");
        }
        if (m_file.nodes - switches > MAX_HOSTS)
        {
            Refuse(1,
                   std::to_string(m_file.nodes - switches) +
                       " hosts are more than there are unicast locations; at most " +
                       std::to_string(MAX_HOSTS) + " are allowed");
        }
        m_nodes.resize(m_file.nodes);
        for (const uint32_t node : m_file.switches)
        {
            m_nodes[node].isSwitch = true;
        }
        m_graph.plan.hosts.resize(m_file.nodes - switches);
        m_graph.hostLinks.resize(m_file.nodes - switches);
        for (uint32_t i = 0; i < m_file.nodes; ++i)
        {
            Node& node = m_nodes[i];
            auto& numbers = node.isSwitch ? m_graph.nodes.switches : m_graph.nodes.hosts;
            node.node = i;
            node.number = static_cast<uint32_t>(numbers.size());
            numbers.push_back(i);
        }
        m_graph.plan.switches.resize(switches, {NO_GROUP, 0, Tier::CORE});
    }

    void AddLink(const TopologyFile::Link& link)
    {
        Node& a = m_nodes[link.a];
        Node& b = m_nodes[link.b];
        if (&a == &b)
        {
            Refuse(link.line,
                   "node " + std::to_string(a.node) +
                       " is linked to itself; allowed are links of two nodes");
        }
        const GraphLink of{link.rate, link.delay, link.errors};
        if (a.isSwitch && b.isSwitch)
        {
            m_graph.plan.links.push_back({a.number,
                                          b.number,
                                          NextPort(a, link.line),
                                          NextPort(b, link.line),
                                          LinkClass::FABRIC});
            m_graph.links.push_back(of);
        }
        else
        {
            AddHostLink(a.isSwitch ? b : a, a.isSwitch ? a : b, of, link.line);
        }
    }

    void AddHostLink(Node& host, const Node& fabricSwitch, const GraphLink& link, uint32_t line)
    {
        if (!fabricSwitch.isSwitch)
        {
            Refuse(line,
                   "the hosts " + std::to_string(host.node) + " and " +
                       std::to_string(fabricSwitch.node) +
                       " are linked; allowed are links with a switch");
        }
        if (host.isLinked)
        {
            Refuse(line,
                   "host " + std::to_string(host.node) +
                       " has a second link; allowed is one to a switch");
        }
        host.isLinked = true;
        m_graph.plan.hosts[host.number] = {fabricSwitch.number, NextPort(fabricSwitch, line)};
        m_graph.hostLinks[host.number] = link;
        m_graph.plan.switches[fabricSwitch.number].tier = Tier::EDGE;
    }

    /// @return the next port of a switch
    uint16_t NextPort(const Node& node, uint32_t line)
    {
        SwitchPlan& fabricSwitch = m_graph.plan.switches[node.number];
        if (fabricSwitch.ports == MAX_PORTS)
        {
            Refuse(line,
                   "switch " + std::to_string(node.node) + " has more than " +
                       std::to_string(MAX_PORTS) + " links; allowed are at most so many");
        }
        return fabricSwitch.ports++;
    }

    void RequireLinkedHosts() const
    {
        for (const Node& node : m_nodes)
        {
            if (!node.isSwitch && !node.isLinked)
            {
                Refuse(m_file.lines,
                       "host " + std::to_string(node.node) +
                           " has no link; allowed is one to a switch");
            }
        }
    }

    /// Refuses a switch that is not linked with the first one, not even by others.
    void RequireOnePart() const
    {
        const std::vector<uint32_t> distances = PortMap(m_graph.plan).GetDistances(0);
        const auto lost = std::find(distances.begin(), distances.end(), PortMap::UNREACHED);
        if (lost != distances.end())
        {
            const std::vector<uint32_t>& switches = m_graph.nodes.switches;
            Refuse(m_file.lines,
                   "no path leads from switch " +
                       std::to_string(switches[lost - distances.begin()]) + " to switch " +
                       std::to_string(switches[0]) +
                       "; allowed are switches that all reach each other");
        }
    }

    const TopologyFile m_file; ///< What the file says.
    const std::string m_name;  ///< Its name.
    std::vector<Node> m_nodes; ///< In the file's order.
    GraphFile m_graph;         ///< What is made.
};

} // namespace

GraphFile
GraphFile::Read(std::istream& is, const std::string& name)
{
    return GraphMaker(TopologyFile::Read(is, name), name).Make();
}

GraphFile
GraphFile::Read(const std::string& name)
{
    return GraphMaker(TopologyFile::Read(name), name).Make();
}

} // namespace ns3::fabric
