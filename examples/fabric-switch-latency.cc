/* SPDX-License-Identifier: GPL-2.0-only */

// How long a frame takes through an idle switch (SW-1): from host to host, and from the first bit
// at the input port to the first bit at the output port.

#include "ns3/callback.h"
#include "ns3/fabric-chain.h"
#include "ns3/fabric-message-sender-helper.h"
#include "ns3/fabric-option-type.h"
#include "ns3/fabric-program.h"
#include "ns3/fabric-run.h"
#include "ns3/fabric-seconds.h"
#include "ns3/fabric-shortest-path-routing.h"
#include "ns3/fabric-switch.h"
#include "ns3/string.h"

#include <string>

using namespace ns3;

namespace
{

/// Sees when a frame crosses a switch.
class Crossing
{
  public:
    /// @param device the switch; must outlive this
    explicit Crossing(FabricSwitch& device)
        : m_switch(device)
    {
        m_switch.TraceConnectWithoutContext("Arrive", MakeCallback(&Crossing::Arrive, this));
        m_switch.TraceConnectWithoutContext("Send", MakeCallback(&Crossing::Send, this));
    }

    /// @return from the first bit in to the first bit out, ps
    fabric::TimePs GetLatency() const
    {
        return m_out - m_in;
    }

  private:
    /// A frame takes effect at an input port.
    void Arrive(uint32_t port, const fabric::Frame& frame, Time /* now */)
    {
        m_in = m_switch.GetChip().FirstBitIn(port, frame);
    }

    /// The first bit of a frame is put on the wire.
    void Send(uint32_t /* port */, const fabric::Frame& /* frame */, Time now)
    {
        m_out = now.GetPicoSeconds();
    }

    FabricSwitch& m_switch;  ///< The switch.
    fabric::TimePs m_in{0};  ///< When the first bit came in, ps.
    fabric::TimePs m_out{0}; ///< When the first bit went out, ps.
};

} // namespace

int
main(int argc, char* argv[])
{
    return fabric::RunProgram([argc, argv] {
        uint64_t bytes = 8;
        std::string crossbar = "ideal";
        FabricRun run("fabric-switch-latency.cc",
                      "A frame from host to host over an idle switch: how long it takes.");
        run.GetOptions().Add("bytes",
                             "payload of the frame",
                             bytes,
                             fabric::SizeType(1, fabric::MAX_PAYLOAD));
        run.GetOptions().Add("crossbar",
                             "crossbar of the switch; an idle one takes the same time with both",
                             crossbar,
                             fabric::ChoiceType({"ideal", "tiled"}));
        run.GetOptions().ReserveAttributes({"ns3::FabricSwitch::Crossbar"}, "--crossbar");
        run.Parse(argc, argv);

        run.GetHelper().SetSwitchAttribute("Crossbar", StringValue(crossbar));
        const fabric::TopologyPlan plan = fabric::MakeChainPlan({1});
        const FabricContainer& fabric = run.Install(plan, fabric::MakeShortestPathRouting(plan));
        const Crossing crossing(*fabric.GetSwitch(0));
        FabricMessageSenderHelper(bytes).Install(fabric, 0, 1);
        run.RunUntilDelivered(0, 1);

        const FabricMessageRecorder::Record& frame = run.GetRecorder().GetRecords().front();
        fabric::Summary& summary = run.GetSummary();
        summary.AddTime("latency", {}, frame.deliveredAt - frame.message.sentAt);
        summary.AddTime("port_to_port_latency", {}, crossing.GetLatency());
        run.Finish();
        return fabric::EXIT_DONE;
    });
}
