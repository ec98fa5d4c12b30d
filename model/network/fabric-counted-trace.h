/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_COUNTED_TRACE_H
#define FABRIC_COUNTED_TRACE_H

#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ns3::fabric
{

/// Which of an object's trace sources have sinks: how many.
class TraceCount
{
  public:
    /// @return number of sources with sinks
    const uint32_t& Number() const
    {
        return m_sources;
    }

    /// @param listener is told whether a source has a sink: now, and when sinks come and go
    void Listen(std::function<void(bool)> listener)
    {
        m_listener = std::move(listener);
        m_listener(m_sources != 0);
    }

    /// A source has its first sink. For CountedTrace.
    void Add()
    {
        ++m_sources;
        Tell();
    }

    /// A source has lost its last sink. For CountedTrace.
    void Remove()
    {
        --m_sources;
        Tell();
    }

  private:
    void Tell() const
    {
        if (m_listener)
        {
            m_listener(m_sources != 0);
        }
    }

    uint32_t m_sources{0};                ///< See Number().
    std::function<void(bool)> m_listener; ///< See Listen(); empty for nobody.
};

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
    /// @param count of sources with sinks, outlives this one
    explicit CountedTrace(TraceCount& count)
        : m_count(count)
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
        if (hadNone && !hasNone)
        {
            m_count.Add();
        }
        else if (!hadNone && hasNone)
        {
            m_count.Remove();
        }
    }

    TraceCount& m_count; ///< See the constructor.
};

} // namespace ns3::fabric

#endif // FABRIC_COUNTED_TRACE_H
