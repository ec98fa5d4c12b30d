/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-helper.h"
#include "fabric-switch.h"
#include "support/fabric-function-case.h"

#include "ns3/callback.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::fabric
{

namespace
{

constexpr TimePs WHEN = 123'456; ///< Of all that is told, ps.
constexpr uint32_t PORT = 7;     ///< Where it is told.

/// @return a frame that is like no other
Frame
SomeFrame(uint16_t payload)
{
    Frame frame{};
    frame.payload = payload;
    return frame;
}

/// A sink for each trace source of a switch, that notes its name if the arguments are right.
class AllSinks
{
  public:
    explicit AllSinks(FabricSwitch& fabricSwitch)
        : m_switch(fabricSwitch)
    {
        OfFrames("Arrive");
        OfFrames("Send");
        OfFrames<DropCause>("Drop", [](DropCause cause) { return cause == DropCause::CORRUPT; });
        OfFrames<const Frame&>("Trim", [](const Frame& header) { return header.payload == 9; });
        OfFrames<const Grant&>("Grant", [](const Grant& grant) { return grant.level == 3; });
        OfFrames<const ShapingGrant&>("Shape", [](const auto& grant) { return grant.queue == 4; });
        OfFrames<const WireSegment&>("Segment", [](const auto& run) { return run.bytes == 5; });
        OfPort<AckBatch>("SendAcks", [](const AckBatch& acks) { return acks.count == 2; });
        OfPort<AckBatch>("ArriveAcks", [](const AckBatch& acks) { return acks.count == 3; });
        OfPort<PauseOrder>("Pause", [](const PauseOrder& order) { return order.stop == 1; });
        OfPort<FgfcOrder>("Fgfc", [](const FgfcOrder& order) { return order.flow == 6; });
        OfPort<CreditOrder>("SendCredits", [](const auto& order) { return order.channels == 2; });
        OfPort<CreditOrder>("HostCredits", [](const auto& order) { return order.channels == 3; });
        Connect("HostPause",
                Callback<void, uint32_t, const PauseOrder&>(
                    [this](uint32_t port, const PauseOrder& order) {
                        Note("HostPause", port == PORT && order.stop == 2);
                    }));
    }

    /// @return names of sources that have told since the last call, with '!' if wrong
    std::string Take()
    {
        std::string told;
        told.swap(m_told);
        return told;
    }

    /// @return all sources
    const std::vector<std::string>& Names() const
    {
        return m_names;
    }

  private:
    void Note(const std::string& name, bool isRight)
    {
        m_told += name + (isRight ? "" : "!");
    }

    void Connect(const std::string& name, const CallbackBase& sink)
    {
        m_names.push_back(name);
        m_switch.TraceConnectWithoutContext(name, sink);
    }

    void OfFrames(const std::string& name)
    {
        Connect(name,
                Callback<void, uint32_t, const Frame&, Time>(
                    [this, name](uint32_t port, const Frame& frame, Time now) {
                        Note(name, IsRight(port, frame, now));
                    }));
    }

    template <typename What>
    void OfFrames(const std::string& name, std::function<bool(What)> isRight)
    {
        Connect(name,
                Callback<void, uint32_t, const Frame&, What, Time>(
                    [this, name, isRight](uint32_t port, const Frame& frame, What what, Time now) {
                        Note(name, IsRight(port, frame, now) && isRight(what));
                    }));
    }

    template <typename What>
    void OfPort(const std::string& name, std::function<bool(const What&)> isRight)
    {
        Connect(name,
                Callback<void, uint32_t, const What&, Time>(
                    [this, name, isRight](uint32_t port, const What& what, Time now) {
                        Note(name, port == PORT && now.GetPicoSeconds() == WHEN && isRight(what));
                    }));
    }

    static bool IsRight(uint32_t port, const Frame& frame, Time now)
    {
        return port == PORT && frame.payload == 1234 && now.GetPicoSeconds() == WHEN;
    }

    FabricSwitch& m_switch;           ///< Of the trace sources.
    std::vector<std::string> m_names; ///< See Names().
    std::string m_told;               ///< See Take().
};

/// What a chip tells comes to the trace source of its name, with its arguments, and to no other.
void
TestEach(FunctionCase& test)
{
    const FabricHelper helper; // ns-3 counts picoseconds from now on
    const Ptr<FabricSwitch> fabricSwitch = CreateObject<FabricSwitch>();
    SwitchObserver& told = *fabricSwitch;
    AllSinks sinks(*fabricSwitch);
    const Frame frame = SomeFrame(1234);
    const std::vector<std::function<void()>> tell{
        [&] { told.Arrived(PORT, frame, WHEN); },
        [&] { told.Sent(PORT, frame, WHEN); },
        [&] { told.Dropped(PORT, frame, DropCause::CORRUPT, WHEN); },
        [&] { told.Trimmed(PORT, frame, SomeFrame(9), WHEN); },
        [&] {
            told.Granted(PORT, frame, {0, 3, true}, WHEN);
        },
        [&] {
            told.Shaped(PORT, frame, {4, Payer::HEAD}, WHEN);
        },
        [&] {
            told.SegmentSent(PORT, frame, {0, 0, 5, 0, 0}, WHEN);
        },
        [&] {
            told.AcksSent(PORT, {0, 2, {}}, WHEN);
        },
        [&] {
            told.Acknowledged(PORT, {0, 3, {}}, WHEN);
        },
        [&] {
            told.Paused(PORT, {0, 0, 1, 0}, WHEN);
        },
        [&] {
            told.FlowRestrained(PORT, {0, 0, 6, 0, 0}, WHEN);
        },
        [&] {
            told.CreditsSent(PORT, {2, false, {}}, WHEN);
        },
        [&] {
            told.HostCredits(PORT, {3, false, {}}, WHEN);
        },
        [&] {
            told.HostPaused(PORT, {0, 0, 2, 0});
        }};
    test.ExpectEqual(tell.size(), sinks.Names().size(), "sources");
    test.ExpectEqual(fabricSwitch->GetInstanceTypeId().GetTraceSourceN(),
                     tell.size() + 1, // FlowClosed is told by flow statistics
                     "sources of the type");
    for (std::size_t i = 0; i < tell.size(); ++i)
    {
        tell[i]();
        test.ExpectEqual(sinks.Take(), sinks.Names().at(i), "told");
    }
    fabricSwitch->Dispose();
}

/// The suite.
class SwitchTracesSuite : public FunctionSuite
{
  public:
    SwitchTracesSuite()
        : FunctionSuite("fabric-switch-traces", kUnit)
    {
        Add("DP-5 each trace source of a switch tells of its own thing", TestEach);
    }
};

SwitchTracesSuite g_switchTracesSuite; ///< Registers the suite.

} // namespace

} // namespace ns3::fabric
