/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-reachability.h"

#include <algorithm>
#include <set>

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

std::vector<uint32_t>
Reachability::NumbersOf(uint32_t sw, uint32_t port) const
{
    const PathRule* paths = m_routing[sw]->Paths();
    if (!paths)
    {
        return {port};
    }
    std::vector<uint32_t> numbers;
    for (uint32_t vc = 0; vc < paths->VirtualChannels(); ++vc)
    {
        numbers.push_back(DeadEnds::NumberOf(port, vc));
    }
    return numbers;
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

bool
Reachability::IsDown(const Peer& end, const Question& question) const
{
    return std::any_of(m_outages.begin(), m_outages.end(), [&](const Outage& outage) {
        return outage.sw == end.sw && outage.port == end.port && outage.Covers(question);
    });
}

std::shared_ptr<const StandIns>
Reachability::MakeStandIns(const Question& question) const
{
    if (!std::all_of(m_routing.begin(), m_routing.end(), [](const auto* r) { return r->Paths(); }))
    {
        return nullptr; // a table may tell all hosts apart
    }
    auto standIns = std::make_shared<StandIns>();
    std::map<uint32_t, LocationId> ofSwitch;
    for (const Host& host : m_hosts)
    {
        const std::size_t end = std::max<std::size_t>(standIns->size(), host.location + 1);
        while (standIns->size() < end)
        {
            standIns->push_back(static_cast<LocationId>(standIns->size()));
        }
        if (host.place.sw != NO_SWITCH && !IsDown(host.place, question))
        {
            (*standIns)[host.location] =
                ofSwitch.emplace(host.place.sw, host.location).first->second;
        }
    }
    return standIns;
}

Reachability::Answer
Reachability::WorkOut(const Question& question) const
{
    Answer answer{std::vector<std::shared_ptr<DeadEnds>>(m_routing.size()), MakeStandIns(question)};
    std::set<LocationId> destinations;
    for (const Host& host : m_hosts)
    {
        destinations.insert(answer.standIns ? (*answer.standIns)[host.location] : host.location);
    }
    std::vector<Finding> open;
    const auto close = [&](uint32_t sw, uint32_t port) {
        for (const uint32_t number : NumbersOf(sw, port))
        {
            for (const LocationId dst : destinations)
            {
                Note({sw, number, dst}, answer, open);
            }
        }
    };
    for (const Outage& outage : m_outages)
    {
        if (!outage.Covers(question))
        {
            continue;
        }
        close(outage.sw, outage.port);
        const Peer& peer = m_peers[outage.sw][outage.port];
        if (peer.sw != NO_SWITCH)
        {
            close(peer.sw, peer.port);
        }
    }
    while (!open.empty())
    {
        const Finding finding = open.back();
        open.pop_back();
        Note(finding, answer, open);
    }
    return answer;
}

void
Reachability::Note(const Finding& finding, Answer& answer, std::vector<Finding>& open) const
{
    m_routing[finding.sw]->Paths() ? NoteWay(finding, answer, open)
                                   : NotePort(finding, answer, open);
}

bool
Reachability::IsDeadEnd(const Finding& finding, CameBy at, const DeadEnds& ends) const
{
    const PathRule& paths = *m_routing[finding.sw]->Paths();
    Ways ways;
    paths.FindWays(finding.dst, at, ways);
    bool isWay = false;
    for (const Way& way : ways)
    {
        const uint32_t number = DeadEnds::NumberOf(way.port, way.vc);
        isWay = isWay || number == finding.port;
        if (!ends.Has(finding.dst, number))
        {
            return false;
        }
    }
    return isWay;
}

void
Reachability::NoteWay(const Finding& finding, Answer& answer, std::vector<Finding>& open) const
{
    const PathRule& paths = *m_routing[finding.sw]->Paths();
    DeadEnds& ends = answer.Of(finding.sw);
    if (ends.Add(finding.dst, static_cast<uint16_t>(finding.port)) == 0)
    {
        return; // it was known
    }
    const std::vector<Peer>& peers = m_peers[finding.sw];
    for (uint32_t port = 0; port < peers.size(); ++port)
    {
        for (uint32_t vc = 0; peers[port].sw != NO_SWITCH && vc < paths.VirtualChannels(); ++vc)
        {
            const CameBy at{static_cast<uint16_t>(port), static_cast<uint8_t>(vc)};
            if (IsDeadEnd(finding, at, ends))
            {
                const Peer& peer = peers[port];
                open.push_back({peer.sw, DeadEnds::NumberOf(peer.port, vc), finding.dst});
            }
        }
    }
}

void
Reachability::NotePort(const Finding& finding, Answer& answer, std::vector<Finding>& open) const
{
    const PortRange range = m_routing[finding.sw]->Route(finding.dst);
    if (!Contains(range, finding.port))
    {
        return; // it was not to lead there
    }
    if (answer.Of(finding.sw).Add(finding.dst, static_cast<uint16_t>(finding.port)) != range.count)
    {
        return;
    }
    for (const Peer& peer : m_peers[finding.sw])
    {
        if (peer.sw != NO_SWITCH)
        {
            open.push_back({peer.sw, peer.port, finding.dst});
        }
    }
}

} // namespace ns3::fabric
