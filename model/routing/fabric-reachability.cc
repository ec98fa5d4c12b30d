/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reachability.h"

#include <algorithm>
#include <iterator>

namespace ns3::fabric
{

namespace
{

/// @return whether it is among them
bool
Contains(const PortRange& range, uint32_t port)
{
    return port >= range.first && port < uint32_t{range.first} + range.count;
}

} // namespace

/// Works out an answer from another one, which it is a copy of at first.
class Reachability::Work
{
  public:
    Work(const Reachability& known, Answer& answer)
        : m_known(known),
          m_answer(answer),
          m_own(known.m_routing.size()),
          m_isOpen(known.m_routing.size())
    {
        m_answer.ends.resize(known.m_routing.size());
    }

    /// @param down links that are down
    void ChangeTo(std::vector<Down> down)
    {
        const std::vector<Down> added = Without(down, m_answer.down);
        const std::vector<Down> gone = Without(m_answer.down, down);
        m_answer.down = std::move(down);
        FindLost();
        CloseAt(EndsOf(added));
        CloseAt(EndsOf(gone));
        std::set<uint32_t> ends = EndsOf(added);
        ends.merge(EndsOf(gone));
        for (const LocationId dst : m_known.m_destinations)
        {
            Follow(dst, ends);
        }
    }

  private:
    /// @return links that are in one list and not in the other
    static std::vector<Down> Without(const std::vector<Down>& links, const std::vector<Down>& other)
    {
        std::vector<Down> left;
        std::set_difference(links.begin(),
                            links.end(),
                            other.begin(),
                            other.end(),
                            std::back_inserter(left));
        return left;
    }

    /// @return whether it is the link of hosts
    bool IsOfHosts(const Down& link) const
    {
        return m_known.m_hostsAt.count(link) != 0;
    }

    /// @return switches whose ports lead nowhere if these links are down
    std::set<uint32_t> EndsOf(const std::vector<Down>& links) const
    {
        std::set<uint32_t> ends;
        for (const Down& link : links)
        {
            if (IsOfHosts(link))
            {
                continue;
            }
            ends.insert(link.first);
            const Peer& peer = m_known.m_peers[link.first][link.second];
            ends.insert(peer.sw == NO_SWITCH ? link.first : peer.sw);
        }
        return ends;
    }

    /// @return dead ends of a switch, to be changed
    DeadEnds& Own(uint32_t sw)
    {
        if (!m_own[sw])
        {
            const std::shared_ptr<const DeadEnds>& ends = m_answer.ends[sw];
            m_own[sw] = ends ? std::make_shared<DeadEnds>(*ends)
                             : std::make_shared<DeadEnds>(m_known.m_standIns);
            std::vector<LocationId> own = HostsOfDown(sw);
            std::shared_ptr<const std::vector<LocationId>> others = LostBut(own);
            m_own[sw]->SetLost(std::move(others), std::move(own));
            m_answer.ends[sw] = m_own[sw];
        }
        return *m_own[sw];
    }

    /// @param sw their switch, NO_SWITCH for any
    /// @return hosts whose own links are down, in ascending order
    std::vector<LocationId> HostsOfDown(uint32_t sw) const
    {
        std::vector<LocationId> found;
        for (const Down& link : m_answer.down)
        {
            const auto hosts = m_known.m_hostsAt.find(link);
            if (hosts != m_known.m_hostsAt.end() && (sw == NO_SWITCH || link.first == sw))
            {
                found.insert(found.end(), hosts->second.begin(), hosts->second.end());
            }
        }
        std::sort(found.begin(), found.end());
        return found;
    }

    /// @param own hosts of a switch whose links are down
    /// @return those of others; null for none
    std::shared_ptr<const std::vector<LocationId>> LostBut(const std::vector<LocationId>& own) const
    {
        if (own.empty())
        {
            return m_answer.lost;
        }
        std::vector<LocationId> lost;
        std::set_difference(m_answer.lost->begin(),
                            m_answer.lost->end(),
                            own.begin(),
                            own.end(),
                            std::back_inserter(lost));
        return lost.empty() ? nullptr
                            : std::make_shared<const std::vector<LocationId>>(std::move(lost));
    }

    /// Finds hosts whose own links are down; all switches know if they are others than before.
    void FindLost()
    {
        std::vector<LocationId> lost = HostsOfDown(NO_SWITCH);
        if (lost == (m_answer.lost ? *m_answer.lost : std::vector<LocationId>()))
        {
            return;
        }
        m_answer.lost = lost.empty()
                            ? nullptr
                            : std::make_shared<const std::vector<LocationId>>(std::move(lost));
        for (uint32_t sw = 0; sw < m_own.size(); ++sw)
        {
            Own(sw);
        }
    }

    /// Ports of switches whose links are down lead nowhere.
    void CloseAt(const std::set<uint32_t>& switches)
    {
        for (const uint32_t sw : switches)
        {
            std::vector<uint16_t> closed;
            for (uint32_t port = 0; port < m_known.m_peers[sw].size(); ++port)
            {
                const Down link = m_known.LinkAt(sw, port);
                if (std::binary_search(m_answer.down.begin(), m_answer.down.end(), link) &&
                    !IsOfHosts(link))
                {
                    m_known.AddNumbers(sw, port, closed);
                }
            }
            Own(sw).SetClosed(std::move(closed));
        }
    }

    /// Looks at switches, and at those to which that leads.
    void Follow(LocationId dst, const std::set<uint32_t>& switches)
    {
        std::vector<uint32_t> open(switches.begin(), switches.end());
        for (const uint32_t sw : open)
        {
            m_isOpen[sw] = true;
        }
        while (!open.empty())
        {
            const uint32_t sw = open.back();
            open.pop_back();
            m_isOpen[sw] = false;
            m_known.m_routing[sw]->Paths() ? LookAtWays(sw, dst, open) : LookAtPorts(sw, dst, open);
        }
    }

    /// Numbers of a switch that do not lead to a destination become marked in m_dead.
    void MarkDead(uint32_t sw, LocationId dst)
    {
        m_dead.assign(m_known.m_peers[sw].size() * VIRTUAL_CHANNELS, false);
        if (const DeadEnds* ends = m_answer.ends[sw].get())
        {
            for (const uint16_t number : ends->Closed())
            {
                m_dead[number] = true;
            }
            if (const std::vector<uint16_t>* ports = ends->PortsFor(dst))
            {
                for (const uint16_t number : *ports)
                {
                    m_dead[number] = true;
                }
            }
        }
    }

    /// Looks at what comes to a switch by each port and virtual channel.
    void LookAtWays(uint32_t sw, LocationId dst, std::vector<uint32_t>& open)
    {
        MarkDead(sw, dst);
        const PathRule& paths = *m_known.m_routing[sw]->Paths();
        const std::vector<Peer>& peers = m_known.m_peers[sw];
        for (uint32_t port = 0; port < peers.size(); ++port)
        {
            for (uint32_t vc = 0; peers[port].sw != NO_SWITCH && vc < paths.VirtualChannels(); ++vc)
            {
                const CameBy at{static_cast<uint16_t>(port), static_cast<uint8_t>(vc)};
                const Peer& peer = peers[port];
                const auto number = static_cast<uint16_t>(DeadEnds::NumberOf(peer.port, vc));
                Note(peer.sw, number, dst, paths.IsDeadEnd(dst, at, m_dead, m_ways), open);
            }
        }
    }

    /// Looks at the ports of a switch where ways do not depend on how a frame came.
    void LookAtPorts(uint32_t sw, LocationId dst, std::vector<uint32_t>& open)
    {
        MarkDead(sw, dst);
        const PortRange range = m_known.m_routing[sw]->Route(dst);
        bool isDead = range.count != 0;
        for (uint32_t port = range.first; port < uint32_t{range.first} + range.count; ++port)
        {
            isDead = isDead && m_dead[port];
        }
        for (const Peer& peer : m_known.m_peers[sw])
        {
            if (peer.sw != NO_SWITCH && Contains(m_known.m_routing[peer.sw]->Route(dst), peer.port))
            {
                Note(peer.sw, static_cast<uint16_t>(peer.port), dst, isDead, open);
            }
        }
    }

    /// Whether a port of a switch leads to a destination. @param open is appended to if that is new
    void Note(uint32_t sw,
              uint16_t number,
              LocationId dst,
              bool isDead,
              std::vector<uint32_t>& open)
    {
        const DeadEnds* ends = m_answer.ends[sw].get();
        const std::vector<uint16_t>* ports = ends ? ends->PortsFor(dst) : nullptr;
        const bool wasDead =
            ports && std::find(ports->begin(), ports->end(), number) != ports->end();
        if (isDead == wasDead)
        {
            return;
        }
        isDead ? Own(sw).Add(dst, number) : Own(sw).Remove(dst, number);
        if (!m_isOpen[sw])
        {
            m_isOpen[sw] = true;
            open.push_back(sw);
        }
    }

    const Reachability& m_known;                  ///< The fabric.
    Answer& m_answer;                             ///< What is worked out.
    std::vector<std::shared_ptr<DeadEnds>> m_own; ///< By switch; null as long as not changed.
    std::vector<bool> m_isOpen;                   ///< By switch: whether it is to be looked at.
    std::vector<bool> m_dead;                     ///< See MarkDead().
    Ways m_ways;                                  ///< Scratch.
};

void
Reachability::AddNumbers(uint32_t sw, uint32_t port, std::vector<uint16_t>& numbers) const
{
    const PathRule* paths = m_routing[sw]->Paths();
    for (uint32_t vc = 0; vc < (paths ? paths->VirtualChannels() : 1); ++vc)
    {
        const uint32_t number = paths ? DeadEnds::NumberOf(port, vc) : port;
        numbers.push_back(static_cast<uint16_t>(number));
    }
}

void
Reachability::AddSwitch(const Routing& routing, uint32_t ports)
{
    m_routing.push_back(&routing);
    m_peers.emplace_back(ports);
}

void
Reachability::AddLink(uint32_t a, uint32_t portA, uint32_t b, uint32_t portB)
{
    m_peers[a][portA] = {b, portB};
    m_peers[b][portB] = {a, portA};
}

void
Reachability::AddHost(LocationId location, uint32_t sw, uint32_t port)
{
    m_hosts.push_back({location, {sw, port}});
    if (sw != NO_SWITCH)
    {
        m_hostsAt[{sw, port}].push_back(location);
    }
}

void
Reachability::Fail(uint32_t sw, uint32_t port, TimePs at)
{
    constexpr uint32_t never = 0xFFFFFFFF;
    m_outages.push_back({sw, port, at, NEVER, m_told++, never});
}

void
Reachability::Repair(uint32_t sw, uint32_t port, TimePs at)
{
    for (auto outage = m_outages.rbegin(); outage != m_outages.rend(); ++outage)
    {
        if (outage->sw == sw && outage->port == port)
        {
            outage->until = at;
            outage->over = m_told++;
            break;
        }
    }
}

std::shared_ptr<const DeadEnds>
Reachability::Of(uint32_t sw, TimePs at, uint32_t heard)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    const Question question{at, heard};
    auto answer = m_answers.find(question);
    if (answer == m_answers.end())
    {
        answer = m_answers.emplace(question, WorkOut(question)).first;
    }
    std::shared_ptr<const DeadEnds> ends = answer->second.ends[sw];
    if (m_answers.size() > KEPT)
    {
        m_answers.erase(m_answers.begin());
    }
    return ends;
}

Reachability::Down
Reachability::LinkAt(uint32_t sw, uint32_t port) const
{
    const Peer& peer = m_peers[sw][port];
    return peer.sw == NO_SWITCH ? Down(sw, port)
                                : std::min(Down(sw, port), Down(peer.sw, peer.port));
}

std::vector<Reachability::Down>
Reachability::DownAt(const Question& question) const
{
    std::set<Down> down;
    for (const Outage& outage : m_outages)
    {
        if (outage.Covers(question))
        {
            down.insert(LinkAt(outage.sw, outage.port));
        }
    }
    return {down.begin(), down.end()};
}

void
Reachability::MakeStandIns()
{
    if (!m_destinations.empty())
    {
        return;
    }
    // A table may tell all hosts apart.
    const bool areAlike = std::all_of(m_routing.begin(), m_routing.end(), [](const Routing* r) {
        return r->Paths() != nullptr;
    });
    StandIns standIns;
    std::map<uint32_t, LocationId> ofSwitch;
    std::set<LocationId> destinations;
    for (const Host& host : m_hosts)
    {
        while (standIns.size() <= host.location)
        {
            standIns.push_back(static_cast<LocationId>(standIns.size()));
        }
        if (areAlike && host.place.sw != NO_SWITCH)
        {
            standIns[host.location] = ofSwitch.emplace(host.place.sw, host.location).first->second;
        }
        destinations.insert(standIns[host.location]);
    }
    m_standIns = areAlike ? std::make_shared<const StandIns>(std::move(standIns)) : nullptr;
    m_destinations.assign(destinations.begin(), destinations.end());
}

const Reachability::Answer*
Reachability::NearestTo(const std::vector<Down>& down) const
{
    const Answer* nearest = nullptr;
    std::size_t least = down.size();
    for (const auto& [question, answer] : m_answers)
    {
        std::vector<Down> differ;
        std::set_symmetric_difference(down.begin(),
                                      down.end(),
                                      answer.down.begin(),
                                      answer.down.end(),
                                      std::back_inserter(differ));
        if (differ.size() < least)
        {
            least = differ.size();
            nearest = &answer;
        }
    }
    return nearest;
}

Reachability::Answer
Reachability::WorkOut(const Question& question)
{
    MakeStandIns();
    std::vector<Down> down = DownAt(question);
    const Answer* nearest = NearestTo(down);
    Answer answer = nearest ? *nearest : Answer();
    Work(*this, answer).ChangeTo(std::move(down));
    return answer;
}

} // namespace ns3::fabric
