/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-goal-file.h"

#include "fabric-text-lines.h"
#include "fabric-topology.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ns3::fabric
{

namespace
{

constexpr uint64_t MOST_GOAL_TIME = 1'000'000'000'000;  ///< Of a calculation, ns.
constexpr uint64_t MOST_GOAL_BYTES = uint64_t{1} << 40; ///< Of a message.
constexpr uint32_t LAST_GOAL_CPU = 65535;               ///< The greatest number of a CPU.
constexpr const char* WILDCARD = "-1";                  ///< Any rank or tag.

/// @return a rank or tag as it stands in a file
std::string
TextOf(uint32_t number)
{
    return number == GoalFile::ANY ? WILDCARD : std::to_string(number);
}

/// Reads one file.
class GoalReader
{
  public:
    GoalReader(std::istream& is, const std::string& name)
        : m_lines(is, name, TextLines::Comments::NONE)
    {
    }

    /// @return what the file says
    GoalFile Read()
    {
        while (m_lines.FindLine())
        {
            ReadLine();
        }
        if (m_comment != 0)
        {
            m_lines.Refuse("the file ends within the comment of line " + std::to_string(m_comment) +
                           "; allowed is a */ before");
        }
        if (m_file.ranks.empty())
        {
            m_lines.Refuse("the file ends; allowed is a line with num_ranks and their number");
        }
        if (m_operations)
        {
            m_lines.Refuse("the file ends within a rank; allowed is a } before");
        }
        return std::move(m_file);
    }

  private:
    using Words = std::vector<std::string>;
    using Operation = GoalFile::Operation;

    /// Reads the statements of a line.
    void ReadLine()
    {
        Words statement;
        for (const std::string& word : m_lines.GetWords())
        {
            if (!ReadWord(statement, word))
            {
                break;
            }
        }
        EndStatement(statement);
    }

    /// Reads what stands between two blanks. @return whether the rest of the line is no comment
    bool ReadWord(Words& statement, const std::string& word)
    {
        std::string rest;
        for (std::size_t i = 0; i < word.size(); ++i)
        {
            const bool isPair = word.compare(i, 2, m_comment != 0 ? "*/" : "/*") == 0;
            if (isPair)
            {
                m_comment = m_comment != 0 ? 0 : m_lines.GetLine();
                Take(statement, rest);
                ++i;
            }
            else if (m_comment == 0 && (word[i] == '#' || word.compare(i, 2, "//") == 0))
            {
                Take(statement, rest);
                return false;
            }
            else if (m_comment == 0 && (word[i] == ';' || word[i] == '{' || word[i] == '}'))
            {
                Take(statement, rest);
                ReadMark(statement, word[i]);
            }
            else if (m_comment == 0)
            {
                rest += word[i];
            }
        }
        Take(statement, rest);
        return true;
    }

    /// Ends a statement at a mark. @param mark a ; { or }
    void ReadMark(Words& statement, char mark)
    {
        if (mark == '}')
        {
            EndStatement(statement);
        }
        if (mark != ';')
        {
            statement.emplace_back(1, mark);
        }
        EndStatement(statement);
    }

    /// Reads a statement. @param statement is empty then
    void EndStatement(Words& statement)
    {
        if (!statement.empty())
        {
            ReadStatement(statement);
        }
        statement.clear();
    }

    /// Adds a word to a statement. @param word is empty then
    static void Take(Words& statement, std::string& word)
    {
        if (!word.empty())
        {
            statement.push_back(std::move(word));
            word.clear();
        }
    }

    void ReadStatement(const Words& words)
    {
        const std::string& first = words.front();
        if (m_file.ranks.empty())
        {
            RequireWords(words, {"num_ranks", ""}, "num_ranks and their number first");
            m_file.ranks.resize(Count("num_ranks", words[1], 1U, MAX_HOSTS));
            m_known.resize(m_file.ranks.size(), false);
        }
        else if (!m_operations)
        {
            RequireWords(words, {"rank", "", "{"}, "rank, its number and {");
            BeginRank(words[1]);
        }
        else if (first == "}")
        {
            m_operations = nullptr;
        }
        else if (first.back() == ':')
        {
            ReadOperation(words);
        }
        else
        {
            ReadDependency(words);
        }
    }

    /// Refuses a statement that is not made of certain words. @param allowed "" for any of them
    void RequireWords(const Words& words, const Words& allowed, const std::string& what) const
    {
        bool fits = words.size() == allowed.size();
        for (std::size_t i = 0; fits && i < words.size(); ++i)
        {
            fits = allowed[i].empty() || words[i] == allowed[i];
        }
        if (!fits)
        {
            Refuse(words, what);
        }
    }

    [[noreturn]] void Refuse(const Words& words, const std::string& allowed) const
    {
        std::string text;
        for (const std::string& word : words)
        {
            text += (text.empty() ? "" : " ") + word;
        }
        m_lines.Refuse("'" + TextLines::Shown(text) + "' is no statement here; allowed is " +
                       allowed);
    }

    /// @return the number that a word is
    template <typename T>
    T Count(const std::string& what, const std::string& word, T least, T most) const
    {
        const std::optional<T> number = ReadNumber<T>(word);
        if (!number || *number < least || *number > most)
        {
            m_lines.RefuseWord(what, word, CountType<T>(least, most).allowed);
        }
        return *number;
    }

    void BeginRank(const std::string& word)
    {
        const auto last = static_cast<uint32_t>(m_file.ranks.size() - 1);
        m_rank = Count("rank", word, 0U, last);
        if (m_known[m_rank])
        {
            m_lines.Refuse("rank " + std::to_string(m_rank) +
                           " stands here again; allowed is once");
        }
        m_known[m_rank] = true;
        m_operations = &m_file.ranks[m_rank];
        m_labels.clear();
    }

    void ReadOperation(const Words& words)
    {
        Operation operation;
        operation.line = m_lines.GetLine();
        const std::string what = words.size() > 1 ? words[1] : "";
        std::size_t next = 0;
        if (what == "calc" && words.size() > 2)
        {
            operation.amount = Count("calc", words[2], uint64_t{0}, MOST_GOAL_TIME);
            next = 3;
        }
        else if ((what == "send" || what == "recv") && words.size() > 4 &&
                 words[3] == (what == "send" ? "to" : "from"))
        {
            operation.kind = what == "send" ? GoalFile::Kind::SEND : GoalFile::Kind::RECV;
            operation.amount = ReadBytes(words[2]);
            operation.peer = operation.kind == GoalFile::Kind::RECV && words[4] == WILDCARD
                                 ? GoalFile::ANY
                                 : ReadPeer(words[3], words[4]);
            next = 5;
        }
        else
        {
            Refuse(words,
                   "a label with :, then calc and ns, send and bytes to a rank, or recv and "
                   "bytes from a rank");
        }
        ReadFields(operation, words, next);
        const std::string label = words[0].substr(0, words[0].size() - 1);
        const auto number = static_cast<uint32_t>(m_operations->size());
        if (label.empty() || !m_labels.emplace(label, number).second)
        {
            m_lines.Refuse("the label '" + TextLines::Shown(label) +
                           "' is none or taken; allowed is another one");
        }
        m_operations->push_back(std::move(operation));
    }

    /// @return bytes, which a b may follow
    uint64_t ReadBytes(const std::string& word) const
    {
        const bool hasUnit = word.back() == 'b';
        return Count("bytes", word.substr(0, word.size() - hasUnit), uint64_t{0}, MOST_GOAL_BYTES);
    }

    uint32_t ReadPeer(const std::string& what, const std::string& word) const
    {
        const auto last = static_cast<uint32_t>(m_file.ranks.size() - 1);
        const uint32_t peer = Count(what, word, 0U, last);
        if (peer == m_rank)
        {
            m_lines.Refuse("rank " + std::to_string(m_rank) +
                           " sends to itself; allowed are messages between two ranks");
        }
        return peer;
    }

    /// @return the tag of a message @param operation sends or receives it
    uint32_t ReadTag(const Operation& operation, const std::string& word) const
    {
        if (word != WILDCARD)
        {
            return Count("tag", word, 0U, GoalFile::ANY - 1);
        }
        if (operation.kind == GoalFile::Kind::SEND)
        {
            m_lines.Refuse("a message is sent with any tag, -1; allowed is that of receives");
        }
        return GoalFile::ANY;
    }

    /// Reads tag, cpu and nic. @param next the first word that was not read
    void ReadFields(Operation& operation, const Words& words, std::size_t next)
    {
        for (; next < words.size(); next += 2)
        {
            const std::string& field = words[next];
            const bool isOfMessage = operation.kind != GoalFile::Kind::CALC;
            if (next + 1 == words.size() ||
                !(field == "cpu" || (isOfMessage && (field == "tag" || field == "nic"))))
            {
                Refuse(words,
                       isOfMessage ? "tag, cpu or nic, each with a number, after the rank"
                                   : "cpu with a number after the time");
            }
            const std::string& value = words[next + 1];
            if (field == "tag")
            {
                operation.tag = ReadTag(operation, value);
            }
            else if (field == "cpu")
            {
                operation.cpu = Count(field, value, 0U, LAST_GOAL_CPU);
            }
            else if (Count(field, value, 0U, LAST_GOAL_CPU) != 0 && m_file.warnings.empty())
            {
                m_file.warnings.push_back(m_lines.Where() +
                                          "nic is left out, here and wherever it stands");
            }
        }
    }

    void ReadDependency(const Words& words)
    {
        if (words.size() != 3 || (words[1] != "requires" && words[1] != "irequires"))
        {
            Refuse(words, "an operation, or label, requires or irequires, and label");
        }
        Operation& operation = (*m_operations)[Find(words[0])];
        const uint32_t other = Find(words[2]);
        (words[1] == "requires" ? operation.afterEnds : operation.afterStarts).push_back(other);
    }

    /// @return the operation of a label
    uint32_t Find(const std::string& label) const
    {
        const auto place = m_labels.find(label);
        if (place == m_labels.end())
        {
            m_lines.Refuse("the label '" + TextLines::Shown(label) +
                           "' is unknown; allowed are those of operations of the rank that stand "
                           "before");
        }
        return place->second;
    }

    TextLines m_lines;                                  ///< The file.
    uint32_t m_comment{0};                              ///< Line of the open comment, or 0.
    GoalFile m_file;                                    ///< What was read.
    std::vector<bool> m_known;                          ///< Ranks that were read.
    uint32_t m_rank{0};                                 ///< Which rank is read.
    std::vector<Operation>* m_operations{nullptr};      ///< Its operations; null between ranks.
    std::unordered_map<std::string, uint32_t> m_labels; ///< Its operations by label.
};

} // namespace

GoalFile
GoalFile::Read(std::istream& is, const std::string& name)
{
    return GoalReader(is, name).Read();
}

GoalFile
GoalFile::Read(const std::string& name)
{
    std::ifstream file = TextLines::Open(name, "a GOAL trace");
    return Read(file, name);
}

bool
GoalFile::HasWildcards() const
{
    return std::any_of(ranks.begin(), ranks.end(), [](const std::vector<Operation>& operations) {
        return std::any_of(operations.begin(), operations.end(), [](const Operation& operation) {
            return operation.peer == ANY || operation.tag == ANY;
        });
    });
}

void
GoalFile::Write(std::ostream& os) const
{
    os << "num_ranks " << ranks.size() << "\n";
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    {
        os << "rank " << rank << " {\n";
        for (std::size_t i = 0; i < ranks[rank].size(); ++i)
        {
            const Operation& operation = ranks[rank][i];
            os << "l" << i + 1 << ": ";
            if (operation.kind == Kind::CALC)
            {
                os << "calc " << operation.amount;
            }
            else
            {
                os << (operation.kind == Kind::SEND ? "send " : "recv ") << operation.amount << "b "
                   << (operation.kind == Kind::SEND ? "to " : "from ") << TextOf(operation.peer)
                   << " tag " << TextOf(operation.tag);
            }
            os << " cpu " << operation.cpu << "\n";
        }
        for (std::size_t i = 0; i < ranks[rank].size(); ++i)
        {
            for (const uint32_t other : ranks[rank][i].afterEnds)
            {
                os << "l" << i + 1 << " requires l" << other + 1 << "\n";
            }
            for (const uint32_t other : ranks[rank][i].afterStarts)
            {
                os << "l" << i + 1 << " irequires l" << other + 1 << "\n";
            }
        }
        os << "}\n";
    }
}

} // namespace ns3::fabric
