#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a program that ends while the driver compiles or computes, with empty
# caches.
# With a sanitizer it runs three times, once in each way.  By hand, in the build
# folder, with the number of runs:
#	make tests/opencl/cold_exit && ../tests/opencl/cold-exit.sh 200
set -u
build=${top_builddir:-.}
[ "${dpr_sanitizers:-none}" = none ] && runs=6 || runs=3
runs=${1:-$runs}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
if [ ! -e "$build/backends/.libs/libdpr-opencl.so" ]; then
	echo "needs the OpenCL backend, which was not built"
	exit 77
fi
DPR_PLUGIN_PATH=${DPR_PLUGIN_PATH:-$(cd "$build" && pwd)/backends/.libs}
POCL_CACHE_DIR=$dir/pocl
DPR_CACHE_DIR=$dir/dpr
export DPR_PLUGIN_PATH POCL_CACHE_DIR DPR_CACHE_DIR
i=0
bad=0
while [ "$i" -lt "$runs" ]; do
	i=$((i + 1))
	rm -rf "$dir/pocl" "$dir/dpr"
	mkdir "$dir/pocl"
	# Every second run lingers, so that the driver's threads have time to
	# crash.  Every third has array functions alone.
	how=
	[ $((i % 2)) = 0 ] || how=linger
	[ $((i % 3)) = 0 ] && how="$how arrays"
	# shellcheck disable=SC2086 # these are words
	"$build/tests/opencl/cold_exit" $how
	rc=$?
	[ "$rc" = 77 ] && exit 77
	case $how in
	*arrays)
		if find "$dir/pocl" -name '*.so' | grep -q .; then
			echo "run $i: the driver compiled for array functions"
			rc=1
		fi
		;;
	esac
	if [ "$rc" != 0 ]; then
		echo "run $i ended with status $rc"
		bad=$((bad + 1))
	fi
done
echo "$bad of $runs runs failed"
[ "$bad" = 0 ]
