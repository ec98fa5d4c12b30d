/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SIM_BRIDGE_H
#define FABRIC_SIM_BRIDGE_H

// What Python can't do through cppyy alone, compiled by cppyy when it is loaded. Python functions
// are kept and called by number: one C++ function for each kind of arguments calls all of them,
// since cppyy compiles a new one for each that it is given.

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/object-base.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ns3::fabric::python
{

/// Calls a Python function by its number.
using Call = std::function<void(uint64_t)>;

/// Schedules a Python function. @return the event
inline EventId
Schedule(Time delay, const Call& call, uint64_t number)
{
    return Simulator::Schedule(delay, [call, number] { call(number); });
}

/// Schedules a Python function as something that happens at a node.
inline void
ScheduleAt(uint32_t node, Time delay, const Call& call, uint64_t number)
{
    Simulator::ScheduleWithContext(node, delay, [call, number] { call(number); });
}

/// @return what C++ makes by itself of an address of a kind, such as an InetSocketAddress
template <typename Kind>
Address
AddressOf(const Kind& address)
{
    return address;
}

/// Connects trace sources of one kind. @tparam Signature type of a pointer to a function, as a
/// trace source names it
template <typename Signature>
struct Sink;

template <typename... Args>
struct Sink<void (*)(Args...)>
{
    /// Calls a Python function by its number, with what the source tells.
    using Call = std::function<void(uint64_t, Args...)>;

    /// @return whether the object has such a source
    static bool Connect(ObjectBase& object,
                        const std::string& source,
                        const Call& call,
                        uint64_t number)
    {
        const std::function<void(Args...)> sink = [call, number](Args... args) {
            call(number, args...);
        };
        return object.TraceConnectWithoutContext(source, Callback<void, Args...>(sink));
    }
};

} // namespace ns3::fabric::python

#endif // FABRIC_SIM_BRIDGE_H
