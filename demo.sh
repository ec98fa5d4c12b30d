#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shows what flow channels do to an incast: installs what is missing, builds, runs the same incast with and without
# them, and draws both. All options are handed on to fabric-incast.
#
#   ./demo.sh [--senders=63 --bytes=1MB ...]
set -euo pipefail
cd "$(dirname "$0")"

utils/setup.sh
echo "== building"
utils/build.sh fabric-incast

results=results/demo
for flow_channels in on off; do
    echo "== incast with a victim, flow channels $flow_channels"
    build/bin/fabric-incast --flowChannels=$flow_channels --samplePeriod=10us --out=$results/flow-channels-$flow_channels \
        --force "$@"
done

.venv/bin/python utils/plot-incast.py $results/flow-channels-on $results/flow-channels-off --output $results/incast.png
echo "== the plot is $results/incast.png, the figures are in $results/flow-channels-{on,off}"
