/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COUNTED_TRACE_H
#define FABRIC_COUNTED_TRACE_H

#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ns3::fabric
{

/**
 * A trace source that is counted while it has sinks. So whoever has many of them need not look at
 * each, which for a switch is a question of each window and several cache lines.
 *
 * @tparam Ts types of the arguments
 */
template <typename... Ts>
class CountedTrace : public TracedCallback<Ts...>
{
  public:
    /// @param traced number of sources with sinks, outlives this one
    explicit CountedTrace(uint32_t& traced)
        : m_traced(traced)
    {
    }

    /// @param callback is called from now on, without the path of this source
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Change([&] { Source::ConnectWithoutContext(callback); });
    }

    /// @param callback is called from now on @param path of this source, its first argument
    void Connect(const CallbackBase& callback, std::string path)
    {
        Change([&] { Source::Connect(callback, std::move(path)); });
    }

    /// @param callback is called no longer
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        Change([&] { Source::DisconnectWithoutContext(callback); });
    }

    /// @param callback is called no longer @param path of this source
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        Change([&] { Source::Disconnect(callback, std::move(path)); });
    }

  private:
    using Source = TracedCallback<Ts...>; ///< What ns-3 has.

    /// Changes the sinks. @param change does it: `void change()`
    template <typename Do>
    void Change(Do&& change)
    {
        const bool hadNone = Source::IsEmpty();
        change();
        const bool hasNone = Source::IsEmpty();
        m_traced += hadNone && !hasNone;
        m_traced -= !hadNone && hasNone;
    }

    uint32_t& m_traced; ///< See the constructor.
};

} // namespace ns3::fabric

#endif // FABRIC_COUNTED_TRACE_H
