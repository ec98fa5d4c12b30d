#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the C++ sources are formatted as .clang-format says; with --fix, formats them.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then
    mode=(-i)
fi
# The version is part of the check: other versions break lines elsewhere.
format=$(command -v clang-format-14 || command -v clang-format)
find . -path './build*' -prune -o -path './.*' -prune -o -name '*.h' -print -o -name '*.cc' -print | sort | xargs "$format" "${mode[@]}" --style=file
