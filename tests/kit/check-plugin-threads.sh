#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The threads of dpr check-plugin, and those of <dpr/help-pool.h>, for the build
# with ThreadSanitizer: a race ends a check with a status of its own, which is a
# finding.  With a fault, threads also have findings at the same time.
set -u
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-kit.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:use_sigaltstack=0
DPR_OPTION_MOCK_TYPE=cpu
export ASAN_OPTIONS DPR_OPTION_MOCK_TYPE

"$build/tools/dpr" check-plugin --group threads --group finish --group events \
	"$build/tests/plugins/.libs/libdpr-mock.so" >"$tmp/out" 2>&1 || {
	grep -v ' clean$' "$tmp/out"
	exit 1
}
# Not with the checks whose copies overlap on purpose: to the sanitizer that is a
# race, and it takes minutes to say so.
"$build/tools/dpr" check-plugin --group threads --group events --group kernels \
	--group loss --group order.in_order --group order.diamonds \
	--group order.barrier_deps --group order.across --group order.nothing \
	"$build/examples/plugin/.libs/libdpr-pooled.so" >"$tmp/out" 2>&1 || {
	grep -v ' clean$' "$tmp/out"
	exit 1
}
DPR_TEST_FAULT=bound_to_thread "$build/tools/dpr" check-plugin --group threads \
	--group finish "$build/tests/kit/.libs/libdpr-faulty.so" >"$tmp/out" 2>&1
if [ $? != 1 ] || grep -E 'ended with status|a crash|a hang' "$tmp/out"; then
	cat "$tmp/out"
	exit 1
fi
tail -n 1 "$tmp/out"
