/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-program.h"

#include "fabric-program-options.h"
#include "fabric-resolution.h"

#include <cstdlib>
#include <exception>
#include <iostream>

namespace ns3::fabric
{

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
        std::cerr << error.what() << std::endl;
        return EXIT_BAD_INPUT;
    }
    catch (const std::exception& error)
    {
        std::cerr << error.what() << std::endl;
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
