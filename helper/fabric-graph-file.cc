/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-graph-file.h"

#include "fabric-number-text.h"
#include "fabric-option-type.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// Nodes of a file at most: hosts and switches.
constexpr uint32_t MOST_NODES = 2 * MAX_HOSTS;
/// Links of a file at most.
constexpr uint32_t MOST_LINKS = 10'000'000;

/// A file that is read word by word.
class GraphReader
{
  public:
    GraphReader(std::istream& is, const std::string& name)
        : m_is(is),
          m_name(name)
    {
    }

    /// @return what the file says
    GraphFile Read()
    {
        NextLine("the numbers of nodes, switches and links");
        const auto nodes = Number("number of nodes", 2, MOST_NODES);
        const auto switches = Number("number of switches", 1, nodes - 1);
        const auto links = Number("number of links", 1, MOST_LINKS);
        EndLine("nodes, switches and links");
        ReadNodes(nodes, switches);
        for (uint32_t i = 0; i < links; ++i)
        {
            NextLine("link " + std::to_string(i + 1) + " of " + std::to_string(links));
            ReadLink();
        }
        RequireEnd(links);
        RequireLinkedHosts();
        for (SwitchPlan& fabricSwitch : m_graph.plan.switches)
        {
            fabricSwitch.ports = std::max<uint16_t>(fabricSwitch.ports, 1);
        }
        return m_graph;
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

    [[noreturn]] void Refuse(const std::string& what) const
    {
        throw std::invalid_argument(Where() + what);
    }

    /// @return with what sentences begin
    std::string Where() const
    {
        return m_name + ":" + std::to_string(m_line) + ": ";
    }

    /// Goes on to the next line that says anything. @return whether there is one
    bool FindLine()
    {
        for (std::string text; std::getline(m_is, text);)
        {
            ++m_line;
            m_words = std::istringstream(text.substr(0, text.find('#')));
            if (!(m_words >> std::ws).eof())
            {
                return true;
            }
        }
        return false;
    }

    void NextLine(const std::string& expected)
    {
        if (!FindLine())
        {
            Refuse("the file ends; allowed is a line with " + expected);
        }
    }

    /// @return the next word of the line. @param what it is
    std::string Word(const std::string& what)
    {
        std::string word;
        if (!(m_words >> word))
        {
            Refuse("the line has no " + what + "; allowed are lines that have one");
        }
        return word;
    }

    void EndLine(const std::string& expected)
    {
        if (std::string word; m_words >> word)
        {
            Refuse("'" + word + "' is one word too many; allowed are " + expected);
        }
    }

    uint32_t Number(const std::string& what, uint32_t least, uint32_t most)
    {
        return CountType(least, most).Read(Where() + what, Word(what));
    }

    void ReadNodes(uint32_t nodes, uint32_t switches)
    {
        m_nodes.resize(nodes);
        NextLine("the nodes that are switches");
        for (uint32_t i = 0; i < switches; ++i)
        {
            Node& node = m_nodes[Number("switch", 0, nodes - 1)];
            if (node.isSwitch)
            {
                Refuse("a switch is named twice; allowed is each of them once");
            }
            node.isSwitch = true;
        }
        EndLine("as many switches as the first line says");
        if (nodes - switches > MAX_HOSTS)
        {
            Refuse(std::to_string(nodes - switches) +
                   " hosts are more than there are unicast "
                   "locations; at most " +
                   std::to_string(MAX_HOSTS) + " are allowed");
        }
        TopologyPlan& plan = m_graph.plan;
        plan.hosts.resize(nodes - switches);
        m_graph.hostLinks.resize(nodes - switches);
        uint32_t hosts = 0;
        for (uint32_t i = 0; i < nodes; ++i)
        {
            Node& node = m_nodes[i];
            node.node = i;
            node.number = node.isSwitch ? static_cast<uint32_t>(plan.switches.size()) : hosts++;
            if (node.isSwitch)
            {
                plan.switches.push_back({NO_GROUP, 0, Tier::CORE});
            }
        }
    }

    Node& ReadEnd()
    {
        return m_nodes[Number("end of a link", 0, static_cast<uint32_t>(m_nodes.size() - 1))];
    }

    void ReadLink()
    {
        Node& a = ReadEnd();
        Node& b = ReadEnd();
        GraphLink link;
        link.rate = RateType().Read(Where() + "rate", Word("rate"));
        link.delay =
            TimeType(NanoSeconds(1), MilliSeconds(10)).Read(Where() + "delay", Word("delay"));
        std::string errors;
        if (m_words >> errors && ReadNumber<double>(errors) != 0.0)
        {
            Refuse("errors=" + errors + ": allowed is 0; links lose frames by error models");
        }
        EndLine("both ends of a link, rate, delay and 0 errors");
        if (&a == &b)
        {
            Refuse("node " + std::to_string(a.node) +
                   " is linked to itself; allowed are links of two nodes");
        }
        if (a.isSwitch && b.isSwitch)
        {
            m_graph.plan.links.push_back(
                {a.number, b.number, NextPort(a), NextPort(b), LinkClass::FABRIC});
            m_graph.links.push_back(link);
        }
        else
        {
            AddHostLink(a.isSwitch ? b : a, a.isSwitch ? a : b, link);
        }
    }

    void AddHostLink(Node& host, const Node& fabricSwitch, const GraphLink& link)
    {
        if (!fabricSwitch.isSwitch)
        {
            Refuse("the hosts " + std::to_string(host.node) + " and " +
                   std::to_string(fabricSwitch.node) +
                   " are linked; allowed are links with a switch");
        }
        if (host.isLinked)
        {
            Refuse("host " + std::to_string(host.node) +
                   " has a second link; allowed is one to a switch");
        }
        host.isLinked = true;
        m_graph.plan.hosts[host.number] = {fabricSwitch.number, NextPort(fabricSwitch)};
        m_graph.hostLinks[host.number] = link;
        m_graph.plan.switches[fabricSwitch.number].tier = Tier::EDGE;
    }

    /// @return the next port of a switch
    uint16_t NextPort(const Node& node)
    {
        SwitchPlan& fabricSwitch = m_graph.plan.switches[node.number];
        if (fabricSwitch.ports == MAX_PORTS)
        {
            Refuse("switch " + std::to_string(node.node) + " has more than " +
                   std::to_string(MAX_PORTS) + " links; allowed are at most so many");
        }
        return fabricSwitch.ports++;
    }

    void RequireEnd(uint32_t links)
    {
        if (FindLine())
        {
            Refuse("more follows after the last link; allowed are the " + std::to_string(links) +
                   " links that the first line says");
        }
    }

    void RequireLinkedHosts() const
    {
        for (const Node& node : m_nodes)
        {
            if (!node.isSwitch && !node.isLinked)
            {
                Refuse("host " + std::to_string(node.node) +
                       " has no link; allowed is one to a switch");
            }
        }
    }

    std::istream& m_is;         ///< The file.
    const std::string m_name;   ///< Its name.
    uint32_t m_line{0};         ///< Where in it, from 1.
    std::istringstream m_words; ///< The line.
    std::vector<Node> m_nodes;  ///< In the file's order.
    GraphFile m_graph;          ///< What was read.
};

} // namespace

GraphFile
GraphFile::Read(std::istream& is, const std::string& name)
{
    return GraphReader(is, name).Read();
}

GraphFile
GraphFile::Read(const std::string& name)
{
    std::ifstream file(name);
    if (!file)
    {
        throw std::invalid_argument(name + ": can't be read; allowed is a file with a topology");
    }
    return Read(file, name);
}

} // namespace ns3::fabric
