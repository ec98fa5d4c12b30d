/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_TOLD_ERRORS_H
#define FABRIC_TOLD_ERRORS_H

#include <iostream>
#include <sstream>
#include <string>

namespace ns3::fabric
{

/// Keeps what is written on standard error while it lives.
class ToldErrors
{
  public:
    ToldErrors()
        : m_usual(std::cerr.rdbuf(m_told.rdbuf()))
    {
    }

    ~ToldErrors()
    {
        std::cerr.rdbuf(m_usual);
    }

    ToldErrors(const ToldErrors&) = delete;
    ToldErrors& operator=(const ToldErrors&) = delete;

    /// @return what was written so far
    std::string Get() const
    {
        return m_told.str();
    }

  private:
    std::ostringstream m_told; ///< What was written.
    std::streambuf* m_usual;   ///< Where it is written else.
};

} // namespace ns3::fabric

#endif // FABRIC_TOLD_ERRORS_H
