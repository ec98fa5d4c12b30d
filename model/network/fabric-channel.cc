/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-channel.h"

#include "fabric-attributed-type.h"
#include "fabric-device.h"
#include "fabric-require.h"

#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricChannel");

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

/// Asks an ns-3 error model about frames.
class FabricChannel::Loss : public fabric::LossModel
{
  public:
    /// @param model decides
    explicit Loss(Ptr<ErrorModel> model)
        : m_model(model),
          m_sample(Create<Packet>(fabric::WireBytes(fabric::JUMBO_PAYLOAD)))
    {
    }

    bool Corrupts(uint32_t bytes) override
    {
        // Error models look at a packet's size; its bytes are never there. A part of a packet and
        // not a new one, which would take a uid: the uids of the users' packets would depend on the
        // windows.
        return m_model->IsCorrupt(m_sample->CreateFragment(0, bytes));
    }

  private:
    Ptr<ErrorModel> m_model; ///< Decides.
    Ptr<Packet> m_sample;    ///< As large as any frame.
};

/// What hosts are told is known so long before, ps. An attribute has no such bound: it is
/// registered before the time resolution is set, and ns-3 rounds it to 0 ns then.
constexpr fabric::TimePs LEAST_DELAY = 2;

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = AddCreditAttributes(AddRetryAttributes(
        fabric::AttributedType(TypeId("ns3::FabricChannel")
                                   .SetParent<Channel>()
                                   .SetGroupName("Fabric")
                                   .AddConstructor<FabricChannel>(),
                               fabric::BEFORE_INSTALL)
            .Add("DataRate", "Rate of the link, each way; 200 Gb/s as a Slingshot link.")
            .Uses(DataRateValue(DataRate("200Gbps")),
                  MakeDataRateAccessor(&FabricChannel::m_rate),
                  MakeDataRateChecker())
            .Add("Delay",
                 "Propagation delay, each way, at least 2 ps. It sets the length of look-ahead "
                 "windows. The default is that of 6 m of cable or fibre.")
            .Sets(&FabricChannel::m_delay, NanoSeconds(30), {Time(0), Seconds(1)})
            .Add("ErrorModel",
                 "Damages frames from the first end to the second; not to be shared with another "
                 "direction or link.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricChannel::m_errorModel),
                  MakePointerChecker<ErrorModel>())
            .Add("ReverseErrorModel",
                 "Damages frames from the second end to the first; not to be shared with another "
                 "direction or link.")
            .Uses(PointerValue(),
                  MakePointerAccessor(&FabricChannel::m_reverseErrorModel),
                  MakePointerChecker<ErrorModel>())
            .Add("ControlErrors",
                 "Whether the error models damage control frames too (ACKs, pauses, credits), and "
                 "not only data frames.")
            .Sets(&FabricChannel::m_controlErrors, true)));
    return tid;
}

TypeId
FabricChannel::AddRetryAttributes(TypeId tid)
{
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricChannel::m_retry)
        .Add("Retry",
             "Whether the link retransmits frames that it has damaged (link-level retry). A "
             "damaged frame then occupies the link for its own time, twice Delay and RetryLatency, "
             "and is sent again.")
        .Sets(&fabric::RetrySettings::enabled, false)
        .Add("RetryLatency",
             "Latency of both ends together from the end of a damaged frame until it is sent "
             "again, besides twice Delay. Not published; the default is about what two decoders of "
             "forward error correction take.")
        .Sets(&fabric::RetrySettings::latency, NanoSeconds(200), {Time(0), Seconds(1)})
        .Add("RetryBuffer",
             "Replay buffer of each direction, bytes: a frame stays in it until the other end has "
             "confirmed it. 0 for the size that the link needs.")
        .Sets(&fabric::RetrySettings::bufferBytes, 0, {0, 1U << 30})
        .Add("RetryTimeout",
             "From the end of a damaged frame until it is sent again if the request for it is "
             "damaged too; at least twice Delay and RetryLatency. 0 for twice as much as that.")
        .Sets(&fabric::RetrySettings::timeout, Time(0), {Time(0), Seconds(10)})
        .Add("RetryLimit",
             "Retransmissions of a frame after which it is given up, and lost as on a link without "
             "retry.")
        .Sets(&fabric::RetrySettings::limit, 16, {1, 65535})
        .Add("RetryUnit",
             "Bytes that a link retransmits at a time where it sends frames in pieces; a multiple "
             "of LaneFlitBytes. Where frames are sent in one piece whole frames are retransmitted. "
             "The default is a link transfer packet of Omni-Path.")
        .Sets(&fabric::RetrySettings::unitBytes, 128, {4, 16384});
}

TypeId
FabricChannel::AddCreditAttributes(TypeId tid)
{
    return fabric::AttributedType(tid, fabric::BEFORE_INSTALL, &FabricChannel::m_credits)
        .Add("CreditFrames",
             "Whether credits are frames of their own, which take bandwidth and may be lost. "
             "Otherwise they are part of the link's coding and take no bandwidth, as on an "
             "Omni-Path link.")
        .Sets(&fabric::CreditSettings::inFrames, false)
        .Add("CreditThreshold",
             "Bytes of the buffer that become free between credit frames. The default is about a "
             "full data frame.")
        .Sets(&fabric::CreditSettings::thresholdBytes, 4096, {1, 1U << 24})
        .Add("CreditTimer",
             "Time after which a credit frame is sent though CreditThreshold is not reached. Not "
             "published; chosen.")
        .Sets(&fabric::CreditSettings::longest, NanoSeconds(200), {Time(0), MilliSeconds(10)})
        .Add(
            "CreditRefresh",
            "Time after which credits are repeated, since a credit frame may be lost, unless "
            "another one is sent before. Not published; chosen: InfiniBand allows for some 262 us.")
        .Sets(&fabric::CreditSettings::refresh, MicroSeconds(10), {Time(0), MilliSeconds(100)});
}

FabricChannel::FabricChannel() = default;

FabricChannel::~FabricChannel() = default;

void
FabricChannel::DoDispose()
{
    m_ends = {};
    m_errorModel = nullptr;
    m_reverseErrorModel = nullptr;
    Channel::DoDispose();
}

void
FabricChannel::Attach(Ptr<FabricDevice> first, Ptr<FabricDevice> second)
{
    if (m_rate.GetBitRate() == 0)
    {
        throw std::invalid_argument("ns3::FabricChannel: DataRate is 0 bit/s; allowed are " +
                                    std::to_string(fabric::LinkRate::LOWEST) + " to " +
                                    std::to_string(fabric::LinkRate::HIGHEST));
    }
    if (GetDelay() < LEAST_DELAY)
    {
        throw std::invalid_argument("ns3::FabricChannel: Delay is " + std::to_string(GetDelay()) +
                                    " ps; allowed are 2 ps to 1 s");
    }
    m_ends = {first, second};
    CheckRetry();
    CheckCredits();
    const std::array<Ptr<ErrorModel>, 2> models = GetErrorModels();
    for (std::size_t i = 0; i < models.size(); ++i)
    {
        if (models[i])
        {
            m_losses[i] = std::make_unique<Loss>(models[i]);
        }
        if (m_retry.enabled)
        {
            m_errors[i] = std::make_unique<fabric::LinkErrors>(m_losses[i].get(),
                                                               m_retry,
                                                               GetRate(),
                                                               GetDelay());
        }
        else if (models[i])
        {
            m_errors[i] = std::make_unique<fabric::LinkErrors>(m_losses[i].get());
        }
        if (m_errors[i] && !m_controlErrors)
        {
            m_errors[i]->SpareControl();
        }
    }
    first->SetChannel(this);
    second->SetChannel(this);
}

void
FabricChannel::CheckRetry() const
{
    const fabric::RetrySettings defaults;
    const bool isSet = m_retry.latency != defaults.latency || m_retry.limit != defaults.limit ||
                       m_retry.bufferBytes != defaults.bufferBytes ||
                       m_retry.timeout != defaults.timeout ||
                       m_retry.unitBytes != defaults.unitBytes;
    if (isSet && !m_retry.enabled)
    {
        throw std::invalid_argument(
            "ns3::FabricChannel: RetryLatency, RetryBuffer, RetryTimeout, RetryLimit and RetryUnit "
            "have no effect on a link without retry; allowed is Retry=true with them");
    }
}

void
FabricChannel::CheckCredits() const
{
    const fabric::CreditSettings defaults;
    const bool isSet = m_credits.thresholdBytes != defaults.thresholdBytes ||
                       m_credits.longest != defaults.longest ||
                       m_credits.refresh != defaults.refresh;
    if (isSet && !m_credits.inFrames)
    {
        throw std::invalid_argument(
            "ns3::FabricChannel: CreditThreshold, CreditTimer and CreditRefresh have no effect on "
            "credits that are no frames; allowed is CreditFrames=true with them");
    }
}

void
FabricChannel::SetPlace(fabric::SubnetManager* manager, std::vector<fabric::SwitchPort> ends)
{
    m_manager = manager;
    m_ports = std::move(ends);
}

namespace
{

/// @return what is allowed for a change of a link @param last when it changed last
std::string
TimesAfter(Time last)
{
    std::ostringstream sentence;
    sentence << "allowed are times after " << last.As(Time::NS) << ", when it changed last";
    return sentence.str();
}

} // namespace

void
FabricChannel::RefuseChange(Time time, bool fails, const std::string& problem)
{
    std::ostringstream sentence;
    sentence << "ns3::FabricChannel: the link can't " << (fails ? "fail" : "be repaired") << " at "
             << time.As(Time::NS) << ": " << problem;
    throw std::invalid_argument(sentence.str());
}

void
FabricChannel::CheckChange(Time time, bool fails) const
{
    if (!m_manager)
    {
        RefuseChange(time, fails, "it has no ends yet; allowed is a link of a fabric");
    }
    if (fails != m_isPlannedUp)
    {
        RefuseChange(time,
                     fails,
                     fails ? "it has failed already; allowed is RepairAt()"
                           : "it has not failed; allowed is FailAt()");
    }
    if (time < Time(0) || (m_lastChange > Time(0) && time <= m_lastChange))
    {
        RefuseChange(time, fails, TimesAfter(m_lastChange));
    }
}

void
FabricChannel::FailAt(Time time)
{
    CheckChange(time, true);
    m_isPlannedUp = false;
    m_lastChange = PicoSeconds(m_manager->FailLink(m_ports, time.GetPicoSeconds()));
    Simulator::Schedule(m_lastChange - Simulator::Now(),
                        &FabricChannel::SetUp,
                        Ptr<FabricChannel>(this),
                        false);
}

void
FabricChannel::RepairAt(Time time)
{
    CheckChange(time, false);
    m_isPlannedUp = true;
    m_lastChange = PicoSeconds(m_manager->RepairLink(m_ports, time.GetPicoSeconds()));
    Simulator::Schedule(m_lastChange - Simulator::Now(),
                        &FabricChannel::SetUp,
                        Ptr<FabricChannel>(this),
                        true);
}

void
FabricChannel::FailBetween(Time from, Time to)
{
    CheckChange(from, true);
    const Time fails = PicoSeconds(m_manager->NotBehind(m_ports, from.GetPicoSeconds()));
    if (to <= fails)
    {
        RefuseChange(to, false, TimesAfter(fails));
    }
    FailAt(from);
    RepairAt(to);
}

void
FabricChannel::SetUp(bool isUp)
{
    m_isUp = isUp;
    NS_LOG_INFO("the link of nodes " << m_ends[0]->GetNode()->GetId() << " and "
                                     << m_ends[1]->GetNode()->GetId() << " "
                                     << (isUp ? "is repaired" : "fails"));
    for (const Ptr<FabricDevice>& end : m_ends)
    {
        if (end)
        {
            end->NotifyLinkChange();
        }
    }
}

bool
FabricChannel::IsUp() const
{
    return m_isUp;
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_ends[0] ? m_ends.size() : 0;
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    fabric::RequireIndex("FabricChannel::GetDevice()", "end", i, m_ends.size());
    return m_ends[i];
}

fabric::LinkRate
FabricChannel::GetRate() const
{
    return fabric::LinkRate(m_rate.GetBitRate());
}

fabric::TimePs
FabricChannel::GetDelay() const
{
    return m_delay.GetPicoSeconds();
}

std::array<Ptr<ErrorModel>, 2>
FabricChannel::GetErrorModels() const
{
    return {m_errorModel, m_reverseErrorModel};
}

const fabric::CreditSettings&
FabricChannel::GetCreditSettings() const
{
    return m_credits;
}

bool
FabricChannel::LosesControl() const
{
    return m_controlErrors && (m_errorModel || m_reverseErrorModel);
}

fabric::LinkErrors*
FabricChannel::GetErrors(Ptr<const FabricDevice> sender)
{
    return m_errors[sender == m_ends[0] ? 0 : 1].get();
}

} // namespace ns3
