#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Draws the measured pictures of the manual anew, and writes its tables of the same runs (doc/figures/tables.py), from the programs as they
# are built. All of them take an hour; names on the command line choose some. Runs stay in results/manual, where their
# summaries can be looked at.
#
#   doc/figures/measured.sh [shaping] [ingress_fairness] [crossbar] [dragonfly] [torus] [hyperx] [slim-fly] [incast] [multicast] [reductions] [collectives] [collective-times] [collective-transports] [collective-topologies] [placements] [stragglers] [interference] [job-mix] [run] [flow-transports] [flow-carriers] [congestion] [congestion-tools] [congestion-senders] [hpcc] [timely] [trimming] [round-trips] [reordering] [cam] [reads] [tcp] [gpcnet] [allreduce] [nic] [pio] [python] [link-pauses] [link-errors] [outages] [permutation-transports] [losses] [loss-windows] [write-incasts] [dcqcn] [control-set-ups]
set -euo pipefail
cd "$(dirname "$0")/../.."

out=results/manual
seeds="1 2 3 4 5 6 7 8 9 10"
transport="build/bin/fabric-transport --progress=off"

# run FOLDER PROGRAM OPTION...: a run with its results there
run() {
    local folder=$out/$1
    shift
    "$@" --out="$folder" --force >/dev/null
}

# plot PICTURE FOLDERS...: of fabric-transport; the name of the view is that of the picture, or before it with a colon
plot() {
    local view=${1%%:*} picture=${1##*:}
    shift
    .venv/bin/python utils/plot-transport.py "$view" "$@" --output "doc/$picture.png"
}

draw_incast() {
    for seed in $seeds; do
        for way in on off; do
            run "incast/$way-$seed" build/bin/fabric-incast --progress=off --flowChannels=$way --samplePeriod=10us --RngRun="$seed"
        done
    done
    .venv/bin/python utils/plot-incast.py $out/incast/* --output doc/incast.png
    # Fewer and more senders, for the table.
    for senders in "8" "512 --k=16"; do
        for seed in $seeds; do
            for way in on off; do
                run "incast-senders/${senders%% *}-$way-$seed" build/bin/fabric-incast --progress=off --senders=$senders --flowChannels=$way --RngRun="$seed"
            done
        done
    done
}

# Tables only.
draw_link-pauses() {
    local control way seed
    for control in credits pause priority-pause; do
        for way in off on; do
            for seed in $seeds; do
                run "link-pauses/$control-$way-$seed" build/bin/fabric-incast --progress=off --flowChannels=$way \
                    --ns3::FabricSwitch::LinkFlowControl=$control --RngRun="$seed"
            done
        done
    done
}

draw_link-errors() {
    local errors seed
    for errors in 0 0.0001 0.001 0.01 0.1; do
        for seed in $seeds; do
            run "link-errors/$errors-$seed" build/bin/fabric-permutation --progress=off --k=8 --bytes=256KiB --shift=64 --linkErrors=$errors --RngRun="$seed"
        done
    done
}

# Nothing in these runs is random.
draw_outages() {
    local outage="$transport --topology=fat-tree --bytes=64KiB --count=400" link
    run outages/none $outage
    for link in 0-8 0-9 target sender; do
        run "outages/$link" $outage --failAt=200us --repairAt=1200us --failLink=$link
    done
}

draw_permutation-transports() {
    local way load seed
    for way in raw rt tcp "pio --ns3::FabricPio::Threads=16 --ns3::FabricPio::Contexts=16"; do
        for load in 0.5 0.9; do
            for seed in $seeds; do
                run "permutation-transports/${way%% *}-$load-$seed" build/bin/fabric-permutation --progress=off --k=4 --pattern=uniform --bytes=16KiB \
                    --load=$load --transport=$way --RngRun="$seed"
            done
        done
    done
}

draw_losses() {
    local loss seed
    run losses/0-1 $transport --bytes=128MiB
    for loss in 0.01 0.02 0.05 0.1; do
        for seed in $seeds; do
            run "losses/$loss-$seed" $transport --bytes=128MiB --loss=$loss --RngRun="$seed"
        done
    done
}

draw_loss-windows() {
    local window seed pushes="$transport --linkDelay=5us --bytes=4MiB --count=4"
    for window in 8 16 32 64 128; do
        run "loss-windows/$window-0-1" $pushes --window=$window
        for seed in $seeds; do
            run "loss-windows/$window-0.02-$seed" $pushes --window=$window --loss=0.02 --RngRun="$seed"
        done
    done
}

draw_write-incasts() {
    local senders push
    for senders in 2 8 32 128 512; do
        for push in solicited unsolicited; do
            run "write-incasts/$push-$senders" $transport --senders=$senders --bytes=256KiB --push=$push --tools=hop-credits
        done
    done
}

# What acts besides the congestion control.
draw_control-set-ups() {
    local control seed options="--senders=8 --bytes=4MiB"
    for seed in 1 2 3; do
        for control in dcqcn hpcc timely; do
            local alone="$transport $options --congestionControl=$control --push=unsolicited --RngRun=$seed"
            run "control-set-ups/auto-$control-$seed" $alone --push=auto
            run "control-set-ups/unsolicited-$control-$seed" $alone
            run "control-set-ups/window-$control-$seed" $alone --window=31
            run "control-set-ups/tree-$control-$seed" $alone --topology=fat-tree
            run "control-set-ups/plain-$control-$seed" $alone --topology=fat-tree --flowChannels=off
        done
        run "control-set-ups/rates-dcqcn-$seed" $transport $options --congestionControl=dcqcn --push=unsolicited --RngRun="$seed" \
            --ns3::FabricTransport::RateIncrease=200Mbps --ns3::FabricTransport::HyperIncrease=2Gbps
        run "control-set-ups/ethernet-dcqcn-$seed" build/bin/fabric-congestion --progress=off $options --k=4 --victimLoad=0.1 --fabric=ecn --RngRun="$seed"
        run "control-set-ups/ethernet-hpcc-$seed" build/bin/fabric-congestion --progress=off $options --k=4 --victimLoad=0.1 --fabric=int --RngRun="$seed"
    done
}

draw_dcqcn() {
    local senders
    for senders in 2:128MiB 8:32MiB 32:8MiB; do
        run "dcqcn/${senders%:*}" $transport --senders=${senders%:*} --bytes=${senders#*:} --linkRate=40Gbps --push=unsolicited --congestionControl=dcqcn --samplePeriod=50us
    done
}

# All seeds give the same.
draw_multicast() {
    for by in group tree source; do
        for members in 2 4 8 16 32 64 128; do
            run "multicast/$by-$members-1" build/bin/fabric-multicast --progress=off --by=$by --members=$members
        done
        for members in 2 4 8 16 32 64; do
            run "multicast-dragonfly/$by-$members" build/bin/fabric-multicast --progress=off --by=$by --members=$members --stride=16 \
                --topology=dragonfly --hostsPerSwitch=4 --switchesPerGroup=8 --globalPorts=4
        done
    done
    .venv/bin/python utils/plot-multicast.py $out/multicast/* --output doc/multicast.png
    .venv/bin/python utils/plot-multicast.py $out/multicast-dragonfly/* --output doc/multicast-dragonfly.png
}

# All seeds give the same but for the ring and the tree on a fat tree, within 1 %.
draw_reductions() {
    local way options size hosts
    for way in switch/allreduce-tree raw/allreduce-ring raw/allreduce-tree; do
        options="--progress=off --transport=${way%%/*} --collective=${way##*/}"
        for size in 8 512 4KiB 32KiB 256KiB 2MiB 16MiB; do
            run "reductions/${way/\//-}-$size" build/bin/fabric-collectives $options --bytes=$size --hosts=128
        done
        for hosts in 2 4 8 16 32 64; do
            run "reductions/${way/\//-}-4KiB-$hosts" build/bin/fabric-collectives $options --bytes=4KiB --hosts=$hosts
        done
    done
    .venv/bin/python utils/plot-reductions.py $out/reductions/* --output doc/reductions.png
}

draw_collectives() {
    local collective size seed
    for collective in allreduce-ring allreduce-tree allgather alltoall broadcast reduce halo3d; do
        for size in 1KiB 4KiB 16KiB 64KiB 256KiB 1MiB 4MiB 16MiB 64MiB; do
            for seed in 1 2 3; do
                run "collectives/$collective-$size-$seed" build/bin/fabric-collectives --progress=off --collective=$collective --bytes=$size \
                    --RngRun=$seed
            done
        done
    done
    .venv/bin/python utils/plot-collectives.py $out/collectives/* --output doc/collectives.png
}

# 64 hosts of a fat tree, and eight of nine groups of a dragonfly.
# Tables only. 16 hosts; seeds change which messages meet.
every_collective="allreduce-ring allreduce-tree allreduce-halving allreduce-doubling allreduce-double-tree allgather allgather-bruck alltoall alltoall-bruck
    broadcast broadcast-chain reduce halo3d"

draw_collective-transports() {
    local collective transport seed
    for collective in $every_collective; do
        for transport in raw rt pio tcp; do
            for seed in 1 2 3 4 5; do
                run "collective-transports/$collective-$transport-$seed" build/bin/fabric-collectives --progress=off --k=4 --collective=$collective \
                    --transport=$transport --RngRun=$seed
            done
        done
    done
}

draw_collective-topologies() {
    local collective topology seed
    for collective in $every_collective; do
        for topology in "switch --k=16" "fat-tree --k=4" dragonfly torus hyperx; do
            for seed in 1 2 3 4 5; do
                run "collective-topologies/$collective-${topology%% *}-$seed" build/bin/fabric-collectives --progress=off --topology=$topology --hosts=16 \
                    --collective=$collective --RngRun=$seed
            done
        done
    done
}

draw_collective-times() {
    local collective size seed topology
    for collective in ring tree halving doubling double-tree; do
        for size in 64 1KiB 8KiB 64KiB 512KiB 4MiB 32MiB; do
            for topology in fat-tree dragonfly; do
                for seed in 1 2 3; do
                    run "collective-times/$topology-$collective-$size-$seed" build/bin/fabric-collectives --progress=off --topology=$topology \
                        --hosts=64 --collective=allreduce-$collective --bytes=$size --RngRun=$seed
                done
            done
        done
    done
    .venv/bin/python utils/plot-collective-times.py $out/collective-times/fat-tree-* $out/collective-times/dragonfly-* \
        --output doc/collective-times.png
}

# 32 of 128 hosts of a fat tree, of 72 of a dragonfly.
draw_placements() {
    local collective placement seed topology
    for collective in allreduce-ring allreduce-halving allreduce-double-tree alltoall halo3d; do
        for placement in first random spread; do
            for topology in fat-tree dragonfly; do
                for seed in $seeds; do
                    run "placements/$topology-$collective-$placement-$seed" build/bin/fabric-collectives --progress=off --topology=$topology \
                        --hosts=32 --collective=$collective --placement=$placement --RngRun="$seed"
                done
            done
        done
    done
    .venv/bin/python utils/plot-placements.py $out/placements/fat-tree-* $out/placements/dragonfly-* --output doc/placements.png
}

draw_stragglers() {
    local collective seed way
    for collective in allreduce-ring allreduce-tree allreduce-halving allreduce-doubling allreduce-double-tree allgather allgather-bruck alltoall \
        alltoall-bruck broadcast broadcast-chain reduce halo3d; do
        for seed in $seeds; do
            for way in 0ns/0us 500ns/0us 5us/0us 0ns/100us; do
                run "stragglers/$collective-${way/\//-}-$seed" build/bin/fabric-collectives --progress=off --k=4 --collective=$collective \
                    --skew=${way%/*} $([ "${way#*/}" = 0us ] || echo "--straggler=3 --late=${way#*/}") --RngRun=$seed
            done
        done
    done
}

# Jobs of 16 hosts, on up to all 128 of a fat tree and 64 of 72 of a dragonfly.
draw_interference() {
    local collective placement seed topology jobs
    for collective in allreduce-ring alltoall; do
        for placement in first random spread; do
            for topology in fat-tree/1,2,4,8 dragonfly/1,2,3,4; do
                for jobs in $(tr , ' ' <<<"${topology#*/}"); do
                    for seed in $seeds; do
                        run "interference/${topology%/*}-$collective-$placement-$jobs-$seed" build/bin/fabric-collectives --progress=off \
                            --topology=${topology%/*} --hosts=16 --jobs=$jobs --collective=$collective --placement=$placement --RngRun="$seed"
                    done
                done
            done
        done
    done
    .venv/bin/python utils/plot-interference.py $out/interference/* --output doc/interference.png
}

# All jobs, and each alone on the hosts that it has then.
draw_job-mix() {
    local topology placement seed only
    for topology in fat-tree dragonfly; do
        for placement in first random spread; do
            for seed in $seeds; do
                for only in "" 0 1 2; do
                    run "job-mix/$topology-$placement-$seed-${only:-all}" build/bin/fabric-collectives --progress=off --topology=$topology \
                        --jobFile=examples/jobs/mixed.txt --placement=$placement ${only:+--onlyJobs=$only} --RngRun="$seed"
                done
            done
        done
    done
    .venv/bin/python utils/plot-job-mix.py $out/job-mix/fat-tree-* $out/job-mix/dragonfly-* --output doc/job-mix.png
}

draw_run() {
    local load seed
    for load in 0.3 0.5 0.8; do
        for seed in 1 2 3 4 5; do
            run "run/$load-$seed" build/bin/fabric-run --progress=off --k=8 --cdf=hadoop --load=$load --arrivalTime=500us --RngRun="$seed"
        done
    done
    .venv/bin/python utils/plot-run.py $out/run/* --output doc/run.png
}

draw_flow-transports() {
    local control seed flows="build/bin/fabric-run --progress=off --k=4 --cdf=websearch --load=0.5 --arrivalTime=20ms"
    for seed in $seeds; do
        run "flow-transports/1-raw-$seed" $flows --RngRun="$seed"
        for control in fixed delay dcqcn; do
            run "flow-transports/2-$control-$seed" $flows --transport=rt --congestionControl=$control --RngRun="$seed"
        done
    done
    .venv/bin/python utils/plot-run.py transports $out/flow-transports/* --output doc/flow-transports.png
}

draw_flow-carriers() {
    local seed flows="build/bin/fabric-run --progress=off --k=4 --cdf=websearch --load=0.5 --arrivalTime=5ms"
    local pio="--transport=pio --ns3::FabricPio::Threads=32 --ns3::FabricPio::Contexts=16"
    for seed in 1 2 3; do
        run "flow-carriers/1-raw-$seed" $flows --RngRun="$seed"
        run "flow-carriers/2-rt-$seed" $flows --transport=rt --RngRun="$seed"
        run "flow-carriers/3-cubic-$seed" $flows --transport=tcp --RngRun="$seed"
        run "flow-carriers/4-dctcp-$seed" $flows --transport=tcp --ns3::TcpL4Protocol::SocketType=ns3::TcpDctcp --RngRun="$seed"
        run "flow-carriers/5-pio-$seed" $flows $pio --RngRun="$seed"
        run "flow-carriers/6-sdma-$seed" $flows $pio --ns3::FabricPio::SdmaBytes=16384 --RngRun="$seed"
    done
    .venv/bin/python utils/plot-run.py transports $out/flow-carriers/* --output doc/flow-carriers.png
}

draw_python() {
    .venv/bin/python examples/python/sweep.py >/dev/null
    cp results/incast-sweep.png doc/python.png
}

draw_shaping() {
    local shaping="build/bin/fabric-shaping --progress=off --duration=2ms"
    run "shaping/all-1" $shaping
    run "shaping/idle-1" $shaping --load=0,0.9,0.9,0.9
    run "shaping/light-1" $shaping --load=0.9,0.9,0.1,0.05
    .venv/bin/python utils/plot-shaping.py $out/shaping/all-1 $out/shaping/idle-1 $out/shaping/light-1 --output doc/shaping.png
}

draw_ingress_fairness() {
    local fairness="build/bin/fabric-ingress-fairness --progress=off"
    run "ingress-fairness/flows-1" $fairness --grouping=false
    run "ingress-fairness/groups-1" $fairness
    run "ingress-fairness/ratio-1" $fairness --ratio=3,1
    .venv/bin/python utils/plot-ingress-fairness.py $out/ingress-fairness/flows-1 $out/ingress-fairness/groups-1 \
        $out/ingress-fairness/ratio-1 --output doc/ingress-fairness.png
}

draw_crossbar() {
    local load crossbar
    for crossbar in ideal tiled; do
        for load in 0.1 0.3 0.5 0.7 0.8 0.9 0.95 1; do
            run "crossbar/$crossbar-$load" build/bin/fabric-crossbar --progress=off --crossbar=$crossbar --load=$load --duration=200us
            run "crossbar/hotspot-$crossbar-$load" build/bin/fabric-crossbar --progress=off --crossbar=$crossbar --load=$load --duration=200us \
                --pattern=hotspot
        done
    done
    .venv/bin/python utils/plot-crossbar.py $out/crossbar/* --output doc/crossbar.png
}

draw_allreduce() {
    local k interval allreduce="build/bin/fabric-allreduce --progress=off"
    for k in 4 8 16; do
        run "allreduce/nic-$k" $allreduce --k=$k
        run "allreduce/host-$k" $allreduce --k=$k --by=host
        for interval in 1us 5us 20us; do
            for seed in $seeds; do
                run "allreduce/$interval-$k-$seed" $allreduce --k=$k --by=host --interval=$interval --RngRun="$seed"
            done
        done
    done
    .venv/bin/python utils/plot-allreduce.py $out/allreduce/* --output doc/allreduce.png
}

draw_nic() {
    .venv/bin/python examples/python/command_stages.py >/dev/null
    cp results/command-stages.png doc/command-stages.png
}

draw_congestion() {
    local place name options shared="--ns3::FabricSwitch::SharedBufferBytes=4194304"
    for seed in $seeds; do
        for setting in 1-plain,--flowChannels=off 2-pfc,--fabric=pfc 2-pfc-shared,--fabric=pfc,$shared 3-ecn,--fabric=ecn 3-int,--fabric=int \
            3-ecn-shared,--fabric=ecn,$shared 4-none,--tools=none 5-hop,--tools=hop-credits 6-all,--tools=all; do
            for victim in light,--victimLoad=0.1 near, light-sender,--victimAt=sender-host,--victimTo=elsewhere,--victimLoad=0.1 \
                greedy-sender,--victimAt=sender-host,--victimTo=elsewhere; do
                place=${victim%%,*} name=${setting%%,*}
                IFS=, read -ra options <<<"${victim#*,},${setting#*,}"
                run "congestion/$place-$name-$seed" build/bin/fabric-congestion --progress=off --bytes=2MiB ${options[*]} --RngRun="$seed"
            done
        done
    done
    local plot=".venv/bin/python utils/plot-congestion.py"
    # For light victims PFC is the same with a shared memory. There are seven colours.
    $plot latency $out/congestion/light-[1456]-* $out/congestion/light-2-pfc-[0-9]* $out/congestion/light-3-ecn-[0-9]* $out/congestion/light-3-int-* --output doc/congestion.png
    $plot buffers $out/congestion/light-2-pfc-1 $out/congestion/light-3-ecn-shared-1 $out/congestion/light-[456]-*-1 --output doc/congestion-buffers.png
    $plot impact $out/congestion/* --output doc/congestion-impact.png
}

# Tables only. What each tool cures; reroute is left out, which changes little here.
all_but_reroute="hop-credits,fgfc,endpoint,injection-limit,pacing,slow-paths"

draw_congestion-tools() {
    local tools seed incast="build/bin/fabric-congestion --progress=off --bytes=2MiB"
    for tools in none fgfc hop-credits endpoint,injection-limit,pacing hop-credits,fgfc $all_but_reroute; do
        for seed in $seeds; do
            run "congestion-tools/light-$tools-$seed" $incast --tools=$tools --victimLoad=0.1 --RngRun="$seed"
            run "congestion-tools/greedy-$tools-$seed" $incast --tools=$tools --victimAt=sender-host --victimTo=elsewhere --RngRun="$seed"
        done
    done
}

draw_congestion-senders() {
    local incast seed tools
    for incast in "8 --k=16 --bytes=4MiB" "512 --k=16 --bytes=1MiB" "1000 --k=16 --bytes=512KiB" "2000 --k=24 --bytes=256KiB"; do
        for tools in hop-credits $all_but_reroute; do
            for seed in $seeds; do
                run "congestion-senders/${incast%% *}-$tools-$seed" build/bin/fabric-congestion --progress=off --senders=$incast --victimLoad=0.1 --tools=$tools \
                    --RngRun="$seed"
            done
        done
    done
}

draw_hpcc() {
    for control in dcqcn hpcc; do
        run "hpcc/$control" build/bin/fabric-transport --progress=off --senders=8 --linkRate=100Gbps --linkDelay=3us --mtu=1200 --bytes=1MiB --push=unsolicited \
            --congestionControl=$control --ns3::FabricTransport::AckPackets=1 --ns3::FabricTransport::MinRto=4ms --samplePeriod=2us
    done
    .venv/bin/python utils/plot-transport.py rates $out/hpcc/* --output doc/hpcc.png
}

draw_timely() {
    for kind in timely "patched --ns3::FabricTransport::TimelyPatched=true --ns3::FabricTransport::TimelyBeta=0.008"; do
        run "timely/${kind%% *}" build/bin/fabric-transport --progress=off --senders=4 --linkRate=10Gbps --linkDelay=5us --mtu=1200 --bytes=16MiB --push=unsolicited \
            --congestionControl=timely $(echo "$kind" | cut -s -d " " -f 2-) --ns3::FabricTransport::MinRto=4ms --samplePeriod=50us
    done
    .venv/bin/python utils/plot-transport.py rates $out/timely/* --output doc/timely.png
    local senders
    for senders in 2 4 16; do
        for kind in timely "once --ns3::FabricTransport::TimelySegment=0" \
            "patched --ns3::FabricTransport::TimelyPatched=true --ns3::FabricTransport::TimelyBeta=0.008"; do
            run "timely-senders/${kind%% *}-$senders" $transport --senders=$senders --linkRate=10Gbps --linkDelay=5us --mtu=1200 --bytes=32MiB --push=unsolicited \
                --congestionControl=timely $(echo "$kind" | cut -s -d " " -f 2-) --ns3::FabricTransport::MinRto=4ms --samplePeriod=50us
        done
    done
}

draw_trimming() {
    for seed in $seeds; do
        for fabric in drop trim; do
            for senders in 16 64; do
                for bytes in 4KiB 16KiB 64KiB 256KiB 1MiB; do
                    run "trimming/$fabric-$senders-$bytes-$seed" build/bin/fabric-congestion --progress=off --fabric=$fabric --senders=$senders \
                        --bytes=$bytes --victimLoad=0.001 --RngRun="$seed"
                done
            done
        done
    done
    .venv/bin/python utils/plot-congestion.py fct $out/trimming/* --output doc/trimming.png
}

# Each round trip with a rate at which 128 packets are more than what is under way.
draw_round-trips() {
    for point in 250ns:200Gbps 750ns:200Gbps 2500ns:200Gbps 7500ns:80Gbps 25us:25Gbps 75us:8Gbps 250us:2500Mbps 750us:800Mbps \
        2500us:250Mbps; do
        for control in fixed delay marks; do
            run "round-trips/$control-${point%:*}" $transport --linkDelay="${point%:*}" --linkRate="${point#*:}" --bytes=64MiB \
                --push=unsolicited --congestionControl=$control
        done
    done
    plot round-trips $out/round-trips/*
}

draw_reordering() {
    for fraction in 0 0.01 0.05 0.1 0.2 0.3 0.4 0.5; do
        for control in fixed delay marks; do
            for detection in time gaps; do
                for seed in $seeds; do
                    run "reordering/$control-$detection-$fraction-$seed" $transport --bytes=16MiB --reorder=$fraction --RngRun="$seed" \
                        --congestionControl=$control --ns3::FabricTransport::LossDetection=$detection
                done
            done
        done
    done
    plot reordering $out/reordering/*
}

draw_cam() {
    for entries in 1 2 4 8 16 32 64 128 256 512 1024 4096 16384; do
        local incast="$transport --senders=32 --ns3::FabricTransport::TargetEntries=$entries"
        local large="$incast --bytes=64KiB --count=16 --ns3::FabricTransport::MemoryLatency=100us"
        local small="$incast --bytes=3000 --push=unsolicited --ns3::FabricTransport::MemoryLatency=20us"
        run "cam/pulls-$entries" $large --operations=pull
        run "cam/solicited-$entries" $large --push=solicited
        run "cam/unsolicited-$entries" $small --count=200
        for seed in $seeds; do
            run "cam/lossy-$entries-$seed" $small --count=50 --loss=0.01 --RngRun="$seed"
        done
    done
    plot entries:cam $out/cam/*
}

draw_reads() {
    for senders in 4 16 64; do
        for seed in $seeds; do
            local incast="$transport --topology=fat-tree --k=8 --senders=$senders --bytes=256KiB --count=4 --jitter=2us --RngRun=$seed"
            run "reads/writes-$senders-$seed" $incast --push=solicited
            run "reads/reads-$senders-$seed" $incast --operations=pull --initiators=target
            run "reads/at-once-$senders-$seed" $incast --operations=pull --initiators=target --ns3::FabricTransport::AdmitsPulls=false
        done
    done
    plot incast:reads $out/reads/*
}

draw_tcp() {
    for senders in 4 16 64 256; do
        for seed in $seeds; do
            local incast="$transport --over=ip --linkRate=10Gbps --bytes=256KiB --senders=$senders --jitter=10us --RngRun=$seed"
            run "tcp/solicited-$senders-$seed" $incast --push=solicited
            run "tcp/unsolicited-$senders-$seed" $incast --push=unsolicited
            run "tcp/marks-$senders-$seed" $incast --push=unsolicited --congestionControl=marks
            run "tcp/tcp-$senders-$seed" $incast --protocol=tcp
            run "tcp/dctcp-$senders-$seed" $incast --protocol=tcp --congestionControl=marks
        done
    done
    plot incast:tcp $out/tcp/*
}

measure_gpcnet() { # folder of the results, picture, options
    local folder=$1 picture=$2 pattern seed
    shift 2
    for pattern in alltoall incast put-incast get-broadcast all; do
        for seed in $seeds; do
            local load="build/bin/fabric-gpcnet --progress=off --pattern=$pattern --RngRun=$seed $*"
            run "$folder/1-$pattern-$seed" $load --flowChannels=off
            run "$folder/2-$pattern-$seed" $load --tools=none
            run "$folder/3-$pattern-$seed" $load
            run "$folder/4-$pattern-$seed" $load --ns3::FabricSwitch::UnorderedClasses=65535
        done
    done
    .venv/bin/python utils/plot-gpcnet.py $out/$folder/* --output $picture
}

draw_gpcnet() {
    measure_gpcnet gpcnet doc/gpcnet.png
    measure_gpcnet gpcnet-nics doc/gpcnet-nics.png --topology=dragonfly --rings=8 --hostRate=100Gbps
}

draw_pio() {
    local pio="build/bin/fabric-pio --progress=off" plot=".venv/bin/python utils/plot-pio.py" scheme size
    for size in 0 2 6 12 18 25 30 33 40 50 60 75 87 100; do
        run "pio/thresholds/absolute-$size" $pio --threshold=$size% --returnLatency=500ns
    done
    for scheme in relative egress-order; do
        run "pio/thresholds/$scheme" $pio --scheme=$scheme --returnLatency=500ns
    done
    for scheme in "absolute --threshold=0" "absolute --threshold=0 --wait=sleep" relative; do
        for size in 8 16 24 32 48 64 96 128 256 512 1024; do
            run "pio/blocks/${scheme// /}-$size" $pio --scheme=$scheme --blocks=$size --returnLatency=1us
        done
        for size in 0 250 500 750 1000 1500 2000 3000 4000 6000 8000 10000; do
            run "pio/return-latencies/${scheme// /}-$size" $pio --scheme=$scheme --blocks=128 --returnLatency=${size}ns
        done
    done
    for size in 128 256 512 1KiB 2KiB 3KiB 4KiB 6KiB 8KiB 12KiB 16KiB 32KiB 64KiB; do
        local message="$pio --blocks=1024 --packetBytes=2040 --messageBytes=$size --messageGap=40us --duration=4ms"
        run "pio/crossing/pio-$size" $message
        run "pio/crossing/sdma-$size" $message --sdma=1
    done
    for size in thresholds blocks return-latencies crossing; do
        $plot $out/pio/$size/* --output "doc/pio-$size.png"
    done
}

# load_curves NAME PATTERNS ROUTINGS OPTION...: by flow channels, and by frames that choose each for itself, which the picture shows; shift:4 is a
# pattern with its shift
load_curves() {
    local name=$1 patterns=$2 routings=$3 pattern routing load traffic
    shift 3
    local sprayed="--ns3::FabricSwitch::NoFlowClasses=1 --ns3::FabricSwitch::UnorderedClasses=1"
    for pattern in $patterns; do
        traffic="--pattern=${pattern/:/ --shift=}"
        for routing in $routings; do
            for load in 0.03 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.6 0.8 0.95; do
                local at="build/bin/fabric-permutation --progress=off $* --bytes=4KiB --warmUp=40us --duration=20us \
                    $traffic --routing=$routing --load=$load"
                run "$name/flows-${pattern/:/-}-$routing-$load" $at
                run "$name/frames-${pattern/:/-}-$routing-$load" $at $sprayed
            done
        done
    done
    .venv/bin/python utils/plot-permutation.py $out/"$name"/frames-* --output "doc/$name.png"
}

draw_torus() {
    load_curves torus "uniform tornado" "dimension-order minimal adaptive" --topology=torus --widths=8,8 --hostsPerSwitch=2
}

draw_hyperx() {
    load_curves hyperx "uniform adversarial" "dimension-order by-dimension minimal adaptive" --topology=hyperx --widths=8,8 --hostsPerSwitch=8
}

draw_slim-fly() {
    load_curves slim-fly "uniform shift:4" "up-down minimal adaptive" --topology=examples/topologies/slim-fly.txt
}

draw_dragonfly() {
    local shape="--topology=dragonfly --hostsPerSwitch=4 --switchesPerGroup=8 --globalPorts=4"
    local pattern paths load options
    for pattern in adversarial uniform; do
        for paths in minimal valiant ugal-l told; do
            options="--routing=${paths/told/ugal-l}"
            [ $paths = told ] && options+=" --ns3::FabricSwitch::NeighbourLoads=true --ns3::FabricSwitch::DetourBias=32768"
            for load in 0.03 0.05 0.1 0.2 0.3 0.4 0.5 0.6 0.8 0.95; do
                run "dragonfly/$pattern-$paths-$load" build/bin/fabric-permutation --progress=off $shape --bytes=4KiB --warmUp=40us \
                    --duration=20us --pattern=$pattern $options --load=$load
            done
        done
    done
    .venv/bin/python utils/plot-permutation.py $out/dragonfly/* --output doc/dragonfly.png
}

draw_permutations() {
    local bytes seed tools options
    for tools in neither reroute both; do
        case $tools in
        neither) options="--ns3::FabricSwitch::Reroute=false --ns3::FabricSwitch::NeighbourLoads=false" ;;
        reroute) options="--ns3::FabricSwitch::Reroute=true --ns3::FabricSwitch::NeighbourLoads=false" ;;
        both) options="--ns3::FabricSwitch::Reroute=true --ns3::FabricSwitch::NeighbourLoads=true" ;;
        esac
        for bytes in 256KiB 1MiB 4MiB 16MiB 64MiB; do
            for seed in 701 702 703 704 705; do
                run "permutations/$tools-$bytes-$seed" build/bin/fabric-permutation --progress=off --pattern=random --bytes=$bytes --RngRun=$seed $options
            done
        done
    done
    .venv/bin/python utils/plot-message-sizes.py $out/permutations/neither-* $out/permutations/reroute-* $out/permutations/both-* \
        --output doc/permutations.png
}

pictures="permutations shaping ingress_fairness crossbar dragonfly torus hyperx slim-fly incast multicast reductions collectives collective-times collective-transports collective-topologies placements stragglers interference job-mix run flow-transports flow-carriers congestion congestion-tools congestion-senders hpcc timely trimming round-trips reordering cam reads tcp gpcnet allreduce nic pio python link-pauses link-errors outages permutation-transports losses loss-windows write-incasts dcqcn control-set-ups"
tables="collectives collective-times collective-transports collective-topologies placements stragglers interference job-mix flow-transports flow-carriers dragonfly torus hyperx congestion-tools congestion-senders incast timely link-pauses link-errors outages permutation-transports losses loss-windows write-incasts dcqcn control-set-ups"
for picture in "${@:-$pictures}"; do
    for name in $picture; do
        case " $pictures " in
        *" $name "*) ;;
        *)
            echo "measured.sh: there is no picture $name; allowed are $pictures" >&2
            exit 2
            ;;
        esac
        echo "== $name"
        "draw_$name"
        case " $tables " in *" $name "*) .venv/bin/python doc/figures/tables.py "$name" ;; esac
    done
done
