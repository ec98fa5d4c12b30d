/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_CAPTURE_ORDER_H
#define FABRIC_CAPTURE_ORDER_H

#include "fabric-types.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/// Which way a captured frame goes. At the same time, what is received stands first.
enum class CaptureDirection : uint8_t
{
    RECEIVED = 0, ///< The port receives it.
    SENT = 1,     ///< The port sends it.
};

/**
 * Brings the records of a capture into the order of their times.
 *
 * What a port receives takes effect later than its first bit came in, and what it has sent in
 * between was told before. No record comes later than a bound after its time, so what is older
 * than that is written, but for what a record stands before that is known to come later. The order
 * does not depend on the order in which records of equal time come: in each direction there is one.
 */
class CaptureOrder
{
  public:
    using Key = std::pair<TimePs, CaptureDirection>; ///< Time, ps, and direction.
    using Bytes = std::vector<uint8_t>;              ///< Of a record.

    /// @param bound no record comes later than this after its time, ps
    explicit CaptureOrder(TimePs bound)
        : m_bound(bound)
    {
    }

    /// @param time of the record, ps
    void Put(TimePs time, CaptureDirection direction, Bytes bytes)
    {
        m_records.emplace(Key(time, direction), std::move(bytes));
    }

    /**
     * @param now the present, NEVER if the last record has come, ps
     * @param awaited time of a record that may still come however late, NEVER for none, ps
     * @param write is called for each record that none can stand before any more, in order
     * @tparam Write void(const Key&, const Bytes&)
     */
    template <typename Write>
    void WriteSettled(TimePs now, TimePs awaited, Write write)
    {
        const TimePs settled = now == NEVER ? NEVER : std::min(now - m_bound, awaited);
        while (!m_records.empty() && m_records.begin()->first.first < settled)
        {
            write(m_records.begin()->first, m_records.begin()->second);
            m_records.erase(m_records.begin());
        }
    }

  private:
    TimePs m_bound;                      ///< See the constructor.
    std::multimap<Key, Bytes> m_records; ///< Not written yet.
};

} // namespace ns3::fabric

#endif // FABRIC_CAPTURE_ORDER_H
