/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-topology-file.h"

#include "fabric-text-lines.h"
#include "fabric-topology.h"

#include <utility>

namespace ns3::fabric
{

namespace
{

/// Nodes of a file at most: hosts and switches.
constexpr uint32_t MOST_NODES = 2 * MAX_HOSTS;
/// Links of a file at most.
constexpr uint32_t MOST_LINKS = 10'000'000;
/// Any other count.
constexpr uint32_t MOST_GPUS = 1'000'000;

/// Reads one file.
class TopologyReader
{
  public:
    TopologyReader(std::istream& is, const std::string& name)
        : m_lines(is, name),
          m_rate(RateType()),
          m_delay(TimeType(NanoSeconds(1), MilliSeconds(10)))
    {
    }

    /// @return what the file says
    TopologyFile Read()
    {
        ReadHeader();
        ReadSwitches();
        for (uint32_t i = 0; i < m_links; ++i)
        {
            if (!m_lines.FindLine())
            {
                m_lines.Refuse("the file ends; allowed is a line with link " +
                               std::to_string(i + 1) + " of " + std::to_string(m_links));
            }
            ReadLink();
        }
        m_file.lines = m_lines.GetLine();
        if (m_lines.FindLine())
        {
            m_file.warnings.push_back(m_lines.LeftOut(m_links, "links"));
        }
        return std::move(m_file);
    }

  private:
    using Header = TopologyFile::Header;

    /// @return what the first line is, by its words
    Header FindHeader() const
    {
        const std::vector<std::string>& words = m_lines.GetWords();
        const std::size_t count = words.size();
        if (count == 3 || count == 4)
        {
            return count == 3 ? Header::PLAIN : Header::TORS;
        }
        if (count == 6 || count == 7)
        {
            const bool isNumber = ReadNumber<double>(words[5]).has_value();
            if (count == 6)
            {
                return isNumber ? Header::RATES : Header::GPUS;
            }
            if (!isNumber)
            {
                return Header::GPUS_PER_NODE;
            }
        }
        m_lines.Refuse("the first line has " + std::to_string(count) +
                       " words; allowed are 3 (nodes, switches, links), 4 (with ToRs before "
                       "links), 6 (with rates of hosts and leaves after them, or nodes, GPUs of a "
                       "server, NVSwitches, switches, links, a word for the GPU) and 7 (with GPUs "
                       "of a node after that)");
    }

    uint32_t ReadNodes()
    {
        return m_lines.Count("number of nodes", 2U, MOST_NODES);
    }

    uint32_t ReadLinks()
    {
        return m_lines.Count("number of links", 1U, MOST_LINKS);
    }

    void ReadHeader()
    {
        m_lines.NextLine("the numbers of nodes, switches and links");
        m_file.header = FindHeader();
        m_file.nodes = ReadNodes();
        if (m_file.header == Header::GPUS || m_file.header == Header::GPUS_PER_NODE)
        {
            ReadGpuHeader();
            return;
        }
        m_switches = m_lines.Count("number of switches", 0U, m_file.nodes - 1);
        if (m_file.header != Header::PLAIN)
        {
            m_file.tors = m_lines.Count("number of ToRs", 0U, m_switches);
        }
        m_links = ReadLinks();
        if (m_file.header == Header::RATES)
        {
            m_file.hostRate = m_lines.Number("rate of hosts", 0, 1e15);
            m_file.leafRate = m_lines.Number("rate of leaves", 0, 1e15);
        }
    }

    void ReadGpuHeader()
    {
        m_file.gpusPerServer = m_lines.Count("number of GPUs of a server", 0U, MOST_GPUS);
        m_file.nvSwitches = m_lines.Count("number of NVSwitches", 0U, m_file.nodes - 1);
        m_switches = m_file.nvSwitches +
                     m_lines.Count("number of switches", 0U, m_file.nodes - 1 - m_file.nvSwitches);
        m_links = ReadLinks();
        m_file.gpuType = m_lines.Word("type of GPU");
        if (m_file.header == Header::GPUS_PER_NODE)
        {
            m_file.gpusPerNode = m_lines.Count("number of GPUs of a node", 0U, MOST_GPUS);
        }
    }

    void ReadSwitches()
    {
        if (m_switches == 0)
        {
            return; // the line is blank
        }
        std::vector<bool> isSwitch(m_file.nodes, false);
        m_lines.NextLine("the nodes that are switches");
        for (uint32_t i = 0; i < m_switches; ++i)
        {
            const uint32_t node = m_lines.Count("switch", 0U, m_file.nodes - 1);
            if (isSwitch[node])
            {
                m_lines.Refuse("a switch is named twice; allowed is each of them once");
            }
            isSwitch[node] = true;
            m_file.switches.push_back(node);
        }
        m_lines.EndLine("as many switches as the first line says");
    }

    void ReadLink()
    {
        TopologyFile::Link link;
        link.a = m_lines.Count("end of a link", 0U, m_file.nodes - 1);
        link.b = m_lines.Count("end of a link", 0U, m_file.nodes - 1);
        link.rate = m_lines.Read("rate", m_rate);
        link.delay = m_lines.Read("delay", m_delay);
        if (m_lines.HasMore())
        {
            link.errors = m_lines.Number("errors", 0, 0.5);
        }
        m_lines.EndLine("both ends of a link, rate, delay and rate of errors");
        link.line = m_lines.GetLine();
        m_file.links.push_back(link);
    }

    TextLines m_lines;                 ///< The file.
    const OptionType<DataRate> m_rate; ///< Rates that are allowed.
    const OptionType<Time> m_delay;    ///< Delays that are allowed.
    uint32_t m_switches{0};            ///< How many there are.
    uint32_t m_links{0};               ///< How many there are.
    TopologyFile m_file;               ///< What was read.
};

} // namespace

TopologyFile
TopologyFile::Read(std::istream& is, const std::string& name)
{
    return TopologyReader(is, name).Read();
}

TopologyFile
TopologyFile::Read(const std::string& name)
{
    std::ifstream file = TextLines::Open(name, "a topology");
    return Read(file, name);
}

void
TopologyFile::Write(std::ostream& os) const
{
    const auto count = [this](std::size_t fewer) { return switches.size() - fewer; };
    os << nodes << " ";
    if (header == Header::GPUS || header == Header::GPUS_PER_NODE)
    {
        os << gpusPerServer << " " << nvSwitches << " " << count(nvSwitches) << " " << links.size()
           << " " << gpuType;
        os << (header == Header::GPUS_PER_NODE ? " " + NumberText(gpusPerNode) : "");
    }
    else
    {
        os << count(0) << " " << (header == Header::PLAIN ? "" : NumberText(tors) + " ")
           << links.size();
        os << (header == Header::RATES ? " " + NumberText(hostRate) + " " + NumberText(leafRate)
                                       : "");
    }
    os << "\n";
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        os << (i == 0 ? "" : " ") << switches[i];
    }
    os << "\n";
    const OptionType<DataRate> rate = RateType();
    for (const Link& link : links)
    {
        os << link.a << " " << link.b << " " << rate.show(link.rate) << " " << TimeText(link.delay)
           << " " << NumberText(link.errors) << "\n";
    }
}

} // namespace ns3::fabric
