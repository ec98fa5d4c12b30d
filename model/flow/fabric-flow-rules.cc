/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-flow-rules.h"

#include "fabric-flow-rule-field.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

namespace ns3::fabric
{

namespace
{

/// A name behind an arrow that stands for several fields.
struct FieldGroup
{
    const char* name;  ///< In rules.
    FlowFields fields; ///< What it stands for.
    bool isAlone;      ///< Whether no other field may stand beside it.
};

constexpr std::array<FieldGroup, 5> FIELD_GROUPS{{
    {"all", FLOW_ALL, true},
    {"none", 0, true},
    {"mac", FLOW_MAC, false},
    {"ip", FLOW_IP, false},
    {"ports", FLOW_PORTS, false},
}};

constexpr const char* BLANKS = " \t\n\r"; ///< Between words.

/// @return the text without blanks at its ends
std::string
Trim(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(BLANKS);
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(BLANKS) + 1 - begin);
}

/// @return the text between quotes. Put together so that GCC 12 does not warn of an overlap (its
/// bug 105651).
std::string
Quoted(const std::string& text)
{
    std::string quoted(1, '\'');
    return quoted.append(text).append(1, '\'');
}

/// Reads one rule.
class RuleReader
{
  public:
    /// @param place where the rule stands, for messages
    explicit RuleReader(std::string place)
        : m_place(std::move(place))
    {
    }

    FlowRule Read(const std::string& text)
    {
        const std::size_t arrow = text.find("->");
        if (arrow == std::string::npos)
        {
            Refuse(Quoted(Trim(text)) + " has no arrow",
                   "conditions and fields with '->' between, as in 'protocol=6 -> ip,ports'");
        }
        std::string conditions = text.substr(0, arrow);
        for (std::size_t i = 0; (i = conditions.find_first_of(BLANKS, i)) != std::string::npos; ++i)
        {
            conditions[i] = ' ';
        }
        for (const std::string& condition : SplitAt(conditions, ' '))
        {
            if (!condition.empty())
            {
                ReadCondition(condition);
            }
        }
        const std::vector<std::string> parts = SplitAt(text.substr(arrow + 2), ',');
        for (const std::string& part : parts)
        {
            ReadPart(Trim(part), parts.size() == 1);
        }
        return m_rule;
    }

    /// @throws std::invalid_argument always
    [[noreturn]] void Refuse(const std::string& what, const std::string& allowed) const
    {
        std::string sentence = m_place + what + ", allowed: " + allowed;
        // It has parts of the text, which may be anything.
        const auto isControl = [](char c) { return static_cast<unsigned char>(c) < ' '; };
        std::replace_if(sentence.begin(), sentence.end(), isControl, '?');
        throw std::invalid_argument(sentence);
    }

  private:
    /// A text up to a slash, and behind it.
    struct Halves
    {
        explicit Halves(const std::string& text)
        {
            const std::size_t slash = text.find('/');
            before = text.substr(0, slash);
            mask =
                slash == std::string::npos ? std::nullopt : std::optional(text.substr(slash + 1));
        }

        std::string before;              ///< What stands before it.
        std::optional<std::string> mask; ///< Nothing if there is no slash.
    };

    /// A field has to have a value, as `protocol=6` or `ipv4.dst=10.0.0.0/8`.
    void ReadCondition(const std::string& text)
    {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
        {
            Refuse(Quoted(text) + " is no condition", "field=value or field=value/mask");
        }
        const FlowRuleField& field = FindField(text, text.substr(0, equals), false);
        const Halves halves(text.substr(equals + 1));
        const FlowKey value = Take(text, field, halves.before, field.ReadValue(halves.before));
        const FlowKey mask = ReadMask(text, field, halves.mask);
        if (mask == FlowKey{})
        {
            Refuse(Quoted(text) + " holds for all frames", "a mask with a bit that is 1");
        }
        if (!((value & mask) == value))
        {
            Refuse(Quoted(text) + " has bits outside of its mask", "values that are 0 there");
        }
        if (!((m_rule.mask & field.Whole()) == FlowKey{}))
        {
            Refuse(Quoted(text) + " is about a field that has a condition already",
                   "one condition for each field");
        }
        m_rule.mask = m_rule.mask | mask;
        m_rule.value = m_rule.value | value;
    }

    /**
     * A field or a group of fields tells flows apart, as `process` or `ipv4.src/24`.
     *
     * @param isOnly whether no other does
     */
    void ReadPart(const std::string& text, bool isOnly)
    {
        for (const FieldGroup& group : FIELD_GROUPS)
        {
            if (text != group.name)
            {
                continue;
            }
            if (group.isAlone && !isOnly)
            {
                Refuse(Quoted(text) + " stands beside other fields",
                       "it alone, or a list of fields");
            }
            // Destination, class and VNI are in it too: they always count.
            m_rule.pattern = m_rule.pattern | FlowKey::MaskOf(group.fields);
            return;
        }
        const Halves halves(text);
        const FlowRuleField& field = FindField(text, halves.before, true);
        if (field.alwaysCounts)
        {
            Refuse(Quoted(text) + " always tells flows apart", Names(true));
        }
        m_rule.pattern = m_rule.pattern | ReadMask(text, field, halves.mask);
    }

    /// @return names of fields, for messages
    static std::string Names(bool behindArrow)
    {
        std::string names = FlowRuleField::Names(behindArrow);
        for (const FieldGroup& group : FIELD_GROUPS)
        {
            names += behindArrow ? std::string(", ") + group.name : "";
        }
        return names;
    }

    /// @param text of which the name is a part, for messages
    const FlowRuleField& FindField(const std::string& text,
                                   const std::string& name,
                                   bool behindArrow) const
    {
        const FlowRuleField* field = FlowRuleField::Find(name);
        if (!field)
        {
            Refuse(Quoted(text) + ": " + Quoted(name) + " is no header field", Names(behindArrow));
        }
        return *field;
    }

    /// @param mask nothing for all bits of the field
    FlowKey ReadMask(const std::string& text,
                     const FlowRuleField& field,
                     const std::optional<std::string>& mask) const
    {
        return mask ? Take(text, field, *mask, field.ReadMask(*mask)) : field.Whole();
    }

    /// @param word a part of the text @param read what was read from it
    FlowKey Take(const std::string& text,
                 const FlowRuleField& field,
                 const std::string& word,
                 const std::optional<FlowKey>& read) const
    {
        if (!read)
        {
            const char* const kind = field.kind == FlowRuleField::NUMBER ? "number" : "address";
            Refuse(Quoted(text) + ": " + Quoted(word) + " is no " + kind + " for " + field.name,
                   field.Values());
        }
        return *read;
    }

    std::string m_place; ///< Where the rule stands.
    FlowRule m_rule{};   ///< As far as it is read.
};

} // namespace

FlowRules
ParseFlowRules(const std::string& text)
{
    FlowRules rules;
    if (Trim(text).empty())
    {
        return rules;
    }
    for (const std::string& part : SplitAt(text, ';'))
    {
        const std::size_t number = rules.size() + 1;
        RuleReader reader("FlowRules: rule " + std::to_string(number) + ": ");
        if (number > MOST_FLOW_RULES)
        {
            reader.Refuse("too many", "at most " + std::to_string(MOST_FLOW_RULES));
        }
        const FlowRule rule = reader.Read(part);
        for (std::size_t before = 0; before < rules.size(); ++before)
        {
            if (rules[before].Covers(rule))
            {
                reader.Refuse("it is never used, since rule " + std::to_string(before + 1) +
                                  " is for all of its frames and comes first",
                              "narrower rules before wider ones");
            }
        }
        rules.push_back(rule);
    }
    return rules;
}

} // namespace ns3::fabric
