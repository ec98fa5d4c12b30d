/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SIZE_CDF_H
#define FABRIC_SIZE_CDF_H

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::fabric
{

/**
 * Sizes of flows as a cumulative distribution (FF-3), from a file of points:
 *
 * @verbatim
   0 0              bytes, and which part of the flows has at most so many
   10000 15         in percent; or from 0 to 1, told apart by the last line
   30000000 100
   @endverbatim
 *
 * Between two points sizes are equally likely. What the first point has is the part of flows of
 * just that size. What follows a # is a comment.
 */
class SizeCdf
{
  public:
    /// A point of the distribution.
    struct Point
    {
        double bytes; ///< Size.
        double part;  ///< Which part of the flows has at most that size, 0 to 1.
    };

    /**
     * @param name of the file, for sentences
     * @throws std::invalid_argument with a sentence that says where a mistake is, and what is
     * allowed
     */
    static SizeCdf Read(std::istream& is, const std::string& name);

    /// The same of a file. @param name where it is
    static SizeCdf Read(const std::string& name);

    /// Writes the file, with parts from 0 to 1; read again, it says the same.
    void Write(std::ostream& os) const;

    /// @return all points, ascending
    const std::vector<Point>& GetPoints() const
    {
        return m_points;
    }

    /// @return mean size, bytes
    double Mean() const;

    /// @return the size that a part of the flows has at most, bytes. @param part from 0 to 1
    double Quantile(double part) const;

    /// @return the same as bytes of a flow: whole, and at least one
    uint64_t BytesAt(double part) const;

  private:
    std::vector<Point> m_points; ///< At least one; the part of the last is 1.
};

} // namespace ns3::fabric

#endif // FABRIC_SIZE_CDF_H
