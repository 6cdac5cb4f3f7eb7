#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run a program that ends while the driver compiles, with empty caches.
# By hand, in the build folder, with the number of runs:
#	make tests/opencl/cold_exit && ../tests/opencl/cold-exit.sh 200
set -u
build=${top_builddir:-.}
runs=${1:-5}
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
	# Every second run lingers, so that the compiler has time to crash.
	if [ $((i % 2)) = 1 ]; then how=linger; else how=; fi
	"$build/tests/opencl/cold_exit" $how
	rc=$?
	[ "$rc" = 77 ] && exit 77
	if [ "$rc" != 0 ]; then
		echo "run $i ended with status $rc"
		bad=$((bad + 1))
	fi
done
echo "$bad of $runs runs failed"
[ "$bad" = 0 ]
