#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that what is public in the headers is documented; a warning of Doxygen is an error. A comment that would only
# repeat names is left out: constructors, getters without parameters and GetTypeId() may have none. What overrides a function
# of ns-3 is documented there, which Doxygen can't see without ns-3's headers.
#
#   utils/check-doxygen.sh [FOLDER]     FOLDER keeps the documentation as HTML
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-$(mktemp -d)}
[ $# -gt 0 ] || trap 'rm -rf "$output"' EXIT
format=$([ $# -gt 0 ] && echo HTML || echo XML)
mkdir -p "$output"
constructor='Member ([A-Za-z]+)\(.*\) \(function\) of (class|struct) (.*::)?\1 is not documented'
getter='\(\) const \(function\) of .* is not documented'
says_all="$constructor|$getter|GetTypeId\(\) \(function\)| override \(function\) of class .* is not documented"
{
    cat doc/doxygen.conf
    echo "INPUT = $(find model helper -maxdepth 0 2>/dev/null | tr '\n' ' ')"
    echo "OUTPUT_DIRECTORY = $output"
    echo "GENERATE_$format = YES"
} | { doxygen - 2>&1 >/dev/null || true; } | { ! grep -vE "$says_all" >&2; }
