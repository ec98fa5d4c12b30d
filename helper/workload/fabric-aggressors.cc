/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-aggressors.h"

#include "fabric-require.h"
#include "fabric-transport-helper.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::fabric
{

MessageAggressors::MessageAggressors(const FabricContainer& fabric,
                                     const std::vector<uint32_t>& hosts,
                                     AggressorPattern pattern,
                                     const AggressorSettings& settings,
                                     Notices& notices)
    : m_pattern(pattern),
      m_settings(settings),
      m_notices(notices),
      m_topic(
          notices.AddTopic([this](uint64_t number) { SendNext(static_cast<uint32_t>(number)); })),
      m_sent(hosts.size(), 0)
{
    for (const uint32_t host : hosts)
    {
        const Ptr<FabricNetDevice> device = fabric.GetDevice(host);
        m_numbers.resize(std::max<std::size_t>(m_numbers.size(), device->GetLocation() + 1));
        m_numbers[device->GetLocation()] = static_cast<uint32_t>(m_devices.size());
        m_ranks.push_back(device->GetNode()->GetSystemId());
        m_devices.push_back(device);
        device->SetMessageCallback(Callback<void, const Message&>(
            [this](const Message& message) { TellSender(message.src); }));
    }
}

MessageAggressors::~MessageAggressors()
{
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->SetMessageCallback({});
    }
}

void
MessageAggressors::Start()
{
    const uint32_t first = m_pattern == AggressorPattern::INCAST ? 1 : 0;
    for (uint32_t number = first; number < m_devices.size(); ++number)
    {
        for (uint32_t i = 0; i < m_settings.outstanding && !m_devices[number]->IsElsewhere(); ++i)
        {
            SendNext(number);
        }
    }
}

void
MessageAggressors::TellSender(LocationId location)
{
    const uint32_t number = m_numbers[location];
    m_notices.Tell(m_ranks[number], m_topic, number);
}

uint32_t
MessageAggressors::DestinationOf(AggressorPattern pattern,
                                 uint32_t aggressors,
                                 uint32_t number,
                                 uint64_t message)
{
    if (pattern == AggressorPattern::INCAST)
    {
        return 0;
    }
    return static_cast<uint32_t>((number + 1 + message % (aggressors - 1)) % aggressors);
}

void
MessageAggressors::SendNext(uint32_t number)
{
    const auto aggressors = static_cast<uint32_t>(m_devices.size());
    const uint32_t to = DestinationOf(m_pattern, aggressors, number, m_sent[number]++);
    m_devices[number]->SendMessage(m_devices[to]->GetLocation(), m_settings.bytes, 0, TAG);
}

RmaAggressors::RmaAggressors(const FabricContainer& fabric,
                             const std::vector<uint32_t>& hosts,
                             AggressorPattern pattern,
                             const AggressorSettings& settings)
    : m_pattern(pattern),
      m_settings(settings),
      m_remote(fabric.GetDevice(hosts.front())->GetAddress())
{
    for (const uint32_t host : hosts)
    {
        m_devices.Add(fabric.GetDevice(host));
    }
    FabricTransportHelper().InstallNic(m_devices);
}

void
RmaAggressors::Start()
{
    const bool puts = m_pattern == AggressorPattern::PUT_INCAST;
    FabricTransportHelper helper;
    helper.SetInitiatorAttribute("Operations", StringValue(puts ? "write" : "read"));
    helper.SetInitiatorAttribute("Bytes", UintegerValue(m_settings.bytes));
    helper.SetInitiatorAttribute("Outstanding", UintegerValue(m_settings.outstanding));
    helper.SetInitiatorAttribute("Count", UintegerValue(std::numeric_limits<uint64_t>::max()));
    for (uint32_t i = 1; i < m_devices.GetN(); ++i)
    {
        helper.InstallInitiator(DynamicCast<FabricNetDevice>(m_devices.Get(i)), m_remote);
    }
}

std::vector<std::unique_ptr<Aggressors>>
MakeAggressors(const FabricContainer& fabric,
               const std::vector<uint32_t>& hosts,
               const std::vector<AggressorPattern>& patterns,
               const AggressorSettings& settings,
               Notices& notices)
{
    RequireRange("MakeAggressors()",
                 "the number of aggressors",
                 hosts.size(),
                 2 * patterns.size(),
                 fabric.hosts.GetN());
    std::vector<std::unique_ptr<Aggressors>> aggressors;
    for (std::size_t first = 0; first < patterns.size(); ++first)
    {
        std::vector<uint32_t> dealt;
        for (std::size_t i = first; i < hosts.size(); i += patterns.size())
        {
            dealt.push_back(hosts[i]);
        }
        const AggressorPattern pattern = patterns[first];
        if (pattern == AggressorPattern::ALL_TO_ALL || pattern == AggressorPattern::INCAST)
        {
            aggressors.push_back(
                std::make_unique<MessageAggressors>(fabric, dealt, pattern, settings, notices));
        }
        else
        {
            aggressors.push_back(std::make_unique<RmaAggressors>(fabric, dealt, pattern, settings));
        }
    }
    return aggressors;
}

} // namespace ns3::fabric
