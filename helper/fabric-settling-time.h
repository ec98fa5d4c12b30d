/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SETTLING_TIME_H
#define FABRIC_SETTLING_TIME_H

#include "fabric-helper.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3::fabric
{

/**
 * How long a fabric takes until what is measured in it means something, by its longest way and the
 * messages that are sent: programs take it where the user gives no time, and refuse times in which
 * nothing would arrive.
 *
 * @code
 * const fabric::SettlingTime settling(fabric, messageTime);
 * warmUp = settling.Choose("--warmUp", warmUp, MicroSeconds(50));
 * @endcode
 */
class SettlingTime
{
  public:
    /// Round trips in which a fabric settles: what is sent arrives, and what is answered counts.
    static constexpr int64_t ROUND_TRIPS = 2;

    /// Messages of a sender in that time, so that one more or less matters little.
    static constexpr int64_t MESSAGES = 3;

    /// Messages of a sender of which figures are taken, where they come at random.
    static constexpr int64_t MEASURED_MESSAGES = 30;

    /// Rate of hosts' links for which a usual time is meant, bit/s.
    static constexpr double USUAL_RATE = 200e9;

    /**
     * @param fabric installed
     * @param messageTime between the messages of a sender
     * @param connects whether connections are set up first, as those of the reliable transport
     */
    SettlingTime(const FabricContainer& fabric, Time messageTime, bool connects = false);

    /// @return time of a full frame over the longest way of the empty fabric, and back
    Time RoundTrip() const
    {
        return m_roundTrip;
    }

    /// @return time in which the fabric settles: some round trips and some messages
    Time Enough() const;

    /// @return the shortest time in which something that is sent arrives
    Time Least() const;

    /**
     * @param usual a time at USUAL_RATE
     * @return the time in which the slowest host sends as much, and never less
     */
    Time AtHostRate(Time usual) const;

    /**
     * @param given by the user, 0 for none
     * @param usual what is chosen at least at USUAL_RATE
     * @param parts how many times Enough() is needed
     * @param least what is chosen at least, at any rate
     * @return the time that was given, or one that is long enough
     */
    Time Choose(Time given, Time usual, int64_t parts = 1, Time least = Time(0)) const;

    /**
     * @param option that gives the time
     * @param time in which something has to arrive
     * @throws std::invalid_argument with a sentence if it is shorter than Least()
     */
    void Require(const std::string& option, Time time) const;

  private:
    Time m_roundTrip;   ///< See RoundTrip().
    Time m_messageTime; ///< Between the messages of a sender.
    Time m_setUp;       ///< Of a connection.
    double m_slowness;  ///< How many times slower than USUAL_RATE hosts are, 1 at least.
};

} // namespace ns3::fabric

#endif // FABRIC_SETTLING_TIME_H
