#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests of other folders once more, with the layer "check" around every plugin and
# with the layer "handles".  They pass as without them, and no plugin, kernel or
# test of this tree has a finding.  Calls that took long do not count: on a busy
# machine they may.  With a sanitizer only a few of the programs run.
set -u
# shellcheck source=../support/need-tool.sh
. "${top_srcdir:-.}/tests/support/need-tool.sh"
src=${top_srcdir:-.}
build=${top_builddir:-.}
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-layer.XXXXXX") || exit 99
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/bad"
DPR_TEST_SMALL=1
DPR_LAYERS=check,handles
export DPR_TEST_SMALL DPR_LAYERS

bad() {
	printf '%s\n' "$*" | tee -a "$tmp/bad"
}

# checked NAME... -- PROGRAM...: run the programs; each of these backends must
# have been looked at, and none may have a finding.
checked() {
	names=
	while [ "$1" != -- ]; do
		names="$names $1"
		shift
	done
	shift
	: >"$tmp/log"
	for program; do
		DPR_LOG="info:$tmp/log" timeout 300 "$build/tests/$program" \
			>"$tmp/out" 2>&1
		case $? in
		0) ;;
		77) echo "without $program: $(tail -n 1 "$tmp/out")" ;;
		*)
			bad "$program fails with the layer:"
			cat "$tmp/out" ;;
		esac
	done
	grep -E ' error: (check|handles): ' "$tmp/log" >"$tmp/findings" &&
		{ bad "findings of $*:"; cat "$tmp/findings"; }
	for name in $names; do
		grep -q "check: $name: [0-9]* findings in [1-9]" "$tmp/log" ||
			bad "$name: the layer was not there"
		echo "$name: $(awk -v name="check: $name:" '
			index($0, name) && / findings in / { n += $(NF - 1) }
			END { print n }' "$tmp/log") calls looked at"
	done
}

DPR_LAYERS='' "$build/tools/dpr" devices >"$tmp/devices" 2>/dev/null
backends=mock
for name in host opencl; do
	grep -q "^$name:" "$tmp/devices" && backends="$backends $name"
done
programs='queue/api_queue memory/api_usm submit/api_launch array/api_array'
[ "${dpr_sanitizers:-none}" != none ] || programs="$programs memory/api_pool \
	submit/api_order submit/api_held submit/api_cannot_wait \
	submit/api_overlap device/api_native \
	device/api_wrapped_queue program/api_kernel program/api_native_kernels \
	transfer/api_transfer array/api_expression array/api_view \
	array/api_dlpack_order kernels/api_rows expression/api_softmax"
# shellcheck disable=SC2086 # lists of words
checked $backends -- $programs

if [ -e "$build/tests/cuda/driver/.libs/libcuda.so.1" ]; then
	checked cuda -- cuda/api_cuda_one_mock cuda/api_cuda_order \
		cuda/api_cuda_memory
else
	echo "without the CUDA backend, which was not built"
fi

ZE_ENABLE_ALT_DRIVERS=$build/tests/zecpu/driver/.libs/libzecpu.so
export ZE_ENABLE_ALT_DRIVERS
if [ -e "$build/backends/.libs/libdpr-level_zero.so" ] &&
	DPR_LAYERS='' "$build/tests/level_zero/api_ze_states" able; then
	DPR_BACKEND=level_zero ZECPU_STRICT=1 DPR_TEST_BACKENDS=level_zero
	export DPR_BACKEND ZECPU_STRICT DPR_TEST_BACKENDS
	checked level_zero -- queue/api_queue memory/api_usm array/api_memory
else
	echo "without the software driver of Level Zero"
fi

# Each rule that a finding names has its sentence in the header.
cat "$src"/core/runtime/layer/*.c | grep -o '"[A-Z][0-9][0-9]*"' | tr -d '"' |
	sort -u >"$tmp/rules"
[ -s "$tmp/rules" ] || bad "no rules in core/runtime/layer"
while read -r rule; do
	grep -q "\[$rule\]" "$src/include/dpr/backend.h" ||
		bad "$rule is no rule of backend.h"
done <"$tmp/rules"

[ ! -s "$tmp/bad" ]
