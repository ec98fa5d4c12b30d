#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds Debian's ns-3 with MPI, optimized and with the modules alone that this project needs, and installs it into a cache
# folder: Debian's own packages of ns-3 have no MPI. Once it is there, nothing is done. The last line is the folder for -Dns3_DIR:
#
#   cmake -G Ninja -S . -B build-mpi -Dns3_DIR="$(utils/build-ns3-mpi.sh)"
#
# FABRIC_JOBS sets how many compilers run at once (all cores otherwise).
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${XDG_CACHE_HOME:-$HOME/.cache}/fabric
installed=$cache/ns3-mpi
complete=$installed/complete # an empty file that is made last

build_and_install() {
    command -v mpicxx >/dev/null || {
        echo "$0: there is no MPI: install libopenmpi-dev and openmpi-bin (utils/setup.sh does)" >&2
        exit 1
    }
    local tree source=$cache/ns3-mpi-source build=$cache/ns3-mpi-build
    tree=$(utils/fetch-ns3-source.sh)
    # A copy, since ns-3's build writes into its tree, where utils/check-in-tree.sh has other builds and the module.
    rm -rf "$source" "$build" "$installed"
    mkdir -p "$source/contrib"
    cp -r "$tree"/{CMakeLists.txt,VERSION,build-support,src,utils,examples,scratch,bindings} "$source"

    export CCACHE_CONFIGPATH=$source/ccache.conf # ns-3's build writes ccache's configuration: not the user's
    local generator log=$cache/ns3-mpi.log
    generator=$(command -v ninja >/dev/null && echo Ninja || echo "Unix Makefiles")
    echo "== building ns-3 with MPI into $installed" >&2
    {
        cmake -S "$source" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=release -DCMAKE_INSTALL_PREFIX="$installed" \
            -DCMAKE_INSTALL_RPATH="\$ORIGIN" -DNS3_OUTPUT_DIRECTORY="$build/output" -DNS3_MPI=ON \
            -DNS3_EXAMPLES=OFF -DNS3_TESTS=OFF -DNS3_PYTHON_BINDINGS=OFF -DNS3_WARNINGS_AS_ERRORS=OFF -DNS3_NATIVE_OPTIMIZATIONS=OFF \
            -DNS3_GSL=OFF -DNS3_GTK3=OFF -DNS3_SQLITE=OFF -DNS3_VISUALIZER=OFF \
            '-DNS3_ENABLED_MODULES=core;network;traffic-control;internet;point-to-point;applications;internet-apps;csma;bridge;mpi' &&
            cmake --build "$build" -j "${FABRIC_JOBS:-$(nproc)}" &&
            cmake --install "$build"
    } >"$log" 2>&1 || {
        grep -m 20 -E 'error:|undefined reference' "$log" >&2 || tail -30 "$log" >&2
        exit 1
    }
    rm -rf "$source" "$build"
    touch "$complete"
}

[ -f "$complete" ] || build_and_install
find "$installed" -name ns3Config.cmake -printf '%h\n'
