/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-test-compat.h"
#include "fabric-wire-test-cases.h"

namespace ns3::fabric
{
namespace wiretest
{

/// Formats on the wire: fabric header, frames of ACKs, pauses, credits and fine-grain flow control.
class FabricWireTestSuite : public TestSuite
{
  public:
    FabricWireTestSuite()
        : TestSuite("fabric-wire", kUnit)
    {
        for (const auto& tests :
             {CrcTests(), HeaderTests(), AckTests(), PauseTests(), CreditTests(), FgfcTests()})
        {
            for (TestCase* test : tests)
            {
                AddTestCase(test, kQuick);
            }
        }
    }
};

static FabricWireTestSuite g_fabricWireTestSuite; ///< Registers the suite.

} // namespace wiretest
} // namespace ns3::fabric
