/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRAM_OPTIONS_H
#define FABRIC_PROGRAM_OPTIONS_H

#include "fabric-option-type.h"
#include "fabric-option-value.h"

#include "ns3/attribute.h"
#include "ns3/command-line.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <iosfwd>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// When progress is shown (`--progress`).
enum class ProgressMode
{
    AUTO, ///< If standard error is a terminal.
    ON,   ///< Always.
    OFF,  ///< Never.
};

/// The options that all programs have (PR-2).
struct CommonOptions
{
    std::string out;                           ///< Folder for result files; empty for none.
    bool force{false};                         ///< Whether results of another run may be replaced.
    ProgressMode progress{ProgressMode::AUTO}; ///< When progress is shown.
    bool lookahead{true};                      ///< Whether switches run ahead (DP-5).
    uint32_t threads{1};                       ///< Threads that run switches (DP-15).
    bool mpi{false};                           ///< Whether the process is one of several ranks.
    bool check{false};                         ///< Whether invariants are checked at the end.
    Time duration;                             ///< Of a run without a natural end.
};

/**
 * The options of a program (PR-1, PR-2): ns3::CommandLine with typed values, bounds, and one
 * sentence for every mistake.
 *
 * Attributes (`--ns3::Type::Attribute=value`), global values (`--RngRun=2`) and ns-3's own options
 * (`--PrintAttributes`) work as in any ns-3 program. ns3::CommandLine itself is never shown a bad
 * argument, because it would print its help and exit with 1, or abort.
 *
 * @code
 * fabric::ProgramOptions options("my-program.cc", "What it shows.");
 * uint64_t bytes = 4096;
 * options.Add("bytes", "of each message", bytes, fabric::SizeType(1, 1 << 20));
 * options.Parse(argc, argv);
 * @endcode
 */
class ProgramOptions
{
  public:
    /**
     * @param file name of the program's source, `__FILE__`
     * @param usage what the program does, for `--help`
     */
    ProgramOptions(const std::string& file, const std::string& usage);

    /**
     * Without the common options, for a program that writes no results: attributes, global values
     * and ns-3's own options only.
     *
     * @param file name of the program's source, `__FILE__`
     */
    explicit ProgramOptions(const std::string& file);

    ProgramOptions(const ProgramOptions&) = delete;
    ProgramOptions& operator=(const ProgramOptions&) = delete;

    /**
     * Adds an option. A boolean by its name alone is true, and that is taken only where the default
     * is false: ns-3 would toggle, and `--flowChannels` would then switch flow channels off.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`, which adds what is allowed
     * @param value the variable, holding the default; Parse() sets it
     * @throws std::logic_error if the name is taken or the default is not allowed
     */
    template <typename T>
    void Add(const std::string& name,
             const std::string& help,
             T& value,
             const OptionType<T>& type = UsualType<T>())
    {
        const auto set = [name, &value, type](const std::string& text) {
            value = type.Read("--" + name, text);
        };
        const bool isFlag = std::is_same_v<T, bool> && value == T();
        AddOption({name,
                   set,
                   [&value, type] { return type.show(value); },
                   [&value, type] { return ValueOf(value, type.show); },
                   isFlag},
                  help + (type.allowed.empty() ? "" : " (" + type.allowed + ")"));
    }

    /**
     * Adds `--duration`, for a run that has no natural end (PR-2).
     *
     * @param value the default; 0 for one that the program chooses when it knows its fabric
     */
    void AddDuration(const Time& value = Time(0));

    /// The program has chosen how long the run is. @param duration is in the manifest, too
    void SetDuration(const Time& duration)
    {
        m_common.duration = duration;
    }

    /// Adds `--mpi`, for a program that runs on several ranks, too (WL-7).
    void AddRanks();

    /**
     * Names attributes and global values that the program sets itself: a value on the command line
     * would be lost, so it is refused.
     *
     * @param names full names, `ns3::FabricChannel::DataRate`
     * @param setBy what sets them, such as `--linkRate`
     */
    void ReserveAttributes(const std::vector<std::string>& names, const std::string& setBy);

    /**
     * Reads the command line and sets the variables, attributes and global values. `--help` and
     * ns-3's other printing options print and end the process with exit code 0, as in ns-3.
     *
     * @param argc number of arguments, with the program's name
     * @param argv the arguments
     * @throws std::invalid_argument with one sentence for the first mistake
     */
    void Parse(int argc, char* argv[]);

    /// As Parse(int, char*[]).
    void Parse(const std::vector<std::string>& arguments);

    /// @param os where the text of `--help` goes
    void PrintHelp(std::ostream& os) const;

    std::string GetName() const
    {
        return m_commandLine.GetName();
    }

    /// @return the options of the program and their values, default or given
    NamedValues GetOptions() const;

    /// @return the attributes and global values that were given, the last value given for each
    const NamedValues& GetAttributes() const
    {
        return m_attributes;
    }

    /// @return the values of the common options
    const CommonOptions& Common() const
    {
        return m_common;
    }

    /**
     * @param name full name of an attribute or a global value, or name of an option
     * @return whether it was given
     */
    bool IsGiven(const std::string& name) const;

    /**
     * Refuses options that have no effect, whatever their values are.
     *
     * @param names of the options
     * @param needed what they have an effect with, such as `--over=fabric`
     * @throws std::invalid_argument with a sentence for the first that was given
     */
    void RefuseGiven(const std::vector<std::string>& names, const std::string& needed) const;

    /**
     * @param names of options that a mistake may come from
     * @return those that were given, such as `--ringSlots=100: `, to begin a sentence with; empty
     * if none was
     */
    std::string ShowGiven(const std::vector<std::string>& names) const;

    /**
     * Sets the default of an attribute for this program; a value on the command line goes before.
     *
     * @param name full name of the attribute
     * @param value its default
     */
    void SetDefault(const std::string& name, const AttributeValue& value) const;

    /**
     * Sets all that Parse() and SetDefault() have set, attributes and global values, to what it was
     * before, so that another run in this process does not have it. What else was set meanwhile
     * stays. Parse() may have ended with an exception.
     */
    void PutBack();

    /// @param name of an option. @return whether it prints something and ends the process: `help`
    static bool IsPrinting(const std::string& name);

  private:
    /// One option of the program.
    struct Option
    {
        std::string name;                            ///< Name without dashes.
        std::function<void(const std::string&)> set; ///< Reads a text into the variable, or throws.
        std::function<std::string()> show;           ///< The variable's value as a text.
        std::function<OptionValue()> value;          ///< The variable's value.
        bool isFlag;                                 ///< Whether `--name` alone means true.
        std::string byDefault{};                     ///< The default, for CommandLine's help.
    };

    /// Adds an option of any type.
    void AddOption(Option option, const std::string& help);

    /// @return the option of a name, null if there is none
    const Option* Find(const std::string& name) const;

    /// @param argument one argument of the command line, checked and carried out
    void Apply(const std::string& argument);

    /// Notes what an attribute or a global value is, before it is set for the first time.
    void Keep(const std::string& name) const;

    CommandLine m_commandLine;     ///< Prints the help and ns-3's own lists.
    std::deque<Option> m_options;  ///< In the order added; CommandLine points into them.
    std::set<std::string> m_given; ///< Names of options that were given.
    NamedValues m_attributes;      ///< Attributes and global values given.
    std::map<std::string, std::string> m_reserved; ///< Those that the program sets, and by what.
    CommonOptions m_common;                        ///< Their values.

    /// What attributes and global values were before they were set. SetDefault() changes them, and
    /// none of the options.
    mutable std::map<std::string, Ptr<const AttributeValue>> m_before;
};

} // namespace ns3::fabric

#endif // FABRIC_PROGRAM_OPTIONS_H
