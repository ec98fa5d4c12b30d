/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program.h"

#include "fabric-option-type.h"
#include "fabric-program-options.h"
#include "fabric-resolution.h"

#include "ns3/simulator.h"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

namespace ns3::fabric
{

namespace
{

/// Prints why a program ends, with the end of the line at once: several ranks say it at the same
/// time, and their lines are not to run into each other.
void
Say(const std::string& why)
{
    std::cerr << why + "\n" << std::flush;
}

/// @return where a run is, for a sentence about what broke in it; empty before its first event
std::string
WhereItIs()
{
    const Time now = Simulator::Now();
    return now.IsZero() ? "" : " (at " + TimeText(now) + " of simulated time)";
}

} // namespace

int
RunProgram(const std::function<int()>& body)
{
    try
    {
        RequirePicoseconds();
        return body();
    }
    catch (const BadInput& error)
    {
        Say(error.what());
        return EXIT_BAD_INPUT;
    }
    catch (const std::exception& error)
    {
        Say(error.what() + WhereItIs());
        return EXIT_BROKEN;
    }
}

void
ParseAttributes(const std::string& file, int argc, char* argv[])
{
    const int code = RunProgram([&file, argc, argv] {
        ProgramOptions(file).Parse(argc, argv);
        return EXIT_DONE;
    });
    if (code != EXIT_DONE)
    {
        std::exit(code);
    }
}

} // namespace ns3::fabric
