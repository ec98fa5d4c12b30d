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
     * @param given by the user, 0 for none
     * @param usual what is chosen at least
     * @param parts how many times Enough() is needed
     * @return the time that was given, or one that is long enough
     */
    Time Choose(Time given, Time usual, int64_t parts = 1) const;

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
};

} // namespace ns3::fabric

#endif // FABRIC_SETTLING_TIME_H
