#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Brings Debian's source package of ns-3 into a cache folder, if it is not there yet, and prints the path of the tree.
#
#   utils/fetch-ns3-source.sh
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/fabric

# Fetches Debian's source with lists of our own, so that the machine's configuration of apt stays as it is.
fetch_debian_source() {
    local apt=$cache/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/parts"
    # The same places that the machine's binary packages come from, with deb replaced by deb-src.
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        case $file in
        *.list) [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >"$apt/parts/$(basename "$file")" ;;
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/$(basename "$file")" ;;
        esac
    done
    local options=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts"
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt" -o APT::Sandbox::User="$(id -un)")
    # A source of the machine that is no Debian mirror may fail; what counts is whether ns3 is found.
    apt-get "${options[@]}" update >"$apt/update.log" 2>&1 || true
    (cd "$cache" && apt-get "${options[@]}" source --download-only ns3) >"$apt/source.log" 2>&1 || {
        tail -5 "$apt/update.log" "$apt/source.log" >&2
        echo "$0: apt cannot bring the source package ns3; give the path of an ns-3 tree instead" >&2
        exit 1
    }
    rm -rf "$cache/unpacked"
    dpkg-source --no-check -x "$cache"/ns3_*.dsc "$cache/unpacked" >>"$apt/source.log" 2>&1
    local unpacked
    unpacked=$(dirname "$(ls -d "$cache"/unpacked/ns-*/test.py)")
    mkdir -p "$cache/trees"
    mv "$unpacked" "$cache/trees/"
    rm -rf "$cache/unpacked" "$apt"
}

if ! ls -d "$cache"/trees/ns-*/test.py >/dev/null 2>&1; then
    echo "== fetching Debian's source package of ns-3 into $cache" >&2
    fetch_debian_source
fi
dirname "$(ls -d "$cache"/trees/ns-*/test.py | tail -1)"
