/* SPDX-License-Identifier: GPL-2.0-only */

#include "fabric-frame.h"
#include "fabric-function-case.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Sizes that a frame's payload has on the link and in its flow.
void
TestFrameSize(FunctionCase& test)
{
    test.ExpectEqual(FlowUnits(0), 1, "an empty frame is acknowledged too");
    test.ExpectEqual(FlowUnits(1), 1, "a started unit counts");
    test.ExpectEqual(FlowUnits(256), 1, "a full unit is one");
    test.ExpectEqual(FlowUnits(257), 2, "one byte more starts a second");
    test.ExpectEqual(FlowUnits(MAX_PAYLOAD), 16, "4096 bytes are 16 units");
    test.ExpectEqual(WireBytes(0), 24, "header and frame check sequence");
    test.ExpectEqual(WireBytes(MAX_PAYLOAD), 4120, "payload, header, check sequence");
}

/// The descriptor that stands for a frame inside the simulator.
void
TestFrameDescriptor(FunctionCase& test)
{
    Frame frame{};
    frame.vc = VIRTUAL_CHANNELS - 1;
    frame.trafficClass = TRAFFIC_CLASSES - 1;
    frame.payload = JUMBO_PAYLOAD;
    frame.flow = FLOW_IDS_PER_LINK - 1;
    frame.kind = FrameKind::PACKET;
    test.ExpectEqual(+frame.vc, VIRTUAL_CHANNELS - 1, "virtual channel");
    test.ExpectEqual(+frame.trafficClass, TRAFFIC_CLASSES - 1, "traffic class");
    test.ExpectEqual(frame.payload, JUMBO_PAYLOAD, "payload");
    test.ExpectEqual(frame.flow, FLOW_IDS_PER_LINK - 1, "flow channel");
    test.Expect(frame.kind == FrameKind::PACKET, "kind");
    test.ExpectEqual(sizeof(Frame), 32, "two descriptors fill a cache line");
}

/// The tests of frames.
class FrameTestSuite : public FunctionSuite
{
  public:
    FrameTestSuite()
        : FunctionSuite("fabric-frame", kUnit)
    {
        Add("WL-1 a frame's payload gives its units of data_flow and its bytes on the link",
            TestFrameSize);
        Add("WL-1 a frame's descriptor holds every value that the header can", TestFrameDescriptor);
    }
};

FrameTestSuite g_frameTestSuite; //!< Registers the suite.

} // namespace
