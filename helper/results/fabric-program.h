/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRAM_H
#define FABRIC_PROGRAM_H

#include <functional>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/// A mistake of the user: one sentence that says what, where and what is allowed. Exit code 2
/// (PR-4).
using BadInput = std::invalid_argument;

/**
 * Reads a file that an option names.
 *
 * @param option that names it, `--table`
 * @param read reads it: `Content read()`; what it throws begins with the name of the file
 * @return what is in the file
 * @throws BadInput with a sentence that names the option, too
 */
template <typename Read>
auto
ReadFileOf(const std::string& option, const Read& read)
{
    try
    {
        return read();
    }
    catch (const BadInput& error)
    {
        throw BadInput(option + "=" + error.what());
    }
}

/// The run broke an invariant: one sentence that says which and by how much. Exit code 1 (PR-4).
class InvariantError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Exit codes of every program (PR-4).
enum ExitCode : int
{
    EXIT_DONE = 0,      ///< The run is done and its results are written.
    EXIT_BROKEN = 1,    ///< The run broke an invariant, or its results could not be written.
    EXIT_BAD_INPUT = 2, ///< Bad input, found before any event was run.
};

/**
 * Runs a program: sets the time resolution to picoseconds, runs `body`, and turns what it throws
 * into one sentence on standard error and an exit code.
 *
 * The resolution must be set before any Time is parsed, so all of main() belongs into `body`.
 *
 * @param body the program; returns its exit code
 * @return `body`'s result, EXIT_BAD_INPUT for BadInput, EXIT_BROKEN for any other exception
 */
int RunProgram(const std::function<int()>& body);

/**
 * Reads the command line of a program that has no options of its own: sets the time resolution to
 * picoseconds, then attributes and global values, or prints what ns-3's own options ask for. A
 * mistake ends the process with one sentence and EXIT_BAD_INPUT.
 *
 * @param file name of the program's source, `__FILE__`
 * @param argc number of arguments
 * @param argv the arguments
 */
void ParseAttributes(const std::string& file, int argc, char* argv[]);

} // namespace ns3::fabric

#endif // FABRIC_PROGRAM_H
