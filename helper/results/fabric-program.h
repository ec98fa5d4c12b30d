/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_PROGRAM_H
#define FABRIC_PROGRAM_H

#include <functional>
#include <stdexcept>

namespace ns3
{
namespace fabric
{

/// A mistake of the user: one sentence that says what, where and what is allowed. Exit code 2
/// (PR-4).
using BadInput = std::invalid_argument;

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

} // namespace fabric
} // namespace ns3

#endif // FABRIC_PROGRAM_H
