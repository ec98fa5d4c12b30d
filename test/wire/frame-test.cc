/* SPDX-License-Identifier: GPL-2.0-only */

#include "fabric-frame.h"
#include "fabric-test-compat.h"

#include "ns3/test.h"

using namespace ns3;
using namespace ns3::fabric;

namespace
{

/// Sizes that a frame's payload has on the link and in its flow.
class FrameSizeTestCase : public TestCase
{
  public:
    FrameSizeTestCase()
        : TestCase("WL-1 a frame's payload gives its units of data_flow and its bytes on the link")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(FlowUnits(0), 1, "an empty frame is acknowledged too");
        NS_TEST_EXPECT_MSG_EQ(FlowUnits(1), 1, "a started unit counts");
        NS_TEST_EXPECT_MSG_EQ(FlowUnits(256), 1, "a full unit is one");
        NS_TEST_EXPECT_MSG_EQ(FlowUnits(257), 2, "one byte more starts a second");
        NS_TEST_EXPECT_MSG_EQ(FlowUnits(MAX_PAYLOAD), 16, "4096 bytes are 16 units");
        NS_TEST_EXPECT_MSG_EQ(WireBytes(0), 24, "header and frame check sequence");
        NS_TEST_EXPECT_MSG_EQ(WireBytes(MAX_PAYLOAD), 4120, "payload, header, check sequence");
    }
};

/// The descriptor that stands for a frame inside the simulator.
class FrameDescriptorTestCase : public TestCase
{
  public:
    FrameDescriptorTestCase()
        : TestCase("WL-1 a frame's descriptor holds every value that the header can")
    {
    }

  private:
    void DoRun() override
    {
        Frame frame{};
        frame.vc = VIRTUAL_CHANNELS - 1;
        frame.trafficClass = TRAFFIC_CLASSES - 1;
        frame.payload = JUMBO_PAYLOAD;
        frame.flow = FLOW_IDS_PER_LINK - 1;
        frame.kind = FrameKind::PACKET;
        NS_TEST_EXPECT_MSG_EQ(+frame.vc, VIRTUAL_CHANNELS - 1, "virtual channel");
        NS_TEST_EXPECT_MSG_EQ(+frame.trafficClass, TRAFFIC_CLASSES - 1, "traffic class");
        NS_TEST_EXPECT_MSG_EQ(frame.payload, JUMBO_PAYLOAD, "payload");
        NS_TEST_EXPECT_MSG_EQ(frame.flow, FLOW_IDS_PER_LINK - 1, "flow channel");
        NS_TEST_EXPECT_MSG_EQ((frame.kind == FrameKind::PACKET), true, "kind");
        NS_TEST_EXPECT_MSG_EQ(sizeof(Frame), 32, "two descriptors fill a cache line");
    }
};

/// The tests of frames.
class FrameTestSuite : public TestSuite
{
  public:
    FrameTestSuite()
        : TestSuite("fabric-frame", kUnit)
    {
        AddTestCase(new FrameSizeTestCase, kQuick);
        AddTestCase(new FrameDescriptorTestCase, kQuick);
    }
};

FrameTestSuite g_frameTestSuite; //!< Registers the suite.

} // namespace
