/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COMMAND_H
#define FABRIC_COMMAND_H

#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// A command line, as main() gets it.
class Command
{
  public:
    /// @param arguments arguments without the program's name
    explicit Command(std::vector<std::string> arguments)
        : m_arguments(std::move(arguments))
    {
        m_arguments.insert(m_arguments.begin(), "fabric-example");
        for (std::string& argument : m_arguments)
        {
            m_pointers.push_back(argument.data());
        }
    }

    /// @return argc
    int Count() const
    {
        return static_cast<int>(m_pointers.size());
    }

    /// @return argv
    char** Arguments()
    {
        return m_pointers.data();
    }

  private:
    std::vector<std::string> m_arguments; ///< The texts.
    std::vector<char*> m_pointers;        ///< Where they are.
};

/// @return what an action writes to standard output, which it must not leave by an exception
template <typename Action>
std::string
Printed(Action&& action)
{
    std::ostringstream text;
    std::streambuf* before = std::cout.rdbuf(text.rdbuf());
    action();
    std::cout.rdbuf(before);
    return text.str();
}

} // namespace ns3::fabric

#endif // FABRIC_COMMAND_H
