/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-summary.h"

#include "fabric-csv-writer.h"
#include "fabric-statistics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <stdexcept>

namespace ns3::fabric
{

namespace
{

/// A unit for people.
struct HumanUnit
{
    double scale;     ///< Base units in one.
    const char* name; ///< As it is printed.
};

constexpr std::array<HumanUnit, 5> TIMES{
    {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {1e-12, "ps"}}}; ///< Of seconds.
constexpr std::array<HumanUnit, 5> SIZES{{{1099511627776., "TiB"},
                                          {1073741824., "GiB"},
                                          {1048576., "MiB"},
                                          {1024., "KiB"},
                                          {1, "B"}}}; ///< Of bytes.
constexpr std::array<HumanUnit, 5> RATES{
    {{1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"}, {1e3, "kbps"}, {1, "bps"}}}; ///< Of bit/s.

/// @return at most four significant digits, but every digit before the point
std::string
FourDigits(double value)
{
    const double size = std::fabs(value);
    if (size < 1e15 && (size >= 1e4 || value == std::floor(value)))
    {
        return NumberText(std::llround(value));
    }
    char text[64];
    const auto result =
        std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 4);
    return std::string(text, result.ptr);
}

/**
 * @param units units from the largest to the smallest
 * @return the number in the largest unit of which there is at least one
 */
template <std::size_t N>
std::string
Scaled(double value, const std::array<HumanUnit, N>& units)
{
    const auto* unit = std::find_if(units.begin(), units.end(), [value](const HumanUnit& u) {
        // A little less than one, so that 0.99999 us shows as 1 us and not as 1000 ns.
        return std::fabs(value) >= 0.99995 * u.scale;
    });
    if (value == 0 || !std::isfinite(value))
    {
        unit = std::find_if(units.begin(), units.end(), [](const HumanUnit& u) {
            return u.scale == 1;
        });
    }
    else if (unit == units.end())
    {
        unit = units.end() - 1;
    }
    return FourDigits(value / unit->scale) + " " + unit->name;
}

/// @return the subject of a figure for people, `key=value;key=value`
std::string
SubjectText(const Summary::Subject& subject)
{
    std::string text;
    for (const auto& [key, value] : subject)
    {
        text += (text.empty() ? "" : ";") + key + "=" + value;
    }
    return text;
}

} // namespace

void
Summary::AddRow(const std::string& metric,
                const Subject& subject,
                const std::string& text,
                double value,
                const std::string& unit)
{
    for (const auto& named : subject)
    {
        const std::string& key = named.first;
        if (key == "metric" || key == "value" || key == "unit")
        {
            throw std::logic_error("summary: " + metric + " has " + key + " as a key");
        }
        if (std::find(m_keys.begin(), m_keys.end(), key) == m_keys.end())
        {
            m_keys.push_back(key);
        }
    }
    if (unit.empty())
    {
        throw std::logic_error("summary: " + metric + " has no unit; that of counts is 1");
    }
    if (!m_known.emplace(metric, subject).second)
    {
        throw std::logic_error("summary: " + metric + " " + SubjectText(subject) +
                               " is added twice");
    }
    m_rows.push_back({metric, subject, text, value, unit});
}

void
Summary::AddTime(const std::string& metric, const Subject& subject, TimePs time)
{
    Add(metric, subject, ToSeconds(time), "s");
}

void
Summary::AddDistribution(const std::string& metric,
                         const Subject& subject,
                         const std::vector<double>& values,
                         const std::string& unit)
{
    for (const auto& [stat, value] : Distribution(values))
    {
        Subject withStat = subject;
        withStat.emplace_back("stat", stat);
        Add(metric, withStat, value, unit);
    }
}

void
Summary::AddTotals(const RunTotals& totals)
{
    Add("bytes_offered", {}, totals.bytesOffered, "B");
    if (totals.bytesCopied > 0)
    {
        Add("bytes_copied", {}, totals.bytesCopied, "B");
    }
    if (totals.bytesCombined > 0)
    {
        Add("bytes_combined", {}, totals.bytesCombined, "B");
    }
    Add("bytes_delivered", {}, totals.bytesDelivered, "B");
    for (const auto& [cause, bytes] : totals.bytesDropped)
    {
        Add("bytes_dropped", {{"cause", cause}}, bytes, "B");
    }
    if (totals.bytesDropped.empty())
    {
        Add("bytes_dropped", {{"cause", "none"}}, 0, "B");
    }
    Add("bytes_in_flight", {}, totals.bytesInFlight, "B");
    AddTime("simulated_time", {}, totals.simulatedTime);
    Add("data_hops", {}, totals.dataHops, "1");
    Add("control_hops", {}, totals.controlHops, "1");
}

void
Summary::WriteCsv(std::ostream& os) const
{
    std::vector<std::string> columns{"metric"};
    columns.insert(columns.end(), m_keys.begin(), m_keys.end());
    columns.insert(columns.end(), {"value", "unit"});
    CsvWriter csv(os, columns);
    for (const Row& row : m_rows)
    {
        std::vector<std::string> fields(columns.size());
        fields.front() = row.metric;
        for (const auto& [key, value] : row.subject)
        {
            const auto found = std::find(m_keys.begin(), m_keys.end(), key);
            fields[1 + static_cast<std::size_t>(found - m_keys.begin())] = value;
        }
        fields[fields.size() - 2] = row.text;
        fields.back() = row.unit;
        csv.Row(fields);
    }
}

void
Summary::PrintTable(std::ostream& os) const
{
    std::vector<std::array<std::string, 3>> cells{{"metric", "subject", "value"}};
    for (const Row& row : m_rows)
    {
        cells.push_back({row.metric, SubjectText(row.subject), HumanText(row.value, row.unit)});
    }
    std::array<std::size_t, 3> widths{};
    for (const auto& line : cells)
    {
        for (std::size_t i = 0; i < line.size(); ++i)
        {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    for (const auto& [metric, subject, value] : cells)
    {
        os << metric + std::string(widths[0] - metric.size() + 2, ' ') + subject +
                  std::string(widths[1] - subject.size() + 2, ' ') +
                  std::string(widths[2] - value.size(), ' ') + value + '\n';
    }
}

std::string
HumanText(double value, const std::string& unit)
{
    if (unit == "s")
    {
        return Scaled(value, TIMES);
    }
    if (unit == "B")
    {
        return Scaled(value, SIZES);
    }
    if (unit == "bit/s")
    {
        return Scaled(value, RATES);
    }
    return FourDigits(value) + (unit == "1" ? "" : " " + unit);
}

} // namespace ns3::fabric
