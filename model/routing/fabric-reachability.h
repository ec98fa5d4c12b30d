/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REACHABILITY_H
#define FABRIC_REACHABILITY_H

#include "fabric-dead-ends.h"
#include "fabric-routing.h"
#include "fabric-types.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::fabric
{

/**
 * What a subnet manager knows (WL-8): which links are down at a time, and so which ports of which
 * switches lead nowhere.
 *
 * A port is a dead end for a destination if its link is down, or if all ports of the switch behind
 * it that should lead there are dead ends. Only ports that the routing allows are looked at, so
 * that a path around a failed link is as long as the one that it replaces, and as free of deadlock.
 * Where all routing is by PathRule, which does not tell hosts of another switch apart, one host of
 * each switch stands for all of them. To a host whose own link is down no port leads.
 *
 * What is known is worked out from what was known with most of the same links down. Links that have
 * failed or were repaired since then are looked at from both of their switches, for each
 * destination: where all ways of those that come so are dead ends now, or no longer are, the
 * neighbour is looked at, and so on. That comes to an end since ways to a destination have no
 * circle. So the work is that of the links that differ, times destinations.
 *
 * Failures and repairs are told in the run, and some long before their time. Who asks says how
 * many of them it has heard of, since others may have been told only by the time that it is asked
 * for: with windows a switch asks ahead of that. So the answer depends on nothing else, and any
 * thread may ask for it first. Outages are added while no thread asks.
 */
class Reachability
{
  public:
    static constexpr uint32_t NO_SWITCH = 0xFFFFFFFF; ///< Number of no switch.

    /// @param routing of the next switch when all links are up; must stay
    void AddSwitch(const Routing& routing, uint32_t ports);

    /**
     * Makes a link between switches known.
     *
     * @param a one switch, from 0 in the order of AddSwitch()
     * @param b the other switch
     */
    void AddLink(uint32_t a, uint32_t portA, uint32_t b, uint32_t portB);

    /**
     * Makes a host known.
     *
     * @param location its address
     * @param sw its switch; NO_SWITCH if that is not known
     * @param port of its switch
     */
    void AddHost(LocationId location, uint32_t sw = NO_SWITCH, uint32_t port = 0);

    /**
     * The link at a port goes down, and is known to be so.
     *
     * @param sw a switch; the other end of a link between switches is found
     */
    void Fail(uint32_t sw, uint32_t port, TimePs at);

    /**
     * The link at a port goes up again.
     *
     * @param sw a switch, as for Fail()
     * @param port its port, as for Fail()
     * @param at from when on, not before its last failure, ps
     */
    void Repair(uint32_t sw, uint32_t port, TimePs at);

    /// @return how many failures and repairs were told so far
    uint32_t Told() const
    {
        return m_told;
    }

    /**
     * @param at time; not long before that of an earlier call, or it is worked out anew, ps
     * @param heard how many of the failures and repairs the switch has heard of: the first so many
     * @return its ports that lead nowhere at that time, as far as it knows; null if there are none
     */
    std::shared_ptr<const DeadEnds> Of(uint32_t sw, TimePs at, uint32_t heard);

    /// @return the same for a switch that has heard of all
    std::shared_ptr<const DeadEnds> Of(uint32_t sw, TimePs at)
    {
        return Of(sw, at, m_told);
    }

  private:
    /// The far end of a port.
    struct Peer
    {
        uint32_t sw{NO_SWITCH}; ///< Switch, NO_SWITCH for a host or nothing.
        uint32_t port{0};       ///< Its port.
    };

    /// What a switch asks.
    struct Question
    {
        TimePs at;      ///< See Of(), ps.
        uint32_t heard; ///< See Of().

        /// @return whether it is of an earlier time, or knows less
        bool operator<(const Question& other) const
        {
            return std::tie(at, heard) < std::tie(other.at, other.heard);
        }
    };

    /// A time during which a link is down.
    struct Outage
    {
        uint32_t sw;   ///< One end.
        uint32_t port; ///< Its port.
        TimePs from;   ///< First instant of it, ps.
        TimePs until;  ///< First instant after it, ps.
        uint32_t told; ///< Number of its failure among all that was told.
        uint32_t over; ///< Number of its repair.

        /// @return whether it is known to be under way
        bool Covers(const Question& question) const
        {
            const bool isOver = over < question.heard && question.at >= until;
            return told < question.heard && question.at >= from && !isOver;
        }
    };

    /// A host and its place.
    struct Host
    {
        LocationId location; ///< Its address.
        Peer place;          ///< Its switch, and the port there.
    };

    /// One end of a link that is down, the lower one of a link between switches.
    using Down = std::pair<uint32_t, uint32_t>;

    /// Dead ends at a time.
    struct Answer
    {
        std::vector<Down> down;                              ///< Links, in ascending order.
        std::shared_ptr<const std::vector<LocationId>> lost; ///< See DeadEnds; null for none.
        std::vector<std::shared_ptr<const DeadEnds>>
            ends; ///< By switch; null where there are none.
    };

    class Work;

    /// @return the link at a port
    Down LinkAt(uint32_t sw, uint32_t port) const;
    /// Appends what dead ends know a port by.
    void AddNumbers(uint32_t sw, uint32_t port, std::vector<uint16_t>& numbers) const;
    /// @return links that are down
    std::vector<Down> DownAt(const Question& question) const;
    /// Finds out who stands for whom, once.
    void MakeStandIns();
    /// @return the dead ends
    Answer WorkOut(const Question& question);
    /// @return the answer that differs by fewest links; null if none is better than all links up
    const Answer* NearestTo(const std::vector<Down>& down) const;

    /// Answers kept: switches ask alike, one after the other. All links of a switch may fail at an
    /// instant, and what is known after each of them is a question.
    static constexpr std::size_t KEPT = 64;

    std::vector<const Routing*> m_routing;             ///< By switch.
    std::vector<std::vector<Peer>> m_peers;            ///< By switch and port.
    std::vector<Host> m_hosts;                         ///< All of them.
    std::map<Down, std::vector<LocationId>> m_hostsAt; ///< Hosts by switch and port.
    std::vector<LocationId> m_destinations;            ///< Hosts that stand for all.
    std::shared_ptr<const StandIns> m_standIns;        ///< Null if each stands for itself.
    std::vector<Outage> m_outages;                     ///< In the order of Fail().
    uint32_t m_told{0};                                ///< See Told().
    std::map<Question, Answer> m_answers;              ///< Of late.
    std::mutex m_mutex;                                ///< Guards m_answers.
};

} // namespace ns3::fabric

#endif // FABRIC_REACHABILITY_H
