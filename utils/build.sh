#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the library, the programs and the tests in build/, against Debian's ns-3. Prints what it does only if it fails.
#
#   utils/build.sh [TARGET...]     only these
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
{ cmake -G Ninja -S . -B build -DFABRIC_WERROR=ON && cmake --build build ${1:+--target "$@"}; } >"$log" 2>&1 || { tail -30 "$log" >&2; exit 1; }
