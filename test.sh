#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what is missing, builds on all platforms and runs all tests. The last line is 'N passed, N failed'.
#
#   ./test.sh [--quick]     --quick: only on Debian's ns-3, without the sanitizers and ns-3's own tree
set -euo pipefail
cd "$(dirname "$0")"
case ${1:-} in
--quick) utils/setup.sh ;;
"") utils/setup.sh --pypi ;;
*) echo "usage: $0 [--quick]" >&2 && exit 2 ;;
esac
exec .venv/bin/python utils/run-tests.py "$@"
