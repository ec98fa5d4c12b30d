/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-baseline-options.h"

#include "fabric-dcqcn-marks.h"
#include "fabric-file-warnings.h"
#include "fabric-helper.h"
#include "fabric-hpcc-settings.h"
#include "fabric-lane-table.h"
#include "fabric-option-type.h"
#include "fabric-pause-settings.h"
#include "fabric-switch.h"
#include "fabric-transport-layout.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3::fabric
{

namespace
{

/// @return whether ports of switches that are made from now on share a memory
bool
SharesMemory()
{
    UintegerValue bytes;
    CreateObject<FabricSwitch>()->GetAttribute("SharedBufferBytes", bytes);
    return bytes.Get() != 0;
}

/**
 * Sets the attributes of lossless Ethernet: switches pause hosts and each other by priority. All
 * traffic has one priority, which so may take all of a buffer but the headroom.
 */
void
SetPfc(const ProgramOptions& options, DataRate rate, Time delay)
{
    Config::SetDefault("ns3::FabricSwitch::LinkFlowControl", StringValue("priority-pause"));
    Config::SetDefault("ns3::FabricSwitch::EdgeFlowControl", StringValue("priority-pause"));
    if (SharesMemory())
    {
        return; // the thresholds are dynamic
    }
    const SwitchConfig config = CreateObject<FabricSwitch>()->ReadConfig();
    PausedLink link;
    link.rate = LinkRate(rate.GetBitRate());
    link.delay = delay.GetPicoSeconds();
    link.dataLatency = config.DataLatency();
    link.largestFrame = WireBytes(JUMBO_PAYLOAD);
    link.bufferBytes = config.buffer.shares.totalBytes;
    link.response = config.timing.controlLatency;
    link.grantedBytes = config.crossbar.GrantedBytes();
    const PauseThresholds ofSwitches = LinkThresholds(LINK_PAUSE, {}, link);
    link.grantedBytes = 0;
    // Hosts obey later.
    link.response = QuantaToTime(config.hostControl.pause.responseQuanta, rate.GetBitRate());
    const PauseThresholds ofHosts = LinkThresholds(LINK_PAUSE, {}, link);
    // What does not hold the headroom is refused with a sentence when the links are made.
    options.SetDefault("ns3::FabricSwitch::LinkPauseXoffBytes",
                       UintegerValue(ofSwitches.xoffBytes));
    if (ofHosts.xonBytes > 0)
    {
        options.SetDefault("ns3::FabricSwitch::PauseXoffBytes", UintegerValue(ofHosts.xoffBytes));
        options.SetDefault("ns3::FabricSwitch::PauseXonBytes", UintegerValue(ofHosts.xonBytes));
    }
}

/// Sets the attributes of switches that write on packets, and of hosts that have room for it.
void
SetTelemetry(const ProgramOptions& options)
{
    Config::SetDefault("ns3::FabricSwitch::Telemetry", BooleanValue(true));
    options.SetDefault("ns3::FabricDevice::Mtu",
                       UintegerValue(MAX_PAYLOAD + TRANSPORT_DATA_HEADER_BYTES +
                                     TelemetryBytes(HpccSettings().hops)));
}

/// Sets the attributes of lossy Ethernet that the transport uses.
void
SetLossy(const ProgramOptions& options)
{
    Config::SetDefault("ns3::FabricSwitch::LossyClasses", UintegerValue(0xFFFF));
    // As much payload in a frame as a native message has.
    options.SetDefault("ns3::FabricDevice::Mtu",
                       UintegerValue(MAX_PAYLOAD + TRANSPORT_DATA_HEADER_BYTES));
}

/// Sets the attributes of lossy Ethernet whose switches mark.
void
SetMarking(const ProgramOptions& options, DataRate rate)
{
    SetLossy(options);
    DcqcnMarks::OfPaper(rate).SetDefaults(options);
    if (!SharesMemory())
    {
        // All of an input buffer, as a link with credits has it.
        const SwitchConfig config = CreateObject<FabricSwitch>()->ReadConfig();
        options.SetDefault("ns3::FabricSwitch::LossyDropBytes",
                           UintegerValue(config.buffer.shares.totalBytes));
    }
}

/// Sets the attributes of lossy Ethernet with short queues. What is trimmed has as much room for
/// data, and some more for headers.
void
SetShortQueues(const ProgramOptions& options, bool trims)
{
    const TrimSettings trim;
    SetLossy(options);
    // Headers have a virtual channel of their own; all other classes share one.
    options.SetDefault("ns3::FabricSwitch::VirtualChannels", UintegerValue(2));
    options.SetDefault("ns3::FabricSwitch::ClassToVc", StringValue("0,1"));
    options.SetDefault("ns3::FabricNetDevice::ClassToVc", StringValue("0,1"));
    if (trims)
    {
        Config::SetDefault("ns3::FabricSwitch::TrimClasses", UintegerValue(1));
        options.SetDefault("ns3::FabricSwitch::LossyDropBytes",
                           UintegerValue(2 * trim.thresholdBytes));
    }
    else
    {
        options.SetDefault("ns3::FabricSwitch::LossyDropBytes", UintegerValue(trim.thresholdBytes));
    }
}

} // namespace

void
BaselineOptions::AddTo(ProgramOptions& options)
{
    options.Add(
        "fabric",
        "kind of network: lossless: links with credits; pfc: lossless Ethernet; int: the same with "
        "in-band telemetry, and the reliable transport with HPCC; ecn: lossy "
        "Ethernet with ECN, and the reliable transport with DCQCN; drop: lossy Ethernet with short "
        "queues, and the reliable transport; trim: the same, whose switches trim packets to their "
        "headers",
        fabric,
        EnumType<Baseline>({{"lossless", Baseline::LOSSLESS},
                            {"pfc", Baseline::PFC},
                            {"int", Baseline::INT},
                            {"ecn", Baseline::ECN},
                            {"drop", Baseline::DROP},
                            {"trim", Baseline::TRIM}}));
}

void
BaselineOptions::Check(const ProgramOptions& options) const
{
    if (!IsEthernet())
    {
        return;
    }
    CheckMemory(options);
    // Thresholds are the same at all ports of a switch, so they suit links of one rate.
    options.RefuseGiven({"flowChannels", "channels", "tools", "hostRate"}, "--fabric=lossless");
    for (const char* attribute : {"ns3::FabricSwitch::LinkFlowControl",
                                  "ns3::FabricSwitch::EdgeFlowControl",
                                  "ns3::FabricSwitch::LossyClasses",
                                  "ns3::FabricSwitch::TrimClasses",
                                  "ns3::FabricSwitch::Telemetry",
                                  "ns3::FabricTransport::CongestionControl",
                                  "ns3::FabricTransport::Solicitation"})
    {
        const bool isChosen = std::string(attribute) == "ns3::FabricTransport::CongestionControl" &&
                              (fabric == Baseline::DROP || fabric == Baseline::TRIM);
        if (options.IsGiven(attribute) && !isChosen)
        {
            throw std::invalid_argument(std::string("--") + attribute +
                                        ": --fabric sets it, allowed is only --fabric=lossless "
                                        "with it");
        }
    }
}

void
BaselineOptions::CheckMemory(const ProgramOptions& options) const
{
    const std::string shared = "ns3::FabricSwitch::SharedBufferBytes";
    if (options.IsGiven(shared) && (fabric == Baseline::DROP || fabric == Baseline::TRIM))
    {
        throw std::invalid_argument("--" + shared +
                                    ": queues of 8 packets have room of their own; allowed is "
                                    "--fabric=pfc, int or ecn with it");
    }
}

void
BaselineOptions::SetSwitches(const ProgramOptions& options, DataRate rate, Time delay) const
{
    if (fabric == Baseline::PFC)
    {
        SetPfc(options, rate, delay);
    }
    else if (fabric == Baseline::INT)
    {
        SetPfc(options, rate, delay);
        SetTelemetry(options);
    }
    else if (fabric == Baseline::ECN)
    {
        SetMarking(options, rate);
    }
    else if (UsesTransport())
    {
        SetShortQueues(options, fabric == Baseline::TRIM);
    }
}

void
BaselineOptions::SetLanes(FabricHelper& helper) const
{
    if (fabric != Baseline::TRIM)
    {
        return;
    }
    // Headers go before all else, since they tell senders to wait; but they have one part of a link
    // in eleven, as in NDP, so that many leave something of it for data.
    constexpr uint8_t HIGH = 0;
    constexpr uint8_t LOW = 2;
    constexpr uint32_t OF_HEADERS = GroupSettings::FULL_SHARE / 11;
    LaneTable table;
    table.lanes = {{0, LOW, 0, 0}, {1, HIGH, 1, TrimSettings().headerClass}};
    table.groups = {{0, GroupSettings::FULL_SHARE}, {1, OF_HEADERS}};
    helper.SetLaneTable(table);
}

void
BaselineOptions::SetTransport(const ProgramOptions& options, DataRate rate, Time roundTrip) const
{
    if (!UsesTransport())
    {
        return;
    }
    // RDMA over Ethernet asks nobody before it sends.
    Config::SetDefault("ns3::FabricTransport::Solicitation", StringValue("never"));
    // IRN (Mittal et al., SIGCOMM'18): no more under way than the network carries in a round trip.
    constexpr double MOST = 128; // of the attribute
    const double bits = static_cast<double>(rate.GetBitRate()) * roundTrip.GetSeconds();
    const double asked = std::max(std::ceil(bits / 8 / MAX_PAYLOAD), 1.0);
    if (asked > MOST && !options.IsGiven("ns3::FabricTransport::DataWindow"))
    {
        TellWarnings({"a connection of the transport has at most " +
                      std::to_string(static_cast<uint32_t>(MOST)) +
                      " packets under way, and a round trip of " + TimeText(roundTrip) + " takes " +
                      std::to_string(static_cast<uint64_t>(asked)) +
                      ": a host alone does not reach the rate of its link"});
    }
    options.SetDefault("ns3::FabricTransport::DataWindow",
                       UintegerValue(static_cast<uint64_t>(std::min(asked, MOST))));
    if (fabric == Baseline::INT)
    {
        Config::SetDefault("ns3::FabricTransport::CongestionControl", StringValue("hpcc"));
        // As the script of its authors' simulator, for links of 25 Gb/s and more.
        options.SetDefault("ns3::FabricTransport::HpccMaxStage", UintegerValue(0));
        options.SetDefault(
            "ns3::FabricTransport::HpccMinRate",
            DataRateValue(
                DataRate(std::clamp<uint64_t>(rate.GetBitRate() / 25, 1'000, 1'000'000'000))));
        // Nothing is lost, and pauses may last.
        options.SetDefault("ns3::FabricTransport::MinRto", TimeValue(MilliSeconds(4)));
        return;
    }
    if (fabric != Baseline::ECN)
    {
        // Nothing waits for long in short queues, and the end of a short write has only time-outs.
        options.SetDefault("ns3::FabricTransport::MinRto", TimeValue(MicroSeconds(50)));
        return;
    }
    Config::SetDefault("ns3::FabricTransport::CongestionControl", StringValue("dcqcn"));
    // 40 and 400 Mb/s of the attributes' defaults are for links of 40 Gb/s.
    options.SetDefault("ns3::FabricTransport::RateIncrease",
                       DataRateValue(DataRate(std::max<uint64_t>(rate.GetBitRate() / 1000, 1))));
    options.SetDefault("ns3::FabricTransport::HyperIncrease",
                       DataRateValue(DataRate(std::max<uint64_t>(rate.GetBitRate() / 100, 1))));
}

} // namespace ns3::fabric
