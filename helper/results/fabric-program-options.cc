/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program-options.h"

#include "fabric-attribute-value.h"
#include "fabric-build-info.h"

#include "ns3/config.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// The options that are answered by printing something and ending the process, as ns-3 does.
const std::set<std::string> PRINTING_OPTIONS{"help",
                                             "PrintHelp",
                                             "version",
                                             "PrintVersion",
                                             "PrintGlobals",
                                             "PrintGroups",
                                             "PrintGroup",
                                             "PrintTypeIds",
                                             "PrintAttributes"};

/// Those of them that ask for the versions.
const std::set<std::string> VERSION_OPTIONS{"version", "PrintVersion"};

/// Those of them that ask for the help.
const std::set<std::string> HELP_OPTIONS{"help", "PrintHelp"};

/// What every program takes, below ns-3's own list.
constexpr const char* COMMON_HELP = R"(Attributes and Random Numbers:
    --ns3::TYPE::ATTRIBUTE=VALUE:  Default of an attribute, as --ns3::FabricSwitch::Latency=100ns;
                                   --PrintAttributes=ns3::FabricSwitch lists those of a type.
    --RngRun=NUMBER:               Run with other random numbers: repeat with 1, 2, 3, ... [1]
    --RngSeed=NUMBER:              Seed of all runs, seldom changed. [1]
    --version:                     Print the versions of fabric and ns-3, compiler and build type.
)";

/// An argument, taken apart as ns3::CommandLine does.
struct Argument
{
    bool isOption{false}; ///< Whether it begins with a dash.
    std::string name{};   ///< Name without dashes.
    bool hasValue{false}; ///< Whether there is an '='.
    std::string text{};   ///< What follows it.

    /// @param argument one argument of the command line
    explicit Argument(const std::string& argument)
    {
        const std::size_t dashes = argument.compare(0, 2, "--") == 0 ? 2 : 1;
        const std::size_t equals = std::min(argument.find('='), argument.size());
        isOption = argument.compare(0, 1, "-") == 0;
        hasValue = equals != argument.size();
        name = isOption ? argument.substr(dashes, equals - dashes) : "";
        text = hasValue ? argument.substr(equals + 1) : "";
    }
};

/// @return what finds a name in a list of names and texts
auto
HasName(const std::string& name)
{
    return [&name](const auto& named) { return named.first == name; };
}

} // namespace

ProgramOptions::ProgramOptions(const std::string& file)
    : m_commandLine(file)
{
}

ProgramOptions::ProgramOptions(const std::string& file, const std::string& usage)
    : ProgramOptions(file)
{
    using Mode = ProgressMode;
    m_commandLine.Usage(usage);
    Add("out", "folder for result files, made if missing; empty for no files", m_common.out);
    Add("force", "replace the results of another run in that folder", m_common.force);
    Add("progress",
        "show progress on standard error, auto: if it is a terminal",
        m_common.progress,
        EnumType<Mode>({{"auto", Mode::AUTO}, {"on", Mode::ON}, {"off", Mode::OFF}}));
    Add("lookahead",
        "switches simulate themselves in look-ahead windows; results are bit-identical",
        m_common.lookahead);
    Add("threads",
        "threads that run switches; results are bit-identical, and what only one can run is "
        "refused",
        m_common.threads,
        CountType(1U, MAX_THREADS));
    Add("check", "check conservation and tables at the end, exit 1 on a breach", m_common.check);
    ReserveAttributes({"ns3::FabricNetwork::Lookahead"}, "--lookahead");
    ReserveAttributes({"ns3::FabricNetwork::Threads"}, "--threads");
}

void
ProgramOptions::AddOption(Option option, const std::string& help)
{
    if (Find(option.name))
    {
        throw std::logic_error("option --" + option.name + " is defined twice");
    }
    option.byDefault = option.show();
    try
    {
        option.set(option.byDefault);
    }
    catch (const std::invalid_argument& error)
    {
        throw std::logic_error(std::string("default of an option: ") + error.what());
    }
    m_options.push_back(std::move(option));
    m_commandLine.AddValue(m_options.back().name, help, m_options.back().byDefault);
}

void
ProgramOptions::AddDuration(const Time& value)
{
    m_common.duration = value;
    Add("duration",
        std::string("simulated time after which the run ends") +
            (value.IsZero() ? ", 0 for long enough" : ""),
        m_common.duration,
        TimeType(value.IsZero() ? Time(0) : NanoSeconds(1), Seconds(1000)));
}

void
ProgramOptions::AddRanks()
{
    Add("mpi",
        "run as one of the ranks that mpirun has started, each with a part of the fabric; results "
        "are bit-identical, and written by rank 0",
        m_common.mpi);
}

void
ProgramOptions::ReserveAttributes(const std::vector<std::string>& names, const std::string& setBy)
{
    for (const std::string& name : names)
    {
        m_reserved.emplace(name, setBy);
    }
}

const ProgramOptions::Option*
ProgramOptions::Find(const std::string& name) const
{
    const auto option = std::find_if(m_options.begin(), m_options.end(), [&name](const auto& o) {
        return o.name == name;
    });
    return option == m_options.end() ? nullptr : &*option;
}

void
ProgramOptions::Apply(const std::string& argument)
{
    const Argument parts(argument);
    if (!parts.isOption)
    {
        throw std::invalid_argument("unexpected argument '" + argument +
                                    "': allowed are options only, --name=value");
    }
    if (const Option* option = Find(parts.name))
    {
        m_given.insert(parts.name);
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
        std::string known;
        for (const Option& option : m_options)
        {
            known += "--" + option.name + ",";
        }
        throw std::invalid_argument("unknown option " + argument + ": allowed are " + known +
                                    "--RngRun, --help and attributes");
    }
    const auto reserved = m_reserved.find(parts.name);
    if (reserved != m_reserved.end())
    {
        throw std::invalid_argument("--" + parts.name + ": the program sets it, allowed is " +
                                    reserved->second);
    }
    Keep(parts.name);
    const OptionValue value = SetDefaultChecked(parts.name, parts.text);
    const auto given = std::find_if(m_attributes.begin(), m_attributes.end(), HasName(parts.name));
    if (given == m_attributes.end())
    {
        m_attributes.emplace_back(parts.name, value);
    }
    else
    {
        given->second = value;
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
    const auto printing = std::find_if(begin, arguments.end(), [this](const std::string& text) {
        const Argument argument(text);
        // An option of the program goes before ns-3's of that name: `--version=flow`.
        const bool isOwn = argument.hasValue && Find(argument.name);
        return !isOwn && IsPrinting(argument.name);
    });
    if (printing == arguments.end())
    {
        std::for_each(begin, arguments.end(), [this](const std::string& text) { Apply(text); });
        // It writes the program's page when ns-3 builds its documentation. It is not shown the
        // options, since it cannot read an empty text.
        m_commandLine.Parse(std::vector<std::string>(arguments.begin(), begin));
        return;
    }
    const Argument asked(*printing);
    if (HELP_OPTIONS.count(asked.name) != 0)
    {
        PrintHelp(std::cout);
        std::exit(0);
    }
    if (VERSION_OPTIONS.count(asked.name) != 0)
    {
        std::cout << GetBuildInfo().Describe() << std::endl;
        std::exit(0);
    }
    if (asked.name == "PrintAttributes" && !IsTypeRegistered(asked.text))
    {
        ThrowNotAllowed("--PrintAttributes",
                        asked.text,
                        "the name of a type, --PrintTypeIds lists all");
    }
    m_commandLine.Parse(arguments); // prints and exits
}

void
ProgramOptions::PrintHelp(std::ostream& os) const
{
    m_commandLine.PrintHelp(os);
    os << COMMON_HELP << std::endl;
}

NamedValues
ProgramOptions::GetOptions() const
{
    NamedValues options;
    for (const Option& option : m_options)
    {
        options.emplace_back(option.name, option.value());
    }
    return options;
}

bool
ProgramOptions::IsGiven(const std::string& name) const
{
    return m_given.count(name) != 0 ||
           std::any_of(m_attributes.begin(), m_attributes.end(), HasName(name));
}

void
ProgramOptions::RefuseGiven(const std::vector<std::string>& names, const std::string& needed) const
{
    for (const std::string& name : names)
    {
        if (IsGiven(name))
        {
            ThrowNotAllowed("--" + name, Find(name)->show(), "only " + needed + " with it");
        }
    }
}

std::string
ProgramOptions::ShowGiven(const std::vector<std::string>& names) const
{
    std::string shown;
    for (const std::string& name : names)
    {
        if (IsGiven(name))
        {
            shown += (shown.empty() ? "--" : " --") + name + "=" + Find(name)->show();
        }
    }
    return shown.empty() ? shown : shown + ": ";
}

void
ProgramOptions::SetDefault(const std::string& name, const AttributeValue& value) const
{
    if (!IsGiven(name))
    {
        Keep(name);
        Config::SetDefault(name, value);
    }
}

void
ProgramOptions::Keep(const std::string& name) const
{
    const Ptr<const AttributeValue> value = GetDefault(name);
    if (value)
    {
        m_before.emplace(name, value); // the first one is from before
    }
}

void
ProgramOptions::PutBack()
{
    for (const auto& [name, value] : m_before)
    {
        SetDefaultAgain(name, *value);
    }
    m_before.clear();
}

bool
ProgramOptions::IsPrinting(const std::string& name)
{
    return PRINTING_OPTIONS.count(name) != 0;
}

} // namespace ns3::fabric
