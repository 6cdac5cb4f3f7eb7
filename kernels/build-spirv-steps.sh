#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compile the functions of which kernels are made (step.cl), of all dtypes, to
# one SPIR-V module, check it, and write OUT/spirv_steps.bin.
#
# usage: build-spirv-steps.sh SOURCES OUT
#        SOURCES has the .cl files, OUT has steps.cl
# Environment: KERNEL_CLANG, KERNEL_OPT, LLVM_SPIRV; SPIRV_VAL where it is
# installed.
set -eu

sources=$1 out=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/dpr-steps.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# What llvm-spirv-15 wants; from 17 on there is no such choice.
typed=
case $("$KERNEL_OPT" --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p') in
15) typed=-opaque-pointers=0 ;;
esac

# The dtypes with doubles come first: the others then have casts to them.
for dtype in 13 15 1 2 3 4 5 6 7 8 9 10 11 12 14; do
	printf '#undef DPR_DTYPE\n#define DPR_DTYPE %d\n' "$dtype"
	for file in types math complex convert step; do
		cat "$sources/$file.cl"
	done
	cat "$out/steps.cl"
done >"$tmp/steps.cl"

# STEP_LINKAGE is nothing, so that the functions stay although nobody calls
# them.  -O2 and even simplifycfg make llvm-spirv-15 write modules that are not
# valid: the bitcode is only cleaned a little, drivers optimise themselves.
# opt-18 and 19 say each time that there is no code generator for SPIR-V.
"$KERNEL_CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -w \
	-DSTEP_LINKAGE= -target spir64-unknown-unknown -O2 \
	-Xclang -disable-llvm-passes -emit-llvm -c "$tmp/steps.cl" \
	-o "$tmp/raw.bc"
# shellcheck disable=SC2086 # typed may be nothing
"$KERNEL_OPT" $typed -passes='function(sroa,early-cse)' "$tmp/raw.bc" \
	-o "$tmp/steps.bc" 2>"$tmp/log" || {
	cat "$tmp/log" >&2
	exit 1
}
"$LLVM_SPIRV" --spirv-max-version=1.2 "$tmp/steps.bc" -o "$tmp/steps.spv"
if [ -n "${SPIRV_VAL-}" ]; then
	"$SPIRV_VAL" --target-env spv1.2 "$tmp/steps.spv"
fi
cp "$tmp/steps.spv" "$out/spirv_steps.bin.tmp"
mv "$out/spirv_steps.bin.tmp" "$out/spirv_steps.bin"
