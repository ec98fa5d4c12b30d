/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_SWITCH_ATTRIBUTES_H
#define FABRIC_SWITCH_ATTRIBUTES_H

#include "fabric-preemption-attributes.h"
#include "fabric-switch-config.h"
#include "fabric-vl-arbiter-attributes.h"

#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3::fabric
{

/**
 * Settings of a switch as attributes, for the ns-3 object that has one to inherit. They are written
 * into the settings directly; texts and files are read when the switch is made.
 *
 * Groups of settings that may change in the run are told to the heir as a whole.
 */
class SwitchAttributes : public VlArbiterAttributes, public PreemptionAttributes
{
  public:
    /// @param tid of a class that inherits this one
    static TypeId AddAttributes(TypeId tid);

    /// @param seed of the choice between equally loaded outputs, 1 .. 2^31 - 2; before the switch
    /// is made
    void SetSeed(uint32_t seed)
    {
        m_config.seed = seed;
    }

    /**
     * Outputs to other switches shape their traffic (SW-11). Before the switch is made, and instead
     * of LinkShapingTableFile.
     *
     * @throws std::invalid_argument with a sentence if it is wrong
     */
    void SetLinkShapingTable(const ShapingTable& table);

    /// The same for outputs to hosts. @copydetails SetLinkShapingTable()
    void SetHostShapingTable(const ShapingTable& table);

    /// @throws std::invalid_argument with a sentence if a text or a file is wrong, or if an
    /// attribute would have no effect
    SwitchConfig ReadConfig() const;

  protected:
    ~SwitchAttributes() = default;

    /// @return settings that may change in the run, as they are set now
    const SwitchConfig& Settings() const
    {
        return m_config;
    }

    /**
     * The switch is made with a lane table that is in no file.
     *
     * @throws std::invalid_argument with a sentence if it is wrong (VA-14)
     */
    void KeepLaneTable(const LaneTable& table);

    /// The switch has a lane table that is not that of LaneTableFile.
    void ForgetLaneTableFile();

    std::string GetLaneTableFile() const;

  private:
    /// Refuses attributes that would have no effect beside the others.
    void RequireEffects(const SwitchConfig& config) const;
    /// Refuses loads of neighbours where nothing would go by them.
    static void RequireEffectsOfCongestion(const SwitchConfig& config);
    /// Refuses trimming that would have no effect, or not the one that is meant.
    void RequireEffectsOfTrimming(const SwitchConfig& config) const;
    /// Refuses a memory that ports would not share, and settings of one that there is not.
    static void RequireEffectsOfMemory(const SwitchConfig& config);
    /// Refuses thresholds beside dynamic ones. @param what begins the sentence
    static void RequireNoThresholds(const SwitchConfig& config, const std::string& what);
    /// Tools of congestion management are on by default, and cost nothing where they have no
    /// effect.
    static void LeaveOutIdleTools(SwitchConfig& config);
    /// Refuses groups and shares of limits where there are none.
    void RequireEffectsOfInjection(const InjectionSettings& injection, bool hasFlows) const;
    /// @return settings of injection limits
    InjectionSettings ReadInjection() const;
    /// Refuses rules of flow channels, and fields beside them, that would have no effect.
    static void RequireEffectsOfRules(const FlowChannelSettings& flows);

    // The heir is told what changes; also before the switch is made.

    /// Settings().ackTimers have changed.
    virtual void AckTimersChanged() = 0;
    /// Settings().congestion has changed.
    virtual void CongestionChanged() = 0;
    /**
     * @param text of groups of flows that begin; the old ones stay if they are not accepted
     * @throws std::invalid_argument with a sentence if it is wrong, or not allowed now
     */
    virtual void GroupsChange(const std::string& text) = 0;
    /// Settings().hostDiscards has changed.
    virtual void HostDiscardsChanged() = 0;
    /**
     * @param file of the lane table; the old one is kept if it is not accepted
     * @throws std::invalid_argument with a sentence if the switch can't have its table
     */
    virtual void LaneTableFileChanges(const std::string& file) = 0;

    /// What kind of switch it is, and flow channels.
    static TypeId AddGeneralAttributes(TypeId tid);
    /// How long things take.
    static TypeId AddTimingAttributes(TypeId tid);
    /// What is between inputs and outputs.
    static TypeId AddCrossbarAttributes(TypeId tid);
    /// Input buffers.
    static TypeId AddBufferAttributes(TypeId tid);
    /// What ports share.
    static TypeId AddMemoryAttributes(TypeId tid);
    /// What becomes of frames of lossy classes that find no room.
    static TypeId AddTrimAttributes(TypeId tid);
    /// Hop credits, and room of a flow.
    static TypeId AddCongestionAttributes(TypeId tid);
    /// When links to hosts are congested, and what flows to them may do.
    static TypeId AddEndpointAttributes(TypeId tid);
    /// How flows leave overloaded links.
    static TypeId AddRerouteAttributes(TypeId tid);
    /// Which flows of hosts leave slow paths.
    static TypeId AddSlowPathAttributes(TypeId tid);
    static TypeId AddNeighbourLoadAttributes(TypeId tid);
    /// What hosts may have in the fabric, and how their applications share it.
    static TypeId AddInjectionAttributes(TypeId tid);
    /// What holds hosts back.
    static TypeId AddHostControlAttributes(TypeId tid);
    /// What holds other switches back.
    static TypeId AddLinkControlAttributes(TypeId tid);
    /// How outputs shape their traffic.
    static TypeId AddShapingAttributes(TypeId tid);
    /// Marks, and the file of lanes.
    static TypeId AddMarkAndLaneAttributes(TypeId tid);
    /// Adds those of the reduction engine.
    static TypeId AddReductionAttributes(TypeId tid);

    void SetAppGroups(std::string text);
    std::string GetAppGroups() const;
    void SetLaneTableFile(std::string file);

    SwitchConfig m_config;         ///< Settings, but for those below.
    std::string m_flowRules;       ///< `FlowRules`
    std::string m_classToVc;       ///< `ClassToVc`
    uint32_t m_portLimit;          ///< `PortLimit`
    bool m_forceInjection;         ///< `ForceInjection`
    std::string m_appGroups;       ///< `AppGroups`
    std::string m_groupLimitIds;   ///< `GroupLimitIds`
    std::string m_limitRatios;     ///< `LimitRatios`
    std::string m_limitUnits;      ///< `LimitUnits`
    uint16_t m_lossyClasses;       ///< `LossyClasses`
    uint32_t m_lossyBytes;         ///< `LossyDropBytes`, bytes
    uint32_t m_maxFrameBytes;      ///< `MaxFrameBytes`
    uint16_t m_markClasses;        ///< `MarkClasses`
    MarkRule m_markRule;           ///< Of these classes.
    std::string m_markRules;       ///< `MarkRules`
    bool m_hasTelemetry;           ///< `Telemetry`
    std::string m_laneTableFile;   ///< `LaneTableFile`
    std::string m_linkShapingFile; ///< `LinkShapingTableFile`
    std::string m_hostShapingFile; ///< `HostShapingTableFile`
};

} // namespace ns3::fabric

#endif // FABRIC_SWITCH_ATTRIBUTES_H
