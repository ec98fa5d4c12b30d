/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_ABORT_H
#define FABRIC_ABORT_H

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3::fabric
{

/**
 * Runs a mistake in a process of its own.
 *
 * @param mistake what a user does
 * @return what it printed; empty if it did not abort
 */
inline std::string
Abort(const std::function<void()>& mistake)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "";
    }
    const pid_t child = fork();
    if (child == 0)
    {
        const rlimit none{0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(ends[1], STDERR_FILENO);
        try
        {
            mistake();
        }
        catch (const std::invalid_argument& error)
        {
            std::cerr << error.what() << std::endl; // a program ends so too, see RunProgram()
            std::abort();
        }
        _exit(0);
    }
    close(ends[1]);
    std::string printed;
    std::array<char, 512> buffer;
    ssize_t count;
    while ((count = read(ends[0], buffer.data(), buffer.size())) > 0)
    {
        printed.append(buffer.data(), static_cast<std::size_t>(count));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? printed : "";
}

} // namespace ns3::fabric

#endif // FABRIC_ABORT_H
