/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRAM_OPTIONS_H
#define FABRIC_PROGRAM_OPTIONS_H

#include "fabric-option-text.h"

#include "ns3/attribute.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/// When progress is shown (`--progress`).
enum class ProgressMode
{
    AUTO, ///< If standard error is a terminal.
    ON,   ///< Always.
    OFF,  ///< Never.
};

/**
 * The options of a program (PR-1, PR-2): ns3::CommandLine with typed values, bounds, and one
 * sentence for every mistake.
 *
 * Variables are bound by reference and keep their value as the default; Parse() sets them.
 * Attributes
 * (`--ns3::Type::Attribute=value`), global values (`--RngRun=2`) and ns-3's own options
 * (`--PrintAttributes`) work as in any ns-3 program. ns3::CommandLine itself is never shown a bad
 * argument, because it would print its help and exit with 1, or abort.
 *
 * All Add functions throw std::logic_error if the name is taken or the default is not allowed:
 * those are mistakes of the program.
 */
class ProgramOptions
{
  public:
    /// Names and texts of values, in the order in which they were added or given.
    using NamedTexts = std::vector<std::pair<std::string, std::string>>;

    /**
     * @param file name of the program's source, `__FILE__`
     * @param usage what the program does, for `--help`
     */
    ProgramOptions(const std::string& file, const std::string& usage);

    /**
     * Without the common options (PR-2), for a program that writes no results: attributes, global
     * values and ns-3's own options only.
     *
     * @param file name of the program's source, `__FILE__`
     */
    explicit ProgramOptions(const std::string& file);

    ProgramOptions(const ProgramOptions&) = delete;
    ProgramOptions& operator=(const ProgramOptions&) = delete;

    /**
     * Adds a size in bytes: `64`, `4KiB` (binary KiB MiB GiB), `1MB` (decimal kB KB MB GB).
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default, bytes
     * @param bounds bytes allowed
     */
    void AddSize(const std::string& name,
                 const std::string& help,
                 uint64_t& value,
                 Bounds<uint64_t> bounds);

    /**
     * Adds a whole number without a unit.
     *
     * @tparam T an unsigned integer type
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param min smallest value allowed
     * @param max largest value allowed
     */
    template <typename T>
    void AddCount(const std::string& name,
                  const std::string& help,
                  T& value,
                  T min,
                  T max = std::numeric_limits<T>::max());

    /**
     * Adds a number without a unit, such as a load of 0.8.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param bounds values allowed
     */
    void AddNumber(const std::string& name,
                   const std::string& help,
                   double& value,
                   Bounds<double> bounds);

    /**
     * Adds a boolean. `--name` alone means true, and is taken only where the default is false:
     * ns-3 would toggle, and `--flowChannels` would then switch flow channels off.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     */
    void AddBoolean(const std::string& name, const std::string& help, bool& value);

    /**
     * Adds a time.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param min shortest time allowed
     * @param max longest time allowed
     */
    void AddTime(const std::string& name,
                 const std::string& help,
                 Time& value,
                 const Time& min,
                 const Time& max);

    /**
     * Adds a rate.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param min lowest rate allowed
     * @param max highest rate allowed
     */
    void AddRate(const std::string& name,
                 const std::string& help,
                 DataRate& value,
                 const DataRate& min = DataRate("1Mbps"),
                 const DataRate& max = DataRate("100000Gbps"));

    /**
     * Adds a list of whole numbers: `3,3,3,2`.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param items how many numbers are allowed
     * @param each values allowed for each
     */
    void AddCounts(const std::string& name,
                   const std::string& help,
                   std::vector<uint64_t>& value,
                   Bounds<uint64_t> items,
                   Bounds<uint64_t> each);

    /**
     * Adds a choice of one word.
     *
     * @tparam E what the words stand for: an enumeration
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param choices the words and what each stands for
     */
    template <typename E>
    void AddEnum(const std::string& name,
                 const std::string& help,
                 E& value,
                 const std::vector<std::pair<std::string, E>>& choices);

    /**
     * Adds a choice of one word, kept as the word.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     * @param words the words allowed
     */
    void AddChoice(const std::string& name,
                   const std::string& help,
                   std::string& value,
                   const std::vector<std::string>& words);

    /**
     * Adds a choice of several words: `none`, `all`, or any of the words between commas.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default: the chosen words in the order of `words`
     * @param words the words allowed
     */
    void AddChoices(const std::string& name,
                    const std::string& help,
                    std::vector<std::string>& value,
                    const std::vector<std::string>& words);

    /**
     * Adds a text, such as the name of a file, that the program checks itself.
     *
     * @param name camelCase name of the option
     * @param help what it is, for `--help`
     * @param value the variable, holding the default
     */
    void AddText(const std::string& name, const std::string& help, std::string& value);

    /**
     * Adds `--duration`, for a run that has no natural end (PR-2).
     *
     * @param value the default
     */
    void AddDuration(const Time& value);

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

    /**
     * As Parse(int, char*[]).
     *
     * @param arguments the arguments, with the program's name
     * @throws std::invalid_argument with one sentence for the first mistake
     */
    void Parse(const std::vector<std::string>& arguments);

    /// @param os where the text of `--help` goes
    void PrintHelp(std::ostream& os) const;

    /// @return the name of the program
    std::string GetName() const;

    /// @return the options of the program and their values as text, default or given
    NamedTexts GetOptions() const;

    /// @return the attributes and global values that were given, the last text given for each
    const NamedTexts& GetAttributes() const;

    /**
     * @param name full name of an attribute or a global value
     * @return whether it was given
     */
    bool IsGiven(const std::string& name) const;

    /**
     * Sets the default of an attribute for this program; a value on the command line goes before.
     *
     * @param name full name of the attribute
     * @param value its default
     */
    void SetDefault(const std::string& name, const AttributeValue& value) const;

    /**
     * Refuses attributes that would be lost with the options that were given.
     *
     * @param prefix that their full names begin with
     * @param allowed what may be given instead
     * @throws std::invalid_argument with a sentence that names the first such attribute
     */
    void RefuseAttributes(const std::string& prefix, const std::string& allowed) const;

    /// @return `--out`, the folder for result files; empty for none
    const std::string& GetOut() const;

    /// @return `--force`, whether results of another run may be replaced
    bool GetForce() const;

    /// @return `--progress`
    ProgressMode GetProgress() const;

    /// @return `--lookahead`, whether switches simulate themselves ahead (DP-5)
    bool GetLookahead() const;

    /// @return `--threads`, number of threads that run switches (DP-15)
    uint32_t GetThreads() const;

    /// @return `--check`, whether invariants are checked at the end
    bool GetCheck() const;

    /// @return `--duration`
    Time GetDuration() const;

  private:
    /// One option of the program.
    struct Option
    {
        std::string name;                            ///< Name without dashes.
        std::function<void(const std::string&)> set; ///< Reads a text into the variable, or throws.
        std::function<std::string()> text;           ///< The variable's value.
        bool isFlag;                                 ///< Whether `--name` alone means true.
        std::string shown;                           ///< The default, for CommandLine's help.
    };

    /// How an option is set from a text.
    using Setter = std::function<void(const std::string&)>;

    /**
     * Adds an option of any type.
     *
     * @param name name
     * @param help what it is, and what is allowed
     * @param set reads a text into the variable, or throws
     * @param text gives the variable's value
     * @param isFlag whether `--name` alone means true
     */
    void Add(const std::string& name,
             const std::string& help,
             Setter set,
             std::function<std::string()> text,
             bool isFlag = false);

    /**
     * @param name name of an option
     * @return the option, null if the program has none of this name
     */
    const Option* Find(const std::string& name) const;

    /// @param argument one argument of the command line, checked and carried out
    void Apply(const std::string& argument);

    CommandLine m_commandLine; ///< Prints the help and ns-3's own lists.
    std::vector<std::unique_ptr<Option>>
        m_options;           ///< In the order added; CommandLine points into them.
    NamedTexts m_attributes; ///< Attributes and global values given.
    NamedTexts m_reserved;   ///< Those that the program sets, and what sets each.
    std::string m_out;       ///< `--out`
    bool m_force{false};     ///< `--force`
    ProgressMode m_progress{ProgressMode::AUTO}; ///< `--progress`
    bool m_lookahead{true};                      ///< `--lookahead`
    uint32_t m_threads{1};                       ///< `--threads`
    bool m_check{false};                         ///< `--check`
    Time m_duration;                             ///< `--duration`
};

template <typename T>
void
ProgramOptions::AddCount(const std::string& name, const std::string& help, T& value, T min, T max)
{
    static_assert(std::is_unsigned_v<T> && !std::is_same_v<T, bool>, "a count is unsigned");
    const Bounds<uint64_t> bounds{min, max};
    Add(
        name,
        help + " (" + AllowedCount(bounds) + ")",
        [name, &value, bounds](const std::string& text) {
            value = static_cast<T>(ParseCount("--" + name, text, bounds));
        },
        [&value] { return std::to_string(value); });
}

template <typename E>
void
ProgramOptions::AddEnum(const std::string& name,
                        const std::string& help,
                        E& value,
                        const std::vector<std::pair<std::string, E>>& choices)
{
    std::vector<std::string> words;
    for (const auto& choice : choices)
    {
        words.push_back(choice.first);
    }
    Add(
        name,
        help + " (" + AllowedChoice(words) + ")",
        [name, &value, choices, words](const std::string& text) {
            value = choices[ParseChoice("--" + name, text, words)].second;
        },
        [&value, choices] {
            for (const auto& choice : choices)
            {
                if (choice.second == value)
                {
                    return choice.first;
                }
            }
            return std::string("none of them");
        });
}

} // namespace fabric
} // namespace ns3

#endif // FABRIC_PROGRAM_OPTIONS_H
