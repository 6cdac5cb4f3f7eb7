#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the plugin contract on the Level Zero backend, with the
# software driver of tests/zecpu, which ends the program at the first misuse:
# with commands in submission order, in reverse order and late, and with lists
# that a flag keeps in order.
set -u
build=${top_builddir:-.}
driver=$build/tests/zecpu/driver/.libs/libzecpu.so
DPR_TEST_BACKENDS=level_zero
DPR_BACKEND=level_zero
ZE_ENABLE_ALT_DRIVERS=$driver
ZECPU_STRICT=1
export DPR_TEST_BACKENDS DPR_BACKEND ZE_ENABLE_ALT_DRIVERS ZECPU_STRICT
if [ ! -e "$build/backends/.libs/libdpr-level_zero.so" ]; then
	echo "needs the Level Zero backend, which was not built"
	exit 77
fi
"$build/tests/level_zero/api_ze_states" able || exit $?

# run KNOB=VALUE...: run all programs with these settings of the driver.
run() {
	echo "with $*"
	for t in device event life memory module queue; do
		env "$@" "$build/tests/contract/backend_$t" || exit 1
	done
}
run ZECPU_REVERSE=0
run ZECPU_REVERSE=1 ZECPU_DELAY_US=50
run ZECPU_REVERSE=1 ZECPU_IN_ORDER=1 ZECPU_COUNTER=1
