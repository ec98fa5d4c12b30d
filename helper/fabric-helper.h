/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "fabric-lane-table.h"
#include "fabric-net-device.h"
#include "fabric-network.h"
#include "fabric-program-options.h"
#include "fabric-routing.h"
#include "fabric-switch.h"
#include "fabric-topology.h"

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/// What FabricHelper has installed.
struct FabricContainer
{
    Ptr<FabricNetwork> network;                ///< The fabric.
    NodeContainer hosts;                       ///< Hosts; the i-th has location i + 1.
    NetDeviceContainer devices;                ///< FabricNetDevice of each host.
    NodeContainer switches;                    ///< Switches in the plan's order.
    std::vector<fabric::Tier> tiers;           ///< Tier of each switch.
    std::vector<uint32_t> groups;              ///< Of each switch, fabric::NO_GROUP for none.
    std::vector<uint32_t> edgeSwitches;        ///< Number of each host's switch.
    std::vector<Ptr<FabricChannel>> links;     ///< Between switches, in the plan's order.
    std::vector<Ptr<FabricChannel>> hostLinks; ///< Of each host.

    /**
     * @return its device
     * @throws std::invalid_argument with a sentence if there is no such host
     */
    Ptr<FabricNetDevice> GetDevice(uint32_t host) const;

    /**
     * @return the switch
     * @throws std::invalid_argument with a sentence if there is no such switch
     */
    Ptr<FabricSwitch> GetSwitch(uint32_t i) const;

    /**
     * @param b number of another switch
     * @param n which of parallel links, in the plan's order
     * @return the link between them
     * @throws std::invalid_argument with a sentence if there is no such link
     */
    Ptr<FabricChannel> GetLink(uint32_t a, uint32_t b, uint32_t n = 0) const;

    /**
     * A link between switches fails and is repaired (WL-8).
     *
     * @param b number of another switch
     * @param from when it fails, from the start
     * @param to when it is repaired, after that
     * @throws std::invalid_argument see GetLink() and FabricChannel::FailBetween()
     */
    void FailLink(uint32_t a, uint32_t b, Time from, Time to) const;

    /**
     * The link of a host fails and is repaired (WL-8).
     *
     * @param from when it fails, from the start
     * @param to when it is repaired, after that
     * @throws std::invalid_argument if there is no such host, and see FabricChannel::FailBetween()
     */
    void FailHostLink(uint32_t host, Time from, Time to) const;
};

/// What FabricHelper does about routes before it installs them.
enum RouteCheck
{
    ROUTES_ARE_CHECKED, ///< Refuses those that can deadlock.
    ROUTES_ARE_WARNED,  ///< Writes to standard error that they can.
    ROUTES_ARE_PROVEN,  ///< Nothing: they are known not to, or are meant as they are.
};

/**
 * Builds fabrics: switches, hosts' devices and links, with the attributes that were set here.
 *
 * It sets the time resolution to picoseconds, so it has to be made before the simulation begins.
 *
 * EnablePcap() of ns-3's helpers writes what a port of a switch or a host's device sends and
 * receives to a file (WL-9), also in the run; see FabricSwitchCapture. Ports see all, so
 * `promiscuous` says nothing. PcapFileWrapper::CaptureSize is the most that is written of a frame.
 */
class FabricHelper : public PcapHelperForDevice
{
  public:
    FabricHelper();

    using PcapHelperForDevice::EnablePcap;

    /**
     * Writes captures of all ports of a switch, or all devices of a host. Without it the call would
     * be ambiguous: ns-3 takes containers of nodes and single devices, and one node could become
     * either.
     *
     * @param prefix how the files' names begin
     * @param node switch or host
     */
    template <typename Kind, std::enable_if_t<std::is_base_of_v<Node, Kind>, int> = 0>
    void EnablePcap(std::string prefix, Ptr<Kind> node)
    {
        EnablePcap(std::move(prefix), NodeContainer(node));
    }

    /// @param name attribute of ns3::FabricNetwork
    void SetNetworkAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Sets how a program's command line wants the fabric to be run; the results are the same.
     *
     * @param options say `--lookahead` and `--threads`
     */
    void SetOptions(const fabric::ProgramOptions& options);

    /// @param name attribute of ns3::FabricSwitch
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricNetDevice
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param host number in the plan
     * @param name attribute of ns3::FabricNetDevice
     * @param value its value for this host alone
     */
    void SetDeviceAttribute(uint32_t host, const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of ns3::FabricChannel
     * @param value its value for links between switches and links to hosts
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);

    /// @param name attribute of ns3::FabricChannel
    void SetHostChannelAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Lets links damage frames (WL-4): each direction of each link gets an error model of its own.
     *
     * @param model makes an ns3::ErrorModel
     */
    void SetErrorModel(const ObjectFactory& model);

    /**
     * Lets the outputs of all switches arbitrate between virtual lanes (VA-11), and the uplinks of
     * their hosts, but for devices whose ArbitrateLanes is false (VA-12).
     *
     * @param table of lanes; FabricNetwork::SetLaneTable() changes it in the run
     */
    void SetLaneTable(const fabric::LaneTable& table);

    /// Lets the outputs of all switches to other switches shape their traffic (SW-11).
    void SetLinkShapingTable(const fabric::ShapingTable& table);

    /// Lets the outputs of all switches to hosts shape their traffic (SW-11).
    void SetHostShapingTable(const fabric::ShapingTable& table);

    /**
     * What a fabric draws does then not hang on what else takes random streams from ns-3.
     *
     * @param stream number of the random stream from which the switches' seeds are drawn (ns-3's
     *        AssignStreams); -1 lets ns-3 choose. Error models have those that follow, one for each
     *        of their random variables that has none of its own: of links between switches in the
     *        plan's order, then of the hosts', each first for frames from its first end.
     */
    void SetStream(int64_t stream);

    /**
     * @param name attribute of ns3::FabricChannel
     * @param value its value for links between switches of one kind (LinkClass), as the global ones
     * of a dragonfly; stands above that of SetChannelAttribute()
     */
    void SetChannelAttribute(fabric::LinkClass kind,
                             const std::string& name,
                             const AttributeValue& value);

    /**
     * @param link number in the plan
     * @param name attribute of ns3::FabricChannel
     * @param value its value for this link between switches; stands above all others
     */
    void SetLinkAttribute(uint32_t link, const std::string& name, const AttributeValue& value);

    /// The same for the link of a host. @param host number in the plan
    void SetHostLinkAttribute(uint32_t host, const std::string& name, const AttributeValue& value);

    /// @param check what is done about routes; the default is ROUTES_ARE_CHECKED
    void SetRouteCheck(RouteCheck check)
    {
        m_routeCheck = check;
    }

    /**
     * Builds a fabric on new nodes.
     *
     * @param routing of each switch, in the plan's order
     * @return what was installed
     * @throws std::invalid_argument with a sentence if the routes can deadlock (SetRouteCheck()),
     * or an attribute was set for a host, a link or a kind of links that the plan does not have
     */
    FabricContainer Install(const fabric::TopologyPlan& plan,
                            const std::vector<fabric::Routing>& routing) const;

    /**
     * Builds a fabric between existing hosts.
     *
     * @param hosts a node for each host of the plan
     * @param routing of each switch, in the plan's order
     * @return what was installed
     */
    FabricContainer Install(NodeContainer hosts,
                            const fabric::TopologyPlan& plan,
                            const std::vector<fabric::Routing>& routing) const;

  private:
    /// An attribute of some of what a factory makes: of one host's device, of links of one kind.
    template <typename Owner>
    struct OwnAttribute
    {
        Owner owner;                     ///< Number of the host, or kind of link.
        std::string name;                ///< Of the attribute.
        Ptr<const AttributeValue> value; ///< Of the attribute.
    };

    /// Attributes of single links, by their numbers.
    using AttributesOfLinks =
        std::map<uint32_t, std::vector<std::pair<std::string, Ptr<const AttributeValue>>>>;

    /// @return the factory with what was set for a link
    static ObjectFactory WithOwn(ObjectFactory factory,
                                 const AttributesOfLinks& attributes,
                                 uint32_t link);

    /// @return the factory with what was set for an owner
    template <typename Owner>
    static ObjectFactory WithOwn(ObjectFactory factory,
                                 const std::vector<OwnAttribute<Owner>>& attributes,
                                 Owner owner);

    /**
     * Ports without a link and devices of others are passed over.
     *
     * @throws std::invalid_argument with a sentence if the file can't be written
     */
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    /// @return a device for a host
    Ptr<FabricNetDevice> MakeDevice(uint32_t host) const;
    /// Refuses attributes of hosts and links that a plan does not have.
    void CheckOwners(const fabric::TopologyPlan& plan) const;
    /// Refuses routes that can deadlock, or warns.
    void CheckRoutes(const fabric::TopologyPlan& plan,
                     const std::vector<fabric::Routing>& routing) const;
    /// Makes the switches of a plan.
    void InstallSwitches(FabricContainer& fabric,
                         const fabric::TopologyPlan& plan,
                         const std::vector<fabric::Routing>& routing) const;
    /// @return a link made by a factory, with error models
    Ptr<FabricChannel> MakeChannel(ObjectFactory factory) const;
    /// Gives error models random streams, if SetStream() was called.
    void AssignErrorStreams(const FabricContainer& fabric) const;
    /// Links switches and hosts.
    void InstallLinks(FabricContainer& fabric, const fabric::TopologyPlan& plan) const;
    /// Tells switches how long a frame is under way at most, by which they judge congestion.
    static void TellRoundTrip(const FabricContainer& fabric);

    ObjectFactory m_network;                   ///< Makes the fabric.
    ObjectFactory m_switch;                    ///< Makes switches.
    ObjectFactory m_device;                    ///< Makes hosts' devices.
    std::vector<OwnAttribute<uint32_t>> m_own; ///< Of single hosts, in the order of setting.
    ObjectFactory m_channel;                   ///< Makes links between switches.
    ObjectFactory m_hostChannel;               ///< Makes links to hosts.
    ObjectFactory m_errorModel;                ///< Makes error models, if it has a type.
    std::optional<fabric::LaneTable> m_lanes;  ///< Of all switches.
    std::optional<fabric::ShapingTable> m_linkShaping; ///< Of all switches.
    std::optional<fabric::ShapingTable> m_hostShaping; ///< Of all switches.
    /// Of links of one kind, in the order of setting.
    std::vector<OwnAttribute<fabric::LinkClass>> m_ofClass;
    AttributesOfLinks m_ofLink;                  ///< Of single links between switches.
    AttributesOfLinks m_ofHostLink;              ///< Of single links to hosts.
    RouteCheck m_routeCheck{ROUTES_ARE_CHECKED}; ///< What is done about routes.
    int64_t m_stream{-1};                        ///< First random stream; -1 for ns-3's choice.
};

} // namespace ns3

#endif // FABRIC_HELPER_H
