/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_REACHABILITY_H
#define FABRIC_REACHABILITY_H

#include "fabric-dead-ends.h"
#include "fabric-routing.h"
#include "fabric-types.h"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>
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
 * The work is failed links x hosts, and what follows from them; where all routing is by PathRule,
 * which does not tell hosts of another switch apart, one host of each switch stands for those whose
 * own links are up.
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

    /// A port that was found to lead nowhere.
    struct Finding
    {
        uint32_t sw;    ///< Its switch.
        uint32_t port;  ///< The port, or its number with a virtual channel: see DeadEnds.
        LocationId dst; ///< Where it does not lead to.
    };

    /// A host and its place.
    struct Host
    {
        LocationId location; ///< Its address.
        Peer place;          ///< Its switch, and the port there.
    };

    /// Dead ends at a time.
    struct Answer
    {
        std::vector<std::shared_ptr<DeadEnds>> ends; ///< By switch; null where there are none.
        std::shared_ptr<const StandIns> standIns;    ///< Of the hosts; null for none.

        /// @return those of a switch, which there are from now on
        DeadEnds& Of(uint32_t sw)
        {
            if (!ends[sw])
            {
                ends[sw] = std::make_shared<DeadEnds>(standIns);
            }
            return *ends[sw];
        }
    };

    /// @return whether the link at a port is down
    bool IsDown(const Peer& end, const Question& question) const;
    /// @return who stands for whom; null if each host stands for itself
    std::shared_ptr<const StandIns> MakeStandIns(const Question& question) const;

    /// @return the dead ends
    Answer WorkOut(const Question& question) const;
    /// Notes a dead end, and if it was the last way, that those of the neighbours are to be looked
    /// at.
    void Note(const Finding& finding, Answer& answer, std::vector<Finding>& open) const;
    /// The same where ways do not depend on how a frame came.
    void NotePort(const Finding& finding, Answer& answer, std::vector<Finding>& open) const;
    /// The same where they do.
    void NoteWay(const Finding& finding, Answer& answer, std::vector<Finding>& open) const;
    /// @param ends of the switch @return whether it was the last way of what came so
    bool IsDeadEnd(const Finding& finding, CameBy at, const DeadEnds& ends) const;
    /// @return what dead ends know a port by
    std::vector<uint32_t> NumbersOf(uint32_t sw, uint32_t port) const;

    /// Answers kept: switches ask alike, one after the other. All links of a switch may fail at an
    /// instant, and what is known after each of them is a question.
    static constexpr std::size_t KEPT = 64;

    std::vector<const Routing*> m_routing;  ///< By switch.
    std::vector<std::vector<Peer>> m_peers; ///< By switch and port.
    std::vector<Host> m_hosts;              ///< All of them.
    std::vector<Outage> m_outages;          ///< In the order of Fail().
    uint32_t m_told{0};                     ///< See Told().
    std::map<Question, Answer> m_answers;   ///< Of late.
    std::mutex m_mutex;                     ///< Guards m_answers.
};

} // namespace ns3::fabric

#endif // FABRIC_REACHABILITY_H
