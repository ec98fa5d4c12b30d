/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_MESSAGES_CSV_H
#define FABRIC_MESSAGES_CSV_H

#include "fabric-csv-writer.h"
#include "fabric-ideal-completion.h"
#include "fabric-seconds.h"
#include "fabric-types.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// What became of a message.
struct MessageTimes
{
    uint32_t src;                ///< Host.
    uint32_t dst;                ///< Host.
    uint64_t message;            ///< Its number.
    uint32_t trafficClass;       ///< Traffic class.
    uint64_t bytes;              ///< Payload.
    TimePs start;                ///< When it started, ps.
    TimePs fct;                  ///< How long it took until its last byte was there, ps.
    std::optional<TimePs> ideal; ///< How long it takes in the empty fabric, if that is known, ps.
    TimePs standalone;           ///< The same by HPCC's formula, ps.
};

/// Writes messages.csv: one row for each message.
class MessagesCsv
{
  public:
    /**
     * Writes the header.
     *
     * @param os where to write; outlives this
     * @param more columns beyond those that every messages.csv with ideal times has
     */
    explicit MessagesCsv(std::ostream& os, const std::vector<std::string>& more = {})
        : m_csv(os, Columns(more))
    {
    }

    /// @param times of a message @param more one for each further column, as for CsvWriter::Row()
    template <typename... More>
    void Row(const MessageTimes& times, const More&... more)
    {
        const IdealFields ideal(times.fct, times.ideal);
        m_csv.Row(times.src,
                  times.dst,
                  times.message,
                  times.trafficClass,
                  times.bytes,
                  ToSeconds(times.start),
                  ToSeconds(times.start + times.fct),
                  ToSeconds(times.fct),
                  ideal.seconds,
                  ideal.slowdown,
                  ToSeconds(times.standalone),
                  more...);
    }

  private:
    /// @return names of all columns @param more the last ones
    static std::vector<std::string> Columns(const std::vector<std::string>& more)
    {
        std::vector<std::string> columns{"src",
                                         "dst",
                                         "message",
                                         "traffic_class",
                                         "bytes",
                                         "start_s",
                                         "end_s",
                                         "fct_s",
                                         "ideal_s",
                                         "slowdown",
                                         "hpcc_ideal_s"};
        columns.insert(columns.end(), more.begin(), more.end());
        return columns;
    }

    CsvWriter m_csv; ///< Writes.
};

} // namespace ns3::fabric

#endif // FABRIC_MESSAGES_CSV_H
