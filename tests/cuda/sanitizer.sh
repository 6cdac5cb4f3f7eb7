#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run tests on the CUDA backend under NVIDIA's compute-sanitizer: memcheck,
# racecheck and initcheck.  Takes at most 8 minutes, and is skipped without a
# GPU or without the tool.  By hand, in the build folder:
#	make check TESTS=tests/cuda/sanitizer.sh
# or with the names of other tests:
#	../tests/cuda/sanitizer.sh tests/array/api_dlpack
set -u
build=$(cd "${top_builddir:-.}" && pwd)
limit=480
# Racecheck and initcheck check only kernels; memcheck checks copies, too.
kernels="tests/array/api_array tests/array/api_memory tests/array/api_view
	tests/program/api_kernel"
copies="tests/array/api_placement tests/memory/api_usm tests/queue/api_queue"
if [ $# -gt 0 ]; then
	kernels=$*
	copies=
fi

DPR_PLUGIN_PATH=${DPR_PLUGIN_PATH:-$build/backends/.libs}
DPR_TEST_PLUGIN_DIR=${DPR_TEST_PLUGIN_DIR:-$build/tests/plugins/.libs}
DPR_BACKEND=cuda
DPR_CACHE_DIR=off
DPR_TEST_SMALL=1
# Kernels run many times slower under the tool.
CK_TIMEOUT_MULTIPLIER=50
export DPR_PLUGIN_PATH DPR_TEST_PLUGIN_DIR DPR_BACKEND DPR_CACHE_DIR
export DPR_TEST_SMALL CK_TIMEOUT_MULTIPLIER

tool=
for at in "$(command -v compute-sanitizer)" "${CUDA_HOME:-/nowhere}" \
	/usr/local/cuda; do
	[ -d "$at" ] && at=$at/bin/compute-sanitizer
	if [ -z "$tool" ] && [ -x "$at" ]; then
		tool=$at
	fi
done
if [ -z "$tool" ]; then
	echo "skipped: compute-sanitizer is not installed (it is part of CUDA)"
	exit 77
fi
if [ ! -e "$build/backends/.libs/libdpr-cuda.so" ]; then
	echo "skipped: the CUDA backend was not built"
	exit 77
fi
"$build/tests/cuda/planted" nothing
rc=$?
if [ "$rc" != 0 ]; then
	[ "$rc" = 77 ] && echo "skipped: needs a GPU with NVIDIA's driver"
	exit "$rc"
fi

log=$(mktemp "${TMPDIR:-/tmp}/dpr-sanitizer.XXXXXX") || exit 99
trap 'rm -f "$log"' EXIT
begin=$(date +%s)

# Racecheck reports each hazard by itself, at once.  It would sum them up at the
# next call that waits for the device.  The plugin asks without waiting, and so
# that would be after the module is unloaded, where the tool crashes.
#
# under TOOL PROGRAM ARGUMENT...: run the program under the tool, for the time
# that is left.  Returns 99 if the tool reports something.
# Errors that the driver's functions return are not reported: the plugin asks
# questions whose normal answer is an error, such as whether an address is the
# driver's memory, or whether an event is over.
under() {
	which=$1
	shift
	left=$((limit + begin - $(date +%s)))
	[ "$left" -gt 0 ] || return 124
	report=
	[ "$which" = racecheck ] && report="--racecheck-report hazard"
	# shellcheck disable=SC2086
	timeout "$left" "$build/libtool" --mode=execute "$tool" \
		--tool "$which" $report --report-api-errors no \
		--error-exitcode 99 --target-processes all "$@" >"$log" 2>&1
}

bad=0
for which in memcheck racecheck initcheck; do
	under "$which" "$build/tests/cuda/planted" "$which"
	rc=$?
	if [ $rc != 99 ]; then
		echo "$which does not see a planted fault (status $rc):"
		tail -n 20 "$log"
		bad=$((bad + 1))
		continue
	fi
	list=$kernels
	[ "$which" = memcheck ] && list="$kernels $copies"
	for test in $list; do
		under "$which" "$build/$test"
		rc=$?
		echo "$which: $test: status $rc," \
			"$(($(date +%s) - begin)) s since the start"
		[ $rc = 0 ] && continue
		[ $rc = 124 ] && echo "longer than $limit s in all"
		tail -n 40 "$log"
		bad=$((bad + 1))
	done
done
echo "$bad failed"
[ "$bad" = 0 ]
