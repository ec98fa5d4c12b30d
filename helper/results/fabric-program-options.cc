/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-options.h"

#include "fabric-attribute-value.h"
#include "fabric-number-text.h"

#include "ns3/config.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

namespace
{

/// The options that ns3::CommandLine answers by printing something and ending the process.
constexpr std::array<const char*, 9> PRINTING_OPTIONS{"help",
                                                      "PrintHelp",
                                                      "version",
                                                      "PrintVersion",
                                                      "PrintGlobals",
                                                      "PrintGroups",
                                                      "PrintGroup",
                                                      "PrintTypeIds",
                                                      "PrintAttributes"};

/// An argument, taken apart as ns3::CommandLine does.
struct Argument
{
    bool isOption;    ///< Whether it begins with a dash.
    std::string name; ///< Name without dashes.
    bool hasValue;    ///< Whether there is an '='.
    std::string text; ///< What follows it.
};

/**
 * @param argument one argument of the command line
 * @return its parts
 */
Argument
TakeApart(const std::string& argument)
{
    if (argument.empty() || argument[0] != '-')
    {
        return {false, argument, false, ""};
    }
    const std::size_t start = argument.compare(0, 2, "--") == 0 ? 2 : 1;
    const std::size_t equals = argument.find('=', start);
    if (equals == std::string::npos)
    {
        return {true, argument.substr(start), false, ""};
    }
    return {true, argument.substr(start, equals - start), true, argument.substr(equals + 1)};
}

/**
 * @param time a time
 * @return picoseconds; infinity becomes the longest time that can be read
 */
TimePs
ToPicoseconds(const Time& time)
{
    return time == Time::Max() ? ANY_TIME.max : time.GetPicoSeconds();
}

/**
 * @param items texts
 * @return the texts with commas between them
 */
std::string
JoinList(const std::vector<std::string>& items)
{
    std::string text;
    for (const std::string& item : items)
    {
        text += (text.empty() ? "" : ",") + item;
    }
    return text;
}

/**
 * @param what name of the option
 * @param text `none`, `all` or words between commas
 * @param words the words allowed
 * @return the words chosen, in the order of `words`, so that the order given makes no difference
 */
std::vector<std::string>
ParseChoices(const std::string& what,
             const std::string& text,
             const std::vector<std::string>& words)
{
    if (text == "all")
    {
        return words;
    }
    std::vector<bool> isChosen(words.size(), false);
    const std::vector<std::string> items = SplitList(text == "none" ? "" : text);
    for (const std::string& item : items)
    {
        const auto word = std::find(words.begin(), words.end(), item);
        if (word == words.end())
        {
            ThrowNotAllowed(what, text, "none, all or any of " + JoinList(words));
        }
        isChosen[word - words.begin()] = true;
    }
    if (items.empty() && text != "none")
    {
        ThrowNotAllowed(what, text, "none, all or any of " + JoinList(words));
    }
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        if (isChosen[i])
        {
            chosen.push_back(words[i]);
        }
    }
    return chosen;
}

} // namespace

ProgramOptions::ProgramOptions(const std::string& file)
    : m_commandLine(file)
{
}

ProgramOptions::ProgramOptions(const std::string& file, const std::string& usage)
    : ProgramOptions(file)
{
    m_commandLine.Usage(usage);
    AddText("out", "folder for result files, made if missing; none if empty", m_out);
    AddBoolean("force", "replace the results of another run in that folder", m_force);
    AddEnum<ProgressMode>(
        "progress",
        "show progress on standard error, auto: if it is a terminal",
        m_progress,
        {{"auto", ProgressMode::AUTO}, {"on", ProgressMode::ON}, {"off", ProgressMode::OFF}});
    AddBoolean("lookahead",
               "let switches simulate themselves ahead, the results are the same",
               m_lookahead);
    AddCount("threads",
             "threads that run switches, the results are the same",
             m_threads,
             1U,
             MAX_THREADS);
    AddBoolean("check", "check conservation and tables at the end, exit 1 on a breach", m_check);
}

void
ProgramOptions::Add(const std::string& name,
                    const std::string& help,
                    Setter set,
                    std::function<std::string()> text,
                    bool isFlag)
{
    if (Find(name))
    {
        throw std::logic_error("option --" + name + " is defined twice");
    }
    try
    {
        set(text());
    }
    catch (const std::invalid_argument& error)
    {
        throw std::logic_error(std::string("default of an option: ") + error.what());
    }
    auto option = std::make_unique<Option>();
    option->name = name;
    option->set = std::move(set);
    option->text = std::move(text);
    option->isFlag = isFlag;
    option->shown = option->text();
    // CommandLine keeps a pointer to the text, so the option must not move.
    m_commandLine.AddValue(name, help, option->shown);
    m_options.push_back(std::move(option));
}

void
ProgramOptions::AddSize(const std::string& name,
                        const std::string& help,
                        uint64_t& value,
                        Bounds<uint64_t> bounds)
{
    Add(
        name,
        help + " (" + AllowedSize(bounds) + ")",
        [name, &value, bounds](const std::string& text) {
            value = ParseSize("--" + name, text, bounds);
        },
        [&value] { return SizeText(value); });
}

void
ProgramOptions::AddNumber(const std::string& name,
                          const std::string& help,
                          double& value,
                          Bounds<double> bounds)
{
    Add(
        name,
        help + " (" + AllowedNumber(bounds) + ")",
        [name, &value, bounds](const std::string& text) {
            value = ParseNumber("--" + name, text, bounds);
        },
        [&value] { return NumberText(value); });
}

void
ProgramOptions::AddBoolean(const std::string& name, const std::string& help, bool& value)
{
    Add(
        name,
        help + " (true or false)",
        [name, &value](const std::string& text) { value = ParseBoolean("--" + name, text); },
        [&value] { return NumberText(value); },
        !value);
}

void
ProgramOptions::AddTime(const std::string& name,
                        const std::string& help,
                        Time& value,
                        const Time& min,
                        const Time& max)
{
    const Bounds<TimePs> bounds{ToPicoseconds(min), ToPicoseconds(max)};
    Add(
        name,
        help + " (" + AllowedTime(bounds) + ")",
        [name, &value, bounds](const std::string& text) {
            // PicoSeconds(uint64_t) would be taken for a plain integer, and times can be negative.
            value = PicoSeconds(int64x64_t(ParseTime("--" + name, text, bounds)));
        },
        [&value] { return TimeText(value.GetPicoSeconds()); });
}

void
ProgramOptions::AddRate(const std::string& name,
                        const std::string& help,
                        DataRate& value,
                        const DataRate& min,
                        const DataRate& max)
{
    const Bounds<uint64_t> bounds{min.GetBitRate(), max.GetBitRate()};
    Add(
        name,
        help + " (" + AllowedRate(bounds) + ")",
        [name, &value, bounds](const std::string& text) {
            value = DataRate(ParseRate("--" + name, text, bounds));
        },
        [&value] { return RateText(value.GetBitRate()); });
}

void
ProgramOptions::AddCounts(const std::string& name,
                          const std::string& help,
                          std::vector<uint64_t>& value,
                          Bounds<uint64_t> items,
                          Bounds<uint64_t> each)
{
    const std::string allowed = "a list of " + NumberText(items.min) + " to " +
                                NumberText(items.max) + " numbers with commas, each " +
                                AllowedCount(each);
    Add(
        name,
        help + " (" + allowed + ")",
        [name, &value, items, each, allowed](const std::string& text) {
            std::vector<uint64_t> numbers;
            const std::vector<std::string> parts = SplitList(text);
            if (parts.size() < items.min || parts.size() > items.max)
            {
                ThrowNotAllowed("--" + name, text, allowed);
            }
            for (const std::string& part : parts)
            {
                try
                {
                    numbers.push_back(ParseCount("--" + name, part, each));
                }
                catch (const std::invalid_argument&)
                {
                    ThrowNotAllowed("--" + name, text, allowed);
                }
            }
            value = std::move(numbers);
        },
        [&value] {
            std::vector<std::string> texts;
            for (const uint64_t number : value)
            {
                texts.push_back(NumberText(number));
            }
            return JoinList(texts);
        });
}

void
ProgramOptions::AddChoice(const std::string& name,
                          const std::string& help,
                          std::string& value,
                          const std::vector<std::string>& words)
{
    Add(
        name,
        help + " (" + AllowedChoice(words) + ")",
        [name, &value, words](const std::string& text) {
            value = words[ParseChoice("--" + name, text, words)];
        },
        [&value] { return value; });
}

void
ProgramOptions::AddChoices(const std::string& name,
                           const std::string& help,
                           std::vector<std::string>& value,
                           const std::vector<std::string>& words)
{
    Add(
        name,
        help + " (none, all or any of " + JoinList(words) + ")",
        [name, &value, words](const std::string& text) {
            value = ParseChoices("--" + name, text, words);
        },
        [&value] { return value.empty() ? "none" : JoinList(value); });
}

void
ProgramOptions::AddText(const std::string& name, const std::string& help, std::string& value)
{
    Add(
        name,
        help,
        [&value](const std::string& text) { value = text; },
        [&value] { return value; });
}

void
ProgramOptions::AddDuration(const Time& value)
{
    m_duration = value;
    AddTime("duration",
            "simulated time after which the run ends",
            m_duration,
            NanoSeconds(1),
            Seconds(1000));
}

void
ProgramOptions::ReserveAttributes(const std::vector<std::string>& names, const std::string& setBy)
{
    for (const std::string& name : names)
    {
        m_reserved.emplace_back(name, setBy);
    }
}

const ProgramOptions::Option*
ProgramOptions::Find(const std::string& name) const
{
    const auto option = std::find_if(m_options.begin(), m_options.end(), [&name](const auto& o) {
        return o->name == name;
    });
    return option == m_options.end() ? nullptr : option->get();
}

void
ProgramOptions::Apply(const std::string& argument)
{
    const Argument parts = TakeApart(argument);
    if (!parts.isOption)
    {
        throw std::invalid_argument("unexpected argument '" + argument +
                                    "': allowed are options only, --name=value");
    }
    if (const Option* option = Find(parts.name))
    {
        if (!parts.hasValue && !option->isFlag)
        {
            throw std::invalid_argument("--" + parts.name + " has no value: allowed is --" +
                                        parts.name + "=value");
        }
        option->set(parts.hasValue ? parts.text : "true");
        return;
    }
    if (parts.name.find("::") == std::string::npos && !IsGlobalValue(parts.name))
    {
        std::vector<std::string> names;
        for (const auto& known : m_options)
        {
            names.push_back("--" + known->name);
        }
        names.emplace_back("--RngRun");
        throw std::invalid_argument("unknown option " + argument + ": allowed are " +
                                    JoinList(names) + ", --help and attributes");
    }
    for (const auto& [name, setBy] : m_reserved)
    {
        if (name == parts.name)
        {
            throw std::invalid_argument("--" + name + ": the program sets it, allowed is " + setBy);
        }
    }
    SetDefaultChecked(parts.name, parts.text);
    const auto given =
        std::find_if(m_attributes.begin(), m_attributes.end(), [&parts](const auto& attribute) {
            return attribute.first == parts.name;
        });
    if (given == m_attributes.end())
    {
        m_attributes.emplace_back(parts.name, parts.text);
    }
    else
    {
        given->second = parts.text;
    }
}

void
ProgramOptions::Parse(int argc, char* argv[])
{
    Parse(std::vector<std::string>(argv, argv + argc));
}

void
ProgramOptions::Parse(const std::vector<std::string>& arguments)
{
    const auto begin = arguments.begin() + (arguments.empty() ? 0 : 1);
    const bool isPrinting =
        std::any_of(begin, arguments.end(), [this](const std::string& argument) {
            const Argument parts = TakeApart(argument);
            if (parts.name == "PrintAttributes" && !IsTypeRegistered(parts.text))
            {
                ThrowNotAllowed("--PrintAttributes",
                                parts.text,
                                "the name of a type, --PrintTypeIds lists all");
            }
            // An option of the program goes before ns-3's of that name: `--version=flow`.
            const bool isOwn = parts.hasValue && Find(parts.name);
            return parts.isOption && !isOwn &&
                   std::find(PRINTING_OPTIONS.begin(), PRINTING_OPTIONS.end(), parts.name) !=
                       PRINTING_OPTIONS.end();
        });
    if (!isPrinting)
    {
        std::for_each(begin, arguments.end(), [this](const std::string& argument) {
            Apply(argument);
        });
    }
    // It prints and exits, or writes the program's page when ns-3 builds its documentation. It is
    // not shown the options, since it cannot read an empty text.
    m_commandLine.Parse(isPrinting ? arguments
                                   : std::vector<std::string>(arguments.begin(), begin));
}

void
ProgramOptions::PrintHelp(std::ostream& os) const
{
    m_commandLine.PrintHelp(os);
}

std::string
ProgramOptions::GetName() const
{
    return m_commandLine.GetName();
}

ProgramOptions::NamedTexts
ProgramOptions::GetOptions() const
{
    NamedTexts options;
    for (const auto& option : m_options)
    {
        options.emplace_back(option->name, option->text());
    }
    return options;
}

const ProgramOptions::NamedTexts&
ProgramOptions::GetAttributes() const
{
    return m_attributes;
}

bool
ProgramOptions::IsGiven(const std::string& name) const
{
    return std::any_of(m_attributes.begin(), m_attributes.end(), [&name](const auto& given) {
        return given.first == name;
    });
}

void
ProgramOptions::SetDefault(const std::string& name, const AttributeValue& value) const
{
    if (!IsGiven(name))
    {
        Config::SetDefault(name, value);
    }
}

void
ProgramOptions::RefuseAttributes(const std::string& prefix, const std::string& allowed) const
{
    for (const auto& [name, text] : m_attributes)
    {
        if (name.rfind(prefix, 0) == 0)
        {
            ThrowNotAllowed("--" + name, text, allowed);
        }
    }
}

const std::string&
ProgramOptions::GetOut() const
{
    return m_out;
}

bool
ProgramOptions::GetForce() const
{
    return m_force;
}

ProgressMode
ProgramOptions::GetProgress() const
{
    return m_progress;
}

bool
ProgramOptions::GetLookahead() const
{
    return m_lookahead;
}

uint32_t
ProgramOptions::GetThreads() const
{
    return m_threads;
}

bool
ProgramOptions::GetCheck() const
{
    return m_check;
}

Time
ProgramOptions::GetDuration() const
{
    return m_duration;
}

} // namespace fabric
} // namespace ns3
