/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-switch-units.h"

namespace ns3::fabric
{

namespace
{

/// Frames that the pool has room for at first, for each port: what waits where no link is
/// congested.
constexpr uint32_t FRAMES_PER_PORT = 8;

/// Frames between grant and wire that there is room for at first, for each port behind tiles.
constexpr uint32_t GRANTED_PER_PORT = 16;

/// @return what outputs have behind a crossbar of tiles; nothing if it is ideal
std::vector<TiledOutput>
MakeTiledOutputs(const SwitchConfig& settings)
{
    const CrossbarSettings& crossbar = settings.crossbar;
    const uint32_t count = crossbar.IsTiled() ? settings.ports : 0;
    std::vector<TiledOutput> outputs;
    outputs.reserve(count);
    while (outputs.size() < count)
    {
        outputs.emplace_back(settings.ports,
                             settings.Lists(),
                             crossbar.ageQueue,
                             OutputBuffer(crossbar.outputBufferBytes, crossbar.rows));
    }
    return outputs;
}

} // namespace

SwitchUnits::SwitchUnits(const SwitchConfig& settings)
    : config(settings),
      inputs(settings.ports),
      outputs(settings.ports),
      tiles(MakeTiledOutputs(settings)),
      memory(settings.buffer.shared.IsOn() ? std::make_unique<SharedMemory>(settings.buffer.shared)
                                           : nullptr),
      frames(FRAMES_PER_PORT * settings.ports),
      ports{inputs.data(),
            outputs.data(),
            &frames,
            settings.ports,
            tiles.empty() ? nullptr : tiles.data()},
      crossbar(ports, clock, settings.buffer.shares.virtualChannels),
      clock(settings.ports),
      loads(settings.ports, settings.marks, settings.seed),
      buffers(ports, clock, pauses, credits, config.buffer, memory.get(), observer),
      acks(ports, clock, links, config.ackTimers, past, observer),
      queues(ports, loads, crossbar, settings.injection != nullptr),
      congestion(ports,
                 clock,
                 acks,
                 queues,
                 loads,
                 buffers,
                 fgfc,
                 settings.congestion,
                 config.injection,
                 settings.seed),
      entry(ports,
            routing,
            congestion,
            queues,
            loads,
            buffers,
            lanes,
            shapers,
            settings.lanes || settings.ShapedKinds() != 0,
            config.flowChannels,
            config.congestion.reroute,
            past),
      receiver(ports,
               clock,
               links,
               buffers,
               entry,
               edge,
               acknowledgement,
               repair,
               crossbar,
               groups,
               containment,
               observer),
      acknowledgement(ports, crossbar, acks, congestion, edge, paths, rerouting, telling),
      sender(ports,
             clock,
             loads,
             buffers,
             crossbar,
             acks,
             congestion,
             acknowledgement,
             pauses,
             control,
             observer),
      routing(loads, config.buffer.vcOfClass, config.detourBias, settings.seed),
      edge(ports,
           routing,
           hosts,
           buffers,
           entry,
           config.flowChannels,
           config.congestion.slowPaths,
           config.hostDiscards,
           observer),
      groups(ports, buffers, entry, reductions, routing),
      containment(ports, buffers, config.buffer),
      lanes(ports, config),
      shapers(ports, config),
      pauses(ports, clock, crossbar, observer),
      hosts(ports, clock, pauses, config.hostControl, memory.get(), observer),
      credits(ports, clock, observer),
      fgfc(ports, clock, config.congestion.fgfc, observer),
      telling(ports, clock, loads, routing, config.congestion.neighbourLoads, observer),
      granted(tiles.empty() ? 0 : GRANTED_PER_PORT * ports.count),
      repair(ports, clock, congestion, acknowledgement, granted, observer),
      links(ports, clock, observer),
      past(config.congestion.reroute),
      rerouting(ports, acks, loads, routing, telling, config.congestion.reroute, settings.seed),
      control(ports,
              clock,
              congestion,
              acknowledgement,
              pauses,
              credits,
              fgfc,
              repair,
              rerouting,
              telling),
      paths(ports, routing, crossbar, buffers, queues, entry, rerouting),
      tileSender(settings.crossbar.IsTiled() ? std::make_unique<TileSender>(ports,
                                                                            clock,
                                                                            sender,
                                                                            control,
                                                                            buffers,
                                                                            crossbar,
                                                                            acks,
                                                                            acknowledgement,
                                                                            pauses,
                                                                            granted,
                                                                            settings.crossbar,
                                                                            observer)
                                             : nullptr),
      pieceSender(ports,
                  clock,
                  sender,
                  control,
                  pauses,
                  crossbar,
                  buffers,
                  acks,
                  acknowledgement,
                  config.lanes,
                  observer),
      pieceReceiver(ports,
                    clock,
                    buffers,
                    queues,
                    congestion,
                    acknowledgement,
                    edge,
                    receiver,
                    pieceSender),
      failures(ports,
               clock,
               changes,
               links,
               routing,
               crossbar,
               queues,
               acks,
               paths,
               repair,
               telling,
               acknowledgement,
               tileSender.get(),
               pieceSender,
               pieceReceiver,
               containment),
      laneChanges(ports, clock, changes, lanes, entry, crossbar, pieceSender),
      prefetch(ports, clock),
      audit(ports, loads, buffers, routing, queues, congestion, granted, reductions)
{
    loads.CountBySource(settings.flowChannels.ClassesWithWays());
    if (settings.hasTelemetry)
    {
        loads.AddTelemetry();
    }
    if (buffers.SharesLossyRoom())
    {
        loads.CountChannels();
    }
    for (uint32_t port = 0; port < settings.ports; ++port)
    {
        inputs[port].link.Attach(&clock.GetAgenda(), port);
        outputs[port].lists.Configure(settings.arbitration, settings.turns, settings.ports);
        outputs[port].flows = OutputFlowTable(settings.flowChannels.ids);
        outputs[port].unusual |= tileSender ? OutputPort::HAS_TILES : 0;
        if (settings.lanes)
        {
            inputs[port].flows.SeparateClasses();
        }
        if (const uint32_t kinds = settings.ShapedKinds(); kinds != 0)
        {
            inputs[port].flows.SeparateInto(kinds);
        }
        if (const uint16_t classes = settings.flowChannels.ClassesWithWays(); classes != 0)
        {
            inputs[port].flows.TakeWays(classes);
            inputs[port].flows.Ways()->SetRoundTrip(settings.congestion.endpoint.RoundTrip());
        }
        if (settings.buffer.lossyClasses != 0)
        {
            inputs[port].unusual |= InputPort::HAS_LOSSY;
        }
    }
    const FlowStatisticsMode mode = settings.flowChannels.statistics;
    if (mode != NO_FLOW_STATISTICS)
    {
        statistics.emplace(ports, mode == CLOSED_FLOW_STATISTICS);
        observer = &*statistics;
    }
}

std::vector<uint64_t>
SwitchUnits::RatesToSwitches() const
{
    std::vector<uint64_t> rates;
    for (const OutputPort& output : outputs)
    {
        rates.push_back(output.nic ? 0 : output.transmitter.Rate().BitsPerSecond());
    }
    return rates;
}

void
SwitchUnits::SetObserver(SwitchObserver* other)
{
    if (!statistics)
    {
        observer = other;
    }
    else if (!other)
    {
        observer = &*statistics;
    }
    else
    {
        watchers = ObserverPair(&*statistics, other);
        observer = &watchers;
    }
}

} // namespace ns3::fabric
