#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shows what flow channels do to an incast: installs what is missing, builds, runs the same incast with and without
# them for ten seeds, prints medians and ranges, and draws them. All options are handed on to fabric-incast.
#
#   ./demo.sh [--senders=63 --bytes=1MB ...]
set -euo pipefail
cd "$(dirname "$0")"

utils/setup.sh
echo "== building"
utils/build.sh fabric-incast

results=results/demo
rm -rf $results
for flow_channels in on off; do
    echo "== incast with a victim, flow channels $flow_channels, 10 seeds"
    for seed in {1..10}; do
        build/bin/fabric-incast --flowChannels=$flow_channels --RngRun=$seed --samplePeriod=10us \
            --out=$results/flow-channels-$flow_channels-$seed "$@" >/dev/null
    done
done

.venv/bin/python utils/summarize-runs.py $results/flow-channels-{on,off}-*
.venv/bin/python utils/plot-incast.py $results/flow-channels-{on,off}-* --output $results/incast.png
echo "== the plot is $results/incast.png, the figures of each run are in $results"
