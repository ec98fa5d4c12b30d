/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-size-cdf.h"

#include "fabric-text-lines.h"

#include <algorithm>
#include <cmath>

namespace ns3::fabric
{

namespace
{

constexpr double MOST_CDF_BYTES = 1099511627776.; ///< Bytes of a flow at most: 1 TiB.

} // namespace

SizeCdf
SizeCdf::Read(std::istream& is, const std::string& name)
{
    TextLines lines(is, name);
    SizeCdf cdf;
    lines.NextLine("bytes and cumulative part");
    do
    {
        const Point point{lines.Number("bytes", 0, MOST_CDF_BYTES),
                          lines.Number("cumulative part", 0, 100)};
        lines.EndLine("bytes and cumulative part");
        if (!cdf.m_points.empty() &&
            (point.bytes < cdf.m_points.back().bytes || point.part < cdf.m_points.back().part))
        {
            lines.Refuse("the line has less than the one before; allowed are bytes and parts that "
                         "ascend");
        }
        cdf.m_points.push_back(point);
    } while (lines.FindLine());
    const Point last = cdf.m_points.back();
    if (last.part != 1 && last.part != 100)
    {
        lines.Refuse("the last cumulative part is " + NumberText(last.part) +
                     "; allowed is 1 or 100");
    }
    if (last.bytes == 0)
    {
        lines.Refuse("all flows have 0 bytes; allowed are distributions with other sizes");
    }
    for (Point& point : cdf.m_points)
    {
        point.part /= last.part;
    }
    return cdf;
}

SizeCdf
SizeCdf::Read(const std::string& name)
{
    std::ifstream file = TextLines::Open(name, "a cumulative distribution");
    return Read(file, name);
}

void
SizeCdf::Write(std::ostream& os) const
{
    for (const Point& point : m_points)
    {
        os << NumberText(point.bytes) << " " << NumberText(point.part) << "\n";
    }
}

double
SizeCdf::Mean() const
{
    double mean = m_points.front().bytes * m_points.front().part;
    for (std::size_t i = 1; i < m_points.size(); ++i)
    {
        const Point& below = m_points[i - 1];
        const Point& above = m_points[i];
        mean += (below.bytes + above.bytes) / 2 * (above.part - below.part);
    }
    return mean;
}

double
SizeCdf::Quantile(double part) const
{
    const auto above =
        std::lower_bound(m_points.begin(), m_points.end(), part, [](const Point& p, double sought) {
            return p.part < sought;
        });
    if (above == m_points.begin())
    {
        return m_points.front().bytes;
    }
    if (above == m_points.end())
    {
        return m_points.back().bytes;
    }
    const auto below = above - 1;
    return below->bytes +
           (above->bytes - below->bytes) * (part - below->part) / (above->part - below->part);
}

uint64_t
SizeCdf::BytesAt(double part) const
{
    return static_cast<uint64_t>(std::max<int64_t>(std::llround(Quantile(part)), 1));
}

} // namespace ns3::fabric
