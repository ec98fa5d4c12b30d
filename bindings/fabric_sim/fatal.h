/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SIM_FATAL_H
#define FABRIC_SIM_FATAL_H

// ns-3 prints a sentence and ends the process where an attribute or a type is not known. While a
// FatalWatch lives, the call ends with a SystemError of Python instead.

#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace CppyyLegacy
{
void Throw(int signal); ///< Of cppyy: goes back to where Python made the call.
}

namespace ns3::fabric::python
{

/// Keeps what ns-3 says on std::cerr and std::clog, and lets it end a call instead of the process.
class FatalWatch
{
  public:
    FatalWatch()
        : m_errors(std::cerr.rdbuf(m_said.rdbuf())),
          m_log(std::clog.rdbuf(m_said.rdbuf())),
          m_handler(std::set_terminate(&FatalWatch::Leave))
    {
        Owner() = getpid();
    }

    ~FatalWatch()
    {
        std::set_terminate(m_handler);
        std::clog.rdbuf(m_log);
        std::cerr.rdbuf(m_errors);
    }

    FatalWatch(const FatalWatch&) = delete;
    FatalWatch& operator=(const FatalWatch&) = delete;

    /// @return what was said
    std::string Said() const
    {
        return m_said.str();
    }

  private:
    static constexpr int NO_SIGNAL = -1; ///< cppyy makes a SystemError of it.

    /// @return the process that watches; a child of it may end as it likes
    static pid_t& Owner()
    {
        static pid_t owner = 0;
        return owner;
    }

    /// Is called instead of ending the process.
    [[noreturn]] static void Leave()
    {
        if (getpid() == Owner() && !std::current_exception())
        {
            CppyyLegacy::Throw(NO_SIGNAL);
        }
        std::abort();
    }

    std::ostringstream m_said;        ///< What is said meanwhile.
    std::streambuf* m_errors;         ///< Where it goes otherwise.
    std::streambuf* m_log;            ///< Where it goes otherwise.
    std::terminate_handler m_handler; ///< What happens otherwise.
};

} // namespace ns3::fabric::python

#endif // FABRIC_SIM_FATAL_H
