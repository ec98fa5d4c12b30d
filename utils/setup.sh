#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs on a Debian 12 machine what building and testing need, and only what is missing:
# packages by apt-get (as root, or by sudo) and a Python environment in .venv.
#
#   utils/setup.sh [--pypi]
#
# --pypi also brings the ns-3 of PyPI into .venv-pypi, a second platform for the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ cmake ninja-build ccache libns3-dev ns3 libgsl-dev libasio-dev nlohmann-json3-dev
    python3 python3-dev python3-venv clang-14 libclang-rt-14-dev clang-format-14 doxygen dpkg-dev valgrind
    libopenmpi-dev openmpi-bin)
pypi=off
for argument in "$@"; do
    case $argument in
    --pypi) pypi=on ;;
    *) echo "usage: $0 [--pypi]" >&2 && exit 2 ;;
    esac
done

is_missing() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" != installed ]
}

missing=()
for package in "${packages[@]}"; do
    ! is_missing "$package" || missing+=("$package")
done
# Checks the Wireshark dissector; that test is skipped where there is no tshark.
if is_missing tshark && apt-cache show tshark >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }; then
    missing+=(tshark)
fi
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "$0: ${missing[*]} must be installed: run this as root, or install sudo" >&2
            exit 1
        }
        as_root=(sudo)
    fi
    echo "== installing ${missing[*]}"
    log=$(mktemp)
    # One source that cannot be reached does not matter if the packages are found in the others.
    "${as_root[@]}" apt-get update >"$log" 2>&1 || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}" \
        >>"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }
    rm -f "$log"
fi

# Makes a Python environment that holds what a requirements file lists; a copy of the file in it says that it is complete.
make_environment() {
    local folder=$1 requirements=$2
    shift 2
    if cmp -s "$requirements" "$folder/requirements.txt" && [ -x "$folder/bin/python" ]; then
        return
    fi
    echo "== installing $requirements into $folder"
    /usr/bin/python3 -m venv --clear "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" -r "$requirements"
    cp "$requirements" "$folder/requirements.txt"
}

make_environment .venv utils/requirements.txt
# The Python package as it stands in this checkout, with the library of build/.
for packages in .venv/lib/python3*/site-packages; do
    echo "$PWD/bindings" >"$packages/fabric_sim.pth"
done
if [ $pypi = on ]; then
    # Its C++ half is enough to build against. Its dependency cppyy, which compiles for minutes, is for the bindings only.
    make_environment .venv-pypi utils/requirements-pypi.txt --no-deps
fi
