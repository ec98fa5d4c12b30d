#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module with its examples and tests inside an ns-3 source tree, with the address and undefined-behaviour
# sanitizers, and runs its suites there with test.py; with MPI, where there is one, also its programs on several ranks.
#
#   utils/check-in-tree.sh [--apart] [PATH-TO-NS3]
#
# Without a path, Debian's source package of ns-3 is brought into a cache folder and used.
# --apart compiles file by file, so that a missing #include shows, and all programs, not only those that run on ranks.
# The compiler is Clang 14 where it is installed, which takes half as long; CXX names another one.
# FABRIC_JOBS sets how many compilers run at once (all cores otherwise).
set -euo pipefail

project=$(cd "$(dirname "$0")/.." && pwd)
mpi=$(command -v mpicxx >/dev/null && command -v mpirun >/dev/null && echo ON || echo OFF)
unity=ON
targets=(test-runner)
[ $mpi = OFF ] || targets+=($(sed -n 's/^    ("\(fabric-[a-z-]*\)", .*/\1/p' "$project/utils/run-rank-tests.py" | sort -u))
tree=
for argument in "$@"; do
    case $argument in
    --apart) unity=OFF targets=(all) ;;
    -*) echo "usage: $0 [--apart] [PATH-TO-NS3]" >&2 && exit 2 ;;
    *) tree=$argument ;;
    esac
done

[ -n "$tree" ] || tree=$("$project"/utils/fetch-ns3-source.sh)
if [ ! -f "$tree/test.py" ] || [ ! -d "$tree/contrib" ]; then
    echo "$0: $tree is not an ns-3 source tree (it has no test.py or no contrib/)" >&2
    exit 2
fi
tree=$(cd "$tree" && pwd)

link=$tree/contrib/fabric
if [ -e "$link" ] && [ ! -L "$link" ]; then
    echo "$0: $link is a folder already; remove it or check another tree" >&2
    exit 2
fi
ln -sfn "$project" "$link"

# Only this module's examples and tests, and only the modules that it needs (and csma, which ns-3's own
# test module uses without saying so); asserts and logs are on. Without debug symbols and optimizations ns-3 itself compiles
# in less than half the time.
# The tree's own build and the note that ns-3 keeps about it are left as they are.
flavour=fabric$([ $mpi = OFF ] || echo -mpi)
build=$tree/cmake-cache-$flavour
output=$tree/build-$flavour
lock=$tree/.lock-ns3_linux_build
if [ -f "$lock" ]; then
    cp "$lock" "$lock.before-fabric"
    trap 'mv "$lock.before-fabric" "$lock"' EXIT
fi
export CCACHE_CONFIGPATH=$tree/fabric-ccache.conf # ns-3's build writes ccache's configuration: not the user's
generator=$(command -v ninja >/dev/null && echo Ninja || echo "Unix Makefiles")
compiler=${CXX:-$(command -v clang++-14 || command -v c++)}
echo "== configuring $tree (MPI $mpi)"
cmake -S "$tree" -B "$build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=default \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O0" -DFABRIC_SANITIZE=ON -DFABRIC_UNITY=$unity -DCMAKE_EXE_LINKER_FLAGS="-fsanitize=address,undefined" \
    -DNS3_ASSERT=ON -DNS3_LOG=ON -DNS3_WARNINGS_AS_ERRORS=ON -DNS3_MPI=$mpi -DNS3_OUTPUT_DIRECTORY="$output" \
    '-DNS3_ENABLED_MODULES=fabric;csma' -DNS3_EXAMPLES=ON -DNS3_TESTS=ON \
    -DNS3_FILTER_MODULE_EXAMPLES_AND_TESTS=fabric -DNS3_PYTHON_BINDINGS=OFF \
    >"$tree/fabric-configure.log" 2>&1 || { tail -30 "$tree/fabric-configure.log" >&2; exit 1; }
echo "== building"
cmake --build "$build" -j "${FABRIC_JOBS:-$(nproc)}" --target "${targets[@]}" >"$tree/fabric-build.log" 2>&1 || {
    grep -m 20 -E 'error:|undefined reference|multiple definition' "$tree/fabric-build.log" >&2 ||
        tail -30 "$tree/fabric-build.log" >&2
    exit 1
}

echo "== test.py"
cd "$tree"
export LD_LIBRARY_PATH=$output/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# ns-3 itself keeps singletons until the end, which are no leaks of ours. Reports go into files, since test.py keeps none.
rm -f "$tree"/fabric-sanitizer.*
export ASAN_OPTIONS=detect_leaks=0:log_path=$tree/fabric-sanitizer UBSAN_OPTIONS=print_stacktrace=1:log_path=$tree/fabric-sanitizer
python3 test.py --no-build --suite='fabric-*' --text=fabric-cases.txt >"$tree/fabric-test.log" 2>&1 && status=0 || status=$?
sed -i 's/\x1b\[[0-9;]*m//g' "$tree/fabric-test.log" # colours
grep -E 'PASS|FAIL|CRASH|SKIP|tests passed' "$tree/fabric-test.log" || { tail -20 "$tree/fabric-test.log"; exit 1; }
if [ $status != 0 ]; then
    # Which case of a suite failed, and why; test.py itself names suites only.
    grep -h -A 7 -E '^(FAIL|CRASH): Test Case' fabric-cases.txt* | head -n 60 >&2 || true
fi
if [ $mpi = ON ] && [ -f "$project/utils/run-rank-tests.py" ]; then
    echo "== programs on several ranks"
    # When no rank has anything left to do, ns-3's simulator adds to the largest time, and takes the sum from whoever has it
    # first: from here from ns-3 itself, where nobody checks it.
    core=$(ls "$output"/lib/libns3*-core*.so | head -1)
    LD_PRELOAD=$core ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 \
        python3 "$project/utils/run-rank-tests.py" "$output" || status=1
fi
[ $status = 0 ] || tail -n 40 "$tree"/fabric-sanitizer.* 2>/dev/null >&2 || true
exit $status
