/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-connection-matrix.h"

#include "fabric-text-lines.h"
#include "fabric-topology.h"

#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint32_t MOST_CONNECTIONS = 100'000'000; ///< Of a file at most.
constexpr uint64_t MOST_SIZE = uint64_t{1} << 40;  ///< Bytes of a connection at most.
constexpr double LAST_START_PS = 1e15;             ///< The latest start: 1000 s.
constexpr uint32_t LAST_ID = 0xFFFFFFFF;           ///< The greatest id.

/// The kinds of triggers by their names.
const std::vector<std::pair<std::string, ConnectionMatrix::TriggerKind>> TRIGGER_KINDS{
    {"oneshot", ConnectionMatrix::TriggerKind::ONESHOT},
    {"multishot", ConnectionMatrix::TriggerKind::MULTISHOT},
    {"barrier", ConnectionMatrix::TriggerKind::BARRIER}};

/// Reads one file.
class MatrixReader
{
  public:
    MatrixReader(std::istream& is, const std::string& name)
        : m_lines(is, name),
          m_kind(EnumType(TRIGGER_KINDS))
    {
    }

    /// @return what the file says
    ConnectionMatrix Read()
    {
        m_lines.NextLine("Nodes and their number");
        while (ReadHeaderLine() && m_lines.FindLine())
        {
        }
        if (m_matrix.nodes == 0)
        {
            m_lines.Refuse("the file has no Nodes before this line; allowed is a number of them");
        }
        while (m_lines.HasMore())
        {
            ReadLine();
            m_lines.FindLine();
        }
        RequireCount("connections", m_connections, m_matrix.connections.size());
        RequireCount("triggers", m_triggers, m_matrix.triggers.size());
        RequireTriggers();
        return std::move(m_matrix);
    }

  private:
    using Connection = ConnectionMatrix::Connection;
    using Trigger = ConnectionMatrix::Trigger;

    /// Reads a line before the first connection. @return whether it was one
    bool ReadHeaderLine()
    {
        const std::string& word = m_lines.GetWords().front();
        if (word == "trigger" || word.find("->") != std::string::npos)
        {
            return false;
        }
        m_lines.Word("word");
        if (word == "Nodes")
        {
            m_matrix.nodes = m_lines.Count("Nodes", 2U, MAX_HOSTS);
        }
        else if (word == "Connections")
        {
            m_connections = m_lines.Count("Connections", 0U, MOST_CONNECTIONS);
        }
        else if (word == "Triggers")
        {
            m_triggers = m_lines.Count("Triggers", 0U, MOST_CONNECTIONS);
        }
        else if (word == "Failures")
        {
            m_lines.Count("Failures", 0U, 0U);
        }
        else
        {
            m_lines.Refuse("'" + TextLines::Shown(word) +
                           "' is unknown; allowed are Nodes, Connections, Triggers, connections "
                           "such as 0->1, and trigger");
        }
        m_lines.EndLine("a word and a number");
        return true;
    }

    /// Reads a connection or a trigger.
    void ReadLine()
    {
        const std::string& word = m_lines.Word("connection");
        const std::size_t arrow = word.find("->");
        if (arrow != std::string::npos)
        {
            ReadConnection(word.substr(0, arrow), word.substr(arrow + 2));
        }
        else if (word == "trigger")
        {
            ReadTrigger();
        }
        else
        {
            m_lines.Refuse("'" + TextLines::Shown(word) +
                           "' is unknown; allowed are connections such as 0->1, and trigger");
        }
    }

    /// @return the node that a text names
    uint32_t NodeOf(const std::string& what, const std::string& text) const
    {
        const OptionType<uint32_t> type = CountType(0U, m_matrix.nodes - 1);
        const std::optional<uint32_t> node = type.parse(text);
        if (!node)
        {
            m_lines.RefuseWord(what, text, type.allowed);
        }
        return *node;
    }

    /// Refuses a word that stands twice in a line.
    void RequireNew(const std::string& word)
    {
        if (!m_seen.insert(word).second)
        {
            m_lines.Refuse("'" + TextLines::Shown(word) +
                           "' stands twice in the line; allowed is once");
        }
    }

    void ReadConnection(const std::string& src, const std::string& dst)
    {
        Connection connection;
        connection.src = NodeOf("source", src);
        connection.dst = NodeOf("destination", dst);
        connection.line = m_lines.GetLine();
        if (connection.src == connection.dst)
        {
            m_lines.Refuse("node " + std::to_string(connection.src) +
                           " sends to itself; allowed are connections between two nodes");
        }
        m_seen.clear();
        while (m_lines.HasMore())
        {
            const std::string& word = m_lines.Word("word");
            RequireNew(word);
            ReadField(connection, word);
        }
        if (connection.start.has_value() == (connection.trigger != 0))
        {
            m_lines.Refuse("the connection has " +
                           std::string(connection.start ? "both a start and a trigger"
                                                        : "no start and no trigger") +
                           "; allowed is one of them");
        }
        if (m_seen.count("size") == 0)
        {
            m_lines.Refuse("the connection has no size; allowed are lines that have one");
        }
        m_matrix.connections.push_back(connection);
    }

    /// Reads what a word of a connection says.
    void ReadField(Connection& connection, const std::string& word)
    {
        if (word == "id")
        {
            connection.id = ReadId("id");
            if (!m_ids.insert(connection.id).second)
            {
                m_lines.Refuse("id=" + std::to_string(connection.id) +
                               " is taken by another connection; allowed are other numbers");
            }
        }
        else if (word == "start")
        {
            connection.start = std::llround(m_lines.Number("start", 0, LAST_START_PS));
        }
        else if (word == "size")
        {
            connection.bytes = m_lines.Count("size", uint64_t{0}, MOST_SIZE);
        }
        else if (word == "trigger")
        {
            connection.trigger = ReadId(word);
        }
        else if (word == "send_done_trigger")
        {
            connection.sendDoneTrigger = ReadId(word);
        }
        else if (word == "recv_done_trigger")
        {
            connection.recvDoneTrigger = ReadId(word);
        }
        else if (word == "prio")
        {
            m_lines.Number("prio", -1e18, 1e18);
            WarnOfPriorities();
        }
        else
        {
            m_lines.Refuse("'" + TextLines::Shown(word) +
                           "' is unknown; allowed are id, start, trigger, size, "
                           "send_done_trigger, recv_done_trigger and prio");
        }
    }

    uint32_t ReadId(const std::string& what)
    {
        return m_lines.Count(what, 1U, LAST_ID);
    }

    void WarnOfPriorities()
    {
        if (m_matrix.warnings.empty())
        {
            m_matrix.warnings.push_back(m_lines.Where() +
                                        "prio is left out, here and wherever it stands");
        }
    }

    void ReadTrigger()
    {
        Trigger trigger;
        trigger.line = m_lines.GetLine();
        bool hasKind = false;
        m_seen.clear();
        while (m_lines.HasMore())
        {
            const std::string& word = m_lines.Word("word");
            RequireNew(word);
            if (word == "id")
            {
                trigger.id = ReadId("id");
            }
            else if (word == "count")
            {
                trigger.count = m_lines.Count("count", 1U, MOST_CONNECTIONS);
            }
            else if (hasKind)
            {
                m_lines.Refuse("'" + TextLines::Shown(word) +
                               "' is one word too many; allowed are id, a number, " +
                               m_kind.allowed + ", and count of a barrier");
            }
            else
            {
                const auto kind = m_kind.parse(word);
                if (!kind)
                {
                    m_lines.RefuseWord("trigger", word, m_kind.allowed);
                }
                trigger.kind = *kind;
                hasKind = true;
            }
        }
        CheckTrigger(trigger, hasKind);
        m_matrix.triggers.push_back(trigger);
    }

    void CheckTrigger(const Trigger& trigger, bool hasKind)
    {
        if (trigger.id == 0 || !hasKind)
        {
            m_lines.Refuse("the trigger has no " + std::string(hasKind ? "id" : "kind") +
                           "; allowed are id, a number, and " + m_kind.allowed);
        }
        const bool isBarrier = trigger.kind == ConnectionMatrix::TriggerKind::BARRIER;
        if (isBarrier != (trigger.count != 0))
        {
            m_lines.Refuse(isBarrier ? "the barrier has no count; allowed are barriers with one"
                                     : "the trigger has a count; allowed is that of a barrier");
        }
        if (!m_triggerIds.insert(trigger.id).second)
        {
            m_lines.Refuse("the trigger " + std::to_string(trigger.id) +
                           " stands here again; allowed is once");
        }
    }

    void RequireCount(const std::string& what, uint32_t said, std::size_t found) const
    {
        if (said != found)
        {
            m_lines.Refuse("the file has " + std::to_string(found) + " " + what +
                           "; allowed are as many as it says, " + std::to_string(said));
        }
    }

    /// Refuses triggers that the file does not have.
    void RequireTriggers() const
    {
        for (const Connection& connection : m_matrix.connections)
        {
            for (const uint32_t id :
                 {connection.trigger, connection.sendDoneTrigger, connection.recvDoneTrigger})
            {
                if (id != 0 && m_triggerIds.count(id) == 0)
                {
                    m_lines.Refuse("there is no trigger " + std::to_string(id) + ", which line " +
                                   std::to_string(connection.line) +
                                   " names; allowed are those of the file");
                }
            }
        }
    }

    TextLines m_lines;                                      ///< The file.
    const OptionType<ConnectionMatrix::TriggerKind> m_kind; ///< Kinds that are allowed.
    uint32_t m_connections{0};                              ///< How many the file says.
    uint32_t m_triggers{0};                                 ///< How many the file says.
    std::set<std::string> m_seen;                           ///< Words of this line.
    std::unordered_set<uint32_t> m_ids;                     ///< Of connections.
    std::unordered_set<uint32_t> m_triggerIds;              ///< Of triggers.
    ConnectionMatrix m_matrix;                              ///< What was read.
};

} // namespace

ConnectionMatrix
ConnectionMatrix::Read(std::istream& is, const std::string& name)
{
    return MatrixReader(is, name).Read();
}

ConnectionMatrix
ConnectionMatrix::Read(const std::string& name)
{
    std::ifstream file = TextLines::Open(name, "a connection matrix");
    return Read(file, name);
}

void
ConnectionMatrix::Write(std::ostream& os) const
{
    os << "Nodes " << nodes << "\nConnections " << connections.size() << "\n";
    if (!triggers.empty())
    {
        os << "Triggers " << triggers.size() << "\n";
    }
    const auto field = [&os](const std::string& name, uint64_t value) {
        if (value != 0)
        {
            os << " " << name << " " << value;
        }
    };
    for (const Connection& connection : connections)
    {
        os << connection.src << "->" << connection.dst;
        field("id", connection.id);
        if (connection.start)
        {
            os << " start " << *connection.start;
        }
        field("trigger", connection.trigger);
        os << " size " << connection.bytes;
        field("send_done_trigger", connection.sendDoneTrigger);
        field("recv_done_trigger", connection.recvDoneTrigger);
        os << "\n";
    }
    const auto kind = EnumType(TRIGGER_KINDS);
    for (const Trigger& trigger : triggers)
    {
        os << "trigger id " << trigger.id << " " << kind.show(trigger.kind);
        field("count", trigger.count);
        os << "\n";
    }
}

} // namespace ns3::fabric
