/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REFUSAL_H
#define FABRIC_REFUSAL_H

#include <stdexcept>
#include <string>

namespace ns3::fabric
{

/**
 * @tparam Error what is expected to be thrown, such as fabric::InvariantError
 * @param action what is expected to be refused
 * @return the sentence of the Error that it throws, empty if it throws none
 */
template <typename Error = std::invalid_argument, typename Action>
std::string
Refusal(Action&& action)
{
    try
    {
        action();
    }
    catch (const Error& error)
    {
        return error.what();
    }
    return "";
}

} // namespace ns3::fabric

#endif // FABRIC_REFUSAL_H
