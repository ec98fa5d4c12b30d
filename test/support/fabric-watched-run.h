/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FABRIC_WATCHED_RUN_H
#define FABRIC_WATCHED_RUN_H

#include "fabric-bed-state.h"
#include "fabric-credit-return.h"
#include "fabric-flow-watch.h"
#include "fabric-function-case.h"

#include <exception>
#include <string>
#include <vector>

namespace ns3::fabric
{

/// What has to come out of a run alike with look-ahead and without.
struct WatchedRun
{
    std::vector<std::string> states; ///< At each stop on the way, and at the end.
    std::vector<uint64_t> hashes;    ///< Of what happened in each switch.
};

/// Expects that senders have the credit for all that they sent, in a bed in which nothing is left.
inline void
ExpectAllCredit(FunctionCase& test, TestBed& bed, const std::string& name)
{
    for (std::size_t i = 0; i < bed.Chips(); ++i)
    {
        const SwitchChip& chip = bed.Chip(i);
        for (uint32_t port = 0; port < chip.Config().ports; ++port)
        {
            const Transmitter* sender = chip.Sender(port);
            const CreditReturn* told = chip.CreditsToTell(port);
            const LinkCredits& here = chip.Output(port).Credits();
            const CreditReturn* host = chip.Host(port) ? chip.Host(port)->CreditsToTell() : nullptr;
            // A link that is down tells of nothing.
            const bool isUsed = sender && !chip.IsDown(port);
            for (uint32_t vc = 0; isUsed && vc < VIRTUAL_CHANNELS; ++vc)
            {
                const auto text = Text("credit at switch ", i, " port ", port, ", ", name);
                test.ExpectEqual(sender->Credits().Used(vc), sender->Credits().OnTheWay(vc), text);
                test.ExpectEqual(here.Used(vc), here.OnTheWay(vc), text);
                test.Expect(!told || told->Unheard(vc) == 0, text);
                test.Expect(!host || host->Unheard(vc) == 0, text);
            }
        }
    }
}

/**
 * Runs a bed to its end, where nothing may be left, and checks it at some stops on the way.
 *
 * @param test is told what is wrong
 * @param watch looks on
 * @param horizon the last stop, ps
 * @param stops how many, at equal distances
 * @param name of the scenario
 */
inline WatchedRun
RunWatched(FunctionCase& test,
           TestBed& bed,
           const FlowWatch& watch,
           TimePs horizon,
           int stops,
           const std::string& name)
{
    WatchedRun run;
    const auto note = [&run, &bed] {
        bed.Check();
        const std::vector<std::string> state = StateOf(bed);
        run.states.insert(run.states.end(), state.begin(), state.end());
    };
    try
    {
        for (int i = 1; i <= stops; ++i)
        {
            bed.RunUntil(i == stops ? horizon : horizon / stops * i);
            note();
        }
        bed.RunToEnd();
        note();
        test.Expect(bed.IsEmpty(), Text("something is left, ", name));
        ExpectAllCredit(test, bed, name);
    }
    catch (const std::exception& error)
    {
        test.Expect(false, Text(error.what(), ", ", name));
    }
    run.hashes = watch.Hashes();
    test.ExpectEqual(watch.Fault(), "", name);
    return run;
}

/// Expects two runs of a scenario to be the same.
inline void
ExpectSameRun(FunctionCase& test,
              const WatchedRun& ahead,
              const WatchedRun& single,
              const std::string& name)
{
    test.ExpectEqual(Difference(ahead.states, single.states), "", name);
    test.Expect(ahead.hashes == single.hashes, Text("the switches did different things, ", name));
}

} // namespace ns3::fabric

#endif // FABRIC_WATCHED_RUN_H
