/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_BENCHMARK_COMPARISON_H
#define FABRIC_BENCHMARK_COMPARISON_H

#include "fabric-benchmark-result.h"

#include "ns3/fabric-option-text.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{
namespace fabric
{

/**
 * Compares measurements with those of an earlier run, which wrote them to bench.csv (PF-8).
 *
 * All ratios are now by before: above 1 is better for hops per second, below 1 for the others.
 */
class BenchmarkComparison
{
  public:
    /**
     * Reads what was measured earlier.
     *
     * @param path bench.csv; columns that are not compared may be missing, or be others
     * @throws std::invalid_argument with a sentence if it cannot be read or is not of bench-fabric
     */
    explicit BenchmarkComparison(const std::string& path)
        : m_path(path)
    {
        std::ifstream file(path);
        std::string line;
        if (!std::getline(file, line))
        {
            throw std::invalid_argument("--compare=" + path +
                                        ": cannot be read, or is empty; allowed is the bench.csv "
                                        "of bench-fabric --out=DIR");
        }
        ReadHeader(line);
        for (uint32_t number = 2; std::getline(file, line); ++number)
        {
            ReadRow("--compare=" + path + " line " + std::to_string(number), line);
        }
        if (m_before.empty())
        {
            throw std::invalid_argument("--compare=" + path + ": has no rows");
        }
    }

    /// Prints what the header of the table has for the ratios.
    static void PrintHeader(std::ostream& os)
    {
        os << " |";
        for (const Figure& figure : Figures())
        {
            os << std::setw(WIDTH) << figure.title;
        }
    }

    /// Prints the ratios beside a row; `-` if there is no such row in the file.
    void PrintRatios(std::ostream& os, const BenchmarkResult& now) const
    {
        const BenchmarkResult* before = Find(now);
        os << " |";
        for (const Figure& figure : Figures())
        {
            os << std::setw(WIDTH)
               << (before ? Ratio(figure.value(now), figure.value(*before)) : "-");
        }
    }

    /// Prints which rows only one of the two has, and which of them are not the same work.
    void PrintDifferences(std::ostream& os, const std::vector<BenchmarkResult>& results) const
    {
        std::string onlyNow;
        std::string onlyBefore;
        for (const BenchmarkResult& now : results)
        {
            const BenchmarkResult* before = Find(now);
            if (!before)
            {
                onlyNow += (onlyNow.empty() ? "" : ", ") + now.Name();
            }
            else if (before->dataHops != now.dataHops || before->controlHops != now.controlHops)
            {
                os << now.Name() << " is not the same work: " << before->dataHops << " data and "
                   << before->controlHops << " control hops in " << m_path << "\n";
            }
        }
        for (const BenchmarkResult& before : m_before)
        {
            const bool isThere =
                std::any_of(results.begin(), results.end(), [&before](const auto& now) {
                    return now.Name() == before.Name();
                });
            onlyBefore += isThere ? "" : (onlyBefore.empty() ? "" : ", ") + before.Name();
        }
        os << (onlyNow.empty() ? "" : "not in " + m_path + ": " + onlyNow + "\n")
           << (onlyBefore.empty() ? "" : "only in " + m_path + ": " + onlyBefore + "\n");
    }

  private:
    /// Width of a ratio in the table.
    static constexpr int WIDTH = 10;

    /// The columns that are read, in the order of m_columns.
    static const std::vector<std::string>& Columns()
    {
        static const std::vector<std::string> names{"workload",
                                                    "version",
                                                    "data_hops",
                                                    "control_hops",
                                                    "events",
                                                    "setup_s",
                                                    "run_s",
                                                    "kib_per_host",
                                                    "allocations_per_data_hop"};
        return names;
    }

    /// Finds the columns.
    void ReadHeader(const std::string& line)
    {
        const std::vector<std::string> header = Fields(line);
        m_fields = header.size();
        for (const std::string& name : Columns())
        {
            const auto column = std::find(header.begin(), header.end(), name);
            if (column == header.end())
            {
                throw std::invalid_argument("--compare=" + m_path + ": there is no column " + name +
                                            "; allowed is the bench.csv of bench-fabric --out=DIR");
            }
            m_columns.push_back(column - header.begin());
        }
    }

    /**
     * @param where file and line, for sentences
     * @param line of the file
     */
    void ReadRow(const std::string& where, const std::string& line)
    {
        const std::vector<std::string> fields = Fields(line);
        if (fields.size() != m_fields)
        {
            throw std::invalid_argument(where + ": has " + std::to_string(fields.size()) +
                                        " fields; allowed are " + std::to_string(m_fields) +
                                        ", as in the header");
        }
        const auto text = [&](std::size_t column) { return fields[m_columns[column]]; };
        const auto count = [&](std::size_t column, uint64_t min) {
            return ParseCount(where + " " + Columns()[column],
                              text(column),
                              {min, uint64_t{1} << 53});
        };
        const auto number = [&](std::size_t column, double min) {
            return ParseNumber(where + " " + Columns()[column], text(column), {min, 1e15});
        };
        BenchmarkResult row;
        row.workload = text(0);
        row.version = text(1);
        row.dataHops = count(2, 1);
        row.controlHops = count(3, 0);
        row.events = count(4, 0);
        row.setup = number(5, 0);
        row.run = number(6, 1e-9);
        row.kibPerHost = number(7, 0);
        row.allocations = number(8, 0);
        if (Find(row))
        {
            throw std::invalid_argument(where + ": " + row.Name() + " is there twice");
        }
        m_before.push_back(row);
    }

    /// @return the fields of a line; names and numbers hold no comma and no quote
    static std::vector<std::string> Fields(const std::string& line)
    {
        const bool hasReturn = !line.empty() && line.back() == '\r';
        return SplitList(hasReturn ? line.substr(0, line.size() - 1) : line);
    }

    /// @return the earlier measurement of the same workload and version, null if there is none
    const BenchmarkResult* Find(const BenchmarkResult& now) const
    {
        const auto row = std::find_if(m_before.begin(), m_before.end(), [&now](const auto& before) {
            return before.workload == now.workload && before.version == now.version;
        });
        return row == m_before.end() ? nullptr : &*row;
    }

    /// A figure that is compared.
    struct Figure
    {
        const char* title;                       ///< Title of its ratio in the table.
        double (*value)(const BenchmarkResult&); ///< The figure.
    };

    /// @return what is compared
    static const std::vector<Figure>& Figures()
    {
        using R = BenchmarkResult;
        static const std::vector<Figure> figures{
            {"hops/s x", [](const R& r) { return r.HopsPerSecond(); }},
            {"ev/hop x", [](const R& r) { return r.EventsPerHop(); }},
            {"KiB x", [](const R& r) { return r.kibPerHost; }},
            {"alloc x", [](const R& r) { return r.allocations; }},
            {"setup x", [](const R& r) { return r.setup; }},
        };
        return figures;
    }

    /**
     * @param now a figure
     * @param before the same figure earlier
     * @return now by before; `=` for 0 by 0, `from 0` where it was 0
     */
    static std::string Ratio(double now, double before)
    {
        if (before == 0)
        {
            return now == 0 ? "=" : "from 0";
        }
        std::ostringstream text;
        text << std::fixed << std::setprecision(2) << now / before;
        return text.str();
    }

    std::string m_path;                    ///< Of the file.
    std::size_t m_fields{0};               ///< Fields of each line.
    std::vector<std::size_t> m_columns;    ///< Where each of Columns() is.
    std::vector<BenchmarkResult> m_before; ///< What was measured earlier.
};

} // namespace fabric
} // namespace ns3

#endif // FABRIC_BENCHMARK_COMPARISON_H
