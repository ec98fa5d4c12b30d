/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SUMMARY_H
#define FABRIC_SUMMARY_H

#include "fabric-number-text.h"
#include "fabric-run-totals.h"
#include "fabric-seconds.h"
#include "fabric-types.h"

#include <cstdint>
#include <iosfwd>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * The figures at the end of a run (PR-3): for machines a table with the columns `metric`, one for
 * each key that a figure is about, `value` and `unit`; and one for people, in us, MiB, Gbps.
 *
 * Nothing that depends on how the run was made belongs here (events, wall time): see Manifest.
 */
class Summary
{
  public:
    /// What a figure is about, as keys and values; empty for the whole run.
    using Subject = std::vector<std::pair<std::string, std::string>>;

    /**
     * Adds one figure.
     *
     * @tparam T a number
     * @param metric name of the figure, lower_case
     * @param subject what it is about
     * @param value the figure in `unit`
     * @param unit `s`, `B`, `bit/s`, another SI unit without prefix such as `1/s`, or `1` for
     * counts and ratios
     * @throws std::logic_error if the same figure is there already, there is no unit, or a key is
     * the name of another column
     */
    template <typename T>
    void Add(const std::string& metric, const Subject& subject, T value, const std::string& unit)
    {
        AddRow(metric, subject, NumberText(value), static_cast<double>(value), unit);
    }

    /**
     * Adds a time, in seconds.
     *
     * @param metric name of the figure
     * @param subject what it is about
     */
    void AddTime(const std::string& metric, const Subject& subject, TimePs time);

    /**
     * Adds min, mean, p50, p90, p99, p99.9 and max (nearest rank, see NearestRank()) with the key
     * `stat` after the subject's own; no rows for no values, since none of them is defined.
     *
     * @param metric name of the figure
     * @param subject what it is about
     * @param values the values in `unit`, in any order
     * @param unit as in Add()
     */
    void AddDistribution(const std::string& metric,
                         const Subject& subject,
                         const std::vector<double>& values,
                         const std::string& unit);

    /**
     * Adds the figures that every summary has.
     *
     * @param totals the figures; without any cause of drops there is one row, `cause=none`, 0
     */
    void AddTotals(const RunTotals& totals);

    /// @param os where summary.csv goes; keys are in the order of their first figures
    void WriteCsv(std::ostream& os) const;

    /// @param os where the table for people goes
    void PrintTable(std::ostream& os) const;

  private:
    /// A figure.
    struct Row
    {
        std::string metric; ///< Name.
        Subject subject;    ///< What it is about.
        std::string text;   ///< The value for machines, exact.
        double value;       ///< The value for people.
        std::string unit;   ///< Unit of both.
    };

    /// Adds a row. See Add().
    void AddRow(const std::string& metric,
                const Subject& subject,
                const std::string& text,
                double value,
                const std::string& unit);

    std::vector<Row> m_rows;                           ///< In the order added.
    std::vector<std::string> m_keys;                   ///< Of all subjects, in this order.
    std::set<std::pair<std::string, Subject>> m_known; ///< Metrics and subjects of the rows.
};

/**
 * @param value a figure
 * @param unit its unit: s, B and bit/s are scaled (`12.5 us`, `4 MiB`, `199 Gbps`), `1` is left
 * out, others are kept
 * @return four significant digits and a unit, for people
 */
std::string HumanText(double value, const std::string& unit);

} // namespace ns3::fabric

#endif // FABRIC_SUMMARY_H
