#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Test the software Level Zero driver under the loader's validation and tracing
# layers, and as one of two drivers: with two, the loader wraps every handle.
set -eu

top=${top_builddir:-.}
client=$top/tests/zecpu/zecpu_client
library=$top/tests/zecpu/driver/.libs/libzecpu.so
folder=$(mktemp -d "${TMPDIR:-/tmp}/zecpu-layers.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# If a module does not build, loader 1.8 returns the log without a wrapper, and then
# fails to unwrap it: let the tests leave out such logs.
ZECPU_TEST_WRAPPED=1
export ZECPU_TEST_WRAPPED

status=0
run() {
	env "$@" "$client" >"$folder/log" 2>&1 || status=$?
	case $status in
	0) echo "passes: $*" ;;
	77) tail -n 3 "$folder/log" && exit 77 ;;
	*) echo "fails: $*" && cat "$folder/log" && exit 1 ;;
	esac
}

run ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1
run ZE_ENABLE_TRACING_LAYER=1 ZE_ENABLE_LOADER_INTERCEPT=1 \
	ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1

cp "$library" "$folder/second.so"
run "ZE_ENABLE_ALT_DRIVERS=$library,$folder/second.so"
